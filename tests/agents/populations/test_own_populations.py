"""Populations that somebody else wrote: whatever they hold or return is played rightly or refused in one line."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agents import DataSet, GreedyAdversary, L2Cost, Separable, Truthful
from agents.costs import Cost
from agents.foundation.streams import game_key
from agents.populations.arrivals import BLOCK, Arrivals, SourceArrivals
from agents.populations.caps import NO_CAPS, tabulate_caps
from agents.populations.nature import AdaptiveArrivals
from agents.populations.population import Population
from agents.populations.sources import AT_RANDOM, IN_ORDER, NEW, SHUFFLED, Source, members
from learners import Perceptron
from strategic_env import StrategicClassificationEnv, multi_agent, rollout
from strategic_env.games.strategic.game import Game
from strategic_env.games.strategic.many_games import games_of
from strategic_env.games.strategic.scenario import Scenario
from strategic_env.games.strategic.setting import Setting
from strategic_env.multi_agent.rounds import OpenGame, pool_of

KEY = game_key(0)
ACCEPT_ALL = np.zeros(3)
POINTS = np.random.default_rng(0).uniform(-0.7, 0.7, (30, 2))
LABELS = np.where(POINTS[:, 0] > 0, 1.0, -1.0)


class Line(Arrivals):
    """Thirty people, one after another; ``wrong`` says what its fields hold instead."""

    def __init__(self, **wrong: Any) -> None:
        self._wrong, self._index, self._label = wrong, np.zeros(BLOCK, dtype=np.int64), np.zeros(BLOCK)
        self.features = wrong.get("features", POINTS)
        self.separator, self.budgets = wrong.get("separator"), wrong.get("budgets")

    @property
    def index(self) -> Any:
        return self._wrong.get("index", self._index)

    @property
    def label(self) -> Any:
        return self._wrong.get("label", self._label)

    def fill(self, first: int) -> None:
        self._index = np.arange(first, first + BLOCK) % len(POINTS)
        self._label = LABELS[self._index]


class Own(Population):
    """Somebody's own population; ``wrong`` says what its fields hold instead."""

    margin, noise = None, 0.0

    def __init__(self, arrivals: Any = None, **wrong: Any) -> None:
        self.dim, self.radius, self.low, self.high = 2, 1.0, -np.ones(2), np.ones(2)
        for name, value in wrong.items():
            setattr(self, name, value)
        self._arrivals = arrivals

    def arrivals(self, key: Any, population_key: Any = None) -> Any:
        return Line() if self._arrivals is None else self._arrivals()


def setting_of(population: Population, **parts: Any) -> Setting:
    reach = 0.3 if population.alpha is None else population.alpha[1]
    return Setting(population=population, **{"cost": L2Cost(reach), **parts})


def first_round(setting: Setting) -> None:
    Game(setting, KEY).play(np.zeros(setting.population.dim + 1))


def met_in_turns(setting: Setting) -> None:
    OpenGame(setting, KEY, np.arange(2), np.array([[-2.0, -2.0], [2.0, 2.0]])).arrive(ACCEPT_ALL)


def first_vector_round(setting: Setting) -> None:
    games = games_of(setting, "mistake", 2, "full")
    games.begin(np.arange(2), np.array([KEY, game_key(1)]))
    games.play(np.zeros((2, setting.population.dim + 1)), np.ones(2, dtype=np.bool_))


def known_points(setting: Setting) -> None:
    setting.arrivals(KEY).points(100)


CONSUMERS = [first_round, met_in_turns, first_vector_round, known_points]


def changed(array: Any, at: Any, value: Any) -> Any:
    """A copy of an array with another number in it."""
    copy = array.copy()
    copy[at] = value
    return copy


def test_own_arrivals_are_played_as_they_say() -> None:
    game, sent = Game(setting_of(Own()), KEY), 0
    for round in range(3 * BLOCK):
        observation, truth, label, *_ = game.play(ACCEPT_ALL)
        sent = round % len(POINTS)
        assert (truth == POINTS[sent]).all() and (observation[3:5] == POINTS[sent]).all() and label == LABELS[sent]
    points, labels = setting_of(Own()).arrivals(KEY).points(100)
    assert (points == POINTS[np.arange(100) % 30]).all() and (labels == LABELS[np.arange(100) % 30]).all()


