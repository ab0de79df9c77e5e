// What the form says, and the same in the page's address, so that a link restores it.
import { byId } from "./dom.js";

const SLIDERS = ["missing", "noise", "worn"];
const TEXTS = {
  missing: (value) => (value ? `${Math.round(100 * value)} %` : "none"),
  noise: (value) => (value ? `σ ${value.toFixed(2)}` : "none"),
  worn: (value) => (value ? `${value} px` : "none"),
};

export function readSettings() {
  const number = (id) => Number(byId(id).value);
  const sample = document.querySelector('#samples input[name="sample"]:checked')?.value ?? "";
  const pile = sample === ":pile";
  return {
    sample,
    pile,
    findGrid: pile && byId("find-grid").checked,
    someMissing: pile && byId("some-missing").checked,
    rows: number("rows"),
    cols: number("cols"),
    missing: number("missing"),
    noise: number("noise"),
    worn: number("worn"),
    rotated: byId(pile ? "may-turn" : "rotated").checked,
    solver: byId("solver").value,
    versus: byId("compare").checked ? byId("versus").value : "",
  };
}

// What is wrong with the grid in the form, or nothing.
export function gridComplaint() {
  const { min, max } = byId("rows");
  const fine = byId("rows").checkValidity() && byId("cols").checkValidity();
  return fine ? "" : `The grid goes from ${min} to ${max} rows and columns.`;
}

export function showGrid([rows, cols]) {
  [byId("rows").value, byId("cols").value] = [rows, cols];
}

// A picture is cut into 2 to 20 rows and columns; a pile may be a strip, and how many pieces it has the server judges.
function setGridLimits(pile) {
  for (const field of [byId("rows"), byId("cols")]) {
    const left = field.max > 20 && !pile;
    [field.min, field.max] = pile ? [1, 1024] : [2, 20];
    if (left) field.value = Math.min(Math.max(field.value, field.min), field.max);
  }
}

// The grid of a pile with missing pieces has to be said: the one box unticks the other.
export function followGridBoxes(ticked) {
  const [find, missing] = [byId("find-grid"), byId("some-missing")];
  if (ticked === find && find.checked) missing.checked = false;
  if (ticked !== missing) return;
  if (missing.checked) missing.dataset.found = find.checked;
  find.checked = !missing.checked && missing.dataset.found === "true";
}

// Where no grid was found the user says it.
export function askForGrid() {
  byId("find-grid").checked = false;
  byId("more").open = true;
  byId("grid-hint").hidden = false;
  showSettings();
  byId("rows").select();
}

const missingHint = ({ findGrid, someMissing }) => (
  someMissing ? "Rows and columns are those of the whole picture."
    : findGrid ? "Up to three lost pieces hybrid finds by itself. If more are gone, tick this and say the grid."
      : "Tick this if the grid has more slots than there are pieces.");

// The corruption in the server's words.
export function corruption({ missing, noise, worn }) {
  const steps = [[missing, "missing"], [noise, "noise"], [worn, "erode"]];
  return steps.filter(([level]) => level > 0).map(([level, kind]) => `${kind}:${level}`).join("+") || "none";
}

// `own` names the user's own files, which no address holds; the page asks for them after it was loaded again.
export function writeAddress(settings, seed, own) {
  const parts = new URLSearchParams();
  if (settings.sample && !settings.sample.startsWith(":")) parts.set("sample", settings.sample);
  parts.set("grid", `${settings.rows}x${settings.cols}`);
  parts.set("seed", seed);
  for (const name of SLIDERS) if (settings[name]) parts.set(name, settings[name]);
  if (settings.rotated && !settings.pile) parts.set("rotated", "1");
  parts.set("solver", settings.solver);
  if (settings.versus) parts.set("versus", settings.versus);
  history.replaceState({ own }, "", `#${parts}`);
}

// Put the address's settings into the form; gives back the seed. What makes no sense is ignored.
export function restoreAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const grid = /^(\d{1,2})x(\d{1,2})$/.exec(parts.get("grid") || "");
  if (grid && [grid[1], grid[2]].every((n) => n >= 2 && n <= 20)) [byId("rows").value, byId("cols").value] = [grid[1], grid[2]];
  for (const name of SLIDERS) byId(name).value = Number(parts.get(name)) || 0;
  if (SLIDERS.some((name) => parts.has(name)) || parts.has("rotated")) byId("spoil").open = true;
  byId("rotated").checked = parts.get("rotated") === "1";
  choose("solver", parts.get("solver"));
  byId("compare").checked = choose("versus", parts.get("versus"));
  const sample = parts.get("sample");
  const radio = [...document.querySelectorAll('#samples input[name="sample"]')].find((input) => input.value === sample);
  if (radio) radio.checked = true;
  showSettings();
  const seed = Number(parts.get("seed"));
  return Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31 ? seed : 0;
}

function choose(id, value) {
  const there = [...byId(id).options].some((option) => option.value === value);
  if (there) byId(id).value = value;
  delete byId(id).dataset.before;
  return there;
}

// With turned pieces only the solvers that take them can be chosen; a choice that had to give way comes back later.
function offerSolvers(rotated) {
  for (const id of ["solver", "versus"]) {
    const select = byId(id);
    for (const option of select.options) option.disabled = rotated && !("rotated" in option.dataset);
    if (select.selectedOptions[0]?.disabled) {
      const free = [...select.options].filter((option) => !option.disabled);
      select.dataset.before = select.value;
      select.value = (free.find(({ value }) => id === "solver" || value !== byId("solver").value) || free[0])?.value;
    } else if (!rotated && select.dataset.before) {
      select.value = select.dataset.before;
      delete select.dataset.before;
    }
  }
}

// What follows from the form: the numbers beside the sliders, the pressed grid, what a pile needs, the solvers.
export function showSettings() {
  setGridLimits(readSettings().pile);
  offerSolvers(readSettings().rotated);
  const settings = readSettings();
  byId("spoil").hidden = settings.pile;
  byId("pile-settings").hidden = !settings.pile;
  byId("missing-hint").textContent = missingHint(settings);
  for (const id of ["rows", "cols"]) byId(id).disabled = settings.findGrid;
  for (const name of SLIDERS) byId(`${name}-out`).textContent = TEXTS[name](settings[name]);
  for (const chip of document.querySelectorAll("[data-grid]")) {
    chip.setAttribute("aria-pressed", String(!settings.findGrid && chip.dataset.grid === `${settings.rows}x${settings.cols}`));
  }
  const grid = settings.findGrid ? "to be found" : `${settings.rows} × ${settings.cols}`;
  byId("more-summary").textContent = `Grid and solver: ${grid}, ${settings.solver}`;
  byId("versus").hidden = !byId("compare").checked;
  const { selectedOptions: [chosen], dataset: { before } } = byId("solver");
  byId("solver-hint").textContent = `${before ? `${before} does not take turned pieces. ` : ""}${chosen ? chosen.title : ""}`;
}
