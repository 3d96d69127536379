"""The game as a Gymnasium environment: one learner, one individual per round."""

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from agents.costs import Cost
from agents.foundation.checks import LARGEST_SIZE, count
from agents.foundation.typing import Float
from agents.populations.population import Population
from agents.responses.effects import Improvement
from agents.responses.individuals import Individual
from strategic_env.games.shared.single import SeededEnv
from strategic_env.games.shared.spaces import Knowledge, Observation
from strategic_env.games.shared.threads import busy
from strategic_env.games.strategic.delay import Late
from strategic_env.games.strategic.game import Game
from strategic_env.games.strategic.options import RENDER_MODES, Action, StrategicOptions
from strategic_env.games.strategic.rules import Outcome, Round, reward


class StrategicClassificationEnv(SeededEnv[Observation, Action]):
    """Publish a linear classifier every round, to individuals who change what they can afford to change.

    ## Description
    Each round the learner publishes a classifier ``[w, b]``, which accepts ``x`` iff ``w.x + b >= 0``. An individual
    with true features ``z`` and label ``y`` arrives, sees it, and reports the cheapest accepted point if reaching it
    costs at most 1; otherwise it reports ``z``. The learner sees the report, its own prediction and, through the
    feedback, perhaps the label.

    ## Action Space
    ``Box(-1, 1, (d + 1,), float64)``: the published ``[w_1 .. w_d, b]``. Only its direction matters. All zeros accept
    everybody; ``[0 .. 0, -1]`` accepts nobody. Scale by a power of two, which rounds nothing, to fit the box.

    ## Observation Space
    A ``Dict`` of float64 boxes, all about the last round (zeros after a reset):

    | key | shape | what |
    | --- | --- | --- |
    | ``classifier`` | ``(d + 1,)`` | what was published |
    | ``features`` | ``(d,)`` | the report |
    | ``label`` | ``(1,)`` | -1 or +1, or 0 where the feedback hides it |
    | ``prediction`` | ``(1,)`` | +1 accepted, -1 rejected |
    | ``round`` | ``(1,)`` | how many rounds have been played |

    ``observation="flat"`` gives the same numbers in this order as one float32 vector, and a float32 action box.

    ## Rewards
    ``"mistake"`` (default): -1 for a mistake, else 0. ``"accuracy"``: 1 if correct, else 0. ``"hinge"``: minus the
    hinge loss of the report's score under the published array scaled to norm 1. Rewards tell the label even where the
    feedback hides it; ``"observed"`` pays as ``"mistake"`` but 0 where the label is hidden.

    ## Episode End
    Truncation after ``horizon`` rounds; an episode never terminates.

    ## Info
    The hidden truth, for analysis:

    | ``info_level`` | keys |
    | --- | --- |
    | ``"full"`` | ``true_features``, ``true_label``, ``moved``, ``cost``, ``mistake``, ``mistakes`` |
    | ``"outcome"`` | ``moved``, ``mistake`` |
    | ``"none"`` | nothing |

    Of a population with groups, ``"full"`` tells ``group``, its number, and ``least_cost``, what acceptance takes at
    least, be it more than it is worth: infinite for who cannot move. Where moving improves people, ``true_label`` is
    that after the move; ``label_before``, ``improved`` (from -1 to +1) and ``harmed`` (from +1 to -1) say what changed.
    Where a lottery decides (`agents.UnderLottery`), ``accepted`` tells who got in, and ``rule_mistake`` whether the
    prediction was wrong.

    ## Arguments
    `gymnasium.make` settles the population, its cost and what a learner is told by the name of a scenario, and takes
    the scenario's options besides.

    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``population`` | ``Population`` | required | where individuals come from |
    | ``cost`` | ``Cost`` | required | what manipulation costs them |
    | ``individual`` | ``Individual`` | ``None`` | how they answer; they best-respond by default |
    | ``feedback`` | ``"full"``, ``"apple_tasting"``, a graph | ``"full"`` | apple tasting labels only the accepted |
    | ``reward`` | ``"mistake"``, ``"accuracy"``, ``"hinge"``, ``"observed"`` | ``"mistake"`` | see Rewards |
    | ``horizon`` | ``int``, at least 1 | ``1000`` | rounds per episode |
    | ``population_seed`` | ``int``, at least 0 | ``None`` | meet the same population in every episode |
    | ``improvement`` | ``Improvement`` | ``None`` | what is real of a move, and may change the label |
    | ``delay`` | ``int``, at least 0 | ``0`` | observations are so many rounds old; rewards and infos are not |
    | ``observation`` | ``"dict"``, ``"flat"`` | ``"dict"`` | see Observation Space |
    | ``info_level`` | ``"none"``, ``"outcome"``, ``"full"`` | ``"full"`` | see Info |
    | ``knowledge`` | a mapping | ``None`` | what a learner is told; everything by default (`knowledge_of`) |
    | ``render_mode`` | ``"human"``, ``"rgb_array"``, ``"ansi"`` | ``None`` | see `render` |

    ## Version History
    * v0: first release. The version of an id moves only when the game of a seed changes.

    Notes
    -----
    An environment belongs to one thread at a time: a step while another thread takes one is refused.

    Examples
    --------
    >>> import gymnasium
    >>> import numpy as np
    >>> from agents import L2Cost, Separable
    >>> from strategic_env import StrategicClassificationEnv
    >>> env = StrategicClassificationEnv(Separable(dim=2), L2Cost(0.3))
    >>> env = gymnasium.make("strategic_env/KnownL2-v0", dim=2, alpha=0.3)  # the same game, by the scenario's name
    >>> _ = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(np.array([1.0, 0.0, -0.75]))
    >>> info["true_features"].round(2).tolist(), observation["features"].round(2).tolist()
    ([0.66, -0.34], [0.75, -0.34])
    >>> round(info["cost"], 2), info["true_label"], reward
    (0.3, -1.0, -1.0)
    """

    metadata = {"render_modes": [*RENDER_MODES], "render_fps": 4}

    def __init__(
        self,
        population: Population,
        cost: Cost,
        *,
        individual: Individual | None = None,
        feedback: str = "full",
        reward: str = "mistake",
        horizon: int = 1000,
        population_seed: int | None = None,
        improvement: Improvement | None = None,
        delay: int = 0,
        observation: str = "dict",
        info_level: str = "full",
        knowledge: Knowledge | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.options = chosen = StrategicOptions.of(locals())
        self.setting, self.knowledge, self.horizon = chosen.setting, chosen.told, chosen.horizon
        self.render_mode = chosen.render_mode
        self.observation_space, self.action_space = chosen.spaces
        # Looked up in every step.
        self._action_shape, self._dtype, self._observe = (self.setting.dim + 1,), chosen.dtype, chosen.observe
        self._info_level, self._reward = chosen.info_level, chosen.reward
        self.game: Game | None = None
        self._last: Outcome | None = None
        self._late: Late | None = None

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
            Zeros, and an empty dict.
        """
        chosen = self.options
        self.game = Game(self.setting, self._next_key(seed, options))
        self._last = None
        delay = self.setting.delay
        self._late = Late(delay, np.zeros(chosen.layout.size)) if delay else None
        if self.render_mode == "human":
            self.render()
        return chosen.observe(np.zeros(chosen.layout.size)), {}

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Publish ``action`` and play one round.

        Raises
        ------
        ValueError
            If the action has another shape, is not finite or lies outside the box.
        gymnasium.error.ResetNeeded
            Before the first reset and after the last round.
        RuntimeError
            While another thread takes a step.
        """
        if self._stepping:
            raise busy()
        self._stepping = True
        try:
            game = self.game
            if game is None or game.round >= self.horizon:
                raise self._no_round(game is not None)
            if type(action) is not np.ndarray or action.dtype is not self._dtype or action.shape != self._action_shape:
                action = self.options.published(action, self._action_shape)
            self._last = outcome = game.play(action)
            if self.render_mode == "human":
                self.render()
            level = self._info_level
            info: dict[str, object] = {}
            if level == "full":
                _, true_features, true_label, moved, cost, mistake = outcome
                info = {
                    "true_features": true_features,
                    "true_label": true_label,
                    "moved": moved,
                    "cost": cost,
                    "mistake": mistake,
                    "mistakes": game.mistakes,
                }
                if game.has_aside:
                    info |= game.aside(outcome)
            elif level == "outcome":
                info = {"moved": outcome[3], "mistake": outcome[5]}
            gain = reward(self._reward, outcome)
            seen = outcome[0] if self._late is None else self._late.tell(outcome[0])
            return self._observe(seen), gain, False, game.round >= self.horizon, info
        finally:
            self._stepping = False

    def render(self) -> NDArray[np.uint8] | str | None:
        """Draw the last round: an image (H, W, 3), a text, or (human) on the screen."""
        if self.render_mode is None:
            gym.logger.warn("render() was called without a render_mode; pass one when making the environment")
            return None
        from strategic_env.games.strategic.rendering import render as rendering

        return rendering.render(self.render_mode, self.setting, self.last, self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.render_mode == "human":
            from strategic_env.games.strategic.rendering import render as rendering

            rendering.close()

    @property
    def last(self) -> Round | None:
        """The last round of the episode, if one has been played."""
        return None if self._last is None else Round(*self._last)

    def true_points(self, rounds: int) -> tuple[Float, Float]:
        """Return the true features (rounds, d) and labels (rounds,) of the current episode, for analysis."""
        if self.game is None:
            raise ResetNeeded("call reset() before true_points(): no episode")
        count("rounds", rounds, minimum=1, maximum=LARGEST_SIZE // self.setting.dim)
        return self.setting.arrivals(self.game.key).points(rounds)
