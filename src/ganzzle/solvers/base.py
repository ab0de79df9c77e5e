"""What every solver shares: the protocol, fairness, and the unknown grid.

A solver implements `arrange(puzzle, seed)` for a puzzle of known grid. `Solver.solve` around it makes sure that

* the truth, the name and the order of arrival are hidden: the pieces are sorted by a digest of their pixels and then
  shuffled by the seed, so the same pile gives the same answer however it was laid out, and ties are broken by seeded
  chance alone;
* every piece gets a slot of the grid to itself: anything else is an error, and no solution;
* an unknown grid is found by trying the likely ones that fit and keeping the one whose seams fit best.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ganzzle.errors import SolverError
from ganzzle.puzzle import Floats, Grid, GridLike, Ints, Pixels, Puzzle
from ganzzle.solution import Solution

EMPTY = 0.2  # what each empty slot of an unknown grid costs, measured in perfect seams


class PlacementError(SolverError):
    """A solver's own mistake: what it found is no placement."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """What `arrange` gives back, in the order of the puzzle it was given."""

    placement: Ints  # (N,) slot of each piece
    turns: Ints | None = None  # (N,) quarter turns; None: no piece was turned
    confidence: Floats | None = None  # (N,) 0..1; None: it does not say, reported as 0
    # (H, W, 3), or what paints it when it is asked for
    mental_image: Pixels | Callable[[], Pixels] | None = None
    order: Ints | None = None  # (N,) pieces in the order they were placed
    fit: float | None = None  # 0..1 how well the board fits together
    levelled: bool = False  # whether pieces were made as bright as each other first


