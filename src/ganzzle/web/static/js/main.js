// The page: wires the form, the lanes and the server together. States: loading, whole, shuffled, solving, solved, race.
import * as api from "./api.js";
import { byId, clock, say, setState, showError } from "./dom.js";
import { Lane } from "./lane.js";
import { rightPieces, solveFields } from "./puzzle.js";
import { Race } from "./race.js";
import { gridIsValid, readSettings, restoreAddress, showSettings, writeAddress } from "./settings.js";
import { fetchPuzzle, isPile, isPileOfFiles, listSamples, take } from "./sources.js";

const lanes = [];
let puzzle = null;
let seed = 0;
let turnAllowed = false;
let loading = null; // AbortController of the puzzle being fetched
let solving = null; // AbortController of the solves under way
let race = null;
let pileShownAt = 0; // when the pieces were last in the pile

function setLanes(count) {
  while (lanes.length < count) {
    const lane = new Lane(byId("lanes"), { changed: () => moved(lane), tell: say });
    lanes.push(lane);
    if (puzzle) lane.setPuzzle(puzzle, seed);
  }
  while (lanes.length > count) lanes.pop().root.remove();
  byId("lanes").dataset.count = count;
  if (count === 1) lanes[0].setTitle("");
}

function setButtons() {
  const state = document.body.dataset.state;
  const busy = state === "loading" || !puzzle;
  byId("shuffle").disabled = busy || state === "solving";
  byId("solve").disabled = busy || state === "race";
  byId("solve").textContent = state === "solving" ? "Stop" : "Solve";
  byId("race").disabled = busy || !puzzle?.truth || state === "solving";
  byId("race").textContent = state === "race" ? "Give up" : "Race the machine";
  lanes.forEach((lane) => { lane.hand.enabled = ["shuffled", "solved"].includes(state); lane.hand.turnable = turnAllowed; });
}

function enter(state) {
  setState(state);
  setButtons();
}

function stopAll() {
  solving?.abort();
  solving = null;
  race?.stop();
  race = null;
  document.body.dataset.winner = "";
}

// Fetch the puzzle the form describes and show it whole.
async function load() {
  if (!gridIsValid()) return showError("The grid goes from 2 to 20 rows and columns.");
  stopAll();
  loading?.abort();
  const control = (loading = new AbortController());
  const settings = readSettings();
  showSettings();
  writeAddress(settings, seed);
  const pile = isPile(settings);
  byId("find-grid-row").hidden = !pile || !isPileOfFiles(settings);
  byId("spoil").hidden = pile;
  enter("loading");
  say("Cutting the picture");
  try {
    const fetched = await fetchPuzzle(settings, seed, control.signal);
    if (control !== loading) return;
    puzzle = fetched;
    turnAllowed = settings.rotated;
    showError("");
    setLanes(settings.versus ? 2 : 1);
    lanes.forEach((lane) => lane.setPuzzle(puzzle, seed));
    showTitles(settings);
    enter(pile ? "shuffled" : "whole");
    say(pile ? `${puzzle.count} pieces. Press Solve.` : `${puzzle.count} pieces. Press Shuffle.`);
  } catch (error) {
    if (error.name === "AbortError") return;
    showError(error.message);
    say("");
    if (puzzle) enter(puzzle.truth ? "whole" : "shuffled");
    if (puzzle) lanes.forEach((lane) => lane.setPuzzle(puzzle, seed));
  }
}

function showTitles({ solver, versus }) {
  if (versus) [solver, versus].forEach((name, k) => lanes[k].setTitle(name));
}

async function shuffle() {
  stopAll();
  if (document.body.dataset.state !== "whole" && puzzle.truth) {
    seed = Math.floor(Math.random() * 10000);
    await load();
    if (document.body.dataset.state !== "whole") return;
  }
  enter("shuffled");
  if (await scatter()) say("Press Solve, or drag the pieces yourself.");
}

// All pieces to the pile; says whether the puzzle is still the same when they have landed.
async function scatter() {
  const before = puzzle;
  lanes.forEach((lane) => lane.clear());
  await Promise.all(lanes.map((lane) => lane.stage.scatter()));
  lanes.forEach((lane) => lane.label());
  pileShownAt = performance.now();
  return before === puzzle;
}

async function solve() {
  if (solving) return stopSolving();
  const control = (solving = new AbortController());
  const settings = readSettings();
  const inPile = document.body.dataset.state === "shuffled";
  showError("");
  enter("solving");
  try {
    if (!inPile) await scatter();
    control.signal.throwIfAborted();
    say("Thinking");
    const names = settings.versus ? [settings.solver, settings.versus] : [settings.solver];
    const solved = names.map((name, k) => solveIn(lanes[k], name, control.signal));
    const failed = (await Promise.allSettled(solved)).find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    if (solving !== control) return;
    enter("solved");
    say(summary());
  } catch (error) {
    if (solving !== control) return;
    const stopped = error.name === "AbortError";
    enter("shuffled");
    say(stopped ? "Stopped." : "");
    if (!stopped) showError(error.message);
  } finally {
    if (solving === control) solving = null;
    setButtons();
  }
}

