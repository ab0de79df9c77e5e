"""The files that `ganzzle solve` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ganzzle.cli.console import check_outputs
from ganzzle.cli.mixed import numbered
from ganzzle.cli.reading import Task
from ganzzle.errors import PuzzleError

if TYPE_CHECKING:
    from ganzzle.puzzle import Pixels
    from ganzzle.solution import Solution


@dataclass(frozen=True)
class Outputs:
    """Their names: a picture, a trace and a guide for each puzzle, or none of them."""

    pictures: list[str]
    traces: list[str]
    guides: list[str]
    json: str | None
    force: bool
    inputs: tuple[Path, ...] = ()  # files that are read, and never written

    @classmethod
    def named(
        cls,
        out: str | None,
        trace: str | None,
        json: str | None,
        puzzles: int,
        force: bool,
        guide: str | None = None,
        sources: Sequence[str | None] = (),
    ) -> Outputs:
        """The outputs of `puzzles` puzzles, which are made of some files and folders."""
        from ganzzle.reading.folders import files_of_pile

        pictures, traces, guides = (
            [] if name is None else numbered(name, puzzles) for name in (out, trace, guide)
        )
        inputs = [file for source in sources if source is not None for file in files_of_pile(source)]
        return cls(pictures, traces, guides, json, force, tuple(inputs))

    def check(self, *names: str | None) -> None:
        """Refuse names that are taken, be it by what is read."""
        check_outputs(self.force, *names, inputs=self.inputs)

    def numbered(self, puzzles: int) -> Outputs:
        """The same for so many puzzles, where one was expected."""
        names = [
            [one for path in paths for one in numbered(path, puzzles)]
            for paths in (self.pictures, self.traces, self.guides)
        ]
        return replace(self, pictures=names[0], traces=names[1], guides=names[2])

    def check_names(self) -> None:
        """Refuse names that are taken, be it by what is solved or by other inputs, or that end in no format."""
        from ganzzle.drawing.film import check_trace_ending
        from ganzzle.reading.pictures import check_ending

        self.check(self.json, *self.pictures, *self.traces, *self.guides)
        for path in (*self.pictures, *self.guides):
            check_ending(path)
        for path in self.traces:
            check_trace_ending(path)

    def check_sizes(self, task: Task) -> None:
        """Refuse formats that cannot hold the pictures, where their size is known before solving, and a guide to pieces
        that lie nowhere."""
        from ganzzle.reading.pictures import check_size

        if self.guides and task.loose is None:
            raise PuzzleError("--guide is for a scan of loose pieces: it shows where each of them goes")
        if known := task.grid or task.puzzle.grid:
            height, width = task.piece_size
            for path in self.pictures:
                check_size(path, known.rows * height, known.cols * width)

    def write_pictures(self, task: Task, solutions: Sequence[Solution], fill: str, even: bool) -> None:
        """Write the traces and the pictures; fewer puzzles than asked for may have been found."""
        from ganzzle.drawing.film import write_trace
        from ganzzle.reading.pictures import write_picture

        for path, solution in zip(self.traces, solutions, strict=False):
            write_trace(path, solution, self.force)
        for path, solution in zip(self.pictures, solutions, strict=False):
            write_picture(path, _picture(task, solution, fill, even), self.force)

    def write_guides(self, task: Task, solutions: Sequence[Solution]) -> None:
        """Write where every loose piece goes."""
        if not self.guides:
            return
        from ganzzle.drawing.guide import draw_guide
        from ganzzle.reading.pictures import write_picture

        for path, solution in zip(self.guides, solutions, strict=False):
            assert task.loose is not None
            assert task.scan is not None
            write_picture(path, draw_guide(task.scan, task.loose, solution), self.force)

    def written(self, found: int) -> list[str]:
        """The names of all files that were written for the `found` puzzles."""
        files = [path for paths in (self.pictures, self.traces, self.guides) for path in paths[:found]]
        return files + ([self.json] if self.json not in (None, "-") else [])


def _picture(task: Task, solution: Solution, fill: str, even: bool) -> Pixels:
    """The solved picture (H, W, 3), of loose pieces from all pixels of the scan."""
    if task.loose is None or task.scan is None:
        return solution.picture(fill, even)
    from ganzzle.drawing.loose import lay

    return lay(task.scan, task.loose, solution, fill, even)
