"""`ganzzle data`: shards, permutation files, weights in parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ganzzle.cli.console import check_outputs, how_many, progress, tell
from ganzzle.cli.data_options import DataError
from ganzzle.cli.options import ForceOption, SeedOption

if TYPE_CHECKING:
    from ganzzle.data.datasets import PuzzleDataset

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Prepare data: picture shards, splits, permutation files.",
)

TrainList = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Official list of the training pictures.")
]
TestList = Annotated[Path | None, typer.Option(metavar="FILE", help="Official list of the test pictures.")]
Split = Annotated[str, typer.Option(help="train, test, or all.")]
Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A folder of pictures or .tar shards (with subfolders), a shard, or a glob."
    ),
]
Kind = Annotated[str, typer.Option("--dataset", help="celeba, wikiarts, or plain for any other pictures.")]


@app.command(
    epilog="Example: ganzzle data prepare CelebA-HQ-img --dataset celeba --test-list test.txt --out shards"
)
def prepare(
    source: Source,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the shards.")],
    dataset: Kind = "plain",
    split: Split = "all",
    train_list: TrainList = None,
    test_list: TestList = None,
    size: Annotated[int, typer.Option(min=8, max=8192, metavar="PX", help="Side of a picture in px.")] = 352,
    keep_aspect: Annotated[
        bool, typer.Option("--keep-aspect", help="Keep the aspect ratio; --size is the short side.")
    ] = False,
    quality: Annotated[int, typer.Option(min=1, max=100, help="Quality of the WebP files.")] = 90,
    per_shard: Annotated[int, typer.Option(min=1, help="Pictures in each shard.")] = 2000,
    seed: SeedOption = 0,
) -> None:
    """Make tar shards of resized WebP pictures. Run it again to continue after a stop.

    Without split lists a fifth of the pictures, drawn by the seed, becomes the test split.
    """
    from ganzzle.data.prepare import ShardOptions, made_in, prepare_shards

    names = _splits(split, train_list, test_list)
    pictures = _open(dataset, source, train_list, test_list, seed, made_in(out))
    options = ShardOptions(size, keep_aspect, quality, per_shard)
    tell(pictures.report())
    summary = {}
    parts = {name: encoded for name in names if (encoded := pictures.encoded(name))}
    if not parts:
        raise DataError(f"there are too few pictures at {source} for a {split} split")
    for name in names:
        if name not in parts:
            tell(f"{name}: no pictures, no shards")
    for name, encoded in parts.items():
        with progress(f"{name} pictures", len(encoded)) as advance:
            report = prepare_shards(encoded, out, name, options, advance)
        again = f" ({report.reused} of them there already)" if report.reused else ""
        pictured = how_many(report.pictures, "picture")
        tell(f"{name}: {pictured} in {how_many(len(report.shards), 'shard')}{again} in {out}")
        for where in report.unreadable:
            tell(f"unreadable, left out: {where}", err=True)
        missing = [n for gap in pictures.missing if gap.split == name for n in gap.names]
        summary[name] = {"pictures": report.pictures, "unreadable": report.unreadable, "missing": missing}
    _write_text(out / "report.json", json.dumps(summary, indent=1) + "\n", force=True)


@app.command(epilog="Example: ganzzle data permutations shards/test-000.tar --out test.csv --seed 0")
def permutations(
    source: Source,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.")],
    dataset: Kind = "plain",
    split: Split = "all",
    train_list: TrainList = None,
    test_list: TestList = None,
    grid: Annotated[
        list[int] | None,
        typer.Option(
            min=1, metavar="N", help="Pieces along each side; repeatable. Default: 2, 4, 6, 8, 10, 12."
        ),
    ] = None,
    seed: SeedOption = 0,
    force: ForceOption = False,
) -> None:
    """Write a permutation file (rows like 29522.jpg,2,[2, 3, 1, 0]). The same seed gives the same bytes."""
    from ganzzle.data.permutations import GRIDS, make_permutations
    from ganzzle.data.splits import stem
    from ganzzle.reading.sources import source_files

    splits = _splits(split, train_list, test_list)
    pictures = _open(dataset, source, train_list, test_list, seed)
    names = [name for one in splits for name in pictures.names(one)]
    if not names:
        raise DataError(f"there are too few pictures at {source} for a {split} split")
    repeated = sorted(name for name, count in Counter(map(stem, names)).items() if count > 1)
    if repeated:
        raise DataError(
            f"several pictures have the name {repeated[0]}; the orders go by name, without folder and ending, so give "
            "each one of its own"
        )
    rows = list(make_permutations(names, list(dict.fromkeys(grid or GRIDS)), seed))
    check_outputs(force, str(out), inputs=[*source_files(source), train_list, test_list])
    _write_text(out, "".join(rows), force)
    tell(f"wrote {out}: {how_many(len(rows), 'puzzle')} of {how_many(len(names), 'picture')}")


@app.command(epilog="Example: ganzzle data join hybrid.safetensors.part-1-of-3")
def join(
    part: Annotated[
        Path, typer.Argument(metavar="PART", help="Any of the parts that `ganzzle train --export-dir` wrote.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The whole file. Default: beside the parts.")
    ] = None,
) -> None:
    """Join the parts of a weights file."""
    from ganzzle.training.export import join_parts

    whole = join_parts(part, out)
    tell(f"wrote {whole} ({whole.stat().st_size / 2**20:.2f} MiB)")


@app.command(epilog="Example: ganzzle data card runs/ganzzle-faces/ganzzle-faces.safetensors --out card.md")
def card(
    weights: Annotated[Path, typer.Argument(metavar="WEIGHTS", help="A file that `ganzzle train` exported.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Default: beside the weights, ending in .md.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write the card of a weights file: data, licence, commit, command, scores."""
    from ganzzle.training.card import card_text

    target = out or weights.with_suffix(".md")
    check_outputs(force, str(target), inputs=[weights])
    _write_text(target, card_text(weights), force)
    tell(f"wrote {target}")


def _open(
    kind: str,
    source: str,
    train_list: Path | None,
    test_list: Path | None,
    seed: int,
    skip: Callable[[Path], bool] = lambda file: False,
) -> PuzzleDataset:
    from ganzzle.data.datasets import DATASETS

    if kind not in DATASETS:
        raise DataError(f"there is no dataset '{kind}'; there are: {', '.join(DATASETS)}")
    return DATASETS[kind](source, train_list, test_list, seed=seed, skip=skip)


def _splits(split: str, train_list: Path | None, test_list: Path | None) -> list[str]:
    """The splits that are asked for and there."""
    if split not in ("train", "test", "all"):
        raise DataError(f"--split is train, test or all, not '{split}'")
    listed = [name for name, path in (("train", train_list), ("test", test_list)) if path is not None]
    there = listed or ["train", "test"]
    return there if split == "all" else [split]


def _write_text(path: Path, text: str, force: bool) -> None:
    from ganzzle.files import write_whole

    write_whole(path, lambda file: file.write(text.encode()), force)
