"""What each scenario of nearest centres is made of. The keywords of a builder are the scenario's own options."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

from agents.foundation.checks import finite_number, one_of
from agents.foundation.typing import Float
from agents.populations.centres import QUERIES, SIMILARITIES, HiddenCentres
from agents.populations.convex_sets import CoinFlips
from agents.populations.finite import standardised
from strategic_env.data import spam
from strategic_env.data.german_credit import GERMAN_CREDIT
from strategic_env.games.centres.setting import ADVERSARIES, PATTERNS, CentreSetting
from strategic_env.games.shared.scenario import Noise

HORIZON = 1_000
DATA = ("spam", "german_credit")

# What `strategic-env list NAME` says of these options.
Dim = Annotated[int | None, "null: 3, or those of the data"]
Centres = Annotated[int, "K, the number of labels"]
Similarity = Annotated[str, f"one of {', '.join(SIMILARITIES)}"]
Power = Annotated[float, "of the norm, at least 1; even, unless queries have levels"]
Exponent = Annotated[float, "of the loss"]
Query = Annotated[str, f"one of {', '.join(QUERIES)}"]
Data = Annotated[str | None, f"null, or whose points are queries: {' or '.join(DATA)}; with query=data"]
Margin = Annotated[float, "mistakes where the nearest centre leads by so much are robust"]
Levels = Annotated[int | None, "null, or how many values each coordinate of a query may have"]
Pool = Annotated[int | None, "null, or how many queries are drawn at the start, to come at random"]
Adversary = Annotated[str, f"with query=adversary, one of {', '.join(ADVERSARIES)}; adaptive asks whoever plays"]
Horizon = Annotated[int, "rounds of an episode"]
PopulationSeed = Annotated[int | None, "null: other centres in every episode"]
Corruption = Annotated[int, "how many labels are told wrongly"]
Pattern = Annotated[str, f"which are, one of {', '.join(PATTERNS)}"]


@cache
def points_of(data: str) -> Float:
    """Return the standardised points of a data set, without what is constant."""
    if one_of("data", data, DATA) == "spam":
        return spam.load().features[:, : spam.COLUMNS]
    table = GERMAN_CREDIT.load()
    return standardised(table.features, table.names)


def _built(
    population: dict[str, Any], data: str | None, horizon: int, setting: dict[str, Any], population_seed: int | None
) -> CentreSetting:
    points = None if data is None else points_of(data)
    return CentreSetting(
        population=HiddenCentres(**population, data=points), horizon=horizon, population_seed=population_seed, **setting
    )


def _nearest_neighbor(
    *,
    dim: Dim = None,
    centres: Centres = 3,
    similarity: Similarity = "inner",
    exponent: Exponent = 1.0,
    query: Query = "sphere",
    data: Data = None,
    margin: Margin = 0.1,
    adversary: Adversary = "perceptron",
    pool: Pool = None,
    noise: Noise = 0.0,
    corruption: Corruption = 0,
    corruption_pattern: Pattern = "random",
    horizon: Horizon = HORIZON,
    population_seed: PopulationSeed = None,
) -> CentreSetting:
    who = {"dim": dim, "centres": centres, "similarity": similarity, "query": query, "margin": margin, "pool": pool}
    what = {"exponent": exponent, "adversary": adversary}
    told = {"corruption": corruption, "corruption_pattern": corruption_pattern}
    return _built(who | {"noise": noise}, data, horizon, what | told, population_seed)


def _lp_partition(
    *,
    dim: Dim = None,
    centres: Centres = 3,
    p: Power = 4.0,
    levels: Levels = None,
    exponent: Exponent = 1.0,
    query: Query = "ball",
    data: Data = None,
    margin: Margin = 0.1,
    adversary: Adversary = "perceptron",
    pool: Pool = None,
    noise: Noise = 0.0,
    corruption: Corruption = 0,
    corruption_pattern: Pattern = "random",
    horizon: Horizon = HORIZON,
    population_seed: PopulationSeed = None,
) -> CentreSetting:
    power = finite_number("p", p, minimum=1.0)  # None would mean inner products
    who = {"dim": dim, "centres": centres, "p": power, "levels": levels, "query": query, "margin": margin, "pool": pool}
    what = {"exponent": exponent, "adversary": adversary}
    told = {"corruption": corruption, "corruption_pattern": corruption_pattern}
    return _built(who | {"noise": noise}, data, horizon, what | told, population_seed)


def _convex_sets(
    *,
    dim: int = 6,
    exponent: Exponent = 1.0,
    margin: Margin = 0.1,
    horizon: Horizon = HORIZON,
    population_seed: PopulationSeed = None,
) -> CentreSetting:
    population = CoinFlips(dim, margin=margin)
    return CentreSetting(population=population, horizon=horizon, exponent=exponent, population_seed=population_seed)


CENTRE_BUILDERS: dict[str, Callable[..., CentreSetting]] = {
    "NearestNeighbor": _nearest_neighbor,
    "LpPartition": _lp_partition,
    "ConvexSets": _convex_sets,
}
