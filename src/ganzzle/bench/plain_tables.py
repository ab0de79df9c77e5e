"""A table and the ways to write it: Markdown, CSV, LaTeX (booktabs), HTML."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable
from dataclasses import dataclass

DASH = "-"
NUMBER = re.compile(r"\d+(\.\d+)?")  # at the start of a cell: our figure
LATEX_ESCAPES = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "_": r"\_",
        "#": r"\#",
        "$": r"\$",
        "~": r"\textasciitilde{}",
        "\\": r"\textbackslash{}",
    }
)

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, rows of text, and footnotes."""

    name: str  # a file name without ending
    title: str
    head: Cells
    rows: tuple[Cells, ...]
    notes: tuple[str, ...] = ()
    marks_best: bool = False  # whether the highest figure of a column is set in bold


def to_markdown(table: Table) -> str:
    """A heading, the table, its notes."""
    lines = [f"### {table.title}", "", _markdown_row(table.head)]
    lines.append("|" + "|".join(["---"] + ["---:"] * (len(table.head) - 1)) + "|")
    lines += map(_markdown_row, _rows(table, str, lambda figure: f"**{figure}**"))
    for note in table.notes:
        lines += ["", note]
    return "\n".join(lines) + "\n"


def to_csv(table: Table) -> str:
    """The columns and rows alone."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.head)
    writer.writerows(table.rows)
    return file.getvalue()


def to_latex(table: Table) -> str:
    """A floating table that needs the package booktabs."""
    rows = _rows(table, _latex, lambda figure: rf"\textbf{{{figure}}}")
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex(table.title)}}}",
        rf"  \begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"    \toprule",
        f"    {_latex_row(tuple(map(_latex, table.head)))}",
        r"    \midrule",
        *(f"    {_latex_row(row)}" for row in rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\footnotesize {_latex(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_html(table: Table) -> str:
    """The table and its notes, as a part of a page; published figures in brackets are set back."""
    head = "".join(f"<th scope=col>{html.escape(cell)}</th>" for cell in table.head)
    rows = _rows(table, _html, lambda figure: f"<b>{figure}</b>")
    body = "\n".join(map(_html_row, rows))
    notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in table.notes)
    return f"<div class=wide><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>{notes}\n"


WRITERS = {".md": to_markdown, ".csv": to_csv, ".tex": to_latex}


def _rows(table: Table, escape: Callable[[str], str], bold: Callable[[str], str]) -> list[Cells]:
    """The rows as a format writes them, the best figure of each column in bold where the table asks for it."""
    written = [[escape(cell) for cell in row] for row in table.rows]
    for column in range(1, len(table.head) if table.marks_best else 0):
        found = {k: NUMBER.match(row[column]) for k, row in enumerate(table.rows)}
        figures = {k: float(match[0]) for k, match in found.items() if match}
        for k in [k for k, figure in figures.items() if figure == max(figures.values())]:
            written[k][column] = NUMBER.sub(lambda match: bold(match[0]), written[k][column], count=1)
    return [tuple(row) for row in written]


def _markdown_row(cells: Cells) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _latex_row(cells: Cells) -> str:
    return " & ".join(cells) + r" \\"


def _latex(text: str) -> str:
    return text.translate(LATEX_ESCAPES).replace("+-", r"$\pm$")


def _html(text: str) -> str:
    escaped = html.escape(text).replace("+-", "±")
    return re.sub(r"(\([\d.]+\))$", r"<span class=paper>\1</span>", escaped)


def _html_row(cells: Cells) -> str:
    first, *rest = cells
    ours = " class=ours" if first.endswith(("(ours)", "(ours) *")) else ""
    return f"<tr{ours}><th scope=row>{first}</th>" + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>"
