"""A trained policy and the paper's algorithm where people answer otherwise than they did in its training.

Run it with ``python -m benchmarks.other_responses [POPULATIONS]``; it needs the extra "rl". The game is that of
``MetaL2``. All learners meet the same populations, so that they are compared in pairs.
"""

import argparse

import numpy as np

from benchmarks.meta_learning import ALGORITHM, ALPHA, POLICY, ROUNDS, UNSEEN, on_populations, ratio
from learners import StrategicPerceptronL2
from learners.rl import load
from strategic_env.report.scores import interquartile_mean

FEATURES = 5
# What people do, as options of `KnownL2`.
PEOPLE = {
    "best responses": {},
    "truthful": {"response": "truthful"},
    "limited, half of the value": {"response": "limited", "share": 0.5},
    "quantal, temperature 0.05": {"response": "quantal", "temperature": 0.05},
    "quantal, temperature 0.2": {"response": "quantal", "temperature": 0.2},
    "misperceived, by a tenth": {"response": "misperceived", "misperception": 0.1},
    "misperceived, by a half": {"response": "misperceived", "misperception": 0.5},
    "miss, up to 0.1 beyond": {"response": "miss", "miss": [0.0, 0.1]},
    "miss, up to 0.1 short or beyond": {"response": "miss", "miss": [-0.1, 0.1]},
    "noisy, up to 0.05": {"response": "noisy", "report_noise": 0.05},
    "lagged, one round": {"response": "lagged", "lag": 1},
    "lagged, five rounds": {"response": "lagged", "lag": 5},
    "dark, windows of 50 rounds": {"response": "dark", "window": 50},
    "collective, one in ten": {"response": "collective", "collective": 0.1},
    "improving, all of a move": {"improvement": 1.0},
    "improving, half of a move": {"improvement": 0.5},
    "told five rounds late": {"delay": 5},
}


def main(populations: int, seed: int, people: dict[str, dict]) -> None:
    """Print a line for each response."""
    players = {ALGORITHM: StrategicPerceptronL2(ALPHA), POLICY: load(POLICY)}
    print(f"mistakes in {ROUNDS} rounds, interquartile mean over {populations:,} populations of seed {seed:,}, d = 5")
    print(f"{'people':34}" + "".join(f"{name:>14}" for name in players) + f"{'ratio':>24}")
    for name, options in people.items():
        counts = [
            on_populations(one, FEATURES, populations, seed, **options)[:, np.newaxis] for one in players.values()
        ]
        means = "".join(f"{interquartile_mean(count).value:14.2f}" for count in counts)
        print(f"{name:34}{means}{ratio(counts[1], counts[0]):>24}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("populations", nargs="?", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=UNSEEN)
    asked = parser.parse_args()
    main(asked.populations, asked.seed, PEOPLE)
