"""``strategic-env warm`` compiles ahead."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ENVIRONMENT, command

from agents.foundation.disk_cache import COMPILING
from strategic_env.bench import warming


def run(cache: Path, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "strategic_env", *arguments],
        capture_output=True,
        text=True,
        env=ENVIRONMENT | {"NUMBA_CACHE_DIR": str(cache)} | variables,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_an_unknown_scenario_is_refused_before_any_work() -> None:
    refused = command("warm", "KnownL2", "nope")
    assert refused.returncode == 2 and refused.stderr.startswith("error: scenario must be one of 'KnownL2'")
    assert len(refused.stderr.splitlines()) == 1


def test_every_learner_plays_in_every_form(tmp_path: Path) -> None:
    assert run(tmp_path, "warm", "Example3", NUMBA_DISABLE_JIT="1") == "compiling for Example3\n"
    assert not list(tmp_path.rglob("*.nbc"))


@pytest.mark.parametrize("name", ["Example3", "Bandit"])
def test_what_is_told_adds_up_to_the_total(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    told: list[tuple[str, int]] = []
    warming.warm([name], lambda *what: told.append(what))
    learners = {f"{name} {one.label}" for one in warming._contestants(name)}
    assert {what for what, _ in told} == {name, *learners}
    assert {total for _, total in told} == {len(told)}


@pytest.mark.slow
def test_afterwards_a_run_compiles_nothing(tmp_path: Path) -> None:
    run(tmp_path, "warm", "KnownL2")
    compiled = set(tmp_path.rglob("*.nbc"))
    assert compiled and COMPILING not in run(tmp_path, "run", "KnownL2", "--seeds", "1", "--rounds", "300")
    assert set(tmp_path.rglob("*.nbc")) == compiled
