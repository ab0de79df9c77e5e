"""A kernel is compiled again when what it imports has changed, and only then."""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from numba.core import caching, event
from numba.core.errors import TypingError

import ganzzle
from ganzzle import compiling
from ganzzle.compiling import njit, source_stamp

IN_A_ZIP = "import sys; sys.path.insert(0, 'packed.zip'); from small.outer import outer; print(outer(1), 0)"
SOURCES = {
    "__init__.py": "",
    "constants.py": "STEP = 1\n",
    "inner.py": """
from ganzzle.compiling import njit
from small.constants import (
    STEP,
)

@njit(cache=True)
def inner(x):
    return x + STEP
""",
    "outer.py": """
from ganzzle.compiling import njit
from small import inner

called = inner.inner

@njit(cache=True)
def outer(x):
    return called(x) * 10
""",
    "other.py": "NOTHING = 1\n",
}
RUN = "from small.outer import outer; print(outer(1), sum(outer.stats.cache_hits.values()))"


@pytest.fixture
def small(tmp_path) -> Path:
    """A package of two kernels in two files, one of which calls the other."""
    folder = tmp_path / "small"
    folder.mkdir()
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    return folder


def run(folder: Path, code: str = RUN) -> list[int]:
    """In a fresh process: what outer(1) is, and how often it came out of the cache."""
    source = str(Path(ganzzle.__file__).parent.parent)
    settings = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    settings["XDG_CACHE_HOME"] = str(folder.parent)
    settings["PYTHONPATH"] = os.pathsep.join([str(folder.parent), source])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=settings,
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(value) for value in done.stdout.split()]


def test_a_change_in_an_imported_file_is_noticed(small):
    assert run(small) == [20, 0]
    (small / "other.py").write_text("NOTHING = 2\n")
    assert run(small) == [20, 1]  # nothing the kernel uses has changed
    (small / "inner.py").write_text(SOURCES["inner.py"].replace("x + STEP", "x - STEP"))
    assert run(small) == [0, 0]
    (small / "constants.py").write_text("STEP = 3\n")
    assert run(small) == [-20, 0]
    assert run(small) == [-20, 1]


@pytest.mark.skipif(not hasattr(caching, "ZipCacheLocator"), reason="an older numba")
def test_kernels_without_source_files_still_run(small):
    with zipfile.ZipFile(small.parent / "packed.zip", "w") as packed:
        for name in SOURCES:
            packed.write(small / name, f"small/{name}")
    shutil.rmtree(small)
    assert run(small, IN_A_ZIP) == [20, 0]


def test_the_stamp_follows_imports_through_files(small):
    before = {name: source_stamp(small / name) for name in SOURCES}
    (small / "constants.py").write_text("STEP = 2\n")
    changed = {name for name in SOURCES if source_stamp(small / name) != before[name]}
    assert changed == {"constants.py", "inner.py", "outer.py"}


def test_all_kernels_of_the_package_are_compiled_that_way():
    for path in Path(ganzzle.__file__).parent.rglob("*.py"):
        if path.name != "compiling.py":
            assert not re.search(r"from numba import.*\bn?jit\b|numba\.n?jit", path.read_text()), path


def test_compiling_is_announced_once_and_never_for_what_is_cached(tmp_path):
    (tmp_path / "kernels.py").write_text(
        "from ganzzle.compiling import njit\n\n\n@njit(cache=True)\ndef double(x):\n    return x * 2\n"
    )
    script = (
        "import sys; sys.path.insert(0, '.'); from ganzzle.cli import show_log; show_log(); "
        "from kernels import double; double(1); double(1.5)"
    )
    counts = []
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        counts.append(ran.stderr.count("compiling for this machine"))
    assert counts == [1, 0]


def test_what_others_compile_is_not_announced(caplog):
    import numba

    with caplog.at_level("INFO", "ganzzle"):
        assert numba.njit(lambda x: x + 1)(1) == 2
    assert not caplog.records


@pytest.mark.parametrize("wanted", [True, False])
def test_garbage_waits_while_a_kernel_is_compiled(wanted):
    class Watcher(event.Listener):
        def __init__(self):
            self.seen = []

        def on_start(self, _):
            self.seen.append(gc.isenabled())

        def on_end(self, _):
            pass

    @njit
    def inner(x):
        return x + 1

    @njit
    def outer(x):
        return inner(x) * 2

    @njit
    def broken(x):
        return x.nothing

    watcher, was_on = Watcher(), gc.isenabled()
    event.register("numba:compile", watcher)
    try:
        (gc.enable if wanted else gc.disable)()
        assert outer(3) == 8
        assert watcher.seen == [False, False]
        assert gc.isenabled() == wanted
        with pytest.raises(TypingError):
            broken(3)
        assert gc.isenabled() == wanted
    finally:
        event.unregister("numba:compile", watcher)
        (gc.enable if was_on else gc.disable)()


def test_help_needs_a_free_core_and_a_python_to_start(monkeypatch):
    monkeypatch.setattr(compiling, "cores", lambda: 2)
    assert compiling.may_have_help()
    monkeypatch.setenv(compiling.HELPER, "1")  # a helper has no helper
    assert not compiling.may_have_help()
    monkeypatch.delenv(compiling.HELPER)
    monkeypatch.setattr(sys, "executable", "/usr/bin/some-program-with-python-inside")
    assert not compiling.may_have_help()
    monkeypatch.setattr(sys, "executable", None)
    assert not compiling.may_have_help()
    monkeypatch.undo()
    monkeypatch.setattr(compiling, "cores", lambda: 1)
    assert not compiling.may_have_help()


def test_help_that_cannot_be_started_is_done_without(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert compiling.start_helper() is None


def test_help_is_asked_for_once_before_a_search_and_not_for_others(monkeypatch):
    started = []
    monkeypatch.setattr(compiling, "may_have_help", lambda: True)
    monkeypatch.setattr(compiling, "start_helper", lambda: started.append(1))  # none that could be waited for
    helper = compiling._Helper()
    for module in ("ganzzle.seams.some", "ganzzle.wear_kernels", "ganzzle.assembler.some"):

        def double(x):
            return 2 * x

        double.__module__ = module
        # Told by hand: the process's own helper must not hear of it, which may still wait to be asked.
        helper.on_start(event.Event("numba:compile", event.EventStatus.START, {"dispatcher": njit(double)}))
        assert len(started) == (module != "ganzzle.seams.some")
