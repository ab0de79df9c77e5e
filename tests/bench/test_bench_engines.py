"""Items on Ray: a local one of two workers, one of which is killed in the middle."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ganzzle.bench.predicting import predict
from ganzzle.bench.predictions import Item, read_predictions
from ganzzle.bench.rows import score_row
from ganzzle.engines import Engine
from ganzzle.errors import GanzzleError, PictureError
from ganzzle.reading.pictures import write_picture

# Set before Ray is imported. A cluster asks for a token where one lies in the home folder, and whoever joins by an
# address has to say that it has one.
os.environ.setdefault("RAY_AUTH_MODE", "disabled")

HAS_RAY = importlib.util.find_spec("ray") is not None
REQUIRED = os.environ.get("GANZZLE_REQUIRE_RAY") == "1"
needs_ray = pytest.mark.skipif(
    not (HAS_RAY or REQUIRED),
    reason="ray is not installed (extra cluster); GANZZLE_REQUIRE_RAY=1 insists on it",
)


@needs_ray
def test_a_worker_of_ray_is_killed_and_the_scores_are_those_of_one_process(tmp_path, draw, random_solver):
    for k in range(3):
        write_picture(tmp_path / "images" / f"{k}.png", draw(64, 64, k))
    grids = ("2x2", "4x4", "2x3", "3x3")
    mortal = random_solver.replace("Random", "Mortal")
    items = [Item(mortal, "drawn", str(tmp_path / "images"), grid, piece=16) for grid in grids]
    counted: list[int] = []
    predict(items, tmp_path / "ray", device="cpu", engine=Engine("ray", 2), advance=counted.append)
    assert (tmp_path / "killed").exists()
    assert counted == [3] * len(items)
    predict(items, tmp_path / "one")
    assert len(list((tmp_path / "ray").iterdir())) == len(items)
    for item in items:
        ray, one = (score_row(read_predictions(tmp_path / f / item.file_name)) for f in ("ray", "one"))
        assert ray | {"ms_per_puzzle": 0, "commit": ""} == one | {"ms_per_puzzle": 0, "commit": ""}


@pytest.fixture
def cluster_address(random_solver) -> Iterator[str]:
    """A cluster of one CPU as `ray start` makes it, with the tests' solvers on its path; ended with all it started."""
    port = free_port()
    folder = tempfile.mkdtemp(prefix="ray-")  # Ray's sockets need a short path
    words = f"""start --head --block --node-ip-address 127.0.0.1 --port {port} --num-cpus 1 --include-dashboard false
        --object-store-memory 100000000 --ray-client-server-port {free_port()} --disable-usage-stats --temp-dir {folder}
        --dashboard-agent-listen-port {free_port()}"""
    ray = Path(sys.executable).with_name("ray")
    log = Path(folder) / "head.log"
    with log.open("wb") as file:
        head = subprocess.Popen([ray, *words.split()], stdout=file, stderr=file, start_new_session=True)
    try:
        deadline = time.monotonic() + 300
        while b"Ray runtime started" not in log.read_bytes():
            assert head.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        yield f"127.0.0.1:{port}"
    finally:
        head.terminate()  # with --block it takes its processes along
        with contextlib.suppress(subprocess.TimeoutExpired):
            head.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(head.pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@needs_ray
def test_a_running_cluster_is_joined_by_its_address(tmp_path, draw, random_solver, cluster_address):
    write_picture(tmp_path / "images" / "a.png", draw(64, 64))
    engine = Engine("ray", address=cluster_address)
    item = Item(random_solver, "drawn", str(tmp_path / "images"), "2x2", piece=16)
    predict([item], tmp_path / "ray", device="cpu", engine=engine)
    assert read_predictions(tmp_path / "ray" / item.file_name).names == ["a.png"]

    nowhere = Item(random_solver, "drawn", str(tmp_path / "nowhere"), "2x2")
    with pytest.raises(PictureError, match="nowhere"):
        predict([nowhere], tmp_path / "ray", device="cpu", engine=engine)


def test_without_ray_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(GanzzleError, match=r"ganzzle\[cluster\]"):
        predict([Item("gallagher", "", "", "2x2")], tmp_path, engine=Engine("ray"))


def test_wrong_engines_are_refused():
    with pytest.raises(GanzzleError, match="local, ray"):
        Engine("dask")
    with pytest.raises(GanzzleError, match="--address"):
        Engine("local", address="auto")
