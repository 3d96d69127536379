"""Nearest centres: one game in three forms, labels and losses by their definition, queries as they are asked for."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

from agents import CoinFlips, HiddenCentres, HiddenPoint
from learners import DensityCentres, KCentres, MulticlassPerceptron
from learners.search.beliefs import beliefs_of
from strategic_env import CentreSetting, NearestCentreEnv, SearchSetting, evaluate, rollout, scenario
from strategic_env.games.shared.episodes import keys_of_games

GAMES, SEED, ROUNDS = 3, 7, 120
OPTIONS: list[dict[str, Any]] = [
    {},
    {"similarity": "euclidean", "query": "ball", "dim": 2, "centres": 5, "noise": 0.2},
    {"query": "near_boundary", "corruption": 9, "exponent": 0.5},
    {"query": "adversary", "centres": 2, "corruption": 9, "corruption_pattern": "early"},
    {"query": "adversary", "centres": 4, "similarity": "euclidean"},
    {"query": "data", "data": "german_credit", "corruption": 9},
    {"corruption": 9, "corruption_pattern": "late"},
    {"query": "data", "data": "spam", "population_seed": 3},
    {"pool": 7, "population_seed": 3},
]
LP_OPTIONS: list[dict[str, Any]] = [{}, {"p": 3, "levels": 5}, {"p": 1, "levels": 4, "query": "sphere", "pool": 9}]
CASES = [("NearestNeighbor", one) for one in OPTIONS] + [("LpPartition", one) for one in LP_OPTIONS]
of_centres = pytest.mark.parametrize(("name", "options"), CASES, ids=str)


def loop(env: Any, learner: Any, reset: dict[str, Any], rounds: int) -> tuple[dict[str, Any], Any]:
    """Every query, action and reward of an episode, and everything that its infos tell; the learner's last state."""
    seen, state = env.reset(seed=SEED, **reset)[0], None
    found: dict[str, list[Any]] = {}
    for _ in range(rounds):
        query = seen["features"].copy()
        action, state = learner.predict(seen, state)
        seen, reward, _, _, info = env.step(action)
        told = {key: one for key, one in info.items() if key[0] != "_"}
        for key, one in (told | {"query": query, "action": action, "reward": reward}).items():
            found.setdefault(key, []).append(one)
    return {key: np.array(ones) for key, ones in found.items()}, learner.predict(seen, state)[1]


@pytest.mark.parametrize(
    ("name", "options"), [*CASES, ("ConvexSets", {}), ("ConvexSets", {"population_seed": 3})], ids=str
)
def test_single_vector_and_rollout_are_one_game(name: str, options: dict[str, Any]) -> None:
    one = scenario(name, horizon=ROUNDS, **options)
    learner = MulticlassPerceptron(one.setting.graph.classes)
    many, state = loop(one.make_vec(GAMES, info_level="full"), learner, {}, ROUNDS)
    for game in range(GAMES):
        alone, _ = loop(one.make(), learner, {"options": {"game": game}}, ROUNDS)
        for key, numbers in alone.items():
            assert (many[key][:, game] == numbers).all(), f"{key} of game {game}"
    played = rollout(learner, one, GAMES, seed=SEED, checkpoints=[ROUNDS])
    losses, sizes = np.zeros((2, GAMES))
    for loss, size in zip(many["loss"], many["size_of_wrong_label"], strict=True):  # in the order of the rounds
        losses, sizes = losses + loss, sizes + size
    assert (played.loss == losses).all() and (played.size_of_wrong_labels == sizes).all() and (losses > 0.0).any()
    assert (played.mistakes == many["mistake"].sum(axis=0)).all()
    assert (played.robust_mistakes == many["robust_mistake"].sum(axis=0)).all()
    assert (played.wrong_labels == (many["told_label"] != many["true_label"]).sum(axis=0)).all()
    for own, other in zip(played.state, state, strict=True):
        assert (own == other).all()


