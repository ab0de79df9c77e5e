"""Pieces to tokens and edge embeddings, with matrix products only, and a second look at the best pairs of edges."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ganzzle.networks.blocks import gelu
from ganzzle.networks.borders import DEPTH, border_strips
from ganzzle.networks.linear import Linear, drawn
from ganzzle.networks.relations import Prediction, seam_log_probs
from ganzzle.networks.set_transformer import Block

PIECE = 32  # px the network sees a piece at
WINDOWS = 8  # overlapping looks along an edge
PATCHES = 16  # of 8x8 px in a piece


def gelu_for(following: Linear, x: Tensor) -> Tensor:
    """GELU in the type that the linear map behind it takes."""
    if not following.takes_half:
        return gelu(x)
    from ganzzle.networks.half_kernels import gelu_half

    y = torch.empty(x.shape, dtype=torch.bfloat16)
    channels = x.shape[-1]
    rows = x.float().contiguous().reshape(-1, channels)
    gelu_half(rows.numpy(), y.view(torch.uint16).reshape(-1, channels).numpy())
    return y


class Exchange(nn.Module):
    """Windows along the edges of a piece and patches of its inside look at each other: what crosses an edge, and at
    which angle, shows further inside. Starts as no change at all."""

    def __init__(self, window: int, patch: int, blocks: int, heads: int = 4) -> None:
        super().__init__()
        self.patches_in = Linear(patch, window)
        self.place = drawn(4 * WINDOWS + PATCHES, window, scale=0.1)
        self.blocks = nn.ModuleList([Block(window, heads, expansion=2) for _ in range(blocks)])
        self.norm = nn.LayerNorm(window)
        self.windows_out = Linear(window, window)
        self.patches_out = Linear(window, patch)
        for block in self.blocks:
            assert isinstance(block, Block)
            block.out.clear()  # so that a trained network can be given more of them
            block.contract.clear()
        self.windows_out.clear()
        self.patches_out.clear()

    def forward(self, windows: Tensor, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Windows (B, N, 4, 8, window) and patches (B, N, 16, patch), changed by what they learned from each other."""
        batch, count = patches.shape[:2]
        x = torch.cat([windows.flatten(2, 3), self.patches_in(patches).to(windows.dtype)], 2)
        half = self.patches_in.takes_half
        x = (x + (self.place.bfloat16() if half else self.place)).flatten(0, 1)
        x = x if half else x.float()
        for block in self.blocks:
            x = block(x)
        x = self.norm(x).unflatten(0, (batch, count))
        edge, inside = x.split((4 * WINDOWS, PATCHES), 2)
        edge = edge.unflatten(2, windows.shape[2:4])
        return self.windows_out.onto(windows, edge), self.patches_out.onto(patches, inside)