WRONG_ATTRIBUTES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"dim": 0}, ValueError, "the population's dim must be at least 1, got 0"),
    ({"dim": 2.0}, TypeError, "the population's dim must be an integer, got 2.0"),
    ({"radius": -1}, ValueError, "the population's radius must be at least 0.0, got -1"),
    ({"radius": np.nan}, ValueError, "the population's radius must be finite, got nan"),
    ({"radius": "1"}, TypeError, "the population's radius must be a number, got '1'"),
    ({"low": -1}, TypeError, r"the population's low must be a NumPy array of shape \(2,\), got -1"),
    ({"low": [-1.0, -1.0]}, TypeError, r"the population's low must be a NumPy array of shape \(2,\), got \[-1"),
    ({"low": np.array(-1.0)}, ValueError, r"the population's low must have shape \(2,\), got \(\)"),
    ({"high": np.ones(3)}, ValueError, r"the population's high must have shape \(2,\), got \(3,\)"),
    ({"high": np.array([1.0, np.inf])}, ValueError, "the population's high must be finite, got inf"),
    ({"low": np.full(2, 2.0)}, ValueError, r"the population's low must be at most its high, got \[2.0, 2.0\], \[1.0"),
    ({"margin": 0.0}, ValueError, "the population's margin must be greater than 0.0, got 0.0"),
    ({"noise": 2}, ValueError, "the population's noise must be at most 1.0, got 2"),
    ({"noise": None}, TypeError, "the population's noise must be a number, got None"),
    ({"alpha": (0.1,)}, ValueError, r"the population's alpha must have shape \(2,\), got \(1,\)"),
    ({"alpha": 0.1}, ValueError, r"the population's alpha must have shape \(2,\), got \(\)"),
    ({"alpha": (-0.1, 0.3)}, ValueError, "the population's alpha must be at least 0, got -0.1"),
    ({"alpha": (0.3, 0.1)}, ValueError, r"the population's alpha must be an interval .* got \(0.3, 0.1\)"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), WRONG_ATTRIBUTES)
