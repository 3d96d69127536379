"""Feedback graphs: what they show, their numbers against brute force, and what is refused."""

import copy
import pickle
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult

from learners.feedback import graph as feedback_graph
from learners.feedback.graph import FeedbackGraph, observability

NAMES = ("full", "bandit", "apple_tasting", "label_efficient", "cyclic")


def graph_of(name: str, classes: int) -> FeedbackGraph:
    return FeedbackGraph.named(name, classes)


@st.composite
def graphs(draw: st.DrawFn) -> FeedbackGraph:
    """Any graph of 2 to 5 labels, with and without a query node."""
    classes, query = draw(st.integers(2, 5)), draw(st.booleans())
    nodes = classes + query
    flags = draw(st.lists(st.booleans(), min_size=nodes * nodes, max_size=nodes * nodes))
    edges = np.array(flags).reshape(nodes, nodes)
    almost = edges[:, :classes].sum(axis=1) == classes - 1
    assume((edges[:, :classes].any(axis=0) | almost.any()).all())
    return FeedbackGraph(edges, classes)


def smallest(graph: FeedbackGraph, labels: np.ndarray) -> int:
    """The size of the smallest set of actions that shows all these labels, by trying them all."""
    for size in range(graph.nodes + 1):
        for chosen in combinations(range(graph.nodes), size):
            if graph.reveals[list(chosen)].any(axis=0)[labels].all():
                return size
    raise AssertionError("some label is never shown")


def largest_independent(graph: FeedbackGraph) -> int:
    linked = graph.adjacency | graph.adjacency.T
    for size in range(graph.nodes, 0, -1):
        for chosen in combinations(range(graph.nodes), size):
            if not any(linked[i, j] for i, j in combinations(chosen, 2)):
                return size
    raise AssertionError("a single node is independent")


@pytest.mark.parametrize("classes", [3, 4, 9])
@pytest.mark.parametrize(
    ("name", "domination", "independence", "weak_domination", "kind"),
    [
        ("bandit", "K", "K", "0", "strong"),
        ("full", "1", "1", "0", "strong"),
        ("apple_tasting", "1", "K - 1", "1", "weak"),
        ("label_efficient", "1", "K", "1", "weak"),
        ("cyclic", "K", "K // 2", "K", "weak"),
    ],
)
def test_numbers_of_the_named_graphs(
    name: str, domination: str, independence: str, weak_domination: str, kind: str, classes: int
) -> None:
    graph = graph_of(name, classes)
    assert graph.name == name and graph.observability == kind
    found = graph.domination_number, graph.independence_number, graph.weak_domination_number
    assert found == tuple(eval(formula, {"K": classes}) for formula in (domination, independence, weak_domination))


def test_what_the_named_graphs_show() -> None:
    nothing, everything = [False] * 3, [True] * 3
    assert graph_of("full", 3).reveals.tolist() == [everything] * 3
    assert graph_of("bandit", 3).reveals.tolist() == np.eye(3, dtype=bool).tolist()
    assert graph_of("apple_tasting", 3).reveals.tolist() == [nothing, nothing, everything]
    assert graph_of("label_efficient", 3).reveals.tolist() == [nothing, nothing, nothing, everything]
    assert graph_of("cyclic", 3).reveals.tolist() == [[False, True, False], [False, False, True], [True, False, False]]


def test_revealing_actions() -> None:
    assert graph_of("full", 3).revealing.tolist() == [0, 1, 2]
    assert graph_of("bandit", 3).revealing.tolist() == []
    assert graph_of("apple_tasting", 3).revealing.tolist() == [2]
    assert graph_of("label_efficient", 3).revealing.tolist() == [3]
    assert FeedbackGraph([[0, 1, 1], [0, 1, 0], [1, 0, 0]]).revealing.tolist() == [0]


def test_arrays_have_the_kinds_that_compiled_code_needs() -> None:
    for graph in (graph_of("label_efficient", 4), FeedbackGraph(np.asfortranarray(np.eye(4)))):
        assert graph.reveals.dtype == np.bool_ and graph.reveals.shape == (graph.nodes, graph.classes)
        assert graph.reveals.flags.c_contiguous
        for array in (graph.revealing, graph.dominating_set, graph.greedy_dominating_set):
            assert array.dtype == np.int64


