"""The training pictures that training with seed 0 keeps back, to choose and to fit by."""

from __future__ import annotations

import numpy as np

from ganzzle.data.reading import Encoded, data_root, encoded_pictures

SETS = ("faces/train-*.tar", "art/train-*.tar", "photos/train-*.tar")
HELD_OUT = 96  # of each set, as in the config of hybrid


def held_out(source: str) -> list[Encoded]:
    """The pictures of one set, below $GANZZLE_DATA, that no network has seen."""
    encoded = encoded_pictures(source, data_root())
    chosen = np.random.default_rng([0, len(encoded)]).permutation(len(encoded))[:HELD_OUT]
    return [encoded[i] for i in np.sort(chosen)]
