"""Rows on how people answer: a fused rollout of other responses against the same of best responses, per round."""

from functools import partial

import numpy as np

from agents.foundation.streams import game_key
from benchmarks.fused import GAMES, ROUNDS
from benchmarks.measure import Budget, Measurement, Reach, Row, Side, alternate
from learners import BestFixedClassifier
from strategic_env.bench.rollout import rollout
from strategic_env.games.scenarios import scenario

POOL, DIM, THRESHOLD = 1000, 10, 0.3
# What each costs at most, in units of best responses. In the dark everybody looks at every report; what a collective or
# noise makes of a report is judged and priced as it stands.
RESPONSES: dict[str, tuple[float, dict[str, object]]] = {
    "limited": (1.1, {}),
    "quantal": (2.0, {}),
    "miss": (1.6, {}),
    "misperceived": (1.6, {"perception": [0.5] + [1.0] * (DIM - 1)}),
    "lagged": (1.6, {"lag": 5}),
    "dark": (3.0, {}),
    "collective": (2.2, {}),
    "noisy": (25.0, {}),
    "best/lottery": (1.6, {"lottery": [0.2, 1.0]}),
}


def rows() -> list[Row]:
    """Return all rows."""
    return [
        Row(f"responses/{name}", Reach("<=", limit), partial(_compare, name)) for name, (limit, _) in RESPONSES.items()
    ]


def _compare(name: str, budget: Budget) -> Measurement:
    """Somebody who never learns publishes what about a quarter moves for."""
    best, other = (
        scenario("KnownL2", dim=DIM, pool=POOL, population_seed=0, response=response, **options)
        for response, options in (("best", {}), (name.split("/")[0], RESPONSES[name][1]))
    )
    separator = best.setting.arrivals(game_key(0)).separator
    learner = BestFixedClassifier(np.append(separator[:-1], -THRESHOLD))
    units = GAMES * ROUNDS
    return alternate(
        Side(f"response={name}", partial(rollout, learner, other, GAMES, ROUNDS), units),
        Side("response=best", partial(rollout, learner, best, GAMES, ROUNDS), units),
        budget,
        unit="round",
    )
