"""What all learners share: Stable-Baselines3's ``predict``, with everything learned in an explicit state."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.foundation.checks import perhaps, shown
from agents.foundation.compiled import DirectCall
from agents.foundation.streams import game_key
from agents.foundation.typing import Key

HERE = f"{__name__.partition('.')[0]}."
State = TypeVar("State", bound=tuple[NDArray[Any], ...])
Made = TypeVar("Made", bound="Policy[Any]")
# Place of the features in an observation of either game.
FEATURES = 1
# What compiled rules return, with nothing changed, for an observation that holds a number that is not allowed.
REFUSED = -2


class Policy(ABC, Generic[State]):
    """A policy that learns while it predicts; its state is a NamedTuple of arrays whose first axis is the game.

    Attributes
    ----------
    name : str
        Its name on the command line.
    game : str
        What it plays: ``"strategic"`` (`learners.Learner`), ``"multiclass"`` (`learners.MulticlassLearner`) or
        ``"search"`` (`learners.SearchLearner`).
    state_class : type
        NamedTuple of its state; the first field is ``weights``.
    summary : str
        What it is, in one line.
    requires : tuple of str
        What it must be told (`from_knowledge`).
    welcomes : tuple of str
        What else it takes from a scenario that tells it.
    by_rules : callable or None
        The ``predict`` of its game's learners, which do what their compiled rules say.
    defaults : tuple of dict
        With which parameters it takes part by default, once for each.
    parameters : dict
        The values that it was built with.
    """

    name: ClassVar[str]
    game: ClassVar[str]
    state_class: ClassVar[type[tuple[NDArray[Any], ...]]]
    summary: ClassVar[str]
    requires: ClassVar[tuple[str, ...]] = ()
    welcomes: ClassVar[tuple[str, ...]] = ()
    defaults: ClassVar[tuple[Mapping[str, object], ...]] = ({},)
    by_rules: ClassVar[Callable[..., Any] | None] = None
    parameters: dict[str, object]

    @abstractmethod
    def initial_state(self, games: int, dim: int) -> State:
        """Return the state of ``games`` games with ``dim`` features before their first round."""

    @abstractmethod
    def predict(
        self,
        observation: Mapping[str, ArrayLike] | NDArray[np.floating[Any]],
        state: State | None = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> tuple[Any, State]:
        """Learn from the last round that the observation shows, and return the next action."""

    @abstractmethod
    def _weights_shape(self, dim: int) -> tuple[int, ...]:
        """Return the shape of one game's weights, the first field of every state."""

    @classmethod
    def from_knowledge(cls, knowledge: Mapping[str, object], **parameters: Any) -> Self:
        """Build the learner from what a scenario tells; explicit ``parameters`` override.

        Raises
        ------
        ValueError
            If it is told too little.
        """
        missing = [name for name in cls.requires if name not in knowledge and name not in parameters]
        if missing:
            raise ValueError(f"{cls.name} must be told {', '.join(missing)}; the scenario tells {', '.join(knowledge)}")
        told = {name: knowledge[name] for name in (*cls.requires, *cls.welcomes) if name in knowledge}
        return cls(**told | parameters)

    @property
    def arguments(self) -> dict[str, object]:
        """The keywords that build it again by its name, if it has one."""
        return self.parameters

    def has_rules(self) -> bool:
        """Whether it is what its compiled rules say: none that predicts in another way."""
        return type(self).predict is type(self).by_rules and "predict" not in vars(self)

    def for_run(self, seed: int) -> Self:
        """Return the learner for the bench's run with this seed: one that draws must draw anew in each."""
        return self

    def _going_on(self, state: State | None, episode_start: ArrayLike | None, games: int, dim: int) -> State:
        """Return the state to go on with, checked: new where there is none or an episode starts."""
        if state is not None:
            self.check_state(state, games, dim)
        current = self._continued(state, episode_start, games, dim)
        if state is None:
            self.check_state(current, games, dim)
        return current

    def _continued(self, state: State | None, episode_start: ArrayLike | None, games: int, dim: int) -> State:
        """Return the state to go on with: new where there is none or an episode starts."""
        starts = None if episode_start is None else _checked_starts(episode_start, games)
        if state is None:
            return begin(self, dim, games)
        if starts is not None and starts.any():
            for array, fresh in zip(state, begin(self, dim, games), strict=True):
                array[np.broadcast_to(starts, (games,))] = fresh[np.broadcast_to(starts, (games,))]
        return state

    def check_state(self, state: State, games: int, dim: int) -> None:
        """Make sure that compiled code finds what it expects in every field.

        Raises
        ------
        TypeError
            If the state is another learner's, or a field is no array of the right kind.
        ValueError
            If it holds other games or another number of features.
        """
        if type(state) is not self.state_class:  # compiled code knows no subclass
            raise TypeError(f"state must be a {self.state_class.__name__} of {self.name}, got {type(state).__name__}")
        patterns = self.__dict__.setdefault("_patterns", {})
        if dim not in patterns:
            patterns[dim] = self._pattern(dim)
        names = getattr(state, "_fields", ())
        for name, field, (dtype, shape) in zip(names, state, patterns[dim], strict=True):
            if not isinstance(field, np.ndarray) or field.dtype != dtype:
                got = f"{type(field).__name__} of {field.dtype}" if isinstance(field, np.ndarray) else shown(field)
                raise TypeError(f"state.{name} must be an array of {dtype}, got {got}")
            if field.shape != (games, *shape):
                raise ValueError(
                    f"state must hold {games} games with {dim} features like the observation: "
                    f"state.{name} must have shape {(games, *shape)}, got {field.shape}"
                )
            if not (field.flags.c_contiguous and field.flags.writeable):
                raise ValueError(f"state.{name} must be contiguous and writeable; pass a copy")

    def _pattern(self, dim: int) -> list[tuple[np.dtype[Any], tuple[int, ...]]]:
        """Return dtype and shape of one game's part of every field, if it begins with what its rules need."""
        begun = begin(self, dim)
        found = [(np.asarray(field).dtype, np.shape(field)[1:]) for field in begun]
        needed = [(field.dtype, field.shape[1:]) for field in self._maker().initial_state(self, 1, dim)]
        needed[0] = np.dtype(np.float64), self._weights_shape(dim)
        for name, got, (dtype, wanted) in zip(getattr(begun, "_fields", ()), found, needed, strict=True):
            if got != (dtype, wanted):
                kind = "" if dtype == np.float64 else f"{dtype} "
                shape = ", ".join(map(str, ("games", *wanted)))
                raise ValueError(f"{self.name} must begin with {kind}{name} of shape ({shape}), got {got}")
        return found

    def _maker(self) -> "type[Policy[State]]":
        """Return the class of this package that the rules were written with; its own if there is none."""
        for kind in type(self).__mro__:
            if kind.__module__.startswith(HERE) and getattr(kind, "state_class", None) is self.state_class:
                return kind
        if self.state_class.__module__.startswith(HERE):  # its rules need more than anybody knows but who made it
            made = self.state_class.__name__
            raise TypeError(f"{type(self).__name__} must inherit from a learner that has {made}, or have its own state")
        return type(self)

    def _check_health(self, damaged: int) -> None:
        """Make sure that no game (else its number, not -1) leads to numbers that nobody can play."""
        if damaged >= 0:
            raise ValueError(
                f"state is damaged: what {self.name} makes of it in game {damaged} is NaN, infinite or out of range"
            )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"


