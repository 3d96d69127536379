"""Points with labels: number for number the reference's, and what the papers say of them."""

import pickle
from typing import Any

import numpy as np
import pytest
from multiclass_oracle import KEYWORDS, PROTOTYPES, Texts, Words
from scipy import stats

from agents import GaussianMixture, Keywords, LabelledData, MulticlassPopulation, Prototypes
from agents.foundation import streams

KEY = streams.game_key(3, 1)


@pytest.mark.parametrize(
    ("population", "words"),
    [
        (Prototypes(80, 9), PROTOTYPES),
        (Prototypes(40, 100, noise=0.4), PROTOTYPES),  # so many classes that words are drawn again
        (Keywords(80, 9, noise=0.3), KEYWORDS),
        (Keywords(160, 3), KEYWORDS),
    ],
    ids=["prototypes", "many classes", "keywords", "more keywords"],
)
@pytest.mark.parametrize("origin", [None, streams.game_key(8)], ids=["drawn afresh", "frozen"])
def test_texts_are_the_references(population: Any, words: Words, origin: Any) -> None:
    reference = Texts(KEY, words, population.dim, population.classes, population.noise, origin)
    features, labels = population.points(KEY, 60, origin)
    for t in range(60):
        expected, label = reference.point(t)
        assert (features[t] == expected).all() and labels[t] == label, f"round {t}"


def test_prototypes_are_those_of_the_paper() -> None:
    """Appendix F: n to 5 n of 10 n words, uniformly many; 5 n of 30 n others; no two classes alike."""
    sizes = []
    for seed in range(300):
        features, labels = Prototypes(80, 9).points(streams.game_key(seed), 60)
        assert set(np.unique(features)) == {0.0, 1.0} and (features[:, 20:].sum(axis=1) == 10).all()
        own = {label: {tuple(row) for row in features[labels == label, :20]} for label in np.unique(labels)}
        assert all(len(rows) == 1 for rows in own.values()), "every text uses all words of its class"
        prototypes = [next(iter(rows)) for rows in own.values()]
        assert len(set(prototypes)) == len(prototypes)
        sizes += [int(sum(prototype)) for prototype in prototypes]
    assert stats.chisquare(np.bincount(sizes, minlength=11)[2:]).pvalue > 1e-4


def test_words_of_the_tail_are_equally_likely_and_classes_too() -> None:
    features, labels = Prototypes(80, 9).points(KEY, 20_000)
    # Drawn without replacement, which makes counts less varied than the test assumes.
    assert stats.chisquare(features[:, 20:].sum(axis=0)).pvalue > 1e-4
    assert stats.chisquare(np.bincount(labels, minlength=9)).pvalue > 1e-4
    assert abs(np.corrcoef(features[:, 20:], rowvar=False) - np.eye(60)).max() < 0.05


def test_keywords_lack_some_of_their_class() -> None:
    features, labels = Keywords(400, 9).points(KEY, 20_000)
    assert (features[:, 120:].sum(axis=1) == 20).all()
    for label in range(9):
        texts = features[labels == label, :120]
        own = texts.any(axis=0)
        assert 20 <= own.sum() <= 40 and (texts.sum(axis=1) == own.sum() - 5).all()
        assert stats.chisquare(texts[:, own].sum(axis=0)).pvalue > 1e-4


@pytest.mark.parametrize("classes", [2, 9, 100])
def test_prototypes_without_noise_are_separable_by_a_margin_of_one(classes: int) -> None:
    for seed in range(20):
        key, population = streams.game_key(seed), Prototypes(40, classes)
        features, labels = population.points(key, 500)
        scores = features @ population.separator(key).T
        right = np.take_along_axis(scores, labels[:, np.newaxis], axis=1).copy()
        np.put_along_axis(scores, labels[:, np.newaxis], -np.inf, axis=1)
        assert (right[:, 0] - scores.max(axis=1)).min() > 1.0 - 1e-9


@pytest.mark.parametrize(
    "population",
    [Prototypes(40, 5, noise=0.2), Keywords(80, 5, noise=0.2), GaussianMixture(3, 5, spread=0.01, noise=0.2)],
    ids=lambda one: type(one).__name__,
)
def test_noise_replaces_a_label_by_any(population: MulticlassPopulation) -> None:
    rounds = 20_000
    features, labels = population.points(KEY, rounds)
    vars(population)["noise"] = 0.0
    clean, true_labels = population.points(KEY, rounds)
    assert (features == clean).all()
    changed = (labels != true_labels).mean()
    assert abs(changed - 0.2 * 4 / 5) < 4.0 * np.sqrt(0.16 * 0.84 / rounds)
    assert stats.chisquare(np.bincount(labels[labels != true_labels], minlength=5)).pvalue > 1e-4


