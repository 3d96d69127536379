"""Feedback graphs: which labels a learner gets to see after which action."""

import math
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike

from agents.foundation.checks import LARGEST_SEED, LARGEST_SIZE, count, finite_array, finite_number, one_of, shown
from agents.foundation.pictures import drawing
from agents.foundation.typing import Bool, Float, Int
from agents.foundation.unchangeable import Unchangeable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from networkx import DiGraph

# A name, a graph, or what makes one.
Feedback: TypeAlias = Union[str, "FeedbackGraph", ArrayLike, "DiGraph[Any]"]
STRONG, WEAK, UNOBSERVABLE = "strong", "weak", "unobservable"
TIME_LIMIT = 60.0  # seconds until an exact search gives up


class FeedbackGraph(Unchangeable):
    """A directed graph over actions: playing i shows, for every label k that i points to, whether k is the label.

    A node that shows all labels but one shows the last one, too: the missing edge is added before anything else is
    computed. Two graphs are equal when they show the same.

    Parameters
    ----------
    adjacency : array_like, shape (n, n), or networkx.DiGraph
        0 and 1, or False and True: does row i point to column j? The nodes of a networkx graph are the integers
        0..n-1; attributes of its edges do not matter.
    classes : int, optional
        How many labels there are, K: n (default), or n - 1 where the last node is no label but a query: an action that
        is never right. What points to it does not matter.

    Attributes
    ----------
    classes : int
        Labels, K; they are the nodes 0..K-1.
    reveals : ndarray, shape (n, K), bool
        Row i: the labels of which playing i shows whether they are the label. Read-only.
    name : str
        What it was called, or ``"custom"``.

    Raises
    ------
    TypeError
        If ``adjacency`` holds no numbers, or is an undirected graph.
    ValueError
        If it is not a square matrix of 0 and 1, if ``classes`` does not fit it, or if there is a label that no action
        shows.

    References
    ----------
    van der Hoeven, Fusco and Cesa-Bianchi, Beyond bandit feedback in online multiclass classification, NeurIPS 2021,
    Section 1.1: the setting, revealing actions, the domination number.

    Examples
    --------
    >>> from learners import FeedbackGraph
    >>> graph = FeedbackGraph.named("apple_tasting", classes=2)
    >>> graph.reveals  # label 0 shows nothing, label 1 everything
    array([[False, False],
           [ True,  True]])
    >>> graph.revealing, graph.domination_number
    (array([1]), 1)
    >>> FeedbackGraph([[0, 0], [1, 1]]) == graph
    True
    """

    def __init__(self, adjacency: "ArrayLike | DiGraph[Any]", classes: int | None = None) -> None:
        edges = _edges(adjacency)
        nodes = len(edges)
        if nodes < 2:
            raise ValueError(f"adjacency must have at least 2 nodes, got {nodes}")
        self.classes = count("classes", nodes if classes is None else classes, minimum=2)
        if self.classes not in (nodes, nodes - 1):
            raise ValueError(f"classes must be {nodes}, or {nodes - 1} with a query node, got {classes}")
        self.name = "custom"
        self.reveals = _completed(edges[:, : self.classes])
        self.reveals.flags.writeable = False
        blind = np.flatnonzero(~self.reveals.any(axis=0))
        if blind.size:
            raise ValueError(f"adjacency must show every label after some action, got none that shows label {blind[0]}")

    @classmethod
    def named(cls, name: str, classes: int, *, probability: float | None = None, seed: int | None = None) -> Self:
        """Return a graph of K labels by name.

        Parameters
        ----------
        name : str
            ``"full"``: every action shows the label. ``"bandit"``: an action shows only whether it was right.
            ``"apple_tasting"``: the last class shows the label, the others nothing. ``"label_efficient"``: an extra
            query node shows it, the others nothing. ``"cyclic"``: action i shows only whether i + 1 (mod K) was right.
            ``"random"``: every edge is there with the same probability, independently, given that no label remains
            without one.
        classes : int
            How many labels.
        probability : float
            Of an edge of the random graph, in (0, 1].
        seed : int
            Of the random graph.

        Raises
        ------
        TypeError, ValueError
            For an unknown name, fewer than 2 classes, or parameters that a graph lacks or does not have.
        """
        one_of("name", name, (*NAMED, RANDOM))
        classes = count("classes", classes, minimum=2, maximum=math.isqrt(LARGEST_SIZE) - 1)
        if name == RANDOM:
            chance = finite_number("probability", probability, above=0.0, maximum=1.0)
            edges = _random_edges(classes, chance, count("seed", seed, maximum=LARGEST_SEED))
        elif probability is not None or seed is not None:
            raise ValueError(f"probability and seed belong to the random graph, got them for {name!r}")
        else:
            edges = NAMED[name](classes)
        graph = cls(edges, classes)
        vars(graph)["name"] = name
        return graph

    @classmethod
    def of(cls, feedback: "Feedback", classes: int) -> "FeedbackGraph":
        """Return a feedback graph of K labels from what says so: a name, a graph, or an adjacency.

        Raises
        ------
        TypeError, ValueError
            As `named` and the constructor; and if the graph has another number of labels.
        """
        if isinstance(feedback, str):
            # A random graph needs more than its name.
            return cls.named(one_of("feedback", feedback, tuple(NAMED)), classes)
        if not isinstance(feedback, FeedbackGraph):
            nodes = len(edges := _edges(feedback))
            if nodes not in (classes, classes + 1):
                allowed = f"{classes} nodes, one for each class, or {classes + 1} with a query"
                raise ValueError(f"feedback must have {allowed}, got {nodes}")
            return cls(edges, classes)
        if feedback.classes != classes:
            raise ValueError(f"feedback must be a graph of {classes} classes, got {shown(feedback)}")
        return feedback

    @property
    def nodes(self) -> int:
        """Actions, n: K, or K + 1 with a query node."""
        return len(self.reveals)

    @property
    def has_query(self) -> bool:
        """Whether the last node is a query."""
        return self.nodes > self.classes

    @property
    def adjacency(self) -> Bool:
        """The completed graph as a matrix (n, n): what the constructor takes. Nothing points to a query node."""
        return np.pad(self.reveals, ((0, 0), (0, self.nodes - self.classes)))

    @cached_property
    def revealing(self) -> Int:
        """The actions that show all labels (q,), ascending."""
        return _frozen(np.flatnonzero(self.reveals.all(axis=1)))

    @cached_property
    def dominating_set(self) -> Int:
        """As few actions as possible that together show every label (rho,), ascending.

        A member needs somebody who shows it like every other label: this is no dominating set of closed neighbourhoods,
        as networkx computes.

        Raises
        ------
        RuntimeError
            If a set is not proved to be smallest within a minute; `greedy_dominating_set` is quick.
        """
        return _frozen(_smallest_cover(self.reveals.T, "dominating set"))

    @cached_property
    def greedy_dominating_set(self) -> Int:
        """Actions that together show every label (s,), ascending: each the one that shows most of what is missing.

        They are at most ``1 + ln K`` times as many as in the smallest such set (Johnson, Approximation algorithms for
        combinatorial problems, 1974).
        """
        missing, chosen = np.ones(self.classes, dtype=bool), []
        gains = self.reveals.sum(axis=1)
        while missing.any():
            chosen.append(int(np.argmax(gains)))
            news = missing & self.reveals[chosen[-1]]
            gains -= self.reveals[:, news].sum(axis=1)
            missing &= ~news
        return _frozen(np.sort(chosen))

    @property
    def domination_number(self) -> int:
        """The size of the smallest dominating set; errors as there."""
        return len(self.dominating_set)

    @cached_property
    def weak_domination_number(self) -> int:
        """The fewest actions that together show every weakly observable label; 0 where there is none.

        Raises
        ------
        RuntimeError
            As `dominating_set`.
        """
        weak = np.array(self.label_observability) == WEAK
        return len(_smallest_cover(self.reveals.T[weak], "weakly dominating set"))

    @cached_property
    def independence_number(self) -> int:
        """The most actions of which none shows anything about another.

        Raises
        ------
        RuntimeError
            As `dominating_set`.
        """
        edges = np.argwhere(np.triu(self.adjacency | self.adjacency.T, k=1))
        ends = np.zeros((len(edges), self.nodes), dtype=bool)
        np.put_along_axis(ends, edges, True, axis=1)
        # What an independent set leaves out meets every edge.
        return self.nodes - len(_smallest_cover(ends, "independent set"))

    @property
    def label_observability(self) -> tuple[str, ...]:
        """For each label ``"strong"`` or ``"weak"``; see `observability`."""
        return observability(self.reveals)

    @property
    def observability(self) -> str:
        """``"strong"`` if every label is strongly observable, else ``"weak"``.

        Regret with experts grows as ``sqrt(alpha T)`` on the former, with ``alpha`` the independence number, and as
        ``delta^(1/3) T^(2/3)`` on the latter, with ``delta`` the weak domination number (Alon, Cesa-Bianchi, Dekel and
        Koren, Online learning with feedback graphs: beyond bandits, COLT 2015). The surrogate regret of Gappletron
        grows as ``sqrt(rho T)`` on both.
        """
        return WEAK if WEAK in self.label_observability else STRONG

    def draw(self) -> "Figure":
        """Return a picture of the graph; ``draw().savefig("graph.png")`` saves it.

        Raises
        ------
        ImportError
            If matplotlib is missing.
        DrawingFailed
            If it fails.
        """
        try:
            members, what, most = self.dominating_set, "smallest dominating set", ""
        except RuntimeError:
            members, what, most = self.greedy_dominating_set, "a dominating set (greedy)", "at most "
        title = f"{self.name.replace('_', ' ')}: {self.classes} classes{' and a query' * self.has_query}"
        numbers = f"domination number {most}{len(members)}, {self.observability}ly observable"
        with drawing():
            from learners.feedback.picture import drawn

            return drawn(title, numbers, self.adjacency, self.reveals, self.label_observability, members, what)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeedbackGraph):
            return NotImplemented
        return np.array_equal(self.reveals, other.reveals)

    def __hash__(self) -> int:
        return hash((self.reveals.shape, self.reveals.tobytes()))

    def __repr__(self) -> str:
        query = " and a query" if self.has_query else ""
        return f"<FeedbackGraph {self.name}: {self.classes} classes{query}>"

    def __getstate__(self) -> dict[str, Any]:
        # Without what is computed on demand: equal graphs of one name pickle alike.
        return {"classes": self.classes, "name": self.name, "reveals": self.reveals}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.reveals.flags.writeable = False  # which a pickle forgets


