"""What a game adds to a table of results."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column of the table: a ratio of two sums over the runs.

    Attributes
    ----------
    name : str
        What it is called in files.
    heading : str
        In two lines.
    form : str
        How a number is written, as of `format`.
    note : str
        What it says, in a sentence.
    total, over : str
        What is divided by what: names of what runs count (`BenchScenario.columns`), ``"mistakes"``, ``"loss"``,
        ``"rounds"`` or ``"runs"``; of a column of groups, names of what is counted of each group.
    gap : str
        Of a column of groups: what the difference between the largest and the smallest group is called in files.
    """

    name: str
    heading: str
    form: str
    note: str
    total: str
    over: str
    gap: str = ""
