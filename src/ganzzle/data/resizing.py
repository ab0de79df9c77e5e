"""Cropping, mirroring and resizing a whole batch by two matrix products.

Each picture has its own box, so one product a side does crop, mirror and antialiased resize at once; that is faster on
a GPU than gathering pixels. A box of the output's own size at whole pixels gives the pixels back unchanged.
"""

from __future__ import annotations

import torch
from torch import Tensor


def resize_matrix(start: Tensor, length: Tensor, out: int, valid: Tensor, size: int, bicubic: bool) -> Tensor:
    """(B, out, size) weights that sample `out` pixels from [start, start + length) of each picture's side.

    start, length, valid: (B,) in px; a negative length mirrors; pixels from `valid` on do not exist.
    The kernels are Pillow's: bicubic (a = -0.5) or triangle, widened when the picture shrinks.
    """
    device = start.device
    steps = (torch.arange(out, device=device) + 0.5) / out
    centre = start[:, None] + length[:, None] * steps  # (B, out)
    pixel = torch.arange(size, device=device) + 0.5
    stretch = (length.abs() / out).clamp(min=1.0)[:, None, None]
    distance = ((pixel - centre[:, :, None]) / stretch).abs()  # (B, out, size)
    weights = _cubic(distance) if bicubic else (1 - distance).clamp(min=0)
    weights = weights * (pixel < valid[:, None])[:, None]
    return weights / weights.sum(2, keepdim=True)


def resample(pictures: Tensor, down: Tensor, across: Tensor) -> Tensor:
    """(B, 3, S, S) uint8 by (B, rows, S) and (B, cols, S) -> (B, 3, rows, cols) float in 0..255, rounded.

    Half precision on a GPU: whole pixel values are exact in it, weights err by less than a tenth of a grey level.
    """
    kind = torch.float16 if pictures.is_cuda else torch.float32
    with torch.autocast(pictures.device.type, enabled=False):
        x = down.to(kind)[:, None] @ pictures.to(kind)
        x = x @ across.to(kind).transpose(1, 2)[:, None]
    return x.float().round_().clamp_(0, 255)


def _cubic(x: Tensor) -> Tensor:
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return torch.where(x < 1, near, torch.where(x < 2, far, torch.zeros_like(x)))