def build_class(kind: type[Made], knowledge: Mapping[str, object], parameters: Mapping[str, object]) -> Made:
    """Build a learner of a class from what a scenario tells and explicit parameters.

    Raises
    ------
    ValueError
        For an unknown parameter, or a learner that is told too little.
    """
    signature = inspect.signature(kind).parameters
    allowed = tuple(signature)
    others = any(one.kind is one.VAR_KEYWORD for one in signature.values())  # of a learner inside, which asks again
    for parameter in parameters:
        if parameter not in allowed and not others:
            names = ", ".join(allowed) or "none"
            raise ValueError(f"{kind.name} has no parameter {parameter!r}; it has {names}{perhaps(parameter, allowed)}")
    return kind.from_knowledge(knowledge, **parameters)


def begin(learner: Policy[State], dim: int, games: int = 1) -> State:
    """Return the state of so many games of so many features before their first round.

    Raises
    ------
    ValueError
        If the learner is made for another number, or needs more memory than there is.
    """
    try:
        return learner.initial_state(games, dim)
    except MemoryError as error:
        what = f"{dim:,} features" if games == 1 else f"{games:,} games of {dim:,} features"
        raise ValueError(f"{learner!r} needs more memory than there is for {what}: {error}") from error


def _checked_starts(episode_start: ArrayLike, games: int) -> NDArray[np.bool_]:
    """Return which games begin anew: one truth value for all, or one for each."""
    try:
        starts = np.asarray(episode_start)
    except (ValueError, RecursionError):  # ragged, or a list that holds itself
        starts = np.empty(0)
    if starts.dtype != np.bool_ or starts.shape not in ((), (games,)):
        raise ValueError(f"episode_start must be {games} booleans, got {shown(episode_start)}")
    return starts


