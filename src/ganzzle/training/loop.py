"""The loop: the same for one CPU, one GPU, and many of them (`accelerate launch` in front of the command)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list

from ganzzle.data.source import PictureSource, check_sets
from ganzzle.errors import GanzzleError
from ganzzle.training.checkpoint import (
    CheckpointError,
    checkpoints,
    load_checkpoint,
    remove_unfinished,
    save_checkpoint,
)
from ganzzle.training.config import Config
from ganzzle.training.export import safetensors_bytes, training_record, write_parts
from ganzzle.training.gradients import Backward
from ganzzle.training.reporting import Reporter
from ganzzle.training.schedule import Clock, lr_factor, restore_optimizer, set_lr
from ganzzle.training.starting import start_from
from ganzzle.training.stopping import stop_requests
from ganzzle.training.task import Source, Task, TaskToFuse, TaskWithImages, TaskWithSource, build_task

FEWEST_VALIDATED = 4  # pictures of each set to validate on, on a CPU
STEPS_A_PICTURE = 4  # training steps after which one picture more is validated
CLOCK_STEPS = 10  # with several processes, how often the main one tells the others the time


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    finished: bool  # False: stopped early, to be resumed
    step: int
    scores: dict[str, float]


class FolderError(GanzzleError):
    """A folder that a run cannot use."""


class Run:
    """One session of training: from the start or a checkpoint to the end, or until it is told to stop."""

    def __init__(self, config: Config, folder: Path, resume: bool = False) -> None:
        self.config, self.options, self.folder = config, config.train, folder
        cuda = torch.cuda.is_available() and not self.options.cpu
        self.accelerator = Accelerator(mixed_precision="bf16" if cuda else "no", cpu=not cuda)
        self.main, self.world = self.accelerator.is_main_process, self.accelerator.num_processes
        self.device = self.accelerator.device
        if checkpoints(folder) and not resume:
            raise FolderError(f"{folder} holds a run already; add --resume, or choose another --out")
        self._prepare_torch()
        self.reporter = Reporter(self.options, folder, self.main)
        self._seed(-1)
        self.task: Task = build_task(config.task, self.device)
        self.started_from = ""
        if self.options.start:
            self.started_from = start_from(
                self.task.networks.values(),
                self.options.start,
                self.task.export()[1]["kind"],
                self.reporter.say,
            )
        if self.options.fuse and cuda and isinstance(self.task, TaskToFuse):
            self.task.fuse("inductor")
        self.source = self._source()
        self._make_folder()  # now that nothing can be wrong with the config
        self.clock = Clock(self.options)
        set_lr(self.task.optimizers.values(), 1.0)
        if resume:
            self._load()
        self.backward = Backward(self.task.networks.values())
        self._progress, self._stop = self._agreed(False)

    def train(self, pause_minutes: float = 0.0) -> Outcome:
        """Train to the end, then validate; or pause with a checkpoint after `pause_minutes` or at a signal."""
        self.clock.started = saved = validated = time.monotonic()
        self.reporter.begin(self.clock.step)
        with stop_requests() as stop:
            while self._advance(bool(stop) or 0 < pause_minutes * 60 <= self.clock.session_seconds) < 1:
                if self._stop:
                    self._save()
                    self.reporter.say(f"stopped at step {self.clock.step}; go on with --resume")
                    self.reporter.close()
                    return Outcome(False, self.clock.step, {})
                self._step()
                now = time.monotonic()
                if self._due(self.options.checkpoint_steps, self.options.checkpoint_minutes, now - saved):
                    self._save()
                    saved = now
                if self._due(self.options.validate_steps, self.options.validate_minutes, now - validated):
                    self._validate()
                    validated = time.monotonic()
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        self.reporter.end(self.clock)
        self._save()
        scores = self._validate()
        if self.options.image_steps:
            self._show_images()
        self.reporter.close()
        return Outcome(True, self.clock.step, scores)

    def export(self, scores: dict[str, float], parts_folder: Path | None = None) -> list[Path]:
        """Write `NAME.safetensors` into the run's folder, and in small parts into another where one is given."""
        if not self.main:
            return []
        tensors, metadata = self.task.export()
        record = training_record(self.config.to_json(), scores, self.source.describe())
        record["steps"], record["minutes"] = str(self.clock.step), f"{self.clock.seconds / 60:.2f}"
        if self.started_from:
            record["started_from"] = self.started_from
        data = safetensors_bytes(tensors, {**record, **metadata})
        name = f"{self.config.name}.safetensors"
        files = write_parts(data, self.folder / name, part_bytes=len(data))
        if parts_folder is not None:
            files += write_parts(data, parts_folder / name)
        return files

    def _source(self) -> Source:
        """The task's own data, or the pictures that the config names."""
        seed, rank, say = self.options.seed, self.accelerator.process_index, self.reporter.say
        if isinstance(self.task, TaskWithSource):
            return self.task.source(seed, rank, say)
        check_sets(self.config.data)
        return PictureSource.load(self.config.data, self.device, seed, rank, self.world, say)

    def _step(self) -> None:
        step = self.clock.step
        self._seed(step)
        batch = self.source.batch(step)
        factor = lr_factor(step, self._progress, self.options.warmup_steps, self.options.final_learning_rate)
        set_lr(self.task.optimizers.values(), factor)
        with self.accelerator.autocast():
            scalars = self.task.step(batch, self.backward, self._progress)
        self.clock.step += 1
        self.reporter.add(scalars)
        self.reporter.tick(self.clock, factor)
        if self.options.image_steps and self.clock.step % self.options.image_steps == 0:
            self._show_images()

    def _advance(self, stop: bool) -> float:
        """How far the run is and whether to stop; all processes must agree on both, but asking each step is slow."""
        if self.world == 1 or self.clock.step % CLOCK_STEPS == 0:
            self._progress, self._stop = self._agreed(stop)
        elif self.options.max_minutes == 0:
            self._progress = self.clock.progress()
        return self._progress

    def _agreed(self, stop: bool) -> tuple[float, bool]:
        """The progress and the wish to stop of the main process, in all of them.

        Tasks do different things by the progress: where two processes saw another one, each would wait for ever for
        gradients that the other does not have.
        """
        progress = self.clock.progress()
        if self.world > 1:
            progress, stop = broadcast_object_list([progress, stop])
        return progress, stop

    def _due(self, steps: int, minutes: float, since: float) -> bool:
        by_steps = steps > 0 and self.clock.step % steps == 0
        return by_steps or (minutes > 0 and since >= 60 * minutes)

    def _seed(self, step: int) -> None:
        """Whatever a task draws from torch's own generators depends on the seed, the step and the process alone."""
        process = self.accelerator.process_index if step >= 0 else 0  # all start from the same weights
        seeds = np.random.SeedSequence([self.options.seed, step + 1, process])
        torch.manual_seed(int(seeds.generate_state(1, np.uint64)[0] >> np.uint64(1)))

    def _validate(self) -> dict[str, float]:
        """Scores of the main process; the others wait at the next gradient."""
        if not self.main:
            return {}
        self._seed(0)
        scores: dict[str, float] = {}
        sets = self.source.validation(most=self._most_validated())
        for k, (name, pictures) in enumerate(sets.items(), 1):
            self.reporter.doing(f"validating on {len(pictures)} pictures of {name} (set {k} of {len(sets)})")
            with torch.no_grad(), self.accelerator.autocast():
                scores |= self.task.validate({name: pictures})
        self.reporter.scores(self.clock.step, scores)
        return scores

    def _most_validated(self) -> int | None:
        """Pictures of each set to validate on; on a CPU all of them may take longer than a short training did."""
        if self.device.type != "cpu":
            return None
        return max(FEWEST_VALIDATED, self.clock.step // STEPS_A_PICTURE)

    def _show_images(self) -> None:
        if self.main and isinstance(self.task, TaskWithImages):
            self.reporter.pictures(self.clock.step, self.task.images())

    def _save(self) -> None:
        """Write a checkpoint; where that fails the run goes on, and the last good one stays."""
        if not self.main:
            return
        state = {
            "step": self.clock.step,
            "seconds": self.clock.seconds,
            "task": self.config.task,
            "networks": {name: network.state_dict() for name, network in self.task.networks.items()},
            "optimizers": {name: o.state_dict() for name, o in self.task.optimizers.items()},
        }
        try:
            save_checkpoint(self.folder, self.clock.step, state, self.options.keep)
        except CheckpointError as error:
            self.reporter.say(f"warning: {error}; the last good checkpoint is kept")

    def _load(self) -> None:
        found = checkpoints(self.folder)
        if not found:
            self.reporter.say(f"no checkpoint in {self.folder} yet: starting from the beginning")
            return
        state = load_checkpoint(found[-1])
        try:
            for name, network in self.task.networks.items():
                network.load_state_dict(state["networks"][name])
            for name, optimizer in self.task.optimizers.items():
                restore_optimizer(optimizer, state["optimizers"][name])
        except (KeyError, RuntimeError, ValueError) as error:
            first = str(error).splitlines()[0]
            raise CheckpointError(
                f"{found[-1]} does not fit this config ({first}); use another --out"
            ) from None
        self.clock = Clock(self.options, int(state["step"]), float(state["seconds"]))
        self.reporter.say(f"resumed at step {self.clock.step} from {found[-1].name}")
        before, now = state["task"], self.config.task
        for key in sorted({*before, *now}):
            if before.get(key) != now.get(key):
                self.reporter.say(f"changed since then: task.{key} {before.get(key)} -> {now.get(key)}")

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if self.main:
                remove_unfinished(self.folder)
        except OSError as error:
            raise FolderError(f"{self.folder} cannot be used: {error.strerror}") from None

    def _prepare_torch(self) -> None:
        torch.set_float32_matmul_precision("high")
        torch._dynamo.config.suppress_errors = True  # where blocks cannot be compiled they run as they are
        torch._dynamo.config.recompile_limit = 64  # blocks see several widths and types
        # Trying out algorithms takes longer than it saves where every step may bring a new size.
        repeats = self.config.data.random_grids == 0
        torch.backends.cudnn.benchmark = repeats and not self.options.deterministic
        torch.use_deterministic_algorithms(self.options.deterministic, warn_only=True)
