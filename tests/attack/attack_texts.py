"""Texts that commands read: permutation files, configs, split lists, tar shards and weights."""

from __future__ import annotations

import io
import os
import struct
import tarfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np


def permutations() -> Iterator[bytes]:
    """Permutation files for a picture called good.png."""
    row = b"good.png,2,[2, 3, 1, 0]\n"
    yield row
    yield from (b"", b"\n\n", b"name,edge,order\n", b"\0" * 99, bytes(range(256)), b"\xff\xfe" + row)
    for edge in (b"1000000000", b"0", b"-2", b"2.5", b"x", b"", b"9" * 5000, b"1001", b"True", b"1e9"):
        yield b"good.png," + edge + b",[2, 3, 1, 0]\n"
    for order in (
        b"[[2, 3, 1, 0]]", b"[2, 3, 1]", b"[0, 0, 0, 0]", b"[true, 3, 2, 0]", b"[2.0, 3, 1, 0]", b"{}", b"null", b"4",
        b'"2310"', b"[" * 100_000, b"[" * 500 + b"]" * 500, b"[2, 3, 1, 4]", b"[NaN, 1, 2, 3]", b"[1e400, 0, 1, 2]",
        b"[2, 3, 1, " + b"9" * 5000 + b"]", b"", b"[null, 0, 1, 2]", b"[[], [], [], []]", b'["0", "1", "2", "3"]',
    ):  # fmt: skip
        yield row + b"good.png,2," + order + b"\n"
    yield b"other.png,2,[2, 3, 1, 0]\n"
    yield b"\x1b[2J.png,2,[2, 3, 1, 0]\n"
    yield row * 50_000


TASK = '[task]\nkind = "hybrid"\n'


def configs() -> Iterator[str]:
    """Configs for training, none of which can be used."""
    yield from ("", "= 3", "[task", "task = 3", "[[task]]\nkind = 'hybrid'", "[task]\n", "[task]\nkind = 3")
    yield from (
        "[task]\nkind = 'magic'",
        "[task]\nkind = 'os:system'",
        "[task]\nkind = ':'",
        "[task]\nkind = 'a:'",
    )
    yield "x = " + "[" * 100_000
    yield "x = " + "{a=" * 50_000
    yield "a" + ".a" * 100_000 + " = 1"
    for value in ("nan", "-1", "inf", "2.0", "'much'", "true", "[0.1]", "{}", "1979-05-27", "9" * 4000):
        yield f"{TASK}[data]\njitter = {value}"
    for key in ("steps", "keep", "warmup_steps", "checkpoint_minutes", "seed", "log_steps", "max_minutes"):
        for value in ("-1", "nan", "'x'", str(10**30)):
            yield f"{TASK}[train]\n{key} = {value}"
    yield f"{TASK}[train]\nkeep = 0"
    yield f"{TASK}[train]\nsteps = 0"
    sets = "[data]\nsets = [{name = 'a', source = 'nowhere'}]"
    for key in ("width", "heads", "stages", "learning_rate"):
        for value in ("-1", "nan", "'x'", "[]", str(10**12)):
            yield f"{TASK}{key} = {value}\n{sets}"
    for name in ("../away", "", "a/b", "\\u001b[2J", "x" * 300, ".", "a b"):
        yield f'name = "{name}"\n{TASK}'
    for line in (
        "sets = 3", "sets = [3]", "sets = [{name = 'a'}]", "sets = [{name = 'a', source = 'nowhere'}]", "grids = []",
        "grids = ['0x0']", "grids = ['1000000x1000000']", "size = 0", "size = 100000", "piece = 1", "noise = [2, 1]",
        "corruptions = {}", "corruptions = {rain = 1.0}", "rims = {none = 1.0}", "pieces_per_step = 0",
        "min_batch = -1", "grid_weights = [-1.0]",
        "small = 2.0", "erosion = []", "root = '/dev/null'", "validation = -5", "unknown = 1",
    ):  # fmt: skip
        yield f"{TASK}[data]\n{line}"


def lists() -> Iterator[bytes]:
    """Split lists that name nothing useful."""
    yield from (
        b"",
        b"file\n",
        b"nowhere.png\n",
        b"\0\0",
        b"\xff" * 99,
        b"," * 99,
        b'"' * 99 + b"\n",
        b"a\r" * 99,
    )


def shards(picture: bytes) -> Iterator[bytes]:
    """Tar files, whole and broken."""

    def tar(*members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE, claims: int | None = None) -> bytes:
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w") as shard:
            for name, data in members:
                entry = tarfile.TarInfo(name)
                entry.size, entry.type, entry.linkname = len(data), kind, "../../etc/passwd"
                shard.addfile(entry, io.BytesIO(data))
        data = bytearray(file.getvalue())
        if claims is not None:
            data[124:136] = b"%011o\0" % claims
            data[148:156] = b" " * 8
            data[148:156] = b"%06o\0 " % sum(data[:512])
        return bytes(data)

    good = tar(("a.png", picture), ("b.png", picture))
    yield from (good, good[:700], good[: len(good) // 2], good[:1024], b"", b"\0" * 10_240, b"x" * 10_240)
    yield tar(("../../a.png", picture))
    yield tar(("/a.png", picture))
    yield tar(("\x1b[2J.png", picture))
    yield tar(("a.png", b"no picture"))
    yield tar(("a.txt", b"text"))
    yield tar(("a.png", b""), kind=tarfile.SYMTYPE)
    yield tar(("a.png", picture), claims=8**11 - 1)


def weights() -> Iterator[bytes]:
    """Files that are no weights."""
    yield from (b"", b"{}", b"\xff" * 8, struct.pack("<Q", 2**63), struct.pack("<Q", 10) + b"[" * 10)
    yield struct.pack("<Q", 2) + b"{}"
    yield struct.pack("<Q", 100_000) + b"[" * 100_000
    table = b'{"a":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}}'
    yield struct.pack("<Q", len(table)) + table
    table = b'{"__metadata__":{"kind":"hybrid","config":"[[["}}'
    yield struct.pack("<Q", len(table)) + table


def write_texts(root: Path, seed: int, picture: bytes) -> dict[str, list[Path]]:
    """All of them as files, by kind; of each kind also a pipe, an endless device and noise."""
    rng = np.random.default_rng(seed)
    kinds = {
        "csv": list(permutations()),
        "toml": [text.encode() for text in configs()],
        "txt": list(lists()),
        "tar": list(shards(picture)),
        "safetensors": list(weights()),
    }
    written = {}
    for kind, texts in kinds.items():
        folder = root / kind
        folder.mkdir(parents=True)
        for k, data in enumerate([*texts, bytes(rng.integers(0, 256, 3000, np.uint8))]):
            (folder / f"{k:03}.{kind}").write_bytes(data)
        os.mkfifo(folder / f"pipe.{kind}")
        (folder / f"zero.{kind}").symlink_to("/dev/zero")
        written[kind] = sorted(folder.iterdir())
    return written