def test_the_missing_edge_is_added_first() -> None:
    pair = FeedbackGraph([[0, 1], [1, 0]])
    assert pair.reveals.all() and pair.domination_number == 1 and pair.revealing.tolist() == [0, 1]
    # Nobody points to label 2, but whoever knows of both others knows of it.
    assert FeedbackGraph([[1, 1, 0], [0, 1, 0], [0, 0, 0]]).reveals.tolist() == [[1, 1, 1], [0, 1, 0], [0, 0, 0]]
    query = FeedbackGraph([[1, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1]], classes=3)
    assert query.reveals.tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 0], [1, 1, 1]]


def test_members_of_a_dominating_set_need_somebody_who_shows_them() -> None:
    cycle = networkx.DiGraph([(0, 1), (1, 2), (2, 3), (3, 0)])
    assert FeedbackGraph(cycle).domination_number == 4
    assert len(networkx.dominating_set(cycle)) == 2  # of closed neighbourhoods, where each node shows itself


def test_nobody_has_to_point_at_a_query_node() -> None:
    lonely = FeedbackGraph([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]], classes=3)
    assert lonely.domination_number == 3 and lonely.observability == "strong"
    pointed_at = FeedbackGraph([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1]], classes=3)
    assert lonely == pointed_at and not pointed_at.adjacency[:, 3].any()


def test_a_matrix_a_networkx_graph_and_flags_say_the_same() -> None:
    matrix = [[1, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 1]]
    same = [
        FeedbackGraph(matrix),
        FeedbackGraph(np.array(matrix, dtype=bool)),
        FeedbackGraph(np.array(matrix, dtype=bool).tolist()),
        FeedbackGraph(np.array(matrix, dtype=np.float32)),
        FeedbackGraph(networkx.DiGraph(np.array(matrix))),
        FeedbackGraph(networkx.MultiDiGraph([(3, 3), (3, 3), (1, 3), (2, 0), (2, 1), (0, 2), (0, 0)])),
    ]
    assert len(set(same)) == 1


def test_nodes_of_a_networkx_graph_may_be_any_numbers_that_equal_their_places() -> None:
    graph = networkx.DiGraph([(0j, 0j), (1.0, 1.0), (True, 2), (2, 0)])
    assert FeedbackGraph(graph) == FeedbackGraph([[1, 0, 0], [0, 1, 1], [1, 0, 0]])


def test_the_greedy_set_takes_who_shows_most_of_what_is_missing() -> None:
    for seed in range(20):
        graph = FeedbackGraph.named("random", 12, probability=0.2, seed=seed)
        missing, chosen = set(range(12)), list[int]()
        while missing:
            news = [len(missing & set(np.flatnonzero(row))) for row in graph.reveals]
            chosen.append(news.index(max(news)))
            missing -= set(np.flatnonzero(graph.reveals[chosen[-1]]))
        assert graph.greedy_dominating_set.tolist() == sorted(chosen)


def test_weights_of_a_networkx_graph_do_not_matter() -> None:
    graph = networkx.DiGraph()
    graph.add_edge(0, 0, weight=0.25)
    graph.add_edge(1, 1, weight=0.0)
    assert FeedbackGraph(graph) == FeedbackGraph(np.eye(2))


@settings(max_examples=150, deadline=None)
@given(graphs())
def test_numbers_are_those_of_brute_force(graph: FeedbackGraph) -> None:
    every = np.ones(graph.classes, dtype=bool)
    weak = np.array(graph.label_observability) == "weak"
    assert graph.domination_number == smallest(graph, every)
    assert graph.weak_domination_number == smallest(graph, weak)
    assert graph.independence_number == largest_independent(graph)
    for chosen in (graph.dominating_set, graph.greedy_dominating_set):
        assert graph.reveals[chosen].any(axis=0).all() and (np.diff(chosen) > 0).all()
    assert len(graph.greedy_dominating_set) <= (1.0 + np.log(graph.classes)) * graph.domination_number


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_observability_is_that_of_its_definition(graph: FeedbackGraph) -> None:
    for label, kind in enumerate(graph.label_observability):
        showing = {node for node in range(graph.nodes) if graph.reveals[node, label]}
        strong = label in showing or showing >= set(range(graph.nodes)) - {label}
        assert kind == ("strong" if strong else "weak")
    assert graph.observability == ("weak" if "weak" in graph.label_observability else "strong")


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_a_graph_survives_its_matrix_and_a_pickle(graph: FeedbackGraph) -> None:
    assert graph.domination_number >= 1  # remembered from now on
    for other in (
        FeedbackGraph(graph.adjacency, graph.classes),
        FeedbackGraph(graph.adjacency.tolist(), graph.classes),
        pickle.loads(pickle.dumps(graph)),
        copy.deepcopy(graph),
    ):
        assert other == graph and hash(other) == hash(graph)
        assert (other.classes, other.nodes, other.domination_number) == (
            graph.classes, graph.nodes, graph.domination_number,
        )  # fmt: skip
        assert not other.reveals.flags.writeable and not other.dominating_set.flags.writeable


