"""Pictures, whatever a user's settings of matplotlib, labels and file names are."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from matplotlib.figure import Figure

from agents.foundation import pictures
from agents.foundation.pictures import DrawingFailed, drawing, picture_path
from learners.feedback.graph import FeedbackGraph
from strategic_env import evaluate
from strategic_env.bench.contestants import contestant
from strategic_env.bench.evaluation import Results
from strategic_env.bench.playing import Run
from strategic_env.games.registration import scenario_names
from strategic_env.games.scenarios import scenario
from strategic_env.report import curves as plotting
from strategic_env.report import profiles
from strategic_env.report.curves import plot
from strategic_env.report.profiles import plot_intervals, plot_profiles
from strategic_env.report.scores import Estimate
from strategic_env.report.summary import HOW_THE_REFERENCE_IS_MADE

BEGINNINGS = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}
STRANGE = ("$x_{ $", "_hidden", "\u05e9\u05dc\u05d5\u05dd", "a$b$c", "long" * 125)
# What a person may have set; "nowhere" is no font.
SETTINGS: dict[str, Any] = {
    "text.usetex": True, "font.family": "nowhere", "font.size": 60.0, "savefig.dpi": 3.0, "savefig.transparent": True,
    "axes.facecolor": "red", "savefig.format": "pdf", "axes.formatter.use_mathtext": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def results() -> Results:
    learners = {label: f"perceptron:learning_rate={rate}" for rate, label in enumerate(STRANGE, start=1)}
    return evaluate(learners, "KnownL2", seeds=2, rounds=5)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return a list that fills with the figures that are made."""
    made, make = [], pictures.blank_figure

    def keep(**how: Any) -> Figure:
        made.append(make(**how))
        return made[-1]

    for module in (plotting, profiles):
        monkeypatch.setattr(module, "blank_figure", keep)
    return made


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text)]


@pytest.mark.parametrize("suffix", [*BEGINNINGS, ".PDF"])
def test_the_end_of_its_name_says_what_a_picture_is(suffix: str, results: Results, tmp_path: Path) -> None:
    scores = {"a": [[1.0], [2.0]]}
    plot(results, tmp_path / f"curves{suffix}")
    plot_profiles(scores, str(tmp_path / f"profiles{suffix}"), resamples=5)
    plot_intervals({"a": Estimate(2.0, 1.0, 3.0)}, tmp_path / f"intervals{suffix}", xlabel="x")
    assert len(list(tmp_path.iterdir())) == 3
    for path in tmp_path.iterdir():
        assert path.read_bytes().startswith(BEGINNINGS[suffix.lower()])


