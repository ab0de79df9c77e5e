// The grids that can be chosen by a click: common ones, or for a pile of files those that its pieces fill.
import { byId } from "./dom.js";

const COMMON = ["3x3", "6x9", "8x8", "12x12", "20x20"];
const SLENDER = 4; // how much longer than wide such a grid may be
const MOST = 5;

const longer = ([rows, cols]) => Math.max(rows, cols) / Math.min(rows, cols);

// The grids that so many pieces fill, the squarest first.
function filledBy(count) {
  const sides = Array.from({ length: Math.floor(count) }, (_, k) => k + 1).filter((rows) => count % rows === 0);
  const grids = sides.map((rows) => [rows, count / rows]).filter((grid) => count > 1 && longer(grid) <= SLENDER);
  return grids.sort((one, other) => longer(one) - longer(other)).slice(0, MOST).map((grid) => grid.join("x"));
}

function chip(grid) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: grid.replace("x", "×") });
  button.dataset.grid = grid;
  return button;
}

// Offer what suits these settings, with the grid that is chosen pressed.
export function showChips({ loose, puzzles, someMissing, findGrid, rows, cols }) {
  const row = byId("chips");
  const grids = loose && !someMissing ? filledBy(loose / puzzles) : COMMON;
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
