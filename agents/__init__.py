"""Who arrives, and how they answer: costs of manipulation, individuals, populations, points with labels."""

import lazy_loader

DISTRIBUTION = "strategic-env"  # which this package belongs to: others install an `agents`, too

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
