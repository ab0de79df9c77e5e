"""`pomeranz`: greedy placing (place.py) around the largest segment of best buddies (segments.py), again and again."""

from ganzzle.solvers.pomeranz.solver import Pomeranz

__all__ = ["Pomeranz"]
