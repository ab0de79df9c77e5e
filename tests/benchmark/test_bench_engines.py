"""Items on Ray: a local one of two workers, one of which is killed in the middle."""

from __future__ import annotations

import importlib.util

import pytest

from ganzzle.benchmark.engines import Engine
from ganzzle.benchmark.predicting import predict
from ganzzle.benchmark.predictions import Item, read_predictions
from ganzzle.benchmark.scoring import score_row
from ganzzle.errors import GanzzleError, PictureError
from ganzzle.pictures import write_picture

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="ray is not installed (extra cluster)")


@needs_ray
def test_a_worker_of_ray_is_killed_and_the_scores_are_those_of_one_process(tmp_path, draw, random_solver):
    for k in range(3):
        write_picture(tmp_path / "images" / f"{k}.png", draw(64, 64, k))
    grids = ("2x2", "4x4", "2x3", "3x3")
    mortal = random_solver.replace("Random", "Mortal")
    items = [Item(mortal, "drawn", str(tmp_path / "images"), grid, piece=16) for grid in grids]
    counted: list[int] = []
    Engine("ray", 2).predict(items, tmp_path / "ray", "cpu", counted.append)
    assert (tmp_path / "killed").exists()
    assert counted == [3] * len(items)
    predict(items, tmp_path / "one")
    assert len(list((tmp_path / "ray").iterdir())) == len(items)
    for item in items:
        ray, one = (score_row(read_predictions(tmp_path / f / item.file_name)) for f in ("ray", "one"))
        assert ray | {"ms_per_puzzle": 0} == one | {"ms_per_puzzle": 0}

    nowhere = Item(random_solver, "drawn", str(tmp_path / "nowhere"), "2x2")
    with pytest.raises(PictureError, match="nowhere"):
        Engine("ray", 1).predict([nowhere], tmp_path / "ray", "cpu", counted.append)


@needs_ray
def test_a_running_cluster_is_joined_by_its_address(tmp_path, draw, random_solver):
    from ray.cluster_utils import Cluster

    write_picture(tmp_path / "images" / "a.png", draw(64, 64))
    item = Item(random_solver, "drawn", str(tmp_path / "images"), "2x2", piece=16)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        Engine("ray", address=cluster.address).predict([item], tmp_path / "ray", "cpu", lambda count: None)
    finally:
        cluster.shutdown()
    assert read_predictions(tmp_path / "ray" / item.file_name).names == ["a.png"]


@pytest.mark.skipif(HAS_RAY, reason="ray is installed")
def test_without_ray_it_says_what_to_install(tmp_path):
    with pytest.raises(GanzzleError, match=r"ganzzle\[cluster\]"):
        Engine("ray").predict([Item("gallagher", "", "", "2x2")], tmp_path, "cpu", lambda count: None)


def test_wrong_engines_are_refused():
    with pytest.raises(GanzzleError, match="local, ray"):
        Engine("dask")
    with pytest.raises(GanzzleError, match="--address"):
        Engine("local", address="auto")
