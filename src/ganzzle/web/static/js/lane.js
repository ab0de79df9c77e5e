// A table with its heading and its result.
import { download } from "./dom.js";
import { canFilm } from "./film.js";
import { fullPicture } from "./fullsize.js";
import { Guide } from "./guide.js";
import { Hand } from "./hand.js";
import { Stage } from "./stage.js";
import { duration } from "./words.js";

// Only what is whole is 100 %.
const percent = (share) => `${share === 1 || share === 0 ? 100 * share : Math.min(100 * share, 99.9).toFixed(1)} %`;
const SURE = 0.9; // below this a real pile may well be put together wrongly

export class Lane {
  // `changed(lane)` hears of every move by hand, `saved()` of every download, `tell(text)` of what the keyboard did,
  // `film(lane)` of the wish for a film.
  constructor(parent, { changed, saved, tell, film }) {
    Object.assign(this, { saved, tell });
    this.root = document.getElementById("lane-template").content.firstElementChild.cloneNode(true);
    parent.append(this.root);
    this.stage = new Stage(this.root.querySelector("canvas"));
    this.hand = new Hand(this.stage, { changed: () => changed(this), tell });
    this.root.classList.add("whole");
    this.result = this.root.querySelector(".result");
    this.part = (name) => this.result.querySelector(`[data-is="${name}"]`);
    this.figure = this.result.querySelector(".mental");
    this.guide = new Guide(this.result.querySelector(".guide"), this.part("guide"));
    this.part("guide").addEventListener("click", () => this.saveGuide());
    this.part("wrong").addEventListener("change", () => this.markWrong());
    this.part("cover").addEventListener("click", () => this.cover(!this.stage.mental.covers));
    this.part("png").addEventListener("click", () => this.savePicture());
    this.part("film").addEventListener("click", () => film(this));
    this.part("json").addEventListener("click", () => this.saveJson());
    this.setTitle("");
  }

  // `share`: how much of the puzzle is done, a line under the title.
  setTitle(text, share = 0) {
    const heading = this.root.querySelector("h2");
    heading.textContent = text;
    heading.hidden = !text;
    heading.style.setProperty("--share", share);
    this.root.setAttribute("aria-label", text);
    this.title = text;
    this.label();
  }

  // At once: what moves is a piece, not a new picture.
  setPuzzle(puzzle, seed) {
    this.root.classList.add("still");
    this.stage.setPuzzle(puzzle, seed);
    this.clear();
    this.label();
    this.root.getBoundingClientRect(); // the table is laid out before it may move again
    this.root.classList.remove("still");
  }

  label() {
    const { stage } = this;
    if (!stage.puzzle) return;
    const laid = stage.whole ? stage.puzzle.count : stage.slots.filter((slot) => slot >= 0).length;
    const what = `${stage.puzzle.rows} by ${stage.puzzle.cols} puzzle, ${laid} of ${stage.puzzle.count} pieces laid`;
    stage.canvas.setAttribute("aria-label", this.title ? `${this.title}: ${what}` : what);
  }

  clear() {
    this.answer = null; // what the solver said, also after something was moved by hand
    this.hideResult();
  }

  hideResult() {
    this.solution = null;
    this.result.hidden = true;
    this.root.classList.remove("done");
    this.part("wrong").checked = false;
    this.cover(false);
    this.guide.hide();
    this.part("note").hidden = true;
  }

  // What people come for: first the mental image, then the pieces, at the end the result. Where `signal` says that the
  // show was stopped, all of it at once.
  async show(solution, signal) {
    const first = Boolean(solution.mental_image);
    if (first) this.tell("First it imagines the picture");
    if (!(await this.imagine(solution, signal))) return;
    this.tell(`${first ? "Then it" : "It"} lays the pieces, the surest first`);
    await this.lay(solution, signal);
  }

  async showOnceMore(solution, signal) {
    this.clear();
    await this.stage.scatter();
    await this.show(solution, signal);
  }

  // Let the mental image appear, where the solver has one; says whether the puzzle is still the same afterwards.
  async imagine(solution, signal = null) {
    this.solution = this.answer = solution;
    this.stage.setGrid(...solution.grid);
    const { mental_image: address } = solution;
    this.showFigure(address);
    if (!address) return true;
    const image = this.figure.querySelector("img");
    image.src = address;
    await image.decode();
    if (this.solution !== solution) return false;
    const seen = this.stage.imagine(image);
    if (signal?.aborted) this.stage.finish();
    await seen;
    return this.solution === solution;
  }

  // Let the pieces fly, then print the result.
  async lay(solution, signal) {
    const landed = this.stage.arrange(solution);
    if (signal.aborted) this.stage.finish();
    await Promise.all([landed, this.guide.show(this.stage)]); // the guide is there by then
    if (this.solution !== solution) return;
    this.printResult();
    this.label();
    if (this.score ? this.score.direct === 1 : !this.doubtful) this.stage.shine();
  }

