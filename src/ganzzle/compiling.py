"""Numba's `njit`, whose cache also notices changes in what a kernel imports.

Numba compiles the kernels and constants that a kernel uses into it, but renews its cache only when the kernel's own
file changes: after an update, code would run that is in no file any more. Here a cached kernel also remembers the
contents of all files of its package that its file imports, directly or not.
"""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, overload
from weakref import WeakSet

import numba
from numba.core import event

from ganzzle.cores import cores

LOG = logging.getLogger("ganzzle")
Kernel = TypeVar("Kernel", bound=Callable[..., Any])
# A first kernel of these is followed by the assembler's, which a second process then compiles ahead.
BEFORE_SEARCH = ("ganzzle.wear_kernels", "ganzzle.networks.", "ganzzle.assembler.")
AHEAD = "ganzzle.assembler.ahead"
HELPER = "GANZZLE_COMPILES_AHEAD"  # set in the second process
_ours: WeakSet[Callable[..., Any]] = WeakSet()
_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+([\w.]+))", re.MULTILINE)


@overload
def njit(function: Kernel, /) -> Kernel: ...


@overload
def njit(**options: Any) -> Callable[[Kernel], Kernel]: ...


def njit(function: Kernel | None = None, /, **options: Any) -> Kernel | Callable[[Kernel], Kernel]:
    """`numba.njit`; with cache=True the cache is renewed when an imported file of the package changes, too.

    What costs time to compile: every kernel is compiled once by itself and once more in each kernel that calls it, and
    anew for every type of argument, a constant among them. A function with one caller is cheaper with inline="always",
    and loops are cheaper than numpy's sorting, masks and slice assignments (benchmarks/compiling.py).
    """

    def compiled(function: Kernel) -> Kernel:
        _ours.add(function)
        # Nobody calls kernels from C: that entrance to each need not be compiled.
        return _stamped(numba.njit(**{"no_cfunc_wrapper": True, **options})(function))

    return compiled if function is None else compiled(function)


class _Announcer(event.Listener):
    """Logs, once a process, that a kernel is being compiled, so that the user knows why it takes long."""

    said = False

    def on_start(self, started: event.Event) -> None:
        """Called when a kernel is neither in memory nor in the cache."""
        if not self.said and _is_ours(started):
            self.said = True
            LOG.info("compiling for this machine, which may take up to a minute; the next time it is there")

    def on_end(self, _: event.Event) -> None:
        """Nothing to say."""


class _Helper(event.Listener):
    """Starts, once a process, another one that compiles what will most likely be needed next, if a core is free."""

    asked = False

    def on_start(self, started: event.Event) -> None:
        """Called when a kernel is neither in memory nor in the cache."""
        if self.asked or not _is_ours(started):
            return
        if started.data["dispatcher"].py_func.__module__.startswith(BEFORE_SEARCH):
            self.asked = True
            if may_have_help() and (helper := start_helper()):
                threading.Thread(target=helper.wait, daemon=True).start()  # nobody else asks how it ended

    def on_end(self, _: event.Event) -> None:
        """It goes on until it is done, or until this process ends."""


def may_have_help() -> bool:
    """Whether there is a core for it and Python can be started here; workers of a pool have enough of it already, and
    a helper needs none itself."""
    if os.environ.get(HELPER):
        return False
    known = Path(sys.executable or "").name.lower().startswith("python")
    return known and cores() > 1 and multiprocessing.parent_process() is None


def start_helper() -> subprocess.Popen[bytes] | None:
    """`python -m AHEAD`, which begins no further step when we have ended: its standard input is a pipe from us. None if
    it cannot be started."""
    paths = [str(Path(__file__).resolve().parent.parent), os.environ.get("PYTHONPATH", "")]
    settings = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "OMP_NUM_THREADS": "1",
        HELPER: "1",
    }
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        return subprocess.Popen(
            [sys.executable, "-P", "-m", AHEAD],
            env=settings,
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
        )
    return None


class _Calm(event.Listener):
    """Lets the garbage wait while a kernel is compiled: millions of small objects would have it looked for in vain."""

    depth = 0  # of kernels that are compiled on the way of others; numba compiles in one thread at a time
    was_on = False

    def on_start(self, started: event.Event) -> None:
        """Called when a kernel is begun."""
        if not _is_ours(started):
            return
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, ended: event.Event) -> None:
        """Called when it is done, or has failed."""
        if not _is_ours(ended):
            return
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


def _is_ours(compiling: event.Event) -> bool:
    """Whether `njit` above made the kernel; what else a program compiles is not our business."""
    return compiling.data["dispatcher"].py_func in _ours


event.register("numba:compile", _Announcer())
event.register("numba:compile", _Helper())
event.register("numba:compile", _Calm())


def _stamped(kernel: Kernel) -> Kernel:
    """Add the stamp of all sources to the one that the kernel's cache is compared with."""
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if file is not None:  # it is cached, and there is code to compile (NUMBA_DISABLE_JIT)
        with suppress(OSError):  # no sources, as in a zip archive: numba's own stamp has to do
            file._source_stamp = (file._source_stamp, _stamp_of_file(kernel.__code__.co_filename))
    return kernel


@cache
def _stamp_of_file(name: str) -> str:
    return source_stamp(Path(name))


def source_stamp(path: Path) -> str:
    """A digest of a source file and of all files of its package that it imports, directly or not."""
    digest = blake2b(digest_size=16)
    for source in sorted(_imported(path.resolve())):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _imported(path: Path) -> set[Path]:
    found, waiting = {path}, [path]
    while waiting:
        new = _direct_imports(waiting.pop()) - found
        found |= new
        waiting += new
    return found


@cache
def _direct_imports(path: Path) -> frozenset[Path]:
    """The files of the same package that a file names in its import statements."""
    top = path.parent
    while (top.parent / "__init__.py").is_file():
        top = top.parent
    names = _module_names(path.read_text(encoding="utf-8"), top.name)
    return frozenset(file for name in names for file in _files_of(top.parent, name))


def _module_names(source: str, package: str) -> Iterator[str]:
    """What may be modules of a package: "a.b" and "a.b.c" of "from a.b import c"."""
    for where, what, plain in _IMPORT.findall(source):
        module = where or plain
        if module.split(".")[0] == package:
            yield module
            yield from (f"{module}.{name}" for name in re.findall(r"\w+", what))


def _files_of(root: Path, name: str) -> Iterator[Path]:
    base = root.joinpath(*name.split("."))
    for file in (base.with_name(base.name + ".py"), base / "__init__.py"):
        if file.is_file():
            yield file
