"""What everybody at the table sees and may do, each in spaces of its own or all in the same."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from agents.costs import L2
from agents.foundation.checks import count, finite_array
from agents.foundation.compiled import DirectCall
from agents.foundation.typing import Float, Int, Numbers
from strategic_env.games.strategic.options import make_spaces
from strategic_env.games.strategic.rules import copy_publishable, publishable
from strategic_env.games.strategic.setting import Setting

Observation: TypeAlias = dict[str, Numbers] | Float
Action: TypeAlias = Any
Space: TypeAlias = spaces.Space[Any]
# Lowest and highest numbers, of each part of an observation.
Bounds: TypeAlias = tuple[Float, Float]
Parts: TypeAlias = dict[str, Bounds]

# NumPy has one object for it: `is` is enough, and faster than `==`.
_FLOAT64 = np.dtype(np.float64)
LEARNER, NATURE, INDIVIDUAL = "learner_0", "nature_0", "individual_0"


def role_of(agent: str) -> str:
    """Return ``learner``, ``nature`` or ``individual``."""
    return agent.rpartition("_")[0]


class Spaces:
    """The spaces of every agent, and the way in and out of them.

    Parameters
    ----------
    setting : Setting
    agents : sequence of str
        Everybody at the table.
    rounds : int
        The most individuals that an episode meets.
    pool : int
        How many individuals nature picks from.
    padded : bool
        Whether all agents get the same two boxes.

    Attributes
    ----------
    observation, action : dict of Space
        By agent.
    state : Box
        Of who acts next (one entry for each agent), what learner and individuals see, and the individuals' labels.
    movable : ndarray, shape (m,), int64
        Coordinates that somebody can move: those that a report is about.
    bounds : ndarray, shape (2, m)
        Of a report.
    """

    def __init__(self, setting: Setting, agents: Sequence[str], rounds: int, pool: int, padded: bool) -> None:
        self._dim, self._pool, self.padded = setting.dim, pool, padded
        individuals = [agent for agent in agents if role_of(agent) == "individual"]
        self._views = views = _views(setting, len(individuals), rounds, pool, padded)
        can_move = np.broadcast_to(setting.budgets()[0] > 0.0, (self._dim,))
        self.movable: Int = np.flatnonzero(can_move)
        self.bounds: Float = np.stack([end[can_move] for end in views["individual"]["features"]])
        does: dict[str, Space] = {
            "learner": _box(-np.ones(self._dim + 1), np.ones(self._dim + 1)),
            "individual": _box(*self.bounds),
            "nature": spaces.Discrete(max(pool, 1)),
        }
        sees: dict[str, Space] = {
            role: spaces.Dict({key: _box(*bounds) for key, bounds in view.items()}) for role, view in views.items()
        }
        self._classifier_shape, self._report_shape = (self._dim + 1,), self.movable.shape
        self._copy = DirectCall(copy_publishable)
        self._roles = [role for role in views if any(role_of(agent) == role for agent in agents)]
        # A padded action holds a classifier or a report.
        self._lowest, self._highest = -np.ones(self._dim + 1), np.ones(self._dim + 1)
        self._lowest[: self.movable.size], self._highest[: self.movable.size] = self.bounds
        if padded:
            does = dict.fromkeys(does, _box(self._lowest, self._highest))
            sees = dict.fromkeys(sees, _box(*_padded([views[role] for role in self._roles])))
        # Copies, so that each agent's space can be seeded by itself.
        self.observation = {agent: deepcopy(sees[role_of(agent)]) for agent in agents}
        self.action = {agent: deepcopy(does[role_of(agent)]) for agent in agents}
        seen = [_flat(views["learner"]), *[_flat(views["individual"])] * len(individuals)]
        low, high = (np.concatenate([bounds[end] for bounds in seen]) for end in (0, 1))
        turns, labels = len(agents), len(individuals)
        self.state = _box(
            np.concatenate([np.zeros(turns), low, -np.ones(labels)]),
            np.concatenate([np.ones(turns), high, np.ones(labels)]),
        )

    # In: what an agent does.

    def classifier(self, action: Action) -> Float:
        """Return the classifier (d + 1,) that a learner publishes.

        A padded one may have entries beyond 1; they are brought into [-1, 1] by a power of two, which is the same
        classifier.

        Raises
        ------
        TypeError, ValueError
            If it is no array of finite numbers in this shape, or outside the box.
        """
        shape = self._classifier_shape
        # Anything that is not contiguous or not writable would be compiled for.
        if _fits(action, shape) and action.flags.carray:
            copied = np.empty(shape)
            if self._copy.call(action, copied):
                return copied
        classifier = _numbers("a published classifier", action, shape)
        if publishable(classifier):
            return classifier
        if not self.padded:
            raise ValueError(f"a published classifier must have entries in [-1, 1], got {classifier.tolist()}")
        if not ((classifier >= self._lowest) & (classifier <= self._highest)).all():
            low, high = self._lowest.tolist(), self._highest.tolist()
            raise ValueError(f"a published classifier must lie between {low} and {high}, got {classifier.tolist()}")
        return np.ldexp(classifier, -int(np.frexp(np.abs(classifier).max())[1]))

    def report(self, action: Action) -> Float:
        """Return the reported values (m,) of the movable coordinates, to be read at once: perhaps the action itself.

        Whether they are in bounds is not checked yet.

        Raises
        ------
        TypeError, ValueError
            If it is no array of finite numbers in this shape.
        """
        shape = self._classifier_shape if self.padded else self._report_shape
        # Anything that is not contiguous or not writable would be compiled for.
        plain = _fits(action, shape) and action.flags.carray
        report: Float = action if plain else finite_array("a report", action, shape)
        return report[: self.movable.size] if self.padded else report

    def member(self, action: Action) -> int:
        """Return the member of the pool that nature picks.

        Raises
        ------
        TypeError, ValueError
            If it is no number of a member; padded, if its first entry is outside the box.
        """
        if not self.padded:
            return count("nature's pick", action, maximum=self._pool - 1)
        first = _numbers("nature's pick", action, self._classifier_shape)[0]
        low, high = self._lowest[0], self._highest[0]
        if not low <= first <= high:
            raise ValueError(f"nature's pick must have its first entry in [{low}, {high}], got {first}")
        return min(int((first - low) / (high - low) * self._pool), self._pool - 1)

    # Out: what an agent sees.

    def show(self, agent: str, parts: dict[str, Numbers]) -> Observation:
        """Return an observation, from its parts in the order of their names."""
        if not self.padded:
            return parts
        vector = np.zeros(self.observation[agent].shape or 0)
        vector[self._roles.index(role_of(agent))] = 1.0
        numbers = np.concatenate([part.ravel() for part in parts.values()])
        vector[len(self._roles) : len(self._roles) + numbers.size] = numbers
        return vector

    # For policies that know nothing of padding.

    def unpad(self, agent: str, observation: Observation) -> dict[str, Numbers]:
        """Return an observation in its parts, padded or not."""
        if isinstance(observation, Mapping):
            return dict(observation)
        parts: dict[str, Numbers] = {}
        start = len(self._roles)
        for key, (low, _) in self._views[role_of(agent)].items():
            parts[key] = observation[start : start + low.size].reshape(low.shape)
            start += low.size
        return parts

    def pad(self, agent: str, action: Action) -> Action:
        """Return the action that means, in the agent's space, what this one means without padding."""
        if not self.padded:
            return action
        vector = np.zeros(self._dim + 1)
        if role_of(agent) == "nature":
            low, high = self._lowest[0], self._highest[0]
            share = (count("nature's pick", action, maximum=self._pool - 1) + 0.5) / self._pool
            vector[0] = low + share * (high - low)
            return vector
        shape = self._classifier_shape if role_of(agent) == "learner" else self._report_shape
        vector[: shape[0]] = _numbers("an action", action, shape)
        return vector


