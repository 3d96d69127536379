"""Learners of the strategic game: they publish linear classifiers; a file per algorithm."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
