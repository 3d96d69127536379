"""Pictures and texts of a round: every mode in every situation, with and without a display."""

import gc
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from agents import FixedSequence, L2Cost, Noisy, Separable, WeightedL1Cost
from agents.costs import Cost
from agents.populations.population import Population
from agents.responses.individuals import Individual
from strategic_env import StrategicClassificationEnv
from strategic_env.games.strategic.rendering import picture, scene
from strategic_env.games.strategic.rendering import render as rendering
from strategic_env.games.strategic.setting import Setting

# Before the boundary x_1 = 0: the first moves 0.1, the second is too far away; the third is accepted anyway.
LINE = [([-0.1, 0.4], 1.0), ([-0.9, 0.2], -1.0), ([0.5, 0.0], -1.0)]
RIGHT = [1.0, 0.0, 0.0]
EVERYBODY, NOBODY = [0.0, 0.0, 0.0], [0.0, 0.0, -1.0]


def played(
    population: Population,
    cost: Cost,
    classifier: list[float],
    rounds: int,
    *,
    mode: str = "rgb_array",
    individual: Individual | None = None,
    feedback: str = "full",
) -> StrategicClassificationEnv:
    """An environment after some rounds with the same classifier."""
    env = StrategicClassificationEnv(population, cost, individual=individual, feedback=feedback, render_mode=mode)
    env.reset(seed=0)
    for _ in range(rounds):
        env.step(np.array(classifier))
    return env


SITUATIONS: dict[str, Callable[[str], StrategicClassificationEnv]] = {
    "after reset": lambda mode: played(Separable(2), L2Cost(0.3), RIGHT, 0, mode=mode),
    "after reset, d=1": lambda mode: played(Separable(1), L2Cost(0.3), RIGHT, 0, mode=mode),
    "after reset, d=10": lambda mode: played(Separable(10), L2Cost(0.3), RIGHT, 0, mode=mode),
    "mover": lambda mode: played(FixedSequence(LINE[:1], LINE[1:]), L2Cost(0.3), RIGHT, 1, mode=mode),
    "rejected": lambda mode: played(FixedSequence(LINE[:1], LINE[1:]), L2Cost(0.3), RIGHT, 2, mode=mode),
    "everybody": lambda mode: played(Separable(2), L2Cost(0.3), EVERYBODY, 1, mode=mode),
    "nobody": lambda mode: played(Separable(2), L2Cost(0.3), NOBODY, 1, mode=mode),
    "everybody, d=10": lambda mode: played(Separable(10), L2Cost(0.3), [0.0] * 11, 1, mode=mode),
    "nobody, d=1": lambda mode: played(Separable(1), L2Cost(0.3), [0.0, -1.0], 1, mode=mode),
    "d=1": lambda mode: played(Separable(1), L2Cost(0.3), [-1.0, -0.2], 2, mode=mode),
    "d=10": lambda mode: played(Separable(10), L2Cost(0.3), [0.3] * 10 + [-0.1], 5, mode=mode),
    "l1": lambda mode: played(Separable(2), WeightedL1Cost([0.5, 0.2]), [0.4, 0.8, -0.3], 3, mode=mode),
    "l1, d=10": lambda mode: played(Separable(10), WeightedL1Cost(0.4), [0.3] * 10 + [-0.1], 5, mode=mode),
    "noisy": lambda mode: played(Separable(2), L2Cost(0.3), RIGHT, 3, mode=mode, individual=Noisy(0.1)),
    "immovable": lambda mode: played(Separable(2), L2Cost(0.0), RIGHT, 1, mode=mode),
    "one point": lambda mode: played(FixedSequence([], LINE[:1]), L2Cost(0.0), RIGHT, 1, mode=mode),
    "flat": lambda mode: played(FixedSequence([], [([1, 100], 1), ([2, 900], -1)]), L2Cost(0.2), RIGHT, 1, mode=mode),
    "tiny weights": lambda mode: played(Separable(2), L2Cost(0.3), [5e-324, 1e-323, 0.0], 2, mode=mode),
    "far away": lambda mode: played(Separable(10), L2Cost(0.3), [5e-324] * 10 + [1.0], 2, mode=mode),
    "huge": lambda mode: played(Separable(3, radius=1e90), L2Cost(0.3), [0.5, 0.5, 0.5, -1.0], 2, mode=mode),
}


def sequence(rounds: int, mode: str = "ansi", feedback: str = "full") -> StrategicClassificationEnv:
    """The environment of LINE after some rounds."""
    return played(FixedSequence([], LINE), L2Cost(0.3), RIGHT, rounds, mode=mode, feedback=feedback)


