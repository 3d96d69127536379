"""One seat of the turn-based game as a Gymnasium environment: for libraries that train one agent."""

from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from agents.foundation.checks import one_of, shown
from agents.responses.individuals import Individual
from strategic_env.bench.contestants import Predictor
from strategic_env.games.shared.episodes import checked_seed
from strategic_env.games.strategic.options import RENDER_MODES
from strategic_env.multi_agent.policies import Seat, check_policies, seats_of
from strategic_env.multi_agent.spaces import Action, Observation
from strategic_env.multi_agent.turns import StrategicClassificationAECEnv


class SeatEnv(gymnasium.Env[Observation, Action]):
    """Play for one agent; given policies play for the others, who begin anew with every episode.

    A step is a round: it begins with this agent's turn and ends before its next one. What the agent sees, does and is
    paid is what the turn-based environment says, and so are its spaces, the info and the truncation. Learn for
    ``individual_0`` with ``gamma=0``: somebody else sits there every round.

    Parameters
    ----------
    env : AECEnv
        Made by `strategic_env.multi_agent.env` or, three times as fast, ``raw_env``.
    agent : str
        Whose seat it is: ``"learner_0"``, ``"individual_0"`` or ``"nature_0"``.
    policies : mapping
        For every other agent, as `strategic_env.multi_agent.play` takes them.

    Attributes
    ----------
    turns : StrategicClassificationAECEnv
        The turn-based environment, without wrappers.

    Raises
    ------
    TypeError
        If it is another environment, or a policy does not fit its agent.
    ValueError
        If the agent does not play, or the policies are not those of the others.

    Examples
    --------
    >>> from learners import Perceptron
    >>> from strategic_env.multi_agent import SeatEnv, raw_env
    >>> env = SeatEnv(raw_env("KnownL2"), "individual_0", {"learner_0": Perceptron()})
    >>> observation, _ = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(observation["features"])  # the truth
    >>> reward, info["arrival"]
    (1.0, 1)
    """

    metadata: dict[str, Any] = {"render_modes": [*RENDER_MODES], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self, env: AECEnv[str, Observation, Action], agent: str, policies: Mapping[str, Predictor | Individual]
    ) -> None:
        table = getattr(env, "unwrapped", None)
        if not isinstance(env, AECEnv) or not isinstance(table, StrategicClassificationAECEnv):
            raise TypeError(f"env must be a turn-based environment made by strategic_env.multi_agent, got {shown(env)}")
        self._env, self.turns = env, table
        self._agent = one_of("agent", agent, tuple(table.possible_agents))
        check_policies(policies, [other for other in table.possible_agents if other != agent])
        self._policies = dict(policies)
        self._seats: dict[str, Seat] = {}
        self.render_mode = table.render_mode
        self.observation_space, self.action_space = table.observation_space(agent), table.action_space(agent)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, and play until it is this agent's turn.

        Parameters
        ----------
        seed : int, optional
        options : mapping, optional
            Both as for the turn-based environment: without a seed, the next episode of the same seed follows.
        """
        super().reset(seed=checked_seed(seed))
        self._env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        self._seats = seats_of(self._policies, self.turns)
        self._play_the_others()
        return self._seen(), self.turns.infos[self._agent]

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act, and play until it is this agent's turn again or the episode is over.

        Raises
        ------
        TypeError, ValueError
            If the action is of another kind or shape, not finite or outside the space.
        gymnasium.error.ResetNeeded
            Before the first reset, when the episode is over, and when another's policy has failed in it.
        """
        if not self._seats or self._over or self.turns.agent_selection != self._agent:
            raise ResetNeeded("call reset() before step(): no episode, it is over, or it is another's turn")
        self._env.step(action)
        reward = self.turns.rewards[self._agent] + self._play_the_others()
        return self._seen(), reward, False, self._over, self.turns.infos[self._agent]

    def render(self) -> Any:
        """Draw the last round, as the turn-based environment does."""
        return self.turns.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.turns.close()

    @property
    def _over(self) -> bool:
        return self.turns.truncations[self._agent]

    def _seen(self) -> Observation:
        observation = self._env.observe(self._agent)
        assert observation is not None
        return observation

    def _play_the_others(self) -> float:
        """Play until it is this agent's turn; return what it is paid meanwhile."""
        turns, paid = self.turns, 0.0
        while not self._over and (other := turns.agent_selection) != self._agent:
            observation = self._env.observe(other)
            assert observation is not None
            self._env.step(self._seats[other].act(observation, turns.infos[other]))
            paid += turns.rewards[self._agent]
        return paid