def test_labels_that_nobody_shows_are_unobservable() -> None:
    reveals = np.array([[True, False, False], [False, False, False], [False, False, True], [True, False, False]])
    assert observability(reveals) == ("strong", "unobservable", "strong")
    with pytest.raises(ValueError, match="show every label after some action, got none that shows label 1"):
        FeedbackGraph([[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0]], classes=3)


def test_a_label_that_all_others_show_is_strongly_observable() -> None:
    # With more than two labels: each of 1, 2, 3 shows 0 and itself.
    graph = FeedbackGraph([[0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]])
    assert graph.label_observability == ("strong",) * 4
    one_less = FeedbackGraph([[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]])
    assert one_less.label_observability == ("weak", "strong", "strong", "strong")


def test_equality_is_of_what_is_shown() -> None:
    assert graph_of("full", 2) == FeedbackGraph([[0, 1], [1, 0]]) == graph_of("bandit", 2) == graph_of("cyclic", 2)
    assert graph_of("full", 3) != graph_of("bandit", 3)
    assert graph_of("full", 3) != graph_of("full", 4)
    assert graph_of("full", 3) != "full"
    assert len({graph_of(name, classes) for name in NAMES for classes in (3, 4)}) == 2 * len(NAMES)


def test_equal_graphs_pickle_alike_whatever_was_asked_before() -> None:
    asked, fresh = graph_of("cyclic", 5), graph_of("cyclic", 5)
    assert asked.domination_number == 5
    assert pickle.dumps(asked) == pickle.dumps(fresh) == pickle.dumps(pickle.loads(pickle.dumps(asked)))


def test_nobody_changes_a_graph_by_accident() -> None:
    matrix = np.eye(3)
    graph = FeedbackGraph(matrix)
    matrix[0, 0] = 0.0
    assert graph == graph_of("bandit", 3)
    with pytest.raises(ValueError, match="read-only"):
        graph.reveals[0, 0] = False
    graph.adjacency[0, 0] = False  # a copy
    assert graph == graph_of("bandit", 3)


def test_repr_is_short() -> None:
    assert repr(graph_of("label_efficient", 9)) == "<FeedbackGraph label_efficient: 9 classes and a query>"
    assert repr(FeedbackGraph(np.eye(200))) == "<FeedbackGraph custom: 200 classes>"


def test_a_graph_of_a_name_a_graph_or_an_adjacency() -> None:
    graph = graph_of("bandit", 3)
    assert FeedbackGraph.of("bandit", 3) == graph
    assert FeedbackGraph.of(graph, 3) is graph
    assert FeedbackGraph.of(np.eye(3).tolist(), 3) == graph
    assert FeedbackGraph.of(networkx.DiGraph([(0, 0), (1, 1), (2, 2)]), 3) == graph
    with pytest.raises(ValueError, match="feedback must be a graph of 4 classes, got <FeedbackGraph bandit: 3 classes"):
        FeedbackGraph.of(graph, 4)
    with pytest.raises(ValueError, match="feedback must have 4 nodes, one for each class, or 5 with a query, got 3"):
        FeedbackGraph.of(np.eye(3), 4)
    with pytest.raises(ValueError, match="feedback must be one of 'full', .*'cyclic', got 'random'"):
        FeedbackGraph.of("random", 4)  # it needs more than its name


def test_random_graphs_are_those_of_their_seed() -> None:
    def drawn(seed: int) -> FeedbackGraph:
        return FeedbackGraph.named("random", 12, probability=0.2, seed=seed)

    assert drawn(3) == drawn(3) and drawn(3).name == "random"
    assert len({drawn(seed) for seed in range(20)}) == 20
    assert FeedbackGraph.named("random", 5, probability=1.0, seed=0) == graph_of("full", 5)
    # However rare edges are, every label has one; and then hardly ever a second one.
    rare = FeedbackGraph.named("random", 60, probability=1e-12, seed=1)
    assert rare.reveals.sum() == 60 and len(set(np.argwhere(rare.reveals)[:, 0])) > 20


