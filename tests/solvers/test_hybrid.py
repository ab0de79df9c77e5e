"""The hybrid solver beyond the shared contract: any wear, any size, confidence and the mental image."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from ganzzle import Puzzle, load_solver, score
from ganzzle.board import assemble_pieces
from ganzzle.errors import SolverError
from ganzzle.networks.relations import Prediction
from ganzzle.puzzle import Grid
from ganzzle.solvers.hybrid import Hybrid, sight
from ganzzle.solvers.hybrid.confidence import confidence, placement_evidence
from ganzzle.solvers.hybrid.rules import Wear
from ganzzle.solvers.hybrid.sight import mirror_back, potentials, two_looks
from ganzzle.training.export import safetensors_bytes
from ganzzle.training.tasks.hybrid import HybridOptions, HybridTask

Draw = Callable[..., np.ndarray]


@pytest.mark.parametrize(
    ("grid", "corrupt"), [("4x9", "erode:2"), ("1x12", "erode:2"), ("3x4", "noise:0.1"), ("10x8", "erode:3")]
)
def test_the_unknown_grid_of_worn_pieces_is_found(
    hybrid: Hybrid, draw: Draw, grid: str, corrupt: str
) -> None:
    rows, cols = Grid.of(grid).rows, Grid.of(grid).cols
    puzzle = Puzzle.from_picture(draw(32 * rows, 32 * cols, 3), grid, seed=2, piece=32, corrupt=corrupt)
    solution = hybrid.solve(replace(puzzle, grid=None))
    assert str(solution.grid) == grid
    assert solution.puzzle.grid is None


def test_pieces_that_nothing_tells_apart_have_a_grid(hybrid: Hybrid) -> None:
    flat = Puzzle.from_picture(np.full((60, 100, 3), 7, np.uint8), "6x10", seed=0)
    assert hybrid.solve_batch([replace(flat, grid=None)])[0].grid.slots == 60


@pytest.mark.parametrize(
    ("grid", "piece", "corrupt"),
    [
        ("6x6", 32, "none"),
        ("4x7", 28, "none"),
        ("5x5", 48, "noise:0.05"),
        ("5x5", 32, "erode:1"),
        ("6x6", 32, "missing:0.2"),
    ],
)
def test_a_drawn_picture_is_solved(hybrid: Hybrid, draw: Draw, grid: str, piece: int, corrupt: str) -> None:
    puzzle = Puzzle.from_picture(draw(300, 300, seed=2), grid, seed=4, piece=piece, corrupt=corrupt)
    assert score(hybrid.solve(puzzle)).direct >= 0.9


def test_mental_image_and_holes_filled_from_it(hybrid: Hybrid, draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(192, 288, seed=5), "4x6", seed=1, piece=32, corrupt="missing:0.2")
    solution = hybrid.solve(puzzle)
    assert solution.mental_image is not None
    assert solution.mental_image.shape == (64, 96, 3)
    black, imagined = solution.picture(), solution.picture(fill="imagine")
    empty = np.setdiff1d(np.arange(24), solution.placement)
    row, col = divmod(int(empty[0]), 6)
    hole = (slice(32 * row, 32 * row + 32), slice(32 * col, 32 * col + 32))
    assert black[hole].max() == 0
    assert imagined[hole].std() > 0
    filled = np.setdiff1d(np.arange(24), empty)
    row, col = divmod(int(filled[0]), 6)
    middle = (slice(32 * row + 14, 32 * row + 18), slice(32 * col + 14, 32 * col + 18))
    assert np.array_equal(black[middle], imagined[middle])


def test_batches_give_what_single_puzzles_give(hybrid: Hybrid, draw: Draw) -> None:
    corruptions = ("none", "erode:2", "none")  # wear splits the batch
    puzzles = [
        Puzzle.from_picture(draw(160, 160, seed=k), 5, seed=k, piece=32, corrupt=c)
        for k, c in enumerate(corruptions)
    ]
    together = hybrid.solve_batch(puzzles)
    for puzzle, solution in zip(puzzles, together, strict=True):
        assert np.array_equal(hybrid.solve(puzzle).placement, solution.placement)


def test_puzzles_are_put_together_the_same_in_any_company(hybrid: Hybrid, draw: Draw) -> None:
    puzzles = [Puzzle.from_picture(draw(96, 96, seed=k), 3, seed=k, piece=32) for k in range(9)]
    sight = hybrid.eyes.look(puzzles, Wear.of(puzzles[0]))
    sight.wait()
    vague = torch.linspace(0, 1, 9)[:, None, None]  # some leave doubts, some do not
    sight.tensors = (*(x * (1 - vague) - 3 * vague for x in sight.tensors[:4]), sight.tensors[4])
    together = hybrid.arrange_seen(puzzles, sight, slice(0, 9), 0)
    for k, one in enumerate(together):
        (alone,) = hybrid.arrange_seen(puzzles[k : k + 1], sight, slice(k, k + 1), 0)
        for name in ("placement", "confidence", "mental_image", "order"):
            assert np.array_equal(getattr(one, name), getattr(alone, name))


def test_answers_do_not_depend_on_the_order_of_a_batch(hybrid: Hybrid, draw: Draw) -> None:
    puzzles = [
        Puzzle.from_picture(draw(96, 96, seed=k), 3, seed=k, piece=32, corrupt=("none", "erode:2")[k % 2])
        for k in range(10)
    ]
    forth, back = hybrid.solve_batch(puzzles), hybrid.solve_batch(puzzles[::-1])[::-1]
    for one, two in zip(forth, back, strict=True):
        assert one.puzzle is two.puzzle
        assert np.array_equal(one.placement, two.placement)
        assert np.allclose(one.confidence, two.confidence, atol=0.02)


def mirrored(puzzle: Puzzle) -> Puzzle:
    """The same pieces in the same order, each flipped left to right."""
    return replace(puzzle, pieces=np.ascontiguousarray(puzzle.pieces[:, :, ::-1]), truth=None)


@pytest.mark.parametrize("corrupt", ["erode:3", "noise:0.15", "missing:0.25"])
def test_a_hard_puzzle_and_its_mirror_image_have_mirrored_answers(
    hybrid: Hybrid, draw: Draw, corrupt: str
) -> None:
    puzzle = Puzzle.from_picture(draw(128, 160, seed=3), "4x5", seed=2, piece=32, corrupt=corrupt)
    slots, right, down, border = hybrid.potentials(puzzle)
    found = hybrid.potentials(mirrored(puzzle))
    columns = np.arange(20).reshape(4, 5)[:, ::-1].ravel()
    expected = (slots[:, columns], right.T, down, border[:, [1, 0, 2, 3]])
    for ours, theirs in zip(found, expected, strict=True):
        assert np.abs(ours - theirs).mean() < 0.05  # flipping before or after resampling rounds differently
    assert np.abs(found[1] - right).mean() > 0.5


def test_both_looks_have_the_same_say() -> None:
    """Two looks that agree say what one says; where they do not, the mean probability counts."""
    grid, draw = Grid(2, 3), torch.Generator().manual_seed(0)
    one, other = (
        Prediction(*(torch.randn(2, 6, last, generator=draw) for last in (6, 6, 6, 4))) for _ in range(2)
    )
    # Slot 0 of the mirror image is the true slot 2, and what lies right there lies left in truth.
    columns, sides = [2, 1, 0, 5, 4, 3], [1, 0, 2, 3]

    def seen_then_mirrored(first: Prediction, second: Prediction) -> Prediction:
        assert first.slots is not None
        assert second.slots is not None
        return Prediction(
            torch.cat([first.slots, second.slots[:, :, columns]]),
            torch.cat([first.right, second.right.mT]),
            torch.cat([first.down, second.down]),
            torch.cat([first.border, second.border[:, :, sides]]),
        )

    alone = potentials(one, 5), potentials(other, 5)
    for table, expected in zip(two_looks(seen_then_mirrored(one, one), grid, 5), alone[0], strict=True):
        assert torch.allclose(table, expected, atol=1e-5)
    for table, a, b in zip(two_looks(seen_then_mirrored(one, other), grid, 5), *alone, strict=True):
        assert torch.allclose(table.exp(), (a.exp() + b.exp()) / 2, atol=1e-6)


def test_the_edges_are_heard_about_noisy_puzzles_only(
    hybrid: Hybrid, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seams and borders then lie between what the edges and what the last stage say; slots are the last stage's."""
    for corrupt in ("noise:0.15", "erode:2"):
        puzzle = Puzzle.from_picture(draw(96, 128, seed=6), "3x4", seed=1, piece=32, corrupt=corrupt)
        said = []
        for share in (0.0, 1.0, sight.BY_EDGES):
            monkeypatch.setattr(sight, "BY_EDGES", share)
            said.append(hybrid.potentials(puzzle))
        late, early, both = (list(tables) for tables in said)
        assert np.array_equal(late.pop(0), both.pop(0))
        for a, b, c in zip(late, early[1:], both, strict=True):
            if corrupt == "erode:2":
                assert np.array_equal(a, c)
            else:
                assert np.abs(a - c).mean() > 0.01
                assert np.abs(b - c).mean() < np.abs(b - a).mean()


