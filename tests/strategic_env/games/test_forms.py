"""One game, three speeds: a loop over single environments, over the vector environment, and a rollout are one.

Every number is compared bit for bit. Beneath them: the keys of games, and the normals of the population.
"""

import itertools
import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit
from scipy import stats

from agents import BestResponse, BudgetLimited, FixedSequence, L2Cost, Quantal, WeightedL1Cost
from agents.boundary import on_boundary, side
from agents.foundation import streams, ziggurat
from learners.catalogue import learner_class, learners_of
from strategic_env import scenario
from strategic_env.bench.rollout import rollout
from strategic_env.games.strategic.vector import StrategicClassificationVectorEnv

GAMES = 3
slow = pytest.mark.slow


class Loop(NamedTuple):
    """What N games over T rounds showed, and what the learner knows afterwards."""

    published: Any  # (T, N, d + 1)
    features: Any  # (T, N, d)
    prediction: Any  # (T, N), as everything below
    label: Any
    moved: Any
    mistake: Any
    cost: Any
    true_label: Any
    state: Any


def same(found: Any, expected: Any) -> bool:
    a, b = np.asarray(found), np.asarray(expected)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def recorded(steps: list[tuple[Any, Any, Any]], state: Any) -> Loop:
    """Stack the (action, observation, info) of every round."""
    column = {key: np.array([seen[key] for _, seen, _ in steps]) for key in ("features", "prediction", "label")}
    told = {
        key: np.array([np.asarray(info[key], float) for *_, info in steps])
        for key in ("moved", "mistake", "cost", "true_label")
    }
    column["prediction"], column["label"] = column["prediction"][..., 0], column["label"][..., 0]
    return Loop(np.array([action for action, *_ in steps]), **column, **told, state=state)


def vector_loop(learner: Any, one: Any, games: int, seed: int) -> Loop:
    """All games at once, with batched predictions."""
    env, state, steps = one.make_vec(games, info_level="full"), None, []
    observation, _ = env.reset(seed=seed)
    for _ in range(one.horizon):
        action, state = learner.predict(observation, state)
        observation, _, _, truncated, infos = env.step(action)
        steps.append((action, observation, infos))
    assert truncated.all()
    loop = recorded(steps, learner.predict(observation, state)[1])
    if one.setting.draws_lots:  # which decides what is a mistake, and which labels are shown
        assert loop.mistake.any()
        return loop
    assert (loop.mistake == (loop.prediction != loop.true_label)).all() and loop.mistake.any()
    assert (loop.cost[loop.moved == 0] == 0).all()
    if isinstance(one.setting.individual, BestResponse | BudgetLimited | Quantal):
        assert (loop.prediction[loop.moved == 1] == 1).all()
    assert (loop.label == np.where((loop.prediction > 0) | (one.setting.feedback == "full"), loop.true_label, 0)).all()
    return loop


def single_loop(learner: Any, one: Any, game: int, seed: int) -> Loop:
    env, state, steps = one.make(), None, []
    observation, _ = env.reset(seed=seed, options={"game": game})
    for _ in range(one.horizon):
        action, state = learner.predict(observation, state)
        observation, _, _, truncated, info = env.step(action)
        steps.append((action, observation, info))
    assert truncated
    return recorded(steps, learner.predict(observation, state)[1])


def assert_forms_agree(name: str, parameters: dict[str, Any], game: str, options: dict[str, Any]) -> Loop:
    one, seed = scenario(game, **options), 7
    learner = learner_class(name).from_knowledge(one.knowledge, **parameters)
    loop = vector_loop(learner, one, GAMES, seed)
    # A learner that draws has a stream for each row, so that only the first row is that of a single environment.
    for i in range(1 if "seed" in learner.parameters else GAMES):
        alone = single_loop(learner, one, i, seed)
        for field, found, expected in zip(Loop._fields[:-1], loop[:-1], alone[:-1], strict=True):
            assert same(found[:, i], expected), f"{field} of game {i}: vector and single environment"
        assert_states_agree(loop.state, alone.state, i)
    assert_rollout_agrees(loop, rollout(learner, one, GAMES, seed=seed, checkpoints=range(1, one.horizon + 1)))
    return loop


