"""Configs: overrides, and clear words for what does not fit."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from ganzzle.cli.train import CPU_PIECES, _for_this_machine
from ganzzle.errors import GanzzleError
from ganzzle.training.config import OWN, ConfigError, read_config, set_by_user
from ganzzle.training.loop import Run
from ganzzle.training.task import build_task
from ganzzle.weights_files import EMBEDDED


def test_overrides_change_nested_values(toy_run: Path) -> None:
    config = read_config(toy_run / "toy.toml", ["train.steps=7", "data.grids=['3x4']", "name=other"])
    assert (config.train.steps, config.data.grids, config.name) == (7, ["3x4"], "other")


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("train.stepz=7", "its keys: seed, start, steps"),
        ("data.grid=3", "its keys: sets, root"),
        ("train.steps=many", "type int"),
        ("train.steps=true", "type int"),
        ("data.grids=['3by4']", "rows x cols"),
        ("data.corruptions.rain=1", "there are: none, noise"),
        ("data.grid_weights=[1.0, 2.0]", "2 weights"),
        ("data.corruptions={erode = 1.0}", "eroding 8 px leaves nothing of pieces of 8 px"),
        ("steps", "key=value"),
        ("name.first=1", "does not name a value"),
    ],
)
def test_what_does_not_fit_is_named(toy_run: Path, override: str, words: str) -> None:
    with pytest.raises(GanzzleError, match=words):
        read_config(toy_run / "toy.toml", [override])


def test_files_that_are_no_config(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"there is no config .*none.toml; give a TOML file or one of .*hybrid"
    ):
        read_config(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(ConfigError, match="no readable TOML"):
        read_config(tmp_path / "bad.toml")
    (tmp_path / "empty.toml").write_text("")
    with pytest.raises(ConfigError, match=r"no \[task\]"):
        read_config(tmp_path / "empty.toml")


def test_unknown_tasks_and_options_list_the_valid_ones() -> None:
    with pytest.raises(ConfigError, match=r"there are: .*ganzzle"):
        build_task({"kind": "magic"}, torch.device("cpu"))
    with pytest.raises(ConfigError, match="its keys: learning_rate, dropout"):
        build_task({"kind": "toy:ToyTask", "rate": 1}, torch.device("cpu"))
    with pytest.raises(ConfigError, match="cannot be loaded"):
        build_task({"kind": "toy:Nothing"}, torch.device("cpu"))


@pytest.mark.parametrize("config", ["hybrid", "hybrid.toml", "configs/hybrid.toml", Path("hybrid")])
def test_the_packages_own_configs_go_by_their_names(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hybrid").mkdir()  # a folder of that name does not matter
    assert read_config(config).name == "hybrid"


def test_a_file_of_your_own_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("hybrid.toml").write_text('name = "mine"\n[task]\nkind = "hybrid"\n')
    assert read_config("hybrid.toml").name == "mine"
    assert read_config("hybrid").name == "hybrid"


@pytest.mark.parametrize("gpu", [False, True])
@pytest.mark.parametrize("chosen", [False, True])
def test_steps_are_small_on_a_cpu_where_nobody_chose_their_size(monkeypatch, gpu, chosen):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    settings = read_config("hybrid")
    lowered, note = _for_this_machine(settings, chosen)
    assert lowered.data.pieces_per_step == (settings.data.pieces_per_step if gpu or chosen else CPU_PIECES)
    assert ("training on the CPU" in note) != gpu
    small = read_config("hybrid", ["data.pieces_per_step=100"])
    assert _for_this_machine(small, chosen) == (small, "")


def test_what_the_user_has_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    key = "data.pieces_per_step"
    Path("without.toml").write_text('[task]\nkind = "hybrid"\n')
    Path("hybrid.toml").write_text('[task]\nkind = "hybrid"\n[data]\npieces_per_step = 9000\n')
    assert set_by_user("hybrid.toml", [], key)
    assert not set_by_user("hybrid", [], key)  # the package's own
    assert not set_by_user(OWN / "hybrid.toml", [], key)
    assert not set_by_user("without.toml", ["data.size=96"], key)
    for config in ("hybrid", "without.toml"):
        assert set_by_user(config, ["data.pieces_per_step = 4000"], key)


@pytest.mark.parametrize("card", sorted(EMBEDDED.glob("*.md")), ids=lambda card: card.stem)
def test_the_command_that_made_the_embedded_weights_is_still_understood(card: Path) -> None:
    recorded = re.search(r"^- command: `(.+?)`", card.read_text(), re.MULTILINE)
    assert recorded is not None
    _, _, config, *options = shlex.split(recorded[1])
    overrides = [value for name, value in pairwise(options) if name == "--set"]
    task = build_task(read_config(config, overrides).task, torch.device("meta"))
    assert task.optimizers


def test_a_former_name_counts_like_the_one_of_today() -> None:
    task = build_task(read_config("po-la-art", ["task.lr=5e-4"]).task, torch.device("meta"))
    assert task.optimizers["adam"].param_groups[0]["lr"] == 5e-4


def test_what_is_wrong_is_said_with_the_name_of_the_file(toy_run: Path) -> None:
    path = toy_run / "toy.toml"
    path.write_text(path.read_text().replace("jitter = 0.1", "jitter = -0.1"))
    with pytest.raises(GanzzleError, match=r"toy.toml: data.jitter is a share between 0 and 1, not -0.1"):
        read_config(path)


@pytest.mark.parametrize(
    "override",
    ["data.jitter=nan", "train.steps=-1", "train.keep=0", "train.keep=-2", "train.max_minutes=inf", "name='../x'",
     "data.validation=-1", "train.seed=-1", "data.min_batch=0", "data.size=1000000", "train.steps=0"],
)  # fmt: skip
def test_numbers_that_mean_nothing_are_refused(toy_run: Path, override: str) -> None:
    with pytest.raises(GanzzleError, match=r"toy.toml"):
        read_config(toy_run / "toy.toml", [override])


def test_what_a_killed_run_left_behind_is_cleared_away(toy_run: Path) -> None:
    (toy_run / "run").mkdir()
    left = toy_run / "run" / ".checkpoint-00000004.safetensors.0a1b2c3d"
    left.write_bytes(b"half")
    Run(read_config(toy_run / "toy.toml"), toy_run / "run")
    assert not left.exists()
