"""`gallagher`: a constrained minimum spanning tree over the seams (seams.py, tree.py), trimmed and filled (fill.py)."""

from ganzzle.solvers.gallagher.solver import Gallagher

__all__ = ["Gallagher"]