// Stop thinking, or, once the answer is there, stop the show and lay the pieces at once.
function stopSolving() {
  solving.abort();
  lanes.forEach((lane) => lane.stage.finish());
}

async function solveIn(lane, solver, signal) {
  const answer = await api.solve(solveFields(puzzle, solver, turnAllowed), signal);
  say("Laying the pieces, the surest first");
  await lane.show(answer);
}

function summary() {
  return lanes.map(({ score, solution }) => {
    const found = score ? `${(100 * score.direct).toFixed(1).replace(".0", "")} % of the pieces right`
      : `${solution.placement.length} pieces in a ${solution.grid.join(" × ")} grid`;
    return `${solution.solver}: ${found}.`;
  }).join(" ");
}

async function startRace() {
  if (race) {
    stopAll();
    setLanes(1);
    return load();
  }
  showError("");
  const settings = readSettings();
  const control = (solving = new AbortController());
  setLanes(2);
  lanes[0].setTitle("You");
  lanes[1].setTitle(`Machine: ${settings.solver}`);
  enter("solving");
  try {
    say("The machine warms up");
    const [solution] = await Promise.all([
      api.solve(solveFields(puzzle, settings.solver, turnAllowed), control.signal), scatter()]);
    control.signal.throwIfAborted();
    solving = null;
    race = new Race(lanes[0], lanes[1], solution, Number(byId("pace").value));
    enter("race");
    await race.start();
  } catch (error) {
    if (solving !== control) return;
    solving = null;
    enter("shuffled");
    if (error.name !== "AbortError") showError(error.message);
  }
}

// A piece was moved by hand.
function moved(lane) {
  lane.label();
  if (race) return race.moved();
  lane.clear();
  lane.stage.mental = null;
  const { slots, turns } = lane.stage;
  const laid = slots.filter((slot) => slot >= 0).length;
  const done = puzzle.truth && rightPieces(puzzle, slots, turns).every(Boolean);
  if (!done) return say(`${laid} of ${puzzle.count} pieces laid.`);
  say(`Done by hand in ${clock((performance.now() - pileShownAt) / 1000)}. Well done!`);
  lane.stage.rest().then(() => lane.stage.shine());
}

function openFiles(files, asPile) {
  if (!files.length) return;
  const before = document.querySelector('#samples input[name="sample"]:checked');
  take(files, asPile).checked = true;
  load().then(() => {
    if (byId("error").hidden || !before?.isConnected) return;
    before.checked = true; // it could not be read: keep what was there
    writeAddress(readSettings(), seed);
  });
}

function listenToDrops() {
  let depth = 0;
  const withFiles = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragenter", (event) => { if (withFiles(event)) byId("drop").hidden = ++depth < 1; });
  addEventListener("dragleave", (event) => { if (withFiles(event)) byId("drop").hidden = --depth < 1; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    byId("drop").hidden = true;
    openFiles([...event.dataTransfer.files], false);
  });
}

function listen() {
  let timer = 0;
  const later = () => { clearTimeout(timer); timer = setTimeout(load, 180); };
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("controls").addEventListener("input", (event) => {
    if (event.target.type === "file") return;
    showSettings();
    if (event.target.id === "solver" && !byId("compare").checked) return writeAddress(readSettings(), seed);
    return later();
  });
  for (const chip of document.querySelectorAll("[data-grid]")) {
    chip.addEventListener("click", () => {
      [byId("rows").value, byId("cols").value] = chip.dataset.grid.split("x");
      load();
    });
  }
  for (const [id, asPile] of [["open-picture", false], ["open-pile", true]]) {
    byId(id).addEventListener("change", (event) => {
      openFiles([...event.target.files], asPile);
      event.target.value = "";
    });
  }
  byId("shuffle").addEventListener("click", shuffle);
  byId("solve").addEventListener("click", solve);
  byId("race").addEventListener("click", startRace);
  byId("error").querySelector("button").addEventListener("click", () => showError(""));
  byId("copy-link").addEventListener("click", copyLink);
  addEventListener("hashchange", () => { seed = restoreAddress(); load(); });
  // A wide page has room for all settings; a narrow one folds them away.
  const wide = matchMedia("(min-width: 1000px)");
  const unfold = () => { byId("more").open = wide.matches; };
  wide.addEventListener("change", unfold);
  unfold();
  listenToDrops();
}

async function copyLink() {
  const own = readSettings().sample.startsWith(":");
  try {
    await navigator.clipboard.writeText(location.href);
    say(own ? "Link copied. Your own files are not part of it." : "Link copied.");
  } catch {
    say("The link is in the address bar.");
  }
}

async function begin() {
  say("Waking up");
  try {
    const [solvers] = await Promise.all([api.solvers(), listSamples()]);
    for (const id of ["solver", "versus"]) {
      for (const { name, summary: title, default: first } of solvers) {
        const option = Object.assign(new Option(name, name, first, first), { title });
        byId(id).append(option);
      }
    }
    byId("versus").selectedIndex = solvers.length > 1 && byId("solver").selectedIndex === 0 ? 1 : 0;
    seed = restoreAddress();
    listen();
    await load();
  } catch (error) {
    showError(error.message);
  }
}

begin();
