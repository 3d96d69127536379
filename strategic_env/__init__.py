"""The environment in which learners meet people who react to them.

Importing it registers the environments with Gymnasium; everything else loads on first use.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING


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

from agents.foundation.lazy import lazily  # noqa: E402
from strategic_env.registration import register_all  # noqa: E402

register_all()

if TYPE_CHECKING:
    from strategic_env.evaluation import Results as Results
    from strategic_env.evaluation import evaluate as evaluate
    from strategic_env.evaluation import load_results as load_results
    from strategic_env.game import Setting as Setting
    from strategic_env.multiclass.game import MulticlassSetting as MulticlassSetting
    from strategic_env.multiclass.scenarios import MulticlassScenario as MulticlassScenario
    from strategic_env.multiclass.single import OnlineMulticlassEnv as OnlineMulticlassEnv
    from strategic_env.multiclass.vector import OnlineMulticlassVectorEnv as OnlineMulticlassVectorEnv
    from strategic_env.rollouts import Rollout as Rollout
    from strategic_env.rollouts import rollout as rollout
    from strategic_env.scenarios import Scenario as Scenario
    from strategic_env.scenarios import scenario as scenario
    from strategic_env.single import StrategicClassificationEnv as StrategicClassificationEnv
    from strategic_env.vector import StrategicClassificationVectorEnv as StrategicClassificationVectorEnv
    from strategic_env.vector_checker import check_vector_env as check_vector_env
else:
    _HOMES = {
        "evaluation": ("Results", "evaluate", "load_results"),
        "game": ("Setting",),
        "multiclass.game": ("MulticlassSetting",),
        "multiclass.scenarios": ("MulticlassScenario",),
        "multiclass.single": ("OnlineMulticlassEnv",),
        "multiclass.vector": ("OnlineMulticlassVectorEnv",),
        "rollouts": ("Rollout", "rollout"),
        "scenarios": ("Scenario", "scenario"),
        "single": ("StrategicClassificationEnv",),
        "vector": ("StrategicClassificationVectorEnv",),
        "vector_checker": ("check_vector_env",),
    }
    __all__ = [name for names in _HOMES.values() for name in names]
    __getattr__ = lazily(__name__, {name: home for home, names in _HOMES.items() for name in names})
