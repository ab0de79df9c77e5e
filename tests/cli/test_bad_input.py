"""Bad input: one clear line that names the file and says what to do, exit 2, nothing half-written."""

from __future__ import annotations

import re
import struct
import zlib

import pytest

from ganzzle.reading.pictures import write_picture


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, draw):
    """A folder with good and bad things in it."""
    monkeypatch.chdir(tmp_path)
    write_picture("good.png", draw(80, 80))
    write_picture("photo.jpg", draw(80, 80))
    (tmp_path / "text.png").write_text("I am not a picture")
    (tmp_path / "empty.png").touch()
    data = (tmp_path / "photo.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(data[: len(data) // 2])
    (tmp_path / "bomb.png").write_bytes(bomb(60_000))
    (tmp_path / "nothing").mkdir()
    for k in range(7):
        write_picture(f"seven/{k}.png", draw(20, 20, k))
        write_picture(f"mixed/{k}.png", draw(20, 20 + k // 6 * 5, k))
        write_picture(f"spoiled/{k}.png", draw(20, 20, k))
    (tmp_path / "spoiled" / "3.png").write_text("not a piece")
    write_picture("tiny.png", draw(3, 3))
    write_picture("taken.png", draw(4, 4))
    (tmp_path / "file").write_text("")
    return tmp_path


def bomb(side: int) -> bytes:
    """A PNG of a few bytes that says it is side x side px."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 999))
        + chunk(b"IEND", b"")
    )


PICTURES = {
    "text.png": "not a picture this program can read; give a PNG",
    "empty.png": "not a picture this program can read; give a PNG",
    "cut.jpg": "damaged or cut short",
    "bomb.png": "scale it down first",
    "gone.png": "does not exist",
}
LONG = "x" * 300
CASES = [
    (["shuffle", "good.png", "--grid", "2x2", "--out", f"{LONG}.png"], LONG, "too long"),
    (["shuffle", "good.png", "--grid", "2x2", "--out", LONG], LONG, "too long"),
    (["solve", "good.png", "--grid", "2x2", "--out", f"{LONG}.png"], LONG, "too long"),
    (["evaluate", "--images", "good.png", "--grid", "2x2", "--json", LONG], LONG, "too long"),
    *((["shuffle", name, "--grid", "2x2", "--out", "out"], name, says) for name, says in PICTURES.items()),
    *((["solve", name, "--grid", "2x2", "--out", "out.png"], name, says) for name, says in PICTURES.items()),
    *(
        (["evaluate", "--images", n, "--grid", "2x2", "--json", "out.json"], n, says)
        for n, says in PICTURES.items()
    ),
    (["solve", "nothing", "--out", "out.png"], "nothing", "holds no pictures"),
    (["solve", "nowhere/", "--out", "out.png"], "nowhere", "does not exist"),
    (["evaluate", "--images", "nothing", "--grid", "2x2"], "nothing", "holds no pictures"),
    (["evaluate", "--images", "no*where", "--grid", "2x2"], "no*where", "nothing matches"),
    (["solve", "mixed", "--out", "out.png"], "6.png", "all pieces must have the same size"),
    (["solve", "spoiled", "--out", "out.png"], "3.png", "not a picture this program can read"),
    (["solve", "seven", "--out", "out.png"], "seven", "fit no grid but a single row; say the grid 1x7"),
    (["solve", "seven", "--grid", "2x3", "--out", "out.png"], "2x3", "give a larger grid"),
    (["solve", "seven", "--grid", "3x3", "--out", "out.png"], "seven", "add --missing"),
    (["solve", "seven", "--missing", "--out", "out.png"], "--missing", "needs --grid"),
    (
        ["solve", "good.png", "--puzzles", "2", "--grid", "2x2", "--out", "out.png"],
        "good.png",
        "folder of pieces",
    ),
    (["solve", "seven", "--puzzles", "2", "--grid", "2x2", "--out", "out.png"], "seven", "add --missing"),
    (["solve", "seven", "--puzzles", "2", "--grid", "1x2", "--out", "out.png"], "1x2", "give a larger grid"),
    (
        ["solve", "seven", "--puzzles", "7", "--grid", "1x1", "--out", "out.png", "--solver", "gallagher"],
        "gallagher",
        "paikin-tal",
    ),
    (["solve", "tiny.png", "--grid", "4x4", "--out", "out.png"], "tiny.png", "too small"),
    (["solve", "good.png", "--out", "out.png"], "good.png", "--grid RxC"),
    (["solve", "good.png", "--grid", "2by2", "--out", "out.png"], "2by2", "for example 8x8"),
    (["solve", "good.png", "--grid", "0x2", "--out", "out.png"], "0x2", "at least 1x1"),
    (["shuffle", "tiny.png", "--grid", "8x8", "--out", "out"], "tiny.png", "use fewer pieces"),
    (
        ["evaluate", "--images", "tiny.png", "--grid", "2x2", "--native", "--solver", "paikin-tal"],
        "tiny.png",
        "too small",
    ),
    (
        ["shuffle", "good.png", "--grid", "2x2", "--corrupt", "blur:3", "--out", "out"],
        "blur:3",
        "write missing:0.1",
    ),
    (
        ["shuffle", "good.png", "--grid", "2x2", "--corrupt", "noise:0.1,erode:1", "--out", "out"],
        "noise:0.1,erode:1",
        "joined by +",
    ),
    (
        ["shuffle", "good.png", "--grid", "2x2", "--corrupt", "missing:0.3", "--out", "out.png"],
        "missing",
        "folder",
    ),
    (["shuffle", "good.png", "--grid", "2x2", "--out", "file"], "file", "give a folder"),
    (["shuffle", "good.png", "--grid", "2x2", "--out", "out.gif"], "out.gif", "ends in one of .png"),
    (["shuffle", "good.png", "--grid", "2x2", "--out", "o.png", "--json", "o.png"], "o.png", "of its own"),
    (["shuffle", "good.png", "--grid", "2x2", "--out", "out", "--json", "out"], "out", "of its own"),
    (["solve", "seven", "--grid", "1x7", "--out", "o.png", "--json", "./o.png"], "o.png", "of its own"),
    (["shuffle", "good.png", "--grid", "2x2", "--out", "seven"], "seven", "choose another folder"),
    (["shuffle", "good.png", "--grid", "2x2", "--out", "seven", "--force"], "seven", "choose another folder"),
    (["shuffle", "good.png", "--grid", "2x2", "--out", "taken.png"], "taken.png", "--force"),
    (
        ["shuffle", "good.png", "--grid", "2x2", "--out", "./good.png", "--force"],
        "good.png",
        "the input itself",
    ),
    (["solve", "good.png", "--grid", "2x2", "--out", "good.png", "--force"], "good.png", "the input itself"),
    (["data", "prepare", "no/where", "--out", "out"], "no/where", "check the path"),
    (
        ["shuffle", "good.png", "--grid", "2x2", "--out", "file/out"],
        "file/out",
        "is no folder one can write to",
    ),
    (["solve", "good.png", "--grid", "2x2", "--out", "taken.png"], "taken.png", "--force"),
    (
        ["solve", "good.png", "--grid", "2x2", "--out", "out.png", "--json", "taken.png"],
        "taken.png",
        "--force",
    ),
    (["solve", "good.png", "--grid", "2x2", "--out", "nothing"], "nothing", "is a folder"),
    (["solve", "good.png", "--grid", "2x2", "--out", "file/out.png"], "file/out.png", "cannot be written"),
    (
        ["solve", "good.png", "--grid", "2x2", "--out", "/proc/out.png", "--solver", "paikin-tal"],
        "/proc/out.png",
        "cannot be written",
    ),
    (["solve", "good.png", "--grid", "2x2", "--out", "out.xyz"], "out.xyz", "ends in one of"),
    (["solve", "good.png", "--grid", "2x2", "--out", "out.png", "--fill", "white"], "white", "fill is"),
    (
        ["solve", "good.png", "--grid", "2x2", "--out", "out.png", "--solver", "nobody"],
        "nobody",
        "there are:",
    ),
    (["evaluate", "--images", "good.png", "--grid", "2x2", "--json", "taken.png"], "taken.png", "--force"),
    (["evaluate", "--images", "good.png", "--grid", "2x2", "--solver", "nobody"], "nobody", "there are:"),
    (["demo", "--sample", "seascape"], "seascape", "landscape"),
    (["demo", "--out", "file/demo.png"], "file/demo.png", "cannot be written"),
]


@pytest.mark.parametrize(
    ("arguments", "names", "says"), CASES, ids=lambda v: " ".join(v) if isinstance(v, list) else ""
)
def test_bad_input(command, here, arguments, names, says):
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    ran = command(*arguments)
    assert ran.code == 2
    assert ran.err.startswith("ganzzle: ")
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1
    assert names in ran.err
    assert says in ran.err
    assert not re.search(r"(\S+) cannot be (read|written): \1 ", ran.err), "one error is told inside another"
    assert ran.out == ""
    after = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    assert after == before


def test_force_overwrites(command, here):
    before = (here / "taken.png").read_bytes()
    ran = command("shuffle", "good.png", "--grid", "2x2", "--out", "taken.png", "--force")
    assert ran.code == 0
    assert (here / "taken.png").read_bytes() != before
