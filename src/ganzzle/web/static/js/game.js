// What happens on the table. States: loading, empty, whole, shuffled, solving, solved, race.
import { noteAddress, restoreAddress } from "./address.js";
import { showButtons } from "./buttons.js";
import { byId, clock, download, say, setState, showError } from "./dom.js";
import { film } from "./film.js";
import { HandWork } from "./handwork.js";
import { Lanes } from "./lanes.js";
import { rightPieces } from "./puzzle.js";
import { Race } from "./race.js";
import { askForGrid, complaint, followLoose, readSettings, showGrid, showSettings, wishOf } from "./settings.js";
import { ask, solveOn } from "./solving.js";
import * as scans from "./scans.js";
import { fetchPuzzle } from "./sources.js";
import { handSummary, pileSummary, solvedSummary } from "./words.js";

const DOUBLE = 400; // ms in which a second click belongs to the first
let puzzle = null;
let shown = ""; // what was wished when it was loaded
let seed = 0;
let turnAllowed = false;
let waiting = 0; // timer of a load that waits for further changes of the form
let loading = null; // AbortController of the puzzle being fetched
let solving = null; // AbortController of the solves under way
let solvingSince = 0;
let answered = false; // the solvers are done, and their answers are being laid
let race = null;
let pileShownAt = 0; // when the pieces were last in the pile
const work = new HandWork((lane, word) => moved(lane, `${word} `), () => !race);
const lanes = new Lanes({
  changed: (lane) => { work.record(lane); moved(lane); },
  saved: () => work.saved(),
  tell: say,
  film: saveFilm,
});

const state = () => document.body.dataset.state;
const titles = ({ solver, versus }) => (versus ? [solver, versus] : [""]);

// Whether the files and the grid make no puzzle, so that another grid may help; 422 is the server's word for it.
export const needsAnotherGrid = (error) => error.status === 422 && !error.unreadable;

// What the page's address says, into the form.
export function restore() {
  seed = restoreAddress();
}

export function showAddress() {
  noteAddress(seed);
}

function setButtons() {
  const now = state();
  showButtons(now, puzzle ?? scans.isShown(), { answered, over: race?.over });
  for (const { hand } of lanes.list) {
    hand.enabled = now === "shuffled" || now === "solved";
    hand.turnable = turnAllowed;
    hand.touchable = now !== "solved"; // there a finger scrolls the page
  }
  document.body.toggleAttribute("data-turning", turnAllowed);
  work.show();
}

function enter(next) {
  setState(next);
  setButtons();
}

function stopAll() {
  solving?.abort();
  solving = null;
  race?.stop();
  race = null;
  document.body.dataset.winner = "";
}

// Why something ended early: by its user, or by an error that is shown; `again()` does it once more.
function explain(error, again = null) {
  const stopped = error.name === "AbortError";
  say(stopped ? "Stopped." : "");
  if (!stopped) showError(error.message, error.passing ? again : null);
}

// Load soon; further changes of the form put it off.
export function loadSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(load, 180);
}

// Fetch the puzzle the form describes and show it whole; gives back the error if there was one. `again()` does the same
// once more.
export async function load(again = load) {
  clearTimeout(waiting);
  waiting = 0;
  showSettings();
  const wrong = complaint();
  if (wrong) {
    showError(wrong);
    return new Error(wrong);
  }
  stopAll();
  loading?.abort();
  const control = (loading = new AbortController());
  let settings = readSettings();
  const before = { state: state(), said: byId("status").textContent };
  showAddress();
  enter("loading");
  say(settings.pile ? "Reading the pieces" : "Cutting the picture");
  try {
    const fetched = await fetchPuzzle(settings, seed, control.signal);
    control.signal.throwIfAborted();
    if (fetched.scans) return await showScans(fetched, settings);
    scans.clear();
    puzzle = fetched;
    if (puzzle.corners) settings = followLoose(puzzle);
    shown = wishOf(settings);
    turnAllowed = settings.rotated;
    showError("");
    byId("grid-hint").hidden = true;
    work.clear();
    lanes.show(puzzle, seed, titles(settings));
    enter(settings.pile ? "shuffled" : "whole");
    if (settings.findGrid) showFound(puzzle.grid);
    say(pileSummary(puzzle, settings));
    return null;
  } catch (error) {
    if (error.name === "AbortError") return error;
    if (canStay(before.state, error, settings)) {
      say(before.said);
      enter(before.state);
    } else {
      showNothingOf(settings, error);
    }
    showError(error.message, error.passing ? again : null); // last: then it knows where it stands on the page
    return error;
  }
}

