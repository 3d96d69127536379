"""Learners around a learner: they leave out the rounds from which it must not learn.

The state of a wrapped learner is that of the learner inside and a few fields more, in one named tuple: its class is
made for each class of states inside (`state_class_of`), and so are its compiled rules, which call those inside.
"""

import sys
from abc import abstractmethod
from collections import namedtuple
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Self, cast

import numpy as np

from agents.boundary import FLOAT64_EPS
from agents.costs import Cost
from agents.foundation.checks import count, perhaps, shown
from agents.foundation.compiled import loop
from agents.foundation.lanes import copy
from agents.foundation.typing import Float
from learners import bounds
from learners.policy import RandomizedPolicy, begin, build_class
from learners.strategic.algorithms import ALGORITHMS
from learners.strategic.base import Learner, Truth
from learners.strategic.rules import concerns, learn, publish, rule_of, stays_inside


class Wrapper(Learner[Any]):
    """A learner that lets another learn from some rounds and publishes what that one publishes.

    Attributes
    ----------
    learner : Learner
        The one inside. Its state's fields come first in the state.
    own : mapping
        The wrapper's own parameters, and what a scenario calls them.
    fields : tuple of str
        The wrapper's own fields of the state.
    """

    own: ClassVar[Mapping[str, str]]
    fields: ClassVar[tuple[str, ...]]
    defaults = ()  # somebody has to say which learner is inside

    def __init__(self, learner: str | Learner[Any], **parameters: object) -> None:
        chosen = _class_of(learner)(**parameters) if isinstance(learner, str) else learner
        if not isinstance(chosen, Learner) or isinstance(chosen, (Wrapper, RandomizedPolicy)) or not chosen.has_rules():
            raise ValueError(
                "learner must be one of strategic classification with compiled rules, that draws nothing and is built "
                f"around no other, got {shown(learner)}"
            )
        if chosen is learner and parameters:
            raise ValueError(f"parameters are those of a learner's name, got {shown(parameters)} beside {learner!r}")
        self.learner = chosen
        self.parameters = {"learner": chosen.name} | chosen.parameters

    @classmethod
    def from_knowledge(cls, knowledge: Mapping[str, object], **parameters: Any) -> Self:
        """Build the learner inside from what a scenario tells; explicit ``parameters`` but the wrapper's own are its.

        Raises
        ------
        ValueError
            If no learner is named, or it is told too little.
        """
        if "learner" not in parameters:
            raise ValueError(f"{cls.name} must be given learner=NAME, the learner inside")
        own = {name: knowledge[told] for name, told in cls.own.items() if told in knowledge}
        own |= {name: value for name, value in parameters.items() if name in cls.own}
        if missing := cls.own.keys() - own.keys():
            raise ValueError(f"{cls.name} must be told {', '.join(missing)}; the scenario tells {', '.join(knowledge)}")
        rest = {name: value for name, value in parameters.items() if name not in ("learner", *cls.own)}
        learner = parameters["learner"]
        if isinstance(learner, str):
            learner, rest = build_class(_class_of(learner), knowledge, rest), {}
        return cls(learner, **own, **rest)

    @property
    def state_class(self) -> type[Any]:  # type: ignore[override]  # one for each class of states inside
        """The class of its states."""
        return state_class_of(type(self), self.learner.state_class)

    @staticmethod
    @abstractmethod
    def add_rules(kind: type[Any], inner: type[Any], size: int) -> None:
        """Register the rules of states of the class ``kind``, whose first ``size`` fields are those of ``inner``."""

    @abstractmethod
    def _beside(self, games: int, dim: int) -> dict[str, Any]:
        """Return the fields of the state that are the wrapper's own, before the first round."""

    def inside(self, state: Any) -> Any:
        """Return the state of the learner inside, as views."""
        return self.learner.state_class(*state[: -len(self.fields)])

    def initial_state(self, games: int, dim: int) -> Any:
        """Return the state of the learner inside, and the wrapper's own."""
        return self.state_class(*begin(self.learner, dim, games), **self._beside(games, dim))

    def believed_cost(self, state: Any) -> Cost | None:
        """Return what the learner inside takes individuals' cost to be."""
        return self.learner.believed_cost(self.inside(state))

    def intercept_of(self, state: Any) -> float | None:
        """Return the intercept that the learner inside has learned."""
        return self.learner.intercept_of(self.inside(state))

    def findings(self, state: Any) -> dict[str, float]:
        """Return what the learner inside has found."""
        return self.learner.findings(self.inside(state))

    def _maker(self) -> type[Any]:
        return type(self)


