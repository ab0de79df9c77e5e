"""Hundreds of broken, strange and hostile inputs through the commands.

Whatever comes: done or one clear line with exit 2, no traceback, nothing sent to the terminal, bounded time and memory,
nothing half-written, no input changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attack_options
import numpy as np
import pytest
from attack_pages import write_pages
from attack_pictures import encoded, write_pictures
from attack_piles import tiles, write_piles, write_truths
from attack_texts import write_texts

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks and limits of Unix")

HERE = Path(__file__).parent
SEED = 20
SECONDS = 20.0  # that a command may take,
MEMORY = 1 << 30  # and bytes beyond what is there when it begins
GIVEN = ("--time-limit", "10")  # where a pile may be solvable, and large
QUICK = ("--solver", "paikin-tal", *GIVEN)
FEWEST = 300  # inputs


class Runner:
    """Runs commands in forks of one process, and looks at what they leave behind."""

    def __init__(self, root: Path) -> None:
        self.root, self.count = root, 0
        settings = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "GANZZLE_DATA": str(root / "data"),
            "COLUMNS": "100",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "attack_runner.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def run(self, arguments: Sequence[str], folder: Path) -> tuple[dict[str, Any], list[str]]:
        """What a command said, and the names it has written into the folder that {out} stands for."""
        self.count += 1
        out = self.root / "out" / str(self.count)
        out.mkdir(parents=True)
        filled = [argument.replace("{out}", str(out)) for argument in arguments]
        order = {"arguments": filled, "folder": str(folder), "seconds": SECONDS, "bytes": MEMORY}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer, sorted(str(path.relative_to(out)) for path in out.rglob("*"))

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


@dataclass(frozen=True)
class Corpus:
    """All inputs, by kind."""

    root: Path
    pictures: list[Path]
    piles: list[Path]
    truths: list[Path]
    pages: list[Path]
    texts: dict[str, list[Path]]
    place: Path

    def __len__(self) -> int:
        return sum(map(len, (self.pictures, self.piles, self.truths, self.pages, *self.texts.values())))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Made by a seed."""
    root = tmp_path_factory.mktemp("corpus")
    rng = np.random.default_rng(SEED)
    picture = rng.integers(0, 256, (8, 8, 3), np.uint8).repeat(12, 0).repeat(12, 1)
    good = encoded(picture, "PNG")
    return Corpus(
        root,
        write_pictures(root / "pictures", SEED, picture),
        write_piles(root / "piles", SEED),
        write_truths(root / "truths", SEED),
        write_pages(root / "pages", SEED),
        write_texts(root / "texts", SEED, good),
        attack_options.write_place(root / "place", good, tiles(rng, 4)),
    )


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """The process that runs the commands."""
    one = Runner(tmp_path_factory.mktemp("runs"))
    yield one
    one.close()


def state(folder: Path) -> dict[str, tuple[int, ...]]:
    """Every name below a folder with what would change if it were written to."""
    found = {}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(above, name)
            stat = os.lstat(path)
            found[path] = (stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ino)
    return found


def complaints(answer: dict[str, Any], written: Sequence[str], allowed: Sequence[int]) -> list[str]:
    """What is wrong with the way a command ended."""
    lines = answer["err"].splitlines()
    wrong = []
    if answer["code"] not in allowed:
        wrong.append(f"exit {answer['code']}")
    if answer["code"] == 2 and len(lines) != 1:
        wrong.append(f"{len(lines)} lines")
    if "Traceback" in answer["err"] or "mistake of the program" in answer["err"]:
        wrong.append("a traceback")
    if not all(line.startswith("ganzzle: ") for line in lines):
        wrong.append("a line that is not ours")
    if any(not letter.isprintable() for letter in (answer["err"] + answer["out"]).replace("\n", "")):
        wrong.append("letters for the terminal")
    if answer["code"] == 2 and written:
        wrong.append(f"left {written}")
    if any(Path(name).name.startswith(".") for name in written):
        wrong.append(f"half-written {written}")
    if answer["seconds"] > SECONDS:
        wrong.append(f"{answer['seconds']:.0f} s")
    return wrong


@pytest.fixture
def attack(runner: Runner, corpus: Corpus) -> Callable[..., None]:
    """Run commands in a folder of the corpus, and say all that is wrong with how they ended."""

    def run(commands: Sequence[Sequence[str]], folder: Path, allowed: Sequence[int] = (0, 2)) -> None:
        wrong = []
        before = state(corpus.root)
        for arguments in commands:
            answer, written = runner.run(arguments, folder)
            found = complaints(answer, written, allowed)
            after = state(corpus.root)
            if before != after:
                changed = {k for k in {*before, *after} if before.get(k) != after.get(k)}
                found.append(f"changed {changed}")
                before = after
            if found:
                shown = " ".join(a if len(a) < 60 else a[:60] + "..." for a in arguments)
                wrong.append(f"{shown!a}: {'; '.join(found)}: {answer['err'][-400:]!a}")
        assert not wrong, "\n" + "\n".join(wrong)

    return run


