"""`ganzzle bench` as a user runs it: drawn pictures, every solver that needs no weights."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from ganzzle.bench import speed
from ganzzle.bench.speed import Cell, peak_mib, speed_cells
from ganzzle.bench.times import times_table
from ganzzle.reading.pictures import read_picture, write_picture
from ganzzle.solvers import SOLVERS

pytest.importorskip("matplotlib")
ROOT = Path(__file__).parent.parent.parent
WITHOUT_WEIGHTS = [name for name, info in SOLVERS.items() if not info.weights]


@pytest.fixture
def drawn(tmp_path, draw) -> str:
    """Twelve pictures, said to be faces."""
    for k in range(12):
        write_picture(tmp_path / "drawn" / f"{k:02d}.png", draw(96, 96, k))
    return f"faces={tmp_path / 'drawn'}"


def test_the_papers_evaluation_on_twelve_pictures(command, drawn, random_solver, tmp_path):
    out = tmp_path / "out"
    solvers = [word for name in [*WITHOUT_WEIGHTS, random_solver] for word in ("--solver", name)]
    cells = ["--grid", "2x2", "--grid", "4x4", "--worn-grid", "4x4", "--corrupt", "erode:1", "--piece", "16"]
    arguments = ["bench", "paper", "--images", drawn, *solvers, *cells, "--no-rotated", "--out", out]
    ran = command(*arguments)
    assert ran.code == 0, ran.err
    cells_each, solver_count = 3, len(WITHOUT_WEIGHTS) + 1
    assert ran.out.startswith(f"{12 * cells_each * solver_count} puzzles to solve; 0 of ")

    rows = json.loads((out / "rows.json").read_text())["rows"]
    assert len(rows) == cells_each * solver_count
    best = max(row["direct"] for row in rows if row["grid"] == "4x4" and row["corruption"] == "none")
    assert best == 100.0
    for row in rows:
        assert row["puzzles"] == 12
        assert row["direct_interval"][0] <= row["direct"] <= row["direct_interval"][1]

    names = {path.name for path in (out / "tables").iterdir()}
    for table in ("direct-faces", "neighbour-faces", "details-faces", "details-faces-worn-4x4"):
        assert {f"{table}.md", f"{table}.csv", f"{table}.tex"} <= names
    details = (out / "tables" / "details-faces.md").read_text()
    for method in (
        "Paikin & Tal",
        "Pomeranz et al.",
        "Gallagher",
        "Hung-perm *",
        "PO-LA *",
        "GANzzle-Single *",
        "GANzzle *",
    ):
        assert f"| {method} | 4x4 |" in details
    figures = {path.name for path in (out / "figures").iterdir()}
    for figure in (
        "accuracy-faces",
        "wear-faces-4x4",
        "calibration",
        "solved-faces",
        "mental-bench_solvers-Random-faces",
    ):
        assert {f"{figure}.png", f"{figure}.svg"} <= figures
    page = (out / "report.html").read_text()
    assert page.count("</figure>") == len(figures) // 2
    assert not re.search(r"""(src|href)=["']?(?!["']?(data:|#))|<script|@import""", page)

    rows_before = (out / "rows.json").read_bytes()
    again = command(*arguments)
    assert again.out.startswith("0 puzzles to solve")
    assert (out / "rows.json").read_bytes() == rows_before


def test_classic_sets_in_their_own_pixels(command, draw, tmp_path):
    write_picture(tmp_path / "mine" / "a.png", draw(28 * 3 + 5, 28 * 4, 1))
    ran = command(
        "bench", "classic", "--images", tmp_path / "mine", "--grid", "3x4", "--solver", "gallagher",
        "--out", tmp_path / "o",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    rows = json.loads((tmp_path / "o" / "rows.json").read_text())["rows"]
    assert [(row["grid"], row["rotated"], row["native"], row["direct"]) for row in rows] == [
        ("3x4", False, True, 100.0), ("3x4", True, True, 100.0),
    ]  # fmt: skip


def test_speed_measures_time_and_memory(command, tmp_path):
    ran = command(
        "bench", "speed", "--solver", "gallagher", "--grid", "3x3", "--puzzles", "2", "--device", "cpu",
        "--out", tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    (row,) = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert row["ms_mean"] > 0
    assert row["peak_mib"] > 10
    assert row["machine"]
    assert (tmp_path / "tables" / "speed.tex").exists()
    assert (tmp_path / "figures" / "time.svg").exists()
    assert "Time and memory" in (tmp_path / "report.html").read_text()


def test_networks_are_also_timed_in_batches(monkeypatch):
    monkeypatch.setitem(speed.TOGETHER, "cpu", 3 * 6)
    row = speed.measure(Cell("hybrid", "2x3", "cpu"), None, 2, 0)
    assert row["puzzles"] == 2
    assert row["together"] == 3
    assert row["per_second"] > 1


WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None
from ganzzle.cli import main
main(sys.argv[1:])
"""


def test_without_matplotlib_everything_but_the_figures_is_made(tmp_path, draw):
    write_picture(tmp_path / "drawn" / "a.png", draw(32, 32))
    words = [
        "bench",
        "paper",
        "--images",
        tmp_path / "drawn",
        "--solver",
        "gallagher",
        "--grid",
        "2x2",
        "--piece",
        "16",
    ]
    words += ["--corrupt", "none", "--no-rotated", "--out", tmp_path / "o"]
    started = [sys.executable, "-c", WITHOUT_MATPLOTLIB, *map(str, words)]
    ran = subprocess.run(started, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "no figures" in ran.stdout
    assert "<table>" in (tmp_path / "o" / "report.html").read_text()
    assert not (tmp_path / "o" / "figures").exists()


def test_the_papers_times_stand_beside_ours_at_their_size():
    row = {
        "solver": "gallagher",
        "device": "cpu",
        "ms_mean": 12.34,
        "ms_sd": 1.0,
        "peak_mib": 200.4,
        "machine": "m",
    }
    rows = [row | {"grid": "8x8"}, row | {"grid": "6x6"}, row | {"grid": "6x6", "device": "cuda"}]
    rows[2] |= {"together": 2048, "per_second": 2100.4}
    table = times_table([r | {"puzzles": 24} for r in rows])
    assert table.rows[2:5] == (
        ("Gallagher", "6x6", "cpu", "12.3 +- 1.0", "235.2 +- 358.7", "-222.8", "-", "200"),
        ("Gallagher", "8x8", "cpu", "12.3 +- 1.0", "-", "-", "-", "200"),
        ("Gallagher", "6x6", "cuda", "12.3 +- 1.0", "235.2 +- 358.7", "-222.8", "2100 of 2048", "200"),
    )
    assert ("PO-LA *", "6x6", "-", "-", "22.4 +- 8.1", "-", "-", "-") in table.rows
    assert "over 24 puzzles" in table.notes[0]
    assert {"cpu: m.", "cuda: m."} < set(table.notes)
    assert [line[1] for line in times_table(rows, "6x6").rows if line[0] == "Gallagher"] == ["6x6", "6x6"]


def test_a_solver_without_a_network_is_timed_on_the_cpu_only():
    cells = speed_cells(["gallagher", "hybrid"], ["6x6"], ["cpu", "cuda"])
    assert cells == [
        Cell("gallagher", "6x6", "cpu"),
        Cell("hybrid", "6x6", "cpu", "hybrid"),
        Cell("hybrid", "6x6", "cuda", "hybrid"),
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["paper", "--images", "nowhere/"], "nowhere"),
        (["paper", "--images", ""], "empty"),
        (["paper", "--images", "x", "--solver", "galagher"], "there is no solver"),
        (["paper", "--images", "x", "--grid", "six"], "not a grid"),
        (["classic", "--images", "x", "--solver", "gallagher"], "--grid"),
    ],
)
def test_bad_input_is_one_line(command, words, complaint):
    solver = [] if "--solver" in words else ["--solver", "gallagher"]
    ran = command("bench", *words, *solver)
    assert ran.code == 2
    assert complaint in ran.err
    assert ran.err.count("\n") == 1


DOCUMENTED = [
    words[words.index("ganzzle") :]
    for block in re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "benchmark.md").read_text(), re.DOTALL)
    for words in (shlex.split(line, comments=True) for line in block.replace("\\\n", "").splitlines())
    if "ganzzle" in words
]


@pytest.mark.parametrize("words", DOCUMENTED, ids=" ".join)
def test_every_documented_option_exists(command, words):
    shown = command("bench", words[2], "--help").out
    assert all(word in shown for word in words if word.startswith("--"))


def test_wrong_pieces_are_framed_and_right_ones_are_not(draw):
    from ganzzle.bench.galleries import with_frames
    from ganzzle.puzzle import Puzzle
    from ganzzle.solution import Solution

    picture = draw(96, 96)
    puzzle = Puzzle.in_order(picture, 3)
    placement = np.array([1, 0, 2, 3, 4, 5, 6, 7, 8])
    shown = with_frames(Solution(puzzle, puzzle.truth.grid, placement, np.zeros(9, int), np.ones(9)))
    assert np.array_equal(shown[32:], picture[32:])
    assert (shown[0, :64] == 255).all()
    assert (shown[1, 1:31] == 0).all()
    assert np.array_equal(shown[8:24, 8:24], picture[8:24, 40:56])


def test_the_telling_puzzle_is_the_one_that_divides_the_solvers(draw):
    from ganzzle.bench.galleries import telling_puzzle
    from ganzzle.bench.predictions import Item, Predictions
    from ganzzle.puzzle import Puzzle
    from ganzzle.solution import Solution

    puzzle = Puzzle.in_order(draw(64, 64), 2)
    right, wrong = (
        Solution(puzzle, puzzle.truth.grid, np.array(p), np.zeros(4, int), np.ones(4))
        for p in ([0, 1, 2, 3], [1, 0, 3, 2])
    )
    good = Predictions(Item("good", "", "", "2x2"), solutions=[right, wrong, right])
    poor = Predictions(Item("poor", "", "", "2x2"), solutions=[right, wrong, wrong])
    assert telling_puzzle([good, poor]) == 2
    assert telling_puzzle([good]) == 0


def test_the_stretched_axis_goes_there_and_back():
    from ganzzle.bench.figures import TICKS, _back, _stretched

    ticks = np.array(TICKS, float)
    places = _stretched(ticks)
    assert np.allclose(_back(places), ticks)
    assert (np.diff(places) > 0.15).all()


def test_a_figure_is_the_same_every_time(tmp_path):
    from ganzzle.bench.figures import save_figure, time_figure

    rows = [
        {"solver": "gallagher", "grid": g, "device": "cpu", "ms_mean": m}
        for g, m in (("2x2", 3.0), ("4x4", 9.0))
    ]
    for name in ("a", "b"):
        save_figure(time_figure(rows), tmp_path, name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert read_picture(tmp_path / "a.png").ndim == 3


def test_the_peak_is_that_of_the_process_alone():
    ballast = np.ones(64 << 20)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert 1 < pool.submit(peak_mib).result() < ballast.nbytes / (1 << 20)
    assert peak_mib() > ballast.nbytes / (1 << 20)


def test_the_worst_puzzles_are_shown_beside_their_pictures(draw, tmp_path):
    from PIL import Image

    from ganzzle.bench.galleries import worst_gallery
    from ganzzle.bench.predictions import Item, Predictions
    from ganzzle.protocol import make_puzzle
    from ganzzle.solution import Solution

    item = Item("any", "toy", str(tmp_path), "2x2", "erode:2")
    answers = Predictions(item)
    ((grid, corruption),) = item.plan().cells
    for k in range(4):
        picture = draw(64, 64, seed=k)
        Image.fromarray(picture).save(tmp_path / f"{k}.png")
        puzzle = make_puzzle(item.plan(), k, f"{k}.png", picture, grid, corruption)
        placement = puzzle.truth.placement.copy()
        if k % 2:  # the second and the fourth are wrong, the fourth more so
            placement[: k + 1] = np.roll(placement[: k + 1], 1)
        answers.solutions.append(Solution(puzzle, grid, placement, np.zeros(4, int), np.ones(4)))
    figure = worst_gallery(answers)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["3.png: 0 %", "1.png: 50 %"]
    assert worst_gallery(Predictions(item, solutions=answers.solutions[:1])) is None
