"""A line of the table of bounds, and what it concludes."""

from typing import NamedTuple

from learners.bounds import RELATIVE_SLACK

HOLDS, LOOSE, ATTAINED, VIOLATED = "holds", "loose", "attained", "violated"
# Shares of the sharpest bound from which on it counts as attained, and below which as loose.
ATTAINED_FROM, LOOSE_BELOW = 0.99, 0.5


class Shares(NamedTuple):
    """Mistakes / bound, of the printed and of the sharpened bound; None where there is no such formula."""

    printed: float | None
    sharpened: float | None

    @property
    def sharpest(self) -> float:
        """The share of the sharpest formula."""
        return next(share for share in (self.sharpened, self.printed, 0.0) if share is not None)

    def or_worse(self, other: "Shares") -> "Shares":
        """Return the larger shares."""
        pairs = zip(self, other, strict=True)
        return Shares(*(max((share for share in pair if share is not None), default=None) for pair in pairs))


NOTHING = Shares(None, None)


class BoundRow(NamedTuple):
    """A bound, and the largest shares of it that were used.

    Attributes
    ----------
    bound, source : str
    runs : int
        Random streams.
    printed, sharpened : float or None
        Largest number of mistakes / bound over the random streams; None where there is no such formula.
    adversary : str
        Which adversary was worst; empty if there is none.
    adversary_printed, adversary_sharpened : float or None
        What it reached.
    verdict : str
        ``"holds"``, ``"loose"``, ``"attained"`` or ``"violated"``, of the sharpest formula.
    instance : str
        On whom a statement fails as printed; empty for bounds.
    """

    bound: str
    source: str
    runs: int
    printed: float | None
    sharpened: float | None
    adversary: str
    adversary_printed: float | None
    adversary_sharpened: float | None
    verdict: str
    instance: str = ""


def row(bound: str, source: str, runs: int, random: Shares, adversary: str = "", reached: Shares = NOTHING) -> BoundRow:
    """Return a line with its verdict."""
    return BoundRow(bound, source, runs, *random, adversary, *reached, conclude(random, reached))


def conclude(random: Shares, reached: Shares = NOTHING) -> str:
    """Judge a bound by the largest share of its sharpest formula; any formula may be violated."""
    worst = random.or_worse(reached)
    if any(share is not None and not share <= 1.0 + RELATIVE_SLACK for share in worst):
        return VIOLATED
    if worst.sharpest >= ATTAINED_FROM:
        return ATTAINED
    return LOOSE if worst.sharpest < LOOSE_BELOW else HOLDS