def picture_of(env: StrategicClassificationEnv) -> np.ndarray:
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    return picture


@pytest.mark.parametrize("situation", SITUATIONS)
def test_picture(situation: str) -> None:
    env = SITUATIONS[situation]("rgb_array")
    picture = picture_of(env)
    assert picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
    again = picture_of(env)
    np.testing.assert_array_equal(again, picture)
    assert not np.shares_memory(again, picture)
    env.close()


@pytest.mark.parametrize("situation", SITUATIONS)
def test_text(situation: str) -> None:
    text = SITUATIONS[situation]("ansi").render()
    assert isinstance(text, str) and text.startswith("round ")
    assert text.isascii() and "nan" not in text and "inf" not in text


def share(picture: np.ndarray, colour: tuple[int, int, int]) -> float:
    """The share of pixels that have a colour."""
    return float((np.abs(picture.astype(int) - colour).max(axis=2) <= 2).mean())


def test_both_sides_and_the_zone_are_shaded() -> None:
    """The boundary x_1 = 0 cuts what is shown, [-1.32, 0.92], and the zone reaches 0.3 to its left."""
    picture = picture_of(sequence(2, "rgb_array"))
    shares = {name: share(picture[200:520], colour) for name, colour in SHADES.items()}
    assert shares["accepted"] / shares["reachable"] == pytest.approx(0.92 / 0.3, rel=0.1)
    assert share(picture[200:520, :270], SHADES["accepted"]) == 0.0, "the accepted side is the right one"


def on_white(colour: str, alpha: float) -> tuple[int, int, int]:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return tuple(round(255 - alpha * (255 - part)) for part in (red, green, blue))  # type: ignore[return-value]


SHADES = {
    "accepted": on_white(picture.ACCEPTED["facecolor"], picture.ACCEPTED["alpha"]),
    "reachable": on_white(picture.REACHABLE["facecolor"], picture.REACHABLE["alpha"]),
}


def test_without_a_boundary_everything_or_nothing_is_shaded() -> None:
    everybody = picture_of(SITUATIONS["everybody"]("rgb_array"))
    nobody = picture_of(SITUATIONS["nobody"]("rgb_array"))
    assert share(everybody, SHADES["accepted"]) > 0.3
    assert share(nobody, SHADES["accepted"]) < 0.01  # the legend
    assert share(everybody, SHADES["reachable"]) == pytest.approx(share(nobody, SHADES["reachable"]))


def test_the_label_has_its_colour() -> None:
    def coloured(rounds: int, colour: str) -> float:
        return share(picture_of(sequence(rounds, "rgb_array"))[:, :600], on_white(colour, 1.0))

    assert coloured(1, picture.BLUE) > 0.0 == coloured(1, picture.VERMILION)
    assert coloured(2, picture.VERMILION) > 0.0 == coloured(2, picture.BLUE)


def test_text_has_the_facts_of_a_mover() -> None:
    lines = str(sequence(1).render()).splitlines()
    assert lines[0] == "round 1: qualified, moved, accepted - correct (0 mistakes)"
    assert lines[1].strip() == "paid 0.33, where being accepted is worth 1"
    assert lines[2].split() == "published w = [1., 0.], b = 0".split()
    assert lines[3].split() == "true [-0.1, 0.4], label +1".split()
    assert lines[4].split() == "reported [0. , 0.4], prediction +1".split()
    assert lines[5].split() == "distance true -0.1, reported +0, reach 0.3".split()
    strip = lines[6].strip()
    assert len(strip) == 2 * rendering.HALF_STRIP + 1
    assert strip[rendering.HALF_STRIP] == "R" and "T" in strip[: rendering.HALF_STRIP]
    assert set(strip[rendering.HALF_STRIP + 1 :]) == {"+"}
    assert strip.startswith("...") and "~" in strip


def test_text_of_others() -> None:
    rejected, accepted = str(sequence(2).render()), str(sequence(3).render())
    assert rejected.startswith("round 2: unqualified, stayed, rejected - correct (0 mistakes)\n")
    assert accepted.startswith("round 3: unqualified, stayed, accepted - mistake (1 mistake)\n")
    for text, position in ((rejected, "<"), (accepted, ">")):
        strip = text.splitlines()[-2].strip()
        assert "T" not in strip and "R" not in strip
        assert (strip.index("B") < strip.index("|")) == (position == "<")


def test_text_without_a_classifier_or_a_boundary() -> None:
    assert "round 0" in str(SITUATIONS["after reset"]("ansi").render())
    assert "w = 0: everybody is accepted" in str(SITUATIONS["everybody"]("ansi").render())
    assert "w = 0: nobody is accepted" in str(SITUATIONS["nobody, d=1"]("ansi").render())


