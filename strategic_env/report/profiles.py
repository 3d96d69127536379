"""Pictures of performance profiles and of intervals; matplotlib is imported only to draw them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import LARGEST, finite_array, shown
from agents.foundation.pictures import blank_figure, drawing, picture_path, require_matplotlib
from agents.foundation.typing import Float
from strategic_env.report.curves import LOOKS, Look, plain_axes, save_picture, write_above
from strategic_env.report.scores import RESAMPLES, Estimate, interquartile_mean, interval_text, performance_profile
from strategic_env.report.summary import counted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

THRESHOLDS = 401


def plot_profiles(
    scores: Mapping[str, ArrayLike],
    path: str | Path,
    *,
    thresholds: ArrayLike | None = None,
    xlabel: str = "normalised score",
    looks: Mapping[str, Look] | None = None,
    resamples: int = RESAMPLES,
) -> None:
    """Draw each learner's share of runs above every score, with 95% bands, as a PNG, PDF or SVG.

    A curve further right is better at that share of runs; the names stand in the order of interquartile means.

    Parameters
    ----------
    scores : mapping of str to array_like (runs, tasks)
        Of every learner, more being better.
    path : path
        Its end says the format.
    thresholds : array_like (thresholds,), optional
        Ascending; by default from the lowest score to the highest.
    xlabel : str
        What the scores are.
    looks : mapping of str to (colour, line style), optional
        Such as `strategic_env.report.curves.looks_of` returns.
    resamples : int
        As `strategic_env.report.scores.performance_profile`.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    DrawingFailed
        If it fails.
    TypeError, ValueError
        As `strategic_env.report.scores.performance_profile`; or if there are no scores, thresholds do not ascend, a
        look is missing, or the path is none or ends otherwise.
    """
    picture_path(path)
    require_matplotlib()
    arrays = {
        label: finite_array(f"scores of {label}", value, (None, None), largest=LARGEST)
        for label, value in scores.items()
    }
    chosen, limits = _looks(list(arrays), looks), _limits(arrays, thresholds)
    means = {label: interquartile_mean(array, resamples=1).value for label, array in arrays.items()}
    profiles = {label: performance_profile(array, limits, resamples=resamples) for label, array in arrays.items()}
    with drawing():
        figure, axes = _figure(height=4.4)
        curves = []
        for label in sorted(arrays, key=lambda label: -means[label]):
            profile, (colour, style) = profiles[label], chosen[label]
            axes.fill_between(limits, profile.low, profile.high, color=colour, alpha=0.15, linewidth=0, step="post")
            (line,) = axes.step(limits, profile.share, where="post", color=colour, linestyle=style, linewidth=2.0)
            line.set_label(f"{shortened(label)}  {means[label]:.2f}")
            curves.append(line)
        write_above(axes, f"{_sizes(arrays)}; bands are 95% intervals")
        axes.set_xlim(limits[0], limits[-1])
        axes.set_xlabel(xlabel, fontsize=12)
        _draw_shares(axes)
        _draw_legend(axes, curves)
        save_picture(figure, path)


def _limits(scores: Mapping[str, Float], thresholds: ArrayLike | None) -> Float:
    """Return the thresholds that are asked for, checked, or those that the scores need."""
    limits = _range(scores) if thresholds is None else finite_array("thresholds", thresholds, (None,))
    if len(limits) < 2 or np.any(np.diff(limits) <= 0.0):
        raise ValueError(f"thresholds must be at least two and ascend, got {shown(limits.tolist())}")
    return limits


def _draw_shares(axes: "Axes") -> None:
    from matplotlib.ticker import PercentFormatter

    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_ylabel("share of runs above it", fontsize=12)


def _draw_legend(axes: "Axes", curves: "Sequence[Line2D]") -> None:
    """Name the curves beside the picture."""
    legend = axes.legend(
        curves,
        [""] * len(curves),
        title="learner  interquartile mean",
        title_fontsize=10.5,
        alignment="left",
        loc="center left",
        bbox_to_anchor=(1.02, 0.5),
        frameon=False,
        fontsize=10.5,
    )
    for text, curve in zip(legend.get_texts(), curves, strict=True):
        text.set_text(str(curve.get_label()))  # afterwards: a legend hides names that begin with an underscore


def plot_intervals(
    estimates: Mapping[str, Estimate],
    path: str | Path,
    *,
    xlabel: str,
    looks: Mapping[str, Look] | None = None,
) -> None:
    """Draw each learner's estimate and 95% interval on a line of its own, in the order given, as a PNG, PDF or SVG.

    Parameters
    ----------
    estimates : mapping of str to Estimate
    path : path
        Its end says the format.
    xlabel : str
        What is estimated.
    looks : mapping of str to (colour, line style), optional
        As `plot_profiles`.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    DrawingFailed
        If it fails.
    TypeError, ValueError
        If there are no estimates, an interval is not finite or does not hold its estimate, a look is missing, or the
        path is none or ends otherwise.
    """
    picture_path(path)
    chosen = _looks(list(estimates), looks)
    for label, estimate in estimates.items():
        value, low, high = finite_array(f"estimate of {label}", estimate, (3,), largest=LARGEST)
        if not low <= value <= high:
            raise ValueError(f"estimate of {label} must lie in its interval, got {shown(estimate)}")
    form = ".2f" if max(abs(estimate[0]) for estimate in estimates.values()) >= 0.1 else ".2g"
    with drawing():
        figure, axes = _figure(height=0.8 + 0.42 * len(estimates))
        for place, (label, (value, low, high)) in enumerate(estimates.items()):
            colour = chosen[label][0]
            axes.plot([low, high], [place, place], color=colour, linewidth=9, alpha=0.35, solid_capstyle="butt")
            axes.plot(value, place, marker="|", color=colour, markersize=16, markeredgewidth=2.5)
            text = interval_text(Estimate(value, low, high), form)
            axes.text(1.03, place, text, transform=axes.get_yaxis_transform(), color=colour, fontsize=10.5, va="center")
        write_above(axes, "bars are 95% intervals")
        axes.set_yticks(range(len(estimates)), [shortened(label) for label in estimates])
        axes.set_ylim(len(estimates) - 0.5, -0.5)
        axes.set_xlabel(xlabel, fontsize=12)
        save_picture(figure, path)


def _looks(labels: Sequence[str], looks: Mapping[str, Look] | None) -> dict[str, Look]:
    if not labels:
        raise ValueError("there must be at least one learner to draw, got none")
    if looks is None:
        return {label: LOOKS[place % len(LOOKS)] for place, label in enumerate(labels)}
    missing = [label for label in labels if label not in looks]
    if missing:
        raise ValueError(f"looks must hold every learner, got none for {missing}")
    return {label: looks[label] for label in labels}


def _range(scores: Mapping[str, Float]) -> Float:
    """Return thresholds from the lowest score to the highest, with a margin, so that no curve hides in the frame."""
    low, high = min(map(np.min, scores.values())), max(map(np.max, scores.values()))
    margin = max(0.03 * (high - low), 1e-9 * max(abs(low), abs(high))) or 1.0
    return np.linspace(low - margin, high + margin, THRESHOLDS)


def _sizes(scores: Mapping[str, Float]) -> str:
    """Say over how many runs and tasks the curves are; learners may have had unequal numbers of runs."""
    runs = sorted({f"{len(array):,}" for array in scores.values()})
    tasks = sorted({array.shape[1] for array in scores.values()})
    return f"{' or '.join(runs)} runs of each of {' or '.join([*map(str, tasks[:-1]), counted(tasks[-1], 'task')])}"


def _figure(height: float) -> tuple["Figure", "Axes"]:
    figure = blank_figure(figsize=(7.2, height))
    axes = figure.add_subplot()
    plain_axes(axes)
    return figure, axes
