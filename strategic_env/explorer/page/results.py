"""The results of runs and sweeps: curves to hover, choose and put on a logarithmic scale, and a table that sorts."""

import html
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas
import panel as pn
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

from strategic_env.bench.evaluation import Results
from strategic_env.explorer.page.style import PALE, TEXT, WIDGET
from strategic_env.report.curves import looks_of
from strategic_env.report.summary import bound_of, finished, rows, shown_name, title
from strategic_env.report.tables import sheet

DASHES = {"-": "solid", "--": "dashed", ":": "dotted", "-.": "dashdot"}
LEAST = 0.5  # where no mistakes are drawn on a logarithmic scale


class ResultsView:
    """Curves and table of results.

    Attributes
    ----------
    view : panel.Column
    """

    def __init__(self, results: Results) -> None:
        self._results = results
        names = [shown_name(one) for one in results.contestants]
        style = {"stylesheets": [WIDGET], "margin": 0}
        self.learners = pn.widgets.CheckBoxGroup(name="Learners", options=names, value=names, **style)
        self.scale = pn.widgets.RadioBoxGroup(name="Scale", options=["linear", "logarithmic"], inline=True, **style)
        self._chart = pn.pane.Bokeh(self._figure(), sizing_mode="stretch_width", margin=0)
        for widget in (self.learners, self.scale):
            widget.param.watch(lambda event: self._redraw(), "value")
        shown = sheet(results)
        text = {"stylesheets": [TEXT], "sizing_mode": "stretch_width", "margin": (4, 0)}
        notes = "".join(f"<p>{html.escape(line)}</p>" for line in shown.notes)
        self.view = pn.Column(
            pn.pane.HTML(f"<h1>{html.escape(shown.title)}</h1>", **text), self.scale, self._chart, self.learners,
            self._table(), pn.pane.HTML(notes, **text), sizing_mode="stretch_width", margin=(8, 14),
        )  # fmt: skip

    def _redraw(self) -> None:
        self._chart.object = self._figure()

    def _figure(self) -> Any:
        logarithmic = self.scale.value == "logarithmic"
        kind = "log" if logarithmic else "linear"
        drawn = figure(
            name="results", height=420, sizing_mode="stretch_width", tools="pan,box_zoom,wheel_zoom,reset,save",
            x_axis_type=kind, y_axis_type=kind, x_axis_label="round", y_axis_label="mistakes so far",
        )  # fmt: skip
        drawn.toolbar.logo, drawn.toolbar.active_scroll = None, None
        drawn.grid.grid_line_color = PALE
        looks, lines = looks_of(self._results.contestants), []
        for contestant in self._results.contestants:
            name, (colour, dash) = shown_name(contestant), looks[contestant.label]
            seeds = np.array([run.curve for run in finished(self._results.of(contestant))], dtype=np.float64)
            if name not in self.learners.value or not len(seeds):
                continue
            mean = seeds.mean(axis=0)
            data = {
                "round": self._results.checkpoints, "mean": mean, "least": seeds.min(axis=0), "most": seeds.max(axis=0),
                "height": np.maximum(mean, LEAST) if logarithmic else mean, "learner": [name] * len(mean),
            }  # fmt: skip
            source, look = ColumnDataSource(data), {"line_color": colour, "line_dash": DASHES[dash]}
            lines.append(drawn.line("round", "height", source=source, line_width=2.5, legend_label=name, **look))
            if len(mean) == 1:  # a sweep keeps the last round unless told otherwise
                drawn.scatter("round", "height", source=source, size=10, color=colour)
            bound = bound_of(self._results, contestant)
            if bound is not None and bound <= 3.0 * max(1.0, float(seeds.max())):
                drawn.hspan(y=[bound], line_color=colour, line_dash="dotted", line_width=1.5)
        tips = [
            ("learner", "@learner"),
            ("round", "@round{0,0}"),
            ("mistakes", "@mean{0,0.0} (@least{0,0} to @most{0,0})"),
        ]
        drawn.add_tools(HoverTool(renderers=lines, tooltips=tips, mode="mouse"))
        if lines:
            drawn.legend.location, drawn.legend.background_fill_alpha = "top_left", 0.8
        return drawn

    def _table(self) -> Any:
        """Return every learner's line with its numbers, to be sorted by any of them."""
        lines = [asdict(row) for row in rows(self._results)]
        table = pandas.DataFrame([line | line.pop("columns") for line in lines]).dropna(axis="columns", how="all")
        table = table.drop(columns=[name for name in ("failed", "missing") if not table[name].any()])
        titles = {name: name.replace("_", " ") for name in table.columns}
        return pn.widgets.Tabulator(
            table.round(3), disabled=True, show_index=False, titles=titles, sizing_mode="stretch_width",
            layout="fit_data_stretch", stylesheets=[WIDGET], margin=(8, 0),
        )  # fmt: skip


def results_view(results: Sequence[Results], lacking: str = "") -> Any:
    """Return the view of results, of one scenario at a time, and of what they lack, for a server or a notebook."""
    text = {"stylesheets": [TEXT], "sizing_mode": "stretch_width", "margin": (4, 14)}
    notes = [pn.pane.HTML(f"<p>{html.escape(lacking)}</p>", **text)] if lacking else []
    if len(results) == 1:
        return pn.Column(*notes, ResultsView(results[0]).view, sizing_mode="stretch_width")
    options = {title(one): one for one in results}
    chosen = pn.widgets.Select(name="Scenario", options=options, stylesheets=[WIDGET], margin=(8, 14))
    shown = pn.bind(lambda one: ResultsView(one).view, chosen)
    return pn.Column(*notes, chosen, shown, sizing_mode="stretch_width")
