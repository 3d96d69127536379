"""Pages that nobody has placed are placed by the front page: under the name of their folder, else under "More"."""

from pathlib import Path

from sphinx.application import Sphinx

from sitemaker.pages import MADE


def place_the_rest(app: Sphinx, name: str, source: list[str]) -> None:
    """Append to the front page a group for each folder of pages that it does not name."""
    if name != "index":
        return
    folder = Path(app.srcdir)
    placed = {line.strip() for line in source[0].splitlines()} | {"index"}
    groups: dict[str, list[str]] = {}
    for page in sorted(folder.rglob("*.md")):
        found, room = page.relative_to(folder).with_suffix("").as_posix(), page.parent.relative_to(folder).as_posix()
        if found not in placed and room not in MADE and f"{room}/index" not in placed:
            groups.setdefault("More" if room == "." else room.capitalize(), []).append(found)
    for caption, found_pages in groups.items():
        source[0] += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", *found_pages, "```", ""])
