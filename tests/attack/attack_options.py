"""Command lines: options that mean nothing, outputs that cannot be, and outputs that are inputs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

GRIDS = (
    "", "0x0", "-1x4", "x", "4", "4x", "x4", "4x4x4", "1e9x1", "99999999999999999999x1", "1000000x1000000", "2.5x2",
    "\u0664x\u0664", "4 x 4", "\x1b[31m", "nan", "4X4", "4\u00d74", "1000x1000",
)  # fmt: skip
WEAR = (
    "", "rain", "noise", "noise:", "noise:nan", "noise:-1", "noise:1e999", "erode:99999", "erode:-1", "missing:1",
    "missing:2", "missing:nan", "+", "none+none", "noise:0.1+", ":" * 999, "erode:1.5", "uneven:inf", "\x1b[2J:1",
)  # fmt: skip
SOLVERS = (
    "magic",
    "os:system",
    ":",
    "json:loads",
    "no.such:Class",
    "os:",
    "../x:y",
    "\x1b[2J",
    "ganzzle.grid:Grid",
)
PLACES = (
    "/dev/full", "/dev/null", "/proc/none/x.png", "x" * 300 + ".png", "/", ".",
    "no ending", "x.gif", "x.svg",
    "a\x1b[2J/b.png", "good.png/x.png", "\udcff.png", "x.png/", "nul\0.png",
)  # fmt: skip


def write_place(root: Path, picture: bytes, pieces: list[bytes]) -> Path:
    """A good picture, a good pile, and other names of their files."""
    root.mkdir()
    (root / "good.png").write_bytes(picture)
    (root / "pile").mkdir()
    for k, data in enumerate(pieces, 1):
        (root / "pile" / f"piece-{k:03}.png").write_bytes(data)
    (root / "pile" / "puzzle.json").write_text("{}")
    (root / "link.png").symlink_to("good.png")
    os.link(root / "good.png", root / "hard.png")
    (root / "way").symlink_to("pile")
    os.link(root / "pile" / "puzzle.json", root / "truth.json")
    return root


def overwriting() -> Iterator[tuple[str, ...]]:
    """Commands whose output is an input by some name; all of them are to be refused."""
    quick = ("--solver", "paikin-tal", "--force")
    names = ("good.png", "./good.png", "link.png", "hard.png", "pile/../good.png")
    for name in names:
        yield ("solve", "good.png", "--grid", "2x2", "--out", name, *quick)
        yield ("shuffle", "good.png", "--grid", "2x2", "--out", name, "--force")
        yield ("shuffle", "good.png", "--grid", "2x2", "--out", "{out}/p", "--json", name, "--force")
        yield ("evaluate", "--images", "good.png", "--grid", "2x2", "--json", name, "--force")
        yield ("data", "permutations", "good.png", "--out", name, "--force")
    for name in ("pile/piece-001.png", "way/piece-002.png", "./pile//piece-003.png"):
        yield ("solve", "pile", "--out", name, *quick)
        yield ("solve", "way", "--out", "{out}/a.png", "--guide", name, *quick)
        yield ("evaluate", "--images", "pile", "--grid", "2x2", "--json", name, "--force")
        yield ("shuffle", name, "--grid", "2x2", "--out", "pile", "--force")
        yield ("shuffle", name, "--grid", "2x2", "--out", "way", "--scatter", "--cut", "jigsaw", "--force")
    yield ("solve", "pile", "--reference", "good.png", "--out", "hard.png", *quick)
    yield ("shuffle", "pile/piece-001.png", "--shred", "3", "--out", "way", "--force")
    for name in ("pile/puzzle.json", "way/puzzle.json", "truth.json"):
        yield ("solve", "pile", "--json", name, *quick)
        yield ("solve", "way", "--out", "{out}/a.png", "--json", name, *quick)


def refused() -> Iterator[tuple[str, ...]]:
    """Other commands that cannot be done."""
    yield from (
        ("solve",),
        ("nothing",),
        ("--\x1b[2J",),
        ("solve", "good.png", "--\x1b[2J"),
        ("solve", "\x1b[2J"),
    )
    for count in ("0", "-1", "101", "1000000000000000000", "9" * 400, "nan", "two"):
        yield ("solve", "pile", "--puzzles", count, "--out", "{out}/a.png")
    for seconds in ("0", "-1", "nan", "x"):
        yield ("solve", "pile", "--time-limit", seconds, "--out", "{out}/a.png")
    yield ("solve", "good.png", "--megapixels", "0", "--out", "{out}/a.png")
    yield ("solve", "pile", "--seed", "-1", "--out", "{out}/a.png")
    yield ("solve", "pile", "--fill", "\x1b[2J", "--out", "{out}/a.png")
    yield ("solve", "pile", "--device", "abacus", "--out", "{out}/a.png")
    yield ("solve", "pile", "pile", "--out", "{out}/a.png")
    yield ("solve", "pile", "--puzzles", "2", "--reference", "good.png", "--out", "{out}/a.png")
    yield ("solve", "pile", "--reference", "nowhere\x1b[2J", "--out", "{out}/a.png")
    for strips in ("0", "-1", "1000000000"):
        yield ("shuffle", "good.png", "--shred", strips, "--out", "{out}/p")
    yield ("batch", "good.png", "--out", "{out}/b")
    yield ("batch", "pile", "--out", "pile")
    yield ("evaluate", "--images", "good.png", "--grid", "2x2", "--out", "good.png")
    yield ("evaluate", "--images", "good.png", "--grid", "2x2", "--address", "x:1")
    yield ("solve", "pile", "--out", "{out}/a.png", "--json", "{out}/a.png")
    yield ("solve", "pile", "--out", "{out}/a.png", "--trace", "{out}/a.png")
    yield ("solve", "pile", "--puzzles", "2", "--out", "{out}/a.png", "--guide", "{out}/a.png")
    for weights in ("good.png", "pile", "nowhere", "\x1b[2J", "/dev/zero"):
        yield ("solve", "pile", "--weights", weights, "--solver", "hybrid", "--out", "{out}/a.png")
    for grid in ("2147483647", "0", "-1", "1001"):
        yield ("data", "permutations", "good.png", "--grid", grid, "--out", "{out}/a.csv")
    for workers in ("0", "-1", "nan"):
        yield ("evaluate", "--images", "good.png", "--grid", "2x2", "--workers", workers)
    for port in ("-1", "65536", "x"):
        yield ("serve", "--port", port)
    yield ("serve", "--host", "\x1b[2J")
    yield ("serve", "--workers", "1000")
    yield ("serve", "--device", "abacus")
    yield ("shuffle", "good.png", "--grid", "1000x1000", "--piece", "1000000", "--out", "{out}/p")
    yield ("shuffle", "good.png", "--grid", "2x2", "--scatter", "--out", "{out}/p")
    yield ("shuffle", "good.png", "--grid", "2x2", "--cut", "jigsaw", "--out", "{out}/p.png")
    yield ("shuffle", "good.png", "--grid", "2x2", "--cut", "\x1b[2J", "--out", "{out}/p")
    yield ("data", "join", "good.png")
    yield ("data", "card", "good.png", "--force")
    yield ("demo", "--sample", "\x1b[2J", "--out", "{out}/a.png")
    yield ("bench", "paper", "--images", "nowhere", "--out", "{out}/b")
    yield ("bench", "piles", "--kind", "rain", "--out", "{out}/b")


def either() -> Iterator[tuple[str, ...]]:
    """Commands that may be done or refused."""
    for grid in GRIDS:
        yield ("solve", "good.png", "--grid", grid, "--solver", "paikin-tal", "--out", "{out}/a.png")
        yield ("shuffle", "good.png", "--grid", grid, "--out", "{out}/p")
    for wear in WEAR:
        yield ("shuffle", "good.png", "--grid", "3x3", "--corrupt", wear, "--out", "{out}/p")
        yield (
            "evaluate",
            "--images",
            "good.png",
            "--grid",
            "2x2",
            "--corrupt",
            wear,
            "--solver",
            "paikin-tal",
        )
    for solver in SOLVERS:
        yield ("solve", "pile", "--solver", solver, "--out", "{out}/a.png")
    for name in PLACES:
        place = name if name.startswith(("/", "good.png")) else "{out}/" + name
        yield ("solve", "pile", "--solver", "paikin-tal", "--out", place)
        yield ("solve", "pile", "--solver", "paikin-tal", "--out", "{out}/a.png", "--trace", place)
