"""The game with everybody acting at once (PettingZoo Parallel): a classifier is faced one step after it was sent."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from agents.foundation.checks import count, shown
from agents.foundation.typing import Float, Numbers
from strategic_env.games.shared.threads import one_thread
from strategic_env.games.strategic.delay import Late
from strategic_env.games.strategic.options import RENDER_MODES
from strategic_env.games.strategic.rules import reward
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.multi_agent.rounds import Arrival, OpenGame
from strategic_env.multi_agent.spaces import LEARNER, Action, Observation
from strategic_env.multi_agent.table import Table, individual_parts, scenario_of
from strategic_env.multi_agent.turns import env

# Observations, rewards, terminations, truncations and infos of every agent.
Stepped: TypeAlias = tuple[
    dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]
# Each has spaces of its own.
MOST_INDIVIDUALS = 10_000


class StrategicClassificationParallelEnv(Table, ParallelEnv[str, Observation, Action]):
    """A learner and n individuals act at the same time, with a deployment lag of one step.

    ## Description
    At every step n individuals face the classifier in force and report, while ``learner_0`` sends the next one: **the
    classifier sent at step t is the one faced at step t + 1**. The first one is all zeros, which accepts everybody.
    ``individual_0`` to ``individual_{n-1}`` are seats of whoever has arrived, all of them somebody else's every step.
    In the order of the seats they are the arrivals ``n t .. n t + n - 1`` of
    `strategic_env.StrategicClassificationEnv` with the same options and seed: each seat's round is that of the
    single environment under the classifier that it faces, number for number.

    The theorems are about a learner that answers every report before the next individual arrives. With this lag, or
    with n > 1, they do not apply.

    ## Spaces
    As in `strategic_env.multi_agent.StrategicClassificationAECEnv`. With n > 1 the learner sees all reports of a
    step at once:

    | agent | key | shape | what |
    | --- | --- | --- | --- |
    | ``learner_0`` | ``features`` | ``(n, d)`` | the reports |
    | | ``label`` | ``(n,)`` | their labels |
    | | ``prediction`` | ``(n,)`` | what was predicted of them |
    | | ``round`` | ``(1,)`` | how many rounds (individuals) are over |

    Everybody's ``classifier`` is the one faced: an individual's the one it faces now, the learner's the one that the
    reports it sees have faced.

    ## Rewards
    Learner: minus the number of mistakes. Individual: 1 if accepted, minus the manipulation cost.

    ## Episode End
    Truncation after ``max_cycles`` steps, for everybody at once; an episode never terminates.

    ## Info
    | agent | key | what |
    | --- | --- | --- |
    | ``individual_k`` | ``arrival`` | the number of the arrival that sits there now |
    | | ``discount`` | 0: learn with ``gamma=0`` |

    ## Arguments
    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``scenario`` | ``str`` or ``Scenario`` | ``"KnownL2"`` | what is played, by name or as it is |
    | ``individuals`` | ``int``, at least 1 | ``1`` | n |
    | ``pad_spaces`` | ``bool`` | ``False`` | whether all agents get the same spaces |
    | ``max_cycles`` | ``int``, at least 1 | ``None`` | steps per episode; by default the horizon's rounds are played |
    | ``render_mode`` | ``"human"``, ``"rgb_array"``, ``"ansi"`` | ``None`` | draws the last seat's round |
    | ``**options`` | | | of the scenario, if it is given by name |

    ## Version History
    * v0: first release. The version of a name moves only when the game of a seed changes.

    Notes
    -----
    An environment belongs to one thread at a time: a step while another thread takes one is refused.

    Examples
    --------
    >>> import numpy as np
    >>> from strategic_env.multi_agent import StrategicClassificationParallelEnv
    >>> game = StrategicClassificationParallelEnv("KnownL2", dim=2, individuals=2)
    >>> observations, infos = game.reset(seed=0)
    >>> truth = {agent: seen["features"] for agent, seen in observations.items() if agent != "learner_0"}
    >>> observations, rewards, _, _, _ = game.step({"learner_0": np.array([1.0, 0.0, -0.75]), **truth})
    >>> rewards  # at first everybody is accepted
    {'learner_0': -2.0, 'individual_0': 1.0, 'individual_1': 1.0}
    >>> observations["individual_0"]["classifier"].tolist()  # what was sent is faced now
    [1.0, 0.0, -0.75]
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "strategic_classification_parallel_v0",
        "render_modes": [*RENDER_MODES],
        "render_fps": 4,
    }

    def __init__(
        self,
        scenario: str | Scenario = "KnownL2",
        *,
        individuals: int = 1,
        pad_spaces: bool = False,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: object,
    ) -> None:
        count("individuals", individuals, minimum=1, maximum=MOST_INDIVIDUALS)
        self._seats = [f"individual_{k}" for k in range(individuals)]
        super().__init__(
            scenario_of(scenario, options, type(self)),
            [LEARNER, *self._seats],
            individuals=individuals,
            pool=0,
            pad_spaces=pad_spaces,
            max_cycles=max_cycles,
            render_mode=render_mode,
        )

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            Start over with this seed; without it, the next episode of the same seed follows.
        options : mapping, optional
            ``{"game": i}`` plays game i of the seed: by default 0 with a new seed, the same as before without. Other
            keys are ignored, since wrappers bring their own.

        Returns
        -------
        observations, infos
            Of every agent.
        """
        key = self.next_key(seed, options)
        self.game = OpenGame(self.setting, key, self.spaces.movable, self.spaces.bounds)
        self.agents = [*self.possible_agents]
        self._outcomes = []
        self._seen = np.zeros((len(self._seats), self._layout.size))
        self._late = Late(self.setting.delay, self._seen.copy())
        self._deploy(np.zeros(self.setting.dim + 1))
        if self.render_mode == "human":
            self.render()
        return self._observations(), self._infos()

    def step(self, actions: Mapping[str, Action]) -> Stepped:
        """Resolve the reports to the classifier in force, then put the one that is sent in force.

        Parameters
        ----------
        actions : mapping
            An action for every agent.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            Of every agent.

        Raises
        ------
        TypeError, ValueError
            If an action is missing, of another kind or shape, not finite or outside the space: then nobody has acted.
        gymnasium.error.ResetNeeded
            Before the first reset and after the last step.
        RuntimeError
            While another thread takes a step.
        """
        return self._step(actions)

    @one_thread
    def _step(self, actions: Mapping[str, Action]) -> Stepped:
        if not self.agents:
            raise ResetNeeded("call reset() before step(): no episode, or it is over")
        if not isinstance(actions, Mapping):
            raise TypeError(f"actions must be a mapping from agents to actions, got {shown(actions)}")
        if set(actions) != set(self.agents):
            raise ValueError(f"actions must be for {', '.join(self.agents)}, got {', '.join(map(str, actions))}")
        game = self._playing
        sent = self.spaces.classifier(actions[LEARNER])
        outcomes = [
            game.resolve(arrival, self._faced, self.spaces.report(actions[seat]))
            for seat, arrival in zip(self._seats, self._arrivals, strict=True)
        ]
        rewards = {LEARNER: 0.0}
        for seat, arrival, outcome in zip(self._seats, self._arrivals, outcomes, strict=True):
            game.settle(arrival, outcome)
            _, _, label, _, cost, mistake = outcome
            accepted = (label > 0.0) != mistake
            rewards[seat] = (1.0 if accepted else 0.0) - cost
            rewards[LEARNER] += reward("mistake", outcome)
        self._outcomes = outcomes
        self._seen = self._late.tell(np.stack([outcome[0] for outcome in outcomes]))
        self._deploy(sent)
        over = game.round >= self.max_cycles * len(self._seats)
        if self.render_mode == "human":
            self.render()
        returned = (
            self._observations(),
            rewards,
            dict.fromkeys(self.agents, False),
            dict.fromkeys(self.agents, over),
            self._infos(),
        )
        if over:
            self.agents = []
        return returned

    def state(self) -> Float:
        """Return all there is to know between steps: what everybody sees, and the labels of the individuals."""
        if self.game is None:
            raise ResetNeeded("call reset() before state()")
        shown = [part.ravel() for _, parts in self._all_parts() for part in parts.values()]
        labels = [label for _, _, label, _ in self._arrivals]
        return np.concatenate([np.ones(len(self.possible_agents)), *shown, labels])

    def _deploy(self, classifier: Float) -> None:
        """Put a classifier in force, and let those arrive who face it."""
        self._faced = classifier
        self._arrivals: list[Arrival] = [self._playing.arrive(classifier) for _ in self._seats]

    @property
    def _playing(self) -> OpenGame:
        assert self.game is not None
        return self.game

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.spaces.show(agent, parts) for agent, parts in self._all_parts()}

    def _infos(self) -> dict[str, dict[str, Any]]:
        infos: dict[str, dict[str, Any]] = {LEARNER: {}}
        for seat, (round, _, _, _) in zip(self._seats, self._arrivals, strict=True):
            infos[seat] = {"arrival": round, "discount": 0.0}
        return infos

    def _all_parts(self) -> Iterator[tuple[str, dict[str, Numbers]]]:
        yield LEARNER, self._learner_parts()
        for seat, (_, features, _, budget) in zip(self._seats, self._arrivals, strict=True):
            yield seat, individual_parts(budget, self._faced, features)

    def _learner_parts(self) -> dict[str, Numbers]:
        if len(self._seats) == 1:
            return self._layout.split(self._seen[0].copy())
        parts = {key: part.copy() for key, part in self._layout.split(self._seen).items()}
        return parts | {
            "classifier": parts["classifier"][0],
            "label": parts["label"].ravel(),
            "prediction": parts["prediction"].ravel(),
            "round": parts["round"][-1],
        }


def parallel_env(
    scenario: str | Scenario = "KnownL2", *, lag: int = 1, **options: Any
) -> ParallelEnv[str, Observation, Action]:
    """Make the parallel environment.

    With ``lag=1`` everybody acts at once. ``lag=0`` is the turn-based environment in PettingZoo's parallel form, in
    which one agent acts at each step, the one that ``infos[agent]["active_agent"]`` names (the learner at first), and
    the actions of the others are ignored.

    ## Arguments
    Those of `strategic_env.multi_agent.StrategicClassificationParallelEnv` (with ``lag=0``, of
    `strategic_env.multi_agent.env`), and:

    | name | kind | default | what |
    | --- | --- | --- | --- |
    | ``lag`` | ``int``, 0 or 1 | ``1`` | after how many steps a classifier is faced |

    Raises
    ------
    ValueError
        For another lag, or an unknown option.

    Examples
    --------
    >>> from strategic_env.multi_agent import parallel_env
    >>> parallel_env("KnownL2", individuals=2).possible_agents
    ['learner_0', 'individual_0', 'individual_1']
    >>> parallel_env("KnownL2", lag=0).possible_agents
    ['learner_0', 'individual_0']
    """
    if count("lag", lag, maximum=1) == 1:
        return StrategicClassificationParallelEnv(scenario, **options)
    if count("individuals", options.pop("individuals", 1), minimum=1) > 1:
        raise ValueError("individuals must be 1 with lag=0, where one acts after the other")
    return turn_based_aec_to_parallel(env(scenario, **options))
