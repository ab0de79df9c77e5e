"""Drawn documents as training data: pages in black and white, cut into strips anew at each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image, ImageSequence
from torch import Tensor

from ganzzle.data.band_cuts import Bands, CutOptions, Draws, cut_bands
from ganzzle.errors import PictureError
from ganzzle.samples.documents import draw_document

NAME = "drawn pages"
PAPER = 0.8  # share of a page's px that are darker than its paper, at most
# Fonts beside Pillow's own: those that matplotlib carries.
FONTS = (
    "DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSansMono", "DejaVuSansMono-Bold", "DejaVuSerif",
    "DejaVuSerif-Bold", "DejaVuSerif-Italic", "STIXGeneral", "STIXGeneralBol", "STIXGeneralItalic",
    "STIXGeneralBolIta", "cmr10", "cmb10", "cmss10", "cmti10", "cmtt10",
)  # fmt: skip


@dataclass(frozen=True)
class PageOptions:
    """Which pages are drawn."""

    count: int = 125
    held_out: int = 8  # more pages, to validate on
    height: int = 3508  # px
    seed: int = 100_000  # of the first page
    file: str = ""  # a TIFF in which they are kept: read if it is there, written if not


class DrawnPages:
    """A source of bands for training, `batch(step)`, and pages for validation, `validation()`."""

    def __init__(
        self, pages: Tensor, held_out: Tensor, windows: int, band: int, cuts: CutOptions, seed: int = 0
    ) -> None:
        """`pages` and `held_out` (P, H, W) uint8 on one device, 0 paper and 255 ink; `windows` of each step."""
        self.pages, self.held_out, self.windows, self.band, self.cuts = pages, held_out, windows, band, cuts
        self.inked = inked_rows(pages)
        self.seed = seed

    def batch(self, step: int) -> Bands:
        """The bands of one step."""
        draws = Draws((self.seed, step), self.pages.device)
        return cut_bands(self.pages, self.inked, self.windows, self.band, self.cuts, draws)

    def validation(self, most: int | None = None) -> dict[str, Tensor]:
        """The held-out pages, or the first ones of them, (V, H, W) uint8."""
        return {NAME: self.held_out[:most]} if len(self.held_out) else {}

    def describe(self) -> dict[str, int]:
        """How many training pages there are."""
        return {NAME: len(self.pages)}


def inked_rows(pages: Tensor) -> NDArray[np.float32]:
    """(P, H) share of each row of pages (P, H, W) that is ink, on the host."""
    return torch.stack([page.float().mean(1) / 255 for page in pages]).cpu().numpy()


def load_pages(options: PageOptions, say: Callable[[str], None]) -> Tensor:
    """(count + held_out, H, W) uint8 pages, 0 paper and 255 ink: read from their file, or drawn."""
    file = Path(options.file) if options.file else None
    if file is not None and file.is_file():
        pages = _read(file)
    else:
        total = options.count + options.held_out
        say(f"drawing {total} pages of {options.height} px")
        pages = [_drawn(options.height, options.seed + k) for k in range(total)]
        if file is not None:
            pages[0].save(file, "TIFF", compression="group4", save_all=True, append_images=pages[1:])
    width = max(page.width for page in pages)
    inks = np.zeros((len(pages), options.height, width), np.uint8)
    for ink, page in zip(inks, pages, strict=True):
        bits = np.asarray(page)[: options.height]
        ink[: len(bits), : page.width] = np.where(bits, 0, 255)
    return torch.from_numpy(inks)


def _read(file: Path) -> list[Image.Image]:
    """The pages of a TIFF."""
    try:
        with Image.open(file) as opened:
            return [page.convert("1") for page in ImageSequence.Iterator(opened)]
    except (OSError, SyntaxError) as error:
        raise PictureError(f"{file} holds no pages ({error})") from None


def _drawn(height: int, seed: int) -> Image.Image:
    """A drawn page in black and white."""
    grey = draw_document(height, seed, _fonts()).min(2)
    return Image.fromarray(grey > np.quantile(grey, PAPER) / 2)


def _fonts() -> list[Path]:
    """The files of FONTS that are on this machine."""
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        return []
    folder = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"
    files = [folder / f"{name}.ttf" for name in FONTS]
    return [file for file in files if file.is_file()]
