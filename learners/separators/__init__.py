"""Margins of a sample, the widest separator, and the solvers behind them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
