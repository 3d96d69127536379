"""The game turn by turn (PettingZoo AEC): the learner publishes, somebody arrives, sees it, and reports."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from agents.foundation.checks import flag, one_of
from agents.foundation.streams import game_key
from agents.foundation.typing import Float, Numbers
from strategic_env.games.shared.threads import busy
from strategic_env.games.strategic.delay import Late
from strategic_env.games.strategic.options import RENDER_MODES
from strategic_env.games.strategic.rules import reward
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.multi_agent.rounds import Arrival, OpenGame, pool_of
from strategic_env.multi_agent.spaces import INDIVIDUAL, LEARNER, NATURE, Action, Observation
from strategic_env.multi_agent.table import Table, individual_parts, scenario_of

# What `reset` sets, besides `agents`.
OF_AN_EPISODE = ("agent_selection", "rewards", "terminations", "truncations", "infos")
NATURE_SEES = ("current", "previous", "nothing")


class StrategicClassificationAECEnv(Table, AECEnv[str, Observation, Action]):
    """Learner and individuals, and on request nature, take turns.

    ## Description
    Each round ``learner_0`` publishes a classifier ``[w, b]``, which accepts ``x`` iff ``w.x + b >= 0``. An individual
    with true features ``z`` and label ``y`` arrives. ``individual_0`` is the seat of whoever has arrived: it sees the
    classifier and reports ``x``, and the round resolves. With ``nature=True``, ``nature_0`` picks who arrives from a
    pool, in between. The rounds are those of `strategic_env.StrategicClassificationEnv` with the same options,
    seed and policies, number for number.

    ## Action Spaces
    ``learner_0``: ``Box(-1, 1, (d + 1,))``, the classifier; only its direction matters.
    ``individual_0``: ``Box (m,)``, the absolute position of the m coordinates that can be moved
    (``env.unwrapped.spaces.movable``); of the others the environment reports the truth. The bounds are those of the
    features that a learner sees. A report is accepted exactly if it is the truth, else up to a mover's rounding.
    ``nature_0``: ``Discrete(M)``, a member of the pool: everybody who can arrive, or the first 100 who would where
    everybody is new.

    ## Observation Spaces
    ``Dict`` of float64 boxes.

    | agent | key | shape | what |
    | --- | --- | --- | --- |
    | ``learner_0`` | ``classifier`` | ``(d + 1,)`` | what was published in the last round |
    | | ``features`` | ``(d,)`` | the report |
    | | ``label`` | ``(1,)`` | -1 or +1, or 0 where the feedback hides it |
    | | ``prediction`` | ``(1,)`` | +1 accepted, -1 rejected |
    | | ``round`` | ``(1,)`` | how many rounds are over |
    | ``individual_0`` | ``budget`` | ``(1,)`` or ``(d,)`` | alpha, or alpha_i: how far it can move for a cost of 1 |
    | | ``classifier`` | ``(d + 1,)`` | what was published in this round |
    | | ``features`` | ``(d,)`` | the true features |
    | ``nature_0`` | ``budgets`` | ``(M, 1)`` or ``(M, d)`` | of the members of the pool |
    | | ``classifier`` | ``(d + 1,)`` | what ``nature_sees`` says; zeros where there is none |
    | | ``features`` | ``(M, d)`` | their true features |
    | | ``labels`` | ``(M,)`` | their labels |
    | | ``round`` | ``(1,)`` | how many rounds are over |

    The learner sees zeros before the first round, the individual zeros before the first arrival.

    ``pad_spaces=True`` gives everybody the same two boxes. An observation begins with one entry for each role (learner,
    nature if it plays, individual), 1 for who looks; then come the numbers above in the order of their keys, then
    zeros. An action begins with the numbers above; what follows is ignored. Entries of a classifier may then exceed 1,
    and nature's member is its first entry, from the lowest to the highest value in M equal parts.

    ## Rewards
    Learner: -1 for a mistake, else 0. Individual: 1 if accepted, minus the manipulation cost (``|x - z|_2 / alpha`` or
    ``sum |x_i - z_i| / alpha_i``). Nature: 1 for a mistake, else 0. All are paid when the round resolves.

    ## Episode End
    Truncation after ``max_cycles`` rounds; an episode never terminates.

    ## Info
    | agent | key | what |
    | --- | --- | --- |
    | ``individual_0`` | ``arrival`` | the number of the arrival, from 0: the seat is somebody else's every round |
    | | ``discount`` | 0: whoever sits there gets nothing of what comes later, so learn with ``gamma=0`` |

    ## Arguments
    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``scenario`` | ``str`` or ``Scenario`` | ``"KnownL2"`` | what is played, by name or as it is |
    | ``nature`` | ``bool`` | ``False`` | whether nature plays |
    | ``nature_sees`` | ``"current"``, ``"previous"``, ``"nothing"`` | ``"current"`` | the classifier that nature sees |
    | ``pad_spaces`` | ``bool`` | ``False`` | whether all agents get the same spaces |
    | ``max_cycles`` | ``int``, at least 1 | ``None`` | rounds per episode; by default the scenario's horizon |
    | ``render_mode`` | ``"human"``, ``"rgb_array"``, ``"ansi"`` | ``None`` | see `render` |
    | ``**options`` | | | of the scenario, if it is given by name |

    ## Version History
    * v0: first release. The version of a name moves only when the game of a seed changes.

    Notes
    -----
    ``metadata["is_parallelizable"]`` is False: whoever acts at the same time as the learner cannot have seen what it
    publishes. `strategic_env.multi_agent.parallel_env` has two ways around it.
    An environment belongs to one thread at a time: a step while another thread takes one is refused.

    Examples
    --------
    >>> import numpy as np
    >>> from strategic_env.multi_agent import StrategicClassificationAECEnv
    >>> game = StrategicClassificationAECEnv("KnownL2", dim=2, alpha=0.3)
    >>> game.reset(seed=0)
    >>> game.step(np.array([1.0, 0.0, -0.75]))
    >>> game.agent_selection, game.observe("individual_0")["features"].round(2).tolist()
    ('individual_0', [0.66, -0.34])
    >>> game.step(np.array([0.75, -0.34]))  # it moves, and is accepted, which it should not be
    >>> {agent: round(reward, 1) for agent, reward in game.rewards.items()}
    {'learner_0': -1.0, 'individual_0': 0.7}
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "strategic_classification_v0",
        "render_modes": [*RENDER_MODES],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        scenario: str | Scenario = "KnownL2",
        *,
        nature: bool = False,
        nature_sees: str = "current",
        pad_spaces: bool = False,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: object,
    ) -> None:
        found = scenario_of(scenario, options, type(self))
        self._nature = flag("nature", nature)
        self.nature_sees = one_of("nature_sees", nature_sees, NATURE_SEES)
        super().__init__(
            found,
            [LEARNER, NATURE, INDIVIDUAL] if nature else [LEARNER, INDIVIDUAL],
            individuals=1,
            pool=len(pool_of(found.setting, game_key(0)).labels) if nature else 0,
            pad_spaces=pad_spaces,
            max_cycles=max_cycles,
            render_mode=render_mode,
        )

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            Start over with this seed; without it, the next episode of the same seed follows.
        options : mapping, optional
            ``{"game": i}`` plays game i of the seed: by default 0 with a new seed, the same as before without. Other
            keys are ignored, since wrappers bring their own.
        """
        key = self.next_key(seed, options)
        self.game = self._playing = OpenGame(self.setting, key, self.spaces.movable, self.spaces.bounds, self._nature)
        self.agents = [*self.possible_agents]
        self._skip_agent_selection = None  # type: ignore[assignment]  # PettingZoo's own: nobody's turn is put off
        self._nothing = dict.fromkeys(self.agents, 0.0)
        self.rewards, self._cumulative_rewards = self._nothing.copy(), self._nothing.copy()
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        dim, budgets = self.setting.dim, self.setting.budgets()
        self._outcomes = []
        self._late = Late(self.setting.delay, np.zeros(self._layout.size))
        self._seen = np.zeros(self._layout.size)
        self._published = self._previous = np.zeros(dim + 1)
        self._arrival: Arrival = 0, np.zeros(dim), 0.0, np.zeros(budgets.shape[1])
        self._pass_on(LEARNER)
        if self.render_mode == "human":
            self.render()

    def step(self, action: Action) -> None:
        """Take the turn of ``agent_selection``; None if its episode is over.

        Raises
        ------
        TypeError, ValueError
            If the action is of another kind or shape, not finite or outside the space: then the turn is still to be
            taken.
        gymnasium.error.ResetNeeded
            Before the first reset and after the last turn.
        RuntimeError
            While another thread takes a step.
        """
        if self._stepping:
            raise busy()
        self._stepping = True
        try:
            if not self.agents:
                raise ResetNeeded("call reset() before step(): no episode, or it is over")
            agent = self.agent_selection
            if self.truncations[agent]:
                self._was_dead_step(action)
            elif agent == INDIVIDUAL:
                self._report(action)
            elif agent == LEARNER:
                self._publish(action)
            else:
                self._pick(action)
        finally:
            self._stepping = False

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return what the agent whose turn it is sees and got: observation, reward, terminated, truncated, info."""
        if self.game is None:
            raise ResetNeeded("call reset() before last()")
        agent = self.agent_selection
        seen = self.observe(agent) if observe else None
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, Action]:
        """Yield whose turn it is, until the episode is over."""
        if self.game is None:
            raise ResetNeeded("call reset() before agent_iter()")
        return super().agent_iter(max_iter)

    def _publish(self, action: Action) -> None:
        published = self.spaces.classifier(action)
        self._previous, self._published = self._published, published
        self.rewards = self._nothing.copy()
        self._cumulative_rewards[LEARNER] = 0.0
        if self._nature:
            self._pass_on(NATURE)
        else:
            self._arrival = self._playing.arrive(published)
            self._pass_on(INDIVIDUAL)

    def _pick(self, action: Action) -> None:
        self._arrival = self._playing.pick(self.spaces.member(action))
        self._cumulative_rewards[NATURE] = 0.0
        self._pass_on(INDIVIDUAL)

    def _report(self, action: Action) -> None:
        game, arrival = self._playing, self._arrival
        outcome = game.resolve(arrival, self._published, self.spaces.report(action))
        game.settle(arrival, outcome)
        self._outcomes = [outcome]
        _, _, label, _, cost, mistake = outcome
        self._seen = self._late.tell(outcome[0])
        accepted = (label > 0.0) != mistake
        self.rewards = rewards = {LEARNER: reward("mistake", outcome), INDIVIDUAL: (1.0 if accepted else 0.0) - cost}
        if self._nature:
            rewards[NATURE] = abs(rewards[LEARNER])
        # Everybody has taken a turn since the last round resolved.
        self._cumulative_rewards = rewards.copy()
        if game.round >= self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
        self._pass_on(LEARNER)
        if self.render_mode == "human":
            self.render()

    def _pass_on(self, agent: str) -> None:
        """Give an agent the turn, and everybody an info that others may have written into."""
        self.agent_selection = agent
        self.infos = {LEARNER: {}, INDIVIDUAL: {"arrival": self._arrival[0], "discount": 0.0}}
        if self._nature:
            self.infos[NATURE] = {}

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees now, in arrays of its own."""
        if self.game is None:
            raise ResetNeeded("call reset() before observe()")
        if agent == LEARNER:
            parts = self._layout.split(self._seen.copy())
        elif agent == INDIVIDUAL:
            _, features, _, budget = self._arrival
            parts = individual_parts(budget, self._published, features)
        else:
            parts = self._pool_parts(agent)
        return self.spaces.show(agent, parts) if self.spaces.padded else parts

    def _pool_parts(self, agent: str) -> dict[str, Numbers]:
        one_of("agent", agent, tuple(self.possible_agents))
        pool = self._playing.pool
        assert pool is not None
        shown = {"current": self._published, "previous": self._previous}.get(self.nature_sees)
        return {
            "budgets": pool.budgets.copy(),
            "classifier": np.zeros(self._published.shape) if shown is None else shown.copy(),
            "features": pool.features.copy(),
            "labels": pool.labels.copy(),
            "round": np.array([float(self._playing.round)]),
        }

    def state(self) -> Float:
        """Return what there is to know between turns, nature's pool left out.

        A 1 for whose turn it is, what the learner and the individual see, and the individual's label.
        """
        if self.game is None:
            raise ResetNeeded("call reset() before state()")
        turns = [float(agent == self.agent_selection) for agent in self.possible_agents]
        _, features, label, budget = self._arrival
        return np.concatenate([turns, self._seen, budget, self._published, features, [label]])


class _OfAnEpisode:
    """An attribute that a reset gives a value; before it there is none, and the error says what to do.

    `__getattr__` could say so, too, but with one Python looks up every attribute of an object more slowly.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, game: object, kind: type | None = None) -> Any:
        """Say what to do: nobody asks here once the object has a value of its own."""
        if game is None:
            return self
        raise AttributeError(f"call reset() before {self._name}")


for _name in OF_AN_EPISODE:
    setattr(StrategicClassificationAECEnv, _name, _OfAnEpisode(_name))


def env(scenario: str | Scenario = "KnownL2", **options: Any) -> OrderEnforcingWrapper[str, Observation, Action]:
    """Make the turn-based environment, wrapped so that calls in a wrong order are errors.

    ## Arguments
    Those of `strategic_env.multi_agent.StrategicClassificationAECEnv`.

    Examples
    --------
    >>> from strategic_env.multi_agent import env
    >>> game = env("KnownL2", nature=True, max_cycles=1)
    >>> game.reset(seed=0)
    >>> [(agent, game.step(game.action_space(agent).sample()))[0] for agent in game.agent_iter(3)]
    ['learner_0', 'nature_0', 'individual_0']
    """
    return OrderEnforcingWrapper(StrategicClassificationAECEnv(scenario, **options))
