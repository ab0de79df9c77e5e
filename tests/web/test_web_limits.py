"""The server under bad requests, under load and under attack."""

from __future__ import annotations

import http.client
import json
import socket
import struct
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from web_helpers import Server, encoded, held, make_settings, png, quiet, running, wait_until, waiting

from ganzzle.pieces import assemble
from ganzzle.puzzle import Puzzle

HEIC = b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic" + bytes(64)


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing: a decompression bomb."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def check_error(answer: httpx.Response, status: int, *words: str) -> None:
    """A JSON error with a sentence that says these words."""
    assert answer.status_code == status, answer.text
    sentence = answer.json()["error"]
    assert sentence[0].isupper() or not sentence[0].isalpha() or "." in sentence.split()[0], sentence
    assert sentence.rstrip().endswith((".", "!")), sentence
    assert "Traceback" not in sentence
    for word in words:
        assert word in sentence


def truth(*placement: int) -> str:
    """A truth that places the pieces like this."""
    zeros, fours = [0] * len(placement), [4] * len(placement)
    return json.dumps({"placement": placement, "turns": zeros, "twins": placement, "periods": fours})


TINY = png(np.arange(16 * 16 * 3, dtype=np.uint8).reshape(16, 16, 3))
OTHER = png(np.arange(16 * 16 * 3, dtype=np.uint8)[::-1].reshape(16, 16, 3))
PLAIN = png(np.full((32, 32, 3), 90, np.uint8))


@pytest.mark.parametrize(
    ("fields", "files", "status", "word"),
    [
        ({"grid": "2x2"}, [("picture", ("a.heic", HEIC))], 415, "HEIC"),
        ({"grid": "2x2"}, [("picture", ("a.png", b"not a picture"))], 415, "a.png"),
        ({"grid": "2x2"}, [("picture", ("a.png", b""))], 415, "a.png"),
        ({"grid": "2x2"}, [("picture", ("a.png", TINY[:-60]))], 422, "damaged"),
        ({"grid": "2x2"}, [("picture", ("a.png", png_header(60000, 60000)))], 413, "pixels"),
        ({"grid": "2x2"}, [("picture", ("a.png", png_header(9000, 9000)))], 413, "9000x9000"),
        ({"grid": "2x2"}, [("picture", ("a.png", png_header(0, 0)))], 415, "a.png"),
        ({"grid": "17x3"}, [("picture", ("a.png", TINY))], 422, "too small"),
        ({"grid": "3x3", "layout": "3x3"}, [("picture", ("a.png", TINY))], 422, "divide"),
        ({"grid": "2x2", "count": "5"}, [("picture", ("a.png", TINY))], 422, "count"),
        ({"grid": "2x2"}, [], 422, "pieces"),
        ({}, [("picture", ("a.png", PLAIN))], 422, "8x8"),
        ({"count": "4"}, [("picture", ("a.png", TINY))], 422, "layout"),
        ({"grid": "axb"}, [("picture", ("a.png", TINY))], 422, "axb"),
        ({"grid": "0x4"}, [("picture", ("a.png", TINY))], 422, "0x4"),
        ({"grid": "99x99"}, [("picture", ("a.png", TINY))], 413, "99x99"),
        ({"grid": "9" * 900 + "x1"}, [("picture", ("a.png", TINY))], 422, "grid"),
        ({"grid": "2x2", "solver": "magic"}, [("picture", ("a.png", TINY))], 422, "magic"),
        ({"grid": "2x2", "solver": "os:system"}, [("picture", ("a.png", TINY))], 422, "os:system"),
        ({"grid": "2x2", "seed": "-1"}, [("picture", ("a.png", TINY))], 422, "seed"),
        (
            {"grid": "2x2", "solver": "pomeranz", "rotated": "true"},
            [("picture", ("a.png", TINY))],
            422,
            "paikin-tal, gallagher",
        ),
        ({"grid": "2x2", "with_picture": "yes"}, [("picture", ("a.png", TINY))], 422, "with_picture"),
        ({"grid": "2x2", "rotated": "maybe"}, [("picture", ("a.png", TINY))], 422, "rotated"),
        ({"grid": "2x2", "weights": "/etc/passwd"}, [("picture", ("a.png", TINY))], 422, "weights"),
        ({"grid": "2x2", "seed": "1" * 40_000}, [("picture", ("a.png", TINY))], 413, "seed"),
        ({"grid": "1x1"}, [("pieces", ("a.png", TINY)), ("pieces", ("b.png", OTHER))], 422, "grid"),
        ({}, [("pieces", ("a.png", TINY)), ("picture", ("b.png", TINY))], 422, "picture"),
        ({}, [("other", ("a.png", TINY))], 422, "other"),
        ({"grid": "2x2", "truth": "[]"}, [("picture", ("a.png", TINY))], 422, "truth"),
        ({"grid": "2x2", "truth": truth(0, 0, 1, 2)}, [("picture", ("a.png", TINY))], 422, "truth"),
        ({"grid": "2x2", "truth": truth(0, 1, 2)}, [("picture", ("a.png", TINY))], 422, "truth"),
        ({"grid": "2x2", "truth": truth(0, 1, 2, 4)}, [("picture", ("a.png", TINY))], 422, "truth"),
        ({"layout": "2x2"}, [("pieces", ("a.png", TINY))], 422, "layout"),
        ({"missing": "true"}, [("pieces", ("a.png", TINY)), ("pieces", ("b.png", TINY))], 422, "grid"),
        ({"missing": "some", "grid": "2x2"}, [("pieces", ("a.png", TINY))], 422, "missing"),
        ({"grid": "2x2"}, [("pieces", ("a.png", TINY))], 422, "1 piece is too few for the grid 2x2"),
    ],
)
def test_what_cannot_be_solved_is_explained(server: Server, fields, files, status: int, word: str) -> None:
    check_error(server.post("/api/solve", files, **fields), status, word)