def observability(reveals: Bool) -> tuple[str, ...]:
    """Classify the K labels of a completed graph.

    Parameters
    ----------
    reveals : ndarray, shape (n, K), bool
        Row i: the labels that action i shows.

    Returns
    -------
    tuple of str
        ``"strong"`` for a label that shows itself, or that all other actions show; ``"weak"`` for another that some
        action shows; else ``"unobservable"``: regret is linear, and `FeedbackGraph` refuses the graph.

    References
    ----------
    Alon, Cesa-Bianchi, Dekel and Koren, Online learning with feedback graphs: beyond bandits, COLT 2015, Section 2.
    """
    nodes, classes = reveals.shape
    itself = np.diagonal(reveals)
    others = reveals.sum(axis=0) - itself
    strong = itself | (others == nodes - 1)
    return tuple(np.select([strong, others > 0], [STRONG, WEAK], UNOBSERVABLE).tolist())


def _edges(adjacency: Any) -> Bool:
    """Return the edges (n, n) as they are given."""
    if (is_directed := getattr(adjacency, "is_directed", None)) is not None:  # a graph of networkx
        if not is_directed():
            raise TypeError(f"adjacency must be a directed graph (graph.to_directed()), got {adjacency}")
        matrix = _matrix_of(adjacency)
    else:
        with suppress(ValueError):  # ragged, of which the check tells more
            flags = np.asanyarray(adjacency)
            adjacency = flags.astype(np.int64) if flags.dtype == np.bool_ else adjacency
        matrix = finite_array("adjacency", adjacency, (None, None))
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"adjacency must be square, got shape {matrix.shape}")
    strange = matrix[(matrix != 0.0) & (matrix != 1.0)]
    if strange.size:
        raise ValueError(f"adjacency must hold 0 and 1, got {strange[0]}")
    return np.asarray(matrix == 1.0)


