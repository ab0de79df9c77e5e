"""Which runs are recorded, when, and how many are kept; the recorder is a stand-in that needs no GPU."""

from __future__ import annotations

import logging

import pytest
import torch
from torch import Tensor

from ganzzle.puzzle import Puzzle
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.graphs import Graphs, Work


class Recorder:
    """Keeps what it is asked for; what it gives says that it was repeated."""

    def __init__(self, fails: bool = False) -> None:
        self.recorded = 0
        self.repeated = 0
        self.fails = fails

    def __call__(self, work: Work, example: Tensor) -> Work:
        self.recorded += 1
        if self.fails:
            raise RuntimeError("no graph")

        def repeat(pieces: Tensor) -> tuple[Tensor, ...]:
            assert pieces.shape == example.shape
            self.repeated += 1
            return work(pieces)

        return repeat


def double(x: Tensor) -> tuple[Tensor, ...]:
    return (2 * x,)


def test_work_is_recorded_the_second_time() -> None:
    recorder = Recorder()
    graphs = Graphs(recorder)
    for k in range(4):
        (found,) = graphs.run("a", double, torch.tensor([k]))
        assert found.item() == 2 * k
        assert (recorder.recorded, recorder.repeated) == (min(k, 1), k)


def test_the_recording_used_longest_ago_goes_first() -> None:
    recorder = Recorder()
    graphs = Graphs(recorder, most=2)
    for key in ("a", "a", "b", "b", "a", "c", "c"):  # b was used before a was the last time
        graphs.run(key, double, torch.ones(1))
    assert recorder.recorded == 3
    graphs.run("a", double, torch.ones(1))
    assert recorder.recorded == 3
    graphs.run("b", double, torch.ones(1))
    assert recorder.recorded == 4


def test_what_cannot_be_recorded_is_run_as_before(caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder(fails=True)
    graphs = Graphs(recorder)
    with caplog.at_level(logging.DEBUG, "ganzzle"):
        for key in "aaabbb":
            assert graphs.run(key, double, torch.ones(1))[0].item() == 2
    assert recorder.recorded == 1
    assert [record.levelname for record in caplog.records] == ["DEBUG"]


def test_the_hybrid_records_small_puzzles_of_one_kind(draw) -> None:
    solver, recorder = Hybrid(device="cpu"), Recorder()
    solver.eyes.graphs = Graphs(recorder)
    puzzles = [Puzzle.from_picture(draw(96, 128, seed=k), "3x4", seed=k, piece=32) for k in range(3)]
    answers = [solver.solve(puzzle).placement.tolist() for puzzle in puzzles]
    assert (recorder.recorded, recorder.repeated) == (1, 2)
    solver.solve(Puzzle.from_picture(draw(96, 128), "3x4", piece=32, corrupt="erode:2"))
    solver.solve(Puzzle.from_picture(draw(96, 128), "4x3", piece=32))
    large = Puzzle.from_picture(draw(168, 168), 21)
    for _ in range(2):
        solver.solve(large)
    assert (recorder.recorded, recorder.repeated) == (1, 2)
    solver.eyes.graphs = None
    assert answers == [solver.solve(puzzle).placement.tolist() for puzzle in puzzles]
