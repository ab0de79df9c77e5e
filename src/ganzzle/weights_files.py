"""Where weights lie: the embedded ones by their name, others by their path. Needs no torch."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from os import PathLike
from pathlib import Path

from ganzzle.errors import SolverError

EMBEDDED = Path(__file__).parent / "weights"


def embedded_file(name: str) -> Path:
    """Where embedded weights of this name lie, or would lie."""
    return EMBEDDED / f"{name}.safetensors"


def all_embedded() -> list[str]:
    """The names of the embedded weights."""
    return sorted(path.stem for path in EMBEDDED.glob("*.safetensors"))


def find_weights(weights: str | Path, prefix: str = "") -> Path:
    """The path of embedded weights by name ("hybrid"; "art" with the prefix "ganzzle-"), or of a file as it is given.

    Embedded names come first, so that a folder "faces" beside you does not matter.
    """
    if not isinstance(weights, str | PathLike):
        raise SolverError(f"weights are a name or a file, not {weights!r}")
    name = str(weights)
    for inside in (embedded_file(prefix + name), embedded_file(name)):
        if inside.is_file():
            return inside
    path = Path(weights)
    if path.suffix or path.is_file():
        return path
    there = ", ".join(all_embedded()) or "none"
    raise SolverError(
        f"there are no embedded weights '{prefix}{name}' (there are: {there}); give a .safetensors file"
    )


def weights_digest(weights: str) -> str:
    """`file_digest` of embedded weights or of a weights file; empty for a name that only the solver understands."""
    try:
        return file_digest(str(find_weights(weights)))
    except SolverError:
        return ""


@lru_cache
def file_digest(path: str) -> str:
    """A short digest of a file's content; empty where it cannot be read: loading it will say why."""
    try:
        return blake2b(Path(path).read_bytes(), digest_size=6).hexdigest()
    except OSError:
        return ""
