"""How sure an answer is: boards that look the same are one, and what speaks against a board makes it less sure."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ganzzle import Puzzle, solve
from ganzzle.pile import Pile
from ganzzle.samples import sample_picture
from ganzzle.solving.belief import believed, runners_up, signs
from ganzzle.solving.boards import Laid
from ganzzle.solving.score import Terms


class Pieces(SimpleNamespace):
    """What is seen of pieces whose seams are all worth a share of the most."""

    def __init__(self, twins: list[int], share: float = 1.0) -> None:
        count, most = len(twins), 3.0
        seams, sides = np.full((count, count), share * most), np.zeros((count, 4))
        super().__init__(twins=np.array(twins), terms=Terms(seams, seams, sides, sides, most))

    def __len__(self) -> int:
        return len(self.twins)


def belief_in_others(seen: Any, *boards: list[list[int]]) -> float:
    """The first of the signs against the first of some boards that all score the same."""
    return float(signs([Laid((np.array(board),), 10.0) for board in boards], seen)[0])


def test_which_of_two_twins_is_in_and_where_twins_lie_is_no_doubt() -> None:
    seen = Pieces([0, 1, 2, 3, 3])
    board = [[0, 1], [2, 3]]
    assert belief_in_others(seen, board, [[0, 1], [2, 4]]) == 0
    assert belief_in_others(seen, [[0, 3], [2, 4]], [[0, 4], [2, 3]]) == 0
    assert belief_in_others(seen, board, [[0, 1], [3, 2]]) == pytest.approx(0.5)


def test_an_empty_line_at_the_rim_says_nothing() -> None:
    board = [[0, 1], [2, 3]]
    assert belief_in_others(Pieces([0, 1, 2, 3]), board, [*board, [-1, -1]]) == 0


def test_weak_seams_and_good_runners_up_make_less_sure() -> None:
    board = Laid((np.array([[0, 1], [2, 3]]),), 10.0)
    other = Laid((np.arange(4)[:, None],), 9.0)
    twins = [0, 1, 2, 3]
    by_seams = [believed([board], Pieces(twins, share)) for share in (0.2, 0.6, 0.9, 1.0)]  # type: ignore[arg-type]
    assert sorted(by_seams) == by_seams
    assert by_seams[0] < 0.5
    assert by_seams[-1] > 0.95
    alone, ahead = (believed(tried, Pieces(twins)) for tried in ([board], [board, other]))  # type: ignore[arg-type]
    assert ahead < alone
    (named,) = runners_up([board, other], Pieces(twins))  # type: ignore[arg-type]
    assert named.says == "4 rows of 1"
    assert 0 < named.share < 0.5


def test_a_pile_with_a_copy_is_as_sure_as_without() -> None:
    own = Puzzle.from_picture(sample_picture("portrait"), (6, 6), seed=1, piece=32)
    pile = np.concatenate([own.pieces, own.pieces[14:15]])
    answer = solve(Pile(pile))
    assert answer.left_over.tolist() == [36]
    assert float(answer.confidence.mean()) > 0.9
