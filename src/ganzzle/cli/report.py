"""What `ganzzle solve` tells about one puzzle: a record for programs, lines for people."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ganzzle.cli.console import how_many, how_sure, warn
from ganzzle.cli.reading import Task
from ganzzle.errors import PuzzleError

if TYPE_CHECKING:
    from ganzzle.solution import Answer, Solution

LIKELY = 0.1  # belief in a runner-up that is worth a line
DOUBT = 0.5  # a piece below this confidence is named
NAMED_DOUBTS = 8


def other_ways(answer: Answer) -> list[str]:
    """A line on what else the pile may be, where that is not far behind."""
    likely = [other for other in answer.runners_up if other.share >= LIKELY]
    if not likely:
        return []
    ways = ", ".join(f"{other.says} ({100 * other.share:.0f} %: {other.option})" for other in likely)
    return [f"it may also be {ways}"]


def without_left_over(task: Task, solution: Solution) -> Task:
    """The task of the pieces that were not left over."""
    if solution.left_over is None:
        return task
    names = [task.names[k] for k in solution.members]
    return replace(task, puzzle=solution.puzzle, names=names)


def left_over_lines(task: Task, solution: Solution) -> list[str]:
    """A line each for copies, and for pieces that do not belong."""
    from ganzzle.solving.piles import copies_in

    left = () if solution.left_over is None else solution.left_over
    copies = set(copies_in(task.puzzle.pieces).tolist()) if len(left) else set()
    lines = []
    for twice, why in ((True, "a copy of another"), (False, "not of this picture")):
        names = [task.names[k] for k in left if (k in copies) == twice]
        if names:
            lines.append(f"left over, {why}: {', '.join(names)}")
    return lines


def score_with_truth(task: Task, solution: Solution) -> dict[str, float] | None:
    """Accuracies in per cent where the pieces' puzzle.json lies beside them; the solver never saw it."""
    from ganzzle.metrics import score
    from ganzzle.reading.folders import TRUTH_FILE, read_truth

    if solution.left_over is not None and task.folder is not None:
        with suppress(PuzzleError):  # it belongs to other pieces
            known = replace(solution.puzzle, truth=read_truth(task.folder, task.names))
            solution = replace(solution, puzzle=known)
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
    """The answer for programs: pieces that were left over have the slot -1."""
    from ganzzle.solving.piles import record_of_pile

    record = record_of_pile(solution)
    left = [task.names[k] for k in record["left_over"]]
    record |= {"pieces": task.names, "left_over": left, "seconds": round(seconds, 4)}
    if task.loose is not None:
        record["corners"] = task.loose.corners.round(1).tolist()
    return record if accuracy is None else record | {"accuracy": accuracy}


def report_lines(
    task: Task, solution: Solution, seconds: float, accuracy: dict[str, float] | None
) -> list[str]:
    """The answer for people."""
    height, width = task.piece_size
    what = how_many(len(task.puzzle)) if task.loose is None else how_many(len(task.puzzle), "loose piece")
    found = ", found" if task.grid is None else ""
    lost = solution.grid.slots - len(task.puzzle)
    smaller = "" if task.puzzle.sizes is None else ", the last ones smaller"
    gone = f"; {lost} {'is' if lost == 1 else 'are'} missing" if lost else ""
    lines = [
        f"{what} of {width}x{height} px{smaller}, grid {solution.grid}{found}{gone}",
        f"solved by {solution.solver} in {seconds:.2f} s, {how_sure(solution)}{_doubts(task, solution)}",
    ]
    if solution.gap:
        lines.append(f"about {100 * solution.gap:.0f} % of each piece is lost at every border")
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
