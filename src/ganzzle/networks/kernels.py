"""What a CPU does faster in one pass than torch in many small steps. Arrays are C-contiguous float32 unless said."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit

Array = NDArray[np.float32]
RIDGE = 2e-4  # keeps the covariance of a flat edge invertible; as in networks/borders.py

_fast = {
    "nsz",
    "contract",
    "reassoc",
    "arcp",
}  # sums may be reordered; infinities and NaNs stay what they are


@njit(cache=True, nogil=True, error_model="numpy")
def edge_rows(pieces: Array, side: int, scale: int, length: int) -> Array:
    """The two outermost pixel rows of one side of all pieces, averaged over `scale` px (and along it to `length`).

    (N, 3, h, w) -> (N, 2, 3, length), the border first; sides right, left, down, up.
    """
    count, _, height, width = pieces.shape
    along = height if side < 2 else width
    # Where the corner of a side lies in a piece, and the steps along the side and inwards.
    corner = (width - 1, 0, (height - 1) * width, 0)[side]
    onward = width if side < 2 else 1
    inward = (-1, 1, -width, width)[side]
    start, stop = np.empty(length, np.int64), np.empty(length, np.int64)
    for k in range(length):
        start[k], stop[k] = k * along // length, ((k + 1) * along + length - 1) // length
    rows = np.empty((count, 2, 3, length), np.float32)
    for n in range(count):
        for channel in range(3):
            pixels = pieces[n, channel].ravel()
            for depth in range(2):
                for k in range(length):
                    total = np.float32(0)
                    for d in range(depth * scale, (depth + 1) * scale):
                        for m in range(start[k], stop[k]):
                            total += pixels[corner + m * onward + d * inward]
                    rows[n, depth, channel, k] = total / np.float32(scale * (stop[k] - start[k]))
    return rows


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_fast)
def gradient_models(rows: Array) -> Array:
    """(N, 2, 3, L) -> (N, 9) the mean gradient across each edge and the inverse of its covariance (upper triangle)."""
    count, length = rows.shape[0], rows.shape[3]
    models = np.empty((count, 9), np.float32)
    for n in range(count):
        red = green = blue = 0.0
        a = b = c = d = e = f = 0.0  # sums of products: rr rg rb gg gb bb
        for k in range(length):
            x = float(rows[n, 0, 0, k]) - rows[n, 1, 0, k]
            y = float(rows[n, 0, 1, k]) - rows[n, 1, 1, k]
            z = float(rows[n, 0, 2, k]) - rows[n, 1, 2, k]
            red, green, blue = red + x, green + y, blue + z
            a, b, c, d, e, f = a + x * x, b + x * y, c + x * z, d + y * y, e + y * z, f + z * z
        red, green, blue = red / length, green / length, blue / length
        a, b, c = a / length - red * red + RIDGE, b / length - red * green, c / length - red * blue
        d, e, f = (
            d / length - green * green + RIDGE,
            e / length - green * blue,
            f / length - blue * blue + RIDGE,
        )
        determinant = a * (d * f - e * e) + b * (c * e - b * f) + c * (b * e - c * d)
        models[n, 0], models[n, 1], models[n, 2] = red, green, blue
        models[n, 3] = (d * f - e * e) / determinant
        models[n, 4] = (c * e - b * f) / determinant
        models[n, 5] = (b * e - c * d) / determinant
        models[n, 6] = (a * f - c * c) / determinant
        models[n, 7] = (b * c - a * e) / determinant
        models[n, 8] = (a * d - b * b) / determinant
    return models


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_fast)
def pair_distances(first: Array, second: Array, predict: bool, table: Array) -> None:
    """Distances of all pairs of edges, (N, 2, 3, L) and (M, 2, 3, L) -> (2 or 3, N, M) into `table`.

    L1, then with `predict` L1 to the linear continuation from both sides, then the Mahalanobis gradient distance.
    """
    length = first.shape[3]
    ours, theirs = gradient_models(first), gradient_models(second)
    share, two = np.float32(1 / (3 * length)), np.float32(2)
    least = np.float32(1e-3)
    for i in range(len(first)):
        a, inner_a, model_a = first[i, 0], first[i, 1], ours[i]
        for j in range(len(second)):
            b, inner_b, model_b = second[j, 0], second[j, 1], theirs[j]
            plain, onward, back = np.float32(0), np.float32(0), np.float32(0)
            for k in range(length):
                red, green, blue = a[0, k] - b[0, k], a[1, k] - b[1, k], a[2, k] - b[2, k]
                plain += abs(red) + abs(green) + abs(blue)
                x, y, z = red + model_a[0], green + model_a[1], blue + model_a[2]
                onward += x * (model_a[3] * x + two * (model_a[4] * y + model_a[5] * z))
                onward += y * (model_a[6] * y + two * model_a[7] * z) + model_a[8] * z * z
                x, y, z = model_b[0] - red, model_b[1] - green, model_b[2] - blue
                back += x * (model_b[3] * x + two * (model_b[4] * y + model_b[5] * z))
                back += y * (model_b[6] * y + two * model_b[7] * z) + model_b[8] * z * z
            table[0, i, j] = plain * share + np.float32(2e-3)
            if predict:
                continued = np.float32(0)
                for channel in range(3):
                    for k in range(length):
                        step = a[channel, k] - b[channel, k]
                        continued += abs(step + (a[channel, k] - inner_a[channel, k]))
                        continued += abs(step - (b[channel, k] - inner_b[channel, k]))
                table[1, i, j] = continued * share / two + np.float32(2e-3)
            gradient = max(onward, least) * max(back, least)
            table[len(table) - 1, i, j] = np.sqrt(gradient) / np.float32(length) + np.float32(1e-2)


@njit(cache=True, nogil=True, error_model="numpy")
def relative_features(logs: Array, features: Array) -> None:
    """(F, N, N) log distances -> (N, N, 3 * F): scaled, relative to the best of their row, of their column.

    A piece beside itself does not count as the best.
    """
    row_best, column_best = best_distances(logs)
    relative_rows(logs, row_best, column_best, 0, features)


@njit(cache=True, nogil=True, error_model="numpy")
def best_distances(logs: Array) -> tuple[Array, Array]:
    """(F, N, N) log distances -> (F, N) the best of every row, and (F, N) of every column."""
    kinds, count, _ = logs.shape
    self_pair = np.float32(1e4)
    row_best = np.full((kinds, count), np.inf, np.float32)
    column_best = np.full((kinds, count), np.inf, np.float32)
    for kind in range(kinds):
        table, columns = logs[kind], column_best[kind]
        for i in range(count):
            best = np.float32(np.inf)
            for j in range(count):
                value = table[i, j] + self_pair if i == j else table[i, j]
                best = min(best, value)
                columns[j] = min(columns[j], value)
            row_best[kind, i] = best
    return row_best, column_best


@njit(cache=True, nogil=True, error_model="numpy")
def relative_rows(logs: Array, row_best: Array, column_best: Array, start: int, features: Array) -> None:
    """`relative_features` of the rows from `start` on, as many as `features` (r, N, 3 * F) takes."""
    kinds, count, _ = logs.shape
    low, high = np.float32(-4), np.float32(8)
    for kind in range(kinds):
        for i in range(len(features)):
            row, best = logs[kind, start + i], row_best[kind, start + i]
            for j in range(count):
                value = row[j]
                scaled = value * np.float32(0.3) + np.float32(0.6)
                features[i, j, kind] = min(max(scaled, low), high)
                features[i, j, kinds + kind] = min(max(value - best, low), high)
                features[i, j, 2 * kinds + kind] = min(max(value - column_best[kind, j], low), high)


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


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def gelu_half(x: Array, out: NDArray[np.uint16]) -> None:
    """GELU, (M, C) -> (M, C) bfloat16 as its bits."""
    row = np.empty(x.shape[1], np.float32)
    bits = row.view(np.uint32)
    for m in range(x.shape[0]):
        for c in range(len(row)):
            row[c] = _gelu(x[m, c])
        for c in range(len(row)):
            out[m, c] = _rounded(bits[c])


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def joined_gelu_half(ours: Array, theirs: Array, best: NDArray[np.int64], joined: NDArray[np.uint16]) -> None:
    """GELU of our features plus those of each candidate: 2 x (N, C) and (N, k) -> (N, k, C) bfloat16 as its bits."""
    row = np.empty(ours.shape[1], np.float32)
    bits = row.view(np.uint32)
    for n in range(best.shape[0]):
        mine = ours[n]
        for k in range(best.shape[1]):
            other, out = theirs[best[n, k]], joined[n, k]
            for c in range(len(mine)):
                row[c] = _gelu(mine[c] + other[c])
            for c in range(len(mine)):
                out[c] = _rounded(bits[c])


@njit(cache=True, nogil=True, error_model="numpy")
def window_pixels_half(pieces: Array, out: NDArray[np.uint16]) -> None:
    """(N, 3, 32, 32) -> (N, 4, 8, 288) bfloat16 as its bits; see `window_pixels` in networks/edge_encoder.py."""
    fine, coarse = np.empty((24, 36), np.uint16), np.empty((24, 18), np.uint16)
    line = np.empty(36, np.float32)
    bits = line.view(np.uint32)
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


@njit(cache=True, nogil=True, error_model="numpy")
def ring_spread(pieces: NDArray[np.uint8], depth: int) -> tuple[float, float]:
    """Of the mean colour of each side of a ring of pixels: its variance between pieces, and what of it is chance.

    (N, h, w, 3), the ring `depth` px from the border; means over the four sides and three channels.
    """
    count, height, width, _ = pieces.shape
    between = by_chance = 0.0
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
                by_chance += (squares / length - mean * mean) / length
        for channel in range(3):
            middle = means[:, channel].mean()
            between += ((means[:, channel] - middle) ** 2).sum() / (count - 1)
    return between / 12, by_chance / (12 * count)


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
