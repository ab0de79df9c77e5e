"""The training source: seeded, complete, and changed as its options say."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from toy_source import put_back, some_pictures, source

from ganzzle.cli.data_options import DataOptions
from ganzzle.data import resizing
from ganzzle.data.augment import adjust_colours_, draw_colours
from ganzzle.data.cutting import cut_batch
from ganzzle.data.source import PictureSet, PictureSource


def test_pieces_put_on_their_slots_are_the_picture() -> None:
    for step in range(6):
        batch = source(jitter=0.2, native=0.3, grey=0.3).batch(step)
        torch.testing.assert_close(put_back(batch), cut_batch(batch.picture, batch.rows, batch.cols))
        assert batch.pieces.shape[:2] == (54 // (batch.rows * batch.cols), batch.rows * batch.cols)
        assert 0 <= batch.pieces.min() <= batch.pieces.max() <= 1
        assert not torch.equal(batch.slots.sort(1).values, batch.slots)


def test_a_step_gives_the_same_puzzles_again() -> None:
    kinds = {"none": 0.3, "noise": 0.3, "erode+missing": 0.4}
    one, other = source(corruptions=kinds), source(corruptions=kinds)
    for step in (5, 0, 3):
        a, b = one.batch(step), other.batch(step)
        assert torch.equal(a.pieces, b.pieces)
        assert torch.equal(a.slots, b.slots)
    assert not torch.equal(one.batch(1).picture[0, :, 0, 0], one.batch(2).picture[0, :, 0, 0])


def test_two_processes_see_what_one_with_twice_the_pieces_sees() -> None:
    grids = ["3x3", "2x3"]
    whole = source(pieces_per_step=108, grids=grids)
    first, second = source(rank=0, world=2, grids=grids), source(rank=1, world=2, grids=grids)
    for step in range(4):
        both = torch.cat([first.batch(step).picture, second.batch(step).picture])
        torch.testing.assert_close(both, whole.batch(step).picture)
        assert not torch.equal(first.batch(step).slots, second.batch(step).slots)


def test_colours_are_changed_as_the_formula_says() -> None:
    whole = some_pictures(6).float()
    colours = draw_colours(DataOptions(jitter=0.2, grey=0.5), 6, np.random.default_rng(3))
    changed = adjust_colours_(whole.clone(), torch.from_numpy(colours), grey=True)
    uniform = np.random.default_rng(3).random((6, 6))
    assert 0 < (uniform[5] < 0.5).sum() < 6
    spread = (2 * uniform - 1) * 0.2
    assert 0 < (uniform[5] < 0.25).sum() < (uniform[5] < 0.5).sum()  # grey ones, and ones with a tint
    for k in range(6):
        clean = whole[k].mean(0, keepdim=True).expand(3, -1, -1) if uniform[5, k] < 0.5 else whole[k]
        if uniform[5, k] < 0.25:
            spread[:3, k] = 0
        gain = torch.from_numpy(1 + spread[:3, k, None, None])
        expected = (clean / 255 * gain - 0.5) * (1 + spread[3, k]) + 0.5 + spread[4, k] / 2
        assert (changed[k] - 255 * expected.clamp(0, 1)).abs().max() <= 0.51
    assert torch.equal(changed, changed.round())


def test_swapped_channels_are_those_of_the_picture_in_another_order() -> None:
    plain = {"jitter": 0.0, "native": 1.0, "mirror": 0.0, "grids": ["2x2"]}
    before, after = source(**plain).batch(0).picture, source(**plain, swapped=0.6).batch(0).picture
    same = [bool(torch.equal(a, b)) for a, b in zip(before, after, strict=True)]
    assert 0 < sum(same) < len(same)
    for one, other in zip(before, after, strict=True):
        assert any(torch.equal(one[list(order)], other) for order in permutations(range(3)))


def test_some_pictures_stand_upside_down() -> None:
    plain = {"jitter": 0.0, "native": 1.0, "mirror": 0.0, "grids": ["2x2"]}
    before, after = source(**plain).batch(0).picture, source(**plain, upside_down=0.5).batch(0).picture
    turned = [bool(torch.equal(a.flip(1), b)) for a, b in zip(before, after, strict=True)]
    assert 0 < sum(turned) < len(turned)
    assert all(t or torch.equal(a, b) for t, a, b in zip(turned, before, after, strict=True))


def test_without_jitter_the_colours_stay() -> None:
    data = source(jitter=0.0, native=1.0, mirror=0.0, grids=["2x2"])
    levels = data.batch(0).picture * 255
    torch.testing.assert_close(levels, levels.round())
    shown = levels.round().to(torch.uint8)
    windows = data.pictures.unfold(2, 64, 1).unfold(3, 64, 1)[:, None]
    for picture in shown:
        assert (windows == picture[:, None, None]).all(-1).all(-1).all(2).any()


def test_steps_with_small_pieces() -> None:
    data = source(
        native=1.0, small=0.5, small_pieces=[8, 12], grids=["2x3"], corruptions={"erode": 1.0}, erosion=[8]
    )
    batches = [data.batch(step) for step in range(40)]
    px = [batch.pieces.shape[-1] for batch in batches]
    assert set(px) == {8, 12, 32}
    assert 10 < px.count(32) < 30
    for batch, side in zip(batches, px, strict=True):
        assert batch.picture.shape[2:] == (2 * side, 3 * side)
        assert batch.erosion == side // 4


def test_puzzles_of_many_pieces_have_small_ones() -> None:
    data = source(small_above=6, small_pieces=[8, 12], grids=["2x3", "2x4"])
    px = {data.batch(step).pieces.shape[1::3] for step in range(40)}
    assert px == {(6, 32), (8, 8), (8, 12)}


def test_half_precision_as_on_a_gpu_errs_by_a_grey_level_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    data = source(jitter=0.0, native=0.3)
    exact = [data.batch(step).picture for step in range(3)]
    monkeypatch.setattr(resizing, "_precision", lambda device: torch.float16)
    for step, expected in enumerate(exact):
        found = data.batch(step).picture
        assert found.dtype == torch.float32
        assert found.is_contiguous()
        assert 255 * (found - expected).abs().max() < 1.01
        assert ((found - expected).abs() > 0.5 / 255).float().mean() < 0.1


class Operations(TorchDispatchMode):
    """Counts what would start work on a device: everything but views and the asking for memory."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        self.count += not (func.is_view or "view" in name or "empty" in name or "lift_fresh" in name)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    ("kind", "most"), [("none", 38), ("noise", 44), ("erode", 40), ("missing", 39), ("noise+missing", 45)]
)
def test_a_batch_starts_few_operations(kind: str, most: int) -> None:
    data = source(corruptions={kind: 1.0}, grids=["3x3"], grey=0.9)
    with Operations() as operations:
        data.batch(0)
    assert operations.count <= most


