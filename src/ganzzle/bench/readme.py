"""The README's tables from results/: `python -m ganzzle.bench.readme README.md results`.

The tables method by method, and the long ones with intervals, go to results/README.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ganzzle.bench.details import detail_tables
from ganzzle.bench.glance import glance_table
from ganzzle.bench.overview import overview_tables
from ganzzle.bench.plain_tables import to_markdown
from ganzzle.bench.real import Line, real_lines
from ganzzle.bench.results import Results, read_results
from ganzzle.bench.times import times_table
from ganzzle.errors import GanzzleError

SHOWN = ("direct-faces", "direct-art", "worn-faces-6x6", "worn-art-6x6", "classic", "speed")
MARKED = re.compile(r"(<!-- numbers: begin[^\n]*-->\n).*?(<!-- numbers: end -->)", re.DOTALL)
ABOUT = """# Results

Every row that was measured, with its interval; [Reading the tables](../docs/benchmark.md#reading-the-tables) explains
the columns. The JSON files beside this page also hold the seed, the command, the commit and the machine of every row;
[docs/](../docs/README.md) explains the other measurements among them. `ganzzle bench all` measures again, and
`make readme-tables` writes this page from the files; do not edit it.
"""


def update_readme(text: str, results: Results, real: Sequence[Line] = ()) -> str:
    """The README with its numbers at a glance replaced, `real` lines among them; all others are in results/ only."""
    if len(MARKED.findall(text)) != 1:
        raise GanzzleError(
            "the README needs one pair of the markers <!-- numbers: begin --> and <!-- numbers: end -->"
        )
    glance = glance_table(results)
    body = "" if glance is None else to_markdown(replace(glance, rows=(*glance.rows, *real)))
    return MARKED.sub(lambda match: match[1] + body + match[2], text)


def long_tables(results: Results) -> str:
    """The page of all there is."""
    tables = [table for table in overview_tables(results) if table.name in SHOWN]
    tables += detail_tables(list(results.rows.values()), results.absent)
    if results.times:
        tables.append(times_table(results.times))
    return "\n".join([ABOUT, *map(to_markdown, tables)])


def main(readme: str, folder: str) -> None:
    """Rewrite the README's numbers in place, and the page of the long tables."""
    path, results = Path(readme), read_results(Path(folder))
    path.write_text(update_readme(path.read_text(), results, real_lines(Path(folder))))
    (Path(folder) / "README.md").write_text(long_tables(results))


if __name__ == "__main__":
    main(*sys.argv[1:])
