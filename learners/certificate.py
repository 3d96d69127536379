"""A run that proves itself: at every step of one game, the invariants that the proofs of the mistake bounds rest on.

An invariant is a small function that yields claims about a `Step`; a `Proof` numbers those of one algorithm, in order.
*The class of the learner's state selects the proof*: a new kind of learner adds an entry to `PROOFS`.

Vectors carry the fake coordinate of a learner with an intercept, (d + 1,): weights are ``[w, b]``, reports ``[x, 1]``;
without an intercept both end in 0. What else tells the algorithms apart is the *pull*, from the report of a mover back
to the farthest point where that individual may have been: ``alpha w / |w|`` for l2 costs, ``alpha_i e_i`` for weighted
l1. A surrogate point x~ is ``x`` or ``x - pull``, and the threshold for ``w.x`` is ``w.pull``.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.boundary import FLOAT64_EPS
from agents.checks import finite_array
from agents.costs import steepest
from agents.typing import Float
from learners.base import Learner, Truth
from learners.observation import Layout
from learners.perceptron import PerceptronState
from learners.strategic import StrategicL1State, StrategicL2State

AT_LEAST, AT_MOST, EQUAL = "at least", "at most", "equal to"


def slack(scale: float, dim: int, eps: float) -> float:
    """How far rounding may carry a claim about ``dim`` features whose terms are of size ``scale``.

    Four times the tolerance that recognises movers (`agents.boundary.tolerance`), since whoever happens to lie that
    close to the boundary may be taken for one. A wrong rule is off by the size of what it gets wrong.
    """
    return 8.0 * (dim + 8) * eps * scale


class Claim(NamedTuple):
    """``value`` is ``sense`` ``limit``, up to the rounding of terms of size ``scale``."""

    quantity: str
    value: float
    sense: str
    limit: float
    scale: float = 0.0


class Violation(NamedTuple):
    """An invariant that failed: its number and name, the round (from 1), and the numbers compared."""

    invariant: str
    round: int
    details: dict[str, float]


class View(NamedTuple):
    """A state as its proof sees it, in units of the learning rate."""

    weights: Float
    fake: float  # value of the fake coordinate: 1 or 0
    pull: Float
    alpha: Float  # reaches, (1,) or (d,)
    eta: float = 0.0  # the step that breaks ties; 0: neither correction nor tie-break
    stretch: float = 0.0  # how much longer than R a surrogate point may be
    extra: float = 0.0  # what a mistake may add to |w|^2 beyond |x~|^2

    def after(self, change: Float) -> Float:
        """Return the weights after a mistake that adds ``change``."""
        weights = self.weights + change
        if self.eta:
            weights[:-1] = np.maximum(0.0, weights[:-1])
            if (best := steepest(weights[:-1], self.alpha)) >= 0:
                weights[best] += self.eta
        return weights


class Step(NamedTuple):
    """A round and what was learned from it: ``truth`` is z, ``report`` x, ``surrogate`` x~, ``separator`` w*.

    Claims need scales: ``reach`` is the size of a report's terms, ``|x| + max alpha``, and ``size`` the largest size so
    far of an update's terms. ``squares`` sums what the mistakes may have added to ``|w|^2``, given each x~, and
    ``limit`` the same for the longest x~ that there can be.
    """

    truth: Float
    report: Float
    surrogate: Float
    label: float
    mistake: bool  # and seen to be one
    moved: bool
    on_plane: bool  # moved, or taken for a mover by the learner
    before: View
    after: Float  # weights
    separator: Float
    radius: float
    reach: float
    size: float
    mistakes: int
    squares: float
    limit: float


def norm(vector: Float) -> float:
    """Euclidean norm."""
    return math.sqrt(float(vector @ vector))


def longest(view: View, radius: float) -> float:
    """The largest norm of a surrogate point."""
    return math.hypot(radius + view.stretch, view.fake)


def separable(step: Step) -> Iterator[Claim]:
    """The theorems assume ``y z.w* >= 1``, ``|z| <= R``, and Theorem 2 also ``w* >= 0``."""
    side, scale = float(step.truth @ step.separator), norm(step.truth) * norm(step.separator)
    yield Claim("y z.w*", step.label * side if step.label else abs(side), AT_LEAST, 1.0, scale)
    yield Claim("|z|", norm(step.truth), AT_MOST, math.hypot(step.radius, step.before.fake), step.radius)
    if step.before.eta:
        yield Claim("min w*_j", float(step.separator[:-1].min()), AT_LEAST, 0.0)


def forbidden_zone(step: Step) -> Iterator[Claim]:
    """Nobody reports ``0 < w.x < w.pull``: who was there could afford to move on to the boundary."""
    score, threshold = float(step.before.weights @ step.report), float(step.before.weights @ step.before.pull)
    scale = norm(step.before.weights) * step.reach
    yield Claim("depth in the forbidden zone", min(score, threshold - score), AT_MOST, 0.0, scale)


def movers(step: Step) -> Iterator[Claim]:
    """A mover lands on the boundary, by a share of the pull; for l2 costs ``x - pull`` is the projection of z."""
    if step.moved:
        weights, pull, move = step.before.weights, step.before.pull, step.report - step.truth
        whole, origin = norm(pull), step.report - pull
        along = float(move @ pull) / (whole or 1.0)
        yield Claim("w.x - w.pull", float(weights @ origin), EQUAL, 0.0, norm(weights) * step.reach)
        yield Claim("move across the pull", norm(move - along * pull / (whole or 1.0)), AT_MOST, 0.0, step.reach)
        yield Claim("move along the pull", along, AT_LEAST, 0.0, step.reach)
        yield Claim("move along the pull", along, AT_MOST, whole, step.reach)
        if not step.before.eta:
            yield Claim("|x - pull|", norm(origin), AT_MOST, norm(step.truth), step.reach)


def only_mistakes(step: Step) -> Iterator[Claim]:
    """Nothing is learned but from mistakes that are seen; positive movers are none."""
    yield Claim("positive movers rejected", float(step.mistake and step.moved and step.label > 0.0), AT_MOST, 0.0)
    yield Claim("|w_new - w|", 0.0 if step.mistake else norm(step.after - step.before.weights), AT_MOST, 0.0)


def addition(step: Step) -> Iterator[Claim]:
    """A mistake adds ``y x~``; for weighted l1 costs, correction and tie-break follow."""
    expected = step.before.after(step.label * step.surrogate)
    yield Claim("distance of w_new from what x~ makes of w", norm(step.after - expected), AT_MOST, 0.0, step.size)


def correction(step: Step) -> Iterator[Claim]:
    """No weight falls below 0, but the fake coordinate's: it is neither corrected nor chosen as direction."""
    change = float(step.after[-1] - step.before.weights[-1])
    yield Claim("min w_j", float(step.after[:-1].min()), AT_LEAST, 0.0)
    yield Claim("b_new - b", change, EQUAL, step.label * step.before.fake, step.size)


