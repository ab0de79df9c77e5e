"""Which weights belong to which pictures and grid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ganzzle import weights_files
from ganzzle.bench.predicting import unavailable
from ganzzle.bench.predictions import Item
from ganzzle.bench.suites import with_weights
from ganzzle.bench.weights import parse_rules, weights_for
from ganzzle.errors import GanzzleError, SolverError
from ganzzle.reading.pictures import write_picture
from ganzzle.reading.sources import source_digest
from ganzzle.weights_files import file_digest


@pytest.fixture
def embedded(tmp_path, monkeypatch):
    """A folder that stands for the embedded weights: embedded("ganzzle-faces", ...) puts files there."""
    monkeypatch.setattr(weights_files, "EMBEDDED", tmp_path)

    def put(*names: str) -> None:
        for name in names:
            (tmp_path / f"{name}.safetensors").write_bytes(name.encode())

    return put


def test_the_most_special_rule_counts():
    texts = ["ganzzle=all.st", "ganzzle@faces@6x6=faces6.st", "ganzzle@6x6=six.st", "ganzzle@faces=faces.st"]
    rules = parse_rules(texts, ["ganzzle", "hybrid"])
    found = {
        (dataset, grid): weights_for("ganzzle", [dataset], grid, rules)
        for dataset in ("faces", "art")
        for grid in ("6x6", "8x8")
    }
    assert found == {
        ("faces", "6x6"): "faces6.st", ("faces", "8x8"): "faces.st", ("art", "6x6"): "six.st", ("art", "8x8"): "all.st",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text", ["ganzzle", "ganzzle=", "po-la=x", "ganzzle@faces@art=x", "ganzzle@6x6@8x8=x", "ganzzle@=x"]
)
def test_rules_that_say_nothing_are_refused(text):
    with pytest.raises(GanzzleError, match="SOLVER=FILE"):
        parse_rules([text], ["ganzzle"])


def test_embedded_weights_are_found_by_name(embedded):
    embedded("hung-perm-faces-6", "ganzzle-faces", "ganzzle-art", "hybrid", "hybrid-art")
    found = [
        weights_for(*cell, [])
        for cell in (
            ("hung-perm", ["faces"], "6x6"), ("ganzzle", ["faces"], "12x12"), ("ganzzle", ["art"], "6x6"),
            ("hybrid", ["photos"], "3x5"), ("hybrid", ["art"], "6x6"), ("gallagher", ["faces"], "6x6"),
            ("my.own:Solver", ["faces"], "6x6"), ("ganzzle", ["photos", "art"], "6x6"),
        )
    ]  # fmt: skip
    assert found == [
        "hung-perm-faces-6", "ganzzle-faces", "ganzzle-art", "hybrid", "hybrid-art", None, None, "ganzzle-art",
    ]  # fmt: skip


def test_what_is_lacking_is_said(embedded):
    embedded("hung-perm-faces-6", "ganzzle-faces")
    cells = [("hung-perm", "faces", "8x8"), ("hung-perm", "art", "6x6"), ("ganzzle", "faces", "8x8")]
    items = [Item(solver, dataset, "", grid) for solver, dataset, grid in cells]
    ready, absent = with_weights(items, None)
    assert ready == [replace(items[2], weights="ganzzle-faces")]
    assert absent == {
        items[0]: "no weights for this size are here",
        items[1]: "no weights for such pictures are here",
    }


def test_new_weights_and_new_pictures_are_new_items(embedded, tmp_path, draw):
    embedded("ganzzle-faces")
    pictures = tmp_path / "pictures"
    write_picture(pictures / "a.png", draw(32, 32))
    item = Item("ganzzle", "faces", str(pictures), "6x6", weights="ganzzle-faces")
    assert item.options == {"weights": "ganzzle-faces"}
    before = item.stamped()
    (tmp_path / "ganzzle-faces.safetensors").write_bytes(b"trained longer")
    file_digest.cache_clear()
    longer = item.stamped()
    assert longer.file_name != before.file_name
    assert item.stamped() == longer
    write_picture(pictures / "b.png", draw(32, 32))
    source_digest.cache_clear()
    more = item.stamped()
    assert more.file_name != longer.file_name
    assert more.stamp[:12] == longer.stamp[:12]  # what the rows show: the weights are the same


def test_a_short_name_is_the_embedded_weights_of_that_name(embedded):
    embedded("ganzzle-art", "po-la-art-6")
    rules = parse_rules(["ganzzle=art", "po-la=art"], ["ganzzle", "po-la"])
    assert weights_for("ganzzle", ["mine"], "8x8", rules) == "ganzzle-art"
    assert weights_for("po-la", ["mine"], "6x6", rules) == "po-la-art-6"
    assert weights_for("po-la", ["mine"], "8x8", rules) == "art"  # the solver will say what it lacks


def test_weights_for_one_grid_are_used_for_that_grid_only(random_solver):
    items = [Item("bench_solvers:OnlyThree", "", "", grid) for grid in ("3x3", "4x4")]
    assert unavailable(items) == {items[1]: "its weights are for 3x3"}


def test_weights_that_do_not_load_are_no_mere_gap():
    with pytest.raises(SolverError, match=r"nowhere\.safetensors"):
        unavailable([Item("hybrid", "", "", "2x2", weights="nowhere.safetensors")])
