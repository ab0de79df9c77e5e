"""The API against the real application: what it answers when all is well."""

from __future__ import annotations

import io
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from web_helpers import Server, decoded, encoded, png

from ganzzle.damage.corruption import Corruption
from ganzzle.metrics import score
from ganzzle.pieces import assemble, cut
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.reading.pictures import resize_picture
from ganzzle.samples import sample_picture
from ganzzle.solution import Solution
from ganzzle.solvers import ready_solvers
from ganzzle.web.limits import Settings
from ganzzle.web.requests import Job, solve_job
from ganzzle.web.uploads import Form, Upload


def scrambled(picture: np.ndarray, grid: tuple[int, int], seed: int = 0) -> tuple[bytes, list[int]]:
    """A scrambled picture as PNG, and the slot of every piece."""
    puzzle = Puzzle.from_picture(picture, grid, seed=seed)
    assert puzzle.truth is not None
    order = np.arange(len(puzzle))
    return png(assemble(puzzle.pieces, Grid.of(grid), order)), puzzle.truth.placement.tolist()


def test_the_lists(server: Server) -> None:
    health = server.client.get("/api/health").json()
    assert health["status"] == "ok"
    assert health["workers"] == 2
    assert health["limits"] == {"bytes": 40_000_000, "pixels": 25_000_000, "pieces": 1024}
    cards = server.client.get("/api/solvers").json()
    assert {card["name"] for card in cards} >= set(ready_solvers())
    assert [card["name"] for card in cards if card["default"]] == ["gallagher"]
    assert {card["name"] for card in cards if card["rotated"]} == {"hybrid", "paikin-tal", "gallagher"}
    for sample in server.client.get("/api/samples").json():
        answer = server.client.get(f"/api/samples/{sample['name']}")
        assert answer.headers["content-type"] == "image/png"
        assert answer.content.startswith(b"\x89PNG")


def test_a_scrambled_picture_is_solved(server: Server, draw) -> None:
    data, placement = scrambled(draw(128, 160), (4, 5))
    answer = server.solve(data, grid="4x5").json()
    assert answer["placement"] == placement
    assert answer["turns"] == [0] * 20
    assert answer["grid"] == [4, 5]
    assert answer["solver"] == "gallagher"
    assert all(0 <= c <= 1 for c in answer["confidence"])
    assert answer["mental_image"] is None
    assert answer["picture"] is None
    assert set(answer["timings"]) == {"wait_ms", "read_ms", "solve_ms"}


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "WEBP"])
def test_piece_files_are_solved_in_any_format(server: Server, draw, kind: str) -> None:
    puzzle = Puzzle.from_picture(draw(96, 96), (3, 3), seed=1)
    options = {"lossless": True} if kind == "WEBP" else {}
    files = [("pieces", (f"{i}.x", encoded(p, kind, **options))) for i, p in enumerate(puzzle.pieces)]
    answer = server.post("/api/solve", files, grid="3x3").json()
    assert puzzle.truth is not None
    assert answer["placement"] == puzzle.truth.placement.tolist()


def test_the_grid_of_piece_files_is_found(server: Server, draw) -> None:
    puzzle = Puzzle.from_picture(draw(64, 96), (2, 3), seed=2)
    files = [("pieces", (f"{i}.png", png(p))) for i, p in enumerate(puzzle.pieces)]
    answer = server.post("/api/solve", files).json()
    assert answer["grid"] == [2, 3]
    assert puzzle.truth is not None
    assert answer["placement"] == puzzle.truth.placement.tolist()


def test_layout_and_count_describe_a_sheet_with_fewer_pieces_than_slots(server: Server, draw) -> None:
    puzzle = Puzzle.from_picture(draw(128, 128), (4, 4), seed=3)
    puzzle = Corruption.parse("missing:0.2").apply(puzzle, np.random.default_rng(0))
    sheet = assemble(puzzle.pieces, Grid(2, 8), np.arange(len(puzzle)))
    answer = server.solve(png(sheet), grid="4x4", layout="2x8", count=len(puzzle)).json()
    assert puzzle.truth is not None
    assert answer["placement"] == puzzle.truth.placement.tolist()


