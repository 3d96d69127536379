"""Densities over centres in plain NumPy, straight from their definitions."""

from typing import Any

import numpy as np

Array = Any


def zero_sum_basis(classes: int) -> Array:
    """Return an orthonormal basis (K, K - 1) of the vectors of sum zero, another one than the learner's."""
    vectors = np.linalg.eigh(np.eye(classes) - 1.0 / classes)[1]
    return vectors[:, 1:]


class DiscOracle:
    """Two centres of two features: a density on many nodes of the unit disc, and the logarithms of its factors."""

    def __init__(self, radii: int, angles: int) -> None:
        nodes, masses = np.polynomial.legendre.leggauss(radii)
        turn = 2.0 * np.pi * (np.arange(angles) + 0.5) / angles
        lengths = np.sqrt((1.0 + nodes) / 2.0)
        self.points = np.stack([np.outer(lengths, np.cos(turn)).ravel(), np.outer(lengths, np.sin(turn)).ravel()], 1)
        self.masses = np.repeat(masses / 2.0 / angles, angles)

    @property
    def centroid(self) -> Array:
        return self.masses @ self.points

    def multiply(self, factor: Array) -> float:
        """Multiply the density by ``1 + <factor, x>``; return the logarithm of its mean."""
        values = self.masses * (1.0 + self.points @ factor)
        self.masses = values / values.sum()
        return float(np.log(values.sum()))


class GaussOracle:
    """The normal body, for any number of centres, in another basis and with the matrix products written out."""

    def __init__(self, classes: int, dim: int, slope: float, capped: bool) -> None:
        self.basis, self.slope, self.capped = zero_sum_basis(classes), slope, capped
        size = (classes - 1) * dim
        self.shape = classes - 1, dim
        self.mean, self.covariance = np.zeros(size), np.eye(size) / (size + 2.0)
        self.nodes, masses = np.polynomial.hermite_e.hermegauss(40)
        self.masses = masses / masses.sum()

    def scores(self, query: Array) -> Array:
        return self.basis @ self.mean.reshape(self.shape) @ query

    def learn(self, query: Array, label: int) -> None:
        scores = self.scores(query)
        right = int(np.argmax(scores)) == label
        if right and not self.capped:
            return
        other = int(np.argmax(np.where(np.arange(len(scores)) == label, -np.inf, scores)))
        unit = np.outer(self.basis[label] - self.basis[other], query / np.linalg.norm(query)).ravel() / np.sqrt(2.0)
        pull = self.covariance @ unit
        deviation = np.sqrt(unit @ pull)
        values = 1.0 + self.slope * (unit @ self.mean + deviation * self.nodes)
        shares = self.masses * np.clip(values, 0.0, 1.0 if right else None)
        shares /= shares.sum()
        first, second = shares @ self.nodes, shares @ self.nodes**2
        self.mean = self.mean + first * pull / deviation
        self.covariance = self.covariance + (second - first**2 - 1.0) * np.outer(pull, pull) / deviation**2
        self.mean /= max(1.0, np.linalg.norm(self.mean))


class SecondOrderOracle:
    """The second-order perceptron over all centres together, by solving its equations anew."""

    def __init__(self, classes: int, dim: int, regularisation: float) -> None:
        self.matrix, self.total = regularisation * np.eye(classes * dim), np.zeros(classes * dim)
        self.shape = classes, dim

    def scores(self, query: Array) -> Array:
        return np.linalg.solve(self.matrix, self.total).reshape(self.shape) @ query

    def learn(self, query: Array, label: int) -> None:
        played = int(np.argmax(self.scores(query)))
        if played != label:
            units = np.eye(self.shape[0])
            step = np.kron(units[label] - units[played], query)
            self.total = self.total + step
            self.matrix = self.matrix + np.outer(step, step)
