"""Distances of all pairs of edges, in one pass of a CPU instead of many small steps of torch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit

Array = NDArray[np.float32]
RIDGE = 2e-4  # keeps the covariance of a flat edge invertible; as in networks/borders.py

# Sums may be reordered; infinities and NaNs stay what they are.
_fast = {"nsz", "contract", "reassoc", "arcp"}


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