def test_what_the_edges_say_is_mirrored_back() -> None:
    grid, draw = Grid(2, 3), torch.Generator().manual_seed(1)
    last, first = (
        Prediction(*(torch.randn(1, 6, n, generator=draw) for n in (6, 6, 6, 4))) for _ in range(2)
    )

    def with_mirror(said: Prediction) -> Prediction:
        back = mirror_back(said, grid)  # mirroring twice changes nothing
        pairs = zip(said, back, strict=True)
        return Prediction(*(torch.cat([a, b]) for a, b in pairs if a is not None and b is not None))

    edges = with_mirror(first)._replace(slots=None)
    found = two_looks(with_mirror(last), grid, 6, edges)
    for table, expected in zip(found, potentials(last, 6, first), strict=True):
        assert torch.allclose(table, expected, atol=1e-5)


def test_only_hard_puzzles_get_a_second_look(hybrid: Hybrid, draw: Draw) -> None:
    """And their mental image is that of the first look."""
    once = copy(hybrid)
    once.eyes = copy(hybrid.eyes)
    once.eyes.looks = 1
    seen: list[int] = []
    watch = hybrid.eyes.network.register_forward_pre_hook(lambda _, given: seen.append(len(given[0].pieces)))
    try:
        for corrupt in ("none", "erode:2", "noise:0.1", "missing:0.2"):
            puzzle = Puzzle.from_picture(draw(128, 128, seed=2), 4, seed=0, piece=32, corrupt=corrupt)
            ours, theirs = (s.solve(puzzle).mental_image for s in (hybrid, once))
            assert ours is not None
            assert theirs is not None
            assert np.abs(ours.astype(int) - theirs).max() <= 3
            assert np.abs(ours[:, ::-1].astype(int) - theirs).max() > 6
    finally:
        watch.remove()
    assert seen == [1, 1, 2, 1, 2, 1, 2, 1]


