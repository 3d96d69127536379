"""A run that proves itself: at every step of one game, the invariants that the proofs of the mistake bounds rest on.

A `Proof` numbers the invariants of one algorithm (`learners.proofs.invariants`) in the order of their check. *The class
of the learner's state selects the proof*: a new kind of learner adds an entry to `PROOFS` and a function that reads its
state.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.boundary import FLOAT64_EPS
from agents.costs import L2, steepest
from agents.foundation.checks import LARGEST, finite_array, hyperplane, shown
from agents.foundation.typing import Float
from learners.bounds import RELATIVE_SLACK
from learners.bounds.common import square
from learners.proofs import invariants as proofs
from learners.proofs.invariants import AT_LEAST, AT_MOST, EQUAL, ProofState, Step, longest, norm
from learners.separators.solvers import RELATIVE_GAP
from learners.strategic.base import Learner, Truth, checked_truth
from learners.strategic.biased import ACCEPT_NOBODY, LEARN, BiasedL2State
from learners.strategic.improving import ImprovingState
from learners.strategic.observation import FLOAT32_EPS, Reading, read, rounding
from learners.strategic.perceptron import PerceptronState
from learners.strategic.strategic_perceptron import StrategicL1State, StrategicL2State, scale_free_step
from learners.strategic.unknown_cost import UnknownCostState


def slack(scale: float, dim: int, eps: float) -> float:
    """How far rounding may carry a claim about ``dim`` features whose terms are of size ``scale``.

    Four times the tolerance that recognises movers (`agents.boundary.tolerance`), since whoever happens to lie that
    close to the boundary may be taken for one. A wrong rule is off by the size of what it gets wrong.
    """
    return 8.0 * (dim + 8) * eps * scale


class Violation(NamedTuple):
    """An invariant that failed: its number and name, the round (from 1), and the numbers compared."""

    invariant: str
    round: int
    details: dict[str, float]


def gain(estimate: float, alpha: float, margin: float) -> float:
    """Progress of a mistake: 1 (Lemma 1), 1/2 with an estimate up to gamma/2 below alpha (Proposition 1), else none."""
    missing = (alpha - estimate) / margin
    return 1.0 if missing <= 0.0 else 0.5 if missing <= 0.5 * (1.0 + RELATIVE_SLACK) else 0.0


def view_perceptron(found: PerceptronState, truth: Truth, ideal: Float) -> ProofState:
    """Read a `Perceptron` or a `MarginPerceptron`."""
    weights = np.append(found.weights, found.intercept) / found.learning_rate
    fake, threshold = float(found.fake), float(found.threshold / found.learning_rate)
    nothing = np.zeros_like(weights)
    return ProofState(
        found, weights, np.zeros(1), nothing, fake=fake, threshold=threshold, extra=2.0 * max(0.0, threshold)
    )


def view_l2(found: StrategicL2State, truth: Truth, ideal: Float) -> ProofState:
    """Read a `StrategicPerceptronL2`: an estimate within gamma/2 below every alpha, or taken at its word."""
    weights, estimate = np.append(found.weights, 0.0), float(found.alpha)
    least, most = min(truth.alpha_min or truth.alpha), max(truth.alpha)
    if estimate > least or not gain(estimate, most, truth.margin):
        least = most = estimate
    return ProofState(
        found, weights, np.array([most]), weights / (norm(weights) or 1.0), estimate, least, most,
        gain(estimate, most, truth.margin),
        corrected=slice(0, -1) if found.nonnegative else slice(0, 0),
        beyond=bool(found.always),
    )  # fmt: skip


def view_improving(found: ImprovingState, truth: Truth, ideal: Float) -> ProofState:
    """Read an `ImprovingPerceptron`: its bar stands at half of the reach, as with a pull of half of alpha."""
    weights, alpha, size = np.append(found.weights, 0.0), found.alpha, norm(found.weights)
    if int(found.norm) == L2:
        direction, best = weights / (size or 1.0), 0
        sine = float(alpha[0]) / math.hypot(2.0 * truth.radius, float(alpha[0]))
    else:
        best, direction = steepest(weights[:-1], alpha), np.zeros_like(weights)
        direction[best] = math.copysign(best >= 0, weights[best])
        least = 1.0 / math.sqrt(float((1.0 / alpha**2).sum())) if alpha.all() else 0.0
        sine = least / (2.0 * (truth.radius + float(alpha.max())))
    reach = float(alpha[best]) if size else 0.0
    return ProofState(found, weights, alpha, direction, reach / 2.0, reach, reach, sine=sine)


def view_l1(found: StrategicL1State, truth: Truth, ideal: Float) -> ProofState:
    """Read a `StrategicPerceptronL1` or a `BiasedL1`."""
    weights, alpha, fake = np.append(found.weights, found.intercept), found.alpha, float(found.fake)
    direction, best = np.zeros_like(weights), steepest(weights[:-1], alpha)
    reach = float(alpha[best]) if best >= 0 else 0.0
    direction[best] = best >= 0
    size = float(found.radius) + fake + float(alpha.max())
    eta, extra = 1.0 / (4.0 * norm(weights) + 8.0 * size + 2.0), 0.75
    if found.scale_free:
        eta, extra = scale_free_step(norm(weights), size), 0.5625 * size**2
    return ProofState(
        found, weights, alpha, direction, reach, reach, reach,
        fake=fake, corrected=slice(0, -1), eta=eta, stretch=reach, extra=extra,
    )  # fmt: skip


def view_search(found: UnknownCostState, truth: Truth, ideal: Float) -> ProofState:
    """Read an `UnknownCostL2`, `UnknownMarginL2` or `UnknownCostL1Single`."""
    weights, estimate, moving = np.append(found.weights, 0.0), float(found.estimate), int(found.direction)
    if moving >= truth.dim:
        raise ValueError(f"state.direction must be one of {truth.dim} coordinates, got {moving}")
    radius, margin, single = float(found.radius), float(found.margin), moving >= 0
    alpha = truth.alpha[moving] if single else max(truth.alpha)
    direction = np.eye(len(weights))[moving] if single else weights / (norm(weights) or 1.0)
    misjudged = max(estimate, margin / 2.0) if single else estimate + margin / 2.0
    return ProofState(
        found, weights, np.array([radius]), direction, estimate, max(estimate, alpha), alpha,
        gain(estimate, alpha, truth.margin),
        corrected=slice(moving, moving + 1) if single else slice(0, 0),
        stretch=max(estimate, alpha - estimate) if single else 0.0,
        phase=(float(found.guesses), float(found.phases), estimate),
        evidence=(float(found.guesses), float(found.high)),
        budget=4.0 * square((radius + misjudged) / margin),
        clears=True,
    )  # fmt: skip


def view_biased(found: BiasedL2State, truth: Truth, ideal: Float) -> ProofState:
    """Read a `BiasedL2`: an origin within gamma/2 of the separator is a good one (Lemma 6)."""
    weights, origin, alpha = np.append(found.weights, 0.0), np.append(found.origin, 0.0), float(found.alpha)
    offset = float(ideal[:-1] @ found.origin + ideal[-1])
    budget = 4.0 * square((2.0 * float(found.radius) + alpha) / float(found.margin))
    return ProofState(
        found, weights, np.array([alpha]), weights / (norm(weights) or 1.0), alpha, alpha, alpha,
        0.5 if abs(offset) <= 0.5 * (1.0 + RELATIVE_SLACK) else 0.0,
        stretch=norm(origin), origin=origin, offset=offset,
        phase=(float(found.stage), float(found.guesses)), budget=budget if found.stage == LEARN else 0.0,
        nobody=found.stage == ACCEPT_NOBODY, clears=True,
    )  # fmt: skip


Invariant = Callable[..., Iterator[proofs.Claim]]
Numbered = tuple[tuple[int, Invariant], ...]


class Proof(NamedTuple):
    """How to read a state; the invariants of every round and of a mistake, numbered, in the order of their check.

    ``told`` are the fields of the state that never change.
    """

    view: Callable[[Any, Truth, Float], ProofState]
    told: tuple[str, ...]
    rounds: Numbered
    mistakes: Numbered


ASSUMED: Numbered = ((0, proofs.separable),)
PUBLIC: Numbered = ((0, proofs.publication), (0, proofs.decision))
PLACES: Numbered = ((5, proofs.forbidden_zone), (6, proofs.movers), (8, proofs.only_mistakes))
UPDATES: Numbered = (
    (8, proofs.addition), (1, proofs.progress), (2, proofs.wrong_side), (3, proofs.alignment), (4, proofs.growth),
    (7, proofs.few_mistakes),
)  # fmt: skip
PROOFS = {
    PerceptronState: Proof(
        view_perceptron,
        ("learning_rate", "fake", "threshold"),
        (*ASSUMED, (18, proofs.only_mistakes), (18, proofs.kept_margin), *PUBLIC),
        tuple((18, invariant) for _, invariant in UPDATES),
    ),
    StrategicL2State: Proof(view_l2, ("alpha", "nonnegative", "always"), ASSUMED + PLACES + PUBLIC, UPDATES),
    ImprovingState: Proof(
        view_improving,
        ("alpha", "norm"),
        (*ASSUMED, (19, proofs.improves), *((19, invariant) for _, invariant in PLACES), *PUBLIC),
        (
            (19, proofs.away),
            (19, proofs.projection),
            (19, proofs.approach),
            (19, proofs.shrinking),
            (19, proofs.few_projections),
        ),
    ),
    StrategicL1State: Proof(
        view_l1,
        ("alpha", "radius", "fake", "scale_free", "literal"),
        (*ASSUMED, (0, proofs.told), (5, proofs.forbidden_zone), (11, proofs.movers), (8, proofs.only_mistakes))
        + PUBLIC,
        ((9, proofs.correction), (10, proofs.unique_direction))
        + ((14, proofs.addition), (14, proofs.progress), (14, proofs.wrong_side), (14, proofs.alignment))
        + ((12, proofs.small_correction), (13, proofs.growth), (13, proofs.few_mistakes)),
    ),
    UnknownCostState: Proof(
        view_search,
        ("margin", "radius", "halves", "literal", "direction"),
        (*ASSUMED, (0, proofs.told), (0, proofs.one_cost), (15, proofs.verdict), (15, proofs.bracket))
        + ((16, proofs.patience), (16, proofs.counters), (16, proofs.few_phases), *PLACES, *PUBLIC),
        ((9, proofs.correction), *UPDATES),
    ),
    BiasedL2State: Proof(
        view_biased,
        ("alpha", "margin", "radius", "literal"),
        (*ASSUMED, (0, proofs.told), (17, proofs.ends), (17, proofs.segment), (17, proofs.origins))
        + ((17, proofs.patience), (17, proofs.origin_counters), *PLACES, *PUBLIC),
        UPDATES,
    ),
}


AS_TOLD: tuple[int, Invariant] = (0, proofs.as_told)
LARGEST_FLOAT = float(np.finfo(np.float64).max)


def name_of(number: int, invariant: Invariant) -> str:
    """Return what an invariant is called."""
    return f"{number} {invariant.__name__.replace('_', ' ')}"


def explained(text: str) -> str:
    """Return in brackets what the terms of a text stand for."""
    words = set(re.findall(r"[A-Za-z]+(?:_new|[~*]|[-+](?!\w))?", text))
    return f"({'; '.join(f'{term}: {meaning}' for term, meaning in proofs.MEANINGS.items() if term in words)})"


def explanation(before: ProofState, after: Float, report: Float, label: float, moved: bool) -> Float:
    """Return the surrogate point that explains the new weights best; where both do, the one that should be used."""
    pulled = report - before.pull
    choices = (report,) if label > 0.0 else (pulled, report) if moved else (report, pulled)
    return min(choices, key=lambda choice: norm(after - before.after(label * choice)))


def _copied(state: Any) -> Any:
    """Return a copy of a state of one game, without the axis of games."""
    return state._make(field[0].copy() if field.ndim > 1 else field[0].item() for field in state)


def _roundings(true: Float, eps: float) -> Iterator[Float]:
    """Yield how the report of somebody who stays may look: as it is, or rounded on its way."""
    yield true
    if eps >= FLOAT32_EPS:
        yield true.astype(np.float32).astype(np.float64)
    if eps > FLOAT32_EPS:
        yield true.astype(np.float16).astype(np.float64)


class Certificate:
    """Watches one game of a learner and checks, round by round, what the proof of its mistake bound claims.

    Parameters
    ----------
    learner : Learner
        `Perceptron` or `MarginPerceptron` (whose proofs need that nobody moves), `StrategicPerceptronL2` (also with an
        estimate that is at most gamma/2 below every alpha), `StrategicPerceptronL1`, `BiasedL1`, `UnknownCostL2`,
        `UnknownMarginL2`, `UnknownCostL1Single`, `BiasedL2` or `ImprovingPerceptron`.
    separator : array_like, shape (d + 1,)
        ``[w*, b*]`` at any scale: it separates the true features with the truth's margin.
    truth : Truth
        What the bounds depend on.

    Attributes
    ----------
    violation : Violation or None
        The first invariant that failed; nothing is checked after it.
    mistakes : int
        Mistakes in rounds whose label the learner saw; with a margin, all that it learned from.
    checked : dict of str to int
        How many claims of each invariant held; `summary` puts it in words.

    Raises
    ------
    TypeError
        If no proof is known for the learner.
    ValueError
        If learner, separator and truth do not fit each other.

    Examples
    --------
    >>> from learners import Certificate, StrategicPerceptronL2, Truth
    >>> learner = StrategicPerceptronL2(alpha=0.5)
    >>> truth = Truth("l2", dim=1, radius=2.0, margin=1.0, intercept=0.0, alpha=(0.5,), nonnegative=False)
    >>> certificate = Certificate(learner, separator=[1.0, 0.0], truth=truth)
    >>> nothing = {"features": [0.0], "prediction": [0.0], "label": [0.0], "classifier": [0.0, 0.0], "round": [0.0]}
    >>> classifier, state = learner.predict(nothing)
    >>> seen = {"features": [-2.0], "prediction": [1.0], "label": [-1.0], "classifier": classifier, "round": [1.0]}
    >>> classifier, state = learner.predict(seen, state)
    >>> certificate.check(seen, true_features=[-2.0], state=state)
    >>> certificate.mistakes, certificate.violation, certificate.checked["7 few mistakes"]
    (1, None, 1)
    """

    def __init__(self, learner: Learner[Any], separator: ArrayLike, truth: Truth) -> None:
        game = checked_truth(truth).game_of("response", "improvement")
        if game is None:
            raise ValueError(f"truth must be of labels told at once, and of one change of the game, got {truth!r}")
        self._truth = truth = game
        state = learner.initial_state(1, truth.dim) if isinstance(learner, Learner) else None
        if type(state) not in PROOFS:
            raise TypeError(f"learner must be one whose proof is known, got {shown(learner)}")
        if learner.cost not in (None, truth.cost):
            raise ValueError(f"learner must be made for {truth.cost} costs, got {shown(learner)}")
        ideal = hyperplane("separator", finite_array("separator", separator, (truth.dim + 1,)))
        ideal /= norm(ideal[:-1])
        if abs(ideal[-1] - truth.intercept) > RELATIVE_GAP * (truth.radius + abs(truth.intercept)):
            raise ValueError(
                f"separator must have the truth's intercept {truth.intercept} with weights of norm 1, got {ideal[-1]}"
            )
        self.violation: Violation | None = None
        self.mistakes = 0
        self.checked: Counter[str] = Counter()
        self._proof, self._check_state = PROOFS[type(state)], learner.check_state
        self._ideal = ideal / truth.margin
        self._view = self._look(_copied(state))
        if truth.intercept and not (self._view.fake or isinstance(state, BiasedL2State)):
            raise ValueError(
                f"learner must learn an intercept, for the truth has {truth.intercept}, got {shown(learner)}"
            )
        self._separator = self._ideal * np.append(np.ones(truth.dim), self._view.fake)
        self._round, self._error = 0, 0.0
        self._begin()

    def _begin(self) -> None:
        """Begin the sums of a phase."""
        self._mistakes, self._squares, self._limit = 0, 0.0, 0.0

    def _look(self, found: Any) -> ProofState:
        """ProofState a state of one game."""
        return self._proof.view(found, self._truth, self._ideal)

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
        TypeError
            If the state is another learner's, or an entry holds no real numbers.
        ValueError
            If a shape does not fit, or the rounds are not consecutive.
        """
        seen, dim = read(observation), self._truth.dim
        if seen.batched or seen.features.shape != (1, dim):
            shape = seen.features.shape if seen.batched else seen.features.shape[1:]
            raise ValueError(f"features must have shape ({dim},), got {shape}")
        if seen.rounds[0] != self._round + 1:
            raise ValueError(f"observation must be of round {self._round + 1}, got round {seen.rounds[0]:g}")
        true = finite_array("true_features", true_features, (dim,), largest=LARGEST)
        self._check_state(state, 1, dim)
        self._round += 1
        found = _copied(state)
        if self.violation is None:
            told = proofs.as_told(self._view.found, found, self._proof.told)
            self.violation = self._broken(name_of(*AS_TOLD), told, FLOAT64_EPS)
        if self.violation is not None:  # nothing else is checked any more
            self.mistakes += bool(seen.label[0] not in (0.0, seen.prediction[0]))
            return
        with np.errstate(over="ignore", invalid="ignore"):  # infinite numbers fail
            self._check_round(seen, true, self._look(found))

    def _check_round(self, seen: Reading, true: Float, then: ProofState) -> None:
        """Check a round after which the state looks like ``then``."""
        report, label, prediction = seen.features[0], float(seen.label[0]), float(seen.prediction[0])
        before, facts, dim = self._view, self._truth, self._truth.dim
        eps = rounding(report, seen.classifier[0], seen.eps)
        moved = not any((report == place).all() for place in _roundings(true, eps))
        self._view, after = then, then.weights
        z, x = np.append(true, before.fake) - before.origin, np.append(report, before.fake) - before.origin
        reach = norm(np.append(report, before.fake)) + norm(before.origin) + float(before.alpha.max())
        # Weights are float64, whatever the report went through.
        self._error = max(self._error, eps * reach + FLOAT64_EPS * (norm(before.weights) + norm(after)))
        # A functional margin that equals the threshold up to rounding may be taken for smaller or larger.
        least = before.threshold + slack(norm(before.weights) * reach, dim, eps)
        learned = label * float(x @ before.weights) <= least and bool((after != before.weights).any())
        mistake = label != 0.0 and (label != prediction or learned)
        ended = then.phase != before.phase
        surrogate = explanation(before, after, x, label, moved) if mistake and not ended else x
        if mistake:
            self.mistakes += 1
            self._mistakes += 1
            self._squares += norm(surrogate) ** 2 + before.extra
            self._limit += longest(before, facts.radius) ** 2 + before.extra
        sums = self._error / eps, self._mistakes, self._squares, self._limit
        step = Step(facts, z, x, surrogate, seen.classifier[0], prediction, label, mistake, moved,
                    moved or surrogate is not x, before, then, after, self._separator, reach, *sums)  # fmt: skip
        self.violation = self._first_violation(step, eps)
        if ended:
            self._begin()

    def _first_violation(self, step: Step, eps: float) -> Violation | None:
        """Return the first claim of the proof that does not hold."""
        for number, invariant in self._proof.rounds + (self._proof.mistakes if step.mistake and not step.ended else ()):
            if violation := self._broken(name_of(number, invariant), invariant(step), eps):
                return violation
        return None

    def _broken(self, name: str, claims: proofs.Claims, eps: float) -> Violation | None:
        """Return the first claim of an invariant that does not hold."""
        for quantity, value, sense, limit, scale in claims:
            excess = 0.0 if value == limit else float(value - limit)  # both may be infinite
            allowed = float(slack(scale, self._truth.dim, eps))
            excess = {AT_LEAST: -excess, AT_MOST: excess, EQUAL: abs(excess)}[sense]
            if not excess <= min(allowed, LARGEST_FLOAT):  # NaN fails, and infinity
                return Violation(name, self._round, {quantity: float(value), sense: float(limit), "slack": allowed})
            self.checked[name] += 1
        return None

    def summary(self) -> str:
        """Say what was checked so far: for every invariant, how many of its claims held, and what it says."""
        sentences = self._sentences()
        held = [f"{name}, {times:,} times: {sentences[name]}" for name, times in self.checked.items()]
        return "\n".join([f"{self._round:,} rounds, {self.mistakes:,} mistakes", *held])

    def _sentences(self) -> dict[str, str]:
        """Return what each invariant says, by its name."""
        return {
            name_of(number, invariant): (invariant.__doc__ or "").partition("\n")[0]
            for number, invariant in (AS_TOLD, *self._proof.rounds, *self._proof.mistakes)
        }

    def raise_if_violated(self) -> None:
        """Raise an AssertionError that tells the violation, if there is one."""
        if self.violation is not None:
            invariant, round, details = self.violation
            numbers = ", ".join(f"{name} {value!r}" for name, value in details.items())
            sentence = self._sentences()[invariant]
            terms = explained(f"{next(iter(details))} {sentence}")
            raise AssertionError(f"invariant {invariant} fails in round {round}: {numbers}. {sentence} {terms}")
