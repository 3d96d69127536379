"""What a release needs says the same everywhere, and the forge's files ask for what helps."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ABOUT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> Any:
    """Read a YAML file."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_version_is_the_same_in_every_file() -> None:
    changes = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", text("CHANGELOG.md"), re.MULTILINE)
    citation = read(ROOT / "CITATION.cff")
    assert changes[0] == (ABOUT["version"], str(citation["date-released"]))
    assert citation["version"] == ABOUT["version"]
    assert f"version = {{{ABOUT['version']}}}" in text("docs/citing.md")


def text(file: str) -> str:
    """Return the text of a file."""
    return (ROOT / file).read_text(encoding="utf-8")


def test_the_citation_has_what_the_format_asks_for_and_the_papers() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(citation) and citation["cff-version"] == "1.2.0"
    assert citation["license"] == ABOUT["license"]
    for paper in citation["references"]:
        assert {"type", "title", "authors", "year"} <= set(paper)
        assert all({"family-names", "given-names"} <= set(author) for author in paper["authors"])
        assert f"{{{paper['title']}}}" in text("docs/citing.md"), "the page and the file name the same papers"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_workflow_names_a_secret(path: Path) -> None:
    written = path.read_text(encoding="utf-8")
    assert not re.search(r"secrets\.|password|token:\s*\$", written.replace("id-token: write", ""), re.IGNORECASE)


def test_the_workflow_tests_every_python_that_the_package_names_and_publishes_what_it_tested() -> None:
    jobs = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    named = [line.rpartition(" ")[2] for line in ABOUT["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == named
    assert {"tests", "site", "build"} <= set(jobs["publish"]["needs"])
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    commands = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    assert any("-m site" in command for command in commands) and any("twine check" in command for command in commands)


@pytest.mark.parametrize(
    "path", [path for path in TEMPLATES if path.stem in ("bug", "number")], ids=lambda path: path.name
)
def test_templates_of_faults_ask_for_seed_version_and_command(path: Path) -> None:
    asked = {part["id"] for part in read(path)["body"] if part.get("validations", {}).get("required")}
    assert {"seed", "version", "command"} <= asked


def test_blank_issues_are_off_and_every_template_has_a_name_and_a_description() -> None:
    assert read(ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml") == {"blank_issues_enabled": False}
    assert all({"name", "description", "body"} <= set(read(path)) for path in TEMPLATES if path.stem != "config")


def test_links_of_the_readme_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text("README.md"))
    assert links and not [link for link in links if not (ROOT / link).exists()]
