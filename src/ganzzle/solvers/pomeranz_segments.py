"""The segmenter and the shifter: what of a layout is worth keeping, and where else in the frame it might lie."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ganzzle.puzzle import Ints
from ganzzle.seams import DOWN, RIGHT
from ganzzle.solvers.pomeranz_seams import Seams

Links = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # (rows, cols - 1) to the right, (rows - 1, cols) down


def buddy_links(at: Ints, seams: Seams) -> Links:
    """Which neighbours of a layout (rows, cols; -1 is empty) are best buddies."""
    right = (seams.buddy[RIGHT][at[:, :-1]] == at[:, 1:]) & (at[:, :-1] >= 0) & (at[:, 1:] >= 0)
    down = (seams.buddy[DOWN][at[:-1]] == at[1:]) & (at[:-1] >= 0) & (at[1:] >= 0)
    return right, down


def segments(at: Ints, links: Links) -> Iterator[Ints]:
    """The largest segment by each of three rules, alone in a copy of the layout.

    Neighbours belong together when they are best buddies (the publication's rule); when they also close a square of
    four; when both have best buddies all around.
    """
    seen: list[Ints] = []
    for right, down in (links, _squares(links), _surrounded(links)):
        segment = np.where(_largest(at, right, down), at, -1)
        if (segment >= 0).sum() > 1 and not any(np.array_equal(segment, other) for other in seen):
            seen.append(segment)
            yield segment


def shifts(at: Ints, links: Links, lines: int, far: int) -> Iterator[Ints]:
    """The larger part of the layout beside a line with few best buddies across it, moved to the other edge.

    This frees a row or column that stuck to the wrong edge of the picture. `lines` with the fewest best buddies are
    tried in both directions, and all those within `far` of an edge.
    """
    for layout, across in ((at, links[0].sum(0)), (at.T, links[1].sum(1))):
        near = [x for x in range(len(across)) if x < far or x >= len(across) - far]
        for line in dict.fromkeys([*np.argsort(across, kind="stable")[:lines].tolist(), *near]):
            before, length = line + 1, layout.shape[1]
            moved = np.full_like(layout, -1)
            if 2 * before <= length:
                moved[:, : length - before] = layout[:, before:]
            else:
                moved[:, length - before :] = layout[:, :before]
            if (moved >= 0).any():
                yield moved if layout is at else moved.T


def _squares(links: Links) -> Links:
    """The links of which four close a square."""
    right, down = links
    square = right[:-1] & right[1:] & down[:, :-1] & down[:, 1:]
    kept_right, kept_down = np.zeros_like(right), np.zeros_like(down)
    kept_right[:-1] |= square
    kept_right[1:] |= square
    kept_down[:, :-1] |= square
    kept_down[:, 1:] |= square
    return kept_right, kept_down


def _surrounded(links: Links) -> Links:
    """The links between pieces with best buddies on all their sides."""
    right, down = links
    inner = np.ones((right.shape[0], down.shape[1]), bool)
    inner[:, :-1] &= right
    inner[:, 1:] &= right
    inner[:-1] &= down
    inner[1:] &= down
    return inner[:, :-1] & inner[:, 1:], inner[:-1] & inner[1:]


def _largest(at: Ints, right: NDArray[np.bool_], down: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where the largest set of linked pieces lies."""
    slots = np.arange(at.size).reshape(at.shape)
    a = np.concatenate([slots[:, :-1][right], slots[:-1][down]])
    b = np.concatenate([slots[:, 1:][right], slots[1:][down]])
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(at.size, at.size))
    label = connected_components(graph, directed=False)[1].reshape(at.shape)
    size = np.bincount(label[at >= 0])
    return np.asarray((label == size.argmax()) & (at >= 0))
