"""Online multiclass classification as a Gymnasium environment: one point per round, in front of one learner."""

import numpy as np
from gymnasium.error import ResetNeeded

from agents.foundation.checks import LARGEST_SIZE, count
from agents.foundation.typing import Float, Int, Key
from agents.populations.labelled import MulticlassPopulation
from learners.feedback.graph import FeedbackGraph
from strategic_env.games.multiclass.options import Action, LabelOptions, MulticlassOptions
from strategic_env.games.multiclass.rules import MulticlassGames
from strategic_env.games.shared.single import SeededEnv
from strategic_env.games.shared.spaces import Knowledge, Observation
from strategic_env.games.shared.threads import one_thread

ALONE, ACTIVE = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.bool_)


class OnlineMulticlassEnv(SeededEnv[Observation, Action]):
    """Name the label of one point after another, and see of its label what the feedback graph shows.

    ## Description
    Each round shows a point with a hidden label. The learner names one of K labels, or asks where the graph has a query
    node. For every label k that its action points to in the feedback graph it sees whether k is the label; an action
    that shows all labels but one shows that one, too.

    ## Action Space
    ``Discrete(n)``: the labels 0 to K - 1, and K where there is a query node. To ask is a mistake.

    ## Observation Space
    A ``Dict`` of float64 boxes; ``action`` and ``feedback`` are about the last round, ``features`` are to be labelled
    now:

    | key | shape | what |
    | --- | --- | --- |
    | ``action`` | ``(1,)`` | what was played, -1 after a reset |
    | ``features`` | ``(d,)`` | the point |
    | ``feedback`` | ``(K,)`` | of each label: -1 hidden, 0 it is another, 1 it is this one; -1 after a reset |
    | ``round`` | ``(1,)`` | how many rounds have been played |

    ``observation="flat"`` gives the same numbers in this order as one float32 vector.

    ## Rewards
    ``"mistake"`` (default): -1 for a mistake, else 0. ``"accuracy"``: 1 if correct, else 0. Both tell what the graph
    may hide; ``"observed"`` is -1 only where the feedback shows that the action was wrong, and where it asked.

    ## Episode End
    Truncation after ``horizon`` rounds, with one more point that nobody labels; an episode never terminates.

    ## Info
    The hidden truth of the last round, for analysis:

    | ``info_level`` | keys |
    | --- | --- |
    | ``"full"`` | ``true_label``, ``mistake``, ``mistakes`` |
    | ``"outcome"`` | ``mistake`` |
    | ``"none"`` | nothing |

    ## Arguments
    `gymnasium.make` settles the population, the graph and what a learner is told by the name of a scenario, and takes
    the scenario's options besides. What a learner is told by default: `games.multiclass.options.knowledge_of`.

    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``population`` | ``MulticlassPopulation`` | required | where points come from |
    | ``graph`` | ``FeedbackGraph`` | required | what actions show; its first K nodes are the labels |
    | ``reward`` | ``"mistake"``, ``"accuracy"``, ``"observed"`` | ``"mistake"`` | see Rewards |
    | ``horizon`` | ``int``, at least 1 | ``10_000`` | rounds per episode |
    | ``population_seed`` | ``int``, at least 0 | ``None`` | meet the same population in every episode |
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
    >>> from agents import GaussianMixture
    >>> from learners import FeedbackGraph
    >>> from strategic_env import OnlineMulticlassEnv
    >>> env = OnlineMulticlassEnv(GaussianMixture(dim=2, classes=3), FeedbackGraph.named("bandit", 3))
    >>> observation, _ = env.reset(seed=0)
    >>> observation["features"].round(2).tolist()
    [0.9, -0.64]
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> observation["feedback"].tolist(), reward, info["true_label"]
    ([0.0, -1.0, -1.0], -1.0, 2)
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        population: MulticlassPopulation,
        graph: FeedbackGraph,
        *,
        reward: str = "mistake",
        horizon: int = 10_000,
        population_seed: int | None = None,
        observation: str = "dict",
        info_level: str = "full",
        knowledge: Knowledge | None = None,
    ) -> None:
        self._open(MulticlassOptions.of(locals()))

    def _open(self, chosen: LabelOptions) -> None:
        """Take over checked options."""
        self.options = chosen
        self.setting, self.knowledge, self.horizon = chosen.setting, chosen.told, chosen.horizon
        self.observation_space, self.action_space = chosen.spaces
        self._games: MulticlassGames | None = None
        self._key: Key | None = None

    def _make_games(self) -> MulticlassGames:
        return MulticlassGames(self.setting, self.options.reward, 1)

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
            The first point, and an empty dict.
        """
        self._key = self._next_key(seed, options)
        if self._games is None:
            self._games = self._make_games()
        return self.options.observe(self._games.begin(ALONE, self._key[np.newaxis])[0]), {}

    @one_thread
    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Play ``action``: name a label, or ask.

        Raises
        ------
        TypeError, ValueError
            If the action is none of the graph's nodes.
        gymnasium.error.ResetNeeded
            Before the first reset and after the last round.
        RuntimeError
            While another thread takes a step.
        """
        games, chosen = self._games, self.options
        if games is None or games.rounds[0] >= self.horizon:
            raise self._no_round(games is not None)
        outcomes = games.play(chosen.published(action, ()).reshape(1), ACTIVE)
        info = {key: value[0].item() for key, value in chosen.infos(outcomes, games.mistakes).items()}
        over = bool(games.rounds[0] >= self.horizon)
        return chosen.observe(outcomes.observation[0]), float(outcomes.reward[0]), False, over, info

    def true_points(self, rounds: int) -> tuple[Float, Int]:
        """Return the points (rounds, d) and labels (rounds,) of the current episode, for analysis."""
        if self._key is None:
            raise ResetNeeded("call reset() before true_points(): no episode")
        most = LARGEST_SIZE // self.setting.dim
        return self.setting.points(self._key, count("rounds", rounds, minimum=1, maximum=most))
