"""N games of contextual search as one Gymnasium vector environment, in compiled code."""

from typing import Any

from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.foundation.typing import Bool, Float, Int, Key
from agents.populations.centres import HiddenPoint
from strategic_env.games.search.options import SearchOptions
from strategic_env.games.search.rules import Outcomes, SearchGames
from strategic_env.games.shared.spaces import Knowledge, Observation
from strategic_env.games.shared.vector import GamesEnv


class ContextualSearchVectorEnv(GamesEnv[Observation, Any]):
    """N independent games of contextual search, stepped together.

    Game i plays what `strategic_env.ContextualSearchEnv` plays with the same options, number for number: after
    ``reset(seed=s)`` with ``reset(seed=s, options={"game": i})``, after a list of seeds with game 0 of its own. Actions
    are (N, 1); observations, rewards and flags have a leading axis of games.

    ## Autoreset
    As that of `strategic_env.OnlineMulticlassVectorEnv`.

    ## Arguments
    Those of `strategic_env.ContextualSearchEnv`, and of its own, or with another default:

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
    >>> from agents import HiddenPoint
    >>> from strategic_env import ContextualSearchVectorEnv
    >>> games = ContextualSearchVectorEnv(HiddenPoint(dim=2), num_envs=3)
    >>> _ = games.reset(seed=0)
    >>> observations, rewards, _, _, infos = games.step(np.zeros((3, 1)))
    >>> observations["features"].shape, bool((rewards == -infos["loss"]).all())
    ((3, 2), True)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        population: HiddenPoint,
        *,
        num_envs: int = 1,
        exponent: float = 1.0,
        corruption: int = 0,
        corruption_pattern: str = "random",
        horizon: int = 1_000,
        population_seed: int | None = None,
        observation: str = "dict",
        info_level: str = "outcome",
        knowledge: Knowledge | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.options = chosen = SearchOptions.of(locals())
        self.setting, self.knowledge, self.horizon = chosen.setting, chosen.told, chosen.horizon
        super().__init__(num_envs, *chosen.spaces, autoreset_mode, chosen.layout.size, chosen.observe)

    def _make_games(self) -> SearchGames:
        return SearchGames(self.setting, self.num_envs, self.horizon)

    def _begin_games(self, rows: Int, keys: Key) -> Float:
        games: SearchGames = self._games
        return games.begin(rows, keys)

    def _play(self, actions: Any, active: Bool) -> Outcomes:
        games: SearchGames = self._games
        return games.play(self.options.published(actions, (self.num_envs, 1)), active)

    def _truth(self, played: Outcomes, mistakes: Int) -> dict[str, NDArray[Any]]:
        return self.options.infos(played, mistakes)
