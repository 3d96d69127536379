"""``strategic-env reproduce margin-independent`` on a grid that takes seconds."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib import image
from rich.console import Console

from agents.foundation.files import UNFINISHED
from strategic_env.bench import evaluation
from strategic_env.reproduce import Request, centre_players, margin_independent
from strategic_env.reproduce.centre_players import ENGINES, PERCEPTRON, PLAYERS, SECOND_ORDER
from strategic_env.reproduce.loss_targets import failures
from strategic_env.reproduce.losses import LABELS, Cell, Loss, Losses, interval_of
from strategic_env.reproduce.margin_independent import FULL, QUICK, Grid

SMALL = Grid(
    dims=(2,), classes=(2, 3), rounds=30, attacked=(3,), lengths=(20, 30), corrupted=((2, 2),), lies=(("random", 5),),
    repetitions=2,
)  # fmt: skip
FEW = ("multiclass Perceptron", "Chebyshev halving", "exact bodies")  # one of them is compiled


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margin_independent, "FULL", SMALL)
    monkeypatch.setattr(margin_independent, "failures", lambda losses: [])
    for players in ("PLAYERS", "AGAINST_LIES"):
        few = tuple(one for one in getattr(centre_players, players) if one.name in FEW)
        monkeypatch.setattr(centre_players, players, few)


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("small")
def test_every_run_has_a_line_and_an_interrupted_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play, played = evaluation.play, list[str]()

    def counted(*arguments: object) -> object:
        played.append(str(arguments[0]))
        return play(*arguments)  # type: ignore[arg-type]

    def interrupt(done: int, total: int) -> None:
        if done == 8:
            raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "play", counted)
    with pytest.raises(KeyboardInterrupt):
        margin_independent.reproduce(Request(tmp_path, progress=interrupt))
    assert len(played) == 8
    kept = (tmp_path / f"margin-independent.csv{UNFINISHED}").read_text(encoding="utf-8").splitlines()
    assert len(kept) == 1 + 2 * 3
    steps: list[tuple[int, int]] = []
    result = margin_independent.reproduce(Request(tmp_path, progress=lambda *step: steps.append(step)))
    found = lines(tmp_path / "margin-independent.csv")
    # Three players in two cells, two under wrong labels, and who has compiled rules in four with adversaries.
    assert len(played) == len(found) == steps[-1][0] == steps[-1][1] == 2 * (3 * 2 + 2 + 4)
    assert [",".join(line.values()) for line in found[:6]] == kept[1:]
    assert not result.unexpected and all(path.exists() for path in result.files)
    for name in ("margin-independent-adversary.png", "margin-independent-wrong-labels.png"):
        assert tmp_path / name in result.files and image.imread(tmp_path / name)[..., :3].std() > 0.01
    console = Console(width=130, file=io.StringIO())
    for page in result.pages:
        console.print(page)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "All runs together took" in text and "how wrong they are" in text and "2, 3  exact bodies" in text


def test_the_grid_is_what_the_claims_are_about() -> None:
    plain = [cell for cell in FULL.cells() if cell.part == LABELS and not cell.corruption]
    assert {(cell.dim, cell.classes) for cell in plain} == {(d, k) for d in (2, 3, 5, 10) for k in (2, 3, 5)}
    assert {cell.rounds for cell in plain} == {2_000} and FULL.repetitions == 10
    assert {cell.rounds for cell in FULL.cells() if cell.part != LABELS} >= {500, 4_000}
    assert len(QUICK.cells()) < len(FULL.cells())
    for cell in FULL.cells():
        chosen = margin_independent.scenario_of(cell)
        assert chosen.horizon == cell.rounds and chosen.setting.corruption == cell.corruption


def made(means: dict[str, float], cell: Cell, spread: float = 0.1) -> list[Loss]:
    """Return runs of three seeds with these mean losses."""
    return [
        Loss(*cell, name, seed, mean + spread * (seed - 1), 5, 1.0, 0.0) for name, mean in means.items()
        for seed in range(3)
    ]  # fmt: skip


def test_claims_that_fail_are_named() -> None:
    cell = Cell(LABELS, 2, 2, 2_000)
    good = dict.fromkeys([one.name for one in PLAYERS], 1.0)
    good |= {PERCEPTRON.name: 10.0, SECOND_ORDER.name: 2.0, "Chebyshev halving": 2.0}
    assert failures(Losses(made(good, cell))) == []
    bad = failures(Losses(made(good | {PERCEPTRON.name: 0.9}, cell)))
    assert len([line for line in bad if "loses no less than the Perceptron at d = 2, K = 2" in line]) == len(ENGINES)
    assert "no engine loses less than a third of the Perceptron's loss at d = 2, K = 2" in bad
    (worse,) = failures(Losses(made(good | {"Chebyshev halving": 0.5}, cell)))[:1]
    assert worse == "Chebyshev halving loses less than every engine at d = 2, K = 2"


def test_intervals_are_students() -> None:
    """Against the table: 4.303 standard errors of three values."""
    found = interval_of(np.array([1.0, 2.0, 3.0]))
    assert found.mean == 2.0 and found.high - 2.0 == pytest.approx(4.3027 / np.sqrt(3.0), abs=1e-4)
    assert interval_of(np.array([4.0])) == (4.0, 4.0, 4.0)