def unique_direction(step: Step) -> Iterator[Claim]:
    """The tie-break puts the best direction i ahead by ``alpha_i eta``."""
    alpha, best = step.before.alpha, steepest(step.after[:-1], step.before.alpha)
    if best >= 0:
        gains = alpha * step.after[:-1]
        lead, promised = gains[best] - np.delete(gains, best).max(initial=0.0), alpha[best] * step.before.eta
        yield Claim("lead of alpha_i w_i", float(lead), AT_LEAST, float(promised), float(alpha.max()) * step.size)


def small_correction(step: Step) -> Iterator[Claim]:
    """Lemma 3: the correction mu adds at most ``R + alpha_j`` to a coordinate, and is no longer than x~."""
    mu = np.maximum(0.0, -(step.before.weights + step.label * step.surrogate)[:-1])
    yield Claim("mu_j - alpha_j", float((mu - step.before.alpha).max()), AT_MOST, step.radius, step.size)
    yield Claim("|mu|", norm(mu), AT_MOST, norm(step.surrogate), step.size)


def progress(step: Step) -> Iterator[Claim]:
    """Lemma 1: w* separates surrogate points as it separates true ones."""
    value = float(step.label * step.surrogate @ step.separator)
    yield Claim("y x~.w*", value, AT_LEAST, 1.0, step.reach * norm(step.separator))


def wrong_side(step: Step) -> Iterator[Claim]:
    """Lemma 2: w errs on the surrogate point, too; on that of a mover by nothing."""
    value, scale = float(step.label * step.surrogate @ step.before.weights), norm(step.before.weights) * step.reach
    yield Claim("y x~.w", value, EQUAL if step.on_plane else AT_MOST, 0.0, scale)


def alignment(step: Step) -> Iterator[Claim]:
    """After m mistakes ``w.w* >= m``; so w is not 0."""
    scale = step.mistakes * step.size * norm(step.separator)
    yield Claim("w.w*", float(step.after @ step.separator), AT_LEAST, step.mistakes, scale)


