"""A lid that can be looked up at any point, and pieces as they are compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Pixels

Colours = NDArray[np.float32]  # (..., 3) in Lab

LEVELS, SMALLEST = 6, 16  # sizes of the lid that are kept, at most, and px of the smallest
ACROSS = 8192  # points that are looked up in one row: OpenCV takes fewer than 32,768
GRAIN = 4.0  # deviation in Lab that does not count as detail


@dataclass(frozen=True, eq=False)
class Lid:
    """A picture of a lid in ever smaller sizes, (H / 2^k, W / 2^k, 3) in Lab."""

    levels: tuple[Colours, ...]

    @classmethod
    def of(cls, picture: Pixels) -> Lid:
        """That of a picture (H, W, 3)."""
        levels = [lab(picture)]
        while len(levels) < LEVELS and min(levels[-1].shape[:2]) > SMALLEST:
            levels.append(cv2.pyrDown(levels[-1]))
        return cls(tuple(levels))

    @property
    def size(self) -> tuple[int, int]:
        """Height and width in px."""
        height, width = self.levels[0].shape[:2]
        return height, width

    def at(self, points: Floats, spacing: float) -> tuple[Colours, NDArray[np.bool_]]:
        """Colours (..., 3) at points (..., 2), x and y in px with `spacing` between neighbours, and which (...) of them
        are on the lid."""
        level = int(np.clip(np.round(np.log2(max(spacing, 1e-6))), 0, len(self.levels) - 1))
        flat = ((points.reshape(-1, 2) + 0.5) / 2**level - 0.5).astype(np.float32)
        rows = -(-len(flat) // ACROSS)
        padded = np.resize(flat, (rows, -(-len(flat) // rows), 2)) if rows > 1 else flat[None]
        x, y = (np.ascontiguousarray(padded[..., axis]) for axis in (0, 1))
        found = cv2.remap(self.levels[level], x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        height, width = self.size
        inside = np.all((points >= -0.5) & (points <= (width - 0.5, height - 0.5)), axis=-1)
        return found.reshape(-1, 3)[: len(flat)].reshape(*points.shape[:-1], 3), inside


def lab(picture: Pixels) -> Colours:
    """(H, W, 3) RGB -> (H, W, 3) Lab."""
    return cv2.cvtColor(np.ascontiguousarray(picture).astype(np.float32) / 255, cv2.COLOR_RGB2Lab)


def faces(pieces: Pixels, rim: int, across: int, turns: Sequence[int] = (0,)) -> Colours:
    """Tiles (N, h, w, 3) without their rim in some turns -> (N, T, across * across, 3) mean colours."""
    bottom, right = pieces.shape[1] - rim, pieces.shape[2] - rim
    size = (across, across)
    small = [
        cv2.resize(lab(piece[rim:bottom, rim:right]), size, interpolation=cv2.INTER_AREA) for piece in pieces
    ]
    turned = [np.rot90(np.stack(small), turn, (1, 2)) for turn in turns]
    return np.stack(turned, 1).reshape(len(pieces), len(turns), across * across, 3)


def detail(patches: Colours) -> Colours:
    """Patches (..., K, 3) without their mean colour and their contrast."""
    rest = patches - patches.mean(-2, keepdims=True)
    spread = np.sqrt((rest * rest).mean((-2, -1), keepdims=True) + GRAIN**2)
    found: Colours = rest / spread
    return found


def distances(patches: Colours, others: Colours) -> NDArray[np.float32]:
    """(M, K, 3), (S, K, 3) -> (M, S) mean squared differences."""
    a, b = patches.reshape(len(patches), -1), others.reshape(len(others), -1)
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * a @ b.T
    found: NDArray[np.float32] = np.maximum(squares, 0) / patches.shape[1]
    return found


def distances_where(patches: Colours, others: Colours, inside: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The same over the part (S, K) of the others that is seen; inf where none is."""
    a, b = patches.reshape(len(patches), -1), others.reshape(len(others), -1)
    mask = np.repeat(inside.astype(np.float32), 3, axis=1)
    squares = (a * a) @ mask.T + (b * b * mask).sum(1)[None] - 2 * a @ (b * mask).T
    seen = inside.sum(1).astype(np.float32)
    found: NDArray[np.float32] = np.where(seen > 0, np.maximum(squares, 0) / np.maximum(seen, 1), np.inf)
    return found.astype(np.float32)


def projected(homography: Floats, points: Floats) -> Floats:
    """Where a homography (3, 3) takes points (..., 2)."""
    found = points @ homography[:, :2].T + homography[:, 2]
    there: Floats = found[..., :2] / found[..., 2:]
    return there


def square(across: int, lost: float = 0.0) -> Floats:
    """(across * across, 2) x and y of points spread evenly over the unit square but for a lost rim."""
    steps = lost + (np.arange(across) + 0.5) / across * (1 - 2 * lost)
    y, x = np.meshgrid(steps, steps, indexing="ij")
    return np.stack([x.ravel(), y.ravel()], 1)
