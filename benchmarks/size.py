"""Accuracy over size: smaller forms of the hybrid's embedded weights, made without training, against MiB and ms.

`python -m benchmarks.size --pictures 48 --results results/size.json --figure docs/hybrid-size` measures them on
training pictures that were held out, by the whole solver, assembler included. Three ways to be smaller:

* storage: large matrices in fewer bits, symmetric, with one float16 scale a row; the rest stays float16. Fewer bits
  are simulated: the weights are rounded and run as ever, the size is what they would take. The embedded file holds 8
  bits already, so 16 bits cannot know more than 8, and what they differ by is chance;
* early: the prediction after fewer stages. The painter learned from the last stage's tokens and is left out. The mental
  image is then the stage's thumbnails;
* parts: without the painter.
"""

from __future__ import annotations

import argparse
import json
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import save_file
from torch import Tensor

from benchmarks.held_out import measured
from benchmarks.size_report import SHIPPED, Row, Variant, draw, table
from ganzzle import Puzzle, score
from ganzzle.networks.hybrid import HybridSize
from ganzzle.provenance import provenance
from ganzzle.puzzle import Floats
from ganzzle.samples import draw_landscape
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.training.calibrate import SETS
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import SMALLEST, read_weights, row_scales

CELLS = ("6x6 none", "12x12 none", "6x6 noise:0.2", "6x6 erode:2", "6x6 erode:5", "6x6 missing:0.3")
TIMED = ("6x6 none", "6x6 erode:2", "12x12 none")

Weights = Mapping[str, Tensor]


def variants(shape: HybridSize) -> list[Variant]:
    """All that can be made of a network."""
    found = [Variant(f"int{b}" if b < 16 else "fp16", "storage", b) for b in (16, 8, 6, 5, 4)]
    none = Variant("", "early", painter=False)
    for stage in range(len(shape.stages) - 1, 0, -1):
        found.append(replace(none, name=f"stage {stage}", stages=stage))
    if shape.painter:
        found.append(Variant("no painter", "parts", painter=False))
        found.append(Variant("int6, no painter", "both", 6, painter=False))
    return found


def is_matrix(value: Tensor) -> bool:
    """Whether it is stored in few bits, as `pack_int8` decides."""
    return value.ndim == 2 and value.numel() >= SMALLEST


def quantised(value: Tensor, bits: int) -> Tensor:
    """What is left of a tensor, float32, that was stored in so many bits."""
    if bits >= 16 or not is_matrix(value):
        return value.half().float()
    most = 2 ** (bits - 1) - 1
    scale = row_scales(value, most)
    return (value / scale).round().clamp(-most, most) * scale


def stored_bits(value: Tensor, bits: int) -> int:
    """What a tensor takes on disk, with its scales."""
    if bits >= 16 or not is_matrix(value):
        return 16 * value.numel()
    return bits * value.numel() + 16 * len(value)


def needed(weights: Weights, variant: Variant) -> dict[str, Tensor]:
    """The weights a variant uses."""
    return {
        name: value
        for name, value in weights.items()
        if (variant.painter or not name.startswith("painter."))
        and _stage_of(name) < (variant.stages or np.inf)
    }


def _stage_of(name: str) -> int:
    """The stage a weight belongs to, from 0; -1: none."""
    first, _, rest = name.partition(".")
    return int(rest.partition(".")[0]) if first == "stages" else -1


def load_variant(weights: Weights, metadata: Mapping[str, str], variant: Variant, device: str) -> Hybrid:
    """The solver with a variant of the weights."""
    whole = HybridSize.from_json(json.loads(metadata["network"]))
    shape = replace(
        whole, stages=whole.stages[: variant.stages], painter=whole.painter if variant.painter else 0
    )
    loaded = needed(weights, variant)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "variant.safetensors"
        about = {"kind": "hybrid", "network": json.dumps(shape.to_json())}
        save_file({name: quantised(value, variant.bits) for name, value in loaded.items()}, path, about)
        return Hybrid(path, device=device, quick=False)


def accuracies(solvers: Sequence[Hybrid], puzzle: Puzzle) -> list[float]:
    """Direct accuracy (identical pieces interchangeable) of one puzzle by every solver, in per cent."""
    return [100 * score(solver.solve(puzzle)).direct_interchangeable for solver in solvers]


