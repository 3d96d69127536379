"""How an observation of the game is laid out: as a dictionary, and as one vector."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.floating[Any]]


class Layout:
    """Where the entries of an observation lie in a vector of ``size = 2 d + 4`` numbers.

    In this order: ``features`` (d,) as reported, ``prediction`` (1,), revealed ``label`` (1,), ``classifier`` (d + 1,)
    as published, ``round`` (1,).

    Parameters
    ----------
    dim : int
        Number of features d.
    """

    def __init__(self, dim: int) -> None:
        self.size = 2 * dim + 4
        self.features = slice(0, dim)
        self.prediction = slice(dim, dim + 1)
        self.label = slice(dim + 1, dim + 2)
        self.classifier = slice(dim + 2, 2 * dim + 3)
        self.round = slice(2 * dim + 3, 2 * dim + 4)

    @classmethod
    def of(cls, vector: Numbers) -> "Layout":
        """Return the layout of a vector (2 d + 4,) or of rows (n, 2 d + 4).

        Raises
        ------
        ValueError
            If no number of features has such a shape.
        """
        size = vector.shape[-1] if vector.ndim in (1, 2) else 0
        if size < 6 or size % 2:
            raise ValueError(f"a flat observation must have shape (2 d + 4,) or (n, 2 d + 4), got {vector.shape}")
        return cls((size - 4) // 2)

    def split(self, vector: Numbers) -> dict[str, Numbers]:
        """Return the entries of a vector (2 d + 4,) or of rows (n, 2 d + 4), as views."""
        if vector.ndim == 2:
            return {key: entry.T for key, entry in self._split(vector.T).items()}
        return self._split(vector)

    def _split(self, vector: Numbers) -> dict[str, Numbers]:
        return {
            "features": vector[self.features],
            "prediction": vector[self.prediction],
            "label": vector[self.label],
            "classifier": vector[self.classifier],
            "round": vector[self.round],
        }
