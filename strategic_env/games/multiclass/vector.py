"""N games of online multiclass classification as one Gymnasium vector environment, in compiled code."""

from typing import Any

from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.foundation.typing import Bool, Float, Int, Key
from agents.populations.labelled import MulticlassPopulation
from learners.feedback.graph import FeedbackGraph
from strategic_env.games.multiclass.options import Action, LabelOptions, MulticlassOptions
from strategic_env.games.multiclass.rules import MulticlassGames, Outcomes
from strategic_env.games.shared.spaces import Knowledge, Observation
from strategic_env.games.shared.vector import GamesEnv


class OnlineMulticlassVectorEnv(GamesEnv[Observation, Action]):
    """N independent games of online multiclass classification, stepped together.

    Game i plays what `strategic_env.OnlineMulticlassEnv` plays with the same options, number for
    number: after ``reset(seed=s)`` with ``reset(seed=s, options={"game": i})``, after a list of seeds with game 0 of
    its own. Actions are ``MultiDiscrete``, int64 (N,); observations, rewards and flags have a leading axis of games.

    ## Autoreset
    What follows the last round of an episode. ``"NextStep"``: the next step ignores the action and shows the reset.
    ``"SameStep"``: the step itself shows the reset; ``infos["final_obs"]`` and ``infos["final_info"]`` hold the last
    round. ``"Disabled"``: the game waits for ``reset(options={"reset_mask": mask})``.

    ## Arguments
    Those of `strategic_env.OnlineMulticlassEnv`, and of its own, or with another default:

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
    >>> from agents import GaussianMixture
    >>> from learners import FeedbackGraph
    >>> from strategic_env import OnlineMulticlassVectorEnv
    >>> population, graph = GaussianMixture(dim=2, classes=3), FeedbackGraph.named("bandit", 3)
    >>> games = OnlineMulticlassVectorEnv(population, graph, num_envs=3)
    >>> _ = games.reset(seed=0)
    >>> observations, rewards, _, _, infos = games.step(np.array([0, 1, 2]))
    >>> observations["features"].shape, rewards.tolist(), infos["mistake"].tolist()
    ((3, 2), [-1.0, 0.0, -1.0], [True, False, True])
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        population: MulticlassPopulation,
        graph: FeedbackGraph,
        *,
        num_envs: int = 1,
        reward: str = "mistake",
        horizon: int = 10_000,
        population_seed: int | None = None,
        observation: str = "dict",
        info_level: str = "outcome",
        knowledge: Knowledge | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self._open(MulticlassOptions.of(locals()), num_envs, autoreset_mode)

    def _open(self, chosen: LabelOptions, num_envs: int, autoreset_mode: AutoresetMode | str) -> None:
        """Take over checked options."""
        self.options = chosen
        self.setting, self.knowledge, self.horizon = chosen.setting, chosen.told, chosen.horizon
        GamesEnv.__init__(self, num_envs, *chosen.spaces, autoreset_mode, chosen.layout.size, chosen.observe)

    def _make_games(self) -> MulticlassGames:
        return MulticlassGames(self.setting, self.options.reward, self.num_envs)

    def _begin_games(self, rows: Int, keys: Key) -> Float:
        games: MulticlassGames = self._games
        return games.begin(rows, keys)

    def _play(self, actions: Action, active: Bool) -> Outcomes:
        games: MulticlassGames = self._games
        return games.play(self.options.published(actions, (self.num_envs,)), active)

    def _truth(self, played: Outcomes, mistakes: Int) -> dict[str, NDArray[Any]]:
        return self.options.infos(played, mistakes)
