"""Optional dependencies: what to install where one is missing."""

from agents.extras import missing_extra


def require_plot() -> None:
    """Raise an ImportError that says what to install where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise missing_extra("drawing", "matplotlib", "plot") from error