def _matrix_of(graph: "DiGraph[Any]") -> Float:
    nodes = range(len(graph))
    if set(graph) != set(nodes):
        raise ValueError(f"adjacency must have the nodes 0, 1, 2, ... without a gap, got {shown(list(graph))}")
    matrix, place = np.zeros((len(nodes), len(nodes))), dict(zip(nodes, nodes, strict=True))
    for tail, head in graph.edges():
        matrix[place[tail], place[head]] = 1.0  # a node 1.0 is the node 1
    return matrix


def _completed(reveals: Bool) -> Bool:
    """Return what actions show (n, K) once whoever shows all labels but one shows that one, too."""
    all_but_one = reveals.sum(axis=1, keepdims=True) == reveals.shape[1] - 1
    return np.ascontiguousarray(reveals | all_but_one)


def _smallest_cover(rows: Bool, what: str) -> Int:
    """Return as few columns as possible of which one has a True in every row (m, n), ascending."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    from scipy.optimize import Bounds, LinearConstraint, milp  # half a second to import

    columns = rows.shape[1]
    result = milp(
        np.ones(columns),
        integrality=np.ones(columns, dtype=np.int64),
        bounds=Bounds(0.0, 1.0),
        constraints=LinearConstraint(rows.astype(np.float64), lb=1.0),
        options={"time_limit": TIME_LIMIT, "mip_rel_gap": 0.0},
    )
    if result.status != 0 or result.x is None:  # the best one so far need not be smallest
        raise RuntimeError(f"no {what} was proved to be best within {TIME_LIMIT:g} seconds: {result.message}")
    return np.flatnonzero(np.round(result.x))


def _frozen(array: Int) -> Int:
    array.flags.writeable = False
    return array


def _full(classes: int) -> Bool:
    return np.ones((classes, classes), dtype=bool)


def _bandit(classes: int) -> Bool:
    return np.eye(classes, dtype=bool)


def _apple_tasting(classes: int) -> Bool:
    return np.repeat(np.arange(classes)[:, np.newaxis] == classes - 1, classes, axis=1)


def _label_efficient(classes: int) -> Bool:
    return _apple_tasting(classes + 1)


def _cyclic(classes: int) -> Bool:
    return np.roll(_bandit(classes), 1, axis=1)


NAMED: dict[str, Callable[[int], Bool]] = {
    "full": _full,
    "bandit": _bandit,
    "apple_tasting": _apple_tasting,
    "label_efficient": _label_efficient,
    "cyclic": _cyclic,
}
RANDOM = "random"


def _random_edges(classes: int, probability: float, seed: int) -> Bool:
    """Draw the edges into every label, given that there is one: the first has a truncated geometric distribution."""
    source = np.random.default_rng(seed)
    edges = source.random((classes, classes)) < probability
    with np.errstate(divide="ignore"):  # every edge is there
        absent = np.log1p(-probability)
    first = np.floor(np.log1p(source.random(classes) * np.expm1(classes * absent)) / absent)
    rows = np.arange(classes)[:, np.newaxis]
    first = np.minimum(first, classes - 1)  # rounding
    return np.asarray((rows == first) | (edges & (rows > first)))
