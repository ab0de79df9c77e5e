"""Cropping, mirroring and resizing a whole batch by two matrix products.

Each picture has its own box, so one product a side does crop, mirror and antialiased resize at once; that is faster on
a GPU than gathering pixels. A box of the output's own size at whole pixels gives the pixels back unchanged.
"""

from __future__ import annotations

from math import ceil

import torch
from torch import Tensor


def resize_matrix(start: Tensor, length: Tensor, out: int, valid: Tensor, size: int, bicubic: bool) -> Tensor:
    """(B, out, size) weights that sample `out` pixels from [start, start + length) of each picture's side.

    start, length, valid: (B,) in px; a negative length mirrors, no length exceeds `size`; pixels from `valid` on do
    not exist. The kernels are Pillow's: bicubic (a = -0.5) or triangle, widened when the picture shrinks.
    """
    device, radius = start.device, 2 if bicubic else 1
    steps = (torch.arange(out, device=device) + 0.5) / out
    centre = torch.addcmul(start[:, None], length[:, None], steps)[:, :, None]  # (B, out, 1)
    stretch = (length.abs() / out).clamp_(min=1.0)[:, None, None]
    # Only the few pixels around a centre weigh anything: their weights are worked out, the rest is zeros.
    taps = min(size, 2 * ceil(radius * max(1.0, size / out)) + 1)
    first = (centre - radius * stretch).floor_().clamp_(0, size - taps)
    pixel = first + torch.arange(taps, device=device)  # (B, out, taps)
    distance = ((pixel + 0.5 - centre) / stretch).abs_()
    weights = _cubic(distance) if bicubic else (1 - distance).clamp_(min=0)
    weights = weights * (pixel < valid[:, None, None])
    weights = (weights / weights.sum(2, keepdim=True)).to(_precision(device))
    whole = torch.zeros(*centre.shape[:2], size, dtype=weights.dtype, device=device)
    return whole.scatter_(2, pixel.long(), weights)


def resize_matrices(
    start: Tensor, length: Tensor, out: tuple[int, int], valid: Tensor, size: int, bicubic: bool
) -> tuple[Tensor, Tensor]:
    """`resize_matrix` down and across; start, length, valid: (2, B), first down, then across."""
    if out[0] == out[1]:  # in one go, as every small kernel costs a GPU its launch
        both = resize_matrix(start.flatten(), length.flatten(), out[0], valid.flatten(), size, bicubic)
        down, across = both.chunk(2)
        return down, across
    down, across = (resize_matrix(start[k], length[k], out[k], valid[k], size, bicubic) for k in range(2))
    return down, across


def resample(pictures: Tensor, down: Tensor, across: Tensor) -> Tensor:
    """(B, 3, S, S) uint8 by (B, rows, S) and (B, cols, S) -> (B, 3, rows, cols) float in 0..255, rounded.

    Half precision on a GPU: whole pixel values are exact in it, weights err by less than a tenth of a grey level.
    """
    kind, (batch, _, _, size) = _precision(pictures.device), pictures.shape
    # Channels beside the columns, so that one product a picture does all three.
    x = pictures.transpose(1, 2).to(kind, memory_format=torch.contiguous_format)
    with torch.autocast(pictures.device.type, enabled=False):
        x = x.reshape(batch, 3 * size, size) @ across.to(kind).transpose(1, 2)
        x = down.to(kind) @ x.reshape(batch, size, -1)
    x = x.reshape(batch, down.shape[1], 3, -1).transpose(1, 2)
    return x.to(torch.float32, memory_format=torch.contiguous_format, copy=True).round_().clamp_(0, 255)


def _precision(device: torch.device) -> torch.dtype:
    return torch.float16 if device.type == "cuda" else torch.float32


def _cubic(x: Tensor) -> Tensor:
    x = x.clamp(max=2)  # where the far part is zero
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return torch.where(x < 1, near, far)