def test_a_clean_puzzle_that_leaves_doubts_hears_the_classical_seams(hybrid: Hybrid, draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(160, 160, 3), (5, 5), seed=1)
    sight = hybrid.eyes.look([puzzle], Wear.of(puzzle))
    sight.wait()
    slots, right, down, border, picture = sight.tensors
    nothing = [torch.full_like(x, -3.0) for x in (slots, right, down, border)]
    sight.tensors = (*nothing, picture)  # a network that knows nothing
    (assembly,), _ = hybrid._assemble([puzzle], sight, slice(0, 1), 0)
    assert puzzle.truth is not None
    rows, cols = np.divmod(assembly.placement, 5)
    true_rows, true_cols = np.divmod(puzzle.truth.placement, 5)
    assert len({*zip(rows - true_rows, cols - true_cols, strict=True)}) == 1  # all in order, wherever it lies


def test_a_doubtful_puzzle_that_begins_at_the_wrong_row_is_turned(hybrid: Hybrid, draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(160, 160, 3), (5, 5), seed=1)
    sight = hybrid.eyes.look([puzzle], Wear.of(puzzle))
    sight.wait()
    assert puzzle.truth is not None
    wrong = torch.full((1, 25, 25), -3.0)
    wrong[0, torch.arange(25), torch.from_numpy((puzzle.truth.placement + 5) % 25)] = -1.0
    nothing = [torch.full_like(x, -3.0) for x in sight.tensors[1:4]]
    sight.tensors = (wrong, *nothing, sight.tensors[4])
    (assembly,), _ = hybrid._assemble([puzzle], sight, slice(0, 1), 0)
    assert np.array_equal(assembly.placement, puzzle.truth.placement)


