"""What is proved about multiclass learners holds for the code that plays, and what is not proved fails as it should."""

import copy
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from multiclass_learner_games import error_rates
from multiclass_learner_oracle import feedback_of

from agents.foundation.streams import game_key
from agents.populations.labelled import Prototypes
from learners import Banditron, FeedbackGraph, Gappletron, Gaptron, PNewtron, SobaDiagonal
from learners.multiclass.descent import DESCENTS
from learners.multiclass.losses import LOSSES, gap, loss, minimal_gap, smoothness, write_slopes
from learners.multiclass.rules import advance, decide

REGULAR = ("logistic_2", "smooth_hinge", "special_hinge")
KIND = {name: place for place, name in enumerate(LOSSES)}
ROUNDING = 1e-9


def kappas(name: str, classes: int) -> tuple[float, ...]:
    if name != "special_hinge":
        return (0.5,)
    return () if classes == 2 else (1 / (classes - 1), 0.5, 0.9)


def random_scores(classes: int, number: int, seed: int) -> Iterator[Any]:
    """Yield scores of all sizes, some of them tied, some with a runner-up close to the leader."""
    rng = np.random.default_rng([seed, classes])
    for turn in range(number):
        scores = rng.standard_normal(classes) * 10.0 ** rng.uniform(-3, 1.5)
        if turn % 4 == 1:
            scores = np.round(scores)
        if turn % 4 == 2:
            scores[1:] -= rng.exponential(3)
        if turn % 4 == 3:
            scores[2:] -= rng.exponential(20)
        yield rng.permutation(scores)


def left_side_of_2(name: str, scores: Any, label: int, kappa: float) -> float:
    classes = len(scores)
    weighted = (classes - 1) * loss(KIND[name], kappa, scores, label) + gap(KIND[name], kappa, scores)
    return weighted / classes


@pytest.mark.parametrize("classes", [2, 3, 4, 6, 9, 12])
def test_inequality_2_holds_for_every_regular_loss(classes: int) -> None:
    for name in (*REGULAR, *(["logistic_k"] if classes == 2 else [])):
        for kappa in kappas(name, classes):
            for scores in random_scores(classes, 2000, 1):
                best = int(np.argmax(scores))
                assert 0 <= gap(KIND[name], kappa, scores) <= 1
                worst = min(left_side_of_2(name, scores, y, kappa) for y in range(classes) if y != best)
                assert worst >= 1 - ROUNDING, (name, kappa, scores)


@pytest.mark.parametrize(("classes", "minimum"), [(3, 0.6309), (6, 0.3869), (9, 0.3155), (12, 0.2789)])
def test_inequality_2_fails_for_base_k_where_two_labels_tie(classes: int, minimum: float) -> None:
    tie = np.full(classes, -1000.0)
    tie[:2] = 0.0
    assert (
        left_side_of_2("logistic_k", tie, 1, 0.5)
        == pytest.approx(math.log(2, classes))
        == pytest.approx(minimum, abs=5e-5)
    )
    others = [left_side_of_2("logistic_k", s, int(np.argsort(s)[-2]), 0.5) for s in random_scores(classes, 2000, 2)]
    assert min(others) >= minimum - 5e-5
    assert left_side_of_2("logistic_2", tie, 1, 0.5) == pytest.approx(1.0)


def test_no_special_hinge_is_regular_for_two_classes() -> None:
    for kappa in (0.1, 0.5, 0.9, 0.999):
        scores = np.array([kappa + 1e-9, 0.0])
        assert left_side_of_2("special_hinge", scores, 1, kappa) == pytest.approx((1 + kappa) / 2)
        with pytest.raises(ValueError, match="no kappa below 1 fits 2 classes"):
            Gappletron(FeedbackGraph.named("full", 2), "special_hinge", kappa=kappa)
    scores = np.array([0.3 + 1e-9, 0.0, -1.0, -1.0])
    assert left_side_of_2("special_hinge", scores, 1, 0.3) < 1, "kappa below 1 / (K - 1)"


