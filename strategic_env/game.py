"""One round of strategic classification, and its bookkeeping. Nothing here knows Gymnasium."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy import empty  # in a step, even looking up `np.empty` twice counts

from agents.boundary import FLOAT64_EPS, scale, scaled_score, side
from agents.costs import L2, Cost, L2Cost, check_cost, respond
from agents.foundation.checks import LARGEST_REPORT, LARGEST_SEED, count, finite_array, finite_length, one_of
from agents.foundation.compiled import compiled, inlined, loop
from agents.foundation.lanes import copy, scaled_dot
from agents.foundation.limits import limits_of
from agents.foundation.streams import game_key
from agents.foundation.typing import Float, Key, Numbers
from agents.populations.arrivals import BLOCK, Arrivals
from agents.populations.nature import AdaptiveArrivals
from agents.populations.own_arrivals import played_arrivals, played_source
from agents.populations.population import Population
from agents.populations.sources import Source
from agents.responses.individuals import BestResponse, Individual
from learners.feedback.graph import Feedback, FeedbackGraph

# Feedback graphs over the two predictions: node 0 rejects, node 1 accepts.
GRAPHS = {name: FeedbackGraph.named(name, 2) for name in ("full", "apple_tasting")}
# May the learner see the label of an individual whom it rejected? It always sees that of the accepted.
FEEDBACK = {name: bool(graph.reveals[0].all()) for name, graph in GRAPHS.items()}
# Beyond this many radii, the rounding of a mover's place reaches the size of the population.
LARGEST_REACH = 1e4
REWARDS = ("mistake", "accuracy", "hinge", "observed")
_MISTAKE, _ACCURACY, _HINGE, _OBSERVED = range(4)


@inlined
def publishable(classifier: Numbers) -> bool:
    """Whether all entries lie in [-1, 1] (NaN does not)."""
    inside = True
    for i in range(classifier.shape[0]):
        inside &= abs(classifier[i]) <= 1.0
    return inside


@inlined
def write_outcome(accepted: bool, label: float, labels_rejected: bool, moment: int, observation: Float) -> bool:
    """Write all but report and classifier of an observation (2 d + 4,); return whether the prediction is a mistake."""
    d = observation.shape[0] // 2 - 2
    prediction = 1.0 if accepted else -1.0
    observation[2 * d + 1] = label if accepted or labels_rejected else 0.0
    observation[2 * d + 2] = prediction
    observation[2 * d + 3] = moment + 1
    return prediction != label


@inlined
def pay(kind: int, observation: Float, label: float, mistake: bool) -> float:
    """Return the reward of a round, by its place in `REWARDS`; ``observation`` (2 d + 4,) shows the round."""
    d = observation.shape[0] // 2 - 2
    if kind == _HINGE:
        return -max(0.0, 1.0 - label * published_score(observation[: d + 1], observation[d + 1 : 2 * d + 1]))
    if kind == _ACCURACY:
        return 0.0 if mistake else 1.0
    hidden = kind == _OBSERVED and observation[2 * d + 1] == 0.0
    return -1.0 if mistake and not hidden else 0.0


@inlined
def play_best_response(
    norm: int,
    labels_rejected: bool,
    classifier: Float,
    true_features: Float,
    budget: Float,
    label: float,
    moment: int,
    observation: Float,
) -> tuple[bool, float, bool]:
    """Let one individual best-respond in round ``moment``; return (moved, cost, mistake).

    ``observation`` (2 d + 4,) is overwritten, all but the classifier that it begins with.
    """
    d = true_features.shape[0]
    accepted, moved, cost = respond(norm, classifier, true_features, budget, observation[d + 1 : 2 * d + 1])
    return moved, cost, write_outcome(accepted, label, labels_rejected, moment, observation)


@inlined
def own_row(budgets: Float, row: int) -> int:
    """Return which row of budgets (M or 1, 1 or d) is an individual's: its own, or the one that all share."""
    return row if budgets.shape[0] > 1 else 0


