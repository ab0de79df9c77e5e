"""The README is true: its commands and options exist, and its Python runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ganzzle.cli.commands import COMMANDS
from ganzzle.reading.pictures import read_picture, write_picture

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


LINES = [shlex.split(line, comments=True) for block in blocks("sh") for line in block.splitlines()]


def test_every_file_it_points_to_is_there():
    for target in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("words", [w for w in LINES if w[:1] == ["ganzzle"]], ids=" ".join)
def test_every_command_and_option_exists(command, words):
    assert words[1] in COMMANDS
    shown = command(words[1], "--help").out
    for word in words:
        if word.startswith("--"):
            assert word in shown


def test_every_make_target_exists():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    wanted = {words[1] for words in LINES if words[:1] == ["make"]}
    assert wanted
    assert wanted <= targets


def test_the_python_example_runs(tmp_path, monkeypatch, draw, capsys):
    monkeypatch.chdir(tmp_path)
    write_picture("photo.jpg", draw(160, 160))
    (example,) = blocks("python")
    exec(compile(example, "README.md", "exec"), {})
    assert read_picture("solved.png").shape == (160, 160, 3)
    assert capsys.readouterr().out.strip().endswith("1.0")
