"""Cropping, mirroring and resizing a whole batch by two matrix products.

Each picture has its own box, so one product a side does crop, mirror and antialiased resize at once; that is faster on
a GPU than gathering pixels. A box of the output's own size at whole pixels gives the pixels back unchanged.
"""

from __future__ import annotations

from math import ceil

import numpy as np
import torch
from torch import Tensor


def sampling(
    start: np.ndarray, length: np.ndarray, out: int | np.ndarray, valid: np.ndarray, bicubic: bool
) -> np.ndarray:
    """(5, ...) float32, worked out on the host: what `resize_matrix` needs to know of each picture's side.

    start, length, valid: (...) in px, of the box to be sampled by `out` pixels; a negative length mirrors; pixels from
    `valid` on do not exist. Gives the place of the first sample, the step to the next one, how far the kernel reaches
    to the left, its scale, and `valid`.
    """
    step = length / out
    stretch = np.maximum(np.abs(step), 1.0)
    reach = _radius(bicubic) * stretch - 0.5
    return np.stack([start + step / 2 - 0.5, step, reach, 1 / stretch, valid]).astype(np.float32)


def resize_matrix(sides: Tensor, out: int, size: int, bicubic: bool) -> Tensor:
    """(B, out, size) weights that sample `out` pixels of each side as `sides` (5, B) of `sampling` says.

    No box is longer than `size`. The kernels are Pillow's: bicubic (a = -0.5) or triangle, widened when the picture
    shrinks. Every operation is a launch on a GPU, so there are few.
    """
    start, step, reach, scale, valid = sides[:, :, None, None]
    # Only the few pixels around a sample weigh anything: their weights are worked out, the rest is zeros.
    taps = min(size, 2 * ceil(_radius(bicubic) * max(1.0, size / out)) + 1)
    count = torch.arange(max(out, taps), device=sides.device)
    centre = torch.addcmul(start, step, count[:out, None])  # (B, out, 1)
    pixel = (centre - reach).long().clamp_(0, size - taps) + count[:taps]  # (B, out, taps)
    distance = (pixel - centre).mul_(scale).abs_()
    weights = _cubic(distance) if bicubic else (1 - distance).clamp_(min=0)
    weights *= pixel < valid
    weights /= weights.sum(2, keepdim=True)
    weights = weights.to(_precision(sides.device))
    return weights.new_zeros(*pixel.shape[:2], size).scatter_(2, pixel, weights)


def resize_matrices(sides: Tensor, out: tuple[int, int], size: int, bicubic: bool) -> tuple[Tensor, Tensor]:
    """`resize_matrix` down and across; sides: (5, 2, B), first down, then across."""
    if out[0] == out[1]:
        down, across = resize_matrix(sides.flatten(1), out[0], size, bicubic).chunk(2)
    else:
        down, across = (resize_matrix(sides[:, k], out[k], size, bicubic) for k in range(2))
    return down, across


def resample(pictures: Tensor, down: Tensor, across: Tensor) -> Tensor:
    """(B, 3, S, S) uint8 by (B, rows, S) and (B, cols, S) -> (B, 3, rows, cols) float in 0..255, rounded.

    Half precision on a GPU: whole pixel values are exact in it, weights err by less than a tenth of a grey level.
    """
    kind, (batch, _, _, size) = _precision(pictures.device), pictures.shape
    # Channels beside the columns, so that one product a picture does all three.
    x = pictures.transpose(1, 2).to(kind, memory_format=torch.contiguous_format)
    with torch.autocast(pictures.device.type, enabled=False):
        x = torch.bmm(x.reshape(batch, 3 * size, size), across.to(kind).transpose(1, 2))
        x = torch.bmm(down.to(kind), x.reshape(batch, size, -1))
    x = x.reshape(batch, down.shape[1], 3, -1).transpose(1, 2)
    x = x.round_().clamp_(0, 255)
    return x.to(torch.float32, memory_format=torch.contiguous_format, copy=True)


def _precision(device: torch.device) -> torch.dtype:
    return torch.float16 if device.type == "cuda" else torch.float32


def _radius(bicubic: bool) -> int:
    return 2 if bicubic else 1


def _cubic(x: Tensor) -> Tensor:
    """Twice the bicubic kernel at distances x."""
    near = (1 - x).clamp_(min=-1)  # 1 in the middle, -1 from distance 2 on
    inside = near.clamp(min=0)
    far = near + 1
    return (far * far).addcmul_(inside, torch.rsub(inside, 2, alpha=4)).mul_(near)
