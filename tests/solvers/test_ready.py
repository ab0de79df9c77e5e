"""Solvers whose weights are not embedded are listed as such, explain themselves, and are offered nowhere by default."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from ganzzle import weights_files
from ganzzle.errors import SolverError
from ganzzle.puzzle import Puzzle
from ganzzle.solvers import SOLVERS, SolverInfo, default_solver, load_solver, ready_solvers
from ganzzle.training.config import find_config

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def no_weights(tmp_path, monkeypatch):
    """A package without any embedded weights."""
    monkeypatch.setattr(weights_files, "EMBEDDED", tmp_path)
    return tmp_path


def test_a_solver_is_ready_when_it_needs_no_weights_or_has_them(no_weights):
    assert SolverInfo("a", "b:C", "", "").ready
    needs = SolverInfo("a", "b:C", "", "", weights="a-faces")
    assert not needs.ready
    (no_weights / "a-faces.safetensors").touch()
    assert needs.ready


def test_the_default_works_out_of_the_box():
    assert default_solver() in ready_solvers()


def test_those_in_need_of_weights_say_how_to_get_them(no_weights):
    names = {name for name, info in SOLVERS.items() if info.config}
    assert names >= {"ganzzle", "ganzzle-single", "hung-perm", "po-la"}
    for name in names:
        config = SOLVERS[name].config
        assert find_config(config).is_file()
        with pytest.raises(SolverError, match=f"ganzzle train {config}.*--weights FILE"):
            load_solver(name)
        with pytest.raises(SolverError, match="no weights file"):
            load_solver(name, weights=no_weights / "mine.safetensors")
    assert not names & set(ready_solvers())


def test_the_list_says_which_are_ready(no_weights, command):
    records = json.loads(command("solvers", "--json", "-").out)["solvers"]
    assert {r["name"] for r in records if r["ready"]} == set(ready_solvers())
    assert "not embedded" in " ".join(command("solvers").out.split())


def test_the_server_offers_only_those_that_are_ready(no_weights):
    from ganzzle.web.limits import Settings

    assert set(Settings().solvers) == set(ready_solvers()) < set(SOLVERS)


def test_the_scores_shown_are_those_measured():
    measured = {}
    for path in (ROOT / "results").glob("*-*.json"):
        for row in json.loads(path.read_text()).get("rows", []):
            if row.get("rotated") is False:
                measured[row["solver"], row["dataset"], row["grid"], row["corruption"]] = row["direct"]
    for name, info in SOLVERS.items():
        for part in filter(None, info.scores.split(", ")):
            dataset, grid, *corruption, value = part.split()
            cell = name, dataset, grid, corruption[0] if corruption else "none"
            assert float(value) == pytest.approx(measured[cell], abs=0.0501), part


def test_those_that_take_turned_pieces_are_known():
    def takes(info: SolverInfo) -> bool:
        module, _, name = info.target.partition(":")
        return bool(getattr(importlib.import_module(module), name).takes_turned_pieces())

    assert {name for name, info in SOLVERS.items() if takes(info)} == {
        name for name, info in SOLVERS.items() if info.rotated
    }
    with pytest.raises(
        SolverError, match="'pomeranz' does not take turned pieces; these do: hybrid, paikin-tal, gallagher"
    ):
        load_solver("pomeranz", rotated=True)


@pytest.mark.parametrize("name", sorted(name for name, info in ready_solvers().items() if info.rotated))
def test_those_that_were_asked_to_turn_pieces_say_so(name):
    assert not load_solver(name).rotated
    assert load_solver(name, rotated=True).rotated


@pytest.mark.parametrize("name", ["hybrid", "paikin-tal", "po-la"])
def test_solvers_can_be_sent_to_other_processes(name, draw):
    puzzle = Puzzle.from_picture(draw(96, 96), 6, piece=16)
    solver = load_solver(name)
    for other in (pickle.loads(pickle.dumps(solver)), copy.deepcopy(solver)):
        assert other is not solver
        assert np.array_equal(other.solve(puzzle).placement, solver.solve(puzzle).placement)