def assert_states_agree(state: Any, alone: Any, game: int) -> None:
    for field, found, expected in zip(state._fields, state, alone, strict=True):
        assert same(found[game : game + 1], expected), f"state.{field} of game {game}"


def assert_rollout_agrees(loop: Loop, result: Any) -> None:
    assert result.rounds == len(loop.mistake)
    assert (result.mistakes == loop.mistake.sum(axis=0)).all()
    assert (result.curves == loop.mistake.cumsum(axis=0).T).all()
    assert (result.manipulations == loop.moved.sum(axis=0)).all()
    assert (result.qualified == (loop.true_label > 0).sum(axis=0)).all()
    paid = np.zeros(loop.cost.shape[1])
    for cost, label in zip(loop.cost, loop.true_label, strict=True):  # in the order of the rounds
        paid += np.where(label > 0, cost, 0.0)
    assert same(result.qualified_cost, paid)
    assert type(result.state) is type(loop.state)
    for field, found, expected in zip(result.state._fields, result.state, loop.state, strict=True):
        assert same(found, expected), f"state.{field}: rollout and loop"


def case(name: str, game: str, dims: Sequence[int] = (), *, marks: Any = (), **options: Any) -> list[Any]:
    """One case for each dimension; what begins with an underscore is the learner's."""
    own = {key[1:]: value for key, value in options.items() if key.startswith("_")}
    rest = {"horizon": 300} | {key: value for key, value in options.items() if not key.startswith("_")}
    chosen = [rest | {"dim": dim} for dim in dims] or [rest]
    label = f"{name} {game} " + " ".join(f"{key}={value}" for key, value in options.items())
    return [
        pytest.param(name, own, game, each, marks=marks, id=f"{label} {each.get('dim', '')}".strip()) for each in chosen
    ]


RESPONSES: dict[str, dict[str, Any]] = {
    "limited": {"share": 0.4},
    "quantal": {"temperature": 0.3},
    "misperceived": {"misperception": 0.2},
    "miss": {"miss": [-0.1, 0.2]},
    "noisy": {"report_noise": 0.05},
    "lagged": {"lag": 3},
    "dark": {"window": 20},
    "collective": {"collective": 0.3, "members": "qualified"},
}


def answering(learner: str, game: str, dim: int, **options: Any) -> list[Any]:
    """One case for each response."""
    rest = {"horizon": 150, "dim": dim, **options}
    return [one for name, own in RESPONSES.items() for one in case(learner, game, response=name, **own, **rest)]