def times(solvers: Sequence[Hybrid], repeats: int) -> list[dict[str, float]]:
    """Least time to wait for a drawn puzzle in ms, cell by cell, by turns."""
    found: list[dict[str, float]] = [{} for _ in solvers]
    for cell in TIMED:
        grid, corruption = cell.split()
        puzzle = Puzzle.from_picture(draw_landscape(seed=1), grid, seed=1, piece=32, corrupt=corruption)
        taken = np.empty((repeats + 1, len(solvers)))
        for turn in range(repeats + 1):
            for k, solver in enumerate(solvers):
                start = time.perf_counter()
                solver.solve(puzzle)
                taken[turn, k] = 1000 * (time.perf_counter() - start)
        for row, ms in zip(found, taken[1:].min(0), strict=True):
            row[cell] = round(float(ms), 1)
    return found


def gains(by_cell: Mapping[tuple[str, str], Floats], shipped: int) -> tuple[Floats, Floats]:
    """(variants,) mean gain over the shipped form and its standard error; a picture counts once for the error.

    `by_cell`: (cell, set) -> (pictures, variants) accuracies.
    """
    means = [
        np.mean([a - a[:, [shipped]] for (_, of), a in by_cell.items() if of == source], 0)
        for source in dict.fromkeys(source for _, source in by_cell)
    ]
    gain: Floats = np.mean([m.mean(0) for m in means], 0)
    error: Floats = np.sqrt(sum(m.var(0, ddof=1) / len(m) for m in means)) / len(means)
    return gain, error


def measure(
    weights: Weights,
    metadata: Mapping[str, str],
    cells: Sequence[str],
    pictures: int,
    repeats: int,
    device: str = "auto",
) -> list[Row]:
    """All variants on held-out pictures of every set."""
    chosen = variants(HybridSize.from_json(json.loads(metadata["network"])))
    solvers = [load_variant(weights, metadata, variant, device) for variant in chosen]
    by_cell = {}
    for cell in cells:
        for source in SETS:
            by_cell[cell, source] = measured(cell, source, pictures, partial(accuracies, solvers))
            print(f"{cell}, {source}: done", flush=True)
    gain, error = gains(by_cell, [v.name for v in chosen].index(f"int{SHIPPED}"))
    taken = times(solvers, repeats)
    rows = []
    for k, variant in enumerate(chosen):
        used = needed(weights, variant)
        direct: dict[str, dict[str, float]] = {cell: {} for cell in cells}
        for (cell, source), found in by_cell.items():
            direct[cell][source.split("/")[0]] = round(float(found[:, k].mean()), 3)
        rows.append(
            Row(
                variant,
                sum(value.numel() for value in used.values()),
                round(sum(stored_bits(value, variant.bits) for value in used.values()) / 2**23, 2),
                direct,
                round(float(np.mean([x for of in direct.values() for x in of.values()])), 3),
                round(float(gain[k]), 3),
                round(float(error[k]), 3),
                taken[k],
            )
        )
    return rows


def store(
    path: Path, command: str, metadata: Mapping[str, str], pictures: int, repeats: int, rows: Sequence[Row]
) -> None:
    """Write what was run, where, and what came out."""
    record: dict[str, Any] = {
        "command": command,
        **provenance(),
        "weights": {key: metadata.get(key, "") for key in ("commit", "command", "steps", "network")},
        "seed": 7,
        "pictures": pictures,
        "scored_on": "held-out training pictures of each set; direct accuracy, identical pieces interchangeable",
        "timed_on": f"a drawn picture, by turns, the least of {repeats}",
        "rows": [asdict(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", default="hybrid", help="an embedded name or a file")
    parser.add_argument("--pictures", type=int, default=48, help="of each set, 2 to 96")
    parser.add_argument("--cell", action="append", help='e.g. "6x6 erode:2"; default: six of them')
    parser.add_argument("--repeats", type=int, default=7, help="of each timed puzzle")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--results", type=Path, help="a JSON file")
    parser.add_argument("--figure", type=Path, help="a path without ending; .png and .svg are written")
    options = parser.parse_args(arguments)
    cells = options.cell or list(CELLS)
    weights, metadata = read_weights(find_weights(options.weights), "hybrid")
    rows = measure(weights, metadata, cells, options.pictures, options.repeats, options.device)
    print(table(rows))
    if options.figure is not None:
        draw(rows, options.figure.with_suffix(""))
    if options.results is not None:
        words = ["python", "-m", "benchmarks.size", "--pictures", str(options.pictures)]
        words += ["--repeats", str(options.repeats)]
        words += [] if options.weights == "hybrid" else ["--weights", Path(options.weights).name]
        words += [word for cell in options.cell or () for word in ("--cell", cell)]
        store(options.results, shlex.join(words), metadata, options.pictures, options.repeats, rows)


if __name__ == "__main__":
    main()