def test_attributes_of_a_population_are_checked_where_a_setting_is_made(
    wrong: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{message}"):
        Setting(population=Own(**wrong), cost=L2Cost(0.3))
    with pytest.raises(error, match=f"^{message}"):
        StrategicClassificationEnv(Own(**wrong), L2Cost(0.3))


def test_an_attribute_that_is_missing_is_named() -> None:
    for name in ("dim", "radius", "low", "high"):
        population = Own()
        delattr(population, name)
        with pytest.raises(TypeError, match=f"the population's {name} must be .*, got None"):
            Setting(population=population, cost=L2Cost(0.3))


class OwnCost(Cost):
    """Somebody's own cost."""

    def __init__(self, norm: Any, alpha: Any, budgets: Any) -> None:
        self.norm, self.alpha, self._budgets = norm, alpha, budgets

    def budgets(self, dim: int) -> Any:
        return self._budgets

    @property
    def _individual(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("cost", "error", "message"),
    [
        (OwnCost(7, np.array(0.3), np.full((1, 1), 0.3)), ValueError, "the cost's norm must be 1 .* or 2 .*, got 7"),
        (OwnCost(2, 0.3, np.full((1, 1), 0.3)), TypeError, "the cost's alpha must be a NumPy array, got 0.3"),
        (OwnCost(1, np.array(0.3), np.full((1, 3), 0.3)), ValueError, r"the cost's budgets must have shape \(any, 2\)"),
        (OwnCost(2, np.array(0.3), [[0.3]]), TypeError, "the cost's budgets must be a NumPy array of float64, got"),
        (OwnCost(2, np.array(0.3), np.full((1, 1), np.nan)), ValueError, "the cost's budgets must be finite, got nan"),
        (OwnCost(2, np.array(-0.3), np.full((1, 1), 0.3)), ValueError, "the cost's alpha must be at least 0, got -0.3"),
    ],
)
def test_budgets_of_a_cost_of_ones_own_are_checked(cost: Cost, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        setting_of(Own(), cost=cost)


def test_the_slack_of_an_individual_of_ones_own_is_checked() -> None:
    for slack, error in ((None, TypeError), (-1.0, ValueError), (np.nan, ValueError)):
        individual = type("Own", (Truthful,), {"slack": slack})()
        with pytest.raises(error, match=f"^the individual's slack must be .*, got {slack}"):
            setting_of(Own(), individual=individual)


INDEX = np.arange(BLOCK) % 30
WRONG_ARRIVALS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"features": POINTS.tolist()}, TypeError, r"the arrivals' features must be a NumPy array of float64, got \[\["),
    ({"features": None}, TypeError, "the arrivals' features must be a NumPy array of float64, got None"),
    ({"features": POINTS.astype(np.float32)}, TypeError, "the arrivals' features must be .* got ndarray of float32"),
    ({"features": np.ma.array(POINTS)}, TypeError, "the arrivals' features must be .* got MaskedArray of float64"),
    ({"features": np.zeros((30, 3))}, ValueError, r"the arrivals' features must have shape \(any, 2\), got \(30, 3\)"),
    ({"features": np.zeros((30, 1))}, ValueError, r"the arrivals' features must have shape \(any, 2\), got \(30, 1\)"),
    ({"features": np.zeros(30)}, ValueError, r"the arrivals' features must have shape \(any, 2\), got \(30,\)"),
    ({"features": np.zeros((0, 2))}, ValueError, "the arrivals' features must hold at least one row, got none"),
    ({"features": np.asfortranarray(POINTS)}, ValueError, "the arrivals' features must be C-contiguous .* got strides"),
    ({"features": np.zeros((30, 4))[:, ::2]}, ValueError, "the arrivals' features must be C-contiguous"),
    ({"features": changed(POINTS, (3, 1), np.nan)}, ValueError, "the arrivals' features must be .* column 1, got nan"),
    ({"features": changed(POINTS, (3, 1), 1.5)}, ValueError, "the arrivals' features must be .* high 1.0 .* got 1.5"),
    ({"features": changed(POINTS, 3, 0.9)}, ValueError, r"the arrivals' features must lie .* radius 1.0, got \[0.9"),
    ({"features": POINTS[:20]}, ValueError, "the arrivals' index must be from 0 to 19, a row of features, got 20"),
    ({"index": changed(INDEX, 5, 30)}, ValueError, "the arrivals' index must be from 0 to 29, a row .*, got 30"),
    ({"index": changed(INDEX, 5, -1)}, ValueError, "the arrivals' index must be from 0 to 29, a row .*, got -1"),
    ({"index": INDEX.astype(np.int32)}, TypeError, "the arrivals' index must be .* of int64, got ndarray of int32"),
    ({"index": INDEX.astype(float)}, TypeError, "the arrivals' index must be .* of int64, got ndarray of float64"),
    ({"index": INDEX.tolist()}, TypeError, r"the arrivals' index must be a NumPy array of int64, got \[0, 1"),
    ({"index": INDEX[:10]}, ValueError, r"the arrivals' index must have shape \(64,\), got \(10,\)"),
    ({"label": np.zeros(BLOCK)}, ValueError, "the arrivals' label must be -1 or .1, got 0.0"),
    ({"label": changed(np.ones(BLOCK), 63, 2.0)}, ValueError, "the arrivals' label must be -1 or .1, got 2.0"),
    ({"label": changed(np.ones(BLOCK), 63, np.nan)}, ValueError, "the arrivals' label must be -1 or .1, got nan"),
    ({"label": np.ones(BLOCK, dtype=np.int64)}, TypeError, "the arrivals' label must be .* got ndarray of int64"),
    ({"label": np.ones(65)}, ValueError, r"the arrivals' label must have shape \(64,\), got \(65,\)"),
    ({"budgets": np.full((30, 1), 0.2)}, ValueError, "the arrivals' budgets must be None where .* alpha is None, got"),
    ({"separator": np.ones(2)}, ValueError, r"the arrivals' separator must have shape \(3,\), got \(2,\)"),
    ({"separator": np.array([1.0, 0.0, np.nan])}, ValueError, "the arrivals' separator must be finite, got nan"),
    ({"separator": np.ones(3)}, ValueError, "the arrivals' separator must have weights of norm 1, got 1.41"),
]


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize(("wrong", "error", "message"), WRONG_ARRIVALS)
def test_arrivals_of_ones_own_are_checked_before_they_are_played(
    consumer: Callable[[Setting], None], wrong: dict[str, Any], error: type[Exception], message: str
) -> None:
    setting = setting_of(Own(lambda: Line(**wrong)))
    with pytest.raises(error, match=f"^{message}") as caught:
        consumer(setting)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("consumer", CONSUMERS)