def test_random_edges_have_the_distribution_that_they_claim() -> None:
    # Columns of 3 with p = 1/2, given that they are not empty: seven patterns, equally often.
    edges = feedback_graph._random_edges(3, 0.5, 0)
    columns = np.hstack([feedback_graph._random_edges(3, 0.5, seed) for seed in range(7000)])
    assert edges.shape == (3, 3)
    counts = np.bincount(columns.T @ [1, 2, 4], minlength=8)
    assert counts[0] == 0
    assert np.sum((counts[1:] - 3000) ** 2 / 3000) < 22.5  # chi-squared with 6 degrees of freedom, 0.1 %


@pytest.mark.parametrize("seed", [0, 1])
def test_fifty_labels_with_sparse_edges_are_solved_exactly(seed: int) -> None:
    graph = FeedbackGraph.named("random", 50, probability=0.1, seed=seed)
    assert graph.domination_number <= len(graph.greedy_dominating_set)
    # A lower bound that needs no solver: labels that no action shows two of.
    together = graph.reveals.astype(int).T @ graph.reveals
    apart: list[int] = []
    for label in np.argsort(graph.reveals.sum(axis=0)).tolist():
        if not together[label, apart].any():
            apart.append(label)
    assert len(apart) <= graph.domination_number


def test_what_is_not_proved_to_be_smallest_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feedback_graph, "TIME_LIMIT", 0.01)
    graph = FeedbackGraph.named("random", 150, probability=0.2, seed=0)
    with pytest.raises(RuntimeError, match=r"no dominating set was proved to be best within 0\.01 seconds"):
        _ = graph.domination_number
    assert graph.reveals[graph.greedy_dominating_set].any(axis=0).all()