def test_hidden_labels_are_said_to_be_hidden() -> None:
    said = "the learner does not see the label"
    assert said in str(sequence(2, feedback="apple_tasting").render())
    assert said not in str(sequence(1, feedback="apple_tasting").render())
    assert said not in str(sequence(2).render())


def test_reach_is_that_of_the_individual_who_arrived() -> None:
    env = StrategicClassificationEnv(Separable(2, alpha=(0.1, 0.4), pool=5), L2Cost(0.4), render_mode="ansi")
    env.reset(seed=0)
    reaches = set()
    for _ in range(30):
        env.step(np.array(RIGHT))
        reaches.add(str(env.render()).split("reach ")[1].split()[0])
    assert len(reaches) == 5
    assert all(0.1 <= float(reach.rstrip(",.;")) <= 0.4 for reach in reaches)


def test_axes_stay_where_they_are() -> None:
    env = played(Separable(2), L2Cost(0.3), RIGHT, 0)
    frames = set()
    for classifier in ([1.0, 0.0, 0.0], [0.3, -0.9, 1.0], [0.0, 0.0, 0.0]):
        env.step(np.array(classifier))
        frames.add(scene.scene_of(env.setting, env.last, env.game).frame)
    assert len(frames) == 1


def test_projection_keeps_signed_distances() -> None:
    env = SITUATIONS["d=10"]("rgb_array")
    assert env.last is not None
    weights, intercept = env.last.classifier[:-1], env.last.classifier[-1]
    view = scene.scene_of(env.setting, env.last, env.game)
    for point, (across, along) in zip((env.last.true_features, env.last.report), view.points, strict=True):
        distance = (weights @ point + intercept) / np.linalg.norm(weights)
        assert across == pytest.approx(distance, abs=1e-12)
        rest = point - (weights @ point) / (weights @ weights) * weights
        assert along == pytest.approx(np.linalg.norm(rest))


def test_pictures_are_collected() -> None:
    from matplotlib.figure import Figure

    env = sequence(1, "rgb_array")
    for _ in range(3):
        env.render()
    gc.collect()
    # Not isinstance: some other library's objects warn when they are asked for their class.
    assert not [thing for thing in gc.get_objects() if type(thing) is Figure]


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_without_matplotlib(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = sequence(1, "ansi")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert str(env.render()).startswith("round 1")
    with pytest.raises(ImportError, match=r'pip install "strategic-env\[plot\]"') as caught:
        rendering.render(mode, env.setting, env.last, env.game)
    assert type(caught.value) is ImportError


def headless(program: str, **variables: str) -> str:
    """Run a program without a display, with every warning as an error; return what it prints."""
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | variables
    command = [sys.executable, "-W", "error", "-c", program]
    completed = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert completed.returncode == 0, completed.stderr
    assert completed.stderr == ""
    return completed.stdout


HUMAN = """
import numpy as np
from agents import L2Cost, Separable
from strategic_env import StrategicClassificationEnv
env = StrategicClassificationEnv(Separable(2), L2Cost(0.3), render_mode="human")
env.reset(seed=0)
env.step(np.array([1.0, 0.0, 0.0]))
assert env.render() is None
env.close()
env.close()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
@pytest.mark.parametrize("variables", [{}, {"MPLBACKEND": "agg"}, {"MPLBACKEND": "tkagg"}], ids=str)
def test_human_mode_prints_without_a_display(variables: dict[str, str]) -> None:
    printed = headless(HUMAN, **variables)
    assert printed.count("round 0: nobody has arrived yet") == 1
    assert printed.count("round 1: ") == 2


def test_human_mode_opens_one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    pyplot.switch_backend("agg")
    pauses: list[float] = []
    monkeypatch.setattr(FigureCanvasAgg, "required_interactive_framework", "test")
    monkeypatch.setattr(pyplot, "pause", pauses.append)
    env = sequence(2, "human")
    assert pyplot.get_figlabels() == [rendering.WINDOW]
    assert pauses == [1.0 / env.metadata["render_fps"]] * 3
    env.close()
    assert pyplot.get_figlabels() == []


def test_a_picture_does_not_touch_pyplot() -> None:
    program = HUMAN.replace('"human"', '"rgb_array"').replace("is None", "is not None")
    assert headless(program + "import sys; print('matplotlib.pyplot' in sys.modules)") == "False\n"


def test_setting_needs_no_environment() -> None:
    setting = Setting(population=Separable(2), cost=L2Cost(0.3))
    assert str(rendering.render("ansi", setting, None, None)).startswith("round 0")