@loop
def play_published(
    norm: int,
    labels_rejected: bool,
    classifier: Numbers,
    features: Float,
    row: int,
    label: float,
    budgets: Float,
    moment: int,
    true_features: Float,
    observation: Float,
) -> tuple[bool, bool, float, bool]:
    """Check the classifier, then let the individual in ``features[row]`` answer; return (legal, moved, cost, mistake).

    ``true_features`` (d,) and ``observation`` (2 d + 4,) are overwritten. An illegal classifier is not played; one in
    float32 is, as the same numbers in float64.
    """
    if not publishable(classifier):
        return False, False, 0.0, False
    copy(features[row], true_features)
    copy(classifier, observation)
    published, budget = observation[: classifier.shape[0]], budgets[own_row(budgets, row)]
    moved, cost, mistake = play_best_response(
        norm, labels_rejected, published, true_features, budget, label, moment, observation
    )
    return True, moved, cost, mistake


@compiled
def judge(classifier: Float, true_features: Float, report: Float, reach_scale: float) -> bool:
    """Whether a report from anywhere is accepted: exactly if it is the truth, else up to a mover's rounding.

    Agrees with `play_best_response` on every best response.
    """
    for i in range(report.shape[0]):
        if report[i] != true_features[i]:
            return side(classifier, report, reach_scale, FLOAT64_EPS) >= 0
    factor, _ = scale(classifier)
    return scaled_score(classifier, factor, true_features) >= 0.0


@inlined
def price(norm: int, true_features: Float, report: Float, budget: Float) -> float:
    """Return what a report costs; infinite if what cannot move did."""
    total = 0.0
    for i in range(report.shape[0]):
        distance = abs(report[i] - true_features[i])
        if norm == L2:
            total = float(np.hypot(total, distance))  # squares of tiny moves would vanish
        elif distance > 0.0:
            total += distance / budget[i] if budget[i] > 0.0 else math.inf
    if norm == L2 and total > 0.0:
        return total / budget[0] if budget[0] > 0.0 else math.inf
    return total


@compiled
def judge_report(
    norm: int,
    reach_scale: float,
    classifier: Float,
    true_features: Float,
    budget: Float,
    report: Float,
    observed: Float,
) -> tuple[bool, bool, float]:
    """Resolve a report (d,) from anywhere; return (accepted, moved, cost).

    A best response is taken for one, so that it counts as in the other forms of the game to the last bit; any other
    report is judged and priced as it stands. ``observed`` (d,) is overwritten with the report.
    """
    accepted, moved, cost = respond(norm, classifier, true_features, budget, observed)
    best, stayed = True, True
    for i in range(report.shape[0]):
        best &= report[i] == observed[i]
        stayed &= report[i] == true_features[i]
    if best:
        return accepted, moved, cost
    copy(report, observed)
    return judge(classifier, true_features, report, reach_scale), not stayed, price(norm, true_features, report, budget)


@compiled
def published_score(classifier: Float, report: Float) -> float:
    """Score of a report under the published array scaled to norm 1, so that only its direction matters; 0 for zeros."""
    largest = 0.0
    for value in classifier:
        largest = max(largest, abs(value))
    if largest == 0.0:
        return 0.0
    # Squares of entries of size 1 neither under- nor overflow; 2**1000 is enough for the smallest number there is.
    factor = 2.0 ** min(1000, -math.frexp(largest)[1])
    norm = math.sqrt(scaled_dot(classifier, factor, classifier, factor, classifier.shape[0]))
    return scaled_score(classifier, factor, report) / norm


class Round(NamedTuple):
    """What happened in one round.

    Attributes
    ----------
    observation : ndarray, shape (2 d + 4,)
        What the learner sees, laid out as `learners.strategic.observation.Layout` says.
    true_features : ndarray, shape (d,)
    true_label : float
        -1 or +1.
    moved : bool
    cost : float
        What the individual paid.
    mistake : bool
    """

    observation: Float
    true_features: Float
    true_label: float
    moved: bool
    cost: float
    mistake: bool

    @property
    def report(self) -> Float:
        """The reported features (d,)."""
        return self.observation[self.true_features.size + 1 : -3]

    @property
    def classifier(self) -> Float:
        """The published classifier (d + 1,)."""
        return self.observation[: self.true_features.size + 1]

    @property
    def accepted(self) -> bool:
        """Whether the prediction is +1."""
        return bool(self.observation[-2] > 0.0)

    @property
    def revealed(self) -> bool:
        """Whether the learner sees the label."""
        return bool(self.observation[-3] != 0.0)


