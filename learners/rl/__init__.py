"""Reinforcement learning: views of the game that policies can learn from, training, trained policies as learners."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