@pytest.mark.parametrize("classes", [2, 3, 9])
@pytest.mark.parametrize("name", LOSSES)
def test_inequality_3_holds_and_its_constant_is_attained(name: str, classes: int) -> None:
    """``|gradient|^2 <= 2 L loss``, where the gradient is the slopes times x."""
    slopes, largest = np.empty(classes), 0.0
    for kappa in kappas(name, classes):
        bound = 2 * smoothness(name, classes, 1.0, kappa)
        # Two labels in play, from a leader's margin of 8 down to -2: there the constants are attained.
        edge = [np.array([m, 0.0, *[-1000.0] * (classes - 2)]) for m in np.linspace(-2, 8, 2001)]
        for scores in [*random_scores(classes, 1000, 3), *edge]:
            for y in range(classes):
                write_slopes(KIND[name], kappa, scores, y, slopes)
                value = loss(KIND[name], kappa, scores, y)
                assert slopes @ slopes <= bound * value * (1 + ROUNDING) + 1e-30, (kappa, scores, y)
                largest = max(largest, slopes @ slopes / (bound * value) if value > 1e-9 else 0.0)
    assert kappas(name, classes) == () or largest == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_finite_differences(name: str) -> None:
    slopes, h = np.empty(5), 1e-6
    kind, kappa, checked = KIND[name], 0.5, 0
    for scores in random_scores(5, 300, 4):
        for y in range(5):
            write_slopes(kind, kappa, scores, y, slopes)
            sides = np.array([[loss(kind, kappa, scores + s * h * e, y) for s in (1, -1)] for e in np.eye(5)])
            middle = loss(kind, kappa, scores, y)
            jumps = np.abs(sides + sides[:, ::-1] - 2 * middle).max()
            if jumps > 1e-8:
                continue  # a kink of the loss, or where the special hinge is switched off
            checked += 1
            np.testing.assert_allclose((sides[:, 0] - sides[:, 1]) / (2 * h), slopes, atol=1e-6, rtol=1e-6)
    assert checked > 1000


def random_graph(rng: Any, classes: int) -> FeedbackGraph:
    """Draw any digraph, with a query node half of the time, and sometimes a node that reveals all."""
    query = int(rng.integers(2))
    edges = rng.random((classes + query, classes + query)) < rng.uniform(0.1, 0.7)
    edges[rng.integers(classes + query)] |= rng.random() < 0.3
    for label in np.flatnonzero(~edges[:, :classes].any(axis=0)):
        edges[rng.integers(classes + query), label] = True
    return FeedbackGraph(edges, classes)


def situations(name: str, gap_map: str, number: int) -> Iterator[tuple[Gappletron, Any, Any]]:
    """Yield Gappletron with its state after it met scores, on random graphs, with random gamma: features are 1."""
    rng = np.random.default_rng(KIND[name])
    for _ in range(number):
        classes = int(rng.integers(3, 8))
        kappa = float(rng.uniform(1 / (classes - 1), 1.0))
        gamma = float(10 ** rng.uniform(-2, 1))
        learner = Gappletron(random_graph(rng, classes), name, gamma=gamma, gap_map=gap_map, kappa=kappa)
        state = learner.initial_state(1, 1)
        for scores in random_scores(classes, 4, int(rng.integers(10**6))):
            state.weights[0, :, 0], state.features[:] = scores, 1.0
            decide(state, 0)
            yield learner, scores, state


def exploration(learner: Gappletron, state: Any, best: int) -> float:
    if learner.graph.reveals[best].all():
        return 0.0
    return min(0.5, learner.gamma / math.sqrt(state.unrevealing[0]))


@pytest.mark.parametrize("gap_map", ["loss", "minimal"])
@pytest.mark.parametrize("name", LOSSES)
def test_lemma_1_for_random_scores_graphs_and_exploration(name: str, gap_map: str) -> None:
    """Expected mistakes are at most ``(n - 1) / n loss + gamma_t``, whatever the label; a query is a mistake."""
    slack = -math.inf
    for learner, scores, state in situations(name, gap_map, 250):
        p, n = state.probabilities[0], learner.nodes
        assert p.sum() == pytest.approx(1.0) and (p >= -1e-15).all()
        gamma = exploration(learner, state, int(np.argmax(scores)))
        for y in range(learner.classes):
            bound = (n - 1) / n * loss(KIND[name], learner.kappa, scores, y) + gamma
            slack = max(slack, 1 - p[y] - bound)
    if name == "logistic_k":
        assert slack > 0.3, "base K is not regular"
    else:
        assert -0.01 < slack < ROUNDING


@pytest.mark.parametrize("name", REGULAR)
def test_the_minimal_gap_map_is_below_the_loss(name: str) -> None:
    for classes in (3, 9):
        for scores in random_scores(classes, 500, 6):
            assert minimal_gap(KIND[name], 0.5, scores, classes) <= gap(KIND[name], 0.5, scores) + ROUNDING