def test_the_status_of_the_solver_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A feasible answer with the status "time limit reached" is an incumbent."""
    incumbent = OptimizeResult(x=np.ones(3), status=1, message="Time limit reached", fun=3.0)
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: incumbent)
    with pytest.raises(RuntimeError, match="independent set .* Time limit reached"):
        _ = graph_of("apple_tasting", 3).independence_number


def test_values_of_the_solver_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    almost = OptimizeResult(x=np.array([1e-9, 0.9999999, 1e-9]), status=0, message="", fun=0.9999999)
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: almost)
    assert FeedbackGraph([[0, 0, 0], [1, 1, 1], [0, 0, 0]]).dominating_set.tolist() == [1]


@pytest.mark.parametrize(
    ("adjacency", "classes", "kind", "message"),
    [
        ([[1, 0], [0, np.nan]], None, ValueError, "adjacency must be finite, got nan"),
        ([[1, 0], [0, np.inf]], None, ValueError, "adjacency must be finite, got inf"),
        ([[1, 0, 0], [0, 1, 1]], None, ValueError, r"adjacency must be square, got shape \(2, 3\)"),
        ([[1, 0], [0, 0.5]], None, ValueError, "adjacency must hold 0 and 1, got 0.5"),
        ([[1, 0], [0, -1]], None, ValueError, "adjacency must hold 0 and 1, got -1"),
        ([1, 0], None, ValueError, r"adjacency must have shape \(any, any\), got \(2,\)"),
        ([[1, 0], [1]], None, ValueError, "adjacency must be a rectangular array"),
        ([["1", "0"], ["0", "1"]], None, TypeError, "adjacency must hold real numbers"),
        ("bandit", None, TypeError, "adjacency must hold real numbers"),
        (None, None, TypeError, "adjacency must hold real numbers"),
        (np.ma.masked_array(np.eye(2) == 1.0, mask=np.eye(2)), None, TypeError, "masked array"),
        ([[1]], None, ValueError, "adjacency must have at least 2 nodes, got 1"),
        (networkx.DiGraph(), None, ValueError, "adjacency must have at least 2 nodes, got 0"),
        ([[1, 0], [1, 0]], 1, ValueError, "classes must be at least 2, got 1"),
        (np.eye(4), 2, ValueError, "classes must be 4, or 3 with a query node, got 2"),
        (np.eye(4), 5, ValueError, "classes must be 4, or 3 with a query node, got 5"),
        (np.eye(4), 4.0, TypeError, "classes must be an integer, got 4.0"),
        (np.eye(4), True, TypeError, "classes must be an integer, got True"),
        (np.zeros((3, 3)), None, ValueError, "show every label after some action, got none that shows label 0"),
        (networkx.Graph([(0, 1)]), None, TypeError, r"must be a directed graph \(graph.to_directed\(\)\)"),
        (networkx.DiGraph([("a", "b"), ("b", "a")]), None, ValueError, "must have the nodes 0, 1, 2, .*'a', 'b'"),
        (networkx.DiGraph([(1, 2), (2, 1)]), None, ValueError, r"must have the nodes 0, 1, 2, .*\[1, 2\]"),
    ],
    ids=str,
)
def test_bad_graphs_are_refused(adjacency: object, classes: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        FeedbackGraph(adjacency, classes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "classes", "options", "kind", "message"),
    [
        ("none", 3, {}, ValueError, "name must be one of 'full', 'bandit', 'apple_tasting', "),
        (["full"], 3, {}, ValueError, "name must be one of"),
        ("full", 1, {}, ValueError, "classes must be at least 2, got 1"),
        ("full", 2.0, {}, TypeError, "classes must be an integer"),
        ("random", 3, {}, TypeError, "probability must be a number, got None"),
        ("random", 3, {"probability": 0.5}, TypeError, "seed must be an integer, got None"),
        ("random", 3, {"probability": 0.0, "seed": 0}, ValueError, "probability must be greater than 0.0, got 0.0"),
        ("random", 3, {"probability": 1.5, "seed": 0}, ValueError, "probability must be at most 1.0, got 1.5"),
        ("random", 3, {"probability": float("nan"), "seed": 0}, ValueError, "probability must be finite, got nan"),
        ("random", 3, {"probability": 0.5, "seed": -1}, ValueError, "seed must be at least 0, got -1"),
        ("bandit", 3, {"probability": 0.5}, ValueError, "belong to the random graph, got them for 'bandit'"),
        ("bandit", 3, {"seed": 0}, ValueError, "belong to the random graph, got them for 'bandit'"),
    ],
    ids=str,
)  # fmt: skip
def test_bad_names_and_options_are_refused(
    name: str, classes: int, options: dict[str, float], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        FeedbackGraph.named(name, classes, **options)  # type: ignore[arg-type]


def test_a_graph_loads_no_solver_and_no_picture() -> None:
    program = (
        "import sys\n"
        "from learners.feedback.graph import FeedbackGraph\n"
        "graph = FeedbackGraph.named('bandit', 9)\n"
        "assert graph.revealing.size == 0 and graph.observability == 'strong'\n"
        "print(*({'numba', 'scipy', 'networkx', 'matplotlib'} & set(sys.modules)))\n"
    )
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert completed.stdout.split() == [] and completed.returncode == 0, completed.stdout + completed.stderr


def test_drawing_shows_every_node_and_edge(tmp_path: Path) -> None:
    from matplotlib.patches import FancyArrowPatch

    for name in NAMES:
        graph = graph_of(name, 4)
        figure = graph.draw()
        (axes,) = figure.axes
        arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
        assert len(arrows) == graph.adjacency.sum()
        names = [text.get_text() for text in axes.texts]
        assert names == ["0", "1", "2", "3", *["?"] * (graph.nodes - 4)]
        said = " ".join(text.get_text() for text in figure.texts)
        assert f"domination number {graph.domination_number}, {graph.observability}ly observable" in said
        figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_a_picture_of_a_graph_too_large_to_solve_says_that_its_set_is_greedy(monkeypatch: pytest.MonkeyPatch) -> None:
    unsolved = OptimizeResult(x=None, status=1, message="Time limit reached")
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: unsolved)
    figure = graph_of("cyclic", 5).draw()
    legend = figure.axes[0].get_legend()
    assert legend is not None and "a dominating set (greedy)" in [text.get_text() for text in legend.get_texts()]
    assert "domination number at most 5" in " ".join(text.get_text() for text in figure.texts)


def test_drawing_without_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'drawing needs matplotlib: pip install "strategic-env\[plot\]"'):
        graph_of("full", 3).draw()
