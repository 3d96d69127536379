"""What ``strategic-env explore`` does."""

import webbrowser
from collections.abc import Callable
from typing import Any

from strategic_env.explorer import require_panel


def page_for(what: str | None) -> Callable[[], Any]:
    """Return what makes the page of a scenario, or of the results in a folder.

    Raises
    ------
    ImportError
        If Panel is missing.
    TypeError, ValueError, OSError
        If it is neither.
    """
    require_panel()
    from strategic_env.explorer.page.server import loaded_page

    return loaded_page(what)


def serve(page: Callable[[], Any], port: int, open_browser: bool) -> None:
    """Serve a page until somebody interrupts.

    Raises
    ------
    OSError
        If the port is taken.
    """
    from strategic_env.explorer.page.server import ADDRESS, server_of

    try:
        server = server_of(page, port)
    except OSError as error:
        raise OSError(f"--port {port}: {error.strerror}; choose another, or 0 for a free one") from error
    where = f"http://{ADDRESS}:{server.port}"
    print(f"listening on {where} (Ctrl-C stops)", flush=True)
    if open_browser:
        server.io_loop.add_callback(webbrowser.open, where)
    server.run_until_shutdown()  # which takes an interruption for a reason to return
    print("stopped", flush=True)
