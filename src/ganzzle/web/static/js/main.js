// The page: wires the form, the lanes and the server together. States: loading, empty, whole, shuffled, solving, solved, race.
import * as api from "./api.js";
import { byId, clock, reducedMotion, say, setState, showError } from "./dom.js";
import { listenToDrops } from "./drops.js";
import { HandWork } from "./handwork.js";
import { Lane } from "./lane.js";
import { rightPieces, solveFields } from "./puzzle.js";
import { Race } from "./race.js";
import {
  askForGrid, followGridBoxes, gridComplaint, readSettings, restoreAddress, showGrid, showSettings, writeAddress,
} from "./settings.js";
import { fetchPuzzle, listSamples, ownName, picturesAmong, take } from "./sources.js";
import { lost, shortList, summary } from "./words.js";

// Whether the files and the grid make no puzzle, so that another grid may help; 422 is the server's word for it.
const needsAnotherGrid = (error) => error.status === 422 && !error.unreadable;

const lanes = [];
let puzzle = null;
let seed = 0;
let turnAllowed = false;
let waiting = 0; // timer of a load that waits for further changes of the form
let loading = null; // AbortController of the puzzle being fetched
let solving = null; // AbortController of the solves under way
let race = null;
const work = new HandWork((lane, word) => moved(lane, `${word} `), () => !race);
let pileShownAt = 0; // when the pieces were last in the pile

