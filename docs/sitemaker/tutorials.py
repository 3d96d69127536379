"""Pages of tutorials: their notebooks as text, code, what it printed, and pictures."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = "tutorials"
HERE = Path(__file__).parents[1] / FOLDER
ORDER = (
    "first_learner",
    "own_data",
    "vector_environment",
    "beat_a_theorem",
    "two_learning_sides",
    "partial_feedback",
    "figures_of_the_papers",
    "sweep_on_a_cluster",
    "lecture_in_class",
)


def tutorial_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page."""
    books = {name: _read(name) for name in ORDER}
    yield f"{FOLDER}/index", index_page(books)
    for name, book in books.items():
        yield f"{FOLDER}/{name}", tutorial_page(name, book)


def index_page(books: dict[str, dict[str, Any]]) -> str:
    """Return the page that leads to all tutorials."""
    lines = [
        "# Tutorials",
        "",
        "Scripts with text, from the beginning to where you go on alone. Every number and picture was made by the "
        "script beside it; the package's tests run them again and compare. Each page can be downloaded as a notebook.",
        "",
    ]
    for name, book in books.items():
        opening = _text(book["cells"][0]).split("\n\n")
        lines += [f"**[{opening[0].removeprefix('# ')}]({name}.md)**", "", " ".join(opening[1].split("\n")), ""]
    return "\n".join([*lines, "```{toctree}", ":hidden:", *books, "```", ""])


def tutorial_page(name: str, book: dict[str, Any]) -> str:
    """Return a notebook as a page; its pictures are written beside it."""
    title, _, rest = _text(book["cells"][0]).partition("\n")
    versions = ", ".join(f"{package} {version}" for package, version in book["metadata"]["made_with"].items())
    offer = f"{{download}}`Download this page as a notebook <{name}.ipynb>`, or as {{download}}`a script <{name}.py>`."
    parts = [title, offer, rest.strip()]
    for number, cell in enumerate(book["cells"][1:]):
        if cell["cell_type"] == "markdown":
            parts.append(_text(cell))
            continue
        parts.append(f"```python\n{_text(cell)}\n```")
        for place, output in enumerate(cell["outputs"]):
            parts.append(_shown(output, f"{name}-{number}-{place}.png"))
    return "\n\n".join([*parts, f"Made with {versions}."]) + "\n"


def _shown(output: dict[str, Any], file: str) -> str:
    """Return an output as text, or write it as a picture and return what shows that."""
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    path = HERE / "images" / file
    path.parent.mkdir(exist_ok=True)
    content = base64.b64decode("".join(output["data"]["image/png"]))
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)
    return f"![{''.join(output['data']['text/plain'])}](images/{file})"


def _read(name: str) -> dict[str, Any]:
    book: dict[str, Any] = json.loads((HERE / f"{name}.ipynb").read_text(encoding="utf-8"))
    return book


def _text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])
