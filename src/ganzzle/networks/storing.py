"""Networks with convolutions as stored weights, and back."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor, nn

from ganzzle.weights_io import pack_int8


def packed(network: nn.Module) -> dict[str, Tensor]:
    """All floats of a network; convolutions as matrices, large matrices as int8."""
    floats = {name: value for name, value in network.state_dict().items() if value.is_floating_point()}
    return pack_int8({name: v.flatten(1) if v.ndim == 4 else v for name, v in floats.items()})


def restore(network: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Fill a network with what `packed` stored and `read_weights` unpacked."""
    state = network.state_dict()
    # What is no float only counts the steps of the training.
    shaped = {name: weights[name].reshape(v.shape) for name, v in state.items() if v.is_floating_point()}
    network.load_state_dict({**state, **shaped})
