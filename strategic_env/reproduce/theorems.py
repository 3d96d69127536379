"""The theorems whose bounds are measured: each a learner, what it is told, whom it meets, and its formulas."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from agents.costs import L1, L2
from agents.foundation.typing import Float
from learners import bounds
from learners.strategic.base import Learner
from learners.strategic.biased import BiasedL2
from learners.strategic.perceptron import MarginPerceptron, Perceptron
from learners.strategic.strategic_perceptron import BiasedL1, StrategicPerceptronL1, StrategicPerceptronL2
from learners.strategic.unknown_cost import UnknownCostL1Single, UnknownCostL2, UnknownMarginL2
from strategic_env.reproduce.streams import POOL, Pools

# How far individuals move, in units of R: any distance, or at most R where the theorem asks for it.
ANY_REACH, UP_TO_RADIUS = (0.0, 0.1, 0.5, 1.0, 5.0, 50.0), (0.0, 0.03, 0.3, 1.0)
FUNCTIONAL_MARGIN = 0.5  # rho0 of the margin perceptron, in units of R^2


class Case(NamedTuple):
    """What the bound of one game depends on; ``told`` is what the learner takes for the largest reach ``alpha``."""

    dim: int
    radius: float
    margin: float
    offset: float
    alpha: float
    told: float


class Reaches(NamedTuple):
    """How far individuals move, (n, POOL, 1 or d), and what the learner takes it for, (n, 1 or d)."""

    budgets: Float
    told: Float


class Theorem(NamedTuple):
    """A bound and the games that it is about.

    Attributes
    ----------
    name, source : str
        As the table shows them; the source is the paper, the lecture or both.
    learner : Learner
        Of the right class; the numbers that it is told are replaced by every game's own.
    told : callable
        From pools and reaches to fields of the learner's state.
    printed, sharpened : callable or None
        The bound of a case, as printed and sharpened.
    reaches : callable
        Draws `Reaches` for pools.
    norm : int
        2 for l2 costs, 1 for weighted l1.
    nonnegative, biased : bool
        Of the separators.
    counts_updates : bool
        The bound is one on updates.
    halts : bool
        The game is over at the first report that shows a too large estimate.
    sweeps : int
        How often a pool arrives.
    """

    name: str
    source: str
    learner: Learner[Any]
    told: Callable[[Pools, Reaches], dict[str, Float]]
    printed: Callable[[Case], float] | None
    sharpened: Callable[[Case], float] | None
    reaches: Callable[[np.random.Generator, Pools], Reaches]
    norm: int = L2
    nonnegative: bool = False
    biased: bool = False
    counts_updates: bool = False
    halts: bool = False
    sweeps: int = 12


def _alike(alpha: Float) -> Float:
    """Give every member of a pool the reach (n, k) of its game."""
    return np.repeat(alpha[:, None], POOL, axis=1)


def nobody(rng: np.random.Generator, pools: Pools) -> Reaches:
    """Nobody moves."""
    still = np.zeros((len(pools.labels), 1))
    return Reaches(_alike(still), still)


def common(choices: tuple[float, ...]) -> Callable[[np.random.Generator, Pools], Reaches]:
    """All individuals of a game move equally far, and the learner knows it."""

    def draw(rng: np.random.Generator, pools: Pools) -> Reaches:
        alpha = (rng.choice(choices, len(pools.labels)) * pools.radius)[:, None]
        return Reaches(_alike(alpha), alpha)

    return draw


def underestimated(rng: np.random.Generator, pools: Pools) -> Reaches:
    """Draw one reach for all, which the learner takes for up to gamma/2 less."""
    alpha = rng.choice(ANY_REACH, len(pools.labels)) * pools.radius
    told = np.maximum(0.0, alpha - pools.margin / 2.0 * rng.choice([0.5, 1.0], len(alpha)))
    return Reaches(_alike(alpha[:, None]), told[:, None])


def heterogeneous(rng: np.random.Generator, pools: Pools) -> Reaches:
    """Draw reaches that differ by up to gamma/2, of which the learner knows the smallest."""
    least = (rng.choice(ANY_REACH, len(pools.labels)) * pools.radius)[:, None]
    more = pools.margin[:, None, None] / 2.0 * rng.uniform(size=(len(least), POOL, 1))
    return Reaches(least[:, None] + more, least)


def overestimated(rng: np.random.Generator, pools: Pools) -> Reaches:
    """Draw one reach for all, which the learner takes for more."""
    alpha = (rng.choice(ANY_REACH, len(pools.labels)) * pools.radius)[:, None]
    return Reaches(_alike(alpha), alpha + pools.radius[:, None] * rng.uniform(0.01, 2.0, alpha.shape))


def by_coordinate(rng: np.random.Generator, pools: Pools) -> Reaches:
    """Every coordinate of a game has a reach of its own; some cannot move."""
    shape = pools.normal.shape
    largest = (rng.choice(ANY_REACH, shape[0]) * pools.radius)[:, None]
    alpha = largest * rng.choice([0.0, 0.5, 1.0, 1.0], shape)
    return Reaches(_alike(alpha), alpha)


def first_coordinate(rng: np.random.Generator, pools: Pools) -> Reaches:
    """Only the first coordinate moves, by at most R."""
    alpha = np.zeros(pools.normal.shape)
    alpha[:, 0] = rng.choice(UP_TO_RADIUS, len(alpha)) * pools.radius
    return Reaches(_alike(alpha), alpha)


def _alpha(pools: Pools, reaches: Reaches) -> dict[str, Float]:
    return {"alpha": reaches.told[:, 0]}


def _alphas_and_radius(pools: Pools, reaches: Reaches) -> dict[str, Float]:
    return {"alpha": reaches.told, "radius": pools.radius}


def _radius_and_margin(pools: Pools, reaches: Reaches) -> dict[str, Float]:
    return {"radius": pools.radius, "margin": pools.margin}


def _with_bias(bound: Callable[..., float], printed: bool) -> Callable[[Case], float]:
    """Return Section 7's bound for weighted l1 costs, as a function of |w*| and b."""
    return lambda case: bound(
        case.radius, case.alpha, case.dim, 1.0 / case.margin, case.offset / case.margin, printed=printed
    )