@of_centres
def test_labels_and_losses_are_those_of_the_nearest_centre(name: str, options: dict[str, Any]) -> None:
    one = scenario(name, horizon=ROUNDS, **options)
    population, env = one.setting.population, one.make()
    found, _ = loop(env, MulticlassPerceptron(population.classes), {}, ROUNDS)
    seed = options.get("population_seed", SEED)
    centres, queries = population.hidden(keys_of_games(seed, 1)[0]), found["query"]
    if population.p is None:
        far = -queries @ centres.T
    else:
        far = np.linalg.norm(queries[:, np.newaxis] - centres, ord=population.p, axis=2)
    nearest, rows = far.argmin(axis=1), np.arange(ROUNDS)
    gaps = far - far[rows, nearest][:, np.newaxis]
    exponent = options.get("exponent", 1.0)
    assert (found["true_label"] == nearest).all()
    assert found["lead"] == pytest.approx(np.sort(gaps, axis=1)[:, 1], abs=1e-12)
    assert found["loss"] == pytest.approx(gaps[rows, found["action"]] ** exponent, abs=1e-7)
    assert found["reward"] == pytest.approx(-found["loss"])
    assert found["size_of_wrong_label"] == pytest.approx(gaps[rows, found["told_label"]], abs=1e-12)
    assert (found["robust_mistake"] == (found["mistake"] & (found["lead"] >= population.margin))).all()
    assert (found["mistake"] == (found["action"] != nearest)).all()
    wrong = np.flatnonzero(found["told_label"] != nearest)
    assert len(wrong) == options.get("corruption", len(wrong))
    assert (len(wrong) > 0) == bool({"noise", "corruption"} & {*options})
    if "corruption_pattern" in options:
        early = options["corruption_pattern"] == "early"
        assert (found["told_label"] == gaps.argmax(axis=1))[wrong].all()
        late = (4 * wrong >= ROUNDS).all() and not found["mistake"][wrong].any()
        assert (wrong == np.arange(9)).all() if early else late


def test_near_the_boundary_leads_go_down_to_a_millionth() -> None:
    env = NearestCentreEnv(HiddenCentres(dim=3, centres=4, query="near_boundary"))
    found, _ = loop(env, MulticlassPerceptron(4), {}, 400)
    assert 1e-6 <= found["lead"].min() < 2e-6 and 0.03 < found["lead"].max() < 0.11
    assert np.linalg.norm(found["query"], axis=1) == pytest.approx(np.ones(400))
    logarithms = np.sort(np.log10(found["lead"]))
    assert np.abs(logarithms - np.linspace(-6.0, -1.0, 400)).max() < 0.5


def test_queries_in_levels_lie_on_a_grid_and_those_of_a_pool_come_again() -> None:
    queries = HiddenCentres(p=3, levels=5, query="ball").points(keys_of_games(0, 1)[0], 300)[0]
    assert set(queries.ravel().tolist()) == {-1.0, -0.5, 0.0, 0.5, 1.0}
    pool = HiddenCentres(pool=6).points(keys_of_games(0, 1)[0], 300)[0]
    assert len(np.unique(pool, axis=0)) == 6


def test_points_of_data_lie_in_the_unit_ball() -> None:
    for data, dim, rows in (("spam", 57, 4597), ("german_credit", 20, 1000)):
        population = scenario("NearestNeighbor", query="data", data=data).setting.population
        norms = np.linalg.norm(population.data, axis=1)
        assert population.data.shape == (rows, dim) and 1.0 - 1e-9 < norms.max() <= 1.0


@pytest.mark.parametrize("dim", [3, 10])
def test_the_adversary_of_a_perceptron_makes_it_err_in_every_round(dim: int) -> None:
    """Robust mistakes are about |w| sqrt(T) / margin, and the loss about |w| sqrt(T), in any dimension."""
    for rounds in (1000, 4000):
        one = scenario("NearestNeighbor", dim=dim, centres=2, query="adversary", horizon=rounds)
        played = rollout("multiclass-perceptron", one, GAMES)
        centres = np.array([one.setting.population.hidden(key) for key in keys_of_games(0, GAMES)])
        most = np.linalg.norm(centres[:, 0] - centres[:, 1], axis=1) * np.sqrt(rounds)
        assert (played.mistakes == rounds).all()
        assert (played.robust_mistakes >= 0.98 * most / 0.1).all() and (played.robust_mistakes <= most / 0.1).all()
        assert (played.loss >= 0.98 * most).all() and (played.loss <= most).all()