@pytest.mark.parametrize("name", LOSSES)
def test_every_label_is_observed_with_at_least_the_probability_that_the_proof_needs(name: str) -> None:
    regimes = set()
    for learner, scores, state in situations(name, "loss", 200):
        reveals, n, p = learner.graph.reveals, learner.nodes, state.probabilities[0]
        best = int(np.argmax(scores))
        gamma, a = exploration(learner, state, best), gap(KIND[name], learner.kappa, scores)
        for y in range(learner.classes):
            observed = p[reveals[:, y]].sum()
            if reveals[best].all():
                regimes.add("revealing")
                assert observed >= len(learner.graph.revealing) / n - ROUNDING
            if gamma <= a:
                regimes.add("gap")
                assert observed >= a * reveals[:, y].sum() / n - ROUNDING
            else:
                regimes.add("dominating")
                assert observed >= gamma / learner.graph.domination_number - ROUNDING
    assert regimes == {"revealing", "gap", "dominating"}


@pytest.mark.parametrize("name", LOSSES)
def test_loss_and_gradient_are_estimated_without_bias(name: str) -> None:
    """Summed over all actions with their probabilities, an update is exactly one against the full gradient."""
    rng = np.random.default_rng(8)
    for _ in range(12):
        graph = random_graph(rng, 4)
        learner = Gappletron(graph, name, gamma=0.3, descent="fixed", step=0.1)
        state = learner.initial_state(1, 3)
        state.weights[:], state.features[:] = rng.standard_normal((2, 1, 4, 3))[0], rng.standard_normal(3)
        decide(state, 0)
        p, scores, slopes = state.probabilities[0].copy(), state.scores[0].copy(), np.empty(4)
        for y in range(4):
            weight, expected = 0.0, np.zeros((4, 3))
            for action in np.flatnonzero(p > 0):
                after = copy.deepcopy(state)
                feedback = feedback_of(graph, int(action), y)[np.newaxis]
                seen = np.zeros((1, 3)), feedback, np.array([float(action)]), np.ones(1)
                assert advance(after, *seen, graph.nodes, np.empty(1, np.int64)) == -1
                weight += p[action] * (graph.reveals[action, y] / p[graph.reveals[:, y]].sum())
                expected += p[action] * (after.weights[0] - state.weights[0])
            write_slopes(KIND[name], learner.kappa, scores, y, slopes)
            assert weight == pytest.approx(1.0)
            np.testing.assert_allclose(expected, -0.1 * np.outer(slopes, state.features[0]), atol=1e-12)


def full_information_game(learner: Any, features: Any, labels: Any) -> tuple[float, Any]:
    """Return the expected number of mistakes, and the scores that the learner gave (T, K)."""
    state, expected, given, classes = None, 0.0, [], learner.classes
    observation: Any = {"features": features[0], "action": [-1.0], "feedback": np.full(classes, -1.0), "round": [0.0]}
    for t in range(len(features)):
        action, state = learner.predict(observation, state)
        expected += 1 - state.probabilities[0, labels[t]]
        given.append(state.scores[0].copy())
        told = (np.arange(classes) == labels[t]).astype(float)
        following = features[min(t + 1, len(features) - 1)]
        observation = {"features": following, "action": [float(action)], "feedback": told, "round": [t + 1.0]}
    return expected, np.array(given)


def comparator_loss(learner: Any, U: Any, features: Any, labels: Any, given: Any) -> float:
    """Sum the losses of U; the special hinge's loss function of a round depends on the learner's own scores."""
    total = 0.0
    for x, y, scores in zip(features, labels, given, strict=True):
        own = U @ x
        if learner.loss != "special_hinge":
            total += loss(KIND[learner.loss], 0.5, own, int(y))
        elif loss(KIND["special_hinge"], learner.kappa, scores, int(y)) > 0 or np.argmax(scores) != y:
            total += max(0.0, 1 - (own[y] - np.delete(own, y).max()))
    return total


def streams() -> dict[str, tuple[Any, Any, Any]]:
    """Points, labels, and weights that do well on them."""
    population, noisy, key = Prototypes(40, 5), Prototypes(40, 5, noise=0.2), game_key(3)
    separator = population.separator(key)
    rng = np.random.default_rng(0)
    tie = (np.ones((400, 1)), rng.integers(2, size=400), np.array([[1.0], [1.0], [0], [0], [0]]))
    # The label is always one that the last weights of a Perceptron would not have named.
    x, W, worst = rng.standard_normal((400, 4)), np.zeros((5, 4)), []
    for row in x:
        worst.append(int(np.argmin(W @ row)))
        W[worst[-1]] += row
        W[int(np.argmax(W @ row))] -= row
    return {
        "separable": (*population.points(key, 600), separator),
        "noisy": (*noisy.points(key, 600), separator),
        "tie": tie,
        "adversarial": (x, np.array(worst), W / 10),
    }


