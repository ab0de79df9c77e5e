"""The command `ganzzle`: running a command of the table, and what is said when something goes wrong."""

from __future__ import annotations

import errno
import io
import logging
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from ganzzle.cli.commands import COMMANDS, make_app, name_values
from ganzzle.errors import GanzzleError, printable

__all__ = ["main"]

# typer carries its own copy of click from some version on; its exceptions are reached the same way in all of them.
ClickError: Any = typer.BadParameter.__mro__[2]

INTERRUPTED = 130
# What may be wrong with a user's path.
UNUSABLE = errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ELOOP


class _Teller(logging.Handler):
    """Prints each message as a line on stderr that does nothing to a terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message of a record."""
        print(f"ganzzle: {printable(self.format(record))}", file=sys.stderr)


def show_log() -> None:
    """Print what the package logs: warnings, and for a user at a terminal also what goes on."""
    log = logging.getLogger("ganzzle")
    if not any(isinstance(handler, _Teller) for handler in log.handlers):
        log.addHandler(_Teller())
    if sys.stderr.isatty():
        log.setLevel(logging.INFO)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave: 0 done, 2 bad input with one line on stderr, 130 stopped by the user."""
    _prepare_streams()
    if "" not in sys.path:  # `python -m ganzzle` has it: a solver of one's own is found in the working folder
        sys.path.append("")
    show_log()
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _end)
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # The reader of our output has closed it, or the disk is full; the interpreter must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1 if isinstance(error, BrokenPipeError) else _complain(f"cannot print: {error.strerror}", 2)
    sys.exit(code)


def _prepare_streams() -> None:
    """What is printed goes nowhere if a stream is closed, and shows ? where it cannot show a letter."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, for as long as the process runs
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _end(number: int, _: object) -> None:
    """Leave in good order when told to, so that nothing half-written stays behind."""
    sys.exit(128 + number)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        command = typer.main.get_command(make_app())
        name_values(command)
        code = command.main(args=arguments, prog_name="ganzzle", standalone_mode=False)
    except GanzzleError as error:
        return _complain(str(error), 2)
    except ClickError as error:
        if not error.format_message().strip("."):  # a group without a command has shown its help
            return 2
        context = getattr(error, "ctx", None)
        name = "ganzzle" if context is None else context.command_path
        return _complain(f"{error.format_message().rstrip('.')} (see {name} --help)", 2)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("stopped", INTERRUPTED)
    except MemoryError:
        return _complain("there is not enough memory for this; use fewer or smaller pieces", 2)
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.errno == errno.ENOSPC:
            raise
        if error.filename is not None and error.errno in UNUSABLE:
            return _complain(f"{error.filename}: {error.strerror}", 2)
        return _blame(error)
    except Exception as error:
        if hint := _missing_extra(error, arguments):
            return _complain(hint, 2)
        return _blame(error)
    if code == INTERRUPTED:  # some versions of typer turn the interrupt into its exit code
        return _complain("stopped", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _blame(error: Exception) -> int:
    """Say whose mistake an error is: that of a solver of the user's own, or ours."""
    if os.environ.get("GANZZLE_DEBUG"):
        raise error
    ours = (str(Path(__file__).parents[1]), sys.prefix, sys.base_prefix)
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith((*ours, "<"))]
    if theirs:
        where = f"{theirs[-1].filename}, line {theirs[-1].lineno}"
        return _complain(f"{where}: {error!r}; GANZZLE_DEBUG=1 shows how it came to that", 2)
    return _complain(
        f"this is a mistake of the program, not yours: {error!r}; GANZZLE_DEBUG=1 shows where", 1
    )


def _missing_extra(error: Exception, arguments: Sequence[str] | None) -> str:
    """How to install what a command needs, if that is what went wrong; otherwise nothing."""
    name = next((a for a in arguments or sys.argv[1:] if a in COMMANDS), "")
    extra = COMMANDS[name].extra if name else ""
    if not extra or not isinstance(error, ModuleNotFoundError) or (error.name or "").startswith("ganzzle"):
        return ""
    return f"'ganzzle {name}' needs {error.name}, which is not installed; pip install 'ganzzle[{extra}]'"


def _complain(message: str, code: int) -> int:
    print("ganzzle: " + printable(" ".join(message.split())), file=sys.stderr)
    return code
