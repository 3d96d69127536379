"""The bench: who takes part, one run after another, and the folder that keeps them."""
