"""The plain versions that fast steps are compared with lie in `benchmarks/`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ganzzle import load_solver
from ganzzle.solvers.hybrid import Hybrid

sys.path.append(str(Path(__file__).parent.parent.parent))


@pytest.fixture(scope="module")
def hybrid() -> Hybrid:
    solver = load_solver("hybrid", device="cpu")
    assert isinstance(solver, Hybrid)
    return solver
