"""Tiles with the picture on the box: what it says of slots is one more source for the board.

A lid may show the grid in several ways: of a cropped one nobody knows at which end the rows lie that are not on it. The
board that fits best, seams and lid together, decides. A lid that says less of the board than chance would is of another
picture, and is not followed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.arrays import Floats, Ints
from ganzzle.board import Assembly, assemble_batch
from ganzzle.board.by_pixels import piece_potentials
from ganzzle.board.lap import assign
from ganzzle.damage.corruption import twin_groups
from ganzzle.damage.wear import wear_width
from ganzzle.errors import SolverError
from ganzzle.grid import Grid
from ganzzle.lid.looking import Lid
from ganzzle.lid.odds import slot_odds
from ganzzle.lid.registering import Tiles, registered
from ganzzle.pieces import turn_pieces
from ganzzle.pile import Pile
from ganzzle.puzzle import Puzzle
from ganzzle.seams.tables import pseudo_pieces
from ganzzle.solution import Solution
from ganzzle.solvers.assembler import Assembler, arrangement_of
from ganzzle.solvers.base import Arrangement, Solver, canonical_order
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.confidence import board_fit, confidence, placement_evidence
from ganzzle.solvers.hybrid.mixing import mixed
from ganzzle.solvers.hybrid.rules import LEAST, Wear, classical_weight, search_effort

Table = NDArray[np.float32]

WEIGHT = 1.0  # of the lid's say against the seams'
NEARLY = 0.7  # ways to lay the grid on the lid that are worth this share of the best one are tried, too
TRIED = 5  # of them, at most
# A lid is believed by the logarithm of how much likelier than by chance it finds the tiles in their slots, and by what
# the way is worth that it shows the grid; wrong lids of few tiles find more by chance. Fitted on training pictures.
USUAL_WORTH, BELIEVED = 2.5, 0.5
LEAST_SHOWN = 0.3  # share of the tiles whose slots a lid must show
LARGEST = 1600  # slots up to which a lid is looked at
SHAPE = 0.25  # logarithm by which the shape of the lid may differ from that of the grid
LOST = 0.25  # share of the tiles that may be missing from an unknown grid
SURE = 2.0  # belief from which on no other grid is tried
TURNS = 3  # times, at most, that tiles are turned again after they were placed
OTHER_PICTURE = "the reference shows another picture than the pieces; it was not followed"


class Sources(NamedTuple):
    """Log-potentials of n upright tiles without the lid."""

    slots: Table  # (n, S)
    right: Table  # (n, n)
    down: Table  # (n, n)
    border: Table  # (n, 4)


class Laid(NamedTuple):
    """A board found with the lid."""

    assembly: Assembly
    grid: Grid
    turns: Ints  # (n,)
    lid: Table  # (n, S) of the tiles as they are turned
    seen: Floats  # (n,) log-odds of each tile in its slot against chance; NaN where the lid does not show it
    worth: float  # of the way in which the lid shows the grid
    sources: Sources

    @property
    def worth_of_board(self) -> float:
        """What seams and lid say of the board; of tiles in slots that it does not show the lid says nothing."""
        placed = self.lid[np.arange(len(self.seen)), self.assembly.placement]
        lid = float(np.nansum(self.seen) - placed.sum()) + self.worth * len(placed)
        return self.assembly.energy + WEIGHT * lid

    @property
    def belief(self) -> float:
        """How much the lid is to be believed."""
        there = np.isfinite(self.seen)
        if there.mean() < LEAST_SHOWN:
            return -np.inf
        return float(self.seen[there].mean()) + self.worth * float(np.sqrt(len(there))) - USUAL_WORTH


def solve_with_reference(machine: Solver, pile: Pile, seed: int = 0) -> Solution | None:
    """The solution of a pile of tiles that has a reference; None where that shows another picture."""
    assert pile.reference is not None
    if not isinstance(machine, Hybrid | Assembler):
        raise SolverError(f"solver '{machine.name}' does not look at references; use hybrid or assembler")
    order = canonical_order(pile.tiles, seed)
    tiles = with_gap(Puzzle(pile.tiles[order], rim=pile.rim).bare_pieces, pile.gap or 0.0)
    found: Laid | None = None
    for quarter in (0,) if pile.turned else (0, 2, 1, 3):
        lid = Lid.of(np.ascontiguousarray(np.rot90(pile.reference, quarter)))
        for grid in grids_for(pile, lid):
            one = _laid(machine, tiles, lid, grid, bool(pile.turned), seed)
            if one is not None and (found is None or one.belief > found.belief):
                found = one
            if found is not None and found.belief > SURE and len(tiles) == found.grid.slots:
                break
        if found is not None and found.belief > BELIEVED:
            break
    if found is None or found.belief <= BELIEVED:
        return None
    bare = Puzzle(pile.tiles, found.grid, name=pile.name, rim=pile.rim)
    solution = machine.in_arrival_order(bare, order, arrangement(machine, tiles, found))
    return replace(solution, puzzle=replace(bare, grid=pile.grid))


def with_gap(tiles: NDArray[np.uint8], gap: float) -> NDArray[np.uint8]:
    """Tiles (n, h, w, 3) with a black rim in the place of a gap that is not shown, a share of their shorter side."""
    px = round(gap * min(tiles.shape[1:3]))
    return np.ascontiguousarray(np.pad(tiles, ((0, 0), (px, px), (px, px), (0, 0))))


def grids_for(pile: Pile, lid: Lid) -> list[Grid]:
    """The grid of a pile, or where it is not known those of about the lid's shape: first those that its tiles fill."""
    count, (height, width) = len(pile), pile.tiles.shape[1:3]
    if pile.grid is not None:
        return [pile.grid] if count <= pile.grid.slots <= LARGEST else []
    most = count if pile.complete else count + max(3, int(LOST * count))
    wanted = np.log(lid.size[1] / lid.size[0])
    either = pile.turned and height == width
    found = []
    for slots in range(count, min(most, LARGEST) + 1):
        for grid in Grid.that_fit(slots):
            shape = np.log(grid.cols * width / (grid.rows * height))
            if abs(shape - wanted) < SHAPE or (either and grid.rows == grid.cols):
                found.append(grid)
    return found


