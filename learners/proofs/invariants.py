"""The invariants that the proofs of the mistake bounds rest on, as functions that yield claims about a `Step`.

The first line of each is the sentence that a violation quotes, `MEANINGS` what its terms stand for.

What tells the algorithms apart is in the `ProofState`. Vectors carry the fake coordinate of a learner with an
intercept, (d + 1,): weights are ``[w, b]``, reports ``[x, 1]``; without one both end in 0. Around a guessed origin p,
points are ``x - p``. The *pull* leads from the report of a mover back to the farthest point where the learner takes
that individual from: ``alpha w / |w|`` for l2 costs, ``alpha_i e_i`` for weighted l1. A surrogate point x~ is ``x`` or
``x - pull``, and the threshold for ``w.x`` is ``w.pull``.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from agents.costs import steepest
from agents.foundation.typing import Float
from learners.bounds.common import ceiling, floor, square
from learners.strategic.base import Truth
from learners.strategic.biased import ACCEPT_ALL, ACCEPT_NOBODY, LEARN
from learners.strategic.phases import NO_WEIGHTS, guess_budget
from learners.strategic.rules import SHORTEST_WEIGHTS

AT_LEAST, AT_MOST, EQUAL = "at least", "at most", "equal to"
MEANINGS = {
    "z": "the true point",
    "x": "the report",
    "x~": "the surrogate point, from where the learner takes the report to come",
    "y": "the label",
    "w": "the learner's weights",
    "w_new": "the weights after the mistake",
    "w*": "the separator, as long as 1 / gamma",
    "R": "the largest norm of true points",
    "gamma": "the margin of the true points",
    "m": "mistakes so far in the phase",
    "mover": "an individual who changed its features",
    "movers": "individuals who changed their features",
    "pull": "from a mover's report back to the farthest point where the learner takes it from",
    "mu": "what raises negative weights to 0",
    "lo": "what alpha is known to exceed",
    "hi": "what alpha is known to be below",
    "p": "the guessed origin",
    "p*": "where the segment from x- to x+ crosses the separator",
    "x-": "the negative end of the segment of origins",
    "x+": "its positive end",
    "lambda": "how far along the segment p lies, from 0 to 1",
}


class Claim(NamedTuple):
    """``value`` is ``sense`` ``limit``, up to the rounding of terms of size ``scale``."""

    quantity: str
    value: float
    sense: str
    limit: float
    scale: float = 0.0


class ProofState(NamedTuple):
    """A state as its proof sees it, in units of the learning rate."""

    found: Any  # the state, of one game
    weights: Float
    alpha: Float  # reaches, (1,) or (d,)
    direction: Float  # of moves, a unit vector; 0 where nobody moves
    estimate: float = 0.0  # the learner's alpha along it
    least: float = 0.0  # how far everybody moves along it, if that is enough
    most: float = 0.0  # how far anybody does
    gain: float = 1.0  # what a mistake adds to w.w* at least; 0: nothing is proved
    fake: float = 0.0  # value of the fake coordinate: 1 or 0
    corrected: slice = slice(0, 0)  # weights that are kept at 0 or more
    eta: float = 0.0  # the step that breaks ties
    stretch: float = 0.0  # how much longer than R a surrogate point may be
    extra: float = 0.0  # what a mistake may add to |w|^2 beyond |x~|^2
    threshold: float = -math.inf  # learns from ``y w.x`` up to this, too
    origin: Float = np.zeros(1)  # p
    offset: float = 0.0  # w*.p + b*
    phase: tuple[float, ...] = ()  # the sums of the proof begin anew when it changes
    evidence: tuple[float, ...] = ()  # changes with it if there was more than mistakes
    budget: float = math.inf  # mistakes that a phase survives
    nobody: bool = False  # accepted while there are no weights
    clears: bool = False  # takes weights that are but rounding errors for none
    beyond: bool = False  # movers may land beyond the boundary
    sine: float = 0.0  # what the cosine of w and a mistake's report is at least

    @property
    def pull(self) -> Float:
        """From a mover's report back to where the learner takes it from."""
        return self.estimate * self.direction

    def after(self, change: Float) -> Float:
        """Return the weights after a mistake that adds ``change``."""
        weights = self.weights + change
        weights[self.corrected] = np.maximum(0.0, weights[self.corrected])
        if self.eta and (best := steepest(weights[:-1], self.alpha)) >= 0:
            weights[best] += self.eta
        if self.clears and norm(weights) <= NO_WEIGHTS * (norm(self.weights) + norm(change)):
            weights[:] = 0.0
        return weights


