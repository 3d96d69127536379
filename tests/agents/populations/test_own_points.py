"""Points with labels that somebody else wrote: played rightly or refused in one line."""

from typing import Any

import numpy as np
import pytest

from agents import LabelledData, Prototypes
from agents.foundation import streams
from agents.populations.labelled import MulticlassPopulation
from agents.populations.labelled_points import DATA, WORDS, Words
from learners.feedback.graph import FeedbackGraph
from strategic_env.games.multiclass.rules import MulticlassGames, MulticlassSetting

KEY = streams.game_key(0)

ROWS, CLASSES = np.random.default_rng(2).uniform(-0.7, 0.7, (40, 2)), np.arange(40) % 3


def changed(array: Any, at: Any, value: Any) -> Any:
    """A copy of an array with another number in it."""
    copy = array.copy()
    copy[at] = value
    return copy


class OwnPoints(MulticlassPopulation):
    """Somebody's own points with labels."""

    classes, noise = 3, 0.0

    def __init__(self, source: Any = None, **wrong: Any) -> None:
        self.dim, self.radius, self.low, self.high = 2, 1.0, -np.ones(2), np.ones(2)
        self.__dict__.update(wrong)
        self._source = OF_ROWS if source is None else source

    def source(self, population_key: Any = None) -> Any:
        return self._source


OF_ROWS: Any = LabelledData(ROWS, CLASSES, standardise=False).source()
OF_WORDS: Any = Prototypes(40, 3).source()


def multiclass_setting(population: MulticlassPopulation) -> MulticlassSetting:
    return MulticlassSetting(population=population, graph=FeedbackGraph.named("full", population.classes))


def test_own_points_are_played_as_they_say() -> None:
    setting = multiclass_setting(OwnPoints())
    reference = multiclass_setting(LabelledData(ROWS, CLASSES, standardise=False))
    for one, other in zip(setting.points(KEY, 90), reference.points(KEY, 90), strict=True):
        assert (one == other).all()
    first = MulticlassGames(setting, "mistake", 1).begin(np.zeros(1, dtype=np.int64), KEY[np.newaxis])
    assert (first == MulticlassGames(reference, "mistake", 1).begin(np.zeros(1, dtype=np.int64), KEY[np.newaxis])).all()


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (7, TypeError, r"the population's source\(\) must return a PointSource, got 7"),
        (OF_ROWS._replace(features=ROWS.tolist()), TypeError, "the source's features must be a NumPy array of float64"),
        (OF_ROWS._replace(features=ROWS[:39]), ValueError, r"the source's labels must have shape \(39,\), got \(40,\)"),
        (OF_ROWS._replace(features=np.zeros((40, 3))), ValueError, r"the source's features must have shape \(any, 2\)"),
        (OF_ROWS._replace(features=changed(ROWS, 1, np.nan)), ValueError, "the source's features must be .* got nan"),
        (OF_ROWS._replace(labels=CLASSES.astype(float)), TypeError, "the source's labels must be .* of int64, got"),
        (OF_ROWS._replace(labels=changed(CLASSES, 5, 3)), ValueError, "the source's labels must be from 0 to 2, got 3"),
        (OF_ROWS._replace(labels=changed(CLASSES, 5, -1)), ValueError, "the source's labels must be .* to 2, got -1"),
        (OF_ROWS._replace(classes=4), ValueError, "the source's classes must be 3, as the population says, got 4"),
        (OF_ROWS._replace(classes=1), ValueError, "the source's classes must be at least 2, got 1"),
        (OF_ROWS._replace(noise=-0.1), ValueError, "the source's noise must be 0.0, as the population says, got -0.1"),
        (OF_ROWS._replace(noise=0.1), ValueError, "the source's noise must be 0.0, as the population says, got 0.1"),
        (OF_ROWS._replace(spread=None), TypeError, "the source's spread must be a number, got None"),
        (OF_ROWS._replace(radius=-1), ValueError, "the source's radius must be at least 0.0, got -1"),
        (OF_ROWS._replace(kind=3), ValueError, "the source's kind must be at most 2, got 3"),
        (OF_ROWS._replace(kind=WORDS), ValueError, "the source's features must have rows if its kind is 2"),
        (OF_WORDS._replace(kind=DATA), ValueError, "the source's features must have rows if its kind is 2"),
        (OF_WORDS, ValueError, "the source's number of places must be 2, as the population says, got 40"),
        (OF_WORDS._replace(words=None), TypeError, "the source's words must be Words, got None"),
        (OF_WORDS._replace(words=Words(41, 1, 5, 0, 5)), ValueError, "the words' head must be at most 40, got 41"),
        (OF_WORDS._replace(words=Words(10, 1, 11, 0, 5)), ValueError, "the words' most must be at most 10, got 11"),
        (OF_WORDS._replace(words=Words(10, 1, 5, 0, 31)), ValueError, "the words' tail must be at most 30, got 31"),
        (OF_ROWS._replace(places=np.array([0, 999])), ValueError, r"the source's places must be 0, 1, .* \[0, 999\]"),
        (OF_ROWS._replace(origin=np.zeros((2, 2), np.uint64)), ValueError, "the source's origin must have one row"),
    ],
)
def test_a_source_of_own_points_is_checked_before_it_is_played(
    source: Any, error: type[Exception], message: str
) -> None:
    setting = multiclass_setting(OwnPoints(source))
    for play in (
        lambda: MulticlassGames(setting, "mistake", 2),
        lambda: setting.points(KEY, 5),
        lambda: setting.population.points(KEY, 5),
    ):
        with pytest.raises(error, match=f"^{message}"):
            play()


