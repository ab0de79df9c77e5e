"""Kernels are compiled once a machine, or each time where nothing can be kept; the user is told."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ganzzle

PACKAGE = Path(ganzzle.__file__).parent
KERNEL = """
from ganzzle.compiling import njit


@njit(cache=True)
def double(x):
    return x * 2
"""
CALL = """
import logging; logging.basicConfig(level=logging.INFO)
from ganzzle.kernel import double
print(double(2), sum(double.stats.cache_hits.values()))
"""


@pytest.fixture
def small(tmp_path) -> Path:
    """A folder with a package of one kernel, compiled as ours are."""
    folder = tmp_path / "ganzzle"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "kernel.py").write_text(KERNEL)
    shutil.copy(PACKAGE / "compiling.py", folder)
    return tmp_path


def call(folder: Path, before: Callable[[], None] | None = None) -> tuple[str, str]:
    """What a new process prints that calls the kernel, and what it logs."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    settings |= {"PYTHONPATH": str(folder), "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}
    ran = subprocess.run(
        [sys.executable, "-c", CALL], env=settings, capture_output=True, text=True, preexec_fn=before
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip(), ran.stderr


def test_what_is_compiled_is_kept_and_the_user_told_what_is_waited_for(small):
    printed, logged = call(small)
    assert printed == "4 0"
    assert logged.count("compiling for this machine") == 1
    assert call(small) == ("4 1", "")


def test_without_a_folder_for_the_cache_it_works_and_says_so_once(small):
    (small / "ganzzle" / "__pycache__").write_text("no folder")
    for _ in range(2):
        printed, logged = call(small)
        assert printed == "4 0"
        assert logged.count("cannot be kept") == 1


def test_without_room_for_the_cache_it_works_and_says_so_once(small):
    printed, logged = call(small, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    assert printed == "4 0"
    assert logged.count("cannot be kept") == 1


def test_all_kernels_of_the_package_are_compiled_that_way():
    for path in PACKAGE.rglob("*.py"):
        if path.name != "compiling.py":
            assert not re.search(r"from numba import.*\bn?jit\b|numba\.n?jit", path.read_text()), path
