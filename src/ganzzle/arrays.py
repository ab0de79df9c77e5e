"""Short names for the types of arrays that go through the whole project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # (..., 3): RGB
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Seed: TypeAlias = int | Sequence[int]
