"""From pictures to puzzles on the device: cut, corrupt, shuffle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ganzzle.cli.data_options import DataError
from ganzzle.damage.corruption import Corruption
from ganzzle.data.batch import PuzzleBatch, send
from ganzzle.data.resizing import resample, resize_matrices, sampling


@dataclass(frozen=True, eq=False)
class Damage:
    """What to do to the pieces of a batch; levels are drawn for each picture."""

    kind: str = "none"
    sigma: Tensor | None = None  # (B,)
    erosion: int = 0
    rim: str = "black"
    missing: np.ndarray | None = None  # (B,) share
    shifted: bool = (
        False  # whether what erosion leaves of each piece comes from a place of its own within its slot
    )


@dataclass(frozen=True, eq=False)
class Arrival:
    """How the pieces of a batch arrive, on the host."""

    order: np.ndarray  # (2, B, N) long: each piece's slot, and its place among the pieces of the whole batch
    present: np.ndarray  # (B, N) bool: False where the piece is missing


def cut_batch(picture: Tensor, rows: int, cols: int) -> Tensor:
    """(B, 3, rows * P, cols * P) -> (B, rows * cols, 3, P, P) in slot order."""
    batch, _, height, width = picture.shape
    high, wide = height // rows, width // cols
    blocks = picture.reshape(batch, 3, rows, high, cols, wide).permute(0, 2, 4, 1, 3, 5)
    return blocks.reshape(batch, rows * cols, 3, high, wide)


def draw_arrival(batch: int, count: int, missing: np.ndarray | None, rng: np.random.Generator) -> Arrival:
    """A random order for each puzzle; the given share (B,) of its pieces is missing, but never all."""
    numbers = np.broadcast_to(np.arange(count), (batch, count))
    slots = rng.permuted(numbers, axis=1)
    order = np.stack([slots, slots + count * np.arange(batch)[:, None]])
    if missing is None:
        return Arrival(order, np.ones((batch, count), bool))
    gone = np.minimum(np.round(missing * count), count - 1)
    return Arrival(order, rng.permuted(numbers, axis=1) >= gone[:, None])


def make_puzzles(picture: Tensor, rows: int, cols: int, damage: Damage, draw: torch.Generator) -> PuzzleBatch:
    """Cut clean pictures (B, 3, rows * P, cols * P) in 0..1, corrupt and shuffle them."""
    seed = int(torch.randint(2**62, (1,), device=draw.device, generator=draw))
    arrival = draw_arrival(len(picture), rows * cols, damage.missing, np.random.default_rng(seed))
    order, present = send(picture.device, arrival.order, arrival.present)
    return shuffle_puzzles(picture, rows, cols, damage, order, present, draw)


def shuffle_puzzles(
    picture: Tensor,
    rows: int,
    cols: int,
    damage: Damage,
    order: Tensor,
    present: Tensor,
    draw: torch.Generator,
) -> PuzzleBatch:
    """As `make_puzzles`, with the order (2, B, N) and the presence (B, N) of an `Arrival` that are on the device.

    Only pixels are drawn here, and nothing waits for the device.
    """
    slots, places = order
    pieces = cut_batch(picture, rows, cols)
    pieces = pieces.flatten(0, 1).index_select(0, places.flatten()).unflatten(0, slots.shape)
    if damage.sigma is not None:
        pieces = _add_noise(pieces, damage.sigma, draw)
    if damage.erosion:
        if damage.shifted:
            pieces = _shift(pieces, damage.erosion, draw)
        pieces = _erode(pieces, damage.erosion, damage.rim, draw)
    if damage.missing is not None:
        pieces *= present[:, :, None, None, None]
    return PuzzleBatch(
        pieces=pieces,
        slots=slots,
        picture=picture,
        present=present,
        rows=rows,
        cols=cols,
        corruption=damage.kind,
        erosion=damage.erosion,
    )


def check_corruptions(texts: Sequence[str], piece: int = 32) -> None:
    """Refuse what `evaluation_batch` cannot do to pieces of `piece` px, before a long training ends with it."""
    for text in texts:
        _levels(text, piece)


def _levels(text: str, piece: int) -> dict[str, float]:
    """How strong each kind of a corruption is; one that would not be done as it is written is refused."""
    steps = Corruption.parse(text).steps
    kinds = [step.kind for step in steps]
    levels = {step.kind: step.level for step in steps}
    if "uneven" in levels:
        raise DataError(
            f"'{text}': uneven pieces can be measured by ganzzle evaluate, but not while training"
        )
    if len(levels) < len(kinds):
        raise DataError(f"'{text}' names a kind of corruption twice; give each once")
    if "noise" in levels and "erode" in levels and kinds.index("erode") < kinds.index("noise"):
        noise, erode = (step for kind in ("noise", "erode") for step in steps if step.kind == kind)
        raise DataError(
            f"'{text}' erodes before there is noise; while training it can only be {noise}+{erode}"
        )
    if 2 * levels.get("erode", 0) >= piece:
        raise DataError(f"'{text}' leaves nothing of pieces of {piece} px; take fewer pixels")
    return levels


def evaluation_batch(
    pictures: Tensor, rows: int, cols: int, corruption: str = "none", seed: int = 0, piece: int = 32
) -> PuzzleBatch:
    """Puzzles as the paper's protocol makes them, from whole pictures (M, 3, S, S) uint8.

    `corruption` is "none", "noise:0.1", "erode:2", "missing:0.2", or several joined by "+".
    """
    levels = _levels(corruption, piece)
    device, (count, _, size, _) = pictures.device, pictures.shape
    draw = torch.Generator(device).manual_seed(seed)
    whole, out = np.full((2, count), float(size)), (rows * piece, cols * piece)
    box = sampling(np.zeros((2, count)), whole, np.array(out)[:, None], whole, bicubic=True)
    sides, sigma = send(device, box, np.full(count, levels.get("noise", 0), np.float32))
    down, across = resize_matrices(sides, out, size, bicubic=True)
    damage = Damage(
        kind="+".join(levels) or "none",
        sigma=sigma if "noise" in levels else None,
        erosion=int(levels.get("erode", 0)),
        missing=np.full(count, levels["missing"], np.float32) if "missing" in levels else None,
    )
    return make_puzzles(resample(pictures, down, across) / 255, rows, cols, damage, draw)


def _add_noise(pieces: Tensor, sigma: Tensor, draw: torch.Generator) -> Tensor:
    noise = torch.empty_like(pieces).normal_(generator=draw)
    noisy = torch.addcmul(pieces, noise, sigma[:, None, None, None, None], out=noise)
    return noisy.mul_(255).round_().clamp_(0, 255).div_(255)


def _shift(pieces: Tensor, most: int, draw: torch.Generator) -> Tensor:
    """Move the pixels of every piece by up to `most` px down or up and across, each by its own; the ends repeat."""
    every = pieces.flatten(0, 1)
    side, by = every.shape[-1], (len(every), 2)
    shift = torch.randint(-most, most + 1, by, device=every.device, generator=draw)
    at = (torch.arange(side, device=every.device) + shift[..., None]).clamp_(0, side - 1)  # (K, 2, side)
    down, across = at[:, 0, None, :, None], at[:, 1, None, None, :]
    moved = every.gather(2, down.expand_as(every)).gather(3, across.expand_as(every))
    return moved.unflatten(0, pieces.shape[:2])


def _erode(pieces: Tensor, width: int, rim: str, draw: torch.Generator) -> Tensor:
    """Replace the outer `width` px of every piece by black, by one colour a puzzle, or by noise."""
    if rim == "colour":
        colour = torch.rand(len(pieces), 1, 3, 1, 1, device=pieces.device, generator=draw)
        worn = colour.expand_as(pieces).clone()
    elif rim == "noise":
        worn = torch.rand(pieces.shape, device=pieces.device, generator=draw)
    else:
        worn = torch.zeros_like(pieces)
    inner = slice(width, pieces.shape[-1] - width)
    worn[..., inner, inner] = pieces[..., inner, inner]
    return worn