def _l2(bound: Callable[..., float], printed: bool) -> Callable[[Case], float]:
    """Return a bound of R, gamma and the reach that the learner is told."""
    return lambda case: bound(case.radius, case.margin, case.told, printed=printed)


def _novikoff(case: Case) -> float:
    return bounds.novikoff(case.radius, case.margin)


THEOREMS = (
    Theorem(
        "Theorem 1", "Section 3", StrategicPerceptronL2(0.0), _alpha,
        _l2(bounds.strategic_l2, True), _l2(bounds.strategic_l2, False), common(ANY_REACH),
    ),
    Theorem(
        "Proposition 1", "Section 5.1", StrategicPerceptronL2(0.0), _alpha,
        _l2(bounds.estimated_alpha_l2, True), _l2(bounds.estimated_alpha_l2, False), underestimated,
    ),
    Theorem(
        "Corollary 1, squared", "Section 6", StrategicPerceptronL2(0.0), _alpha,
        _l2(bounds.estimated_alpha_l2, True), _l2(bounds.estimated_alpha_l2, False), heterogeneous,
    ),
    Theorem(
        "Proposition 2", "Section 5.1", StrategicPerceptronL2(0.0), _alpha,
        _l2(bounds.too_large_alpha_l2, True), _l2(bounds.too_large_alpha_l2, False), overestimated, halts=True,
    ),
    Theorem(
        "Theorem 2", "Section 4", StrategicPerceptronL1(0.0, 1.0), _alphas_and_radius,
        lambda case: bounds.strategic_l1(case.radius, case.margin, case.alpha, case.dim, printed=True),
        lambda case: bounds.strategic_l1(case.radius, case.margin, case.alpha, case.dim),
        by_coordinate, norm=L1, nonnegative=True,
    ),
    Theorem(
        "Theorem 2, scale-free step", "not in the paper", StrategicPerceptronL1(0.0, 1.0, scale_free=True),
        _alphas_and_radius, None,
        lambda case: bounds.strategic_l1_scale_free(case.radius, case.margin, case.alpha),
        by_coordinate, norm=L1, nonnegative=True,
    ),
    Theorem(
        "unknown l1, one direction", "Section 5.2", UnknownCostL1Single(1.0, 1.0, 0), _radius_and_margin,
        None, lambda case: bounds.unknown_cost_l1_single(case.radius, case.margin),
        first_coordinate, norm=L1, nonnegative=True, sweeps=40,
    ),
    Theorem(
        "Theorem 3 (Algorithm 4)", "Section 5.1", UnknownCostL2(1.0, 1.0), _radius_and_margin,
        lambda case: bounds.unknown_cost_l2(case.radius, case.margin, printed=True),
        lambda case: bounds.unknown_cost_l2(case.radius, case.margin), common(UP_TO_RADIUS), sweeps=40,
    ),
    Theorem(
        "Theorem 3, unknown margin", "Section 5.1", UnknownMarginL2(1.0),
        lambda pools, reaches: {"radius": pools.radius, "margin": pools.radius},
        None, lambda case: bounds.unknown_margin_l2(case.radius, case.margin), common(UP_TO_RADIUS), sweeps=40,
    ),
    Theorem(
        "Theorem 4 (Algorithm 5)", "Section 7", BiasedL2(0.0, 1.0, 1.0),
        lambda pools, reaches: _radius_and_margin(pools, reaches) | _alpha(pools, reaches),
        _l2(bounds.biased_l2, True), _l2(bounds.biased_l2, False), common(UP_TO_RADIUS), biased=True, sweeps=40,
    ),
    Theorem(
        "l1 with bias, exempt", "Section 7", BiasedL1(0.0, 1.0), _alphas_and_radius,
        _with_bias(bounds.strategic_l1_with_bias, True), _with_bias(bounds.strategic_l1_with_bias, False),
        by_coordinate, norm=L1, nonnegative=True, biased=True,
    ),
    Theorem("Novikoff, paper's ties", "Section 2.2", Perceptron(), lambda *_: {}, _novikoff, None, nobody),
    Theorem(
        "Novikoff, lecture's ties", "lecture", Perceptron(ties="lecture"), lambda *_: {}, _novikoff, None, nobody,
        counts_updates=True,
    ),
    Theorem(
        "Extension 1", "Section 2.2", Perceptron(bias=True), lambda *_: {},
        lambda case: bounds.novikoff_with_bias(case.radius, 1.0 / case.margin, case.offset / case.margin), None,
        nobody, biased=True,
    ),
    Theorem(
        "margin perceptron", "lecture", MarginPerceptron(),
        lambda pools, reaches: {"threshold": np.nextafter(FUNCTIONAL_MARGIN * pools.radius**2, 0.0)},
        lambda case: bounds.margin_perceptron(case.radius, case.margin, FUNCTIONAL_MARGIN * case.radius**2), None,
        nobody, counts_updates=True,
    ),
)  # fmt: skip