def test_lost_pieces_are_missed(server: Server, draw) -> None:
    puzzle = Puzzle.from_picture(draw(192, 256, 4), (6, 8), seed=3)
    files = [("pieces", (f"{i}.png", png(p))) for i, p in enumerate(puzzle.pieces[:-1])]
    answer = server.post("/api/solve", files, solver="hybrid").json()
    assert answer["grid"] == [6, 8]
    assert puzzle.truth is not None
    assert answer["placement"] == puzzle.truth.placement[:-1].tolist()


@pytest.mark.parametrize("grid", ["", "4x4"])
def test_what_does_not_belong_is_left_over(server: Server, grid: str) -> None:
    pictures = [resize_picture(sample_picture(name), 128, 128) for name in ("portrait", "landscape")]
    own, other = (Puzzle.from_picture(picture, 4, seed=1).pieces for picture in pictures)
    pieces = [*own[:7], other[2], *own[7:], own[0]]
    files = [("pieces", (f"{i}.png", png(piece))) for i, piece in enumerate(pieces)]
    answer = server.post("/api/solve", files, grid=grid, solver="hybrid", with_picture="true").json()
    assert answer["left_over"] == [7, 17]
    assert [answer["placement"][k] for k in (7, 17)] == [-1, -1]
    assert np.array_equal(decoded(answer["picture"]), pictures[0])
    assert server.post("/api/pile", files, grid=grid).json()["count"] == 18


def test_missing_pieces_are_said(server: Server, draw) -> None:
    puzzle = Puzzle.from_picture(draw(128, 160), (4, 5), seed=3)
    files = [("pieces", (f"{i}.png", png(p))) for i, p in enumerate(puzzle.pieces[:-4])]
    answer = server.post("/api/solve", files, grid="4x5", missing="true").json()
    assert puzzle.truth is not None
    assert answer["grid"] == [4, 5]
    assert answer["placement"] == puzzle.truth.placement[:-4].tolist()
    pile = server.post("/api/pile", files, grid="4x5", missing="true").json()
    assert (pile["count"], pile["grid"]) == (16, [4, 5])
    assert server.post("/api/pile", files, grid="4x5").status_code == 422


def test_turned_pieces(server: Server, draw) -> None:
    puzzle = Puzzle.from_picture(draw(128, 128), (4, 4), seed=4, rotated=True)
    sheet = png(assemble(puzzle.pieces, Grid(4, 4), np.arange(16)))
    answer = server.solve(sheet, grid="4x4", rotated="true").json()
    solved = assemble(puzzle.pieces, Grid(4, 4), np.array(answer["placement"]), np.array(answer["turns"]))
    # Without a frame of reference the whole picture may come out turned.
    assert any(np.array_equal(np.rot90(solved, k), draw(128, 128)) for k in range(4))


@pytest.mark.parametrize(
    ("default", "fields", "solver"),
    [
        ("hybrid", {}, "hybrid"),
        ("pomeranz", {"rotated": "true"}, "hybrid"),
        ("gallagher", {"rotated": "true"}, "gallagher"),
        ("hybrid", {"rotated": "true", "solver": "gallagher"}, "gallagher"),
    ],
)
def test_turned_pieces_go_to_a_solver_that_takes_them(default: str, fields: dict, solver: str) -> None:
    form = Form({"grid": "2x2", **fields}, [Upload("picture", "a.png", b"")])
    assert solve_job(form, Settings(default=default)).solver == solver


def test_the_grid_of_a_scrambled_picture_is_found(server: Server, draw) -> None:
    data, placement = scrambled(draw(120, 200), (3, 5))
    answer = server.solve(data).json()
    assert answer["grid"] == [3, 5]
    assert answer["placement"] == placement
    pile = server.post("/api/pile", [("picture", ("mixed.png", data))]).json()
    assert (pile["grid"], pile["count"], pile["reduced"]) == ([3, 5], 15, False)