def _laid(
    machine: Hybrid | Assembler, tiles: NDArray[np.uint8], lid: Lid, grid: Grid, turned: bool, seed: int
) -> Laid | None:
    """The best board for tiles (n, h, w, 3) and a lid; None where the lid shows no such grid."""
    turns = () if not turned else (1, 2, 3) if tiles.shape[1] == tiles.shape[2] else (2,)
    shown = Tiles.of(tiles, grid, wear_width(tiles), (0, *turns))
    upright = None if turned else sources(machine, tiles, grid)
    alone = None if upright is None else _assembled(upright, upright.slots, tiles, grid, seed).placement
    ways = registered(lid, shown, alone)
    if not ways:
        return None
    best: Laid | None = None
    for way in [way for way in ways if way.worth >= NEARLY * ways[0].worth][:TRIED]:
        odds = slot_odds(way.far, shown.fine)
        seen = np.any(np.isfinite(way.far), axis=1)
        if upright is None:
            one = _turned(machine, tiles, grid, odds, seen, np.array([0, *turns]), seed)
        else:
            one = _placed(upright, tiles, grid, odds[:, 0], seen, np.zeros(len(tiles), np.int64), seed)
        one = one._replace(worth=way.worth)
        if best is None or one.worth_of_board > best.worth_of_board:
            best = one
    return best


def sources(machine: Hybrid | Assembler, tiles: NDArray[np.uint8], grid: Grid) -> Sources:
    """What a solver says of upright tiles without the lid."""
    if isinstance(machine, Hybrid):
        puzzle = Puzzle(tiles, grid)
        slots, *seams = machine.potentials(puzzle)
        weight = classical_weight(puzzle, Wear.of(puzzle))
        right, down, border = (table[0] for table in mixed([puzzle], [t[None] for t in seams], grid, weight))
        return Sources(np.float32(machine.slot_weight) * slots, right, down, border)
    right, down, border = piece_potentials(tiles, grid)
    return Sources(np.zeros((len(tiles), grid.slots), np.float32), right, down, border)