ALL_DIMS, HIGH = [1, 2, 10, 100, 1000], [100, 1000]
FAST = [
    case("perceptron", "KnownL2", [1, 2, 10]),
    case("perceptron", "Example1"),
    case("margin-perceptron", "KnownL2", [2]),
    case("strategic-perceptron-l2", "KnownL2", ALL_DIMS, noise=0.1),
    case("strategic-perceptron-l2", "KnownL2", [2], pool=40, feedback="apple_tasting"),
    case("strategic-perceptron-l2", "KnownL2", [10], pool=40, population_seed=3),
    case("strategic-perceptron-l2", "HeterogeneousL2", [2], population_seed=3),
    case("strategic-perceptron-l1", "KnownL1", ALL_DIMS, noise=0.1),
    case("strategic-perceptron-l1", "KnownL1", [10], _scale_free=True),
    case("strategic-perceptron-l1", "KnownL1", [2], _literal=True, noise=0.1),
    case("biased-l1", "GermanCredit", noise=0.05, feedback="apple_tasting"),
    case("biased-l1", "GermanCredit", separable=True),
    case("biased-l1", "BiasedL1", [10], _scale_free=True),
    answering("strategic-perceptron-l2", "KnownL2", 3, noise=0.1),
    answering("perceptron", "KnownL1", 2, pool=30, alpha=[0.3, 0.6]),
    case("perceptron", "HeterogeneousL2", [2], response="noisy"),
    case("strategic-perceptron-l2", "LotteryL2", [2], lottery=[0.2, 0.9], feedback="apple_tasting"),
    case("strategic-perceptron-l2", "KnownL2", [3], lottery=[0.2, 1.0], response="quantal", horizon=150),
    case("strategic-perceptron-l2", "KnownL2", [3], lottery=[0.2, 1.0], response="dark", window=20, horizon=150),
    case("perceptron", "KnownL1", [2], response="misperceived", perception=[-0.5, 1.0]),
    case("strategic-perceptron-l2", "LagExample", response="lagged", lag=70),
    case("accepted-only-l2", "KnownL2", [2, 10], feedback="apple_tasting"),
    case("strategic-perceptron-l2", "KnownL2", [10], _nonnegative=True, _surrogate="always"),
    case("improving-perceptron", "KnownL2", [2], _improvement=1.0, noise=0.1),
    case("patient", "KnownL2", [2, 10], _learner="strategic-perceptron-l2", _rounds=3),
]
SLOW = [
    case("perceptron", "KnownL2", HIGH, _bias=True, noise=0.1),
    case("strategic-perceptron-l2", "KnownL2", ALL_DIMS, pool=40, noise=0.1, feedback="apple_tasting"),
    case("strategic-perceptron-l2", "KnownL2", ALL_DIMS, pool=40, population_seed=3, noise=0.1),
    case("strategic-perceptron-l2", "HeterogeneousL2", ALL_DIMS, feedback="apple_tasting"),
    case("strategic-perceptron-l2", "Example3", horizon=5000),
    case("strategic-perceptron-l1", "KnownL1", ALL_DIMS, _scale_free=True, pool=40),
    case("strategic-perceptron-l1", "KnownL1", [1, 10, 100, 1000], _literal=True, noise=0.1),
    case("strategic-perceptron-l1", "GermanCredit", horizon=5000, noise=0.1),
    case("biased-l1", "BiasedL1", HIGH, bias=0.01, feedback="apple_tasting"),
    case("biased-l1", "GermanCredit", separable=True, horizon=5000),
    case("margin-perceptron", "KnownL2", ALL_DIMS),
    case("unknown-cost-l2", "UnknownL2", ALL_DIMS),
    case("unknown-cost-l2", "UnknownL2", [2], _literal=True, horizon=5000),
    case("unknown-margin-l2", "UnknownL2", ALL_DIMS),
    case("unknown-cost-l1-single", "UnknownL1Single", ALL_DIMS),
    case("unknown-costs-l1", "KnownL1", ALL_DIMS),
    case("biased-l2", "BiasedL2", [1, 2, 10]),
    case("biased-l2", "BiasedL2", HIGH, bias=0.01),
    case("biased-l2", "BiasedL2", [2], _literal=True),
    case("second-order-strategic-perceptron", "KnownL2", ALL_DIMS, noise=0.1),
    case("strategic-gradient", "KnownL2", ALL_DIMS, noise=0.1),
    case("strategic-gradient", "GermanCredit", _cost="l1", _bias=True),
    case("adaptive-gradient", "KnownL2", ALL_DIMS, noise=0.1),
    case("adaptive-gradient", "GermanCredit"),
    case("strategic-max-margin", "KnownL2", [1, 2, 10], horizon=100),
    case("gradient-max-margin", "KnownL2", ALL_DIMS),
    case("gradient-max-margin", "GermanCredit", _cost="l1", _bias=True, separable=True),
    case("accepted-only-l2", "KnownL2", HIGH, feedback="apple_tasting"),
    case("accepted-only-l2", "KnownL2", [2], noise=0.1, horizon=5000, _seed=5),
    case("three-stage-l2", "KnownL2", ALL_DIMS, noise=0.1, _noise=0.1, feedback="apple_tasting"),
    case("three-stage-l2", "KnownL2", [2], noise=0.1, _noise=0.1, horizon=5000),
    case("strategic-perceptron-l2", "KnownL2", ALL_DIMS, _nonnegative=True, noise=0.1),
    case("strategic-perceptron-l2", "KnownL2", ALL_DIMS, _surrogate="always", feedback="apple_tasting"),
    case("improving-perceptron", "KnownL1", ALL_DIMS, _improvement=1.0),
    case("patient", "KnownL1", ALL_DIMS, _learner="biased-l1", _rounds=5, noise=0.1),
    case("echo-checking", "KnownL2", ALL_DIMS, _learner="gradient-max-margin", _bias=True),
    case("constant-classifier", "KnownL2", ALL_DIMS, _accept=False),
    case("best-fixed-classifier", "KnownL2", [2], _classifier=[0.3, -0.5, 0.1]),
]