def test_an_adversary_of_whoever_plays_makes_it_err_in_every_round() -> None:
    options = {"dim": 5, "centres": 2, "query": "adversary", "adversary": "adaptive", "horizon": 300}
    one = scenario("NearestNeighbor", **options)
    played = rollout("multiclass-perceptron", one, GAMES)
    assert (played.mistakes >= 297).all() and (played.robust_mistakes >= 80).all()
    with pytest.raises(ValueError, match="adversary must be 'perceptron' in an environment, got 'adaptive'"):
        one.make()
    with pytest.raises(ValueError, match="adversary='adaptive' must come with query='adversary'"):
        scenario("NearestNeighbor", adversary="adaptive")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": 0.1, "corruption": 5}, "noise and corruption exclude each other, got 0.1 and 5"),
        ({"corruption": 5, "horizon": 4}, "corruption must be at most 4, got 5"),
        ({"corruption_pattern": "always"}, "corruption_pattern must be one of 'random', 'early', 'late', got 'always'"),
        ({"query": "data"}, "data must be given for query='data' and for no other, got query='data'"),
        ({"data": "spam"}, "data must be given for query='data' and for no other, got query='sphere'"),
        ({"data": "mnist", "query": "data"}, "data must be one of 'spam', 'german_credit', got 'mnist'"),
        ({"data": "spam", "query": "data", "dim": 3}, "dim must be 57, as the data has, got 3"),
        ({"query": "data", "data": "spam", "pool": 3}, "pool must not be given for query='data'"),
        ({"query": "near_boundary", "dim": 1}, "dim must be at least 2 for query='near_boundary' and inner products"),
        ({"similarity": "cosine"}, "similarity must be one of 'inner', 'euclidean', got 'cosine'"),
        ({"centres": 1}, "centres must be at least 2, got 1"),
        ({"exponent": 0.0}, "exponent must be greater than 0.0"),
    ],
    ids=str,
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scenario("NearestNeighbor", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 3}, "p must be even unless queries have levels, got 3 without levels"),
        ({"p": 0.5, "levels": 3}, "p must be at least 1.0, got 0.5"),
        ({"p": None}, "p must be a number, got None"),
        ({"levels": 3, "query": "adversary"}, "levels must not be given for query='adversary'"),
    ],
    ids=str,
)
def test_wrong_powers_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        scenario("LpPartition", **options)


def test_settings_of_ones_own_are_checked() -> None:
    with pytest.raises(TypeError, match="population must be a HiddenCentres or CoinFlips, got 3"):
        CentreSetting(population=3, horizon=5)  # type: ignore[arg-type]
    assert rollout("multiclass-perceptron", scenario("NearestNeighbor").lasting(50)).rounds == 50


def test_learners_are_told_what_the_centres_are_like() -> None:
    inner, lp = scenario("NearestNeighbor", margin=0.2).knowledge, scenario("LpPartition", p=3, levels=9).knowledge
    assert (inner["similarity"], inner["margin"], inner["exponent"]) == ("inner", 0.2, 1.0)
    assert (lp["p"], lp["levels"]) == (3.0, 9) and "similarity" not in lp
    assert "levels" not in scenario("LpPartition").knowledge


def test_the_bench_counts_losses_and_robust_mistakes() -> None:
    """The same numbers in compiled code and in a loop over the environment."""
    one = scenario("NearestNeighbor", corruption=5)

    class Wrapped:
        name = "wrapped"

        def predict(self, *arguments: Any) -> Any:
            return MulticlassPerceptron(3).predict(*arguments)

    results = evaluate(["multiclass-perceptron", Wrapped()], one, seeds=2, rounds=200)
    fused, looped = (results.of(each) for each in results.contestants)
    for ours, theirs in zip(fused, looped, strict=True):
        assert ours.fused and not theirs.fused and ours.error is theirs.error is None
        assert (ours.loss, ours.mistakes, ours.columns) == (theirs.loss, theirs.mistakes, theirs.columns)
        assert ours.columns["wrong_labels"] == 5 and ours.loss != ours.mistakes


def test_gymnasium_makes_it_by_its_id() -> None:
    env = gymnasium.make("strategic_env/NearestNeighbor-v0", centres=2, corruption=3, horizon=20)
    env.reset(seed=0)
    assert set(env.step(0)[4]) == {
        "true_label", "told_label", "size_of_wrong_label", "lead", "mistake", "robust_mistake", "loss", "mistakes"
    }  # fmt: skip


def test_a_wrong_answer_about_convex_sets_costs_the_distance_to_the_other_hull() -> None:
    """Against a quadratic program of SciPy's: minimise |sum of shares of sites - q|."""
    env = scenario("ConvexSets", dim=5, horizon=40).make()
    found, _ = loop(env, MulticlassPerceptron(2), {}, 40)
    points, labels = CoinFlips(5).points(keys_of_games(SEED, 1)[0], 41)
    assert (found["query"] == points[:40]).all() and (found["true_label"] == labels[:40]).all()
    assert (np.abs(points[:, :-1]).max(axis=1) > 0.0).all() and not points[:, -1].any()
    weight = 1e5  # on the sum of the shares, which is 1
    for query, label, lead in zip(points, labels, found["lead"], strict=False):
        others = points[labels != label]
        system = np.vstack([others.T, np.full(len(others), weight)])
        shares, _ = nnls(system, np.append(query, weight))
        assert lead == pytest.approx(np.linalg.norm(shares @ others - query), abs=1e-6)
    assert found["loss"] == pytest.approx(np.where(found["mistake"], found["lead"], 0.0))


