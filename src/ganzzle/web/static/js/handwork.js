// The moves made by hand, over all tables: undo, redo, and a word before they are lost.
import { byId } from "./dom.js";

const same = (one, other) => one.slot === other.slot && one.turn === other.turn && one.dropped === other.dropped;

// Where every piece lies; `table` tells whether the places beside the board still mean something.
export function positions({ pieces, table }) {
  return { table, places: pieces.map(({ slot, turn, dropped }) => ({ slot, turn, dropped: dropped ?? null })) };
}

function restore(stage, { table, places }) {
  const now = positions(stage).places;
  stage.wrong = null;
  places.forEach((place, i) => {
    if (same(place, now[i])) return;
    Object.assign(stage.pieces[i], place, table === stage.table ? {} : { dropped: null });
    stage.raise(i);
    stage.send(i);
  });
}

export class HandWork {
  // `moved(lane, word)` hears of every step back or forth; `watched()` says whether leaving the page would be a loss.
  constructor(moved, watched) {
    Object.assign(this, { moved, past: [], future: [], unsaved: false });
    byId("undo").addEventListener("click", () => this.undo());
    byId("redo").addEventListener("click", () => this.redo());
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("beforeunload", (event) => {
      if (this.unsaved && this.past.length && watched()) event.preventDefault();
    });
  }

  // The hand of this lane has moved something.
  record(lane) {
    const [before, after] = [lane.hand.before, positions(lane.stage)];
    if (before.places.every((place, i) => same(place, after.places[i]))) return;
    this.past.push({ lane, before, after });
    this.future = [];
    this.unsaved = true;
    this.show();
  }

  clear() {
    Object.assign(this, { past: [], future: [], unsaved: false });
    this.show();
  }

  saved() {
    this.unsaved = false;
  }

  undo() {
    this.step(this.past, this.future, "before", "Undone.");
  }

  redo() {
    this.step(this.future, this.past, "after", "Done again.");
  }

  step(from, to, side, word) {
    const move = from.at(-1);
    if (!move?.lane.hand.enabled) return;
    if (move.lane.stage.held >= 0) return move.lane.hand.escape(); // what is in the hand goes back first
    to.push(from.pop());
    restore(move.lane.stage, move[side]);
    this.unsaved = true;
    this.moved(move.lane, word);
    this.show();
  }

  key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.type === "number") return;
    const name = event.key.toLowerCase();
    const redo = name === "y" || (name === "z" && event.shiftKey);
    if (!redo && name !== "z") return;
    if (!(redo ? this.future : this.past).length) return;
    event.preventDefault();
    if (redo) this.redo();
    else this.undo();
  }

  // The buttons are there as soon as there was a move.
  show() {
    const { past, future } = this;
    byId("hand-set").hidden = !past.length && !future.length;
    for (const [id, moves] of [["undo", past], ["redo", future]]) {
      const button = byId(id);
      const focused = document.activeElement === button;
      button.disabled = !moves.at(-1)?.lane.hand.enabled;
      if (focused && button.disabled) byId(id === "undo" ? "redo" : "undo").focus(); // the keyboard stays near
    }
  }
}
