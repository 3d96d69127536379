"""A scenario of one's own: individuals from a table, who can change what its owner says they can."""

import logging
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from agents.costs import Cost, L2Cost, WeightedL1Cost
from agents.foundation.checks import finite_length, one_of, shown
from agents.foundation.typing import Float
from agents.populations.finite import DataSet, standardised
from agents.populations.groups import Groups
from learners.separators import margins
from strategic_env.data.own_table import Code, OwnTable, column_named, read_own
from strategic_env.games.strategic.options import knowledge_of
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.games.strategic.setting import Setting

AUTO = "auto"
# The separator that says which columns point the wrong way is found on so many rows at most: it takes seconds.
MOST_ROWS = 2000

_log = logging.getLogger("agents.own_table")  # what the command line shows, and Python where nobody set up logging
_once = cache(_log.warning)


def from_table(
    table: object,
    *,
    label: str,
    alpha: Mapping[str, float] | float,
    positive: object = 1,
    cost: str = "l1",
    code: Code = (),
    drop: str | Sequence[str] = (),
    groups: str | Sequence[float] | None = None,
    orient: str | Sequence[str] | None = None,
    feedback: Any = "full",
    noise: float = 0.0,
    horizon: int | None = None,
    name: str | None = None,
) -> Scenario:
    """Return a scenario whose individuals are the rows of a table of your own.

    Every column but the label is a feature, brought to mean 0 and standard deviation 1. The rows arrive pass after
    pass, each pass in its own random order.

    Parameters
    ----------
    table : path, DataFrame, pyarrow.Table or mapping of str to sequence
        A CSV file with a header, or columns by name.
    label : str
        The column that holds the label.
    alpha : mapping of str to float, or float
        How far an individual can move a column for the value of being accepted, in its standard deviations; columns
        that are not named cannot move, which is said once. A number holds for every column; for l2 costs it must be
        one.
    positive : object
        The entry of the label that means +1, as a text or a number; every other entry means -1.
    cost : str
        ``"l1"`` (weighted, by column) or ``"l2"``.
    code : str, sequence of str, or mapping of str to sequence
        Columns of text to make numbers of. A mapping gives the order of each, from worst to best; else they are
        ordered by their shares of positive labels. ``scenario.options["code"]`` shows the coding.
    drop : str or sequence of str
        Columns to leave out.
    groups : str or sequence of float, optional
        A column that says who belongs to which group: left out of the features, so that no learner sees it, and told
        apart in results. Or shares that sum to 1: groups are drawn.
    orient : str or sequence of str, optional
        Learners for weighted l1 costs need columns where larger is better. Columns that point the other way by the
        sign of a soft-margin separator are told in a warning; ``"auto"`` turns them round (x becomes -x), names turn
        round just those columns, and an empty list none.
    feedback : str
        As of `Setting`.
    noise : float
        Probability that a label is flipped when its individual arrives.
    horizon : int, optional
        Rounds per episode; the number of rows by default.
    name : str, optional
        What tables and pictures call it; the file's name, or ``"table"``, by default.

    Returns
    -------
    Scenario
        Its ``setting.population`` has the ``features``, ``labels`` and ``names`` of the columns; one that was turned
        round has a minus before its name.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above, a value is missing or no number (with its row and column), or a column is
        constant.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> from strategic_env import evaluate, from_table
    >>> people = {"savings": [1, 3, 2, 5, 4, 7], "age": [30, 25, 40, 35, 60, 50], "repaid": [0, 0, 0, 1, 1, 1]}
    >>> lending = from_table(people, label="repaid", alpha={"savings": 0.5, "age": 0.0})
    >>> lending.setting.population.names, lending.knowledge["alpha"], lending.horizon
    (('savings', 'age'), [0.5, 0.0], 6)
    >>> results = evaluate(["strategic-gradient"], lending, seeds=2, rounds=60)
    >>> [run.mistakes < 30 for run in results.runs]
    [True, True]
    """
    dropped = [drop] if isinstance(drop, str) else list(drop)
    given = read_own(
        table, label, positive, code=code, left_out=dropped, groups=groups if isinstance(groups, str) else None
    )
    features = standardised(given.features, given.names)
    cost_kind, manipulation = _cost(cost, alpha, given.names)
    turned = _turned(orient, given, features, cost_kind)
    signs = np.array([-1.0 if column in turned else 1.0 for column in given.names])
    names = [f"-{column}" if column in turned else column for column in given.names]
    population = DataSet(features * signs, given.labels, standardise=False, noise=noise, names=names)
    if groups is not None:
        population = population.grouped(_groups(groups, given.groups))
    setting = Setting(population=population, cost=manipulation, feedback=feedback)
    asked: dict[str, object] = {
        "label": label, "positive": positive, "alpha": alpha if isinstance(alpha, Mapping) else float(alpha),
        "cost": cost, "code": given.coding, "drop": dropped, "groups": groups, "turned": turned,
        "feedback": setting.feedback, "noise": noise,
    }  # fmt: skip
    options = {key: value for key, value in asked.items() if value not in (_DEFAULTS.get(key), [], {})}
    called = Path(os.fspath(table)).stem if isinstance(table, (str, os.PathLike)) else "table"
    if name is not None:
        if not isinstance(name, str) or not name:
            raise TypeError(f"name must be a text that is not empty, got {shown(name)}")
        called = name
    length = len(given.labels) if horizon is None else horizon
    return Scenario(called, setting, length, knowledge_of(population, manipulation), None, options)


