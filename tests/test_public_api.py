"""What others rely on: the names, the first lines of the README, and quick imports."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import ganzzle
from ganzzle.reading.pictures import write_picture


def test_every_public_name_is_there():
    for name in ganzzle.__all__:
        assert getattr(ganzzle, name) is not None
    assert dir(ganzzle) == ganzzle.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        ganzzle.nothing  # noqa: B018


def test_the_ten_lines_of_the_readme(tmp_path, draw, monkeypatch):
    from ganzzle import Puzzle, load_solver

    monkeypatch.chdir(tmp_path)
    write_picture("photo.png", draw(160, 160))
    puzzle = Puzzle.from_picture("photo.png", grid=(8, 8), seed=0)
    solution = load_solver().solve(puzzle)
    assert sorted(solution.placement) == list(range(64))
    assert solution.confidence.shape == (64,)
    assert np.array_equal(solution.picture(), draw(160, 160))
    assert ganzzle.score(solution).direct == 1


def test_what_is_no_puzzle_is_refused(draw):
    solver = ganzzle.load_solver("gallagher")
    puzzle = ganzzle.Puzzle.from_picture(draw(40, 40), 2)
    for other in ("pieces/", puzzle.pieces, None):
        with pytest.raises(ganzzle.GanzzleError, match="a solver takes a Puzzle, not"):
            solver.solve(other)
    assert len(solver.solve_batch(each for each in (puzzle, puzzle))) == 2  # any iterable will do
    for name in (5, type(solver)):
        with pytest.raises(ganzzle.GanzzleError, match="the name of a solver is a text"):
            ganzzle.load_solver(name)


def test_a_corruption_is_a_text_or_a_corruption(draw):
    whole = ganzzle.Corruption.parse("missing:0.25+noise:0.1")
    one, other = (ganzzle.Puzzle.from_picture(draw(40, 40), 2, corrupt=c) for c in (whole, str(whole)))
    assert np.array_equal(one.pieces, other.pieces)
    with pytest.raises(ganzzle.GanzzleError, match=r"not 0\.1"):
        ganzzle.Puzzle.from_picture(draw(40, 40), 2, corrupt=0.1)


def test_only_pictures_are_written(draw, tmp_path):
    picture = draw(40, 40)
    for wrong in (picture / 255, picture[0], picture[..., 0], picture[:0], None):
        with pytest.raises(ganzzle.GanzzleError, match="a picture"):
            ganzzle.write_picture(tmp_path / "a.png", wrong)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "module", ["ganzzle", "ganzzle.cli", "ganzzle.puzzle", "ganzzle.reading.pictures", "ganzzle.metrics"]
)
def test_nothing_heavy_is_imported(module):
    heavy = "{'torch', 'numba', 'scipy', 'matplotlib', 'accelerate', 'fastapi'}"
    code = f"import sys, {module}; found = {heavy} & set(sys.modules); sys.exit(str(found) if found else 0)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_solver_with_a_network_does_without_torch_s_compiler():
    code = (
        "import sys, ganzzle; puzzle = ganzzle.Puzzle.from_picture(ganzzle.samples.draw_landscape(), '3x3')\n"
        "ganzzle.load_solver().solve(puzzle)\n"
        "sys.exit('torch._dynamo' in sys.modules)"  # it takes 70 MB and a second to import
    )
    subprocess.run([sys.executable, "-c", "import ganzzle.samples\n" + code], check=True)


def test_the_package_is_typed():
    from importlib.resources import files

    assert (files("ganzzle") / "py.typed").is_file()
