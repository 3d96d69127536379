"""Who can play: nature's policies, and the seats in which policies of every kind act."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from agents.costs import L1, L2, L2Cost
from agents.foundation import streams
from agents.foundation.checks import LARGEST, LARGEST_COUNT, LARGEST_REPORT, LARGEST_SEED, count, finite_array, shown
from agents.foundation.streams import game_key
from agents.foundation.typing import Numbers
from agents.populations.nature import first_error
from agents.responses.individuals import CompiledIndividual, Individual
from strategic_env.bench.contestants import Predictor
from strategic_env.multi_agent.rounds import OpenGame
from strategic_env.multi_agent.spaces import Action, Observation, role_of
from strategic_env.multi_agent.table import Table


class GreedyNature:
    """Picks the first member of the pool on whom the classifier that it sees errs, else the next in line.

    It counts from whoever came last. With ``nature_sees="current"`` it is the adversary of the theorems,
    `agents.GreedyAdversary`, over the pool.

    Examples
    --------
    >>> from agents import BestResponse
    >>> from learners import Perceptron
    >>> from strategic_env.multi_agent import GreedyNature, env, play
    >>> policies = {"learner_0": Perceptron(), "nature_0": GreedyNature(), "individual_0": BestResponse()}
    >>> int(play(env("KnownL2", nature=True), policies, rounds=100, seed=0).mistakes.sum())
    100
    """

    def __repr__(self) -> str:
        return "GreedyNature()"

    def predict(
        self,
        observation: Mapping[str, ArrayLike],
        state: int | None = None,
        episode_start: object = None,
        deterministic: bool = True,
    ) -> tuple[int, int]:
        """Return the member that it picks, and who is next in line.

        Parameters
        ----------
        observation : mapping
            Nature's.
        state : int, optional
            What the previous call returned; None begins anew.
        episode_start, deterministic
            Part of the interface, without effect.
        """
        features = finite_array("features", observation["features"], (None, None), largest=LARGEST)
        budgets = finite_array("budgets", observation["budgets"], (len(features), None), largest=LARGEST)
        labels = finite_array("labels", observation["labels"], (len(features),))
        classifier = finite_array("classifier", observation["classifier"], (features.shape[1] + 1,))
        norm = L2 if budgets.shape[1] == 1 else L1  # with one feature they are the same
        first = 0 if state is None else count("state", state, maximum=len(labels) - 1)
        found = first_error(norm, classifier, features, labels, budgets, first, np.empty(features.shape[1]))
        picked = first if found < 0 else found
        return picked, (picked + 1) % len(labels)


class UniformNature:
    """Picks a member of the pool at random, each with the same probability.

    With the seed of the environment it picks whom a pool lets arrive without nature.

    Parameters
    ----------
    seed : int
        What it draws is a function of the seed and the round.

    Examples
    --------
    >>> from agents import BestResponse
    >>> from learners import Perceptron
    >>> from strategic_env.multi_agent import UniformNature, env, play
    >>> policies = {"learner_0": Perceptron(), "nature_0": UniformNature(), "individual_0": BestResponse()}
    >>> int(play(env("KnownL2", nature=True), policies, rounds=100, seed=0).mistakes.sum())
    13
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = count("seed", seed, maximum=LARGEST_SEED)
        self._key = game_key(self.seed)

    def __repr__(self) -> str:
        return f"UniformNature(seed={self.seed})"

    def predict(
        self,
        observation: Mapping[str, ArrayLike],
        state: object = None,
        episode_start: object = None,
        deterministic: bool = True,
    ) -> tuple[int, object]:
        """Return the member that it picks, and the state as it is.

        Parameters
        ----------
        observation : mapping
            Nature's.
        state, episode_start, deterministic
            Part of the interface, without effect.
        """
        members = len(np.asarray(observation["labels"]))
        round = int(finite_array("round", observation["round"], (1,), largest=LARGEST_COUNT)[0])
        return streams.random_index(self._key, streams.ARRIVALS, round, members), state


class Seat(ABC):
    """Where a policy acts for one agent, for one episode."""

    @abstractmethod
    def act(self, observation: Observation, info: Mapping[str, Any]) -> Action:
        """Return what the agent does when it sees this."""


class _Trained(Seat):
    """A policy that says what it was made for, as those of Stable-Baselines3 do: nothing is translated."""

    def __init__(self, policy: Predictor, agent: str) -> None:
        self._policy, self._agent, self._state = policy, agent, None

    def act(self, observation: Observation, info: Mapping[str, Any]) -> Action:
        action, self._state = _predicted(self._policy, self._agent, observation, self._state)
        return action