@pytest.mark.parametrize(
    ("learner", "parameters", "game", "options"),
    [*itertools.chain(*FAST), *(pytest.param(*one.values, marks=slow, id=one.id) for one in itertools.chain(*SLOW))],
)
def test_all_forms_play_the_same_game(
    learner: str, parameters: dict[str, Any], game: str, options: dict[str, Any]
) -> None:
    assert_forms_agree(learner, parameters, game, options)


def test_every_learner_takes_part() -> None:
    assert {one.values[0] for one in itertools.chain(*FAST, *SLOW)} == {
        *learners_of("strategic"),
        "patient",
        "echo-checking",
    }


@pytest.mark.parametrize("observation", ["dict", "flat"])
def test_a_learner_goes_on_over_episodes_as_in_single_environments(observation: str) -> None:
    """Where the reset takes a step of its own, it also learns from the last round of each episode."""
    one = scenario("KnownL2", dim=3, horizon=40, noise=0.2)
    learner = learners_of("strategic")["strategic-perceptron-l2"].from_knowledge(one.knowledge)
    env, state, published, rewards = one.make_vec(GAMES, observation=observation), None, [], np.zeros(GAMES)
    seen, _ = env.reset(seed=2)
    for _ in range(3 * 41 - 1):
        actions, state = learner.predict(seen, state)
        published.append(actions)
        seen, reward, *_ = env.step(actions)
        rewards += reward
    state = learner.predict(seen, state)[1]
    for i in range(GAMES):
        single, alone, total, step = one.make(observation=observation), None, 0.0, 0
        for episode in range(3):
            seen, _ = single.reset(seed=2, options={"game": i}) if episode == 0 else single.reset()
            truncated = False
            while not truncated:
                action, alone = learner.predict(seen, alone)
                assert same(published[step][i], action), f"step {step} of game {i}"
                seen, reward, _, truncated, _ = single.step(action)
                total, step = total + reward, step + 1
            alone, step = learner.predict(seen, alone)[1], step + 1
        assert total == rewards[i] < 0
        assert_states_agree(state, alone, i)


# Movers are accepted and recognised, through the environment


@njit
def sides(classifiers: Any, reports: Any, alpha: float, eps: float) -> Any:
    out = np.empty(len(reports), np.int64)
    for i in range(len(reports)):
        out[i] = side(classifiers[i], reports[i], alpha, eps)
        if on_boundary(classifiers[i], reports[i], alpha, eps) != (out[i] == 0):
            raise AssertionError("two answers to the same question")
    return out


def tempting(rng: np.random.Generator, cost: Any, z: Any, n: int) -> Any:
    """Classifiers (n, d + 1) for which z needs a share of its reach, from 1e-12 to 1; for l2 also with threshold 0."""
    w = rng.standard_normal((n, len(z)))
    w[::2] *= np.abs(w[::2]) ** 3  # heavy tails
    share = np.exp(rng.uniform(np.log(1e-12), 0, n))
    share = np.where(rng.random(n) < 0.5, share, 1 - share)
    if cost.norm == 1:
        return boxed(np.column_stack([w, -w @ z - share * np.abs(w * cost.alpha).max(axis=1)]))
    alpha, length = float(cost.alpha.max()), np.linalg.norm(z)
    threshold = rng.choice([0.0, alpha, length / 2, -length / 2], n)
    cosine = (threshold - share * alpha) / length
    w -= np.outer(w @ z / length**2, z)
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    w = cosine[:, None] * z / length + np.sqrt(1 - cosine[:, None] ** 2) * w
    return boxed(np.column_stack([w, -threshold * np.linalg.norm(w, axis=1)]) * rng.uniform(1e-4, 1, (n, 1)))


