// What the form says, and what follows from it.
import { gridsFor, showChips } from "./chips.js";
import { byId } from "./dom.js";

export const SLIDERS = ["missing", "noise", "worn", "uneven"];
const percent = (value) => (value ? `${Math.round(100 * value)} %` : "none");
const TEXTS = {
  missing: percent,
  noise: percent,
  uneven: percent,
  worn: (value) => (value ? `${value} px` : "none"),
};

export function readSettings() {
  const number = (id) => Number(byId(id).value);
  const sample = document.querySelector('#samples input[name="sample"]:checked')?.value ?? "";
  const pile = sample === ":pile";
  const loose = pile ? Number(byId("puzzles-set").dataset.pieces) : 0;
  const puzzles = loose ? number("puzzles") : 1;
  return {
    sample,
    pile,
    loose, // so many pieces, each a file of its own, or loose in a photo; 0: another kind of puzzle
    puzzles,
    findGrid: pile && byId("find-grid").checked,
    someMissing: loose > 0 && byId("some-missing").checked,
    rows: number("rows"),
    cols: number("cols"),
    missing: number("missing"),
    noise: number("noise"),
    worn: number("worn"),
    uneven: number("uneven"),
    rotated: byId(pile ? "may-turn" : "rotated").checked,
    solver: byId("solver").value,
    versus: byId("compare").checked && puzzles === 1 ? byId("versus").value : "",
  };
}

// What is wrong with the numbers in the form, or nothing.
export function complaint() {
  const [rows, cols, puzzles] = ["rows", "cols", "puzzles"].map(byId);
  if (!rows.checkValidity() || !cols.checkValidity()) return `The grid goes from ${rows.min} to ${rows.max} rows and columns.`;
  if (readSettings().loose && !puzzles.checkValidity()) return `A pile holds ${puzzles.min} to ${puzzles.max} puzzles.`;
  return "";
}

// What the puzzle on the table depends on, to be compared.
export function wishOf({ solver, rows, cols, ...others }) {
  return JSON.stringify([others, others.findGrid || [rows, cols]]);
}

// Without a grid the fields are empty.
export function showGrid(grid) {
  [byId("rows").value, byId("cols").value] = grid ?? ["", ""];
}

// Whether the grid of a pile is still to be said, and nothing can be loaded yet.
export function gridIsOpen() {
  const { pile, findGrid, rows, cols } = readSettings();
  return pile && !findGrid && !(rows && cols);
}

// What was seen of loose pieces in a photo, into the form; gives back what it says then.
export function followLoose({ count, turned }) {
  byId("puzzles-set").dataset.pieces = count;
  if (turned) byId("may-turn").checked = true;
  showSettings();
  return readSettings();
}

// A picture is cut into 2 to 20 rows and columns; a pile may be a strip, and how many pieces it has the server judges.
function setGridLimits(pile) {
  for (const field of [byId("rows"), byId("cols")]) {
    const left = field.max > 20 && !pile;
    if (pile && field.max <= 20) field.dataset.cut = field.value;
    [field.min, field.max] = pile ? [1, 1024] : [2, 20];
    if (left) field.value = Math.min(Math.max(field.value || field.dataset.cut, field.min), field.max);
  }
}

// The grid of a pile with missing pieces has to be said: the one box unticks the other.
export function followGridBoxes(ticked) {
  const [find, missing] = [byId("find-grid"), byId("some-missing")];
  if (ticked === find && find.checked) missing.checked = false;
  if (ticked === missing) {
    if (missing.checked) missing.dataset.found = find.checked;
    find.checked = !missing.checked && missing.dataset.found === "true";
  }
  if ([find, missing].includes(ticked) && !find.checked) suggestGrid();
}

// A grid to begin with, where there is none in the form that has room for these pieces.
function suggestGrid() {
  const settings = readSettings();
  const { loose, puzzles, rows, cols } = settings;
  const [first] = gridsFor(settings);
  if (loose && first && rows * cols < loose / puzzles) showGrid(first.split("x"));
}

// Where no grid was found the user says it. A finger would bring up a keyboard, and on a narrow page the field is far from
// what is said below it.
export function askForGrid() {
  byId("find-grid").checked = false;
  showGrid(null);
  byId("more").open = true;
  byId("grid-hint").hidden = false;
  showSettings();
  if (matchMedia("(min-width: 1000px) and (hover: hover)").matches) byId("rows").select();
}

