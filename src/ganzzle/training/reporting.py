"""What a run tells: a progress line with the time left, TensorBoard scalars and pictures."""

from __future__ import annotations

import json
import math
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ganzzle.errors import printable
from ganzzle.training.config import TrainOptions
from ganzzle.training.schedule import Clock


class Reporter:
    """Collects scalars on the device and reads them only when it speaks. Silent in all but the main process."""

    def __init__(self, options: TrainOptions, folder: Path, main: bool) -> None:
        self.options, self.main = options, main
        self.terminal = sys.stderr.isatty()
        self._sums: dict[str, Tensor] = {}
        self._counts: dict[str, int] = defaultdict(int)
        self._shown: dict[str, float] = {}
        self._recorded = False  # whether scalars were, in this session
        self._spoke, self._spoke_step = time.monotonic(), 0
        self.folder, self._log = folder, folder / "log.jsonl"

    def begin(self, step: int) -> None:
        """Measure the speed from here on."""
        self._spoke, self._spoke_step = time.monotonic(), step

    def say(self, text: str) -> None:
        """One line, from the main process."""
        if self.main:
            print(("\r\033[K" if self.terminal else "") + printable(text), file=sys.stderr, flush=True)

    def doing(self, text: str) -> None:
        """What takes a while now; on a terminal the next line replaces it."""
        if self.main:
            if self.terminal:  # a line that wraps could not be replaced
                text = "\r\033[K" + text[: shutil.get_terminal_size().columns - 1]
            print(text, end="" if self.terminal else "\n", file=sys.stderr, flush=True)

    def add(self, scalars: Mapping[str, Tensor]) -> None:
        """Add a step's scalars without reading them."""
        if not self.main:
            return
        for name, value in scalars.items():
            # Not every step has every scalar, so each is averaged over the steps that have it.
            self._sums[name] = self._sums[name] + value if name in self._sums else value.clone()
            self._counts[name] += 1

    def tick(self, clock: Clock, lr: float) -> None:
        """After a step: record scalars every `log_steps`, show the progress line every now and then."""
        if not self.main:
            return
        if self.options.log_steps and clock.step % self.options.log_steps == 0:
            self._record_scalars(clock.step, lr)
        now, progress = time.monotonic(), clock.progress()
        pause = 0.5 if self.terminal else self.options.progress_seconds
        if now - self._spoke >= pause and progress < 1:
            speed = (clock.step - self._spoke_step) / max(1e-9, now - self._spoke)
            left = _duration(clock.seconds_left(progress))
            self._line(f"{_per_cent(progress)}  step {clock.step}  {speed:.1f}/s  {left} left")
            self._spoke, self._spoke_step = now, clock.step

    def end(self, clock: Clock) -> None:
        """The steps are done: the progress line for the last time."""
        if self.main:
            self._line(f"{_per_cent(1)}  step {clock.step}  {_duration(clock.seconds)}", last=True)

    def pictures(self, step: int, images: Mapping[str, Tensor]) -> None:
        """Grids of pictures (K, 3, H, W) in 0..1."""
        if images and self._writer is not None:
            for name, batch in images.items():
                self._writer.add_images(name, batch.detach().float().clamp(0, 1).cpu().numpy(), step)

    def scores(self, step: int, scores: Mapping[str, float]) -> None:
        """Validation scores."""
        text = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
        self.say(f"validation at step {step}: {text or 'nothing to validate on'}")
        self.record({"step": step, "validation": dict(scores)})
        if self.options.log_steps and self._writer is not None:
            for name, value in scores.items():
                self._writer.add_scalar(f"validation/{name}", value, step)

    def record(self, entry: Mapping[str, Any]) -> None:
        """Append to the run's log; a full disk must not end a run."""
        if self.main:
            try:
                with open(self._log, "a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")
            except OSError as error:
                self.say(f"the log cannot be written: {error.strerror}")

    def close(self) -> None:
        """End TensorBoard's file."""
        if "_writer" in vars(self) and self._writer is not None:
            self._writer.close()

    @cached_property
    def _writer(self) -> Any:
        """TensorBoard's, which makes its folder at once: not before there is something to write."""
        if not self.main:
            return None
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(self.folder / "tensorboard"))

    def _record_scalars(self, step: int, lr: float) -> None:
        if not self._sums:
            return
        self._read()
        self._recorded = True
        self._forget()
        self.record({"step": step, "lr": lr, **self._shown})
        if self._writer is not None:
            for name, value in self._shown.items():
                self._writer.add_scalar(f"train/{name}", value, step)
            self._writer.add_scalar("train/lr", lr, step)

    def _read(self) -> None:
        """Show the means of what was added from now on."""
        names = list(self._sums)
        if names:
            # One transfer for all of them: each read of a single value would wait for the device.
            means = torch.stack([self._sums[n].float() / self._counts[n] for n in names]).tolist()
            self._shown = dict(zip(names, means, strict=True))

    def _forget(self) -> None:
        self._sums.clear()
        self._counts.clear()

    def _line(self, text: str, last: bool = False) -> None:
        """With the scalars that were recorded last; before that, with the mean of all so far; where none are recorded,
        with those since the last line."""
        if not self._recorded:
            self._read()
        if not self.options.log_steps:
            self._forget()
        scalars = "  ".join(f"{name} {value:.4g}" for name, value in self._shown.items())
        (self.say if last else self.doing)(f"{text}  {scalars}".rstrip())


def _per_cent(progress: float) -> str:
    """Rounded down: 100 % is said at the end alone."""
    return f"{math.floor(1000 * progress) / 10:5.1f} %"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 1e8 else "unknown time"
