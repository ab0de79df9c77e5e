"""What the tests share: pictures drawn by code, the command, and the research data where it is there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid import Hybrid

# The tests run in several processes; more threads in each would only wait for each other. Torch reads it on import.
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))  # the plain versions that fast steps are compared with lie in `benchmarks/`


def pytest_configure() -> None:
    """Delete compiled kernels older than any source that has some: numba does not see what a kernel calls."""
    sources = [path for path in (ROOT / "src").rglob("*.py") if "@njit" in path.read_text(encoding="utf-8")]
    newest = max(path.stat().st_mtime for path in sources)
    for kept in (ROOT / "src").rglob("*.nb[ci]"):
        with suppress(FileNotFoundError):
            if kept.stat().st_mtime < newest:
                kept.unlink()


def draw_picture(height: int = 120, width: int = 120, seed: int = 0) -> np.ndarray:
    """A smooth random (height, width, 3) picture: a few waves a channel and a little grain; no two pieces are alike."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width] / max(height, width)
    waves = np.zeros((height, width, 3))
    for _ in range(6):
        fx, fy = rng.uniform(-9, 9, 2)
        waves += np.cos(2 * np.pi * (fx * x + fy * y)[..., None] + rng.uniform(0, 6.3, 3)) * rng.uniform(
            0.3, 1, 3
        )
    grain = rng.normal(0, 1, waves.shape)
    return np.clip(128 + 28 * waves + grain, 0, 255).astype(np.uint8)


@pytest.fixture
def draw() -> Callable[..., np.ndarray]:
    """The function that draws a picture: draw(height, width, seed)."""
    return draw_picture


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command `ganzzle` in this process: command("solve", folder, "--force")."""

    def run(*arguments: object) -> Ran:
        from ganzzle.cli import main

        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 0 if code is None else 1, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of the research data: GANZZLE_DATA, or shared/data beside the checkout."""
    root = Path(os.environ.get("GANZZLE_DATA", ROOT.parent / "shared" / "data"))
    if not (root / "faces").is_dir():
        pytest.skip(f"the research data is not at {root}; GANZZLE_DATA says where it is")
    return root


@pytest.fixture(scope="module")
def hybrid() -> Hybrid:
    """The default solver, on the CPU."""
    from ganzzle import load_solver

    solver = load_solver("hybrid", device="cpu")
    return cast("Hybrid", solver)
