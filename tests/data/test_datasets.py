"""Splits, permutation files, datasets, shards, and the commands around them."""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from ganzzle.cli.data import app
from ganzzle.cli.data_options import DataError
from ganzzle.data.datasets import PuzzleCelebA, PuzzleDataset, PuzzleWikiArts
from ganzzle.data.permutations import make_permutations, read_permutations
from ganzzle.data.prepare import ShardOptions, prepare_shards
from ganzzle.data.reading import encoded_pictures
from ganzzle.data.splits import named_in, read_names, seeded_split, stem
from ganzzle.reading.pictures import write_picture
from ganzzle.reading.sources import iterate_pictures
from ganzzle.training.export import write_parts

run = CliRunner()


def test_names_are_compared_without_folder_and_ending() -> None:
    assert stem("Impressionism/st.-victoire_1.jpg") == "st.-victoire_1"
    assert stem("29522") == "29522"


@dataclass(frozen=True)
class Place:
    """What a split looks at."""

    where: str

    @property
    def name(self) -> str:
        return self.where.rsplit("/", 1)[-1]


def test_a_seeded_split_is_eighty_twenty_and_ignores_the_order() -> None:
    pictures = [Place(f"{k}.jpg") for k in range(50)]
    train, test = seeded_split(pictures, seed=1)
    assert (len(train), len(test)) == (40, 10)
    assert train + test != pictures
    assert set(train) | set(test) == set(pictures)
    assert [part[::-1] for part in seeded_split(pictures[::-1], seed=1)] == [train, test]
    assert seeded_split(pictures, seed=2) != (train, test)


def test_the_split_of_a_seed_stays_what_it_was() -> None:
    """People compare figures of one split; which folders the pictures lie in does not count."""
    _, test = seeded_split([Place(f"{k % 3}/{k:03d}.png") for k in range(30)], seed=7)
    assert [p.name[:3] for p in test] == ["004", "012", "014", "022", "024", "028"]