def test_a_path_that_names_a_folder_is_no_pictures() -> None:
    with pytest.raises(ValueError, match=r"path must be a file's, not a folder's, got 'a.png/'"):
        picture_path("a.png/")


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("a.jpg", ValueError, "path must end in .png, .pdf or .svg, got 'a.jpg'"),
        ("png", ValueError, "path must end in .png, .pdf or .svg, got 'png'"),
        ("", ValueError, "path must end in .png, .pdf or .svg, got ''"),
        (3, TypeError, "path must be a str or a Path, got 3"),
        (None, TypeError, "path must be a str or a Path, got None"),
    ],
)
def test_other_pictures_are_refused_before_any_work(
    path: Any, error: type[Exception], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nothing: Any = None  # which would fail otherwise
    for draw in (lambda: plot(nothing, path), lambda: plot_profiles(nothing, path)):
        with pytest.raises(error, match=message):
            draw()
    with pytest.raises(error, match=message):
        plot_intervals(nothing, path, xlabel="x")
    assert not list(tmp_path.iterdir())


def test_a_users_settings_change_no_picture(results: Results, tmp_path: Path) -> None:
    def drawn(folder: Path) -> list[bytes]:
        folder.mkdir()
        plot(results, folder / "curves.png")
        plot_profiles({"$a$": [[1.0], [2.0]]}, folder / "profiles.png", resamples=5)
        graph = FeedbackGraph.named("bandit", 3).draw()
        graph.savefig(folder / "graph.png", format="png", dpi=50, transparent=False)
        env = results.scenario.make(render_mode="rgb_array")
        env.reset(seed=0)
        seen: Any = env.render()
        return [*(path.read_bytes() for path in sorted(folder.iterdir())), seen.tobytes()]

    usual = drawn(tmp_path / "usual")
    with matplotlib.rc_context(SETTINGS):
        assert drawn(tmp_path / "other") == usual
        assert matplotlib.rcParams["text.usetex"], "which stay as they were"


def test_labels_are_drawn_as_they_are(results: Results, figures: list[Figure], tmp_path: Path) -> None:
    plot(results, tmp_path / "curves.png")
    values = {label: [[1.0 + place], [2.0 + place]] for place, label in enumerate(STRANGE)}
    plot_profiles(values, tmp_path / "profiles.png", resamples=5)
    plot_intervals({label: Estimate(2.0, 1.0, 3.0) for label in STRANGE}, tmp_path / "intervals.png", xlabel="$x_{$")
    assert len(figures) == 3
    for figure in figures:
        joined = "".join("".join(texts(figure)).split())
        assert joined.count("long") >= 125 and all("".join(label.split()) in joined for label in STRANGE[:-1])


def test_what_matplotlib_raises_is_one_line() -> None:
    with pytest.raises(DrawingFailed, match="^matplotlib cannot draw it: KeyError: 'a b'$"), drawing():
        raise KeyError("a b")
    with pytest.raises(OSError, match="full"), drawing():
        raise OSError("full")


@pytest.mark.parametrize(
    ("backend", "settings", "status"),
    [
        ("nonsense", b"text.usetex: True\nbackend: rubbish\nfigure.dpi: none\n", "drawn False nonsense"),
        ("module://nowhere", b"", "drawn False module://nowhere"),
        ("", b"text.usetex: \xff\n", "matplotlib cannot be imported: UnicodeDecodeError"),
    ],
)
def test_a_backend_or_file_of_settings_of_no_meaning_ends_in_no_traceback(
    backend: str, settings: bytes, status: str, tmp_path: Path
) -> None:
    (tmp_path / "matplotlibrc").write_bytes(settings)
    program = """
import os
from agents.foundation.pictures import DrawingFailed, drawing, blank_figure, save_picture
try:
    with drawing():
        figure = blank_figure()
        save_picture(figure, "a.png")
        print("drawn", figure.add_subplot().title.get_usetex(), os.environ["MPLBACKEND"])
except DrawingFailed as error:
    print(error)
"""
    environment = os.environ | {"MPLBACKEND": backend, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.stdout.startswith(status) and "Traceback" not in done.stderr


def test_a_picture_says_what_its_scenario_and_reference_are(figures: list[Figure], tmp_path: Path) -> None:
    plot(played("GermanCredit", {"perceptron": [2, 4], "best-fixed-classifier": [1, 1]}), tmp_path / "a.png")
    written = "\n".join(texts(figures[0]))
    assert scenario_names()["GermanCredit"] in written and f"reference: {HOW_THE_REFERENCE_IS_MADE}" in written
    assert "mean of 2 seeds, band from minimum to maximum" in written


def test_axes_hold_no_formulas(figures: list[Figure], tmp_path: Path) -> None:
    for rounds in (40, 100, 100_000):
        ends = {"perceptron": [rounds, rounds], "strategic-perceptron-l2": [0, 1]}
        plot(played("KnownL2", ends, rounds), tmp_path / "a.png")
        assert figures[-1].axes[0].get_xscale() == "log"
        assert not any("$" in text for text in texts(figures[-1]))


def played(name: str, mistakes: dict[str, list[int]], rounds: int = 5) -> Results:
    """Return results in which learners erred as often as ``mistakes`` says, for every seed."""
    game = scenario(name)
    runs = [
        Run(learner, seed, count, columns=dict.fromkeys(game.columns, 0), curve=[0, count])
        for learner, counts in mistakes.items()
        for seed, count in enumerate(counts)
    ]
    return Results(game, rounds, [0, 1], [1, rounds], [contestant(learner, game) for learner in mistakes], runs)