# The fields of a Round without their names, which cost a twentieth of a step: `Round(*outcome)` gives them back.
Outcome: TypeAlias = tuple[Float, Float, float, bool, float, bool]


def reward(kind: str, outcome: Outcome) -> float:
    """Reward of a round; higher is better.

    ``"mistake"``: -1 for a mistake, else 0. ``"accuracy"``: 1 for a correct prediction, else 0. ``"hinge"``:
    ``-max(0, 1 - y s)`` with s the score of the report under the published array scaled to norm 1.
    ``"observed"``: as ``"mistake"``, but 0 where the label stays hidden.
    """
    observation, _, label, _, _, mistake = outcome
    return pay(REWARDS.index(kind), observation, label, mistake)


def feedback_name(feedback: Feedback) -> str:
    """Return the name of a feedback graph over the two predictions: a key of `FEEDBACK`.

    Raises
    ------
    TypeError, ValueError
        If it is none, or hides the labels of the accepted.
    """
    if isinstance(feedback, str):
        return one_of("feedback", feedback, tuple(FEEDBACK))
    try:
        graph = FeedbackGraph.of(feedback, 2)
    except (TypeError, ValueError) as error:
        raise type(error)(f"feedback must be 'full', 'apple_tasting' or a graph of 2 classes: {error}") from error
    for name, known in GRAPHS.items():
        if graph == known:
            return name
    raise ValueError(
        "feedback must show the labels of the accepted (node 1), and have no query node, "
        f"got {graph.reveals.astype(int).tolist()}"
    )


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Who arrives, what manipulation costs them, how they answer, and which labels the learner gets to see.

    Attributes
    ----------
    population : Population
    cost : Cost
    individual : Individual
    feedback : str
        ``"full"``, or ``"apple_tasting"``: only the accepted are labelled. A `FeedbackGraph` or adjacency over the two
        predictions (node 0 rejects, node 1 accepts) is taken, too, and kept as the name of what it shows.
    population_seed : int or None
        Meet the same population in every episode; by default it is drawn afresh.
    """

    population: Population
    cost: Cost
    individual: Individual = BestResponse()
    feedback: str = "full"
    population_seed: int | None = None

    def __post_init__(self) -> None:
        """Check that the parts are what they should be, and fit each other."""
        for name, part, kind in (("population", self.population, Population), ("cost", self.cost, Cost)):
            if not isinstance(part, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, got {part!r}")
        if isinstance(self.individual, type) or not hasattr(self.individual, "report"):
            raise TypeError(f"individual must have a method report(), like BestResponse(), got {self.individual!r}")
        object.__setattr__(self, "feedback", feedback_name(self.feedback))
        if self.population_seed is not None:
            count("population_seed", self.population_seed, maximum=LARGEST_SEED)
        self._check_reaches()

    def _check_reaches(self) -> None:
        population, cost = self.population, self.cost
        limits_of(population)
        check_cost(cost, population.dim)
        finite_length("the individual's slack", getattr(self.individual, "slack", None))
        if len(cost.budgets(population.dim)) != 1:
            raise ValueError(f"alpha must be the same for every individual, got {cost!r}; populations may differ in it")
        own = population.alpha
        if own is not None and (cost.norm != L2 or cost.alpha.max() != own[1]):
            raise ValueError(f"cost must be L2Cost({own[1]}), the largest alpha of the population, got {cost!r}")
        if population.radius > 0.0 and self.reach_scale > LARGEST_REACH * population.radius:
            raise ValueError(
                f"alpha must be at most {LARGEST_REACH:g} times the radius {population.radius:g} of the population, "
                f"so that rounding does not hide where people stand, got {self.reach_scale:g}"
            )

    @property
    def reach_scale(self) -> float:
        """The largest distance anybody moves."""
        return float(self.cost.alpha.max()) + self.individual.slack

    def arrivals(self, key: Key) -> Arrivals:
        """Return the individuals of the episode with this key."""
        return played_arrivals(self.population, self.population.arrivals(key, self._population_key))

    def source(self) -> Source | None:
        """Return how individuals arrive, for compiled code; None where only Python knows that, or how they answer."""
        kinds = (self.population, *type(self.population).__mro__)
        arrives, compiled = (
            next(place for place, kind in enumerate(kinds) if name in vars(kind)) for name in ("arrivals", "source")
        )
        # Who arrives in another way than its parent, without saying so in `source`, must be asked itself.
        if compiled > arrives or type(self.individual) is not BestResponse:
            return None
        return self.population_source()

    def population_source(self) -> Source | None:
        """Return how individuals arrive by the population's own `source`, however they answer."""
        return played_source(self.population, self.population.source(self._population_key))

    @cached_property
    def _population_key(self) -> Key | None:
        return None if self.population_seed is None else game_key(self.population_seed)


