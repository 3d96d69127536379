"""A trained policy, the paper's algorithm and others on populations that nobody has seen.

Run it with ``python -m benchmarks.meta_learning [POPULATIONS [POLICY ...]] [--seed SEED]``; it needs the extra "rl".
Every episode has a new population. All learners meet the same ones, so that they are compared in pairs. POLICY is a
folder of ``strategic-env train``; by default it is the policy that comes with the package.
"""

import argparse

import gymnasium
import numpy as np

from agents import GreedyAdversary, L2Cost
from learners import AcceptedOnlyL2, Perceptron, StrategicMaxMargin, StrategicPerceptronL2
from learners.rl import load, make_view
from learners.rl.training import TRAINING_SEEDS
from learners.strategic.observation import read
from strategic_env.games.scenarios import scenario
from strategic_env.games.strategic.single import StrategicClassificationEnv
from strategic_env.report.scores import (
    interquartile_mean,
    interval_text,
    normalised_score,
    probability_of_improvement,
    ratio_of_means,
)

ALPHA, ROUNDS, DIMENSIONS = 0.3, 200, (5, 10, 20)
ALGORITHM, MARGIN, POLICY = "Algorithm 2", "maximal margin", "meta-l2"
CONSTANTS = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 2.0)
OTHERS = ({"margin": 0.05}, {"margin": 0.2}, {"alpha": 0.1}, {"alpha": 0.6}, {"horizon": 1000}, {"noise": 0.05})
# Seeds below 2**32 are never trained on.
UNSEEN = 1_000_000


