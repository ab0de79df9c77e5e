"""A lid on which the likeliest places of pieces are marked."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from ganzzle.arrays import Floats, Pixels

COLOURS = (
    (255, 0, 200),
    (255, 160, 0),
    (0, 160, 255),
)  # of the first place of a piece, of the second and of the third
SHOWN = 0.02  # probability from which on a place other than the first is marked
LARGEST = 2000  # px of the longer side of what is drawn
DARKER = 0.75  # what is not marked


def draw_marked(
    lid: Pixels,
    outlines: Sequence[Sequence[Floats]],
    probabilities: Sequence[Sequence[float]],
    labels: Sequence[str],
) -> Pixels:
    """A lid (H, W, 3) with the outlines (M, 2) of each piece's places and their probabilities."""
    scale = min(1.0, LARGEST / max(lid.shape[:2]))
    picture = (
        cv2.resize(lid, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else lid.copy()
    )
    factor = max(1, round(240 / min(picture.shape[:2])))  # small lids are drawn larger
    picture = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC)
    bright, picture = picture, (picture * DARKER).astype(np.uint8)
    thick = max(1, round(max(picture.shape[:2]) / 400))
    for places, shares, label in zip(outlines, probabilities, labels, strict=True):
        for rank in reversed(range(len(places))):
            if rank and shares[rank] < SHOWN:
                continue
            corners = np.rint(places[rank] * scale * factor).astype(np.int32)
            inside = np.zeros(picture.shape[:2], np.uint8)
            cv2.fillPoly(inside, [corners], 1)
            picture[inside > 0] = bright[inside > 0]
            cv2.polylines(picture, [corners], True, COLOURS[rank], thick + (rank == 0), cv2.LINE_AA)
            text = f"{label} {shares[rank]:.0%}".strip()
            size = thick * 0.3 + 0.2
            (wide, tall), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
            x, y = (corners.mean(0) - (wide / 2, -tall / 2)).astype(int).tolist()
            for colour, width in (((0, 0, 0), thick + 2), ((255, 255, 255), thick)):
                cv2.putText(picture, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, colour, width, cv2.LINE_AA)
    return np.asarray(picture, np.uint8)
