"""The README's numbers are those of results/, beside the published ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ganzzle.bench import published
from ganzzle.bench.glance import glance_table
from ganzzle.bench.overview import gap_notes, overview_tables
from ganzzle.bench.plain_tables import to_csv
from ganzzle.bench.readme import long_tables, main, update_readme
from ganzzle.bench.real import real_lines
from ganzzle.bench.results import Results, read_results
from ganzzle.errors import GanzzleError

ROOT = Path(__file__).parent.parent.parent
ROW = {
    "solver": "gallagher", "source": "shards/faces/test-000.tar", "grid": "6x6", "corruption": "none", "puzzles": 40,
    "direct": 91.234, "neighbour": 92.5, "rotated": False,
}  # fmt: skip


def results_of(folder: Path, **files):
    """Result files of the given rows, read back."""
    for name, rows in files.items():
        (folder / f"{name}.json").write_text(json.dumps({"rows": rows}))
    return read_results(folder)


def test_the_readme_agrees_with_the_results():
    results = read_results(ROOT / "results")
    text = (ROOT / "README.md").read_text()
    assert text == update_readme(text, results, real_lines(ROOT / "results")), "run make readme-tables"
    assert (ROOT / "results" / "README.md").read_text() == long_tables(results), "run make readme-tables"


def test_ours_stands_beside_the_paper(tmp_path):
    tables = {table.name: table for table in overview_tables(results_of(tmp_path, one=[ROW]))}
    assert list(tables) == ["direct-faces", "neighbour-faces"]
    table = tables["direct-faces"]
    rows = {row[0]: row for row in table.rows}
    column = table.head.index("6x6")
    assert rows["Gallagher *"][column] == "91.23 (98.55)"
    assert rows["GANzzle *"][column] == "- (72.18)"
    assert rows["GANzzle-Single *"][table.head.index("12x12")] == "-"
    assert [label.removesuffix(" *") for label in rows] == list(published.METHODS.values())
    assert "40 puzzles a cell" in table.notes[0]
    assert "* Gallagher, 2x2, 4x4, 8x8, 10x10, 12x12: not run." in table.notes


def test_methods_without_any_figure_are_named_below_the_table(tmp_path):
    photos = ROW | {"source": "photos/test-000.tar"}
    table = overview_tables(results_of(tmp_path, one=[photos]))[0]
    assert [row[0] for row in table.rows] == ["Gallagher"]
    assert any("GANzzle" in note and "not run" in note for note in table.notes)


def test_a_glance_shows_the_best_of_others(tmp_path):
    assert glance_table(results_of(tmp_path, one=[ROW])) is None
    rows = [ROW, ROW | {"solver": "pomeranz", "direct": 95.0}, ROW | {"solver": "assembler", "direct": 99.0}]
    rows.append(ROW | {"solver": "hybrid", "direct": 97.126})
    rows.append(ROW | {"solver": "hybrid", "source": "photos/test-000.tar", "grid": "12x12", "direct": 50.0})
    rows.append(ROW | {"solver": "hybrid", "source": "classic/mit432.tar", "grid": "18x24", "direct": 90.0})
    table = glance_table(results_of(tmp_path, one=rows))
    assert table is not None
    assert table.rows == (
        ("faces, 6x6", "99.12 (Paikin & Tal)", "95.00 (Pomeranz et al.)", "97.13"),
        ("photographs, 12x12", "-", "-", "50.00"),
        ("MIT, 432 pieces", "95.80 (Yu et al. 2016 (linear program))", "-", "90.00"),
    )


def test_who_lacks_weights_is_said(tmp_path):
    reasons = [
        ("po-la", "6x6", "no weights for such pictures are here"),
        ("ganzzle", "8x8", "no weights for this size are here"),
    ]
    gaps = [
        {
            "solver": solver,
            "dataset": "faces",
            "grid": grid,
            "corruption": "none",
            "rotated": False,
            "reason": why,
        }
        for solver, grid, why in reasons
    ]
    (tmp_path / "x.json").write_text(json.dumps({"rows": [ROW], "absent": gaps}))
    notes = overview_tables(read_results(tmp_path))[0].notes
    assert "* PO-LA, 6x6: no weights for such pictures are here." in notes
    assert "* GANzzle, 8x8: no weights for this size are here." in notes


def test_notes_join_those_who_lack_the_same():
    gaps = [("A", "6x6", "x"), ("A", "8x8", "x"), ("B", "6x6", "x"), ("B", "8x8", "x"), ("C", "8x8", "y")]
    assert gap_notes(gaps, 2) == ["* A, B: x.", "* C, 8x8: y."]


def test_more_puzzles_count_more_whatever_the_file(tmp_path):
    better = ROW | {"puzzles": 200, "direct": 50.0}
    results = results_of(tmp_path, a=[better], b=[ROW])
    assert [row["direct"] for row in results.rows.values()] == [50.0]


def test_pictures_that_were_not_resized_are_not_the_papers_protocol(tmp_path):
    native = ROW | {"native": True, "puzzles": 900, "direct": 1.0}
    results = results_of(tmp_path, a=[ROW | {"native": False}, native])
    assert [row["direct"] for row in results.rows.values()] == [91.234]
    classic = ROW | {"native": True, "source": "classic/mit432.tar", "grid": "18x24"}
    assert len(results_of(tmp_path, a=[classic]).rows) == 1


def test_other_records_are_passed_over_and_broken_ones_named(tmp_path):
    assert results_of(tmp_path, scaling=[{"solver": "gallagher", "seconds": 3.0}]) == Results()
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(GanzzleError, match=r"broken\.json"):
        read_results(tmp_path)


def test_worn_and_classic_puzzles_get_their_own_tables(tmp_path):
    rows = [
        ROW | {"corruption": "erode:2"},
        ROW | {"corruption": "erode:2", "grid": "10x10"},
        ROW | {"source": "classic/mit432.tar", "grid": "18x24"},
        ROW | {"source": "classic/mit432.tar", "grid": "18x24", "rotated": True, "direct": 11.1},
    ]
    tables = {table.name: to_csv(table) for table in overview_tables(results_of(tmp_path, all=rows))}
    assert list(tables) == ["worn-faces-6x6", "worn-faces-10x10", "classic", "classic-rotated"]
    assert "91.23 (18.59)" in tables["worn-faces-6x6"]
    assert "91.23" in tables["worn-faces-10x10"]
    assert "(" not in tables["worn-faces-10x10"]  # the paper has none of these
    # Columns without any figure are left out.
    assert tables["worn-faces-10x10"].startswith("method,erode:2\n")
    assert "91.2 / 92.5" in tables["classic"]
    assert "11.1 / 92.5" in tables["classic-rotated"]


def test_the_rest_of_the_readme_stays_and_twice_is_once(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("a\n<!-- numbers: begin (x) -->\nOUTDATED\n<!-- numbers: end -->\nz\n")
    folder = tmp_path / "results"
    folder.mkdir()
    results_of(folder, one=[ROW, ROW | {"solver": "hybrid"}])
    main(str(readme), str(folder))
    once = readme.read_text()
    assert once.startswith("a\n<!-- numbers: begin (x) -->\n###")
    assert once.endswith("<!-- numbers: end -->\nz\n")
    assert "OUTDATED" not in once
    assert "Neighbour" not in once
    assert "At a glance" in once
    assert "| Gallagher | 6x6 | 40 | 91.23 |" in (folder / "README.md").read_text()
    main(str(readme), str(folder))
    assert readme.read_text() == once


def test_a_readme_without_markers_is_refused():
    with pytest.raises(GanzzleError, match="markers"):
        update_readme("nothing here", Results())


@pytest.mark.parametrize(
    ("source", "dataset"),
    [("data/faces/test-000.tar", "faces"), ("classic/mit432.tar", "mit432"), ("my/holiday", "holiday")],
)
def test_a_source_is_known_by_its_path(source, dataset):
    assert published.dataset_of(source) == dataset


def test_every_published_row_is_a_known_method():
    tables = [*published.DIRECT.values(), *published.NEIGHBOUR.values(), *published.WORN.values()]
    for figures in tables:
        assert {solver for solver, _ in figures} <= set(published.METHODS)
        assert all(0 < figure <= 100 for figure in figures.values())
    assert set(published.TIMES) <= set(published.METHODS)