// Pages of jigsaw pieces or strips have a table of their own.
async function showScans({ scans: seen, sent }, settings) {
  puzzle = null;
  shown = wishOf(settings);
  showError("");
  work.clear();
  lanes.show(null, seed, titles(settings));
  await scans.show(sent, seen);
  enter("shuffled");
  return null;
}

// A grid that was found, into the form; unless one is being typed there by now.
function showFound(grid) {
  if (readSettings().findGrid) showGrid(grid);
}

function showNothingOf(settings, error) {
  say("");
  if (needsAnotherGrid(error)) puzzle = null;
  if (needsAnotherGrid(error) && settings.puzzles === 1 && settings.findGrid && readSettings().findGrid) askForGrid();
  work.clear();
  lanes.show(puzzle, seed, titles(settings));
  enter(!puzzle ? "empty" : puzzle.truth ? "whole" : "shuffled");
}

// Whether what lies on the tables can stay there after a failed load: nothing moved, and it suits the form.
function canStay(before, error, settings) {
  const still = ["whole", "shuffled", "solved"].includes(before);
  const suits = lanes.apart || lanes.list.length === titles(settings).length;
  return Boolean(puzzle) && still && suits && !needsAnotherGrid(error);
}

// A button that is pressed means what the form says now, also where a change of it still waits or was refused.
export function asTheFormSays(act) {
  return async () => {
    const other = waiting || complaint() || wishOf(readSettings()) !== shown;
    if (other && !solving && state() !== "race" && (await load())) return;
    act();
  };
}

// Another shuffle of the same picture; says whether it is there.
async function dealAnew() {
  seed = Math.floor(Math.random() * 10000);
  return !(await load());
}

export async function shuffle() {
  stopAll();
  if (state() !== "whole" && puzzle.truth && !(await dealAnew())) return;
  enter("shuffled");
  const said = byId("status").textContent;
  const landed = await scatter();
  const still = byId("status").textContent === said; // else something was begun meanwhile, which has its own words
  if (landed && still) say("Press Solve, or drag the pieces yourself.");
}

// All pieces to the pile; says whether the puzzle is still the same when they have landed.
async function scatter() {
  const before = puzzle;
  work.clear();
  if (lanes.apart) lanes.show(puzzle, seed, titles(readSettings()));
  setButtons();
  await lanes.scatter();
  pileShownAt = performance.now();
  return before === puzzle;
}

export async function solve() {
  if (solving && performance.now() - solvingSince < DOUBLE) return;
  if (solving) return stopSolving();
  if (scans.isShown()) return solveScans();
  const control = (solving = new AbortController());
  solvingSince = performance.now();
  answered = false;
  const settings = readSettings();
  const inPile = state() === "shuffled";
  showError("");
  enter("solving");
  try {
    if (inPile) lanes.reveal();
    else await scatter();
    control.signal.throwIfAborted();
    say("Thinking", true);
    const hear = (all) => {
      if (solving !== control) return;
      answered = all;
      work.clear();
      setButtons();
    };
    const answers = await solveOn(lanes, puzzle, settings, turnAllowed, control.signal, hear);
    if (solving !== control) return;
    enter("solved");
    const grids = new Set(lanes.list.map((lane) => lane.solution.grid.join("x")));
    if (settings.findGrid && grids.size === 1) showFound(lanes.list[0].solution.grid);
    say(solvedSummary(lanes.list, answers, settings));
  } catch (error) {
    if (solving !== control) return;
    enter("shuffled");
    explain(error, solve);
  } finally {
    if (solving === control) solving = null;
    setButtons();
  }
}

