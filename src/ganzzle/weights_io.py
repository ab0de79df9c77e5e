"""Weights on disk: safetensors only, half precision, large matrices as int8 with one scale a row."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor

from ganzzle.errors import SolverError

SCALE = "::scale"
SMALLEST = 4096  # matrices with fewer entries stay in half precision
LEAST_SCALE = 2.0**-24  # of half precision that is not 0, so that a row of zeros can be divided by it


def pack_int8(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Matrices become int8 with a float16 scale a row; everything else float16."""
    packed = {}
    for name, value in weights.items():
        value = value.detach().float().cpu()
        if value.ndim == 2 and value.numel() >= SMALLEST:
            scale = row_scales(value, 127)
            packed[name] = (value / scale).round().clamp(-127, 127).to(torch.int8)
            packed[name + SCALE] = scale.half()
        else:
            packed[name] = value.half()
    return packed


def row_scales(matrix: Tensor, most: int) -> Tensor:
    """(m, n) -> (m, 1) what each row is divided by to lie in -most..most; exact in half precision."""
    return (matrix.abs().amax(1, keepdim=True) / most).half().float().clamp(min=LEAST_SCALE)


def unpack_int8(packed: dict[str, Tensor]) -> dict[str, Tensor]:
    """The float32 weights that `pack_int8` stored."""
    weights = {}
    for name, value in packed.items():
        if name.endswith(SCALE):
            continue
        scale = packed.get(name + SCALE)
        weights[name] = value.float() if scale is None else value.float().mul_(scale.float())
    return weights


def read_weights(path: str | Path, kind: str) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Float32 weights and metadata of a safetensors file of the given kind; a bad file is refused with the reason."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if not path.is_file():
        raise SolverError(f"there is no weights file {path}")
    try:
        with safe_open(str(path), framework="pt") as file:
            metadata = file.metadata() or {}
            packed = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, struct.error) as error:
        raise SolverError(f"{path} is not a whole safetensors file ({error})") from None
    found = metadata.get("kind", "unknown")
    if found != kind:
        raise SolverError(f"{path} holds weights of kind '{found}', but '{kind}' is needed")
    for name, value in packed.items():
        # Before unpacking, because there is far less to look at: integers are always numbers.
        if value.is_floating_point() and not torch.isfinite(value).all():
            raise SolverError(
                f"{path} is spoiled: '{name.removesuffix(SCALE)}' holds values that are not numbers"
            )
    return unpack_int8(packed), metadata


@contextmanager
def fitting(path: Path) -> Iterator[None]:
    """Around the filling of a network: tensors or a size that do not fit it are refused in one line."""
    try:
        yield
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise SolverError(
            f"{path} does not fit this version's network ({type(error).__name__}: {reason}); train it again"
        ) from None
