// The settings in the page's address, so that a link restores them.
import { byId } from "./dom.js";
import { SLIDERS, readSettings, showSettings } from "./settings.js";
import { ownName } from "./sources.js";

// No address holds the user's own files; their name is kept, so that the page can ask for them after it was loaded again.
export function noteAddress(seed) {
  const settings = readSettings();
  const parts = new URLSearchParams();
  if (settings.sample && !settings.sample.startsWith(":")) parts.set("sample", settings.sample);
  if (settings.rows && settings.cols) parts.set("grid", `${settings.rows}x${settings.cols}`);
  parts.set("seed", seed);
  for (const name of SLIDERS) if (settings[name]) parts.set(name, settings[name]);
  if (settings.rotated && !settings.pile) parts.set("rotated", "1");
  parts.set("solver", settings.solver);
  if (settings.versus) parts.set("versus", settings.versus);
  history.replaceState({ own: ownName(settings.sample) }, "", `#${parts}`);
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
