"""What moving does to the truth: nothing (gaming), or a share of it is real (improvement) and may change the label.

The class of a game's effect selects the rules, as that of a response does. After Attias, Blum, Naggita, Saless, Sharma
and Walter (ICML 2025): somebody at z who reports r stands at ``z' = z + m o (r - z)`` afterwards, with a mask m in
[0, 1]^d, and the label is that of z'. A label that noise has flipped stays flipped.
"""

from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from agents.boundary import FLOAT64_EPS, score, tolerance
from agents.costs import Prepared
from agents.foundation.checks import finite_array, shown
from agents.foundation.compiled import loop
from agents.foundation.lanes import length
from agents.foundation.selection import INLINED, PLAIN, Stub, rule_of
from agents.foundation.typing import Float
from agents.foundation.unchangeable import Unchangeable


class Gaming(NamedTuple):
    """Moving changes a report, and nothing else."""

    nothing: int = 0


class Improving(NamedTuple):
    """What is real of a move, in N games.

    Attributes
    ----------
    separators : ndarray, shape (N or 1, d + 1)
        ``[w*, b*]`` of each game, or of all.
    mask : ndarray, shape (d,)
        The share of a move that is real, by feature.
    slack : float
        The rounding of a score that lies on the separator: up to that, it is accepted as a mover's report is.
    scores : ndarray, shape (M,)
        Scores of true features under the separator, where they are known ahead (`fill_scores`).
    """

    separators: Float
    mask: Float
    slack: float
    scores: Float


@singledispatch
def changes(effect: Any) -> bool:
    """Whether moving may change a label."""
    raise NotImplementedError(f"no rule says what moving changes for a {type(effect).__name__}")


@singledispatch
def slope(effect: Any, game: int, prepared: Prepared, classifier: Float) -> float:
    """Return by how much the separator's score of a mover rises where the score of a classifier (d + 1,) rises by 1.

    The mover follows that classifier; ``prepared`` is it as prepared for answers.
    """
    raise NotImplementedError(f"no rule says what moving changes for a {type(effect).__name__}")


@singledispatch
def gain_of_report(effect: Any, game: int, features: Float, report: Float) -> float:
    """Return by how much the separator's score of somebody at ``features`` (d,) rises with any report (d,)."""
    raise NotImplementedError(f"no rule says what moving changes for a {type(effect).__name__}")


@singledispatch
def standing(effect: Any, game: int, features: Float) -> float:
    """Return the score of true features (d,) under the separator."""
    raise NotImplementedError(f"no rule says what moving changes for a {type(effect).__name__}")


@singledispatch
def known_standing(effect: Any, row: int) -> float:
    """Return the same of features that are known ahead, by their row."""
    raise NotImplementedError(f"no rule says what moving changes for a {type(effect).__name__}")


@singledispatch
def label_after(effect: Any, score: float, gain: float, label: float) -> float:
    """Return the label of somebody of this ``label`` whose ``score`` under the separator has risen by a ``gain``."""
    raise NotImplementedError(f"no rule says what moving changes for a {type(effect).__name__}")


@singledispatch
def fill_scores(effect: Any, features: Float, of_each: int, wanted: int) -> None:
    """Compute scores ahead: of the first ``wanted`` of the ``of_each`` rows of ``features`` (M, d) of each game."""
    raise NotImplementedError(f"no rule says what moving changes for a {type(effect).__name__}")


_RULES: set[Stub] = {changes, slope, gain_of_report, standing, known_standing, label_after}
INLINED.update(_RULES)
PLAIN.update({*_RULES, fill_scores})


@rule_of(Gaming, changes)
def _never(effect: Any) -> bool:
    return False


@rule_of(Improving, changes)
def _maybe(effect: Any) -> bool:
    return True


@rule_of(Gaming, slope)
def _no_slope(effect: Any, game: int, prepared: Prepared, classifier: Float) -> float:
    return 0.0


@rule_of(Gaming, gain_of_report)
def _no_gain(effect: Any, game: int, features: Float, report: Float) -> float:
    return 0.0


@rule_of(Gaming, standing)
def _no_standing(effect: Any, game: int, features: Float) -> float:
    return 0.0


@rule_of(Gaming, known_standing)
def _no_known_standing(effect: Any, row: int) -> float:
    return 0.0


@rule_of(Gaming, label_after)
def _same_label(effect: Any, score: float, gain: float, label: float) -> float:
    return label


@rule_of(Gaming, fill_scores)
def _fill_nothing(effect: Any, features: Float, of_each: int, wanted: int) -> None:
    pass


@rule_of(Improving, slope)
def _slope(effect: Any, game: int, prepared: Prepared, classifier: Float) -> float:
    separator, chosen, factor = effect.separators[game % effect.separators.shape[0]], prepared.chosen, prepared.factor
    if prepared.growth == 0.0:  # nobody moves
        return 0.0
    if chosen >= 0:  # weighted l1: along one feature
        return float(effect.mask[chosen] * separator[chosen] / (classifier[chosen] * factor))
    total = 0.0
    for i in range(effect.mask.shape[0]):
        total += separator[i] * effect.mask[i] * (classifier[i] * factor)
    return total / prepared.squared_norm


