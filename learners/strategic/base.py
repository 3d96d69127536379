"""The interface of a learner of the strategic game: it publishes classifiers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.costs import Cost
from agents.foundation.checks import count, finite_array, finite_number, flag, one_of, shown
from learners.bounds.common import RELATIVE_SLACK
from learners.policy import RandomizedPolicy, RuledPolicy
from learners.policy import State as State
from learners.strategic.observation import FLOAT64, Reading, arranged, handed_out, read
from learners.strategic.rules import advance


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
    response : str
        ``"best"`` if all best-respond to the published classifier, else the name of how they answer.
    lag : int
        L, so many rounds old is the classifier that individuals of the response ``"lagged"`` know.
    miss : tuple of float
        How far from the boundary those of the response ``"miss"`` land: smallest and largest distance.
    memory : float
        The share of their last move that individuals keep.
    improvement : tuple of float or None
        The share (d,) of a move that changes the true features, too; None where moving improves nobody.
    lottery : tuple of float
        With which probabilities the two sides of a rule are accepted.
    delay : int
        D, so many rounds late is the learner told what happened.

    Examples
    --------
    >>> from learners import StrategicPerceptronL2, Truth
    >>> truth = Truth("l2", dim=2, radius=1.0, margin=0.5, intercept=0.0, alpha=(0.3,), nonnegative=False)
    >>> StrategicPerceptronL2(alpha=0.3).bound(truth)  # (R / gamma)^2
    4.0
    >>> print(StrategicPerceptronL2(alpha=0.3).bound(truth._replace(intercept=0.1)))  # not through the origin
    None
    """

    cost: str
    dim: int
    radius: float
    margin: float
    intercept: float
    alpha: tuple[float, ...]
    nonnegative: bool
    alpha_min: tuple[float, ...] | None = None
    response: str = "best"
    lag: int = 0
    miss: tuple[float, float] = (0.0, 0.0)
    memory: float = 0.0
    improvement: tuple[float, ...] | None = None
    lottery: tuple[float, float] = (0.0, 1.0)
    delay: int = 0

    def game_of(self, *survived: str) -> "Truth | None":
        """Return this truth if its game is the theorems' but for one of the fields ``survived``; else None.

        The theorems' game is that of best responses, whose true labels are told at once. A lottery on it shortens
        every reach by the factor ``p1 - p0``: the mistakes of the *rule* are those of that game.
        """
        usual = Truth._field_defaults
        changed = [
            name for name in ("response", "memory", "improvement", "delay") if getattr(self, name) != usual[name]
        ]
        if changed == [] and self.lottery != usual["lottery"]:
            least, alpha = self.alpha_min, shortened(self.alpha, self.lottery)
            least = None if least is None else shortened(least, self.lottery)
            return self._replace(alpha=alpha, alpha_min=least, lottery=usual["lottery"])
        alone = len(changed) == 1 and changed[0] in survived and self.lottery == usual["lottery"]
        return self if alone or not changed else None

    @property
    def one_cost(self) -> bool:
        """Whether everybody reaches equally far, as all theorems but Corollary 1 assume."""
        return self.alpha_min in (None, self.alpha)


def checked_truth(truth: Truth) -> Truth:
    """Return a truth that can be true of somebody.

    Raises
    ------
    TypeError
        If it is none, or an entry is of another kind.
    ValueError
        If an entry is outside its limits, or the entries contradict each other.
    """
    if not isinstance(truth, Truth):
        raise TypeError(f"truth must be a Truth, got {shown(truth)}")
    one_of("truth.cost", truth.cost, ("l2", "l1"))
    dim = count("truth.dim", truth.dim, minimum=1)
    radius = finite_number("truth.radius", truth.radius, minimum=0.0)
    farthest = (radius + abs(finite_number("truth.intercept", truth.intercept))) * (1.0 + RELATIVE_SLACK)
    margin = finite_number("truth.margin", truth.margin, above=0.0)
    if margin > farthest:
        raise ValueError(f"truth.margin must be at most the radius and the size of the intercept, got {truth!r}")
    flag("truth.nonnegative", truth.nonnegative)
    shape = (1,) if truth.cost == "l2" else (dim,)
    alpha = finite_array("truth.alpha", truth.alpha, shape)
    least = alpha if truth.alpha_min is None else finite_array("truth.alpha_min", truth.alpha_min, shape)
    if (least < 0.0).any() or (least > alpha).any():
        raise ValueError(f"truth.alpha must be at least 0 and at least truth.alpha_min, got {truth!r}")
    _check_game(truth)
    return truth