@pytest.mark.parametrize(
    ("budgets", "error", "message"),
    [
        (None, ValueError, r"the arrivals' budgets must be an array \(M, 1\) where .* \(0.1, 0.3\), got None"),
        (np.full(30, 0.2), ValueError, r"the arrivals' budgets must have shape \(30, 1\), got \(30,\)"),
        (np.full((29, 1), 0.2), ValueError, r"the arrivals' budgets must have shape \(30, 1\), got \(29, 1\)"),
        (np.full((30, 1), 0.2, dtype=np.float32), TypeError, "the arrivals' budgets must be .* got ndarray of float32"),
        (changed(np.full((30, 1), 0.2), 7, -0.2), ValueError, "the arrivals' budgets must be at least 0, got -0.2"),
        (changed(np.full((30, 1), 0.2), 7, np.nan), ValueError, "the arrivals' budgets must be finite, got nan"),
        (changed(np.full((30, 1), 0.2), 7, 0.4), ValueError, r"the arrivals' budgets .* \(0.1, 0.3\), got 0.4"),
    ],
)
def test_reaches_of_ones_own_are_checked(
    consumer: Callable[[Setting], None], budgets: Any, error: type[Exception], message: str
) -> None:
    setting = setting_of(Own(lambda: Line(budgets=budgets), alpha=(0.1, 0.3)))
    with pytest.raises(error, match=f"^{message}"):
        consumer(setting)


def test_reaches_of_ones_own_are_each_persons() -> None:
    own = np.linspace(0.1, 0.3, 30)[:, np.newaxis]
    game = Game(setting_of(Own(lambda: Line(budgets=own), alpha=(0.1, 0.3))), KEY)
    for round in range(BLOCK + 10):
        game.play(ACCEPT_ALL)
        assert game.cost_of(round).alpha == own[round % 30, 0]


class Renewed(Line):
    """Replaces all of its arrays in every block."""

    def fill(self, first: int) -> None:
        super().fill(first)
        self.features = POINTS[self._index] / 2.0**first
        self._index = np.arange(BLOCK)


def test_arrays_that_a_block_replaces_are_the_ones_that_are_played() -> None:
    setting = setting_of(Own(Renewed))
    game, turns = Game(setting, KEY), OpenGame(setting, KEY, np.arange(2), np.array([[-2.0, -2.0], [2.0, 2.0]]))
    for round in range(2 * BLOCK):
        expected = POINTS[round % 30] / 2.0 ** (round // BLOCK * BLOCK)
        assert (game.play(ACCEPT_ALL)[1] == expected).all()
        assert (turns.arrive(ACCEPT_ALL)[1] == expected).all()


class Spoiled(Line):
    """Is right in its first block only."""

    def fill(self, first: int) -> None:
        super().fill(first)
        if first:
            self.features = np.zeros((30, 200))


def test_every_block_is_checked() -> None:
    game = Game(setting_of(Own(Spoiled)), KEY)
    for _ in range(BLOCK):
        game.play(ACCEPT_ALL)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"the arrivals' features must have shape \(any, 2\), got \(30, 200\)"):
            game.play(ACCEPT_ALL)
    assert game.round == BLOCK


def test_points_are_checked_without_a_setting_too() -> None:
    for wrong, message in (
        ({"index": changed(INDEX, 5, -1)}, "index must be from 0 to 29"),
        ({"label": np.zeros(BLOCK)}, "label must be -1 or"),
        ({"features": changed(POINTS, 3, np.inf)}, "features must be finite, got inf"),
        ({"features": changed(POINTS, 3, 1e101)}, "features must be at most 1e"),
    ):
        with pytest.raises(ValueError, match=message):
            Line(**wrong).points(10)


