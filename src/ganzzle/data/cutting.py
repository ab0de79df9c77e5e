"""From pictures to puzzles on the device: cut, corrupt, shuffle, without ever waiting for the device."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ganzzle.data.batch import PuzzleBatch
from ganzzle.data.resizing import resample, resize_matrix


@dataclass(frozen=True, eq=False)
class Damage:
    """What to do to the pieces of a batch; levels are drawn for each picture."""

    kind: str = "none"
    sigma: Tensor | None = None  # (B,)
    erosion: int = 0
    rim: str = "black"
    missing: Tensor | None = None  # (B,) share


def cut_batch(picture: Tensor, rows: int, cols: int) -> Tensor:
    """(B, 3, rows * P, cols * P) -> (B, rows * cols, 3, P, P) in slot order."""
    batch, _, height, width = picture.shape
    high, wide = height // rows, width // cols
    blocks = picture.reshape(batch, 3, rows, high, cols, wide).permute(0, 2, 4, 1, 3, 5)
    return blocks.reshape(batch, rows * cols, 3, high, wide)


def make_puzzles(picture: Tensor, rows: int, cols: int, damage: Damage, draw: torch.Generator) -> PuzzleBatch:
    """Cut clean pictures (B, 3, rows * P, cols * P) in 0..1, corrupt and shuffle them."""
    pieces = cut_batch(picture, rows, cols)
    batch, count = pieces.shape[:2]
    device = picture.device
    slots = torch.rand(batch, count, device=device, generator=draw).argsort(1)
    start = torch.arange(batch, device=device)[:, None] * count
    pieces = pieces.flatten(0, 1).index_select(0, (slots + start).flatten()).unflatten(0, (batch, count))
    present = torch.ones(batch, count, dtype=torch.bool, device=device)
    if damage.sigma is not None:
        pieces = _add_noise(pieces, damage.sigma, draw)
    if damage.erosion:
        pieces = _erode(pieces, damage.erosion, damage.rim, draw)
    if damage.missing is not None:
        present = _survivors(batch, count, damage.missing, draw)
        pieces = pieces * present[:, :, None, None, None]
    return PuzzleBatch(
        pieces=pieces,
        slots=slots,
        picture=picture,
        present=present,
        rows=rows,
        cols=cols,
        corruption=damage.kind,
        erosion=damage.erosion,
        noise=damage.sigma,
    )


def evaluation_batch(
    pictures: Tensor, rows: int, cols: int, corruption: str = "none", seed: int = 0, piece: int = 32
) -> PuzzleBatch:
    """Puzzles as the paper's protocol makes them, from whole pictures (M, 3, S, S) uint8.

    `corruption` is "none", "noise:0.1", "erode:2" or "missing:0.2".
    """
    device, (count, _, size, _) = pictures.device, pictures.shape
    draw = torch.Generator(device).manual_seed(seed)
    whole = torch.full((count,), float(size), device=device)
    start = torch.zeros(count, device=device)
    down = resize_matrix(start, whole, rows * piece, whole, size, bicubic=True)
    across = resize_matrix(start, whole, cols * piece, whole, size, bicubic=True)
    kind, _, level = corruption.partition(":")
    levels = torch.full((count,), float(level or 0), device=device)
    damage = Damage(
        kind=kind,
        sigma=levels if kind == "noise" else None,
        erosion=int(level) if kind == "erode" else 0,
        missing=levels if kind == "missing" else None,
    )
    return make_puzzles(resample(pictures, down, across) / 255, rows, cols, damage, draw)


def _add_noise(pieces: Tensor, sigma: Tensor, draw: torch.Generator) -> Tensor:
    noise = torch.empty_like(pieces).normal_(generator=draw)
    noisy = pieces + noise * sigma[:, None, None, None, None]
    return (noisy * 255).round_().clamp_(0, 255).div_(255)


def _erode(pieces: Tensor, width: int, rim: str, draw: torch.Generator) -> Tensor:
    """Replace the outer `width` px of every piece by black, by one colour a puzzle, or by noise."""
    batch, size = pieces.shape[0], pieces.shape[-1]
    at = torch.arange(size, device=pieces.device)
    inner = (at >= width) & (at < size - width)
    inside = inner[:, None] & inner
    if rim == "colour":
        filling = torch.rand(batch, 1, 3, 1, 1, device=pieces.device, generator=draw)
    elif rim == "noise":
        filling = torch.rand(pieces.shape, device=pieces.device, generator=draw)
    else:
        return pieces * inside
    return torch.where(inside, pieces, filling)


def _survivors(batch: int, count: int, share: Tensor, draw: torch.Generator) -> Tensor:
    """(B, N) bool: all but the given share of the pieces, at least one."""
    rank = torch.rand(batch, count, device=share.device, generator=draw).argsort(1).argsort(1)
    gone = (share * count).round().clamp(max=count - 1)
    return rank >= gone[:, None]
