"""The pictures in the answers of a worker: what was solved, the guide to loose pieces, and how they are encoded."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence

from PIL import Image

from ganzzle.drawing.guide import draw_guide
from ganzzle.puzzle import Pixels
from ganzzle.reading.loose import Loose, lay
from ganzzle.solution import Solution
from ganzzle.web.limits import Limits
from ganzzle.web.reading import read_pictures
from ganzzle.web.requests import Job

JPEG_QUALITY = 90


def drawings(
    job: Job, limits: Limits, loose: Loose | None, solutions: Sequence[Solution]
) -> list[dict[str, str | None]]:
    """The picture and the guide of every puzzle, where they were asked for. Loose pieces have both from the photo."""
    if loose is None:
        pictures = [png_data(one.picture()) if job.with_picture else None for one in solutions]
        return [{"picture": picture, "guide": None} for picture in pictures]
    if not (job.with_picture or job.with_guide):
        return [{"picture": None, "guide": None}] * len(solutions)
    photo = read_pictures(job.files, limits)[0]
    most = limits.pixels // job.puzzles
    return [
        {
            "picture": png_data(lay(photo, loose, one, most=most)) if job.with_picture else None,
            "guide": jpeg_data(draw_guide(photo, loose, one)) if job.with_guide else None,
        }
        for one in solutions
    ]


def png_bytes(picture: Pixels) -> bytes:
    """A picture as PNG, packed quickly."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG", compress_level=1)
    return file.getvalue()


def png_data(picture: Pixels) -> str:
    """A picture as a PNG data address."""
    return "data:image/png;base64," + base64.b64encode(png_bytes(picture)).decode()


def jpeg_data(picture: Pixels) -> str:
    """A picture as a JPEG data address: a photo as PNG would be several times as large."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=JPEG_QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()
