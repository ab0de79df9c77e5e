"""Several puzzles mixed in one pile: what the API answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from web_helpers import Server, decoded, mixed_pile, png

from ganzzle.pieces import assemble
from ganzzle.puzzle import Grid
from ganzzle.solvers import SOLVERS, Solver, load_solver, ready_solvers
from ganzzle.web.limits import MOST_PUZZLES, TELL_APART, Settings
from ganzzle.web.requests import solve_job
from ganzzle.web.uploads import Form, Upload


def files_of(pieces: np.ndarray) -> list[Any]:
    return [("pieces", (f"{i}.png", png(piece))) for i, piece in enumerate(pieces)]


def pictures_of(answer: dict[str, Any], pieces: np.ndarray) -> set[bytes]:
    """The pictures that the answer's placements make of the pieces that were sent."""
    assert sorted(k for part in answer["puzzles"] for k in part["pieces"]) == list(range(len(pieces)))
    return {
        assemble(pieces[part["pieces"]], Grid(*part["grid"]), np.array(part["placement"])).tobytes()
        for part in answer["puzzles"]
    }


@pytest.mark.parametrize("solver", TELL_APART)
def test_mixed_puzzles_are_told_apart(server: Server, draw, solver: str) -> None:
    pictures = [draw(96, 128, seed) for seed in range(3)]
    pieces = mixed_pile(pictures, (3, 4))
    answer = server.post("/api/solve", files_of(pieces), puzzles=3, solver=solver).json()
    assert pictures_of(answer, pieces) == {picture.tobytes() for picture in pictures}
    assert answer["solver"] == solver
    assert {part["solver"] for part in answer["puzzles"]} == {solver}
    assert set(answer["timings"]) == {"wait_ms", "read_ms", "solve_ms"}
    for part in answer["puzzles"]:
        assert part["picture"] is None
        assert len(part["confidence"]) == 12
        assert (part["sure"] is None) == (solver != "hybrid")


def test_the_answer_holds_every_picture_where_it_is_asked_for(server: Server, draw) -> None:
    pictures = [draw(96, 96, seed) for seed in range(2)]
    sheet = assemble(mixed_pile(pictures, (3, 3)), Grid(2, 9), np.arange(18))
    answer = server.solve(png(sheet), layout="2x9", grid="3x3", puzzles=2, with_picture="true").json()
    found = {decoded(part["picture"]).tobytes() for part in answer["puzzles"]}
    assert found == {picture.tobytes() for picture in pictures}


def test_the_layout_of_a_scrambled_picture_of_two_is_found(server: Server, draw) -> None:
    pieces = mixed_pile([draw(96, 128, seed) for seed in range(2)], (3, 4))
    sheet = png(assemble(pieces, Grid(4, 6), np.arange(24)))
    answer = server.solve(sheet, grid="3x4", puzzles=2).json()
    assert [part["grid"] for part in answer["puzzles"]] == [[3, 4], [3, 4]]
    pile = server.post("/api/pile", [("picture", ("mixed.png", sheet))], puzzles=2).json()
    assert (pile["count"], pile["grid"]) == (24, None)


def test_missing_pieces_of_mixed_puzzles_are_said(server: Server, draw) -> None:
    files = files_of(mixed_pile([draw(96, 128, seed) for seed in range(2)], (3, 4))[:-2])
    said = {"grid": "3x4", "puzzles": 2}
    refused = server.post("/api/solve", files, **said)
    assert refused.status_code == 422
    assert "22 pieces are too few for 2 puzzles of 3x4, which have 24 slots" in refused.json()["error"]
    answer = server.post("/api/solve", files, missing="true", **said).json()
    assert sum(len(part["pieces"]) for part in answer["puzzles"]) == 22
    pile = server.post("/api/pile", files, missing="true", **said).json()
    assert (pile["count"], pile["grid"]) == (22, [3, 4])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"puzzles": 0}, f"'puzzles' must be a whole number from 1 to {MOST_PUZZLES}."),
        ({"puzzles": MOST_PUZZLES + 1}, f"'puzzles' must be a whole number from 1 to {MOST_PUZZLES}."),
        ({"puzzles": "two"}, f"'puzzles' must be a whole number from 1 to {MOST_PUZZLES}."),
        ({"puzzles": 5}, "4 pieces are too few for 5 puzzles; say how many there are."),
        ({"puzzles": 2, "grid": "1x1"}, "4 pieces do not fit 2 puzzles of 1x1; give a larger grid."),
        (
            {"puzzles": 2, "solver": "gallagher"},
            "'gallagher' does not take mixed puzzles; these do: hybrid, paikin-tal, assembler.",
        ),
        (
            {"puzzles": 2, "solver": "assembler", "rotated": "true"},
            "'assembler' does not take mixed puzzles of turned pieces; these do: hybrid, paikin-tal.",
        ),
        (
            {"puzzles": 2, "truth": "{}"},
            "'truth' belongs to one puzzle; leave it out where several are mixed.",
        ),
    ],
)
def test_what_cannot_be_told_apart_is_explained(server: Server, draw, fields, sentence: str) -> None:
    files = files_of(mixed_pile([draw(32, 64, seed) for seed in range(2)], (1, 2)))
    answer = server.post("/api/solve", files, **fields)
    assert answer.status_code == 422
    assert answer.json()["error"] == sentence


def test_pictures_far_larger_than_their_pieces_are_not_made(small_server: Server, draw) -> None:
    files = files_of(mixed_pile([draw(40, 80, seed) for seed in range(2)], (1, 2)))
    said = {"grid": "8x8", "puzzles": 2, "missing": "true", "with_picture": "true"}
    answer = small_server.post("/api/solve", files, **said)
    assert answer.status_code == 413
    assert "The pictures would have" in answer.json()["error"]


@pytest.mark.parametrize(
    ("default", "fields", "solver"),
    [
        ("assembler", {"puzzles": "2"}, "assembler"),
        ("gallagher", {"puzzles": "2"}, "hybrid"),
        ("assembler", {"puzzles": "2", "rotated": "true"}, "hybrid"),
        ("gallagher", {"puzzles": "1"}, "gallagher"),
    ],
)
def test_mixed_puzzles_go_to_a_solver_that_takes_them(default: str, fields: dict, solver: str) -> None:
    form = Form(fields, [Upload("pieces", f"{i}.png", b"") for i in range(8)])
    assert solve_job(form, Settings(default=default)).solver == solver


def test_the_solvers_that_tell_puzzles_apart_are_named(server: Server) -> None:
    able = {
        name
        for name in ready_solvers()
        if name in SOLVERS and type(load_solver(name)).solve_mixed is not Solver.solve_mixed
    }
    assert set(TELL_APART) == able
    cards = server.client.get("/api/solvers").json()
    assert {card["name"] for card in cards if card["mixed"]} == able
