"""Drawings: what is drawn, what tones and lines look like, and that the source makes them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from toy_source import check_sound_and_repeated, source

from ganzzle.cli.data_options import DataOptions
from ganzzle.data import source as source_module
from ganzzle.data.drawings import COLOURED, INK, LINES, MOST_TONES, TONES, as_drawings, draw_drawings

MANY = 6000


def drawn(share: float, count: int = MANY, seed: int = 0) -> np.ndarray:
    found = draw_drawings(DataOptions(drawn=share), count, np.random.default_rng(seed))
    assert found.shape == (3, count)
    assert found.dtype == np.float32
    return found


def made(picture: torch.Tensor, tones: int, ink: float, coloured: bool) -> torch.Tensor:
    """One picture (3, H, W) as a drawing."""
    return as_drawings(picture[None], torch.tensor([[tones], [ink], [coloured]], dtype=torch.float32))[0]


def test_as_many_drawings_of_each_kind_as_the_shares_say() -> None:
    assert not drawn(0).any()
    tones, ink, coloured = drawn(0.5)
    which = (tones > 0) | (ink > 0)
    assert abs(which.mean() - 0.5) < 0.03
    assert not coloured[~which].any()
    tones, ink, coloured = drawn(1)
    assert abs((tones == 0).mean() - LINES) < 0.03
    assert abs((ink == 0).mean() - TONES) < 0.03
    assert not ((tones == 0) & (ink == 0)).any()
    assert abs(coloured.mean() - COLOURED) < 0.03
    counts = np.bincount(tones.astype(int), minlength=MOST_TONES + 1)
    assert counts[1] == 0
    assert counts[2:].min() > 0.8 * counts[2:].mean()
    assert INK[0] <= ink[ink > 0].min() < ink.max() <= INK[1]


@pytest.mark.parametrize("tones", range(2, MOST_TONES + 1))
def test_so_many_tones_from_black_to_white(tones: int) -> None:
    ramp = torch.arange(256.0).expand(3, 8, 256)
    flat = made(ramp, tones, 0, coloured=False)
    levels = np.unique(flat.numpy())
    assert levels.tolist() == [round(255 * k / (tones - 1)) for k in range(tones)]
    assert (flat.diff(dim=2) >= 0).all()


def test_colours_stay_where_they_are_asked_for() -> None:
    red = torch.tensor([200.0, 30.0, 30.0])[:, None, None].expand(3, 12, 12)
    assert made(red, 2, 0, coloured=True)[:, 5, 5].tolist() == [255, 0, 0]
    assert made(red, 2, 0, coloured=False)[:, 5, 5].tolist() == [0, 0, 0]


def test_lines_lie_where_the_picture_changes_and_the_paper_is_white() -> None:
    picture = torch.full((3, 16, 20), 50.0)
    picture[:, :, 10:] = 120.0
    lines = made(picture, 0, 5, coloured=False)
    assert (lines[:, :, :6] == 255).all()
    assert (lines[:, :, 14:] == 255).all()
    assert (lines[:, :, 9:11] < 200).all()
    weaker = made(picture, 0, 2, coloured=False)
    assert (weaker >= lines).all()
    assert weaker.min() > lines.min()
    both = made(picture, 2, 5, coloured=False)
    assert (both[:, :, :6] == 0).all()
    assert both.min() == 0


def test_the_source_makes_the_drawings_it_drew(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []

    def watched(options: DataOptions, count: int, rng: np.random.Generator) -> np.ndarray:
        seen.append(draw_drawings(options, count, rng))
        return seen[-1]

    monkeypatch.setattr(source_module, "draw_drawings", watched)
    bare, rich = source(jitter=0.0), source(jitter=0.0, drawn=0.5)
    for step in range(6):
        plain, found = bare.batch(step).picture, rich.batch(step).picture
        assert len(seen) == step + 1
        which = torch.from_numpy(seen[-1][:2].any(0))
        assert torch.equal(found[~which], plain[~which])
        expected = as_drawings(plain * 255, torch.from_numpy(seen[-1])) / 255
        assert (found[which] - expected[which]).abs().max() < 1.01 / (MOST_TONES - 1)
        assert ((found[which] - expected[which]).abs() < 1e-4).float().mean() > 0.99
    assert 0 < np.concatenate([s[:2].any(0) for s in seen]).mean() < 1


def test_puzzles_of_drawings_are_sound_and_come_again() -> None:
    check_sound_and_repeated(drawn=0.7, collage=0.3, grey=0.5, jitter=0.2)


def test_two_processes_draw_the_drawings_of_one() -> None:
    grids = ["3x3", "2x3"]
    whole = source(pieces_per_step=108, grids=grids, drawn=0.7)
    parts = [source(rank=rank, world=2, grids=grids, drawn=0.7) for rank in range(2)]
    for step in range(4):
        both = torch.cat([part.batch(step).picture for part in parts])
        torch.testing.assert_close(both, whole.batch(step).picture)
