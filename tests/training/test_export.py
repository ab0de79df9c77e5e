"""The record that goes with weights."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load

from ganzzle.training.export import ExportError, join_parts, safetensors_bytes, training_record, write_parts


def test_the_command_is_kept_without_the_places_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["ganzzle", "train", "configs/a.toml", "--out", "/x/run", "--set", "train.seed=1", "--resume",
             "--export-dir=/y", "--pause-minutes", "9", "--max-minutes", "10"]  # fmt: skip
    monkeypatch.setattr(sys, "argv", given)
    record = training_record({"name": "a"}, {"toy 2x2": 50.123456}, {"toy": 3})
    assert record["command"] == "ganzzle train configs/a.toml --set train.seed=1 --max-minutes 10"
    assert json.loads(record["scores"]) == {"toy 2x2": 50.1235}


def test_floats_become_half_and_whole_numbers_stay() -> None:
    packed = load(safetensors_bytes({"a": torch.ones(3), "b": torch.ones(2, dtype=torch.int8)}, {}))
    assert (packed["a"].dtype, packed["b"].dtype) == (torch.float16, torch.int8)
    with pytest.raises(ExportError, match="'a' are not finite"):
        safetensors_bytes({"a": torch.tensor([1e9])}, {})


def test_small_files_stay_whole(tmp_path: Path) -> None:
    (path,) = write_parts(b"abc", tmp_path / "a.safetensors", part_bytes=3)
    assert path.read_bytes() == b"abc"
    with pytest.raises(ExportError, match="no part of a file"):
        join_parts(path)