def test_confidence_grows_with_every_kind_of_evidence() -> None:
    weak = np.array([[0.5, -3.0, -3.0, -3.0, 1.0]])
    for column in range(4):
        strong = weak.copy()
        strong[0, column] += 2
        assert confidence(strong)[0] > confidence(weak)[0]
    assert ((confidence(np.array([[0, -12, -12, -12, 1], [30, 0, 0, 0, 1.0]])) - [0, 1]) ** 2).max() < 0.05


def test_evidence_by_hand() -> None:
    right, down = np.full((2, 2, 2), -5.0, np.float32)
    right[1, 0] = -0.5  # piece 0 lies right of piece 1
    slots = np.array([[-4.0, -1.0], [-0.25, -6.0]], np.float32)
    assembly = assemble_pieces(right, down, Grid(1, 2), slots)
    assert assembly.placement.tolist() == [1, 0]
    tables = slots[None], right[None], down[None]
    (evidence,) = placement_evidence([assembly], *tables, Grid(1, 2), [np.arange(2)])
    assert evidence[:, 1:].tolist() == [[-1.0, -0.5, -0.5, 1.0], [-0.25, -0.5, -0.5, 1.0]]


def test_pieces_that_look_the_same_do_not_doubt_each_other() -> None:
    # Two equal pieces and a third in a row, each slot and neighbour as likely for the one as for the other.
    half = np.float32(np.log(0.5))
    right, down = np.full((2, 3, 3), -9.0, np.float32)
    right[0, 1] = right[1, 0] = right[0, 2] = right[1, 2] = half
    slots = np.array([[half, half, -9], [half, half, -9], [-9, -9, 0]], np.float32)
    grid = Grid(1, 3)
    for twins, margin, sure in (([0, 1, 2], 0, False), ([0, 0, 2], 10, True)):
        numbers = np.array(twins)
        assembly = assemble_pieces(right, down, grid, slots, twins=numbers)
        assert (assembly.margin[:2] > margin).all() == sure
        tables = slots[None], right[None], down[None]
        (evidence,) = placement_evidence([assembly], *tables, grid, [numbers])
        assert (confidence(evidence)[:2] > 0.9).all() == sure


def test_a_worn_picture_is_less_sure_than_a_clean_one(hybrid: Hybrid, draw: Draw) -> None:
    picture = draw(192, 192, seed=8)
    clean, worn = (
        hybrid.solve(Puzzle.from_picture(picture, 6, seed=0, piece=32, corrupt=c)).confidence.mean()
        for c in ("none", "noise:0.2+erode:6")
    )
    assert clean > worn


def test_weights_of_another_kind_are_refused() -> None:
    with pytest.raises(SolverError, match="no embedded weights 'nothing'"):
        load_solver("hybrid", weights="nothing")
    with pytest.raises(SolverError, match="its options: weights, device, slot_weight, batch, looks, graphs"):
        load_solver("hybrid", size=3)
    with pytest.raises(SolverError, match="looks is 1 or 2, not 3"):
        load_solver("hybrid", looks=3)


def test_very_large_puzzles_go_to_the_assembler(hybrid: Hybrid, draw: Draw) -> None:
    puzzle = Puzzle.from_picture(draw(248, 248, seed=1), 31, seed=0)
    solution = hybrid.solve(puzzle)
    assert solution.mental_image is None
    assert len(np.unique(solution.placement)) == 961


def test_weights_with_a_painter(tmp_path: Path, draw: Draw) -> None:
    """Packed for this machine, clean, worn and noisy puzzles together are what they are alone."""
    torch.manual_seed(0)
    task = HybridTask(HybridOptions(width=64, stages=(1, 1), painter=16), torch.device("cpu"))
    tensors, metadata = task.export()
    path = tmp_path / "new.safetensors"
    path.write_bytes(safetensors_bytes(tensors, metadata))
    hybrid = Hybrid(path)
    puzzles = [
        Puzzle.from_picture(draw(96, 128, seed=k), "3x4", seed=k, piece=32, corrupt=corrupt)
        for k, corrupt in enumerate(("erode:3", "noise:0.1", "none"))
    ]
    together = hybrid.solve_batch(puzzles)
    for puzzle, solution in zip(puzzles, together, strict=True):
        alone = hybrid.solve(puzzle)
        assert np.array_equal(alone.placement, solution.placement)
        assert alone.mental_image is not None
        assert alone.mental_image.shape == (48, 64, 3)
