"""Optional dependencies: what to install where one is missing."""


def require_plot() -> None:
    """Raise an ImportError that says what to install where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError('drawing needs matplotlib: pip install "strategic-env[plot]"') from error