STREAMS = streams()


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("name", REGULAR)
def test_full_information_bound_with_the_fixed_step(name: str, stream: str) -> None:
    """``E[M] <= sum_t loss_t(U) + K L |U|^2 / 2`` for every U, with steps of ``1 / (K L)``; Gaptron's, too."""
    features, labels, U = STREAMS[stream]
    radius, graph = float(np.linalg.norm(features, axis=1).max()), FeedbackGraph.named("full", 5)
    constants = {"logistic_2": 1 / math.log(2), "smooth_hinge": 4.0, "special_hinge": 2.0}
    for learner, L in (
        (Gappletron(graph, name, descent="fixed", radius=radius), smoothness(name, 5, radius, 0.5)),
        (Gaptron(graph, radius, len(features), name), radius**2 * constants[name]),
    ):
        assert learner.step == pytest.approx(1 / (5 * L))
        expected, given = full_information_game(learner, features, labels)
        for scale in (0.0, 0.1, 0.3, 1.0, 2.0):
            bound = comparator_loss(learner, scale * U, features, labels, given) + 5 * L * scale**2 * np.sum(U**2) / 2
            assert expected <= bound, (scale, expected, bound)


def test_base_k_has_linear_surrogate_regret_where_two_labels_tie() -> None:
    """A coin decides between two labels: nobody errs less than half the time, but weights have a loss of ``log_K 2``.

    So what regular losses guarantee in full information fails, for K > 4: regret is linear.
    """
    rounds, classes = 1500, 9
    features, labels = np.ones((rounds, 1)), np.random.default_rng(1).integers(2, size=rounds)
    U = np.zeros((classes, 1))
    U[:2] = 5.0
    graph, L = FeedbackGraph.named("full", classes), smoothness("logistic_k", classes, 1.0, 0.5)
    learner = Gappletron(graph, "logistic_k", descent="fixed", radius=1.0)
    expected, given = full_information_game(learner, features, labels)
    surrogate = comparator_loss(learner, U, features, labels, given)
    assert surrogate == pytest.approx(rounds * math.log(2, classes), rel=0.05)
    regret = expected - surrogate
    assert regret > 0.9 * (0.5 - math.log(2, classes)) * rounds
    assert regret > 3 * classes * L * np.sum(U**2) / 2
    repaired = Gappletron(graph, "logistic_2", descent="fixed", radius=1.0)
    expected, given = full_information_game(repaired, features, labels)
    surrogate = comparator_loss(repaired, U, features, labels, given)
    assert expected - surrogate <= classes * smoothness("logistic_2", classes, 1.0, 0.5) * np.sum(U**2) / 2


def descent_game(kind: str, norm: float, gradients: Any) -> tuple[Any, Any, Any]:
    """Let a descent answer to gradients (T, K, 1) with K = 3; return its weights before each, and its last state."""
    learner = Gappletron(FeedbackGraph.named("full", 3), descent=kind, norm=norm)
    state: Any = learner.initial_state(1, 1)
    weights = []
    for gradient in gradients:
        weights.append(state.weights[0].copy())
        state.features[:], state.slopes[0] = 1.0, gradient[:, 0]
        step(state)
    return np.array(weights), state, sum(np.sum(g * g) for g in gradients)


def step(state: Any) -> None:
    from learners.multiclass.descent import descend

    descend(
        state.descent[0], state.norm[0], state.memory[0], state.slopes[0], state.features[0], 1.0,
        state.gradients[0], state.weights[0],
    )  # fmt: skip


def gradient_sequences() -> Iterator[Any]:
    rng = np.random.default_rng(2)
    yield rng.standard_normal((300, 3, 1))
    yield np.tile(rng.standard_normal((3, 1)), (300, 1, 1))
    yield rng.standard_normal((300, 3, 1)) * 10.0 ** rng.integers(-3, 4, size=(300, 1, 1))
    yield np.where(np.arange(300)[:, np.newaxis, np.newaxis] % 20 < 10, 1.0, -1.0) * np.ones((300, 3, 1))


@pytest.mark.parametrize("norm", [0.1, 1.0, 7.0])
def test_the_projected_descent_has_its_regret(norm: float) -> None:
    for gradients in gradient_sequences():
        weights, _, squares = descent_game("projected", norm, gradients)
        assert np.linalg.norm(weights, axis=(1, 2)).max() <= norm * (1 + ROUNDING)
        best = norm * np.linalg.norm(gradients.sum(axis=0))
        assert np.sum(weights * gradients) + best <= 2 * math.sqrt(2) * norm * math.sqrt(squares)


