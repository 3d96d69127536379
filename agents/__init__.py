"""Who arrives, and how they answer: costs of manipulation, individuals, populations, points with labels."""

from typing import TYPE_CHECKING

from agents.lazy import lazily

DISTRIBUTION = "strategic-env"  # which this package belongs to: others install an `agents`, too

if TYPE_CHECKING:
    from agents.costs import Cost as Cost
    from agents.costs import L2Cost as L2Cost
    from agents.costs import WeightedL1Cost as WeightedL1Cost
    from agents.individuals import BestResponse as BestResponse
    from agents.individuals import BudgetLimited as BudgetLimited
    from agents.individuals import Individual as Individual
    from agents.individuals import Noisy as Noisy
    from agents.individuals import Truthful as Truthful
    from agents.multiclass import GaussianMixture as GaussianMixture
    from agents.multiclass import Keywords as Keywords
    from agents.multiclass import LabelledData as LabelledData
    from agents.multiclass import MulticlassPopulation as MulticlassPopulation
    from agents.multiclass import Prototypes as Prototypes
    from agents.nature import GreedyAdversary as GreedyAdversary
    from agents.nature import TangentAdversary as TangentAdversary
    from agents.nature import orthonormal_negatives as orthonormal_negatives
    from agents.populations import DataSet as DataSet
    from agents.populations import FixedSequence as FixedSequence
    from agents.populations import Population as Population
    from agents.populations import Separable as Separable
else:
    _HOMES = {
        "costs": ("Cost", "L2Cost", "WeightedL1Cost"),
        "individuals": ("BestResponse", "BudgetLimited", "Individual", "Noisy", "Truthful"),
        "multiclass": ("GaussianMixture", "Keywords", "LabelledData", "MulticlassPopulation", "Prototypes"),
        "nature": ("GreedyAdversary", "TangentAdversary", "orthonormal_negatives"),
        "populations": ("DataSet", "FixedSequence", "Population", "Separable"),
    }
    __all__ = [name for names in _HOMES.values() for name in names]
    __getattr__ = lazily(__name__, {name: home for home, names in _HOMES.items() for name in names})
