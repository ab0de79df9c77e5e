"""Runs of the network that a GPU repeats from a recording: a small puzzle's time goes into starting its many kernels.

A recording holds for one shape of input only, and keeps its memory, so there are few, for what comes again and again.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Lock

import torch
from torch import Tensor

Work = Callable[[Tensor], tuple[Tensor, ...]]
LOG = logging.getLogger("ganzzle")
MOST = 8  # recordings that are kept
REMEMBERED = 256  # kinds of input that are remembered, to notice when one comes again


def record(work: Work, example: Tensor) -> Work:
    """The same work on inputs like `example`, (B, ...) on a GPU, repeated from a CUDA graph; it must not wait for the
    GPU, nor bring anything from the host."""
    given = example.clone()
    aside = torch.cuda.Stream(example.device)
    aside.wait_stream(torch.cuda.current_stream(example.device))
    with torch.cuda.stream(aside):
        for _ in range(2):  # what is only made the first time is not to be recorded
            work(given)
    torch.cuda.current_stream(example.device).wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        found = work(given)

    def repeat(pieces: Tensor) -> tuple[Tensor, ...]:
        given.copy_(pieces)
        graph.replay()
        return tuple(x.clone() for x in found)

    return repeat


class Graphs:
    """Records work the second time a kind of input comes, and repeats it from then on."""

    def __init__(self, recorder: Callable[[Work, Tensor], Work] = record, most: int = MOST) -> None:
        """`recorder` makes the quick form of some work; the `most` of them that were used last are kept."""
        self._recorder = recorder
        self._most = most
        self._recorded: OrderedDict[Hashable, tuple[Work, Sequence[Tensor]]] = OrderedDict()
        self._seen: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = Lock()  # a recording has one place for its input and one for what it finds
        self._broken = False

    def run(
        self, key: Hashable, work: Work, pieces: Tensor, kept: Sequence[Tensor] = ()
    ) -> tuple[Tensor, ...]:
        """`work(pieces)`; equal keys mean the same work on tensors of one shape.

        A recording reads whatever else the work uses from where it lies: what might go is `kept` with it.
        """
        with self._lock:
            repeat = self._known(key, work, pieces, kept)
            if repeat is not None:
                return repeat(pieces)
        return work(pieces)

    def _known(self, key: Hashable, work: Work, pieces: Tensor, kept: Sequence[Tensor]) -> Work | None:
        """The quick form, where there is one or it is time to make one."""
        if key in self._recorded:
            self._recorded.move_to_end(key)
            return self._recorded[key][0]
        if self._broken:
            return None
        if key not in self._seen:
            self._seen[key] = None
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
            return None
        if len(self._recorded) >= self._most:
            self._recorded.popitem(last=False)
        try:
            repeat = self._recorder(work, pieces)
        except RuntimeError as error:
            self._broken = True
            LOG.debug("the network's run cannot be recorded: %s", error)
            return None
        self._recorded[key] = repeat, kept
        return repeat
