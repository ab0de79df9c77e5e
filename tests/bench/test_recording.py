"""A recorded command says what was done, not where."""

from __future__ import annotations

from ganzzle.bench.recording import recorded


def test_places_and_flags_are_left_out_with_their_values():
    arguments = [
        "bench",
        "all",
        "--out",
        "/far/away",
        "--suite",
        "paper",
        "--results=x",
        "--resume",
        "--set",
        "a=[1, 2]",
    ]
    assert (
        recorded(arguments, ("--out", "--results"), ("--resume",))
        == "ganzzle bench all --suite paper --set 'a=[1, 2]'"
    )


def test_a_value_that_looks_like_an_option_goes_with_it():
    assert (
        recorded(["train", "--out", "--resume", "c.toml"], ("--out",), ("--resume",))
        == "ganzzle train c.toml"
    )
