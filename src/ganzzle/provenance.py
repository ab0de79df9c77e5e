"""What a result needs to be repeated: the version, the commit, the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import lru_cache
from pathlib import Path

from ganzzle import __version__

CPU_MODELS = Path("/proc/cpuinfo")


def provenance() -> dict[str, str]:
    """Version, commit (where this is a checkout) and machine, as they are when this is first asked."""
    return dict(_circumstances())


@lru_cache
def _circumstances() -> tuple[tuple[str, str], ...]:
    """Once a process: the code that runs is the one loaded now, whatever happens to the files later."""
    machine = f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return ("version", __version__), ("commit", code_commit()), ("machine", machine)


def _processor() -> str:
    """The name of the processor where the system tells it, else its kind."""
    if CPU_MODELS.is_file():
        for line in CPU_MODELS.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def code_commit() -> str:
    """The commit of this checkout, marked where the code has been changed since.

    A copy without its history, or one that git does not read, can be told by GANZZLE_COMMIT; an installed package has
    none.
    """
    root = Path(__file__).parents[2]
    commit = _git(root, "rev-parse", "--short", "HEAD") if (root / ".git").exists() else ""
    if not commit:
        return os.environ.get("GANZZLE_COMMIT", "")
    return f"{commit}-changed" if _git(root, "status", "--porcelain", "--", "src") else commit


def _git(root: Path, *words: str) -> str:
    try:
        ran = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ran.stdout.strip()
