"""The hybrid on a CPU: where its time goes, and what packed weights and compiled passes save.

    python -m benchmarks.hybrid

Shares are CPU time on one thread, so that other work on the machine hardly counts; times to wait are the best of some
runs on all threads. Ratios compare with the plain way (float32, torch alone) by turns in this run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor

from ganzzle import Puzzle
from ganzzle.board import assemble_pieces
from ganzzle.damage.corruption import twin_groups
from ganzzle.damage.wear import wear_width
from ganzzle.networks import hybrid as network_module
from ganzzle.networks.borders import border_strips, seam_distances
from ganzzle.networks.hybrid import HybridInput, HybridNetwork, HybridSize
from ganzzle.samples import draw_landscape
from ganzzle.solvers.base import canonical_order
from ganzzle.solvers.hybrid import Hybrid
from ganzzle.solvers.hybrid.confidence import confidence, placement_evidence
from ganzzle.solvers.hybrid.rules import Wear
from ganzzle.solvers.hybrid.sight import prepare
from ganzzle.weights_files import find_weights
from ganzzle.weights_io import read_weights

GRIDS = ("6x6", "12x12", "20x20")
PICTURES = 4
GOALS = {"6x6": 40, "12x12": 200, "20x20": 1200}  # ms on two cores
LOADING = """
import time, torch
start, spent = time.perf_counter(), time.process_time()
from ganzzle import load_solver
load_solver("hybrid", device="cpu").eyes
print(time.perf_counter() - start, time.process_time() - spent)
"""


def cpu_ms(work: Callable[[], object], repeats: int = 5) -> float:
    """CPU milliseconds of all threads, the least of some runs."""
    work()
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return 1000 * best


def puzzles(grid: str, corrupt: str = "none") -> list[Puzzle]:
    """A few puzzles of drawn landscapes."""
    return [
        Puzzle.from_picture(draw_landscape(seed=k), grid, seed=k, piece=32, corrupt=corrupt)
        for k in range(PICTURES)
    ]


class Clock:
    """CPU time spent in some modules of a network, by name."""

    def __init__(self, network: HybridNetwork) -> None:
        self.spent: dict[str, float] = {}
        named: dict[str, Any] = {
            "piece and edge encoder": network.encoder, "look at the best pairs": network.first_look,
            "weighing of distances": network.distance,
        }  # fmt: skip
        for stage in network.stages:
            for block in stage.blocks:
                self._watch("transformer blocks", block)
        if network.encoder.exchange is not None:
            self._watch("exchange between windows", network.encoder.exchange)
        for name, module in named.items():
            self._watch(name, module)

    def _watch(self, name: str, module: torch.nn.Module) -> None:
        started: list[float] = []
        module.register_forward_pre_hook(lambda *_: started.append(time.process_time()))

        def stop(*_: object) -> None:
            self.spent[name] = self.spent.get(name, 0.0) + time.process_time() - started.pop()

        module.register_forward_hook(stop)


@torch.inference_mode()
def shares(solver: Hybrid, clock: Clock, grid: str) -> dict[str, float]:
    """CPU milliseconds of every step of a puzzle, on one thread."""
    puzzle = puzzles(grid)[0]
    assert puzzle.grid is not None
    given = prepare([puzzle], Wear(0, False), solver.device)
    steps = {
        "canonical order": cpu_ms(lambda: puzzle.reorder(canonical_order(puzzle.pieces, 0))),
        "rims": cpu_ms(lambda: wear_width(puzzle.pieces)),
        "pixels to tensors": cpu_ms(lambda: prepare([puzzle], Wear(0, False), solver.device)),
        "classical distances": cpu_ms(lambda: network_module.all_distances(given.pieces)),
    }
    total, repeats = float("inf"), 5
    parts: dict[str, float] = {}
    for _ in range(repeats):
        clock.spent.clear()
        start = time.process_time()
        solver.eyes.network(given)
        spent = 1000 * (time.process_time() - start)
        if spent < total:
            total, parts = spent, {name: 1000 * seconds for name, seconds in clock.spent.items()}
    parts["piece and edge encoder"] -= parts.get("exchange between windows", 0.0)
    steps |= parts
    steps["rest of the network"] = total - sum(parts.values()) - steps["classical distances"]
    slots, right, down, border = solver.potentials(puzzle)
    weighed = solver.slot_weight * slots
    steps["assembler"] = cpu_ms(lambda: assemble_pieces(right, down, puzzle.grid, weighed, border))
    assembly = assemble_pieces(right, down, puzzle.grid, weighed, border)
    tables, twins = (slots[None], right[None], down[None]), [twin_groups(puzzle.pieces)]
    steps["confidence"] = cpu_ms(
        lambda: confidence(placement_evidence([assembly], *tables, puzzle.grid, twins))
    )
    return steps


def torch_distances(pieces: Tensor, _: object = None) -> tuple[Tensor, Tensor]:
    """What the compiled distances replace."""
    right, left, lower, upper = border_strips(pieces)
    return seam_distances(right, left), seam_distances(lower, upper)


@torch.inference_mode()
def ratios(solver: Hybrid, plain: HybridNetwork, grid: str) -> tuple[float, float, float]:
    """CPU milliseconds of the network as it is, in the plain way, and the median of their ratios, by turns."""
    inputs: list[HybridInput] = [prepare([puzzle], Wear(0, False), solver.device) for puzzle in puzzles(grid)]

    def run_plain(given: HybridInput) -> None:
        with patch.object(network_module, "all_distances", torch_distances):
            plain(given)

    solver.eyes.network(inputs[0])
    run_plain(inputs[0])
    times: list[tuple[float, float]] = []
    for given in inputs:
        start = time.process_time()
        solver.eyes.network(given)
        middle = time.process_time()
        run_plain(given)
        times.append((middle - start, time.process_time() - middle))
    ours, theirs = np.array(times).T
    return 1000 * float(np.median(ours)), 1000 * float(np.median(theirs)), float(np.median(theirs / ours))


def assembler_ms(solver: Hybrid, grid: str, corrupt: str) -> tuple[float, float]:
    """Mean and largest CPU milliseconds of the assembler, on one core."""
    times = []
    for puzzle in puzzles(grid, corrupt):
        assert puzzle.grid is not None
        slots, right, down, border = solver.potentials(puzzle)
        tables = right, down, puzzle.grid, solver.slot_weight * slots, border
        times.append(cpu_ms(lambda tables=tables: assemble_pieces(*tables), 3))
    return float(np.mean(times)), max(times)


def plain_network() -> HybridNetwork:
    """The same weights, not packed."""
    tensors, metadata = read_weights(find_weights("hybrid"), "hybrid")
    network = HybridNetwork(HybridSize.from_json(json.loads(metadata["network"])))
    network.load_state_dict(tensors)
    return network.eval()


def main() -> None:
    """Print all of it; about a minute."""
    threads = torch.get_num_threads()
    solver = Hybrid(device="cpu", quick=False)
    print("\nThe hybrid on a CPU, one puzzle at a time, warm")
    for grid in GRIDS:
        waits = []
        for puzzle in puzzles(grid):
            solver.solve(puzzle)
            for _ in range(3):
                start = time.perf_counter()
                solver.solve(puzzle)
                waits.append(1000 * (time.perf_counter() - start))
        print(
            f"  {grid}: {min(waits):.1f} ms at best on {threads} threads (goal: {GOALS[grid]} ms on two cores)"
        )
    torch.set_num_threads(1)
    plain = plain_network()
    for grid in GRIDS[:2]:
        ours, theirs, ratio = ratios(solver, plain, grid)
        print(f"  network, {grid}: {ours:.1f} CPU ms, plain float32: {theirs:.1f}, {ratio:.2f} times faster")
    for grid, corrupt in (("6x6", "none"), ("6x6", "noise:0.2"), ("6x6", "erode:2"), ("12x12", "none")):
        mean, most = assembler_ms(solver, grid, corrupt)
        print(f"  assembler, {grid} {corrupt}: {mean:.2f} CPU ms on one core, at most {most:.2f}")
    clock = Clock(solver.eyes.network)
    found = {grid: shares(solver, clock, grid) for grid in GRIDS}
    print("\n  CPU ms on one thread" + " " * 10 + "".join(f"{grid:>16}" for grid in GRIDS))
    for step in found[GRIDS[0]]:
        cells = "".join(
            f"{steps[step]:>9.2f} {100 * steps[step] / sum(steps.values()):>4.0f} %"
            for steps in found.values()
        )
        print(f"  {step:<30}{cells}")
    print(f"  {'all':<30}" + "".join(f"{sum(steps.values()):>9.2f}  100 %" for steps in found.values()))
    loaded = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=True)
    wall, spent = map(float, loaded.stdout.split())
    print(f"\n  loading after torch is imported: {wall:.2f} s, {spent:.2f} CPU s (goal: 0.3 s)")


if __name__ == "__main__":
    main()
