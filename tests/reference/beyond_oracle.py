"""Independent references, in plain NumPy, of the learners that go beyond the paper.

Each learns from ``(x, prediction, label, classifier)`` and publishes ``[w, b]`` at any scale. They know the game's
rules, not the packages under test; sums run in NumPy's order, so that published directions agree up to rounding.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Array = NDArray[np.float64]
EPS = 2.0**-52


def lies_on(classifier: Array, x: Array, scale: float) -> bool:
    """Whether a report lies on the published boundary, up to a mover's rounding."""
    w, b = classifier[:-1], classifier[-1]
    norm = np.linalg.norm(w)
    tolerance = 2 * (len(w) + 8) * EPS * (norm * (np.linalg.norm(x) + scale) + abs(b))
    return bool(norm > 0 and abs(w @ x + b) <= tolerance)


class Reference:
    """A learner for l2 costs (alpha a number) or weighted l1 costs (alpha an array)."""

    def __init__(self, dim: int, alpha: float | Array, bias: bool = False) -> None:
        self.dim, self.alpha, self.bias = dim, alpha, bias
        self.w, self.b = np.zeros(dim), 0.0

    @property
    def l1(self) -> bool:
        return isinstance(self.alpha, np.ndarray)

    def pull(self, w: Array) -> Array:
        """How far a mover may have come, and along which direction."""
        if not self.l1:
            return np.asarray(self.alpha * w / np.linalg.norm(w))
        gains, result = self.alpha * np.abs(w), np.zeros(self.dim)
        if np.any(self.alpha > 0):
            i = int(np.argmax(np.where(self.alpha > 0, gains, -1)))
            result[i] = np.copysign(self.alpha[i], w[i])
        return result

    def surrogate(self, x: Array, label: float, classifier: Array) -> Array:
        if label < 0 and lies_on(classifier, x, float(np.max(self.alpha))):
            return x - self.pull(classifier[:-1])
        return x

    def raised(self, w: Array, b: float) -> Array:
        return np.append(w, b - (w @ self.pull(w) if w.any() else 0.0))

    def publish(self) -> Array:
        return self.raised(self.w, self.b)

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        raise NotImplementedError


class SecondOrder(Reference):
    def __init__(self, dim: int, alpha: float, regularisation: float) -> None:
        super().__init__(dim, alpha)
        self.A, self.sum = regularisation * np.eye(dim), np.zeros(dim)

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        if label != prediction:
            s = self.surrogate(x, label, classifier)
            self.A, self.sum = self.A + np.outer(s, s), self.sum + label * s
            self.w = np.linalg.solve(self.A, self.sum)


class Gradient(Reference):
    def __init__(self, dim: int, alpha: float | Array, bias: bool, largest_norm: float) -> None:
        super().__init__(dim, alpha, bias)
        self.largest_norm, self.squares = largest_norm, 0.0

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        s = np.append(self.surrogate(x, label, classifier), float(self.bias))
        v = np.append(self.w, self.b)
        if label * (v @ s) < 1:
            self.squares += s @ s
            v = v + label * self.largest_norm / 2 / np.sqrt(self.squares) * s
            if self.l1:
                v[:-1] = np.maximum(v[:-1], 0)
            v *= min(1.0, self.largest_norm / np.linalg.norm(v))
            self.w, self.b = v[:-1], v[-1]


class Adaptive(Reference):
    """Descents of nine norms and three rates, mixed by AdaHedge; a vector's last entry is the intercept's."""

    def __init__(self, dim: int, alpha: float | Array, radius: float) -> None:
        super().__init__(dim, alpha, True)
        self.fake = radius / 5
        self.largest = np.repeat(2.0 ** np.arange(9), 3) / radius
        self.rates = np.tile([0.25, 0.5, 1.0], 9)
        self.v, self.squares, self.losses = np.zeros((27, dim + 1)), np.zeros(27), np.zeros(27)
        self.gap = 0.0

    @property
    def shares(self) -> Array:
        behind = self.losses - self.losses.min()
        p = np.exp(-behind * np.log(27) / self.gap) if self.gap > 0 else (behind == 0).astype(float)
        return np.asarray(p / p.sum())

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        s, p = np.append(self.surrogate(x, label, classifier), self.fake), self.shares
        fresh = np.maximum(0, 1 - label * self.v @ s)
        if self.gap > 0:
            eta = np.log(27) / self.gap
            mixed = fresh.min() - np.log(p @ np.exp(-eta * (fresh - fresh.min()))) / eta
        else:
            mixed = fresh[p > 0].min()
        for k in np.flatnonzero(fresh):
            self.squares[k] += s @ s
            self.v[k] += label * self.rates[k] * self.largest[k] / np.sqrt(self.squares[k]) * s
            if self.l1:
                self.v[k, :-1] = np.maximum(self.v[k, :-1], 0)
            self.v[k] *= min(1.0, self.largest[k] / np.linalg.norm(self.v[k]))
        self.gap += p @ fresh - mixed
        self.losses += fresh
        mixture = self.shares @ self.v
        self.w, self.b = mixture[:-1], mixture[-1] * self.fake