def _class_of(name: str) -> type[Learner[Any]]:
    """Return the class of an algorithm."""
    known = {kind.name: kind for kind in ALGORITHMS}
    if name not in known:
        raise ValueError(f"learner must be one of {', '.join(known)}, got {shown(name)}{perhaps(name, [*known])}")
    return known[name]


@cache
def state_class_of(wrapper: type[Wrapper], inner: type[Any]) -> type[Any]:
    """Return the class of a wrapper's states around a class of states, with its rules."""
    fields = (*inner._fields, *wrapper.fields)
    made = namedtuple(f"{wrapper.__name__}{inner.__name__}", fields, module=inner.__module__)  # type: ignore[misc]
    kind = cast(Any, made)
    kind.__reduce__ = lambda state: (_restored, (wrapper, inner, tuple(state)))
    # Compiled code on disk knows a class by its name and the file of its module, whose rules it holds, too.
    setattr(sys.modules[inner.__module__], kind.__name__, kind)
    wrapper.add_rules(kind, inner, len(inner._fields))
    return cast(type[Any], made)


def _restored(wrapper: type[Wrapper], inner: Any, fields: tuple[Any, ...]) -> Any:
    """Return a state in a process that may not have met its class."""
    return state_class_of(wrapper, inner)(*fields)