class Constant:
    """The sum of y x~ over mistakes, plus the sum over all rounds times a constant, and Algorithm 2's threshold."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def predict(self, observation, state=None, episode_start=None, deterministic=True):
        seen = read(observation)
        view = make_view("coefficients", seen.features.shape[1], ROUNDS, {"cost": "l2", "alpha": ALPHA, "radius": 1.0})
        state = view.begin(len(seen.features)) if state is None else state
        view.record(state, seen)
        weights = state.mistaken + self.weight * state.everything
        norms = np.linalg.norm(weights, axis=1, keepdims=True)
        classifiers = np.hstack([weights, -ALPHA * norms]) / np.maximum(2.0 * norms, 1e-9)
        return (classifiers if seen.batched else classifiers[0]), state


def mistakes(learner, env, seed: int, rounds: int = ROUNDS) -> np.ndarray:
    """Play one episode of each game, side by side; return the mistakes of each."""
    observation, _ = env.reset(seed=seed)
    state, total = None, np.zeros(getattr(env, "num_envs", 1))
    for _ in range(rounds):
        published, state = learner.predict(observation, state)
        observation, reward, *_ = env.step(published)
        total -= reward
    return total


def on_populations(learner, dim: int, populations: int, seed: int, **other) -> np.ndarray:
    options = {"dim": dim, "margin": 0.1, "alpha": ALPHA, "horizon": ROUNDS, "autoreset_mode": "Disabled"} | other
    env = gymnasium.make_vec("strategic_env:strategic_env/KnownL2-v0", num_envs=populations, **options)
    return mistakes(learner, env, seed, options["horizon"])


def against_nature(learner, dim: int, pools: int, seed: int) -> np.ndarray:
    """Meet an adversary who picks, from 100 individuals, somebody on whom the published classifier errs."""
    total = []
    for pool in range(pools):
        drawn = scenario("KnownL2", dim=dim, margin=0.1, alpha=ALPHA).make()
        drawn.reset(seed=seed, options={"game": pool})
        env = StrategicClassificationEnv(GreedyAdversary(*drawn.true_points(100)), L2Cost(ALPHA), horizon=ROUNDS)
        total.append(mistakes(learner, env, seed=0)[0])
    return np.array(total)


def best_constant(populations: int) -> Constant:
    """Search on seeds of training, as the policy did."""
    found = {
        weight: interquartile_mean(
            on_populations(Constant(weight), 5, populations, TRAINING_SEEDS)[:, np.newaxis]
        ).value
        for weight in CONSTANTS
    }
    return Constant(min(found, key=found.get))


def show(counts: dict, learners: list[str], constant: str) -> None:
    """Print means and ratios to Algorithm 2, by dimension; then the policies beside the others."""
    print(f"{'':24}" + "".join(f"{f'd = {dim}, ratio to Algorithm 2':>36}" for dim in DIMENSIONS))
    for name in learners:
        line = ""
        for dim in DIMENSIONS:
            mean = interquartile_mean(counts[name, dim]).value
            line += f"{f'{mean:.2f}, {ratio(counts[name, dim], counts[ALGORITHM, dim])}':>36}"
        print(f"{name:24}{line}")
    policies = [name for name in learners if name.startswith("policy")]
    for other in (ALGORITHM, constant, MARGIN):
        for dim in DIMENSIONS:
            ratios = [ratio_of_means(counts[name, dim], counts[other, dim]) for name in policies]
            text = ", ".join(interval_text(one, ".3f") for one in ratios)
            print(f"d = {dim}, each policy over {other}: {text}")
            if len(policies) > 1:
                together = interquartile_mean([[one.value] for one in ratios])
                print(f"d = {dim}, all {len(policies)} over {other}: {interval_text(together, '.3f')}")


def scored(counts: dict, populations: int, seed: int) -> None:
    """Print scores between the classic Perceptron and the best fixed classifier, which makes no mistake, d = 5."""
    naive = on_populations(Perceptron(), 5, populations, seed)
    print(f"mistakes of the classic Perceptron, d = 5: {naive.mean():.1f}")
    policy = next(name for name, dim in counts if name.startswith("policy"))
    for name in {name: None for name, _ in counts}:
        scores = normalised_score(counts[name, 5], [naive.mean()], [0.0])
        better = probability_of_improvement(counts[name, 5], counts[policy, 5])
        print(f"{name:24}score {interval_text(interquartile_mean(scores), '.3f')}, "
              f"probability that {policy} errs less {interval_text(better, '.3f')}")  # fmt: skip


def elsewhere(populations: int, policy: str, seed: int) -> None:
    """Print how the policy does in games that it was not trained for."""
    print("other games than those of training, d = 5: mistakes of Algorithm 2 and of the policy, ratio")
    for other in OTHERS:
        alpha = other.get("alpha", ALPHA)
        ours = on_populations(load(policy, alpha=alpha), 5, populations, seed, **other)[:, np.newaxis]
        theirs = on_populations(StrategicPerceptronL2(alpha), 5, populations, seed, **other)[:, np.newaxis]
        means = (interquartile_mean(theirs).value, interquartile_mean(ours).value)
        print(f"{other!s:24}{means[0]:8.2f}{means[1]:8.2f}  {ratio(ours, theirs)}")


def of_the_accepted(populations: int, constant: Constant, seed: int) -> None:
    """Print ratios to Algorithm 2 where only the accepted show their label."""
    print("labels of the accepted only: ratio to Algorithm 2")
    players = {"accepted-only-l2": AcceptedOnlyL2(ALPHA), "constant": constant}
    players |= {name: load(name) for name in (POLICY, f"{POLICY}-apple-tasting")}
    for dim in DIMENSIONS:
        told = {"dim": dim, "populations": populations, "seed": seed, "feedback": "apple_tasting"}
        base = on_populations(StrategicPerceptronL2(ALPHA), **told)[:, np.newaxis]
        for name, player in players.items():
            print(f"d = {dim}: {name:24}{ratio(on_populations(player, **told)[:, np.newaxis], base)}")


def ratio(counts: np.ndarray, others: np.ndarray) -> str:
    return interval_text(ratio_of_means(counts, others), ".3f")


def main(populations: int, policies: list[str], seed: int) -> None:
    """Print the tables."""
    constant = best_constant(populations)
    players = {
        ALGORITHM: StrategicPerceptronL2(ALPHA),
        f"constant {constant.weight}": constant,
        MARGIN: StrategicMaxMargin(ALPHA),
        **{f"policy {name}": load(name) for name in policies},
    }
    for title, play, games in (
        ("who comes is drawn", on_populations, populations),
        ("an adversary picks who comes", against_nature, max(populations // 20, 2)),
    ):
        print(f"{title}: mistakes in {ROUNDS} rounds, interquartile mean over {games:,} populations of seed {seed:,}")
        counts = {
            (name, dim): play(player, dim, games, seed)[:, np.newaxis]
            for name, player in players.items()
            for dim in DIMENSIONS
        }
        show(counts, list(players), list(players)[1])
        if play is on_populations:
            scored(counts, games, seed)
    elsewhere(populations, policies[0], seed)
    of_the_accepted(populations, constant, seed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("populations", nargs="?", type=int, default=1000)
    parser.add_argument("policies", nargs="*", default=[POLICY])
    parser.add_argument("--seed", type=int, default=UNSEEN)
    asked = parser.parse_args()
    main(asked.populations, asked.policies, asked.seed)
