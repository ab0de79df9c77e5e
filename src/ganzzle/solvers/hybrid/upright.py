"""Which way is up, told from the picture alone."""

from __future__ import annotations

import json
from functools import cache

import torch

from ganzzle.networks.storing import restore
from ganzzle.networks.upright import UprightNetwork, UprightSize
from ganzzle.puzzle import Floats, Pixels
from ganzzle.reading.pictures import resize_picture
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import fitting, read_weights


@torch.inference_mode()
def turns_given(picture: Pixels) -> Floats:
    """How many quarter turns, counter-clockwise, an upright picture was given to look like this (H, W, 3) one.

    It is looked at as it is and mirrored. -> (4,) log-probabilities of none, one, two and three.
    """
    network = _network()
    pixels = torch.tensor(resize_picture(picture, network.side, network.side)).permute(2, 0, 1) / 255
    seen, mirrored = network(torch.stack([pixels, pixels.flip(2)])).double().log_softmax(1)
    return ((seen + mirrored[[0, 3, 2, 1]]) / 2).log_softmax(0).numpy()


@cache
def _network() -> UprightNetwork:
    path = find_weights("upright")
    tensors, metadata = read_weights(path, "upright")
    with fitting(path):
        network = UprightNetwork(UprightSize(**json.loads(metadata["size"])))
        restore(network, tensors)
    return network.eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
