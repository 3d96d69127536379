"""Compiled code on disk: a learner from elsewhere spoils nobody else's, and an edit of its rules is noticed."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWN = """
from typing import NamedTuple
import numpy as np
from learners.base import Learner
from learners.rules import learn, publish, rule_of, write_published

class State(NamedTuple):
    weights: np.ndarray

@rule_of(State, learn)
def _learn(state, game, features, prediction, label, classifier, eps):
    state.weights[game, 0] = 3.0
    return True

@rule_of(State, publish)
def _publish(state, game, out):
    write_published(state.weights[game], 0.0, out)

class Own(Learner[State]):
    name, state_class, summary, parameters = "own", State, "its own", {}

    def initial_state(self, games, dim):
        return State(np.zeros((games, dim)))
"""
SHOW = "import sys, numpy as np\n{}\nprint({}.predict(np.array([0.0, 0.0, 1.0, 1.0, -1.0, 1.0]))[1].weights)"
OWN_PROGRAM, OTHER_PROGRAM = (
    SHOW.format("from own import Own", "Own()"),
    SHOW.format("from learners import Perceptron", "Perceptron()"),
)


def run(program: str, folder: Path, *paths: Path) -> str:
    path = os.pathsep.join(map(str, (ROOT, *paths)))
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=folder, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_learners_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "elsewhere"
    own.mkdir()
    (own / "own.py").write_text(OWN, encoding="utf-8")
    assert run(OWN_PROGRAM, tmp_path, own) == "[[3.]]"
    assert run(OTHER_PROGRAM, tmp_path) == "[[1.]]", "where the module of the other state cannot be imported"
    (own / "own.py").write_text(OWN.replace("= 3.0", "= 2.0"), encoding="utf-8")
    assert run(OWN_PROGRAM, tmp_path, own) == "[[2.]]", "not what was compiled before the edit"
