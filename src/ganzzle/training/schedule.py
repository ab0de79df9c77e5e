"""How far a run is, and the learning rate there."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from ganzzle.training.config import TrainOptions


def lr_factor(step: int, progress: float, warmup: int, final: float) -> float:
    """Linear warm-up over `warmup` steps, times a cosine from 1 to `final` over the run."""
    rise = min(1.0, (step + 1) / warmup) if warmup > 0 else 1.0
    fall = final + (1 - final) * 0.5 * (1 + math.cos(math.pi * min(1.0, max(0.0, progress))))
    return rise * fall


def set_lr(optimizers: Iterable[torch.optim.Optimizer], factor: float) -> None:
    """Scale every group's learning rate from its peak, which is kept as `initial_lr`."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group.setdefault("initial_lr", group["lr"]) * factor


def restore_optimizer(optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Give an optimizer the moments it had gathered; its options stay those it was made with now."""
    made_with = [{key: group[key] for key in group if key != "params"} for group in optimizer.param_groups]
    optimizer.load_state_dict(state)
    for group, options in zip(optimizer.param_groups, made_with, strict=True):
        group.pop("initial_lr", None)  # the peak comes from the options, too
        group.update(options)


@dataclass
class Clock:
    """Steps done and time spent; a resumed run goes on where the other stopped."""

    options: TrainOptions
    step: int = 0
    elapsed: float = 0.0  # seconds of training of earlier sessions
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Training time so far, of all sessions."""
        return self.elapsed + time.monotonic() - self.started

    @property
    def session_seconds(self) -> float:
        """Time since this session started."""
        return time.monotonic() - self.started

    def progress(self) -> float:
        """0 at the start, 1 at the end: by the clock where there is a time budget, by steps otherwise."""
        if self.options.max_minutes > 0:
            return min(1.0, self.seconds / (60 * self.options.max_minutes))
        return min(1.0, self.step / max(1, self.options.steps))

    def seconds_left(self, progress: float) -> float:
        """An estimate from what this run did so far."""
        if self.options.max_minutes > 0:
            return max(0.0, 60 * self.options.max_minutes - self.seconds)
        return self.seconds * (1 - progress) / progress if progress > 0 else math.inf
