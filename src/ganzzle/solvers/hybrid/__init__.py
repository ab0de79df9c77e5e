"""`hybrid`, the default solver: the mental image anchors, the seams bind.

| file | what it does |
|---|---|
| solver.py | the solver: looks, assembles, says how sure it is |
| batches.py | many puzzles at once |
| obvious.py | puzzles that need no look |
| eyes.py, sight.py, graphs.py | the network looks at puzzles; what it saw |
| rules.py, mixing.py | what is hard, and how much the classical seams count |
| confidence.py | how sure it is of every piece |
| grids.py | unknown grids |
| turned.py, four_ways.py, parts.py, upright.py | turned pieces |
| levelling.py | pieces that differ in brightness or colour |
| mixed_piles.py | the seams of a whole pile |
| foreign.py | pieces that do not belong |
"""

from ganzzle.solvers.hybrid.solver import Hybrid

__all__ = ["Hybrid"]