function missingHint({ findGrid, someMissing, puzzles }) {
  if (puzzles > 1) return "Then say the grid: the rows and columns of each whole picture.";
  if (someMissing) return "Rows and columns are those of the whole picture.";
  return findGrid ? "A few lost pieces hybrid finds by itself. If many are gone, tick this and say the grid."
    : "Tick this if the grid has more slots than there are pieces.";
}

// The corruption in the server's words.
export function corruption({ missing, uneven, noise, worn }) {
  const steps = [[missing, "missing"], [uneven, "uneven"], [noise, "noise"], [worn, "erode"]];
  return steps.filter(([level]) => level > 0).map(([level, kind]) => `${kind}:${level}`).join("+") || "none";
}

// Fill the lists of solvers; `cards` are those of /api/solvers.
export function offerSolvers(cards) {
  for (const id of ["solver", "versus"]) {
    for (const { name, summary: title, default: first, rotated, mixed } of cards) {
      const option = Object.assign(new Option(name, name, first, first), { title });
      option.dataset.takes = [rotated && "turned pieces", mixed && "mixed puzzles"].filter(Boolean).join(", ");
      byId(id).append(option);
    }
  }
  byId("versus").selectedIndex = cards.length > 1 && byId("solver").selectedIndex === 0 ? 1 : 0;
}

// What a solver must take for this form and does not.
function beyond({ dataset: { takes } }, { rotated, puzzles }) {
  const needed = [rotated && "turned pieces", puzzles > 1 && "mixed puzzles"];
  return needed.filter((one) => one && !takes.includes(one)).join(" and ");
}

// Only solvers that take such pieces can be chosen; a choice that had to give way comes back later.
function limitSolvers(settings) {
  for (const id of ["solver", "versus"]) {
    const select = byId(id);
    const options = [...select.options];
    for (const option of options) option.disabled = Boolean(beyond(option, settings));
    const before = options.find(({ value }) => value === select.dataset.before);
    if (before && !before.disabled) {
      select.value = before.value;
      delete select.dataset.before;
    } else if (select.selectedOptions[0]?.disabled) {
      const free = options.filter((option) => !option.disabled);
      select.dataset.before ??= select.value;
      select.value = (free.find(({ value }) => id === "solver" || value !== byId("solver").value) || free[0])?.value;
    }
  }
}

function solverHint(settings) {
  const { options, selectedOptions: [chosen], dataset } = byId("solver");
  const before = [...options].find(({ value }) => value === dataset.before);
  const why = before ? `${before.value} does not take ${beyond(before, settings)}. ` : "";
  return why + (chosen ? chosen.title : "");
}

// What follows from the form: the numbers beside the sliders, the pressed grid, what a pile needs, the solvers.
export function showSettings() {
  setGridLimits(readSettings().pile);
  limitSolvers(readSettings());
  const settings = readSettings();
  const mixed = settings.puzzles > 1;
  byId("spoil").hidden = settings.pile;
  byId("pile-settings").hidden = !settings.pile;
  for (const id of ["missing-set", "puzzles-set"]) byId(id).hidden = !settings.loose;
  byId("grid-legend").textContent = mixed ? "Grid of each puzzle" : "Grid";
  byId("missing-hint").textContent = missingHint(settings);
  for (const id of ["rows", "cols"]) byId(id).disabled = settings.findGrid;
  for (const name of SLIDERS) {
    const text = TEXTS[name](settings[name]);
    byId(`${name}-out`).textContent = text;
    byId(name).setAttribute("aria-valuetext", text);
  }
  showChips(settings);
  const grid = settings.findGrid ? "grid to be found" : gridIsOpen() ? "no grid yet" : `grid ${settings.rows} × ${settings.cols}`;
  byId("more-summary").textContent = `Settings: ${mixed ? `${settings.puzzles} puzzles, ` : ""}${grid}, ${settings.solver}`;
  byId("compare").closest("label").hidden = mixed;
  byId("versus").hidden = !settings.versus;
  byId("solver-hint").textContent = solverHint(settings);
}
