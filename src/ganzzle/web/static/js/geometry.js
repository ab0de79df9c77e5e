// Where things lie on the table. One unit is one pixel of the picture, so a laid piece is drawn pixel by pixel.

// The matrices of 0 to 3 quarter turns, counter-clockwise: zeros and ones, so that they move pixels and blend none.
export const TURNS = [[1, 0, 0, 1], [0, -1, 1, 0], [-1, 0, 0, -1], [0, 1, -1, 0]];

// A small seeded generator: the same puzzle makes the same pile.
export function random(seed) {
  let state = (seed * 2654435761 + 1013904223) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// The board and the pile beside it or below it, whichever shows the board larger in a room of this shape.
export function tableFor(puzzle, roomWidth, roomHeight) {
  const width = puzzle.cols * puzzle.width;
  const height = puzzle.rows * puzzle.height;
  const rim = Math.max(6, Math.round(0.035 * Math.max(width, height)));
  const beside = {
    layout: "beside",
    width: Math.round(width * 1.62) + 3 * rim,
    height: height + 2 * rim,
    pile: { x: width + 2 * rim, y: rim, width: Math.round(width * 0.62), height },
  };
  const below = {
    layout: "below",
    width: width + 2 * rim,
    height: Math.round(height * 1.6) + 3 * rim,
    pile: { x: rim, y: height + 2 * rim, width, height: Math.round(height * 0.6) },
  };
  const size = (table) => Math.min(roomWidth / table.width, roomHeight / table.height);
  return { ...(size(beside) >= size(below) ? beside : below), board: { x: rim, y: rim, width, height }, rim };
}

// A heap: every piece has a cell of the pile's area for itself, then all of them are nudged and turned a little.
export function heap(puzzle, pile, seed) {
  const next = random(seed + 1);
  const { count, width, height } = puzzle;
  const cols = Math.max(1, Math.round(Math.sqrt((count * pile.width * height) / (pile.height * width))));
  const rows = Math.ceil(count / cols);
  const cell = { width: pile.width / cols, height: pile.height / rows };
  const scale = Math.min(0.92, 1.12 * Math.min(cell.width / width, cell.height / height));
  const cells = Array.from({ length: count }, (_, k) => k);
  for (let k = count - 1; k > 0; k--) {
    const other = Math.floor(next() * (k + 1));
    [cells[k], cells[other]] = [cells[other], cells[k]];
  }
  const inside = (value, half, start, size) => Math.min(Math.max(value, start + half), start + size - half);
  return cells.map((k) => {
    const x = pile.x + (k % cols + 0.5 + 0.4 * (next() - 0.5)) * cell.width;
    const y = pile.y + (Math.floor(k / cols) + 0.5 + 0.4 * (next() - 0.5)) * cell.height;
    return {
      x: inside(x, 0.5 * scale * width, pile.x, pile.width),
      y: inside(y, 0.5 * scale * height, pile.y, pile.height),
      angle: 0.5 * (next() - 0.5),
      scale,
    };
  });
}
