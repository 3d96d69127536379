"""Links that leave ``docs`` lead to a page of the site where there is a copy of the file, else to the file itself."""

import os.path
import re
from pathlib import Path, PurePosixPath

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
# Files elsewhere that are pages of the site, too.
COPIES = {
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "benchmarks/README.md": "project/benchmarks",
    "docs/board/board.html": "project/board",
    "learners/rl/policies/meta-l2.md": "project/meta-l2",
    "learners/rl/policies/meta-l2-apple-tasting.md": "project/meta-l2-apple-tasting",
}
HTML = re.compile(r"<body><h1>(.*?)</h1>(.*)</body>", re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]+)(?=[)#])")


def copies() -> dict[str, str]:
    """Return the text of every copied page by its name."""
    texts = {name: as_markdown((ROOT / file).read_text(encoding="utf-8")) for file, name in COPIES.items()}
    return {name: relinked(texts[name], PurePosixPath(file).parent, name) for file, name in COPIES.items()}


def as_markdown(text: str) -> str:
    """Return a text of Markdown as it is, and a page of HTML as a title above the rest."""
    page = HTML.search(text)
    return f"# {page[1]}\n\n```{{raw}} html\n{page[2]}\n```\n" if page else text


def relink(app: Sphinx, name: str, source: list[str]) -> None:
    """Let a page that is about to be read lead to copies."""
    if name not in COPIES.values():
        source[0] = relinked(source[0], PurePosixPath("docs", name).parent, name)


def relinked(text: str, folder: PurePosixPath, page: str) -> str:
    """Return a text that was written in a folder of the repository as it leads from a page of the site."""

    def moved(link: re.Match[str]) -> str:
        file = os.path.normpath(folder / link[1])
        target = f"docs/{COPIES[file]}.md" if file in COPIES else file
        return os.path.relpath(target, PurePosixPath("docs", page).parent)

    return LINK.sub(moved, text)
