"""Figures that others published, so that ours stand next to them. Accuracies are in per cent, times in ms.

GANzzle: Talon, Del Bue, James, *GANzzle: Reframing jigsaw puzzle solving as a retrieval task using a generative mental
image*, ICIP 2022, with its supplement; "faces" is PuzzleCelebA, "art" is PuzzleWikiArts, pieces have 32 px. Its figures
for Gallagher differ between the main table and the supplement; the main table's are used. A dash means: not published.
"""

from __future__ import annotations

from collections.abc import Iterable

# Every row of the paper, by the name of its solver here.
METHODS = {
    "paikin-tal": "Paikin & Tal",
    "pomeranz": "Pomeranz et al.",
    "gallagher": "Gallagher",
    "hung-perm": "Hung-perm",
    "po-la": "PO-LA",
    "ganzzle-single": "GANzzle-Single",
    "ganzzle": "GANzzle",
}
OURS = {"assembler": "assembler (ours)", "hybrid": "hybrid (ours)"}
DATASETS = {"faces": "PuzzleCelebA (faces)", "art": "PuzzleWikiArts (art)", "photos": "photos"}

GRIDS = ("2x2", "4x4", "6x6", "8x8", "10x10", "12x12")
LARGER_GRIDS = ("20x20", "18x24")  # the paper stops at 12x12
OWN = "-own"  # ends the name of a data set whose pieces are cut without resizing the pictures
OWN_GRIDS = ("6x6", "8x8")
WEAR = (
    "missing:0.1", "missing:0.2", "missing:0.3", "noise:0.05", "noise:0.1", "noise:0.2", "erode:1", "erode:2",
    "erode:5",
)  # fmt: skip

Figures = dict[tuple[str, str], float]  # (solver, grid or corruption) -> figure


def _read(columns: Iterable[str], text: str) -> Figures:
    """Lines of `solver figure figure ...`, a dash where there is none."""
    figures: Figures = {}
    for line in text.strip().splitlines():
        solver, *cells = line.split()
        for column, cell in zip(columns, cells, strict=True):
            if cell != "-":
                figures[solver, column] = float(cell)
    return figures


DIRECT: dict[str, Figures] = {
    "faces": _read(GRIDS, """
        paikin-tal     -     -     99.12 98.67 98.39 96.51
        pomeranz       -     84.67 84.59 79.43 74.80 66.43
        gallagher      -     -     98.55 97.04 95.49 93.13
        hung-perm      99.95 88.05 33.11 12.89 4.14  2.18
        po-la          99.80 92.20 71.96 50.12 38.05 -
        ganzzle-single -     91.05 71.00 51.81 43.74 -
        ganzzle        99.67 87.80 72.18 53.26 32.84 12.94
    """),
    "art": _read(GRIDS, """
        paikin-tal     -     -     98.03 97.35 95.31 90.52
        pomeranz       -     83.34 79.23 72.64 67.70 62.13
        gallagher      -     -     88.77 82.28 77.17 73.40
        hung-perm      47.09 30.37 8.42  3.22  1.90  1.25
        po-la          85.67 34.58 12.19 5.77  3.28  -
        ganzzle-single -     25.34 11.78 6.23  8.97  -
        ganzzle        76.86 29.72 13.48 6.93  4.10  2.58
    """),
}  # fmt: skip

NEIGHBOUR: dict[str, Figures] = {
    "faces": _read(GRIDS, """
        paikin-tal     -     -     99.70 99.38 99.15 96.51
        pomeranz       -     96.39 96.31 93.87 91.38 87.79
        hung-perm      99.92 84.57 22.35 7.49  2.33  0.95
        po-la          99.71 89.82 66.43 44.02 32.72 -
        ganzzle-single -     88.13 64.70 44.15 37.51 -
        ganzzle        99.52 83.87 66.04 46.20 26.46 9.93
    """),
    "art": _read(GRIDS, """
        paikin-tal     -     -     99.37 99.09 98.23 95.97
        pomeranz       -     94.83 93.39 89.96 87.25 84.07
        hung-perm      45.36 18.72 4.25  1.97  1.43  0.90
        po-la          82.32 26.40 7.94  4.01  2.58  -
        ganzzle-single -     17.96 9.53  6.30  8.21  -
        ganzzle        72.33 22.61 11.08 7.10  5.32  4.18
    """),
}  # fmt: skip

