"""One game: rounds in a row, counted. Nothing here knows Gymnasium."""

import numpy as np
from numpy import empty  # in a step, even looking up `np.empty` twice counts

from agents.costs import Cost, L2Cost, least_cost
from agents.foundation.checks import LARGEST_REPORT, finite_array
from agents.foundation.compiled import DirectCall
from agents.foundation.typing import Float, Key, Numbers
from agents.populations.arrivals import BLOCK
from agents.populations.groups import group_of
from agents.populations.nature import AdaptiveArrivals
from agents.responses.answers import draw_games
from agents.responses.effects import Gaming, label_after, standing
from agents.responses.exact import Exact
from agents.responses.individuals import compiled_response
from agents.responses.lottery import Lottery
from learners.strategic.observation import FLOAT64
from strategic_env.games.strategic.rules import (
    Outcome,
    judge_report,
    own_row,
    play_published,
    play_response,
    publishable,
    write_outcome,
)
from strategic_env.games.strategic.setting import FEEDBACK, Setting


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
        self._dim = setting.dim
        self._size = 2 * self._dim + 4
        self._norm = setting.norm
        self._features, own = self.arrivals.features, self.arrivals.budgets
        self._budgets = setting.budgets() if own is None else own
        self._adaptive = isinstance(self.arrivals, AdaptiveArrivals)
        self._own_answer = not compiled_response(setting.individual)
        self._response = response = setting.response(1, BLOCK)
        self._effect = setting.effect_on(self.arrivals)
        plain = isinstance(self._effect, Gaming)
        self._share = response.share if isinstance(response, Exact) and plain else None
        self._labels_rejected = FEEDBACK[setting.feedback]
        resolve = play_response if self._share is None else play_published
        self._resolve, self._resolve_flat = DirectCall(resolve), DirectCall(resolve)
        self._groups = None if setting.groups is None else setting.groups.table()
        self.has_aside = bool(setting.told_aside)
        self._rows: list[int] = []
        self._labels: list[float] = []

    def play(self, classifier: Numbers) -> Outcome:
        """Publish ``classifier`` (d + 1,), float64 or float32, to the next individual and resolve the round.

        Raises
        ------
        ValueError
            If an entry is NaN or outside [-1, 1]; the round is not played.
        """
        round = self.round
        at = round % BLOCK
        if at == 0:
            self._rows, self._labels = self._next_block()
        if self._adaptive:
            self._pick(classifier, at)
        label = self._labels[at]
        truth, observation = empty(self._dim), empty(self._size)
        if not classifier.flags.carray:
            classifier = classifier.copy()
        dtype = classifier.dtype  # of an array that was pickled, it is another object
        resolve = self._resolve if dtype is FLOAT64 or dtype == FLOAT64 else self._resolve_flat
        if self._share is not None:
            legal, moved, cost, mistake = resolve.call(
                self._share,
                self._norm,
                self._labels_rejected,
                classifier,
                self._features,
                self._rows[at],
                label,
                self._budgets,
                round,
                truth,
                observation,
            )
        else:
            legal, moved, cost, mistake, label = resolve.call(
                self._response,
                self._effect,
                at,
                self._norm,
                self._labels_rejected,
                classifier,
                self._features,
                self._rows[at],
                label,
                self._budgets,
                round,
                truth,
                observation,
            )
        if not legal:
            raise ValueError(f"a published classifier must have entries in [-1, 1], got {classifier.tolist()}")
        if self._own_answer:
            moved, cost, mistake, label = self._report(
                observation[: self._dim + 1], truth, self._labels[at], observation
            )
        self.round = round + 1
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
        if self._share is None:
            draw_games(self._response, self.key[np.newaxis], np.full(1, self.round), BLOCK, BLOCK)
        return self.arrivals.index.tolist(), self.arrivals.label.tolist()

    @property
    def member(self) -> int:
        """Who arrived in the last round: a row of the arrivals' features."""
        return self._rows[(self.round - 1) % BLOCK]

    def aside(self, outcome: Outcome) -> dict[str, object]:
        """Return what infos tell of the last round besides its outcome."""
        told: dict[str, object] = {}
        if self._groups is not None:
            truth, row = outcome[1], self.member
            published, budget = outcome[0][: self._dim + 1], self._budgets[own_row(self._budgets, row)]
            told["group"] = group_of(self._groups, self.key, self.round - 1, row)
            told["least_cost"] = least_cost(self._norm, published, truth, budget)
        if not isinstance(self._effect, Gaming):
            before, after = self._labels[(self.round - 1) % BLOCK], outcome[2]
            told |= {"label_before": before, "improved": before < after, "harmed": before > after}
        if isinstance(self._response, Lottery):
            predicted, positive, mistake = outcome[0][-2] > 0.0, outcome[2] > 0.0, outcome[-1]
            told["accepted"], told["rule_mistake"] = positive != mistake, bool(predicted != positive)
        return told

    def cost_of(self, round: int) -> Cost:
        """Return the manipulation cost of whoever arrives in round ``round``, of the current block of rounds."""
        if self.arrivals.budgets is None:
            return self.setting.cost
        return L2Cost(self.arrivals.budgets[self._rows[round % BLOCK], 0])

    def _report(
        self, classifier: Float, truth: Float, label: float, observation: Float
    ) -> tuple[bool, float, bool, float]:
        """Let the setting's own policy answer, into ``observation``; return (moved, cost, mistake, label after it)."""
        setting, cost = self.setting, self.cost_of(self.round)
        answer = setting.individual.report(truth.copy(), classifier.copy(), cost, self.key.copy(), self.round)
        report = finite_array("the individual's report", answer, (self._dim,), largest=LARGEST_REPORT)
        budget = self._budgets[own_row(self._budgets, self._rows[self.round % BLOCK])]
        observed = observation[self._dim + 1 : -3]
        accepted, moved, paid, gain = judge_report(
            self._effect, self._norm, setting.reach_scale, classifier, truth, budget, report, observed
        )
        after = label_after(self._effect, standing(self._effect, 0, truth), gain, label)
        mistake = write_outcome(accepted, accepted, after, self._labels_rejected, self.round, observation)
        return moved, paid, mistake, after