def test_corruption_does_what_it_says() -> None:
    noisy = source(corruptions={"noise": 1.0}, noise=[0.1, 0.1], jitter=0.0).batch(0)
    difference = put_back(noisy) - cut_batch(noisy.picture, noisy.rows, noisy.cols)
    assert 0.05 < difference.std() < 0.11
    eroded = source(corruptions={"erode": 1.0}, erosion=[2]).batch(0)
    inner = cut_batch(eroded.picture, eroded.rows, eroded.cols)[..., 2:-2, 2:-2]
    assert eroded.erosion == 2
    torch.testing.assert_close(put_back(eroded)[..., 2:-2, 2:-2], inner)
    assert eroded.pieces[..., :2, :].abs().sum() == eroded.pieces[..., :, -2:].abs().sum() == 0
    coloured = source(corruptions={"erode": 1.0}, erosion=[3], rims={"colour": 1.0}).batch(0)
    assert torch.equal(coloured.pieces[:, 0, :, 0, 0], coloured.pieces[:, -1, :, 31, 2])
    gone = source(corruptions={"missing": 1.0}, missing=[0.3, 0.3]).batch(0)
    count = gone.rows * gone.cols
    assert (gone.present.sum(1) == count - round(0.3 * count)).all()
    assert gone.pieces[~gone.present].abs().sum() == 0
    assert gone.pieces[gone.present].abs().sum() > 0


