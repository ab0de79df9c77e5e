"""How well strips fit side by side: a network looks at the bands of ink along their borders, at several heights.

Its scores are taken against blank paper: score(i, j) - score(i, blank) - score(blank, j) + score(blank, blank), so that
borders without ink, and the ends of a page, count nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ganzzle.arrays import Floats
from ganzzle.networks.bands import BandNetwork, BandSize, Tower
from ganzzle.seams.cut_lines import line_fits
from ganzzle.seams.strip import Strip
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import fitting, read_weights

Ink = NDArray[np.uint8]  # (h, w) 0 is paper, 255 black

STEP = 2  # px between two rows of features, and so between two shifts that are tried
LENGTH = 3508  # px of a strip of an A4 page at the resolution the network knows
KNOWN = 0.8, 1.25  # times this length at which strips are not resized
REACH = 12  # px of such a strip by which one may lie higher than its neighbour
CHUNK = 64  # rows of features that are compared at a time, which keeps them in the processor's cache
COARSE = 8  # px that are averaged where the tone of the paper is looked for,
CALM = 5  # and such averages around within which the lightest one is the paper's
TONED = 90  # ink, at most, that a toned or screened paper has
GRAINY = 8.0  # ink of a paper, on the average, from which on it is smoothed,
SMOOTH = 0.8  # by a blur of so many px
DARK, SPECKS = 128, 20  # so many px of more ink than this make a border an inked one
TEMPER = 0.12  # by which scores are multiplied to be log-odds
LIKELY = 3.0  # log-odds of two strips that surely are neighbours, whose shift tells how others may be shifted
ANY_SHIFT = 6.0  # px that neighbours are shifted by, as a rule, where nothing is known,
PLAIN_SHIFT = 1.5  # where strips are plain rectangles of one length,
LEAST_SHIFT = 0.7  # and at least
WIDE = 2.5  # times as far as neighbours are shifted, as a rule, are shifts tried
FEW = 3  # neighbours whose shifts say nothing yet


@dataclass(frozen=True, eq=False)
class BandFits:
    """How well N strips fit side by side."""

    links: Floats  # (N, N) log-odds that a strip has another on its right; 0 where no ink says anything
    shifts: Floats  # (N, N) px by which that one must be moved down
    blank: NDArray[np.bool_]  # (2, N) whether there is no ink along the left, and along the right border


@cache
def load_network(weights: str | Path = "bands") -> BandNetwork:
    """The network with embedded weights of this name, or with those of a file."""
    path = find_weights(weights)
    tensors, metadata = read_weights(path, "bands")
    with fitting(path):
        network = BandNetwork(BandSize(**json.loads(metadata["size"])))
        network.load_state_dict(tensors)
    return network.eval()


def band_fits(strips: Sequence[Strip], network: BandNetwork | None = None, reach: int = REACH) -> BandFits:
    """Compare all strips with each other, moved up or down by up to `reach` px of a page of usual resolution."""
    network = network or load_network()
    length = float(np.median([len(strip.ink) for strip in strips]))
    scale = 1.0 if KNOWN[0] <= length / LENGTH <= KNOWN[1] else LENGTH / length
    inks = [_clean(_resized(strip.ink, scale)) for strip in strips]
    rows = -(-max(len(ink) for ink in inks) // STEP) * STEP
    band = network.size.band
    rights = np.stack([_band(ink[:, ::-1], rows, band)[:, ::-1] for ink in inks])
    lefts = np.stack([_band(ink, rows, band) for ink in inks])
    right, left = _features(rights, network.right), _features(lefts, network.left)
    paper = np.zeros((1, rows, band), np.uint8)
    blank = _features(paper, network.right), _features(paper, network.left)
    tried = STEP * np.arange(-(reach // STEP), reach // STEP + 1).astype(np.float64)
    by_shape = line_fits(strips, tried, scale)
    spread = _spread(*_over_shifts(by_shape, tried, usual := _usual_shift(strips)), usual)
    near = np.abs(tried) <= max(STEP, WIDE * spread)
    tried, by_shape = tried[near], by_shape[..., near]
    scores = [_compared(right, left, int(k) // STEP, blank, network.weight) for k in tried]
    odds = TEMPER * np.stack(scores, 2) + by_shape
    spread = _spread(*_over_shifts(odds, tried, spread), spread)
    links, shifts = _over_shifts(odds, tried, spread)
    inked = np.stack([(side > DARK).sum((1, 2)) >= SPECKS for side in (lefts, rights)])
    return BandFits(links, shifts / scale, ~inked)


def turned_fits(strips: Sequence[Strip], network: BandNetwork | None = None, reach: int = REACH) -> BandFits:
    """The same of the faces of N strips, each upright and upside down in turn: all is (2 N, 2 N), or (2, 2 N).

    A seam that is turned by half a turn is the same seam, so both ways of looking at it are averaged.
    """
    faces = [face for strip in strips for face in (strip, strip.turned())]
    fits = band_fits(faces, network, reach)
    back = np.arange(len(faces)) ^ 1
    return BandFits((fits.links + fits.links[np.ix_(back, back)].T) / 2, fits.shifts, fits.blank)


def _resized(ink: Ink, scale: float) -> Ink:
    """Ink at the resolution the network knows."""
    if scale == 1:
        return ink
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(ink, None, fx=scale, fy=scale, interpolation=how))


def _clean(ink: Ink) -> Ink:
    """Ink without the tone of the paper; grainy paper is smoothed."""
    height, width = ink.shape
    coarse = cv2.resize(
        ink, (max(1, width // COARSE), max(1, height // COARSE)), interpolation=cv2.INTER_AREA
    )
    tone = cv2.morphologyEx(coarse, cv2.MORPH_OPEN, np.ones((CALM, CALM), np.uint8))
    if tone.any():
        tone = cv2.resize(np.minimum(tone, TONED), (width, height), interpolation=cv2.INTER_LINEAR)
        if ink[ink < 2 * TONED].mean() > GRAINY:
            ink = cv2.GaussianBlur(ink, (0, 0), SMOOTH)
        ink = cv2.subtract(ink, tone)
    return ink


def _band(ink: Ink, rows: int, band: int) -> Ink:
    """(rows, band) the first columns of ink (h, w); what they are short of is paper."""
    whole = np.zeros((rows, band), np.uint8)
    whole[: len(ink), : ink.shape[1]] = ink[:, :band]
    return whole


@torch.inference_mode()
def _features(bands: Ink, tower: Tower) -> Tensor:
    """(N, rows / 2, C) what a tower says of bands (N, rows, band), one after the other to need less memory."""
    return torch.cat([tower(torch.from_numpy(np.ascontiguousarray(band))[None] / 255) for band in bands])


@torch.inference_mode()
def _compared(right: Tensor, left: Tensor, step: int, blank: tuple[Tensor, Tensor], weight: Tensor) -> Floats:
    """(N, N) scores against blank paper (1, t, C) of features (N, t, C) and (N, t, C), these moved down by `step`
    rows."""
    top, bottom = max(0, step), right.shape[1] + min(0, step)
    here, there = slice(top, bottom), slice(top - step, bottom - step)
    right, left, no_right, no_left = right[:, here], left[:, there], blank[0][:, here], blank[1][:, there]
    total = torch.zeros(len(right), len(left))
    for k in range(0, right.shape[1], CHUNK):
        part = left[:, k : k + CHUNK]
        for i, one in enumerate(right[:, k : k + CHUNK]):
            total[i] += ((one + part).relu_() @ weight).sum(1)
    on_right = ((right + no_left).relu_() @ weight).sum(1)
    on_left = ((no_right + left).relu_() @ weight).sum(1)
    nothing = ((no_right + no_left).relu_() @ weight).sum(1)
    scores: Floats = (total - on_right[:, None] - on_left + nothing).double().numpy()
    return scores


def _usual_shift(strips: Sequence[Strip]) -> float:
    """Px that neighbours among such strips may be shifted by, before they have been looked at."""
    plain = not any(strip.fringed for strip in strips) and len({len(strip.ink) for strip in strips}) == 1
    return PLAIN_SHIFT if plain else ANY_SHIFT


def _over_shifts(odds: Floats, shifts: Floats, spread: float) -> tuple[Floats, Floats]:
    """Log-odds (N, N) of those (N, N, S) for each shift (S,), whatever the shift is, and the likeliest shift.

    Neighbours are shifted by about `spread`.
    """
    chance = np.exp(-((shifts / spread) ** 2) / 2)
    each = odds + np.log(chance / chance.sum() + 1e-9)
    best = each.max(2)
    links = best + np.log(np.exp(each - best[..., None]).sum(2))
    return links, np.asarray(shifts[each.argmax(2)])


def _spread(links: Floats, shifts: Floats, usual: float) -> float:
    """By about how much those neighbours are shifted that are sure; as is usual where they are few."""
    others = links - 1e9 * np.eye(len(links))
    best = (others == others.max(1, keepdims=True)) & (others == others.max(0))
    sure = best & (others > LIKELY)
    return max(LEAST_SHIFT, float(np.sqrt((shifts[sure] ** 2).mean()))) if sure.sum() >= FEW else usual
