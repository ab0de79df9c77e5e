"""`paikin-tal`: greedy best-first placement by border compatibility, then repairs; solver.py tells all of it."""

from ganzzle.solvers.paikin_tal.solver import PaikinTal

__all__ = ["PaikinTal"]