def test_sets_are_drawn_by_weight() -> None:
    sets = [
        PictureSet(name, weight, torch.full((4, 3, 32, 32), value, dtype=torch.uint8), np.full((4, 2), 32.0),
                   torch.empty(0, 3, 32, 32, dtype=torch.uint8))
        for name, weight, value in (("dark", 3.0, 0), ("light", 1.0, 255))
    ]  # fmt: skip
    options = DataOptions(grids=["1x1"], pieces_per_step=400, max_batch=400, jitter=0.0, size=32)
    light = PictureSource(sets, options).batch(0).picture.mean().item()
    assert 0.15 < light < 0.35


def test_random_grids_stay_in_their_limits() -> None:
    data = source(random_grids=1.0, random_sides=[2, 9], random_max_pieces=30)
    grids = {(b.rows, b.cols) for b in (data.batch(step) for step in range(40))}
    assert len(grids) > 8
    assert all(2 <= r <= 9 and 2 <= c <= 9 and r * c <= 30 for r, c in grids)


def test_all_processes_take_the_same_chance() -> None:
    first, second = (source(rank=rank, world=2) for rank in range(2))
    chances = [first.batch(step).chance for step in range(8)]
    assert chances == [second.batch(step).chance for step in range(8)]
    assert len(set(chances)) == 8
    assert all(0 <= chance < 1 for chance in chances)


def test_pictures_of_several_sets_are_kept_once() -> None:
    sets = [PictureSet(name, 1.0, some_pictures(3), np.full((3, 2), 96.0), some_pictures(1)) for name in "ab"]
    both = PictureSource(sets, DataOptions(grids=["3x3"], size=96))
    assert both.sets[1].pictures.untyped_storage().data_ptr() == both.pictures.untyped_storage().data_ptr()
    assert both.describe() == {"a": 3, "b": 3}


def test_large_pieces_have_gaps_as_wide_as_asked_for() -> None:
    data = source(
        large=1.0, large_grids=["2x2"], large_picture=[80, 96], gaps=[0.1, 0.2], large_corruptions={"erode": 1.0},
        mistold=0.3,
    )  # fmt: skip
    batches = [data.batch(step) for step in range(8)]
    for batch in batches:
        side, gap = batch.pieces.shape[-1], batch.erosion
        assert 40 <= side <= 48
        assert round(0.1 * side) <= gap <= round(0.2 * side)
        assert not batch.pieces[..., :gap, :].any()
        inner = slice(gap, side - gap)
        whole = cut_batch(batch.picture, 2, 2)
        torch.testing.assert_close(put_back(batch)[..., inner, inner], whole[..., inner, inner])
    told = [batch.told for batch in batches]
    assert 0.7 <= min(told) < max(told) <= 1.3


def test_shifted_pieces_come_from_places_of_their_own() -> None:
    data = source(
        large=1.0, large_grids=["2x2"], large_picture=[80, 80], gaps=[0.2, 0.2], large_corruptions={"erode": 1.0},
        shifted=1.0, grids=["2x2"],
    )  # fmt: skip
    batch = data.batch(0)
    assert batch.erosion == 8
    seen, whole = put_back(batch)[..., 8:32, 8:32], cut_batch(batch.picture, 2, 2)
    places = set()
    for piece, slot in zip(seen.flatten(0, 1), whole.flatten(0, 1), strict=True):
        windows = slot.unfold(1, 24, 1).unfold(2, 24, 1)  # (3, 17, 17, 24, 24)
        same = (windows == piece[:, None, None]).all(-1).all(-1).all(0)
        assert same.any()
        places.add(tuple(same.nonzero()[0].tolist()))
    assert len(places) > 4
