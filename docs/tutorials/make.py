"""Run the tutorials, and keep what they print and draw: ``python docs/tutorials/make.py [NAME ...]``.

A tutorial is a script with text (Jupytext's percent format), and its notebook is the same with outputs. The tests run
every script again and compare; the site shows the notebooks. It needs the extra "test".
"""

import base64
import io
import sys
from contextlib import chdir, redirect_stdout
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import jupytext
import nbformat
from nbformat import NotebookNode

FOLDER = Path(__file__).parent
SCRIPTS = {path.stem: path for path in sorted(FOLDER.glob("*.py")) if path.name != "make.py"}
WIDTH = "100"  # of tables, in characters
MADE_WITH = ("strategic-env", "numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3", "torch")


def source(script: Path) -> NotebookNode:
    """Return a script as a notebook without outputs, the same at every time."""
    book = jupytext.read(script, fmt="py:percent")
    book.metadata = NotebookNode(kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"})
    for number, cell in enumerate(book.cells):
        cell.id, cell.metadata = f"cell-{number}", NotebookNode()
    return book


def executed(script: Path) -> NotebookNode:
    """Run a script cell by cell in a folder of its own, and return it as a notebook with what it printed and drew."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    book, names = source(script), {"__name__": "__main__"}
    shown: list[NotebookNode] = []
    show = patch.object(pyplot, "show", lambda: shown.extend(_drawn()))
    with TemporaryDirectory() as place, patch.dict("os.environ", COLUMNS=WIDTH), chdir(place), show:
        for cell in (one for one in book.cells if one.cell_type == "code"):
            with redirect_stdout(io.StringIO()) as printed:
                exec(compile(cell.source, str(script), "exec"), names)
            if text := "\n".join(line.rstrip() for line in printed.getvalue().splitlines()):
                cell.outputs.append(nbformat.v4.new_output("stream", name="stdout", text=f"{text}\n"))
            cell.outputs += shown
            shown.clear()
    return book


def texts(book: NotebookNode) -> list[str]:
    """Return what each cell of code printed."""
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    return ["".join(one.text for one in cell.outputs if one.output_type == "stream") for cell in cells]


def titles(book: NotebookNode) -> list[str]:
    """Return what its pictures show, in words."""
    outputs = (one for cell in book.cells for one in cell.get("outputs", ()))
    return [one.data["text/plain"] for one in outputs if one.output_type == "display_data"]


def _drawn() -> list[NotebookNode]:
    """Return the pictures that pyplot holds, under the words with which they were made (``num=``), and close them."""
    from matplotlib import pyplot

    pictures = []
    for number in pyplot.get_fignums():
        figure, file = pyplot.figure(number), io.BytesIO()
        figure.savefig(file, format="png", dpi=110, metadata={"Software": None})
        data = {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": figure.get_label()}
        pictures.append(nbformat.v4.new_output("display_data", data=data))
        pyplot.close(figure)
    return pictures


def main(names: list[str]) -> None:
    """Run those named, or all."""
    for name in names or SCRIPTS:
        book = executed(SCRIPTS[name])
        book.metadata["made_with"] = {package: version(package) for package in MADE_WITH}
        nbformat.validate(book)
        nbformat.write(book, SCRIPTS[name].with_suffix(".ipynb"))
        print(f"{name}: {sum(map(len, texts(book)))} characters of output")


if __name__ == "__main__":
    main(sys.argv[1:])
