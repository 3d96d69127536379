"""Files and links: points from a CSV file, the worksheet as a file, a link that restores everything."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import panel as pn

from strategic_env.explorer.page.style import FIELDS, TEXT, WIDE, WIDGET
from strategic_env.explorer.points import points_from, points_to
from strategic_env.explorer.session import Session
from strategic_env.explorer.setup import Setup
from strategic_env.explorer.share import pack
from strategic_env.explorer.worksheet import Worksheet

LINK = "setup"  # of a link's query


class Explored(Protocol):
    """What files and links need of the view."""

    setup: Setup
    session: Session | None
    worksheet: Worksheet

    def take(self, setup: Setup) -> None:
        """Go on with other points."""

    def tell(self, problem: str) -> None:
        """Say what went wrong."""

    def _later(self, act: Callable[..., None], *arguments: object) -> None:
        """Act after all that the visitor did before has arrived."""


class Files:
    """Widgets of files and links."""

    def __init__(self, explored: Explored) -> None:
        self._explored = explored
        style = {"stylesheets": [WIDGET], "sizing_mode": "stretch_width", "margin": 0}
        self.upload = pn.widgets.FileInput(accept=".csv,text/csv", **style)
        self.upload.param.watch(lambda event: explored._later(self._uploaded), "value")
        self.link = pn.widgets.TextInput(name="Link that restores points and settings", styles=WIDE, **style)
        self.share = pn.widgets.Button(name="Make a link", **style)
        self.share.on_click(lambda event: explored._later(self._shared))
        forms = {"CSV": ("csv", Worksheet.to_csv), "Markdown": ("md", Worksheet.to_markdown),
                 "LaTeX": ("tex", Worksheet.to_latex)}  # fmt: skip
        self.downloads = [
            self._download(f"Worksheet as {name}", f"worksheet.{ending}", form)
            for name, (ending, form) in forms.items()
        ]
        points = pn.widgets.FileDownload(
            callback=lambda: io.StringIO(points_to(explored.setup.points)), filename="points.csv",
            label="Points as CSV", **style,
        )  # fmt: skip
        label = pn.pane.HTML("Points from a CSV file with columns x1, x2, label", stylesheets=[TEXT], margin=0)
        self.view = pn.Column(
            pn.Column(label, self.upload, margin=0, styles=WIDE), *self.downloads, points, self.share, self.link,
            stylesheets=[FIELDS], sizing_mode="stretch_width", margin=(8, 0),
        )  # fmt: skip

    def _download(self, label: str, filename: str, form: Callable[[Worksheet], str]) -> object:
        def written() -> io.StringIO:
            return io.StringIO(form(self._explored.worksheet) if self._explored.session is not None else "")

        return pn.widgets.FileDownload(
            callback=written,
            filename=filename,
            label=label,
            stylesheets=[WIDGET],
            sizing_mode="stretch_width",
            margin=0,
        )

    def _uploaded(self) -> None:
        content = self.upload.value
        if content is None:
            return
        try:
            changed = replace(self._explored.setup, points=points_from(content), head=0)
        except ValueError as error:
            self._explored.tell(f"{self.upload.filename}: {error}")
            return
        self._explored.take(changed)

    def _shared(self) -> None:
        location = pn.state.location
        here = (location.href or "").partition("?")[0].partition("#")[0] if location is not None else ""
        self.link.value = f"{here}?{LINK}={pack(self._explored.setup)}"
