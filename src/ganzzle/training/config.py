"""Configs: one small TOML file a trained model, checked against dataclasses."""

from __future__ import annotations

import dataclasses
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ganzzle.cli.data_options import DataError, DataOptions
from ganzzle.errors import GanzzleError, PictureError
from ganzzle.files import read_text

T = TypeVar("T")

OWN = Path(__file__).parents[1] / "configs"  # one file a trained model
# What options were called in commands that are recorded with weights: these can still be run.
FORMER_NAMES = {
    "lr": "learning_rate",
    "muon_lr": "muon_learning_rate",
    "discriminator_lr": "discriminator_learning_rate",
    "matrix_lr": "matrix_learning_rate",
    "final_lr": "final_learning_rate",
    "decay": "weight_decay",
}


MOST_TEXT = 64 << 10  # bytes of a config: of large ones the reading alone may take minutes
LARGEST = 2**62  # of a number in a config
NAME = r"\w[\w.-]{0,99}"  # what files and folders can be named after


class ConfigError(GanzzleError):
    """A config file or an override that cannot be used."""


@dataclass(frozen=True)
class TrainOptions:
    """The `[train]` table: how long, and what is written when."""

    seed: int = 0
    start: str = ""  # begin with these weights (an embedded name or a file) instead of random ones
    steps: int = 1000  # the length of the run where max_minutes is 0
    max_minutes: float = 0.0  # ends the run after so much training time; the schedule follows the clock
    warmup_steps: int = 200
    final_learning_rate: float = 0.01  # the last one, relative to the peak
    checkpoint_steps: int = 0  # 0: none by steps
    checkpoint_minutes: float = 5.0  # 0: none by time
    keep: int = 2  # checkpoints kept
    validate_steps: int = 0  # 0: at the end only
    validate_minutes: float = 0.0
    log_steps: int = 100  # scalars for TensorBoard and log.jsonl, 0: none
    image_steps: int = 1000  # pictures for TensorBoard, also at the end, 0: none
    progress_seconds: float = 10.0  # a progress line where there is no terminal
    deterministic: bool = False  # exactly repeatable kernels, slower on a GPU
    fuse: bool = False  # on a GPU, compile the networks' blocks: 40 s at first, then steps with fewer kernels
    cpu: bool = False  # train on the CPU even if there is a GPU

    def __post_init__(self) -> None:
        for one in dataclasses.fields(self):
            value = getattr(self, one.name)
            if isinstance(value, int | float) and value < 0:
                raise ConfigError(f"train.{one.name} is 0 or more, not {value}")
        if self.keep < 1:
            raise ConfigError("train.keep is at least 1: the last checkpoint is kept")
        if self.steps < 1 and self.max_minutes == 0:
            raise ConfigError("train.steps is at least 1 where train.max_minutes is 0")


@dataclass(frozen=True)
class Config:
    """A whole config file."""

    name: str
    task: dict[str, Any]
    data: DataOptions = field(default_factory=DataOptions)
    train: TrainOptions = field(default_factory=TrainOptions)
    about: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(NAME, self.name):
            raise ConfigError(
                f"name = {self.name!r} does not fit; files are named so: letters, digits, - _ and . after the first"
            )

    def to_json(self) -> dict[str, Any]:
        """Plain values, to be stored with the weights."""
        return dataclasses.asdict(self)


def find_config(config: str | Path) -> Path:
    """The path of a TOML file as it is given, or of one of the package's own by its name.

    They lay in a folder configs/ once: recorded commands that name them so still find them.
    """
    path = Path(config)
    own = OWN / f"{path.name.removesuffix('.toml')}.toml"
    if not path.is_file() and str(path.parent) in (".", "configs") and own.is_file():
        return own
    return path


def read_config(config: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Read a TOML file or one of the package's own configs; overrides are texts such as "train.steps=100" with a TOML
    value."""
    path = find_config(config)
    table = _read_table(path)
    table.setdefault("name", path.stem)
    for text in overrides:
        _override(table, text)
    with naming(config):
        if "task" not in table:
            raise ConfigError("there is no [task] table")
        return from_table(Config, table, "")


@contextmanager
def naming(config: str | Path) -> Iterator[None]:
    """Around what is read from a config: what is wrong with it is said with the config's name before it."""
    try:
        yield
    except (ConfigError, DataError) as error:
        raise type(error)(f"{config}: {error}") from None


def set_by_user(config: str | Path, overrides: Sequence[str], key: str) -> bool:
    """Whether an override or a config file that is not the package's own sets a key, such as "train.steps"."""
    path = find_config(config)
    table: Any = {} if path.resolve().parent == OWN.resolve() else _read_table(path)
    for text in overrides:
        _override(table, text)
    *tables, last = key.split(".")
    for name in tables:
        table = table.get(name, {}) if isinstance(table, dict) else {}
    return last in table


def _read_table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, most=MOST_TEXT))
    except FileNotFoundError:
        there = ", ".join(sorted(own.stem for own in OWN.glob("*.toml")))
        raise ConfigError(f"there is no config {path}; give a TOML file or one of {there}") from None
    except PictureError as error:
        raise ConfigError(str(error)) from None
    except RecursionError:
        raise ConfigError(f"{path} is no readable TOML file: it is nested too deeply") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} is no readable TOML file: {error}") from None


def from_table(cls: type[T], table: Mapping[str, Any], where: str) -> T:
    """A dataclass from a table; unknown keys and wrong types raise and say what is valid."""
    known = {f.name: f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(cls)
    values = {}
    for given, value in table.items():
        key = given if given in known else FORMER_NAMES.get(given, given)
        if key not in known:
            place = f"[{where}]" if where else "the config"
            raise ConfigError(f"{place} has no key '{key}'; its keys: {', '.join(known)}")
        values[key] = _fitted(value, hints[key], f"{where}.{key}" if where else key)
    try:
        return cls(**values)
    except TypeError as error:
        raise ConfigError(f"[{where}] is not complete: {error}") from None


def _fitted(value: Any, kind: Any, where: str) -> Any:
    """The value as the type a field asks for: tables become dataclasses, whole numbers floats."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any or isinstance(kind, types.UnionType) or origin is typing.Union:
        return value
    if dataclasses.is_dataclass(kind) and isinstance(value, Mapping):
        return from_table(typing.cast(type, kind), value, where)
    if origin in (list, tuple) and isinstance(value, list):
        items = [_fitted(item, arguments[0], where) for item in value]
        return items if origin is list else tuple(items)
    if origin is dict and isinstance(value, Mapping):
        return {key: _fitted(item, arguments[1], where) for key, item in value.items()}
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) <= LARGEST:  # nor is "not a number"
            raise ConfigError(f"{where} = {value!r} does not fit; a number is needed")
        return float(value)
    if kind is int and type(value) is int and abs(value) > LARGEST:
        raise ConfigError(f"{where} is a number far too large")
    plain = origin or kind
    wrong = isinstance(plain, type) and not isinstance(value, plain)
    if wrong or (kind is int and isinstance(value, bool)):
        name = getattr(plain, "__name__", str(plain))
        raise ConfigError(f"{where} = {value!r} does not fit; a value of type {name} is needed")
    return value


def _override(table: dict[str, Any], text: str) -> None:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise ConfigError(f"'{text}' is no override; write key=value, for example train.steps=100")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        parsed = value  # a bare word is a text
    *tables, last = key.strip().split(".")
    for name in tables:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise ConfigError(f"'{key}' does not name a value of a table")
    table[last] = parsed
