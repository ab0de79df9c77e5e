"""What the commands share: progress bars, and printing for people and for programs."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ganzzle.errors import printable

if TYPE_CHECKING:
    from ganzzle.files import PathName
    from ganzzle.solution import LaidSolution, Solution

Advance = Callable[[int], None]
FIRST_WORD = (
    30.0  # seconds after which a log hears that something goes on; then after twice as many, and so on
)


def speaker(json_target: str | None) -> Callable[[str], None]:
    """A function that prints a line for people, and nothing where JSON is printed on stdout."""
    return (lambda line: None) if json_target == "-" else tell


def tell(line: str, err: bool = False) -> None:
    """Print a line on stdout, or on stderr."""
    print(printable(line), file=sys.stderr if err else sys.stdout)


def warn(message: str) -> None:
    """Print on stderr what is worth knowing and no error."""
    print(f"ganzzle: {printable(message)}", file=sys.stderr)


def write_json(target: str | None, record: Any, force: bool = False) -> None:
    """Print a record on stdout ("-") or write it to a file; do nothing when no target was given."""
    from ganzzle.files import write_whole

    if target is None:
        return
    text = json.dumps(record, indent=1) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        write_whole(target, lambda file: file.write(text.encode()), force)


def check_outputs(force: bool, *targets: str | None, inputs: Iterable[PathName | None] = ()) -> None:
    """Refuse outputs that exist, or that are one and the same, before any work is done. The files they are made of,
    `inputs`, are not even overwritten by force, by whatever name, link or case they are called."""
    from ganzzle.errors import PictureError
    from ganzzle.files import check_free, is_one_of, same_place

    files = [target for target in targets if target is not None and target != "-"]
    read = [source for source in inputs if source is not None]
    for target in files:
        if is_one_of(target, read):
            raise PictureError(f"{target} is the input itself, or a part of it; give the output another name")
        check_free(target, force)
    if any(same_place(one, other) for one, other in combinations(files, 2)):
        raise PictureError(f"two outputs have one name ({', '.join(files)}); give each a name of its own")


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Advance]:
    """A progress bar on stderr while something takes its time, on a terminal only. Yields a function to advance it."""
    if not sys.stderr.isatty():
        with _words(label):
            yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = [TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()]
    if total is not None:
        columns = [*columns[:2], MofNCompleteColumn(), TimeRemainingColumn(compact=True)]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(label, total=total)
        yield lambda count: bars.advance(task, count)


@contextmanager
def _words(label: str) -> Iterator[None]:
    """Say from time to time, where nobody sees a bar, that something still goes on."""
    ended, start = threading.Event(), time.monotonic()

    def speak() -> None:
        pause = FIRST_WORD
        while not ended.wait(pause):
            warn(f"{label}, for {time.monotonic() - start:.0f} s so far")
            pause *= 2

    threading.Thread(target=speak, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def print_table(columns: list[str], rows: list[list[str]]) -> None:
    """Print a table; columns whose cells are numbers are right-aligned."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    # Where nobody looks (a pipe, a log) nothing needs to be squeezed into a terminal's width.
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0 if console.width < 100 else 1), show_edge=False)
    for k, name in enumerate(columns):
        numeric = bool(rows) and all(row[k].replace(".", "").isdigit() for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    console.print(table)


def how_sure(solution: Solution | LaidSolution) -> str:
    """The mean confidence; a hundred per cent only where nothing is left to doubt."""
    if not solution.confidence.any():
        return "which does not say how sure it is"
    sure = float(solution.confidence.mean())
    return f"{100 if sure >= 1 else min(round(100 * sure), 99)} % sure on average"


def how_many(pieces: int, what: str = "piece") -> str:
    """ "1 piece", "64 pieces"."""
    return f"{pieces} {what}{'' if pieces == 1 else 's'}"
