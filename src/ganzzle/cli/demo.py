"""`ganzzle demo`: see it work."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ganzzle.cli.console import check_outputs, progress, speaker, write_json
from ganzzle.cli.options import DeviceOption, JsonOption, SeedOption, SolverOption

GRIDS = (8, 12)
JIGSAW = (4, 6)  # rows and columns of the drawn jigsaw


def demo(
    solver: SolverOption = None,
    sample: Annotated[
        str | None,
        typer.Option(
            "--sample",
            help="portrait, landscape or balloons. Default: portrait, if matplotlib is installed.",
        ),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="PNG", help="The before-and-after picture.")
    ] = "demo/demo.png",
    jigsaw: Annotated[
        bool, typer.Option("--jigsaw", help="Draw a page of loose jigsaw pieces and lay them, instead.")
    ] = False,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    json: JsonOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the --json file; the picture is always overwritten.")
    ] = False,
) -> None:
    """Solve a sample picture cut 8x8 and 12x12, print the scores, and write a before-and-after picture."""
    from ganzzle.demo import overview, play
    from ganzzle.reading.pictures import check_ending, write_picture
    from ganzzle.samples import sample_names, sample_picture
    from ganzzle.solvers import load_solver

    say = speaker(json)
    check_outputs(force, json)
    check_outputs(True, out)
    check_ending(out)
    if jigsaw:
        _demo_jigsaw(sample or "balloons", out, seed, json, force)
        return
    sample = sample or sample_names()[0]
    picture = sample_picture(sample)
    with progress("loading and solving"):
        rounds = play(picture, GRIDS, load_solver(solver, device=device), seed)
    write_picture(out, overview(rounds), force=True)
    records = []
    for one in rounds:
        grid, name = str(one.solution.grid), one.solution.solver
        records.append(
            {"solver": name, "sample": sample, "grid": grid, "seconds": one.seconds, **asdict(one.score)}
        )
        say(
            f"{sample} {grid:>5}, {name}: direct {100 * one.score.direct:.1f} %, "
            f"neighbour {100 * one.score.neighbour:.1f} %, {one.seconds:.2f} s"
        )
    write_json(json, {"out": out, "rounds": records}, force)
    say(f"pile, solution and original: {out}")


def _demo_jigsaw(sample: str, out: str, seed: int, json: str | None, force: bool) -> None:
    """Lay a drawn jigsaw, and write its page, its guide and its picture side by side."""
    from ganzzle.demo import jigsaw_overview, play_jigsaw
    from ganzzle.reading.pictures import write_picture
    from ganzzle.samples import sample_picture

    with progress("drawing and laying a jigsaw"):
        one = play_jigsaw(sample_picture(sample), JIGSAW, seed)
    write_picture(out, jigsaw_overview(one), force=True)
    laid = one.answer.laid[0]
    sure = float(one.answer.confidence.mean())
    record = {"out": out, "sample": sample, "grid": str(laid.grid), "pieces": len(one.answer.pile)}
    write_json(json, record | {"seconds": one.seconds, "sure": sure}, force)
    say = speaker(json)
    say(
        f"{sample} as a jigsaw: {len(laid.members)} of {len(one.answer.pile)} pieces laid, {one.seconds:.1f} s"
    )
    say(f"page, guide and picture: {out}")
