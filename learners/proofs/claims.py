"""What a certificate has found so far: how often each claim held, and the first one that failed."""

from collections import Counter

from learners.proofs.certificate import Violation

ROUNDING = 1e-9


class Claims:
    """The claims of a proof about one game, round by round.

    Attributes
    ----------
    violation : Violation or None
        The first claim that failed.
    checked : Counter of str
        How often each claim held.
    """

    def __init__(self) -> None:
        self.violation: Violation | None = None
        self.checked: Counter[str] = Counter()
        self._round = 0

    def _claim(self, what: str, value: float, limit: float) -> None:
        """Note whether a value is at most its limit, up to rounding; NaN is not."""
        if value <= limit + ROUNDING * max(1.0, abs(limit)):
            self.checked[what] += 1
        elif self.violation is None:
            self.violation = Violation(what, self._round, {what: value, "at most": limit})

    def raise_if_violated(self) -> None:
        """Raise an AssertionError that tells the violation, if there is one."""
        if self.violation is not None:
            what, round, details = self.violation
            numbers = ", ".join(f"{name} {value!r}" for name, value in details.items())
            raise AssertionError(f"the proof fails in round {round}: {numbers}")
