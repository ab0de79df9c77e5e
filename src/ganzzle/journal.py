"""A file of JSON lines that a long run adds to, so that one that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ganzzle.errors import GanzzleError
from ganzzle.files import check_can_be_made, write_whole

Line = dict[str, Any]


class Journal:
    """The lines of a file, by the text that each has under "key"; the last line of a key counts."""

    def __init__(self, path: Path, keep: Callable[[str], bool] = lambda key: True) -> None:
        """Read what is there; lines whose key is not to be kept are dropped from the file."""
        self.path = path
        check_can_be_made(path)
        lines = path.read_bytes().split(b"\n") if path.is_file() else []
        read = [_read(path, line) for line in lines[:-1] if line]  # after the last line end: one cut short
        self.lines = {line["key"]: line for line in read if keep(line["key"])}
        if lines[-1:] not in ([], [b""]) or len(self.lines) < len(read):
            text = "".join(map(_text, self.lines.values())).encode()
            write_whole(path, lambda file: file.write(text), force=True)

    def __contains__(self, key: str) -> bool:
        return key in self.lines

    def add(self, line: Line) -> None:
        """Write a line to the end of the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(_text(line))
        self.lines[line["key"]] = line


def _text(line: Line) -> str:
    return json.dumps(line) + "\n"


def _read(path: Path, line: bytes) -> Line:
    try:
        record: Line = json.loads(line)
        if isinstance(record["key"], str):
            return record
    except (ValueError, KeyError, TypeError):
        pass
    raise GanzzleError(f"{path} is not what this command writes; move it away, or give another --out")
