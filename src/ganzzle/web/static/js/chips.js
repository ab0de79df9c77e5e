// The grids that can be chosen by a click: common ones, or for a pile of files those that suit its pieces.
import { byId } from "./dom.js";

const COMMON = ["3x3", "6x9", "8x8", "12x12", "20x20"];
const SLENDER = 4; // how much longer than wide such a grid may be
const USUAL = 1.5; // how much longer than wide a whole picture mostly is at most
const MOST = 5;

const longer = ([rows, cols]) => Math.max(rows, cols) / Math.min(rows, cols);

// The grids that so many pieces fill, the squarest first.
function filledBy(count) {
  const sides = Array.from({ length: Math.floor(count) }, (_, k) => k + 1).filter((rows) => count % rows === 0);
  const grids = sides.map((rows) => [rows, count / rows]).filter((grid) => count > 1 && longer(grid) <= SLENDER);
  return grids.sort((one, other) => longer(one) - longer(other)).slice(0, MOST).map((grid) => grid.join("x"));
}

// The next larger grids of a usual shape, for a pile that lost pieces.
function nearlyFilledBy(count) {
  const grids = [];
  for (let short = 2; (short - 1) ** 2 <= count + MOST; short++) {
    for (let long = Math.max(short, Math.floor(count / short) + 1); long <= USUAL * short; long++) {
      grids.push([short, long]);
      if (long > short) grids.push([long, short]);
    }
  }
  const slots = ([rows, cols]) => rows * cols;
  return grids.sort((one, other) => slots(one) - slots(other) || longer(one) - longer(other)).slice(0, MOST)
    .map((grid) => grid.join("x"));
}

// The grids to offer for such settings, the likeliest first, as "3x4".
export function gridsFor({ loose, puzzles, someMissing }) {
  if (!loose) return COMMON;
  return (someMissing ? nearlyFilledBy : filledBy)(loose / puzzles);
}

function chip(grid) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: grid.replace("x", "×") });
  button.dataset.grid = grid;
  return button;
}

// Offer what suits these settings, with the grid that is chosen pressed.
export function showChips(settings) {
  const { findGrid, rows, cols } = settings;
  const row = byId("chips");
  const grids = gridsFor(settings);
  const shown = [...row.children].map((one) => one.dataset.grid);
  if (shown.join() !== grids.join()) row.replaceChildren(...grids.map(chip));
  row.hidden = !grids.length;
  for (const one of row.children) {
    one.setAttribute("aria-pressed", String(!findGrid && one.dataset.grid === `${rows}x${cols}`));
  }
}

// `choose([rows, cols])` hears of a click.
export function listenToChips(choose) {
  byId("chips").addEventListener("click", ({ target }) => {
    if (target.dataset.grid) choose(target.dataset.grid.split("x").map(Number));
  });
}