class Step(NamedTuple):
    """A round and what was learned from it: ``truth`` is z, ``report`` x, ``surrogate`` x~, ``separator`` w*.

    ``classifier`` and ``prediction`` are as published and as observed.

    Claims need scales: ``reach`` is the size of a report's terms, ``|x| + max alpha``, and ``size`` the largest size so
    far of an update's terms. Of the phase so far: ``squares`` sums what the ``mistakes`` may have added to ``|w|^2``,
    given each x~, ``limit`` the same for the longest x~ that there can be.
    """

    facts: Truth
    truth: Float
    report: Float
    surrogate: Float
    classifier: Float
    prediction: float
    label: float
    mistake: bool  # and seen to be one; for a margin: learned from
    moved: bool
    on_plane: bool  # moved, or taken for a mover by the learner
    before: ProofState
    then: ProofState
    after: Float  # weights
    separator: Float
    reach: float
    size: float
    mistakes: int
    squares: float
    limit: float

    @property
    def ended(self) -> bool:
        """Whether a phase ended."""
        return self.then.phase != self.before.phase


Claims = Iterator[Claim]


def norm(vector: Float) -> float:
    """Euclidean norm."""
    return math.sqrt(float(vector @ vector))


def longest(view: ProofState, radius: float) -> float:
    """The largest norm of a surrogate point."""
    return math.hypot(radius + view.stretch, view.fake)


def as_told(old: Any, new: Any, told: tuple[str, ...]) -> Claims:
    """What the learner was told stays as it was, a guessed gamma stays or is halved, and all numbers are finite."""
    halved = getattr(new, "halves", False) and new.margin == old.margin / 2.0
    for name in new._fields:
        before, after = np.asarray(getattr(old, name)), np.asarray(getattr(new, name))
        # What may be infinite begins so: the upper end of a bracket, the threshold of who learns from mistakes only.
        strange = ~(np.isfinite(after) | (after == np.inf if name == "high" else after == before))
        yield Claim(f"state.{name}, not finite", float(strange.sum()), AT_MOST, 0.0)
        if name in told and not (halved and name == "margin"):
            yield Claim(f"state.{name}, changed", float((after != before).sum()), AT_MOST, 0.0)


def separable(step: Step) -> Claims:
    """True points keep the margin from w* and lie within R; where no weight may be negative, none of w* is."""
    # The label of a mover whom that has changed says nothing of where it came from.
    label = 0.0 if step.facts.improvement is not None and step.moved else step.label
    side, z = float(step.truth @ step.separator) + step.before.offset, step.truth + step.before.origin
    away = norm(step.before.origin)  # the separator's intercept is at most |offset| + |w*||p|
    scale = (norm(z) + 2.0 * away) * norm(step.separator) + abs(step.before.offset)
    longest_true = math.hypot(step.facts.radius, step.before.fake)
    yield Claim("y z.w*", label * side if label else abs(side), AT_LEAST, 1.0, scale)
    yield Claim("|z|", norm(z), AT_MOST, longest_true, longest_true + away)
    if (ideal := step.separator[step.before.corrected]).size:
        yield Claim("min w*_j", float(ideal.min()), AT_LEAST, 0.0)


def told(step: Step) -> Claims:
    """R as told is not too small, and gamma as told not too large."""
    found, facts = step.before.found, step.facts
    yield Claim("R as told", found.radius, AT_LEAST, facts.radius, facts.radius)
    if hasattr(found, "margin") and not getattr(found, "halves", False):
        yield Claim("gamma as told", found.margin, AT_MOST, facts.margin, facts.margin)


