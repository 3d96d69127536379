"""Names of the array types that all three packages use."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Float: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.floating[Any]]
Bool: TypeAlias = NDArray[np.bool_]
Int: TypeAlias = NDArray[np.int64]
Key: TypeAlias = NDArray[np.uint64]
