"""One person, worked by hand: how it answers, response by response."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import Cost, L2Cost, WeightedL1Cost
from agents.foundation.streams import game_key
from agents.populations.finite import FixedSequence
from agents.responses.beliefs import Misperceiving
from agents.responses.effects import Improvement
from agents.responses.individuals import BestResponse, BudgetLimited, Individual, Truthful
from agents.responses.miss import Missing
from agents.responses.mixture import best_response_to_mixture
from agents.responses.quantal import Quantal
from strategic_env.games.strategic.game import Game
from strategic_env.games.strategic.rules import Round
from strategic_env.games.strategic.setting import Setting
from strategic_env.reproduce.result import same

Z, PUBLISHED, ALPHA = (0.2, 0.1), (0.6, 0.8, -0.5), 0.5
DRAWS = 20_000


class Answered(NamedTuple):
    """A quantity by hand and here; ``off`` is how far a number of drawn rounds may be off."""

    what: str
    by_hand: ArrayLike
    here: ArrayLike
    off: float = 0.0

    @property
    def agrees(self) -> bool:
        """Whether they agree, to the four decimals of what is worked by hand."""
        if self.off:
            return bool(np.abs(np.subtract(self.here, self.by_hand)).max() <= self.off)
        return same(self.here, self.by_hand, decimals=4)


def answers() -> list[Answered]:
    """Work the person."""
    best, l1 = _answer(BestResponse()), _answer(BestResponse(), WeightedL1Cost([0.6, 0.25]))
    over, short = _answer(Missing(0.05, 0.05)), _answer(Missing(-0.025, -0.025))
    moved, cost = _moves(Quantal(0.2))
    blind = _answer(Misperceiving([0.8 / 0.6, 0.6 / 0.8]))
    spread = 4.0 * (0.8808 * 0.1192 / DRAWS) ** 0.5
    both = best_response_to_mixture(Z, [1.0, 0.0, -0.5], [0.0, 1.0, -0.4], chance=0.6, alpha=ALPHA)
    return [
        Answered("best response: report", (0.38, 0.34), best.report),
        Answered("its cost", 0.6, best.cost),
        Answered("weighted l1 with reaches 0.6, 0.25: report", (0.7, 0.1), l1.report),
        Answered("its cost", 0.8333, l1.cost),
        Answered("truthful: report", Z, _answer(Truthful()).report),
        Answered("limited to half of the value: report", Z, _answer(BudgetLimited(0.5)).report),
        Answered("quantal, temperature 0.2: share that moves", 0.8808, moved, spread),
        Answered("what those pay", 0.6, cost),
        Answered("missing by 0.05 beyond: report", (0.41, 0.38), over.report),
        Answered("its cost", 0.7, over.cost),
        Answered("missing by 0.025 short: cost", 0.55, short.cost),
        Answered("its prediction", -1.0, 1.0 if short.mistake else -1.0),
        Answered("taking the weights for 0.8, 0.6: report", (0.424, 0.268), blind.report),
        Answered("its real score", -0.0312, float(blind.report @ PUBLISHED[:2]) + PUBLISHED[2]),
        Answered("improved in feature 1 of (1, 0, -0.3): label", 1.0, _label([1.0, 0.0])),
        Answered("improved in feature 2: label", -1.0, _label([0.0, 1.0])),
        Answered("improved by half: label", -1.0, _label([0.5, 0.5])),
        Answered("a mixture of two rules: report", (0.5, 0.4), both.report),
        Answered("chance of acceptance less cost", 0.1515, both.chance - both.cost),
    ]


def _rounds(individual: Individual, cost: Cost, rounds: int) -> list[Round]:
    """Let the person arrive in so many rounds."""
    person = Setting(population=FixedSequence([], [(Z, -1.0)]), cost=cost, individual=individual)
    game = Game(person, game_key(0))
    return [Round(*game.play(np.array(PUBLISHED))) for _ in range(rounds)]


def _answer(individual: Individual, cost: Cost | None = None) -> Round:
    return _rounds(individual, cost or L2Cost(ALPHA), 1)[0]


def _label(share: list[float]) -> float:
    """Return what a best response makes of the label, around the separator (1, 0, -0.3)."""
    return Improvement(share, separator=[1.0, 0.0, -0.3]).label(np.array(Z), _answer(BestResponse()).report, -1.0)


def _moves(individual: Individual) -> tuple[float, float]:
    """Return which share of rounds it moves in, and what it pays there on average."""
    paid = [one.cost for one in _rounds(individual, L2Cost(ALPHA), DRAWS) if one.moved]
    return len(paid) / DRAWS, float(np.mean(paid))
