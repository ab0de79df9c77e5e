"""BLAKE2b of many pieces in one compiled pass: what `hashlib` gives, without going back to Python after every piece."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ganzzle.compiling import njit
from ganzzle.puzzle import Pixels

Words = NDArray[np.uint64]
SIZE = 16  # bytes of a digest
BLOCK = 128  # bytes that are mixed in at once
START = np.array(
    [
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    ],
    np.uint64,
)  # fmt: skip
# The order of a block's words in each of the twelve rounds.
ORDERS = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    ]
)


def digests(pieces: Pixels) -> NDArray[np.bytes_]:
    """(N, h, w, 3) -> (N,) the 16 bytes of `hashlib.blake2b(piece.tobytes(), digest_size=16)`, sortable."""
    count = len(pieces)
    flat = np.ascontiguousarray(pieces).reshape(count, -1)
    length = flat.shape[1]
    if length % BLOCK:
        flat = np.pad(flat, ((0, 0), (0, -length % BLOCK)))
    found: Words = _digests(flat.view("<u8").astype(np.uint64, copy=False), length)
    return found.astype("<u8", copy=False).view(f"S{SIZE}")[:, 0]


@njit(cache=True, nogil=True)
def _mix(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, x: np.uint64, y: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    a = a + b + x
    d ^= a
    d = (d >> np.uint64(32)) | (d << np.uint64(32))
    c = c + d
    b ^= c
    b = (b >> np.uint64(24)) | (b << np.uint64(40))
    a = a + b + y
    d ^= a
    d = (d >> np.uint64(16)) | (d << np.uint64(48))
    c = c + d
    b ^= c
    b = (b >> np.uint64(63)) | (b << np.uint64(1))
    return a, b, c, d


@njit(cache=True, nogil=True)
def _digests(words: Words, length: int) -> Words:
    """(N, blocks * 16) the words of each piece, `length` bytes of them real -> (N, 2)."""
    result = np.empty((len(words), SIZE // 8), np.uint64)
    state = np.empty(8, np.uint64)
    blocks = words.shape[1] * 8 // BLOCK
    for n in range(len(words)):
        state[:] = START
        state[0] ^= np.uint64(0x01010000 ^ SIZE)
        for k in range(blocks):
            _absorb(state, words[n, 16 * k : 16 * k + 16], min((k + 1) * BLOCK, length), k == blocks - 1)
        result[n] = state[: SIZE // 8]
    return result


@njit(cache=True, nogil=True)
def _absorb(state: Words, words: Words, done: int, last: bool) -> None:
    """Mix a block into the state; `done` bytes were there with it."""
    a0, a1, a2, a3 = state[0], state[1], state[2], state[3]
    b0, b1, b2, b3 = state[4], state[5], state[6], state[7]
    c0, c1, c2, c3 = START[0], START[1], START[2], START[3]
    d0, d1, d2, d3 = START[4] ^ np.uint64(done), START[5], START[6], START[7]
    if last:
        d2 = ~d2
    for k in range(len(ORDERS)):
        order = ORDERS[k]
        a0, b0, c0, d0 = _mix(a0, b0, c0, d0, words[order[0]], words[order[1]])
        a1, b1, c1, d1 = _mix(a1, b1, c1, d1, words[order[2]], words[order[3]])
        a2, b2, c2, d2 = _mix(a2, b2, c2, d2, words[order[4]], words[order[5]])
        a3, b3, c3, d3 = _mix(a3, b3, c3, d3, words[order[6]], words[order[7]])
        a0, b1, c2, d3 = _mix(a0, b1, c2, d3, words[order[8]], words[order[9]])
        a1, b2, c3, d0 = _mix(a1, b2, c3, d0, words[order[10]], words[order[11]])
        a2, b3, c0, d1 = _mix(a2, b3, c0, d1, words[order[12]], words[order[13]])
        a3, b0, c1, d2 = _mix(a3, b0, c1, d2, words[order[14]], words[order[15]])
    for k, half in enumerate((a0 ^ c0, a1 ^ c1, a2 ^ c2, a3 ^ c3, b0 ^ d0, b1 ^ d1, b2 ^ d2, b3 ^ d3)):
        state[k] ^= half