def boxed(classifiers: Any) -> Any:
    return np.ldexp(classifiers, -1 - np.frexp(np.abs(classifiers).max(axis=1, keepdims=True))[1])


def count_movers(kind: Any, dim: int, observation: str, rounds: int, games: int, seed: int = 0) -> int:
    rng = np.random.default_rng([dim, seed])
    cost = L2Cost(0.3) if kind is L2Cost else WeightedL1Cost(rng.uniform(0.1, 0.3, dim))
    directions = rng.standard_normal((rounds, dim))
    points = directions / np.linalg.norm(directions, axis=1, keepdims=True) * rng.uniform(0.6, 6, (rounds, 1))
    population = FixedSequence([], [(point.tolist(), 1) for point in points])
    env = StrategicClassificationVectorEnv(population, cost, num_envs=games, horizon=rounds, observation=observation)
    eps = float(np.finfo(env.action_space.dtype).eps)
    env.reset(seed=0)
    movers = 0
    for z in points:
        actions = tempting(rng, cost, z, games).astype(env.action_space.dtype)
        seen, *_, infos = env.step(actions)
        if observation == "flat":
            seen = {"features": seen[:, dim + 1 : 2 * dim + 1], "prediction": seen[:, -2:-1]}
        moved = infos["moved"]
        judged = sides(actions.astype(float)[moved], seen["features"].astype(float)[moved], cost.alpha.max(), eps)
        assert (seen["prediction"][moved] == 1).all(), "movers rejected"
        assert not (judged < 0).any(), "movers judged negative"
        assert not (judged > 0).any(), "movers taken for unmoved"
        movers += np.count_nonzero(moved)
    return movers


kinds = pytest.mark.parametrize("kind", [L2Cost, WeightedL1Cost], ids=["l2", "l1"])
precisions = pytest.mark.parametrize("observation", ["dict", "flat"])


@kinds
@precisions
@pytest.mark.parametrize("dim", [2, 100])
def test_movers_are_accepted_and_recognised(kind: Any, observation: str, dim: int) -> None:
    assert count_movers(kind, dim, observation, 20, 200) > 2000


