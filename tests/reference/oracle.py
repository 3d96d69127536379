"""An independent reference of the game and of the paper's learners, in plain Python, in two arithmetics.

`EXACT` computes with fractions and, where a norm is irrational, with numbers of the form ``p + q sqrt(n)``: what it
says is true without rounding. `FLOAT64` runs the same rules in double precision with the boundary tolerance. Nothing
here is taken from the packages under test. A classifier is a list ``[w_1 .. w_d, b]``; vectors are lists of numbers.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any, NamedTuple, Protocol

Number = Any  # int, Fraction, Surd or float, depending on the arithmetic
Vector = list[Number]


@total_ordering
class Surd:
    """The irrational number ``rational + coefficient * sqrt(radicand)``, which compares and calculates exactly."""

    def __init__(self, rational: Number, coefficient: Number, radicand: Number) -> None:
        self.rational, self.coefficient, self.radicand = Fraction(rational), Fraction(coefficient), Fraction(radicand)

    def _parts(self, other: Number) -> tuple[Fraction, Fraction]:
        if not isinstance(other, Surd):
            return Fraction(other), Fraction(0)
        if other.radicand != self.radicand:
            raise ValueError(f"cannot combine sqrt({self.radicand}) with sqrt({other.radicand})")
        return other.rational, other.coefficient

    def _reduced(self, rational: Fraction, coefficient: Fraction) -> Number:
        return Surd(rational, coefficient, self.radicand) if coefficient else rational

    def __add__(self, other: Number) -> Number:
        p, q = self._parts(other)
        return self._reduced(self.rational + p, self.coefficient + q)

    def __mul__(self, other: Number) -> Number:
        p, q = self._parts(other)
        return self._reduced(
            self.rational * p + self.coefficient * q * self.radicand, self.rational * q + self.coefficient * p
        )

    def __neg__(self) -> "Surd":
        return Surd(-self.rational, -self.coefficient, self.radicand)

    def __sub__(self, other: Number) -> Number:
        return self + -other

    def __rsub__(self, other: Number) -> Number:
        return -self + other

    def __truediv__(self, other: Number) -> Number:
        p, q = self._parts(other)
        denominator = p * p - q * q * self.radicand
        return self * self._reduced(p / denominator, -q / denominator)

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other: Number) -> Number:
        return Surd(other, 0, self.radicand) / self

    def __eq__(self, other: object) -> bool:
        return not isinstance(self - other, Surd) and self - other == 0

    def __lt__(self, other: Number) -> bool:
        difference = self - other
        if not isinstance(difference, Surd):
            return bool(difference < 0)
        p, q = difference.rational, difference.coefficient
        return (p if p * p > q * q * self.radicand else q) < 0  # the sign of the larger part

    def __float__(self) -> float:
        return float(self.rational) + float(self.coefficient) * math.sqrt(self.radicand)

    def __repr__(self) -> str:
        return f"{self.rational} + {self.coefficient} sqrt({self.radicand})"

    __hash__ = None  # type: ignore[assignment]


def exact_sqrt(value: Number) -> Number:
    """Square root of a non-negative rational: a Fraction where it is one, a Surd otherwise."""
    value = Fraction(value)
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else Surd(0, 1, value)


class Arithmetic(NamedTuple):
    """How numbers are made, how roots are taken, and the unit of rounding (0: there is none)."""

    number: Callable[[Number], Number]
    sqrt: Callable[[Number], Number]
    eps: float

    def vector(self, values: Iterable[Number]) -> Vector:
        return [self.number(v) for v in values]

    def norm(self, values: Sequence[Number]) -> Number:
        return self.sqrt(dot_eight_lanes(values, values))


EXACT = Arithmetic(Fraction, exact_sqrt, 0.0)
FLOAT64 = Arithmetic(float, math.sqrt, 2.0**-52)


def dot_eight_lanes(a: Sequence[Number], b: Sequence[Number]) -> Number:
    """Dot product in the one fixed order: eight lanes over the full blocks, a fixed tree, then the rest in order."""
    full = len(a) - len(a) % 8
    lane: Vector = [0] * 8 if full == 0 else [a[i] * b[i] for i in range(8)]
    for i in range(8, full):
        lane[i % 8] = lane[i % 8] + a[i] * b[i]
    total = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))
    for i in range(full, len(a)):
        total = total + a[i] * b[i]
    return total


def rescaled(classifier: Sequence[Number], arithmetic: Arithmetic) -> Vector:
    """The same classifier with ``max |w_j|`` in [1/2, 1), by a power of two; exact numbers need no rescaling."""
    largest = max(abs(float(v)) for v in classifier[:-1])
    if arithmetic.eps == 0 or largest == 0:
        return list(classifier)
    exponent = -math.frexp(largest)[1]
    half = exponent // 2  # in two steps: 2 ** 1074 is no float64
    return [float(v) * 2.0**half * 2.0 ** (exponent - half) for v in classifier]


# The individuals


@dataclass
class L2:
    """Cost ``|x - z| / alpha``."""

    alpha: Number
    arithmetic: Arithmetic

    def reach(self, w: Vector) -> Number:
        return self.alpha * self.arithmetic.norm(w)

    def shift(self, w: Vector, gap: Number) -> Vector:
        """The cheapest change that raises ``w.x`` by the gap."""
        square = dot_eight_lanes(w, w)
        return [gap * v / square for v in w]


@dataclass
class WeightedL1:
    """Cost ``sum |x_i - z_i| / alpha_i``; a coordinate with ``alpha_i = 0`` cannot move."""

    alpha: Vector
    arithmetic: Arithmetic

    def coordinate(self, w: Vector) -> int:
        gains = [a * abs(v) for a, v in zip(self.alpha, w, strict=True)]
        return gains.index(max(gains))  # the lowest among ties

    def reach(self, w: Vector) -> Number:
        i = self.coordinate(w)
        return self.alpha[i] * abs(w[i])

    def shift(self, w: Vector, gap: Number) -> Vector:
        i = self.coordinate(w)
        return [gap / w[j] if j == i else self.arithmetic.number(0) for j in range(len(w))]


def gap_of(z: Sequence[Number], classifier: Sequence[Number]) -> Number:
    """How much ``w.z + b`` is short of 0."""
    return -(dot_eight_lanes(classifier[:-1], z) + classifier[-1])


def best_response(
    z: Vector, classifier: Sequence[Number], cost: L2 | WeightedL1, ties_move: bool = True
) -> tuple[Vector, bool]:
    """The report, and whether it moved: at cost exactly 1 it does (unless told otherwise), on the boundary not."""
    *w, b = rescaled(classifier, cost.arithmetic)
    if not any(w):
        return z, False
    gap, reach = gap_of(z, [*w, b]), cost.reach(w)
    if not 0 < gap or gap > reach or (gap == reach and not ties_move):
        return z, False
    return [p + s for p, s in zip(z, cost.shift(w, gap), strict=True)], True


def on_boundary(
    report: Sequence[Number], classifier: Sequence[Number], reach_scale: Number, arithmetic: Arithmetic
) -> bool:
    """Whether a mover may have landed here, up to the tolerance ``2 (d + 8) eps (|w| (|x| + A) + |b|)``."""
    scaled = rescaled(classifier, arithmetic)
    excess = -gap_of(report, scaled)
    if arithmetic.eps == 0:
        return bool(excess == 0)
    *w, b = scaled
    size = arithmetic.norm(w) * (arithmetic.norm(report) + reach_scale) + abs(b)
    return bool(abs(excess) <= 2 * (len(w) + 8) * arithmetic.eps * size)


# The learners: `weights` (the bias, where there is one, last), `publish`, and `learn`, which returns the surrogate used


class Learner(Protocol):
    """What `play` asks of a learner."""

    weights: Vector

    def publish(self) -> Vector: ...

    def learn(self, x: Vector, prediction: int, label: int) -> Vector | None: ...


class Perceptron:
    """Algorithm 1; with a bias, its usual extension by a fake coordinate 1."""

    def __init__(self, dim: int, arithmetic: Arithmetic, bias: bool = False, learning_rate: Number = 1) -> None:
        self.weights = arithmetic.vector([0] * (dim + bias))
        self.bias, self.rate, self.zero = bias, arithmetic.number(learning_rate), arithmetic.number(0)

    def publish(self) -> Vector:
        return list(self.weights) if self.bias else [*self.weights, self.zero]

    def learn(self, x: Vector, prediction: int, label: int) -> Vector | None:
        if prediction == label:
            return None
        surrogate = [*x, 1] if self.bias else list(x)
        self.weights = [v + self.rate * label * s for v, s in zip(self.weights, surrogate, strict=True)]
        return surrogate


class StrategicPerceptronL2:
    """Algorithm 2, with Definition 1's surrogate."""

    def __init__(self, dim: int, alpha: Number, arithmetic: Arithmetic) -> None:
        self.weights = arithmetic.vector([0] * dim)
        self.alpha, self.arithmetic = arithmetic.number(alpha), arithmetic

    def publish(self) -> Vector:
        return [*self.weights, -self.alpha * self.arithmetic.norm(self.weights)]

    def learn(self, x: Vector, prediction: int, label: int) -> Vector | None:
        if prediction == label:
            return None
        surrogate, w = list(x), self.weights
        if label < 0 and any(w) and on_boundary(x, self.publish(), self.alpha, self.arithmetic):
            norm = self.arithmetic.norm(w)
            surrogate = [p - self.alpha * v / norm for p, v in zip(x, w, strict=True)]
        self.weights = [v + label * s for v, s in zip(w, surrogate, strict=True)]
        return surrogate


