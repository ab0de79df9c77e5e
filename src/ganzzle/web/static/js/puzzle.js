// A puzzle as the page knows it, and which of its pieces lie right.
import { blobOf } from "./api.js";

export const exact = { colorSpaceConversion: "none", premultiplyAlpha: "none" };

// From an answer of /api/shuffle or /api/pile; `files` are what a pile of so many puzzles was made of.
export async function readPuzzle(answer, files = null, puzzles = 1) {
  const sheetFile = blobOf(answer.sheet);
  const sheet = await createImageBitmap(sheetFile, exact);
  const [rows, cols] = puzzles > 1 ? answer.layout : answer.grid || answer.layout; // of the table
  return {
    sheet, sheetFile, rows, cols,
    grid: answer.grid, // of each puzzle, null where it is unknown
    layout: answer.layout,
    count: answer.count,
    cells: Array.from({ length: answer.count }, (_, i) => i), // where the pieces lie on the sheet
    names: files?.length === answer.count ? files.map((file) => file.name) : null,
    height: answer.piece[0],
    width: answer.piece[1],
    rim: answer.rim, // px that are gone at every edge of the sheet's pieces
    turned: answer.turned,
    corners: answer.corners, // where loose pieces lie in the photo
    truth: answer.truth,
    files: answer.reduced ? files : null, // where they are larger than the sheet's pieces
    full: answer.full, // height and width of a piece in them
  };
}

// One puzzle of a mixed pile: those of its pieces, as /api/solve tells them apart.
export function partOf(puzzle, { pieces, grid }, number) {
  const among = (list) => list && pieces.map((i) => list[i]);
  const { cells, files, names, corners } = puzzle;
  return {
    ...puzzle, number, grid, rows: grid[0], cols: grid[1], count: pieces.length,
    cells: among(cells), files: among(files), names: among(names), corners: among(corners),
  };
}

// The fields of /api/solve for this puzzle, or for so many that are mixed in it.
export function solveFields(puzzle, solver, rotated, puzzles) {
  return {
    picture: puzzle.sheetFile,
    layout: puzzle.layout.join("x"),
    grid: puzzle.grid ? puzzle.grid.join("x") : "",
    count: puzzle.count,
    rim: puzzle.rim,
    puzzles,
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
