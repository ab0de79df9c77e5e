"""Pictures with more than one content: parts of another one, with or without a gap, and frames or bars of one colour.

Scans, posters and collages look like that. Nothing inside such a part tells where it lies, so a solver has to learn
what their borders look like, and that bars tend to be as wide on both sides.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ganzzle.cli.data_options import DataOptions

WIDEST_BAR, WIDEST_GAP = 0.3, 0.03  # shares of the picture's side
EVEN = 0.6  # share of the frames whose opposite bars are as wide


def draw_panels(options: DataOptions, count: int, rng: np.random.Generator) -> np.ndarray:
    """(15, B) float32: three boxes top, left, bottom, right in shares of the picture, and a colour 0..255.

    The first box is filled with the colour, the second one with another picture; outside the third one is the colour
    again. Pictures without a part or a frame have boxes of no size or of the whole.
    """
    uniform = rng.random((16, count))
    start, end = _part(uniform[0:6])
    gap = np.where(uniform[6] < 0.5, 0, WIDEST_GAP * uniform[7])
    collage = uniform[8] < options.collage
    outer, inner = (
        np.where(collage, np.concatenate([start - wide, end + wide]), 0) for wide in (gap, np.zeros(count))
    )
    inset = np.where(uniform[9] < options.framed, _bars(uniform[10:13], rng.random((4, count))), 0)
    frame = np.concatenate([inset[:2], 1 - inset[2:]])
    plain = 255.0 * (uniform[13] < 0.3)  # white or black
    colour = np.where(uniform[13] < 0.6, plain, 255 * rng.random((3, count)).round(2))
    return np.concatenate([outer, inner, frame, colour]).astype(np.float32)


def put_panels(picture: Tensor, panels: Tensor) -> Tensor:
    """Pictures (B, 3, H, W) of values 0..255 with the parts and frames that `draw_panels` said, (15, B).

    A part comes from the next picture of the batch, where it lies at the same place.
    """
    outer, inner, frame, colour = panels.T.split([4, 4, 4, 3], 1)
    colour = colour.round()[:, :, None, None]
    other = picture.roll(-1, 0)
    picture = torch.where(_inside(outer, picture), colour, picture)
    picture = torch.where(_inside(inner, picture), other, picture)
    return torch.where(_inside(frame, picture), picture, colour)


def _part(uniform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start and end (2, B) of a part down and across: from one end to somewhere, or all of one side. uniform (6, B)."""
    where = 0.2 + 0.6 * uniform[0:2]
    first = uniform[2:4] < 0.5
    whole = np.stack([uniform[4] < 1 / 3, uniform[4] > 2 / 3])  # a split in two, or a corner
    start = np.where(whole | first, 0, where)
    end = np.where(whole | ~first, 1, where)
    return start, end


def _bars(uniform: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """(4, B) widths of the bars at the top, left, bottom and right. uniform (3, B), widths (4, B) in 0..1."""
    sides = np.stack([uniform[0] < 2 / 3, uniform[0] > 1 / 3])  # above and below, at the sides, or all around
    widths = WIDEST_BAR * widths**2 + 0.01
    widths[2:] = np.where(uniform[1] < EVEN, widths[:2], widths[2:])
    return np.concatenate([sides, sides]) * widths


def _inside(box: Tensor, picture: Tensor) -> Tensor:
    """(B, 1, H, W): which pixels' middles lie in boxes (B, 4)."""
    height, width = picture.shape[2:]
    top, left, bottom, right = box[:, :, None, None, None].unbind(1)
    y = ((torch.arange(height, device=box.device) + 0.5) / height)[:, None]
    x = (torch.arange(width, device=box.device) + 0.5) / width
    return (y > top) & (y < bottom) & (x > left) & (x < right)
