"""Parts of other pictures and frames: what is drawn, what is put where, and that the source does both."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_source import check_sound_and_repeated, source

from ganzzle.cli.data_options import DataOptions
from ganzzle.data import source as source_module
from ganzzle.data.panels import EVEN, WIDEST_BAR, WIDEST_GAP, draw_panels, put_panels

MANY = 4000
WHOLE = [[0.0], [0.0], [1.0], [1.0]]


def drawn(collage: float, framed: float, count: int = MANY, seed: int = 0) -> tuple[np.ndarray, ...]:
    """The boxes (4, B) outer, inner and frame, and the colours (3, B)."""
    options = DataOptions(collage=collage, framed=framed)
    panels = draw_panels(options, count, np.random.default_rng(seed))
    assert panels.shape == (15, count)
    assert panels.dtype == np.float32
    return panels[:4], panels[4:8], panels[8:12], panels[12:]


def share(which: np.ndarray) -> float:
    return float(which.mean())


def test_nothing_is_drawn_where_nothing_is_asked_for() -> None:
    outer, inner, frame, _ = drawn(collage=0, framed=0)
    assert not outer.any()
    assert not inner.any()
    assert (frame == WHOLE).all()
    outer, inner, frame, _ = drawn(collage=1, framed=0)
    assert (inner != 0).any(0).all()
    assert (frame == WHOLE).all()
    outer, inner, frame, _ = drawn(collage=0, framed=1)
    assert not outer.any()
    assert not inner.any()
    assert (frame != WHOLE).any(0).all()


def test_as_many_parts_and_frames_as_the_options_say() -> None:
    outer, inner, frame, _ = drawn(collage=0.3, framed=0.1)
    part, framed = (inner != 0).any(0), (frame != WHOLE).any(0)
    assert not outer[:, ~part].any()
    assert abs(share(part) - 0.3) < 0.03
    assert abs(share(framed) - 0.1) < 0.02
    assert abs(share(part & framed) - 0.03) < 0.01  # one says nothing about the other


def test_parts_are_halves_and_corners() -> None:
    outer, inner, _, _ = drawn(collage=1, framed=0)
    start, end = inner[:2], inner[2:]
    at_start, at_end = start == 0, end == 1
    assert (at_start | at_end).all()  # down and across it begins or ends at the border
    for place, free in ((start, ~at_start), (end, ~at_end)):
        assert 0.2 <= place[free].min() < 0.22
        assert 0.78 < place[free].max() <= 0.8 + 1e-6
        assert abs(share(free) - 1 / 3) < 0.03
    whole = at_start & at_end
    assert not whole.all(0).any()
    assert abs(share(~whole.any(0)) - 1 / 3) < 0.03  # corners
    assert abs(share(whole[0]) - share(whole[1])) < 0.04
    gaps = np.concatenate([inner[:2] - outer[:2], outer[2:] - inner[2:]])
    assert np.ptp(gaps, axis=0).max() < 1e-6  # as wide on all sides
    assert gaps.min() >= 0
    assert WIDEST_GAP * 0.95 < gaps.max() <= WIDEST_GAP + 1e-6
    assert abs(share(gaps[0] == 0) - 0.5) < 0.03


def test_frames_have_bars_at_two_or_four_sides() -> None:
    _, _, frame, _ = drawn(collage=0, framed=1)
    bars = np.concatenate([frame[:2], 1 - frame[2:]])
    there = bars > 0
    assert (there[:2] == there[2:]).all()  # never at one side only
    for across, down in ((True, False), (False, True), (True, True)):
        assert abs(share((there[0] == across) & (there[1] == down)) - 1 / 3) < 0.03
    assert bars[there].min() > 0.0099
    assert WIDEST_BAR * 0.95 < bars.max() <= WIDEST_BAR + 0.01 + 1e-6
    even = (np.abs(bars[:2] - bars[2:]) < 1e-6).all(0)
    assert abs(share(even) - EVEN) < 0.03


def test_colours_are_white_black_or_any() -> None:
    colour = drawn(collage=0.5, framed=0.5)[3]
    assert colour.min() >= 0
    assert colour.max() <= 255
    for value in (0, 255):
        assert abs(share((colour == value).all(0)) - 0.3) < 0.03
    assert abs(share(np.ptp(colour, axis=0) > 0) - 0.4) < 0.03


def test_panels_by_hand() -> None:
    first = torch.ones(3, 4, 4)
    second = torch.arange(100.0, 116.0).reshape(4, 4).expand(3, 4, 4)
    panels = torch.tensor(
        [
            # a corner of 2 x 2 px with a gap of 1 px, and a bar of 1 px at the left
            [0, 0, 0.75, 0.75, 0, 0, 0.5, 0.5, 0, 0.25, 1, 1, 7, 0, 200.4],
            # the lower half, no gap, no frame
            [0.5, 0, 1, 1, 0.5, 0, 1, 1, 0, 0, 1, 1, 255, 255, 255],
        ]
    ).T
    found = put_panels(torch.stack([first, second]), panels)
    for channel, c in enumerate((7, 0, 200)):
        assert found[0, channel].tolist() == [[c, 101, c, 1], [c, 105, c, 1], [c, c, c, 1], [c, 1, 1, 1]]
        assert found[1, channel].tolist() == [[100, 101, 102, 103], [104, 105, 106, 107], [1] * 4, [1] * 4]


def pixel_by_pixel(pictures: np.ndarray, panels: np.ndarray) -> np.ndarray:
    """What `put_panels` has to give, a pixel at a time."""
    count, _, height, width = pictures.shape
    found = pictures.copy()
    for k in range(count):
        outer, inner, frame, colour = np.split(panels[:, k], [4, 8, 12])
        for y, x in np.ndindex(height, width):
            middle = np.array([(y + 0.5) / height, (x + 0.5) / width], np.float32)
            in_outer, in_inner, in_frame = (
                (box[:2] < middle).all() and (middle < box[2:]).all() for box in (outer, inner, frame)
            )
            if in_outer:
                found[k, :, y, x] = colour.round()
            if in_inner:
                found[k, :, y, x] = pictures[(k + 1) % count, :, y, x]
            if not in_frame:
                found[k, :, y, x] = colour.round()
    return found


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 4), st.integers(1, 24), st.integers(1, 24), st.sampled_from([0, 0.5, 1]),
    st.sampled_from([0, 0.5, 1]), st.integers(0, 10**6),
)  # fmt: skip
def test_panels_are_put_as_pixel_by_pixel(
    count: int, height: int, width: int, collage: float, framed: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    pictures = rng.integers(0, 256, (count, 3, height, width)).astype(np.float32)
    panels = draw_panels(DataOptions(collage=collage, framed=framed), count, rng)
    found = put_panels(torch.from_numpy(pictures), torch.from_numpy(panels)).numpy()
    assert (found == pixel_by_pixel(pictures, panels)).all()


def test_pictures_without_panels_stay_as_they_are() -> None:
    pictures = torch.rand(300, 3, 8, 8, generator=torch.Generator().manual_seed(0)) * 255
    before = pictures.clone()
    outer, inner, frame, colour = drawn(collage=0.3, framed=0.3, count=300)
    found = put_panels(pictures, torch.from_numpy(np.concatenate([outer, inner, frame, colour])))
    without = torch.from_numpy(~(inner != 0).any(0) & (frame == WHOLE).all(0))
    assert 100 < without.sum() < 200
    assert torch.equal(found[without], before[without])
    assert torch.equal(pictures, before)
    changed = (found != before).flatten(1).any(1)
    assert changed[~without].float().mean() > 0.8  # a bar may be thinner than a pixel


@pytest.mark.parametrize(("collage", "framed"), [(0.5, 0.5), (0.9, 0.0), (0.0, 0.9)])
def test_the_source_puts_what_was_drawn(
    collage: float, framed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []

    def watched(options: DataOptions, count: int, rng: np.random.Generator) -> np.ndarray:
        seen.append(draw_panels(options, count, rng))
        return seen[-1]

    monkeypatch.setattr(source_module, "draw_panels", watched)
    bare, rich = source(grey=0.3), source(grey=0.3, collage=collage, framed=framed)
    for step in range(4):
        plain, found = bare.batch(step).picture, rich.batch(step).picture
        assert len(seen) == step + 1  # only where they are asked for
        expected = put_panels((plain * 255).round(), torch.from_numpy(seen[-1])) / 255
        assert torch.equal(found, expected)
        assert not torch.equal(found, plain)


def test_puzzles_with_panels_are_sound_and_come_again() -> None:
    check_sound_and_repeated(collage=0.7, framed=0.7, native=0.3, grey=0.3)


def test_two_processes_draw_the_panels_of_one() -> None:
    grids = ["3x3", "2x3"]
    whole = source(pieces_per_step=108, grids=grids, collage=0.7, framed=0.7)
    parts = [source(rank=rank, world=2, grids=grids, collage=0.7, framed=0.7) for rank in range(2)]
    for step in range(4):
        pictures = whole.batch(step).picture
        for rank, mine in enumerate(pictures.chunk(2)):
            found = parts[rank].batch(step).picture
            # the last one takes its part from the first one of the same process
            torch.testing.assert_close(found[:-1], mine[:-1])
