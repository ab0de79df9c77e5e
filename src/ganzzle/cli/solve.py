"""`ganzzle solve`: a pile of pieces, or a picture of them, becomes the picture."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from ganzzle.cli.console import progress, speaker, warn, write_json
from ganzzle.cli.laid import solve_laid
from ganzzle.cli.lid import read_lid
from ganzzle.cli.limits import MEGAPIXELS, MegapixelsOption, TimeLimitError, TimeLimitOption, time_limit
from ganzzle.cli.mixed import mixed_lines, mixed_record
from ganzzle.cli.options import DeviceOption, ForceOption, JsonOption, SeedOption, SolverOption, WeightsOption
from ganzzle.cli.outputs import Outputs
from ganzzle.cli.reading import (
    Task,
    check_megapixels,
    default_output,
    one_input,
    read_input,
    read_scans,
    with_copies,
)
from ganzzle.cli.report import (
    left_over_lines,
    other_ways,
    record_of,
    report_lines,
    score_with_truth,
    without_left_over,
)
from ganzzle.errors import PuzzleError
from ganzzle.pile import MOST_PUZZLES

if TYPE_CHECKING:
    from ganzzle.arrays import Pixels
    from ganzzle.solution import Answer
    from ganzzle.solvers import Solver


def solve(
    pile: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="A folder of pieces, a scrambled picture, or pages with loose pieces or strips.",
        ),
    ],
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="Rows x columns. Default: found from the pieces."),
    ] = None,
    solver: SolverOption = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="PNG", help="The solved picture. Default: INPUT-solved.png, or none with --json."
        ),
    ] = None,
    json: JsonOption = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Some pieces are missing; needs --grid.")
    ] = False,
    gap: Annotated[
        str | None,
        typer.Option(
            "--gap",
            metavar="PX|%",
            help="What is lost at each border of a piece: px, as 5, or a share of its place, as 10%. Default: found.",
        ),
    ] = None,
    rotated: Annotated[
        bool, typer.Option("--rotated", help="Pieces may have been turned by quarter turns.")
    ] = False,
    puzzles: Annotated[
        int | None,
        typer.Option(
            "--puzzles",
            min=1,
            max=MOST_PUZZLES,
            metavar="K",
            help="How many puzzles are mixed in the pile. Default: found.",
        ),
    ] = None,
    fill: Annotated[
        str,
        typer.Option(
            "--fill",
            metavar="HOW",
            help="How to show empty slots: black, or imagine (from the mental image).",
        ),
    ] = "black",
    even: Annotated[
        bool, typer.Option("--even", help="In the picture, level pieces that differ in brightness or colour.")
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="GIF", help="Write an animation of the pieces being placed."),
    ] = None,
    guide: Annotated[
        str | None,
        typer.Option(
            "--guide", metavar="PNG", help="Write the scan with row and column on every loose piece."
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", metavar="PICTURE", help="The picture on the box, as a phone sees it."),
    ] = None,
    weights: WeightsOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    megapixels: MegapixelsOption = MEGAPIXELS,
    limit: TimeLimitOption = None,
    force: ForceOption = False,
) -> None:
    """Put a pile of pieces together.

    INPUT is a folder of piece files, whose names and order do not matter, a picture that is itself a scrambled grid, or
    scans or photographs of loose pieces that lie apart on a plain ground, at any angle: tiles, jigsaw pieces with tabs,
    strips out of a shredder; several pages, or a folder of them. --guide then shows where to lay them.

    A puzzle.json beside the pieces is read only after solving, to print how many pieces are right.
    """
    from ganzzle.cli.advice import advice
    from ganzzle.solution import check_fill, of_tiles
    from ganzzle.solvers import load_solver
    from ganzzle.solving.gaps import gap_of

    check_fill(fill)
    say = speaker(json)
    out = out or (default_output(pile[0]) if json is None else None)
    count = puzzles or 1
    outputs = Outputs.named(out, trace, json, count, force, guide, sources=[*pile, weights, reference])
    outputs.check_names()
    check_megapixels(pile, megapixels)
    with time_limit(limit):
        lid = None if reference is None else read_lid(reference, count)
        if scans := read_scans(pile, grid, puzzles):
            if lid is not None:
                warn("a reference helps with tiles alone so far; find says where other pieces lie on it")
            solve_laid(scans.pile, scans.complaints, outputs, seed)
            return
        task = read_input(one_input(pile), grid, missing, count)
        if gap is not None:
            share = gap_of(gap, min(task.puzzle.piece_size))
            task = replace(task, puzzle=replace(task.puzzle, gap=share))
        outputs.check_sizes(task)
        rotated = rotated or (task.loose is not None and task.loose.turned)
        options = ({"rotated": True} if rotated else {}) | ({} if weights is None else {"weights": weights})
        machine = load_solver(solver, device=device, **options)
        if gap is not None and not machine.sees_wear:
            warn(f"{machine.name} takes no gap; it compares the borders as they are")
        answer = _answer(machine, task, puzzles, seed, lid)
    solutions, seconds = of_tiles(answer, task.puzzle), answer.seconds
    if len(solutions) > count:
        count = len(solutions)
        task, outputs = replace(task, puzzles=count), outputs.numbered(count)
    with_holes = [one for one in solutions if len(one.puzzle) < one.grid.slots]
    if fill == "imagine" and any(one.mental_image is None for one in with_holes):
        warn(f"{machine.name} has no mental image to fill empty slots from; they stay black")
    outputs.write_pictures(task, solutions, fill, even)
    outputs.write_guides(task, solutions)
    if count == 1:
        whole, task = task, without_left_over(task, solutions[0])
        accuracy = score_with_truth(task, solutions[0])
        record = record_of(whole, solutions[0], seconds, accuracy)
        lines = report_lines(task, solutions[0], seconds, accuracy) + left_over_lines(whole, solutions[0])
    else:
        record, lines = mixed_record(task, solutions, seconds), mixed_lines(task, solutions, seconds)
    write_json(json, record, force)
    lines += [*answer.advice, *other_ways(answer)]
    for line in [*lines, *(f"wrote {path}" for path in outputs.written(len(solutions)))]:
        say(line)
    if count == 1 and json != "-" and lid is None:  # the answer is out: this may take longer than solving did
        with (
            suppress(TimeLimitError),
            time_limit(limit),
            progress("looking whether something else fits better"),
        ):
            for line in advice(machine, task, solutions[0], seed):
                say(line)


def _answer(machine: Solver, task: Task, puzzles: int | None, seed: int, lid: Pixels | None) -> Answer:
    """The answer to the pile of a task; how many puzzles it holds may have been said, and there may be a lid."""
    from ganzzle.pile import Pile
    from ganzzle.solving.loop import solve

    puzzle = task.puzzle
    pile = Pile(
        puzzle.pieces, task.grid or puzzle.grid, puzzles, machine.rotated or None, gap=puzzle.gap, reference=lid,
        name=puzzle.name, sizes=puzzle.sizes, rim=puzzle.rim,
    )  # fmt: skip
    with progress(f"solving {len(puzzle)} pieces"):
        try:
            return solve(pile, machine, seed)
        except PuzzleError as error:
            raise PuzzleError(with_copies(str(error), task)) from None
