"""Folders of pictures for the tests of the data room."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten random pictures of several sizes in two subfolders."""
    rng = np.random.default_rng(0)
    for k in range(10):
        place = tmp_path / "pictures" / ("a" if k % 2 else "b")
        place.mkdir(parents=True, exist_ok=True)
        small = rng.integers(0, 256, (5, 6, 3), dtype=np.uint8)
        Image.fromarray(small).resize((60 + k, 50), Image.Resampling.BICUBIC).save(place / f"{k:03d}.png")
    return tmp_path / "pictures"
