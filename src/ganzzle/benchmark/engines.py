"""Where items are solved: in processes of this machine, or by Ray on a cluster. The files are the same."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ganzzle.benchmark.predictions import Item, write_predictions
from ganzzle.errors import GanzzleError
from ganzzle.solvers import SOLVERS

RETRIES = 3  # of an item whose worker or machine died
# A Ray of our own: on this machine only, without its web page, and small, because answers are small.
LOCAL_RAY = {
    "include_dashboard": False,
    "object_store_memory": 128 << 20,
    "_node_ip_address": "127.0.0.1",
}

Advance = Callable[[int], None]


@dataclass(frozen=True)
class Engine:
    """Either "local", or "ray" with the address of a running cluster (None starts one here with `workers` workers)."""

    name: str = "local"
    workers: int = 1
    address: str | None = None

    def __post_init__(self) -> None:
        if self.name not in ("local", "ray"):
            raise GanzzleError(f"there is no engine '{self.name}'; there are: local, ray")
        if self.address is not None and self.name != "ray":
            raise GanzzleError("--address is for --engine ray")

    def predict(self, items: Sequence[Item], folder: Path, device: str, advance: Advance) -> None:
        """Solve items and write a file each."""
        from ganzzle.benchmark.predicting import predict

        if self.name == "local":
            predict(items, folder, device=device, workers=self.workers, advance=advance)
        elif items:
            _predict_on_ray(items, folder, device, self.workers, self.address, advance)


def _predict_on_ray(
    items: Sequence[Item], folder: Path, device: str, workers: int, address: str | None, advance: Advance
) -> None:
    """Ray places the items; their answers come back here, and only this process writes, so each counts once."""
    ray = _ray()
    own = {} if address else {"num_cpus": workers, **LOCAL_RAY}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **own)
    except Exception as error:  # Ray fails to start in many ways, some of them bare exceptions
        hint = "; if the cluster asks for a token, set RAY_AUTH_MODE=token" if address else ""
        raise GanzzleError(f"Ray cannot be reached or started: {error}{hint}") from None
    try:
        gpus = device != "cpu" and ray.cluster_resources().get("GPU", 0) > 0
        task = ray.remote(max_retries=RETRIES)(_answer)
        waiting = {
            task.options(num_cpus=1, num_gpus=int(gpus and has_network(item.solver))).remote(
                item, device
            ): item
            for item in items
        }
        while waiting:
            for done in ray.wait(list(waiting))[0]:
                predictions = _result(ray, done)
                write_predictions(folder / waiting.pop(done).file_name, predictions)
                advance(len(predictions.solutions))
    finally:
        ray.shutdown()


def _answer(item: Item, device: str) -> Any:
    """What a worker runs; imported there, so that only the item travels."""
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # one CPU each; OMP_NUM_THREADS is set by Ray
    from ganzzle.benchmark.predicting import answer_item

    return answer_item(item, device)


def _result(ray: Any, reference: Any) -> Any:
    """A task's result; what went wrong there is told as if it had happened here."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, GanzzleError):
            raise type(error.cause)(str(error.cause)) from None
        raise
    except ray.exceptions.RayError as error:
        raise GanzzleError(
            f"an item was lost {RETRIES + 1} times: {error}; start it again and it goes on"
        ) from None


def has_network(solver: str) -> bool:
    """Whether a solver may use a GPU: those of this package with weights, and those we do not know."""
    return solver not in SOLVERS or bool(SOLVERS[solver].weights)


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # else Ray reports to its makers
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError:
        raise GanzzleError(
            "--engine ray needs ray, which is not installed; pip install 'ganzzle[cluster]'"
        ) from None
