// Real pieces on their pages: jigsaw pieces and strips lift off the sheets and fly to where they belong.
import * as api from "./api.js";
import { byId, download, reducedMotion, say } from "./dom.js";
import { duration } from "./words.js";

const [FLIGHT, ALL] = [700, 5000]; // ms that one piece flies, and about all of them together
const GAP = 12; // px of the table between pages
const WORDS = { cut: ["jigsaw piece", "jigsaw pieces"], strips: ["strip", "strips"] };

let table = null; // what is on it now: see `show`

const ease = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (2 - 2 * t) ** 3 / 2);
const many = (count, kind) => `${count} ${WORDS[kind][count === 1 ? 0 : 1]}`;
const onPages = (pages, count) => (pages > 1 && pages < count ? ` on ${pages} pages` : "");

// What the server saw on the pages of these files, which were sent, as a table; nothing is laid yet.
export async function show(files, answer) {
  const images = await Promise.all(answer.pages.map(({ image }) => createImageBitmap(api.blobOf(image))));
  table = { files, answer, images, sprites: answer.outlines.map((one) => sprite(one, answer.pages, images)) };
  const canvas = document.createElement("canvas");
  canvas.id = "scans-canvas";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "The pages with the pieces, and the picture they make");
  byId("scans-sheet").replaceChildren(canvas);
  byId("scans").hidden = false;
  byId("lanes").replaceChildren();
  byId("scans-result").hidden = true;
  drawPages();
  byId("scans-complaints").replaceChildren(...answer.complaints.map((text) => (
    Object.assign(document.createElement("li"), { textContent: text }))));
  say(`${many(answer.count, answer.kind)}${onPages(images.length, answer.count)}. Press Solve.`);
}

// Away with it: something else is on the table.
export function clear() {
  table = null;
  byId("scans").hidden = true;
  byId("scans-sheet").replaceChildren();
}

// A piece cut out of its page: its picture, and where its upper left corner lies on the page, in px of the shown page.
function sprite({ page, points }, pages, images) {
  const { scale } = pages[page];
  const at = points.map(([x, y]) => [x * scale, y * scale]);
  const [xs, ys] = [at.map(([x]) => x), at.map(([, y]) => y)];
  const [left, top] = [Math.floor(Math.min(...xs)), Math.floor(Math.min(...ys))];
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.ceil(Math.max(...xs)) - left);
  canvas.height = Math.max(1, Math.ceil(Math.max(...ys)) - top);
  const pen = canvas.getContext("2d");
  pen.beginPath();
  at.forEach(([x, y]) => pen.lineTo(x - left, y - top));
  pen.clip();
  pen.drawImage(images[page], -left, -top);
  return { canvas, left, top, page, scale };
}

// Where the pages lie on the table, next to each other in rows: [x, y, scale] of each, and the table's size.
function pagePlaces(images) {
  const cols = Math.ceil(Math.sqrt(images.length * 1.6));
  const width = Math.max(...images.map((one) => one.width));
  const height = Math.max(...images.map((one) => one.height));
  const rows = Math.ceil(images.length / Math.min(cols, images.length));
  const across = Math.min(cols, images.length);
  const shrink = Math.min(1, 1600 / (across * (width + GAP)));
  const cell = [width * shrink + GAP, height * shrink + GAP];
  const places = images.map((_, k) => [GAP + (k % across) * cell[0], GAP + Math.floor(k / across) * cell[1], shrink]);
  return { places, size: [across * cell[0] + GAP, rows * cell[1] + GAP] };
}

function drawPages() {
  const canvas = byId("scans-canvas");
  const { places, size } = pagePlaces(table.images);
  [canvas.width, canvas.height] = size.map(Math.round);
  const pen = canvas.getContext("2d");
  table.places = places;
  paintPages(pen, 1);
  pen.strokeStyle = getComputedStyle(canvas).getPropertyValue("--accent") || "#e0662f";
  pen.lineWidth = 2;
  for (const { page, points } of table.answer.outlines) {
    const [x, y, shrink] = places[page];
    const factor = shrink * table.answer.pages[page].scale;
    pen.beginPath();
    points.forEach(([px, py]) => pen.lineTo(x + px * factor, y + py * factor));
    pen.closePath();
    pen.stroke();
  }
}

function paintPages(pen, alpha) {
  pen.globalAlpha = alpha;
  table.images.forEach((image, k) => {
    const [x, y, shrink] = table.places[k];
    pen.drawImage(image, x, y, image.width * shrink, image.height * shrink);
  });
  pen.globalAlpha = 1;
}

