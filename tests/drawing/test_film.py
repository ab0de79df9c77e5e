"""The animated trace of a solution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from ganzzle.drawing.film import FRAMES, LONGEST, trace_frames, write_trace
from ganzzle.errors import PictureError
from ganzzle.puzzle import Puzzle
from ganzzle.reading.pictures import resize_picture
from ganzzle.solution import Solution


@pytest.fixture
def solution(draw):
    puzzle = Puzzle.from_picture(draw(60, 80), (3, 4), seed=1)
    order = np.random.default_rng(0).permutation(12)
    return Solution(puzzle, puzzle.grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(12), order=order)


def test_every_frame_shows_one_piece_more(solution):
    frames = trace_frames(solution, solution.order)
    assert len(frames) == 12
    for step, frame in enumerate(frames):
        shown = frame.reshape(3, 20, 4, 20, 3).swapaxes(1, 2).reshape(12, -1).any(1)
        assert set(np.flatnonzero(shown)) == set(solution.placement[solution.order[: step + 1]])
    assert np.array_equal(frames[-1], solution.picture())


def test_the_gif_has_all_frames_and_ends_with_the_picture(solution, tmp_path):
    path = write_trace(tmp_path / "deep" / "trace.gif", solution)
    with Image.open(path) as image:
        assert image.n_frames == 12
        assert image.size == (80, 60)
        image.seek(11)
        last = np.asarray(image.convert("RGB")).astype(int)
    assert np.abs(last - solution.picture()).mean() < 16


def test_empty_slots_are_black_beside_the_brightest_picture(solution, tmp_path):
    bright = replace(solution, puzzle=replace(solution.puzzle, pieces=solution.puzzle.pieces // 4 + 190))
    with Image.open(write_trace(tmp_path / "trace.gif", bright)) as image:
        first = np.asarray(image.convert("RGB")).reshape(3, 20, 4, 20, 3).swapaxes(1, 2).reshape(12, -1)
    shown = solution.placement[solution.order[0]]
    assert first[shown].min() > 150
    assert not np.delete(first, shown, 0).any()


def test_the_frames_of_a_picture_that_is_made_smaller_by_an_odd_share(draw):
    """Slots do not end between pixels then: each pixel is of one slot, and the last frame is the whole picture."""
    puzzle = Puzzle.from_picture(draw(700, 1001), (7, 13), seed=1)
    order = np.argsort(puzzle.truth.placement)
    solution = Solution(puzzle, puzzle.grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(91))
    frames = np.stack(trace_frames(solution, order))
    assert np.array_equal(frames[-1], resize_picture(solution.picture(), *frames.shape[1:3]))
    width = LONGEST / 13
    assert not frames[0, :, int(width) + 1 :].any()
    assert frames[12, :60, :].any(2).all()


def test_large_puzzles_make_few_small_frames(draw):
    puzzle = Puzzle.from_picture(draw(800, 400), (40, 20))
    order = np.arange(800)
    solution = Solution(
        puzzle, puzzle.grid, puzzle.truth.placement, puzzle.truth.turns, np.ones(800), order=order
    )
    frames = trace_frames(solution, order)
    assert len(frames) == FRAMES
    assert frames[0].shape == (LONGEST, LONGEST // 2, 3)


def test_pieces_that_were_placed_all_at_once_are_laid_the_surest_first(solution, tmp_path):
    sure = np.linspace(0.1, 0.9, 12)
    write_trace(tmp_path / "found.gif", replace(solution, order=None, confidence=sure))
    write_trace(tmp_path / "given.gif", replace(solution, order=np.arange(12)[::-1]))
    assert (tmp_path / "found.gif").read_bytes() == (tmp_path / "given.gif").read_bytes()


def test_what_cannot_be_traced_is_refused(solution, tmp_path):
    with pytest.raises(PictureError, match=r"\.gif"):
        write_trace(tmp_path / "trace.png", solution)
    path = write_trace(tmp_path / "trace.gif", solution)
    with pytest.raises(PictureError, match="exists"):
        write_trace(path, solution)
    assert write_trace(path, solution, force=True) == path