class EdgeEncoder(nn.Module):
    """(B, N, 3, 32, 32) in -1..1 -> a token a piece, an embedding an edge, and window features along every edge."""

    def __init__(self, width: int, edge: int, window: int, exchange: int = 0, patch: int = 192) -> None:
        """`exchange`: blocks in which windows and patches look at each other."""
        super().__init__()
        self.patch_in = Linear(192, 2 * patch, gelu=True)
        self.patch_out = Linear(2 * patch, patch)
        self.patch_place = drawn(PATCHES, patch, scale=0.1)
        self.patch_norm = nn.LayerNorm(patch)
        self.patch_expand = Linear(patch, 3 * patch, gelu=True)
        self.patch_contract = Linear(3 * patch, patch)
        self.content = Linear(PATCHES * patch, width)
        fine, coarse = 3 * DEPTH * 8, 3 * DEPTH * 4
        self.window_in = Linear(fine + coarse, 2 * window, gelu=True)
        self.window_out = Linear(2 * window, window)
        self.window_norm = nn.LayerNorm(window)
        self.window_expand = Linear(window, 3 * window, gelu=True)
        self.window_contract = Linear(3 * window, window)
        self.exchange = Exchange(window, patch, exchange) if exchange else None
        self.edge_in = Linear(WINDOWS * window, width, gelu=True)
        self.edge_out = Linear(width, edge)
        self.token = Linear(width + 4 * edge, width)
        self.window_pixels = window_pixels  # another form of it where all this is compiled, for training

    def forward(self, pieces: Tensor, condition: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """`condition` (B, 2 * window) tells the edge network about wear and noise.

        -> tokens (B, N, width), edges (B, N, 4, edge), windows (B, N, 4, 8, window); sides right, left, down, up.
        """
        pixels = half_window_pixels(pieces) if self.window_in.takes_half else self.window_pixels(pieces)
        place = self.patch_place.bfloat16() if self.patch_out.takes_half else self.patch_place
        x = self.patch_out(self.patch_in(patch_pixels(pieces))) + place
        x = self.patch_contract.onto(x, self.patch_expand(self.patch_norm(x)))
        windows = self.window_out(self.window_in(pixels, condition))  # (B, N, 4, 8, window)
        # Only a CPU takes half precision beside the norm's float32.
        normed = self.window_norm(windows.float() if windows.is_cuda else windows)
        windows = self.window_contract.onto(windows, self.window_expand(normed))
        if self.exchange is not None:
            windows, x = self.exchange(windows, x)
        content = self.content(gelu_for(self.content, x).flatten(2))
        windows = gelu_for(self.edge_in, windows)
        edges = self.edge_out(self.edge_in(windows.flatten(3)))
        return self.token(torch.cat([content, edges.flatten(2)], 2)), edges, windows


def patch_pixels(pieces: Tensor) -> Tensor:
    """Patches of 8x8 px: (B, N, 3, 32, 32) -> (B, N, 16, 192)."""
    blocks = pieces.reshape(*pieces.shape[:2], 3, 4, 8, 4, 8)
    return blocks.permute(0, 1, 3, 5, 2, 4, 6).flatten(4).flatten(2, 3)


def window_pixels(pieces: Tensor) -> Tensor:
    """Pixels along the four edges: (B, N, 3, 32, 32) -> (B, N, 4, 8 windows, fine + coarse pixels).

    Fine: 8 px deep, 8 px long, a window every 4 px. Coarse: the same middle at half resolution, twice as deep and long.
    """
    batch, count = pieces.shape[:2]
    fine = torch.stack(border_strips(pieces), 2).reshape(batch * count * 4, 3 * DEPTH, PIECE)
    half = F.avg_pool2d(pieces.flatten(0, 1), 2).unflatten(0, (batch, count))
    coarse = torch.stack(border_strips(half), 2).reshape(batch * count * 4, 3 * DEPTH, PIECE // 2)
    kind = pieces.device.type
    if torch.is_autocast_enabled(kind):  # what is made of them takes half precision: half the traffic
        half_type = torch.get_autocast_dtype(kind)
        fine, coarse = fine.to(half_type), coarse.to(half_type)
    fine = F.pad(fine, (2, 2), mode="replicate").unfold(2, 8, 4)  # (., 24, 8, 8)
    coarse = F.pad(coarse, (1, 1), mode="replicate").unfold(2, 4, 2)  # (., 24, 8, 4)
    pixels = torch.cat([fine.transpose(1, 2).flatten(2), coarse.transpose(1, 2).flatten(2)], 2)
    return pixels.reshape(batch, count, 4, WINDOWS, -1)


def half_window_pixels(pieces: Tensor) -> Tensor:
    """`window_pixels` in bfloat16 on a CPU."""
    from ganzzle.networks.half_kernels import window_pixels_half

    batch, count = pieces.shape[:2]
    pixels = torch.empty(batch, count, 4, WINDOWS, 9 * 32, dtype=torch.bfloat16)
    window_pixels_half(
        pieces.flatten(0, 1).contiguous().numpy(), pixels.view(torch.uint16).flatten(0, 1).numpy()
    )
    return pixels


class PairRanker(nn.Module):
    """Compares an edge with its best candidates window by window along the seam and corrects their logits."""

    def __init__(self, window: int, hidden: int = 128, candidates: int = 8) -> None:
        super().__init__()
        self.candidates = candidates
        self.ours = Linear(window, hidden)
        self.theirs = Linear(window, hidden, bias=False)
        self.compare = Linear(hidden, hidden, gelu=True)
        self.pooled = Linear(WINDOWS * hidden, hidden)
        self.verdict = Linear(hidden, 1)
        self.verdict.clear()

    def forward(self, last: Prediction, windows: Tensor) -> tuple[Tensor, Tensor]:
        """Corrected seams (right, down) of a prediction; windows (B, N, 4, 8, window)."""
        batch, count = windows.shape[:2]
        # Both directions at once: first right to left, then down to up, so 2B puzzles.
        seam = torch.cat([last.right, last.down])
        edge = last.border.unflatten(2, (2, 2)).movedim(2, 0).flatten(0, 1)  # (2B, N, 2)
        best, rows = self._candidates(seam, edge[..., 0], edge[..., 1])
        both = windows.unflatten(2, (2, 2)).movedim(2, 0).flatten(0, 1)  # (2B, N, 2, 8, window)
        ours, theirs = self.ours(both[:, :, 0]).flatten(2), self.theirs(both[:, :, 1]).flatten(2)
        joined = joined_gelu(ours, theirs, rows).reshape(2 * batch, count, best.shape[2], WINDOWS, -1)
        x = self.pooled(self.compare(joined).flatten(3))  # (2B, N, k, hidden)
        verdict = self.verdict(gelu_for(self.verdict, x))[..., 0].float()
        right, down = seam.scatter_add(2, best, verdict).chunk(2)
        return right, down

    @torch.no_grad()
    def _candidates(self, seam: Tensor, after: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
        """The best pieces for each edge (B, N, k), and their rows in a (B * N, .) table, (B * N * k,)."""
        batch, count = seam.shape[:2]
        likely = seam_log_probs(seam.float(), after.float(), before.float())[0]
        best = likely.topk(min(self.candidates, count), 2).indices
        first = torch.arange(batch, device=seam.device)[:, None, None] * count
        return best, (best + first).flatten()


def joined_gelu(ours: Tensor, theirs: Tensor, rows: Tensor) -> Tensor:
    """GELU of features plus those of each candidate: 2 x (B, N, C), rows (B * N * k,) of the second -> (B*N, k, C)."""
    ours, theirs = ours.flatten(0, 1), theirs.flatten(0, 1)
    rows = rows.reshape(len(ours), -1)
    if ours.dtype != torch.bfloat16 or ours.is_cuda or torch.is_grad_enabled():
        return gelu(ours[:, None] + theirs.index_select(0, rows.flatten()).reshape(*rows.shape, -1))
    from ganzzle.networks.half_kernels import joined_gelu_half

    joined = torch.empty(*rows.shape, ours.shape[1], dtype=torch.bfloat16)
    joined_gelu_half(
        ours.float().numpy(), theirs.float().numpy(), rows.numpy(), joined.view(torch.uint16).numpy()
    )
    return joined