  // Whether the solver says that its answer may be wrong.
  get doubtful() {
    return this.solution?.sure != null && this.solution.sure < SURE;
  }

  showFigure(address) {
    this.figure.hidden = !address || Boolean(this.stage.puzzle.number); // one of many is only shown on the table
  }

  // Lay the mental image over the picture, or take it away.
  cover(covers) {
    this.part("cover").setAttribute("aria-pressed", String(covers));
    this.stage.cover(covers);
  }

  printResult() {
    const { solution } = this;
    this.score = solution.score ?? null;
    for (const tile of this.result.querySelectorAll(".score")) tile.hidden = !this.score;
    const wrong = this.score ? this.score.right.filter((right) => !right).length : 0;
    this.result.querySelector(".wrong").hidden = !wrong;
    if (this.score) {
      this.part("direct").textContent = percent(this.score.direct);
      this.part("neighbour").textContent = percent(this.score.neighbour);
    }
    this.result.querySelector(".sure").hidden = Boolean(this.score) || solution.sure == null;
    this.part("sure").textContent = percent(solution.sure ?? 0);
    // The time and the solver of a mixed pile are those of all its puzzles, and are said once.
    const { timings } = solution;
    this.part("time").textContent = timings ? duration(timings.solve_ms) : "";
    this.part("solver").textContent = solution.solver;
    for (const name of ["time", "solver"]) this.part(name).parentElement.hidden = !timings;
    this.part("film").hidden = !canFilm();
    this.result.hidden = false;
    this.root.classList.add("done");
  }

  // What lies on the table was laid or changed by hand; once all pieces lie it can be saved, and where it is known which
  // of them lie right, that is shown.
  showByHand(complete, right = null) {
    this.hideResult();
    this.score = null;
    for (const tile of this.result.querySelectorAll(".score, .sure, .wrong, .mental")) tile.hidden = true;
    if (complete && right) {
      const good = right.filter(Boolean).length;
      this.score = { right };
      this.part("direct").textContent = percent(good / right.length);
      this.part("direct").parentElement.hidden = false;
      this.result.querySelector(".wrong").hidden = good === right.length;
    }
    this.part("time").parentElement.hidden = this.part("film").hidden = true;
    this.part("solver").textContent = "by hand";
    this.part("solver").parentElement.hidden = false;
    this.result.hidden = !complete;
    this.root.classList.toggle("done", complete);
    if (complete) this.guide.show(this.stage);
  }

  // Whether all pieces lie as the solver laid them.
  get asSolved() {
    const { slots, turns } = this.stage;
    return Boolean(this.answer?.placement.every((slot, i) => slot === slots[i] && this.answer.turns[i] === turns[i]));
  }

  // The solver's result once more, after what was moved by hand is back in its place.
  showAgain() {
    this.solution = this.answer;
    const { mental_image: address } = this.solution;
    this.showFigure(address);
    if (address) this.stage.mental.show(this.figure.querySelector("img"));
    this.guide.show(this.stage);
    this.printResult();
  }

  markWrong() {
    const { right } = this.score;
    this.stage.wrong = this.part("wrong").checked ? right.flatMap((ok, i) => (ok ? [] : [i])) : null;
    this.stage.draw();
  }

  // At the size of the user's own files; where the page cannot cut them, as on the table.
  async savePicture() {
    const { stage } = this;
    const full = stage.puzzle.files ? await fullPicture(stage.puzzle, stage.pieces, stage.mental).catch(() => null) : null;
    const { width, height } = stage.table.board;
    this.part("note").textContent = `Reduced to ${width} × ${height} px: the page cannot cut the files themselves.`;
    this.part("note").hidden = Boolean(full) || !stage.puzzle.files;
    download(full || (await stage.picture()), this.fileName("png"));
    this.saved();
  }

  saveGuide() {
    this.guide.save(this.fileName("jpg", "-guide"));
    this.saved();
  }

  saveJson() {
    const { puzzle, slots, turns: laid } = this.stage;
    const byHand = { solver: "by hand", grid: [puzzle.rows, puzzle.cols], placement: slots, turns: laid };
    const { solver, grid, placement, turns, confidence, timings } = this.solution || byHand;
    const [pieces, corners] = [puzzle.names, puzzle.corners].map((list) => list ?? undefined); // as in the placement
    const text = JSON.stringify({ solver, grid, pieces, corners, placement, turns, confidence, timings }, null, 1);
    download(new Blob([text], { type: "application/json" }), this.fileName("json"));
    this.saved();
  }

  fileName(ending, what = "") {
    const { number } = this.stage.puzzle;
    return `ganzzle${what}${number ? `-${number}` : ""}.${ending}`;
  }
}