@pytest.mark.parametrize("said", [{}, {"grid": "3x5"}])
def test_a_scrambled_picture_may_have_gutters_and_a_frame(server: Server, draw, said: dict[str, str]) -> None:
    puzzle = Puzzle.from_picture(draw(120, 200), (3, 5), seed=3)
    assert puzzle.truth is not None
    spaced = np.pad(puzzle.pieces, ((0, 0), (0, 4), (0, 4), (0, 0)), constant_values=255)
    laid = assemble(spaced, Grid(3, 5), np.arange(15))
    picture = png(np.pad(laid, ((9, 5), (9, 5), (0, 0)), constant_values=255))
    answer = server.solve(picture, **said).json()
    assert answer["grid"] == [3, 5]
    assert answer["placement"] == puzzle.truth.placement.tolist()
    pile = server.post("/api/pile", [("picture", ("mixed.png", picture))], **said).json()
    assert (pile["grid"], pile["count"], pile["full"]) == ([3, 5], 15, [38, 38])


def test_the_answer_holds_the_picture_where_it_is_asked_for(server: Server, draw) -> None:
    picture = draw(96, 128)
    data, _ = scrambled(picture, (3, 4))
    answer = server.solve(data, grid="3x4", with_picture="true").json()
    assert np.array_equal(decoded(answer["picture"]), picture)


def test_the_mental_image_is_png_data(server: Server, draw) -> None:
    data, _ = scrambled(draw(64, 64), (2, 2))
    answer = server.solve(data, grid="2x2", solver="dreamer").json()
    assert decoded(answer["mental_image"]).shape == (48, 48, 3)


def test_the_seed_makes_the_answer_repeatable(server: Server, draw) -> None:
    data, _ = scrambled(draw(96, 96), (3, 3))
    first, second = (server.solve(data, grid="3x3", seed=5, solver="dreamer").json() for _ in range(2))
    assert first["placement"] == second["placement"]
    assert first["placement"] != server.solve(data, grid="3x3", seed=6, solver="dreamer").json()["placement"]


def test_shuffle_cuts_a_picture_and_knows_the_truth(server: Server, draw) -> None:
    picture = draw(120, 180)
    file = [("picture", ("mine.png", png(picture)))]
    answer = server.post("/api/shuffle", file, grid="4x6", seed=9).json()
    assert np.array_equal(decoded(answer["picture"]), picture)
    pieces = cut(decoded(answer["sheet"]), Grid(*answer["layout"]))[: answer["count"]]
    rebuilt = assemble(pieces, Grid(4, 6), np.array(answer["truth"]["placement"]))
    assert np.array_equal(rebuilt, picture)
    expected = Puzzle.from_picture(picture, (4, 6), seed=9)
    assert np.array_equal(pieces, expected.pieces)


def test_shuffle_spoils_as_the_library_does(server: Server, draw) -> None:
    picture, spoilt = draw(96, 96), "missing:0.25+noise:0.05+erode:2"
    file = [("picture", ("mine.png", png(picture)))]
    answer = server.post("/api/shuffle", file, grid="4x4", seed=1, corrupt=spoilt, rotated="true").json()
    expected = Puzzle.from_picture(picture, (4, 4), seed=1, corrupt=spoilt, rotated=True)
    assert expected.truth is not None
    assert answer["count"] == 12
    pieces = cut(decoded(answer["sheet"]), Grid(4, 4))[:12]
    assert np.array_equal(pieces, expected.pieces)
    assert answer["truth"]["placement"] == expected.truth.placement.tolist()
    assert answer["truth"]["turns"] == expected.truth.turns.tolist()