def growth(step: Step) -> Iterator[Claim]:
    """A mistake adds at most ``|x~|^2`` to ``|w|^2`` (on the plane just this); with a tie-break 3/4 more."""
    before, after, extra, length = norm(step.before.weights), norm(step.after), step.before.extra, norm(step.surrogate)
    sense, scale = EQUAL if step.on_plane and not extra else AT_MOST, step.size * (step.size + before + after)
    yield Claim("|x~|", length, AT_MOST, longest(step.before, step.radius), step.reach)
    yield Claim("|w_new|^2 - |w|^2", after**2 - before**2, sense, length**2 + extra, scale)
    yield Claim("|w|^2", after**2, AT_MOST, step.squares, step.mistakes * scale)


def few_mistakes(step: Step) -> Iterator[Claim]:
    """The theorem: ``m^2 <= (w.w*)^2 <= |w|^2 |w*|^2 <= m R^2 |w*|^2``, where R stands for the longest x~."""
    m, ideal = step.mistakes, norm(step.separator)
    scale = m * step.size * ideal * (m + ideal * (step.size + norm(step.after)))
    yield Claim("m^2", m**2, AT_MOST, step.limit * ideal**2, scale)


def view_perceptron(state: PerceptronState) -> View:
    """Read a `Perceptron`."""
    weights = np.append(state.weights[0], state.intercept[0]) / state.learning_rate[0]
    return View(weights, float(state.fake[0]), np.zeros_like(weights), np.zeros(1))


def view_l2(state: StrategicL2State) -> View:
    """Read a `StrategicPerceptronL2`."""
    weights, alpha = np.append(state.weights[0], 0.0), state.alpha.copy()
    return View(weights, 0.0, alpha[0] * weights / (norm(weights) or 1.0), alpha)


def view_l1(state: StrategicL1State) -> View:
    """Read a `StrategicPerceptronL1` or a `BiasedL1`."""
    weights, alpha, fake = np.append(state.weights[0], state.intercept[0]), state.alpha[0].copy(), float(state.fake[0])
    pull, best = np.zeros_like(weights), steepest(weights[:-1], alpha)
    pull[best] = alpha[best] if best >= 0 else 0.0
    eta = 1.0 / (4.0 * norm(weights) + 8.0 * (float(state.radius[0]) + fake + float(alpha.max())) + 2.0)
    return View(weights, fake, pull, alpha, eta, stretch=norm(pull), extra=0.75)


def explanation(before: View, after: Float, report: Float, label: float, moved: bool) -> Float:
    """Return the surrogate point that explains the new weights best; where both do, the one that should be used."""
    pulled = report - before.pull
    choices = (report,) if label > 0.0 else (pulled, report) if moved else (report, pulled)
    return min(choices, key=lambda choice: norm(after - before.after(label * choice)))


Numbered = tuple[tuple[int, Callable[[Step], Iterator[Claim]]], ...]


class Proof(NamedTuple):
    """How to read a state; the invariants of every round and of a mistake, numbered, in the order of their check."""

    view: Callable[[Any], View]
    rounds: Numbered
    mistakes: Numbered


PROOFS = {
    PerceptronState: Proof(
        view_perceptron,
        ((0, separable), (18, only_mistakes)),
        ((18, addition), (18, progress), (18, wrong_side), (18, alignment), (18, growth), (18, few_mistakes)),
    ),
    StrategicL2State: Proof(
        view_l2,
        ((0, separable), (5, forbidden_zone), (6, movers), (8, only_mistakes)),
        ((8, addition), (1, progress), (2, wrong_side), (3, alignment), (4, growth), (7, few_mistakes)),
    ),
    StrategicL1State: Proof(
        view_l1,
        ((0, separable), (5, forbidden_zone), (11, movers), (8, only_mistakes)),
        ((9, correction), (10, unique_direction), (14, addition), (14, progress), (14, wrong_side), (14, alignment))
        + ((12, small_correction), (13, growth), (13, few_mistakes)),
    ),
}


