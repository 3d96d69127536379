"""Who takes part: named learners, learners, and whatever else predicts, under the labels that tables and plots show."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from agents.foundation.checks import entries_of, finite_number, shown
from learners import policy
from learners.catalogue import build, learner_class, learners_of
from learners.rl.normalisation import Normalisation
from learners.strategic.base import Learner
from learners.strategic.estimators import learns_by_itself
from strategic_env.bench.arguments import one_line, parse_learner
from strategic_env.bench.encoding import plain
from strategic_env.games.shared.scenario import BenchScenario, check_game

# What `pandas.read_csv` takes for a missing value unless told otherwise.
MISSING_TO_PANDAS = frozenset(
    "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split("|")
)


class Predictor(Protocol):
    """What the bench needs of a learner: Stable-Baselines3's ``predict``.

    It is called with the observation, the state that it returned last (None before the first round), None and True,
    and answers with the action and its next state. Its ``name``, if it has one, labels its results, and its
    ``bound(truth)``, if it has that, is shown as the theorem's: a number, or None where its assumptions fail.
    """

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool, /) -> tuple[Any, Any]:
        """Return the next action and state."""


@dataclass(frozen=True)
class Contestant:
    """A learner under the label that tables and plots show.

    Attributes
    ----------
    label : str
        Its name, with the parameters that were given explicitly.
    name : str
    parameters : dict
        The explicit parameters.
    learner : Predictor or None
        None for the reference, which is built from each run's true points.
    """

    label: str
    name: str
    parameters: dict[str, object]
    learner: Predictor | None


@dataclass(frozen=True)
class SavedLearner:
    """What a folder keeps of a learner: enough for tables and pictures, not to play.

    Attributes
    ----------
    kind : str
        Its class (`class_name`).
    parameters : dict
        Those that it was built with, if it is a learner of this package or of its kind.
    bound, printed_bound : float or None
        As they were when it played.
    bound_failure : str or None
        Why they could not be computed.
    """

    kind: str
    parameters: dict[str, object]
    bound: float | None
    printed_bound: float | None
    bound_failure: str | None

    def predict(self, observation: Any, state: Any, episode_start: Any, deterministic: bool, /) -> tuple[Any, Any]:
        """Refuse to play."""
        raise TypeError(f"{self.kind} was read from results, which can be shown, not played")


def mistake_bound(learner: Predictor | None, scenario: BenchScenario, *, printed: bool = False) -> float | None:
    """Return the theorem's bound on a learner's mistakes; None where its assumptions fail."""
    truth = scenario.proved
    if truth is None:
        return None
    if isinstance(learner, Learner):
        return learner.bound(truth, printed=printed)
    # Somebody else's object: one bound is enough.
    bound = None if printed else getattr(learner, "bound", None)
    found = bound(truth) if callable(bound) else None
    return None if found is None else finite_number(f"the bound of {class_name(learner)}", found, minimum=0.0)


def class_name(learner: Predictor | None) -> str:
    """Return the full name of a learner's class; also of one that was saved."""
    if isinstance(learner, SavedLearner):
        return learner.kind
    kind = type(learner)
    return "reference" if learner is None else f"{kind.__module__}.{kind.__qualname__}"


def parameters_of(learner: Predictor | None, kind: type[policy.Policy[Any]]) -> dict[str, object] | None:
    """Return the parameters of a learner, or of one that was saved, if it is of just this class; else None."""
    if class_name(learner) != f"{kind.__module__}.{kind.__qualname__}":
        return None
    return dict(learner.parameters)  # type: ignore[union-attr]


def contestant(learner: str | Predictor | Contestant, scenario: BenchScenario, /, **parameters: object) -> Contestant:
    """Return a learner, or a named one built from what the scenario tells and ``parameters``, ready to take part.

    Raises
    ------
    ValueError
        As `learners.catalogue.build`; if it cannot begin a game of as many features as the scenario has; or if it
        learned from observations that ``VecNormalize`` normalised, which it would not see here.
    TypeError
        If it cannot predict, or was read from saved results.
    """
    if isinstance(learner, Contestant):
        if isinstance(learner.learner, SavedLearner):
            raise TypeError(f"learners must be able to play, got {learner.label!r} as results keep it")
        if isinstance(learner.learner, policy.Policy):
            scenario.check_learner(learner.learner)
        return learner
    if isinstance(learner, str):
        named, given = parse_learner(learner)
        if twice := given.keys() & parameters.keys():
            raise ValueError(f"a parameter must be given once, got {min(twice)!r} in {learner!r} and as a keyword")
        return _named(named, scenario, given | parameters)
    if not isinstance(learner, type) and learns_by_itself(learner):
        raise TypeError(
            "an estimator plays as learners.from_estimator(estimator), which publishes its coefficients, got "
            f"{shown(learner)}"
        )
    if isinstance(learner, type) or not callable(getattr(learner, "predict", None)):
        raise TypeError(
            "a learner must be a name, or an object with a method predict(observation, state, episode_start, "
            f"deterministic), got {shown(learner)}"
        )
    if Normalisation.of(learner) is not None:
        raise ValueError(
            "a model that learned from normalised observations (VecNormalize) must see them here, too: "
            f"pass learners.rl.TrainedPolicy(model, view), got {shown(learner)}"
        )
    name = getattr(learner, "name", None)
    name = name if isinstance(name, str) and name.strip() else type(learner).__name__
    if isinstance(learner, policy.Policy):
        scenario.check_learner(learner)
        return Contestant(one_line(repr(learner)), name, learner.arguments, learner)
    return Contestant(one_line(name), name, {}, learner)