# Direct accuracy of worn 6x6 puzzles.
WORN: dict[str, Figures] = {
    "faces": _read(WEAR, """
        paikin-tal     -     -     -     51.51 7.73  3.31  2.82  2.77  2.79
        pomeranz       52.43 24.26 25.99 87.84 89.63 91.50 6.01  16.30 15.15
        gallagher      79.68 66.02 51.17 96.39 98.34 97.75 32.55 18.59 6.27
        hung-perm      29.79 26.45 23.88 31.84 29.01 21.45 25.45 26.01 9.50
        po-la          64.35 60.10 58.60 69.87 65.30 49.85 23.81 10.93 4.84
        ganzzle-single 59.00 46.24 37.54 63.81 48.95 10.13 28.75 39.21 9.23
        ganzzle        58.50 44.70 35.01 64.51 37.72 6.81  28.59 35.47 4.70
    """),
    "art": _read(WEAR, """
        paikin-tal     -     -     -     47.58 9.83  3.36  2.81  2.78  2.79
        pomeranz       43.12 21.44 17.66 84.27 87.62 90.49 3.18  3.18  5.64
        gallagher      80.94 66.76 52.20 95.91 96.28 96.30 31.62 23.48 7.58
        hung-perm      7.85  7.12  6.55  6.63  5.35  4.24  3.69  4.03  3.17
        po-la          11.42 13.45 16.64 11.77 10.75 8.43  4.96  3.23  2.58
        ganzzle-single 10.20 8.34  7.21  10.79 9.63  7.90  4.73  4.52  3.12
        ganzzle        11.60 9.44  7.88  11.80 10.22 8.19  5.07  4.99  3.29
    """),
}  # fmt: skip
WORN_GRID = "6x6"

# Mean and standard deviation over 24 puzzles of 6x6, in ms.
TIMES = {
    "paikin-tal": (27.47, 7.70),
    "pomeranz": (221.64, 300.79),
    "gallagher": (235.19, 358.72),
    "hung-perm": (9.97, 1.38),
    "po-la": (22.38, 8.08),
    "ganzzle": (25.16, 1.1),
}

# The classic sets, 28 px pieces: grid, and direct / neighbour of those who reported it.
CLASSIC_GRIDS = {"mit432": "18x24", "mcgill540": "20x27", "bgu805": "23x35"}
CLASSIC_SETS = {"mit432": "MIT, 432 pieces", "mcgill540": "McGill, 540 pieces", "bgu805": "BGU, 805 pieces"}
CLASSIC_METHODS = {
    "pomeranz": "Pomeranz et al. 2011",
    "genetic": "Sholomon et al. (genetic)",
    "lp": "Yu et al. 2016 (linear program)",
}
CLASSIC: dict[tuple[str, str], tuple[float, float]] = {
    ("pomeranz", "mit432"): (94, 95),
    ("pomeranz", "mcgill540"): (83, 91),
    ("pomeranz", "bgu805"): (80, 90),
    ("genetic", "mit432"): (86.2, 96.2),
    ("genetic", "mcgill540"): (92.8, 96.0),
    ("genetic", "bgu805"): (94.7, 96.3),
    ("lp", "mit432"): (95.8, 95.6),
}
# The genetic solver on turned pieces, Sholomon et al. 2014.
CLASSIC_ROTATED: dict[tuple[str, str], tuple[float, float]] = {
    ("genetic", "mit432"): (94.6, 94.9),
    ("genetic", "mcgill540"): (89.6, 92.0),
    ("genetic", "bgu805"): (87.8, 92.1),
}

# Turned 32 px pieces: DiffAssemble (Scarpellini et al., CVPR 2024), and what it reports of others.
ROTATED_METHODS = {
    "diffassemble": "DiffAssemble",
    "huroyan": "Huroyan et al.",
    "lp": "Yu et al. (linear program)",
}
ROTATED_GRIDS = ("6x6", "8x8", "10x10", "12x12")
ROTATED: dict[str, Figures] = {
    "faces": _read(ROTATED_GRIDS, """
        diffassemble   99.51 87.66 99.30 97.76
        huroyan        98.47 97.45 98.65 97.08
    """),
    "art": _read(ROTATED_GRIDS, """
        diffassemble   90.65 72.79 63.33 53.08
        lp             94.62 92.95 90.99 89.88
    """),
}  # fmt: skip


def dataset_of(source: str) -> str:
    """The data set a source belongs to, by its path: "shards/faces/test-000.tar" -> "faces"; else its last name.

    "pictures" where it has no name, as "/".
    """
    names = [part.removesuffix(".tar") for part in source.replace("\\", "/").split("/") if part]
    known = [name for name in names if name in DATASETS or name in CLASSIC_GRIDS]
    return (known or names or ["pictures"])[-1]


def title_of(dataset: str) -> str:
    """What a data set is called in a title."""
    base = dataset.removesuffix(OWN)
    title = DATASETS.get(base) or CLASSIC_SETS.get(base, base)
    return title if base == dataset else f"{title}, not resized"


def label_of(solver: str) -> str:
    """What a solver is called in a table."""
    return METHODS.get(solver) or OURS.get(solver) or ROTATED_METHODS.get(solver) or solver


def in_order(solvers: Iterable[str]) -> list[str]:
    """The paper's rows first, then ours, then all others."""
    names = [*METHODS, *OURS]
    return sorted(set(solvers), key=lambda s: (names.index(s) if s in names else len(names), s))
