// One table on one canvas: the board, the pile, and the pieces on their way between them.
import { reducedMotion } from "./dom.js";
import { fly } from "./flight.js";
import { heap, tableFor } from "./geometry.js";
import { MentalImage } from "./mental.js";
import { paint } from "./paint.js";

const PARADE = 1900; // ms between the first and the last start of a whole puzzle
const SHINE = 900; // ms the light runs over a finished picture
const ROOM = 0.68; // of the window's height, as in the style sheet

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    canvas.stage = this; // so that a console can look at it
    this.context = canvas.getContext("2d", { alpha: true });
    this.pieces = []; // {x, y, angle, scale, turn, slot, flight}
    this.order = []; // pieces from the bottom to the top
    this.wrong = null; // pieces to mark, or null
    this.cursor = null; // slot under the keyboard's cursor
    this.held = -1;
    this.mental = new MentalImage();
    this.whole = true; // not cut yet, to look at
    this.shineStart = 0;
    this.waiting = [];
    this.frame = 0;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    new ResizeObserver(() => this.fitRoom()).observe(canvas.parentElement);
  }

  // Show a new puzzle: its pieces where they belong if that is known, else the pile.
  setPuzzle(puzzle, seed) {
    this.puzzle = puzzle;
    this.seed = seed;
    this.setWhole(Boolean(puzzle.truth));
    this.clearMarks();
    this.mental.clear();
    this.pieces = Array.from({ length: puzzle.count }, (_, i) => (
      puzzle.truth ? { slot: puzzle.truth.placement[i], turn: puzzle.truth.turns[i] } : { slot: -1, turn: 0 }));
    this.order = this.pieces.map((_, i) => i);
    this.layTable();
    this.finish();
  }

  setWhole(whole) {
    this.whole = whole;
    this.canvas.closest(".lane").classList.toggle("whole", whole);
  }

  // The grid a solver found for a pile without one.
  setGrid(rows, cols) {
    if (this.puzzle.rows === rows && this.puzzle.cols === cols) return;
    this.puzzle = { ...this.puzzle, rows, cols };
    this.pieces.forEach((piece) => { piece.slot = -1; });
    this.layTable();
  }

  layTable() {
    const room = this.canvas.parentElement.clientWidth || 800;
    this.table = tableFor(this.puzzle, room, ROOM * innerHeight);
    this.roomWidth = room;
    this.heap = heap(this.puzzle, this.table.pile, this.seed);
    this.canvas.width = this.table.width;
    this.canvas.height = this.table.height;
    const { board, pile, rim } = this.table;
    this.canvas.dataset.board = [board.x, board.y, board.width, board.height].join(" ");
    const lane = this.canvas.closest(".lane");
    lane.dataset.layout = this.table.layout;
    lane.style.setProperty("--ar", this.table.width / this.table.height);
    lane.style.setProperty("--pile", pile.x / this.table.width);
    lane.style.setProperty("--centre", (board.x + board.width / 2) / this.table.width);
    lane.style.setProperty("--picture", board.width / board.height);
    lane.style.setProperty("--crop", (board.height + 2 * rim) / this.table.height);
    this.pieces.forEach((piece, i) => Object.assign(piece, this.restOf(i), { flight: null }));
    this.draw();
  }

  fitRoom() {
    const room = this.canvas.parentElement.clientWidth;
    if (!this.puzzle || room === this.roomWidth) return;
    const before = this.table.width;
    this.roomWidth = room;
    if (tableFor(this.puzzle, room, ROOM * innerHeight).width !== before) {
      this.finish();
      for (const piece of this.pieces) piece.dropped = null; // its place is not on the new table
      this.layTable();
    }
  }

  // Where a piece lies when nothing moves it.
  restOf(i) {
    const piece = this.pieces[i];
    if (piece.slot < 0) {
      const place = piece.dropped || this.heap[i];
      return { ...place, angle: place.angle + this.uprightAngle(piece) };
    }
    return { ...this.slotCentre(piece.slot), angle: this.uprightAngle(piece), scale: 1 };
  }

  // A piece turned k quarter turns counter-clockwise.
  uprightAngle(piece) {
    return (-Math.PI / 2) * piece.turn;
  }

  slotCentre(slot) {
    const { board } = this.table;
    const { cols, width, height } = this.puzzle;
    return { x: board.x + (slot % cols + 0.5) * width, y: board.y + (Math.floor(slot / cols) + 0.5) * height };
  }

  pieceOn(slot) {
    return this.pieces.findIndex((piece) => piece.slot === slot);
  }

  get slots() { return this.pieces.map((piece) => piece.slot); }
  get turns() { return this.pieces.map((piece) => piece.turn); }
  get laid() { return this.pieces.filter((piece) => piece.slot >= 0 && !piece.flight).length; }
  get moving() { return this.pieces.some((piece) => piece.flight) || this.mental.dreaming(performance.now()); }

  // Send a piece to where its slot says, after `delay` ms.
  send(i, delay = 0) {
    const piece = this.pieces[i];
    const to = this.restOf(i);
    if (reducedMotion()) {
      Object.assign(piece, to, { flight: null });
    } else {
      const from = { x: piece.x, y: piece.y, angle: piece.angle, scale: piece.scale };
      piece.flight = { from, to, start: performance.now() + delay };
    }
    this.run();
  }

  // From the board to the pile.
  scatter() {
    this.setWhole(false);
    this.clearMarks();
    this.mental.clear();
    const step = PARADE / 2 / this.puzzle.count;
    this.pieces.forEach((piece, i) => {
      Object.assign(piece, { slot: -1, turn: 0, dropped: null });
      this.send(i, step * i);
    });
    return this.rest();
  }

  // Let the mental image come into focus on the board; resolves when there was time to look at it.
  imagine(image) {
    this.mental.dream(image, performance.now());
    return this.rest();
  }

  // Lay the mental image over the pieces, or take it away.
  cover(covers) {
    this.mental.cover(covers, performance.now());
    this.draw();
    this.run();
  }

  // From wherever they are to the slots of a solution, the surest first.
  arrange(solution) {
    const order = solution.confidence.map((_, i) => i);
    order.sort((a, b) => solution.confidence[b] - solution.confidence[a]);
    const step = Math.min(120, PARADE / this.puzzle.count);
    order.forEach((i, k) => this.lay(i, solution.placement[i], solution.turns[i], step * k));
    this.order = [...order].reverse();
    return this.rest();
  }

  lay(i, slot, turn, delay = 0) {
    Object.assign(this.pieces[i], { slot, turn, dropped: null });
    this.raise(i);
    this.send(i, delay);
  }

  raise(i) {
    this.order.splice(this.order.indexOf(i), 1);
    this.order.push(i);
  }

  shine() {
    if (!reducedMotion()) this.shineStart = performance.now();
    this.run();
  }

  clearMarks() {
    this.wrong = null;
    this.held = -1;
    this.shineStart = 0;
  }

  // A promise for the moment when nothing moves any more.
  rest() {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.run();
    });
  }

  // End all movement now.
  finish() {
    this.pieces.forEach((piece, i) => Object.assign(piece, this.restOf(i), { flight: null }));
    this.mental.finish();
    this.shineStart = 0;
    this.draw();
    this.settle();
  }

  settle() {
    if (this.moving) return;
    this.waiting.splice(0).forEach((resolve) => resolve());
  }

  run() {
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.frame = 0;
    for (const piece of this.pieces) if (piece.flight) fly(piece, now, this.puzzle.height);
    if (this.shineStart && now - this.shineStart > SHINE) this.shineStart = 0;
    this.draw(now);
    if (this.moving || this.shineStart || this.mental.changing(now)) this.run();
    this.settle();
  }

  draw(now = performance.now()) {
    if (this.puzzle) paint(this, now, this.shineStart ? (now - this.shineStart) / SHINE : -1);
  }

  // The board at the picture's own size, without what only the page shows; empty slots hold the mental image or are black.
  picture() {
    const { x, y, width, height } = this.table.board;
    const copy = new OffscreenCanvas(width, height);
    const context = copy.getContext("2d");
    context.fillRect(0, 0, width, height);
    this.mental.fill(context, { x: 0, y: 0, width, height });
    const marks = [this.wrong, this.cursor, this.shineStart, this.mental];
    [this.wrong, this.cursor, this.shineStart, this.mental] = [null, null, 0, new MentalImage()];
    this.draw();
    const { width: across, height: down } = this.puzzle;
    for (const slot of this.slots.filter((each) => each >= 0)) {
      const centre = this.slotCentre(slot);
      const [left, top] = [centre.x - across / 2, centre.y - down / 2];
      context.drawImage(this.canvas, left, top, across, down, left - x, top - y, across, down);
    }
    [this.wrong, this.cursor, this.shineStart, this.mental] = marks;
    this.draw();
    return copy.convertToBlob({ type: "image/png" });
  }
}
