"""Smaller forms of the hybrid's weights: what they hold, what they take, and what they predict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from benchmarks import held_out, size
from benchmarks.size import Variant
from ganzzle import Puzzle
from ganzzle.networks.hybrid import HybridNetwork, HybridSize
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.rules import Wear
from ganzzle.solvers.hybrid.sight import prepare
from ganzzle.training.export import safetensors_bytes
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import pack_int8, read_weights, unpack_int8

Draw = Callable[..., np.ndarray]
CONFIG = HybridSize(width=64, stages=(1, 1, 1), painter=16)
METADATA = {"network": json.dumps(CONFIG.to_json()), "kind": "hybrid"}


@pytest.fixture(scope="module")
def weights() -> dict[str, Tensor]:
    """Of a network that nobody trained; its looks say something all the same."""
    torch.manual_seed(0)
    network = HybridNetwork(CONFIG)
    tensors = network.state_dict()
    for name in tensors:
        if "verdict" in name:
            torch.nn.init.normal_(tensors[name])
    return unpack_int8(pack_int8(tensors))


def worn(draw: Draw) -> Puzzle:
    return Puzzle.from_picture(draw(96, 128, seed=1), "3x4", seed=1, piece=32, corrupt="erode:3")


def test_eight_bits_are_the_embedded_weights(weights: dict[str, Tensor]) -> None:
    for value in weights.values():
        assert torch.equal(size.quantised(value, 8), value)


def test_the_embedded_file_is_as_large_as_computed() -> None:
    weights, _ = read_weights(find_weights("hybrid"), "hybrid")
    computed = sum(size.stored_bits(value, 8) for value in weights.values()) / 8
    assert computed == pytest.approx(find_weights("hybrid").stat().st_size, rel=0.01)


def test_a_row_of_zeros_stays_zero() -> None:
    value = torch.ones(64, 64)
    value[0] = 0
    assert torch.allclose(size.quantised(value, 4), value, rtol=1e-3)


@pytest.mark.parametrize("bits", [4, 5, 6])
def test_fewer_bits_leave_so_many_values_a_row(bits: int) -> None:
    value = torch.randn(64, 128, generator=torch.Generator().manual_seed(0))
    rounded = size.quantised(value, bits)
    assert max(len(row.unique()) for row in rounded) <= 2**bits - 1
    assert (rounded - value).abs().max() <= 0.51 * value.abs().amax() / (2 ** (bits - 1) - 1)
    assert size.stored_bits(value, bits) == bits * 64 * 128 + 16 * 64
    assert size.stored_bits(value[:1], bits) == 16 * 128  # a small one stays as it is


@pytest.mark.parametrize("stages", [1, 2])
def test_leaving_early_gives_what_that_stage_says(
    weights: dict[str, Tensor], draw: Draw, stages: int, tmp_path: Path
) -> None:
    path = tmp_path / "whole.safetensors"
    path.write_bytes(safetensors_bytes(weights, METADATA))
    variant = Variant("", "early", 16, stages, painter=False)
    early = size.load_variant(weights, METADATA, variant, "cpu")
    puzzle = worn(draw)
    with torch.inference_mode():
        given = prepare([puzzle], Wear.of(puzzle), torch.device("cpu"))
        expected = Hybrid(path, device="cpu").eyes.network(given).stages[stages]
        found = early.eyes.network(given)
    for ours, theirs in zip(found.stages[-1], expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4)
    assert found.thumbs[-1].shape == (1, 12, 3, 8, 8)
    assert early.solve(puzzle).mental_image is not None


def test_parts_that_are_not_needed_take_no_room(weights: dict[str, Tensor]) -> None:
    names = size.needed(weights, Variant("", "early", stages=1, painter=False))
    assert {name.split(".")[0] for name in weights} - {name.split(".")[0] for name in names} == {"painter"}
    assert {name[:9] for name in names if name.startswith("stages.")} == {"stages.0."}


def test_a_picture_counts_once_for_the_error() -> None:
    one = np.array([[50.0, 52.0], [60.0, 60.0], [70.0, 71.0]])
    by_cell = {("a", "faces"): one, ("b", "faces"): one}
    gain, error = size.gains(by_cell, shipped=0)
    assert gain.tolist() == [0, 1]
    assert error == pytest.approx([0, 1 / np.sqrt(3)])


def test_the_command_prints_and_keeps_every_form(
    weights: dict[str, Tensor],
    draw: Draw,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def pictures(source: str, count: int) -> list[np.ndarray]:
        return [draw(64, 64, seed=k) for k in range(count)]

    monkeypatch.setattr(held_out, "held_out_pictures", pictures)
    monkeypatch.setattr(size, "TIMED", ("2x2 none",))
    path = tmp_path / "some.safetensors"
    path.write_bytes(safetensors_bytes(weights, METADATA))
    words = ["--weights", path, "--pictures", 2, "--cell", "2x2 erode:2", "--repeats", 1, "--device", "cpu"]
    size.main([*map(str, words), "--results", f"{tmp_path}/size.json", "--figure", f"{tmp_path}/size"])
    record = json.loads((tmp_path / "size.json").read_text())
    command = "python -m benchmarks.size --pictures 2 --repeats 1 --weights some.safetensors"
    assert record["command"] == f"{command} --cell '2x2 erode:2'"
    rows = {row["variant"]["name"]: row for row in record["rows"]}
    assert rows["int8"]["gain"] == 0
    assert rows["int4"]["mib"] < rows["int5"]["mib"] < rows["int8"]["mib"] < rows["fp16"]["mib"]
    assert rows["stage 1"]["mib"] < rows["no painter"]["mib"] < rows["int8"]["mib"]
    assert rows["no painter"]["direct"] == rows["int8"]["direct"]
    assert (tmp_path / "size.svg").is_file()
    assert capsys.readouterr().out.count("\n| ") == len(rows) + 1