class Solver(ABC):
    """Anything with `solve(puzzle) -> Solution`; options are keyword arguments of the constructor."""

    name: str = ""
    rotated: bool = False  # whether it was asked to turn pieces
    only_grid: Grid | None = None  # where it is made for one grid alone
    sees_wear: bool = False  # whether it finds out by itself which rims of pieces carry no picture
    calibrated: bool = False  # whether its mean confidence is about the share of pieces in place
    compares: bool = False  # whether what a pile may be is found by comparing boards by the seams it tells of
    asked: dict[str, Any] | None = None  # what `load_solver` was asked for when it made this one

    @classmethod
    def takes_turned_pieces(cls) -> bool:
        """Whether it can be asked to turn pieces: it has the option `rotated`."""
        return "rotated" in inspect.signature(cls).parameters

    @classmethod
    def takes_mixed_piles(cls) -> bool:
        """Whether it can solve several puzzles in one pile."""
        return cls.solve_mixed is not Solver.solve_mixed

    def __reduce__(self) -> Any:
        """For pickles and copies: it is loaded again, since what it has prepared for this machine may not travel."""
        from ganzzle.solvers import load_again

        return super().__reduce__() if self.asked is None else (load_again, (self.asked,))

    def load(self) -> None:
        """Read now what it would read when it is first needed, such as weights."""
        return

    @abstractmethod
    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange a puzzle whose grid is known and whose truth is hidden."""

    def seams(self, pile: Puzzle) -> tuple[NDArray[np.float32], ...] | None:
        """Log-potentials right (N, N), down (N, N) and border (N, 4) of pieces that need not fill their grid; None:
        those of their pixels alone."""
        return None

    def obvious(self, puzzle: Puzzle, seed: int) -> Solution | None:
        """The solution of a pile of unknown grid about which the pixels leave no doubt; None where they leave any."""
        return None

    def upright_turn(self, pieces: Puzzle, placement: Ints, turns: Ints) -> int:
        """The quarter turns that bring a board upright, of pieces in slots (N,) that were all given some turns (N,)."""
        return 0

    def solve_upright(self, puzzle: Puzzle, seed: int) -> Solution:
        """Solve a puzzle of known grid whose pieces are not turned, even if others may be."""
        return self.solve(puzzle, seed)

    def arrange_batch(self, puzzles: Sequence[Puzzle], seed: int) -> list[Arrangement]:
        """Arrange puzzles of one size; networks override this to run them together."""
        return [self.arrange(puzzle, seed) for puzzle in puzzles]

    def solve(self, puzzle: Puzzle, seed: int = 0) -> Solution:
        """Solve one puzzle. The same pieces and seed give the same picture, whatever their order."""
        return self.solve_batch([puzzle], seed)[0]

    def solve_mixed(
        self, puzzle: Puzzle, count: int, seed: int = 0, grid: GridLike | None = None
    ) -> list[Solution]:
        """Solve `count` puzzles mixed in one pile; `grid`, if known, is the grid of each of them.

        Every solution holds the part of the pile that belongs to it; `pieces` says which pieces of the pile
        these are. A puzzle for which no piece is left is not in the list.
        """
        raise SolverError(
            f"solver '{self.name}' takes one puzzle at a time; for a mixed pile use hybrid, assembler or paikin-tal"
        )

    def solve_without_foreign(self, puzzle: Puzzle, grids: Sequence[Grid], seed: int = 0) -> Solution | None:
        """Solve a pile without the pieces that do not belong to it, in one of some grids, each with fewer slots than
        there are pieces. `pieces` says which of the pile the solution is of.

        None where it cannot say which pieces do not belong, as most solvers cannot.
        """
        return None

    def solve_batch(self, puzzles: Sequence[Puzzle], seed: int = 0) -> list[Solution]:
        """Solve many puzzles; puzzles of one grid and piece size are arranged together."""
        puzzles = [checked_puzzle(each) for each in puzzles]
        if not self.sees_wear:
            puzzles = [without_known_rim(each) for each in puzzles]
        solutions: list[Solution | None] = [None] * len(puzzles)
        groups: dict[tuple[Any, ...], list[int]] = {}
        for k, puzzle in enumerate(puzzles):
            if puzzle.sizes is not None:
                from ganzzle.solving.smaller_tiles import solve_ragged

                solutions[k] = solve_ragged(self, puzzle, seed)
            elif puzzle.grid is None:
                solutions[k] = self._solve_unknown_grid(puzzle, seed)
            else:
                groups.setdefault((puzzle.grid, puzzle.pieces.shape), []).append(k)
        for members in groups.values():
            orders = [canonical_order(puzzles[k].pieces, seed) for k in members]
            # Neither the truth nor the name goes with the pieces.
            hidden = [
                Puzzle(puzzles[k].pieces[order], puzzles[k].grid)
                for k, order in zip(members, orders, strict=True)
            ]
            arranged = self.arrange_batch(hidden, seed)
            for k, order, arrangement in zip(members, orders, arranged, strict=True):
                solutions[k] = self.in_arrival_order(puzzles[k], order, arrangement)
        return [s for s in solutions if s is not None]

    def in_arrival_order(self, puzzle: Puzzle, order: Ints, arrangement: Arrangement) -> Solution:
        """The solution of a puzzle from the arrangement of its pieces in another order: the k-th one arranged was
        `order[k]`."""
        count = len(puzzle)
        assert puzzle.grid is not None
        placement = self._checked(np.asarray(arrangement.placement, np.int64), count, puzzle.grid)
        back = np.argsort(order)
        turns, confidence = arrangement.turns, arrangement.confidence
        return Solution(
            puzzle=puzzle,
            grid=puzzle.grid,
            placement=placement[back],
            turns=np.zeros(count, np.int64) if turns is None else np.asarray(turns, np.int64)[back],
            confidence=np.zeros(count) if confidence is None else np.asarray(confidence, np.float64)[back],
            imagined=arrangement.mental_image,
            order=None if arrangement.order is None else order[arrangement.order],
            solver=self.name,
            fit=arrangement.fit,
            levelled=arrangement.levelled,
        )

    def _checked(self, placement: Ints, count: int, grid: Grid) -> Ints:
        """(N,) the slots of `count` pieces, if they are all different and on the grid."""
        if placement.shape != (count,):
            wrong = f"{placement.size} slots for {count} pieces"
        elif placement.min() < 0 or placement.max() >= grid.slots:
            wrong = "a piece off the grid"
        elif np.bincount(placement).max() > 1:
            wrong = "two pieces on one slot"
        else:
            return placement
        name = self.name or type(self).__name__
        raise PlacementError(
            f"solver '{name}' failed on a {grid} grid ({wrong}); try another one, or another seed"
        )

    def solve_by_grids(self, puzzle: Puzzle, seed: int) -> Solution:
        """Try the likely grids (all of them where pieces may be turned)."""
        from ganzzle.solving.grids import likely_grids

        if self.rotated:
            return self.solve_in(puzzle, grids_for_turned(puzzle), seed)
        return self.solve_in(puzzle, likely_grids(puzzle.pieces[canonical_order(puzzle.pieces, seed)]), seed)

    def _solve_unknown_grid(self, puzzle: Puzzle, seed: int) -> Solution:
        """Find the grid, too."""
        return self.solve_by_grids(puzzle, seed)

    def solve_in(self, puzzle: Puzzle, grids: Sequence[Grid], seed: int = 0) -> Solution:
        """The solution in the one of some grids, with a slot for every piece, whose seams fit best.

        Fewer empty slots are likelier, and count a little.
        """
        from ganzzle.solving.grids import seam_gain

        def gain(solution: Solution) -> float:
            return seam_gain(solution) - EMPTY * (solution.grid.slots - len(puzzle))

        attempts = [self.solve(replace(puzzle, grid=grid), seed) for grid in grids]
        best = max(attempts, key=gain) if len(attempts) > 1 else attempts[0]
        return replace(best, puzzle=puzzle)


def checked_puzzle(puzzle: Puzzle) -> Puzzle:
    """The puzzle, if it is one and not a path or pixels."""
    if not isinstance(puzzle, Puzzle):
        raise SolverError(
            f"a solver takes a Puzzle, not {type(puzzle).__name__}; "
            f'make one, for example with Puzzle.from_folder("pieces/") or Puzzle(pieces)'
        )
    return puzzle


def without_known_rim(puzzle: Puzzle) -> Puzzle:
    """The puzzle as one of bare pieces, for solvers that do not see by themselves that their rim carries no picture."""
    return replace(puzzle, pieces=puzzle.bare_pieces, rim=0) if puzzle.rim else puzzle


def grids_for_turned(puzzle: Puzzle, lost: int = 0) -> list[Grid]:
    """The grids for a pile of turned pieces, `lost` of which are missing, the most square ones first.

    Square pieces may lie either way, so no grid is taller than wide then.
    """
    height, width = puzzle.piece_size
    return Grid.that_fit(len(puzzle) + lost, wide=height == width)


def fit_of(*solutions: Solution) -> float:
    """How well solutions fit together, 0..1, the mean over their pieces: to compare them with others, also of other
    grids. That is what their solver says of it (`fit`), or else the confidence."""
    fits = [one.confidence.mean() if one.fit is None else one.fit for one in solutions]
    return float(np.average(fits, weights=[len(one.puzzle) for one in solutions]))


def canonical_order(pieces: Pixels, seed: int) -> Ints:
    """(N,) an order that depends on the pixels and the seed only, not on how the pieces lie."""
    # A cryptographic digest orders different pieces the same way every time, and is far quicker than sorting pixels.
    digests = [blake2b(piece.tobytes(), digest_size=16).digest() for piece in pieces]
    by_pixels = np.array(sorted(range(len(pieces)), key=digests.__getitem__), np.int64)
    return by_pixels[_shuffled(len(pieces), seed)]


def _shuffled(count: int, seed: int) -> Ints:
    """(N,) the numbers 0..N-1, shuffled. All that is solved is shuffled, so this is where a seed is checked."""
    check_number("a seed", seed, 0)
    return np.random.default_rng(seed).permutation(count)


def check_number(name: str, value: Any, least: int, whole: bool = True) -> None:
    """Refuse what is no number, or no whole one, or less than `least`."""
    if not is_number(value, least, whole):
        kind = "a whole number" if whole else "a number"
        raise SolverError(f"{name} is {kind}, {least} or more, not {value!r}")


def is_number(value: Any, least: int, whole: bool = True) -> bool:
    """Whether it is a number, or a whole one, of at least `least`; NaN is not."""
    kinds = (int, np.integer) if whole else (int, np.integer, float, np.floating)
    return isinstance(value, kinds) and not isinstance(value, bool) and bool(value >= least)


def check_options(given: dict[str, Any], valid: Sequence[str], name: str) -> None:
    """Refuse an option the solver does not have, and say which there are."""
    unknown = sorted(set(given) - set(valid))
    if unknown:
        known = ", ".join(valid) or "none"
        raise SolverError(f"solver '{name}' has no option '{unknown[0]}'; its options: {known}")
