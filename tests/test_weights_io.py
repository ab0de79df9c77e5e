"""Weights on disk: what comes back, and what is said about a bad file."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from ganzzle.errors import SolverError
from ganzzle.weights_files import EMBEDDED, find_weights
from ganzzle.weights_io import pack_int8, read_weights, unpack_int8


def test_int8_keeps_every_row_within_half_a_step() -> None:
    weights = {"matrix": torch.randn(64, 128) * torch.logspace(-3, 2, 64)[:, None], "vector": torch.randn(7)}
    packed = pack_int8(weights)
    assert packed["matrix"].dtype == torch.int8
    back = unpack_int8(packed)
    step = weights["matrix"].abs().amax(1, keepdim=True) / 127
    assert ((back["matrix"] - weights["matrix"]).abs() <= 0.51 * step + 1e-6).all()
    assert torch.allclose(back["vector"], weights["vector"], atol=2e-3)


def test_a_matrix_of_zeros_stays_zero() -> None:
    assert (unpack_int8(pack_int8({"m": torch.zeros(64, 64)}))["m"] == 0).all()


def test_reading_back(tmp_path: Path) -> None:
    weights = {"m": torch.randn(80, 80)}
    save_file(pack_int8(weights), tmp_path / "w.safetensors", {"kind": "hybrid", "note": "x"})
    read, metadata = read_weights(tmp_path / "w.safetensors", "hybrid")
    assert metadata["note"] == "x"
    assert torch.allclose(read["m"], weights["m"], atol=0.05)


def test_bad_files_are_named_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    with pytest.raises(SolverError, match="no weights file"):
        read_weights(path, "hybrid")
    path.write_bytes(b"not weights")
    with pytest.raises(SolverError, match="not a whole safetensors"):
        read_weights(path, "hybrid")
    save_file({"m": torch.randn(90, 90)}, path, {"kind": "ganzzle"})
    with pytest.raises(SolverError, match="kind 'ganzzle'"):
        read_weights(path, "hybrid")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(SolverError, match="not a whole safetensors"):
        read_weights(path, "ganzzle")
    save_file({"m": torch.tensor([1.0, float("nan")])}, path, {"kind": "hybrid"})
    with pytest.raises(SolverError, match="not numbers"):
        read_weights(path, "hybrid")


def test_unknown_embedded_weights_list_what_there_is() -> None:
    with pytest.raises(SolverError, match="no embedded weights 'nothing'"):
        find_weights("nothing")


def test_embedded_names_come_before_what_lies_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("hybrid", "art"):
        (tmp_path / name).mkdir()
    (tmp_path / "own").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    assert find_weights("hybrid") == EMBEDDED / "hybrid.safetensors"
    for name in ("art", "ganzzle-art"):
        assert find_weights(name, "ganzzle-") == EMBEDDED / "ganzzle-art.safetensors"
    assert find_weights("own") == Path("own")
    assert find_weights("runs/mine.safetensors") == Path("runs/mine.safetensors")
