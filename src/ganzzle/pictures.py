"""Reading and writing pictures, piece folders and tar shards. A picture is H x W x 3, uint8, RGB."""

from __future__ import annotations

import glob
import io
import os
import tarfile
import tempfile
import warnings
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from ganzzle.errors import PictureError
from ganzzle.puzzle import Pixels

ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp")
FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP")  # Pillow's names; it opens a phone's MPO as JPEG
SAVE_OPTIONS: dict[str, dict[str, Any]] = {
    "PNG": {"compress_level": 3},
    "WEBP": {"lossless": True},
    "JPEG": {"quality": 95, "subsampling": 0},
}
MAX_PIXELS = 200_000_000  # larger pictures are refused before they are decoded

PathName = str | PathLike[str]
Wanted = Callable[[str], bool]  # by a picture's file name


def read_picture(path: PathName, max_pixels: int = MAX_PIXELS) -> Pixels:
    """Read a picture file as (H, W, 3) uint8 RGB, whatever its mode, turned as its EXIF says."""
    path = Path(path)
    if path.is_dir():
        raise PictureError(f"{path} is a folder, not a picture")
    try:
        with open(path, "rb") as file:
            return decode_picture(file, str(path), max_pixels)
    except FileNotFoundError:
        raise PictureError(f"{path} does not exist") from None
    except OSError as error:
        raise PictureError(f"{path} cannot be read: {error.strerror or error}") from None


def decode_picture(data: bytes | IO[bytes], name: str = "picture", max_pixels: int = MAX_PIXELS) -> Pixels:
    """Decode an encoded picture; `name` is what errors call it."""
    stream = io.BytesIO(data) if isinstance(data, bytes) else data
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # Pillow warns of large pictures and odd metadata; both are dealt with here
            image = Image.open(stream, formats=FORMATS)
            width, height = image.size
            if width * height > max_pixels:
                raise PictureError(
                    f"{name} has {width}x{height} px, more than the {max_pixels // 1_000_000} megapixels allowed; "
                    f"scale it down first"
                )
            return _to_rgb(image)
    except PictureError:
        raise
    except UnidentifiedImageError:
        raise PictureError(
            f"{name} is not a picture this program can read; give a PNG, JPEG, WebP, TIFF or BMP"
        ) from None
    except Image.DecompressionBombError:
        raise PictureError(f"{name} is too large to be opened safely; scale it down first") from None
    except Exception as error:  # decoders fail in many ways on damaged data
        raise PictureError(
            f"{name} is damaged or cut short ({error}); save it again or leave it out"
        ) from None


def resize_picture(picture: Pixels, height: int, width: int) -> Pixels:
    """Bicubic, antialiased, aspect ignored: (H, W, 3) -> (height, width, 3)."""
    if picture.shape[:2] == (height, width):
        return picture
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


def write_picture(path: PathName, picture: Pixels, force: bool = False) -> Path:
    """Write a picture in the format of the path's ending; nothing half-written is ever left behind."""
    path = Path(path)
    check_ending(path)
    image = Image.fromarray(picture)
    file_format = Image.registered_extensions()[path.suffix.lower()]
    options = SAVE_OPTIONS.get(file_format, {})
    write_whole(path, lambda file: image.save(file, format=file_format, **options), force)
    return path


