"""What each scenario of contextual search is made of. The keywords of a builder are the scenario's own options."""

from collections.abc import Callable
from typing import Annotated

from agents.populations.centres import POINT_QUERIES, HiddenPoint
from strategic_env.games.centres.builders import DATA, Corruption, Dim, Pattern, points_of
from strategic_env.games.search.setting import SearchSetting

HORIZON = 1_000

# What `strategic-env list NAME` says of these options.
Exponent = Annotated[float, "of the loss"]
Query = Annotated[str, f"one of {', '.join(POINT_QUERIES)}; the last one asks whoever plays"]
Data = Annotated[str | None, f"null, or whose points are queries: {' or '.join(DATA)}; with query=data"]
Margin = Annotated[float, "guesses that miss by so much are mistakes"]
Pool = Annotated[int | None, "null, or how many queries are drawn at the start, to come at random"]
PopulationSeed = Annotated[int | None, "null: another point in every episode"]


def _contextual_search(
    *,
    dim: Dim = None,
    exponent: Exponent = 1.0,
    query: Query = "sphere",
    data: Data = None,
    margin: Margin = 0.1,
    pool: Pool = None,
    corruption: Corruption = 0,
    corruption_pattern: Pattern = "random",
    population_seed: PopulationSeed = None,
) -> SearchSetting:
    points = None if data is None else points_of(data)
    return SearchSetting(
        population=HiddenPoint(dim, query=query, margin=margin, pool=pool, data=points),
        exponent=exponent,
        corruption=corruption,
        corruption_pattern=corruption_pattern,
        population_seed=population_seed,
    )


SEARCH_BUILDERS: dict[str, Callable[..., SearchSetting]] = {"ContextualSearch": _contextual_search}
