"""One HTML file with everything in it: no script, nothing fetched, readable in any browser, on a phone and on paper."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from ganzzle.bench.plain_tables import Table, to_html

ACROSS = 1250  # px; wider figures get the page's whole width

Shown = Sequence[tuple[Path, str]]  # figures without ending, and their captions

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 4rem;
  color: #1a1a1a; background: #fff; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.4rem; margin: 3rem 0 .5rem; padding-top: .8rem; border-top: 2px solid #1a1a1a; }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
a { color: #0b5394; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 1rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; font-size: .85rem;
  color: #444; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #e2e2e2; white-space: nowrap; }
tr > :first-child { text-align: left; font-weight: 400; position: sticky; left: 0; background: #fff; padding-left: 0; }
thead th, thead tr > :first-child { border-bottom: 2px solid #1a1a1a; font-weight: 600; }
tbody tr.ours > * { background: #eef4fa; }
.paper { color: #767676; }
.note { color: #444; font-size: .85rem; margin: .3rem 0; max-width: 60rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)); gap: 1rem 2rem;
  align-items: start; grid-auto-flow: dense; }
figure { margin: 1rem 0; } figure img { max-width: 100%; height: auto; display: block; }
figure.across { grid-column: 1 / -1; }
figcaption { font-size: .85rem; color: #444; margin-top: .3rem; }
details { margin: .6rem 0; } summary { cursor: pointer; font-weight: 600; }
@media (max-width: 46rem) { .across .wide img { max-width: none; width: 44rem; } }
@media print { .wide { overflow: visible; } figure, table { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Section:
    """A heading with what belongs under it."""

    title: str
    tables: Sequence[Table] = ()
    figures: Shown = ()


def html_report(
    title: str, summary: str, origin: Mapping[str, str], sections: Sequence[Section], details: Sequence[Table]
) -> str:
    """The page: a summary, how it was made, the sections, and the long tables folded up at the end."""
    facts = "".join(
        f"<dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd>" for key, value in origin.items() if value
    )
    sections = [section for section in sections if section.tables or section.figures]
    names = [section.title for section in sections] + (["In detail"] if details else [])
    links = "".join(f'<a href="#{_anchor(name)}">{html.escape(name)}</a>' for name in names)
    parts = [
        f"<h1>{html.escape(title)}</h1>\n<p>{html.escape(summary)}</p>\n<dl>{facts}</dl>\n<nav>{links}</nav>",
        *map(_section, sections),
    ]
    if details:
        parts.append(_heading("In detail"))
        parts += [
            f"<details><summary>{html.escape(t.title)}</summary>{to_html(t)}</details>" for t in details
        ]
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    figures = "\n".join(_figure(path, caption) for path, caption in section.figures)
    tables = "\n".join(f"<h3>{html.escape(table.title)}</h3>\n{to_html(table)}" for table in section.tables)
    return f"{_heading(section.title)}\n{tables}\n<div class=figures>{figures}</div>"


def _heading(title: str) -> str:
    return f'<h2 id="{_anchor(title)}">{html.escape(title)}</h2>'


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _figure(path: Path, caption: str) -> str:
    data, kind, width = _picture(path.with_name(path.name + ".png"))
    text = html.escape(caption, quote=True)
    image = f'<img alt="{text}" src="data:image/{kind};base64,{b64encode(data).decode()}">'
    across = " class=across" if width > ACROSS else ""
    return f"<figure{across}><div class=wide>{image}</div><figcaption>{text}</figcaption></figure>"


def _picture(path: Path) -> tuple[bytes, str, int]:
    """A figure's bytes, their format and its width: as JPEG where that is far smaller, which it is for photographs."""
    png, file = path.read_bytes(), BytesIO()
    with Image.open(path) as image:
        image.convert("RGB").save(file, "jpeg", quality=85)
        return (
            (file.getvalue(), "jpeg", image.width)
            if 3 * file.tell() < len(png)
            else (png, "png", image.width)
        )
