"""``reproduce responses``: other ways to answer, worked by hand, where learners fail for ever, and bounds that hold."""

import numpy as np
from rich.table import Table
from rich.text import Text

from strategic_env.report.layout import MISSING, table
from strategic_env.reproduce import phases
from strategic_env.reproduce.phases import Plane
from strategic_env.reproduce.response_bounds import GAMES, BoundGame, Most, measured
from strategic_env.reproduce.response_failures import FAILURES, Failure, Outcome, played
from strategic_env.reproduce.result import Reproduced, Request, drawn, number, number_of_runs, vector, verdict
from strategic_env.reproduce.worked_person import ALPHA, PUBLISHED, Answered, Z, answers

FILES = (phases.PICTURE,)
RUNS = 100
POINTS, QUICK_POINTS, PAIR_ROUNDS = 16, 5, 20_000
# How far the best threshold of so many rounds is off what is expected of it.
NEAR = 0.03


def reproduce(request: Request) -> Reproduced:
    """Work the person, play what fails and what is bounded, and measure where no learner can stop erring.

    Parameters
    ----------
    request : Request
        ``runs`` is the number of games for each bound, 100 by default, of 10,000 rounds each.

    Returns
    -------
    Reproduced
        The tables; the picture of the phases. Unexpected is a number by hand that does not come out, a learner that
        does not fail as claimed, a bound that is violated, and a phase off its formula.
    """
    runs, points = number_of_runs(request.runs, RUNS), QUICK_POINTS if request.quick else POINTS
    total, done = 1 + len(FAILURES) + len(GAMES) + 2 * points, 0

    def tick() -> None:
        nonlocal done
        done += 1
        request.progress(done, total)

    person = answers()
    tick()
    failures, bounded = [], []
    for failure in FAILURES:
        failures.append((failure, played(failure)))
        tick()
    for game in GAMES:
        bounded.append((game, measured(game, runs)))
        tick()
    planes = phases.planes(PAIR_ROUNDS, points, tick)
    unexpected = [f"the worked person: {one.what}" for one in person if not one.agrees]
    unexpected += [f"{failure.learner} on {failure.scenario}" for failure, found in failures if not found.agrees]
    unexpected += [f"{game.learner} exceeds its bound on {game.people}" for game, most in bounded if not most.holds]
    unexpected += [f"{plane.title}: off the formula" for plane in planes if not off(plane) <= NEAR]
    files = drawn(lambda: phases.draw(planes, request.out), unexpected)
    pages = [_person_page(person), _failure_page(failures), _bound_page(bounded), *map(_plane_page, planes)]
    return Reproduced(pages, files, unexpected)


def off(plane: Plane) -> float:
    """Return how far what was measured is off what is proved, at most."""
    gaps = np.abs(plane.measured - plane.formula)
    return float(np.nanmax(gaps))


def _text(value: object) -> str:
    return number(np.asarray(value).item()) if np.ndim(value) == 0 else vector(np.asarray(value))  # type: ignore[arg-type]


def _person_page(person: list[Answered]) -> Table:
    title = f"The worked person: z = {vector(Z)}, published {vector(PUBLISHED)}, reach {number(ALPHA)}"
    page = table(title, ["how it answers", "by hand", "here", ""])
    for one in person:
        page.add_row(one.what, _text(one.by_hand), _text(one.here), verdict(one.agrees))
    return page


def _failure_page(failures: list[tuple[Failure, Outcome]]) -> Table:
    numbers = ["rounds", "mistakes", "bound"]
    page = table(
        "Where learners fail, and what mends it", ["scenario", "learner", *numbers, "known", ""], right=numbers
    )
    for failure, found in failures:
        bound = MISSING if found.bound is None else f"{found.bound:,.1f}"
        page.add_row(
            failure.scenario, failure.learner, f"{failure.rounds:,}", f"{found.mistakes:,}", bound, failure.claim,
            verdict(found.agrees),
        )  # fmt: skip
    return page


def _bound_page(bounded: list[tuple[BoundGame, Most]]) -> Table:
    numbers = ["rounds", "mean", "most", "bound"]
    columns = ["learner", "people", *numbers, ""]
    page = table("Mistakes of a game, beside the bound", columns, right=numbers)
    for game, most in bounded:
        page.add_row(
            game.learner, game.people, f"{most.rounds:,}", f"{most.mean:.1f}", f"{most.most:,}", f"{most.bound:,.1f}",
            Text("holds", style="green") if most.holds else Text("violated", style="bold red"),
        )  # fmt: skip
    return page


def _plane_page(plane: Plane) -> Table:
    """Show a few lines of a plane: what was measured, and what is proved in brackets."""
    some = np.linspace(0, len(plane.margins) - 1, 4).astype(int)
    columns = [f"margin {plane.margins[at]:.2f}" for at in some]
    page = table(f"{plane.title}: the best threshold's mistakes on a pair", [plane.noise, *columns], right=columns)
    for at in some:
        cells = [
            f"{plane.measured[at, place]:.3f}"
            + ("" if np.isnan(plane.formula[at, place]) else f" ({plane.formula[at, place]:.3f})")
            for place in some
        ]
        page.add_row(f"{plane.sizes[at]:.2f}", *cells)
    page.caption = Text("in brackets: what is proved; margins in reaches. Largest difference: " + f"{off(plane):.3f}.")
    return page
