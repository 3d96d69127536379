"""Every public class and function of a face shows how it is used, and what it shows is what happens."""

import doctest
import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

# Modules whose public names (`__all__`, or else what they define) need examples.
FACES = (
    "agents",
    "learners",
    "learners.bounds",
    "learners.rl",
    "learners.separators.margins",
    "learners.strategic.passes",
    "strategic_env",
    "strategic_env.multi_agent",
    "strategic_env.report",
)
# Examples that compile or play for long: the slow tests run them.
SLOW: frozenset[str] = frozenset()
SECTION = "\nExamples\n--------\n"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def public(face: str) -> dict[str, Any]:
    """Return the public classes and functions of a module by their full names."""
    module = importlib.import_module(face)
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == face]
    names = getattr(module, "__all__", [name for name in defined if not name.startswith("_")])
    found = {f"{face}.{name}": getattr(module, name) for name in names}
    return {name: value for name, value in found.items() if inspect.isclass(value) or inspect.isroutine(value)}


NAMES = {name: value for face in FACES for name, value in public(face).items()}
CASES = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in sorted(NAMES)]


def failures(name: str, value: Any) -> str:
    """Run the examples of a class or function, its methods' too, in a session that has imported nothing."""
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    for test in doctest.DocTestFinder().find(value, name, globs={}):
        runner.run(test, out=report.append)
    return "".join(report)


@pytest.mark.parametrize("name", CASES)
def test_a_public_name_shows_an_example(name: str) -> None:
    _, _, examples = inspect.cleandoc(NAMES[name].__doc__ or "").partition(SECTION)
    assert ">>> " in examples, f"{name} needs a section 'Examples' with a line that begins with >>>"


@pytest.mark.parametrize("name", CASES)
def test_examples_do_what_they_show(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # an example may write files
    report = failures(name, NAMES[name])
    assert not report, report


def test_a_wrong_number_in_an_example_is_noticed() -> None:
    def double(number: int) -> int:
        """Return twice a number.

        Examples
        --------
        >>> 2 * 2
        5
        """
        return 2 * number

    assert "Expected:\n    5\nGot:\n    4\n" in failures("double", double)


def test_every_face_has_public_names_and_slow_examples_belong_to_one() -> None:
    assert all(public(face) for face in FACES) and set(NAMES) >= SLOW
