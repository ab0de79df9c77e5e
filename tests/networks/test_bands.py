"""The network that compares bands, and its training."""

import numpy as np
import torch

from ganzzle.data.band_cuts import CutOptions, Draws, cut_bands
from ganzzle.data.drawn_pages import PageOptions, inked_rows, load_pages
from ganzzle.networks.bands import BandNetwork, BandSize
from ganzzle.training.tasks.bands import BandOptions, BandTask

CUTS = CutOptions(rows=64, seams=6)


def pages(file=""):
    return load_pages(PageOptions(count=1, held_out=1, height=600, file=str(file)), lambda text: None)


def test_bands_on_both_sides_of_a_seam_are_alike():
    inks = pages()
    bands = cut_bands(inks, inked_rows(inks), 3, 20, CUTS, Draws((1,), inks.device))
    assert bands.right.shape == bands.left.shape == (3, 6, 64, 20)
    assert 0 <= float(bands.right.min()) <= float(bands.right.max()) <= 1
    ends, starts = bands.right[..., -4:].mean(3).numpy(), bands.left[..., :4].mean(3).numpy()
    true = np.abs(ends - starts).mean()
    assert true < 0.9 * np.abs(ends - np.roll(starts, 1, 1)).mean()


def test_pages_are_kept_in_a_file(tmp_path):
    drawn = pages(tmp_path / "pages.tif")
    torch.testing.assert_close(drawn, pages(tmp_path / "pages.tif"))


def test_a_step_makes_it_better():
    torch.manual_seed(0)
    task = BandTask(
        BandOptions(pages=PageOptions(1, 1, 600), cuts=CUTS, learning_rate=5e-4), torch.device("cpu")
    )
    source = task.source(0, 0, lambda text: None)
    batch = source.batch(0)
    losses = [float(task.step(batch, lambda loss: loss.backward(), 0.0)["loss"]) for _ in range(16)]
    assert losses[-1] < losses[0]
    assert 0 <= task.validate(source.validation())["drawn pages right"] <= 100


def test_scores_are_sums_over_rows():
    network = BandNetwork(BandSize(first=2, second=2, third=2, features=4))
    right, left = torch.rand(1, 3, 10, 4), torch.rand(1, 2, 10, 4)
    whole = network.scores(right, left)
    parts = network.scores(right[:, :, :5], left[:, :, :5]) + network.scores(right[:, :, 5:], left[:, :, 5:])
    torch.testing.assert_close(whole, parts)
    assert network.blank(network.right).shape == (4,)
