"""The arrays that environments hand out are read quickly: nothing else differs from how every other one is read."""

import copy
import pickle
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from seen_rounds import CLASSES, DIM, GAMES, NAMES, built, seen

from learners import StrategicPerceptronL2
from learners.catalogue import learners_of
from learners.multiclass.label_learner import LabelLearner
from learners.multiclass.observation import Layout as MulticlassLayout
from learners.policy import Policy
from learners.strategic.observation import Layout

ROUNDS = 8


def flat(learner: Policy[Any], observation: dict[str, Any]) -> Any:
    return np.concatenate([observation[key] for key in sorted(observation)], axis=-1)


def split(learner: Policy[Any], observation: dict[str, Any]) -> dict[str, Any]:
    layout = Layout(DIM) if learner.game == "strategic" else MulticlassLayout(DIM, CLASSES)
    return layout.split(flat(learner, observation))


def every(change: Callable[[Any], Any]) -> Callable[[Policy[Any], dict[str, Any]], Any]:
    return lambda learner, observation: {key: change(entry) for key, entry in observation.items()}


def read_only(entry: Any) -> Any:
    kept = np.array(entry)
    kept.flags.writeable = False
    return kept


def with_gaps(entry: Any) -> Any:
    return np.repeat(entry, 2, axis=-1)[..., ::2]


USUAL = {"views": split, "arrays": every(lambda entry: np.array(entry, dtype=np.float64)), "flat": flat}
OTHERS = {
    "mapping": lambda learner, observation: MappingProxyType(observation),
    "lists": every(np.ndarray.tolist),
    "read-only": every(read_only),
    "with gaps": every(with_gaps),
    "Fortran order": every(np.asfortranarray),
    "big-endian": every(lambda entry: entry.astype(">f8")),
    "masked": every(lambda entry: np.ma.masked_array(entry).filled()),
    "flat list": lambda learner, observation: flat(learner, observation).tolist(),
    "flat, read-only": lambda learner, observation: read_only(flat(learner, observation)),
}


def long_way(observation: dict[str, Any]) -> Any:
    """Return the same observation, such that nothing of it is usual."""
    return MappingProxyType(observation)


def bits(*parts: Any) -> list[bytes]:
    return [np.asarray(part).tobytes() for part in parts]


def refuse(*arguments: Any) -> Any:
    raise AssertionError("the long way")


def played(learner: Policy[Any], form: Any, games: int | None, usual: bool = False) -> list[Any]:
    """Play some rounds in which the learner is shown ``form(observation)``; return all bits."""
    draws, action, state, found = np.random.default_rng(5), None, None, []
    for round in range(ROUNDS):
        if usual and round == 1:
            vars(learner)["_read"] = refuse
        action, state = learner.predict(form(learner, seen(learner, draws, action, games, round)), state)
        found.append((type(action), np.shape(action), bits(action, *state)))
    return found


@pytest.mark.parametrize("games", [None, 1, GAMES])
@pytest.mark.parametrize("name", NAMES)
def test_every_form_of_an_observation_leads_to_the_same_bits(name: str, games: int | None) -> None:
    expected = played(built(name), OTHERS["mapping"], games)
    for form, shown in USUAL.items():
        assert played(built(name), shown, games, usual=True) == expected, form
    for form, shown in OTHERS.items():
        assert played(built(name), shown, games) == expected, form


@pytest.mark.parametrize("games", [None, GAMES])
@pytest.mark.parametrize("name", NAMES)
def test_single_precision_is_read_the_long_way_in_every_form(name: str, games: int | None) -> None:
    single = every(lambda entry: entry.astype(np.float32))
    expected = played(built(name), lambda learner, observation: long_way(single(learner, observation)), games)
    assert played(built(name), single, games) == expected
    shown = played(built(name), lambda learner, observation: flat(learner, observation).astype(np.float32), games)
    assert shown == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_copied_or_pickled_state_goes_on_as_quickly_with_the_same_bits(name: str) -> None:
    learner, draws = built(name), np.random.default_rng(6)
    action, state = learner.predict(seen(learner, draws, None, GAMES, 0))
    observation = split(learner, seen(learner, draws, action, GAMES, 1))
    copies = copy.deepcopy(state), pickle.loads(pickle.dumps(state))
    other = pickle.loads(pickle.dumps(learner))
    expected = learner.predict(long_way(observation), state)
    vars(learner)["_read"] = vars(other)["_read"] = refuse
    for reader, kept in zip((learner, other), copies, strict=True):
        action, after = reader.predict(observation, kept)
        assert bits(action, *after) == bits(expected[0], *expected[1])
        assert after is kept


@pytest.mark.parametrize("games", [None, GAMES])
@pytest.mark.parametrize("name", NAMES)
def test_episodes_that_begin_and_episodes_that_do_not_lead_to_the_same_bits(name: str, games: int | None) -> None:
    rows = games or 1
    for starts in (np.zeros(rows, dtype=bool), np.arange(rows) == 0, np.ones(rows, dtype=bool), [True] * rows, False):
        answers = []
        for shown in (dict, long_way):
            learner, draws = built(name), np.random.default_rng(7)
            action, state = learner.predict(seen(learner, draws, None, games, 0))
            action, state = learner.predict(seen(learner, draws, action, games, 1), state)
            if shown is dict and isinstance(starts, np.ndarray) and not starts.any():
                vars(learner)["_read"] = refuse
            action, state = learner.predict(
                shown(split(learner, seen(learner, draws, action, games, 2))), state, starts
            )
            answers.append(bits(action, *state))
        assert answers[0] == answers[1], starts


