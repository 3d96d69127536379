"""Margin-independent learning: contextual search, nearest centres, and what their knowledge sets are made of."""