async function solveScans() {
  const control = (solving = new AbortController());
  solvingSince = performance.now();
  answered = false;
  showError("");
  enter("solving");
  say("Thinking", true);
  try {
    await scans.solve(seed, readSettings().puzzles, control.signal);
    if (solving === control) enter("solved");
  } catch (error) {
    if (solving !== control) return;
    enter("shuffled");
    explain(error, solve);
  } finally {
    if (solving === control) solving = null;
    setButtons();
  }
}

// Stop thinking, or, once the answer is there, stop the show and lay the pieces at once.
function stopSolving() {
  solving.abort();
  lanes.finish();
}

// Show once more how this lane was solved, and save a film of it; stopped, it is as it was and nothing is saved.
async function saveFilm(lane) {
  const control = (solving = new AbortController());
  answered = false; // what is stopped here is a film
  const { answer } = lane;
  const said = byId("status").textContent;
  const focused = document.activeElement;
  work.clear();
  enter("solving");
  byId("solve").focus({ preventScroll: true }); // the film's button is hidden meanwhile, and here it is stopped
  try {
    const file = await film(lane.stage.canvas, () => lane.showOnceMore(answer, control.signal), control.signal);
    if (solving !== control) return;
    if (!control.signal.aborted) download(file, lane.fileName(file.type.split("/")[1]));
    say(said);
    enter("solved");
  } catch (error) {
    if (solving !== control) return;
    enter("solved");
    explain(error);
  } finally {
    if (solving === control) solving = null;
    setButtons();
    if (document.activeElement === byId("solve")) focused.focus({ preventScroll: true });
  }
}

// Begin a race; in one that runs, give up.
export async function startRace() {
  const over = race?.over;
  stopAll();
  if (state() === "race" && !over) return load();
  if (over && !(await dealAnew())) return;
  showError("");
  const settings = readSettings();
  const control = (solving = new AbortController());
  lanes.keep(["You", `Machine: ${settings.solver}`], true);
  enter("race"); // before the table is scrolled to: the bar above it is another one in a race
  try {
    say("The machine warms up", true);
    const [solution] = await Promise.all([ask(puzzle, settings.solver, turnAllowed, control.signal), scatter()]);
    control.signal.throwIfAborted();
    solving = null;
    const [you, machine] = lanes.list;
    race = new Race(you, machine, solution, Number(byId("pace").value), showWinner);
    setButtons();
    await race.start();
  } catch (error) {
    if (solving !== control) return;
    solving = null;
    lanes.keep(titles(settings));
    enter("shuffled");
    explain(error, startRace);
  }
}

function showWinner(text) {
  work.clear(); // what is over is not taken back
  setButtons();
  say(text);
  byId("status").closest(".said").scrollIntoView({ block: "nearest" }); // there are more buttons above it now
}

// A piece was moved by hand; `word` says so if it was moved back.
function moved(lane, word = "") {
  lane.label();
  if (race) return race.moved();
  const { slots, turns, puzzle: { count } } = lane.stage;
  const laid = slots.filter((slot) => slot >= 0).length;
  if (lane.asSolved) {
    lane.showAgain();
    return say(`${word}${solvedSummary([lane], [lane.solution], readSettings())}`);
  }
  const complete = laid === count - (lane.answer?.left_over?.length ?? 0);
  const right = puzzle.truth ? rightPieces(puzzle, slots, turns) : null;
  lane.showByHand(complete, right);
  lane.stage.mental.clear();
  if (!right?.every(Boolean)) return say(`${word}${handSummary(laid, count, complete && right)}`);
  work.saved(); // there is nothing left to lose
  say(`Done by hand in ${clock((performance.now() - pileShownAt) / 1000)}. Well done!`);
  lane.stage.rest().then(() => lane.stage.shine());
}
