"""Every multiclass learner a second time, in plain NumPy and from the papers' pseudo-code: slow, and easy to read.

Each has ``distribution(x)``, with what probability it plays each node, and ``learn(action, feedback)`` about that x.
"""

import math
from typing import Any

import numpy as np

from learners import FeedbackGraph


def known_label(feedback: Any) -> int | None:
    if 1 in feedback:
        return int(np.argmax(feedback))
    hidden = np.flatnonzero(np.asarray(feedback) == -1)
    return int(hidden[0]) if len(hidden) == 1 else None


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def margin(scores: Any, label: int) -> float:
    return float(scores[label] - np.delete(scores, label).max())


def rival(scores: Any, label: int) -> int:
    others = [k for k in range(len(scores)) if k != label]
    return max(others, key=lambda k: (scores[k], -k))


def loss(name: str, scores: Any, label: int, kappa: float) -> float:
    m = margin(scores, label)
    match name:
        case "logistic_k":
            return float(-np.log(softmax(scores)[label]) / np.log(len(scores)))
        case "logistic_2":
            return float(-np.log2(softmax(scores)[label]))
        case "smooth_hinge":
            return 1 - 2 * m if m <= 0 else (1 - m) ** 2 if m < 1 else 0.0
    return 0.0 if m > kappa and np.argmax(scores) == label else max(0.0, 1 - m)


def slopes(name: str, scores: Any, label: int, kappa: float) -> Any:
    out, m = np.zeros(len(scores)), margin(scores, label)
    if name.startswith("logistic"):
        out = softmax(scores)
        out[label] -= 1
        return out / np.log(2 if name == "logistic_2" else len(scores))
    if name == "smooth_hinge":
        step = 2.0 if m <= 0 else 2 * (1 - m) if m < 1 else 0.0
    else:
        step = 1.0 if m < 1 and not (np.argmax(scores) == label and m > kappa) else 0.0
    out[rival(scores, label)], out[label] = step, -step
    return out


class Linear:
    """Zero weights W (K, d), and the point last seen."""

    def __init__(self, learner: Any, dim: int) -> None:
        self.of, self.K, self.n = learner, learner.classes, learner.nodes
        self.W, self.x, self.p = np.zeros((self.K, dim)), np.zeros(dim), np.zeros(self.n)
        self.begin(dim)

    def begin(self, dim: int) -> None:
        pass

    def distribution(self, x: Any) -> Any:
        self.x = np.array(x)
        self.s = self.scores()
        self.best = int(np.argmax(self.s))
        self.p = self.mixed()
        return self.p

    def scores(self) -> Any:
        return self.W @ self.x

    def mixed(self) -> Any:
        return np.eye(self.n)[self.best]

    def spread(self, rate: float) -> Any:
        uniform = np.where(np.arange(self.n) < self.K, 1 / self.K, 0.0)
        return (1 - rate) * np.eye(self.n)[self.best] + rate * uniform

    def learn(self, action: int, feedback: Any) -> None:
        y = known_label(feedback)
        if y is not None:
            self.learn_label(y)

    def learn_label(self, y: int) -> None:
        raise NotImplementedError


class Descent:
    """The four ways to learn from a gradient (K, d)."""

    def __init__(self, kind: str, norm: float) -> None:
        self.kind, self.norm = kind, norm
        self.seen: list[Any] = []

    def step(self, W: Any, gradient: Any) -> Any:
        if not gradient.any():
            return W
        self.seen.append(gradient)
        total = sum(np.sum(g * g) for g in self.seen)
        match self.kind:
            case "fixed":
                return W - self.norm * gradient
            case "adaptive":
                return W - self.norm * gradient / math.sqrt(1e-8 + total)
            case "projected":
                W = W - self.norm * math.sqrt(2) * gradient / math.sqrt(total)
                return W * min(1.0, self.norm / np.linalg.norm(W))
        return self.bet()

    def bet(self) -> Any:
        """FreeGrad on gradients shortened to the largest one before them."""
        sizes = [np.linalg.norm(g) for g in self.seen]
        hints = [sizes[0], *np.maximum.accumulate(sizes)[:-1]]
        shortened = [g * min(1.0, hint / size) for g, size, hint in zip(self.seen, sizes, hints, strict=True)]
        h1, h = sizes[0], max(sizes)
        G, V = sum(shortened), h1**2 + sum(np.sum(g * g) for g in shortened)
        size = float(np.linalg.norm(G))
        along = (2 * V + h * size) * h1**2 / (2 * (V + h * size) ** 2 * math.sqrt(V))
        return -self.norm * along * math.exp(size**2 / (2 * V + 2 * h * size)) * G


