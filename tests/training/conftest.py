"""Pictures and a config for the tests of the training engine."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent.parent))  # for the benchmarks

CONFIG = """
name = "toy"
[task]
kind = "toy:ToyTask"
[train]
steps = 12
warmup_steps = 2
checkpoint_steps = 4
checkpoint_minutes = 0
log_steps = 1
image_steps = 6
progress_seconds = 0
cpu = true
[data]
size = 24
piece = 8
validation = 4
grids = ["2x2"]
pieces_per_step = 32
jitter = 0.1
mirror = 0.0
[[data.sets]]
name = "toy"
source = "pictures"
"""


def gradient_picture(rng: np.random.Generator, size: int = 24) -> np.ndarray:
    """Redder to the bottom and bluer to the right, with a green of its own."""
    y, x = np.mgrid[:size, :size] / size
    colours = np.stack([220 * y, np.full_like(x, 200 * rng.random()), 220 * x], 2)
    return np.clip(colours + rng.normal(0, 5, (size, size, 3)), 0, 255).astype(np.uint8)


@pytest.fixture
def toy_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with pictures/, toy.toml; GANZZLE_DATA points to it."""
    torch.set_num_threads(1)  # the tasks are tiny: more threads only wait for each other
    rng = np.random.default_rng(0)
    (tmp_path / "pictures").mkdir()
    for k in range(24):
        Image.fromarray(gradient_picture(rng)).save(tmp_path / "pictures" / f"{k:03d}.png")
    (tmp_path / "toy.toml").write_text(CONFIG)
    monkeypatch.setenv("GANZZLE_DATA", str(tmp_path))
    return tmp_path
