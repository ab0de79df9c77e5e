// A puzzle as the page knows it, and how right an arrangement of it is.
import { blobOf } from "./api.js";

const exact = { colorSpaceConversion: "none", premultiplyAlpha: "none" };

// From an answer of /api/shuffle or /api/pile.
export async function readPuzzle(answer) {
  const sheetFile = blobOf(answer.sheet);
  const [sheet, picture] = await Promise.all([
    createImageBitmap(sheetFile, exact),
    answer.picture ? createImageBitmap(blobOf(answer.picture), exact) : null,
  ]);
  const [rows, cols] = answer.grid || answer.layout;
  return {
    sheet, sheetFile, picture, rows, cols,
    gridKnown: Boolean(answer.grid),
    layout: answer.layout,
    count: answer.count,
    height: answer.piece[0],
    width: answer.piece[1],
    truth: answer.truth,
  };
}

// The fields of /api/solve for this puzzle.
export function solveFields(puzzle, solver, rotated) {
  return {
    picture: puzzle.sheetFile,
    layout: puzzle.layout.join("x"),
    grid: puzzle.gridKnown ? `${puzzle.rows}x${puzzle.cols}` : "",
    count: puzzle.count,
    solver,
    rotated,
  };
}

// Which pieces lie right, an identical piece counting as well. `slots[i]` is -1 where piece i is not on the board.
export function rightPieces(puzzle, slots, turns) {
  const { placement, turns: trueTurns, twins } = puzzle.truth;
  const kindOfSlot = new Map(placement.map((slot, i) => [slot, twins[i]]));
  return slots.map((slot, i) => slot >= 0 && kindOfSlot.get(slot) === twins[i] && turns[i] === trueTurns[i]);
}

// Share of right pieces and of right neighbours, 0 to 1.
export function score(puzzle, slots, turns) {
  const { placement, turns: trueTurns, twins } = puzzle.truth;
  const right = rightPieces(puzzle, slots, turns);
  const upright = slots.map((slot, i) => (turns[i] === trueTurns[i] ? slot : -1));
  const expected = neighbours(puzzle, placement, twins);
  const found = neighbours(puzzle, upright, twins);
  let total = 0;
  let hits = 0;
  for (const [kind, number] of expected) {
    total += number;
    hits += Math.min(number, found.get(kind) || 0);
  }
  return { direct: right.filter(Boolean).length / puzzle.count, neighbour: total ? hits / total : 1, right };
}

// How often each kind of adjacency (piece, piece, side) is there.
function neighbours(puzzle, slots, twins) {
  const at = new Map();
  slots.forEach((slot, i) => slot >= 0 && at.set(slot, twins[i]));
  const counts = new Map();
  for (const [slot, here] of at) {
    const sides = [[slot % puzzle.cols < puzzle.cols - 1 ? slot + 1 : -1, "right"], [slot + puzzle.cols, "down"]];
    for (const [other, side] of sides) {
      if (!at.has(other)) continue;
      const kind = `${here} ${at.get(other)} ${side}`;
      counts.set(kind, (counts.get(kind) || 0) + 1);
    }
  }
  return counts;
}
