"""Linear maps that can be packed for inference: weights in the best type, on a CPU laid out once for oneDNN with the
activation inside the product.

Packed in bfloat16 where the processor multiplies it natively (twice as fast), else in float32. Training uses the plain
form; the stored weights are the same.
"""

from __future__ import annotations

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Linear(nn.Linear):
    """(..., inside) -> (..., outside), followed by the cheap form of GELU where `gelu` is set.

    An `exact` one stays in float32 when it is packed.
    """

    def __init__(
        self, inside: int, outside: int, bias: bool = True, *, gelu: bool = False, exact: bool = False
    ) -> None:
        super().__init__(inside, outside, bias)
        self.gelu = gelu
        self.exact = exact
        self.packed: Tensor | None = None
        self.packed_bias: Tensor | None = None

    def reset_parameters(self) -> None:
        """Draw the weights, unless they are on no device yet, waiting to be loaded."""
        if not self.weight.is_meta:
            super().reset_parameters()

    def clear(self) -> None:
        """Let it give zeros before it is trained."""
        if not self.weight.is_meta:
            nn.init.zeros_(self.weight)
            if self.bias is not None:
                nn.init.zeros_(self.bias)

    @property
    def takes_half(self) -> bool:
        """Whether it is packed as bfloat16 on a CPU, so that kernels may hand it that."""
        return self.packed is not None and self.packed.is_mkldnn and self.packed.dtype == torch.bfloat16

    def pack(self, dtype: torch.dtype) -> None:
        """Lay the weights out for inference on the device they are on; the plain ones are given up."""
        dtype = torch.float32 if self.exact else dtype
        weight = self.weight.detach().to(dtype)
        on_cpu = weight.device.type == "cpu"
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight, None) if on_cpu else weight
        self.packed_bias = None if self.bias is None else self.bias.detach().to(dtype)
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)

    def forward(self, x: Tensor, shift: Tensor | None = None) -> Tensor:
        """`shift` (B, outside) is added for each of the B entries of x (before GELU).

        The packed form gives its own type back, whatever it is given.
        """
        if self.packed is not None and self.packed.is_mkldnn:
            return self._on_cpu(x, shift)
        if self.packed is None:
            y = super().forward(x)
        else:
            y = F.linear(x.to(self.packed.dtype), self.packed, self.packed_bias)
        if shift is not None:
            y = y + shift.to(y.dtype).view(len(shift), *[1] * (x.ndim - 2), -1)
        return F.gelu(y, approximate="tanh") if self.gelu else y

    def onto(self, base: Tensor, x: Tensor) -> Tensor:
        """`base` (..., outside) plus the map of x (..., inside); one pass where all of it is bfloat16 on a CPU."""
        if not self.takes_half or self.gelu or base.dtype != torch.bfloat16:
            return base + self(x)
        y: Tensor = torch.ops.mkldnn._linear_pointwise.binary(
            x.bfloat16(), base, self.packed, self.packed_bias, "add"
        )
        return y

    def _on_cpu(self, x: Tensor, shift: Tensor | None) -> Tensor:
        if shift is None:
            return self._product(x, self.packed_bias)
        biases = shift if self.packed_bias is None else self.packed_bias + shift
        parts = [self._product(part, bias) for part, bias in zip(x.split(1), biases, strict=True)]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _product(self, x: Tensor, bias: Tensor | None) -> Tensor:
        assert self.packed is not None
        dtype = self.packed.dtype
        activation, form = ("gelu", "tanh") if self.gelu else ("none", "")
        bias = None if bias is None else bias.to(dtype)
        y: Tensor = torch.ops.mkldnn._linear_pointwise(x.to(dtype), self.packed, bias, activation, [], form)
        return y


def drawn(*shape: int, scale: float) -> nn.Parameter:
    """Random numbers to train; on no device nothing is drawn, which torch takes a second to prepare."""
    values = torch.empty(*shape)
    return nn.Parameter(values if values.is_meta else values.normal_(std=scale))


def two_layers(inside: int, hidden: int, outside: int) -> nn.Sequential:
    """Two exact linear maps with GELU between them; named as their stored weights are."""
    rise = Linear(inside, hidden, gelu=True, exact=True)
    return nn.Sequential(OrderedDict([("0", rise), ("2", Linear(hidden, outside, exact=True))]))


def best_packing(device: torch.device) -> torch.dtype | None:
    """The type to pack in for a device; None where it is better left."""
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    if device.type != "cpu" or not torch.backends.mkldnn.is_available():
        return None
    native = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return torch.bfloat16 if native else torch.float32


def pack_linears(network: nn.Module, dtype: torch.dtype) -> None:
    """Pack every `Linear` of a network that stays on its device and will not be trained any more."""
    for module in network.modules():
        if isinstance(module, Linear):
            module.pack(dtype)
    keep_memory()


def keep_memory() -> None:
    """Let later steps use the memory of earlier ones again, instead of asking the system for cleared pages every time.

    The C library of Linux keeps blocks as large as the largest one, up to 32 MiB, that it has seen given back.
    """
    torch.empty(31 << 20, dtype=torch.uint8)  # never written to, so it costs nothing
