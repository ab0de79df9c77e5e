"""What is compiled ahead is what the search needs, and nobody is left behind compiling."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ganzzle
from ganzzle import compiling

SEARCH = """
import numpy as np
from numba.core import event
from ganzzle.assembler import assemble_pieces
from ganzzle.grid import Grid

class Names(event.Listener):
    def on_start(self, what):
        function = what.data["dispatcher"].py_func
        if function.__module__.startswith("ganzzle."):
            print(function.__name__)
    def on_end(self, _):
        pass

event.register("numba:compile", Names())
right, down, slots = np.random.default_rng(0).normal(0, 3, (3, 16, 16)).astype(np.float32)
assemble_pieces(right, down, Grid(4, 4), slots=slots, rounds=2)
print("done")
"""


def settings(cache: Path) -> dict[str, str]:
    source = str(Path(ganzzle.__file__).parent.parent)
    return {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": source}


@pytest.mark.slow
def test_the_search_finds_all_it_needs(tmp_path):
    ahead = [sys.executable, "-m", compiling.AHEAD]
    with subprocess.Popen(ahead, env=settings(tmp_path), stdin=subprocess.PIPE) as helper:
        assert helper.wait(timeout=900) == 0  # standard input stays open until it is done
    ran = subprocess.run(
        [sys.executable, "-c", SEARCH], env=settings(tmp_path), capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["done"]


def test_it_ends_with_who_waits_for_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    helper = compiling.start_helper()
    assert helper is not None
    assert helper.stdin is not None
    helper.stdin.close()
    assert helper.wait(timeout=300) == 0
    compiled = {path.name.split(".")[1].split("-")[0] for path in tmp_path.rglob("*.nbi")}
    assert not compiled & {"merge", "make_edges", "slot_board", "seam_table"}  # it was at an early step
