"""Every tutorial runs, and prints what its kept notebook shows, which holds the script's text and says versions."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "tutorials"
SLOW = {"beat_a_theorem", "figures_of_the_papers", "own_data", "partial_feedback"}  # trains, or compiles much
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def _made() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_tutorials", FOLDER / "make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _made()
NAMES = sorted(make.SCRIPTS)
EACH = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in NAMES]


def kept(name: str) -> nbformat.NotebookNode:
    return nbformat.read(FOLDER / f"{name}.ipynb", 4)


def test_those_marked_slow_are_there_and_every_notebook_has_a_script() -> None:
    assert set(NAMES) >= SLOW
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NAMES)


@pytest.mark.parametrize("name", EACH)
def test_it_prints_and_draws_what_its_notebook_shows(name: str) -> None:
    shown, now = kept(name), make.executed(make.SCRIPTS[name])
    assert make.texts(now) == make.texts(shown)
    assert make.titles(now) == make.titles(shown)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_its_script_with_outputs_and_versions(name: str) -> None:
    script, notebook = make.source(make.SCRIPTS[name]), kept(name)
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        (cell.cell_type, cell.source) for cell in script.cells
    ]
    assert set(notebook.metadata.made_with) == set(make.MADE_WITH)
    assert notebook.cells[0].source.startswith("# ")
    assert all(make.titles(notebook)), "a picture says in words what it shows"


@pytest.mark.parametrize("name", NAMES)
def test_its_links_lead_somewhere(name: str) -> None:
    text = "\n".join(cell.source for cell in kept(name).cells if cell.cell_type == "markdown")
    links = LINK.findall(text)
    assert links
    for link in links:
        assert (FOLDER / link).exists() or Path(link).stem in NAMES, link


def test_a_script_that_prints_something_else_is_noticed(tmp_path: Path) -> None:
    script = tmp_path / "small.py"
    script.write_text("# %% [markdown]\n# # Small\n\n# %%\nprint(1 + 1)\n\n# %%\nnothing = 0\n", encoding="utf-8")
    assert make.texts(make.executed(script)) == ["2\n", ""]


def test_a_tutorial_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "writes.py"
    script.write_text("# %%\nopen('left.txt', 'w').close()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    make.executed(script)
    assert [path.name for path in tmp_path.iterdir()] == ["writes.py"] and Path.cwd() == tmp_path