def test_there_are_enough(corpus):
    assert len(corpus) >= FEWEST


def test_pictures_to_be_solved(attack, corpus):
    attack(
        [("solve", path.name, "--grid", "3x3", "--out", "{out}/a.png", *QUICK) for path in corpus.pictures],
        corpus.root / "pictures",
    )


def test_pictures_whose_grid_is_to_be_found(attack, corpus):
    some = [path for k, path in enumerate(corpus.pictures) if k % 3 == 0]
    attack(
        [("solve", path.name, "--json", "-", *QUICK) for path in some],
        corpus.root / "pictures",
    )


def test_pictures_to_be_cut(attack, corpus):
    attack(
        [("shuffle", path.name, "--grid", "2x2", "--out", "{out}/p") for path in corpus.pictures],
        corpus.root / "pictures",
    )


def test_pictures_to_be_measured_on(attack, corpus):
    some = [path for k, path in enumerate(corpus.pictures) if k % 3 == 1]
    quick = ("--grid", "2x2", "--solver", "paikin-tal", "--piece", "8", "--json", "{out}/a.json")
    attack([("evaluate", "--images", path.name, *quick) for path in some], corpus.root / "pictures")


def test_piles(attack, corpus):
    commands = [("solve", str(path), "--out", "{out}/a.png", *QUICK) for path in corpus.piles]
    commands += [
        ("solve", str(path), "--grid", "3x3", "--json", "-", "--solver", "hybrid", *GIVEN)
        for path in corpus.piles
    ]
    attack(commands, corpus.root)


def test_pages(attack, corpus):
    names = [path.name for path in corpus.pages]
    commands = [("solve", name, "--out", "{out}/a.png", "--guide", "{out}/g.png", *GIVEN) for name in names]
    commands += [
        ("solve", one, other, "--json", "-", *GIVEN) for one, other in zip(names, names[3:], strict=False)
    ]
    attack(commands, corpus.root / "pages")


def test_lids(attack, corpus):
    lids = [path for k, path in enumerate([*corpus.pictures, *corpus.pages]) if k % 4 == 0]
    attack(
        [
            ("solve", "place/pile", "--reference", str(path), "--json", "-", "--solver", "hybrid", *GIVEN)
            for path in lids
        ],
        corpus.root,
    )


def test_truths(attack, corpus):
    commands = [("solve", path.name, "--json", "-", *QUICK) for path in corpus.truths]
    commands += [
        ("shuffle", "../place/good.png", "--grid", "2x2", "--out", path.name) for path in corpus.truths
    ]
    attack(commands, corpus.root / "truths")


def test_permutation_files(attack, corpus):
    quick = ("--grid", "2x2", "--solver", "paikin-tal", "--piece", "8")
    attack(
        [
            ("evaluate", "--images", "good.png", "--permutations", str(path), *quick)
            for path in corpus.texts["csv"]
        ],
        corpus.place,
    )


def test_configs(attack, corpus):
    attack([("train", str(path), "--out", "{out}/run") for path in corpus.texts["toml"]], corpus.place, (2,))


def test_lists_shards_and_weights(attack, corpus):
    texts = corpus.texts
    commands = [
        ("data", "prepare", "pile", "--test-list", str(path), "--out", "{out}/s") for path in texts["txt"]
    ]
    commands += [("data", "permutations", str(path), "--out", "{out}/a.csv") for path in texts["tar"]]
    commands += [
        ("evaluate", "--images", str(path), "--grid", "2x2", "--solver", "paikin-tal")
        for path in texts["tar"]
    ]
    commands += [
        ("solve", "pile", "--solver", "hybrid", "--weights", str(path), "--json", "-")
        for path in texts["safetensors"]
    ]
    commands += [("data", "card", str(path), "--out", "{out}/a.md") for path in texts["safetensors"]]
    attack(commands, corpus.place)


def test_what_is_read_is_never_written(attack, corpus):
    attack(list(attack_options.overwriting()), corpus.place, (2,))


def test_what_cannot_be_meant(attack, corpus):
    attack(list(attack_options.refused()), corpus.place, (2,))


def test_folders_of_piles(attack, corpus):
    quick = ("--workers", "1", "--solver", "paikin-tal", "--time-limit", "2", "--no-pictures")
    attack(
        [
            ("batch", name, "--out", "{out}/b", *quick)
            for name in ("piles", "truths", "place", "texts", "nowhere")
        ],
        corpus.root,
    )


def test_odd_options(attack, corpus):
    attack(list(attack_options.either()), corpus.place)