def one_cost(step: Step) -> Claims:
    """There is one alpha to search for: at most R, the same for everybody, and with l1 costs of one coordinate."""
    alpha = np.array(step.facts.alpha)
    yield Claim("max alpha", float(alpha.max()), AT_MOST, step.before.found.radius, step.facts.radius)
    yield Claim("max alpha - min alpha", float((alpha - (step.facts.alpha_min or alpha)).max()), AT_MOST, 0.0)
    if step.before.corrected.stop:
        yield Claim("other alphas", float(np.delete(alpha, step.before.corrected).max(initial=0.0)), AT_MOST, 0.0)


def forbidden_zone(step: Step) -> Claims:
    """Nobody reports from where everybody could have moved on to the boundary, or the phase ends."""
    weights, threshold = step.before.weights, float(step.before.weights @ step.before.pull)
    score, scale = float(weights @ step.report), norm(weights) * step.reach
    depth = min(score - threshold + step.before.least * float(weights @ step.before.direction), threshold - score)
    if not step.ended:
        yield Claim("depth in the forbidden zone", depth, AT_MOST, 0.0, scale)


def movers(step: Step) -> Claims:
    """A mover lands on the boundary (or beyond), comes along the pull and not from farther than people reach."""
    # For l2 costs the report less the pull is the projection of the true point on w's own line.
    if step.moved:
        weights, direction, move = step.before.weights, step.before.direction, step.report - step.truth
        origin, along = step.report - step.before.pull, float(move @ direction)
        sense = AT_LEAST if step.before.beyond else EQUAL
        yield Claim("w.x - w.pull", float(weights @ origin), sense, 0.0, norm(weights) * step.reach)
        yield Claim("move across the pull", norm(move - along * direction), AT_MOST, 0.0, step.reach)
        yield Claim("move along the pull", along, AT_LEAST, 0.0, step.reach)
        yield Claim("move along the pull", along, AT_MOST, step.before.most, step.reach)
        if step.facts.cost == "l2":
            yield Claim("|x - pull|", norm(origin), AT_MOST, norm(step.truth), step.reach)


def only_mistakes(step: Step) -> Claims:
    """The learner changes only after a mistake that it sees, and rejects no positive mover."""
    rejected, idle = step.mistake and step.moved and step.label > 0.0, not (step.mistake or step.ended)
    yield Claim("positive movers rejected", float(rejected), AT_MOST, 0.0)
    yield Claim("|w_new - w|", norm(step.after - step.before.weights) if idle else 0.0, AT_MOST, 0.0)


def publication(step: Step) -> Claims:
    """The published classifier is that of w, its threshold w.pull higher; without w it accepts everybody or nobody."""
    before, published = step.before, step.classifier
    weights, size = before.weights[:-1], norm(before.weights[:-1])
    raised = float(before.weights @ (before.pull + before.origin))
    if size < SHORTEST_WEIGHTS:
        nobody = before.nobody or before.weights[-1] < 0.0
        yield Claim("|published w|", norm(published[:-1]), AT_MOST, 0.0)
        yield Claim("nobody accepted", float(published[-1] < 0.0), EQUAL, float(nobody))
    else:
        unit = published / (norm(published[:-1]) or 1.0)
        scale = norm(before.pull) + norm(before.origin) + abs(before.weights[-1]) / size
        yield Claim("direction published, off w", norm(unit[:-1] - weights / size), AT_MOST, 0.0, 1.0)
        yield Claim("intercept published", float(unit[-1]), EQUAL, (before.weights[-1] - raised) / size, scale)