@rule_of(Improving, gain_of_report)
def _gain_of_report(effect: Any, game: int, features: Float, report: Float) -> float:
    separator, total = effect.separators[game % effect.separators.shape[0]], 0.0
    for i in range(effect.mask.shape[0]):
        total += separator[i] * effect.mask[i] * (report[i] - features[i])
    return total


@rule_of(Improving, standing)
def _standing(effect: Any, game: int, features: Float) -> float:
    return score(effect.separators[game % effect.separators.shape[0]], features)


@rule_of(Improving, known_standing)
def _known_standing(effect: Any, row: int) -> float:
    return float(effect.scores[row])


@rule_of(Improving, label_after)
def _label_after(effect: Any, score: float, gain: float, label: float) -> float:
    # Without a branch, which a processor could not foresee.
    return -label if (score >= -effect.slack) != (score + gain >= -effect.slack) else label


@rule_of(Improving, fill_scores)
def _fill_scores(effect: Any, features: Float, of_each: int, wanted: int) -> None:
    for row in range(effect.scores.shape[0]):
        if row % of_each < wanted:
            effect.scores[row] = standing(effect, row // of_each, features[row])


@loop
def fill_all_scores(effect: Any, features: Float, of_each: int, wanted: int) -> None:
    """As `fill_scores`, compiled."""
    fill_scores(effect, features, of_each, wanted)


@loop
def label_of(effect: Any, game: int, features: Float, report: Float, label: float) -> float:
    """Return the label after any report (d,) of somebody with true ``features`` (d,) and this ``label``."""
    gain = gain_of_report(effect, game, features, report)
    return float(label_after(effect, standing(effect, game, features), gain, label))


Effect: TypeAlias = Gaming | Improving


class Improvement(Unchangeable):
    """What is real of a move.

    Parameters
    ----------
    share : float or array_like, shape (d,)
        The share of a move that changes the true features, by feature; 1: all of it.
    separator : array_like, shape (d + 1,), optional
        ``[w*, b*]``, which says the label of wherever somebody stands; by default that of the population.

    Raises
    ------
    TypeError, ValueError
        If a share lies outside [0, 1], or the separator has no weights.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import Improvement
    >>> improvement = Improvement([1.0, 0.0], separator=[1.0, 0.0, -0.3])  # only the first feature is real, and counts
    >>> z, report = np.array([0.2, 0.1]), np.array([0.38, 0.34])
    >>> improvement.label(z, report, -1.0), improvement.label(z, z, -1.0)
    (1.0, -1.0)
    """

    def __init__(self, share: ArrayLike, separator: ArrayLike | None = None) -> None:
        given = np.asarray(share)
        self._share = finite_array("improvement", share, () if given.ndim == 0 else (None,))
        if not ((self._share >= 0.0) & (self._share <= 1.0)).all():
            raise ValueError(f"improvement must be shares between 0 and 1, got {shown(share)}")
        self._separator: Float | None = None
        if separator is not None:
            self._separator = finite_array("separator", separator, (None,))
            if len(self._separator) < 2 or not self._separator[:-1].any():
                raise ValueError(f"separator must be [w_1 .. w_d, b] with a weight, got {shown(separator)}")

    def __repr__(self) -> str:
        separator = "" if self._separator is None else f", separator={self._separator.tolist()}"
        return f"Improvement({self._share.tolist()}{separator})"

    @property
    def separator(self) -> Float | None:
        """The separator (d + 1,) that is given, in an array of the caller's own."""
        return None if self._separator is None else self._separator.copy()

    def mask(self, dim: int) -> Float:
        """Return the share of each of ``dim`` features.

        Raises
        ------
        ValueError
            If there are as many of neither shares nor the separator's weights.
        """
        if self._share.ndim and len(self._share) != dim:
            raise ValueError(f"improvement must be a number, or {dim} of them, got {self._share.tolist()}")
        if self._separator is not None and len(self._separator) != dim + 1:
            raise ValueError(f"separator must have {dim} weights and b, got {self._separator.tolist()}")
        return np.array(np.broadcast_to(self._share, dim))

    def label(self, features: ArrayLike, report: ArrayLike, label: float) -> float:
        """Return the label after a report (d,) of somebody with true ``features`` (d,); needs a separator."""
        if self._separator is None:
            raise ValueError("separator must be given to tell labels, got none")
        start = finite_array("features", features, (len(self._separator) - 1,))
        end = finite_array("report", report, start.shape)
        radius = float(max(np.linalg.norm(start), np.linalg.norm(end)))
        effect = improving(self.mask(len(start)), self._separator[np.newaxis].copy(), radius, 0.0)
        return float(label_of(effect, 0, start, end, label))


def improving(mask: Float, separators: Float, radius: float, reach_scale: float, rows: int = 0) -> Improving:
    """Return an effect of separators (N or 1, d + 1) of one norm, with room for so many scores known ahead."""
    return Improving(separators, mask, slack_of(separators[0], radius, reach_scale), np.zeros(rows))


def slack_of(separator: Float, radius: float, reach_scale: float) -> float:
    """Return the rounding of scores under a separator (d + 1,) of people within a radius, who move so far at most."""
    dim = len(separator) - 1
    return float(tolerance(length(separator[:-1]), float(separator[-1]), radius, reach_scale, dim, FLOAT64_EPS))
