"""Two learners meet the same loan applicants: one takes reports at face value, one knows what can be manipulated.

Run it with ``python examples/learn_from_applicants.py``.
"""

import gymnasium

import strategic_env  # noqa: F401  (registers the environments)
from learners import BiasedL1, Learner, Perceptron


def mistakes(learner: Learner, seed: int) -> int:
    """Play one pass over the applicants."""
    env = gymnasium.make("strategic_env/GermanCredit-v0")
    observation, _ = env.reset(seed=seed)
    state, over, info = None, False, {}
    while not over:
        classifier, state = learner.predict(observation, state)
        observation, _, _, over, info = env.step(classifier)
    return info["mistakes"]


def main() -> None:
    """Compare them over ten orders of the applicants."""
    told = gymnasium.make("strategic_env/GermanCredit-v0").unwrapped.knowledge
    for learner in (Perceptron(bias=True), BiasedL1(told["alpha"], told["radius"])):
        counts = [mistakes(learner, seed) for seed in range(10)]
        print(f"{learner.name:12} {sum(counts) / 10:6.1f} mistakes in 1,000 applicants (accepting everybody: 300)")


if __name__ == "__main__":
    main()
