"""The assembler: from seam scores (any) and a piece-slot matrix (any, or none) to a placement.

`assemble_pieces` merges components seam by seam, anchors them, fills the rest and searches; `assemble_batch` does many
puzzles at once; `mean_field` gives soft marginals under the same potentials.
"""

from ganzzle.assembler.api import Assembly, assemble_batch, assemble_pieces, placement_energy
from ganzzle.assembler.meanfield import mean_field

__all__ = ["Assembly", "assemble_batch", "assemble_pieces", "mean_field", "placement_energy"]
