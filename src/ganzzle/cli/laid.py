"""`ganzzle solve` for strips and cut pieces: what it writes and says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ganzzle.cli.console import how_many, how_sure, progress, speaker, warn, write_json
from ganzzle.cli.mixed import numbered
from ganzzle.cli.outputs import Outputs
from ganzzle.errors import PuzzleError

if TYPE_CHECKING:
    from ganzzle.arrays import Floats
    from ganzzle.pile import Pile
    from ganzzle.solution import Answer, LaidSolution

DOUBT = 0.5  # a piece below this confidence is named
NAMED = 8  # pieces that are named at most
WORDS = {"cut": "cut piece", "strips": "strip"}


def solve_laid(pile: Pile, complaints: Sequence[str], outputs: Outputs, seed: int) -> None:
    """Solve a pile of strips or cut pieces, write the outputs, and say what came out."""
    from ganzzle.drawing.film import write_trace
    from ganzzle.drawing.page_guide import page_guides
    from ganzzle.reading.pictures import write_picture
    from ganzzle.solving.loop import solve

    guides = guide_names(outputs.guides, pile)
    with progress(f"solving {how_many(len(pile), WORDS[pile.kind])}"):
        answer = solve(pile, seed=seed)
    if not answer.solutions:
        raise PuzzleError(f"{pile.name}: no two of {how_many(len(pile), WORDS[pile.kind])} fit together")
    count = len(answer.solutions)
    pictures, traces = (names_for(names, count) for names in (outputs.pictures, outputs.traces))
    outputs.check(*pictures, *traces, *guides, outputs.json)
    for path, solution in zip(pictures, answer.laid, strict=False):
        write_picture(path, solution.picture(), outputs.force)
    for path, solution in zip(traces, answer.laid, strict=False):
        write_trace(path, solution, outputs.force)
    if guides:
        for path, sheet in zip(guides, page_guides(answer), strict=True):
            write_picture(path, sheet, outputs.force)
    write_json(outputs.json, laid_record(answer), outputs.force)
    say = speaker(outputs.json)
    for line in complaints:
        warn(line)
    written = [*pictures, *traces, *guides, *([outputs.json] if outputs.json not in (None, "-") else [])]
    for line in [*laid_lines(answer), *answer.advice, *(f"wrote {path}" for path in written)]:
        say(line)


def names_for(names: Sequence[str], count: int) -> list[str]:
    """A name for each of `count` solutions: those that were given, or numbered ones where there is but one."""
    return numbered(names[0], count) if len(names) == 1 else list(names)


def guide_names(names: Sequence[str], pile: Pile) -> list[str]:
    """A name for each page of a guide."""
    if not names:
        return []
    if not 0 < len(pile.pages) < len(pile):
        raise PuzzleError(
            "--guide is for pages that pieces lie on together: it shows where each of them goes"
        )
    path = Path(names[0])
    if len(pile.pages) == 1:
        return [str(path)]
    return [str(path.with_name(f"{path.stem}-{k}{path.suffix}")) for k in range(1, len(pile.pages) + 1)]


def laid_record(answer: Answer) -> dict[str, Any]:
    """The answer for programs: for every piece its slot (-1: left over), page, corners in it and angle."""
    pile = answer.pile
    count = len(pile)
    corners, angles = np.zeros((count, 4, 2)), np.zeros(count)
    for solution in answer.laid:
        corners[solution.members], angles[solution.members] = slot_corners(solution), solution.angles
    grids = [[one.grid.rows, one.grid.cols] for one in answer.solutions]
    record: dict[str, Any] = {"solver": answer.solutions[0].solver, "kind": pile.kind, "grid": grids[0]}
    if len(grids) > 1:
        record |= {"grids": grids, "puzzle": answer.puzzles.tolist()}
    names = pile.names or tuple(piece.name for piece in pile.cut_pieces)
    return record | {
        "pieces": list(names),
        "placement": answer.placement.tolist(),
        "turns": answer.turns.tolist(),
        "confidence": [round(float(c), 4) for c in answer.confidence],
        "left_over": [names[k] for k in answer.left_over.tolist()],
        "page": [piece.page for piece in pile.cut_pieces],
        "corners": corners.round(1).tolist(),
        "angle": angles.round(2).tolist(),
        "seconds": round(answer.seconds, 4),
    }


def slot_corners(solution: LaidSolution) -> Floats:
    """(n, 4, 2) x and y, on its page, of the corners of each piece's slot: clockwise from the upper left one as the
    piece lies in the picture."""
    height, width = solution.size[0] / solution.grid.rows, solution.size[1] / solution.grid.cols
    row, col = np.divmod(solution.placement, solution.grid.cols)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    slots = (np.stack([col, row], 1)[:, None] + square) * [width, height]
    back = np.linalg.inv(solution.poses[:, :, :2])
    own = np.einsum("nij,nkj->nki", back, slots - solution.poses[:, None, :, 2])
    offsets = np.array([piece.corner for piece in solution.puzzle.cut_pieces])
    return own + offsets[:, None]


def laid_lines(answer: Answer) -> list[str]:
    """The answer for people."""
    pile = answer.pile
    word = WORDS[pile.kind]
    pages = len({piece.page for piece in pile.cut_pieces})
    where = f" on {pages} pages" if 1 < pages < len(pile) else ""
    lines = [f"{how_many(len(pile), word)}{where}, solved in {answer.seconds:.1f} s"]
    several = len(answer.solutions) > 1
    for k, solution in enumerate(answer.laid, 1):
        missing = solution.grid.slots - len(solution.members)
        gone = f"; {missing} {'is' if missing == 1 else 'are'} missing" if missing else ""
        name = f"puzzle {k}: {how_many(len(solution.members))}, " if several else ""
        grid = "" if pile.kind == "strips" else f"grid {solution.grid}{gone}, "
        lines.append(f"{name}{grid}{how_sure(solution)}{_doubts(answer, solution)}")
    if len(answer.left_over):
        lines.append(f"left over: {_named(answer, answer.left_over.tolist())}")
    return lines


def _doubts(answer: Answer, solution: LaidSolution) -> str:
    doubted = [
        int(solution.members[k])
        for k in np.argsort(solution.confidence, kind="stable")
        if solution.confidence[k] < DOUBT
    ]
    return f"; it doubts {len(doubted)}: {_named(answer, doubted)}" if doubted else "; it doubts no piece"


def _named(answer: Answer, pieces: Sequence[int]) -> str:
    """What some pieces of a pile are called, and on which page they lie."""
    names = answer.pile.names or tuple(piece.name for piece in answer.pile.cut_pieces)
    pages = len({piece.page for piece in answer.pile.cut_pieces})
    some = [
        f"{names[k]} (page {answer.pile.cut_pieces[k].page + 1})" if 1 < pages < len(names) else names[k]
        for k in pieces[:NAMED]
    ]
    return ", ".join(some) + (", ..." if len(pieces) > NAMED else "")
