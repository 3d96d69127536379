"""Every Python block of the README and of the documentation runs; the blocks of one page share their names."""

from pathlib import Path
from types import ModuleType

import pytest
from sybil.document import Document
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

import strategic_env

ROOT = Path(__file__).parents[1]
MADE = ("environments", "learners", "project", "reference", "tutorials")  # folders of pages that a build leaves behind
WRITTEN = (page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name not in MADE)
PAGES = [ROOT / "README.md", *WRITTEN]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a block may write files
    for name, module in list(vars(strategic_env).items()):  # what another page imported is not there
        if isinstance(module, ModuleType) and module.__name__.startswith("strategic_env."):
            monkeypatch.delattr(strategic_env, name)
    document = Document.parse(str(page), SkipParser(), PythonCodeBlockParser())
    for example in document.examples():
        example.evaluate()
    shown = [value for value in document.namespace.values() if isinstance(value, strategic_env.Results)]
    assert [run.error for results in shown for run in results.runs if run.error] == []
