"""What users install: the wheel, built by way of the source distribution, in an empty environment elsewhere."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
# Other versions of Python that the package is for, where they are present.
VERSIONS = [f"python3.{minor}" for minor in (11, 12, 13) if minor != sys.version_info.minor]
OTHERS = [
    version
    for version in VERSIONS
    if shutil.which(version) and subprocess.run([version, "-c", ""], capture_output=True).returncode == 0
]
PACKAGES = ("agents", "learners", "strategic_env")
SMOKE = """
import gymnasium
import agents, learners, strategic_env

environment = gymnasium.make("strategic_env:strategic_env/GermanCredit-v0")
environment.reset(seed=0)
environment.step(environment.action_space.sample())
emails = gymnasium.make("strategic_env:strategic_env/Spam-v0")
emails.reset(seed=0)
emails.step(0)
"""


def run(*command: str | Path, cwd: Path, **settings: str) -> str:
    """Run a command as a user would, with some settings but not this test run's; return what it prints."""
    ours = ("PYTHON", "PYTEST_", "NUMBA_", "COV_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)} | settings
    completed = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=1800
    )
    assert completed.returncode == 0, f"{command}\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, and the wheel from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    """Return the wheel."""
    (built,) = dist.glob("*.whl")
    return built


def test_the_index_would_take_both_files(dist: Path) -> None:
    said = run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *sorted(dist.iterdir()), cwd=dist)
    assert said.count("PASSED") == 2


def test_the_source_distribution_holds_what_the_package_is_made_and_tested_from(dist: Path) -> None:
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    top = {name.partition("/")[0] for name in names}
    assert {*PACKAGES, "tests", "docs", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"} <= top
    left = [
        name
        for name in names
        if re.search(r"__pycache__|\.pyc$|^build/|^results/|^docs/(environments|reference)/", name)
    ]
    assert not left


def test_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    tree = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and not any(part[0] == "." or part == "__pycache__" for part in path.relative_to(ROOT).parts)
    }
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == tree
    assert {f"{package}/py.typed" for package in PACKAGES} <= packed
    assert {
        f"strategic_env/data/{name}"
        for name in ("german_credit.csv", "spambase.csv.gz", "phishing.csv", "adult_sample.csv.gz")
    } <= packed


@pytest.mark.parametrize("python", [sys.executable, *OTHERS])
def test_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path, python: str) -> None:
    binaries = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run(python, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    run(binaries / "python", "-m", "pip", "install", "--quiet", wheel, cwd=elsewhere)
    run(binaries / "python", "-W", "error", "-c", SMOKE, cwd=elsewhere, XDG_CACHE_HOME=str(tmp_path / "user"))
    assert "GermanCredit" in run(binaries / "strategic-env", "list", cwd=elsewhere)
    run(binaries / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "strategic-env", cwd=elsewhere)
    left = f"from importlib.util import find_spec; print(*(name for name in {PACKAGES} if find_spec(name)))"
    assert run(binaries / "python", "-c", left, cwd=elsewhere).split() == [], "nothing stays importable"
