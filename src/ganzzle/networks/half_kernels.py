"""Windows and activations in bfloat16, as uint16, in one pass of a CPU instead of many small steps of torch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit

Array = NDArray[np.float32]
Bits = NDArray[np.uint32]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, inline="always")
def _gelu(x: np.float32) -> np.float32:
    """The cheap form of GELU, with tanh as a ratio of polynomials (good to 1e-6) that fills whole vector registers."""
    u = np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)
    u = min(max(u, np.float32(-7.9053111)), np.float32(7.9053111))
    s = u * u
    top = np.float32(-2.76076847742355e-16)
    top = top * s + np.float32(2.00018790482477e-13)
    top = top * s + np.float32(-8.60467152213735e-11)
    top = top * s + np.float32(5.12229709037114e-08)
    top = top * s + np.float32(1.48572235717979e-05)
    top = top * s + np.float32(6.37261928875436e-04)
    top = top * s + np.float32(4.89352455891786e-03)
    below = np.float32(1.19825839466702e-06)
    below = below * s + np.float32(1.18534705686654e-04)
    below = below * s + np.float32(2.26843463243900e-03)
    below = below * s + np.float32(4.89352518554385e-03)
    half = np.float32(0.5) * x
    return half + half * (u * top / below)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _rounded(bits: np.uint32) -> np.uint32:
    """The bits of a float32 -> those of the nearest bfloat16, which are its upper half."""
    return (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)


def gelu_half(x: Array, out: NDArray[np.uint16]) -> None:
    """GELU, (M, C) -> (M, C) bfloat16 as its bits."""
    row = np.empty(x.shape[1], np.float32)
    _gelu_half(x, row, row.view(np.uint32), out)


def joined_gelu_half(ours: Array, theirs: Array, best: NDArray[np.int64], joined: NDArray[np.uint16]) -> None:
    """GELU of our features plus those of each candidate: 2 x (N, C) and (N, k) -> (N, k, C) bfloat16 as its bits."""
    row = np.empty(ours.shape[1], np.float32)
    _joined_gelu_half(ours, theirs, best, row, row.view(np.uint32), joined)


def window_pixels_half(pieces: Array, out: NDArray[np.uint16]) -> None:
    """(N, 3, 32, 32) -> (N, 4, 8, 288) bfloat16 as its bits; see `window_pixels` in networks/edge_encoder.py."""
    line = np.empty(36, np.float32)
    _window_pixels_half(pieces, line, line.view(np.uint32), out)


# Below, `row` or `line` is room for a row of numbers, and `bits` are the same bytes: a kernel that takes the view
# itself is compiled for half a second longer.


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _gelu_half(x: Array, row: Array, bits: Bits, out: NDArray[np.uint16]) -> None:
    for m in range(x.shape[0]):
        for c in range(len(row)):
            row[c] = _gelu(x[m, c])
        for c in range(len(row)):
            out[m, c] = _rounded(bits[c])


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def _joined_gelu_half(
    ours: Array, theirs: Array, best: NDArray[np.int64], row: Array, bits: Bits, joined: NDArray[np.uint16]
) -> None:
    for n in range(best.shape[0]):
        mine = ours[n]
        for k in range(best.shape[1]):
            other, out = theirs[best[n, k]], joined[n, k]
            for c in range(len(mine)):
                row[c] = _gelu(mine[c] + other[c])
            for c in range(len(mine)):
                out[c] = _rounded(bits[c])


@njit(cache=True, nogil=True, error_model="numpy")
def _window_pixels_half(pieces: Array, line: Array, bits: Bits, out: NDArray[np.uint16]) -> None:
    fine, coarse = np.empty((24, 36), np.uint16), np.empty((24, 18), np.uint16)
    for n in range(pieces.shape[0]):
        for side in range(4):
            corner = (31, 0, 31 * 32, 0)[side]
            onward = 32 if side < 2 else 1
            inward = (-1, 1, -32, 32)[side]
            for depth in range(24):
                pixels = pieces[n, depth // 8].ravel()
                at = corner + depth % 8 * inward
                for m in range(32):
                    line[m + 2] = pixels[at + m * onward]
                line[0] = line[1] = line[2]
                line[34] = line[35] = line[33]
                for m in range(36):
                    fine[depth, m] = _rounded(bits[m])
                at = corner + 2 * (depth % 8) * inward
                for m in range(16):
                    here = at + 2 * m * onward
                    total = pixels[here] + pixels[here + onward]
                    total += pixels[here + inward] + pixels[here + onward + inward]
                    line[m + 1] = total * np.float32(0.25)
                line[0], line[17] = line[1], line[16]
                for m in range(18):
                    coarse[depth, m] = _rounded(bits[m])
            for window in range(8):
                row = out[n, side, window]
                for depth in range(24):
                    for m in range(8):
                        row[8 * depth + m] = fine[depth, 4 * window + m]
                    for m in range(4):
                        row[192 + 4 * depth + m] = coarse[depth, 2 * window + m]
