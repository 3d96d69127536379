"""One game of a learner, round by round, kept with all that happened and all that was learned."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from agents.foundation.streams import game_key
from agents.foundation.typing import Float
from learners.proofs.certificate import PROOFS, Certificate, Violation
from learners.separators import margins
from learners.strategic.base import Learner, Truth
from learners.strategic.observation import Layout
from learners.strategic.passes import Knowledge
from learners.strategic.surrogates import surrogate_point
from strategic_env.games.strategic.builders import Members
from strategic_env.games.strategic.delay import Late
from strategic_env.games.strategic.game import Game
from strategic_env.games.strategic.rules import Round
from strategic_env.games.strategic.setting import Setting


class RecordedRound(NamedTuple):
    """A round, and what the learner made of it.

    Attributes
    ----------
    round : Round
        True features, report, published classifier, prediction, label.
    member : int
        Who arrived: a row of the population's features, where it has any.
    updated : bool
        Whether the learner learned anything. A tie is no mistake of the game, and may be learned from nevertheless; a
        mistake may teach nothing.
    surrogate : ndarray, shape (d,)
        The point that the learner took the report for.
    weights_before, weights : ndarray, shape (d,)
    intercept_before, intercept : float or None
        None where the learner learns no intercept.
    findings : mapping of str to float
        What a search has found by then: its phase, its estimate.
    violation : Violation or None
        The first claim of the bound's proof that has failed by then, where one is watched.
    """

    round: Round
    member: int
    updated: bool
    surrogate: Float
    weights_before: Float
    intercept_before: float | None
    weights: Float
    intercept: float | None
    findings: Mapping[str, float]
    violation: Violation | None


class RecordedGame:
    """One game of a learner, played round by round and kept.

    Parameters
    ----------
    learner : Learner
    setting : Setting
        Who arrives, what moving costs, and how they answer.
    truth : Truth, optional
        Where given, and where it bounds the learner's mistakes with a proof that is known, every round is held against
        that proof (`learners.Certificate`); `Scenario.proved` is one.
    seed : int
        Of everything that is random.

    Attributes
    ----------
    rounds : list of RecordedRound
        All that were played.
    certificate : Certificate or None
    state : NamedTuple of arrays
        The learner's, after the last round.

    Raises
    ------
    ValueError
        If the learner is made for another number of features.

    Examples
    --------
    The lecture's perceptron: five updates, two of them at ties that the game does not count as mistakes.

    >>> from learners import Perceptron
    >>> from strategic_env import RecordedGame, Scenario
    >>> points = Scenario.from_points([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], labels=[1, -1, -1])
    >>> game = RecordedGame(Perceptron(ties="lecture"), points.setting, points.proved)
    >>> played = [game.play() for _ in range(9)]
    >>> sum(one.updated for one in played), sum(one.round.mistake for one in played), game.rounds[-1].weights
    (5, 2, array([ 1., -2.]))
    """

    def __init__(self, learner: Learner[Any], setting: Setting, truth: Truth | None = None, seed: int = 0) -> None:
        self.learner, self.setting = learner, setting
        self.rounds: list[RecordedRound] = []
        self._game = Game(setting, game_key(seed))
        self._late = Late(setting.delay, np.zeros(Layout(setting.dim).size))
        self.certificate = self._watching(truth)
        classifier, self.state = learner.predict(np.zeros(Layout(setting.dim).size))
        self._next = np.asarray(classifier, dtype=np.float64)
        self._knowledge = Knowledge(learner.initial_state(1, setting.dim), self.state)

    def _watching(self, truth: Truth | None) -> Certificate | None:
        """Return what holds the rounds against a proof, if one applies."""
        if truth is None or self.learner.bound(truth) is None or self.learner.state_class not in PROOFS:
            return None
        if truth.delay:  # the proofs know the round that is told at once
            return None
        separator, population = self._game.arrivals.separator, self.setting.population
        if separator is None and isinstance(population, Members):
            separator = margins.max_margin(population.features, population.labels, bias=truth.intercept != 0.0)
        return None if separator is None else Certificate(self.learner, separator, truth)

    @property
    def published(self) -> Float:
        """The classifier (d + 1,) that the next individual will see."""
        return self._next.copy()

    def play(self) -> RecordedRound:
        """Play the next round."""
        learner, state = self.learner, self.state
        before, intercept = state[0][0].copy(), learner.intercept_of(state)
        believed = learner.believed_cost(state)
        played = Round(*self._game.play(self._next))
        classifier, self.state = learner.predict(self._late.tell(played.observation), state)
        self._next = np.asarray(classifier, dtype=np.float64)
        if self.certificate is not None:
            self.certificate.check(played.observation, played.true_features, self.state)
        kept = RecordedRound(
            round=played,
            member=self._game.member,
            updated=self._knowledge.changed(self.state),
            surrogate=surrogate_point(
                believed, played.classifier, played.report.copy(), played.true_label, self.setting.reach_scale
            ),
            weights_before=before,
            intercept_before=intercept,
            weights=self.state[0][0].copy(),
            intercept=learner.intercept_of(self.state),
            findings=learner.findings(self.state),
            violation=None if self.certificate is None else self.certificate.violation,
        )
        self.rounds.append(kept)
        return kept
