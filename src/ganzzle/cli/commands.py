"""The table of commands, and the app made of it: each command is imported only when it is called."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperGroup

from ganzzle import __version__


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
        "Solve a folder of pieces, a scrambled picture, or a scan of loose pieces.",
        "ganzzle solve pieces/ --grid 8x8 --out solved.png",
    ),
    "batch": Command(
        "ganzzle.cli.batch:batch",
        "Solve a folder of piles, a line of JSON for each.",
        "ganzzle batch piles/ --out answers/ --time-limit 60",
    ),
    "find": Command(
        "ganzzle.cli.find:find",
        "Say where on the picture of the box a piece goes.",
        "ganzzle find piece.jpg --in box.jpg --grid 20x25",
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
        "ganzzle.cli.data:app",
        "Prepare data: picture shards, splits, permutation files.",
        "ganzzle data permutations photos/ --out orders.csv --seed 0",
    ),
    "train": Command(
        "ganzzle.cli.train:train",
        "Train a network.",
        "ganzzle train hybrid --max-minutes 10",
        extra="train",
    ),
    "bench": Command(
        "ganzzle.cli.bench:app",
        "Reproduce the paper's tables and figures, and the classic benchmarks.",
        "ganzzle bench paper --images faces=pictures/ --limit 100",
        extra="bench",
    ),
    "serve": Command(
        "ganzzle.cli.serve:serve",
        "Start the web page and the HTTP API on this machine.",
        "ganzzle serve --port 8000",
        extra="web",
    ),
}


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
        each.help = unwrapped(each.help or "")
        name_values(each)
        for parameter in each.params:
            refuse_empty(parameter)
    return loaded


def unwrapped(text: str) -> str:
    """A docstring with every paragraph in one line: help is wrapped to the terminal, not to the source."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)


def refuse_empty(parameter: Any) -> None:
    """Refuse "", which no option means: as the name of a file it would be the working folder."""
    process = parameter.process_value

    def process_value(context: Any, value: Any) -> Any:
        if value == "" or (isinstance(value, list | tuple) and "" in value):
            raise typer.BadParameter(
                "it is empty; is a variable of your shell not set?", ctx=context, param=parameter
            )
        return process(context, value)

    parameter.process_value = process_value


def name_values(command: Any) -> None:
    """Write SEED after --seed and nothing after a flag, where some versions of typer write <int range> and <bool>."""
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
        elif option.metavar is None and option.name is not None:
            option.metavar = option.name.upper()


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


def _stub() -> None:
    """Never called: LazyGroup puts the real command in its place."""
