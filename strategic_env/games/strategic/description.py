"""Strategic classification as data."""

from strategic_env.games.shared.game import Game

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
    "ImprovingL2": "separable individuals, l2 cost, whom moving improves: the label is that of where they get to",
    "ImprovingL1": "the same under a weighted l1 cost",
    "DelayedL2": "as KnownL2, where the learner is told five rounds late what happened",
    "QuantalL2": "as KnownL2, of people who move more often the better it pays",
    "DarkL2": "as KnownL2, of people who see who was accepted, but no classifier",
    "LotteryL2": "as KnownL2, where a tenth of the rejected are accepted all the same, by an announced lottery",
    "CollectiveL2": "as KnownL2, of whom a tenth act together, whatever is published",
    "OverlookedExample": "two individuals who overlook a feature, on which Algorithm 2 errs for ever",
    "HarmedExample": "two individuals whom moving improves in one feature only, on which Algorithm 2 errs for ever",
    "MissExample": "two individuals who land beyond the boundary, on which Algorithm 2 errs for ever",
    "LagExample": "three individuals who answer the classifier of the round before, on which Algorithm 2 errs for ever",
    "GroupsL2": "separable individuals of two groups, one of which reaches half as far",
    "Example1": "three individuals on which the Perceptron cycles for ever, l2 cost",
    "Example1L1": "the same three individuals, weighted l1 cost",
    "Example2": "three individuals on which the Perceptron with a bias cycles for ever, l2 cost",
    "Example3": "five individuals that no line separates, on which Algorithm 2 errs for ever",
    "GermanCredit": "loan applicants who can improve what the lender looks at, weighted l1 cost (real data)",
    "Phishing": "web sites that can look more honest than they are, weighted l1 cost (real data)",
    "Adult": "people of a census who can improve how their income is guessed, weighted l1 cost (real data)",
}
GAME = Game("strategic", "strategic classification", STRATEGIC, "strategic_env.games.strategic.scenario:Scenario")
