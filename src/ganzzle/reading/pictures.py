"""Reading and writing pictures and piece folders. A picture is H x W x 3, uint8, RGB."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from ganzzle.arrays import Ints, Pixels
from ganzzle.errors import PictureError
from ganzzle.files import PathName, open_file, reason, write_whole
from ganzzle.pieces import check_picture
from ganzzle.reading.modes import Box, Stored, opaque_box, picture_of, scaled_alike, stored_in

LOG = logging.getLogger("ganzzle")
ENDINGS = (".png", ".jpg", ".jpeg", ".jfif", ".webp", ".tif", ".tiff", ".bmp")
FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP")  # Pillow's names; it opens a phone's MPO as JPEG
PHONE_FORMATS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif")
SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    "PNG": {"compress_level": 3},
    "WEBP": {"lossless": True},
    "JPEG": {"quality": 95, "subsampling": 0},
}
NAMED = 8  # files that are left out, at most
UNEVEN = 1, 0.08  # px, or share of a side, by which pieces of one pile may differ: some are cut by hand
MAX_PIXELS = 178_000_000  # larger pictures are refused before they are decoded; Pillow opens none
LONGEST = {"WEBP": 16_383, "JPEG": 65_500}  # px a side that a format can hold

Decoded = TypeVar("Decoded")


def read_picture(path: PathName, max_pixels: int = MAX_PIXELS) -> Pixels:
    """Read a picture file as (H, W, 3) uint8 RGB, whatever its mode, turned as its EXIF says (see `picture_of`)."""
    return _read(Path(path), max_pixels, picture_of)


def megapixels_of(path: PathName) -> float:
    """How many megapixels the header of a picture file says that it has; 0 where it is none."""
    try:
        with open_file(path) as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            width, height = Image.open(file, formats=FORMATS).size
            return width * height / 1e6
    except Exception:  # whoever reads the picture says what is wrong with it
        return 0.0


def _read(path: Path, max_pixels: int, convert: Callable[[Image.Image], Decoded]) -> Decoded:
    try:
        if path.is_dir():
            raise PictureError(f"{path} is a folder, not a picture")
        with open_file(path) as file:
            return _decode(file, str(path), max_pixels, convert)
    except PictureError:
        raise
    except FileNotFoundError:
        raise PictureError(f"{path} does not exist") from None
    except (OSError, ValueError) as error:
        raise PictureError(f"{path} cannot be read: {reason(error)}") from None


def decode_picture(data: bytes | IO[bytes], name: str = "picture", max_pixels: int = MAX_PIXELS) -> Pixels:
    """Decode an encoded picture; `name` is what errors call it."""
    return _decode(data, name, max_pixels, picture_of)


def decode_pieces(files: Iterable[tuple[str, bytes]], max_pixels: int = MAX_PIXELS) -> list[Pixels]:
    """Decode pictures that belong together, each with its name, as `read_pieces` does."""
    return _of_one_pile([_decode(data, name, max_pixels, _with_box) for name, data in files])


def _decode(
    data: bytes | IO[bytes], name: str, max_pixels: int, convert: Callable[[Image.Image], Decoded]
) -> Decoded:
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures and odd metadata; both are dealt with here.
            warnings.simplefilter("ignore")
            image = Image.open(stream, formats=FORMATS)
            width, height = image.size
            if width * height > max_pixels:
                raise PictureError(
                    f"{name} has {width}x{height} px, more than the {max_pixels // 1_000_000} megapixels allowed; "
                    f"scale it down first"
                )
            return convert(image)
    except (PictureError, MemoryError):
        raise
    except UnidentifiedImageError:
        stream.seek(0)
        raise PictureError(f"{name} {why_unreadable(stream.read(12))}") from None
    except Image.DecompressionBombError:
        raise PictureError(f"{name} is too large to be opened safely; scale it down first") from None
    except Exception as error:  # decoders fail in many ways on damaged data
        raise PictureError(
            f"{name} is damaged or cut short ({error}); save it again or leave it out"
        ) from None


def why_unreadable(start: bytes) -> str:
    """What is wrong with a file of no known format, by its first 12 bytes, and what to do."""
    if start[4:8] == b"ftyp" and start[8:12] in PHONE_FORMATS:
        return (
            "is a HEIC or AVIF photo, which this program cannot read yet; export it as JPEG "
            "(on an iPhone: Settings, Camera, Formats, Most Compatible)"
        )
    return "is not a picture this program can read; give a PNG, JPEG, WebP, TIFF or BMP"


def resize_picture(picture: Pixels, height: int, width: int) -> Pixels:
    """Bicubic, antialiased, aspect ignored: (H, W, 3) -> (height, width, 3)."""
    if picture.shape[:2] == (height, width):
        return picture
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


def write_picture(path: PathName, picture: Pixels, force: bool = False) -> Path:
    """Write a picture in the format of the path's ending; nothing half-written is ever left behind."""
    path = Path(path)
    check_ending(path)
    check_picture(picture)
    image = Image.fromarray(picture)
    file_format = Image.registered_extensions()[path.suffix.lower()]
    check_size(path, *picture.shape[:2])
    options = SAVE_OPTIONS.get(file_format, {})
    write_whole(path, lambda file: image.save(file, format=file_format, **options), force)
    return path


