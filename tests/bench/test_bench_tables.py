"""Tables, intervals and calibration."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle import provenance as provenance_module
from ganzzle.bench.details import detail_tables
from ganzzle.bench.plain_tables import Table, to_csv, to_html, to_latex, to_markdown
from ganzzle.bench.predictions import Item, Predictions
from ganzzle.bench.rows import bootstrap_interval, calibration
from ganzzle.bench.suites import Cells, chosen_solvers, classic_items, named_sources
from ganzzle.errors import GanzzleError, PuzzleError, SolverError
from ganzzle.provenance import provenance
from ganzzle.puzzle import Puzzle
from ganzzle.solution import Solution

TABLE = Table(
    "t", "A & B", ("method", "50 %"), (("P & T", "a|b"), ("x_y", "<1>"), ("t", "5 +- 1")), ("a note",)
)


def row_of(**changes):
    """A scored row of faces at 6x6."""
    row = {
        "solver": "gallagher", "dataset": "faces", "source": "faces.tar", "grid": "6x6", "corruption": "none",
        "rotated": False, "puzzles": 7, "direct": 98.0, "direct_interval": [97.0, 99.0],
        "direct_interchangeable": 98.5, "neighbour": 97.0, "neighbour_interval": [96.0, 98.0],
        "neighbour_interchangeable": 97.0, "perfect": 50.0,
    }  # fmt: skip
    return row | changes


def test_every_format_escapes_its_own_signs():
    assert r"| P & T | a\|b |" in to_markdown(TABLE)
    assert list(csv.reader(io.StringIO(to_csv(TABLE))))[1:] == [
        ["P & T", "a|b"],
        ["x_y", "<1>"],
        ["t", "5 +- 1"],
    ]
    latex = to_latex(TABLE)
    assert r"P \& T & a|b \\" in latex
    assert r"x\_y" in latex
    assert r"5 $\pm$ 1" in latex
    assert all(rule in latex for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"50 \%"))
    assert "&lt;1&gt;" in to_html(TABLE)
    assert all("a note" in write(TABLE) for write in (to_markdown, to_latex, to_html))


def test_the_best_of_a_column_is_bold_where_asked():
    rows = (("a", "9.50 (99.00)", "-"), ("b", "10.00 (3.00)", "1.0 / 2.0"), ("c", "- (50.00)", "1.0 / 9.0"))
    table = Table("t", "T", ("method", "x", "y"), rows, marks_best=True)
    assert "| b | **10.00** (3.00) | **1.0** / 2.0 |" in to_markdown(table)
    assert "| a | 9.50 (99.00) | - |" in to_markdown(table)
    assert r"\textbf{10.00} (3.00)" in to_latex(table)
    assert "<td><b>10.00</b> <span class=paper>(3.00)</span></td>" in to_html(table)
    assert "**" not in to_csv(table)
    assert "**" not in to_markdown(TABLE)


def test_details_show_the_paper_the_difference_and_who_is_absent():
    absent = {("po-la", "faces", "6x6", "none", False): "the weights are not here"}
    (table,) = detail_tables([row_of()], absent)
    lines = {line[0]: dict(zip(range(20), line, strict=False)) for line in table.rows}
    ours = list(lines["Gallagher"].values())
    assert ours[1:6] == ["6x6", "7", "98.00", "97.00-99.00", "98.50"]
    assert ours[8] == ""  # the neighbours are the same either way
    assert ours[-4:] == ["98.55", "-0.55", "-", "-"]
    dashed = list(lines["PO-LA *"].values())
    assert dashed[2:10] == ["-"] * 8
    assert dashed[-4:] == ["71.96", "-", "66.43", "-"]
    assert "* PO-LA: the weights are not here." in table.notes
    assert len({len(line) for line in table.rows} | {len(table.head)}) == 1


def test_of_pictures_nobody_published_only_those_who_were_run_are_shown():
    (table,) = detail_tables([row_of(dataset="holidays")], {})
    assert [line[0] for line in table.rows] == ["Gallagher"]


def test_details_of_worn_turned_and_classic_puzzles():
    rows = [
        row_of(corruption="erode:1"),
        row_of(grid="10x10", corruption="erode:1"),
        row_of(rotated=True),
        row_of(dataset="mit432", grid="18x24"),
    ]
    tables = {table.name: table for table in detail_tables(rows, {})}
    assert list(tables) == [
        "details-faces-worn-6x6", "details-faces-worn-10x10", "details-faces-rotated", "details-mit432",
    ]  # fmt: skip
    turned = {line[0]: line for line in tables["details-faces-rotated"].rows}
    assert turned["DiffAssemble *"][10] == "99.51"
    worn = {line[0]: line for line in tables["details-faces-worn-6x6"].rows}
    assert worn["Gallagher"][10] == "32.55"
    assert all(line[10] == "-" for line in tables["details-faces-worn-10x10"].rows)
    classic = {line[0]: line for line in tables["details-mit432"].rows}
    assert classic["Sholomon et al. (genetic) *"][10] == "86.20"


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40), st.integers(0, 9))
@settings(deadline=None, max_examples=20)
def test_an_interval_holds_the_mean_and_stays_in_the_range(values, seed):
    low, high = bootstrap_interval(np.array(values), seed)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    assert (low, high) == bootstrap_interval(np.array(values), seed)


def test_an_interval_is_as_wide_as_theory_says():
    values = np.random.default_rng(0).normal(50, 10, 400)
    low, high = bootstrap_interval(values, 0)
    assert high - low == pytest.approx(2 * 1.96 * 10 / 20, rel=0.15)


def test_calibration_counts_pieces_by_confidence(draw):
    puzzle = Puzzle.from_picture(draw(64, 64), 2, seed=0)
    assert puzzle.truth is not None
    placement = puzzle.truth.placement.copy()
    placement[[0, 1]] = placement[[1, 0]]  # these two are wrong
    sure = np.array([0.15, 0.95, 0.95, 1.0])
    solution = Solution(puzzle, puzzle.truth.grid, placement, np.zeros(4, int), sure)
    found = calibration("x", [Predictions(Item("x", "", "", "2x2"), solutions=[solution])])
    assert found.pieces.tolist() == [1, 3]
    assert found.right.tolist() == [0, pytest.approx(2 / 3)]
    assert found.confidence.tolist() == pytest.approx([0.15, 2.9 / 3])
    assert found.error == pytest.approx((0.15 + 0.9) / 4)


def test_cells_are_checked_and_come_once():
    cells = Cells(("6x6", "6x6"), ("6x6",), ("erode:1",), ("6x6",))
    assert cells.all() == [("6x6", "none", False), ("6x6", "erode:1", False), ("6x6", "none", True)]
    assert len(Cells().all()) == 6 + 18 + 4
    with pytest.raises(PuzzleError):
        Cells(("six",))
    with pytest.raises(PuzzleError):
        Cells(wear=("rust:1",))


def test_sources_are_named_by_path_or_by_hand():
    assert named_sources(["a/faces/test.tar", "art=b/*.tar"]) == {
        "faces": "a/faces/test.tar",
        "art": "b/*.tar",
    }
    assert named_sources(["a/x=1/b"]) == {"b": "a/x=1/b"}
    assert named_sources(["/"]) == {"pictures": "/"}
    with pytest.raises(GanzzleError, match="two sources"):
        named_sources(["a/faces/test.tar", "b/faces/test.tar"])


def test_a_classic_set_brings_its_grid_and_others_need_one():
    (item,) = classic_items(["sets/bgu805.tar"], ["x"], grid=None, rotated=False, limit=None, seed=0)
    assert (item.grid, item.piece, item.native) == ("23x35", 28, True)
    with pytest.raises(GanzzleError, match="--grid"):
        classic_items(["mine/"], ["x"], grid=None, rotated=False, limit=None, seed=0)
    turned = classic_items(["mine/"], ["x"], grid="4x5", rotated=True, limit=None, seed=0)
    assert [(i.grid, i.rotated) for i in turned] == [("4x5", False), ("4x5", True)]


def test_an_unknown_solver_is_refused_before_any_work():
    with pytest.raises(SolverError, match="there is no solver"):
        chosen_solvers(["galagher"])
    assert chosen_solvers(["pomeranz", "pomeranz"]) == ["pomeranz"]


def test_a_copy_without_history_is_told_its_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance_module, "__file__", str(tmp_path / "src" / "ganzzle" / "x.py"))
    monkeypatch.setenv("GANZZLE_COMMIT", "abc1234")
    assert provenance_module.code_commit() == "abc1234"


def test_a_copy_whose_history_git_refuses_is_told_its_commit(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()  # as of another user, or where git is not installed
    monkeypatch.setattr(provenance_module, "__file__", str(tmp_path / "src" / "ganzzle" / "x.py"))
    monkeypatch.setenv("GANZZLE_COMMIT", "abc1234")
    assert provenance_module.code_commit() == "abc1234"


def test_a_result_says_where_it_comes_from():
    origin = provenance()
    assert set(origin) == {"version", "commit", "machine"}
    assert "cores" in origin["machine"]
