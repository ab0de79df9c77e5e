// The mental image on a table: it comes into focus before a piece is laid, fades under the pieces, and can cover them.
import { reducedMotion } from "./dom.js";

const FOCUS = 1500; // ms in which it comes into focus
const GAZE = 700; // ms it is looked at before the first piece is laid
const VEIL = 350; // ms in which it covers the pieces
const COARSEST = 3; // px across at first
const FADED = 0.5; // how much of it is gone when half of the pieces are laid

const share = (now, start, length) => Math.min(1, Math.max(0, (now - start) / length));

export class MentalImage {
  constructor() {
    this.clear();
  }

  clear() {
    Object.assign(this, { image: null, dreamt: -Infinity, covers: false, turned: -Infinity });
  }

  show(image) {
    this.clear();
    this.image = image;
  }

  // Begin to come into focus; for somebody who wants no motion it is there at once.
  dream(image, now) {
    this.show(image);
    this.dreamt = reducedMotion() ? now - FOCUS : now;
  }

  // Cover the pieces, or show them again.
  cover(covers, now) {
    if (covers !== this.covers) Object.assign(this, { covers, turned: reducedMotion() ? -Infinity : now });
  }

  // End all change now.
  finish() {
    this.dreamt = this.turned = -Infinity;
  }

  dreaming(now) {
    return now < this.dreamt + FOCUS + GAZE;
  }

  changing(now) {
    return this.dreaming(now) || now < this.turned + VEIL;
  }

  // Under the pieces, of which this share is laid; in the end it fills the slots that stay empty.
  paintUnder(context, board, laid, now) {
    if (!this.image) return;
    const clear = share(now, this.dreamt, FOCUS);
    context.globalAlpha = Math.min(1, 3 * clear) * (1 - FADED * 4 * laid * (1 - laid));
    draw(context, board, clear < 1 ? coarse(this.image, clear ** 2) : this.image);
  }

  // As it is, where nothing moves.
  fill(context, board) {
    if (this.image) draw(context, board, this.image);
  }

  paintOver(context, board, now) {
    if (!this.image) return;
    const done = share(now, this.turned, VEIL);
    const alpha = this.covers ? done : 1 - done;
    if (!alpha) return;
    context.globalAlpha = alpha;
    draw(context, board, this.image);
  }
}

function draw(context, { x, y, width, height }, image) {
  const smooth = context.imageSmoothingEnabled;
  context.imageSmoothingEnabled = true;
  context.drawImage(image, x, y, width, height);
  context.imageSmoothingEnabled = smooth;
  context.globalAlpha = 1;
}

// The image with few pixels, which blur into each other when it is drawn large.
function coarse(image, clarity) {
  const [width, height] = [image.naturalWidth, image.naturalHeight].map((side) => (
    Math.max(COARSEST, Math.round(clarity * side))));
  const small = new OffscreenCanvas(width, height);
  const context = small.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  return small;
}
