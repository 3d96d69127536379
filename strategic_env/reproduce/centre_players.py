"""Who plays ``reproduce margin-independent``, and in which games."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from strategic_env.reproduce.losses import LABELS, Cell


class Player(NamedTuple):
    """A learner with its parameters, under the name that tables show.

    Attributes
    ----------
    name, learner : str
    parameters : mapping
    largest_dim : int
        How many features it can know.
    compiled : bool
        Whether it has compiled rules, which an adversary can ask.
    """

    name: str
    learner: str
    parameters: Mapping[str, object] = MappingProxyType({})
    largest_dim: int = 1_000
    compiled: bool = True


PERCEPTRON = Player("multiclass Perceptron", "multiclass-perceptron")
SECOND_ORDER = Player("second order", "second-order-centres")
CHEBYSHEV = Player("Chebyshev halving", "chebyshev-halving", compiled=False)
ELLIPSOIDS = Player("ellipsoids", "k-centres")
EXACT = Player("exact bodies", "k-centres", {"engine": "exact"}, largest_dim=4, compiled=False)
SAMPLED = Player("sampled bodies", "k-centres", {"engine": "sampled"}, compiled=False)
GAUSS = Player("density, normal", "density-centres")
PARTICLES = Player("density, particles", "density-centres", {"body": "particle"})
PLAYERS = (
    PERCEPTRON,
    SECOND_ORDER,
    CHEBYSHEV,
    Player("single ellipsoid", "single-ellipsoid"),
    ELLIPSOIDS,
    Player("ellipsoids, paper's pair", "k-centres", {"updates": "paper"}),
    EXACT,
    SAMPLED,
    GAUSS,
    PARTICLES,
)
AGAINST_LIES = (
    PERCEPTRON,
    SECOND_ORDER,
    CHEBYSHEV,
    Player("Chebyshev halving, restarts", "chebyshev-halving", {"restart": True}, compiled=False),
    ELLIPSOIDS,
    Player("density, normal, not capped", "density-centres", {"capped": False}),
    GAUSS,
    PARTICLES,
)
# Margin-independent engines with their defaults, and the rivals that the best of them is compared with.
ENGINES = tuple(one.name for one in (ELLIPSOIDS, EXACT, SAMPLED, GAUSS, PARTICLES))
RIVALS = CHEBYSHEV.name, SECOND_ORDER.name


def players_of(cell: Cell) -> list[Player]:
    """Return who plays a cell: adversaries meet compiled rules, which one of them must ask."""
    chosen = AGAINST_LIES if cell.corruption else PLAYERS
    return [one for one in chosen if cell.dim <= one.largest_dim and (one.compiled or cell.part == LABELS)]
