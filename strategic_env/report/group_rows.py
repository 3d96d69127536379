"""Results by group: what a table shows of each group, of everybody, and of the gap between groups."""

from collections.abc import Mapping, Sequence

from agents.foundation.checks import shown
from strategic_env.bench.contestants import Contestant
from strategic_env.bench.evaluation import Results
from strategic_env.games.shared.columns import Column
from strategic_env.report.layout import MISSING
from strategic_env.report.sheets import Line
from strategic_env.report.summary import finished

Measured = dict[str, float | None]
GAP = "gap"


def by_group(results: Results, contestant: Contestant) -> dict[str, Measured]:
    """Return the measures of each group, by the names of the columns; None where there is nobody to measure."""
    runs, scenario = finished(results.of(contestant)), results.scenario
    return {group: _measured(scenario.group_table, [(run.columns, group) for run in runs]) for group in scenario.groups}


def of_everybody(results: Results, contestant: Contestant) -> Measured:
    """Return the same measures of all groups together."""
    runs, scenario = finished(results.of(contestant)), results.scenario
    return _measured(scenario.group_table, [(run.columns, group) for run in runs for group in scenario.groups])


def gaps(results: Results, contestant: Contestant) -> Measured:
    """Return how far the largest group lies above the smallest, by the names of the columns.

    None where fewer than two groups can be measured.
    """
    measured = by_group(results, contestant).values()
    found = {one.name: [each[one.name] for each in measured] for one in results.scenario.group_table}
    known = {name: [value for value in values if value is not None] for name, values in found.items()}
    return {name: max(values) - min(values) if len(values) > 1 else None for name, values in known.items()}


def in_files(results: Results, contestant: Contestant) -> dict[str, float | None]:
    """Return all measures and gaps of a learner under the names that files have for them."""
    table = results.scenario.group_table
    measured, apart = by_group(results, contestant), gaps(results, contestant)
    told = {f"{one.name}[{group}]": numbers[one.name] for group, numbers in measured.items() for one in table}
    return told | {one.gap: apart[one.name] for one in table} if measured else {}


def names_in_files(results: Results) -> list[str]:
    """Return the names of `in_files`."""
    scenario = results.scenario
    names = [f"{one.name}[{group}]" for group in scenario.groups for one in scenario.group_table]
    return names + [one.gap for one in scenario.group_table] if names else []


def group_lines(results: Results, contestant: Contestant, empty: Sequence[str]) -> list[Line]:
    """Return the lines of a learner's groups and of their gap; ``empty`` are the cells before theirs."""
    table = results.scenario.group_table
    measured = by_group(results, contestant) | {GAP: gaps(results, contestant)}
    return [Line(f"  {name}", [*empty, *cells(table, numbers)]) for name, numbers in measured.items()]


def cells(table: Sequence[Column], numbers: Measured) -> list[str]:
    """Return measures as a table shows them."""
    values = [(numbers[one.name], one.form) for one in table]
    return [MISSING if value is None else format(value, form) for value, form in values]


def check_grouped(results: Results) -> None:
    """Make sure that there are groups to show.

    Raises
    ------
    ValueError
        If the runs were not counted by group.
    """
    if not results.scenario.groups:
        raise ValueError(f"results must be of a scenario with groups (the option groups), got {shown(results)}")


def _measured(table: Sequence[Column], counted: Sequence[tuple[Mapping[str, float], str]]) -> Measured:
    def total(what: str) -> float:
        return sum(columns[f"{what}[{group}]"] for columns, group in counted)

    sums = [(one.name, total(one.total), total(one.over)) for one in table]
    return {name: above / below if below > 0 else None for name, above, below in sums}
