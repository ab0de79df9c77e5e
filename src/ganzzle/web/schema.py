"""The shapes of requests and answers, for the OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from ganzzle.web.limits import MOST_PUZZLES
from ganzzle.web.requests import WIDEST_RIM

Grid = tuple[int, int]
Corners = list[Annotated[list[tuple[float, float]], Field(min_length=4, max_length=4)]]
Count = Annotated[int, Field(ge=0, le=100_000)]


class Error(BaseModel):
    """What went wrong, in a sentence."""

    error: str
    unreadable: bool = Field(False, description="the files themselves are at fault, whatever the grid")


class LimitCard(BaseModel):
    """The most that one request may hold."""

    bytes: int = Field(description="of the whole form")
    pixels: int = Field(description="of all its pictures together")
    pieces: int = Field(description="also the most slots of a grid")


class Health(BaseModel):
    """Whether the server can take work."""

    status: Literal["ok", "starting"]
    version: str
    workers: int = Field(description="worker processes that are up")
    requests: int = Field(description="requests being answered or waiting")
    limits: LimitCard


WHERE = "where each loose piece lies in the picture: x and y of its corners, clockwise; null for other pieces"


class SolverCard(BaseModel):
    """A solver and where it comes from."""

    name: str
    summary: str
    publication: str
    weights: str
    licence: str
    scores: str
    default: bool
    rotated: bool = Field(description="whether it takes turned pieces")
    mixed: bool = Field(description="whether it tells puzzles apart that are mixed in one pile")


class Sample(BaseModel):
    """A picture that comes with the server."""

    name: str
    title: str


class Timings(BaseModel):
    """Where the time went, in milliseconds."""

    wait_ms: float
    read_ms: float
    solve_ms: float


class TruthCard(BaseModel):
    """Where every piece belongs."""

    placement: list[Count]
    turns: list[Annotated[int, Field(ge=0, le=3)]]
    twins: list[Count] = Field(description="pieces with equal numbers look the same")
    periods: list[Annotated[int, Field(ge=1, le=4)]] = Field(
        description="quarter turns until it looks the same"
    )


class ScoreCard(BaseModel):
    """How right a solution is, identical pieces being interchangeable."""

    direct: float = Field(description="share of pieces that lie right, 0 to 1")
    neighbour: float = Field(description="share of true neighbours that are neighbours, 0 to 1")
    right: list[bool] = Field(description="which pieces lie right")


class Placed(BaseModel):
    """Piece i lies on slot placement[i] of the grid, numbered row by row."""

    solver: str
    grid: Grid
    placement: list[int]
    turns: list[int] = Field(description="quarter turns, counter-clockwise, applied to each piece")
    confidence: list[float] = Field(description="0 to 1 for each piece")
    sure: float | None = Field(description="the share of pieces it thinks right, 0 to 1, where it can tell")
    mental_image: str | None = Field(description="PNG as a data: address, where the solver imagines one")
    picture: str | None = Field(description="PNG as a data: address, where with_picture asked for it")
    guide: str | None = Field(
        description="the photo with row and column on every loose piece, JPEG as a data: address, "
        "where with_guide asked for it; null for other pieces"
    )


class Solved(Placed):
    """One puzzle: piece i, in the order they were sent, lies on slot placement[i] of the grid, row by row."""

    left_over: list[int] = Field(
        description="pieces that are copies of others or do not belong, counted from 0; they have the slot -1"
    )
    score: ScoreCard | None = Field(description="where the truth was sent along")
    corners: Corners | None = Field(description=WHERE)
    timings: Timings


class Part(Placed):
    """One puzzle of a mixed pile: piece pieces[i] of those sent lies on slot placement[i] of its grid, row by row."""

    pieces: list[int] = Field(description="which of the pieces sent belong to it, counted from 0")


class SolvedMixed(BaseModel):
    """Where puzzles is 2 or more: one entry a puzzle. One for which no piece is left is not in the list."""

    solver: str
    puzzles: list[Part]
    corners: Corners | None = Field(description=WHERE)
    timings: Timings


class Pile(BaseModel):
    """Pieces as they arrived, row by row on one sheet."""

    sheet: str = Field(description="PNG as a data: address")
    layout: Grid = Field(description="rows and columns of the sheet")
    count: int = Field(description="how many cells of the sheet hold a piece")
    piece: tuple[int, int] = Field(description="height and width of a piece on the sheet in pixels")
    reduced: bool = Field(description="whether the pieces were larger when they arrived")
    full: tuple[int, int] = Field(description="height and width of a piece as it arrived")
    turned: bool = Field(description="whether pieces are turned, as loose ones that lie at all angles are")
    rim: int = Field(description="px that are gone at every edge of the sheet's pieces")
    corners: Corners | None = Field(description=WHERE)
    grid: Grid | None = Field(description="of the puzzle, or of each one; none: unknown")
    picture: str | None = Field(description="the whole picture, PNG as a data: address")
    truth: TruthCard | None


class Page(BaseModel):
    """A page that pieces lie on."""

    image: str = Field(description="JPEG as a data: address, reduced")
    scale: float = Field(description="how large it is beside the page that was sent")


class Outline(BaseModel):
    """A piece on its page."""

    page: Count
    points: list[tuple[float, float]] = Field(description="x and y around the piece, in px of the page sent")


class Pages(BaseModel):
    """Strips or jigsaw pieces that lie apart on pages."""

    kind: Literal["strips", "cut"]
    count: int
    pages: list[Page]
    outlines: list[Outline] = Field(description="one a piece")
    complaints: list[str] = Field(description="what is wrong with the pages, and how to mend it")


Row = tuple[float, float, float]


class SolvedLaid(BaseModel):
    """Strips or jigsaw pieces: piece i lies on slot placement[i] of its puzzle; -1: it is left over."""

    solver: str
    kind: Literal["strips", "cut"]
    grid: Grid
    grids: list[Grid] | None = Field(None, description="of each puzzle, where they are several")
    puzzle: list[int] = Field(description="of which puzzle each piece is, from 0; -1: none")
    pieces: list[str] = Field(description="what each piece is called")
    placement: list[int]
    turns: list[int]
    confidence: list[float] = Field(description="0 to 1 for each piece")
    left_over: list[int]
    page: list[Count] = Field(description="the picture each piece lies in, from 0")
    corners: Corners = Field(
        description="on its page, the corners of each piece's slot, clockwise from upper left"
    )
    angle: list[float] = Field(
        description="degrees, counter-clockwise, by which each piece is turned to be laid"
    )
    seconds: float
    sure: float
    size: tuple[int, int] = Field(description="height and width of the first picture")
    poses: list[tuple[Row, Row] | None] = Field(
        description="from px of each piece's page to px of its picture"
    )
    order: list[int] = Field(description="the pieces in an order to lay them in")
    advice: list[str]
    pictures: list[str] = Field(
        description="one a puzzle, PNG as a data: address, where with_picture asked for it"
    )
    guides: list[str] = Field(
        description="the pages with row and column on every piece, where with_guide asked"
    )
    timings: Timings


FILE = {"type": "string", "format": "binary"}
GRID = {"type": "string", "pattern": "^[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$", "example": "8x8"}
SEED = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1, "default": 0}
FLAG = {"type": "boolean", "default": False}
SCRAMBLED = {
    "type": "array",
    "items": FILE,
    "minItems": 1,
    "description": "one picture: a scrambled grid, or a scan or photo of loose pieces apart on a plain ground; or "
    "several pages with jigsaw pieces or strips",
}
PIECES = {"type": "array", "items": FILE, "minItems": 1, "description": "one picture file a piece"}
GRID_OF_PILE = {**GRID, "description": "rows x columns; if left out, it is found"}
MISSING = {**FLAG, "description": "pieces are gone: the grid, which must be given, has more slots"}
LAYOUT = {
    **GRID,
    "description": "how the pieces fill the scrambled picture, if not as in the grid, and without gutters or a frame",
}
COUNT = {
    "type": "integer",
    "minimum": 1,
    "description": "how many cells of the layout (or grid) hold a piece (default: all)",
}
RIM = {
    "type": "integer",
    "minimum": 0,
    "maximum": WIDEST_RIM,
    "default": 0,
    "description": "px that are gone at every edge of the layout's pieces, as /api/pile says it",
}
PUZZLES = {
    "type": "integer",
    "minimum": 1,
    "maximum": MOST_PUZZLES,
    "default": 1,
    "description": "how many puzzles are mixed in the pile; from 2 on, grid is that of each, and the answer a list",
}
SOLVER = (
    "a name from /api/solvers; if left out, the default, or one that takes turned or mixed pieces if they are"
)
ROTATED = {**FLAG, "description": "pieces may be turned; of loose ones it is seen"}
CORRUPT = {"type": "string", "example": "missing:0.1+uneven:0.03+noise:0.05+erode:2", "default": "none"}

SOLVE_FORM = {
    "pieces": PIECES,
    "picture": SCRAMBLED,
    "grid": GRID_OF_PILE,
    "missing": MISSING,
    "layout": LAYOUT,
    "count": COUNT,
    "rim": RIM,
    "puzzles": PUZZLES,
    "solver": {"type": "string", "description": SOLVER},
    "seed": SEED,
    "rotated": ROTATED,
    "with_picture": {
        **FLAG,
        "description": "the answer holds the assembled picture, too; of loose pieces it is cut from the photo",
    },
    "with_guide": {
        **FLAG,
        "description": "of loose pieces, the answer holds the photo with row and column on every piece, too",
    },
    "truth": {
        "type": "string",
        "description": "the truth of /api/shuffle as JSON; only used to score the answer",
    },
}
PILE_FORM = {
    name: SOLVE_FORM[name] for name in ("pieces", "picture", "grid", "missing", "layout", "count", "puzzles")
}
SHUFFLE_FORM = {
    "picture": {**FILE, "description": "a picture file"},
    "sample": {"type": "string", "description": "or a name from /api/samples"},
    "grid": GRID,
    "seed": SEED,
    "corrupt": CORRUPT,
    "rotated": FLAG,
}

_MEANING = {
    400: "The request is malformed.",
    403: "The request comes from another site or for another host.",
    408: "The upload took too long.",
    413: "Too many bytes, pixels or pieces.",
    415: "Not a picture, or not a form.",
    422: "The fields or pieces do not make a puzzle.",
    429: "Too many requests at once; Retry-After says when to come back.",
    503: "It took too long, or the server is busy; then Retry-After says when to come back.",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The documented error answers of a route."""
    answers: dict[int | str, dict[str, Any]] = {
        s: {"model": Error, "description": _MEANING[s]} for s in statuses
    }
    retry = {"schema": {"type": "integer"}, "description": "seconds"}
    for status in answers.keys() & {429, 503}:
        answers[status]["headers"] = {"Retry-After": retry}
    return answers


def form(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """The `openapi_extra` of a route that reads a multipart form itself."""
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}
