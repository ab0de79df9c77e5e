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
MAX_PIXELS = 200_000_000  # larger pictures are refused before they are decoded

PathName = str | PathLike[str]


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
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(stream)
            width, height = image.size
            if width * height > max_pixels:
                raise PictureError(
                    f"{name} has {width}x{height} px, more than the {max_pixels // 1_000_000} megapixels allowed; "
                    f"scale it down first"
                )
            image.load()
        return _to_rgb(image)
    except UnidentifiedImageError:
        raise PictureError(f"{name} is not a picture this program can read (PNG, JPEG, WebP, TIFF, BMP)") from None
    except Image.DecompressionBombError:
        raise PictureError(f"{name} is too large to be opened safely; scale it down first") from None
    except PictureError:
        raise
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise PictureError(f"{name} is damaged or cut short ({error})") from None


def resize_picture(picture: Pixels, height: int, width: int) -> Pixels:
    """Bicubic, antialiased, aspect ignored: (H, W, 3) -> (height, width, 3)."""
    if picture.shape[:2] == (height, width):
        return picture
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC))


def write_picture(path: PathName, picture: Pixels, force: bool = False) -> Path:
    """Write a picture in the format of the path's ending; nothing half-written is ever left behind."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise PictureError(f"{path}: give an output name that ends in one of {' '.join(ENDINGS)}")
    image = Image.fromarray(picture)
    file_format = Image.registered_extensions()[path.suffix.lower()]
    options: dict[str, Any] = {"compress_level": 3} if file_format == "PNG" else {"quality": 95}
    write_whole(path, lambda file: image.save(file, format=file_format, **options), force)
    return path


def write_whole(path: PathName, write: Callable[[IO[bytes]], object], force: bool = False) -> None:
    """Call `write` on a temporary file beside `path`, then rename it: readers see all of it or nothing."""
    path = Path(path)
    if path.is_dir():
        raise PictureError(f"{path} is a folder; give a file name")
    if path.exists() and not force:
        raise PictureError(f"{path} exists already; use --force to overwrite it, or choose another name")
    try:
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


def read_pieces(folder: PathName) -> Pixels:
    """All pictures of a folder as (N, h, w, 3) pieces of one size; the names imply no order."""
    folder = Path(folder)
    paths = _pictures_in(folder)
    pieces = [read_picture(path) for path in paths]
    for path, piece in zip(paths, pieces, strict=True):
        if piece.shape != pieces[0].shape:
            (h, w), (h0, w0) = piece.shape[:2], pieces[0].shape[:2]
            raise PictureError(
                f"{path} is {w}x{h} px but {paths[0].name} is {w0}x{h0}; all pieces must have the same size"
            )
    return np.stack(pieces)


def iterate_pictures(source: PathName, limit: int | None = None) -> Iterator[tuple[str, Pixels]]:
    """Yield (name, picture) from a picture, a folder, a tar shard, or a glob of these; shards are streamed."""
    count = 0
    for path in _expand(str(source)):
        for name, picture in _pictures_of(path):
            if limit is not None and count >= limit:
                return
            count += 1
            yield name, picture
    if count == 0:
        raise PictureError(f"{source} holds no pictures")


def count_pictures(source: PathName) -> int:
    """How many pictures `iterate_pictures` would yield, without decoding any."""
    total = 0
    for path in _expand(str(source)):
        if path.is_dir():
            total += len(_pictures_in(path))
        elif path.suffix == ".tar":
            with _open_shard(path) as shard:
                total += sum(_is_picture(member.name) for member in shard if member.isfile())
        else:
            total += 1
    return total


def _pictures_of(path: Path) -> Iterator[tuple[str, Pixels]]:
    if path.is_dir():
        for file in _pictures_in(path):
            yield file.name, read_picture(file)
    elif path.suffix == ".tar":
        try:
            with _open_shard(path) as shard:
                for member in shard:
                    if member.isfile() and _is_picture(member.name):
                        file = shard.extractfile(member)
                        assert file is not None
                        yield Path(member.name).name, decode_picture(file.read(), f"{path}:{member.name}")
        except (tarfile.TarError, EOFError) as error:
            raise PictureError(f"{path} is damaged or cut short ({error})") from None
    else:
        yield path.name, read_picture(path)


def _open_shard(path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(path, "r|")
    except (tarfile.TarError, EOFError):
        raise PictureError(f"{path} is not a tar file") from None


def _expand(source: str) -> list[Path]:
    if any(sign in source for sign in "*?[") and not os.path.exists(source):
        paths = sorted(Path(p) for p in glob.glob(source))
        if not paths:
            raise PictureError(f"nothing matches {source}")
        return paths
    if not os.path.exists(source):
        raise PictureError(f"{source} does not exist")
    return [Path(source)]


def _pictures_in(folder: Path) -> list[Path]:
    if not folder.exists():
        raise PictureError(f"{folder} does not exist")
    if not folder.is_dir():
        raise PictureError(f"{folder} is not a folder")
    paths = sorted(p for p in folder.iterdir() if p.is_file() and _is_picture(p.name))
    if not paths:
        raise PictureError(f"{folder} holds no pictures ({' '.join(ENDINGS)})")
    return paths


def _is_picture(name: str) -> bool:
    name = name.rsplit("/", 1)[-1].lower()
    return name.endswith(ENDINGS) and not name.startswith(".")


def _to_rgb(image: Image.Image) -> Pixels:
    """Any mode to RGB: 16 bit is scaled to 8, transparency is laid on white, EXIF orientation is obeyed."""
    image = ImageOps.exif_transpose(image)
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        grey = np.asarray(image).astype(np.float64)
        if image.mode != "F" or grey.max(initial=0) > 255:
            grey = grey / 257  # 16 bit to 8 bit
        image = Image.fromarray(np.clip(np.rint(grey), 0, 255).astype(np.uint8))
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return np.array(image.convert("RGB"))