def decision(step: Step) -> Claims:
    """Reports above the published threshold are accepted, those below it rejected; whoever moves is accepted."""
    before, accepted = step.before, step.prediction > 0.0
    score = float(before.weights @ (step.report - before.pull))
    # A mover's place is rounded as its whole way is, also next to the origin.
    scale = norm(before.weights) * (step.reach + norm(step.truth))
    yield Claim("|prediction|", abs(step.prediction), EQUAL, 1.0)
    if before.weights.any():
        yield Claim("w.x - w.pull", score, AT_LEAST if accepted else AT_MOST, 0.0, scale)
    else:
        yield Claim("prediction without w", step.prediction, EQUAL, -1.0 if before.nobody else 1.0)
    yield Claim("movers rejected", float(step.moved and not accepted), AT_MOST, 0.0)


def kept_margin(step: Step) -> Claims:
    """Whoever the learner does not learn from has the functional margin y x.w that it asks for."""
    if step.label and not step.mistake:
        value, scale = float(step.label * step.report @ step.before.weights), norm(step.before.weights) * step.reach
        yield Claim("y x.w", value, AT_LEAST, step.before.threshold, scale)


def addition(step: Step) -> Claims:
    """A mistake adds y x~ to w; for weighted l1 costs, correction and tie-break follow."""
    expected = step.before.after(step.label * step.surrogate)
    yield Claim("distance of w_new from what x~ makes of w", norm(step.after - expected), AT_MOST, 0.0, step.size)


def correction(step: Step) -> Claims:
    """No weight falls below 0 but the intercept b, which a mistake changes by y and nothing else does."""
    change = float(step.after[-1] - step.before.weights[-1])
    yield Claim("min w_j", float(step.after[step.before.corrected].min(initial=0.0)), AT_LEAST, 0.0)
    yield Claim("b_new - b", change, EQUAL, step.label * step.before.fake, step.size)


def unique_direction(step: Step) -> Claims:
    """The tie-break puts the largest alpha_i w_i ahead of all others by alpha_i times its step."""
    alpha, best = step.before.alpha, steepest(step.after[:-1], step.before.alpha)
    if best >= 0:
        gains = alpha * step.after[:-1]
        lead, promised = gains[best] - np.delete(gains, best).max(initial=0.0), alpha[best] * step.before.eta
        yield Claim("lead of alpha_i w_i", float(lead), AT_LEAST, float(promised), float(alpha.max()) * step.size)


def small_correction(step: Step) -> Claims:
    """Lemma 3: the correction mu adds at most R + alpha_j to weight j, and is no longer than x~."""
    mu = np.maximum(0.0, -(step.before.weights + step.label * step.surrogate)[:-1])
    yield Claim("mu_j - alpha_j", float((mu - step.before.alpha).max()), AT_MOST, step.facts.radius, step.size)
    yield Claim("|mu|", norm(mu), AT_MOST, norm(step.surrogate), step.size)


def progress(step: Step) -> Claims:
    """Lemma 1: w* separates surrogate points as well as true ones, or half as well if alpha is an estimate."""
    if step.before.gain:
        value = float(step.label * step.surrogate @ step.separator)
        yield Claim("y x~.w*", value, AT_LEAST, step.before.gain, step.reach * norm(step.separator))


def wrong_side(step: Step) -> Claims:
    """Lemma 2: w errs on x~, too, or misses the margin asked for; the x~ of a mover lies on w's own line."""
    value, scale = float(step.label * step.surrogate @ step.before.weights), norm(step.before.weights) * step.reach
    sense, limit = EQUAL if step.on_plane else AT_MOST, max(0.0, step.before.threshold)
    if step.on_plane and step.before.beyond:
        limit = float(step.before.weights @ (step.before.pull - step.report))
        yield Claim("w.x - w.pull", -limit, AT_LEAST, 0.0, scale)
    yield Claim("y x~.w", value, sense, limit, scale)


def alignment(step: Step) -> Claims:
    """After m mistakes w.w* is at least m, or m/2 if alpha is an estimate; so w is not 0."""
    if step.before.gain:
        value, scale = float(step.after @ step.separator), step.mistakes * step.size * norm(step.separator)
        yield Claim("w.w*", value, AT_LEAST, step.before.gain * step.mistakes, scale)


