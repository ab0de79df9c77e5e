"""The protocols with gaps: their geometry, and the command that measures them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ganzzle.bench.field import table_of
from ganzzle.bench.field_protocols import PROTOCOLS, squared


@pytest.mark.parametrize(
    ("name", "count", "side"),
    [("lsej10-5", 100, 50), ("lsej20-2", 400, 50), ("jpwleg5", 25, 96), ("jpwleg3", 9, 96), ("imagenet3-2", 7, 64)],
)  # fmt: skip
def test_each_protocol_has_its_pieces(
    draw: Callable[..., np.ndarray], name: str, count: int, side: int
) -> None:
    puzzle = PROTOCOLS[name].make(draw(300, 400, 1), np.random.default_rng(0))
    again = PROTOCOLS[name].make(draw(300, 400, 1), np.random.default_rng(0))
    assert puzzle.pieces.shape == (count, side, side, 3)
    assert puzzle.rim == 0
    assert puzzle.gap is None
    assert np.array_equal(puzzle.pieces, again.pieces)
    assert puzzle.truth is not None
    assert len(set(puzzle.truth.placement.tolist())) == count


@pytest.mark.parametrize(
    ("name", "whole", "between", "border"), [("jpwleg5", 534, 12, 3), ("jpwleg3", 398, 48, 7)]
)
def test_the_pieces_of_jpwleg_lie_where_they_should(
    draw: Callable[..., np.ndarray], name: str, whole: int, between: int, border: int
) -> None:
    picture = draw(420, 420, 2)
    puzzle = PROTOCOLS[name].make(picture, np.random.default_rng(0))
    shown, side = squared(picture, whole), puzzle.grid.rows  # type: ignore[union-attr]
    assert 2 * border + side * 96 + (side - 1) * between == whole
    for piece, slot in zip(puzzle.pieces, puzzle.truth.placement, strict=True):  # type: ignore[union-attr]
        y, x = (border + (96 + between) * k for k in divmod(int(slot), side))
        assert np.array_equal(piece, shown[y : y + 96, x : x + 96])


def test_windows_lie_at_places_by_chance(draw: Callable[..., np.ndarray]) -> None:
    picture = draw(255, 255, 3)
    puzzle = PROTOCOLS["imagenet3-0"].make(picture, np.random.default_rng(0))
    places = set()
    for piece, slot in zip(puzzle.pieces, puzzle.truth.placement, strict=True):  # type: ignore[union-attr]
        row, col = divmod(int(slot), 3)
        tile = picture[85 * row : 85 * row + 85, 85 * col : 85 * col + 85]
        same = [
            (y, x)
            for y in range(22)
            for x in range(22)
            if np.array_equal(tile[y : y + 64, x : x + 64], piece)
        ]
        assert len(same) == 1
        places.update(same)
    assert len(places) > 5


def test_the_command_stores_rows_beside_the_published_ones(
    command: Callable[..., object], draw: Callable[..., np.ndarray], tmp_path: Path
) -> None:
    (tmp_path / "pictures").mkdir()
    for seed in range(2):
        Image.fromarray(draw(200, 200, seed)).save(tmp_path / "pictures" / f"{seed}.png")
    say = (
        "bench",
        "field",
        "--images",
        tmp_path / "pictures",
        "--protocol",
        "imagenet3-1",
        "--solver",
        "assembler",
    )
    ran = command(*say, "--out", tmp_path / "out", "--results", tmp_path / "results")
    assert ran.code == 0, ran.err
    assert "PuzLM" in ran.out
    record = json.loads((tmp_path / "results" / "field.json").read_text())
    assert [row["puzzles"] for row in record["rows"]] == [2]
    assert "86.0" in (tmp_path / "results" / "field.md").read_text()
    assert "0 of 2 puzzles to solve" in command(*say, "--out", tmp_path / "out").out
    assert len(table_of(record["rows"]).rows) == 2


def test_an_unknown_protocol_is_refused(command: Callable[..., object], tmp_path: Path) -> None:
    ran = command("bench", "field", "--images", tmp_path, "--protocol", "lsej7", "--out", tmp_path / "out")
    assert ran.code == 2
    assert "lsej10-2" in ran.err
