"""The evaluation loop: same puzzles for everybody, honest rows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ganzzle.engines import Engine
from ganzzle.errors import PictureError, PuzzleError, SolverError
from ganzzle.evaluation import evaluate, warm_solvers
from ganzzle.journal import Journal
from ganzzle.protocol import count_puzzles, make_plan
from ganzzle.reading.pictures import read_picture, write_picture
from ganzzle.reading.sources import source_digest

KEYS = {
    "solver", "source", "grid", "corruption", "puzzles", "direct", "direct_interchangeable", "neighbour", "perfect",
    "ms_per_puzzle", "seed",
}  # fmt: skip
RANDOM = "random_solver:RandomSolver"
SOLVER_FILE = '''
import numpy as np
from ganzzle.solvers import Arrangement, Solver

class RandomSolver(Solver):
    """Lays the pieces down as they come."""
    name = "random"

    def arrange(self, puzzle, seed):
        assert puzzle.truth is None and puzzle.name == ""
        return Arrangement(np.arange(len(puzzle)))
'''


@pytest.fixture
def images(tmp_path, draw, monkeypatch) -> str:
    """A folder of five pictures, and a solver of the user's own on the path."""
    for k in range(5):
        write_picture(tmp_path / "images" / f"{k}.png", draw(150, 130, k))
    (tmp_path / "random_solver.py").write_text(SOLVER_FILE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    sys.modules.pop("random_solver", None)
    return str(tmp_path / "images")


def without_time(rows):
    """The rows, less what may differ from run to run."""
    return [{key: value for key, value in row.items() if key != "ms_per_puzzle"} for row in rows]


def test_one_row_a_cell_with_the_promised_keys(images):
    rows = evaluate(
        [images], ["3x3", "2x4"], [RANDOM], corruptions=["none", "missing:0.2"], piece=16, limit=3
    )
    assert [(r["grid"], r["corruption"]) for r in rows] == [
        ("3x3", "none"), ("3x3", "missing:0.2"), ("2x4", "none"), ("2x4", "missing:0.2"),
    ]  # fmt: skip
    for row in rows:
        assert row.keys() >= KEYS
        assert row["puzzles"] == 3
        assert row["source"] == images
        assert 0 <= row["direct"] <= row["direct_interchangeable"] <= 100
        assert row["ms_per_puzzle"] > 0


def test_the_default_solver_solves_smooth_pictures(images):
    (row,) = evaluate(images, "4x4", "paikin-tal")
    assert row["direct"] == row["neighbour"] == row["perfect"] == 100


def test_a_figure_depends_neither_on_its_company_nor_on_the_workers(images):
    alone = evaluate(images, ["4x4"], RANDOM, seed=3, piece=16)
    company = evaluate(
        images, ["2x2", "4x4"], ["paikin-tal", RANDOM], corruptions=["noise:0.1", "none"], seed=3, piece=16
    )
    (same,) = (r for r in company if (r["solver"], r["grid"], r["corruption"]) == (RANDOM, "4x4", "none"))
    assert without_time([same]) == without_time(alone)
    assert without_time(evaluate(images, ["4x4"], RANDOM, seed=3, piece=16, workers=2)) == without_time(alone)
    assert without_time(evaluate(images, ["4x4"], RANDOM, seed=4, piece=16)) != without_time(alone)


def test_a_network_is_loaded_before_anything_is_timed():
    ((_, hybrid),) = warm_solvers(make_plan("6x6", "hybrid", "none"))
    assert "eyes" in vars(hybrid)


def test_counting_for_the_progress_bar(images):
    plan = make_plan(["2x2", "3x3"], [RANDOM, "x"], ["none", "erode:1"])
    assert count_puzzles([images], plan) == 5 * 2 * 2 * 2
    assert count_puzzles([images, f"{images}/0.png"], plan, limit=2) == 3 * 2 * 2 * 2
    counted = []
    evaluate(images, ["2x2"], RANDOM, piece=8, advance=counted.append)
    assert sum(counted) == 5


def test_bad_requests(images, tmp_path):
    with pytest.raises(PictureError, match="does not exist"):
        evaluate(str(tmp_path / "gone"), ["2x2"], RANDOM)
    with pytest.raises(SolverError, match="there is no solver"):
        evaluate(images, ["2x2"], "nobody")
    with pytest.raises(SolverError, match="no option 'size'"):
        evaluate(images, ["2x2"], RANDOM, options={"size": 3})
    with pytest.raises(SolverError, match="no option 'size'"):
        evaluate(images, ["2x2"], RANDOM, options={"size": 3}, workers=2)
    with pytest.raises(PuzzleError, match="at least one grid"):
        evaluate(images, [], RANDOM)
    with pytest.raises(PuzzleError, match="at least 1, not 0"):
        evaluate(images, ["2x2"], RANDOM, limit=0)


@pytest.mark.data
def test_research_data(data_root: Path):
    (row,) = evaluate(str(data_root / "faces" / "test-*.tar"), ["6x6"], "paikin-tal", limit=6)
    assert row["puzzles"] == 6
    assert row["direct"] > 90


class Counting(Engine):
    """Counts what it is given to do."""

    solved = 0

    def run(self, work, tasks, wants_gpu=lambda task: False):
        for task in tasks:
            Counting.solved += len(task.todo)
            yield task, work(task)


def test_a_run_that_was_stopped_goes_on_where_it_was(images, tmp_path):
    settings = {"corruptions": "none", "piece": 16}
    whole = evaluate(images, ["2x2", "3x3"], RANDOM, **settings)

    def stop(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(images, "2x2", RANDOM, journal=Journal(tmp_path / "kept.jsonl"), advance=stop, **settings)
    with open(tmp_path / "kept.jsonl", "a") as file:
        file.write('{"key": "cut sho')  # by a kill
    Counting.solved = 0
    settings |= {"journal": Journal(tmp_path / "kept.jsonl"), "engine": Counting()}
    rows = evaluate(images, ["2x2", "3x3"], RANDOM, **settings)
    assert without_time(rows) == without_time(whole)
    assert Counting.solved == 1  # one cell: the other is kept
    rows = evaluate(images, ["2x2", "3x3"], RANDOM, **settings)
    assert (without_time(rows), Counting.solved) == (without_time(whole), 1)
    evaluate(images, "2x2", RANDOM, seed=1, **settings)
    assert Counting.solved == 2  # other puzzles
    write_picture(Path(images) / "9.png", read_picture(Path(images) / "0.png"))
    source_digest.cache_clear()
    evaluate(images, "2x2", RANDOM, **settings)
    assert Counting.solved == 3  # other pictures


def test_only_the_orders_of_its_own_pictures_travel_with_a_batch(images):
    orders = {(str(k), 2): [2, 3, 1, 0] for k in range(1000)}

    class Looking(Engine):
        def run(self, work, tasks, wants_gpu=lambda task: False):
            for task in tasks:
                assert len(task.plan.permutations) == 5
                yield task, work(task)

    (row,) = evaluate(images, "2x2", RANDOM, piece=16, permutations=orders, engine=Looking())
    assert row["puzzles"] == 5
