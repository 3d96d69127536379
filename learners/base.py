"""The interface of a learner: Stable-Baselines3's ``predict``, with everything learned in an explicit state."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learners.observation import read
from learners.rules import advance

State = TypeVar("State", bound=tuple[NDArray[Any], ...])


class Truth(NamedTuple):
    """What the theorems' bounds depend on; nobody tells it to a learner.

    Attributes
    ----------
    cost : str
        ``"l2"`` or ``"l1"``.
    dim : int
    radius : float
        R, the largest norm of true features.
    margin : float
        Distance that true features keep from the separating hyperplane: 1 / |w*|.
    intercept : float
        The hyperplane's intercept with unit weights; 0 if it passes through the origin.
    alpha : tuple of float
        The largest reaches: one for l2 costs, one per coordinate for weighted l1 costs.
    nonnegative : bool
        Whether no weight of the separator is negative.
    alpha_min : tuple of float or None
        The smallest reaches, where individuals differ.
    """

    cost: str
    dim: int
    radius: float
    margin: float
    intercept: float
    alpha: tuple[float, ...]
    nonnegative: bool
    alpha_min: tuple[float, ...] | None = None

    @property
    def one_cost(self) -> bool:
        """Whether everybody reaches equally far, as all theorems but Corollary 1 assume."""
        return self.alpha_min in (None, self.alpha)


class Learner(ABC, Generic[State]):
    """A policy that learns while it predicts.

    Attributes
    ----------
    name : str
        Its name on the command line.
    state_class : type
        NamedTuple of its state; the first field is ``weights`` (n, d).
    summary : str
        What it is, in one line.
    requires : tuple of str
        What it must be told (`from_knowledge`).
    cost : str or None
        The manipulation cost that it is made for: ``"l2"``, ``"l1"``, or None for any.
    parameters : dict
        The values that it was built with.
    """

    name: ClassVar[str]
    state_class: ClassVar[type[tuple[NDArray[Any], ...]]]
    summary: ClassVar[str]
    requires: ClassVar[tuple[str, ...]] = ()
    cost: ClassVar[str | None] = None
    parameters: dict[str, object]

    @abstractmethod
    def initial_state(self, games: int, dim: int) -> State:
        """Return the state of ``games`` games with ``dim`` features before their first round."""

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the theorem's mistake bound, sharpened or as printed; None where its assumptions fail."""
        return None

    @classmethod
    def from_knowledge(cls, knowledge: Mapping[str, object], **parameters: Any) -> Self:
        """Build the learner from what a scenario tells; explicit ``parameters`` override.

        Raises
        ------
        ValueError
            If it is told too little, or made for another cost.
        """
        if "alpha" not in knowledge and "alpha_min" in knowledge:
            # Corollary 1: where reaches differ a little, the smallest one serves for all.
            knowledge = dict(knowledge) | {"alpha": knowledge["alpha_min"]}
        if cls.cost is not None and knowledge.get("cost", cls.cost) != cls.cost:
            raise ValueError(f"{cls.name} is made for {cls.cost} costs; the scenario has {knowledge['cost']}")
        missing = [name for name in cls.requires if name not in knowledge and name not in parameters]
        if missing:
            raise ValueError(f"{cls.name} must be told {', '.join(missing)}; the scenario tells {', '.join(knowledge)}")
        return cls(**{name: knowledge[name] for name in cls.requires if name not in parameters} | parameters)

    def for_run(self, seed: int) -> Self:
        """Return the learner for the bench's run with this seed: one that draws must draw anew in each."""
        return self

    def predict(
        self,
        observation: Mapping[str, ArrayLike] | NDArray[np.floating[Any]],
        state: State | None = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[np.floating[Any]], State]:
        """Learn from the last round that the observation shows, and publish the next classifier.

        Parameters
        ----------
        observation : mapping or ndarray
            Of one game, or of n games with a leading axis; a mapping with the environment's keys or its flat form.
        state : NamedTuple of arrays, optional
            What the previous call returned; None begins anew. It is changed in place: copy what you want to keep
            (``copy.deepcopy(state)``). A state carries its learner's parameters: one with another class of states is
            refused, one of the same class goes on as the learner that made it.
        episode_start : array_like, shape (n,), bool, optional
            Games that begin anew.
        deterministic : bool
            Part of the interface; the exploration that an algorithm is made of stays on.

        Returns
        -------
        action : ndarray, shape (d + 1,) or (n, d + 1)
            ``[w, b]``, in the dtype of the observation.
        state : NamedTuple of arrays
            First axis: the game.

        Raises
        ------
        TypeError
            If the observation or the state is of another kind.
        ValueError
            If a shape does not fit, or a number is none that an environment shows.
        """
        seen = read(observation)
        games, dim = seen.features.shape
        if state is not None:
            self.check_state(state, games, dim)
        current = self._continued(state, episode_start, games, dim)
        if state is None:
            self.check_state(current, games, dim)
        action = np.empty((games, dim + 1))
        advance(current, seen.features, seen.prediction, seen.label, seen.classifier, seen.rounds, seen.eps, action)
        published = action.astype(seen.dtype, copy=False)
        return (published if seen.batched else published[0]), current

    def _continued(self, state: State | None, episode_start: ArrayLike | None, games: int, dim: int) -> State:
        """Return the state to go on with: new where there is none or an episode starts."""
        if state is None:
            return self.initial_state(games, dim)
        if episode_start is None:
            return state
        starts = np.asarray(episode_start)
        if starts.dtype != np.bool_ or starts.shape not in ((), (games,)):
            raise ValueError(f"episode_start must be {games} booleans, got {episode_start!r}")
        if starts.any():
            for array, fresh in zip(state, self.initial_state(games, dim), strict=True):
                array[np.broadcast_to(starts, (games,))] = fresh[np.broadcast_to(starts, (games,))]
        return state

    def check_state(self, state: State, games: int, dim: int) -> None:
        """Make sure that compiled code finds what it expects in every field.

        Raises
        ------
        TypeError
            If the state is another learner's, or a field is no array of the right kind.
        ValueError
            If it holds other games or another number of features.
        """
        if not isinstance(state, self.state_class):
            raise TypeError(f"state must be a {self.state_class.__name__} of {self.name}, got {type(state).__name__}")
        patterns = self.__dict__.setdefault("_patterns", {})
        if dim not in patterns:
            patterns[dim] = [(field.dtype, field.shape[1:]) for field in self.initial_state(1, dim)]
            if patterns[dim][0] != (np.float64, (dim,)):
                raise ValueError(f"{self.name} must begin with weights of shape (games, {dim}), got {patterns[dim][0]}")
        names = getattr(state, "_fields", ())
        for name, field, (dtype, shape) in zip(names, state, patterns[dim], strict=True):
            if not isinstance(field, np.ndarray) or field.dtype != dtype:
                raise TypeError(f"state.{name} must be an array of {dtype}, got {field!r}")
            if field.shape != (games, *shape):
                raise ValueError(
                    f"state must hold {games} games with {dim} features like the observation: "
                    f"state.{name} must have shape {(games, *shape)}, got {field.shape}"
                )
            if not (field.flags.c_contiguous and field.flags.writeable):
                raise ValueError(f"state.{name} must be contiguous and writeable; pass a copy")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"
