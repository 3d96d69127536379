"""N games of the same kind as one Gymnasium vector environment, in compiled code."""

from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.costs import Cost
from agents.foundation.typing import Bool, Int, Key
from agents.populations.population import Population
from agents.responses.effects import Improvement
from agents.responses.individuals import Individual
from learners.strategic.observation import FLOAT64
from strategic_env.games.shared.spaces import Knowledge, Observation
from strategic_env.games.shared.vector import GamesEnv
from strategic_env.games.strategic.delay import ManyLate
from strategic_env.games.strategic.many_games import Games, Outcomes, games_of
from strategic_env.games.strategic.options import RENDER_MODES, Action, StrategicOptions
from strategic_env.games.strategic.rules import Round


class StrategicClassificationVectorEnv(GamesEnv[Observation, Action]):
    """N independent games of strategic classification, stepped together.

    Game i plays what `strategic_env.StrategicClassificationEnv` plays with the same options, number for number:
    after ``reset(seed=s)`` with ``reset(seed=s, options={"game": i})``, after a list of seeds with game 0 of its own.
    Spaces, rewards and options are those of the single environment; observations, rewards and flags have a leading
    axis of games. Individuals who best-respond, from the populations of this package, are played in compiled code;
    other ones take a loop in Python over N games.

    ## Autoreset
    What follows the last round of an episode. ``"NextStep"``: the next step ignores the action and shows the reset.
    ``"SameStep"``: the step itself shows the reset; ``infos["final_obs"]`` and ``infos["final_info"]`` hold the last
    round. ``"Disabled"``: the game waits for ``reset(options={"reset_mask": mask})``.

    ## Arguments
    Those of `strategic_env.StrategicClassificationEnv`, and of its own, or with another default:

    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``num_envs`` | ``int``, at least 1 | ``1`` | N |
    | ``info_level`` | ``"none"``, ``"outcome"``, ``"full"`` | ``"outcome"`` | every key comes with a mask ``_key`` |
    | ``autoreset_mode`` | ``"NextStep"``, ``"SameStep"``, ``"Disabled"`` | ``"NextStep"`` | see Autoreset |

    ## Version History
    * v0: first release.

    Notes
    -----
    In ``"SameStep"`` mode, whoever learns from observations alone never learns from the last round of an episode.
    An environment belongs to one thread at a time: a step while another thread takes one is refused.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import L2Cost, Separable
    >>> from strategic_env import StrategicClassificationVectorEnv
    >>> games = StrategicClassificationVectorEnv(Separable(dim=2), L2Cost(0.3), num_envs=3)
    >>> _ = games.reset(seed=0)
    >>> observations, rewards, _, _, infos = games.step(np.tile([1.0, 0.0, -0.75], (3, 1)))
    >>> observations["features"].shape, rewards.tolist(), infos["moved"].tolist()
    ((3, 2), [-1.0, -1.0, 0.0], [True, False, False])
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [*RENDER_MODES],
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        population: Population,
        cost: Cost,
        *,
        num_envs: int = 1,
        individual: Individual | None = None,
        feedback: str = "full",
        reward: str = "mistake",
        horizon: int = 1000,
        population_seed: int | None = None,
        improvement: Improvement | None = None,
        delay: int = 0,
        observation: str = "dict",
        info_level: str = "outcome",
        knowledge: Knowledge | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.options = chosen = StrategicOptions.of(locals())
        self.setting, self.knowledge, self.horizon = chosen.setting, chosen.told, chosen.horizon
        self.render_mode = chosen.render_mode
        super().__init__(num_envs, *chosen.spaces, autoreset_mode, chosen.layout.size, chosen.observe)
        # Looked up in every step.
        self._action_shape, self._dtype = (self.num_envs, self.setting.dim + 1), chosen.dtype
        self._info_level = chosen.info_level
        delay = self.setting.delay
        self._late = ManyLate(delay, self.num_envs, chosen.layout.size) if delay else None
        self._immediate: Outcomes | None = None  # what the learner is yet to be told, for pictures
        # Pictures show the whole truth.
        self._truth_level = chosen.info_level if chosen.render_mode is None else "full"

    def render(self) -> tuple[Any, ...] | None:
        """Draw the last round of every game: images (H, W, 3), texts, or (human) the first game on the screen."""
        if self.render_mode is None:
            gym.logger.warn("render() was called without a render_mode; pass one when making the environment")
            return None
        from strategic_env.games.strategic.rendering import render as rendering

        games = range(1 if self.render_mode == "human" else self.num_envs)
        return tuple(rendering.render(self.render_mode, self.setting, *self._game_shown(game)) for game in games)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, if there is one."""
        if self.render_mode == "human":
            from strategic_env.games.strategic.rendering import render as rendering

            rendering.close()

    def _make_games(self) -> Games:
        return games_of(self.setting, self.options.reward, self.num_envs, self._truth_level)

    def _begin_games(self, rows: Int, keys: Key) -> float:
        self._games.begin(rows, keys)
        return 0.0  # nothing has been seen

    def _play(self, actions: Action, active: Bool) -> Outcomes:
        games: Games = self._games
        published: Any = actions
        if type(actions) is not np.ndarray or actions.dtype is not self._dtype or actions.shape != self._action_shape:
            published = self.options.published(actions, self._action_shape)
        outcomes = games.play(published.astype(np.float64) if self._dtype is not FLOAT64 else published, active)
        if self._late is None:
            return outcomes
        self._immediate = outcomes
        return outcomes._replace(observation=self._late.tell(outcomes.observation, games.rounds, active))

    def _truth(self, played: Outcomes, mistakes: Int) -> dict[str, NDArray[Any]]:
        level = self._info_level
        if level == "none":
            return {}
        told: dict[str, NDArray[Any]] = {"moved": played.moved, "mistake": played.mistake}
        if level == "full":
            told |= {
                "true_features": played.true_features,
                "true_label": played.true_label,
                "cost": played.cost,
                "mistakes": mistakes.copy(),
            } | played.aside
        return told

    def _game_shown(self, game: int) -> tuple[Round | None, "GameShown | None"]:
        """Return the last round of a game, and what a picture says besides."""
        if self._games is None or self._last is None or not self._games.rounds[game]:
            return None, None
        one = self._last if self._immediate is None else self._immediate
        played = Round(
            one.observation[game],
            one.true_features[game],
            float(one.true_label[game]),
            bool(one.moved[game]),
            float(one.cost[game]),
            bool(one.mistake[game]),
        )
        games = self._games
        return played, GameShown(int(games.rounds[game]), int(games.mistakes[game]), games.cost_of(game))


class GameShown(NamedTuple):
    """What a picture says of a game besides its last round (`rendering.scene.GameShown`)."""

    round: int
    mistakes: int
    cost: Cost

    def cost_of(self, round: int) -> Cost:
        """Return the manipulation cost of whoever came last."""
        return self.cost