class Gappletron(Linear):
    def begin(self, dim: int) -> None:
        self.reveals, self.N = self.of.graph.reveals, 0
        self.descent = Descent(self.of.descent, self.of.step)

    def mixed(self) -> Any:
        of, gamma, S = self.of, 0.0, self.of.graph.dominating_set
        if not self.reveals[self.best].all():
            self.N += 1
            gamma = min(0.5, of.gamma / math.sqrt(self.N))
        a = min(1.0, loss(of.loss, self.s, self.best, of.kappa))
        if of.gap_map == "minimal":
            a = float(np.clip(self.n - (self.n - 1) * loss(of.loss, self.s, rival(self.s, self.best), of.kappa), 0, 1))
        zeta = float(gamma <= a)
        on_s = np.isin(np.arange(self.n), S) / len(S)
        leads = (1 - zeta * a - (1 - zeta) * gamma) * np.eye(self.n)[self.best]
        return leads + zeta * a / self.n + (1 - zeta) * gamma * on_s

    def learn_label(self, y: int) -> None:
        v = 1 / sum(self.p[i] for i in range(self.n) if self.reveals[i, y])
        gradient = v * np.outer(slopes(self.of.loss, self.s, y, self.of.kappa), self.x)
        self.W = self.descent.step(self.W, gradient)


class Gaptron(Gappletron):
    def begin(self, dim: int) -> None:
        self.reveals, self.descent = self.of.graph.reveals, Descent("fixed", self.of.step)

    def mixed(self) -> Any:
        a = loss(self.of.loss, self.s, self.best, self.of.kappa)
        if self.of.loss == "logistic_2":
            q = softmax(self.s)[self.best]
            a = 1 - q if q >= 0.5 else 1.0
        return self.spread(max(a, self.of.gamma))


class Banditron(Linear):
    def begin(self, dim: int) -> None:
        self.descent = Descent("adaptive", self.of.norm)

    def mixed(self) -> Any:
        return self.spread(self.of.gamma)

    def learn(self, action: int, feedback: Any) -> None:
        right = feedback[action] == 1
        if self.of.importance_weighted:
            if right:
                hinge = slopes("special_hinge", self.s, action, math.inf)
                self.W = self.descent.step(self.W, np.outer(hinge, self.x) / self.p[action])
            return
        self.W[self.best] -= self.x
        if right:
            self.W[action] += self.x / self.p[action]


class PNewtron(Linear):
    explored: Any  # returns the uniform number that says whether a round explored

    def begin(self, dim: int) -> None:
        self.A, self.b = np.full((self.K, dim), 1 / self.of.norm), np.zeros((self.K, dim))

    def mixed(self) -> Any:
        g = self.of.gamma
        self.q = softmax(self.of.alpha * self.s)
        return (1 - g) * self.q + g / self.K

    def learn(self, action: int, feedback: Any) -> None:
        p, of = self.p[action], self.of
        own = np.eye(self.K)[action] * (1 if of.form == "exact" else 2 / self.K) - 1 / self.K
        if feedback[action] == 1:
            gradient, k = -(1 - self.q[action]) / p * np.outer(own, self.x), p
        else:
            gradient, k = self.q[action] / p * np.outer(own, self.x), 1.0
        chance_of_exploring = of.gamma / self.K / p
        factor = 1.0 if self.explored() < chance_of_exploring else 1 - k * of.beta * np.sum(gradient * self.W)
        self.A += k * of.beta * gradient**2
        self.b += factor * gradient
        self.W = -self.b / self.A
        self.W *= min(1.0, of.norm / np.linalg.norm(self.W))