def checked_label(label: object) -> str:
    """Return what a learner is to be called.

    Raises
    ------
    TypeError, ValueError
        If it is no text that can be read in one line.
    """
    if not isinstance(label, str):
        raise TypeError(f"labels of learners must be text, got {shown(label)}")
    if not label.strip() or not label.isprintable():
        raise ValueError(f"labels of learners must be text that can be printed in one line, got {shown(label)}")
    return label


def contestants_of(
    learners: Iterable[str | Predictor | Contestant] | Mapping[str, str | Predictor | Contestant],
    scenario: BenchScenario,
) -> list[Contestant]:
    """Return everybody who takes part; the keys of a mapping are their labels.

    Raises
    ------
    TypeError, ValueError
        As `contestant` and `check_labels`; or if a label is no text.
    """
    if isinstance(learners, Mapping):
        found = [replace(contestant(one, scenario), label=checked_label(label)) for label, one in learners.items()]
    else:
        found = [contestant(one, scenario) for one in entries_of("learners", learners)]
    check_labels(found)
    return found


def _named(name: str, scenario: BenchScenario, parameters: dict[str, object]) -> Contestant:
    shown = ",".join(f"{key}={json.dumps(plain(value))}" for key, value in parameters.items())
    label = f"{name}:{shown}" if shown else name
    if label == scenario.reference:
        return Contestant(label, name, {}, None)
    check_game(learner_class(name), scenario)
    learner = build(name, scenario.knowledge, **parameters)
    scenario.check_learner(learner)
    return Contestant(label, name, parameters, learner)


def all_contestants(scenario: BenchScenario) -> tuple[list[Contestant], list[str]]:
    """Return every learner that is made for the scenario and told enough, and the names of the game's others."""
    chosen, skipped, named = [], [], scenario.rivals()
    kinds = learners_of(scenario.game) if named is None else {name: learner_class(name) for name in named}
    for name, kind in kinds.items():
        for parameters in kind.defaults or ({},):
            try:
                if not scenario.suits(kind):
                    raise ValueError("it learns from what the scenario hides")
                chosen.append(contestant(name, scenario, **parameters))
            except ValueError:
                skipped.append(name)
    return chosen, skipped


def unsuited(contestants: Sequence[Contestant], scenario: BenchScenario) -> list[str]:
    """Return the labels of those who can play, but learn from what the scenario hides."""
    learners = [(one.label, one.learner) for one in contestants]
    return [
        label for label, learner in learners if isinstance(learner, policy.Policy) and not scenario.suits(type(learner))
    ]


def with_reference(contestants: Sequence[Contestant], scenario: BenchScenario) -> list[Contestant]:
    """Return the contestants and, where there is one and it is not among them, the reference of regret."""
    missing = scenario.reference is not None and all(one.learner is not None for one in contestants)
    return [*contestants, *([contestant(str(scenario.reference), scenario)] if missing else [])]


def check_labels(contestants: Sequence[Contestant]) -> None:
    """Make sure that results can tell the contestants apart, read from files, too.

    Raises
    ------
    ValueError
        If two have the same label, one has none that pandas reads as text, or there are none.
    """
    labels = [one.label for one in contestants]
    if not labels:
        raise ValueError("learners must hold at least one learner, got none")
    for label in labels:
        if label in MISSING_TO_PANDAS:
            raise ValueError(
                f"no learner can be called {label!r}, which pandas reads from a CSV file as a missing value; "
                "a mapping such as {'mine': learner} gives another name"
            )
        if labels.count(label) > 1:
            raise ValueError(
                f"learners must differ, got {label!r} {labels.count(label)} times; "
                "a mapping such as {'mine': learner} gives them names"
            )
