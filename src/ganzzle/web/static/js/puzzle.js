// A puzzle as the page knows it, and which of its pieces lie right.
import { blobOf } from "./api.js";

export const exact = { colorSpaceConversion: "none", premultiplyAlpha: "none" };

// From an answer of /api/shuffle or /api/pile; `files` are what a pile was made of.
export async function readPuzzle(answer, files = null) {
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
    files: answer.reduced ? files : null, // where they are larger than the sheet's pieces
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
    truth: puzzle.truth ? JSON.stringify(puzzle.truth) : "", // for the score; no solver sees it
  };
}

// Which pieces lie right, an identical piece and a turn that changes nothing counting as well. `slots[i]` is -1 where
// piece i is not on the board.
export function rightPieces(puzzle, slots, turns) {
  const { placement, turns: trueTurns, twins, periods } = puzzle.truth;
  const kindOfSlot = new Map(placement.map((slot, i) => [slot, twins[i]]));
  return slots.map((slot, i) => (
    slot >= 0 && kindOfSlot.get(slot) === twins[i] && (turns[i] - trueTurns[i]) % periods[i] === 0));
}