def test_a_mixture_is_normal_around_centres_on_the_sphere() -> None:
    population = GaussianMixture(4, 3, spread=0.3)
    features, labels = population.points(KEY, 30_000)
    for label in range(3):
        centre = np.empty(4)
        streams.fill_normals(KEY, streams.POPULATION, label, centre)
        centre /= np.linalg.norm(centre)
        standard = (features[labels == label] - centre) / 0.3
        assert stats.kstest(standard.ravel(), "norm").pvalue > 1e-4
        assert abs(np.cov(standard, rowvar=False) - np.eye(4)).max() < 0.06


def test_points_far_out_are_drawn_back_to_the_radius() -> None:
    population = GaussianMixture(2, 2, spread=1.0)
    vars(population)["radius"] = 1.5  # so that many lie beyond
    norms = np.linalg.norm(population.points(KEY, 2_000)[0], axis=1)
    assert norms.max() == pytest.approx(1.5) and (norms > 1.4999).mean() > 0.3


def test_data_come_pass_after_pass() -> None:
    rng = np.random.default_rng(0)
    rows, marks = rng.normal(size=(30, 2)), rng.integers(4, size=30)
    population = LabelledData(rows, marks, classes=5, standardise=False)
    features, labels = population.points(KEY, 90)
    known = {tuple(row): mark for row, mark in zip(rows, marks, strict=True)}
    assert [known[tuple(row)] for row in features] == labels.tolist()
    passes = features.reshape(3, 30, 2)
    assert all({tuple(row) for row in one} == set(known) for one in passes)
    assert (passes[0] != passes[1]).any()
    assert (population.classes, population.dim) == (5, 2)


def test_data_are_standardised_and_given_an_intercept() -> None:
    rows = np.random.default_rng(0).exponential(size=(50, 3)) * [1.0, 10.0, 100.0]
    population = LabelledData(rows, np.arange(50) % 2, intercept=True)
    features, _ = population.points(KEY, 50)
    assert features[:, :3].mean(axis=0) == pytest.approx(0.0) and features[:, :3].std(axis=0) == pytest.approx(1.0)
    assert (features[:, 3] == 1.0).all()


POPULATIONS: list[MulticlassPopulation] = [
    Prototypes(80, 9, noise=0.1),
    Keywords(80, 4),
    GaussianMixture(5, 3),
    LabelledData(np.eye(6), np.arange(6) % 3, standardise=False),
]


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda one: type(one).__name__)
def test_points_stay_within_their_bounds_and_do_not_depend_on_how_many_are_asked_for(population: Any) -> None:
    features, labels = population.points(KEY, 400)
    assert (features >= population.low).all() and (features <= population.high).all()
    assert np.linalg.norm(features, axis=1).max() <= population.radius * (1.0 + 1e-9)
    assert labels.min() >= 0 and labels.max() < population.classes
    few = population.points(KEY, 7)
    assert (few[0] == features[:7]).all() and (few[1] == labels[:7]).all()
    again = pickle.loads(pickle.dumps(population)).points(KEY, 7)
    assert (again[0] == few[0]).all()


@pytest.mark.parametrize("population", POPULATIONS[:3], ids=lambda one: type(one).__name__)
def test_a_frozen_population_is_met_again_by_other_points(population: Any) -> None:
    origin, keys = streams.game_key(5), [streams.game_key(0, game) for game in range(2)]
    first, second = (population.points(key, 300, origin) for key in keys)
    assert (first[0] != second[0]).any()
    for own, afresh in ((first, False), (population.points(keys[0], 300), True)):
        means = [
            np.array([features[labels == label].mean(axis=0) for label in range(3)])
            for features, labels in (own, second)
        ]
        assert bool(abs(means[0] - means[1]).max() > 0.6) is afresh


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Prototypes(50), "dim must be a multiple of 40, got 50"),
        (lambda: Keywords(40), "dim must be a multiple of 80, got 40"),
        (lambda: Prototypes(40, 127), "classes must be at most 126, got 127"),
        (lambda: Prototypes(40, 1), "classes must be at least 2, got 1"),
        (lambda: Prototypes(noise=1.5), "noise must be at most 1.0, got 1.5"),
        (lambda: Prototypes(dim=0), "dim must be at least 1, got 0"),
        (lambda: GaussianMixture(3, 2, spread=0.0), "spread must be greater than 0.0, got 0.0"),
        (lambda: GaussianMixture(3, 2, spread=float("nan")), "spread must be finite, got nan"),
        (lambda: LabelledData([[1.0], [2.0]], [0, 0.5]), "labels must be integers from 0 on, got 0.5"),
        (lambda: LabelledData([[1.0], [2.0]], [0, -1]), "labels must be integers from 0 on, got -1"),
        (lambda: LabelledData([[1.0], [2.0]], [0, 3], 3), "classes must be at least 4, got 3"),
        (lambda: LabelledData([[1.0], [2.0]], [0, 1], 10**30), f"classes must be at most {2**20}"),
        (lambda: LabelledData([[1.0], [2.0]], [0]), "labels must have shape"),
        (lambda: LabelledData([[1.0, 5.0], [2.0, 5.0]], [0, 1]), "got a constant column 1"),
        (lambda: LabelledData([[1.0], [float("inf")]], [0, 1]), "features must be finite, got inf"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_numbers_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
