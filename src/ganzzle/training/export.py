"""Weights to embed: fp16 safetensors with a record of how they were made, in parts where files must be small."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from ganzzle.bench.recording import recorded
from ganzzle.errors import GanzzleError
from ganzzle.provenance import code_commit
from ganzzle.training.checkpoint import write_atomically

PART_BYTES = 15 * 2**20
WHERE_OPTIONS = ("--out", "--export-dir", "--pause-minutes")


class ExportError(GanzzleError):
    """Weights that cannot be exported or joined."""


def safetensors_bytes(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """A safetensors file; floats become fp16, which must hold them."""
    packed = {}
    for name, tensor in tensors.items():
        value = tensor.detach().cpu()
        if value.is_floating_point():
            value = value.to(torch.float16)
            if not torch.isfinite(value).all():
                raise ExportError(f"weights '{name}' are not finite in fp16: the training went astray")
        packed[name] = value.contiguous().clone()
    return save(packed, dict(metadata))


def training_record(
    config: Mapping[str, Any], scores: Mapping[str, float], data: Mapping[str, int]
) -> dict[str, str]:
    """Where weights come from: config, commit, command, data, scores."""
    return {
        "config": json.dumps(config),
        "commit": code_commit(),
        "command": recorded(sys.argv[1:], WHERE_OPTIONS, ("--resume",)),
        "data": json.dumps(dict(data)),
        "scores": json.dumps({name: round(value, 4) for name, value in scores.items()}),
    }


def write_parts(data: bytes, path: Path, part_bytes: int = PART_BYTES) -> list[Path]:
    """Write the bytes to `path`, or to parts of at most `part_bytes` named `path.part-1-of-3`."""
    count = max(1, -(-len(data) // part_bytes))
    if count == 1:
        write_atomically(path, data)
        return [path]
    paths = [path.with_name(f"{path.name}.part-{k + 1}-of-{count}") for k in range(count)]
    for k, part in enumerate(paths):
        write_atomically(part, data[k * part_bytes : (k + 1) * part_bytes])
    return paths


def join_parts(first: Path, out: Path | None = None) -> Path:
    """Join the parts of a file; `first` is any of them. The result stands beside them unless `out` says otherwise."""
    match = re.fullmatch(r"(.+)\.part-\d+-of-(\d+)", first.name)
    if match is None:
        raise ExportError(f"{first} is no part of a file; give one named like model.safetensors.part-1-of-3")
    count = int(match[2])
    paths = [first.with_name(f"{match[1]}.part-{k + 1}-of-{count}") for k in range(count)]
    for path in paths:
        if not path.is_file():
            raise ExportError(f"{path} is missing; all {count} parts are needed")
    target = out or first.with_name(match[1])
    write_atomically(target, b"".join(path.read_bytes() for path in paths))
    return target
