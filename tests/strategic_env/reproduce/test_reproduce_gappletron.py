"""``strategic-env reproduce gappletron`` on a grid that takes seconds."""

import csv
import io
from pathlib import Path

import pytest
from matplotlib import image
from rich.console import Console

from agents.foundation.files import UNFINISHED
from strategic_env.bench import evaluation
from strategic_env.reproduce import Request, gappletron
from strategic_env.reproduce.gappletron import ALGORITHMS, FULL, QUICK, Algorithm, Grid
from strategic_env.reproduce.rates import Rate

SMALL = Grid(dims=(40,), classes=(3,), noises=(0.0, 0.1), rounds=60, repetitions=2)
FEW = tuple(one for one in ALGORITHMS if one.learner in ("gappletron", "pnewtron"))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gappletron, "FULL", SMALL)
    monkeypatch.setattr(gappletron, "ALGORITHMS", FEW)
    monkeypatch.setattr(gappletron, "_defeats", lambda shown: [])


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_cell_has_a_line_for_every_parameter_set_and_shows_the_best(tmp_path: Path) -> None:
    result = gappletron.reproduce(Request(tmp_path))
    found = lines(tmp_path / "gappletron.csv")
    # Three losses, one or (where parameters matter) two parameter sets; PNewtron with bandit feedback.
    assert len(found) == 2 * ((2 * 3 + 1) + 2 * 3 + 3)
    for line in found:
        rivals = [
            other
            for other in found
            if all(other[key] == line[key] for key in ("feedback", "classes", "dim", "noise", "algorithm"))
        ]
        assert [other["shown"] for other in rivals].count("True") == 1
        assert next(other for other in rivals if other["shown"] == "True")["mean"] == min(o["mean"] for o in rivals)
        assert float(line["least"]) <= float(line["mean"]) <= float(line["most"]) <= 1.0
        assert (line["repetitions"], line["rounds"]) == ("2", "60")
    console = Console(width=130, file=io.StringIO())
    for page in result.pages:
        console.print(page)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.count("Error rates") == 3 and text.count("PNewtron") == 1
    for name in ("gappletron-bandit.png", "gappletron-filtering.png", "gappletron-full-information.png"):
        assert tmp_path / name in result.files
        assert image.imread(tmp_path / name)[..., :3].std() > 0.01


def test_an_interrupted_command_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    gappletron.reproduce(Request(whole))
    played: list[str] = []
    play = evaluation.play

    def counted(*arguments: object) -> object:
        played.append(str(arguments[0]))
        return play(*arguments)  # type: ignore[arg-type]

    def interrupt(done: int, total: int) -> None:
        if done == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "play", counted)
    with pytest.raises(KeyboardInterrupt):
        gappletron.reproduce(Request(parts, progress=interrupt))
    assert len(played) == 20
    assert len(lines(parts / f"gappletron.csv{UNFINISHED}")) == 7  # the first cell
    steps: list[tuple[int, int]] = []
    gappletron.reproduce(Request(parts, progress=lambda *step: steps.append(step)))
    assert len(played) == steps[-1][0] == steps[-1][1] == 2 * 32
    assert (parts / "gappletron.csv").read_bytes() == (whole / "gappletron.csv").read_bytes()
    assert not (parts / f"gappletron.csv{UNFINISHED}").exists()


def test_the_number_of_repetitions_can_be_chosen(tmp_path: Path) -> None:
    gappletron.reproduce(Request(tmp_path, runs=1))
    assert {line["repetitions"] for line in lines(tmp_path / "gappletron.csv")} == {"1"}


def test_a_run_that_fails_is_an_error_not_a_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Algorithm("broken", "pnewtron", [{"alpha": 1e300}], ["Bandit"])
    monkeypatch.setattr(gappletron, "ALGORITHMS", (broken,))
    monkeypatch.setattr(
        evaluation, "play", lambda one, scenario, seed, *rest: evaluation.Run(one.label, seed, error="overflow")
    )
    with pytest.raises(RuntimeError, match="overflow"):
        gappletron.reproduce(Request(tmp_path))


def test_a_hinge_loss_that_does_not_win_is_unexpected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    def rate(algorithm: str, mean: float) -> Rate:
        return Rate("Bandit", 9, 80, 0.0, algorithm, algorithm, mean, mean, mean, 10, 10_000, shown=True)

    means = {"Gappletron, smooth hinge": 0.2, "Gappletron, special hinge": 0.3, "PNewtron": 0.25, "Banditron": 0.4}
    found = gappletron._defeats([rate(*item) for item in means.items()])
    assert found == ["Gappletron, special hinge errs more often than PNewtron at K = 9, d = 80, noise 0"]


def test_the_grid_is_the_papers() -> None:
    assert len(FULL.cells()) == 81 and FULL.rounds == 10_000 and FULL.repetitions == 10
    assert {cell[1:] for cell in FULL.cells()} == {
        (classes, dim, noise) for classes in (6, 9, 12) for dim in (80, 120, 160) for noise in (0.0, 0.05, 0.1)
    }
    assert set(QUICK.cells()) <= set(FULL.cells())
