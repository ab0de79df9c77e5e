"""`ganzzle batch`: many piles, a line of JSON for each."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ganzzle.cli.many import Order, Wishes, solve_order
from ganzzle.engines import Engine
from ganzzle.pieces import assemble
from ganzzle.puzzle import Puzzle
from ganzzle.reading.pictures import read_picture, write_picture

QUICK = ("--solver", "paikin-tal", "--workers", 1)


@pytest.fixture
def piles(tmp_path, command, draw) -> Path:
    """A folder of two piles, a scrambled picture, something that is no pile, and a text."""
    folder = tmp_path / "piles"
    for k, grid in enumerate(("3x4", "2x3")):
        photo = write_picture(tmp_path / f"{k}.png", draw(120, 160, k))
        assert command("shuffle", photo, "--grid", grid, "--out", folder / f"pile-{k}").code == 0
    puzzle = Puzzle.from_picture(draw(120, 120, 5), 3)
    assert puzzle.grid is not None
    write_picture(folder / "mixed.png", assemble(puzzle.pieces, puzzle.grid, np.arange(9)))
    (folder / "no-pile").mkdir()
    (folder / "note.txt").write_text("no pile")
    return folder


def answers(out: Path) -> dict[str, dict]:
    """The lines by the name of the pile; of several the last."""
    lines = (out / "answers.jsonl").read_text().splitlines()
    return {line["pile"]: line for line in map(json.loads, lines)}


def test_every_pile_has_a_line_and_a_picture(command, piles, tmp_path, draw):
    out = tmp_path / "out"
    ran = command("batch", piles, "--out", out, *QUICK)
    assert ran.code == 0
    assert "4 of 4 piles to solve" in ran.out
    assert "1 pile could not be solved" in ran.err
    found = answers(out)
    assert set(found) == {"pile-0", "pile-1", "mixed.png", "no-pile"}
    assert "holds no pictures" in found["no-pile"]["error"]
    assert (found["pile-0"]["grid"], found["pile-0"]["kind"]) == ([3, 4], "tiles")
    truth = json.loads((piles / "pile-0" / "puzzle.json").read_text())["pieces"]
    slots = {piece["file"]: piece["slot"] for piece in truth}
    assert [slots[name] for name in found["pile-0"]["pieces"]] == found["pile-0"]["placement"]
    for name in ("pile-0", "pile-1", "mixed.png"):
        assert found[name]["pictures"] == [f"{name}-solved.png"]
    assert np.array_equal(read_picture(out / "mixed.png-solved.png"), draw(120, 120, 5))


def test_it_goes_on_where_it_was(command, piles, tmp_path):
    out = tmp_path / "out"
    command("batch", piles, "--out", out, *QUICK)
    before = (out / "answers.jsonl").read_bytes()
    (out / "answers.jsonl").write_bytes(before + b'{"key": "cut sh')  # by a kill
    ran = command("batch", piles, "--out", out, *QUICK)
    assert "0 of 4 piles to solve" in ran.out
    assert (out / "answers.jsonl").read_bytes() == before
    shutil.copytree(piles / "pile-0", piles / "new")
    (piles / "pile-1" / "piece-001.png").unlink()  # a changed pile
    assert "2 of 5 piles to solve" in command("batch", piles, "--out", out, *QUICK).out
    assert "5 of 5 piles to solve" in command("batch", piles, "--out", out, *QUICK, "--seed", 1).out
    assert "5 of 5 piles to solve" in command("batch", piles, "--out", out, *QUICK, "--fresh").out
    assert len((out / "answers.jsonl").read_text().splitlines()) == 5


def test_a_pile_that_took_too_long_is_tried_again(command, piles, tmp_path):
    out = tmp_path / "out"
    for name in ("pile-1", "no-pile"):
        shutil.rmtree(piles / name)
    (piles / "mixed.png").unlink()
    command("batch", piles, "--out", out, "--workers", 1, "--no-pictures", "--time-limit", "0.1")
    assert "--time-limit" in answers(out)["pile-0"]["error"]
    ran = command("batch", piles, "--out", out, *QUICK, "--no-pictures")
    assert "1 of 1 pile to solve" in ran.out
    assert answers(out)["pile-0"]["grid"] == [3, 4]
    assert [path.name for path in out.iterdir()] == ["answers.jsonl"]


@pytest.mark.slow
def test_killed_in_the_middle_it_has_whole_lines_and_goes_on(command, piles, tmp_path):
    out = tmp_path / "out"
    for k in range(6):
        shutil.copytree(piles / "pile-0", piles / f"copy-{k}")
    arguments = [
        sys.executable,
        "-m",
        "ganzzle",
        "batch",
        str(piles),
        "--out",
        str(out),
        "--solver",
        "paikin-tal",
    ]
    run = subprocess.Popen(
        [*arguments, "--workers", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 300
    while not (out / "answers.jsonl").is_file() and run.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    time.sleep(2)  # its workers end by themselves
    done = len((out / "answers.jsonl").read_bytes().split(b"\n")) - 1
    assert done >= 1
    assert command("batch", piles, "--out", out, *QUICK).code == 0
    assert len(answers(out)) == 10
    assert not list(out.glob(".*"))


def test_what_cannot_be_meant_is_refused_before_any_work(command, piles, tmp_path):
    for options, says in (
        (("--out", piles), "the folder of the piles itself"),
        (("--out", piles / "pile-0"), "is one of the piles"),
        (("--out", tmp_path / "o", "--grid", "4"), "is not a grid"),
        (("--out", tmp_path / "o", "--solver", "magic"), "there is no solver"),
        (("--out", tmp_path / "o", "--engine", "steam"), "there are: local, ray"),
    ):
        ran = command("batch", piles, *options, "--workers", 1)
        assert (ran.code, ran.out) == (2, "")
        assert says in ran.err
    ran = command("batch", piles / "no-pile", "--out", tmp_path / "o")
    assert "holds no piles" in ran.err
    assert not (tmp_path / "o").exists()


def test_a_bug_of_a_solver_is_the_trouble_of_its_pile(piles, tmp_path, monkeypatch):
    (tmp_path / "buggy.py").write_text(
        "from ganzzle.solvers import Solver\n"
        "class Buggy(Solver):\n"
        "    def arrange(self, puzzle, seed):\n"
        "        raise RuntimeError('a bug')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    line = solve_order(Order(piles / "pile-0", None, Wishes("buggy:Buggy")))
    assert "a bug" in line["error"]
    assert line["again"]


@pytest.mark.slow
def test_on_ray_the_answers_are_the_same(piles, tmp_path):
    if importlib.util.find_spec("ray") is None and os.environ.get("GANZZLE_REQUIRE_RAY") != "1":
        pytest.skip("ray is not installed (extra cluster); GANZZLE_REQUIRE_RAY=1 insists on it")
    settings = {**os.environ, "RAY_AUTH_MODE": "disabled"}
    for engine in ("local", "ray"):
        arguments = [
            "batch",
            str(piles),
            "--out",
            str(tmp_path / engine),
            "--solver",
            "paikin-tal",
            "--workers",
            "1",
        ]
        command = [sys.executable, "-m", "ganzzle", *arguments, "--engine", engine]
        subprocess.run(command, check=True, env=settings, capture_output=True, timeout=600)
    local, ray = (answers(tmp_path / engine) for engine in ("local", "ray"))
    assert without_times(ray) == without_times(local)


def without_times(found: dict[str, dict]) -> dict[str, dict]:
    """The answers, less how long they took."""
    return {name: {**line, "seconds": 0} for name, line in found.items()}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_pile_that_needs_too_much_memory_is_the_only_one_to_fail(piles, tmp_path):
    write_picture(tmp_path / "large.png", np.zeros((8000, 8000, 3), np.uint8))
    wishes = Wishes("paikin-tal", grid="3x4", bytes=250 << 20)
    orders = [Order(path, None, wishes) for path in (tmp_path / "large.png", piles / "pile-0")]
    lines = {order.path.name: line for order, line in Engine("local", 2).run(solve_order, orders)}
    assert "error" in lines["large.png"]
    assert lines["large.png"]["again"]
    assert lines["pile-0"]["grid"] == [3, 4]
