"""One round of strategic classification, and its bookkeeping. Nothing here knows Gymnasium."""

import math
from typing import Any, NamedTuple, TypeAlias

from agents.boundary import scaled_score
from agents.foundation.compiled import brief, compiled, inlined
from agents.foundation.lanes import copy, scaled_dot
from agents.foundation.typing import Float, Numbers
from agents.responses.answers import Aim, Answer, admit, note, notes, respond_as, rise_of, shifted
from agents.responses.effects import Gaming, gain_of_report, label_after, standing
from agents.responses.exact import Exact
from agents.responses.judging import judge, price

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
def copy_publishable(classifier: Numbers, target: Float) -> bool:
    """Copy a classifier (d + 1,); return as `publishable`."""
    inside = True
    for i in range(classifier.shape[0]):
        target[i] = classifier[i]
        inside &= abs(classifier[i]) <= 1.0
    return inside


@inlined
def write_outcome(
    predicted: bool, accepted: bool, label: float, labels_rejected: bool, round: int, observation: Float
) -> bool:
    """Write all but report and classifier of an observation (2 d + 4,); return whether it was a mistake.

    Who is ``accepted`` is whom the rule accepts (``predicted``), unless a lottery decides otherwise.
    """
    d = observation.shape[0] // 2 - 2
    observation[2 * d + 1] = label if accepted or labels_rejected else 0.0
    observation[2 * d + 2] = 1.0 if predicted else -1.0
    observation[2 * d + 3] = round + 1
    return accepted != (label > 0.0)


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
def gain_of_answer(
    response: Any, effect: Any, game: int, aim: Aim, classifier: Float, features: Float, found: Answer, report: Float
) -> float:
    """Return by how much the separator's score of somebody rises with an answer (`agents.responses.effects`)."""
    if shifted(response):
        return float(gain_of_report(effect, game, features, report))
    return found.step * rise_of(response, effect, game, aim, classifier) if found.moved else 0.0


@inlined
def play_answer(
    response: Any,
    effect: Any,
    game: int,
    place: int,
    norm: int,
    labels_rejected: bool,
    classifier: Float,
    true_features: Float,
    budget: Float,
    label: float,
    round: int,
    observation: Float,
) -> tuple[bool, float, bool, float]:
    """Let one individual of a game answer in round ``round``; return (moved, cost, mistake, label afterwards).

    ``response``, ``game`` and ``place`` as for `respond_as`, ``effect`` of `effects`; ``observation`` (2 d + 4,)
    is overwritten, all but the classifier that it begins with.
    """
    d = true_features.shape[0]
    report = observation[d + 1 : 2 * d + 1]
    found, aim = respond_as(response, game, place, round, norm, classifier, true_features, budget, label, report)
    accepted = admit(response, game, place, found.accepted)
    if notes(response):
        note(response, game, accepted, report)
    gain = gain_of_answer(response, effect, game, aim, classifier, true_features, found, report)
    after = label_after(effect, standing(effect, game, true_features), gain, label)
    mistake = write_outcome(found.accepted, accepted, after, labels_rejected, round, observation)
    return found.moved, found.cost, mistake, after


@inlined
def own_row(budgets: Float, row: int) -> int:
    """Return which row of budgets (M or 1, 1 or d) is an individual's: its own, or the one that all share."""
    return row if budgets.shape[0] > 1 else 0


@brief
def play_published(
    share: float,
    norm: int,
    labels_rejected: bool,
    classifier: Numbers,
    features: Float,
    row: int,
    label: float,
    budgets: Float,
    round: int,
    true_features: Float,
    observation: Float,
) -> tuple[bool, bool, float, bool]:
    """As `play_response`, of people who pay up to a share and only game: plain numbers are read sooner than tuples."""
    legal, moved, cost, mistake, _ = play_response(
        Exact(share), Gaming(), 0, norm, labels_rejected, classifier, features, row, label, budgets, round,
        true_features, observation,
    )  # fmt: skip
    return legal, moved, cost, mistake


@brief
def play_response(
    response: Any,
    effect: Any,
    place: int,
    norm: int,
    labels_rejected: bool,
    classifier: Numbers,
    features: Float,
    row: int,
    label: float,
    budgets: Float,
    round: int,
    true_features: Float,
    observation: Float,
) -> tuple[bool, bool, float, bool, float]:
    """Check the classifier, then let the individual in ``features[row]`` answer.

    Return (legal, moved, cost, mistake, label afterwards). ``response``, ``effect`` and ``place`` as for `play_answer`,
    of one game; ``true_features`` (d,) and ``observation`` (2 d + 4,) are overwritten. An illegal classifier is not
    played; one in float32 is, as the same numbers in float64.
    """
    if not publishable(classifier):
        return False, False, 0.0, False, label
    copy(features[row], true_features)
    copy(classifier, observation)
    published, budget = observation[: classifier.shape[0]], budgets[own_row(budgets, row)]
    moved, cost, mistake, after = play_answer(
        response, effect, 0, place, norm, labels_rejected, published, true_features, budget, label, round, observation
    )
    return True, moved, cost, mistake, after


@compiled
def judge_report(
    effect: Any,
    norm: int,
    reach_scale: float,
    classifier: Float,
    true_features: Float,
    budget: Float,
    report: Float,
    observed: Float,
) -> tuple[bool, bool, float, float]:
    """As `judge_answer`, where people are expected to best-respond."""
    best = Exact(1.0)
    return judge_answer(best, effect, 0, 0, norm, reach_scale, classifier, true_features, budget, 0.0, report, observed)


@compiled
def judge_answer(
    response: Any,
    effect: Any,
    place: int,
    round: int,
    norm: int,
    reach_scale: float,
    classifier: Float,
    true_features: Float,
    budget: Float,
    label: float,
    report: Float,
    observed: Float,
) -> tuple[bool, bool, float, float]:
    """Resolve a report (d,) from anywhere; return (accepted, moved, cost, gain of the separator's score).

    The answer that ``response`` gives, of one game at ``place`` of a block, is taken for one, so that it counts as in
    the other forms of the game to the last bit; any other report is judged and priced as it stands. ``observed`` (d,)
    is overwritten with the report.
    """
    found, aim = respond_as(response, 0, place, round, norm, classifier, true_features, budget, label, observed)
    best, stayed = True, True
    for i in range(report.shape[0]):
        best &= report[i] == observed[i]
        stayed &= report[i] == true_features[i]
    if best:
        gain = gain_of_answer(response, effect, 0, aim, classifier, true_features, found, observed)
        return found.accepted, found.moved, found.cost, gain
    copy(report, observed)
    accepted, cost = judge(classifier, true_features, report, reach_scale), price(norm, true_features, report, budget)
    return accepted, not stayed, cost, gain_of_report(effect, 0, true_features, report)


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
    if kind == "mistake":  # what `pay` says, without a call of compiled code: a twentieth of a single step
        return -1.0 if mistake else 0.0
    return pay(REWARDS.index(kind), observation, label, mistake)
