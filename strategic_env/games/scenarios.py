"""Named scenarios: a population, its cost of manipulation, the feedback, and what a learner is told."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.vector import VectorEnv

from agents.foundation.checks import count, one_of, shown
from strategic_env.games.registration import VECTOR, game_of, scenario_names
from strategic_env.games.shared.scenario import BenchScenario, refuse_unknown


def scenario(name: str, /, **options: object) -> BenchScenario:
    """Return a scenario by name.

    Parameters
    ----------
    name : str
        Such as ``"KnownL2"`` (`strategic-env list` shows them all).
    **options
        ``horizon``, ``population_seed``, and the scenario's own, such as ``dim`` and ``margin``: ``strategic-env list
        NAME`` shows them.

    Returns
    -------
    BenchScenario
        Of the scenario's game: a `Scenario` of strategic classification, a `MulticlassScenario`, ...

    Raises
    ------
    ValueError
        For an unknown name or option, or a value outside its limits.

    Examples
    --------
    >>> from strategic_env import scenario
    >>> lending = scenario("KnownL2", dim=3, margin=0.2)
    >>> lending.knowledge
    {'cost': 'l2', 'alpha': 0.3, 'radius': 1.0, 'margin': 0.2}
    >>> lending.make(reward="accuracy").action_space.shape
    (4,)
    """
    return kind_of(name).named(name, **options)


def kind_of(name: str) -> type[BenchScenario]:
    """Return the class of a named scenario.

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    return game_of(one_of("scenario", name, tuple(scenario_names()))).kind


def make(name: str, /, **options: object) -> gym.Env[Any, Any]:
    """Make the environment of a scenario; ``options`` are those of `scenario` and of its ``make``."""
    of_environment, own = _apart(name, options, kind_of(name).environment_options)
    return scenario(name, **own).make(**of_environment)


def make_vec(
    name: str, /, num_envs: int = 1, max_episode_steps: int | None = None, **options: object
) -> VectorEnv[Any, Any, Any]:
    """Make the vector environment of a scenario; ``options`` are those of `scenario` and of its ``make_vec``.

    Fewer ``max_episode_steps`` than the horizon become the horizon; -1 changes nothing, as in `gymnasium.make`.
    """
    of_environment, own = _apart(name, options, kind_of(name).vector_options())
    chosen = scenario(name, **own)
    if max_episode_steps is not None and not (type(max_episode_steps) is int and max_episode_steps == -1):
        steps = count("max_episode_steps", max_episode_steps, minimum=1)
        if steps < chosen.horizon and chosen.horizon_decides:
            raise ValueError(f"{name} plays another game with fewer rounds: say horizon={steps}, not max_episode_steps")
        chosen = chosen.lasting(min(chosen.horizon, steps))
    return chosen.make_vec(num_envs, **of_environment)


def _apart(
    name: str, options: Mapping[str, object], names: Sequence[str]
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the options of these names, and those of the scenario."""
    refuse_unknown(options, (*kind_of(name).own_options(name), *names), name)
    named = {key: value for key, value in options.items() if key in names}
    return named, {key: value for key, value in options.items() if key not in names}


class EntryPoint:
    """What `gymnasium.make` calls for a scenario; it asks for the render modes first, to wrap what collects frames."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.metadata = kind_of(name).metadata

    def __call__(self, **options: object) -> gym.Env[Any, Any]:
        """Make the environment."""
        return make(self._name, **options)


def __getattr__(name: str) -> Callable[..., gym.Env[Any, Any] | VectorEnv[Any, Any, Any]]:
    """Return Gymnasium's entry points of a scenario: attributes, so that no option can replace its name."""
    known = scenario_names()
    if name in known:
        return EntryPoint(name)
    if (single := name.removesuffix(VECTOR)) in known:
        return partial(make_vec, single)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def playable(wanted: str | BenchScenario) -> BenchScenario:
    """Return a scenario, or the one of this name.

    Raises
    ------
    TypeError
        If it is neither.
    ValueError
        If there is none of this name.
    """
    chosen = scenario(wanted) if isinstance(wanted, str) else wanted
    if not isinstance(chosen, BenchScenario):
        raise TypeError(f"scenario must be a name or a Scenario, got {shown(wanted)}")
    return chosen
