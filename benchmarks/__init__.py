"""Speed, as ratios of two sides that are measured in alternation: ``python -m benchmarks``."""
