"""A third game, as somebody would add one: rock, paper, scissors against an opponent who always plays the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from agents.foundation.checks import count
from learners.policy import Policy
from strategic_env.games.shared.game import Game
from strategic_env.games.shared.rollout import Rollout
from strategic_env.games.shared.scenario import OF_EVERY_GAME, BenchScenario, check_game
from strategic_env.games.shared.single import SeededEnv

ROCK, PAPER, SCISSORS = range(3)
GAME = Game(
    "rock-paper-scissors",
    "rock, paper, scissors",
    {"AlwaysTheSame": "an opponent who always plays the same"},
    "rock_paper_scissors:RockPaperScissors",
)


class RockPaperScissorsEnv(SeededEnv[dict[str, Any], Any]):
    """Who does not beat the opponent errs; the observation counts what the opponent played."""

    def __init__(self, opponent: int, horizon: int, **options: object) -> None:
        self.opponent, self.horizon, self.round = opponent, horizon, horizon
        self.action_space = spaces.Discrete(3)
        self.observation_space = spaces.Dict({"features": spaces.Box(0.0, float(horizon), (3,), np.float64)})

    def _seen(self) -> dict[str, Any]:
        return {"features": np.eye(3)[self.opponent] * self.round}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self._next_key(seed, options)
        self.round = 0
        return self._seen(), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        self.round += 1
        mistake = int(action) != (self.opponent + 1) % 3
        return (
            self._seen(),
            -float(mistake),
            False,
            self.round >= self.horizon,
            {"mistake": mistake, "draw": int(action) == self.opponent},
        )


@dataclass(frozen=True)
class Setting:
    opponent: int


@dataclass(frozen=True)
class RockPaperScissors(BenchScenario):
    name: str
    setting: Setting
    horizon: int
    knowledge: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)

    game = GAME.name
    truth = None
    game_options = OF_EVERY_GAME
    game_defaults = {"population_seed": None}
    environment_options = ()
    metadata = {"render_modes": []}
    builders = {"AlwaysTheSame": lambda *, opponent=ROCK: Setting(count("opponent", opponent, maximum=2))}
    columns = ("draws",)

    @classmethod
    def named(cls, name: str, /, **options: object) -> Self:
        return cls(
            name, cls.built(name, options), count("horizon", options.get("horizon", 100), minimum=1), {}, options
        )

    def make(self, **options: object) -> RockPaperScissorsEnv:
        return RockPaperScissorsEnv(**self._parts())

    def make_vec(self, num_envs: int, **options: object) -> gym.vector.VectorEnv[Any, Any, Any]:
        return gym.vector.SyncVectorEnv([self.make] * num_envs)

    def lasting(self, rounds: int) -> Self:
        return replace(self, horizon=rounds)

    def check_learner(self, learner: Policy[Any]) -> None:
        check_game(learner, self)

    def numbers_of_a_game(self) -> int:
        return 1

    def in_compiled_code(self) -> bool:
        return True

    def play(
        self, learner: Policy[Any], keys: Any, rounds: int, checkpoints: Any, threads: int = 1,
        progress: Callable[[Rollout], object] | None = None,
    ) -> Rollout:  # fmt: skip
        env, state = self.lasting(rounds).make(), None
        observation, _ = env.reset(seed=0)
        mistakes, draws = np.zeros((2, rounds), dtype=np.int64)
        for t in range(rounds):
            action, state = learner.predict(observation, state)
            observation, _, _, _, info = env.step(action)
            mistakes[t], draws[t] = info["mistake"], info["draw"]
        total = np.full(len(keys), mistakes.sum())
        curves = np.tile(mistakes.cumsum()[checkpoints - 1], (len(keys), 1))
        columns = {"draws": np.full(len(keys), draws.sum())}
        return Rollout(rounds, total, total.astype(float), columns, checkpoints, curves, (np.zeros(1),))

    def counted(self, info: Mapping[str, Any]) -> dict[str, float]:
        return {"draws": info["draw"]}

    def why_no_bound(self) -> str:
        return "no bounds: nobody has proved one"


class Nothing(NamedTuple):
    weights: Any


class BeatTheLast(Policy[Nothing]):
    """Beats what the opponent has played most often, and rock before it knows."""

    name = "beat-the-last"
    game = GAME.name
    state_class = Nothing
    summary = "beats what the opponent has played most often"

    def __init__(self) -> None:
        self.parameters = {}

    def initial_state(self, games: int, dim: int) -> Nothing:
        return Nothing(np.zeros((games, dim)))

    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        return (dim,)

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = True
    ) -> Any:
        seen = observation["features"]
        return (int(seen.argmax()) + 1) % 3 if seen.any() else ROCK, state or self.initial_state(1, 3)

    by_rules = predict


LEARNERS = (BeatTheLast,)
