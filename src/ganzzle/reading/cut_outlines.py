"""The outline of a cut piece, to a fraction of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats
from ganzzle.pile import CutPiece
from ganzzle.reading.cut_masks import LEAST, NOISY, ROUND, Mask, piece_mask
from ganzzle.reading.page_ground import DARKEST, Field, distance_to

FINE = 220.0  # px of a piece's extent, about, at which its outline is traced; larger ones are shrunk before
REACHES = (
    6.0,
    4.0,
)  # px to either side of a mask's edge within which the outline is looked for, first and then
FEW = 30  # px of ground around a piece below which its mask is taken as it is
ALIKE = 0.7, 1.3  # sizes of a mask found anew, in those of the older one, between which it is believed
STEP = 0.25  # px between samples across the edge
DEEP = (1.0, 4.0)  # px inside the edge where it is looked how far the piece is off the ground
SEEN = 10.0  # levels that the inside must be off the ground for the edge to be found by it
LUMA_CHROMA = (
    np.array(  # luma is sharper than chroma in most files, so an edge is looked for where both are apart
        [[0.299, 0.5, -0.1687], [0.587, -0.4187, -0.3313], [0.114, -0.0813, 0.5]], np.float32
    )
)
HALF = 0.5  # share of the way from the ground to the inside where the edge is
CALM = 1.0  # px along the outline over which it is smoothed


def outline_of(piece: CutPiece, darkest: float = DARKEST) -> Floats:
    """(n, 2) the outline of a piece, clockwise as seen, about one px a point; x and y in its own pixels.

    The ground around it may be in shadow that leaves a share of its light.
    """
    height, width = piece.mask.shape
    scale = min(1.0, FINE / max(height, width))
    mask = piece.mask
    pixels = piece.pixels
    if scale < 1:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
        mask = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_AREA) > 0.5
    if piece.pixels[~piece.mask].any():
        colours = pixels.astype(np.float32)
        mask = _in_shade(mask, colours, darkest)
        fine = _refined(traced(mask), colours, mask, darkest)
    else:  # nothing of the ground is shown
        fine = traced(mask)
    ratio = np.array([width / mask.shape[1], height / mask.shape[0]])
    return (fine + 0.5) * ratio - 0.5


def _in_shade(mask: Mask, colours: Field, darkest: float) -> Mask:
    """The mask (h, w) of a piece found anew near an older one, where shadows leave a share of the ground's light."""
    own = mask.astype(np.uint8)
    outside = cv2.dilate(own, np.ones((7, 7), np.uint8)) == 0
    if outside.sum() < FEW:
        return mask
    ground = np.median(colours[outside], axis=0)
    far = cv2.GaussianBlur(distance_to(colours, ground, darkest), (0, 0), 0.7)
    far[cv2.dilate(own, ROUND, iterations=3) == 0] = 0
    noise = float(np.median(distance_to(colours[outside], ground, darkest)))
    again = piece_mask(far, max(LEAST, NOISY * noise))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(again.astype(np.uint8), connectivity=4)
    if len(stats) < 2:
        return mask
    part = labels == 1 + stats[1:, cv2.CC_STAT_AREA].argmax()
    return part if ALIKE[0] < part.sum() / mask.sum() < ALIKE[1] else mask


