"""The bounds for people who answer otherwise, and the most mistakes that games of random people cost."""

from collections.abc import Mapping
from typing import NamedTuple

from strategic_env.bench.contestants import contestant, mistake_bound
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import scenario

ROUNDS = 10_000


class BoundGame(NamedTuple):
    """A learner, and the scenario with the options that its bound is for."""

    learner: str
    scenario: str
    options: Mapping[str, object]

    @property
    def people(self) -> str:
        """The scenario and its options in a line."""
        return " ".join([self.scenario, *(f"{name}={value}" for name, value in self.options.items())])


class Most(NamedTuple):
    """Rounds in all, the most and the mean mistakes of a game, and the bound."""

    rounds: int
    most: int
    mean: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether no game exceeds the bound."""
        return self.most <= self.bound * (1.0 + 1e-9)


ALGORITHM_2 = "strategic-perceptron-l2"
SMALL: Mapping[str, object] = {"dim": 3, "margin": 0.05}
LAGGED: Mapping[str, object] = {"response": "lagged", "lag": 3}
GAMES = (
    BoundGame("improving-perceptron", "ImprovingL2", {}),
    BoundGame("improving-perceptron", "ImprovingL1", {}),
    BoundGame(ALGORITHM_2, "ImprovingL2", {"improvement": 0.5}),
    BoundGame("strategic-perceptron-l1", "ImprovingL1", {"improvement": [1.0, 0.3]}),
    BoundGame(f"{ALGORITHM_2}:nonnegative=true", "HarmedExample", {}),
    BoundGame(f"{ALGORITHM_2}:surrogate=always", "KnownL2", {**SMALL, "response": "miss", "miss": [0.0, 0.3]}),
    BoundGame(f"{ALGORITHM_2}:surrogate=always", "MissExample", {}),
    BoundGame(f"patient:learner={ALGORITHM_2}", "KnownL2", {**SMALL, **LAGGED}),
    BoundGame("patient:learner=strategic-perceptron-l1", "KnownL1", {**SMALL, **LAGGED}),
    BoundGame(f"patient:learner={ALGORITHM_2}", "LagExample", {}),
    BoundGame(f"echo-checking:learner={ALGORITHM_2}", "DelayedL2", SMALL),
    BoundGame(ALGORITHM_2, "DelayedL2", SMALL),
)


def measured(game: BoundGame, games: int) -> Most:
    """Play so many games of `ROUNDS` rounds, each with people of its own where they are drawn."""
    chosen = scenario(game.scenario, **game.options)
    learner = contestant(game.learner, chosen).learner
    bound = mistake_bound(learner, chosen)
    assert bound is not None, f"{game.learner} has no bound on {game.people}"
    mistakes = rollout(learner, chosen, games=games, rounds=ROUNDS).mistakes  # type: ignore[arg-type]
    return Most(games * ROUNDS, int(mistakes.max()), float(mistakes.mean()), bound)
