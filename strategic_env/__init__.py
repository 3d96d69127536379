"""The environment in which learners meet people who react to them.

Importing it registers the environments with Gymnasium; everything else loads on first use.
"""

from importlib.util import find_spec
from pathlib import Path

import lazy_loader


def _check_siblings() -> None:
    """Make sure that ``agents`` and ``learners`` are this distribution's own, since others use these names too."""
    home = Path(__file__).resolve().parent.parent
    for name in ("agents", "learners"):
        own, spec = home / name / "__init__.py", find_spec(name)
        found = Path(spec.origin).resolve() if spec is not None and spec.origin else None
        # Only read: to import what is not ours would run it.
        if not own.is_file() or b'DISTRIBUTION = "strategic-env"' not in own.read_bytes():
            raise ImportError(
                f"strategic_env needs its own package {name!r} at {own.parent}, but another distribution has replaced "
                f"it, or was uninstalled and took it along: pip install --force-reinstall --no-deps strategic-env "
                f"brings it back, in an environment of its own if you need the other one, too"
            )
        if found != own:
            raise ImportError(
                f"strategic_env needs its own package {name!r} at {home / name}, but Python finds {found}: "
                f"move or rename what shadows it, uninstall the distribution that brought it, or install "
                f"strategic-env in an environment of its own"
            )


_check_siblings()

from strategic_env.games.registration import register_all  # noqa: E402

register_all()

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