@pytest.mark.parametrize("returned", [None, 5, POINTS, DataSet(POINTS, LABELS), Line])
def test_a_population_must_return_arrivals(returned: Any) -> None:
    env = StrategicClassificationEnv(Own(lambda: returned), L2Cost(0.3))
    with pytest.raises(TypeError, match=r"^the population's arrivals\(\) must return Arrivals, got "):
        env.reset(seed=0)


class Nature(AdaptiveArrivals):
    """Somebody's own nature, who always picks the same."""

    def __init__(self, picked: Any, features: Any = POINTS) -> None:
        super().__init__(features)
        self._picked = picked

    def meet(self, round: int, classifier: Any, norm: int, budgets: Any) -> Any:
        classifier[:] = np.nan  # what it does to what it sees, nobody else sees
        return self._picked


def test_a_nature_of_ones_own_is_played_as_it_says() -> None:
    setting = setting_of(Own(lambda: Nature((7, 1.0))))
    game, turns = Game(setting, KEY), OpenGame(setting, KEY, np.arange(2), np.array([[-2.0, -2.0], [2.0, 2.0]]))
    for _ in range(BLOCK + 2):
        observation, truth, label, *_ = game.play(ACCEPT_ALL)
        assert (truth == POINTS[7]).all() and label == 1.0 and (observation[:3] == 0.0).all()
        seen = np.zeros(3)
        assert (turns.arrive(seen)[1] == POINTS[7]).all() and (seen == 0.0).all()


@pytest.mark.parametrize("consumer", [first_round, met_in_turns, first_vector_round])
@pytest.mark.parametrize(
    ("nature", "error", "message"),
    [
        (lambda: Nature(None), TypeError, r"the arrivals' meet\(\) must return a row and a label, got None"),
        (
            lambda: Nature((30, 1.0)),
            ValueError,
            r"the row that the arrivals' meet\(\) picks must be at most 29, got 30",
        ),
        (
            lambda: Nature((-1, 1.0)),
            ValueError,
            r"the row that the arrivals' meet\(\) picks must be at least 0, got -1",
        ),
        (lambda: Nature((0.0, 1.0)), TypeError, r"the row that the arrivals' meet\(\) picks must be an integer"),
        (
            lambda: Nature((0, 0.0)),
            ValueError,
            r"the label that the arrivals' meet\(\) picks must be -1 or .1, got 0.0",
        ),
        (lambda: Nature((0, None)), TypeError, r"the label that the arrivals' meet\(\) picks must hold real numbers"),
        (lambda: Nature((0, 1.0), np.zeros((5, 9))), ValueError, "the arrivals' features must have shape"),
        (lambda: Nature((0, 1.0), np.ones((5, 2))), ValueError, "the arrivals' features must lie within .* radius"),
    ],
)
def test_whom_a_nature_of_ones_own_picks_is_checked(
    consumer: Callable[[Setting], None], nature: Callable[[], Arrivals], error: type[Exception], message: str
) -> None:
    setting = setting_of(Own(nature))
    with pytest.raises(error, match=f"^{message}"):
        consumer(setting)


class OwnAdversary(GreedyAdversary):
    """A subclass that changes nothing plays as its parent does."""


class OwnData(DataSet):
    """A data set with a source of its own; by default that of its parent."""

    def __init__(self, source: Any = None, **wrong: Any) -> None:
        super().__init__(POINTS, LABELS, standardise=False)
        self._source = source
        for name, value in wrong.items():
            setattr(self, name, value)

    def source(self, population_key: Any = None) -> Any:
        return super().source(population_key) if self._source is None else self._source


def test_subclasses_play_as_their_parents() -> None:
    for parent, child in (
        (DataSet(POINTS, LABELS, standardise=False), OwnData()),
        (GreedyAdversary(POINTS, LABELS), OwnAdversary(POINTS, LABELS)),
    ):
        one, other = Game(setting_of(parent), KEY), Game(setting_of(child), KEY)
        classifiers = np.random.default_rng(1).uniform(-1, 1, (100, 3))
        for classifier in classifiers:
            for expected, found in zip(one.play(classifier), other.play(classifier), strict=True):
                np.testing.assert_array_equal(found, expected)


