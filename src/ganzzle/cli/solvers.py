"""`ganzzle solvers`: what there is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ganzzle.cli.console import speaker, write_json
from ganzzle.cli.options import ForceOption, JsonOption

LABELS = {
    "publication": "after",
    "weights": "weights",
    "licence": "licence",
    "takes": "takes",
    "scores": "direct %",
}


def solvers(json: JsonOption = None, force: ForceOption = False) -> None:
    """List the solvers with their weights, licences and scores. A star marks the default."""
    from ganzzle.solvers import SOLVERS, default_solver
    from ganzzle.weights_files import all_embedded

    records: list[dict[str, Any]] = [
        asdict(info) | {"ready": info.ready, "default": name == default_solver()}
        for name, info in SOLVERS.items()
    ]
    write_json(json, {"solvers": records}, force)
    if json == "-":
        return
    there = all_embedded()
    say = speaker(json)
    for record in records:
        say(f"{record['name']}{' *' if record['default'] else ''}")
        say(f"  {record['summary']}")
        shown = dict(record) | {"takes": "turned pieces" if record["rotated"] else ""}
        if shown["weights"]:
            own = [name for name in there if _solver_of(name, SOLVERS) == record["name"]]
            shown["weights"] = ", ".join(own) or f"{shown['weights']} (not embedded: train them)"
        for key, label in LABELS.items():
            if shown[key]:
                say(f"    {label:<9} {shown[key]}")
    say("* the default; your own: --solver package.module:Class")


def _solver_of(weights: str, names: Any) -> str:
    """The solver that embedded weights are named after: the longest name they begin with."""
    return max((name for name in names if f"{weights}-".startswith(f"{name}-")), key=len, default="")