@pytest.mark.parametrize(
    "places",
    [
        [f"{k:03d}.{ending}" for k in range(20) for ending in ("bmp", "png")],
        [f"{folder}/{k:03d}.png" for folder in "abcde" for k in range(20)],
        [f"{folder}/same.png" for folder in "abcdefghij"],
    ],
)
def test_pictures_of_one_name_are_in_one_split_only(tmp_path: Path, places: list[str]) -> None:
    for place in places:
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).touch()
    data = PuzzleDataset(tmp_path)
    train, test = ([one.where for one in data.encoded(split)] for split in ("train", "test"))
    assert (len(train), len(test)) == (len(places) * 4 // 5, len(places) // 5)
    assert sorted(train + test) == sorted(str(tmp_path / place) for place in places)


def test_listed_names_that_fit_several_pictures() -> None:
    pictures = [
        Place(f"pics/{folder}/{name}") for folder in "ab" for name in ("1.jpg", "1.png", "2.png", "3.png")
    ]
    assert named_in(pictures[:4], ["2.jpg"]) == [pictures[2]]
    assert named_in(pictures[:4], ["1.png"]) == [pictures[1]]
    assert named_in(pictures, ["b/3.jpg", "set/a/1.jpg", "a/2"]) == [pictures[0], pictures[2], pictures[7]]
    inside = [Place("x.tar:a/1.webp"), Place("x.tar:b/1.webp")]
    assert named_in(inside, ["b/1.jpg"]) == inside[1:]
    with pytest.raises(DataError, match=r"1 listed .* 2\.png .* pics/a/2\.png and pics/b/2\.png"):
        named_in(pictures, ["2.png", "a/3.png"])
    with pytest.raises(DataError, match=r"2 listed names fit more than one picture, 1\.webp for one"):
        named_in(pictures[:4] * 2, ["1.webp", "2.png"])


def test_pictures_in_both_lists_are_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("x/001.png\n002.png\n003.png\n")
    (tmp_path / "test.txt").write_text("y/001.png\n004.png\n")
    data = PuzzleDataset(folder, tmp_path / "train.txt", tmp_path / "test.txt")
    assert "pictures in both lists: 1, 001.png for one" in data.report()
    assert "both lists" not in PuzzleDataset(folder, tmp_path / "train.txt").report()
    assert "both lists" not in PuzzleDataset(folder).report()


def test_split_lists_may_have_columns_and_a_heading(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text("filename,label\nx/3.jpg,1\n4.jpg,2\n\n4.jpg,2\n")
    assert read_names(tmp_path / "list.csv") == ["x/3.jpg", "4.jpg"]
    with pytest.raises(DataError, match="no split list"):
        read_names(tmp_path / "none.txt")


def test_the_mark_that_some_editors_put_before_a_text_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("3.jpg\n4.jpg\n", encoding="utf-8-sig")
    assert read_names(tmp_path / "list.txt") == ["3.jpg", "4.jpg"]
    (tmp_path / "orders.csv").write_text("7.jpg,1,[0]\n", encoding="utf-8-sig")
    assert read_permutations(tmp_path / "orders.csv") == {("7", 1): [0]}


def test_the_official_row_is_read(tmp_path: Path) -> None:
    (tmp_path / "official.csv").write_text("29522.jpg,2,[2, 3, 1, 0]\n7.jpg,1,[0]\n")
    assert read_permutations(tmp_path / "official.csv") == {("29522", 2): [2, 3, 1, 0], ("7", 1): [0]}


@pytest.mark.parametrize(
    "row",
    [
        "1.jpg,2,[0, 1, 2]",
        "1.jpg,2,[0, 1, 2, 2]",
        "1.jpg;2;[0]",
        "1.jpg,2,[0, 1,",
        "1.jpg,-2,[0, 1, 2, 3]",
        "1.jpg,2,[0, 1.0, 2, 3]",
        "1.jpg,0,[]",
    ],
)
def test_bad_rows_are_named_by_their_line(tmp_path: Path, row: str) -> None:
    (tmp_path / "bad.csv").write_text(f"7.jpg,1,[0]\n{row}\n")
    with pytest.raises(DataError, match="line 2"):
        read_permutations(tmp_path / "bad.csv")


def test_an_order_does_not_depend_on_the_other_pictures() -> None:
    alone = list(make_permutations(["b.jpg"], (2, 4), seed=5))
    among = list(make_permutations(["c.jpg", "b.jpg", "a.jpg"], (2, 4), seed=5))
    assert alone == among[2:4]
    assert list(make_permutations(["b.jpg"], (4,), seed=6)) != alone[1:]


def test_puzzles_follow_the_permutation_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text("002.jpg\n003.jpg\nabsent.jpg\n")
    (tmp_path / "orders.csv").write_text("002.jpg,2,[2, 3, 1, 0]\n003.jpg,2,[1, 0, 3, 2]\n")
    data = PuzzleCelebA(folder, test_list=tmp_path / "test.txt", permutations=tmp_path / "orders.csv")
    puzzles = list(data.puzzles("test", edges=[2], piece=8))
    placements = {p.name: p.truth.placement.tolist() for p in puzzles if p.truth}
    assert placements == {"002.png": [2, 3, 1, 0], "003.png": [1, 0, 3, 2]}
    assert "2 pictures of 5999 published" in data.report()
    assert "1 of 3 listed pictures are missing: absent.jpg" in data.report()
    with pytest.raises(DataError, match="no split 'train'"):
        data.names("train")
    (tmp_path / "none.txt").write_text("elsewhere.jpg\n")
    with pytest.raises(DataError, match="none of the 1 pictures"):
        PuzzleWikiArts(folder, train_list=tmp_path / "none.txt")


def test_a_plain_folder_is_split_by_the_seed(folder: Path) -> None:
    data = PuzzleDataset(folder, seed=0)
    assert (len(data.names("train")), len(data.names("test"))) == (8, 2)
    assert len(data) == 10
    assert sorted(data.names("train") + data.names("test")) == [f"{k:03d}.png" for k in range(10)]


def test_prepared_shards_are_kept_and_what_is_left_is_made(folder: Path, tmp_path: Path) -> None:
    (folder / "a" / "009.png").write_bytes(b"broken")
    pictures = PuzzleDataset(folder, test_list=None).encoded("train")
    options = ShardOptions(size=24, per_shard=3)
    first = prepare_shards(pictures, tmp_path / "out", "train", options)
    kept = first.shards[0].read_bytes()
    first.shards[1].unlink()
    second = prepare_shards(pictures, tmp_path / "out", "train", options)
    assert [p.name for p in second.shards] == ["train-000.tar", "train-001.tar", "train-002.tar"]
    assert second.reused == 2
    assert second.shards[0].read_bytes() == kept
    found = dict(iterate_pictures(str(tmp_path / "out" / "train-*.tar")))
    assert len(found) == second.pictures
    assert all(p.shape == (24, 24, 3) for p in found.values())
    with pytest.raises(DataError, match="other options"):
        prepare_shards(pictures, tmp_path / "out", "train", ShardOptions(size=25, per_shard=3))


def test_shards_of_other_pictures_are_not_taken_for_these(folder: Path, tmp_path: Path) -> None:
    """Also where their number and the first and last name are the same."""
    options = ShardOptions(size=16)
    prepare_shards(encoded_pictures(str(folder), Path()), tmp_path / "out", "train", options)
    moved = folder.rename(tmp_path / "moved")
    pictures = encoded_pictures(str(moved), Path())
    assert prepare_shards(pictures, tmp_path / "out", "train", options).reused == 1
    renamed = moved / "a" / "003.png"
    renamed.rename(moved / "a" / "003b.png")
    with pytest.raises(DataError, match=r"other pictures .* another --out, or delete") as error:
        prepare_shards(encoded_pictures(str(moved), Path()), tmp_path / "out", "train", options)
    assert "--name" not in str(error.value)
    (moved / "a" / "003b.png").rename(renamed)
    renamed.write_bytes(renamed.read_bytes() + b"more")
    with pytest.raises(DataError, match="other pictures"):
        prepare_shards(encoded_pictures(str(moved), Path()), tmp_path / "out", "train", options)


def test_shards_may_lie_in_the_folder_they_are_made_from(folder: Path) -> None:
    arguments = ["prepare", str(folder), "--out", str(folder / "shards"), "--size", "16"]
    assert "train: 8 pictures in 1 shard in" in run.invoke(app, arguments).output
    (folder / "shards" / "test-000.tar").unlink()
    again = run.invoke(app, arguments).output
    assert "train: 8 pictures in 1 shard (1 of them there already)" in again
    assert "test: 2 pictures in 1 shard in" in again
    shards = run.invoke(app, ["prepare", str(folder / "shards"), "--out", str(folder / "shards")])
    assert "no pictures" in str(shards.exception)


def test_the_command_prepares_and_reports(folder: Path, tmp_path: Path) -> None:
    (folder / "b" / "000.png").write_bytes(b"broken")
    (tmp_path / "train.txt").write_text("\n".join(f"{k:03d}.jpg" for k in range(12)))
    out = tmp_path / "shards"
    arguments = ["prepare", str(folder), "--out", str(out), "--train-list", str(tmp_path / "train.txt")]
    result = run.invoke(app, [*arguments, "--size", "32", "--keep-aspect"])
    assert result.exit_code == 0, result.output
    report = json.loads((out / "report.json").read_text())
    assert report["train"]["pictures"] == 9
    assert report["train"]["missing"] == ["010.jpg", "011.jpg"]
    assert "000.png" in report["train"]["unreadable"][0]
    shapes = {p.shape[0] for _, p in iterate_pictures(str(out / "train-000.tar"))}
    assert shapes == {32}


def test_permutation_files_are_the_same_for_the_same_seed(folder: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 7), ("two", 7), ("three", 8)):
        arguments = [str(folder), "--out", str(tmp_path / name), "--seed", str(seed)]
        assert run.invoke(app, ["permutations", *arguments, "--grid", "2", "--grid", "3"]).exit_code == 0
    one, two, three = ((tmp_path / name).read_bytes() for name in ("one", "two", "three"))
    assert one == two != three
    orders = read_permutations(tmp_path / "one")
    assert len(orders) == 20
    assert sorted(orders["004", 3]) == list(range(9))


def test_permutations_of_a_folder_of_shards(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "my [1] shards"
    place.mkdir()
    for name in "ab":
        with tarfile.open(place / f"{name}.tar", "w") as shard:
            shard.add(folder / name, ".")  # its members are called ./001.png and so on
    out = tmp_path / "orders.csv"
    for source in (place, place / "*.tar"):
        monkeypatch.chdir(place if source.name == "*.tar" else tmp_path)
        shown = source.name if source.name == "*.tar" else str(source)
        result = run.invoke(app, ["permutations", shown, "--out", str(out), "--grid", "2", "--force"])
        assert result.exit_code == 0, result.output
        assert "10 puzzles of 10 pictures" in result.output
        assert {name for name, _ in read_permutations(out)} == {f"{k:03d}" for k in range(10)}


def test_permutations_of_nothing_are_an_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    one = folder / "a" / "001.png"
    for arguments, says in (([tmp_path / "empty"], "no pictures at"), ([one, "--split", "test"], "too few")):
        result = run.invoke(
            app, ["permutations", *map(str, arguments), "--out", str(tmp_path / "orders.csv")]
        )
        assert says in str(result.exception)
        assert not (tmp_path / "orders.csv").exists()


def test_parts_of_weights_are_joined(tmp_path: Path) -> None:
    data = np.random.default_rng(0).bytes(1000)
    parts = write_parts(data, tmp_path / "model.safetensors", part_bytes=300)
    assert [p.name for p in parts][-1] == "model.safetensors.part-4-of-4"
    result = run.invoke(app, ["join", str(parts[2])])
    assert result.exit_code == 0
    assert (tmp_path / "model.safetensors").read_bytes() == data
    parts[0].unlink()
    result = run.invoke(app, ["join", str(parts[2])])
    assert "part-1-of-4 is missing" in str(result.exception)


def test_pictures_of_one_name_are_kept_apart(tmp_path: Path, draw, command) -> None:
    for place in ("a/1.png", "b/1.png", "c/1.png"):
        write_picture(tmp_path / "pictures" / place, draw(32, 32))
    words = ["--out", tmp_path / "shards", "--split", "all", "--size", "16"]
    ran = command("data", "prepare", tmp_path / "pictures", *words)
    assert ran.code == 0
    with tarfile.open(tmp_path / "shards" / "train-000.tar") as shard:
        assert shard.getnames() == ["1.webp", "1-2.webp"]
    ran = command("data", "permutations", tmp_path / "pictures", "--out", tmp_path / "orders.csv")
    assert ran.code == 2
    assert "several pictures have the name 1;" in ran.err


def test_names_that_differ_in_their_ending_alone_have_no_orders_of_their_own(
    tmp_path: Path, draw, command
) -> None:
    for name in ("1.png", "1.jpg"):
        write_picture(tmp_path / "pictures" / name, draw(32, 32))
    ran = command("data", "permutations", tmp_path / "pictures", "--out", tmp_path / "orders.csv")
    assert ran.code == 2
    assert "several pictures have the name 1;" in ran.err


def test_a_grid_named_twice_counts_once(folder: Path, tmp_path: Path) -> None:
    arguments = ["permutations", str(folder), "--out", str(tmp_path / "orders.csv"), "--grid", "2"]
    assert "10 puzzles of 10 pictures" in run.invoke(app, [*arguments, "--grid", "2"]).output


def test_a_split_without_pictures_is_no_error(tmp_path: Path, draw, command) -> None:
    write_picture(tmp_path / "one.png", draw(32, 32))
    ran = command("data", "prepare", tmp_path / "one.png", "--out", tmp_path / "shards", "--size", "16")
    assert ran.code == 0
    assert "test: no pictures" in ran.out
    assert list(json.loads((tmp_path / "shards" / "report.json").read_text())) == ["train"]


def test_long_names_and_long_pictures_are_prepared(tmp_path: Path, draw) -> None:
    write_picture(tmp_path / "p" / ("x" * 110 + ".png"), draw(40, 40))
    write_picture(tmp_path / "p" / "wide.png", draw(4, 800))
    encoded = encoded_pictures(str(tmp_path / "p"), Path())
    report = prepare_shards(encoded, tmp_path / "s", "train", ShardOptions(size=128, keep_aspect=True))
    assert (report.pictures, report.unreadable) == (2, [])
    found = dict(iterate_pictures(str(tmp_path / "s" / "train-000.tar")))
    assert set(found) == {"wide.webp", "x" * 110 + ".webp"}
    assert found["wide.webp"].shape[1] == 16_383


def test_shards_of_more_pictures_are_not_left_beside(folder: Path, tmp_path: Path) -> None:
    encoded = encoded_pictures(str(folder), Path())
    options = ShardOptions(size=16, per_shard=3)
    prepare_shards(encoded, tmp_path / "s", "train", options)
    with pytest.raises(DataError, match=r"train-003\.tar"):
        prepare_shards(encoded[:9], tmp_path / "s", "train", options)
