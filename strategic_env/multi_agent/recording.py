"""A game between any policies, and its record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pettingzoo import AECEnv, ParallelEnv

from agents.foundation.checks import count, shown
from agents.foundation.typing import Bool, Float
from agents.responses.individuals import Individual
from strategic_env.bench.contestants import Predictor
from strategic_env.games.strategic.rules import Round
from strategic_env.multi_agent.policies import Seat, check_policies, seats_of
from strategic_env.multi_agent.spaces import INDIVIDUAL
from strategic_env.multi_agent.table import Table


@dataclass(frozen=True)
class Record:
    """What happened in N rounds, in the order in which individuals arrived.

    Attributes
    ----------
    classifiers : ndarray, shape (N, d + 1)
        What was faced.
    true_features, reports : ndarray, shape (N, d)
    true_labels, labels, predictions : ndarray, shape (N,)
        -1 or +1; ``labels`` are those that the learner saw, 0 where they were hidden.
    moved, mistakes : ndarray, shape (N,), bool
    costs : ndarray, shape (N,)
        What individuals paid.
    rewards : dict of ndarray, shape (C,)
        By agent, one for each of C cycles: N divided by the number of individuals.

    Examples
    --------
    >>> from agents import BestResponse
    >>> from learners import Perceptron
    >>> from strategic_env.multi_agent import Record, env, play
    >>> record = play(env("KnownL2"), {"learner_0": Perceptron(), "individual_0": BestResponse()}, rounds=100, seed=0)
    >>> isinstance(record, Record), record.reports.shape, int(record.moved.sum()), int(record.mistakes.sum())
    (True, (100, 2), 14, 14)
    """

    classifiers: Float
    true_features: Float
    reports: Float
    true_labels: Float
    labels: Float
    predictions: Float
    moved: Bool
    mistakes: Bool
    costs: Float
    rewards: dict[str, Float]


def play(
    env: AECEnv[Any, Any, Any] | ParallelEnv[Any, Any, Any],
    policies: Mapping[str, Predictor | Individual],
    *,
    rounds: int | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Record:
    """Play an episode.

    Parameters
    ----------
    env : AECEnv or ParallelEnv
        Made by `strategic_env.multi_agent`, wrapped or not.
    policies : mapping
        A policy for every agent. The learner's has Stable-Baselines3's ``predict``, as `learners` have; an
        individual's has that, or ``report`` as `agents.BestResponse`; nature's has ``predict``
        (`strategic_env.multi_agent.GreedyNature`). A policy with an attribute ``observation_space`` gets observations
        as the environment shows them; any other their parts by name, and a learner one report after another. What
        ``report`` returns is kept within the bounds of the action space: they hold every best response, and the noise
        of individuals that are the scenario's own.
    rounds : int, optional
        Cycles to play, if not the whole episode: deployments, in the parallel form.
    seed : int, optional
    options : mapping, optional
        Of ``env.reset``.

    Returns
    -------
    Record

    Raises
    ------
    TypeError
        If it is another environment, or a policy does not fit its agent.
    ValueError
        If an agent has no policy, or an episode has fewer rounds.

    Examples
    --------
    >>> from agents import BestResponse
    >>> from learners import Perceptron
    >>> from strategic_env.multi_agent import parallel_env, play
    >>> policies = {"learner_0": Perceptron(), "individual_0": BestResponse(), "individual_1": BestResponse()}
    >>> record = play(parallel_env("KnownL2", individuals=2), policies, rounds=50, seed=0)
    >>> record.mistakes.shape, record.rewards["learner_0"].shape
    ((100,), (50,))
    """
    table = getattr(env, "unwrapped", None)
    if not isinstance(table, Table) or not isinstance(env, (AECEnv, ParallelEnv)):
        raise TypeError(f"env must be an environment made by strategic_env.multi_agent, got {shown(env)}")
    wanted = table.max_cycles if rounds is None else count("rounds", rounds, minimum=1, maximum=table.max_cycles)
    check_policies(policies, table.possible_agents)
    notes = _Notes(table)
    if isinstance(env, AECEnv):
        env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        _take_turns(env, seats_of(policies, table), notes, wanted)
    else:
        observations, infos = env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        _act_together(env, observations, infos, seats_of(policies, table), notes, wanted)
    return notes.record()


def _take_turns(env: AECEnv[Any, Any, Any], seats: dict[str, Seat], notes: "_Notes", cycles: int) -> None:
    while notes.cycles < cycles:
        agent = env.agent_selection
        observation = env.observe(agent)
        assert observation is not None
        env.step(seats[agent].act(observation, env.infos[agent]))
        if agent == INDIVIDUAL:
            notes.take(env.rewards)


def _act_together(
    env: ParallelEnv[Any, Any, Any],
    observations: Mapping[str, Any],
    infos: Mapping[str, Any],
    seats: dict[str, Seat],
    notes: "_Notes",
    cycles: int,
) -> None:
    # In the turn-based form one agent acts at a time.
    turns = env.unwrapped if isinstance(env.unwrapped, AECEnv) else None
    while notes.cycles < cycles:
        acting = env.agents if turns is None else [turns.agent_selection]
        actions = {agent: seats[agent].act(observations[agent], infos[agent]) for agent in acting}
        observations, rewards, _, _, infos = env.step(actions)
        if turns is None or acting == [INDIVIDUAL]:
            notes.take(rewards)


class _Notes:
    """Collects rounds while they are played."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rounds: list[Round] = []
        self._rewards: list[dict[str, float]] = []

    @property
    def cycles(self) -> int:
        return len(self._rewards)

    def take(self, rewards: Mapping[str, float]) -> None:
        """Note the cycle that has just been resolved."""
        self._rounds += self._table.last_rounds
        self._rewards.append(dict(rewards))

    def record(self) -> Record:
        rounds = self._rounds
        seen = np.array([each.observation for each in rounds])
        return Record(
            classifiers=np.array([each.classifier for each in rounds]),
            true_features=np.array([each.true_features for each in rounds]),
            reports=np.array([each.report for each in rounds]),
            true_labels=np.array([each.true_label for each in rounds]),
            labels=seen[:, -3],
            predictions=seen[:, -2],
            moved=np.array([each.moved for each in rounds]),
            mistakes=np.array([each.mistake for each in rounds]),
            costs=np.array([each.cost for each in rounds]),
            rewards={agent: np.array([each[agent] for each in self._rewards]) for agent in self._table.possible_agents},
        )
