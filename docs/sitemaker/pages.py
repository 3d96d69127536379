"""The pages that are made from the code: written before a build reads any."""

from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

from sitemaker import pictures, theorem_pictures
from sitemaker.environments import FOLDER, environment_pages
from sitemaker.learners_pages import learner_pages
from sitemaker.links import copies
from sitemaker.reference import reference_pages
from sitemaker.tutorials import tutorial_pages
from strategic_env.games.registration import scenario_names

MADE = ("environments", "learners", "project", "reference", "tutorials")  # folders of docs that hold no other pages


def all_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page."""
    yield from environment_pages()
    yield from learner_pages()
    yield from reference_pages()
    yield from tutorial_pages()
    yield from copies().items()


def write_all(app: Sphinx) -> None:
    """Write what has changed, and remove pages of what is gone."""
    written = set()
    for name, text in all_pages():
        path = Path(app.srcdir, f"{name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        written.add(path)
    draw_rounds(Path(app.srcdir, FOLDER, "images"))
    theorem_pictures.draw_all(Path(app.srcdir, theorem_pictures.FOLDER, "images"))
    for folder in MADE:
        for path in Path(app.srcdir, folder).rglob("*.md"):
            if path not in written:
                path.unlink()


def draw_rounds(folder: Path) -> None:
    """Draw a round of every scenario."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in scenario_names():
        pictures.draw(name, folder / f"{name}.png")