def test_the_score_is_the_library_s(server: Server, draw) -> None:
    picture = draw(64, 80)
    picture[:16, :32] = 7  # two pieces that look the same however they are turned
    clean = [("none", False), ("missing:0.2", False), ("none", True)]
    for corrupt, rotated in (*clean, ("noise:0.1", False), ("noise:0.1", True)):
        file = [("picture", ("mine.png", png(picture)))]
        made = server.post("/api/shuffle", file, grid="4x5", corrupt=corrupt, rotated=str(rotated)).json()
        assert sorted(set(made["truth"]["periods"])) == [1, 4]  # before noise
        puzzle = Puzzle.from_picture(picture, (4, 5), corrupt=corrupt, rotated=rotated)
        sheet = png(decoded(made["sheet"]))
        fields = {"grid": "4x5", "count": made["count"], "truth": json.dumps(made["truth"])}
        for solver in ("dreamer", "gallagher"):
            answer = server.solve(sheet, solver=solver, **fields).json()
            placement, turns = np.array(answer["placement"]), np.array(answer["turns"])
            solution = Solution(puzzle, Grid(4, 5), placement, turns, np.ones(len(puzzle)))
            expected = score(solution)
            assert answer["score"]["direct"] == pytest.approx(expected.direct_interchangeable)
            assert answer["score"]["neighbour"] == pytest.approx(expected.neighbour_interchangeable)
            assert sum(answer["score"]["right"]) == round(len(puzzle) * answer["score"]["direct"])


def test_a_phone_photo_is_turned_and_reduced(server: Server) -> None:
    y, x = np.mgrid[0:3000, 0:4000]
    photo = np.stack([x // 16, y // 12, np.full_like(x, 60)], -1).astype(np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6
    file = [("picture", ("IMG_1.jpg", encoded(photo, "JPEG", exif=exif)))]
    answer = server.post("/api/shuffle", file, grid="8x6").json()
    picture = decoded(answer["picture"])
    assert picture.shape == (960, 720, 3)
    # Orientation 6: the left edge of the file is the top of the photo.
    assert picture[5, 360, 0] < 10 < 240 < picture[-5, 360, 0]


def test_a_tiny_picture_is_enlarged_for_the_page(server: Server, draw) -> None:
    file = [("picture", ("tiny.png", png(draw(10, 10))))]
    answer = server.post("/api/shuffle", file, grid="20x20").json()
    assert answer["piece"] == [8, 8]


def test_a_pile_becomes_a_sheet(server: Server, draw) -> None:
    pieces = cut(draw(90, 150), Grid(3, 5))
    files = [("pieces", (f"{i}.png", png(p))) for i, p in enumerate(pieces)]
    answer = server.post("/api/pile", files).json()
    assert (answer["count"], answer["grid"], answer["truth"], answer["picture"]) == (15, None, None, None)
    assert np.array_equal(cut(decoded(answer["sheet"]), Grid(*answer["layout"]))[:15], pieces)


def test_a_very_large_pile_is_reduced_for_the_page(server: Server, draw) -> None:
    data, _ = scrambled(draw(600, 2400), (2, 2))
    answer = server.post("/api/pile", [("picture", ("big.png", data))], grid="2x2").json()
    assert max(decoded(answer["sheet"]).shape) <= 2048
    assert answer["grid"] == [2, 2]
    assert answer["reduced"]


def test_every_request_gets_its_own_answer(server: Server, draw) -> None:
    puzzles = [scrambled(draw(96, 96, seed), (3, 3), seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda one: server.solve(one[0], grid="3x3").json(), puzzles))
    assert [answer["placement"] for answer in answers] == [placement for _, placement in puzzles]


def test_jobs_are_equal_only_when_all_of_them_is() -> None:
    job = Job("solve", (("a.png", b"12"), ("b.png", b"3")), grid=(2, 1))
    others = [
        replace(job, grid=(1, 2)),
        replace(job, seed=1),
        replace(job, files=(("a.png", b"1"), ("b.png", b"23"))),
        replace(job, files=(("a.png", b"12"),)),
    ]
    assert job.digest() == replace(job).digest()
    assert len({one.digest() for one in [job, *others]}) == 5


def test_float_piece_files_are_scaled_alike(server: Server) -> None:
    files = []
    for name, value in (("light.tif", 200.0), ("dark.tif", 0.9)):
        data = io.BytesIO()
        Image.fromarray(np.full((16, 16), value, np.float32)).save(data, "TIFF")
        files.append(("pieces", (name, data.getvalue())))
    answer = server.post("/api/pile", files, grid="1x2").json()
    light, dark = cut(decoded(answer["sheet"]), Grid(1, 2))
    assert (int(light.max()), int(dark.max())) == (200, 1)
