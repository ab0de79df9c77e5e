"""`hybrid`: the mental image anchors, the seams bind.

One network looks at all pieces together and gives seam logits, piece-slot logits and the mental image; the assembler
turns these into a placement. Worn rims are found and cropped first, pieces of other sizes are resampled for the network
while the classical distances it is also given use their real pixels. Nothing about the corruption is told to it.
Worn, noisy or incomplete puzzles are looked at twice, as they are and mirrored, and the probabilities are averaged.
Clean puzzles of more than 900 pieces are left to the assembler on classical seam costs, which are enough for them; at
hard ones the network looks in parts, one look after the other, so that memory is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ganzzle.damage.corruption import twin_groups
from ganzzle.errors import SolverError
from ganzzle.puzzle import Floats, Grid, GridLike, Ints, Pixels, Puzzle
from ganzzle.solution import Solution
from ganzzle.solvers.base import Arrangement, Solver, canonical_order, check_number, checked_puzzle
from ganzzle.solvers.devices import is_cpu, one_thread, pick_device
from ganzzle.solvers.hybrid.mixing import mixed
from ganzzle.solvers.hybrid.rules import (
    DOUBTFUL,
    LARGEST,
    LARGEST_HARD,
    Wear,
    classical_weight,
    is_hard,
    search_effort,
)
from ganzzle.solving.gaps import solve_with_gaps
from ganzzle.weights_files import find_weights

if TYPE_CHECKING:
    import torch

    from ganzzle.board import Assembly
    from ganzzle.solvers.hybrid.eyes import Eyes
    from ganzzle.solvers.hybrid.sight import Sight

EMBEDDED = "hybrid"  # the weights that come with the package


class Judged(NamedTuple):
    """A puzzle of n pieces put together, and what the network says about it."""

    assembly: Assembly
    evidence: Floats  # (n, 5) that the confidence of its pieces is made from
    right: NDArray[np.float32]  # (n, n) log-potentials of the seams
    down: NDArray[np.float32]


class Hybrid(Solver):
    """See the module's docstring."""

    name = "hybrid"
    calibrated = True
    compares = True
    sees_wear = True

    def __init__(
        self,
        weights: str | Path = EMBEDDED,
        device: str = "auto",
        slot_weight: float = 0.35,
        batch: int = 256,
        looks: int = 2,
        graphs: bool = True,
        rotated: bool = False,
        quick: bool = True,
    ) -> None:
        """`weights` is an embedded name or a file, `slot_weight` scales the mental image's say against the seams',
        `batch` puzzles at most go into the network at once, `looks` at a worn, noisy or incomplete puzzle: 1, or 2
        with its mirror image. On a GPU `graphs` lets it repeat runs on small puzzles from recordings. `rotated`: pieces
        may be turned. `quick`: on a CPU the network need not look at puzzles whose pixels leave no doubt."""
        if looks not in (1, 2):
            raise SolverError(f"looks is 1 or 2, not {looks}")
        check_number("slot_weight", slot_weight, 0, whole=False)
        check_number("batch", batch, 1)
        self.slot_weight = slot_weight
        self.batch = batch
        self.rotated = rotated
        # A GPU has looked sooner than a core has compared the pixels.
        self.quick = quick and is_cpu(device)
        self._eyes = find_weights(weights), device, looks, graphs
        if device == "cuda" or weights != EMBEDDED:
            self.load()  # what is wrong with them is said at once

    def load(self) -> None:
        """Load the network."""
        _ = self.eyes

    @cached_property
    def eyes(self) -> Eyes:
        """The network; loaded when it is first asked, since obvious puzzles do without it."""
        from ganzzle.solvers.hybrid.eyes import Eyes

        weights, device, looks, graphs = self._eyes
        loaded = vars(self)
        with one_thread():  # that loads: others that ask at the same time wait for it
            if "eyes" not in loaded:
                loaded["eyes"] = Eyes(weights, pick_device(device), looks, graphs)
        eyes: Eyes = loaded["eyes"]
        return eyes

    @property
    def device(self) -> torch.device:
        """Where the network runs."""
        return self.eyes.device

    def arrange(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Arrange one puzzle."""
        return self.arrange_batch([puzzle], seed)[0]

    def arrange_batch(self, puzzles: Sequence[Puzzle], seed: int) -> list[Arrangement]:
        """Arrange puzzles of one size; see batches.py."""
        if self.rotated:
            return [self._arrange_turned(puzzle, seed) for puzzle in puzzles]
        return self._arrange_upright(puzzles, seed)

    def solve_batch(self, puzzles: Sequence[Puzzle], seed: int = 0) -> list[Solution]:
        """Solve many puzzles; where pieces do not fit, a gap between them is looked for."""
        checked = [checked_puzzle(each) for each in puzzles]
        told = [k for k, puzzle in enumerate(checked) if puzzle.grid or puzzle.sizes is not None]
        some = [checked[k] for k in told]
        blended = None if self.rotated else self._blended
        found = dict(zip(told, solve_with_gaps(super().solve_batch, some, seed, blended), strict=True))
        return [
            found[k] if k in found else self._solve_unknown_grid(puzzle, seed)
            for k, puzzle in enumerate(checked)
        ]

    def _blended(self, puzzle: Puzzle, gaps: Sequence[float], seed: int) -> Solution:
        from ganzzle.solvers.hybrid.blended import solve_blended  # takes torch along

        return solve_blended(self, puzzle, gaps, seed)

    def _arrange_turned(self, puzzle: Puzzle, seed: int) -> Arrangement:
        from ganzzle.solvers.hybrid.turned import solve_turned

        found = solve_turned(self, puzzle, seed)
        return Arrangement(
            found.placement, found.turns, found.confidence, found.imagined, found.order, found.fit
        )

    def solve_upright(self, puzzle: Puzzle, seed: int) -> Solution:
        """Solve a puzzle of known grid whose pieces are not turned, even if others may be."""
        assert puzzle.grid is not None
        order = canonical_order(puzzle.pieces, seed)
        (arrangement,) = self._arrange_upright([Puzzle(puzzle.pieces[order], puzzle.grid)], seed)
        return self.in_arrival_order(puzzle, order, arrangement)

    def _arrange_upright(self, puzzles: Sequence[Puzzle], seed: int) -> list[Arrangement]:
        from ganzzle.solvers.hybrid.levelling import arrange_levelled

        found = self.arrange_as_they_are(puzzles, seed)
        return [arrange_levelled(self, *each, seed) for each in zip(puzzles, found, strict=True)]

    def arrange_as_they_are(self, puzzles: Sequence[Puzzle], seed: int) -> list[Arrangement]:
        """Arrange puzzles of one grid whose pieces are neither turned nor levelled."""
        if not puzzles:
            return []
        grid = puzzles[0].grid
        assert grid is not None
        if grid.slots > LARGEST:
            return [self._arrange_large(puzzle, seed) for puzzle in puzzles]
        if not self.quick:
            return self._arrange_seriously(puzzles, grid, seed)
        from ganzzle.solvers.hybrid.obvious import arrange_obvious

        obvious = arrange_obvious(self, puzzles)
        others = [puzzle for puzzle, found in zip(puzzles, obvious, strict=True) if found is None]
        arranged = iter(self._arrange_seriously(others, grid, seed))
        return [found or next(arranged) for found in obvious]

    def _arrange_seriously(self, puzzles: Sequence[Puzzle], grid: Grid, seed: int) -> list[Arrangement]:
        """Arrange puzzles of one grid by what the network sees."""
        if not puzzles:
            return []
        if len(puzzles) == 1:
            return [self._arrange_alone(puzzles[0], Wear.of(puzzles[0]), seed)]
        from ganzzle.solvers.hybrid.batches import arrange_in_parts

        return arrange_in_parts(self, puzzles, grid, seed)

    def _arrange_alone(self, puzzle: Puzzle, wear: Wear, seed: int) -> Arrangement:
        """Look at one puzzle and assemble it."""
        sight = self.eyes.look([puzzle], wear)
        sight.wait()
        return self.arrange_seen([puzzle], sight, slice(0, 1), seed)[0]

    def _arrange_large(self, puzzle: Puzzle, seed: int) -> Arrangement:
        """Clean pieces tell the assembler all it needs; hard puzzles need the network, as far as memory goes."""
        assert puzzle.grid is not None
        wear = Wear.of(puzzle)
        if puzzle.grid.slots <= LARGEST_HARD and is_hard(puzzle, wear):
            return self._arrange_alone(puzzle, wear, seed)
        from ganzzle.solvers.assembler import Assembler

        return Assembler().arrange(puzzle, seed)

    def _solve_unknown_grid(self, puzzle: Puzzle, seed: int) -> Solution:
        """Find what the pile is, too."""
        from ganzzle.solving.tiles import solve_alone

        return solve_alone(self, puzzle, seed)

    def upright_turn(self, pieces: Puzzle, placement: Ints, turns: Ints) -> int:
        """The quarter turns that bring a board upright."""
        from ganzzle.solvers.hybrid.turned import upright_turn

        return upright_turn(pieces, placement, turns)

    def solve_by_grids(self, puzzle: Puzzle, seed: int) -> Solution:
        """Find the grid, too; some pieces may be lost."""
        from ganzzle.solving.lost import solve_with_holes

        return solve_with_holes(self, puzzle, seed)

    def solve_filled(self, puzzle: Puzzle, seed: int = 0) -> Solution:
        """The solution in the likeliest of the grids that the pieces fill; they are not turned."""
        from ganzzle.solvers.hybrid.grids import solve_unknown_grid

        return solve_unknown_grid(self, puzzle, seed)

    def solve_in(self, puzzle: Puzzle, grids: Sequence[Grid], seed: int = 0) -> Solution:
        """The solution in the one of some grids whose seams fit best."""
        if not self.rotated:
            return super().solve_in(puzzle, grids, seed)
        from ganzzle.solvers.hybrid.turned import solve_turned

        return solve_turned(self, replace(puzzle, grid=None), seed, grids)

    def solve_mixed(
        self, puzzle: Puzzle, count: int, seed: int = 0, grid: GridLike | None = None
    ) -> list[Solution]:
        """Solve `count` puzzles mixed in one pile; see `Solver.solve_mixed`."""
        from ganzzle.solving.tiles import solve_several

        return solve_several(self, puzzle, count, seed, grid)

    def solve_without_foreign(self, puzzle: Puzzle, grids: Sequence[Grid], seed: int = 0) -> Solution | None:
        """Solve a pile without the pieces that do not belong to it; see `Solver.solve_without_foreign`."""
        from ganzzle.solvers.hybrid.foreign import solve_without_foreign

        return solve_without_foreign(self, puzzle, grids, seed)

    def imagine(self, puzzle: Puzzle) -> Pixels:
        """The mental image (H, W, 3) of a puzzle of known grid."""
        sight = self.eyes.look([puzzle], Wear.of(puzzle))
        sight.wait()
        return sight.mental_images(slice(0, 1))[0]

    def potentials(
        self, puzzle: Puzzle, by_edges: bool = True
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What the network tells the assembler about a puzzle: slots (n, S), right, down (n, n), border (n, 4).

        `by_edges`: of noisy puzzles the edges alone are heard, too, not only the network's last stage.
        """
        sight = self.eyes.look([puzzle], Wear.of(puzzle), by_edges)
        sight.wait()
        slots, right, down, border = (x[0] for x in sight.tables(slice(0, 1)))
        return slots, right, down, border

    def obvious(self, puzzle: Puzzle, seed: int) -> Solution | None:
        """The solution of a pile of unknown grid about which the pixels leave no doubt."""
        from ganzzle.solvers.hybrid.obvious import solve_obvious

        return solve_obvious(self, puzzle, seed) if self.quick and not puzzle.rim else None

    def seams(self, pile: Puzzle) -> tuple[NDArray[np.float32], ...] | None:
        """What the network says of seams and borders, if it can look at so many pieces."""
        assert pile.grid is not None
        if pile.grid.slots > LARGEST and (pile.grid.slots > LARGEST_HARD or not is_hard(pile, Wear.of(pile))):
            return None
        return self.potentials(pile)[1:]

    def judge(self, puzzles: Sequence[Puzzle], seed: int = 0) -> list[Judged]:
        """How puzzles of one size and wear are put together, pieces in the order they are in, and why."""
        sight = self.eyes.look(puzzles, Wear.of(puzzles[0]))
        sight.wait()
        whole = slice(0, len(puzzles))
        assemblies, evidence = self._assemble(puzzles, sight, whole, seed)
        _, right, down, _ = sight.tables(whole)
        return [Judged(*each) for each in zip(assemblies, evidence, right, down, strict=True)]

    def arrange_seen(
        self, puzzles: Sequence[Puzzle], sight: Sight, part: slice, seed: int
    ) -> list[Arrangement]:
        """Assemble the `part` of the puzzles in `sight`, which are `puzzles`, in as few steps of Python as possible."""
        # Not before there is something to solve: the compiler takes longer to import than the weights to read.
        from ganzzle.solvers.hybrid.confidence import board_fit, confidence

        assemblies, evidence = self._assemble(puzzles, sight, part, seed)
        found = zip(
            assemblies,
            confidence(evidence),
            board_fit(evidence).tolist(),
            sight.mental_images(part),
            strict=True,
        )
        return [
            Arrangement(board.placement, None, sure, image, board.order, fit)
            for board, sure, fit, image in found
        ]

    def _assemble(
        self, puzzles: Sequence[Puzzle], sight: Sight, part: slice, seed: int
    ) -> tuple[list[Assembly], Floats]:
        """The boards and the evidence (b, n, 5) for them; the classical seams are heard, too, about clean puzzles that
        leave doubts."""
        from ganzzle.solvers.hybrid.confidence import board_fit

        weight = classical_weight(puzzles[0], sight.wear)
        assemblies, evidence = self._assemble_mixed(puzzles, sight, part, seed, weight)
        doubtful = board_fit(evidence) < DOUBTFUL if weight == 0 else np.zeros(0)
        for k in np.flatnonzero(doubtful).tolist():
            alone = slice(part.start + k, part.start + k + 1)
            again, seen = self._assemble_mixed([puzzles[k]], sight, alone, seed, 1.0)
            assemblies[k], evidence[k] = again[0], seen[0]
        return assemblies, evidence

    def _assemble_mixed(
        self, puzzles: Sequence[Puzzle], sight: Sight, part: slice, seed: int, weight: float
    ) -> tuple[list[Assembly], Floats]:
        """The best boards by the network's slots and seams, and by the classical seams with a weight, and the evidence
        (b, n, 5) for them."""
        from ganzzle.board import assemble_batch
        from ganzzle.solvers.hybrid.centring import centred
        from ganzzle.solvers.hybrid.confidence import placement_evidence

        slots, *tables = sight.tables(part)
        right, down, border = mixed(puzzles, tables, sight.grid, weight)
        rounds, patience = search_effort(sight.grid.slots, hard=weight > 0)
        twins = [twin_groups(puzzle.pieces) for puzzle in puzzles]
        assemblies = assemble_batch(
            right, down, sight.grid, self.slot_weight * slots, border, twins=twins, seed=seed, threads=1,
            rounds=rounds, patience=patience,
        )  # fmt: skip
        for k, puzzle in enumerate(puzzles):
            told = slots[k], right[k], down[k], border[k], twins[k]
            assemblies[k] = centred(puzzle, assemblies[k], *told, self.slot_weight)
        return assemblies, placement_evidence(assemblies, slots, right, down, sight.grid, twins)
