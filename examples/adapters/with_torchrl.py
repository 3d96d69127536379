"""TorchRL plays the game in both forms.

Run it with ``python examples/adapters/with_torchrl.py``; it needs ``pip install torchrl``.
"""

import warnings

import torch
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

from strategic_env.multi_agent import env, parallel_env

ROUNDS = 25

warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested using version")  # an older one than there is


def turn_by_turn() -> None:
    """One agent acts at a time: the mask says who."""
    game = PettingZooWrapper(env("KnownL2", max_cycles=ROUNDS), use_mask=True, seed=0)
    check_env_specs(game)
    played = game.rollout(2 * ROUNDS)
    learner, individual = played["learner_0"], played["individual_0"]
    assert learner["observation", "classifier"].shape == (2 * ROUNDS, 1, 3)
    assert learner["mask"].flatten().tolist() == [True, False] * ROUNDS
    assert individual["mask"].flatten().tolist() == [False, True] * ROUNDS
    assert played["next", "truncated"].flatten().tolist() == [False] * (2 * ROUNDS - 1) + [True]
    mistakes = -played["next", "learner_0", "reward"].sum()
    print("turn by turn, at random:", int(mistakes), "mistakes of", ROUNDS)


def together(individuals: int = 4) -> None:
    game = parallel_env("KnownL2", individuals=individuals, max_cycles=ROUNDS)
    groups = {"learner": game.possible_agents[:1], "individual": game.possible_agents[1:]}
    game = PettingZooWrapper(game, group_map=groups, seed=0)
    check_env_specs(game)
    played = game.rollout(ROUNDS)
    assert played["individual", "observation", "features"].shape == (ROUNDS, individuals, 2)
    assert played["next", "individual", "reward"].shape == (ROUNDS, individuals, 1)
    faced, sent = played["individual", "observation", "classifier"], played["learner", "action"]
    assert torch.equal(faced[1:], sent[:-1].expand(-1, individuals, -1))
    mistakes = -played["next", "learner", "reward"].sum()
    print("together, at random:", int(mistakes), "mistakes of", individuals * ROUNDS)


if __name__ == "__main__":
    turn_by_turn()
    together()
