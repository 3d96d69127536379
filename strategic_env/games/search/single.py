"""Contextual search as a Gymnasium environment: one query per round, in front of one learner."""

from typing import Any

import numpy as np

from agents.foundation.typing import Key
from agents.populations.centres import HiddenPoint
from strategic_env.games.search.options import SearchOptions
from strategic_env.games.search.rules import SearchGames
from strategic_env.games.shared.single import SeededEnv
from strategic_env.games.shared.spaces import Knowledge, Observation
from strategic_env.games.shared.threads import one_thread

ALONE, ACTIVE = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_)


class ContextualSearchEnv(SeededEnv[Observation, Any]):
    """Guess the inner product of a hidden point with one query after another, and hear whether it was too high.

    ## Description
    Each round shows a query x. The learner guesses ``<x, p>``, where p is a hidden point of the unit ball, and hears
    whether the value lies at or above its guess.

    ## Action Space
    ``Box(-1, 1, (1,), float64)``: the guess; float32 with flat observations.

    ## Observation Space
    A ``Dict`` of float64 boxes; ``answer`` and ``guess`` are about the last round:

    | key | shape | what |
    | --- | --- | --- |
    | ``answer`` | ``(1,)`` | -1 the guess was too high, +1 the value lies at or above it; 0 after a reset |
    | ``features`` | ``(d,)`` | the query to guess for now |
    | ``guess`` | ``(1,)`` | what was guessed, 0 after a reset |
    | ``round`` | ``(1,)`` | how many rounds have been played |

    ``observation="flat"`` gives the same numbers in this order as one float32 vector.

    ## Rewards
    Minus the loss, ``|<x, p> - guess|^exponent``.

    ## Episode End
    Truncation after ``horizon`` rounds, with one more query that nobody guesses for; an episode never terminates.

    ## Info
    The hidden truth of the last round, for analysis; a mistake is a guess that misses by at least the population's
    margin, and ``wrong_answer`` says whether the answer was told wrongly:

    | ``info_level`` | keys |
    | --- | --- |
    | ``"full"`` | ``value``, ``wrong_answer``, ``loss``, ``mistake``, ``mistakes`` |
    | ``"outcome"`` | ``loss``, ``mistake`` |
    | ``"none"`` | nothing |

    ## Arguments
    What a learner is told by default: `games.search.options.knowledge_of`.

    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``population`` | ``HiddenPoint`` | required | the queries and the point |
    | ``exponent`` | ``float``, above 0 | ``1.0`` | of the loss |
    | ``corruption`` | ``int``, at least 0 | ``0`` | how many answers are told wrongly |
    | ``corruption_pattern`` | ``"random"``, ``"early"``, ``"late"`` | ``"random"`` | which; see `SearchSetting` |
    | ``horizon`` | ``int``, at least 1 | ``1_000`` | rounds per episode |
    | ``population_seed`` | ``int``, at least 0 | ``None`` | meet the same point in every episode |
    | ``observation`` | ``"dict"``, ``"flat"`` | ``"dict"`` | see Observation Space |
    | ``info_level`` | ``"none"``, ``"outcome"``, ``"full"`` | ``"full"`` | see Info |
    | ``knowledge`` | a mapping | ``None`` | what a learner is told; everything by default |

    ## Version History
    * v0: first release. The version of an id moves only when the game of a seed changes.

    Notes
    -----
    An environment belongs to one thread at a time: a step while another thread takes one is refused.

    Examples
    --------
    >>> from agents import HiddenPoint
    >>> from strategic_env import ContextualSearchEnv
    >>> env = ContextualSearchEnv(HiddenPoint(dim=2))
    >>> observation, _ = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step([0.0])
    >>> observation["answer"].tolist() == [1.0 if info["value"] >= 0.0 else -1.0], reward == -info["loss"]
    (True, True)
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        population: HiddenPoint,
        *,
        exponent: float = 1.0,
        corruption: int = 0,
        corruption_pattern: str = "random",
        horizon: int = 1_000,
        population_seed: int | None = None,
        observation: str = "dict",
        info_level: str = "full",
        knowledge: Knowledge | None = None,
    ) -> None:
        self.options = chosen = SearchOptions.of(locals())
        self.setting, self.knowledge, self.horizon = chosen.setting, chosen.told, chosen.horizon
        self.observation_space, self.action_space = chosen.spaces
        self._games: SearchGames | None = None
        self._key: Key | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, object]]:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            Start over with this seed; without it, the next episode of the same seed follows.
        options : dict, optional
            ``{"game": i}`` plays game i of the seed: by default 0 with a new seed, the same as before without.

        Returns
        -------
        observation, info
            The first query, and an empty dict.
        """
        self._key = self._next_key(seed, options)
        if self._games is None:
            self._games = SearchGames(self.setting, 1, self.horizon)
        return self.options.observe(self._games.begin(ALONE, self._key[np.newaxis])[0]), {}

    @one_thread
    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Guess ``action`` (1,).

        Raises
        ------
        TypeError, ValueError
            If the action is no guess in [-1, 1].
        gymnasium.error.ResetNeeded
            Before the first reset and after the last round.
        RuntimeError
            While another thread takes a step.
        """
        games, chosen = self._games, self.options
        if games is None or games.rounds[0] >= self.horizon:
            raise self._no_round(games is not None)
        outcomes = games.play(chosen.published(action, (1,)), ACTIVE)
        info = {key: value[0].item() for key, value in chosen.infos(outcomes, games.mistakes).items()}
        over = bool(games.rounds[0] >= self.horizon)
        return chosen.observe(outcomes.observation[0]), float(outcomes.reward[0]), False, over, info
