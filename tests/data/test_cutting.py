"""Batches of puzzles: their order of arrival, how they are sent, and the protocol of the evaluation."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from toy_source import some_pictures

from ganzzle.data.batch import send
from ganzzle.data.cutting import check_corruptions, draw_arrival, evaluation_batch
from ganzzle.errors import GanzzleError


def test_pieces_arrive_in_every_order_and_go_missing_anywhere() -> None:
    arrival = draw_arrival(6000, 3, np.full(6000, 0.34), np.random.default_rng(0))
    slots, places = arrival.order
    assert (places == slots + 3 * np.arange(6000)[:, None]).all()
    _, counts = np.unique(slots, axis=0, return_counts=True)
    assert len(counts) == 6
    assert counts.min() > 850
    assert (arrival.present.sum(1) == 2).all()
    assert ((~arrival.present).sum(0) > 1850).all()  # whatever the order of arrival
    gone = slots[~arrival.present]
    assert np.bincount(gone).min() > 1850  # and wherever they belong
    assert draw_arrival(5, 3, np.ones(5), np.random.default_rng(0)).present.sum() == 5


def test_what_is_sent_together_arrives_as_it_was() -> None:
    given = (
        np.arange(6).reshape(2, 3),
        np.random.default_rng(0).random((4, 5)).astype(np.float32)[:, 1:4],
        np.array([True, False, True]),
    )
    for array, sent in zip(given, send(torch.device("cpu"), *given), strict=True):
        assert sent.shape == array.shape
        assert (sent.numpy() == array).all()
        assert sent.numpy().dtype == array.dtype


def test_evaluation_puzzles_follow_the_protocol() -> None:
    pictures = some_pictures(3)
    batch = evaluation_batch(pictures, 2, 3, "erode:1")
    for k in range(3):
        image = Image.fromarray(pictures[k].permute(1, 2, 0).numpy())
        expected = np.asarray(image.resize((96, 64), Image.Resampling.BICUBIC)).astype(np.float32) / 255
        assert np.abs(batch.picture[k].permute(1, 2, 0).numpy() - expected).max() <= 1.01 / 255
    assert batch.corruption == "erode"
    assert batch.pieces[..., 0].abs().sum() == 0


def test_validation_takes_corruptions_as_everything_else_does() -> None:
    pictures = some_pictures(4)
    batch = evaluation_batch(pictures, 3, 3, "erode:2+missing:0.3", piece=16)
    assert batch.erosion == 2
    assert (~batch.present).sum(1).tolist() == [3] * 4
    with pytest.raises(GanzzleError, match="eroded:2"):
        evaluation_batch(pictures, 2, 2, "eroded:2")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("uneven:0.03", "uneven"),
        ("noise:0.1+noise:0.2", "twice"),
        ("erode:1+noise:0.1", "noise:0.1\\+erode:1"),
        ("erode:16", "leaves nothing"),
    ],
)
def test_what_validation_cannot_do_is_refused_before_and_not_left_out(text: str, why: str) -> None:
    with pytest.raises(GanzzleError, match=why):
        check_corruptions([text])
    with pytest.raises(GanzzleError, match=why):
        evaluation_batch(some_pictures(2), 2, 2, text)
