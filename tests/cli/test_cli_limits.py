"""What one command may cost, and what it may print."""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from ganzzle.cli import console
from ganzzle.cli.limits import TimeLimitError, time_limit
from ganzzle.errors import printable
from ganzzle.reading.pictures import write_picture


def stubborn() -> None:
    """Work that catches whatever goes wrong in it."""
    with suppress(Exception):
        time.sleep(60)
    time.sleep(60)


def test_work_that_takes_too_long_is_given_up():
    start = time.monotonic()
    with pytest.raises(TimeLimitError, match="--time-limit"), time_limit(0.2):
        stubborn()
    assert time.monotonic() - start < 30


def import_and_wait(name: str) -> None:
    """What takes longer than a minute."""
    importlib.import_module(name)
    time.sleep(60)


def test_a_module_is_never_imported_by_half(tmp_path, monkeypatch):
    (tmp_path / "tardy.py").write_text("import time\ntime.sleep(0.6)\nwhole = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TimeLimitError), time_limit(0.2):
        import_and_wait("tardy")
    assert sys.modules["tardy"].whole


def test_work_in_time_is_not_disturbed():
    with time_limit(0.2):
        pass
    time.sleep(0.4)


def test_a_pile_is_given_up_in_one_line(command, pile):
    ran = command("solve", pile, "--time-limit", "0.1", "--json", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "--time-limit" in ran.err
    assert ran.err.count("\n") == 1


def test_a_picture_larger_than_allowed_is_refused_by_the_option_that_says_so(command, tmp_path, draw):
    large = write_picture(tmp_path / "large.png", draw(1000, 1100))
    ran = command("solve", large, "--megapixels", "1", "--json", "-")
    assert ran.code == 2
    assert "--megapixels" in ran.err
    assert "large.png" in ran.err


def test_names_do_nothing_to_a_terminal(command, tmp_path, photo):
    out = tmp_path / "clear\x1b[2J"
    ran = command("shuffle", photo, "--grid", "2x2", "--out", out)
    assert ran.code == 0
    assert "\x1b" not in ran.out + ran.err
    assert r"clear\x1b[2J" in ran.out
    assert printable("a\nb\u202ec é") == "a\\nb\\u202ec é"


def test_what_is_left_out_is_named_in_a_line_that_does_nothing_to_a_terminal(command, pile):
    (pile / "phone\x1b[2J.heic").write_bytes(b"no picture")
    ran = command("solve", pile, "--solver", "paikin-tal", "--json", "-")
    assert ran.code == 0
    (line,) = ran.err.splitlines()
    assert line.startswith("ganzzle: ")
    assert r"phone\x1b[2J.heic" in line


def test_where_nobody_sees_a_bar_a_word_is_said_from_time_to_time(monkeypatch, capsys):
    monkeypatch.setattr(console, "FIRST_WORD", 0.05)
    with console.progress("waiting"):
        time.sleep(0.5)
    said = capsys.readouterr().err.splitlines()
    assert 1 <= len(said) <= 4  # ever more rarely
    assert all("waiting, for" in line for line in said)


@pytest.mark.slow
def test_without_room_for_compiled_code_the_solution_is_there(pile, tmp_path):
    """A limit to the size of files is to the compiler as a full disk."""
    (tmp_path / "cache").mkdir()
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run(
        [sys.executable, "-m", "ganzzle", "solve", str(pile), "--solver", "paikin-tal", "--json", "-"],
        env=settings, capture_output=True, text=True, timeout=600,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["grid"] == [4, 6]
    assert ran.stderr.count("cannot be kept") == 1
