"""The hybrid network: seam logits, piece-slot logits and a mental image from unordered pieces, for any grid.

Edges are compared by learned embeddings, by classical distances on the real pixels, and window by window for the best
candidates. A set transformer over piece and slot tokens then works in stages: its attention follows the neighbours and
slots the last stage believed in, and every stage predicts all relations again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.borders import FEATURES, PairDistance, all_distances
from ganzzle.networks.edge_encoder import EdgeEncoder, PairRanker
from ganzzle.networks.linear import Linear, drawn, two_layers
from ganzzle.networks.many_pieces import weighed_in_parts
from ganzzle.networks.painter import Painter
from ganzzle.networks.relations import NEVER, Prediction, Relations, attention_bias
from ganzzle.networks.set_transformer import Stage, unit
from ganzzle.puzzle import Grid

AT_ONCE = 900  # pieces a puzzle has at most to be compared all at once
ENCODED = 256  # of more pieces, those encoded at a time
PAINTED = 64  # pictures of a training batch that are painted
KNOWN_GRIDS = 16  # whose slot tokens are kept
SETTING = 7  # numbers that describe a puzzle as a whole
SLOT = 32 + 12  # numbers that describe a slot's place


@dataclass(frozen=True)
class HybridSize:
    """The shape of the network; stored beside its weights."""

    width: int = 384
    heads: int = 8
    stages: tuple[int, ...] = (2, 2, 3)  # blocks a stage
    edge: int = 192
    window: int = 128
    exchange: int = 0  # blocks in which the windows and patches of a piece look at each other
    thumb: int = 8  # px a slot of the mental image
    candidates: int = 8  # pairs an edge that are looked at again
    painter: int = 0  # channels of what paints the mental image; 0: the thumbnails are the picture

    def to_json(self) -> dict[str, Any]:
        """A plain record, to be stored with the weights."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> HybridSize:
        """Read what `to_json` wrote."""
        return cls(**{**record, "stages": tuple(record["stages"])})


class HybridOutput(NamedTuple):
    """What the network says of B puzzles."""

    stages: list[Prediction]  # the first from the edges alone; of very many pieces only the last stage's
    # (B, N, 3, thumb, thumb) in slot order, 0..1; one of each stage in training, otherwise only the last.
    thumbs: list[Tensor]
    # (B, 3, H, W) the mental image, coarse to fine, about 0..1; none without a painter.
    pictures: list[Tensor]


@dataclass(frozen=True, eq=False)
class HybridInput:
    """B puzzles of one grid, N = rows * cols pieces each; missing ones are blank and not present."""

    pieces: Tensor  # (B, N, 3, 32, 32) 0..1, wear cropped away, resampled
    present: Tensor  # (B, N) bool
    grid: Grid
    wear: Tensor  # (B,) share of a piece's side that was cropped away at each border
    sharp: Tensor | None = None  # (B, N, 3, h, w) 0..1 the same content at its own resolution
    paint: bool = True  # whether the mental image is wanted