def traced(mask: NDArray[np.bool_]) -> Floats:
    """(n, 2) the smoothed border of the largest part of a mask (h, w), clockwise as seen, one px apart."""
    padded = cv2.copyMakeBorder(mask.astype(np.uint8) * 255, 2, 2, 2, 2, cv2.BORDER_CONSTANT, value=0)
    double = cv2.resize(padded, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
    rings, _ = cv2.findContours((double > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    ring = max(rings, key=cv2.contourArea)[:, 0].astype(np.float64)
    ring = (ring + 0.5) / 2 - 0.5 - 2
    if signed_area(ring) < 0:
        ring = ring[::-1]
    ring = smoothed(evenly(ring, 0.5), 3.0)
    # A ring of pixel centres runs half a (doubled) pixel inside the border.
    return evenly(ring + 0.25 * normals(ring), 1.0)


def signed_area(ring: Floats) -> float:
    """Twice the area of a ring (n, 2), positive where it runs clockwise as seen (y points down)."""
    after = np.roll(ring, -1, 0)
    return float((ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]).sum())


def evenly(ring: Floats, step: float) -> Floats:
    """A closed ring (n, 2) with points about `step` apart."""
    closed = np.vstack([ring, ring[:1]])
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))])
    at = np.linspace(0, along[-1], max(8, round(along[-1] / step)), endpoint=False)
    return np.stack([np.interp(at, along, closed[:, k]) for k in (0, 1)], 1)


def smoothed(ring: Floats, sigma: float) -> Floats:
    """Values (n, ...) around a closed ring, blurred along it."""
    reach = int(3 * sigma) + 1
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    out = np.zeros(ring.shape)
    for k, weight in zip(range(-reach, reach + 1), weights, strict=True):
        out += weight * np.roll(ring, k, 0)
    return out


def normals(ring: Floats, reach: int = 2) -> Floats:
    """(n, 2) unit vectors that point out of a clockwise ring."""
    along = np.roll(ring, -reach, 0) - np.roll(ring, reach, 0)
    along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    return np.stack([along[:, 1], -along[:, 0]], 1)


def _refined(ring: Floats, colours: NDArray[np.float32], mask: NDArray[np.bool_], darkest: float) -> Floats:
    """A rough ring (n, 2) moved to where the colours (h, w, 3) change from the piece to its ground."""
    outside = cv2.dilate(mask.astype(np.uint8), np.ones((7, 7), np.uint8)) == 0
    if outside.sum() < FEW:
        return ring
    colours = colours @ LUMA_CHROMA
    ground = np.median(colours[outside], axis=0)
    far = cv2.GaussianBlur(distance_to(colours, ground, darkest), (0, 0), 0.6)
    for reach in REACHES:
        ring = _moved(ring, far, reach)
    return ring


def _moved(ring: Floats, far: NDArray[np.float32], reach: float) -> Floats:
    """A ring (n, 2) moved by up to some px to where the distance from the ground (h, w) falls by half."""
    out = normals(ring, 3)
    offsets = np.arange(-reach, reach + STEP / 2, STEP)
    points = ring[:, None] + offsets[None, :, None] * out[:, None]
    levels = cv2.remap(
        far, points.astype(np.float32), None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float64)
    inside = np.median(levels[:, (offsets >= -DEEP[1]) & (offsets <= -DEEP[0])], axis=1)
    ground_level = np.minimum(levels[:, -4:].min(1), inside)
    inside, ground_level = smoothed(inside, 2.0), smoothed(ground_level, 2.0)
    wanted = ground_level + HALF * (inside - ground_level)
    above = levels > wanted[:, None]
    # The crossing nearest to the mask's edge, from the piece to the ground.
    falls = above[:, :-1] & ~above[:, 1:]
    middle = (offsets[:-1] + offsets[1:]) / 2
    nearest = np.where(falls, np.abs(middle), np.inf).argmin(1)
    rows = np.arange(len(ring))
    high, low = levels[rows, nearest], levels[rows, nearest + 1]
    move = offsets[nearest] + STEP * (high - wanted) / np.maximum(high - low, 1e-6)
    clear = falls.any(1) & (inside - ground_level > SEEN)
    if clear.sum() < len(ring) / 4:
        return ring
    # Where the edge cannot be seen it goes on as its neighbours do.
    move = np.interp(rows, rows[clear], move[clear], period=len(rows))
    window = np.stack([np.roll(move, k) for k in range(-2, 3)])
    move = smoothed(np.median(window, axis=0), CALM)
    return evenly(ring + move[:, None] * out, 1.0)
