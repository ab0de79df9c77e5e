"""Every command that writes, killed at any moment: what is there by then is whole, and the next start goes on."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from ganzzle.puzzle import Puzzle
from ganzzle.reading.folders import write_puzzle
from ganzzle.reading.pictures import write_picture

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals of Unix"),
]

SEED = 4
KILLS = 4  # of each command, at moments drawn from how long it takes
QUICK = ("--solver", "paikin-tal")
COMMANDS = {
    "shuffle": ("shuffle", "photo.png", "--grid", "8x8", "--out", "out/pile", "--json", "out/a.json", "--force"),
    "pages": ("shuffle", "photo.png", "--grid", "4x4", "--scatter", "--cut", "jigsaw", "--out", "out/p", "--force"),
    "strips": ("shuffle", "photo.png", "--shred", "20", "--out", "out/s", "--force"),
    "solve": (
        "solve", "pile", *QUICK, "--out", "out/a.png", "--json", "out/a.json", "--trace", "out/a.gif", "--force",
    ),
    "evaluate": ("evaluate", "--images", "photos", "--grid", "4x4", *QUICK, "--out", "out", "--json", "out/a.json",
                 "--force"),
    "batch": ("batch", "piles", "--out", "out", *QUICK, "--workers", "1"),
    "prepare": ("data", "prepare", "photos", "--out", "out", "--per-shard", "2", "--size", "64"),
    "permutations": ("data", "permutations", "photos", "--grid", "60", "--out", "out/a.csv", "--force"),
    "bench": ("bench", "piles", "--images", "photos", "--kind", "clean", "--limit", "2", *QUICK, "--out", "out"),
    "demo": ("demo", *QUICK, "--sample", "balloons", "--out", "out/a.png", "--json", "out/a.json", "--force"),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, draw: Callable) -> Path:
    """A folder with a photo, several photos, a pile and several piles."""
    write_picture(tmp_path / "photo.png", draw(240, 240, 1))
    for k in range(4):
        photo = write_picture(tmp_path / "photos" / f"{k}.png", draw(120, 120, k))
        write_puzzle(tmp_path / "piles" / f"{k}", Puzzle.from_picture(photo, 4))
    write_puzzle(tmp_path / "pile", Puzzle.from_picture(tmp_path / "photo.png", 6))
    return tmp_path


def start(arguments: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "ganzzle", *arguments]
    return subprocess.Popen(command, cwd=folder, start_new_session=True, **quiet)  # type: ignore[call-overload]


def check_whole(path: Path) -> None:
    """A file that is there is whole, by what its ending says."""
    if path.suffix in (".png", ".jpg", ".gif"):
        with Image.open(path) as image:
            image.load()
    elif path.suffix == ".json":
        json.loads(path.read_text())
        if path.name == "puzzle.json":
            named = {piece["file"] for piece in json.loads(path.read_text())["pieces"]}
            assert {one.name for one in path.parent.iterdir()} >= named
    elif path.suffix == ".jsonl":
        for line in path.read_bytes().split(b"\n")[:-1]:
            json.loads(line)
    elif path.suffix in (".csv", ".tar"):
        assert path.stat().st_size > 0


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment(place: Path, name: str) -> None:
    moments = random.Random(f"{SEED} {name}")
    before = time.monotonic()
    assert start(COMMANDS[name], place).wait(300) == 0
    taken = time.monotonic() - before
    for number in [signal.SIGKILL] * (KILLS - 1) + [signal.SIGTERM]:
        shutil.rmtree(place / "out", ignore_errors=True)
        run = start(COMMANDS[name], place)
        time.sleep(moments.uniform(0.4, 1.0) * taken)
        os.killpg(run.pid, number)
        code = run.wait(60)
        for path in (place / "out").rglob("*"):
            if path.is_file() and not any(part.startswith(".") for part in path.relative_to(place).parts):
                check_whole(path)
        if number == signal.SIGTERM and code != 0:
            assert code in (143, -signal.SIGTERM)
            assert not [path for path in (place / "out").rglob(".*") if not path.name.startswith(".nfs")]
    assert start(COMMANDS[name], place).wait(300) == 0


def test_a_training_that_is_killed_goes_on(tmp_path: Path, draw: Callable) -> None:
    toys = Path(__file__).parents[1] / "training"
    for k in range(12):
        write_picture(tmp_path / "pictures" / f"{k}.png", draw(24, 24, k))
    (tmp_path / "toy.toml").write_text(
        'name = "toy"\n[task]\nkind = "toy:ToyTask"\n[train]\nsteps = 60\ncheckpoint_steps = 1\ncpu = true\n'
        'image_steps = 0\n[data]\nsize = 24\npiece = 8\ngrids = ["2x2"]\npieces_per_step = 32\n'
        f'[[data.sets]]\nname = "toy"\nsource = "{tmp_path}/pictures"\n'
    )
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(toys), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "ganzzle", "train", "toy.toml", "--out", "run", "--resume"]
    run = subprocess.Popen(command, cwd=tmp_path, env=settings, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while len(list((tmp_path / "run").glob("checkpoint-*"))) < 2:
        assert run.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)
    run.kill()
    run.wait()
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "resumed at step" in done.stderr
    assert (tmp_path / "run" / "toy.safetensors").is_file()
    assert not list((tmp_path / "run").glob(".checkpoint-*"))