class Game:
    """One game: rounds in a row, counted.

    Parameters
    ----------
    setting : Setting
        The rules.
    key : ndarray, shape (2,), uint64
        Which individuals arrive: a function of this key alone (`agents.foundation.streams.game_key`).
    """

    def __init__(self, setting: Setting, key: Key) -> None:
        self.setting = setting
        self.key = key
        self.arrivals = setting.arrivals(key)
        self.round = 0
        self.mistakes = 0
        self._dim = setting.population.dim
        self._size = 2 * self._dim + 4
        self._norm = setting.cost.norm
        self._features, own = self.arrivals.features, self.arrivals.budgets
        self._budgets = setting.cost.budgets(self._dim) if own is None else own
        self._adaptive = isinstance(self.arrivals, AdaptiveArrivals)
        self._own_answer = type(setting.individual) is not BestResponse
        self._labels_rejected = FEEDBACK[setting.feedback]
        self._rows: list[int] = []
        self._labels: list[float] = []

    def play(self, classifier: Numbers) -> Outcome:
        """Publish ``classifier`` (d + 1,), float64 or float32, to the next individual and resolve the round.

        Raises
        ------
        ValueError
            If an entry is NaN or outside [-1, 1]; the round is not played.
        """
        moment = self.round
        at = moment % BLOCK
        if at == 0:
            self._rows, self._labels = self._next_block()
        if self._adaptive:
            self._pick(classifier, at)
        label = self._labels[at]
        truth, observation = empty(self._dim), empty(self._size)
        legal, moved, cost, mistake = play_published(
            self._norm,
            self._labels_rejected,
            classifier,
            self._features,
            self._rows[at],
            label,
            self._budgets,
            moment,
            truth,
            observation,
        )
        if not legal:
            raise ValueError(f"a published classifier must have entries in [-1, 1], got {classifier.tolist()}")
        if self._own_answer:
            moved, cost, mistake = self._report(observation[: self._dim + 1], truth, label, observation)
        self.round = moment + 1
        if mistake:
            self.mistakes += 1
        return observation, truth, label, moved, cost, mistake

    def _pick(self, classifier: Numbers, at: int) -> None:
        """Let nature pick who arrives, unless the classifier will be refused."""
        published = classifier.astype(np.float64)
        if isinstance(self.arrivals, AdaptiveArrivals) and publishable(published):
            picked = self.arrivals.meet(self.round, published, self._norm, self._budgets)
            self._rows[at], self._labels[at] = picked

    def _next_block(self) -> tuple[list[int], list[float]]:
        """Return rows and labels of a block as Python numbers: an array's element costs ten times as much to read."""
        self.arrivals.fill(self.round)
        return self.arrivals.index.tolist(), self.arrivals.label.tolist()

    def cost_of(self, moment: int) -> Cost:
        """Return the manipulation cost of whoever arrives in round ``moment``, of the current block of rounds."""
        if self.arrivals.budgets is None:
            return self.setting.cost
        return L2Cost(self.arrivals.budgets[self._rows[moment % BLOCK], 0])

    def _report(self, classifier: Float, truth: Float, label: float, observation: Float) -> tuple[bool, float, bool]:
        """Let the setting's own policy answer, into ``observation``; return (moved, cost, mistake)."""
        setting, cost = self.setting, self.cost_of(self.round)
        answer = setting.individual.report(truth.copy(), classifier.copy(), cost, self.key, self.round)
        report = finite_array("the individual's report", answer, (self._dim,), largest=LARGEST_REPORT)
        budget = cost.budgets(self._dim)[0]
        observed = observation[self._dim + 1 : -3]
        accepted, moved, paid = judge_report(
            self._norm, setting.reach_scale, classifier, truth, budget, report, observed
        )
        return moved, paid, write_outcome(accepted, label, self._labels_rejected, self.round, observation)
