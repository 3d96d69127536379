"""Margins of a sample, the widest separator, and the solvers behind them."""