// Ask the server and lay the pieces.
export async function solve(seed, puzzles, signal) {
  const { files, answer: { kind, count } } = table;
  drawPages();
  const answer = await api.solve({ picture: files, seed, puzzles, with_picture: true, with_guide: true }, signal);
  await landed(answer, signal);
  const left = answer.left_over.length ? `, ${answer.left_over.length} left over` : "";
  say(`${many(count - answer.left_over.length, kind)} laid in ${duration(answer.timings.solve_ms)}${left}. ${answer.advice.join(" ")}`);
}

// Lay an answer before everybody's eyes.
async function landed(answer, signal) {
  if (!reducedMotion()) await flyAll(answer, signal);
  await showPicture(answer.pictures[0]);
  showResult(answer);
}

// Position, angle and scale of each piece's middle on the table, on its page and in the picture.
function flights(answer, size) {
  const [height, width] = answer.size;
  const fit = Math.min(size[0] / width, size[1] / height);
  const off = [(size[0] - fit * width) / 2, (size[1] - fit * height) / 2];
  return table.sprites.map((one, k) => {
    const [x, y, shrink] = table.places[one.page];
    const middle = [one.left + one.canvas.width / 2, one.top + one.canvas.height / 2];
    const from = { x: x + middle[0] * shrink, y: y + middle[1] * shrink, angle: 0, scale: shrink };
    const pose = answer.poses[k];
    if (!pose || answer.puzzle[k] > 0) return { ...one, from, to: null };
    const on = middle.map((value) => value / one.scale);
    const [u, v] = pose.map(([a, b, c]) => a * on[0] + b * on[1] + c);
    const turn = Math.atan2(pose[1][0], pose[0][0]);
    const grow = Math.hypot(pose[0][0], pose[1][0]);
    return { ...one, from, to: { x: off[0] + u * fit, y: off[1] + v * fit, angle: turn, scale: (grow * fit) / one.scale } };
  });
}

function flyAll(answer, signal) {
  const canvas = byId("scans-canvas");
  const pen = canvas.getContext("2d");
  const pieces = flights(answer, [canvas.width, canvas.height]);
  const rank = new Map(answer.order.map((piece, k) => [piece, k]));
  const apart = Math.min(120, ALL / pieces.length);
  const last = pieces.length * apart + FLIGHT;
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const frame = (now) => {
      if (signal?.aborted) return reject(signal.reason);
      const since = now - begun;
      pen.clearRect(0, 0, canvas.width, canvas.height);
      paintPages(pen, Math.max(0.08, 1 - (1.4 * since) / last));
      pieces.forEach((piece, k) => paintFlying(pen, piece, (since - (rank.get(k) ?? 0) * apart) / FLIGHT));
      pen.resetTransform();
      return since < last ? requestAnimationFrame(frame) : resolve();
    };
    requestAnimationFrame(frame);
  });
}

function paintFlying(pen, { canvas, from, to }, time) {
  const t = to ? ease(Math.min(1, Math.max(0, time))) : 0;
  const target = to ?? from;
  const between = (a, b) => a + (b - a) * t;
  const turn = Math.atan2(Math.sin(target.angle - from.angle), Math.cos(target.angle - from.angle));
  const [angle, scale] = [from.angle + turn * t, between(from.scale, target.scale) * (1 + 0.15 * Math.sin(Math.PI * t))];
  const [cos, sin] = [scale * Math.cos(angle), scale * Math.sin(angle)];
  pen.setTransform(cos, sin, -sin, cos, between(from.x, target.x), between(from.y, target.y));
  pen.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
}

// The laid picture takes the place of the pieces, which hides what is between them.
async function showPicture(address) {
  const canvas = byId("scans-canvas");
  const image = await createImageBitmap(api.blobOf(address));
  const fit = Math.min(canvas.width / image.width, canvas.height / image.height);
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, (canvas.width - image.width * fit) / 2, (canvas.height - image.height * fit) / 2,
    image.width * fit, image.height * fit);
}

function showResult(answer) {
  byId("scans-result").hidden = false;
  byId("scans-sure").textContent = `${Math.floor(100 * answer.sure)} %`;
  byId("scans-grid").textContent = answer.grid.join(" × ");
  byId("scans-time").textContent = duration(answer.timings.solve_ms);
  const guides = byId("scans-guides");
  guides.replaceChildren(...answer.guides.map((address, k) => {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(api.blobOf(address)), target: "_blank" });
    link.append(Object.assign(new Image(), { src: address, alt: `Page ${k + 1} with row and column on every piece` }));
    return link;
  }));
  byId("scans-png").onclick = () => answer.pictures.forEach((address, k) => (
    download(api.blobOf(address), k ? `solved-${k + 1}.png` : "solved.png")));
  byId("scans-json").onclick = () => {
    const { placement, grid, page, corners, angle, confidence, puzzle } = answer;
    const text = JSON.stringify({ grid, placement, page, corners, angle, confidence, puzzle }, null, 1);
    download(new Blob([text], { type: "application/json" }), "placement.json");
  };
}

export const isShown = () => table !== null;
