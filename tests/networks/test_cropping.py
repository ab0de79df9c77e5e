"""Worn pieces lose their rims before the network sees them."""

from __future__ import annotations

import torch

from ganzzle.networks.cropping import crop_wear


def test_cropping_keeps_the_pixels_and_resamples_to_the_networks_size() -> None:
    x = torch.rand(1, 4, 3, 32, 32)
    small, sharp = crop_wear(x, 3)
    assert torch.equal(sharp, x[..., 3:29, 3:29])
    assert small.shape == x.shape
    assert crop_wear(x, 0)[0] is crop_wear(x, 0)[1] or torch.equal(*crop_wear(x, 0))