class RuledPolicy(Policy[State]):
    """A policy that does what its compiled rules say, unless it predicts in another way.

    Attributes
    ----------
    rules : callable
        What lets n games follow them; compiled.
    """

    rules: ClassVar[Callable[..., int]]

    @abstractmethod
    def _read(self, observation: Any) -> Any:
        """Return an observation of n games as the rules need it: inspected, with ``features`` (n, d); or raise."""

    @abstractmethod
    def _handed_out(self, observation: Any) -> tuple[Any, ...] | None:
        """Return the entries, unchecked, of what may be an environment's observation; else None."""

    @abstractmethod
    def _arranged(self, entries: tuple[Any, ...]) -> Any:
        """Return what `_read` would of entries that it needs no copy of; nothing has inspected the numbers."""

    @abstractmethod
    def _columns(self, dim: int) -> tuple[int, ...]:
        """Return how many numbers each of the entries has for one game."""

    @abstractmethod
    def _advance(self, state: State, seen: Any, rules: Callable[..., int]) -> tuple[NDArray[Any], int]:
        """Return the actions of n games by the rules, and the damaged game, -1 if there is none, or ``REFUSED``."""

    def _follow_rules(
        self, observation: Any, state: State | None, episode_start: ArrayLike | None
    ) -> tuple[Any, State]:
        """Read, go on, and apply the rules: ``predict`` of either game.

        The arrays that environments hand out go straight to the rules, which inspect the numbers before anything
        changes. Everything else, and every fault, goes the long way, which says what is wrong.
        """
        entries = self._handed_out(observation)
        if entries is not None and state is not None:
            rules = self._usual_rules(entries, state, episode_start)
            if rules is not None:
                seen = self._arranged(entries)
                actions, damaged = self._apply(state, seen, rules)
                if damaged != REFUSED:
                    return (actions if seen.batched else actions[0]), state
        seen = self._read(observation)
        games, dim = seen.features.shape
        current = self._going_on(state, episode_start, games, dim)
        actions, _ = self._apply(current, seen, self.rules)
        self._note_usual((games,) if seen.batched else (), games, dim)
        return (actions if seen.batched else actions[0]), current

    def _usual_rules(
        self, entries: tuple[Any, ...], state: State, episode_start: ArrayLike | None
    ) -> Callable[..., int] | None:
        """Return the rules if no game begins anew and the long way would hand them every array as it is; else None."""
        usual = vars(self).get("_usual", {}).get(entries[FEATURES].shape)
        if usual is None or type(state) is not self.state_class:
            return None
        kinds, rules = usual
        try:
            found = [*map(_kind, entries), *map(_kind, state)]
        except AttributeError:  # of what is no array
            return None
        same = found == kinds and (episode_start is None or _nothing_begins(episode_start, len(state[0])))
        return rules.call if same else None

    def _note_usual(self, batch: tuple[int, ...], games: int, dim: int) -> None:
        """Note the kinds of what has just been read, and of the state that has passed its check."""
        usual, shape = vars(self).setdefault("_usual", {}), (*batch, dim)
        if shape not in usual and type(self).check_state is Policy.check_state:  # else somebody asks more of a state
            read = [(np.dtype(np.float64), (*batch, columns)) for columns in self._columns(dim)]
            kept = [(dtype, (games, *rest)) for dtype, rest in vars(self)["_patterns"][dim]]
            usual[shape] = [(np.ndarray, *kind, True) for kind in (*read, *kept)], DirectCall(self.rules)

    def _apply(self, state: State, seen: Any, rules: Callable[..., int]) -> tuple[NDArray[Any], int]:
        """Return what `_advance` does, or raise where a game is damaged."""
        try:
            actions, damaged = self._advance(state, seen, rules)
        except ZeroDivisionError as error:
            raise ValueError(f"state is damaged: {self.name} would divide by 0") from error
        except (ValueError, OverflowError) as error:  # without the compiler, what is compiled becomes NaN or infinite
            raise ValueError(f"state is damaged: {self.name} would compute what has no value ({error})") from error
        self._check_health(damaged)
        return actions, damaged


# All that a compiled function asks of its arrays: "carray" are those that are contiguous, aligned and writeable.
_kind = attrgetter("__class__", "dtype", "shape", "flags.carray")


def _nothing_begins(episode_start: ArrayLike, games: int) -> bool:
    """Whether this is an array of one ``False`` for each game."""
    usual = type(episode_start) is np.ndarray and episode_start.dtype == np.bool_ and episode_start.shape == (games,)
    return usual and not np.count_nonzero(episode_start)


class RandomizedPolicy(Policy[State]):
    """A policy whose state has a field ``episode`` (n,), int64, besides what it draws.

    Attributes
    ----------
    seed : int
        Of all its draws; also one of its ``parameters``.
    """

    seed: int

    @abstractmethod
    def begin_episode(self, state: State, game: int, key: Key) -> None:
        """Write into a game's row of the state what the episode with this key draws at its start."""

    def for_run(self, seed: int) -> Self:
        """Return the same learner with other draws in every run of the bench."""
        draws = int(np.random.SeedSequence([self.seed, seed]).generate_state(1)[0])
        parameters: dict[str, Any] = self.parameters | {"seed": draws}
        return type(self)(**parameters)

    def _continued(self, state: State | None, episode_start: ArrayLike | None, games: int, dim: int) -> State:
        """Let every new episode of a game draw anew."""
        episodes = None if state is None else self._episodes(state).copy()
        current = super()._continued(state, episode_start, games, dim)
        if episodes is not None and episode_start is not None:
            starts = np.broadcast_to(np.asarray(episode_start, dtype=bool), (games,))
            numbers = self._episodes(current)
            numbers[:] = episodes + starts
            for game in np.flatnonzero(starts).tolist():
                self.begin_episode(current, game, game_key(self.seed, game, int(numbers[game])))
        return current

    def _episodes(self, state: State) -> Any:
        return getattr(state, "episode")  # noqa: B009  (a State is any named tuple)