class _Predicting(Seat):
    """A policy that reads the parts of an observation, padded or not; a learner gets the reports one by one."""

    def __init__(self, policy: Predictor, table: Table, agent: str) -> None:
        self._policy, self._spaces, self._agent, self._state = policy, table.spaces, agent, None

    def act(self, observation: Observation, info: Mapping[str, Any]) -> Action:
        parts = self._spaces.unpad(self._agent, observation)
        several = role_of(self._agent) == "learner" and parts["features"].ndim == 2
        for one in one_by_one(parts) if several else [parts]:
            action, self._state = _predicted(self._policy, self._agent, one, self._state)
        return self._spaces.pad(self._agent, action)


def _predicted(policy: Predictor, agent: str, observation: Observation, state: Any) -> tuple[Action, Any]:
    answer = policy.predict(observation, state, None, True)
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise TypeError(f"predict() of the policy of {agent} must return an action and a state, got {shown(answer)}")
    return answer


class _Reporting(Seat):
    """A policy of individuals (`agents.Individual`), whose reports are kept within the bounds of the action space."""

    def __init__(self, policy: Individual, table: Table, agent: str, game: OpenGame) -> None:
        self._policy, self._spaces, self._agent, self._game = policy, table.spaces, agent, game

    def act(self, observation: Observation, info: Mapping[str, Any]) -> Action:
        parts, setting = self._spaces.unpad(self._agent, observation), self._game.setting
        cost = setting.cost if setting.population.alpha is None else L2Cost(parts["budget"][0])
        features, classifier = (np.array(parts[key], dtype=np.float64) for key in ("features", "classifier"))
        if self._policy is setting.individual and isinstance(self._policy, CompiledIndividual):
            # These may have heard, or seen, what was before.
            budget = cost.budgets(features.size)[0]
            answer = self._game.answer(info["arrival"], classifier, features, budget)
        else:
            answer = self._policy.report(features.copy(), classifier, cost, self._game.key.copy(), info["arrival"])
        report = finite_array("the individual's report", answer, features.shape, largest=LARGEST_REPORT)
        return self._spaces.pad(self._agent, np.clip(report[self._spaces.movable], *self._spaces.bounds))


def one_by_one(parts: Mapping[str, Numbers]) -> list[dict[str, Numbers]]:
    """Return what a learner sees of n reports as n observations of one; before the first round, as one."""
    reports = len(parts["features"])
    over = float(parts["round"][0])
    return [
        {
            "classifier": parts["classifier"],
            "features": parts["features"][k],
            "label": parts["label"][k : k + 1],
            "prediction": parts["prediction"][k : k + 1],
            "round": np.array([max(0.0, over - reports + k + 1.0)]),
        }
        for k in range(reports if over > 0.0 else 1)
    ]


def check_policies(policies: Mapping[str, Predictor | Individual], agents: Sequence[str]) -> None:
    """Check that there is a policy for each of these agents, and for nobody else.

    Raises
    ------
    ValueError
        If an agent has no policy, or a policy no agent.
    TypeError
        If it is no mapping, or a policy neither predicts nor, for an individual, reports.
    """
    if not isinstance(policies, Mapping):
        raise TypeError(f"policies must be a mapping from agents to policies, got {shown(policies)}")
    if set(policies) != set(agents):
        raise ValueError(f"policies must be for {', '.join(agents)}, got {', '.join(map(str, policies))}")
    for agent in agents:
        methods = ("predict", "report") if role_of(agent) == "individual" else ("predict",)
        if not any(_has(policies[agent], method) for method in methods):
            wanted = " or ".join(f"{method}()" for method in methods)
            raise TypeError(f"the policy of {agent} must have a method {wanted}, got {policies[agent]!r}")


def _has(policy: object, method: str) -> bool:
    return not isinstance(policy, type) and callable(getattr(policy, method, None))


def seats_of(policies: Mapping[str, Predictor | Individual], table: Table) -> dict[str, Seat]:
    """Seat each of the policies, which have been checked, for the episode that has begun."""
    return {agent: _seat(agent, policy, table) for agent, policy in policies.items()}


def _seat(agent: str, policy: Any, table: Table) -> Seat:
    assert table.game is not None
    if not _has(policy, "predict"):
        return _Reporting(policy, table, agent, table.game)
    if getattr(policy, "observation_space", None) is None:
        return _Predicting(policy, table, agent)
    return _Trained(policy, agent)
