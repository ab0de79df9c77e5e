"""Print how fast the parts are: `python -m benchmarks`. Each speed is also a ratio, measured in this run.

For time and memory over the number of pieces see `python -m benchmarks.scaling`, for accuracies
`python -m benchmarks.classical`, `benchmarks.pomeranz` and `benchmarks.mixed`.
"""

from __future__ import annotations

from benchmarks import domain, hybrid, load
from benchmarks.pictures import draw_picture
from benchmarks.placing import placing_rows
from benchmarks.seams import seam_rows
from benchmarks.solving import solver_rows
from benchmarks.timing import print_table
from ganzzle.puzzle import Grid, Puzzle


def main() -> None:
    """Run all of them; a few minutes."""
    domain.main()
    print_table("Seam costs, all pairs", seam_rows(Puzzle.in_order(draw_picture(560, 756), (20, 27)).pieces))
    puzzle = Puzzle.from_picture(draw_picture(504, 672), (18, 24))
    print_table("Placing, one run over all pieces", placing_rows(puzzle.pieces, Grid(18, 24)))
    print_table("Solvers", solver_rows())
    hybrid.main()
    load.run()


if __name__ == "__main__":
    main()
