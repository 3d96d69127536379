"""What a policy sees of a game and what its actions mean: the same in training and at play.

``"dict"``
    As ``"flat"``, by name: what ``MultiInputPolicy`` wants.
``"flat"``
    The last observation as float32 numbers, as environments show it with ``observation="flat"``; actions are
    classifiers ``[w, b]``.
``"statistics"``
    The last observation, means of ``y x~`` and counts, in units of the radius and the horizon; actions are classifiers.
``"coefficients"``
    Numbers that no rotation changes; actions are coefficients (`learners.rl.coefficients`): for every dimension.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.foundation.checks import count, finite_array, finite_length, one_of
from agents.foundation.typing import Float, Numbers
from learners.rl.coefficients import COEFFICIENTS, INVARIANTS, write_combined, write_invariants
from learners.rl.history import MISTAKES, REVEALED, ROUNDS, History, begin, record
from learners.strategic.observation import Layout, Reading
from learners.strategic.surrogates import cost_of

Single = NDArray[np.float32]
Shown = Single | dict[str, Single]
# Float32 holds the sums and products of numbers up to this one and down to its inverse.
LARGEST_SEEN = 1e30


def told(knowledge: Mapping[str, object]) -> dict[str, Any]:
    """Return the cost, alpha and radius that are told, checked, in JSON values.

    Raises
    ------
    TypeError, ValueError
        If one of them is no such thing.
    """
    checked: dict[str, Any] = {}
    cost: Any = knowledge.get("cost", "l2")
    alpha: Any = knowledge.get("alpha", 0.0)
    if "cost" in knowledge or "alpha" in knowledge:
        reaches = cost_of(cost, alpha).alpha.tolist()
        checked |= {name: value for name, value in (("cost", cost), ("alpha", reaches)) if name in knowledge}
    if "radius" in knowledge:
        checked["radius"] = finite_length("radius", knowledge["radius"], above=0.0)
    return checked


class View(ABC):
    """What a policy sees of games with ``dim`` features, and what it does.

    Parameters
    ----------
    dim : int
        Number of features d.
    horizon : int
        Rounds of an episode in training; later ones look like the last one.
    knowledge : mapping
        What a scenario tells.

    Attributes
    ----------
    name : str
    requires : tuple of str
        What it must be told.
    knowledge : dict
        What it was told of that, in JSON values.
    unit : float
        Features are seen in this unit: the radius, or 1 where a policy sees them as they are.
    observation_space, action_space : Space
        Of one game, in float32, as Stable-Baselines3 wants them.

    Raises
    ------
    TypeError, ValueError
        If it is told too little, or what float32 cannot hold.

    Examples
    --------
    >>> from learners.rl import View, make_view
    >>> view = make_view("flat", dim=2, horizon=100, knowledge={})
    >>> isinstance(view, View), view.observation_space.shape, view.action_space.shape
    (True, (8,), (3,))
    """

    name: ClassVar[str]
    requires: ClassVar[tuple[str, ...]] = ("cost", "alpha", "radius")

    def __init__(self, dim: int, horizon: int, knowledge: Mapping[str, object]) -> None:
        missing = [name for name in self.requires if name not in knowledge]
        if missing:
            raise ValueError(f"a policy with the view {self.name!r} must be told {', '.join(missing)}")
        self.dim, self.horizon = count("dim", dim, minimum=1), count("horizon", horizon, minimum=1)
        checked = told(knowledge)
        self.knowledge = {key: checked[key] for key in self.requires}
        cost = cost_of(self.knowledge.get("cost", "l2"), self.knowledge.get("alpha", 0.0))
        self.norm, self.budget = cost.norm, np.ascontiguousarray(cost.budgets(self.dim)[0])
        self.radius: float = checked.get("radius", 1.0)
        self._check_sizes()
        self.layout = Layout(self.dim)
        self.observation_space: spaces.Space[Any] = spaces.Box(-np.inf, np.inf, (self.width,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (self.choices,), np.float32)

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers a policy sees."""

    @property
    def choices(self) -> int:
        """How many numbers a policy chooses."""
        return self.dim + 1

    @abstractmethod
    def observe(self, history: History) -> Single:
        """Return what a policy sees of n games (n, width)."""

    def shown(self, observed: Single) -> Shown:
        """Return what is seen, of one game (width,) or of n, as an entry of the observation space."""
        return observed

    def publish(self, history: History, actions: Numbers) -> Float:
        """Return the classifiers (n, d + 1) that the actions (n, choices) of n games mean.

        Raises
        ------
        TypeError, ValueError
            If the actions are no numbers from -1 to 1 in this shape; then the histories stay as they were.
        """
        shape = (len(history.counts), self.choices)
        usual = type(actions) is np.ndarray and actions.dtype.kind == "f" and actions.shape == shape
        if not (usual and np.abs(actions).max(initial=0.0) <= 1.0):  # which NaN is not; the full check takes longer
            actions = finite_array("action", actions, shape, largest=1.0)
        return self._meant(history, np.ascontiguousarray(actions, dtype=np.float64))

    def _meant(self, history: History, actions: Float) -> Float:
        """Return the classifiers that checked actions mean."""
        return actions

    def begin(self, games: int) -> History:
        """Return the histories of n games before their first round."""
        return begin(games, self.dim)

    def record(self, history: History, seen: Reading) -> None:
        """Add the round that an observation (of n games) shows, in place.

        Raises
        ------
        ValueError
            If features or classifiers are too large for float32; then the histories stay as they were.
        """
        for name, entry, unit in (("features", seen.features, self.unit), ("classifier", seen.classifier, 1.0)):
            largest = np.abs(entry).max(initial=0.0)
            if largest > LARGEST_SEEN * unit:
                raise ValueError(f"{name} must be at most {LARGEST_SEEN * unit:g} in size here, got {largest}")
        record(history, self.norm, self.budget, seen)

    @property
    def unit(self) -> float:
        """In which the policy sees features."""
        return self.radius

    def _check_sizes(self) -> None:
        smallest, largest = self.unit / LARGEST_SEEN, self.unit * LARGEST_SEEN
        if not smallest <= self.radius <= largest:
            raise ValueError(f"radius must be from {smallest:g} to {largest:g} here, got {self.radius}")
        if self.budget.max() > largest:
            raise ValueError(f"alpha must be at most {largest:g} here, got {self.budget.max()}")