GIVEN: Any = members(POINTS, LABELS, SHUFFLED)
DRAWN: Any = Separable(2, 0.5).source()
WRONG_SOURCES: list[tuple[Any, type[Exception], str]] = [
    (5, TypeError, r"the population's source\(\) must return a Source or None, got 5"),
    (GIVEN._replace(features=POINTS.tolist()), TypeError, "the source's features must be a NumPy array of float64"),
    (GIVEN._replace(features=np.asfortranarray(POINTS)), ValueError, "the source's features must be C-contiguous"),
    (GIVEN._replace(features=POINTS.astype(np.float32)), TypeError, "the source's features must be .* of float32"),
    (members(np.zeros((30, 3)), LABELS, SHUFFLED), ValueError, "the source's features must have 2 columns, .* got 3"),
    (members(np.zeros((30, 0)), LABELS, SHUFFLED), ValueError, "the source's features must have at least one column"),
    (members(np.zeros((0, 2)), np.zeros(0), SHUFFLED), ValueError, "the source's size must be at least 1, got 0"),
    (members(changed(POINTS, 4, np.nan), LABELS, SHUFFLED), ValueError, "the source's features must be .* got nan"),
    (members(changed(POINTS, 4, 0.95), LABELS, SHUFFLED), ValueError, "the source's features must .* radius|high"),
    (members(POINTS, LABELS[:29], SHUFFLED), ValueError, r"the source's labels must have shape \(30,\), got \(29,\)"),
    (members(POINTS, changed(LABELS, 9, 0.0), SHUFFLED), ValueError, "the source's labels must be -1 or .1, got 0.0"),
    (GIVEN._replace(labels=LABELS.astype(np.int64)), TypeError, "the source's labels must be .* got ndarray of int64"),
    (GIVEN._replace(size=31), ValueError, "the source's size must be 30, as many as there are features, got 31"),
    (GIVEN._replace(size=-1), ValueError, "the source's size must be at least 1, got -1"),
    (GIVEN._replace(size=30.0), TypeError, "the source's size must be an integer, got 30.0"),
    (GIVEN._replace(head=30), ValueError, "the source's head must be at most 29, got 30"),
    (GIVEN._replace(head=-1), ValueError, "the source's head must be at least 0, got -1"),
    (GIVEN._replace(order=4), ValueError, "the source's order must be at most 3, got 4"),
    (GIVEN._replace(order=None), TypeError, "the source's order must be an integer, got None"),
    (GIVEN._replace(order=NEW), ValueError, r"the source's order must not be 3 \(NEW\) where it has members, got 30"),
    (GIVEN._replace(noise=np.nan), ValueError, "the source's noise must be that of the population, 0.0, got nan"),
    (GIVEN._replace(noise=1.5), ValueError, "the source's noise must be that of the population, 0.0, got 1.5"),
    (GIVEN._replace(noise=0.5), ValueError, "the source's noise must be that of the population, 0.0, got 0.5"),
    (GIVEN._replace(nonnegative=2), TypeError, "the source's nonnegative must be True or False, got 2"),
    (GIVEN._replace(reaches=np.array([0.1, 0.3])), ValueError, r"the source's budgets must have shape \(30, 1\)"),
    (
        GIVEN._replace(reaches=np.array([0.1, 0.3]), budgets=np.full((30, 1), 0.2)),
        ValueError,
        r"the source's reaches must be the population's alpha, None, got \(0.1, 0.3\)",
    ),
    (GIVEN._replace(reaches=np.array([np.nan, 0.3])), ValueError, r"the source's reaches must be an interval .* \[nan"),
    (GIVEN._replace(budgets=np.full((30, 1), 0.2)), ValueError, r"the source's budgets must have shape \(0, 1\)"),
    (GIVEN._replace(caps=None), TypeError, "the source's caps must be Caps, got None"),
    (GIVEN._replace(origin=np.zeros((2, 2), np.uint64)), ValueError, "the source's origin must have one row at most"),
    (GIVEN._replace(origin=np.zeros((1, 2))), TypeError, "the source's origin must be .* of uint64, got ndarray of"),
    (DRAWN._replace(caps=tabulate_caps(2, 5.0, 0.1, 0.0)), ValueError, "the source's caps must lie within .* of 5.0"),
    (DRAWN._replace(caps=NO_CAPS), ValueError, "the caps' limits must hold shares of a ball"),
    (
        DRAWN._replace(caps=DRAWN.caps._replace(limits=np.full((2, 4), np.nan))),
        ValueError,
        "the caps' limits must be finite, got nan",
    ),
    (
        DRAWN._replace(caps=DRAWN.caps._replace(heights=np.zeros((2, 1)))),
        ValueError,
        r"the caps' slopes must have shape \(2, 1\)",
    ),
    (DRAWN._replace(size=3), ValueError, r"the source's order must not be 3 \(NEW\) where it has members, got 3"),
    (DRAWN._replace(order=AT_RANDOM), ValueError, "the source's size must be at least 1, got 0"),
]


