"""What people choose on the command line: a named scenario, or a table of their own."""

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence

from strategic_env.games import scenarios
from strategic_env.games.shared.scenario import BenchScenario, refuse_unknown
from strategic_env.games.strategic.own_table import from_table

TABLES = ".csv"


def chosen_scenario(
    name: str,
    options: Mapping[str, object],
    label: str | None,
    alpha: Sequence[str],
    groups: str | None,
    note: Callable[[str], object],
) -> BenchScenario:
    """Return the scenario of this name, or one whose individuals are the rows of this CSV file.

    Parameters
    ----------
    name : str
        Of a scenario or, as it ends in ``.csv``, of a file.
    options : mapping
        Of the scenario, or of `strategic_env.from_table`.
    label, alpha, groups
        Of a table only.
    note : callable
        Is told what `from_table` warns of.

    Raises
    ------
    TypeError, ValueError, OSError
        If they do not fit, or as `strategic_env.scenario` or `strategic_env.from_table`.
    """
    if not name.lower().endswith(TABLES):
        if label is not None or alpha or groups is not None:
            raise ValueError(
                f"--label, --alpha and --groups are for a table, a file that ends in {TABLES}, got {name!r}"
            )
        return scenarios.scenario(name, **options)
    if label is None:
        raise ValueError(f"a table needs --label COLUMN, the column that says whom to accept, got {name} without it")
    refuse_unknown(options, [key for key in inspect.signature(from_table).parameters if key != "table"], name)
    own = {"label": label, "alpha": reaches_of(alpha), "groups": groups}
    if twice := options.keys() & own.keys():
        raise ValueError(f"{min(twice)} must be given as --{min(twice)}, got it as --set")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = from_table(name, **own | dict(options))  # type: ignore[arg-type]  # which checks them
    for warning in caught:
        note(str(warning.message))
    return found


def reaches_of(alpha: Sequence[str]) -> float | dict[str, float]:
    """Return the reaches that ``--alpha`` gives: one of all columns, or some by name.

    Raises
    ------
    ValueError
        If one is not of the form COLUMN=REACH, or a column comes twice.
    """
    if len(alpha) == 1 and (reach := _number(alpha[0])) is not None:
        return reach
    reaches: dict[str, float] = {}
    for text in alpha:
        column, _, given = text.rpartition("=")
        reach = _number(given)
        if not column or reach is None:
            raise ValueError(f"--alpha must read COLUMN=REACH, or REACH for every column, got {text!r}")
        if column in reaches:
            raise ValueError(f"--alpha must name a column once, got {column!r} twice")
        reaches[column] = reach
    return reaches


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
