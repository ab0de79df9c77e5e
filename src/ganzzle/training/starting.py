"""Start a training from exported weights: to go on with a finished model, or to teach it something new."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from ganzzle.training.config import ConfigError
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import read_weights

ENOUGH = 0.5  # share of a network's numbers that a file must hold to be about this network


def start_from(
    networks: Iterable[nn.Module], weights: str | Path, kind: str, say: Callable[[str], None]
) -> str:
    """Fill the networks a weights file is about; parts it does not have keep what they were given.

    `weights` is an embedded name or a file of the task's `kind`. Returns the file's own record as JSON (steps, minutes,
    commit, command), to be stored with what comes out.
    """
    path = find_weights(weights)
    found, metadata = read_weights(path, kind)
    filled = [new for network in networks if (new := fill(network, found)) is not None]
    if not filled:
        raise ConfigError(f"{path} does not fit this config's [task]; nothing of it can be used")
    new = sorted(filled[0])
    rest = f"; new: {', '.join(sorted({name.split('.')[0] for name in new}))}" if new else ""
    say(f"starting from {path.name} ({metadata.get('steps', '?')} steps){rest}")
    return json.dumps({key: metadata.get(key, "") for key in ("steps", "minutes", "commit", "command")})


@torch.no_grad()
def fill(network: nn.Module, weights: Mapping[str, Tensor]) -> list[str] | None:
    """Copy what fits by name and size; names that were not found, or None where too little was (nothing is copied)."""
    state = network.state_dict()
    floats = {name: value for name, value in state.items() if value.is_floating_point()}
    fitting = {
        name: value
        for name, value in floats.items()
        if name in weights and weights[name].numel() == value.numel()
    }
    held = sum(value.numel() for value in fitting.values())
    if held < ENOUGH * sum(value.numel() for value in floats.values()):
        return None
    for name, value in fitting.items():
        value.copy_(weights[name].reshape(value.shape))
    return [name for name in floats if name not in fitting]