def check_ending(path: PathName) -> None:
    """Refuse an output name whose ending says no picture format."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise PictureError(f"{path}: give an output name that ends in one of {' '.join(ENDINGS)}")


def ends_like_a_picture(path: PathName) -> bool:
    """Whether a name ends like a picture of any format, also one that is not written here."""
    ending = Path(path).suffix.lower()
    return (
        ending in ENDINGS or ending in Image.registered_extensions() or ending in (".heic", ".heif", ".svg")
    )


def check_size(path: PathName, height: int, width: int) -> None:
    """Refuse an output name whose format cannot hold a picture of this size."""
    file_format = Image.registered_extensions()[Path(path).suffix.lower()]
    longest = LONGEST.get(file_format, max(height, width))
    if max(height, width) > longest:
        raise PictureError(
            f"{path}: a {width}x{height} px picture is too long for {file_format}, whose pictures end at {longest} px; "
            f"give a name that ends in .png"
        )


def piece_files(folder: PathName) -> list[Path]:
    """The picture files of a piece folder, sorted by name; a copy, as "a (1).png", comes after its original."""
    return _files_of(folder)[0]


def _files_of(folder: PathName) -> tuple[list[Path], list[Path]]:
    """The picture files of a piece folder, each sorted by name: those to be read, and those of other formats."""
    folder = Path(folder)
    try:
        if not folder.exists():
            raise PictureError(f"{folder} does not exist")
        if not folder.is_dir():
            raise PictureError(f"{folder} is not a folder")
        files = [path for path in folder.iterdir() if path.is_file() and ends_like_a_picture(path)]
        files.sort(key=lambda path: (path.stem, path.name))
        paths = [path for path in files if is_picture(path.name)]
        others = [path for path in files if not is_picture(path.name) and not path.name.startswith(".")]
        if not paths and others:
            with open_file(others[0]) as file:
                raise PictureError(f"{others[0]} {why_unreadable(file.read(12))}")
    except PictureError:
        raise
    except (OSError, ValueError) as error:
        raise PictureError(f"{folder} cannot be read: {reason(error)}") from None
    if not paths:
        raise PictureError(f"{folder} holds no pictures ({' '.join(ENDINGS)})")
    return paths, others


def read_pieces(folder: PathName) -> Pixels:
    """All pictures of a folder as (N, h, w, 3) pieces of one size; the names imply no order.

    Floats and whole numbers of 32 bits are scaled alike in all of them: a dark piece stays dark (see `scaled_alike`).
    Transparent margins are cut off.
    """
    return of_one_size(*_read_all(folder))


def read_tiles(folder: PathName) -> tuple[Pixels, Ints | None]:
    """`read_pieces`, also of tiles whose last row or column is smaller: these are padded, and (N, 2) heights and widths
    say how large they are; None where all are of one size."""
    from ganzzle.reading.ragged import padded, ragged_grid

    pieces, names = _read_all(folder)
    sizes = np.array([piece.shape[:2] for piece in pieces])
    if _odd_ones(sizes).any() and ragged_grid(sizes) is not None:
        return padded(pieces), sizes
    try:
        return of_one_size(pieces, names), None
    except PictureError as error:
        raise PictureError(
            f"{error}; only the last row and column of a whole picture may be smaller"
        ) from None


def _read_all(folder: PathName) -> tuple[list[Pixels], list[str]]:
    """The pictures of a piece folder, each (h, w, 3), and their paths."""
    paths, others = _files_of(folder)
    if others:
        names = ", ".join(path.name for path in others[:NAMED]) + (", ..." if len(others) > NAMED else "")
        LOG.warning("%s: only PNG, JPEG, WebP, TIFF and BMP files are read; left out: %s", folder, names)
    return _of_one_pile([_read(path, MAX_PIXELS, _with_box) for path in paths]), [str(path) for path in paths]


def _with_box(image: Image.Image) -> tuple[Stored, Box]:
    return stored_in(image), opaque_box(image)


def _of_one_pile(pieces: Sequence[tuple[Stored, Box]]) -> list[Pixels]:
    """Pieces, each with the box where it is opaque, as (h, w, 3); without transparent margins if that leaves all of
    them about as large, since these are no pieces of a picture that is itself transparent."""
    sizes = np.array([(bottom - top, right - left) for _, (left, top, right, bottom) in pieces])
    if _odd_ones(sizes).any():
        return scaled_alike([piece for piece, _ in pieces])
    return scaled_alike([piece[top:bottom, left:right] for piece, (left, top, right, bottom) in pieces])


def of_one_size(pieces: Sequence[Pixels], names: Sequence[str]) -> Pixels:
    """Pieces (h, w, 3) as one array (N, h, w, 3) of a middle size.

    Those that are a little larger or smaller, as where a picture was divided evenly or cut by hand, are resized; others
    are refused.
    """
    sizes = np.array([piece.shape[:2] for piece in pieces])
    height, width = _middle(sizes)
    for k in np.flatnonzero(_odd_ones(sizes)).tolist():
        raise PictureError(
            f"{names[k]} is {sizes[k, 1]}x{sizes[k, 0]} px but most are {width}x{height}; "
            f"all pieces must have the same size, or nearly so"
        )
    resized = int((sizes != (height, width)).any(1).sum())
    if resized:
        LOG.info("%d of %d pieces are a little larger or smaller than the others; they were resized to %dx%d px",
                 resized, len(pieces), width, height)  # fmt: skip
    return np.stack([resize_picture(piece, height, width) for piece in pieces])


def _odd_ones(sizes: Ints) -> NDArray[np.bool_]:
    """(N, 2) heights and widths -> (N,) which are not those of the others, or nearly so."""
    middle = np.array(_middle(sizes))
    odd: NDArray[np.bool_] = (np.abs(sizes - middle) > np.maximum(UNEVEN[0], UNEVEN[1] * middle)).any(1)
    return odd


def _middle(sizes: Ints) -> tuple[int, int]:
    """The middle one of (N, 2) heights, and that of the widths."""
    height, width = np.sort(sizes, axis=0)[len(sizes) // 2]
    return int(height), int(width)


def is_picture(name: str) -> bool:
    """Whether a file or a member of a shard is a picture, by its name; hidden ones are not."""
    name = name.rsplit("/", 1)[-1].lower()
    return name.endswith(ENDINGS) and not name.startswith(".")
