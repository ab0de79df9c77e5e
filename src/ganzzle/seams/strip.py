"""A strip, straightened, as two of them are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Pixels

Border = NDArray[np.float32]  # (h,) px


@dataclass(frozen=True, eq=False)
class Strip:
    """A strip whose smoothed left border is its first column, and whose smoothed right border is its last."""

    pixels: Pixels  # (h, w, 3)
    ink: NDArray[np.uint8]  # (h, w) 0 is paper, 255 black
    left: Border  # (h,) px that the left border was off its own straight line, to the right
    right: Border  # (h,) the same of the right border
    fringed: bool = False  # whether it was cut out along wavy borders, or is a plain rectangle

    def turned(self) -> Strip:
        """The strip turned by half a turn."""
        return Strip(
            np.ascontiguousarray(self.pixels[::-1, ::-1]),
            np.ascontiguousarray(self.ink[::-1, ::-1]),
            -self.right[::-1],
            -self.left[::-1],
            self.fringed,
        )
