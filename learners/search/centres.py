"""Learners of nearest centres by knowledge sets of every pair: k centres, and two, which need no draws."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Self

from agents.foundation.checks import LARGEST_SEED, count, finite_number, one_of
from agents.foundation.typing import Float, Int
from learners.multiclass.label_learner import LabelLearner
from learners.multiclass.observation import Reading
from learners.policy import Policy
from learners.search.centres_bodies import Exact, Sampled
from learners.search.centres_engines import CentresEngine, Ellipsoids, OneScale
from learners.search.in_python import advance_in_python
from learners.search.lifting import LARGEST_POWER, SIMILARITIES, Lift

UPDATES = ("all", "paper")
ENGINES: dict[str, type[CentresEngine]] = {
    "ellipsoid": Ellipsoids, "one-scale": OneScale, "exact": Exact, "sampled": Sampled,
}  # fmt: skip


class KCentres(LabelLearner[Any]):
    """Names labels such that the fall of its pairs' potentials pays for what it may lose.

    Each pair of labels has a knowledge set of the difference of their centres. With ``D[r, i]`` the fall of a pair's
    potential if r is right, ``L[r, i]`` what naming i may cost then, and ``M = D - L / 2``, it names the label that
    most pairs vote for if its column of M has no negative entry, and else draws from a v with ``M v >= 0``.

    Parameters
    ----------
    classes : int
        Number of labels K.
    engine : str
        What it knows a pair by. ``"ellipsoid"``: slack ellipsoids at 31 scales, in any dimension; ``"one-scale"``: the
        one scale that a known margin needs; ``"exact"``: polytopes of 2 to 4 dimensions; ``"sampled"``: clouds of
        samples, up to about 20 dimensions. The last two play in Python.
    updates : str
        ``"all"``: every known label teaches all pairs of that label; ``"paper"``: a mistake teaches the pair of the
        label and what was named, and nothing else teaches anything.
    similarity : str
        Of a query and a centre: ``"inner"``, the inner product, or ``"euclidean"``, the distance.
    p : float, optional
        For L^p distances in place of a similarity: an even number, or any with ``levels``.
    levels : int, optional
        How many values, evenly spaced from -1 to 1, each coordinate of a query may have.
    exponent : float
        The power of the loss.
    margin : float, optional
        How small losses need be for one scale, above 0.
    seed : int
        Of its draws.

    Warnings
    --------
    One wrong label voids what is proved, and nothing notices: every cut passes through 0, which satisfies all labels.
    ``updates="paper"`` may lose more than a Perceptron.

    Notes
    -----
    `guarantee` says what is proved of the engine. If labels are those of the nearest centres in the unit ball, the
    expected total loss is at most twice what the `potential` of all pairs is at first: for ellipsoids, of order
    ``K^2 d^2 log d``. One false label voids it.

    References
    ----------
    Paes Leme, Podimata, Schneider (2021), Margin-independent online multiclass learning via convex geometry, NeurIPS,
    Theorem 3.5; the ellipsoids, and teaching all pairs, are own.

    Examples
    --------
    >>> from learners import KCentres
    >>> learner = KCentres(classes=3)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1, -1], "action": [-1], "round": [0]})
    >>> before = learner.potential(state)
    >>> seen = {"features": [0.8, 0.6], "feedback": [0, 0, 1], "action": [label], "round": [1]}
    >>> label, state = learner.predict(seen, state)
    >>> int(label), bool(learner.potential(state)[0] < before[0])
    (2, True)
    """

    name = "k-centres"
    state_class = ENGINES["ellipsoid"].state_class
    summary = "nearest of k centres by the potentials of all pairs"
    welcomes: ClassVar[tuple[str, ...]] = ("similarity", "p", "levels", "exponent", "margin")
    defaults = ()  # a scenario of centres names it

    def __init__(
        self,
        classes: int,
        engine: Annotated[str, f"one of {', '.join(ENGINES)}"] = "ellipsoid",
        updates: Annotated[str, f"one of {', '.join(UPDATES)}"] = "all",
        similarity: Annotated[str, f"one of {', '.join(SIMILARITIES)}"] = "inner",
        p: Annotated[float | None, f"null: as similarity says; up to {LARGEST_POWER:g}"] = None,
        levels: Annotated[int | None, "null: queries may lie anywhere"] = None,
        exponent: float = 1.0,
        margin: Annotated[float | None, "null: what the scenario tells"] = None,
        seed: int = 0,
    ) -> None:
        super().__init__(classes)
        self.engine = one_of("engine", engine, tuple(ENGINES))
        self.updates = one_of("updates", updates, UPDATES)
        self.lift = Lift(similarity, p, levels)
        self.exponent = finite_number("exponent", exponent, above=0.0, maximum=100.0)
        self.margin = None if margin is None else finite_number("margin", margin, above=0.0, maximum=2.0)
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self.parameters |= {
            "engine": engine, "updates": updates, "similarity": similarity, "p": p, "levels": levels,
            "exponent": self.exponent, "margin": self.margin, "seed": self.seed,
        }  # fmt: skip
        self._knowledge = ENGINES[engine](self.exponent, self.margin, self.lift, updates == "all")
        self.state_class = self._knowledge.state_class  # type: ignore[misc]  # each engine has its own

    def has_rules(self) -> bool:
        """Whether its engine is compiled, too."""
        return self._knowledge.compiled and super().has_rules()

    def _handed_out(self, observation: Any) -> tuple[Any, ...] | None:
        return super()._handed_out(observation) if self._knowledge.compiled else None

    def _advance(self, state: Any, seen: Reading, rules: Callable[..., int]) -> tuple[Int, int]:
        return super()._advance(state, seen, rules) if self._knowledge.compiled else advance_in_python(state, seen)

    def for_run(self, seed: int) -> Self:
        """Return the same learner with other draws in every run of the bench."""
        return super(LabelLearner, self).for_run(seed)

    @property
    def guarantee(self) -> str:
        """What is proved, in one line."""
        return self._knowledge.guarantee

    def _maker(self) -> type[Policy[Any]]:
        """Return this class: it begins the states of all engines."""
        return KCentres

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return self._knowledge.weights_shape(self.classes, dim)

    def initial_state(self, games: int, dim: int) -> Any:
        """Return the state of centres that may lie anywhere in the unit ball."""
        begun = self._beginning(games, dim)
        del begun["weights"]
        return self._knowledge.begin(begun, games, self.classes, dim)

    def potential(self, state: Any) -> Float:
        """Return (n,) half of what all further rounds can still cost in expectation, in the terms of `guarantee`.

        Raises
        ------
        TypeError
            If the state is another engine's.
        """
        if not isinstance(state, self.state_class):
            raise TypeError(f"state must be a {self.state_class.__name__}, got {type(state).__name__}")
        return self._knowledge.potential(state)


class TwoCentres(KCentres):
    """The linear classifier ``x_1 - x_2`` by contextual search: the vote of its one pair is always paid for.

    Parameters
    ----------
    classes : int
        2.
    engine, updates, similarity, p, levels, exponent, margin
        As for `KCentres`.

    Warnings
    --------
    One wrong label voids what is proved, and nothing notices: every cut passes through 0, which satisfies all labels.
    `DensityCentres` outlives wrong labels.

    Notes
    -----
    Each mistake costs no more than the potential falls: the total loss is at most what it is at first, whatever the
    number of rounds.

    References
    ----------
    Paes Leme, Podimata, Schneider (2021), Margin-independent online multiclass learning via convex geometry, NeurIPS,
    Section 3.

    Examples
    --------
    >>> from learners import TwoCentres
    >>> learner = TwoCentres(classes=2)
    >>> label, state = learner.predict({"features": [1.0, 0.0], "feedback": [-1, -1], "action": [-1], "round": [0]})
    >>> label, state = learner.predict({"features": [0.8, 0.6], "feedback": [0, 1], "action": [0], "round": [1]}, state)
    >>> int(label)
    1
    """

    name = "two-centres"
    summary = "nearest of two centres by contextual search: a linear classifier"

    def __init__(
        self,
        classes: int,
        engine: Annotated[str, f"one of {', '.join(ENGINES)}"] = "ellipsoid",
        updates: Annotated[str, f"one of {', '.join(UPDATES)}"] = "all",
        similarity: Annotated[str, f"one of {', '.join(SIMILARITIES)}"] = "inner",
        p: Annotated[float | None, f"null: as similarity says; up to {LARGEST_POWER:g}"] = None,
        levels: Annotated[int | None, "null: queries may lie anywhere"] = None,
        exponent: float = 1.0,
        margin: Annotated[float | None, "null: what the scenario tells"] = None,
        seed: int = 0,
    ) -> None:
        count("classes", classes, minimum=2, maximum=2)
        super().__init__(classes, engine, updates, similarity, p, levels, exponent, margin, seed)
