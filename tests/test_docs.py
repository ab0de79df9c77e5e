"""The documentation is whole: its links lead somewhere, its index names every page, files and commands exist."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from ganzzle.training.config import read_config
from ganzzle.training.task import build_task

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_source_file_named_is_there(page):
    for name in re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text()):
        example = Path(name).name.startswith("my_")
        assert example or (ROOT / name).exists() or (ROOT / "src" / "ganzzle" / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_training_that_is_written_down_can_be_started(page):
    """Its config exists, and so do the options that it changes."""
    text = page.read_text().replace("\\\n", " ")
    for command in re.findall(r"^ganzzle train [a-z].*", text, re.MULTILINE):
        _, _, config, *options = shlex.split(command, comments=True)
        overrides = [value for name, value in pairwise(options) if name == "--set"]
        build_task(read_config(config, overrides).task, torch.device("meta"))
