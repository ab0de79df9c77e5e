"""Files of predictions: they score like the solutions themselves, and a run goes on where it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ganzzle.bench.predicting import count_puzzles, missing_items, predict, unavailable
from ganzzle.bench.predictions import Item, Predictions, read_predictions, write_predictions
from ganzzle.bench.rows import score_row
from ganzzle.bench.suites import with_permutations
from ganzzle.data.permutations import make_permutations, read_permutations
from ganzzle.engines import Engine
from ganzzle.errors import GanzzleError, SolverError
from ganzzle.evaluation import MEASURES, evaluate
from ganzzle.metrics import correct_pieces, score
from ganzzle.protocol import make_puzzle
from ganzzle.reading.pictures import write_picture
from ganzzle.reading.sources import iterate_pictures
from ganzzle.solvers import SOLVERS, SolverInfo, load_solver


@pytest.fixture
def images(tmp_path, draw) -> str:
    """Five pictures; the first has plain areas, so that pieces are alike and look the same turned."""
    for k in range(5):
        picture = draw(64, 64, k)
        if k == 0:
            picture[16:48] = 80
            picture[:8] = np.eye(8, dtype=np.uint8)[:, :, None].repeat(8, 1).reshape(8, 64, 1) * 200
        write_picture(tmp_path / "images" / f"{k}.png", picture)
    return str(tmp_path / "images")


def item_of(images, solver, **changes):
    """A small item on these pictures."""
    return Item(solver, "drawn", images, **({"grid": "4x4", "piece": 16} | changes))


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("corruption", ["none", "missing:0.3", "noise:0.1", "erode:2"])
def test_a_file_scores_like_the_solutions(images, random_solver, tmp_path, corruption, rotated):
    item = item_of(images, random_solver, corruption=corruption, rotated=rotated)
    plan = item.plan()
    ((grid, wear),) = plan.cells
    solver = load_solver(random_solver, rotated=rotated)
    puzzles = [
        make_puzzle(plan, k, name, picture, grid, wear)
        for k, (name, picture) in enumerate(iterate_pictures(images))
    ]
    solutions = solver.solve_batch(puzzles, 0)
    predictions = Predictions(item)
    predictions.add(solutions, 1.0)
    write_predictions(tmp_path / "a.npz", predictions)
    back = read_predictions(tmp_path / "a.npz")
    assert back.item == item
    assert back.names == [puzzle.name for puzzle in puzzles]
    assert [score(s) for s in back.solutions] == [score(s) for s in solutions]
    for ours, real in zip(back.solutions, solutions, strict=True):
        assert np.array_equal(correct_pieces(ours), correct_pieces(real))
        assert np.allclose(ours.confidence, real.confidence, atol=1e-6)


def test_the_rows_are_those_of_evaluate_whatever_the_workers(images, random_solver, tmp_path):
    items = [
        item_of(images, random_solver, grid=grid, corruption=wear, limit=4)
        for grid in ("2x2", "3x3")
        for wear in ("none", "missing:0.2")
    ]
    predict(items, tmp_path / "one")
    predict(items, tmp_path / "two", engine=Engine("local", 2))
    expected = evaluate(
        images, ["2x2", "3x3"], random_solver, corruptions=["none", "missing:0.2"], piece=16, limit=4
    )
    for item, row in zip(items, expected, strict=True):
        one = score_row(read_predictions(tmp_path / "one" / item.file_name))
        two = score_row(read_predictions(tmp_path / "two" / item.file_name))
        assert {m: one[m] for m in MEASURES} == {m: row[m] for m in MEASURES}
        assert one | {"ms_per_puzzle": 0, "commit": ""} == two | {"ms_per_puzzle": 0, "commit": ""}
        assert set(row) <= set(one)


def test_only_what_is_missing_is_solved(images, random_solver, tmp_path):
    items = [item_of(images, random_solver, grid=grid) for grid in ("2x2", "3x3")]
    assert count_puzzles(items) == 10
    predict(items[:1], tmp_path)
    assert missing_items(items, tmp_path) == items[1:]
    assert missing_items(items, tmp_path, fresh=True) == items
    other_seed = item_of(images, random_solver, grid="2x2", seed=1)
    assert missing_items([other_seed], tmp_path) == [other_seed]


def test_a_run_that_is_stopped_leaves_whole_files_only(images, random_solver, tmp_path):
    items = [item_of(images, random_solver, grid=grid) for grid in ("2x2", "3x3")]

    def stop(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict(items, tmp_path / "p", advance=stop)
    assert [path.name for path in (tmp_path / "p").iterdir()] == [items[0].file_name]
    predict(missing_items(items, tmp_path / "p"), tmp_path / "p")
    assert missing_items(items, tmp_path / "p") == []


def test_a_killed_worker_costs_nothing_but_a_second_start(images, random_solver, tmp_path):
    mortal = random_solver.replace("Random", "Mortal")
    items = [item_of(images, mortal, grid=grid, limit=2) for grid in ("2x2", "4x4", "2x3")]
    with pytest.raises(GanzzleError, match="start it again"):
        predict(items, tmp_path / "p", engine=Engine("local", 2))
    todo = missing_items(items, tmp_path / "p")
    assert items[1] in todo
    predict(todo, tmp_path / "p", engine=Engine("local", 2))
    assert sorted(p.name for p in (tmp_path / "p").iterdir()) == sorted(item.file_name for item in items)
    expected = evaluate(images, ["2x2", "4x4", "2x3"], random_solver, piece=16, limit=2)
    rows = [score_row(read_predictions(tmp_path / "p" / item.file_name)) for item in items]
    assert [row["direct"] for row in rows] == [row["direct"] for row in expected]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "told to end"])
def test_a_stopped_run_takes_its_workers_along_and_goes_on(images, random_solver, tmp_path, how):
    slow = random_solver.replace("Random", "Slow")
    words = [
        "bench",
        "paper",
        "--images",
        f"drawn={images}",
        "--solver",
        slow,
        "--grid",
        "2x2",
        "--grid",
        "3x3",
    ]
    words += [
        "--corrupt",
        "none",
        "--no-rotated",
        "--piece",
        "16",
        "--workers",
        "2",
        "--out",
        str(tmp_path / "o"),
    ]
    run = subprocess.Popen([sys.executable, "-m", "ganzzle", *words], stdout=subprocess.DEVNULL)
    marks = tmp_path / "at-work"
    wait_for(lambda: marks.exists() and len(list(marks.iterdir())) == 2)
    run.send_signal(how)
    run.wait(timeout=300)
    workers = [int(mark.name) for mark in marks.iterdir()]
    wait_for(lambda: not any(is_running(worker) for worker in workers))
    (tmp_path / "quick").touch()
    subprocess.run([sys.executable, "-m", "ganzzle", *words], check=True, stdout=subprocess.DEVNULL)
    rows = json.loads((tmp_path / "o" / "rows.json").read_text())["rows"]
    assert [(row["grid"], row["puzzles"]) for row in rows] == [("2x2", 5), ("3x3", 5)]


def wait_for(condition, seconds=300):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_damaged_file_is_named(tmp_path: Path):
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(GanzzleError, match=r"bad\.npz is damaged"):
        read_predictions(tmp_path / "bad.npz")


def test_a_solver_without_weights_is_left_out_and_a_wrong_name_is_refused(images, random_solver, monkeypatch):
    info = SolverInfo("po-la", "bench_solvers:Weightless", "", "", weights="po-la")
    monkeypatch.setitem(SOLVERS, "po-la", info)
    items = [
        item_of(images, "po-la"),
        item_of(images, "pomeranz", rotated=True),
        item_of(images, random_solver),
    ]
    reasons = unavailable(items)
    assert "weights" in reasons[items[0]]
    assert set(reasons) == set(items[:2])
    with pytest.raises(SolverError):
        unavailable([item_of(images, "bench_solvers:Nobody")])


def test_official_orders_decide_the_puzzles(images, random_solver, tmp_path):
    orders = tmp_path / "orders.csv"
    orders.write_text("".join(make_permutations([f"{k}.png" for k in (1, 3)], [2, 4], seed=5)))
    item = item_of(images, random_solver, permutations=str(orders))
    assert count_puzzles([item]) == 2
    predict([item], tmp_path / "p")
    predictions = read_predictions(tmp_path / "p" / item.file_name)
    assert predictions.names == ["1.png", "3.png"]
    expected = read_permutations(orders)
    for name, solution in zip(("1", "3"), predictions.solutions, strict=True):
        assert solution.puzzle.truth.placement.tolist() == expected[name, 4]
    row = score_row(predictions)
    (other,) = evaluate(images, "4x4", random_solver, piece=16, permutations=expected)
    assert row["permutations"]
    assert {m: row[m] for m in MEASURES} == {m: other[m] for m in MEASURES}
    absent = [item_of(images, random_solver, permutations=str(orders), grid=grid) for grid in ("3x3", "2x4")]
    assert unavailable([item, *absent]) == {
        a: f"the permutation file has no {a.grid} puzzles" for a in absent
    }


def test_orders_belong_to_a_source():
    items = [Item("gallagher", dataset, "", "2x2") for dataset in ("faces", "art")]
    assert [i.permutations for i in with_permutations(items, ["art=a=b.csv"])] == [None, "a=b.csv"]
    assert [i.permutations for i in with_permutations(items, ["b.csv"])] == ["b.csv", "b.csv"]
    with pytest.raises(GanzzleError, match="photos"):
        with_permutations(items, ["photos=b.csv"])