@pytest.mark.slow
def test_the_loss_of_convex_sets_grows_like_a_root_of_the_rounds_in_six_dimensions() -> None:
    """T^((d - 4) / (d - 2)), and half of all answers are wrong."""
    losses = []
    for rounds in (200, 800, 3200):
        played = rollout("multiclass-perceptron", scenario("ConvexSets", horizon=rounds), games=4)
        assert abs(played.mistakes.mean() / rounds - 0.5) < 0.04
        losses.append(played.loss.mean())
    slopes = np.diff(np.log2(losses)) / 2.0
    assert ((0.4 < slopes) & (slopes < 0.7)).all()


@pytest.mark.parametrize(("name", "dim"), [("NearestNeighbor", 2), ("LpPartition", 4), ("ConvexSets", 6)])
def test_a_picture_shows_cells_and_what_a_learner_would_name(name: str, dim: int) -> None:
    env, learner = (
        scenario(name, dim=dim).make(render_mode="rgb_array"),
        MulticlassPerceptron(2 + (name != "ConvexSets")),
    )
    with pytest.raises(ResetNeeded):
        env.render()
    seen, state = env.reset(seed=1)[0], None
    for _ in range(5):
        action, state = learner.predict(seen, state)
        seen, *_ = env.step(action)
    picture, before = env.render(), [part.copy() for part in state]
    env.watch(learner, state)
    watched = env.render()
    assert picture is not None and watched is not None
    assert picture.shape == watched.shape == (600, 700, 3) and (picture != watched).any()
    assert all((one == other).all() for one, other in zip(before, state, strict=True))
    assert scenario(name, dim=dim).make().render() is None


class OwnCentres(HiddenCentres):
    """Whose source says that there are more centres than its arrays have room for."""

    def source(self, population_key: Any = None) -> Any:
        return super().source(population_key)._replace(classes=100)


class OwnPoint(HiddenPoint):
    """Nothing but somebody else's class."""


class OwnFlips(CoinFlips):
    """Nothing but somebody else's class."""


def test_a_population_of_ones_own_cannot_reach_compiled_code() -> None:
    for own in (OwnCentres(), OwnFlips()):
        with pytest.raises(TypeError, match="population must be a .* without methods of your own, got"):
            CentreSetting(population=own, horizon=20)
        with pytest.raises(TypeError, match="population must be a .* without methods of your own, got"):
            NearestCentreEnv(own, horizon=20)
    with pytest.raises(TypeError, match="population must be a HiddenPoint without methods of your own, got"):
        SearchSetting(population=OwnPoint())
    changed = HiddenCentres()
    changed.source = OwnCentres().source  # type: ignore[method-assign]
    with pytest.raises(TypeError, match="population must be a HiddenCentres without methods of your own, got"):
        CentreSetting(population=changed, horizon=20)


@pytest.mark.parametrize(
    "learner",
    [KCentres(3), KCentres(3, "exact"), KCentres(3, "sampled"), DensityCentres(3), DensityCentres(3, "particle")],
    ids=repr,
)
def test_a_picture_shows_what_a_learner_still_believes_possible(learner: Any) -> None:
    """Each true difference of centres lies in the hull of what knowledge sets show, and regions shrink."""
    env, state = scenario("NearestNeighbor", dim=2).make(render_mode="rgb_array"), None
    seen = env.reset(seed=2)[0]
    areas = []
    for round in range(13):
        action, state = learner.predict(seen, state)
        if round % 12 == 0:
            beliefs = beliefs_of(state)
            areas.append(sum(ConvexHull(belief.outline).volume for belief in beliefs))
        seen, *_ = env.step(action)
    assert [belief[:2] for belief in beliefs] == [(0, 1), (0, 2), (1, 2)] and areas[1] < areas[0]
    if not isinstance(learner, KCentres) or learner.engine == "ellipsoid":  # others take seconds to be asked
        env.watch(learner, state)
        picture = env.render()
        assert picture is not None and picture.shape == (600, 1400, 3) and picture[:, 700:].std() > 1.0
    if isinstance(learner, KCentres) and learner.engine != "sampled":
        centres = env.setting.population.hidden(keys_of_games(2, 1)[0])
        for label, other, outline in beliefs:
            hull = ConvexHull(outline).equations
            assert (hull[:, :2] @ (centres[label] - centres[other]) + hull[:, 2] <= 1e-3).all()
    assert not beliefs_of(KCentres(2, similarity="euclidean").initial_state(1, 2)) and not beliefs_of(())
