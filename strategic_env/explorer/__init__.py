"""The explorer: a learner and its individuals, step by step, in the browser or in a notebook.

Only `strategic_env.explorer.page` needs Panel and Bokeh, which the extra ``explorer`` brings.
"""

from typing import Any

from agents.foundation.extras import missing_extra


def require_panel() -> None:
    """Make sure that Panel and Bokeh can be imported.

    Raises
    ------
    ImportError
        If not: with the extra that brings them.
    """
    try:
        import bokeh  # noqa: F401
        import panel  # noqa: F401
    except ImportError as error:
        raise missing_extra("the explorer", "Panel and Bokeh", "explorer") from error


def view(what: Any = None) -> Any:
    """Return the page as a Panel object, for a notebook in which ``panel.extension("tabulator")`` was called.

    Parameters
    ----------
    what : str, Setup, Results or list of Results, optional
        The name of a scenario or of an example, points and settings of your own, or what `evaluate` or
        `strategic_env.sweep.read` returned; by default the lecture's hand task.

    Raises
    ------
    ImportError
        If Panel is missing.
    TypeError, ValueError
        If it is none of these.
    """
    require_panel()
    from strategic_env.bench.evaluation import Results
    from strategic_env.explorer import examples
    from strategic_env.explorer.page.results import results_view
    from strategic_env.explorer.page.view import OWN, Explorer
    from strategic_env.explorer.setup import Setup

    if isinstance(what, Results):
        return results_view([what])
    if isinstance(what, list) and what and all(isinstance(one, Results) for one in what):
        return results_view(what)
    if isinstance(what, Setup):
        return Explorer(OWN, what).view
    if what in examples.NAMES:
        return Explorer(what, examples.example(what)).view
    return Explorer(*examples.loaded(what)).view
