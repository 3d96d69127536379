"""Tianshou plays the turn-based game, alone and several at a time; its agents must all have the same spaces.

Run it with ``python examples/adapters/with_tianshou.py``; it needs ``pip install tianshou``.
"""

import numpy as np
from tianshou.env import DummyVectorEnv, PettingZooEnv

from strategic_env.multi_agent import env

AGENTS, ROUNDS = ["learner_0", "nature_0", "individual_0"], 25


def make() -> PettingZooEnv:
    return PettingZooEnv(env("KnownL2", nature=True, max_cycles=ROUNDS, pad_spaces=True))


def alone() -> None:
    game = make()
    seen, _ = game.reset(seed=0)
    game.action_space.seed(0)
    turns, mistakes, over = [], 0, False
    while not over:
        turns.append(seen["agent_id"])
        assert seen["obs"] in game.observation_space
        seen, (learner, nature, individual), _, over, _ = game.step(game.action_space.sample())
        if turns[-1] == "individual_0":  # then the round resolves
            assert learner == -nature and individual <= 1.0
            mistakes += nature
    assert turns == AGENTS * ROUNDS
    print("an episode at random:", int(mistakes), "mistakes of", ROUNDS)


def several(games: int = 4) -> None:
    together = DummyVectorEnv([make] * games)
    space = together.action_space[0]
    together.seed(0)  # game i gets seed i
    together.reset()
    for turn in range(len(AGENTS) * ROUNDS):
        seen, rewards, terminated, truncated, _ = together.step(np.stack([space.sample() for _ in range(games)]))
        assert rewards.shape == (games, len(AGENTS)) and not terminated.any()
        assert (truncated == (turn == len(AGENTS) * ROUNDS - 1)).all()
    assert {row["agent_id"] for row in seen} == {"learner_0"}
    print(games, "games at a time: all over after", turn + 1, "turns")


if __name__ == "__main__":
    alone()
    several()
