"""Folders that are no piles, strange piles, and all that a puzzle.json may hold."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from attack_pictures import encoded

NAMES = (
    b"clear\x1b[2J.png", b"line\nbreak.png", b"bell\x07.png", b"not-\xff-utf8.png", b" space .png", b"-o.png",
    b"--force.png", "right\u202eleft.png".encode(), "\u00e4\u00f6\u65e5\u672c.png".encode(), b"x" * 250 + b".png",
    b"%s%n.png", b"'; rm -rf x.png", b"*.png", b"[a].png", b"\\.png",
)  # fmt: skip


def tiles(rng: np.random.Generator, count: int, height: int = 12, width: int = 12) -> list[bytes]:
    """Pieces of noise, each as a file."""
    return [encoded(rng.integers(0, 256, (height, width, 3), np.uint8), "PNG") for _ in range(count)]


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    """A folder of some files."""
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def write_piles(root: Path, seed: int) -> list[Path]:
    """Folders of all kinds."""
    rng = np.random.default_rng(seed)
    root.mkdir()

    def numbered(data: list[bytes]) -> dict[str, bytes]:
        return {f"{k:05}.png": one for k, one in enumerate(data)}

    same = tiles(rng, 1)
    black = encoded(np.zeros((12, 12, 3), np.uint8), "PNG")
    fill(root / "empty", {})
    fill(root / "hidden", {".a.png": same[0]})
    fill(root / "texts", {"a.txt": b"a", "b.png": b"b"})
    fill(root / "one", numbered(tiles(rng, 1)))
    fill(root / "two", numbered(tiles(rng, 2)))
    fill(root / "prime", numbered(tiles(rng, 13)))
    fill(root / "equal", numbered(same * 9))
    fill(root / "black", numbered([black] * 16))
    fill(root / "dots", numbered(tiles(rng, 16, 1, 1)))
    fill(root / "many-dots", numbered(tiles(rng, 1000, 1, 1)))
    fill(root / "threads", numbered(tiles(rng, 9, 1, 40)))
    fill(root / "small", numbered(tiles(rng, 16, 2, 2)))
    fill(root / "sizes", numbered([tile for k in range(9) for tile in tiles(rng, 1, 8 + k, 12)]))
    fill(root / "spoilt", numbered([*tiles(rng, 8), b"no picture"]))
    fill(root / "names", numbered(tiles(rng, 3)))
    for name in NAMES:
        try:
            (root / "names" / os.fsdecode(name)).write_bytes(tiles(rng, 1)[0])
        except (OSError, ValueError):
            continue  # this system does not allow it
    odd = fill(root / "odd", numbered(tiles(rng, 9)))
    os.mkfifo(odd / "pipe.png")
    (odd / "zero.png").symlink_to("/dev/zero")
    (odd / "gone.png").symlink_to("nowhere")
    (odd / "folder.png").mkdir()
    (odd / "again.png").symlink_to(odd / "00000.png")
    with socket.socket(socket.AF_UNIX) as end:
        here = Path.cwd()
        os.chdir(odd)  # the name of a socket is short
        end.bind("socket.png")
        os.chdir(here)
    escape = fill(root / os.fsdecode(b"\x1b]0;title\x07pile"), numbered(tiles(rng, 4)))
    linked = root / "linked"
    linked.symlink_to(escape)
    (root / "round").mkdir()
    (root / "round" / "round").symlink_to(root / "round")
    return sorted(root.iterdir())


def truths() -> Iterator[tuple[str, bytes]]:
    """What a puzzle.json beside 2x2 pieces may hold."""
    pieces = [{"file": f"{k:05}.png", "slot": k, "turns": 0} for k in range(4)]
    good: dict[str, Any] = {"grid": [2, 2], "piece_size": [12, 12], "pieces": pieces}
    yield "good", json.dumps(good).encode()
    values: list[Any] = [
        None,
        True,
        0,
        -1,
        1.5,
        "",
        "x",
        "2x2",
        [],
        {},
        [[]],
        10**30,
        [2],
        [2, 2, 2],
        [-2, -2],
    ]
    values += [[10**9, 10**9], "9" * 5000, [float("nan"), 2], {"rows": 2}, ["2", "2"]]
    for k, value in enumerate(values):
        yield f"grid-{k}", json.dumps(good | {"grid": value}).encode()
        yield f"pieces-{k}", json.dumps(good | {"pieces": value}).encode()
    for key in ("file", "slot", "turns", "twin", "period"):
        for k, value in enumerate([None, True, -1, 1.5, "x", [], 10**30, 4]):
            changed = [{**piece, key: value} if i == 1 else piece for i, piece in enumerate(pieces)]
            yield f"{key}-{k}", json.dumps(good | {"pieces": changed}).encode()
    yield "twice", json.dumps(good | {"pieces": [pieces[0]] * 4}).encode()
    yield "away", json.dumps(good | {"pieces": [{**p, "file": "../../x.png"} for p in pieces]}).encode()
    yield "deep", b"[" * 200_000
    yield "deep-object", b'{"grid":' * 100_000
    yield "deep-piece", b'{"grid": [2, 2], "pieces": ' + b"[" * 900 + b"]" * 900 + b"}"
    yield "cut", json.dumps(good).encode()[:-9]
    yield "empty", b""
    yield "bytes", bytes(range(256)) * 9
    yield "mark", b"\xef\xbb\xbf" + json.dumps(good).encode()
    yield "wide", json.dumps(good).encode("utf-16")
    yield "number", b"1" * 10_000
    yield "surrogate", b'{"grid": [2, 2], "pieces": [{"file": "\\ud800"}]}'


def write_truths(root: Path, seed: int) -> list[Path]:
    """A pile of four pieces for each of them, and for those that are no files."""
    rng = np.random.default_rng(seed)
    data = {f"{k:05}.png": one for k, one in enumerate(tiles(rng, 4))}
    for name, text in truths():
        fill(root / name, {**data, "puzzle.json": text})
    os.mkfifo(fill(root / "pipe", data) / "puzzle.json")
    (fill(root / "zero", data) / "puzzle.json").symlink_to("/dev/zero")
    (fill(root / "folder", data) / "puzzle.json").mkdir()
    (fill(root / "loop", data) / "puzzle.json").symlink_to("puzzle.json")
    with open(fill(root / "sparse", data) / "puzzle.json", "wb") as file:
        file.truncate(1 << 40)
    return sorted(root.iterdir())