class Soba(Linear):
    def begin(self, dim: int) -> None:
        self.t, self.total, self.gains = 0, 0.0, 0.0
        self.A, self.theta = np.full((self.K, dim), self.of.regularisation), np.zeros((self.K, dim))

    def mixed(self) -> Any:
        self.t += 1
        adaptive = min(1.0, math.sqrt(self.K * (1 + self.gains) / self.t))
        return self.spread(adaptive if self.of.exploration == "adaptive" else self.of.gamma)

    def learn(self, action: int, feedback: Any) -> None:
        if feedback[action] != 1:
            return
        p = self.p[action]
        g = np.outer(np.eye(self.K)[rival(self.s, action)] - np.eye(self.K)[action], self.x) / p
        z = math.sqrt(p) * g
        m = (np.sum(self.W * z) ** 2 + 2 * np.sum(self.W * g)) / (1 + np.sum(z * z / self.A))
        if self.best != action or self.total + m >= 0:
            self.total += m
            self.A += z**2
            self.theta -= g
            self.W = self.theta / self.A
            self.gains += np.sum(z * z / self.A)


class Perceptron(Linear):
    def learn_label(self, y: int) -> None:
        demotes = self.of.demotes
        if demotes == "one_vs_all":
            for k in range(self.K):
                sign = 1 if k == y else -1
                if sign * self.s[k] <= 0:
                    self.W[k] += sign * self.x
        elif self.best != y:
            wrong = [k for k in range(self.K) if k != y and self.s[k] >= self.s[y]]
            for k in wrong if demotes == "uniform" else [self.best]:
                self.W[k] -= self.x / (len(wrong) if demotes == "uniform" else 1)
            self.W[y] += self.x


class PassiveAggressive(Linear):
    def learn_label(self, y: int) -> None:
        C, square = self.of.aggressiveness, self.x @ self.x
        hinge = max(0.0, 1 - margin(self.s, y))
        tau = min(C, hinge / (2 * square)) if self.of.variant == "I" else hinge / (2 * square + 1 / (2 * C))
        self.W += tau * np.outer(np.eye(self.K)[y] - np.eye(self.K)[rival(self.s, y)], self.x)


class Arow(Linear):
    def begin(self, dim: int) -> None:
        self.S = np.ones((self.K, dim))

    def learn_label(self, y: int) -> None:
        k, hinge = rival(self.s, y), 1 - margin(self.s, y)
        if hinge <= 0:
            return
        beta = 1 / (self.x @ ((self.S[y] + self.S[k]) * self.x) + self.of.regularisation)
        self.W[y] += hinge * beta * self.S[y] * self.x
        self.W[k] -= hinge * beta * self.S[k] * self.x
        for row in (y, k):
            self.S[row] -= beta * (self.S[row] * self.x) ** 2


class SecondOrder(Linear):
    def begin(self, dim: int) -> None:
        self.A = np.full((self.K, dim), self.of.regularisation)

    def scores(self) -> Any:
        return (self.W / (self.A + self.x**2)) @ self.x

    def learn_label(self, y: int) -> None:
        if y != self.best:
            self.W[y] += self.x
            self.W[self.best] -= self.x
            self.A[y] += self.x**2
            self.A[self.best] += self.x**2


def feedback_of(graph: FeedbackGraph, action: int, label: int) -> Any:
    """Return what playing a node reveals of a label: (K,) of -1, 0, 1."""
    return np.where(graph.reveals[action], np.arange(graph.classes) == label, -1.0)