_DEFAULTS = {"positive": 1, "cost": "l1", "feedback": "full", "noise": 0.0, "groups": None}


def _groups(groups: str | Sequence[float], entries: Sequence[str]) -> Groups:
    """Return who belongs to which group, by the column of this name with these entries, or by shares."""
    if not isinstance(groups, str):
        return Groups.drawn(groups)
    try:
        return Groups.of(entries)
    except ValueError as error:
        raise ValueError(f"groups must name a column of a few groups, got {groups!r}: {error}") from error


def _cost(cost: str, alpha: Mapping[str, float] | float, names: Sequence[str]) -> tuple[str, Cost]:
    """Return the kind of the cost, and the cost itself."""
    kind = one_of("cost", cost, ("l1", "l2"))
    if not isinstance(alpha, Mapping):
        reach = finite_length("alpha", alpha)
        return kind, L2Cost(reach) if kind == "l2" else WeightedL1Cost(np.full(len(names), reach))
    if kind == "l2":
        raise TypeError(f"alpha must be one number for l2 costs, which know no columns, got {shown(dict(alpha))}")
    reaches = {column_named("alpha", key, names): finite_length(f"alpha of {key!r}", alpha[key]) for key in alpha}
    if fixed := [column for column in names if column not in reaches]:
        _once(f"cannot move, as alpha does not name them: {', '.join(fixed)}")
    return kind, WeightedL1Cost(np.array([reaches.get(column, 0.0) for column in names]))


def _turned(orient: str | Sequence[str] | None, given: OwnTable, features: Float, cost: str) -> list[str]:
    """Return the names of the columns to turn round."""
    if orient is not None and orient != AUTO:
        return [column_named("orient", each, given.names) for each in ([orient] if isinstance(orient, str) else orient)]
    if cost == "l2" and orient is None:
        return []
    weights = _direction(features, given.labels)
    wrong = [column for column, weight in zip(given.names, weights, strict=True) if weight < 0.0]
    if orient is None and wrong:
        warnings.warn(
            f"in {', '.join(wrong)} smaller seems better (by the signs of a soft-margin separator), and learners for "
            "weighted l1 costs need columns where larger is better: orient='auto' turns these round, a list of names "
            "turns those round, orient=[] takes all as they are",
            stacklevel=3,
        )
    return wrong if orient == AUTO else []


def _direction(features: Float, labels: Float) -> Float:
    """Return a vector along which labels grow: of a soft-margin separator or, where a constant is best, by means."""
    step = math.ceil(len(labels) / MOST_ROWS)
    points, marks = features[::step], labels[::step]
    separator = margins.soft_margin(points, marks)
    accepted = points @ separator[:-1] + separator[-1] >= 0.0
    if accepted.all() or not accepted.any():
        return np.asarray(features[labels > 0.0].mean(axis=0) - features[labels < 0.0].mean(axis=0))
    return separator[:-1]