class Certificate:
    """Watches one game of a learner and checks, round by round, what the proof of its mistake bound claims.

    Parameters
    ----------
    learner : Learner
        `Perceptron` (whose proof needs that nobody moves), `StrategicPerceptronL2`, `StrategicPerceptronL1` or
        `BiasedL1`.
    separator : array_like, shape (d + 1,)
        ``[w*, b*]`` at any scale: it separates the true features with the truth's margin.
    truth : Truth
        What the bounds depend on.

    Attributes
    ----------
    violation : Violation or None
        The first invariant that failed; nothing is checked after it.
    mistakes : int
        Mistakes in rounds whose label the learner saw.

    Raises
    ------
    TypeError
        If no proof is known for the learner.
    ValueError
        If learner, separator and truth do not fit each other.
    """

    def __init__(self, learner: Learner[Any], separator: ArrayLike, truth: Truth) -> None:
        state = learner.initial_state(1, truth.dim)
        if type(state) not in PROOFS:
            raise TypeError(f"learner must be one whose proof is known, got {learner!r}")
        if learner.cost not in (None, truth.cost):
            raise ValueError(f"learner must be made for {truth.cost} costs, got {learner!r}")
        ideal = finite_array("separator", separator, (truth.dim + 1,))
        if not ideal[:-1].any():
            raise ValueError(f"separator must have weights that are not all 0, got {ideal.tolist()}")
        self.violation: Violation | None = None
        self.mistakes = 0
        self._proof, self._truth = PROOFS[type(state)], truth
        self._view = self._proof.view(state)
        self._separator = ideal / (norm(ideal[:-1]) * truth.margin)
        self._separator[-1] *= self._view.fake
        self._round, self._size, self._squares, self._limit = 0, 0.0, 0.0, 0.0

    def check(
        self, observation: Mapping[str, ArrayLike] | NDArray[np.floating[Any]], true_features: ArrayLike, state: Any
    ) -> None:
        """Check a round that the learner has learned from.

        Parameters
        ----------
        observation : mapping or ndarray
            What the learner saw of the round; of one game, without a leading axis.
        true_features : array_like, shape (d,)
            The hidden truth.
        state : NamedTuple of arrays
            What ``predict`` returned for this observation.

        Raises
        ------
        ValueError
            If a shape does not fit, or the rounds are not consecutive.
        """
        if not isinstance(observation, Mapping):
            observation = Layout.of(observation).split(observation)
        label, prediction, moment = (np.asarray(observation[key]).item() for key in ("label", "prediction", "round"))
        if moment != self._round + 1:
            raise ValueError(f"observation must be of round {self._round + 1}, got round {moment:g}")
        coarse = np.asarray(observation["features"]).dtype == np.float32
        eps = float(np.finfo(np.float32).eps) if coarse else FLOAT64_EPS
        dim, radius = self._truth.dim, self._truth.radius
        report = finite_array("features", observation["features"], (dim,))
        true = finite_array("true_features", true_features, (dim,))
        moved = bool((report != (true.astype(np.float32) if coarse else true)).any())
        mistake = label not in (0.0, prediction)
        before, self._round, self._view = self._view, self._round + 1, self._proof.view(state)
        after, x = self._view.weights, np.append(report, before.fake)
        surrogate = explanation(before, after, x, label, moved) if mistake else x
        reach = norm(x) + float(before.alpha.max())
        # Weights are float64, whatever the report went through.
        self._size = max(self._size, reach + FLOAT64_EPS / eps * (norm(before.weights) + norm(after)))
        if mistake:
            self.mistakes += 1
            self._squares += norm(surrogate) ** 2 + before.extra
            self._limit += longest(before, radius) ** 2 + before.extra
        if self.violation is None:
            sums = self.mistakes, self._squares, self._limit
            step = Step(np.append(true, before.fake), x, surrogate, label, mistake, moved, moved or surrogate is not x,
                        before, after, self._separator, radius, reach, self._size, *sums)  # fmt: skip
            self.violation = self._first_violation(step, eps)

    def _first_violation(self, step: Step, eps: float) -> Violation | None:
        """Return the first claim of the proof that does not hold."""
        for number, invariant in self._proof.rounds + (self._proof.mistakes if step.mistake else ()):
            for quantity, value, sense, limit, scale in invariant(step):
                excess, allowed = value - limit, slack(scale, self._truth.dim, eps)
                excess = {AT_LEAST: -excess, AT_MOST: excess, EQUAL: abs(excess)}[sense]
                if not excess <= allowed:  # NaN fails
                    name = f"{number} {invariant.__name__.replace('_', ' ')}"
                    return Violation(name, self._round, {quantity: value, sense: limit, "slack": allowed})
        return None

    def raise_if_violated(self) -> None:
        """Raise an AssertionError that tells the violation, if there is one."""
        if self.violation is not None:
            invariant, moment, details = self.violation
            numbers = ", ".join(f"{name} {value!r}" for name, value in details.items())
            raise AssertionError(f"invariant {invariant} fails in round {moment}: {numbers}")