WRONG_NUMBERS: dict[str, dict[str, float]] = {
    "strategic": {"classifier": np.inf, "features": np.nan, "label": 0.5, "prediction": 2.0, "round": -1.0},
    "multiclass": {"action": 1.5, "features": -np.inf, "feedback": 2.0, "round": 1e17},
}


def wrong_observations(learner: Policy[Any], observation: dict[str, Any]) -> list[Any]:
    """Return observations that have each one fault."""
    wrong: list[Any] = []
    for key, number in WRONG_NUMBERS[learner.game].items():
        entry = observation[key].copy()
        entry[..., -1] = number
        for other in (
            entry,
            None,
            "x",
            observation[key][..., :0],
            np.stack([observation[key]] * 2),
            entry.astype(complex),
        ):
            wrong.append(observation | {key: other})
        wrong.append(observation | {key: np.concatenate([observation[key]] * 2, axis=-1)})
        wrong.append({name: observation[name] for name in observation if name != key})
        wrong.append(flat(learner, observation | {key: entry}))
    whole = flat(learner, observation)
    wrong += [whole[..., :-5], whole[..., 0], np.concatenate([whole, whole[..., -1:]], axis=-1)]
    return [*wrong, {}, np.zeros((2, 2, 30))]


def wrong_states(state: Any) -> list[Any]:
    """Return states that have each one fault."""
    kind, wrong = type(state), [tuple(state), (), "state", tuple.__new__(type(state), state[:-1])]
    for place, field in enumerate(state):
        frozen = field.copy()
        frozen.flags.writeable = False
        others = field.tolist(), None, field.astype(np.float32), np.repeat(field, 2, axis=0), frozen, field[..., None]
        wrong += [kind(*state[:place], other, *state[place + 1 :]) for other in others]
    return [*wrong, kind(*(np.repeat(field, 2, axis=0)[::2] for field in state))]


def fault(learner: Policy[Any], *arguments: Any) -> str | None:
    try:
        learner.predict(*arguments)
    except (TypeError, ValueError) as error:
        return repr(error)
    return None


@pytest.mark.parametrize("games", [None, GAMES])
@pytest.mark.parametrize("name", NAMES)
def test_every_fault_is_told_as_the_long_way_tells_it_and_changes_nothing(name: str, games: int | None) -> None:
    learner, draws = built(name), np.random.default_rng(8)
    action, state = learner.predict(seen(learner, draws, None, games, 0))
    observation = split(learner, seen(learner, draws, action, games, 1))
    before = bits(*state)
    starts = np.ones(games or 1, dtype=bool)
    wrong_starts = [0.5, [True] * 5, np.zeros(games or 1), "x"]
    states = wrong_states(state)
    calls = [(shown, state) for shown in wrong_observations(learner, observation)]
    calls += [(shown, state, starts) for shown, _ in calls] + [(shown, states[-1]) for shown, _ in calls]
    calls += [(observation, other) for other in states]
    calls += [(observation, state, other) for other in wrong_starts]
    twin, told = built(name), 0  # has never seen anything usual
    for shown, *others in calls:
        slow = fault(twin, MappingProxyType(shown) if isinstance(shown, dict) else shown.tolist(), *others)
        vars(twin).pop("_usual", None)
        assert slow is None or (fault(learner, shown, *others) == slow and bits(*state) == before), (slow, shown)
        told += slow is not None
    assert told > len(calls) - 5


def test_whoever_asks_more_of_a_state_is_asked_in_every_round() -> None:
    asked = []

    class Careful(StrategicPerceptronL2):
        def check_state(self, state: Any, games: int, dim: int) -> None:
            asked.append(games)
            super().check_state(state, games, dim)

    learner = Careful(0.3)
    played(learner, split, None)
    assert asked == [1] * ROUNDS


@pytest.mark.parametrize("shown", [dict, long_way])
@pytest.mark.parametrize("name", learners_of("multiclass"))
def test_an_action_that_the_learner_does_not_have_is_refused_in_one_line(name: str, shown: Any) -> None:
    learner, draws = built(name), np.random.default_rng(9)
    hears_of_questions = isinstance(learner, LabelLearner)
    action, state = learner.predict(seen(learner, draws, None, GAMES, 0))
    for asked in (CLASSES, CLASSES + 1):
        action[1] = asked
        observation = split(learner, seen(learner, draws, action, GAMES, 1))
        if asked == CLASSES and hears_of_questions:
            learner.predict(shown(observation), state)
            continue
        range_of = "4 (a node that asks)" if hears_of_questions else "3 (none asks)"
        told = f"action must be an integer from 0 to {range_of}, or -1 before the first round, got [["
        with pytest.raises(ValueError, match=f"^{re.escape(told)}[^\n]*$"):
            learner.predict(shown(observation), state)
