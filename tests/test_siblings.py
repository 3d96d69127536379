"""Other distributions install `agents` and `learners`, too: what stands in the place of ours is named, and not run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOREIGN = "raise SystemExit('somebody else was run')\n"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder like site-packages, which holds the three packages."""
    home = tmp_path / "site"
    for package in ("agents", "learners", "strategic_env"):
        shutil.copytree(ROOT / package, home / package, ignore=shutil.ignore_patterns("__pycache__", "data"))
    return home


def imported(module: str, *paths: Path) -> str:
    """Return the last line of what an import says, '' where it works."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", f"import {module}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=paths[0], env=environment, timeout=120)
    return done.stderr.strip().rpartition("\n")[2]


def test_the_three_packages_belong_together(installed: Path) -> None:
    assert imported("agents, learners, strategic_env", installed) == ""


@pytest.mark.parametrize("package", ["agents", "learners"])
def test_a_package_that_was_overwritten_is_to_be_installed_again(package: str, installed: Path) -> None:
    (installed / package / "__init__.py").write_text(FOREIGN, encoding="utf-8")
    says = imported("strategic_env", installed)
    assert says.startswith(
        f"ImportError: strategic_env needs its own package '{package}' at {installed / package}, but"
    )
    assert "pip install --force-reinstall --no-deps strategic-env" in says and "environment of its own" in says


@pytest.mark.parametrize("package", ["agents", "learners"])
def test_a_package_that_an_uninstallation_took_along_is_to_be_installed_again(package: str, installed: Path) -> None:
    (installed / package / "__init__.py").unlink()
    assert "--force-reinstall" in imported("strategic_env", installed), "what is left is an empty namespace"
    shutil.rmtree(installed / package)
    assert "--force-reinstall" in imported("strategic_env", installed)


@pytest.mark.parametrize("package", ["agents", "learners"])
def test_a_package_that_stands_before_ours_is_named(package: str, installed: Path, tmp_path: Path) -> None:
    shadow = tmp_path / "elsewhere" / package / "__init__.py"
    shadow.parent.mkdir(parents=True)
    shadow.write_text(FOREIGN, encoding="utf-8")
    says = imported("strategic_env", tmp_path / "elsewhere", installed)
    assert f"but Python finds {shadow}: move or rename what shadows it" in says


def test_learners_alone_says_where_to_learn_more(installed: Path) -> None:
    (installed / "agents" / "__init__.py").write_text("", encoding="utf-8")
    shutil.rmtree(installed / "agents" / "foundation")
    says = imported("learners", installed)
    assert says == "ImportError: learners needs the 'agents' of strategic_env, whose import says what is wrong"
