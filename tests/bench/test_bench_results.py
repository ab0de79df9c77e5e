"""The folder results/ is made by `ganzzle bench`: in one go or in pieces."""

from __future__ import annotations

import json
import tarfile

import pytest

from ganzzle.bench.results import read_results, short_source, store_results, store_times
from ganzzle.bench.suites import beyond_items, results_items, sources_in
from ganzzle.errors import GanzzleError
from ganzzle.reading.pictures import write_picture

pytest.importorskip("matplotlib")


def row_of(grid="6x6", **changes):
    """A row as the suites make it."""
    row = {
        "solver": "gallagher", "dataset": "faces", "source": "/far/away/faces/test*.tar", "grid": grid,
        "corruption": "none", "puzzles": 7, "direct": 98.0, "neighbour": 97.0, "rotated": False,
    }  # fmt: skip
    return row | changes


def test_rows_replace_those_of_the_same_puzzles(tmp_path):
    first, second = {"command": "one"}, {"command": "two"}
    store_results(tmp_path, "paper", [row_of("10x10"), row_of("6x6")], {}, first)
    gap = {("gallagher", "art", "6x6", "none", False): "no pictures"}
    (path,) = store_results(tmp_path, "paper", [row_of("6x6", direct=50.0, puzzles=3)], gap, second)
    assert path.name == "paper-gallagher.json"
    stored = json.loads(path.read_text())
    assert stored["commands"] == ["one", "two"]
    assert [(row["grid"], row["direct"]) for row in stored["rows"]] == [("6x6", 50.0), ("10x10", 98.0)]
    assert {row["source"] for row in stored["rows"]} == {"faces/test*.tar"}
    assert read_results(tmp_path).absent == gap

    everything = [row_of("10x10"), row_of("6x6"), row_of("6x6", dataset="art")]
    store_results(tmp_path, "paper", everything, {}, {"command": "three"})
    stored = json.loads(path.read_text())
    assert stored["commands"] == ["three"]  # nothing of the others is left
    assert stored["absent"] == []


def test_a_measured_row_stays_where_the_solver_cannot_take_part_this_time(tmp_path):
    store_results(tmp_path, "paper", [row_of("10x10"), row_of("6x6")], {}, {"command": "one"})
    gap = {("gallagher", "faces", "10x10", "none", False): "no weights for 10x10 are here"}
    (path,) = store_results(tmp_path, "paper", [row_of("6x6", direct=50.0)], gap, {"command": "two"})
    stored = json.loads(path.read_text())
    assert [(row["grid"], row["direct"]) for row in stored["rows"]] == [("6x6", 50.0), ("10x10", 98.0)]
    assert stored["absent"] == []


def test_a_file_a_solver_and_a_line_a_row(tmp_path):
    rows = [row_of(solver="gallagher"), row_of(solver="my_package.m:Mine")]
    paths = store_results(tmp_path, "paper", rows, {}, {"command": "x"})
    assert [path.name for path in paths] == ["paper-gallagher.json", "paper-my_package.m-Mine.json"]
    assert sum(line.startswith('  {"solver"') for line in paths[0].read_text().splitlines()) == 1


def test_times_of_two_devices_are_two_files(tmp_path):
    times = {
        "solver": "hybrid",
        "grid": "6x6",
        "puzzles": 24,
        "ms_mean": 9.0,
        "ms_sd": 1.0,
        "peak_mib": 300.0,
    }
    rows = [times | {"device": device} for device in ("cpu", "cuda")]
    store_times(tmp_path, rows, {"command": "x"})
    store_times(tmp_path, [rows[0] | {"ms_mean": 5.0}], {"command": "y"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["speed-cpu.json", "speed-cuda.json"]
    assert [row["ms_mean"] for row in read_results(tmp_path).times] == [5.0, 9.0]


def test_a_source_is_told_without_its_place():
    assert short_source("/home/me/data/faces/test-000.tar") == "faces/test-000.tar"
    assert short_source("holiday/") == "holiday"


def test_large_worn_puzzles_come_from_fewer_pictures():
    items = results_items(["faces=x"], ["gallagher", "hybrid"], limit=None, seed=0)
    assert [item.solver for item in items] == ["gallagher"] * 28 + ["hybrid"] * 28
    few = [item for item in items if item.limit]
    assert {(item.grid, item.limit) for item in few} == {("10x10", 100)}
    assert len(few) == 18
    assert {item.limit for item in results_items(["x"], ["hybrid"], limit=3, seed=0)} == {3}


def test_everything_in_one_command_and_again_for_nothing(command, draw, tmp_path, monkeypatch):
    (tmp_path / "faces").mkdir()
    with tarfile.open(tmp_path / "faces" / "test-000.tar", "w") as shard:
        for k in range(2):
            write_picture(tmp_path / f"{k}.png", draw(96, 96, k))
            shard.add(tmp_path / f"{k}.png", f"{k}.png")
    monkeypatch.setenv("GANZZLE_DATA", str(tmp_path))
    arguments = [
        "bench", "all", "--suite", "paper", "--solver", "gallagher", "--solver", "hung-perm", "--limit", "1",
        "--out", tmp_path / "o", "--results", tmp_path / "r",
    ]  # fmt: skip
    ran = command(*arguments)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("28 puzzles to solve; 0 of 28 files")
    assert "Hung-perm: no weights for such pictures are here." in ran.out
    results = read_results(tmp_path / "r")
    assert len(results.rows) == len(results.absent) == 28
    assert {row["source"] for row in results.rows.values()} == {"faces/test*.tar"}
    assert all(row["direct_interval"] and row["machine"] for row in results.rows.values())
    before = {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()}
    assert command(*arguments).out.startswith("0 puzzles to solve")
    assert {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()} == before


def test_data_that_is_not_there_is_named(command, tmp_path):
    with pytest.raises(GanzzleError, match=r"faces/test\*\.tar"):
        sources_in(tmp_path, "paper")
    ran = command("bench", "all", "--data", tmp_path, "--suite", "papers")
    assert ran.code == 2
    assert "paper, beyond, classic, speed" in ran.err


def test_beyond_the_paper_are_larger_puzzles_and_pictures_that_are_not_resized():
    items = beyond_items(["faces=x", "photos=y"], ["gallagher"], limit=None, seed=0)
    assert {(i.dataset, i.grid, i.native, i.limit) for i in items if i.source == "x"} == {
        ("faces", "20x20", False, None),
        ("faces", "18x24", False, None),
        ("faces-own", "6x6", True, None),
        ("faces-own", "8x8", True, None),
    }


def test_the_suite_beyond_has_tables_of_its_own(command, draw, tmp_path):
    (tmp_path / "art").mkdir()
    with tarfile.open(tmp_path / "art" / "test-000.tar", "w") as shard:
        write_picture(tmp_path / "a.png", draw(300, 300, 1))
        shard.add(tmp_path / "a.png", "a.png")
    ran = command(
        "bench", "all", "--data", tmp_path, "--suite", "beyond", "--solver", "gallagher", "--limit", "1", "--out",
        tmp_path / "o", "--results", tmp_path / "r",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    results = read_results(tmp_path / "r")
    assert {key[1:3] for key in results.rows} == {
        ("art", "20x20"), ("art", "18x24"), ("art-own", "6x6"), ("art-own", "8x8"),
    }  # fmt: skip
    assert "not resized" in (tmp_path / "o" / "beyond" / "tables" / "beyond-art.md").read_text()