class HybridNetwork(nn.Module):
    """See the module's docstring."""

    def __init__(self, size: HybridSize | None = None) -> None:
        super().__init__()
        self.size = size = size or HybridSize()
        width = size.width
        self.encoder = EdgeEncoder(width, size.edge, size.window, size.exchange)
        self.edge_key = Linear(size.edge, 192, bias=False)
        self.edge_query = Linear(size.edge, 192, bias=False)
        self.edge_border = Linear(size.edge, 1)
        self.edge_log_scale = nn.Parameter(torch.tensor(math.log(10.0)))
        self.distance = two_layers(3 * FEATURES, 48, 1)
        self.first_look = PairRanker(size.window, candidates=size.candidates)
        self.painter = Painter(width, size.painter) if size.painter else None
        self.wear_to_edges = Linear(SETTING, 2 * size.window, exact=True)
        self.setting = two_layers(SETTING, width, width)
        self.slot = two_layers(SLOT, width, width)
        self.absent = drawn(width, scale=0.3)
        self.stages = nn.ModuleList([Stage(width, n, size.heads, size.thumb) for n in size.stages])
        self._known_slots: dict[Grid, Tensor] = {}
        self.l1: PairDistance | None = None  # a compiled one, for training

    def forward(self, given: HybridInput) -> HybridOutput:
        """Predict relations and thumbnails; see HybridInput and HybridOutput for the shapes."""
        setting = describe_setting(given)
        edges = given.pieces if given.sharp is None else given.sharp
        tokens, last = self._from_edges(given, edges, setting)
        whole = self.setting(setting)[:, None]
        slots = self.slot_tokens(given.grid, tokens.device)[None] + whole
        tokens = tokens + whole
        kept = torch.bfloat16 if self.edge_key.takes_half else torch.float32
        x = torch.cat([tokens.to(kept), slots.to(kept)], 1)
        dtype = self._attention_dtype(x)
        in_parts = self._in_parts(given.pieces)
        stages, thumbs = [last], []
        for stage in self.stages:
            relations = Relations(last, given.grid, dtype)
            bias = relations if in_parts else attention_bias(relations, self.size.heads)
            x, last, painted = stage(x, bias, last, paint=self.training or stage is self.stages[-1])
            stages = [last] if in_parts else [*stages, last]
            if painted is not None:
                thumbs.append(painted)
        pictures = self._paint(x[:, given.grid.slots :], given.grid) if given.paint else []
        return HybridOutput(stages, thumbs, pictures)

    def _paint(self, slots: Tensor, grid: Grid) -> list[Tensor]:
        """The painter looks on: what it learns does not change the tokens. While training it paints a few pictures."""
        if self.painter is None:
            return []
        painted: list[Tensor] = self.painter(slots[:PAINTED].detach() if self.training else slots, grid)
        return painted

    def _from_edges(self, given: HybridInput, sharp: Tensor, setting: Tensor) -> tuple[Tensor, Prediction]:
        """Piece tokens (B, N, width), and what the edges alone say."""
        tokens, edges, windows = self._encoded(given.pieces, self.wear_to_edges(setting))
        tokens = torch.where(given.present[..., None], tokens, self.absent.to(tokens.dtype))
        key, query = self.edge_key(edges), self.edge_query(edges)
        source, target = unit(torch.cat([key, query], -1)), unit(torch.cat([query, key], -1))
        border = self.edge_border(edges)[..., 0].float()
        scale = self.edge_log_scale.clamp(max=4.6).exp()
        impossible = self._impossible(given.present)
        seams = []
        for side, classical in zip((0, 2), self._classical(sharp), strict=True):  # right to left, down to up
            learned = scale * source[:, :, side] @ target[:, :, side + 1].transpose(1, 2)
            seams.append(learned + classical + impossible)
        right, down = self.first_look(Prediction(None, seams[0], seams[1], border), windows)
        return tokens, Prediction(None, right, down, border)

    def _encoded(self, pieces: Tensor, condition: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """`EdgeEncoder` on pieces (B, N, 3, 32, 32) 0..1, some at a time where they are many."""
        if not self._in_parts(pieces):
            found: tuple[Tensor, Tensor, Tensor] = self.encoder(pieces * 2 - 1, condition)
            return found
        parts = [self.encoder(part * 2 - 1, condition) for part in pieces.split(ENCODED, 1)]
        tokens, edges, windows = (torch.cat(x, 1) for x in zip(*parts, strict=True))
        return tokens, edges, windows

    def _classical(self, sharp: Tensor) -> Iterator[Tensor]:
        """What classical distances say of right and then of lower neighbours, (B, N, N) each."""
        if self._in_parts(sharp):
            for side in (0, 2):
                weighed = [weighed_in_parts(self.distance, one, side, self.l1) for one in sharp]
                yield torch.stack(weighed)
            return
        with torch.autocast(sharp.device.type, enabled=False):
            distances = all_distances(sharp, self.l1)
        for each in distances:
            yield self.distance(each)[..., 0].float()

    def _in_parts(self, pieces: Tensor) -> bool:
        """Whether there are too many pieces to keep all that is known of their pairs at once."""
        return pieces.shape[1] > AT_ONCE and not self.training

    def slot_tokens(self, grid: Grid, device: torch.device) -> Tensor:
        """(N, width); weights that are packed do not change any more, so neither do the tokens of a grid."""
        if self.edge_key.packed is None:
            tokens: Tensor = self.slot(describe_slots(grid, device))
            return tokens
        known = self._known_slots.get(grid)
        if known is None:  # threads may compute it twice; what is returned is never taken away
            known = self.slot(describe_slots(grid, device))
            if len(self._known_slots) >= KNOWN_GRIDS:
                self._known_slots = {}
            self._known_slots[grid] = known
        return known

    def _attention_dtype(self, x: Tensor) -> torch.dtype:
        """The type the blocks' linear maps give."""
        packed = self.edge_key.packed
        if packed is not None:
            return packed.dtype
        return torch.bfloat16 if torch.is_autocast_enabled(x.device.type) else x.dtype

    @staticmethod
    def _impossible(present: Tensor) -> Tensor:
        """(B, N, N): NEVER where a piece would meet itself or a missing one."""
        absent = ~present
        itself = torch.eye(present.shape[1], device=present.device, dtype=torch.bool)
        return (absent[:, :, None] | absent[:, None, :] | itself).float() * NEVER


def describe_setting(given: HybridInput) -> Tensor:
    """(B, SETTING): the grid's size, the wear, the share of missing pieces and an estimate of the noise."""
    rows, cols = given.grid.rows, given.grid.cols
    wear = given.wear.float()
    # Filled on the device: a tensor made on the host would stall a GPU.
    size = [torch.full_like(wear, x) for x in (math.log(rows) / 2, math.log(cols) / 2, 1 / rows, 1 / cols)]
    missing = 1 - given.present.float().mean(1)
    return torch.stack([*size, wear * 4, missing, _noise_level(given)], 1)


def _noise_level(given: HybridInput) -> Tensor:
    """(B,) log of the roughness of the smoothest pieces, which show noise best."""
    x = given.pieces.float()
    rough = (2 * x[..., 1:-1] - x[..., :-2] - x[..., 2:]).abs().mean((2, 3, 4))
    rough = torch.where(given.present, rough, torch.inf).sort(1).values
    return (rough[:, : max(1, rough.shape[1] // 8)].mean(1).clamp(1e-3, 4).log() + 4) / 2


def describe_slots(grid: Grid, device: torch.device) -> Tensor:
    """(slots, SLOT): where a slot lies in the picture, and how far from each border in slots."""
    rows = torch.arange(grid.rows, device=device, dtype=torch.float32)
    cols = torch.arange(grid.cols, device=device, dtype=torch.float32)
    y, x = (t.flatten() for t in torch.meshgrid(rows, cols, indexing="ij"))
    place = torch.stack([(y + 0.5) / grid.rows, (x + 0.5) / grid.cols], 1)
    frequencies = 2.0 ** torch.arange(8, device=device) * (math.pi / 2)
    waves = (place[..., None] * frequencies).flatten(1)
    distance = torch.stack([y, grid.rows - 1 - y, x, grid.cols - 1 - x], 1)
    near = torch.cat([(-distance).exp(), (-distance / 4).exp(), 1 / (1 + distance)], 1)
    return torch.cat([waves.sin(), waves.cos(), near], 1)


def mental_image(thumbs: Tensor, grid: Grid) -> Tensor:
    """Thumbnails in slot order (B, N, 3, t, t) -> pictures (B, 3, rows * t, cols * t)."""
    batch, _, channels, side, _ = thumbs.shape
    blocks = thumbs.reshape(batch, grid.rows, grid.cols, channels, side, side).permute(0, 3, 1, 4, 2, 5)
    return blocks.reshape(batch, channels, grid.rows * side, grid.cols * side)


def shrink(picture: Tensor, side: int) -> Tensor:
    """Pieces to thumbnails, (B, N, 3, h, w) -> (B, N, 3, side, side)."""
    return F.adaptive_avg_pool2d(picture.flatten(0, 1), side).unflatten(0, picture.shape[:2])