@slow
@kinds
@precisions
@pytest.mark.parametrize(
    ("dim", "wanted"), [(2, 1_000_000), (10, 1_000_000), (100, 400_000), (1000, 100_000)], ids=lambda value: str(value)
)
def test_ten_million_movers_are_accepted_and_recognised(kind: Any, observation: str, dim: int, wanted: int) -> None:
    seed, movers = 0, 0
    while movers < wanted:
        found = count_movers(kind, dim, observation, 10, 200_000 // dim + 1000, seed)
        assert found > 0
        seed, movers = seed + 1, movers + found


# The keys of games


@given(seed=st.integers(0, 2**128 - 1), game=st.integers(0, 2**32 - 1), episode=st.integers(0, 2**32 - 1))
@example(0, 0, 0)
@example(2**32, 0, 1)
@example(2**128 - 1, 2**32 - 1, 2**32 - 1)
def test_the_keys_of_many_games_are_numpys_seed_sequence(seed: int, game: int, episode: int) -> None:
    rows = [(seed, game, episode), (seed, game, 0), (seed >> 97, game, episode), (seed >> 64, episode, 1), (7, 0, 0)]
    words = np.array([streams.seed_words(one) for one, *_ in rows])
    keys = np.zeros((len(rows), 2), np.uint64)
    streams.game_keys(words, np.array([g for _, g, _ in rows]), np.array([e for *_, e in rows]), keys)
    for key, (one, g, e) in zip(keys, rows, strict=True):
        spawned = (g, e) if e else (g,)
        assert key.tolist() == np.random.SeedSequence(one, spawn_key=spawned).generate_state(2, np.uint64).tolist()
        assert key.tolist() == streams.game_key(one, g, e).tolist()


def test_streams_are_functions_of_key_purpose_and_moment() -> None:
    def draw(seed: int, purpose: int, moment: int) -> bytes:
        key, numbers = streams.game_key(seed), np.empty((2, 9))
        streams.fill_normals(key, purpose, moment, numbers[0])
        streams.fill_uniforms(key, purpose, moment, numbers[1])
        indices = [
            streams.random_index(key, purpose, moment, 2**40),
            streams.shuffled_index(key, purpose, moment, 2**20),
        ]
        return numbers.tobytes() + str([streams.uniform(key, purpose, moment), *indices]).encode()

    places = list(itertools.product(range(3), range(4), (0, 1, 2, 63, 64, 2**40)))
    drawn = {place: draw(*place) for place in places}
    assert len(set(drawn.values())) == len(places)
    for i in np.random.default_rng(0).permutation(len(places)):
        assert draw(*places[i]) == drawn[places[i]], "in any order"


@pytest.mark.parametrize("size", [1, 7, 4096, 2**40])
def test_indices_of_a_block_are_those_of_its_rounds(size: int) -> None:
    key, out = streams.game_key(3), np.empty(64, np.int64)
    for first in (0, 64, 2**33):
        streams.fill_random_indices(key, streams.ARRIVALS, first, size, out)
        assert out.tolist() == [streams.random_index(key, streams.ARRIVALS, first + k, size) for k in range(64)]


# The normals: the layers cover the density exactly, and what comes out is normal


def half_normal_tail(x: Decimal) -> Decimal:
    """The integral of exp(-t^2 / 2) from x on, as sqrt(pi / 2) less its Taylor series from 0 to x."""
    term, total, k = x, x, 0
    while abs(term) > Decimal(10) ** -70:
        k += 1
        term = -term * x * x / (2 * k)
        total += term / (2 * k + 1)
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534")
    return (pi / 2).sqrt() - total


def layers(tail: float) -> tuple[list[Decimal], Decimal]:
    """Half widths of the layers above a tail in 80 digits, and how far the last one ends above the density's top."""
    widths = [Decimal(tail)]
    area = widths[0] * (-(widths[0] ** 2) / 2).exp() + half_normal_tail(widths[0])
    while len(widths) < ziggurat.LAYERS - 1:
        top = area / widths[-1] + (-(widths[-1] ** 2) / 2).exp()
        if top >= 1:
            return widths, top - 1
        widths.append((-2 * top.ln()).sqrt())
    return [area / (-(widths[0] ** 2) / 2).exp(), *widths], area / widths[-1] + (-(widths[-1] ** 2) / 2).exp() - 1


def test_the_layers_close_at_the_top_as_nearly_as_a_double_can() -> None:
    with localcontext() as context:
        context.prec = 80
        widths, excess = layers(ziggurat.TAIL)
        around = [layers(math.nextafter(ziggurat.TAIL, towards))[1] for towards in (0.0, 9.0)]
        assert min(around) < 0 < max(around) and abs(excess) <= min(map(abs, around))
    assert len(widths) == ziggurat.LAYERS
    np.testing.assert_allclose(ziggurat.WIDTHS, [*map(float, widths), 0.0], rtol=1e-12)
    np.testing.assert_allclose(ziggurat.DENSITIES, np.exp(-(ziggurat.WIDTHS**2) / 2), rtol=1e-15)
    assert (ziggurat.WIDTHS[-1], ziggurat.DENSITIES[-1]) == (0.0, 1.0)
    rises = np.diff(ziggurat.DENSITIES)[1:] * ziggurat.WIDTHS[1:-1]
    np.testing.assert_allclose(rises, ziggurat.AREA, rtol=1e-10, err_msg="areas must be equal")
    assert ziggurat.WIDTHS[0] * ziggurat.DENSITIES[1] == pytest.approx(ziggurat.AREA, rel=1e-15)


@njit
def settle(bits: Any, first: Any, second: Any) -> Any:
    """Place, whether surely inside, place and acceptance after a second look: (n, 4)."""
    out = np.empty((len(bits), 4))
    for i in range(len(bits)):
        value, inside = ziggurat.candidate(bits[i])
        later, accepted = ziggurat.edge_or_tail(bits[i], first[i], second[i])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = value, inside, later, accepted
    return out


def test_a_place_in_a_layer_is_accepted_iff_it_lies_below_the_density() -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, 200_000, dtype=np.uint64)
    layer = (bits % ziggurat.LAYERS).astype(int)
    first, second = rng.random((2, len(bits)))
    value, inside, later, accepted = settle(bits, first, second).T
    assert (inside == (abs(value) < ziggurat.WIDTHS[layer + 1])).all()
    assert (abs(value) <= ziggurat.WIDTHS[layer]).all()
    upper = layer > 0
    low, high = ziggurat.DENSITIES[layer], ziggurat.DENSITIES[layer + 1]
    below = low + first * (high - low) < np.exp(-value * value / 2)
    assert (accepted[upper] == below[upper]).all() and (later[upper] == value[upper]).all()
    assert (np.sign(later) == np.sign(value)).all()
    assert stats.kstest(value / ziggurat.WIDTHS[layer], stats.uniform(-1, 2).cdf).pvalue > 1e-3
    assert abs(np.corrcoef(layer, value / ziggurat.WIDTHS[layer])[0, 1]) < 0.01