def read_only() -> Source:
    locked = POINTS.copy()
    locked.setflags(write=False)
    return members(locked, LABELS, SHUFFLED)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [*WRONG_SOURCES, (read_only(), ValueError, "the source's features must be writeable")],
)
def test_a_source_of_ones_own_is_checked_before_it_is_played(source: Any, error: type[Exception], message: str) -> None:
    bounds = {"low": -np.ones(2), "high": np.ones(2), "radius": 1.0}
    setting = setting_of(OwnData(source, **bounds))
    scenario = Scenario("own", setting, 10, {}, None)
    for play in (
        lambda: games_of(setting, "mistake", 2, "full"),
        lambda: rollout(Perceptron(), scenario, games=2, rounds=5),
        lambda: pool_of(setting, KEY),
    ):
        with pytest.raises(error, match=f"^{message}") as caught:
            play()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        members(POINTS, LABELS[:29], SHUFFLED),
        GIVEN._replace(size=3000),
        GIVEN._replace(head=30, order=IN_ORDER),
        GIVEN._replace(order=NEW, size=0),
    ],
)
def test_a_source_that_would_lead_out_of_its_arrays_is_refused_wherever_it_is_used(source: Source) -> None:
    with pytest.raises(ValueError, match="^the source's "):
        SourceArrivals(source, KEY)


def test_attributes_that_a_subclass_changed_are_held_against_what_arrives() -> None:
    for wrong, message in (
        ({"features": np.zeros((30, 5))}, r"features must have shape \(any, 2\)|features must have 2 columns"),
        ({"labels": np.zeros(30)}, "label.? must be -1 or .1, got 0.0"),
        ({"radius": 0.1}, "features must lie within the population's radius 0.1"),
    ):
        setting = setting_of(OwnData(**wrong))
        with pytest.raises(ValueError, match=message):
            first_vector_round(setting)
        with pytest.raises(ValueError, match=message):
            first_round(setting)
    with pytest.raises(ValueError, match=r"^the population's low must have shape \(5,\), got \(2,\)"):
        setting_of(OwnData(dim=5))


def test_a_method_that_one_population_was_given_is_asked_and_checked() -> None:
    population = DataSet(POINTS, LABELS, standardise=False)
    population.arrivals = lambda key, population_key=None: Line(label=np.zeros(BLOCK))  # type: ignore[method-assign]
    setting = setting_of(population)
    assert setting.source() is None
    with pytest.raises(ValueError, match="^the arrivals' label must be -1 or"):
        first_round(setting)


def test_the_game_for_many_agents_checks_whom_it_lets_in() -> None:
    scenario = Scenario("own", setting_of(Own(lambda: Line(label=np.zeros(BLOCK)))), 10, {}, None)
    turns, everybody = multi_agent.raw_env(scenario), multi_agent.parallel_env(scenario)
    with pytest.raises(ValueError, match="^the arrivals' label must be -1 or"):
        turns.reset(seed=0)
        turns.step(np.zeros(3))
    with pytest.raises(ValueError, match="^the arrivals' label must be -1 or"):
        everybody.reset(seed=0)
        everybody.step({agent: everybody.action_space(agent).sample() for agent in everybody.agents})
