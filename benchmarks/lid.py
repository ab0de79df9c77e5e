"""Solving with the picture on the box: `python -m benchmarks.lid --pictures 8`.

The picture of every puzzle is spoilt as a phone spoils a lid, and given as the reference.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ganzzle.puzzle import Pixels

TILT = 15  # degrees, at most, by which the camera looks at the lid from aside
SHARE = 0.1  # of each side that is cropped, or framed, at most
GAMMA, GAIN, TINT = 1.4, 1.2, 0.08  # how far colours are shifted, at most
QUALITY = 50  # of the JPEG file


def spoilt(
    picture: Pixels, size: tuple[int, int], rng: np.random.Generator
) -> tuple[Pixels, NDArray[np.float64]]:
    """A picture (H, W, 3) as a photograph of a lid of about `size` (height, width), and the homography (3, 3) from the
    picture's unit square to the photograph's px."""
    height, width = picture.shape[:2]
    edges = rng.uniform(0, SHARE, 4) * rng.choice([-1, 1])
    left, right, above, below = np.rint(edges * [width, width, height, height]).astype(int)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    if left + right > 0 or above + below > 0:
        ground = tuple(int(c) for c in rng.integers(0, 256, 3))
        lid = cv2.copyMakeBorder(picture, above, below, left, right, cv2.BORDER_CONSTANT, value=ground)
        where = (left // 2, lid.shape[0] - max(3, below // 3))
        cv2.putText(lid, "1000 pieces", where, cv2.FONT_HERSHEY_SIMPLEX, height / 700, (20, 20, 20), 1)
    else:
        lid = picture[-above : height + below or None, -left : width + right or None]
    corners += [left, above]
    seen = _tilted(lid.shape[:2], rng)
    out = (round(size[1]), round(size[0]))
    # From the lid's px to those of the photograph, which shows all of it and some table around.
    target = seen * [out[0] / lid.shape[1], out[1] / lid.shape[0]]
    own = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64) * [lid.shape[1], lid.shape[0]]
    map_to = cv2.getPerspectiveTransform(own.astype(np.float32), target.astype(np.float32))
    factor = 4  # drawn larger and then averaged
    larger = np.diag([factor, factor, 1.0]) @ map_to
    table = tuple(int(c) for c in rng.integers(0, 256, 3))
    photo = cv2.warpPerspective(lid, larger, (out[0] * factor, out[1] * factor), borderValue=table)
    photo = cv2.resize(photo, out, interpolation=cv2.INTER_AREA)
    gamma = GAMMA ** rng.uniform(-1, 1)
    mix = np.diag(GAIN ** rng.uniform(-1, 1, 3)) + rng.uniform(-TINT, TINT, (3, 3))
    shifted = 255 * np.clip((photo / 255) ** gamma @ mix.T, 0, 1)
    _, file = cv2.imencode(
        ".jpg", shifted.round().astype(np.uint8)[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    )
    reference = cv2.imdecode(file, cv2.IMREAD_COLOR)[..., ::-1]
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    on_photo = cv2.perspectiveTransform(corners[None].astype(np.float32), map_to)[0]
    return np.ascontiguousarray(reference), cv2.getPerspectiveTransform(unit, on_photo)


def _tilted(size: tuple[int, int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Where the corners (4, 2) of a lid of some height and width are seen, in its own px, within its own frame."""
    height, width = size
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, height / 2]
    about, angle = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(0, TILT))
    axis = np.array([np.cos(about), np.sin(about), 0.0]) * angle
    turned = np.c_[corners, np.zeros(4)] @ cv2.Rodrigues(axis)[0].T
    far = 1.5 * max(size)
    seen = turned[:, :2] * far / (far + turned[:, 2:])
    low, high = seen.min(0), seen.max(0)
    fitted: NDArray[np.float64] = (seen - (low + high) / 2) * ([width, height] / (high - low)).min()
    middle = np.array([width / 2, height / 2])
    return fitted + middle
