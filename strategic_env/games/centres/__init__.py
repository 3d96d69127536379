"""Nearest centres: labels that only geometry tells, at a loss of how much farther another centre is."""
