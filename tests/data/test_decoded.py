"""Decoded pictures kept in a cache are the ones decoded without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ganzzle.data import decoded
from ganzzle.data.decoded import decode
from ganzzle.data.reading import encoded_pictures


@pytest.fixture
def folder(tmp_path: Path, draw: Callable[..., np.ndarray]) -> Path:
    for k in range(5):
        Image.fromarray(draw(40, 50 + k, seed=k)).save(tmp_path / f"{k}.png")
    (tmp_path / "3.png").write_bytes(b"no picture")
    return tmp_path


def test_the_cache_is_read_and_gives_the_same(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = encoded_pictures(str(folder), Path())
    native = np.array([True, False, True, True, False])
    plain = decode(encoded, 48, native)
    monkeypatch.setenv("GANZZLE_CACHE", str(tmp_path_factory.mktemp("cache")))
    decode(encoded, 48, native)
    monkeypatch.setattr(decoded, "decode_all", None)  # from here on nothing may be decoded
    cached = decode(encoded, 48, native)
    assert list(plain.readable) == [True, True, True, False, True]
    for name in ("sizes", "readable"):
        assert np.array_equal(getattr(plain, name), getattr(cached, name))
    assert np.array_equal(plain.pictures[plain.readable], cached.pictures[plain.readable])
    assert tuple(plain.sizes[2]) == (40, 48)


def test_another_file_another_entry(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GANZZLE_CACHE", str(tmp_path_factory.mktemp("cache")))
    native = np.zeros(5, bool)
    before = decode(encoded_pictures(str(folder), Path()), 32, native)
    Image.fromarray(np.zeros((40, 40, 3), np.uint8)).save(folder / "3.png")
    after = decode(encoded_pictures(str(folder), Path()), 32, native)
    assert not before.readable[3]
    assert after.readable[3]
    assert not after.pictures[3].any()