class NearestStep(Reference):
    """The first-order maximum-margin learner: signed sums of the shares of positive and of negative proxies."""

    def __init__(self, dim: int, alpha: float | Array, bias: bool) -> None:
        super().__init__(dim, alpha, bias)
        self.sums: dict[float, Array] = {}

    @property
    def separates(self) -> bool:
        return -1.0 in self.sums and (not self.bias or 1.0 in self.sums)

    def publish(self) -> Array:
        if self.separates:
            return self.raised(self.w, self.b)
        return np.append(np.zeros(self.dim), -float(-1.0 in self.sums))

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        s = self.surrogate(x, label, classifier)
        if label not in self.sums and (self.bias or not self.sums):
            self.sums[label] = s
        elif not self.bias or -label in self.sums:
            self.sums.setdefault(label, np.zeros(self.dim))
            members = [label] if self.bias else list(self.sums)
            path = (label * self.sums[label] if self.bias else self.w) - label * s
            share = np.clip(self.w @ path / (path @ path), 0, 1)
            for k in members:
                self.sums[k] = (1 - share) * self.sums[k]
            self.sums[label] = self.sums[label] + share * s
        self.w = np.asarray(sum(k * v for k, v in self.sums.items()))
        self.w = np.maximum(self.w, 0) if self.l1 else self.w
        self.b = -float(self.w @ sum(self.sums.values())) / 2 if self.bias else 0.0


class MaxMargin(Reference):
    """All proxies for ever, and the shortest vector of their set by sequential quadratic programming."""

    def __init__(self, dim: int, alpha: float | Array, bias: bool) -> None:
        super().__init__(dim, alpha, bias)
        self.proxies: list[Array] = []
        self.labels: list[float] = []

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        self.proxies.append(self.surrogate(x, label, classifier))
        self.labels.append(label)

    def shortest(self) -> float:
        """The length of the shortest vector: the margin without an intercept, twice the margin with one."""
        labels = np.array(self.labels)
        signed = labels[:, None] * np.array(self.proxies)
        rows = np.hstack([signed, labels[:, None]]) if self.bias else signed
        bounds = [(0.0 if self.l1 else None, None)] * self.dim + [(None, None)] * self.bias
        answer = minimize(
            lambda v: v[: self.dim] @ v[: self.dim] / 2,
            np.zeros(rows.shape[1]),
            jac=lambda v: np.append(v[: self.dim], np.zeros(len(v) - self.dim)),
            bounds=bounds,
            constraints={"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows},
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        assert answer.success, answer.message
        return (1 + self.bias) / float(np.linalg.norm(answer.x[: self.dim]))


class AcceptedOnly(Reference):
    """Algorithm 2 that learns from rounds without weights as if it had predicted; it does not decide when they come."""

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        if not classifier[:-1].any():
            prediction = 1.0 if self.w @ x >= 0 else -1.0
        if label not in (0, prediction):
            self.w = self.w + label * self.surrogate(x, label, classifier)


class UnknownL1(Reference):
    def __init__(self, dim: int, radius: float, margin: float) -> None:
        super().__init__(dim, np.full(dim, radius))
        self.radius, self.margin = radius, margin

    def learn(self, x: Array, prediction: float, label: float, classifier: Array) -> None:
        w, size = classifier[:-1], (1 + np.sqrt(2)) * self.radius
        surrogate = self.surrogate(x, label, classifier)
        if prediction < 0:
            tolerance = np.linalg.norm(w) * (np.linalg.norm(x) + self.radius) + abs(classifier[-1])
            gap = -(w @ x) - classifier[-1] + 2 * (self.dim + 8) * EPS * tolerance
            rising = w > 0
            self.alpha = self.alpha.copy()  # type: ignore[union-attr]
            self.alpha[rising] = np.minimum(self.alpha[rising], gap / w[rising])
        low_bar = label > 0 and self.w @ x > self.margin / 2 * np.linalg.norm(self.w)
        if label != prediction and not low_bar:
            eta = size**2 / (4 * np.linalg.norm(self.w) + 4 * size)
            self.w = np.maximum(self.w + label * surrogate, 0)
            self.w[np.argmax(self.alpha * self.w)] += eta
