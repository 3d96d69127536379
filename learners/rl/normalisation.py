"""What Stable-Baselines3's ``VecNormalize`` does to observations: a policy that learned with it cannot play without."""

from typing import Any, NamedTuple, Self

import numpy as np

from agents.foundation.checks import finite_array, finite_number
from agents.foundation.typing import Float
from learners.rl.views import Single


class Frozen(NamedTuple):
    """Statistics of a training that is over.

    Attributes
    ----------
    mean, var : ndarray, shape (width,)
    """

    mean: Float
    var: Float


class Normalisation(NamedTuple):
    """Shift and scale of each number that a policy sees.

    Attributes
    ----------
    statistics : RunningMeanStd or Frozen
        Mean and variance (width,) of each number; while training goes on, they change with it.
    epsilon : float
        Added to the variance.
    clip : float
        Largest size of a normalised number.
    """

    statistics: Any
    epsilon: float
    clip: float

    @classmethod
    def of(cls, model: object) -> Self | None:
        """Return that of a model; None if its observations are not normalised.

        Raises
        ------
        ValueError
            If they are normalised twice, or are dictionaries.
        """
        wrapper: Any = getattr(model, "get_vec_normalize_env", lambda: None)()
        if wrapper is None or not wrapper.norm_obs:
            return None
        if isinstance(wrapper.obs_rms, dict):
            raise ValueError('model must see arrays through VecNormalize, got a dictionary: take the view "flat"')
        inner = wrapper.venv
        while inner is not None:
            if hasattr(inner, "obs_rms"):
                raise ValueError("model must see observations through one VecNormalize, got two")
            inner = getattr(inner, "venv", None)
        return cls(wrapper.obs_rms, float(wrapper.epsilon), float(wrapper.clip_obs))

    @classmethod
    def from_json(cls, said: dict[str, Any], width: int) -> Self:
        """Return what `to_json` said.

        Raises
        ------
        KeyError, TypeError, ValueError
            If it is no normalisation of so many numbers.
        """
        mean, variance = (finite_array(name, said[name], (width,)) for name in ("mean", "variance"))
        epsilon, clip = (finite_number(name, said[name], above=0.0) for name in ("epsilon", "clip"))
        if variance.min() < 0.0:
            raise ValueError(f"variance must be at least 0, got {variance.min()}")
        return cls(Frozen(mean, variance), epsilon, clip)

    def to_json(self) -> dict[str, object]:
        """Return it in JSON values."""
        mean, variance = self.statistics.mean.tolist(), self.statistics.var.tolist()
        return {"mean": mean, "variance": variance, "epsilon": self.epsilon, "clip": self.clip}

    def __call__(self, observed: Single) -> Single:
        """Return normalised observations (n, width)."""
        scaled = (observed - self.statistics.mean) / np.sqrt(self.statistics.var + self.epsilon)
        return np.asarray(np.clip(scaled, -self.clip, self.clip), dtype=np.float32)