def test_own_words_must_be_enough_for_all_classes() -> None:
    few = OF_WORDS._replace(words=Words(4, 4, 4, 0, 5))
    population = OwnPoints(few, dim=40, low=np.zeros(40), high=np.ones(40), radius=10.0)
    with pytest.raises(ValueError, match="^the source's classes must be at most 0, got 3"):
        MulticlassGames(multiclass_setting(population), "mistake", 1)


def test_points_of_ones_own_must_lie_where_the_population_says() -> None:
    for source, bounds, message in (
        (
            OF_WORDS,
            {"low": np.zeros(40), "high": np.full(40, 0.5), "radius": 9.0},
            "high 0.5 in every column, got 0.0 to 1.0",
        ),
        (OF_WORDS, {"low": np.zeros(40), "high": np.ones(40)}, "radius 1.0, got a norm of 3.16"),
    ):
        population = OwnPoints(source, dim=40, **bounds)
        with pytest.raises(ValueError, match=f"^the source's points must .*{message}"):
            multiclass_setting(population).source()


@pytest.mark.parametrize(
    ("points", "error", "message"),
    [
        (None, TypeError, r"the population's points\(\) must return features and labels, got None"),
        ((ROWS[:5].tolist(), CLASSES[:5]), TypeError, "the points' features must be a NumPy array of float64"),
        ((ROWS[:4], CLASSES[:4]), ValueError, r"the points' features must have shape \(5, 2\), got \(4, 2\)"),
        ((changed(ROWS[:5], 1, np.nan), CLASSES[:5]), ValueError, "the points' features must be .* got nan"),
        ((ROWS[:5], CLASSES[:5] + 1), ValueError, "the points' labels must be from 0 to 2, got 3"),
    ],
)
def test_a_way_of_ones_own_to_draw_points_is_checked(points: Any, error: type[Exception], message: str) -> None:
    population = OwnPoints()
    population.points = lambda key, rounds, population_key=None: points  # type: ignore[method-assign]
    with pytest.raises(error, match=f"^{message}"):
        multiclass_setting(population).points(KEY, 5)


def test_classes_are_checked_where_a_setting_is_made() -> None:
    for classes, error in ((1, ValueError), (2.0, TypeError), (None, TypeError)):
        with pytest.raises(error, match=f"^the population's classes must be .*, got {classes}"):
            MulticlassSetting(population=OwnPoints(classes=classes), graph=FeedbackGraph.named("full", 3))


def test_attributes_of_own_points_are_checked_where_a_setting_is_made() -> None:
    wrongs: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"dim": 0}, ValueError, "dim must be at least 1, got 0"),
        ({"radius": -1}, ValueError, "radius must be at least 0.0, got -1"),
        ({"low": -1}, TypeError, r"low must be a NumPy array of shape \(2,\), got -1"),
        ({"high": np.ones(3)}, ValueError, r"high must have shape \(2,\), got \(3,\)"),
        ({"noise": 2}, ValueError, "noise must be at most 1.0, got 2"),
    ]
    for wrong, error, message in wrongs:
        with pytest.raises(error, match=f"^the population's {message}"):
            multiclass_setting(OwnPoints(**wrong))