def test_pieces_of_two_sizes_are_explained(server: Server) -> None:
    other = png(np.zeros((8, 16, 3), np.uint8))
    answer = server.post("/api/solve", [("pieces", ("a.png", TINY)), ("pieces", ("b.png", other))])
    check_error(answer, 422, "b.png", "16x8")


def test_shuffle_errors(server: Server) -> None:
    picture = [("picture", ("a.png", TINY))]
    check_error(server.post("/api/shuffle", picture), 422, "grid")
    check_error(server.post("/api/shuffle", picture, grid="2x2", sample="portrait"), 422, "sample")
    check_error(server.post("/api/shuffle", picture, grid="2x2", corrupt="rain:3"), 422, "rain:3")
    check_error(server.post("/api/shuffle", grid="2x2", sample="no such one"), 422, "no such one")
    check_error(server.client.get("/api/samples/no-such-one"), 404, "no-such-one")


def test_malformed_requests(server: Server) -> None:
    post = server.client.post
    check_error(post("/api/solve", json={"grid": "2x2"}), 415, "multipart")
    check_error(post("/api/solve", content=b"x", headers={"content-type": "multipart/form-data"}), 400)
    kind = {"content-type": "multipart/form-data; boundary=b"}
    check_error(post("/api/solve", content=b"--b\r\nrubbish", headers=kind), 400)
    check_error(
        post("/api/solve", content=b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", headers=kind),
        400,
    )
    check_error(server.client.get("/api/solve"), 405)
    check_error(server.client.get("/nothing"), 404)
    assert server.client.get("/static/../app.py").status_code == 404


def test_every_answer_has_the_strict_headers(server: Server) -> None:
    for path in ("/", "/docs", "/static/base.css", "/api/health", "/openapi.json", "/nothing"):
        headers = server.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert server.client.get("/api/health").headers["cache-control"] == "no-store"


def test_foreign_pages_are_refused(server: Server) -> None:
    get = server.client.get
    check_error(get("/api/health", headers={"host": "evil.example"}), 403)
    check_error(
        get("/api/health", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}), 403
    )
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert get("/", headers=followed).status_code == 200
    form = {"sample": (None, "portrait"), "grid": (None, "4x4")}
    check_error(server.client.post("/api/shuffle", files=form, headers=followed), 403)
    assert server.client.post("/api/shuffle", files=form).status_code == 200
    assert get("/api/health", headers={"host": "localhost:1234"}).status_code == 200


def test_uploads_are_limited_while_they_arrive(small_server: Server) -> None:
    big = [("picture", ("a.png", TINY + bytes(300_000)))]
    check_error(small_server.post("/api/solve", big, grid="2x2"), 413, "0.2 MB")

    def endless() -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="picture"; filename="a"\r\n\r\n'
        for _ in range(30):
            yield bytes(10_000)

    kind = {"content-type": "multipart/form-data; boundary=b"}
    check_error(small_server.client.post("/api/solve", content=endless(), headers=kind), 413, "0.2 MB")


def test_pieces_and_pixels_are_limited_before_decoding(small_server: Server) -> None:
    many = [("pieces", (f"{i}.png", TINY)) for i in range(65)]
    check_error(small_server.post("/api/solve", many), 413, "64 pieces")
    bombs = [("pieces", (f"{i}.png", png_header(300, 300))) for i in range(3)]
    check_error(small_server.post("/api/solve", bombs), 413, "0.2 megapixels")


def test_a_found_grid_keeps_to_the_limit(small_server: Server, draw) -> None:
    puzzle = Puzzle.from_picture(draw(144, 144), (9, 9))
    assert puzzle.grid is not None
    check_error(
        small_server.solve(png(assemble(puzzle.pieces, puzzle.grid, np.arange(81)))), 413, "9x9", "64"
    )


def test_a_picture_far_larger_than_its_pieces_is_not_made(small_server: Server) -> None:
    pieces = [("pieces", (f"{i}.png", png(np.full((90, 90, 3), i, np.uint8)))) for i in range(2)]
    answer = small_server.post("/api/solve", pieces, grid="8x8", missing="true", with_picture="true")
    check_error(answer, 413, "with_picture")


