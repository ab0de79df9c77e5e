"""Training the baselines side by side: one that fails does not stop the others, and the record says how each ended."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks.side_by_side import Job, Processes, run_job, run_jobs
from benchmarks.train_baselines import Model, train_all

CHANGES = [
    "task.size.channels=4",  # which hung-perm does not have
    "train.cpu=true",
    "train.log_steps=0",
    "data.size=64",
    "data.sets=[{name='toy', source='pictures'}]",
]


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with a folder of pictures."""
    rng = np.random.default_rng(0)
    (tmp_path / "pictures").mkdir()
    for k in range(10):
        Image.fromarray(rng.integers(0, 256, (64, 64, 3), dtype=np.uint8)).save(
            tmp_path / "pictures" / f"{k}.png"
        )
    monkeypatch.setenv("GANZZLE_DATA", str(tmp_path))
    return tmp_path


def test_one_that_fails_does_not_stop_the_others(pictures: Path) -> None:
    out = pictures / "runs"
    models = [Model("hung-perm", "faces", 2), Model("po-la", "art", 2)]
    jobs = [(model, model.command(out, 0.01, CHANGES, out / "parts")) for model in models]
    train_all(jobs, out, parallel=1, limit=120)
    bad, good = json.loads((out / "baselines.json").read_text())["models"]
    assert bad["name"] == "hung-perm-faces-2"
    assert "exit status" in bad["problem"]
    assert "channels" in bad["problem"]
    assert not bad["weights"]
    weights = out / "po-la-art-2" / "po-la-art-2.safetensors"
    assert good["problem"] == ""
    assert good["weights"] == f"po-la@art@2x2={weights}"
    assert weights.read_bytes() == (out / "parts" / "po-la-art-2.safetensors").read_bytes()
    assert good["scores"].keys() == {"toy 2x2", "toy 2x2 missing:0.3", "toy 2x2 noise:0.1", "toy 2x2 erode:2"}
    assert good["steps"] > 0


def test_only_large_hung_perms_have_another_map(tmp_path: Path) -> None:
    large = "task.size.hidden=512"
    for kind, side, expected in (("hung-perm", 8, False), ("hung-perm", 10, True), ("po-la", 12, False)):
        assert (large in Model(kind, "art", side).command(tmp_path, 1, [], None)) is expected


def test_one_that_hangs_is_ended(tmp_path: Path) -> None:
    ran = run_job(Job("slow", [sys.executable, "-c", "import time; time.sleep(600)"]), tmp_path, limit=0.5)
    assert ran.problem == "stopped after 0 s"
    assert ran.seconds < 300


def test_one_without_weights_says_so(tmp_path: Path) -> None:
    ran = run_job(Job("idle", [sys.executable, "-c", ""]), tmp_path, limit=60)
    assert ran.problem == f"there is no {tmp_path / 'idle' / 'idle.safetensors'}"


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_jobs_that_end_while_all_are_stopped_are_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody leaves after the first job; the others have just ended by themselves."""
    killed = []

    def kill(process: int, _: int) -> None:
        killed.append(process)
        os.kill(process, signal.SIGKILL)
        raise ProcessLookupError

    monkeypatch.setattr(os, "killpg", kill)
    here = f"import pathlib, time; here = pathlib.Path({str(tmp_path)!r})"
    first = Job("first", python(f"{here}\nwhile len(list(here.glob('*.on'))) < 2: time.sleep(0.01)"))
    others = [Job(f"{k}", python(f"{here}; (here / '{k}.on').touch(); time.sleep(600)")) for k in range(2)]
    ran = run_jobs([first, *others], tmp_path, parallel=3, limit=500)
    assert next(ran).name == "first"
    with pytest.raises(KeyboardInterrupt):
        ran.throw(KeyboardInterrupt)
    assert len(killed) == 2


def test_nothing_starts_once_all_are_stopped(tmp_path: Path) -> None:
    processes = Processes()
    assert processes.run(python(""), limit=60) == 0
    processes.stop()
    assert processes.run(python(f"open({str(tmp_path / 'on')!r}, 'w')"), limit=60) is None
    assert not (tmp_path / "on").exists()