def check_ending(path: PathName) -> None:
    """Refuse an output name whose ending says no picture format."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise PictureError(f"{path}: give an output name that ends in one of {' '.join(ENDINGS)}")


def check_free(path: PathName, force: bool = False) -> None:
    """Refuse an output path that is taken, so that a command can do so before its long work."""
    path = Path(path)
    if path.is_dir():
        raise PictureError(f"{path} is a folder; give a file name")
    if path.exists() and not force:
        raise PictureError(f"{path} exists already; use --force to overwrite it, or choose another name")
    above = next(parent for parent in path.absolute().parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise PictureError(f"{path} cannot be written: {above} is no folder one can write to")


def write_whole(path: PathName, write: Callable[[IO[bytes]], object], force: bool = False) -> None:
    """Call `write` on a temporary file beside `path`, then rename it: readers see all of it or nothing."""
    path = Path(path)
    try:
        check_free(path, force)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise PictureError(f"{path} cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise PictureError(f"{path} cannot be written: {error.strerror or error}") from None
        raise


def piece_files(folder: PathName) -> list[Path]:
    """The picture files of a piece folder, sorted by name."""
    folder = Path(folder)
    if not folder.exists():
        raise PictureError(f"{folder} does not exist")
    if not folder.is_dir():
        raise PictureError(f"{folder} is not a folder")
    paths = sorted(p for p in folder.iterdir() if p.is_file() and _is_picture(p.name))
    if not paths:
        raise PictureError(f"{folder} holds no pictures ({' '.join(ENDINGS)})")
    return paths


def read_pieces(folder: PathName) -> Pixels:
    """All pictures of a folder as (N, h, w, 3) pieces of one size; the names imply no order."""
    paths = piece_files(folder)
    pieces = [read_picture(path) for path in paths]
    for path, piece in zip(paths, pieces, strict=True):
        if piece.shape != pieces[0].shape:
            (h, w), (h0, w0) = piece.shape[:2], pieces[0].shape[:2]
            raise PictureError(
                f"{path} is {w}x{h} px but {paths[0].name} is {w0}x{h0}; all pieces must have the same size"
            )
    return np.stack(pieces)


def iterate_pictures(
    source: PathName, limit: int | None = None, wanted: Wanted = lambda name: True
) -> Iterator[tuple[str, Pixels]]:
    """Yield (name, picture) from a picture, a folder, a tar shard, or a glob of these; shards are streamed.

    A folder stands for all pictures and shards in it and below it. Pictures whose name is not `wanted` are passed over
    without being decoded.
    """
    count = 0
    for path in _expand(str(source)):
        for name, picture in _pictures_of(path, wanted):
            if limit is not None and count >= limit:
                return
            count += 1
            yield name, picture
    if count == 0:
        raise PictureError(f"{source} holds no pictures, or none that is asked for")


def count_pictures(source: PathName, wanted: Wanted = lambda name: True) -> int:
    """How many pictures `iterate_pictures` would yield, without decoding any."""
    total = 0
    for path in _expand(str(source)):
        if _is_shard(path):
            with _open_shard(path) as shard:
                total += sum(_is_wanted(member, wanted) for member in shard)
        else:
            total += wanted(path.name)
    return total


def _is_wanted(member: tarfile.TarInfo, wanted: Wanted) -> bool:
    return member.isfile() and _is_picture(member.name) and wanted(Path(member.name).name)


def _pictures_of(path: Path, wanted: Wanted) -> Iterator[tuple[str, Pixels]]:
    if not _is_shard(path):
        if wanted(path.name):
            yield path.name, read_picture(path)
        return
    try:
        with _open_shard(path) as shard:
            for member in shard:
                if _is_wanted(member, wanted):
                    file = shard.extractfile(member)
                    assert file is not None
                    yield Path(member.name).name, decode_picture(file.read(), f"{path}:{member.name}")
    except (tarfile.TarError, EOFError) as error:
        raise PictureError(f"{path} is damaged or cut short ({error})") from None


def _open_shard(path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(path, "r|")
    except (tarfile.TarError, EOFError):
        raise PictureError(f"{path} is not a tar file") from None
    except OSError as error:
        raise PictureError(f"{path} cannot be read: {error.strerror or error}") from None


def _expand(source: str) -> list[Path]:
    """The picture files and shards a source stands for, in a fixed order."""
    if os.path.exists(source):
        return _files_below(Path(source))
    if not any(sign in source for sign in "*?["):
        raise PictureError(f"{source} does not exist")
    matches = sorted(glob.glob(source))
    if not matches:
        raise PictureError(f"nothing matches {source}")
    return [file for match in matches for file in _files_below(Path(match))]


def _files_below(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(p for p in path.rglob("*") if (_is_picture(p.name) or _is_shard(p)) and p.is_file())


def _is_shard(path: Path) -> bool:
    return path.suffix == ".tar"


def _is_picture(name: str) -> bool:
    name = name.rsplit("/", 1)[-1].lower()
    return name.endswith(ENDINGS) and not name.startswith(".")


def _to_rgb(image: Image.Image) -> Pixels:
    """Any mode to RGB: 16 bit is scaled to 8, transparency is laid on white, EXIF orientation is obeyed."""
    image = ImageOps.exif_transpose(image)
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        image = Image.fromarray(_to_eight_bits(np.asarray(image), image.mode))
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return np.array(image.convert("RGB"))


def _to_eight_bits(grey: np.ndarray, mode: str) -> Pixels:
    """Grey values of 16 bits or of floats (0..1, or 0..255, or 0..65535) to 0..255."""
    values = np.nan_to_num(grey.astype(np.float64))
    top = values.max(initial=0)
    if mode == "F" and top <= 1:
        values = values * 255
    elif mode != "F" or top > 255:
        values = values / 257
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)
