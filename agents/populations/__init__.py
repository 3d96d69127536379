"""Where they come from: pools, separable balls, data sets, points with labels, and nature that picks who arrives."""