class FlatView(View):
    """The last observation, as it is."""

    name = "flat"
    requires = ()

    @property
    def width(self) -> int:
        """2 d + 4."""
        return self.layout.size

    @property
    def unit(self) -> float:
        """1: features are seen as they are."""
        return 1.0

    def observe(self, history: History) -> Single:
        """Return the last observations in float32."""
        return history.seen.astype(np.float32)


class DictView(FlatView):
    """The last observation, by name."""

    name = "dict"

    def __init__(self, dim: int, horizon: int, knowledge: Mapping[str, object]) -> None:
        super().__init__(dim, horizon, knowledge)
        entries = self.layout.split(np.zeros(self.width))
        boxes: dict[str, spaces.Space[Any]]
        boxes = {name: spaces.Box(-np.inf, np.inf, entry.shape, np.float32) for name, entry in entries.items()}
        self.observation_space = spaces.Dict(boxes)

    def shown(self, observed: Single) -> Shown:
        """Return the entries of what is seen."""
        return self.layout.split(observed)


class StatisticsView(View):
    """The last observation and what the history comes to, all of the order of 1."""

    name = "statistics"

    @property
    def width(self) -> int:
        """2 d + 4 of the observation, 2 d of the means, 2 shares."""
        return self.layout.size + 2 * self.dim + 2

    def observe(self, history: History) -> Single:
        """Return the last observation, mean ``y x~`` over all and over mistakes, and the shares of both."""
        seen, counts = history.seen.copy(), history.counts
        seen[:, self.layout.features] /= self.radius
        seen[:, self.layout.round] = np.minimum(seen[:, self.layout.round] / self.horizon, 1.0)
        rounds, revealed, mistakes = (np.maximum(counts[:, [which]], 1.0) for which in (ROUNDS, REVEALED, MISTAKES))
        means = (history.everything / revealed / self.radius, history.mistaken / mistakes / self.radius)
        shares = (counts[:, [REVEALED]] / rounds, counts[:, [MISTAKES]] / revealed)
        return np.concatenate([seen, *means, *shares], axis=1, dtype=np.float32)


class CoefficientsView(View):
    """Lengths, angles and counts; the policy chooses coefficients of the history's vectors."""

    name = "coefficients"

    @property
    def width(self) -> int:
        """As many as there are invariants."""
        return len(INVARIANTS)

    @property
    def choices(self) -> int:
        """As many as there are coefficients."""
        return len(COEFFICIENTS)

    def observe(self, history: History) -> Single:
        """Return the invariants of each game."""
        out = np.empty((len(history.counts), self.width))
        write_invariants(history, self.norm, self.budget, self.radius, float(self.horizon), out)
        return out.astype(np.float32)

    def _meant(self, history: History, actions: Float) -> Float:
        """Add the chosen steps to the histories' weights, in place, and return the classifiers."""
        out = np.empty((len(actions), self.dim + 1))
        write_combined(history, self.norm, self.budget, actions, out)
        return out


VIEWS: dict[str, type[View]] = {view.name: view for view in (FlatView, DictView, StatisticsView, CoefficientsView)}


def make_view(name: str, dim: int, horizon: int, knowledge: Mapping[str, object]) -> View:
    """Return a view by its name (`VIEWS`); the other arguments are those of `View`.

    Examples
    --------
    >>> from learners.rl import make_view
    >>> view = make_view("coefficients", dim=80, horizon=100, knowledge={"cost": "l2", "alpha": 0.5, "radius": 1.0})
    >>> view.observation_space.shape, view.action_space.shape  # the same in every dimension
    ((20,), (4,))
    """
    return VIEWS[one_of("view", name, tuple(VIEWS))](dim, horizon, knowledge)