def test_the_tail_has_the_normals_tail() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.random((2, 200_000))
    bits = rng.integers(0, 2**56, len(first), dtype=np.uint64) << np.uint64(8)  # the lowest layer
    _, _, later, accepted = settle(bits, first, second).T
    beyond = np.abs(later[accepted == 1])
    assert beyond.min() >= ziggurat.TAIL and len(beyond) > 150_000
    tail = stats.norm.sf(ziggurat.TAIL)
    assert stats.kstest(beyond, lambda x: 1 - stats.norm.sf(x) / tail).pvalue > 1e-3


def assert_normal(x: Any) -> None:
    assert stats.kstest(x, "norm").pvalue > 1e-3
    n = len(x)
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)):
        assert abs(np.mean(x**power) - moment) < 4 * math.sqrt(variance / n), f"moment {power}"
    for place in (1.0, 2.0, 3.0, ziggurat.TAIL, 4.0, 4.5):
        for count in (np.count_nonzero(x > place), np.count_nonzero(x < -place)):
            assert stats.binomtest(count, n, stats.norm.sf(place)).pvalue > 1e-4, f"beyond {place}"
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 4 / math.sqrt(n)
    assert abs(np.corrcoef(x[:-1] ** 2, x[1:] ** 2)[0, 1]) < 4 / math.sqrt(n)


def test_as_many_normals_lie_in_the_tails_as_should() -> None:
    chunk, n, places = np.empty(1_000_000), 30_000_000, (3.0, ziggurat.TAIL, 4.5)
    beyond = np.zeros((len(places), 2), np.int64)
    for moment in range(n // len(chunk)):
        streams.fill_normals(streams.game_key(7), streams.POPULATION, moment, chunk)
        beyond += [[np.count_nonzero(chunk > place), np.count_nonzero(chunk < -place)] for place in places]
    for place, (above, below) in zip(places, beyond.tolist(), strict=True):
        assert stats.binomtest(above + below, n, 2 * stats.norm.sf(place)).pvalue > 1e-3, f"beyond {place}"
        assert stats.binomtest(above, above + below, 0.5).pvalue > 1e-3, f"beyond {place}"


def test_normals_are_normal_in_the_middle_and_in_the_tails() -> None:
    out = np.empty(1_000_000)
    streams.fill_normals(streams.game_key(8), streams.POPULATION, 5, out)
    assert_normal(out)


@slow
def test_thirty_million_normals_are_normal() -> None:
    out = np.empty(30_000_000)
    streams.fill_normals(streams.game_key(9), streams.POPULATION, 6, out)
    assert_normal(out)
    edges = stats.norm.ppf(np.linspace(0, 1, 10_001)[1:-1])
    assert stats.chisquare(np.bincount(np.searchsorted(edges, out), minlength=10_000)).pvalue > 1e-3


def test_the_first_normals_of_games_and_of_individuals_are_normal() -> None:
    """Across keys and moments, where each draws few."""
    out = np.empty((200, 300, 3))
    for game in range(200):
        key = streams.game_key(0, game)
        for moment in range(300):
            streams.fill_normals(key, streams.POPULATION, moment, out[game, moment])
    assert_normal(out.ravel())