class StrategicPerceptronL1:
    """Algorithm 3 as resolved (correction and tie-break on mistakes only), with Definition 2's surrogate.

    With a bias the fake coordinate 1 counts in norms and in the radius, but is neither corrected nor a direction.
    """

    def __init__(self, alpha: Sequence[Number], radius: float, arithmetic: Arithmetic, bias: bool = False) -> None:
        self.alpha, self.arithmetic, self.bias, self.dim = arithmetic.vector(alpha), arithmetic, bias, len(alpha)
        self.radius = radius + bias
        self.weights = arithmetic.vector([0] * (self.dim + bias))

    def _coordinate(self, w: Vector) -> int | None:
        movable = [j for j in range(self.dim) if self.alpha[j] > 0]
        return max(movable, key=lambda j: (self.alpha[j] * w[j], -j), default=None)

    def _step(self) -> Number:
        """The tie-breaking step: a float64 in both arithmetics, as in the golden cases (|w| is seldom rational)."""
        norm = math.sqrt(dot_eight_lanes(self.weights, self.weights))
        return self.arithmetic.number(1 / (4 * norm + 8 * (self.radius + float(max(self.alpha))) + 2))

    def publish(self) -> Vector:
        w, b = self.weights[: self.dim], self.weights[-1] if self.bias else self.arithmetic.number(0)
        i = self._coordinate(w)
        return [*w, b if i is None else b - self.alpha[i] * w[i]]

    def learn(self, x: Vector, prediction: int, label: int) -> Vector | None:
        if prediction == label:
            return None
        surrogate, i = [*x, 1] if self.bias else list(x), self._coordinate(self.weights)
        boundary = on_boundary(x, self.publish(), max(self.alpha), self.arithmetic)
        if label < 0 and any(self.weights) and i is not None and boundary:
            surrogate[i] = surrogate[i] - self.alpha[i]
        step = self._step()  # from the weights before the update
        w = [v + label * s for v, s in zip(self.weights, surrogate, strict=True)]
        w = [max(v, self.arithmetic.number(0)) for v in w[: self.dim]] + w[self.dim :]
        i = self._coordinate(w)
        if i is not None:
            w[i] = w[i] + step
        self.weights = w
        return surrogate


class Round(NamedTuple):
    """One round of a trace; ``w`` are the learner's weights after it."""

    z: Vector
    y: int
    x: Vector
    moved: bool
    pred: int
    mistake: bool
    surrogate: Vector | None
    w: Vector


def play(
    points: Sequence[tuple[Sequence[Number], int]],
    order: Iterable[int],
    cost: L2 | WeightedL1,
    learner: Learner,
    ties_move: bool = True,
) -> list[Round]:
    """The game: publish, respond, predict, learn, for the points in the given order."""
    trace = []
    for t in order:
        z, y = cost.arithmetic.vector(points[t][0]), points[t][1]
        classifier = learner.publish()
        x, moved = best_response(z, classifier, cost, ties_move)
        pred = 1 if moved or not gap_of(z, classifier) > 0 else -1
        surrogate = learner.learn(x, pred, y)
        trace.append(Round(z, y, x, moved, pred, pred != y, surrogate, list(learner.weights)))
    return trace
