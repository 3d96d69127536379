"""Other libraries' adapters take our games; docs/multi_agent.md says how those too big for the tests are tried."""

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "adapters"


def test_supersuit_makes_rows_for_stable_baselines3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    importlib.import_module("with_supersuit").main(steps=64)
    assert capsys.readouterr().out.splitlines()[-1] == "trained for 64 actions"


def test_every_adapter_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs" / "multi_agent.md").read_text(encoding="utf-8")
    adapters = sorted(FOLDER.glob("*.py"))
    assert len(adapters) >= 4
    for path in adapters:
        assert f"python examples/adapters/{path.name}" in page
