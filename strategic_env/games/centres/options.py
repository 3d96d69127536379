"""What the single and the vector environment of nearest centres share: their options, and what they tell."""

from dataclasses import dataclass
from functools import cached_property

from agents.foundation.typing import Bool, Float, Int
from agents.populations.centres import HiddenCentres
from agents.populations.convex_sets import CoinFlips
from strategic_env.games.centres.rules import CentreOutcomes
from strategic_env.games.centres.setting import CentreSetting
from strategic_env.games.multiclass.options import LabelOptions
from strategic_env.games.multiclass.options import knowledge_of as knowledge_of_labels
from strategic_env.games.multiclass.rules import REWARDS_OF_LOSSES
from strategic_env.games.shared.spaces import Knowledge


@dataclass(frozen=True, kw_only=True)
class CentreOptions(LabelOptions):
    """The options of an environment, checked.

    Attributes
    ----------
    population, exponent, adversary, corruption, corruption_pattern, population_seed
        See `strategic_env.CentreSetting`.
    horizon, reward, observation, info_level, knowledge
        See `strategic_env.NearestCentreEnv`.
    """

    population: HiddenCentres | CoinFlips
    exponent: float
    adversary: str
    corruption: int
    corruption_pattern: str
    reward: str
    horizon: int
    population_seed: int | None
    observation: str
    info_level: str
    knowledge: Knowledge | None

    rewards = REWARDS_OF_LOSSES

    def __post_init__(self) -> None:
        """Check every option, and that they fit each other."""
        super().__post_init__()
        if self.setting.asks_the_learner:
            raise ValueError(
                "adversary must be 'perceptron' in an environment, got 'adaptive': that one asks whoever plays, as "
                "strategic_env.rollout and strategic-env run can with learners that have compiled rules"
            )

    @cached_property
    def setting(self) -> CentreSetting:
        """Which queries come, what a wrong label costs, and which labels are told wrongly."""
        return CentreSetting(
            population=self.population,
            horizon=self.horizon,
            exponent=self.exponent,
            adversary=self.adversary,
            corruption=self.corruption,
            corruption_pattern=self.corruption_pattern,
            population_seed=self.population_seed,
        )

    @property
    def told(self) -> dict[str, object]:
        """What a learner is told."""
        return dict(knowledge_of(self.setting) if self.knowledge is None else self.knowledge)

    def infos(self, outcomes: CentreOutcomes, mistakes: Int) -> dict[str, Float | Int | Bool]:
        """Return the hidden truth of a round of N games, as much of it as the level says; arrays (N,)."""
        if self.info_level == "none":
            return {}
        told: dict[str, Float | Int | Bool] = {
            "mistake": outcomes.mistake,
            "robust_mistake": outcomes.robust_mistake,
            "loss": outcomes.loss,
        }
        if self.info_level == "outcome":
            return told
        labels: dict[str, Float | Int | Bool] = {
            "true_label": outcomes.true_label,
            "told_label": outcomes.told_label,
            "size_of_wrong_label": outcomes.size_of_wrong_label,
            "lead": outcomes.lead,
        }
        return labels | told | {"mistakes": mistakes.copy()}


def knowledge_of(setting: CentreSetting) -> dict[str, object]:
    """Return everything that a learner can be told.

    What those of other labels are, ``exponent`` and ``margin``, and of hidden centres ``similarity``, or ``p`` and
    ``levels`` of distances.
    """
    population, what = setting.population, dict[str, object]()
    if isinstance(population, HiddenCentres):
        what = {"similarity": population.similarity}
        if population.is_lp:
            what = {"p": population.p}
            if population.levels is not None:
                what["levels"] = population.levels
    told = knowledge_of_labels(setting, setting.horizon) | what
    return told | {"exponent": float(setting.exponent), "margin": population.margin}