def _placed(
    told: Sources,
    tiles: NDArray[np.uint8],
    grid: Grid,
    odds: Table,
    seen: NDArray[np.bool_],
    turns: Ints,
    seed: int,
) -> Laid:
    """The best board of upright tiles, by what is told of them and the odds (n, S) of the lid."""
    slots = np.clip(told.slots + WEIGHT * odds, LEAST, 0)
    assembly = _assembled(told, slots, tiles, grid, seed)
    each = np.arange(len(tiles))
    against = odds[each, assembly.placement] + np.log(grid.slots)
    against = np.where(seen[each, assembly.placement], against, np.nan)
    return Laid(assembly, grid, turns, odds, against, 0.0, told)


def _assembled(told: Sources, slots: Table, tiles: NDArray[np.uint8], grid: Grid, seed: int) -> Assembly:
    """The board of most energy by seams and slots (n, S)."""
    rounds, patience = search_effort(grid.slots, hard=True)
    (assembly,) = assemble_batch(
        told.right[None], told.down[None], grid, slots[None], told.border[None], twins=[twin_groups(tiles)],
        seed=seed, threads=1, rounds=rounds, patience=patience,
    )  # fmt: skip
    return assembly


def _turned(
    machine: Hybrid | Assembler,
    tiles: NDArray[np.uint8],
    grid: Grid,
    odds: Table,
    seen: NDArray[np.bool_],
    ways: Ints,
    seed: int,
) -> Laid:
    """The best board of tiles that lie in any of T turns `ways` (T,), by odds (n, T, S): the lid turns them, then the
    seams turn those of which it is not sure, once they lie."""
    each = np.arange(len(tiles))
    square = np.full((grid.slots, grid.slots), LEAST, np.float32)
    square[: len(tiles)] = odds.max(1)
    turn = odds[each, :, assign(square)[: len(tiles)]].argmax(1)
    right, down, _ = piece_potentials(pseudo_pieces(tiles, tuple(ways.tolist())), grid)
    for again in range(TURNS):
        upright = turn_pieces(tiles, ways[turn])
        laid = _placed(
            sources(machine, upright, grid), upright, grid, odds[each, turn], seen, ways[turn], seed
        )
        better = _settled(laid.assembly.placement, turn, odds, right, down, grid)
        if again == TURNS - 1 or np.array_equal(better, turn):
            break
        turn = better
    return laid


def _settled(placement: Ints, turn: Ints, odds: Table, right: Table, down: Table, grid: Grid) -> Ints:
    """(n,) the turns of tiles that fit best where they lie, by the lid and by seams (T * n, T * n) between tiles in all
    their turns; changed one by one as long as that helps."""
    count, turns = odds.shape[:2]
    at = np.full((grid.rows + 2, grid.cols + 2), -1)
    rows, cols = np.divmod(placement, grid.cols)
    at[rows + 1, cols + 1] = np.arange(count)
    turn, options = turn.copy(), np.arange(turns)
    for _ in range(count):
        changed = False
        for i in range(count):
            score = odds[i, :, placement[i]].astype(np.float64)
            for (y, x), table, first in (
                ((0, 1), right, True), ((0, -1), right, False), ((1, 0), down, True), ((-1, 0), down, False),
            ):  # fmt: skip
                j = at[rows[i] + 1 + y, cols[i] + 1 + x]
                if j >= 0:
                    own, other = turns * i + options, turns * j + turn[j]
                    score += np.maximum(table[own, other] if first else table[other, own], LEAST)
            if score[score.argmax()] > score[turn[i]] + 1e-6:
                turn[i], changed = score.argmax(), True
        if not changed:
            break
    return turn


def arrangement(machine: Hybrid | Assembler, tiles: NDArray[np.uint8], laid: Laid) -> Arrangement:
    """A board as solvers report it."""
    twins = twin_groups(turn_pieces(tiles, laid.turns))
    if isinstance(machine, Assembler):
        return replace(arrangement_of(laid.assembly, twins), turns=laid.turns)
    slots = np.maximum(laid.sources.slots / max(machine.slot_weight, 1e-6), laid.lid)
    evidence = placement_evidence(
        [laid.assembly], slots[None], laid.sources.right[None], laid.sources.down[None], laid.grid, [twins]
    )
    return Arrangement(
        laid.assembly.placement, laid.turns, confidence(evidence)[0], None, laid.assembly.order,
        float(board_fit(evidence)[0]),
    )  # fmt: skip
