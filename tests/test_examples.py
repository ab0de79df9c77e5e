"""The examples run, and do what they say."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_every_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["every_use.py", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "every_use.py"))
    said = capsys.readouterr().out
    assert "a picture: 5x6" in said
    assert "by gallagher: 100% in place" in said
    assert "a pile: 5x6" in said
    assert (tmp_path / "jigsaw.png").is_file()
