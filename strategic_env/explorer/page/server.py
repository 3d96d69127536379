"""Serves the page on this machine, to itself only."""

import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import panel as pn

from strategic_env.bench.evaluation import Results
from strategic_env.explorer import examples
from strategic_env.explorer.page.files import LINK
from strategic_env.explorer.page.results import results_view
from strategic_env.explorer.page.view import OWN, Explorer
from strategic_env.explorer.setup import Setup
from strategic_env.explorer.share import unpack
from strategic_env.sweep.reading import found_in

ADDRESS = "127.0.0.1"
PAGE = """
{% extends base %}
{% block preamble %}<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { margin: 0; background: #fff; }</style>{% endblock %}
{% block contents %}<main>{{ embed(roots.view) }}</main>{% endblock %}
"""
TITLE = "strategic_env explorer"


def page_of(view: Any) -> Any:
    """Return a page with one view, as wide as the screen."""
    template = pn.Template(PAGE)
    template.add_panel("view", view)
    template.add_variable("title", TITLE)
    return template


def explorer_page(name: str, setup: Setup) -> Callable[[], Any]:
    """Return what makes a visitor's page, of an example or what the link's query restores."""

    def make() -> Any:
        links = pn.state.session_args.get(LINK, [])
        if not links:
            return page_of(Explorer(name, setup).view)
        try:
            return page_of(Explorer(OWN, unpack(links[0].decode(errors="replace"))).view)
        except ValueError as error:
            return page_of(Explorer(OWN, Setup(), str(error)).view)

    return make


def results_page(results: Sequence[Results], lacking: str = "") -> Callable[[], Any]:
    """Return what makes a visitor's page of results, one scenario at a time, and of what they lack."""
    return lambda: page_of(results_view(results, lacking))


def server_of(page: Callable[[], Any], port: int) -> Any:
    """Return a server, not started yet, whose ``port`` is a free one where 0 is asked for.

    Raises
    ------
    OSError
        If the port is taken.
    """
    with socket.socket() as trial:  # Bokeh names the origins that it trusts before it has a port
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind((ADDRESS, port))
        port = trial.getsockname()[1]
    origins = [f"{host}:{port}" for host in (ADDRESS, "localhost")]
    return pn.serve(
        {"": page}, port=port, address=ADDRESS, show=False, start=False, verbose=False, title=TITLE,
        websocket_origin=origins,
    )  # fmt: skip


def loaded_page(target: str | None) -> Callable[[], Any]:
    """Return what makes the page of a scenario, or of the results in a folder, of a run or a sweep.

    Raises
    ------
    TypeError, ValueError, OSError, ImportError
        If it is neither, or cannot be read.
    """
    if target is not None and Path(target).is_dir():
        return results_page(*found_in(Path(target)))
    return explorer_page(*examples.loaded(target))
