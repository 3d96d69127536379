"""The names of the scenarios, registered with Gymnasium without importing what they need."""

import gymnasium

NAMESPACE = "strategic_env"
VECTOR = "Vector"

# name: what it is, in one line
SCENARIOS = {
    "KnownL2": "separable individuals, known l2 cost (Theorem 1)",
    "KnownL1": "separable individuals, known weighted l1 cost, separator with non-negative weights (Theorem 2)",
    "UnknownL2": "separable individuals, l2 cost that nobody tells (Theorem 3)",
    "UnknownL1Single": "separable individuals, weighted l1 cost of one coordinate that nobody tells (Section 5.2)",
    "HeterogeneousL2": "separable individuals whose l2 costs differ a little (Corollary 1)",
    "BiasedL2": "separable individuals, known l2 cost, separator off the origin (Theorem 4)",
    "BiasedL1": "separable individuals, known weighted l1 cost, separator off the origin (Section 7)",
    "Example1": "three individuals on which the Perceptron cycles for ever, l2 cost",
    "Example1L1": "the same three individuals, weighted l1 cost",
    "Example2": "three individuals on which the Perceptron with a bias cycles for ever, l2 cost",
    "Example3": "five individuals that no line separates, on which Algorithm 2 errs for ever",
    "GermanCredit": "1,000 loan applicants who can improve what the lender looks at, weighted l1 cost (real data)",
}


def environment_id(scenario: str) -> str:
    """Return the Gymnasium id of a scenario."""
    return f"{NAMESPACE}/{scenario}-v0"


def register_all() -> None:
    """Register every scenario once."""
    for name in SCENARIOS:
        if environment_id(name) not in gymnasium.registry:
            entry_point = f"strategic_env.scenarios:{name}"
            gymnasium.register(environment_id(name), entry_point, vector_entry_point=entry_point + VECTOR)