def growth(step: Step) -> Claims:
    """A mistake adds at most |x~|^2 to |w|^2, and a bit more with a tie-break or a margin; x~ is not too long."""
    before, after, length = norm(step.before.weights), norm(step.after), norm(step.surrogate)
    exact = step.on_plane and not (step.before.extra or step.before.corrected.stop or step.before.beyond)
    scale = step.size * (step.size + before + after)
    yield Claim("|x~|", length, AT_MOST, longest(step.before, step.facts.radius), step.reach)
    limit = length**2 + step.before.extra
    yield Claim("|w_new|^2 - |w|^2", after**2 - before**2, EQUAL if exact else AT_MOST, limit, scale)
    yield Claim("|w|^2", after**2, AT_MOST, step.squares, step.mistakes * scale)


def few_mistakes(step: Step) -> Claims:
    """The theorem: m^2 <= (w.w*)^2 <= |w|^2 |w*|^2 <= m |w*|^2 times the square of the longest x~."""
    m, ideal = step.mistakes, norm(step.separator)
    scale = m * step.size * ideal * (m + ideal * (step.size + norm(step.after)))
    yield Claim("m^2", (step.before.gain * m) ** 2, AT_MOST, step.limit * ideal**2, scale)


def improves(step: Step) -> Claims:
    """Whoever moves becomes what it reports, all features of it, and everybody reaches as far as was told."""
    improvement, alpha = np.array(step.facts.improvement or 0.0), np.array(step.facts.alpha)
    yield Claim("min improvement", float(improvement.min()), AT_LEAST, 1.0)
    yield Claim("alpha, off its value", float(abs(step.before.alpha - alpha).max()), AT_MOST, 0.0)
    yield Claim("max alpha - min alpha", float((alpha - (step.facts.alpha_min or alpha)).max()), AT_MOST, 0.0)
    if step.mistake and step.moved:
        yield Claim("y x.w*", step.label * float(step.report @ step.separator), AT_LEAST, 0.0, step.reach)


def away(step: Step) -> Claims:
    """A mistake's report lies far from w's own hyperplane: cos(w, x)^2 is at least what half of the reach gives it."""
    size, length = norm(step.before.weights), norm(step.report)
    if size:
        cosine = float(step.before.weights @ step.report) / (size * length)
        yield Claim("cos(w, x)^2", cosine**2, AT_LEAST, step.before.sine**2, step.reach / length)
        yield Claim("y x.w", step.label * cosine, AT_MOST, 0.0, step.reach / length)
    else:
        yield Claim("y of the first mistake", step.label, EQUAL, -1.0)


def projection(step: Step) -> Claims:
    """A mistake takes from w what it has along x; without w, w becomes y x."""
    weights, x = step.before.weights, step.report
    expected = weights - float(weights @ x) / float(x @ x) * x if weights.any() else step.label * x
    if norm(expected) <= NO_WEIGHTS * norm(weights):
        expected = np.zeros_like(weights)
    yield Claim("distance of w_new from what x makes of w", norm(step.after - expected), AT_MOST, 0.0, step.size)


def approach(step: Step) -> Claims:
    """w.w* does not fall, and is at least |w| / R after the first mistake."""
    value, scale = float(step.after @ step.separator), step.size * norm(step.separator)
    least = float(step.before.weights @ step.separator)
    if not step.before.weights.any():
        least = norm(step.after) / step.facts.radius
    yield Claim("w.w*", value, AT_LEAST, least, scale)


def shrinking(step: Step) -> Claims:
    """A mistake but the first shortens w at least by the sine of that angle."""
    before, after = norm(step.before.weights), norm(step.after)
    if before:
        limit = before**2 * (1.0 - step.before.sine**2)
        yield Claim("|w_new|^2", after**2, AT_MOST, limit, before * step.size)


