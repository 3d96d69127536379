"""``NUMBA_DISABLE_JIT=1`` plays the same games in plain Python, bit for bit."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from short_games import a_few, everything

ROOT = Path(__file__).parents[1]
ROUNDS = 20
PAIRS = [("Example1", "strategic-perceptron-l2"), ("FullInformation", "gappletron")]
COMPILED = ("compiled", "inlined", "loop", "released", "rule_of")


def in_python(*arguments: str) -> list[str]:
    """Play in another process, where nothing is compiled; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "tests/reference/short_games.py"), *arguments],
        capture_output=True, text=True, cwd=ROOT, timeout=1200,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_single_vector_fused_multiclass_and_multi_agent_games() -> None:
    expected = [f"{game} {result}" for game, result in a_few(PAIRS, ROUNDS)]
    assert len(expected) == 3 + 2 + 3
    assert in_python(str(ROUNDS), *(word for pair in PAIRS for word in pair)) == expected


@pytest.mark.slow
def test_every_scenario_with_every_learner() -> None:
    assert in_python("12") == [f"{game} {result}" for game, result in everything(12)]


def compiled_functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the source of everything that is compiled, with the name of its file."""
    for room in ("agents", "learners", "strategic_env"):
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef):
                    decorators = [ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list]
                    if set(decorators) & set(COMPILED):
                        yield f"{file.name} {node.name}", node


def test_compiled_functions_avoid_what_python_rounds_differently() -> None:
    """Python's power and `math.hypot`, and NumPy's sums of eight and more, may differ in the last bit."""
    found, functions = [], list(compiled_functions())
    for place, function in functions:
        for node in ast.walk(function):
            power = (
                isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant)
            )
            if power and node.right.value in (2, 0.5):  # type: ignore[attr-defined]
                found.append(f"{place}: {ast.unparse(node)}")
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".sum", ".dot", ".mean", "math.hypot")):
                found.append(f"{place}: {ast.unparse(node)}")
    assert len(functions) > 200
    assert found == ["shortest_vector.py free_row: labels.sum()"]  # of -1 and +1: exact in any order
