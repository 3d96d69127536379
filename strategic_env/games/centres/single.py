"""Nearest centres as a Gymnasium environment: one query per round, in front of one learner."""

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from agents.foundation.checks import one_of
from agents.foundation.pictures import drawing
from agents.foundation.typing import Float, Int
from agents.populations.centre_source import LEAD, LOSS, TOLD, CentreSource, write_gaps
from agents.populations.centres import HiddenCentres
from agents.populations.convex_sets import CoinFlips
from strategic_env.games.centres.options import CentreOptions
from strategic_env.games.centres.rules import CentreGames
from strategic_env.games.multiclass.options import Action
from strategic_env.games.multiclass.single import OnlineMulticlassEnv
from strategic_env.games.shared.spaces import Knowledge, Observation

if TYPE_CHECKING:
    from strategic_env.games.centres.picture import Shown


class NearestCentreEnv(OnlineMulticlassEnv):
    """Name the nearest of K hidden centres to one query after another; a wrong one costs how much farther it is.

    ## Description
    Each round shows a query. The learner names one of K labels, and sees the label: that of the nearest hidden centre,
    by inner product or by distance. Few labels may be told wrongly; what a round costs is always against the true one.

    ## Action Space
    ``Discrete(K)``: the labels 0 to K - 1.

    ## Observation Space
    That of `strategic_env.OnlineMulticlassEnv`, whose learners play here, too: a ``Dict`` of float64 boxes, where
    ``action`` and ``feedback`` are about the last round, ``features`` are to be labelled now:

    | key | shape | what |
    | --- | --- | --- |
    | ``action`` | ``(1,)`` | what was played, -1 after a reset |
    | ``features`` | ``(d,)`` | the query |
    | ``feedback`` | ``(K,)`` | of each label: 0 it is another, 1 it is this one; -1 after a reset |
    | ``round`` | ``(1,)`` | how many rounds have been played |

    ``observation="flat"`` gives the same numbers in this order as one float32 vector.

    ## Rewards
    ``"loss"`` (default): minus ``|delta(q, x_i) - delta(q, x_*)|^exponent``, where i is what was named, ``x_*`` is the
    nearest centre, and delta is minus the inner product, or the distance. ``"mistake"``: -1 for a mistake, else 0.
    ``"accuracy"``: 1 if correct, else 0. ``"observed"``: -1 where the label that was told is another, else 0. All but
    the last are about the true label.

    ## Episode End
    Truncation after ``horizon`` rounds, with one more query that nobody labels; an episode never terminates.

    ## Info
    The hidden truth of the last round, for analysis; ``lead`` is how much nearer the nearest centre was than any other,
    and a mistake is robust where that is at least the population's margin; ``size_of_wrong_label`` is how much farther
    the centre that was told is than the nearest one, 0 where the true label was told:

    | ``info_level`` | keys |
    | --- | --- |
    | ``"full"`` | ``true_label``, ``told_label``, ``size_of_wrong_label``, ``lead``, ``mistakes`` |
    | | ``mistake``, ``robust_mistake``, ``loss`` |
    | ``"outcome"`` | ``mistake``, ``robust_mistake``, ``loss`` |
    | ``"none"`` | nothing |

    ## Arguments
    `gymnasium.make` settles the population and what a learner is told by the name of a scenario, and takes the
    scenario's options besides. What a learner is told by default: `games.centres.options.knowledge_of`.

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
    | ``info_level`` | ``"none"``, ``"outcome"``, ``"full"`` | ``"full"`` | see Info |
    | ``render_mode`` | ``"rgb_array"`` | ``None`` | see Rendering |
    | ``knowledge`` | a mapping | ``None`` | what a learner is told; everything by default |

    ## Rendering
    ``"rgb_array"``: the cells, the centres and the query to label now; of more than two features, on the plane through
    0, the query, and the difference of its two nearest centres. After ``watch(learner, state)``, dashed borders show
    what that learner would name; of two features and inner products, a second panel shows what it still believes
    possible of the difference of each pair of centres, if it is one by knowledge sets or by a density.

    ## Version History
    * v0: first release. The version of an id moves only when the game of a seed changes.

    Notes
    -----
    An environment belongs to one thread at a time: a step while another thread takes one is refused. Queries of an
    adversary (the population's ``query="adversary"``) are aimed at a Perceptron, whoever plays, or at the learner
    itself (``"adaptive"``), which has to be asked: `strategic_env.rollout` can, and environments refuse it.

    Examples
    --------
    >>> from agents import HiddenCentres
    >>> from strategic_env import NearestCentreEnv
    >>> env = NearestCentreEnv(HiddenCentres(dim=2, centres=3))
    >>> observation, _ = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> observation["feedback"].tolist(), info["true_label"], round(reward, 3)
    ([0.0, 0.0, 1.0], 2, -1.805)
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012
    options: CentreOptions

    def __init__(
        self,
        population: HiddenCentres | CoinFlips,
        *,
        exponent: float = 1.0,
        adversary: str = "perceptron",
        corruption: int = 0,
        corruption_pattern: str = "random",
        reward: str = "loss",
        horizon: int = 1_000,
        population_seed: int | None = None,
        observation: str = "dict",
        info_level: str = "full",
        render_mode: str | None = None,
        knowledge: Knowledge | None = None,
    ) -> None:
        self._open(CentreOptions.of(locals()))
        if render_mode is not None:
            one_of("render_mode", render_mode, tuple(self.metadata["render_modes"]))
        self.render_mode = render_mode
        self._watched: tuple[Any, Any] | None = None
        self._last = ""

    def _make_games(self) -> CentreGames:
        return CentreGames(self.setting, self.options.reward, 1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, object]]:
        """Begin an episode; see `strategic_env.OnlineMulticlassEnv.reset`."""
        self._last = "before the first round"
        observation, info = super().reset(seed=seed, options=options)
        self._seen = observation
        return observation, info

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Name a label; see `strategic_env.OnlineMulticlassEnv.step`."""
        result = super().step(action)
        self._seen = result[0]
        if self.render_mode is not None:
            loss, lead, told = self._games.drawn.judged[0, [LOSS, LEAD, TOLD]]  # type: ignore[union-attr]
            heard = f"named {int(action)}, told {told:.0f}: loss {loss:.3g}, where the nearest leads by {lead:.3g}"
            self._last = f"round {self._games.rounds[0]}: {heard}"  # type: ignore[union-attr]
        return result

    def watch(self, learner: Any, state: Any) -> None:
        """Let pictures show what a learner with this state, as of now, would name.

        Parameters
        ----------
        learner : MulticlassLearner
            Or whatever predicts like one; it is asked with copies of the state.
        state : object
            What its ``predict`` returned last.
        """
        self._watched = learner, state

    def render(self) -> NDArray[np.uint8] | None:
        """Return the picture of the current query, (H, W, 3) of uint8; None without a render mode.

        Raises
        ------
        ImportError
            If matplotlib is missing.
        DrawingFailed
            If it fails.
        gymnasium.error.ResetNeeded
            Before the first reset.
        """
        if self.render_mode is None:
            return None
        if self._games is None:
            raise ResetNeeded("call reset() before render(): no episode")
        with drawing():
            from strategic_env.games.centres import picture

            return picture.pixels(self._shown())

    def _shown(self) -> "Shown":
        """Return what a picture shows."""
        from learners.search.beliefs import beliefs_of
        from strategic_env.games.centres.picture import Shown, answers_of

        seen: Any = self._seen
        query = (seen[self.options.layout.features] if self.options.flat else seen["features"]).astype(np.float64)
        named = None if self._watched is None else answers_of(*self._watched, self.setting.graph.classes)
        beliefs = [] if self._watched is None else beliefs_of(self._watched[1])
        drawn, source = self._games.drawn, self.setting.source()  # type: ignore[union-attr]
        if isinstance(source, CentreSource):
            centres, gaps = drawn.centres[0].copy(), np.empty(source.classes)

            def nearest(points: Float) -> Int:
                return np.array([write_gaps(source, centres, point, gaps) for point in points], dtype=np.int64)

            return Shown(centres, np.arange(source.classes), query, nearest, named, beliefs, "centres", self._last)
        known = max(1, int(self._games.rounds[0]))  # type: ignore[union-attr]
        past, labels = drawn.sites[0, :known].copy(), drawn.members[0, :known].astype(np.int64)

        def nearest_past(points: Float) -> Int:
            return np.asarray(labels[np.argmin((past * past).sum(axis=1) - 2.0 * points @ past.T, axis=1)])

        return Shown(past, labels, query, nearest_past, named, [], "past points (cells: of the nearest)", self._last)