def few_projections(step: Step) -> Claims:
    """The theorem: |w| shrinks by a factor with every mistake but the first, and stays above gamma / R of its first."""
    factor, ratio = -math.log1p(-(step.before.sine**2)), step.facts.radius / step.facts.margin
    yield Claim("m - 1", (step.mistakes - 1) * factor, AT_MOST, 2.0 * math.log(ratio), step.mistakes)


def verdict(step: Step) -> Claims:
    """A phase is given up for a true reason: its alpha is too large or too small by gamma / 2, or gamma is wrong."""
    old, new, true, scale = step.before.found, step.then.found, step.facts.margin, step.facts.radius
    if new.guesses == old.guesses:
        yield Claim("gamma", new.margin, EQUAL, old.margin)
    if new.guesses != old.guesses:
        yield Claim("refuted gamma", old.margin, AT_LEAST, true, scale)
        yield Claim("next gamma", new.margin, EQUAL, old.margin / 2.0)
    elif step.ended and new.high < old.high:
        yield Claim("estimate given up as too large", old.estimate, AT_LEAST, step.before.most)
    elif step.ended and old.margin <= true:
        yield Claim("estimate given up as too small", old.estimate, AT_MOST, step.before.most - old.margin / 2.0, scale)


def bracket(step: Step) -> Claims:
    """A phase's end moves lo or hi to its estimate; alpha stays between, gamma / 2 above lo; the next is halfway."""
    old, new, alpha = step.before.found, step.then.found, step.before.most
    ends, estimate = (old.low, old.high), old.estimate
    if new.guesses != old.guesses:
        ends, estimate = (0.0, math.inf), 0.0
    elif step.ended:
        ends = (old.low, old.estimate) if new.high < old.high else (old.estimate, old.high)
        doubled = min(max(2.0 * old.estimate, old.margin / 2.0), old.radius)
        estimate = sum(ends) / 2.0 if ends[1] < math.inf else doubled
    yield Claim("lo", new.low, EQUAL, ends[0])
    yield Claim("hi", new.high, EQUAL, ends[1])
    yield Claim("next estimate", new.estimate, EQUAL, estimate, step.facts.radius)
    if new.low > 0.0 and new.margin <= step.facts.margin:
        yield Claim("lo", new.low, AT_MOST, alpha - new.margin / 2.0, step.facts.radius)
    yield Claim("hi - estimate", new.high - new.estimate, AT_LEAST, new.margin / 4.0, step.facts.radius)
    yield Claim("hi", new.high, AT_LEAST, alpha)
    yield Claim("hi - lo", new.high - new.low, AT_LEAST, new.margin / 2.0, step.facts.radius)


def counters(step: Step) -> Claims:
    """The learner counts its mistakes, its phases and its guesses as they happen, and begins anew with each."""
    old, new = step.before.found, step.then.found
    guessed, found_out = new.guesses != old.guesses, new.high < old.high
    counted = old.guess_mistakes + (step.mistake and not found_out)  # evidence is no mistake
    yield Claim("guesses", new.guesses, EQUAL, old.guesses + guessed)
    yield Claim("phases", new.phases, EQUAL, 1.0 if guessed else old.phases + float(step.ended))
    limit = 0.0 if step.ended else old.phase_mistakes + float(step.mistake)
    yield Claim("mistakes of the phase, as counted", new.phase_mistakes, EQUAL, limit)
    yield Claim("mistakes of the guess, as counted", new.guess_mistakes, EQUAL, 0.0 if guessed else counted)
    if old.halves and not guessed:
        yield Claim("mistakes of the guess", new.guess_mistakes, AT_MOST, guess_budget(old.radius, old.margin) + 1.0)


def few_phases(step: Step) -> Claims:
    """The bracket is halved only so often, and too large an estimate is found out as early as Theorem 1 says."""
    new, facts = step.then.found, step.facts
    if new.margin <= facts.margin:
        halvings = math.ceil(math.log2(max(1.0, 2.0 * new.radius / new.margin - 1.0)))
        yield Claim("phases", new.phases, AT_MOST, 2.0 * halvings + 2.0)
    if step.ended and step.before.estimate > step.before.most:
        most = floor(square(longest(step.before, facts.radius) / facts.margin)) + 1.0
        yield Claim("mistakes with too large an estimate", step.mistakes, AT_MOST, most)


