"""A table and the ways to write it: Markdown, CSV, LaTeX (booktabs), HTML."""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass

DASH = "-"
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


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, rows of text, and footnotes."""

    name: str  # a file name without ending
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def to_markdown(table: Table) -> str:
    """A heading, the table, its notes."""
    lines = [f"### {table.title}", "", _markdown_row(table.head)]
    lines.append("|" + "|".join(["---"] + ["---:"] * (len(table.head) - 1)) + "|")
    lines += [_markdown_row(row) for row in table.rows]
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
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex(table.title)}}}",
        rf"  \begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"    \toprule",
        f"    {_latex_row(table.head)}",
        r"    \midrule",
        *(f"    {_latex_row(row)}" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\footnotesize {_latex(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_html(table: Table) -> str:
    """A heading, the table and its notes, as a part of a page."""
    head = "".join(f"<th scope=col>{html.escape(cell)}</th>" for cell in table.head)
    body = "\n".join(_html_row(row) for row in table.rows)
    notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in table.notes)
    return (
        f"<h3>{html.escape(table.title)}</h3>\n<div class=wide><table><thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>{notes}\n"
    )


WRITERS = {".md": to_markdown, ".csv": to_csv, ".tex": to_latex}


def _markdown_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _latex_row(cells: tuple[str, ...]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


def _latex(text: str) -> str:
    return text.translate(LATEX_ESCAPES).replace("+-", r"$\pm$")


def _html_row(cells: tuple[str, ...]) -> str:
    first, *rest = cells
    return (
        f"<tr><th scope=row>{html.escape(first)}</th>"
        + "".join(f"<td>{html.escape(c)}</td>" for c in rest)
        + "</tr>"
    )
