"""The pages that are made from the code: written before a build reads any."""

from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

from sitemaker.links import copies
from sitemaker.reference import reference_pages

MADE = ("environments", "learners", "project", "reference")  # folders below docs that hold nothing else


def all_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page."""
    yield from reference_pages()
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
    for folder in MADE:
        for path in Path(app.srcdir, folder).rglob("*.md"):
            if path not in written:
                path.unlink()
