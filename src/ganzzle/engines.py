"""Where long work is done: in processes of this machine, or by Ray on a cluster. The results are the same."""

from __future__ import annotations

import importlib
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from ganzzle.errors import GanzzleError
from ganzzle.workers import prepare_worker, worker_pool

RETRIES = 3  # of a task whose worker or machine died
AHEAD = 4  # tasks a worker that are handed out at a time, so that few of very many are in memory
# A Ray of our own: on this machine only, without its web page, and small, because answers are small.
LOCAL_RAY = {
    "include_dashboard": False,
    "object_store_memory": 128 << 20,
    "_node_ip_address": "127.0.0.1",
}

Task = TypeVar("Task")
Result = TypeVar("Result")


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

    def run(
        self,
        work: Callable[[Task], Result],
        tasks: Iterable[Task],
        wants_gpu: Callable[[Task], bool] = lambda task: False,
    ) -> Iterator[tuple[Task, Result]]:
        """Every task with what `work` makes of it, in the order in which they are done.

        `work` is a function of a module, or a partial of one; on Ray, a task that wants one has a GPU to itself.
        """
        if self.name == "ray":
            yield from _on_ray(work, iter(tasks), wants_gpu, self.workers, self.address)
        elif self.workers > 1:
            yield from _here(work, iter(tasks), self.workers)
        else:
            yield from ((task, work(task)) for task in tasks)


def _here(
    work: Callable[[Task], Result], tasks: Iterator[Task], workers: int
) -> Iterator[tuple[Task, Result]]:
    killed = "a worker process was killed, perhaps for memory; start it again with fewer --workers"
    with worker_pool(workers, prepare_worker, (workers,), killed=killed) as pool:
        waiting: dict[Future[Result], Task] = {
            pool.submit(work, task): task for task in islice(tasks, AHEAD * workers)
        }
        while waiting:
            for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(done), done.result()
                waiting |= {pool.submit(work, task): task for task in islice(tasks, 1)}


def _on_ray(
    work: Callable[[Task], Result],
    tasks: Iterator[Task],
    wants_gpu: Callable[[Task], bool],
    workers: int,
    address: str | None,
) -> Iterator[tuple[Task, Result]]:
    """Ray places the tasks; their results come back here, and only this process uses them, so each counts once."""
    first = list(islice(tasks, 1))
    if not first:
        return
    ray = _ray()
    own = {} if address else {"num_cpus": workers, **LOCAL_RAY}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level="ERROR", **own)
    except Exception as error:  # Ray fails to start in many ways, some of them bare exceptions
        hint = "; if the cluster asks for a token, set RAY_AUTH_MODE=token" if address else ""
        raise GanzzleError(f"Ray cannot be reached or started: {error}{hint}") from None
    try:
        resources = ray.cluster_resources()
        gpus = resources.get("GPU", 0) > 0
        remote = ray.remote(max_retries=RETRIES)(_work_there)

        def hand_out(some: Iterable[Task]) -> dict[Any, Task]:
            return {
                remote.options(num_cpus=1, num_gpus=int(gpus and wants_gpu(task))).remote(
                    pickle.dumps((work, task))
                ): task
                for task in some
            }

        waiting = hand_out(first) | hand_out(islice(tasks, AHEAD * int(resources.get("CPU", workers))))
        while waiting:
            for done in ray.wait(list(waiting))[0]:
                yield waiting.pop(done), _result(ray, done)
                waiting |= hand_out(islice(tasks, 1))
    finally:
        ray.shutdown()


def _work_there(work_and_task: bytes) -> Any:
    """What a worker runs; it imports nothing of ours before it knows how many threads to use."""
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # one CPU each; OMP_NUM_THREADS is set by Ray
    work, task = pickle.loads(work_and_task)
    return work(task)


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
            f"a task was lost {RETRIES + 1} times: {error}; start it again and it goes on"
        ) from None


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # else Ray reports to its makers
    try:
        return importlib.import_module("ray")
    except ModuleNotFoundError:
        raise GanzzleError(
            "--engine ray needs ray, which is not installed; pip install 'ganzzle[cluster]'"
        ) from None
