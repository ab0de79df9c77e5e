"""The documentation is whole: its links lead somewhere, its index names every page, its benchmarks exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", page.read_text()):
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there), f"{target}#{anchor}"


def test_the_index_names_every_page():
    index = (ROOT / "docs" / "README.md").read_text()
    assert [page.name for page in DOCS if page.name != "README.md" and f"({page.name})" not in index] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_benchmark_named_is_there(page):
    for name, after in re.findall(r"python -m benchmarks\.(\w+)([^\n]*\n?[^\n]*)", page.read_text()):
        if "` at commit" not in re.sub(r"\s+", " ", after):  # one of the past
            assert (ROOT / "benchmarks" / f"{name}.py").exists(), name