class Patient(Wrapper):
    """Publishes what it has learned for so many rounds before it learns again: for people who lag behind.

    People who know the classifier of L rounds ago answer the current one once it has been published for L rounds. So
    after each update the learner inside gets nothing to learn for so many rounds, and then meets best responses.

    Parameters
    ----------
    learner : str or Learner
        The learner inside, or its name; further keywords are the parameters of a named one.
    rounds : int
        L, at least 0.

    Warnings
    --------
    It learns from one round in L + 1 after an update. People who lag farther behind than it waits void the bound.

    Notes
    -----
    At most L + 1 times as many mistakes as the bound of the learner inside, if that one changes at mistakes only.

    Examples
    --------
    On a command line ``patient:learner=strategic-perceptron-l2,rounds=1``, where a scenario tells alpha:

    >>> from learners import Patient
    >>> learner = Patient("strategic-perceptron-l2", rounds=1, alpha=0.5)
    >>> seen = {"features": [-2.0, 1.0], "prediction": [1.0], "label": [-1.0], "classifier": [0.0] * 3, "round": [1.0]}
    >>> classifier, state = learner.predict(seen)
    >>> classifier, state = learner.predict(seen, state)  # waits
    >>> state.weights, state.waiting
    (array([[ 2., -1.]]), array([0]))
    """

    name = "patient"
    summary = "another learner (learner=NAME), which waits so many rounds after an update: for people who lag"
    own: ClassVar[Mapping[str, str]] = {"rounds": "lag"}
    fields = ("patience", "waiting")

    def __init__(self, learner: str | Learner[Any], rounds: int, **parameters: object) -> None:
        super().__init__(learner, **parameters)
        self.rounds = count("rounds", rounds)
        self.parameters["rounds"] = self.rounds

    def _beside(self, games: int, dim: int) -> dict[str, Any]:
        return {"patience": np.full(games, self.rounds), "waiting": np.zeros(games, dtype=np.int64)}

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return L + 1 times the bound of the learner inside, for people who lag at most L rounds behind; else None."""
        lagged = truth.response == "lagged" and truth.lag <= self.rounds
        met = truth._replace(response="best", lag=0) if lagged else truth
        bound = self.learner.bound(met, printed=printed) if self.learner.only_mistakes else None
        return None if bound is None else bounds.waiting(bound, self.rounds)

    @staticmethod
    def add_rules(kind: type[Any], inner: type[Any], size: int) -> None:
        """Register the rules of states of the class ``kind``, whose first ``size`` fields are those of ``inner``."""

        @rule_of(kind, learn)
        def _learn(
            state: Any, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
        ) -> bool:
            if state.waiting[game] > 0:
                state.waiting[game] -= 1
                return False
            changed = learn(inner(*state[:size]), game, features, prediction, label, classifier, eps)
            if changed:
                state.waiting[game] = state.patience[game]
            return bool(changed)

        @rule_of(kind, publish)
        def _publish(state: Any, game: int, out: Float) -> None:
            publish(inner(*state[:size]), game, out)

        @rule_of(kind, concerns)
        def _concerns(state: Any, game: int, prediction: float, label: float) -> bool:
            return bool(state.waiting[game] > 0) or bool(concerns(inner(*state[:size]), game, prediction, label))

        @rule_of(kind, stays_inside)
        def _stays_inside(state: Any, game: int) -> bool:
            return bool(stays_inside(inner(*state[:size]), game))


class EchoChecking(Wrapper):
    """Learns from feedback on its current classifier alone: for learners that are told late.

    What it sees of a round echoes the classifier that was published then. Where that is not the one that it publishes
    now, the learner inside gets nothing to learn.

    Parameters
    ----------
    learner : str or Learner
        The learner inside, or its name; further keywords are the parameters of a named one.

    Warnings
    --------
    Feedback that never belongs to the classifier that it publishes teaches nothing: a learner inside that changes in
    every round, not at mistakes only, has no bound.

    Notes
    -----
    Told D rounds late, it makes at most D + 1 times as many mistakes as the bound of the learner inside, if that one
    changes at mistakes only.

    Examples
    --------
    >>> from learners import EchoChecking
    >>> learner = EchoChecking("strategic-perceptron-l2", alpha=0.5)
    >>> first, last = ({"features": [-x, 1.0], "prediction": [1.0], "label": [-1.0]} for x in (2.0, 1.0))
    >>> echo = {"classifier": [0.0, 0.0, 0.0], "round": [1.0]}
    >>> classifier, state = learner.predict(first | echo)
    >>> classifier, state = learner.predict(last | echo, state)  # is about another classifier
    >>> state.weights
    array([[ 2., -1.]])
    """

    name = "echo-checking"
    summary = "another learner (learner=NAME), which learns about its current classifier only: for late labels"
    own: ClassVar[Mapping[str, str]] = {}
    fields = ("echo",)

    def __init__(self, learner: str | Learner[Any], **parameters: object) -> None:
        super().__init__(learner, **parameters)

    def _beside(self, games: int, dim: int) -> dict[str, Any]:
        return {"echo": np.zeros((games, dim + 1))}

    def bound(self, truth: Truth, *, printed: bool = False) -> float | None:
        """Return D + 1 times the bound of the learner inside where it is told D rounds late; else that, or None."""
        bound = self.learner.bound(truth._replace(delay=0), printed=printed) if self.learner.only_mistakes else None
        return None if bound is None else bounds.waiting(bound, truth.delay)

    @staticmethod
    def add_rules(kind: type[Any], inner: type[Any], size: int) -> None:
        """Register the rules of states of the class ``kind``, whose first ``size`` fields are those of ``inner``."""

        @rule_of(kind, learn)
        def _learn(
            state: Any, game: int, features: Float, prediction: float, label: float, classifier: Float, eps: float
        ) -> bool:
            if not echoes(state.echo[game], classifier, eps):
                return False
            return bool(learn(inner(*state[:size]), game, features, prediction, label, classifier, eps))

        @rule_of(kind, publish)
        def _publish(state: Any, game: int, out: Float) -> None:
            publish(inner(*state[:size]), game, out)
            copy(out, state.echo[game])

        @rule_of(kind, concerns)
        def _concerns(state: Any, game: int, prediction: float, label: float) -> bool:
            return bool(concerns(inner(*state[:size]), game, prediction, label))

        @rule_of(kind, stays_inside)
        def _stays_inside(state: Any, game: int) -> bool:
            return bool(stays_inside(inner(*state[:size]), game))


@loop
def echoes(published: Float, classifier: Float, eps: float) -> bool:
    """Whether a classifier (d + 1,) is the published one, as it looks after numbers of this machine epsilon."""
    for i in range(classifier.shape[0]):
        same = classifier[i] == published[i]
        if not same and not (eps > FLOAT64_EPS and np.float32(classifier[i]) == np.float32(published[i])):
            return False
    return True
