"""Without its extras, everything but what an extra is for can be imported."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPTIONAL = (
    "matplotlib", "pandas", "torch", "stable_baselines3", "sb3_contrib", "panel", "bokeh", "loky", "pyarrow", "yaml",
    "optuna", "sklearn", "river", "ray", "dask", "tensorboard", "filelock",
)  # fmt: skip
# What is imported at the moment of drawing, of training, or of opening the page.
NEED_AN_EXTRA = (
    "learners.feedback.picture", "learners.rl.training", "learners.rl.training_folder", "learners.rl.tuning",
    "learners.rl.vector_adapter", "strategic_env.explorer.page", "strategic_env.games.centres.picture",
    "strategic_env.games.strategic.rendering.picture", "strategic_env.reproduce.drawing",
    "strategic_env.reproduce.error_rates", "strategic_env.reproduce.figures",
)  # fmt: skip
PROGRAM = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    sys.modules[name] = None
for room in ("agents", "learners", "strategic_env"):
    for one in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
        try:
            importlib.import_module(one.name)
        except ImportError:
            print(one.name)
"""


def test_what_needs_no_extra_is_imported_without_any() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *OPTIONAL], capture_output=True, text=True, cwd=ROOT, check=True
    )
    halted = done.stdout.split()
    assert [name for name in halted if not name.startswith(NEED_AN_EXTRA)] == []
    assert all(any(name.startswith(one) for name in halted) for one in NEED_AN_EXTRA)
