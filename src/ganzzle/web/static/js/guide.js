// A guide for the hand: the photo of loose pieces with row and column on each, the right way up. The command line draws
// the same; here it follows what lies on the table, also after a piece was moved by hand.
import { download } from "./dom.js";

const PIXELS = 16e6; // of a canvas that every browser has
const [TALL, SMALLEST, WIDEST] = [0.3, 10, 0.8]; // of a label: share of a piece's side, px, share of the side
const [INK, PAPER, LINE] = ["white", "rgba(20, 24, 32, 0.8)", "rgb(255, 64, 64)"];

const middle = (points) => [0, 1].map((k) => points.reduce((sum, point) => sum + point[k], 0) / points.length);
const distance = (one, other) => Math.hypot(other[0] - one[0], other[1] - one[1]);

function line(context, from, to, width) {
  Object.assign(context, { strokeStyle: LINE, lineWidth: width });
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

// Row and column on a piece that is upright after some quarter turns, and a line at the side that is up then.
function label(context, corners, turn, text) {
  const [begin, end] = [corners[turn % 4], corners[(turn + 1) % 4]];
  const centre = middle(corners);
  const side = Math.min(distance(corners[0], corners[1]), distance(corners[1], corners[2]));
  const inward = (point) => point.map((value, k) => value + 0.08 * (centre[k] - (begin[k] + end[k]) / 2));
  line(context, inward(begin), inward(end), Math.max(2, side / 24));
  context.save();
  context.translate(...centre);
  context.rotate(Math.atan2(end[1] - begin[1], end[0] - begin[0]));
  const size = Math.max(SMALLEST, TALL * side);
  context.font = `${size}px system-ui, sans-serif`;
  const wide = context.measureText(text).width + size / 2;
  const shrink = Math.min(1, (WIDEST * side) / wide);
  context.scale(shrink, shrink);
  context.fillStyle = PAPER;
  context.fillRect(-wide / 2, -0.6 * size, wide, 1.2 * size);
  Object.assign(context, { fillStyle: INK, textAlign: "center", textBaseline: "middle" });
  context.fillText(text, 0, 0.04 * size);
  context.restore();
}

// Where the browser cannot read the photo, such as a TIFF, its pieces on a plain ground where they lie in it.
function layPieces(context, { sheet, layout, cells, width, height, corners }) {
  corners.forEach(([origin, right, , below], i) => {
    const [across, down] = [[right, width], [below, height]].map(([end, size]) => origin.map((from, k) => (end[k] - from) / size));
    context.save();
    context.transform(...across, ...down, ...origin);
    const [x, y] = [cells[i] % layout[1], Math.floor(cells[i] / layout[1])];
    context.drawImage(sheet, x * width, y * height, width, height, 0, 0, width, height);
    context.restore();
  });
}

// A JPEG file; `puzzle` is one of loose pieces in its `photo`, `pieces` say where they lie on the table.
async function draw(puzzle, pieces) {
  const photo = await createImageBitmap(puzzle.photo).catch(() => null);
  const [right, bottom] = [0, 1].map((k) => 1.02 * Math.max(...puzzle.corners.flat().map((corner) => corner[k])));
  const [width, height] = photo ? [photo.width, photo.height] : [right, bottom];
  const scale = Math.min(1, Math.sqrt(PIXELS / (width * height)));
  const canvas = new OffscreenCanvas(Math.round(scale * width), Math.round(scale * height));
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  if (photo) context.drawImage(photo, 0, 0);
  else layPieces(context, puzzle);
  photo?.close();
  pieces.forEach(({ slot, turn }, i) => {
    const [a, b, c, d] = puzzle.corners[i];
    if (slot >= 0) return label(context, [a, b, c, d], turn, `${Math.floor(slot / puzzle.cols) + 1},${(slot % puzzle.cols) + 1}`);
    line(context, a, c, 3); // left over
    line(context, b, d, 3);
  });
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
}

export class Guide {
  // `figure` holds a link with the picture, `button` saves it.
  constructor(figure, button) {
    Object.assign(this, { figure, button, file: null, latest: 0 });
    this.hide();
  }

  hide() {
    this.latest += 1; // one that is being drawn is not shown any more
    this.file = null;
    this.figure.hidden = this.button.hidden = true;
    URL.revokeObjectURL(this.figure.querySelector("a").href);
  }

  // Draw the guide to what lies on this table and show it, if it is made of loose pieces.
  async show({ puzzle, pieces }) {
    this.hide();
    if (!puzzle.corners) return;
    const { latest } = this;
    const file = await draw(puzzle, pieces).catch(() => null); // too large for this browser
    if (!file || latest !== this.latest) return;
    this.file = file;
    const [link, image] = ["a", "img"].map((name) => this.figure.querySelector(name));
    image.src = link.href = URL.createObjectURL(file);
    this.figure.hidden = this.button.hidden = false;
  }

  save(name) {
    download(this.file, name);
  }
}
