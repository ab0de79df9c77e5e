"""Strips and jigsaw pieces in the server: what is seen on their pages, and where they are laid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from ganzzle.arrays import Pixels
from ganzzle.cli.laid import laid_record
from ganzzle.drawing.page_guide import page_guides
from ganzzle.grid import Grid
from ganzzle.pieces import resize_to_fit
from ganzzle.pile import CutPiece
from ganzzle.reading.scans import Scans, find_scans, may_be_scan, some_of
from ganzzle.solving.loop import solve
from ganzzle.web.drawings import jpeg_data, png_data
from ganzzle.web.limits import ApiError, Limits
from ganzzle.web.requests import Job

PAGE_SIDE = 1200  # px of the longer side of a page as the browser shows it
FINE = 0.8  # px by which an outline is simplified for the browser at most


def scans_in(pictures: Sequence[Pixels], job: Job, limits: Limits) -> Scans | None:
    """The strips or jigsaw pieces that the pictures of a job show; None where they show something else."""
    if job.layout is not None or job.truth:
        return None
    some = some_of(pictures)
    if sum(map(may_be_scan, some)) <= len(some) / 2:
        return None
    grid = None if job.grid is None else Grid.of(job.grid)
    names = [name for name, _ in job.files]
    scans = find_scans(pictures, names, "", grid, job.puzzles if job.puzzles > 1 else None)
    if scans is not None and len(scans.pile) > limits.pieces:
        raise ApiError(
            413, f"{len(scans.pile)} pieces are seen, which is more than the {limits.pieces} pieces allowed."
        )
    return scans


def pages_seen(scans: Scans) -> dict[str, Any]:
    """The pages, small enough to be shown, and the outline of every piece on them."""
    pages = []
    for page in scans.pile.pages:
        small = resize_to_fit(page, PAGE_SIDE)
        pages.append({"image": jpeg_data(small), "scale": small.shape[1] / page.shape[1]})
    return {
        "kind": scans.pile.kind,
        "count": len(scans.pile),
        "pages": pages,
        "outlines": [{"page": piece.page, "points": outline_of(piece)} for piece in scans.pile.cut_pieces],
        "complaints": list(scans.complaints),
    }


def outline_of(piece: CutPiece) -> list[list[float]]:
    """Points [x, y] around a piece, on its page."""
    found, _ = cv2.findContours(piece.mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    points = cv2.approxPolyDP(max(found, key=len), FINE, closed=True)[:, 0] + np.array(piece.corner)
    return np.round(points, 1).tolist()


def laid(scans: Scans, job: Job) -> dict[str, Any]:
    """Where every piece goes, the pictures and the guides if they are asked for, and what to look at."""
    answer = solve(scans.pile, seed=job.seed)
    if not answer.solutions:
        raise ApiError(422, f"No two of these {len(scans.pile)} pieces fit together.")
    poses: list[Any] = [None] * len(scans.pile)
    order: list[int] = []
    for solution in answer.laid:
        for k, number in enumerate(solution.members.tolist()):
            offset = np.array([*scans.pile.cut_pieces[number].corner])
            pose = solution.poses[k].copy()
            pose[:, 2] -= pose[:, :2] @ offset
            poses[number] = pose.round(5).tolist()
        ranks = np.arange(len(solution.members)) if solution.order is None else solution.order
        order += solution.members[ranks].tolist()
    first = answer.laid[0]
    return {
        **laid_record(answer),
        "puzzle": answer.puzzles.tolist(),
        "left_over": answer.left_over.tolist(),
        "sure": round(float(first.confidence.mean()), 4),
        "size": list(first.size),
        "poses": poses,
        "order": order,
        "advice": [*scans.complaints, *answer.advice],
        "pictures": [png_data(one.picture()) for one in answer.laid] if job.with_picture else [],
        "guides": _guides(scans, answer) if job.with_guide else [],
    }


def _guides(scans: Scans, answer: Any) -> list[str]:
    """The pages with row and column on every piece; none where each page shows one piece alone."""
    if len(scans.pile.pages) >= len(scans.pile):
        return []
    return [jpeg_data(page) for page in page_guides(answer)]