def _check_game(truth: Truth) -> None:
    """Check how a truth says that people answer, and what comes of it."""
    count("truth.lag", truth.lag)
    count("truth.delay", truth.delay)
    finite_number("truth.memory", truth.memory, minimum=0.0)
    for name in ("miss", "lottery"):
        low, high = finite_array(f"truth.{name}", getattr(truth, name), (2,))
        if low > high:
            raise ValueError(f"truth.{name} must be in order, got {getattr(truth, name)!r}")
    if truth.improvement is not None:
        finite_array("truth.improvement", truth.improvement, (truth.dim,))


def shortened(alpha: Sequence[float], lottery: Sequence[float]) -> tuple[float, ...]:
    """Return how far people go for a chance of acceptance that moving raises from p0 to p1."""
    return tuple(reach * (lottery[1] - lottery[0]) for reach in alpha)


def with_own_reach(knowledge: Mapping[str, object]) -> Mapping[str, object]:
    """Return what a scenario tells, with the reach alpha that a learner has to reckon with.

    The smallest where reaches differ (Corollary 1); and where it announces a lottery, by as much shorter.
    """
    told = dict(knowledge)
    if "alpha" not in told and "alpha_min" in told:
        told["alpha"] = told["alpha_min"]
    if "lottery" in told and "alpha" in told:
        low, high = finite_array("lottery", cast(ArrayLike, told["lottery"]), (2,)).tolist()
        told["alpha"] = (np.asarray(told["alpha"]) * (high - low)).tolist()
    return told


class Learner(RuledPolicy[State]):
    """A policy that learns while it predicts, and whose action is the next classifier.

    Attributes
    ----------
    cost : str or None
        The manipulation cost that it is made for: ``"l2"``, ``"l1"``, or None for any.
    only_mistakes : bool
        Whether its bound counts every round in which it changes, as that of one that learns from mistakes alone does.

    Examples
    --------
    >>> from learners import StrategicPerceptronL2
    >>> learner = StrategicPerceptronL2.from_knowledge({"cost": "l2", "alpha": 0.5, "radius": 1.0, "margin": 0.1})
    >>> learner
    StrategicPerceptronL2(alpha=0.5)
    >>> nothing = {"features": [0.0], "prediction": [0.0], "label": [0.0], "classifier": [0.0, 0.0], "round": [0.0]}
    >>> classifier, state = learner.predict(nothing)  # accepts everybody
    >>> classifier
    array([0., 0.])
    >>> mistake = {"features": [-2.0], "prediction": [1.0], "label": [-1.0], "classifier": classifier, "round": [1.0]}
    >>> classifier, state = learner.predict(mistake, state)
    >>> classifier
    array([ 0.25 , -0.125])
    """

    game = "strategic"
    cost: ClassVar[str | None] = None
    only_mistakes: ClassVar[bool] = False

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return (dim,)

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return the theorem's mistake bound, sharpened or as printed; None where its assumptions fail."""
        return None

    def believed_cost(self, state: State) -> Cost | None:
        """Return the cost that it now takes individuals to have in game 0; None if it takes reports at face value."""
        return None

    def intercept_of(self, state: State) -> float | None:
        """Return the intercept that game 0 has learned beside its weights; None if it learns none."""
        return None

    def findings(self, state: State) -> dict[str, float]:
        """Return what a search has found in game 0, by name: its phase, its estimate, and the like."""
        return {}

    @classmethod
    def from_knowledge(cls, knowledge: Mapping[str, object], **parameters: Any) -> Self:
        """Build the learner from what a scenario tells; explicit ``parameters`` override.

        Raises
        ------
        ValueError
            If it is told too little, or made for another cost.
        """
        knowledge = with_own_reach(knowledge)
        if cls.cost is not None and knowledge.get("cost", cls.cost) != cls.cost:
            raise ValueError(f"{cls.name} is made for {cls.cost} costs; the scenario has {knowledge['cost']}")
        return super().from_knowledge(knowledge, **parameters)

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
            If a shape does not fit, a number is none that an environment shows, or the state is damaged.
        """
        return self._follow_rules(observation, state, episode_start)

    by_rules, rules = predict, staticmethod(advance)
    _read, _handed_out, _arranged = staticmethod(read), staticmethod(handed_out), staticmethod(arranged)

    def _columns(self, dim: int) -> tuple[int, ...]:
        return dim + 1, dim, 1, 1, 1

    def _advance(self, state: State, seen: Reading, rules: Callable[..., int]) -> tuple[NDArray[np.floating[Any]], int]:
        features, prediction, label, classifier, rounds, eps, _, dtype = seen
        published = np.empty(classifier.shape)
        damaged = rules(state, features, prediction, label, classifier, rounds, eps, published)
        return (published if dtype is FLOAT64 else published.astype(dtype)), damaged


class RandomizedLearner(RandomizedPolicy[State], Learner[State]):
    """A learner of the strategic game that draws."""
