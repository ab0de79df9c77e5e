"""`ganzzle solve --puzzles K`: several puzzles in one pile, one picture each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ganzzle.cli.console import how_many, how_sure
from ganzzle.cli.reading import Task

if TYPE_CHECKING:
    from ganzzle.solution import Solution


def numbered(out: str, puzzles: int) -> list[str]:
    """One name a puzzle: solved.png -> solved-1.png, solved-2.png; a single puzzle keeps the name."""
    if puzzles == 1:
        return [out]
    path = Path(out)
    return [str(path.with_name(f"{path.stem}-{k}{path.suffix}")) for k in range(1, puzzles + 1)]


def mixed_record(task: Task, solutions: list[Solution], seconds: float) -> dict[str, Any]:
    """For every piece of the pile the puzzle it belongs to (-1: none), its slot there, turns and confidence."""
    count = len(task.puzzle)
    puzzle, placement, turns, confidence = [-1] * count, [-1] * count, [0] * count, [0.0] * count
    for k, solution in enumerate(solutions):
        for i, piece in enumerate(solution.members):
            puzzle[piece], placement[piece] = k, int(solution.placement[i])
            turns[piece], confidence[piece] = int(solution.turns[i]), round(float(solution.confidence[i]), 4)
    return {
        "solver": solutions[0].solver,
        "grids": [[solution.grid.rows, solution.grid.cols] for solution in solutions],
        "pieces": task.names,
        "puzzle": puzzle,
        "placement": placement,
        "turns": turns,
        "confidence": confidence,
        "seconds": round(seconds, 4),
    }


def mixed_lines(task: Task, solutions: list[Solution], seconds: float) -> list[str]:
    """The answer for people: a line for the pile, a line for each puzzle."""
    height, width = task.puzzle.piece_size
    found = f"{task.puzzles} puzzles"
    if len(solutions) < task.puzzles:
        found = f"{len(solutions)} of {found} found"
    head = f"{how_many(len(task.puzzle))} of {width}x{height} px, {found}"
    lines = [f"{head}, solved by {solutions[0].solver} in {seconds:.2f} s"]
    for k, solution in enumerate(solutions, 1):
        lines.append(
            f"puzzle {k}: {how_many(len(solution.puzzle))}, grid {solution.grid}, {how_sure(solution)}"
        )
    return lines
