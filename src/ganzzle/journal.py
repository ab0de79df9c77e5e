"""A file of JSON lines that a long run adds to, so that one that was stopped goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from ganzzle.errors import GanzzleError
from ganzzle.files import check_can_be_made, open_file, write_whole

Line = dict[str, Any]


class Journal:
    """The lines of a file, by the text that each has under "key"; the last line of a key counts.

    A light one remembers the keys alone: of a million lines the rest would not fit into memory.
    """

    def __init__(
        self, path: Path, keep: Callable[[Line], bool] = lambda line: True, light: bool = False
    ) -> None:
        """Read what is there; lines that are not to be kept are dropped from the file."""
        self.path, self.light = path, light
        self.lines: dict[str, Line] = {}
        check_can_be_made(path)
        if not path.exists():
            return
        whole, dropped = 0, False
        for raw, line in self._read():
            whole += len(raw)
            if keep(line):
                self.lines[line["key"]] = {} if light else line
            else:
                dropped = True
        if dropped:
            write_whole(path, lambda file: self._copy(file, keep), force=True)
        elif whole < path.stat().st_size:  # after the last line end: a line cut short
            os.truncate(path, whole)

    def __contains__(self, key: str) -> bool:
        return key in self.lines

    def add(self, line: Line) -> None:
        """Write a line to the end of the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.lines[line["key"]] = {} if self.light else line

    def _read(self) -> Iterator[tuple[bytes, Line]]:
        """The whole lines of the file, as bytes and read."""
        with open_file(self.path) as file:
            for raw in file:
                if raw.endswith(b"\n"):
                    yield raw, _record(self.path, raw)

    def _copy(self, file: IO[bytes], keep: Callable[[Line], bool]) -> None:
        for raw, line in self._read():
            if keep(line):
                file.write(raw)


def _record(path: Path, line: bytes) -> Line:
    try:
        record: Line = json.loads(line)
        if isinstance(record["key"], str):
            return record
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise GanzzleError(f"{path} is not what this command writes; move it away, or give another --out")
