"""Inverse-gap weighting: its formulas a second time in NumPy, what it learns from, its one-round bound, its claims."""

from typing import Any

import numpy as np
import pytest
from multiclass_learner_games import error_rates, play
from multiclass_learner_oracle import feedback_of

from agents.foundation.streams import uniform
from learners import FeedbackGraph, Gappletron
from learners.multiclass.gap_weights import write_costs, write_inverse_gap
from learners.multiclass.inverse_gap_weighting import InverseGapWeighting
from learners.multiclass.losses import LOSSES
from learners.multiclass.rules import ACTIONS

K, D = 4, 6
GRAPHS = {
    name: FeedbackGraph.named(name, K) for name in ("full", "bandit", "apple_tasting", "label_efficient", "cyclic")
}
GRAPHS["random"] = FeedbackGraph.named("random", K, probability=0.4, seed=3)
# Label 3 is shown by the query alone, which shows nothing else; 0 and 1 show each other.
STRANGE = [[0, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]
GRAPHS["strange"] = FeedbackGraph(STRANGE, classes=K)


class Reference:
    """Ridge regressions solved anew in every round, and the weighting in sets and comprehensions."""

    def __init__(self, learner: InverseGapWeighting, dim: int) -> None:
        self.learner, self.reveals = learner, learner.graph.reveals
        ridge, labels = learner.ridge * learner.radius**2, range(learner.classes)
        # Of all known outcomes, and of those that were shown alone.
        self.known = [(ridge * np.eye(dim), np.zeros(dim)) for _ in labels]
        self.shown = [(ridge * np.eye(dim), np.zeros(dim)) for _ in labels]
        self.t = 0

    @property
    def W(self) -> Any:  # noqa: N802
        return np.array([np.linalg.solve(A, b) for A, b in self.known])

    def distribution(self, x: Any) -> Any:
        self.x, self.t = np.array(x), self.t + 1
        n, classes = self.reveals.shape
        scores = self.W @ x
        if self.learner.deduce and not all(row.all() or not row.any() for row in self.reveals):
            lower = [x @ np.linalg.solve(A, b) - np.sqrt(x @ np.linalg.solve(A, x)) for A, b in self.shown]
            scores = np.maximum(scores, lower)
        best, f = int(np.argmax(scores)), np.clip(scores, 0, 1)
        cost = f[best] - np.append(f, np.zeros(n - classes))
        spread = self.learner.confidence * np.sqrt([x @ np.linalg.solve(A, x) for A, _ in self.known])
        gap = np.maximum(0, cost[:classes] - spread - spread[best])
        gap[best] = np.delete(gap, best).min()
        g = self.learner.gamma * classes * np.sqrt(self.t)
        scale = [g if self.reveals[k, k] else np.sqrt(self.t) for k in range(classes)]
        cap = [np.sqrt(scale[k] * cost[self.reveals[:, k]].min()) for k in range(classes)]

        def wanted(k: int, players: int) -> float:
            return float(1 / max(players + g * gap[k], cap[k]))

        hidden, owners = {k for k in range(classes) if not self.reveals[best, k]}, {}
        while hidden:
            urgent = max(sorted(hidden), key=lambda k: wanted(k, classes))
            worth = {
                i: sum(wanted(k, classes) for k in sorted(hidden) if self.reveals[i, k]) / (1 + g * cost[i])
                for i in np.flatnonzero(self.reveals[:, urgent])
            }
            node = max(worth, key=lambda i: worth[i])
            owners[node] = {k for k in hidden if self.reveals[node, k]}
            hidden -= owners[node]
        p = np.zeros(n)
        for node, labels in owners.items():
            p[node] = max(wanted(k, len(owners) + 1) for k in labels)
        p[best] = 1 - p.sum()
        return p

    def learn(self, feedback: Any) -> None:
        outcomes = np.array(feedback)
        hidden = np.flatnonzero(outcomes == -1)
        if self.learner.deduce and (1 in outcomes or len(hidden) == 1):
            outcomes[hidden] = 1 not in outcomes
        for sums, told in ((self.known, outcomes), (self.shown, feedback)):
            for k in np.flatnonzero(told != -1):
                A, b = sums[k]
                sums[k] = A + np.outer(self.x, self.x), b + told[k] * self.x


def points(seed: int, rounds: int, dim: int = D) -> tuple[Any, Any]:
    """Draw points (rounds, dim) and labels that mostly follow the largest of the first K features."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((rounds, dim))
    noisy = features[:, :K] + 0.3 * rng.standard_normal((rounds, K))
    return features, noisy.argmax(axis=1)


def seen(x: Any, t: int, action: int = -1, feedback: Any = None) -> dict[str, Any]:
    told = np.full(K, -1.0) if feedback is None else feedback
    return {"features": x, "action": [float(action)], "feedback": told, "round": [float(t)]}


CASES = {name: InverseGapWeighting(graph) for name, graph in GRAPHS.items()} | {
    "parameters": InverseGapWeighting(GRAPHS["bandit"], 2.0, confidence=0.0, ridge=0.5, radius=3.0, seed=4),
    "shown-only": InverseGapWeighting(GRAPHS["random"], deduce=False),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_its_reference_number_for_number(name: str) -> None:
    learner, (features, labels) = CASES[name], points(1, 200)
    reference, state = Reference(learner, D), None
    observation = seen(features[0], 0)
    for t in range(200):
        action, state = learner.predict(observation, state)
        expected = reference.distribution(features[t])
        np.testing.assert_allclose(state.probabilities[0], expected, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(state.weights[0], reference.W, rtol=1e-8, atol=1e-10)
        level = uniform(state.key[0], ACTIONS, t)
        assert np.cumsum(expected)[action] > level - 1e-9
        feedback = feedback_of(learner.graph, int(action), labels[t])
        reference.learn(feedback)
        observation = seen(features[min(t + 1, 199)], t + 1, int(action), feedback)
    assert np.abs(reference.W).max() > 0.1, "nothing was learned"


def one_round(reveals: Any, scores: Any, gamma: float) -> tuple[Any, Any, Any]:
    """Return the distribution without confidence, the costs of all nodes and the gaps of all labels."""
    nodes, classes = reveals.shape
    costs, out, best = np.empty(nodes), np.empty(nodes), int(np.argmax(scores))
    write_costs(scores, best, costs)
    gaps = costs[:classes].copy()
    gaps[best] = np.delete(gaps, best).min()
    write_inverse_gap(reveals, best, gaps, costs, gamma, gamma / 10.0, out)
    return out, costs, gaps


def random_rounds(count: int) -> Any:
    """Draw feedback graphs of all kinds, clipped scores and scales of the gaps."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        classes, query = int(rng.integers(2, 8)), int(rng.integers(2))
        edges = rng.random((classes + query, classes + query)) < rng.choice([0.1, 0.3, 0.7])
        if rng.integers(2):
            edges |= np.eye(len(edges), dtype=bool)
        edges[rng.integers(len(edges), size=classes), np.arange(classes)] = True
        scores = np.clip(rng.uniform(-0.3, 1.3, classes) * rng.choice([1.0, 0.01]), 0.0, 1.0)
        yield FeedbackGraph(edges, classes).reveals, scores, 10.0 ** rng.uniform(-1.0, 6.0)


def test_bandit_feedback_gives_the_formula_of_squarecb() -> None:
    rng = np.random.default_rng(0)
    for gamma in (0.5, 20.0, 1e4):
        scores = rng.uniform(-0.2, 1.2, 9)
        p, costs, _ = one_round(np.eye(9, dtype=bool), scores, gamma)
        best = int(np.argmax(scores))
        expected = 1.0 / (9 + gamma * (np.clip(scores[best], 0, 1) - np.clip(scores, 0, 1)))
        expected[best] = 1.0 - np.delete(expected, best).sum()
        np.testing.assert_allclose(p, expected, rtol=1e-12)


def test_every_label_is_shown_as_often_as_its_gap_demands() -> None:
    for reveals, scores, gamma in random_rounds(2000):
        p, costs, gaps = one_round(reveals, scores, gamma)
        assert abs(p.sum() - 1.0) < 1e-12 and (p >= 0.0).all()
        for label in range(reveals.shape[1]):
            cheapest = costs[reveals[:, label]].min()
            players = np.count_nonzero(p)
            scale = gamma if reveals[label, label] else gamma / 10.0
            least = 1.0 / max(players + gamma * gaps[label], np.sqrt(scale * cheapest))
            assert p @ reveals[:, label] >= least * (1.0 - 1e-12)


def test_nothing_is_explored_where_playing_the_leader_shows_everything() -> None:
    for reveals, scores, gamma in random_rounds(200):
        reveals = reveals.copy()
        reveals[np.argmax(scores)] = True
        p, _, _ = one_round(reveals, scores, gamma)
        assert p[np.argmax(scores)] == 1.0


def worst_case(reveals: Any, p: Any, costs: Any, scale: float) -> float:
    """Return the most that a round costs beyond ``scale / 4`` times the squared errors of what is shown."""
    classes = reveals.shape[1]
    off = (p[:classes] - np.eye(classes)) ** 2
    shown = np.where(off > 0.0, p @ reveals, 1.0)
    return float((p @ costs - costs[:classes] + (off / (scale * shown)).sum(axis=1)).max())


def test_a_round_costs_what_the_notes_say() -> None:
    worst = {True: 0.0, False: 0.0}
    for reveals, scores, gamma in random_rounds(2000):
        p, costs, _ = one_round(reveals, scores, gamma)
        classes = reveals.shape[1]
        itself = bool(np.diagonal(reveals).all())
        bound = 1.5 * classes / gamma if itself else 2.0 * classes**2 * ((gamma / 10.0) ** -0.5 + 1.0 / gamma)
        worst[itself] = max(worst[itself], worst_case(reveals, p, costs, 2.0 * gamma) / bound)
    assert max(worst.values()) <= 1.0
    assert worst[True] > 0.5, "the test was not hard"


def played(learner: InverseGapWeighting, features: Any, labels: Any) -> Any:
    state = learner.initial_state(1, features.shape[1])
    play(state, 0, features, labels, learner.graph.reveals)
    return state


def learned(feedback: Any, deduce: bool, graph: str = "random") -> tuple[list[int], list[int]]:
    """Return the labels that a round with this feedback changes: the weights, and those of shown outcomes alone."""
    learner = InverseGapWeighting(GRAPHS[graph], deduce=deduce, seed=1)
    x = points(3, 2)[0]
    _, state = learner.predict(seen(x[0], 0))
    state.weights[:] = state.shown_weights[:] = 0.01
    _, state = learner.predict(seen(x[1], 1, 0, np.array(feedback, dtype=float)), state)
    changed = [(weights[0] != 0.01).any(axis=1) for weights in (state.weights, state.shown_weights)]
    return np.flatnonzero(changed[0]).tolist(), np.flatnonzero(changed[1]).tolist()


def test_it_learns_from_every_known_outcome_and_from_no_other() -> None:
    everything = [0, 1, 2, 3]
    assert learned([-1, -1, -1, -1], deduce=True) == ([], [])
    assert learned([-1, 0, -1, -1], deduce=True) == ([1], [1])
    assert learned([0, -1, 0, -1], deduce=True) == ([0, 2], [0, 2])
    assert learned([-1, 1, -1, -1], deduce=True) == (everything, [1])
    assert learned([0, 0, -1, 0], deduce=True) == (everything, [0, 1, 3])
    assert learned([-1, 1, -1, -1], deduce=False) == ([1], [])
    assert learned([0, -1, 0, -1], deduce=False) == ([0, 2], [])
    assert learned([0, 0, 1, 0], deduce=True, graph="full") == (everything, [])


def test_it_does_not_settle_on_a_label_that_is_right_less_often() -> None:
    graph = FeedbackGraph.named("bandit", 3)
    for seed in range(4):
        labels = np.random.default_rng(seed).choice(3, size=20_000, p=(0.3, 0.6, 0.1))
        state = played(InverseGapWeighting(graph, seed=seed), np.ones((20_000, 1)), labels)
        assert state.probabilities[0].argmax() == 1
        np.testing.assert_allclose(state.scores[0, 1], 0.6, atol=0.02)


def test_labels_that_learn_together_share_a_factor() -> None:
    places = {name: InverseGapWeighting(graph).initial_state(2, D).factor.shape[1] for name, graph in GRAPHS.items()}
    assert places == {name: 1 if name in ("full", "apple_tasting", "label_efficient") else K for name in GRAPHS}


@pytest.mark.parametrize("name", ["bandit", "label_efficient"])
def test_factors_stay_healthy_over_many_rounds(name: str) -> None:
    features, labels = points(5, 100_000)
    features *= 10.0 ** np.linspace(-4, 4, D)  # badly conditioned
    state = played(InverseGapWeighting(GRAPHS[name]), features, labels)
    assert all(np.isfinite(field).all() for field in state)
    factors = state.factor[0]
    assert (np.diagonal(factors, axis1=1, axis2=2) > 0).all() and (np.tril(factors, -1) == 0).all()
    assert (state.whitened[0] ** 2).sum() < 1.0, "what was seen often is still uncertain"


def test_in_full_information_the_weights_are_the_batch_solution() -> None:
    features, labels = points(6, 100_000)
    learner = InverseGapWeighting(GRAPHS["full"], radius=2.0)
    state = played(learner, features, labels)
    A = learner.ridge * 4.0 * np.eye(D) + features.T @ features
    expected = np.linalg.solve(A, features.T @ np.eye(K)[labels]).T
    np.testing.assert_allclose(state.weights[0], expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(state.factor[0, 0].T @ state.factor[0, 0], A, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("power", [-300, 300])
def test_the_scale_of_features_does_not_matter_where_it_is_known(power: int) -> None:
    features, labels = points(7, 300)
    plain = played(InverseGapWeighting(GRAPHS["bandit"], radius=4.0), features, labels)
    scale = 2.0**power
    scaled = played(InverseGapWeighting(GRAPHS["bandit"], radius=4.0 * scale), features * scale, labels)
    assert (scaled.scores == plain.scores).all() and (scaled.probabilities == plain.probabilities).all()
    assert (scaled.weights * scale == plain.weights).all()


@pytest.mark.parametrize("scale", [0.0, 1e-100, 1e100])
@pytest.mark.parametrize("name", ["bandit", "strange"])
def test_a_radius_that_is_far_off_breaks_nothing(name: str, scale: float) -> None:
    features, labels = points(8, 300)
    for radius in (1e-100, 1.0, 1e100):
        state = played(InverseGapWeighting(GRAPHS[name], radius=radius), features * scale, labels)
        assert all(np.isfinite(field).all() for field in state)
        assert abs(state.probabilities.sum() - 1.0) < 1e-12 and (state.probabilities >= 0.0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": 0.0}, "gamma"),
        ({"confidence": -1.0}, "confidence"),
        ({"ridge": 0.0}, "ridge"),
        ({"radius": 0.0}, "radius"),
        ({"seed": -1}, "seed"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        InverseGapWeighting(GRAPHS["bandit"], **parameters)
    with pytest.raises(TypeError, match="deduce"):
        InverseGapWeighting(GRAPHS["bandit"], deduce=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="graph"):
        InverseGapWeighting("bandit")  # type: ignore[arg-type]


def test_a_scenario_tells_it_graph_and_radius() -> None:
    learner = InverseGapWeighting.from_knowledge({"graph": GRAPHS["bandit"], "radius": 4.0, "classes": K})
    assert learner.radius == 4.0 and learner.graph == GRAPHS["bandit"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["apple_tasting", "label_efficient", "bandit"])
def test_it_errs_less_often_than_every_gappletron(name: str) -> None:
    graph = FeedbackGraph.named(name, 9)
    ours = error_rates(InverseGapWeighting(graph, radius=np.sqrt(20)), graph, 0.05)
    for loss in LOSSES:
        for gap_map in ("loss", "minimal"):
            theirs = error_rates(Gappletron(graph, loss, gap_map=gap_map), graph, 0.05)
            assert ours.mean() < 0.9 * theirs.mean(), (loss, gap_map)
    assert ours.max() < 0.08


# Mean errors of Vowpal Wabbit 9.11.9, the better of both forms, on the same ten draws: python -m benchmarks.bandit.
SQUARECB = {
    (6, 0.0): 0.0180,
    (6, 0.05): 0.0612,
    (6, 0.1): 0.1031,
    (9, 0.0): 0.0373,
    (9, 0.05): 0.0839,
    (9, 0.1): 0.1315,
    (12, 0.0): 0.0716,
    (12, 0.05): 0.1156,
    (12, 0.1): 0.1571,
}


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "noise"), SQUARECB)
def test_it_errs_less_often_than_vowpal_wabbit_did_on_the_same_draws(classes: int, noise: float) -> None:
    graph = FeedbackGraph.named("bandit", classes)
    ours = error_rates(InverseGapWeighting(graph, radius=np.sqrt(20)), graph, noise)
    assert ours.mean() <= 0.95 * SQUARECB[classes, noise]
