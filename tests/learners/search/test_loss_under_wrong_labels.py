"""The loss under wrong labels never exceeds what is proved, whatever lies and whoever asks."""

from typing import Any

import pytest
from wrong_labels import PATTERNS, Played, play

from learners import DensityCentres, SecondOrderCentres, bounds

SIZES = [(2, 2), (5, 2), (3, 3), (4, 5)]


def density_bound(learner: DensityCentres, dim: int, found: Played, gained: float = 0.0) -> float:
    factors = int((found.state.factors if learner.capped else found.state.mistakes)[0])
    return bounds.density_centres(
        dim, learner.classes, found.norm, factors, found.wrong, gained, learner.slope, learner.capped
    )


def check(kind: Any, dim: int, classes: int, pattern: str, rounds: int, lies: int, seed: int = 0) -> None:
    learner = kind(classes)
    found = play(learner, dim, pattern, rounds, lies, seed)
    assert (found.wrong > 0.0) == (pattern != "none")
    if isinstance(learner, SecondOrderCentres):
        mistakes = int(found.state.mistakes[0])
        told = dim, classes, found.norm, mistakes, learner.regularisation, found.wrong
        tight = bounds.second_order_centres(*told, opposed=found.opposed)
        assert found.loss <= tight <= bounds.second_order_centres(*told)
        return
    assert found.loss <= density_bound(learner, dim, found, found.gained)
    assert (found.gained > 0.0) == (learner.capped and pattern != "spiteful")


KINDS = {
    "gauss": DensityCentres,
    "gauss, affine": lambda classes: DensityCentres(classes, capped=False),
    "particle": lambda classes: DensityCentres(classes, "particle", particles=200),
    "particle, affine": lambda classes: DensityCentres(classes, "particle", capped=False, particles=200),
    "second order": SecondOrderCentres,
}


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", KINDS)
def test_the_loss_is_at_most_what_is_proved(name: str, pattern: str) -> None:
    for dim, classes in SIZES:
        check(KINDS[name], dim, classes, pattern, rounds=200, lies=40, seed=dim)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("slope", [0.1, 0.5, 0.9])
def test_the_exact_density_respects_its_bound_with_any_slope(slope: float, pattern: str) -> None:
    check(lambda classes: DensityCentres(classes, "disc", capped=False, slope=slope), 2, 2, pattern, 200, 30)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", KINDS)
def test_the_loss_of_long_runs_is_at_most_what_is_proved(name: str, pattern: str) -> None:
    for dim, classes in ((2, 2), (10, 2), (5, 3), (10, 3)):
        check(KINDS[name], dim, classes, pattern, rounds=5000, lies=200, seed=dim)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dim", "classes", "clean", "random"),
    [(2, 2, 1.2, 2), (5, 2, 3.5, 5), (10, 2, 4.5, 7), (5, 3, 6, 8), (10, 3, 11, 15)],
)
@pytest.mark.parametrize("body", ["gauss", "particle"])
def test_capped_densities_hardly_notice_wrong_labels(
    body: str, dim: int, classes: int, clean: float, random: float
) -> None:
    def mean(pattern: str, lies: int) -> tuple[float, float]:
        games = [play(DensityCentres(classes, body, seed=seed), dim, pattern, 2000, lies, seed) for seed in range(10)]
        return sum(game.loss for game in games) / 10.0, sum(game.wrong for game in games) / 10.0

    without, _ = mean("none", 0)
    assert without <= clean
    assert mean("random", 100)[0] <= random
    early, wrong = mean("early", 50)
    assert early <= 2.2 * wrong + 5.0
    assert mean("late", 10)[0] <= 1.3 * without
