"""`ganzzle solve`: a pile of pieces, or a scrambled picture, becomes a picture."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ganzzle.cli.console import (
    DeviceOption,
    ForceOption,
    JsonOption,
    SeedOption,
    WeightsOption,
    check_outputs,
    how_many,
    how_sure,
    progress,
    speaker,
    warn,
    write_json,
)
from ganzzle.cli.mixed import mixed_lines, mixed_record, numbered
from ganzzle.cli.reading import Task, default_output, read_input, with_copies
from ganzzle.errors import PuzzleError

if TYPE_CHECKING:
    from ganzzle.puzzle import Solution

DOUBT = 0.5  # a piece below this confidence is named
NAMED_DOUBTS = 8


def solve(
    pile: Annotated[str, typer.Argument(metavar="INPUT", help="A folder of pieces, or a scrambled picture.")],
    grid: Annotated[
        str | None,
        typer.Option("--grid", metavar="RxC", help="Rows x columns. Default: found from the pieces."),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option("--solver", metavar="NAME", help="A name from ganzzle solvers. Default: the best."),
    ] = None,
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
    rotated: Annotated[
        bool, typer.Option("--rotated", help="Pieces may have been turned by quarter turns.")
    ] = False,
    puzzles: Annotated[
        int, typer.Option("--puzzles", min=1, metavar="K", help="How many puzzles are mixed in the pile.")
    ] = 1,
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
    weights: WeightsOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    force: ForceOption = False,
) -> None:
    """Put a pile of pieces together.

    INPUT is a folder of piece files, whose names and order do not matter, or a picture that is itself a scrambled grid.
    A puzzle.json beside the pieces is read only after solving, to print how many pieces are right.
    """
    from ganzzle.cli.advice import advice
    from ganzzle.pictures import check_ending, check_size, write_picture
    from ganzzle.puzzle import check_fill
    from ganzzle.solvers import load_solver
    from ganzzle.solvers.lost import solve_pile
    from ganzzle.trace import check_trace_ending, write_trace

    check_fill(fill)
    say = speaker(json)
    out = out or (default_output(pile) if json is None else None)
    pictures = [] if out is None else numbered(out, puzzles)
    traces = [] if trace is None else numbered(trace, puzzles)
    check_outputs(force, json, *pictures, *traces)
    for path in pictures:
        check_ending(path)
    for path in traces:
        check_trace_ending(path)
    task = read_input(pile, grid, missing, puzzles)
    if known := task.grid or task.puzzle.grid:
        height, width = task.puzzle.piece_size
        for path in pictures:
            check_size(path, known.rows * height, known.cols * width)
    options = ({"rotated": True} if rotated else {}) | ({} if weights is None else {"weights": weights})
    machine = load_solver(solver, device=device, **options)
    with progress(f"solving {len(task.puzzle)} pieces"):
        start = time.perf_counter()
        try:
            solutions = (
                [solve_pile(machine, task.puzzle, seed)]
                if puzzles == 1
                else machine.solve_mixed(task.puzzle, puzzles, seed, task.grid)
            )
        except PuzzleError as error:
            raise PuzzleError(with_copies(str(error), task)) from None
        seconds = time.perf_counter() - start
    if fill == "imagine" and all(solution.mental_image is None for solution in solutions):
        warn(f"{machine.name} has no mental image to fill empty slots from; they stay black")
    for path, solution in zip(traces, solutions, strict=False):
        write_trace(path, solution, force)
    for path, solution in zip(pictures, solutions, strict=False):
        write_picture(path, solution.picture(fill, even), force)
    if puzzles == 1:
        accuracy = score_with_truth(task, solutions[0])
        record, lines = (
            record_of(task, solutions[0], seconds, accuracy),
            report_lines(task, solutions[0], seconds, accuracy),
        )
    else:
        record, lines = mixed_record(task, solutions, seconds), mixed_lines(task, solutions, seconds)
    write_json(json, record, force)
    written = [path for paths in (pictures, traces) for path in paths[: len(solutions)]]
    written += [json] if json not in (None, "-") else []
    for line in [*lines, *(f"wrote {path}" for path in written)]:
        say(line)
    if puzzles == 1 and json != "-":  # the answer is out: this may take longer than solving did
        with progress("looking whether something else fits better"):
            hints = advice(machine, task, solutions[0], seed)
        for line in hints:
            say(line)


def score_with_truth(task: Task, solution: Solution) -> dict[str, float] | None:
    """Accuracies in per cent where the pieces' puzzle.json lies beside them; the solver never saw it."""
    from ganzzle.folders import TRUTH_FILE
    from ganzzle.metrics import score

    if solution.puzzle.truth is None:
        if task.folder is not None and (task.folder / TRUTH_FILE).is_file():
            warn(f"{task.folder / TRUTH_FILE} is not the truth of these pieces, so nothing is scored")
        return None
    result = score(solution)
    return {
        "direct": 100 * result.direct,
        "direct_interchangeable": 100 * result.direct_interchangeable,
        "neighbour": 100 * result.neighbour,
    }


def record_of(
    task: Task, solution: Solution, seconds: float, accuracy: dict[str, float] | None
) -> dict[str, Any]:
    """The answer for programs."""
    record = solution.to_json() | {"pieces": task.names, "seconds": round(seconds, 4)}
    return record if accuracy is None else record | {"accuracy": accuracy}


def report_lines(
    task: Task, solution: Solution, seconds: float, accuracy: dict[str, float] | None
) -> list[str]:
    """The answer for people."""
    height, width = task.puzzle.piece_size
    found = ", found" if task.grid is None else ""
    lost = solution.grid.slots - len(task.puzzle)
    gone = f"; {lost} {'is' if lost == 1 else 'are'} missing" if lost else ""
    lines = [
        f"{how_many(len(task.puzzle))} of {width}x{height} px, grid {solution.grid}{found}{gone}",
        f"solved by {solution.solver} in {seconds:.2f} s, {how_sure(solution)}{_doubts(task, solution)}",
    ]
    if accuracy is not None:
        same = accuracy["direct_interchangeable"]
        more = f" ({same:.1f} % with identical pieces interchangeable)" if same != accuracy["direct"] else ""
        lines.append(
            f"by puzzle.json: direct {accuracy['direct']:.1f} %{more}, neighbour {accuracy['neighbour']:.1f} %"
        )
    return lines


def _doubts(task: Task, solution: Solution) -> str:
    import numpy as np

    doubted = [int(k) for k in np.argsort(solution.confidence) if solution.confidence[k] < DOUBT]
    if not solution.confidence.any():
        return ""
    if not doubted:
        return "; it doubts no piece"
    named = ", ".join(
        f"{task.names[k]} ({100 * solution.confidence[k]:.0f} %)" for k in doubted[:NAMED_DOUBTS]
    )
    return f"; it doubts {len(doubted)}: {named}{', ...' if len(doubted) > NAMED_DOUBTS else ''}"
