"""What the turn-based and the simultaneous form of the game share: their options, their spaces, their pictures."""

import inspect
from collections.abc import Callable, Mapping, Sequence

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from agents.foundation.checks import count, flag, one_of
from agents.foundation.typing import Float, Key, Numbers
from learners.strategic.observation import Layout
from strategic_env.games.shared.episodes import Episodes, asked_game, checked_seed
from strategic_env.games.shared.scenario import refuse_unknown
from strategic_env.games.strategic.options import RENDER_MODES
from strategic_env.games.strategic.rules import Outcome, Round
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.multi_agent.rounds import OpenGame
from strategic_env.multi_agent.spaces import Space, Spaces


class Table:
    """A scenario, and everybody who plays it.

    Parameters
    ----------
    scenario : Scenario
    agents : sequence of str
    individuals : int
        How many arrive in a cycle.
    pool : int
        How many individuals nature picks from.
    pad_spaces, max_cycles, render_mode
        See the environments.

    Attributes
    ----------
    scenario : Scenario
    setting : Setting
    knowledge : dict
        What a learner is told.
    spaces : Spaces
    observation_spaces, action_spaces : dict of Space
        By agent.
    state_space : Box
        Of `state`.
    game : OpenGame or None
        The game that is played; None before the first reset.
    """

    _stepping = False

    def __init__(
        self,
        scenario: Scenario,
        agents: Sequence[str],
        *,
        individuals: int,
        pool: int,
        pad_spaces: bool,
        max_cycles: int | None,
        render_mode: str | None,
    ) -> None:
        self.scenario, self.setting, self.knowledge = scenario, scenario.setting, scenario.knowledge
        cycles = -(-scenario.horizon // individuals) if max_cycles is None else max_cycles
        self.max_cycles = count("max_cycles", cycles, minimum=1)
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, RENDER_MODES)
        self.possible_agents = [*agents]
        self.agents: list[str] = []
        rounds = self.max_cycles * individuals
        self.spaces = Spaces(self.setting, agents, rounds, pool, flag("pad_spaces", pad_spaces))
        self.observation_spaces, self.action_spaces = self.spaces.observation, self.spaces.action
        self.state_space = self.spaces.state
        self.game: OpenGame | None = None
        self._layout = Layout(self.setting.dim)
        self._episodes: Episodes | None = None
        self._outcomes: list[Outcome] = []

    def next_key(self, seed: int | None, options: Mapping[str, object] | None) -> Key:
        """Return the key of the episode that ``reset(seed=seed, options=options)`` begins.

        A seed starts over, with game 0 or ``options["game"]``; without one the next episode of the game follows. Other
        options are for others.
        """
        number, seed = asked_game(options), checked_seed(seed)
        if seed is not None or self._episodes is None:
            seed = int(seeding.np_random(seed)[1])
            self._episodes = Episodes(1, seed)
        return self._episodes.begin_alone(seed, number)

    def observation_space(self, agent: str) -> Space:
        """Return the observation space of an agent, the same object at every call."""
        return self.spaces.observation[agent]

    def action_space(self, agent: str) -> Space:
        """Return the action space of an agent, the same object at every call."""
        return self.spaces.action[agent]

    @property
    def last_rounds(self) -> list[Round]:
        """The rounds of the last cycle, one for each individual; none before the first."""
        return [Round(*outcome) for outcome in self._outcomes]

    def render(self) -> NDArray[np.uint8] | str | None:
        """Draw the last round: an image (H, W, 3), a text, or (human) on the screen."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode; pass one when making the environment")
            return None
        from strategic_env.games.strategic.rendering import render as rendering

        last = self.last_rounds[-1] if self._outcomes else None
        return rendering.render(self.render_mode, self.setting, last, self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.render_mode == "human":
            from strategic_env.games.strategic.rendering import render as rendering

            rendering.close()


def scenario_of(
    scenario: str | Scenario, options: Mapping[str, object], environment: Callable[..., object]
) -> Scenario:
    """Return a scenario, from its name and its options or as it is.

    Raises
    ------
    ValueError
        As `strategic_env.scenario`, but listing the environment's own options, too; or if options come with a
        `Scenario`, which has its own.
    """
    if isinstance(scenario, Scenario):
        if options:
            raise ValueError(f"options go with the name of a scenario, got {', '.join(options)} with {scenario.name}")
        return scenario
    one_of("scenario", scenario, tuple(Scenario.builders))
    own = inspect.signature(environment).parameters.values()
    named = [parameter.name for parameter in own if parameter.kind == parameter.KEYWORD_ONLY]
    refuse_unknown(options, (*Scenario.own_options(scenario), *named), scenario)
    return Scenario.named(scenario, **options)


def individual_parts(budget: Float, classifier: Float, features: Float) -> dict[str, Numbers]:
    """Return what an individual sees, in copies."""
    return {"budget": budget.copy(), "classifier": classifier.copy(), "features": features.copy()}
