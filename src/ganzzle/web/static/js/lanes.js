// The tables on the page: one for a plain solve, two to compare or to race, for a mixed pile one a puzzle.
import { byId, reducedMotion } from "./dom.js";
import { Lane } from "./lane.js";
import { partOf } from "./puzzle.js";
import { partTitle } from "./words.js";

export class Lanes {
  // `hears` is what every lane is given; see Lane.
  constructor(hears) {
    Object.assign(this, { hears, list: [], apart: false, puzzle: null, seed: 0 });
  }

  // As many lanes as there are titles; those that are there stay as they are, new ones show the puzzle. `race`: the
  // second is the machine's, which a small screen shows small.
  keep(titles, race = false) {
    while (this.list.length < titles.length) {
      const lane = new Lane(byId("lanes"), this.hears);
      this.list.push(lane);
      if (this.puzzle) lane.setPuzzle(this.puzzle, this.seed);
    }
    while (this.list.length > titles.length) this.list.pop().root.remove();
    this.list.forEach((lane, k) => lane.setTitle(titles[k]));
    byId("lanes").dataset.count = titles.length;
    byId("lanes").classList.toggle("race", race);
  }

  // The puzzle on as many lanes as there are titles; without a puzzle, nothing.
  show(puzzle, seed, titles) {
    Object.assign(this, { puzzle, seed, apart: false });
    this.keep(puzzle ? titles : []);
    this.list.forEach((lane) => lane.setPuzzle(puzzle, seed));
  }

  // Every puzzle of a mixed pile on a lane of its own, and lay it.
  showParts(parts, signal) {
    this.keep(parts.map(partTitle));
    this.apart = true;
    this.list.forEach((lane, k) => lane.setPuzzle(partOf(this.puzzle, parts[k], k + 1), this.seed));
    this.reveal();
    return Promise.all(this.list.map((lane, k) => lane.show(parts[k], signal)));
  }

  // All pieces to the pile; resolves when they have landed.
  async scatter() {
    this.list.forEach((lane) => lane.clear());
    const landed = this.list.map((lane) => lane.stage.scatter());
    this.reveal();
    await Promise.all(landed);
    this.list.forEach((lane) => lane.label());
  }

  // On a small screen the table may lie below the fold when something begins on it.
  async reveal() {
    const table = document.querySelector(".table");
    await Promise.allSettled(table.getAnimations().map((one) => one.finished)); // it makes room for the pile
    const play = byId("play");
    const { bottom } = table.getBoundingClientRect();
    if (bottom <= innerHeight) return;
    const behavior = reducedMotion() ? "auto" : "smooth";
    const above = parseFloat(getComputedStyle(play).scrollMarginTop);
    if (bottom - play.getBoundingClientRect().top + above <= innerHeight) play.scrollIntoView({ behavior });
    else table.scrollIntoView({ behavior, block: "end" }); // a low window shows the table alone
  }

  // End all movement now.
  finish() {
    this.list.forEach((lane) => lane.stage.finish());
  }
}
