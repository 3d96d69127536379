"""Results: printed as they come, saved as CSV (a line per ratio) and as JSON (every pair, and the machine)."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.foundation.files import write_csv
from benchmarks.measure import Measurement, Row

COLUMNS = (
    "row", "ratio", "reach", "reached", "lower_quartile", "upper_quartile", "minimum", "maximum", "pairs", "clock",
    "threads", "load", "numerator", "numerator_median", "denominator", "denominator_median", "unit", "skipped",
)  # fmt: skip
HEADER = f"{'row':26} {'ratio':>8} {'reach':>8}      [quartiles] (range of the pairs' ratios): medians of both sides"
UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))


@dataclass(frozen=True)
class Result:
    """A row, what was measured or why nothing was, and the machine's load then."""

    row: Row
    measured: Measurement | str
    load: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the median of the ratios is what the row must reach; None where nothing was measured."""
        if isinstance(self.measured, str):
            return None
        return self.row.reach.holds(float(np.median(self.measured.ratios)))

    def line(self) -> str:
        """Return a line for people."""
        measured = self.measured
        if isinstance(measured, str):
            return f"{self.row.name:26} skipped: {measured}"
        least, low, median, high, most = np.quantile(measured.ratios, np.linspace(0.0, 1.0, 5))
        numerator, denominator = (
            f"{side} {_amount(float(value), measured.unit)}"
            for side, value in zip(measured.sides, np.median(measured.values, axis=0), strict=True)
        )
        return (
            f"{self.row.name:26} {median:8.3g} {self.row.reach!s:>8} {'yes' if self.reached else 'NO':>4}"
            f" [{low:.3g} .. {high:.3g}] ({least:.3g} .. {most:.3g}): {numerator} / {denominator}"
            f" ({len(measured.values)} pairs, {measured.clock}, threads {measured.threads}, load {self.load})"
        )

    def record(self) -> dict[str, object]:
        """Return the same for machines."""
        measured = self.measured
        common: dict[str, object] = {"row": self.row.name, "reach": str(self.row.reach), "load": self.load}
        if isinstance(measured, str):
            return common | {"skipped": measured}
        quantiles = np.quantile(measured.ratios, np.linspace(0.0, 1.0, 5)).tolist()
        medians = np.median(measured.values, axis=0).tolist()
        return (
            common
            | dict(zip(("minimum", "lower_quartile", "ratio", "upper_quartile", "maximum"), quantiles, strict=True))
            | dict(zip(("numerator", "denominator"), measured.sides, strict=True))
            | dict(zip(("numerator_median", "denominator_median"), medians, strict=True))
            | {"reached": self.reached, "pairs": len(measured.values), "unit": measured.unit}
            | {"clock": measured.clock, "threads": measured.threads, "values": measured.values.tolist()}
        )


def save(path: Path, machine: dict[str, object], results: list[Result]) -> None:
    """Write a table, ``path`` with ``.csv``, and everything, with ``.json``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [result.record() for result in results]
    table = ([record.get(name) for name in COLUMNS] for record in records)
    write_csv(path.with_suffix(".csv"), COLUMNS, table)
    text = json.dumps({"machine": machine, "rows": records}, indent=1)
    path.with_suffix(".json").write_text(text, encoding="utf-8")


def _amount(value: float, unit: str) -> str:
    if unit == "bytes":
        return f"{value / 2**20:.1f} MiB"
    name, size = next((pair for pair in UNITS if value >= pair[1]), UNITS[-1])
    return f"{value / size:.3g} {name}{unit.removeprefix('s')}"