def _views(setting: Setting, individuals: int, rounds: int, pool: int, padded: bool) -> dict[str, Parts]:
    """Return what each role sees, by the names of its parts in their order."""
    space, _ = make_spaces(setting, rounds, flat=False)
    assert isinstance(space, spaces.Dict)
    learner: Parts = {key: (box.low, box.high) for key, box in space.items() if isinstance(box, spaces.Box)}
    if padded:  # a report must fit into a box with a classifier
        low, high = learner["features"]
        learner["features"] = np.minimum(low, -1.0), np.maximum(high, 1.0)
    classifier, features = learner["classifier"], learner["features"]
    if individuals > 1:
        learner["features"] = _times(individuals, features)
        learner["label"] = learner["prediction"] = -np.ones(individuals), np.ones(individuals)
    budgets = setting.budgets()
    size = 1 if setting.norm == L2 else setting.dim
    budget = np.zeros(size), np.full(size, float(budgets.max()) or 1.0)
    nature = {
        "budgets": _times(pool, budget),
        "classifier": classifier,
        "features": _times(pool, features),
        "labels": (-np.ones(pool), np.ones(pool)),
        "round": learner["round"],
    }
    individual = {"budget": budget, "classifier": classifier, "features": features}
    return {"learner": learner, "nature": nature, "individual": individual}


def _times(rows: int, bounds: Bounds) -> Bounds:
    """Repeat bounds (k,) in rows (rows, k)."""
    low, high = (np.tile(end, (rows, 1)) for end in bounds)
    return low, high


def _flat(view: Parts) -> Bounds:
    """Return the bounds of a view as vectors."""
    low, high = (np.concatenate([bounds[end].ravel() for bounds in view.values()]) for end in (0, 1))
    return low, high


def _padded(views: Sequence[Parts]) -> Bounds:
    """Return the bounds of who looks (one entry for each view) and of what any of them sees, filled up with zeros."""
    flat = [_flat(view) for view in views]
    longest = max(low.size for low, _ in flat)
    low = np.min([np.pad(low, (0, longest - low.size)) for low, _ in flat], axis=0)
    high = np.max([np.pad(high, (0, longest - high.size)) for _, high in flat], axis=0)
    return np.append(np.zeros(len(views)), low), np.append(np.ones(len(views)), high)


def _box(low: Float, high: Float) -> spaces.Box:
    return spaces.Box(low, high, dtype=np.float64)


def _fits(action: Action, shape: tuple[int, ...]) -> bool:
    return type(action) is np.ndarray and action.dtype is _FLOAT64 and action.shape == shape


def _numbers(name: str, action: Action, shape: tuple[int, ...]) -> Float:
    """Return an action in a float64 array of its own."""
    return action.copy() if _fits(action, shape) else finite_array(name, action, shape)
