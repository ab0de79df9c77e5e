// The page: wires the form and the buttons to what happens on the table.
import * as api from "./api.js";
import { listenToChips } from "./chips.js";
import { byId, closeError, say, setState, showError } from "./dom.js";
import { listenToDrops } from "./drops.js";
import {
  asTheFormSays, load, loadSoon, needsAnotherGrid, restore, showAddress, shuffle, solve, startRace,
} from "./game.js";
import { followGridBoxes, gridIsOpen, offerSolvers, readSettings, showGrid, showSettings } from "./settings.js";
import { listSamples, ownName, picturesAmong, take } from "./sources.js";
import { shortList } from "./words.js";

let complete; // to be called when the form is filled; files that are opened earlier wait for it
const ready = new Promise((resolve) => { complete = resolve; });

async function openFiles(files, asPile) {
  if (!files.length) return;
  await ready;
  const pictures = picturesAmong(files);
  const undo = take(pictures, asPile);
  const error = await load(() => openFiles(files, asPile));
  if (error?.name === "AbortError") return;
  if (error && !needsAnotherGrid(error)) { // back to what was there
    undo();
    showSettings();
    showAddress();
  }
  if (error && needsAnotherGrid(error) && asPile && pictures.length === 1) { // most likely it is not scrambled at all
    showError(error.message, () => openFiles(files, false), "Cut it for me");
  }
  const others = files.filter((file) => !pictures.includes(file)).map((file) => file.name);
  if (!error && others.length) say(`${byId("status").textContent} Left out, not being pictures: ${shortList(others)}.`);
}

function listenToForm() {
  const form = byId("controls");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    if (target.type === "file") return;
    delete target.dataset.before; // a solver chosen by hand stays
    followGridBoxes(target);
    showSettings();
    if (target.id === "solver" && !byId("compare").checked) showAddress();
    else if (!gridIsOpen()) loadSoon();
  });
  form.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && target.type === "number") load();
  });
  listenToChips((grid) => {
    showGrid(grid);
    if (readSettings().pile) byId("find-grid").checked = false;
    load();
  });
}

function listenToPage() {
  for (const [id, act] of [["shuffle", shuffle], ["solve", solve], ["race", startRace]]) {
    byId(id).addEventListener("click", asTheFormSays(act));
  }
  byId("copy-link").addEventListener("click", copyLink);
  addEventListener("hashchange", () => { restore(); load(); });
  // A wide page has room for all settings; a narrow one folds them away.
  const wide = matchMedia("(min-width: 1000px)");
  const unfold = () => { byId("more").open = wide.matches; };
  wide.addEventListener("change", unfold);
  unfold();
}

// Files can be opened, and none dropped replaces the page, as soon as it is there.
function listenToFiles() {
  for (const [id, asPile] of [["open-picture", false], ["open-pile", true], ["take-photos", true]]) {
    byId(id).addEventListener("change", ({ target }) => {
      openFiles([...target.files], asPile);
      target.value = "";
    });
  }
  listenToDrops((files) => openFiles(files, false));
}

async function copyLink() {
  const own = ownName(readSettings().sample);
  try {
    await navigator.clipboard.writeText(location.href);
    say(own ? "Link copied. Your own files are not part of it." : "Link copied.");
  } catch {
    say("The link is in the address bar.");
  }
}

// Fill the form.
async function prepare() {
  const [solvers] = await Promise.all([api.solvers(), listSamples()]);
  offerSolvers(solvers);
  restore();
  listenToForm();
  listenToPage();
}

async function begin() {
  setState("loading");
  say("Waking up");
  const gone = history.state?.own;
  try {
    await prepare();
  } catch (error) {
    say("");
    setState("empty");
    return showError(error.message, begin);
  }
  const first = load();
  complete();
  if (!(await first) && gone) say(`The page keeps no files: please open ${gone} again.`);
}

byId("dismiss").addEventListener("click", closeError);
listenToFiles();
begin();
