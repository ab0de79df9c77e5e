"""What the loop trains: the protocol of a task, and the table of tasks.

A task is a class with a constructor `Task(options, device)`, where the options are a dataclass that says what the
`[task]` table may hold. Copies that are only averaged (EMA) are networks too, so that checkpoints hold them.
"""

from __future__ import annotations

import dataclasses
import importlib
import typing
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from ganzzle.errors import GanzzleError
from ganzzle.training.config import ConfigError, from_table

Backward = Callable[[Tensor], None]
Say = Callable[[str], None]

TASKS = {
    "bands": "ganzzle.training.tasks.bands:BandTask",
    "ganzzle": "ganzzle.training.tasks.ganzzle:GanzzleTask",
    "hybrid": "ganzzle.training.tasks.hybrid:HybridTask",
    "hung-perm": "ganzzle.training.tasks.hung_perm:HungPermTask",
    "po-la": "ganzzle.training.tasks.po_la:PoLaTask",
    "upright": "ganzzle.training.tasks.upright:UprightTask",
}


class Task(Protocol):
    """Something to train. `source`, `images` and `fuse` are optional (see below)."""

    networks: dict[str, nn.Module]
    # Each group's `lr` is its peak; the loop follows the schedule.
    optimizers: dict[str, torch.optim.Optimizer]

    def step(self, batch: Any, backward: Backward, progress: float) -> dict[str, Tensor]:
        """One step on what the source gives: forward, `backward(loss)`, clip, step the optimizers.

        It gives detached scalars and does not wait for the device.

        `backward` also averages the gradients over the processes. progress: 0 at the start, 1 at the end.
        """

    def validate(self, pictures: Mapping[str, Tensor]) -> dict[str, float]:
        """Scores on held-out pictures, (M, 3, S, S) uint8 by name of their set."""

    def export(self) -> tuple[dict[str, Tensor], dict[str, str]]:
        """The weights to embed and what must be known to use them; floats are stored as fp16."""


class Source(Protocol):
    """Where the data of a training come from; `PictureSource` makes a PuzzleBatch of pictures."""

    def batch(self, step: int) -> Any:
        """What the task's `step` takes."""

    def validation(self, most: int | None = None) -> dict[str, Tensor]:
        """What the task's `validate` takes, at most so many of each set."""

    def describe(self) -> Mapping[str, int]:
        """How many training pictures each set has."""


@runtime_checkable
class TaskWithSource(Protocol):
    """A task with data of its own, which needs no [[data.sets]]."""

    def source(self, seed: int, rank: int, say: Say) -> Source:
        """Its data, for one of several processes."""


@runtime_checkable
class TaskWithImages(Protocol):
    """A task that can show what it imagines."""

    def images(self) -> dict[str, Tensor]:
        """Pictures (K, 3, H, W) in 0..1 by name."""


@runtime_checkable
class TaskToFuse(Protocol):
    """A task whose blocks `torch.compile` can make faster."""

    def fuse(self, backend: str) -> None:
        """Compile the blocks with a backend of `torch.compile`; the results stay the same up to rounding."""


def build_task(config: Mapping[str, Any], device: torch.device) -> Task:
    """The task a `[task]` table describes: its `kind` says which, the other keys are its options.

    A kind "module:Class" is a task of your own.
    """
    table = dict(config)
    kind = str(table.pop("kind", ""))
    if kind not in TASKS and ":" not in kind:
        raise ConfigError(f"[task] kind = '{kind}' is unknown; there are: {', '.join(TASKS)}")
    module, _, name = TASKS.get(kind, kind).partition(":")
    try:
        task_class = getattr(importlib.import_module(module), name)
        options_class = _options_of(task_class)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"task '{kind}' cannot be loaded: {error}") from None
    options: Any = from_table(options_class, table, "task")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of parts without a single number: they are refused
            task: Task = task_class(options, device)
    except (ArithmeticError, AssertionError, IndexError, MemoryError, RuntimeError, TypeError) as error:
        if kind not in TASKS:
            raise
        raise ConfigError(f"no network can be made from this [task] ({_first_line(error)})") from None
    except ValueError as error:
        if kind not in TASKS or isinstance(error, GanzzleError):
            raise
        raise ConfigError(f"no network can be made from this [task] ({_first_line(error)})") from None
    return task


def _first_line(error: BaseException) -> str:
    return (str(error) or repr(error)).splitlines()[0]


def _options_of(task_class: type) -> type:
    """The dataclass a task's constructor takes first."""
    hints = typing.get_type_hints(task_class.__init__) if isinstance(task_class, type) else {}  # type: ignore[misc]
    first = next(iter(hints.values()), None)
    if not dataclasses.is_dataclass(first):
        raise ValueError(f"{task_class!r} is no class that takes a dataclass of options first")
    return typing.cast(type, first)
