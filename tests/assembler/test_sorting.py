"""The order of numbers is the one that numba's own sort gives, equal numbers included."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ganzzle.assembler.sorting import falling


@numba.njit
def by_numba(values):
    return np.argsort(-values)


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.integers(-20, 20) | st.just(-np.inf), max_size=200))
def test_it_is_the_order_of_numba(numbers):
    values = np.array(numbers, np.float32)
    assert np.array_equal(falling(values), by_numba(values))


@pytest.mark.parametrize("count", [15, 16, 1000, 20000])
@pytest.mark.parametrize("kind", ["random", "rising", "falling", "alike", "organ"])
def test_long_lists(count, kind):
    rng = np.random.default_rng(count)
    values = {
        "random": rng.normal(size=count),
        "rising": np.arange(count),
        "falling": -np.arange(count),
        "alike": np.zeros(count),
        "organ": np.abs(np.arange(count) - count / 2),
    }[kind].astype(np.float32)
    order = falling(values)
    assert np.array_equal(order, by_numba(values))
    assert (np.diff(values[order]) <= 0).all()
