"""The assembler: from seam scores (any) and a piece-slot matrix (any, or none) to a placement.

`assemble_pieces` merges components, anchors them, fills the rest and searches; `assemble_batch` does many puzzles at
once, `assemble_candidates` those too large for full tables; `largest_part` knows no grid.
"""

from ganzzle.board.assemble import (
    Assembly,
    assemble_batch,
    assemble_candidates,
    assemble_pieces,
    assembly_of,
    free_parts,
    largest_part,
    placement_energy,
    shares,
)
from ganzzle.board.candidates import Candidates

__all__ = [
    "Assembly",
    "Candidates",
    "assemble_batch",
    "assemble_candidates",
    "assemble_pieces",
    "assembly_of",
    "free_parts",
    "largest_part",
    "placement_energy",
    "shares",
]
