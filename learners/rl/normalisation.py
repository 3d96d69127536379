"""What Stable-Baselines3's ``VecNormalize`` does to observations, frozen: who learned with it cannot play without."""

from typing import Any, NamedTuple, Self

import numpy as np

from agents.checks import finite_array, finite_number
from agents.typing import Float
from learners.rl.views import Single


class Normalisation(NamedTuple):
    """Shift and scale of each number that a policy sees.

    Attributes
    ----------
    mean, variance : ndarray, shape (width,)
    epsilon : float
        Added to the variance.
    clip : float
        Largest size of a normalised number.
    """

    mean: Float
    variance: Float
    epsilon: float
    clip: float

    @classmethod
    def of(cls, model: object) -> Self | None:
        """Return that of a model, as it is now; None if its observations are not normalised."""
        wrapper: Any = getattr(model, "get_vec_normalize_env", lambda: None)()
        if wrapper is None or not wrapper.norm_obs:
            return None
        seen = wrapper.obs_rms
        return cls(seen.mean.copy(), seen.var.copy(), float(wrapper.epsilon), float(wrapper.clip_obs))

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
        return cls(mean, variance, epsilon, clip)

    def to_json(self) -> dict[str, object]:
        """Return it in JSON values."""
        return self._asdict() | {"mean": self.mean.tolist(), "variance": self.variance.tolist()}

    def __call__(self, observed: Single) -> Single:
        """Return normalised observations (n, width)."""
        scaled = (observed - self.mean) / np.sqrt(self.variance + self.epsilon)
        return np.clip(scaled, -self.clip, self.clip).astype(np.float32)
