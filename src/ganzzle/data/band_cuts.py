"""Windows of pages cut into strips, as the bands along their borders; all on the pages' device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

Inked = NDArray[np.float32]  # (P, H) share of each row of each page that is ink

FLANK = 3  # px beside a band that its blur looks at
BLUR = 3  # px that the blur reaches
INKED = 0.02  # share of a window that must be ink, or another one is drawn
TRIES = 8  # windows drawn until one has ink


@dataclass(frozen=True)
class CutOptions:
    """How windows are cut; px are those of the bands."""

    rows: int = 256  # of a window
    seams: int = 20  # of a window
    scale: tuple[float, float] = (0.75, 1.4)  # px of a page for one of a band
    aspect: float = 0.15  # by how much letters are drawn out or squeezed
    pitch: tuple[float, float] = (45.0, 110.0)  # width of a strip
    wave: float = 8.0  # by how much cuts bend
    lost: tuple[float, float] = (-1.0, 8.0)  # paper lost at a cut
    plain_lost: tuple[float, float] = (-0.5, 2.5)  # the same of strips that come as plain rectangles
    plain: float = 0.45  # share of windows cut into plain rectangles
    offset: float = 1.4  # by how much strips lie higher or lower than their neighbours
    wobble: float = 0.7  # by how much a straightened border is still off
    fray: float = 1.2  # px of a fringed border that show only what lies next to them
    fade: float = 3.0  # px of a plain border whose print is worn
    blur: float = 1.1
    noise: float = 0.05
    upside_down: float = 0.3  # share of windows
    hard: float = 0.35  # share of windows that are black and white
    thicken: float = 0.5  # share of windows whose strokes are made thicker or thinner
    screened: float = 0.12  # share of windows with a screen of dots all over
    specked: float = 0.5  # share of windows with wavy cuts whose fringe throws a shadow


@dataclass(frozen=True, eq=False)
class Bands:
    """B windows with K seams each: bands (B, K, rows, band) of ink in 0..1; seam k lies between right[:, k] and
    left[:, k]."""

    right: Tensor  # along the right borders of the strips on the left
    left: Tensor  # along the left borders of the strips on the right


class Draws:
    """Random numbers: single ones on the host, many on a device."""

    def __init__(self, seed: tuple[int, ...], device: torch.device) -> None:
        self.host = np.random.default_rng(seed)
        self.device = device
        self.generator = torch.Generator(device).manual_seed(int(self.host.integers(2**62)))

    def one(self, low: float, high: float) -> float:
        """A number between two."""
        return float(self.host.uniform(low, high))

    def many(self, low: float, high: float, *shape: int) -> Tensor:
        """Numbers (shape) between two."""
        return low + (high - low) * torch.rand(shape, generator=self.generator, device=self.device)

    def chance(self, share: float) -> bool:
        """True so often."""
        return bool(self.host.random() < share)


def cut_bands(pages: Tensor, inked: Inked, count: int, band: int, options: CutOptions, draws: Draws) -> Bands:
    """Bands of `count` windows of pages (P, H, W) uint8, 0 paper and 255 ink, whose rows are inked so much (P, H)."""
    parts = [_window(pages, inked, band, options, draws) for _ in range(count)]
    return Bands(torch.stack([part[0] for part in parts]), torch.stack([part[1] for part in parts]))


def _window(
    pages: Tensor, inked: Inked, band: int, options: CutOptions, draws: Draws
) -> tuple[Tensor, Tensor]:
    """The bands (K, rows, band) along both sides of the seams of one window."""
    scale = draws.one(*options.scale)
    across = scale * (1 + draws.one(-options.aspect, options.aspect))
    part = _part(pages, inked, int(options.rows * scale) + 2, draws)
    if draws.chance(options.upside_down):
        part = part.flip(0, 1)
    if draws.chance(options.thicken):
        part = _thickened(part, draws.one(0.25, 0.75))
    if draws.chance(options.screened):
        part = _screened(part, draws)
    plain = draws.chance(options.plain)
    right, left = _cut(part, scale, across, plain, band, options, draws)
    both = _blurred(torch.cat([right, left]), draws.one(0, options.blur))[..., FLANK:-FLANK]
    right, left = _printed(both, options, draws).chunk(2)
    worn = _faded if plain else _frayed
    amount = draws.one(0, options.fade if plain else options.fray)
    both = torch.cat([worn(right.flip(2), amount, draws).flip(2), worn(left, amount, draws)])
    if not plain and draws.chance(options.specked):
        both = _specked(both, draws)
    if draws.chance(0.6):
        noise = draws.many(-1.7, 1.7, *both.shape)
        both = (both + noise * draws.one(0, options.noise)).clamp(0, 1)
    right, left = both.chunk(2)
    return right, left


def _part(pages: Tensor, inked: Inked, high: int, draws: Draws) -> Tensor:
    """(high, W) ink in 0..1 of a page, one with some ink if there is one."""
    for _ in range(TRIES):
        page = int(draws.host.integers(len(pages)))
        top = int(draws.host.integers(max(1, pages.shape[1] - high)))
        if inked[page, top : top + high].mean() > INKED:
            break
    return pages[page, top : top + high].float() / 255


def _cut(
    part: Tensor, scale: float, across: float, plain: bool, band: int, options: CutOptions, draws: Draws
) -> tuple[Tensor, Tensor]:
    """What is seen (K, rows, band and its flanks) on both sides of the cuts through a part (H, W) of a page."""
    seams, rows = options.seams, options.rows
    width, device = part.shape[1], part.device
    most = min(options.pitch[1], width / across / (seams + 0.5))
    pitch = draws.one(min(options.pitch[0], most), most) * across
    first = draws.one(0, max(1.0, width - pitch * seams))
    cuts = first + pitch * torch.arange(seams, device=device)[:, None] + draws.many(-2, 2, seams, 1)
    cuts = cuts.expand(seams, rows)
    if not plain:
        bends = _slow(draws.many(-1, 1, seams, 8), rows) + 0.3 * _slow(draws.many(-1, 1, seams, 24), rows)
        cuts = cuts + bends * draws.one(0, options.wave)
    lost = draws.one(*(options.plain_lost if plain else options.lost)) + draws.many(-0.5, 0.5, seams, 1)
    inward = torch.arange(band + 2 * FLANK, device=device) - FLANK + 0.5
    sides = []
    for sign in (-1, 1):
        line = cuts + sign * lost * across / 2
        if not plain:
            line = line + _slow(draws.many(-1, 1, seams, 10), rows) * options.wobble
        x = line[..., None] + sign * (inward.flip(0) if sign < 0 else inward) * across
        down = draws.many(-options.offset / 2, options.offset / 2, seams, 1, 1)
        y = ((torch.arange(rows, device=device) + 0.5)[None, :, None] + down) * scale
        sides.append(_sampled(part, x, y.expand_as(x)))
    return sides[0], sides[1]


def _thickened(part: Tensor, level: float) -> Tensor:
    """Strokes (H, W) thicker or thinner: a small blur, and another threshold."""
    soft = F.avg_pool2d(part[None], 3, 1, 1)[0]
    return ((soft - level) * 6 + 0.5).clamp(0, 1)


def _screened(part: Tensor, draws: Draws) -> Tensor:
    """A part (H, W) of a page on which a screen of dots was printed."""
    y = torch.arange(part.shape[0], device=part.device)[:, None]
    x = torch.arange(part.shape[1], device=part.device)
    turn, pitch = draws.one(0, np.pi), draws.one(3, 6)
    u, v = (
        (x * np.cos(turn + quarter) + y * np.sin(turn + quarter)) * (2 * np.pi / pitch)
        for quarter in (0, np.pi / 2)
    )
    dots = (torch.cos(u) + torch.cos(v) - draws.one(0.2, 1.2)).clamp(0, 1) * draws.one(0.2, 0.8)
    return torch.maximum(part, dots)


def _slow(knots: Tensor, rows: int) -> Tensor:
    """(K, n) values at knots -> (K, rows) a smooth line through them."""
    return F.interpolate(knots[:, None, :, None], (rows, 1), mode="bicubic", align_corners=True)[:, 0, :, 0]


def _sampled(part: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """What a picture (H, W) shows at (K, rows, wide) coordinates; beside it there is paper."""
    high, width = part.shape
    grid = torch.stack([x * (2 / width) - 1, y * (2 / high) - 1], -1).view(1, -1, x.shape[2], 2)
    seen = F.grid_sample(part[None, None], grid, "bilinear", "zeros", False)
    return seen.view(x.shape)


def _blurred(bands: Tensor, sigma: float) -> Tensor:
    """Bands (K, rows, wide), softer."""
    if sigma < 0.2:
        return bands
    at = torch.arange(-BLUR, BLUR + 1, device=bands.device)
    kernel = torch.exp(-(at**2) / (2 * sigma**2))
    kernel = kernel / kernel.sum()
    soft = F.conv2d(bands[:, None], kernel[None, None, :, None], padding=(BLUR, 0))
    return F.conv2d(soft, kernel[None, None, None, :], padding=(0, BLUR))[:, 0]


def _printed(bands: Tensor, options: CutOptions, draws: Draws) -> Tensor:
    """Bands (K, rows, band) as printed and scanned: worn in places, paler, or black and white."""
    if draws.chance(0.5):
        wear = draws.many(0, 1, len(bands), 1, bands.shape[1] // 2, bands.shape[2] // 2)
        wear = F.interpolate(wear, bands.shape[1:], mode="bilinear")[:, 0]
        bands = bands * (1 - wear * draws.one(0, 0.5))
    if draws.chance(options.hard):
        return (bands > draws.one(0.3, 0.6)).float()
    return bands * draws.one(0.45, 1) if draws.chance(0.6) else bands


def _frayed(bands: Tensor, fray: float, draws: Draws) -> Tensor:
    """Bands (K, rows, band) whose first px, a few in each row, show only what lies next to them."""
    torn = draws.many(0, 1, *bands.shape[:2]) ** 2 * 2.5 * fray
    torn = F.avg_pool1d(torn, 3, 1, 1)
    at = torch.arange(bands.shape[2], device=bands.device).expand(bands.shape)
    return bands.gather(2, torch.maximum(at, torn[..., None].round().long()))


def _faded(bands: Tensor, depth: float, draws: Draws) -> Tensor:
    """Bands (K, rows, band) whose print has flaked off next to the border, here and there."""
    at = torch.arange(bands.shape[2], device=bands.device) + 0.5
    strength = _slow(draws.many(-0.2, 1.5, len(bands), max(4, bands.shape[1] // 40)), bands.shape[1])
    share = (1 - at / max(depth, 0.1)).clamp(0, 1) * strength.clamp(0, 1)[..., None]
    return bands.masked_fill(draws.many(0, 1, *bands.shape) < share, 0)


def _specked(bands: Tensor, draws: Draws) -> Tensor:
    """Bands (2 K, rows, band), first those along right borders, with specks of shadow at the border."""
    share, deep = draws.one(0, 0.3), int(draws.host.integers(1, 4))
    strength = draws.many(0, draws.one(0.1, 0.6), *bands.shape[:2], deep)
    specks = torch.where(draws.many(0, 1, *bands.shape[:2], 1) < share, strength, 0)
    half = len(bands) // 2
    bands[:half, :, -deep:] = torch.maximum(bands[:half, :, -deep:], specks[:half].flip(2))
    bands[half:, :, :deep] = torch.maximum(bands[half:, :, :deep], specks[half:])
    return bands