@pytest.mark.parametrize("norm", [0.1, 1.0, 7.0])
def test_the_parameter_free_descent_never_loses_more_than_it_began_with(norm: float) -> None:
    """The wealth that its proof keeps: ``sum <g, w> <= norm h_1 - potential`` for the gradients that it let in."""
    for gradients in gradient_sequences():
        weights, state, _ = descent_game("parameter_free", norm, gradients)
        sizes = np.linalg.norm(gradients, axis=(1, 2))
        hints = np.maximum.accumulate(np.concatenate([sizes[:1], sizes[:-1]]))
        kept = gradients * np.minimum(1.0, hints / sizes)[:, np.newaxis, np.newaxis]
        G, V, h = np.linalg.norm(kept.sum(axis=0)), sizes[0] ** 2 + np.sum(kept**2), sizes.max()
        np.testing.assert_allclose(state.gradients[0], kept.sum(axis=0), atol=1e-9 * h)
        potential = norm * sizes[0] ** 2 / math.sqrt(V) * math.exp(G**2 / (2 * V + 2 * h * G))
        assert np.sum(weights * kept) <= norm * sizes[0] - potential + 1e-9 * h * norm * potential


def test_descents_are_all_there() -> None:
    assert DESCENTS == ("adaptive", "fixed", "projected", "parameter_free")


# Rates of mistakes measured elsewhere on 10 draws of this data, by an implementation of its own: the least and the
# largest, for (classes, noise). d = 80, 10,000 rounds, bandit feedback, all parameters 1.
CELLS = ((6, 0.05), (9, 0.0), (9, 0.05), (9, 0.1), (12, 0.05))
SPREAD = {
    "smooth_hinge": ((0.067, 0.175), (0.045, 0.090), (0.092, 0.193), (0.166, 0.278), (0.152, 0.287)),
    "special_hinge": ((0.069, 0.180), (0.043, 0.111), (0.100, 0.303), (0.187, 0.498), (0.145, 0.418)),
    "logistic_k": ((0.097, 0.170), (0.117, 0.194), (0.197, 0.301), (0.251, 0.350), (0.316, 0.383)),
    "logistic_2": ((0.177, 0.294), (0.341, 0.482), (0.442, 0.576), (0.527, 0.644), (0.714, 0.809)),
}
RIVALS = {
    "pnewtron": ((0.152, 0.204), (0.102, 0.232), (0.223, 0.305), (0.284, 0.381), (0.304, 0.399)),
    "banditron-weighted": ((0.110, 0.222), (0.241, 0.413), (0.280, 0.478), (0.316, 0.522), (0.384, 0.622)),
    "banditron": ((0.212, 0.255), (0.234, 0.321), (0.299, 0.429), (0.383, 0.492), (0.357, 0.610)),
    "soba-diag": ((0.200, 0.664), (0.473, 0.795), (0.464, 0.800), (0.527, 0.845), (0.715, 0.902)),
}


def rival(name: str, graph: FeedbackGraph) -> Any:
    match name:
        case "pnewtron":
            return PNewtron(graph, 10_000, form="published")
        case "soba-diag":
            return SobaDiagonal(graph, 10_000)
    return Banditron(graph, 10_000, importance_weighted=name == "banditron-weighted")


@pytest.mark.slow
@pytest.mark.parametrize("name", SPREAD)
def test_gappletron_errs_as_often_as_was_measured_elsewhere(name: str) -> None:
    for (classes, noise), (least, largest) in zip(CELLS, SPREAD[name], strict=True):
        graph = FeedbackGraph.named("bandit", classes)
        assert least <= error_rates(Gappletron(graph, name), graph, noise).mean() <= largest, (classes, noise)


@pytest.mark.slow
@pytest.mark.parametrize("name", RIVALS)
def test_its_rivals_err_as_often_as_was_measured_elsewhere(name: str) -> None:
    for (classes, noise), (least, largest) in zip(CELLS, RIVALS[name], strict=True):
        graph = FeedbackGraph.named("bandit", classes)
        assert least <= error_rates(rival(name, graph), graph, noise).mean() <= largest, (classes, noise)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.1])
@pytest.mark.parametrize("classes", [6, 9, 12])
def test_hinge_losses_beat_all_rivals_in_bandit_feedback(classes: int, noise: float) -> None:
    graph = FeedbackGraph.named("bandit", classes)
    own = [error_rates(Gappletron(graph, name), graph, noise).mean() for name in ("smooth_hinge", "special_hinge")]
    others = {name: error_rates(rival(name, graph), graph, noise).mean() for name in RIVALS}
    others["pnewtron-exact"] = error_rates(PNewtron(graph, 10_000), graph, noise).mean()
    assert max(own) < min(others.values()), (own, others)