def patience(step: Step) -> Claims:
    """A phase ends by evidence or by one mistake more than the theorem allows, and the next one begins with w = 0."""
    survived, halted = floor(step.before.budget), step.then.evidence == step.before.evidence
    if step.ended:
        yield Claim("mistakes of the phase", step.mistakes, EQUAL if halted else AT_MOST, survived + 1.0)
        yield Claim("|w_new|", norm(step.after), AT_MOST, 0.0)
    else:
        yield Claim("mistakes of the phase", step.mistakes, AT_MOST, survived)


def ends(step: Step) -> Claims:
    """The first two mistakes are x-, while everybody is accepted, and x+, while nobody is; then origins are tried."""
    old, new = step.before.found, step.then.found
    first = step.mistake and old.stage < LEARN
    yield Claim("stage", new.stage, EQUAL, old.stage + float(first))
    for name, before, after, stage in (
        ("x-", old.negative, new.negative, ACCEPT_ALL),
        ("x+", old.positive, new.positive, ACCEPT_NOBODY),
    ):
        place = step.report[:-1] if first and old.stage == stage else before
        yield Claim(f"|{name} off its place|", norm(after - place), AT_MOST, 0.0)


def origin_counters(step: Step) -> Claims:
    """The learner counts the mistakes around its origin, and the origins that it gave up, as they happen."""
    old, new, learning = step.before.found, step.then.found, step.before.found.stage == LEARN
    counted = old.guess_mistakes + float(step.mistake) if learning and not step.ended else 0.0
    yield Claim("guesses", new.guesses, EQUAL, old.guesses + float(learning and step.ended))
    yield Claim("mistakes around p, as counted", new.guess_mistakes, EQUAL, counted)


def segment(step: Step) -> Claims:
    """Origins lie between a true negative x- and a true positive x+, gamma / 2 apart, and are few."""
    found, ideal, facts = step.then.found, step.separator, step.facts
    if found.stage < LEARN:
        yield Claim("|p| without x- and x+", norm(found.origin), AT_MOST, 0.0)
    else:
        whole, p = norm(found.positive - found.negative), step.then.origin
        bias = step.then.offset - float(ideal @ p)
        scale, share = facts.radius * norm(ideal) + abs(bias), norm(np.append(found.negative, 0.0) - p) / (whole or 1.0)
        yield Claim("w*.x-", float(ideal[:-1] @ found.negative) + bias, AT_MOST, -1.0, scale)
        yield Claim("w*.x+", float(ideal[:-1] @ found.positive) + bias, AT_LEAST, 1.0, scale)
        yield Claim("|x+ - x-|", whole, AT_LEAST, 2.0 * facts.margin, facts.radius)
        yield Claim("lambda", share, AT_MOST, 1.0)
        place = found.negative + found.guesses * found.margin / 2.0 / (whole or 1.0) * (found.positive - found.negative)
        size = norm(found.negative) + norm(found.positive)
        yield Claim("|p off its place on the segment|", norm(found.origin - place), AT_MOST, 0.0, size)
        yield Claim("guesses", found.guesses + 1, AT_MOST, ceiling(4.0 * found.radius / found.margin) - 2.0)


def origins(step: Step) -> Claims:
    """An origin p that is given up is a bad one; before they pass p*, one is within gamma / 2 of it."""
    old, new = step.before, step.then
    if step.ended and old.found.stage == LEARN:
        yield Claim("|w*.p + b*| given up", abs(old.offset), AT_LEAST, 0.5, norm(step.separator) * step.facts.radius)
        if old.offset < 0.0 <= new.offset:
            along = norm(new.origin - old.origin) / (new.offset - old.offset)
            nearest = along * min(-old.offset, new.offset)
            yield Claim("|p - p*|", nearest, AT_MOST, step.facts.margin / 2.0, step.facts.radius)
