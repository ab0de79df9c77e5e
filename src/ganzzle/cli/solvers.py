"""`ganzzle solvers`: what there is."""

from __future__ import annotations

from dataclasses import asdict

from ganzzle.cli.console import ForceOption, JsonOption, print_table, speaker, write_json


def solvers(json: JsonOption = None, force: ForceOption = False) -> None:
    """List the solvers with their weights, licence and scores. The default is marked with a star."""
    from ganzzle.solvers import SOLVERS, default_solver

    records = [
        asdict(info) | {"ready": info.ready, "default": name == default_solver()}
        for name, info in SOLVERS.items()
    ]
    write_json(json, {"solvers": records}, force)
    if json == "-":
        return
    columns = ["name", "summary", "publication", "weights", "licence", "scores"]
    rows = [[str(record[column]) or "-" for column in columns] for record in records]
    for row, record in zip(rows, records, strict=True):
        row[0] += " *" if record["default"] else ""
        row[3] += "" if record["ready"] else " (not embedded: train them)"
    print_table(["solver", *columns[1:]], rows)
    speaker(json)("* the default; your own: --solver package.module:Class")
