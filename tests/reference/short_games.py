"""Short games in every form, and a digest of all their numbers: compiled code and plain Python must agree on them."""

import hashlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from agents import BestResponse
from strategic_env import multi_agent, scenario
from strategic_env.bench.contestants import all_contestants, contestant
from strategic_env.bench.rollout import rollout
from strategic_env.games.registration import scenario_names
from strategic_env.multi_agent import GreedyNature

GAMES, SEED = 2, 5


def digest(*parts: Any) -> str:
    """Return a hash of arrays and numbers, in mappings and tuples or not."""
    hashed = hashlib.sha256()
    for part in parts:
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, tuple) else None
        hashed.update(np.asarray(part).tobytes() if inner is None else digest(*inner).encode())
    return hashed.hexdigest()[:16]


def loop(learner: Any, env: Any) -> str:
    """Play a whole episode of one game or of several."""
    observation, state, over, seen = env.reset(seed=SEED)[0], None, False, []
    while not np.all(over):
        action, state = learner.predict(observation, state)
        observation, reward, _, over, info = env.step(action)
        seen += [action, observation, reward, info]
    return digest(*seen, state)


def forms(learner: Any, game: Any) -> Iterator[tuple[str, str]]:
    """Play in a single environment, in a vector of them and in one call."""
    yield "single", loop(learner, game.make())
    yield "vector", loop(learner, game.make_vec(GAMES, info_level="full"))
    if learner.has_rules() and game.in_compiled_code():
        yield "rollout", digest(vars(rollout(learner, game, games=GAMES, seed=SEED, checkpoints=[2])))


def several_agents(learner: Any, game: Any) -> Iterator[tuple[str, str]]:
    """Play in turns, with a nature that picks who arrives, and with two individuals at a time."""
    policies = {"learner_0": learner, "individual_0": BestResponse()}
    for form, env, more in (
        ("turns", multi_agent.env(game, nature=True), {"nature_0": GreedyNature()}),
        ("parallel", multi_agent.parallel_env(game, individuals=2), {"individual_1": BestResponse()}),
    ):
        yield form, digest(vars(multi_agent.play(env, policies | more, seed=SEED)))


def everything(rounds: int) -> Iterator[tuple[str, str]]:
    """Play every scenario with everybody who takes part by default."""
    for name in scenario_names():
        game = scenario(name, horizon=rounds)
        for rival in all_contestants(game)[0]:
            if rival.learner is not None:
                for form, result in forms(rival.learner, game):
                    yield f"{name} {rival.label} {form}", result


def a_few(pairs: Sequence[tuple[str, str]], rounds: int) -> Iterator[tuple[str, str]]:
    """Play some learners by name in some scenarios, also with several agents where there are such games."""
    for name, rival in pairs:
        game = scenario(name, horizon=rounds)
        learner = contestant(rival, game).learner
        for form, result in (*forms(learner, game), *(several_agents(learner, game) if name == "Example1" else ())):
            yield f"{name} {rival} {form}", result


def main() -> None:
    """Print a digest for each game of the command line (ROUNDS [SCENARIO LEARNER ...]), or for every game."""
    rounds, names = int(sys.argv[1]), sys.argv[2:]
    pairs = list(zip(names[::2], names[1::2], strict=True))
    for label, result in a_few(pairs, rounds) if pairs else everything(rounds):
        print(label, result, flush=True)


if __name__ == "__main__":
    main()
