"""From a form to a job: every field is checked here, before a worker sees it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from ganzzle.damage.corruption import Corruption
from ganzzle.errors import GanzzleError
from ganzzle.puzzle import Grid
from ganzzle.web.limits import MOST_PUZZLES, TELL_APART, ApiError, Settings
from ganzzle.web.uploads import Form, Upload

LARGEST_SEED = 2**31 - 1
WIDEST_RIM = 16  # px
PILE_FIELDS = {"grid", "missing", "layout", "count", "puzzles"}


@dataclass(frozen=True)
class Job:
    """What a worker is asked to do: plain values only, so that it travels between processes."""

    kind: str  # "solve", "shuffle", "pile" or "sample"
    files: tuple[tuple[str, bytes], ...] = ()  # (name, encoded picture)
    scrambled: bool = False  # the one file is a picture that holds all the pieces
    grid: tuple[int, int] | None = None  # of each puzzle
    puzzles: int = 1  # how many are mixed in the pile
    layout: tuple[int, int] | None = None  # how the pieces fill a scrambled picture; None: to be found
    count: int | None = None  # how many of the layout's cells hold a piece
    rim: int = 0  # px that are gone at every edge of these pieces
    missing: bool = False  # the grid has more slots than there are pieces
    seed: int = 0
    corrupt: str = "none"
    solver: str = ""
    rotated: bool = False  # the pieces may have been turned
    with_picture: bool = False  # the answer holds the assembled picture
    with_guide: bool = False  # the answer holds the photo of loose pieces with row and column on each
    truth: str = ""  # JSON, to score the answer with; no solver sees it
    sample: str = ""

    def digest(self) -> bytes:
        """Equal for equal jobs."""
        sha = hashlib.sha256(repr(replace(self, files=())).encode())
        for name, data in self.files:
            sha.update(f"{len(name)} {name} {len(data)} ".encode())
            sha.update(data)
        return sha.digest()


def solve_job(form: Form, settings: Settings) -> Job:
    """`pieces` (files) or `picture` (of them) with `grid`, `puzzles`, `solver`, `seed` and so on."""
    others = {"rim", "solver", "seed", "rotated", "with_picture", "with_guide", "truth"}
    _only(form, PILE_FIELDS | others, {"pieces", "picture"})
    rotated = _flag(form, "rotated")
    pile = _pile(form, settings, "solve")
    rim = _whole(form, "rim", 0, 0, WIDEST_RIM)
    if rim and pile.layout is None:
        raise ApiError(422, "'rim' needs a 'layout', for example 8x8.")
    if pile.puzzles > 1 and form.fields.get("truth"):
        raise ApiError(422, "'truth' belongs to one puzzle; leave it out where several are mixed.")
    return replace(
        pile,
        solver=_solver(form, settings, rotated, pile.puzzles > 1),
        rotated=rotated,
        rim=rim,
        seed=_whole(form, "seed", 0, 0, LARGEST_SEED),
        with_picture=_flag(form, "with_picture"),
        with_guide=_flag(form, "with_guide"),
        truth=form.fields.get("truth", ""),
    )


def pile_job(form: Form, settings: Settings) -> Job:
    """`pieces` (files) or `picture` (of them) with `grid`: a pile to look at."""
    _only(form, PILE_FIELDS, {"pieces", "picture"})
    return _pile(form, settings, "pile")


def shuffle_job(form: Form, settings: Settings) -> Job:
    """`picture` (a file) or `sample` (a name) with `grid`, `seed`, `corrupt`, `rotated`."""
    _only(form, {"grid", "seed", "corrupt", "rotated", "sample"}, {"picture"})
    sample = form.fields.get("sample", "")
    if (len(form.files) == 1) == bool(sample):
        raise ApiError(422, "Send one picture, or the name of one sample.")
    grid = _grid(form, "grid", settings)
    if grid is None:
        raise ApiError(422, "Say how to cut the picture: a grid such as 8x8.")
    try:
        corrupt = str(Corruption.parse(form.fields.get("corrupt", "none")))
    except GanzzleError as error:
        raise ApiError(422, sentence(error)) from None
    return Job(
        "shuffle",
        _named(form.files),
        grid=grid,
        seed=_whole(form, "seed", 0, 0, LARGEST_SEED),
        corrupt=corrupt,
        rotated=_flag(form, "rotated"),
        sample=sample,
    )


def sentence(error: Exception) -> str:
    """An error's message with a full stop, and a capital letter unless it begins with a file's name."""
    text = str(error).strip() or type(error).__name__
    first = text[0].upper() if text.split()[0].isalpha() else text[0]
    return first + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _pile(form: Form, settings: Settings, kind: str) -> Job:
    pieces, pictures = form.files_of("pieces"), form.files_of("picture")
    if bool(pieces) == bool(pictures):
        raise ApiError(422, "Send the piece files as 'pieces', or pictures of them as 'picture'.")
    grid, layout = _grid(form, "grid", settings), _grid(form, "layout", settings)
    puzzles = _whole(form, "puzzles", 1, 1, MOST_PUZZLES)
    missing = _flag(form, "missing")
    if missing and grid is None:
        raise ApiError(422, "Where pieces are missing, say the grid of the whole picture, for example 8x8.")
    if pieces:
        if layout or "count" in form.fields:
            raise ApiError(422, "'layout' and 'count' belong to a scrambled picture, not to piece files.")
        if grid is not None and not missing:
            check_full(len(pieces), Grid(*grid), puzzles)
        return Job(kind, _named(pieces), grid=grid, puzzles=puzzles)
    if len(pictures) > 1 and (layout or "count" in form.fields):
        raise ApiError(422, "'layout' and 'count' belong to one scrambled picture, not to several.")
    if puzzles == 1 and "count" in form.fields:
        layout = layout or grid
    if layout is None and "count" in form.fields:
        raise ApiError(422, "'count' needs a 'layout', for example 8x8.")
    cells = 0 if layout is None else layout[0] * layout[1]
    count = _whole(form, "count", cells, 1, cells) or None
    return Job(
        kind,
        _named(pictures),
        scrambled=True,
        grid=grid,
        puzzles=puzzles,
        layout=layout,
        count=count,
        missing=missing,
    )


def check_full(count: int, grid: Grid, puzzles: int) -> None:
    """Fewer pieces than slots are more often a slip in the grid than a loss, so a loss has to be said."""
    if count < puzzles * grid.slots:
        pieces = "piece is" if count == 1 else "pieces are"
        one = f"the grid {grid}, which has {grid.slots} slots"
        many = f"{puzzles} puzzles of {grid}, which have {puzzles * grid.slots} slots"
        raise ApiError(
            422,
            f"{count} {pieces} too few for {one if puzzles == 1 else many}; "
            f"say that some are missing, or give another grid.",
        )


def _solver(form: Form, settings: Settings, rotated: bool, mixed: bool) -> str:
    """The solver that was named; without one the default, or for turned or mixed pieces one that takes them."""
    able, what = list(settings.solvers), ""
    if rotated:
        able, what = [name for name in able if settings.solvers[name].rotated], "turned pieces"
    if mixed:
        able = [name for name in able if name in TELL_APART]
        what = "mixed puzzles of turned pieces" if rotated else "mixed puzzles"
    named = form.fields.get("solver")
    if not named:
        return able[0] if able and settings.default not in able else settings.default
    if named not in settings.solvers:
        raise ApiError(422, f"There is no solver '{named[:60]}'; there are: {', '.join(settings.solvers)}.")
    if named not in able:
        raise ApiError(422, f"'{named}' does not take {what}; these do: {', '.join(able)}.")
    return named


def _only(form: Form, fields: set[str], files: set[str]) -> None:
    for name in form.fields:
        if name in files:
            raise ApiError(422, f"'{name}' must be a file.")
        if name not in fields:
            raise ApiError(422, f"There is no field '{name[:60]}'; there are: {', '.join(sorted(fields))}.")
    for file in form.files:
        if file.field not in files:
            raise ApiError(422, f"Files go under: {', '.join(sorted(files))}; not under '{file.field[:60]}'.")


def _named(files: list[Upload]) -> tuple[tuple[str, bytes], ...]:
    return tuple((file.name, file.data) for file in files)


def _grid(form: Form, name: str, settings: Settings) -> tuple[int, int] | None:
    text = form.fields.get(name, "").strip()
    if not text:
        return None
    try:
        if len(text) > 20:
            raise ValueError
        grid = Grid.of(text)
    except ValueError:
        raise ApiError(
            422, f"'{text[:20]}' is not a {name}; write rows x columns, for example 8x8."
        ) from None
    if grid.slots > settings.limits.pieces:
        raise ApiError(413, f"{grid} is more than the {settings.limits.pieces} pieces allowed.")
    return grid.rows, grid.cols


def _whole(form: Form, name: str, default: int, least: int, most: int) -> int:
    text = form.fields.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdecimal() or len(text) > 12 or not least <= int(text) <= most:
        raise ApiError(422, f"'{name}' must be a whole number from {least} to {most}.")
    return int(text)


def _flag(form: Form, name: str) -> bool:
    text = form.fields.get(name, "").strip().lower()
    if text not in ("", "true", "false"):
        raise ApiError(422, f"'{name}' must be true or false.")
    return text == "true"
