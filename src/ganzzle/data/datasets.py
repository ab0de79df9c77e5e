"""PuzzleCelebA and PuzzleWikiArts, and any other pictures, as puzzles with a train and a test split.

A dataset is made from a folder of pictures, a tar shard or a glob of shards, together with split lists and a
permutation file where there are official ones. Without lists, a seeded fifth of the pictures is the test split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ganzzle.cli.data_options import DataError
from ganzzle.data.permutations import GRIDS, Orders, read_permutations
from ganzzle.data.reading import Encoded, encoded_pictures
from ganzzle.data.splits import named_in, read_names, seeded_split, stem
from ganzzle.puzzle import Pixels, Puzzle
from ganzzle.reading.pictures import decode_picture

SPLITS = ("train", "test")


@dataclass(frozen=True)
class Missing:
    """Pictures a split list names that are not there."""

    split: str
    listed: int
    names: list[str]


class PuzzleDataset:
    """Pictures in two splits; test puzzles follow the permutation file where there is one.

    `source`: a folder, a shard or a glob; `skip` says which of its files do not count.
    """

    name = "puzzles"
    official: dict[str, int] | None = None  # pictures of each split as published

    def __init__(
        self,
        source: str | Path,
        train_list: str | Path | None = None,
        test_list: str | Path | None = None,
        permutations: str | Path | None = None,
        seed: int = 0,
        skip: Callable[[Path], bool] = lambda file: False,
    ) -> None:
        self.seed = seed
        everything = encoded_pictures(str(source), Path(), skip)
        lists = {"train": train_list, "test": test_list}
        self.missing: list[Missing] = []
        self._pictures: dict[str, list[Encoded]] = {}
        if train_list is None and test_list is None:
            self._pictures = dict(zip(SPLITS, seeded_split(everything, seed), strict=True))
        for split, path in lists.items():
            if path is not None:
                self._take_listed(split, everything, read_names(Path(path)))
        self.orders: Orders = {} if permutations is None else read_permutations(Path(permutations))

    def __len__(self) -> int:
        return sum(map(len, self._pictures.values()))

    def names(self, split: str) -> list[str]:
        """File names of a split's pictures."""
        return [e.name for e in self._of(split)]

    def encoded(self, split: str) -> list[Encoded]:
        """A split's pictures, not decoded yet."""
        return list(self._of(split))

    def pictures(self, split: str) -> Iterator[tuple[str, Pixels]]:
        """Names and pictures, decoded one after another."""
        for one in self._of(split):
            yield one.name, decode_picture(one.read(), one.where)

    def puzzles(self, split: str = "test", edges: Sequence[int] = GRIDS, piece: int = 32) -> Iterator[Puzzle]:
        """Every picture at every size: in the official order where there is one, otherwise by the seed."""
        for index, (name, picture) in enumerate(self.pictures(split)):
            for edge in edges:
                order = self.orders.get((stem(name), edge))
                yield Puzzle.from_picture(
                    picture, edge, seed=[self.seed, index, edge], piece=piece, permutation=order, name=name
                )

    def report(self) -> str:
        """What there is and what is missing, in a few lines."""
        lines = []
        for split, pictures in self._pictures.items():
            published = f" of {self.official[split]} published" if self.official else ""
            lines.append(f"{self.name} {split}: {len(pictures)} pictures{published}")
        for gap in self.missing:
            if gap.names:
                some = ", ".join(gap.names[:5]) + (", ..." if len(gap.names) > 5 else "")
                lines.append(
                    f"{gap.split}: {len(gap.names)} of {gap.listed} listed pictures are missing: {some}"
                )
        first, *others = ({id(e): e.name for e in pictures} for pictures in self._pictures.values())
        both = [name for other in others for key, name in other.items() if key in first]
        if both:
            lines.append(f"pictures in both lists: {len(both)}, {both[0]} for one")
        return "\n".join(lines)

    def _of(self, split: str) -> list[Encoded]:
        if split not in self._pictures:
            raise DataError(f"there is no split '{split}' here; there are: {', '.join(self._pictures)}")
        return self._pictures[split]

    def _take_listed(self, split: str, everything: list[Encoded], names: list[str]) -> None:
        found = named_in(everything, names)
        if not found:
            raise DataError(
                f"none of the {len(names)} pictures in the {split} list is there, {names[0]} for one"
            )
        there = {stem(e.name) for e in found}
        self._pictures[split] = found
        self.missing.append(Missing(split, len(names), [n for n in names if stem(n) not in there]))


class PuzzleCelebA(PuzzleDataset):
    """CelebA-HQ by the paper's split: a folder such as CelebAMask-HQ/CelebA-HQ-img with the official lists."""

    name = "PuzzleCelebA"
    official = {"train": 24_000, "test": 5_999}  # noqa: RUF012


class PuzzleWikiArts(PuzzleDataset):
    """The paper's part of WikiArt: a folder of styles with the official lists."""

    name = "PuzzleWikiArts"
    official = {"train": 50_502, "test": 12_625}  # noqa: RUF012


DATASETS = {"celeba": PuzzleCelebA, "wikiarts": PuzzleWikiArts, "plain": PuzzleDataset}
