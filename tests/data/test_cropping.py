"""Crops of training pictures: where they lie, and how they are resized."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from toy_source import some_pictures

from ganzzle.cli.data_options import DataOptions
from ganzzle.data.augment import draw_boxes
from ganzzle.data.resizing import resample, resize_matrices, resize_matrix, sampling
from ganzzle.puzzle import Grid


def matrix(
    start: np.ndarray, length: np.ndarray, out: int, valid: np.ndarray, size: int, bicubic: bool = True
) -> torch.Tensor:
    return resize_matrix(torch.from_numpy(sampling(start, length, out, valid, bicubic)), out, size, bicubic)


@pytest.mark.parametrize("bicubic", [True, False])
@pytest.mark.parametrize("out", [40, 96, 150])
def test_resizing_by_matrices_is_pillow_s(out: int, bicubic: bool) -> None:
    pictures = some_pictures(2)
    start, whole = np.zeros(2), np.full(2, 96.0)
    weights = matrix(start, whole, out, whole, 96, bicubic)
    found = resample(pictures, weights, weights)
    kind = Image.Resampling.BICUBIC if bicubic else Image.Resampling.BILINEAR
    for k in range(2):
        image = Image.fromarray(pictures[k].permute(1, 2, 0).numpy())
        expected = np.asarray(image.resize((out, out), kind)).astype(np.float32)
        assert np.abs(found[k].permute(1, 2, 0).numpy() - expected).max() <= 1


def whole_matrix(start: float, length: float, out: int, valid: float, size: int, bicubic: bool) -> np.ndarray:
    """(out, size): the kernel at every pixel."""
    centre = start + length * (np.arange(out) + 0.5) / out
    x = np.abs(np.arange(size) + 0.5 - centre[:, None]) / max(1.0, abs(length) / out)
    near, far = (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    weights = np.where(x < 1, near, np.where(x < 2, far, 0)) if bicubic else np.maximum(1 - x, 0)
    weights[:, np.arange(size) >= valid] = 0
    return weights / weights.sum(1, keepdims=True)


@pytest.mark.parametrize("bicubic", [True, False])
@pytest.mark.parametrize("out", [7, 31, 64, 200])
def test_pixels_left_out_of_a_matrix_weigh_nothing(out: int, bicubic: bool) -> None:
    rng = np.random.default_rng(out)
    valid = rng.integers(40, 65, 20).astype(np.float64)
    length = valid * rng.uniform(0.3, 1, 20)
    start = rng.uniform(0, 1, 20) * (valid - length)
    start[10:], length[10:] = start[10:] + length[10:], -length[10:]
    found = matrix(start, length, out, valid, 64, bicubic)
    for k in range(20):
        expected = whole_matrix(start[k], length[k], out, valid[k], 64, bicubic)
        np.testing.assert_allclose(found[k].numpy(), expected, atol=2e-5)


@pytest.mark.parametrize("out", [(32, 32), (32, 64)])
def test_both_sides_together_are_as_one_after_the_other(out: tuple[int, int]) -> None:
    start, length = np.array([[3.0, 0.0], [40.0, 5.0]]), np.array([[50.0, 64.0], [-30.0, 20.0]])
    valid = np.full((2, 2), 64.0)
    sides = torch.from_numpy(sampling(start, length, np.array(out)[:, None], valid, bicubic=True))
    for k, found in enumerate(resize_matrices(sides, out, 64, bicubic=True)):
        assert torch.equal(found, matrix(start[k], length[k], out[k], valid[k], 64))


def test_mirrored_and_native_crops_keep_the_pixels() -> None:
    pictures, sizes = some_pictures(1), np.full(1, 96.0)
    same = matrix(np.array([7.0]), np.array([32.0]), 32, sizes, 96)
    mirrored = matrix(np.array([39.0]), np.array([-32.0]), 32, sizes, 96)
    assert torch.equal(resample(pictures, same, same), pictures[:, :, 7:39, 7:39].float())
    assert torch.equal(resample(pictures, same, mirrored), pictures[:, :, 7:39, 7:39].flip(3).float())


def test_native_crops_stay_off_the_codec_s_blocks() -> None:
    options = DataOptions(native=1.0)
    sizes = np.repeat([[96.0], [80.0]], 500, axis=1)
    boxes = draw_boxes(options, Grid(2, 2), 32, sizes, np.random.default_rng(0))
    assert (boxes[2:] == 64).all()
    assert (boxes[:2] % 8 != 0).all()
    assert (boxes[:2] >= 0).all()
    assert (boxes[:2] + 64 <= sizes).all()
    too_large = draw_boxes(options, Grid(3, 3), 32, sizes, np.random.default_rng(0))
    assert (too_large[2:] <= sizes).all()


@pytest.mark.parametrize("native", [0.0, 1.0])
def test_a_share_of_the_crops_is_cut_along_the_codec_s_blocks(native: float) -> None:
    sizes = np.repeat([[352.0], [328.0]], 2000, axis=1)
    given = dict(native=native, crop_scale=[0.75, 1.0])
    plain = draw_boxes(DataOptions(**given), Grid(9, 10), 32, sizes, np.random.default_rng(0))
    boxes = draw_boxes(DataOptions(**given, blocks=0.25), Grid(9, 10), 32, sizes, np.random.default_rng(0))
    assert (boxes >= 0).all()
    assert (boxes[:2] + boxes[2:] <= sizes).all()
    cuts = boxes[:2] + np.arange(10)[:, None, None] * boxes[2:] / [[9], [10]]
    along = (cuts % 4 == 0).all((0, 1)) & (boxes[:2] % 8 == 0).all(0)
    assert 0.22 < along.mean() < 0.28
    assert not (plain[:2] % 8 == 0).all(0).any()
    if native:
        assert (boxes[2:, along] == [[288], [320]]).all()


def test_a_crop_too_small_for_blocks_stays() -> None:
    sizes = np.full((2, 5), 40.0)
    boxes = [
        draw_boxes(DataOptions(blocks=share), Grid(12, 12), 32, sizes, np.random.default_rng(0))
        for share in (1e-9, 1.0)
    ]
    assert np.array_equal(*boxes)


def test_crops_fill_their_limits() -> None:
    options = DataOptions(crop_scale=[0.6, 0.9], crop_aspect=[1.0, 1.0], keep_aspect=0.5)
    sizes = np.repeat([[96.0], [48.0]], 2000, axis=1)
    top, left, height, width = draw_boxes(options, Grid(2, 4), 32, sizes, np.random.default_rng(0))
    kept = np.isclose(width / height, 2)  # the grid's aspect; the others have the picture's
    assert 0.45 < kept.mean() < 0.55
    assert np.allclose((width / height)[~kept], 0.5)
    scale = height[~kept] / 96
    assert 0.6 <= scale.min() < 0.61 < 0.89 < scale.max() <= 0.9
    assert abs(scale.mean() - 0.75) < 0.01
    for start, extent, size in ((top, height, 96), (left, width, 48)):
        share = start[~kept] / (size - extent[~kept])
        assert share.min() >= 0
        assert share.max() <= 1
        assert abs(share.mean() - 0.5) < 0.03
