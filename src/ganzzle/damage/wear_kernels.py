"""What tells worn rims and noise: sums over all pixels of a pile, in one pass each."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit


@njit(cache=True, nogil=True, error_model="numpy")
def ring_spread(pieces: NDArray[np.uint8], depth: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of the mean colour of each side of a ring of pixels: its variance between pieces, and what of it is chance.

    (N, h, w, 3), the ring `depth` px from the border; both (4,), a figure a side, means over the three channels.
    """
    count, height, width, _ = pieces.shape
    between, by_chance = np.zeros(4), np.zeros(4)
    means = np.empty((count, 3))
    for side in range(4):
        length = (height if side < 2 else width) - 2 * depth
        for n in range(count):
            for channel in range(3):
                total = squares = 0
                for m in range(depth, depth + length):
                    if side == 0:
                        value = int(pieces[n, m, width - 1 - depth, channel])
                    elif side == 1:
                        value = int(pieces[n, m, depth, channel])
                    elif side == 2:
                        value = int(pieces[n, height - 1 - depth, m, channel])
                    else:
                        value = int(pieces[n, depth, m, channel])
                    total += value
                    squares += value * value
                mean = total / length
                means[n, channel] = mean
                by_chance[side] += (squares / length - mean * mean) / (3 * count * length)
        for channel in range(3):
            summed = squared = 0.0
            for n in range(count):
                summed += means[n, channel]
            for n in range(count):
                squared += (means[n, channel] - summed / count) ** 2
            between[side] += squared / (3 * (count - 1))
    return between, by_chance


@njit(cache=True, nogil=True, error_model="numpy")
def least_detail(pieces: NDArray[np.uint8], margin: int) -> NDArray[np.float64]:
    """(N, h, w, 3) -> (N,) the least variance that the finest detail has in any mixture of the three channels.

    The detail, second differences down of second differences across, is scaled to leave white noise its variance; the
    outer `margin` px of a piece are not looked at.
    """
    count, height, width, _ = pieces.shape
    least = np.empty(count)
    line = np.empty((3, width), np.int32)  # second differences down
    for n in range(count):
        rr = gg = bb = rg = gb = rb = 0
        lines = range(margin + 1, height - margin - 1, 2)  # every other one tells enough
        for y in lines:
            for x in range(margin, width - margin):
                for channel in range(3):
                    outer = np.int32(pieces[n, y - 1, x, channel]) + np.int32(pieces[n, y + 1, x, channel])
                    line[channel, x] = outer - 2 * np.int32(pieces[n, y, x, channel])
            for x in range(margin + 1, width - margin - 1):
                red = line[0, x - 1] + line[0, x + 1] - 2 * line[0, x]
                green = line[1, x - 1] + line[1, x + 1] - 2 * line[1, x]
                blue = line[2, x - 1] + line[2, x + 1] - 2 * line[2, x]
                rr += red * red
                gg += green * green
                bb += blue * blue
                rg += red * green
                gb += green * blue
                rb += red * blue
        scale = 36 * len(lines) * (width - 2 * margin - 2)
        least[n] = least_eigenvalue(rr / scale, gg / scale, bb / scale, rg / scale, gb / scale, rb / scale)
    return least


@njit(cache=True, nogil=True, error_model="numpy")
def repeated_colours(pieces: NDArray[np.uint8], margin: int) -> NDArray[np.float64]:
    """(N, h, w, 3) -> (N,) share of the pixels that differ in nothing but brightness from one of the two before them.

    Black pixels, which may be worn, and the outer `margin` px of a piece are not looked at.
    """
    count, height, width, _ = pieces.shape
    share = np.empty(count)
    black = np.int32(1 << 20)
    line = np.empty(width, np.int32)  # red and blue less green in one number
    for n in range(count):
        seen = repeated = 0
        for y in range(margin, height - margin, 2):  # every other line tells enough
            for x in range(margin, width - margin):
                red, green = np.int32(pieces[n, y, x, 0]), np.int32(pieces[n, y, x, 1])
                blue = np.int32(pieces[n, y, x, 2])
                line[x] = 512 * (red - green) + blue - green if red | green | blue else black
            for x in range(margin + 2, width - margin):
                seen += line[x] != black
                repeated += (line[x] != black) & ((line[x] == line[x - 1]) | (line[x] == line[x - 2]))
        share[n] = repeated / max(1, seen)
    return share


@njit(cache=True, nogil=True, error_model="numpy")
def least_eigenvalue(xx: float, yy: float, zz: float, xy: float, yz: float, xz: float) -> float:
    """Of a symmetric 3 x 3 matrix, by the cosine of three times an angle."""
    middle = (xx + yy + zz) / 3
    xx, yy, zz = xx - middle, yy - middle, zz - middle
    spread = math.sqrt((xx * xx + yy * yy + zz * zz + 2 * (xy * xy + yz * yz + xz * xz)) / 6)
    if spread < 1e-12:
        return middle
    determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    cosine = min(1.0, max(-1.0, determinant / (2 * spread**3)))
    return middle + 2 * spread * math.cos((math.acos(cosine) + 2 * math.pi) / 3)
