"""The paper's Figures 1 to 5, drawn anew from the games and the costs themselves. Needs matplotlib."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from agents.costs import L2Cost
from agents.foundation.pictures import save_picture
from agents.foundation.typing import Float
from strategic_env.games.strategic.rendering.picture import INK
from strategic_env.reproduce.drawing import (
    DASHED,
    DOTTED,
    OF_SURROGATES,
    Person,
    boundary_of,
    frame,
    legend,
    line,
    mistake,
    normal,
    panels,
    people,
    shade,
    surrogate,
    write,
)
from strategic_env.reproduce.paper import FIGURE_FILES
from strategic_env.reproduce.result import vector
from strategic_env.reproduce.rounds import Played

Games = Mapping[str, Sequence[Played]]


def draw(games: Games, folder: Path) -> list[Path]:
    """Draw all figures to a folder; ``games`` holds the rounds of the learner that fails, by scenario."""
    return [figure(games, folder / name) for figure, name in zip(FIGURES, FIGURE_FILES, strict=True)]


def figure_1(games: Games, path: Path) -> Path:
    """Draw Example 1: the Perceptron goes back and forth between (1, 0) and (1, 1)."""
    first, b, c, again = games["Example1"][:4]
    figure, (left, right) = panels(1, 2, "Figure 1: Example 1, the Perceptron, \u03b1 = 0.5")
    corners = (-1.6, -1.9), (1.1, 0.8)
    a_person = Person("A", first.round.true_features, -1.0)

    frame(left, f"(a) w = {vector(b.weights)}: B is accepted, C moves there", *corners)
    boundary = boundary_of(c.round.classifier, 0.5)
    shade(left, boundary)
    normal(left, boundary, (0.0, 0.0), 0.5)
    people(left, [
        a_person,
        Person("B", b.round.true_features, 1.0, b.round.report, (14.0, 6.0)),
        Person("C", c.round.true_features, -1.0, c.round.report, (-16.0, 8.0)),
    ])  # fmt: skip
    mistake(left, c.round.report, (56.0, -22.0))

    frame(right, f"(b) w = {vector(c.weights)} after this mistake: B is out of reach", *corners)
    boundary = boundary_of(again.round.classifier, 0.5)
    shade(right, boundary)
    normal(right, boundary, (0.0, 0.0), 0.5)
    z = again.round.true_features
    foot = z - boundary.distance(z) * boundary.normal
    right.plot(*np.transpose([z, foot]), color=INK, linewidth=1.2, linestyle=DASHED)
    write(right, f"distance {-boundary.distance(z):.3f} > 0.5", (z + foot) / 2.0 + (-0.06, 0.02), ha="right")
    people(right, [
        a_person,
        Person("B", z, 1.0, z, (-22.0, -4.0)),
        Person("C", c.round.true_features, -1.0, None, (-16.0, 8.0)),
    ])  # fmt: skip
    mistake(right, z)
    legend(figure)
    return save_picture(figure, path)


def figure_2(games: Games, path: Path) -> Path:
    """Draw Example 2: with a bias, it goes back and forth between a good line and accepting nobody."""
    first, b, c, again = games["Example2"][:4]
    figure, (left, right) = panels(1, 2, "Figure 2: Example 2, the Perceptron with a bias, \u03b1 = 0.5")
    corners = (-1.5, -1.5), (2.0, 2.0)
    a_person = Person("A", first.round.true_features, -1.0)
    for axes, title, boundary in (
        (left, "(a) after A: B is accepted where it is", boundary_of(b.round.classifier, 0.5)),
        (right, "(b) C moves to B's place and is accepted, too", boundary_of(c.round.classifier, 0.5)),
    ):
        frame(axes, title, *corners)
        shade(axes, boundary)
        normal(axes, boundary, (1.0, 1.2), 0.6)
    write(left, _line_text(first.weights), (-1.35, -1.2))
    people(left, [a_person, Person("B", b.round.true_features, 1.0, b.round.report)])
    write(right, f"then {_line_text(c.weights)}:\nnobody is accepted, not even B", (-1.35, -1.2))
    people(right, [
        a_person,
        Person("B", again.round.true_features, 1.0, None, (14.0, 10.0)),
        Person("C", c.round.true_features, -1.0, c.round.report, (-20.0, 8.0)),
    ])  # fmt: skip
    mistake(right, c.round.report, (48.0, -24.0))
    legend(figure)
    return save_picture(figure, path)


def _line_text(weights: Float) -> str:
    first, second, bias = weights
    return f"{first:g} x1 + {second:g} x2 - {-bias:g} ≥ 0"


def figure_3(games: Games, path: Path) -> Path:
    """Draw how Algorithm 2 sees the plane: movers stand on the manipulation hyperplane, nobody in the band below."""
    return _strategic(path, 1.0, "Figure 3: Algorithm 2 with the true \u03b1", {1.0: "\u03b1", 0.0: "0"})


def figure_4(games: Games, path: Path) -> Path:
    """Draw the same for an estimate that is too small: the band reaches below the line of w."""
    names = {0.5: "\u03b1'", 0.0: "0", -0.5: "\u03b1' - \u03b1"}
    return _strategic(path, 0.5, "Figure 4: Algorithm 2 with an estimate \u03b1' < \u03b1", names)


def _strategic(path: Path, threshold: float, title: str, levels: Mapping[float, str]) -> Path:
    """Draw individuals who reach 1 around Algorithm 2 with a threshold, and the names of lines ``w.x / |w|``."""
    figure, (axes,) = panels(1, 1, title, 9.6, 6.4)
    frame(axes, "individuals reach \u03b1 = 1", (-3.6, -2.1), (3.6, 2.7))
    w, along = np.array([0.6, 0.8]), np.array([0.8, -0.6])
    published = np.append(w, -threshold)
    boundary = boundary_of(published, 1.0)
    shade(axes, boundary)
    if threshold < 1.0:
        line(axes, boundary, -threshold, DOTTED)
    normal(axes, boundary, 2.2 * along, 0.7)
    slope: dict[str, Any] = {"rotation": np.degrees(np.arctan2(along[1], along[0])), "rotation_mode": "anchor"}
    for level, name in levels.items():
        what = "manipulation hyperplane, w\u00b7x / |w|" if level == threshold else "w\u00b7x / |w|"
        write(axes, f"{what} = {name}", (level + 0.08) * w - 2.7 * along, va="bottom", **slope)
    write(axes, "forbidden region", (threshold - 0.8) * w + 1.7 * along, weight="bold", **slope)

    stands = [(1.75, 0.2, 1.0), (threshold - 0.6, 1.2, 1.0), (threshold - 1.5, 1.3, 1.0), (threshold - 1.7, -1.0, -1.0)]
    movers_place = 0.2
    stands.append((threshold - 0.8, movers_place, -1.0))
    everybody = []
    for level, place, label in stands:
        true = level * w + place * along
        everybody.append(Person("", true, label, L2Cost(1.0).best_response(true, published)))
    people(axes, everybody)
    report = threshold * w + movers_place * along
    surrogate(axes, report, report - threshold * w, 0.18 * along)
    legend(figure, *OF_SURROGATES)
    return save_picture(figure, path)


def figure_5(games: Games, path: Path) -> Path:
    """Draw Example 3: three rounds of Algorithm 2, and the vertical line that errs only once."""
    lines = games["Example3"][:5]
    names = [f"z{member}" for member in range(5)]
    figure, axes = panels(2, 2, "Figure 5: Example 3, Algorithm 2, \u03b1 = 5")
    corners = (-9.0, -9.0), (9.0, 9.0)
    for panel, at, letter in zip(axes, (2, 3, 4), "abc", strict=False):
        played, w = lines[at].round, lines[at - 1].weights
        verdict = "accepted" if played.accepted else "rejected"
        frame(panel, f"({letter}) w = {vector(w)}: {names[at]} is {verdict}", *corners)
        boundary = boundary_of(played.classifier, 5.0)
        shade(panel, boundary)
        normal(panel, boundary, (0.0, -4.0), 2.4)
        people(panel, [Person(names[at], played.true_features, played.true_label, played.report)])
        mistake(panel, played.report, (48.0, -24.0))
    frame(axes[3], "(d) w* = (1, 0), where nobody moves, errs on z0 only", *corners)
    boundary = boundary_of(np.array([1.0, 0.0, 0.0]), 0.0)
    shade(axes[3], boundary)
    normal(axes[3], boundary, (0.0, -4.0), 2.4, "w*")
    for name, played in zip(names, (one.round for one in lines), strict=True):
        beside = (10.0, 6.0) if played.true_features[0] > 3.0 else (-28.0, -4.0)
        people(axes[3], [Person(name, played.true_features, played.true_label, None, beside)])
    mistake(axes[3], lines[0].round.true_features, (58.0, -20.0))
    legend(figure, Line2D([], [], color=INK, linestyle=DASHED, label="w\u00b7x = 0"))
    return save_picture(figure, path)


FIGURES: tuple[Callable[[Games, Path], Path], ...] = (figure_1, figure_2, figure_3, figure_4, figure_5)
