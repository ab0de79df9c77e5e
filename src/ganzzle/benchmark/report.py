"""One HTML file with everything in it: no script, nothing fetched, readable in any browser and on paper."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path

from ganzzle.benchmark.tables import Table, to_html

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child { text-align: left; }
thead th { border-bottom: 2px solid #111; }
.wide { overflow-x: auto; }
.note { color: #444; font-size: .85rem; margin: .3rem 0; }
figure { margin: 1.5rem 0; } figure img { max-width: 100%; }
"""


def html_report(
    title: str,
    origin: Mapping[str, str],
    overview: Sequence[Table],
    details: Sequence[Table],
    figures: Sequence[tuple[Path, str]],
) -> str:
    """The page; `figures` are paths without ending and their captions, `origin` says how the results were made."""
    facts = "".join(
        f"<li>{html.escape(key)}: {html.escape(value)}</li>" for key, value in origin.items() if value
    )
    parts = [
        f"<h1>{html.escape(title)}</h1>\n<ul>{facts}</ul>\n<h2>Tables</h2>",
        *map(to_html, overview),
        "<h2>Figures</h2>",
        *(_figure(path, caption) for path, caption in figures),
        "<h2>In detail</h2>",
        *map(to_html, details),
    ]
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _figure(path: Path, caption: str) -> str:
    data = b64encode(path.with_name(path.name + ".png").read_bytes()).decode()
    text = html.escape(caption, quote=True)
    return f'<figure><img alt="{text}" src="data:image/png;base64,{data}"><figcaption>{text}</figcaption></figure>'
