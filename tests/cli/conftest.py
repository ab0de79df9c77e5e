"""A picture, its pile of pieces, and a quick solve, for the tests of the commands."""

from __future__ import annotations

import pytest

from ganzzle.reading.pictures import write_picture


@pytest.fixture
def photo(tmp_path, draw):
    """A picture of 160 x 240 px."""
    return write_picture(tmp_path / "photo.png", draw(160, 240, 4))


@pytest.fixture
def pile(tmp_path, command, photo):
    """A folder of 4 x 6 pieces of it."""
    assert command("shuffle", photo, "--grid", "4x6", "--out", tmp_path / "pile").code == 0
    return tmp_path / "pile"


@pytest.fixture
def solve(command):
    """`ganzzle solve` by a quick solver."""

    def run(*arguments):
        named = [] if "--solver" in arguments else ["--solver", "paikin-tal"]
        return command("solve", *arguments, *named)

    return run
