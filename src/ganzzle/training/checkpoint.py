"""Atomic checkpoints: networks, optimizers and position in one safetensors file, nothing pickled.

All random draws of a step are seeded by (seed, step, process), so the position is the state of the random numbers too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from ganzzle.errors import GanzzleError, PictureError
from ganzzle.files import write_whole

PREFIX, ENDING = "checkpoint-", ".safetensors"


class CheckpointError(GanzzleError):
    """A checkpoint that cannot be written or read."""


def write_atomically(path: Path, data: bytes) -> None:
    """`write_whole` that also waits for the disk: after a power cut the file is whole or not there."""

    def write(file: IO[bytes]) -> None:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())

    try:
        write_whole(path, write, force=True)
    except PictureError as error:
        raise CheckpointError(str(error)) from None


def save_checkpoint(folder: Path, step: int, state: dict[str, Any], keep: int) -> Path:
    """Write the state of a step, then drop all but the last `keep` checkpoints."""
    tensors: dict[str, torch.Tensor] = {}
    tree = _take_tensors(state, tensors, "")
    path = folder / f"{PREFIX}{step:08d}{ENDING}"
    write_atomically(path, save(tensors, {"tree": json.dumps(tree)}))
    for old in checkpoints(folder)[: -max(1, keep)]:
        old.unlink(missing_ok=True)
    return path


def checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a run, oldest first."""
    return sorted(folder.glob(f"{PREFIX}*{ENDING}"))


def remove_unfinished(folder: Path) -> None:
    """Delete what a run that was killed while it wrote a checkpoint has left behind."""
    for path in folder.glob(f".{PREFIX}*"):
        if path.is_file():
            path.unlink(missing_ok=True)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The state that was saved, on the CPU."""
    try:
        with safe_open(path, framework="pt") as file:
            tree = json.loads(file.metadata()["tree"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} is no readable checkpoint ({error}); delete it to use an older one"
        ) from None
    state: dict[str, Any] = _put_tensors(tree, tensors)
    return state


def _take_tensors(value: Any, tensors: dict[str, torch.Tensor], path: str) -> Any:
    """A copy of nested dicts and lists in JSON's types, with the tensors taken out."""
    if isinstance(value, torch.Tensor):
        tensors[path] = value.detach().cpu().contiguous().clone()
        return {"tensor": path}
    if isinstance(value, dict):
        return {"dict": [[k, _take_tensors(v, tensors, f"{path}/{k}")] for k, v in value.items()]}
    if isinstance(value, list | tuple):
        return {"list": [_take_tensors(v, tensors, f"{path}/{i}") for i, v in enumerate(value)]}
    return value


def _put_tensors(tree: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if not isinstance(tree, dict):
        return tree
    if "tensor" in tree:
        return tensors[tree["tensor"]]
    if "list" in tree:
        return [_put_tensors(v, tensors) for v in tree["list"]]
    return {k: _put_tensors(v, tensors) for k, v in tree["dict"]}
