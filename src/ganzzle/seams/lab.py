"""CIE LAB in fixed point.

Values are LAB (D65) times `SCALE`, rounded and held in float32. Sums of such whole numbers are exact in float32 up to
2^24, so a cost built from them does not depend on the order of summation: a mirrored or transposed puzzle has the same
costs to the last bit, and so does any number of threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Pixels

SCALE = 32

_CODES = np.arange(256) / 255.0
_LINEAR = np.where(_CODES <= 0.04045, _CODES / 12.92, ((_CODES + 0.055) / 1.055) ** 2.4)
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_TO_XYZ /= _TO_XYZ.sum(1, keepdims=True)  # white becomes (1, 1, 1), so every grey has a = b = 0


def fixed_lab(pixels: Pixels) -> NDArray[np.float32]:
    """(..., 3) RGB -> (..., 3) LAB * SCALE, whole numbers in float32."""
    xyz = _LINEAR[pixels] @ _TO_XYZ.T
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    lab = np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)
    return np.rint(lab * SCALE).astype(np.float32)
