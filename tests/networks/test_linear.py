"""Packed linear maps give what the plain ones give."""

from __future__ import annotations

import copy
import platform
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.networks.linear import Linear, best_packing, pack_linears, two_layers

pytestmark = pytest.mark.skipif(best_packing(torch.device("cpu")) is None, reason="no oneDNN here")


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 40), st.integers(1, 40), st.integers(1, 3), st.integers(1, 9), st.booleans(), st.booleans(),
    st.booleans(),
)  # fmt: skip
@torch.inference_mode()
def test_packed_as_plain(
    inside: int, outside: int, batch: int, count: int, gelu: bool, bias: bool, shifted: bool
) -> None:
    plain = Linear(inside, outside, bias, gelu=gelu)
    packed = copy.deepcopy(plain)
    packed.pack(torch.float32)
    x = torch.randn(batch, count, inside)
    shift = torch.randn(batch, outside) if shifted else None
    assert torch.allclose(packed(x, shift), plain(x, shift), atol=1e-4)


@torch.inference_mode()
def test_half_precision_is_near_and_exact_layers_stay_exact() -> None:
    torch.manual_seed(0)
    network = torch.nn.ModuleDict({"wide": Linear(64, 32, gelu=True), "exact": two_layers(64, 16, 8)})
    packed = copy.deepcopy(network)
    pack_linears(packed, torch.bfloat16)
    x = torch.randn(50, 64)
    assert packed["wide"](x).dtype == torch.bfloat16
    assert torch.allclose(packed["wide"](x).float(), network["wide"](x), atol=0.03)
    assert torch.allclose(packed["exact"](x), network["exact"](x), atol=1e-5)


def test_names_of_stored_weights() -> None:
    assert list(two_layers(3, 4, 5).state_dict()) == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert list(Linear(3, 4).state_dict()) == ["weight", "bias"]


FAULTS = """
import resource, torch
from ganzzle.networks.linear import Linear, pack_linears
pack_linears(Linear(2, 2), torch.float32)
def step():
    return len([torch.ones(3 << 18) for _ in range(10)])  # ten blocks of 3 MiB, then given back
for _ in range(8):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_memory_is_used_again() -> None:
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 500  # of 7680 pages