function setLanes(count) {
  while (lanes.length < count) {
    const changed = () => { work.record(lane); moved(lane); };
    const lane = new Lane(byId("lanes"), { changed, saved: () => work.saved(), tell: say });
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
  byId("race").title = puzzle && !puzzle.truth ? "Nobody knows the solution of this pile, so nobody could win." : "";
  byId("race").textContent = state !== "race" ? "Race the machine" : race?.over ? "Back to the picture" : "Give up";
  lanes.forEach((lane) => { lane.hand.enabled = ["shuffled", "solved"].includes(state); lane.hand.turnable = turnAllowed; });
  lanes.forEach((lane) => { lane.hand.touchable = state !== "solved"; }); // there a finger scrolls the page
  document.body.toggleAttribute("data-turning", turnAllowed);
  work.show();
}

// On a small screen the table may lie below the fold when something begins on it.
async function showTable() {
  const table = document.querySelector(".table");
  await Promise.allSettled(table.getAnimations().map((one) => one.finished)); // it makes room for the pile
  const { bottom } = table.getBoundingClientRect();
  if (bottom > innerHeight) byId("play").scrollIntoView({ behavior: reducedMotion() ? "auto" : "smooth" });
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

// Fetch the puzzle the form describes and show it whole; gives back the error if there was one.
async function load() {
  clearTimeout(waiting);
  waiting = 0;
  showSettings();
  const complaint = gridComplaint();
  if (complaint) {
    showError(complaint);
    return new Error(complaint);
  }
  stopAll();
  loading?.abort();
  const control = (loading = new AbortController());
  const settings = readSettings();
  noteAddress();
  enter("loading");
  say("Cutting the picture");
  try {
    const fetched = await fetchPuzzle(settings, seed, control.signal);
    control.signal.throwIfAborted();
    puzzle = fetched;
    turnAllowed = settings.rotated;
    showError("");
    byId("grid-hint").hidden = true;
    work.clear();
    setLanes(settings.versus ? 2 : 1);
    lanes.forEach((lane) => lane.setPuzzle(puzzle, seed));
    showTitles(settings);
    enter(settings.pile ? "shuffled" : "whole");
    const { rows, cols, count } = puzzle;
    const found = settings.findGrid && puzzle.gridKnown ? `, grid ${rows} × ${cols}` : "";
    if (found) showGrid([rows, cols]);
    const gone = settings.someMissing ? lost(count, [rows, cols]) : "";
    say(`${count} pieces${found}${gone}. Press ${settings.pile ? "Solve" : "Shuffle"}.`);
    return null;
  } catch (error) {
    if (error.name === "AbortError") return error;
    showError(error.message);
    say("");
    if (needsAnotherGrid(error)) puzzle = null;
    if (needsAnotherGrid(error) && settings.findGrid) askForGrid();
    work.clear();
    if (!puzzle) setLanes(0);
    lanes.forEach((lane) => lane.setPuzzle(puzzle, seed));
    enter(!puzzle ? "empty" : puzzle.truth ? "whole" : "shuffled");
    return error;
  }
}

function showTitles({ solver, versus }) {
  if (versus) [solver, versus].forEach((name, k) => lanes[k].setTitle(name));
}

// A button that is pressed while a change of the form still waits means what the form says now.
function asTheFormSays(act) {
  return async () => {
    if (waiting && !solving && (await load())) return;
    act();
  };
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
  work.clear();
  lanes.forEach((lane) => lane.clear());
  const landed = lanes.map((lane) => lane.stage.scatter());
  showTable();
  await Promise.all(landed);
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
    if (inPile) showTable();
    else await scatter();
    control.signal.throwIfAborted();
    say("Thinking");
    const names = settings.versus ? [settings.solver, settings.versus] : [settings.solver];
    const solved = names.map((name, k) => solveIn(lanes[k], name, control.signal));
    const failed = (await Promise.allSettled(solved)).find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
    if (solving !== control) return;
    enter("solved");
    if (settings.findGrid) showGrid(lanes[0].solution.grid);
    say(lanes.map((lane) => summary(lane, turnAllowed)).join(" "));
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
  work.clear();
  await lane.show(answer);
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
    race = new Race(lanes[0], lanes[1], solution, Number(byId("pace").value), setButtons);
    enter("race");
    await race.start();
  } catch (error) {
    if (solving !== control) return;
    solving = null;
    setLanes(settings.versus ? 2 : 1);
    showTitles(settings);
    enter("shuffled");
    const stopped = error.name === "AbortError";
    say(stopped ? "Stopped." : "");
    if (!stopped) showError(error.message);
  }
}

// A piece was moved by hand; `word` says so if it was moved back.
function moved(lane, word = "") {
  lane.label();
  if (race) return race.moved();
  const { slots, turns } = lane.stage;
  const laid = slots.filter((slot) => slot >= 0).length;
  if (lane.asSolved) {
    lane.showAgain();
    return say(`${word}${summary(lane, turnAllowed)}`);
  }
  lane.showByHand(laid === puzzle.count);
  lane.stage.mental = null;
  const done = puzzle.truth && rightPieces(puzzle, slots, turns).every(Boolean);
  if (!done) return say(`${word}${laid} of ${puzzle.count} pieces laid.`);
  work.saved(); // there is nothing left to lose
  say(`Done by hand in ${clock((performance.now() - pileShownAt) / 1000)}. Well done!`);
  lane.stage.rest().then(() => lane.stage.shine());
}

async function openFiles(files, asPile) {
  if (!files.length) return;
  const pictures = picturesAmong(files);
  const undo = take(pictures, asPile);
  const error = await load();
  if (error?.name === "AbortError") return;
  if (error && !needsAnotherGrid(error)) { // back to what was there
    undo();
    showSettings();
    noteAddress();
  }
  const others = files.filter((file) => !pictures.includes(file)).map((file) => file.name);
  if (!error && others.length) say(`${byId("status").textContent} Left out, not being pictures: ${shortList(others)}.`);
}

function listen() {
  const later = () => { clearTimeout(waiting); waiting = setTimeout(load, 180); };
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("controls").addEventListener("input", (event) => {
    if (event.target.type === "file") return;
    delete event.target.dataset.before; // a solver chosen by hand stays
    followGridBoxes(event.target);
    showSettings();
    if (event.target.id === "solver" && !byId("compare").checked) return noteAddress();
    return later();
  });
  byId("controls").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.type === "number") load();
  });
  for (const chip of document.querySelectorAll("[data-grid]")) {
    chip.addEventListener("click", () => {
      showGrid(chip.dataset.grid.split("x"));
      if (readSettings().pile) byId("find-grid").checked = false;
      load();
    });
  }
  for (const [id, asPile] of [["open-picture", false], ["open-pile", true]]) {
    byId(id).addEventListener("change", (event) => {
      openFiles([...event.target.files], asPile);
      event.target.value = "";
    });
  }
  byId("shuffle").addEventListener("click", asTheFormSays(shuffle));
  byId("solve").addEventListener("click", asTheFormSays(solve));
  byId("race").addEventListener("click", asTheFormSays(startRace));
  byId("error").querySelector("button").addEventListener("click", () => showError(""));
  byId("copy-link").addEventListener("click", copyLink);
  addEventListener("hashchange", () => { seed = restoreAddress(); load(); });
  // A wide page has room for all settings; a narrow one folds them away.
  const wide = matchMedia("(min-width: 1000px)");
  const unfold = () => { byId("more").open = wide.matches; };
  wide.addEventListener("change", unfold);
  unfold();
  listenToDrops((files) => openFiles(files, false));
}

function noteAddress() {
  const settings = readSettings();
  writeAddress(settings, seed, ownName(settings.sample));
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

async function begin() {
  say("Waking up");
  try {
    const [solvers] = await Promise.all([api.solvers(), listSamples()]);
    for (const id of ["solver", "versus"]) {
      for (const { name, summary: title, default: first, rotated } of solvers) {
        const option = Object.assign(new Option(name, name, first, first), { title });
        if (rotated) option.dataset.rotated = "";
        byId(id).append(option);
      }
    }
    byId("versus").selectedIndex = solvers.length > 1 && byId("solver").selectedIndex === 0 ? 1 : 0;
    seed = restoreAddress();
    const gone = history.state?.own;
    listen();
    if (!(await load()) && gone) say(`The page keeps no files: please open ${gone} again.`);
  } catch (error) {
    showError(error.message);
  }
}

begin();
