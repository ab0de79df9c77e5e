"""Many puzzles of one grid: the network looks at some of them at a time, and the cores assemble those it has seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from itertools import chain
from typing import TYPE_CHECKING

from ganzzle.board import shares
from ganzzle.cores import cores
from ganzzle.puzzle import Grid, Puzzle
from ganzzle.solvers.base import Arrangement
from ganzzle.solvers.hybrid.rules import Wear

if TYPE_CHECKING:
    from ganzzle.solvers.hybrid.sight import Sight
    from ganzzle.solvers.hybrid.solver import Hybrid

CPU_PIECES = 576  # pieces that go into the network at once on a CPU, which gains nothing from more
# Pairs of pieces that go into it at once on a GPU, whose memory goes with the tables of all pairs.
GPU_PAIRS = 64 * 144**2


def arrange_in_parts(hybrid: Hybrid, puzzles: Sequence[Puzzle], grid: Grid, seed: int) -> list[Arrangement]:
    """Arrange puzzles of one size. While a GPU looks at the next ones, the cores assemble those it has seen."""
    workers = min(cores(), len(puzzles))
    work: list[tuple[Sequence[int], Future[list[Arrangement]]]] = []
    with ThreadPoolExecutor(workers) as pool:

        def assemble(members: Sequence[int], sight: Sight) -> None:
            sight.wait()
            for part in shares(len(members), workers):
                some = [puzzles[k] for k in members[part]]
                work.append((members[part], pool.submit(hybrid.arrange_seen, some, sight, part, seed)))

        last: tuple[Sequence[int], Sight] | None = None
        for wear, members in _parts(hybrid, puzzles, grid, pool, workers):
            now = members, hybrid.eyes.look([puzzles[k] for k in members], wear)
            if last is not None:
                assemble(*last)
            last = now
            if hybrid.device.type == "cpu":  # the network and the assembler would get into each other's way
                assemble(*last)
                wait([done for _, done in work])
                last = None
        if last is not None:
            assemble(*last)
        arranged = {k: a for members, done in work for k, a in zip(members, done.result(), strict=True)}
    return [arranged[k] for k in range(len(puzzles))]


def _parts(
    hybrid: Hybrid, puzzles: Sequence[Puzzle], grid: Grid, pool: Executor, workers: int
) -> Iterator[tuple[Wear, list[int]]]:
    """(wear, numbers of the puzzles) for each run of the network: together go only puzzles of the same wear."""
    by_wear: dict[Wear, list[int]] = {}
    parts = [puzzles[part] for part in shares(len(puzzles), workers)]
    worn = pool.map(lambda some: [Wear.of(puzzle) for puzzle in some], parts)
    for k, wear in enumerate(chain.from_iterable(worn)):
        by_wear.setdefault(wear, []).append(k)
    most = CPU_PIECES // grid.slots if hybrid.device.type == "cpu" else GPU_PAIRS // grid.slots**2
    for wear, members in by_wear.items():
        size = max(1, min(hybrid.batch, most) // hybrid.eyes.looks_at(puzzles[0], wear))
        for start in range(0, len(members), size):
            yield wear, members[start : start + size]
