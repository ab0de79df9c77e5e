// Moving pieces by hand: mouse, touch and pen through pointer events, and the keyboard.
import { positions } from "./handwork.js";

const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Hand {
  // `changed(i)` hears of every move; `tell(text)` of what the keyboard did.
  constructor(stage, { changed, tell }) {
    Object.assign(this, { stage, changed, tell, enabled: false, turnable: false, touchable: true });
    this.origin = { slot: -1, turn: 0, dropped: null };
    this.before = null; // where everything lay before the latest piece was taken
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.putBack());
    // A finger on a piece drags it; a finger beside the pieces, or on a picture that is not touchable, scrolls the page.
    canvas.addEventListener("touchstart", (event) => {
      const point = this.pointOf(event.touches[0]);
      if (this.able && this.touchable && (stage.held >= 0 || this.pieceAt(point) >= 0)) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => this.focus());
    canvas.addEventListener("blur", () => this.blur());
  }

  // Nothing can be taken from under the mental image.
  get able() {
    return this.enabled && !this.stage.mental.covers;
  }

  pointOf(event) {
    const { canvas } = this.stage;
    const box = canvas.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) * canvas.width) / box.width,
      y: ((event.clientY - box.top) * canvas.height) / box.height,
    };
  }

  pieceAt({ x, y }) {
    const { stage } = this;
    if (stage.whole || !stage.puzzle) return -1;
    const { width, height } = stage.puzzle;
    // What lies in the pile or on its way is above what lies on the board.
    const top = [...stage.order].reverse();
    const loose = top.filter((i) => stage.pieces[i].slot < 0);
    const laid = top.filter((i) => stage.pieces[i].slot >= 0);
    const hit = (i) => {
      const piece = stage.pieces[i];
      const [cos, sin] = [Math.cos(piece.angle), Math.sin(piece.angle)];
      const [dx, dy] = [x - piece.x, y - piece.y];
      const along = Math.abs(cos * dx + sin * dy) / piece.scale;
      const across = Math.abs(cos * dy - sin * dx) / piece.scale;
      return along <= width / 2 && across <= height / 2;
    };
    return [...loose, ...laid].find(hit) ?? -1;
  }

  slotAt({ x, y }) {
    const { board } = this.stage.table;
    const { rows, cols, width, height } = this.stage.puzzle;
    const col = Math.floor((x - board.x) / width);
    const row = Math.floor((y - board.y) / height);
    return row >= 0 && row < rows && col >= 0 && col < cols ? row * cols + col : -1;
  }

  take(i) {
    const { stage } = this;
    const piece = stage.pieces[i];
    this.before = positions(stage);
    this.origin = { slot: piece.slot, turn: piece.turn, dropped: piece.dropped };
    Object.assign(piece, { slot: -1, flight: null, angle: stage.uprightAngle(piece), scale: 1.06 });
    stage.held = i;
    stage.wrong = null;
    stage.raise(i);
    stage.canvas.classList.add("holding");
  }

  // Lay the held piece on a slot; a piece that lies there goes where the held one came from.
  layOn(slot) {
    const { stage } = this;
    const i = stage.held;
    const other = stage.pieceOn(slot);
    if (other >= 0) {
      Object.assign(stage.pieces[other], { slot: this.origin.slot, dropped: null });
      stage.send(other);
    }
    this.letGo();
    stage.lay(i, slot, stage.pieces[i].turn);
    this.changed(i);
  }

  letGo() {
    this.stage.held = -1;
    this.pointer = null;
    this.stage.canvas.classList.remove("holding");
  }

  putBack() {
    const i = this.stage.held;
    if (i < 0) return;
    this.letGo();
    Object.assign(this.stage.pieces[i], this.origin);
    this.stage.send(i);
  }

  turn() {
    const piece = this.stage.pieces[this.stage.held];
    const square = this.stage.puzzle.width === this.stage.puzzle.height;
    piece.turn = (piece.turn + (square ? 3 : 2)) % 4;
    piece.angle = this.stage.uprightAngle(piece);
    this.stage.draw();
  }

  grab(event) {
    if (!this.able || event.button > 0 || this.pointer) return;
    if (event.pointerType === "touch" && !this.touchable) return;
    this.putBack();
    this.stage.cursor = null;
    const point = this.pointOf(event);
    const i = this.pieceAt(point);
    if (i < 0) return this.stage.draw();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.take(i);
    const piece = this.stage.pieces[i];
    this.pointer = { id: event.pointerId, start: point, dx: piece.x - point.x, dy: piece.y - point.y, moved: false };
    this.stage.draw();
  }

  drag(event) {
    if (!this.pointer || event.pointerId !== this.pointer.id) return;
    const { canvas, pieces, held } = this.stage;
    const point = this.pointOf(event);
    const far = Math.hypot(point.x - this.pointer.start.x, point.y - this.pointer.start.y);
    if (far > 0.2 * this.stage.puzzle.height) this.pointer.moved = true;
    pieces[held].x = Math.min(Math.max(point.x + this.pointer.dx, 0), canvas.width);
    pieces[held].y = Math.min(Math.max(point.y + this.pointer.dy, 0), canvas.height);
    this.stage.run();
  }

  release(event) {
    if (!this.pointer || event.pointerId !== this.pointer.id) return;
    const { stage } = this;
    const i = stage.held;
    const piece = stage.pieces[i];
    if (!this.pointer.moved) {
      if (this.turnable) this.turn();
      this.origin.turn = piece.turn;
      this.putBack();
      if (this.turnable) this.changed(i);
      return;
    }
    const slot = this.slotAt(piece);
    if (slot >= 0) return this.layOn(slot);
    piece.dropped = { x: piece.x, y: piece.y, angle: 0.15 * Math.sin(i), scale: stage.heap[i].scale };
    this.letGo();
    stage.send(i);
    this.changed(i);
  }

  focus() {
    // Only a keyboard needs to see the cursor.
    if (this.stage.canvas.matches(":focus-visible")) this.showCursor();
  }

  showCursor() {
    if (!this.enabled || this.stage.whole) return;
    if (this.stage.cursor === null) this.stage.cursor = 0;
    this.stage.draw();
  }

  blur() {
    if (!this.pointer) this.putBack();
    this.stage.cursor = null;
    this.stage.draw();
  }

  key(event) {
    if (!this.able || this.stage.whole || event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const known = name in KEYS || ["n", "b", "r", "Enter", " ", "Escape"].includes(name);
    if (!known) return;
    event.preventDefault();
    this.showCursor();
    if (name in KEYS) this.step(...KEYS[name]);
    else if (name === "n" || name === "b") this.cycle(name === "n" ? 1 : -1);
    else if (name === "r") this.turnByKey();
    else if (name === "Escape") this.escape();
    else this.layOrLift();
  }

  step(rows, cols) {
    const { puzzle, cursor } = this.stage;
    const row = Math.min(Math.max(Math.floor(cursor / puzzle.cols) + rows, 0), puzzle.rows - 1);
    const col = Math.min(Math.max(cursor % puzzle.cols + cols, 0), puzzle.cols - 1);
    this.stage.cursor = row * puzzle.cols + col;
    this.float();
    this.tell(this.where());
  }

  where() {
    const { puzzle, cursor } = this.stage;
    const lying = this.stage.pieceOn(cursor);
    const what = lying < 0 ? "empty" : `piece ${lying + 1}`;
    return `Row ${Math.floor(cursor / puzzle.cols) + 1}, column ${(cursor % puzzle.cols) + 1}: ${what}.`;
  }

  // The held piece hovers over the cursor, as far as the table goes.
  float() {
    const { stage } = this;
    if (stage.held >= 0) {
      const { x, y } = stage.slotCentre(stage.cursor);
      const piece = stage.pieces[stage.held];
      const { height } = stage.puzzle;
      Object.assign(piece, { x, y: Math.max(y - 0.18 * height, 0.5 * piece.scale * height) });
    }
    stage.draw();
  }

  cycle(direction) {
    const before = this.stage.held;
    this.putBack();
    const pile = this.stage.slots.flatMap((slot, i) => (slot < 0 ? [i] : []));
    if (!pile.length) return this.tell("The pile is empty.");
    const at = pile.indexOf(before);
    const from = at < 0 ? (direction > 0 ? -1 : 0) : at;
    const i = pile[(from + direction + pile.length) % pile.length];
    this.take(i);
    this.float();
    this.tell(`Piece ${i + 1} in hand, ${pile.length} in the pile. ${this.where()}`);
  }

  layOrLift() {
    const { stage } = this;
    if (stage.held >= 0) {
      const i = stage.held;
      this.tell(`Piece ${i + 1} laid.`);
      return this.layOn(stage.cursor);
    }
    const lying = stage.pieceOn(stage.cursor);
    if (lying < 0) return this.tell(`${this.where()} Press N to take a piece.`);
    this.take(lying);
    this.float();
    this.tell(`Piece ${lying + 1} in hand.`);
  }

  turnByKey() {
    if (this.stage.held < 0 || !this.turnable) return;
    this.turn();
    this.tell("Turned.");
  }

  escape() {
    if (this.stage.held < 0) return;
    this.putBack();
    this.tell("Put back.");
  }
}
