"""The names of the scenarios, registered with Gymnasium without importing what they need."""

import gymnasium

NAMESPACE = "strategic_env"
VECTOR = "Vector"

# name: what it is, in one line
STRATEGIC = {
    "KnownL2": "separable individuals, known l2 cost (Theorem 1)",
    "KnownL1": "separable individuals, known weighted l1 cost, separator with non-negative weights (Theorem 2)",
    "UnknownL2": "separable individuals, l2 cost that nobody tells (Theorem 3)",
    "UnknownL1Single": "separable individuals, weighted l1 cost of one coordinate that nobody tells (Section 5.2)",
    "HeterogeneousL2": "separable individuals whose l2 costs differ a little (Corollary 1)",
    "BiasedL2": "separable individuals, known l2 cost, separator off the origin (Theorem 4)",
    "BiasedL1": "separable individuals, known weighted l1 cost, separator off the origin (Section 7)",
    "MetaL2": "as KnownL2, with five features and episodes of 200 rounds: learn how to learn",
    "Example1": "three individuals on which the Perceptron cycles for ever, l2 cost",
    "Example1L1": "the same three individuals, weighted l1 cost",
    "Example2": "three individuals on which the Perceptron with a bias cycles for ever, l2 cost",
    "Example3": "five individuals that no line separates, on which Algorithm 2 errs for ever",
    "GermanCredit": "loan applicants who can improve what the lender looks at, weighted l1 cost (real data)",
}
MULTICLASS = {
    "FullInformation": "texts of made-up words; every action shows the label",
    "Bandit": "texts of made-up words; an action shows only whether it was right",
    "AppleTasting": "texts of made-up words; only the last class shows the label (filtering)",
    "LabelEfficient": "texts of made-up words; only asking, which counts as a mistake, shows the label",
    "FeedbackGraph": "texts of made-up words; an action shows what a graph says (a cycle, unless you give one)",
    "Spam": "4,597 e-mails; only what is delivered shows its label (real data)",
}
SCENARIOS = STRATEGIC | MULTICLASS


def environment_id(scenario: str) -> str:
    """Return the Gymnasium id of a scenario."""
    return f"{NAMESPACE}/{scenario}-v0"


def register_all() -> None:
    """Register every scenario once."""
    for name in SCENARIOS:
        if environment_id(name) not in gymnasium.registry:
            entry_point = f"strategic_env.games.scenarios:{name}"
            gymnasium.register(
                environment_id(name),
                entry_point,
                vector_entry_point=entry_point + VECTOR,
                # The environments check actions and missing resets themselves; Gymnasium's two wrappers that do so
                # again would take a sixth of a step. `gymnasium.make(..., disable_env_checker=False)` adds its checker.
                order_enforce=False,
                disable_env_checker=True,
            )
