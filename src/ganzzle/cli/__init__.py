"""The command `ganzzle`: a table of commands, each imported only when it is called, so that `--help` is quick."""

from __future__ import annotations

import errno
import importlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from ganzzle import __version__
from ganzzle.errors import GanzzleError

__all__ = ["main"]


@dataclass(frozen=True)
class Command:
    """Where a command lives: a function with typer's annotations, or a whole typer app."""

    target: str  # "module:name"
    summary: str
    example: str
    extra: str = ""  # the optional dependencies it needs, as in pip install "ganzzle[extra]"


COMMANDS: dict[str, Command] = {
    "demo": Command(
        "ganzzle.cli.demo:demo",
        "Solve a sample picture and write a before-and-after picture.",
        "ganzzle demo",
    ),
    "solve": Command(
        "ganzzle.cli.solve:solve",
        "Solve a folder of pieces or a scrambled picture.",
        "ganzzle solve pieces/ --grid 8x8 --out solved.png",
    ),
    "shuffle": Command(
        "ganzzle.cli.shuffle:shuffle",
        "Make a puzzle from a picture.",
        "ganzzle shuffle photo.jpg --grid 8x8 --out pieces/",
    ),
    "evaluate": Command(
        "ganzzle.cli.evaluate:evaluate",
        "Measure solvers on many pictures.",
        "ganzzle evaluate --images photos/ --grid 6x6 --grid 12x12 --corrupt none --corrupt noise:0.1",
    ),
    "solvers": Command(
        "ganzzle.cli.solvers:solvers",
        "List the solvers with their weights, licences and scores.",
        "ganzzle solvers",
    ),
    "data": Command(
        "ganzzle.data.cli:app",
        "Prepare data: picture shards, splits, permutation files.",
        "ganzzle data permutations photos/ --out orders.csv --seed 0",
    ),
    "train": Command(
        "ganzzle.training.cli:train",
        "Train a network.",
        "ganzzle train hybrid --max-minutes 10",
        extra="train",
    ),
    "bench": Command(
        "ganzzle.benchmark.cli:app",
        "Reproduce the paper's tables and figures, and the classic benchmarks.",
        "ganzzle bench paper --images faces=pictures/ --limit 100",
        extra="bench",
    ),
    "serve": Command(
        "ganzzle.web.cli:serve",
        "Start the web page and the HTTP API on this machine.",
        "ganzzle serve --port 8000",
        extra="web",
    ),
}

# typer carries its own copy of click from some version on; its exceptions are reached the same way in all of them.
ClickError: Any = typer.BadParameter.__mro__[2]

INTERRUPTED = 130


class LazyGroup(TyperGroup):
    """Shows a stub of every command, and imports the real one when it is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, stub, rest = super().resolve_command(ctx, args)
        return name, stub if name is None else load_command(name), rest


def load_command(name: str) -> Any:
    """Import one command and make it ready to be invoked."""
    command = COMMANDS[name]
    module, _, attribute = command.target.partition(":")
    target = getattr(importlib.import_module(module), attribute)
    if not isinstance(target, typer.Typer):
        function, target = target, typer.Typer(add_completion=False)
        target.command(name, help=function.__doc__ or command.summary)(function)
    loaded = typer.main.get_command(target)
    loaded.epilog = f"Example: {command.example}"
    for each in (loaded, *getattr(loaded, "commands", {}).values()):
        _show_flags_without_values(each)
    return loaded


def _show_flags_without_values(command: Any) -> None:
    """Some versions of typer write <bool> after a flag, as if a value had to follow."""
    help_of = command.get_help_option

    def get_help_option(context: Any) -> Any:
        option = help_of(context)
        if option is not None:
            option.metavar = ""
        return option

    command.get_help_option = get_help_option
    for option in command.params:
        if getattr(option, "is_flag", False):
            option.metavar = ""


def make_app() -> typer.Typer:
    """The group of all commands, as stubs."""
    app = typer.Typer(
        cls=LazyGroup,
        add_completion=False,
        help="Give it a pile of pieces, get back the picture.",
        context_settings={"help_option_names": ["-h", "--help"]},  # all commands inherit them
    )

    @app.callback(invoke_without_command=True, epilog="Example: ganzzle demo")
    def group(
        ctx: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version.")
    ) -> None:
        if version:
            typer.echo(f"ganzzle {__version__}")
            raise typer.Exit
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())

    for name, command in COMMANDS.items():
        app.command(name, help=command.summary)(_stub)
    return app


def show_log() -> None:
    """Print what the package logs to whoever sits before the terminal."""
    import logging

    log = logging.getLogger("ganzzle")
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave: 0 done, 2 bad input with one line on stderr, 130 stopped by the user."""
    _prepare_streams()
    if "" not in sys.path:  # `python -m ganzzle` has it: a solver of one's own is found in the working folder
        sys.path.append("")
    if sys.stderr.isatty():
        show_log()
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _end)
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # Whoever read our output has closed it, or it is full; the interpreter must not try to flush it again.
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
        _show_flags_without_values(command)
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
    print("ganzzle: " + " ".join(message.split()), file=sys.stderr)
    return code


def _stub() -> None:
    """Never called: LazyGroup puts the real command in its place."""