def test_a_slow_upload_is_given_up(hasty_server: Server) -> None:
    host, port = hasty_server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 60) as line:
        line.sendall(b"POST /api/solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n")
        line.sendall(b"Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 408")


def test_a_full_queue_says_when_to_come_back() -> None:
    with running(make_settings(workers=1, queue=1)) as server, ThreadPoolExecutor(2) as threads:
        with held(server):
            first = [threads.submit(server.solve, TINY, grid="2x2", seed=seed) for seed in range(2)]
            wait_until(lambda: server.pool.admitted == 2, "the queue did not fill")
            answer = server.solve(TINY, grid="2x2")
        check_error(answer, 429, "try again")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert [one.result().status_code for one in first] == [200, 200]
        assert server.solve(TINY, grid="2x2").status_code == 200


def test_a_crowd_hears_in_json_when_to_come_back() -> None:
    with running(make_settings(workers=1, requests=2)) as server:
        host, port = server.address.removeprefix("http://").split(":")
        lines = [socket.create_connection((host, int(port))) for _ in range(2)]
        for line in lines:  # uploads that stay half done
            line.sendall(b"POST /api/solve HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n")
            line.sendall(b"Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n")
        wait_until(lambda: server.pool.admitted == 2, "the uploads did not arrive")
        picture = np.random.default_rng(0).integers(0, 256, (900, 900, 3), np.uint8)
        for answer in (server.client.get("/api/health"), server.solve(png(picture), grid="2x2")):
            check_error(answer, 503, "try again in 10 s")
            assert answer.headers["retry-after"] == "10"
            assert "content-security-policy" in answer.headers
        for line in lines:
            line.close()
        wait_until(lambda: server.pool.admitted == 0, "the uploads were not given up")
        wait_until(lambda: server.client.get("/api/health").status_code == 200, "nobody is let in again")


def test_a_solve_has_a_time_limit_and_the_server_goes_on(hasty_server: Server) -> None:
    check_error(hasty_server.solve(TINY, grid="2x2", solver="slow"), 503, "10 s")
    assert hasty_server.solve(TINY, grid="2x2").status_code == 200


def test_crashes_and_bugs_of_a_solver_stay_with_their_request(small_server: Server) -> None:
    check_error(small_server.solve(TINY, grid="2x2", solver="dying"), 503)
    check_error(small_server.solve(TINY, grid="2x2", solver="failing"), 503)
    assert small_server.solve(TINY, grid="2x2").status_code == 200


def begin_to_solve(server: Server, **fields: str) -> http.client.HTTPConnection:
    """Ask for a solution of TINY as `Server.solve` does, on a connection that can be closed before the answer."""
    files = {"picture": ("scrambled.png", TINY)}
    request = httpx.Request("POST", server.address, data=fields, files=files)
    host, port = server.address.removeprefix("http://").split(":")
    line = http.client.HTTPConnection(host, int(port))
    line.request("POST", "/api/solve", request.read(), {"Content-Type": request.headers["content-type"]})
    return line


def test_closing_the_connection_cancels_the_solve(server: Server) -> None:
    quiet(server)
    line = begin_to_solve(server, solver="slow", grid="2x2")
    pool = server.pool
    wait_until(lambda: (pool.admitted, pool._idle.qsize()) == (1, 1), "no worker took the job")
    before = {one.process.pid for one in pool._workers}
    line.close()
    wait_until(lambda: pool.admitted == 0, "the request was not given up")
    wait_until(lambda: pool._idle.qsize() == 2, "the worker was not replaced")
    wait_until(lambda: len(pool._workers) == 2, "the old worker was not dropped")
    after = {one.process.pid for one in pool._workers}
    assert len(before & after) == 1


def test_identical_requests_at_a_time_are_one_job(server: Server) -> None:
    with ThreadPoolExecutor(6) as threads:
        with held(server):
            asked = [threads.submit(server.solve, TINY, grid="2x2", solver="nap") for _ in range(6)]
            wait_until(lambda: sum(waiting(server)) == 6, "the requests did not arrive")
            assert waiting(server) == [6]
        answers = [one.result().json() for one in asked]
    assert all(answer["placement"] == answers[0]["placement"] for answer in answers)


def test_one_of_two_identical_requests_may_leave(server: Server) -> None:
    with ThreadPoolExecutor(1) as threads:
        with held(server):
            stays = threads.submit(server.solve, TINY, grid="2x2", solver="nap", seed=77)
            wait_until(lambda: waiting(server) == [1], "the first did not arrive")
            leaves = begin_to_solve(server, grid="2x2", solver="nap", seed="77")
            wait_until(lambda: waiting(server) == [2], "the second did not join it")
            leaves.close()
            wait_until(lambda: waiting(server) == [1], "the second did not leave")
        assert stays.result().status_code == 200


def test_all_formats_but_the_safe_ones_are_refused(server: Server) -> None:
    picture = np.zeros((16, 16, 3), np.uint8)
    for kind in ("GIF", "PPM", "TGA"):
        answer = server.solve(encoded(picture, kind), grid="2x2")
        check_error(answer, 415, "PNG, JPEG")
