"""N games of nearest centres as one Gymnasium vector environment, in compiled code."""

from gymnasium.vector import AutoresetMode

from agents.populations.centres import HiddenCentres
from agents.populations.convex_sets import CoinFlips
from strategic_env.games.centres.options import CentreOptions
from strategic_env.games.centres.rules import CentreGames
from strategic_env.games.multiclass.vector import OnlineMulticlassVectorEnv
from strategic_env.games.shared.spaces import Knowledge


class NearestCentreVectorEnv(OnlineMulticlassVectorEnv):
    """N independent games of nearest centres, stepped together.

    Game i plays what `strategic_env.NearestCentreEnv` plays with the same options, number for number: after
    ``reset(seed=s)`` with ``reset(seed=s, options={"game": i})``, after a list of seeds with game 0 of its own. Actions
    are ``MultiDiscrete``, int64 (N,); observations, rewards and flags have a leading axis of games.

    ## Autoreset
    As that of `strategic_env.OnlineMulticlassVectorEnv`.

    ## Arguments
    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``population`` | ``HiddenCentres``, ``CoinFlips`` | required | the queries and their labels |
    | ``exponent`` | ``float``, above 0 | ``1.0`` | of the loss |
    | ``adversary`` | ``"perceptron"``, ``"adaptive"`` | ``"perceptron"`` | see Notes; the second only in rollouts |
    | ``corruption`` | ``int``, at least 0 | ``0`` | how many labels are told wrongly |
    | ``corruption_pattern`` | ``"random"``, ``"early"``, ``"late"`` | ``"random"`` | which; see `CentreSetting` |
    | ``reward`` | ``"loss"``, ``"mistake"``, ``"accuracy"``, ``"observed"`` | ``"loss"`` | see Rewards |
    | ``horizon`` | ``int``, at least 1 | ``1_000`` | rounds per episode |
    | ``population_seed`` | ``int``, at least 0 | ``None`` | meet the same centres in every episode |
    | ``observation`` | ``"dict"``, ``"flat"`` | ``"dict"`` | see Observation Space |
    | ``info_level`` | ``"none"``, ``"outcome"``, ``"full"`` | ``"outcome"`` | every key comes with a mask ``_key`` |
    | ``knowledge`` | a mapping | ``None`` | what a learner is told; everything by default |
    | ``num_envs`` | ``int``, at least 1 | ``1`` | N |
    | ``autoreset_mode`` | ``"NextStep"``, ``"SameStep"``, ``"Disabled"`` | ``"NextStep"`` | see Autoreset |

    What a reward, an observation and an info is: see `strategic_env.NearestCentreEnv`.

    ## Version History
    * v0: first release.

    Notes
    -----
    In ``"SameStep"`` mode, whoever learns from observations alone never learns from the last round of an episode.
    An environment belongs to one thread at a time: a step while another thread takes one is refused.

    Examples
    --------
    >>> import numpy as np
    >>> from agents import HiddenCentres
    >>> from strategic_env import NearestCentreVectorEnv
    >>> games = NearestCentreVectorEnv(HiddenCentres(dim=2, centres=3), num_envs=3)
    >>> _ = games.reset(seed=0)
    >>> observations, rewards, _, _, infos = games.step(np.array([0, 1, 2]))
    >>> observations["features"].shape, rewards.round(3).tolist(), infos["mistake"].tolist()
    ((3, 2), [-1.805, 0.0, -0.93], [True, False, True])
    """

    def __init__(
        self,
        population: HiddenCentres | CoinFlips,
        *,
        num_envs: int = 1,
        exponent: float = 1.0,
        adversary: str = "perceptron",
        corruption: int = 0,
        corruption_pattern: str = "random",
        reward: str = "loss",
        horizon: int = 1_000,
        population_seed: int | None = None,
        observation: str = "dict",
        info_level: str = "outcome",
        knowledge: Knowledge | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        self._open(CentreOptions.of(locals()), num_envs, autoreset_mode)

    def _make_games(self) -> CentreGames:
        return CentreGames(self.setting, self.options.reward, self.num_envs)
