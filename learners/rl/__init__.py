"""Reinforcement learning: views of the game that policies can learn from, training, trained policies as learners."""

from typing import TYPE_CHECKING

from agents.foundation.lazy import lazily

if TYPE_CHECKING:
    from learners.rl.policy import TrainedPolicy as TrainedPolicy
    from learners.rl.saved_policy import SavedPolicy as SavedPolicy
    from learners.rl.saved_policy import load as load
    from learners.rl.saved_policy import save as save
    from learners.rl.saved_policy import shipped as shipped
    from learners.rl.settings import Settings as Settings
    from learners.rl.settings import read_settings as read_settings
    from learners.rl.training import Training as Training
    from learners.rl.training import train as train
    from learners.rl.vector_adapter import GymnasiumVecEnv as GymnasiumVecEnv
    from learners.rl.views import View as View
    from learners.rl.views import make_view as make_view
    from learners.rl.wrappers import ViewedEnv as ViewedEnv
    from learners.rl.wrappers import ViewedVectorEnv as ViewedVectorEnv
else:
    _HOMES = {
        "policy": ("TrainedPolicy",),
        "saved_policy": ("SavedPolicy", "load", "save", "shipped"),
        "settings": ("Settings", "read_settings"),
        "training": ("Training", "train"),
        "vector_adapter": ("GymnasiumVecEnv",),
        "views": ("View", "make_view"),
        "wrappers": ("ViewedEnv", "ViewedVectorEnv"),
    }
    __all__ = [name for names in _HOMES.values() for name in names]
    __getattr__ = lazily(__name__, {name: home for home, names in _HOMES.items() for name in names})
