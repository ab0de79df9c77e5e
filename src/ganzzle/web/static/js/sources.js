// Where a puzzle comes from: a sample, a picture of your own, or a real pile.
import * as api from "./api.js";
import { byId } from "./dom.js";
import { readPuzzle } from "./puzzle.js";
import { corruption } from "./settings.js";

const own = { picture: [], pile: [] }; // the files the user opened

export async function listSamples() {
  for (const { name, title } of await api.samples()) addThumb(name, title, `/api/samples/${encodeURIComponent(name)}`);
  const first = document.querySelector('#samples input[name="sample"]');
  if (first) first.checked = true;
}

const radios = () => [...document.querySelectorAll('#samples input[name="sample"]')];

function addThumb(value, title, address) {
  const label = document.createElement("label");
  label.title = title;
  const radio = Object.assign(document.createElement("input"), { type: "radio", name: "sample", value });
  const view = address ? Object.assign(new Image(), { src: address, alt: "" }) : document.createElement("span");
  if (!address) Object.assign(view, { className: "pile-icon", textContent: title });
  const name = Object.assign(document.createElement("span"), { className: "name", textContent: title });
  label.append(radio, view, ...(address ? [name] : []));
  byId("samples").append(label);
  return radio;
}

// What is no picture, such as a puzzle.json, is left out; unless there is nothing else: then the server says what is wrong.
export function picturesAmong(files) {
  const found = files.filter(({ name, type }) => (
    !name.startsWith(".") && (type.startsWith("image/") || /\.(png|jpe?g|webp|tiff?|bmp)$/i.test(name))));
  return found.length ? found : files;
}

// The files of a drop, a folder standing for the files in it.
export async function droppedFiles({ items }) {
  // All entries are asked for at once: after the event there are none.
  const found = [...items].map((item) => item.webkitGetAsEntry() || item.getAsFile());
  return (await Promise.all(found.map(filesOf))).flat();
}

async function filesOf(found) {
  if (!found || found instanceof File) return found || [];
  if (found.isFile) return new Promise((resolve, reject) => { found.file(resolve, reject); });
  const reader = found.createReader();
  const inside = [];
  let some;
  do { // a reader gives some at a time, at the end none
    some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    inside.push(...some);
  } while (some.length);
  return Promise.all(inside.filter((one) => one.isFile).map(filesOf));
}

// Take files the user opened or dropped and choose them; gives back what undoes it.
export function take(files, asPile) {
  const kind = asPile || files.length > 1 ? "pile" : "picture";
  const before = own[kind];
  const chosen = radios().find((radio) => radio.checked)?.value;
  put(kind, files);
  byId("find-grid").checked = true; // what was said of other files says nothing of these
  return () => {
    put(kind, before);
    const radio = radios().find(({ value }) => value === chosen);
    if (radio) radio.checked = true;
  };
}

function put(kind, files) {
  own[kind] = files;
  radios().find(({ value }) => value === `:${kind}`)?.closest("label").remove();
  if (!files.length) return;
  const [title, address] = kind === "picture" ? [`Your picture ${files[0].name}`, URL.createObjectURL(files[0])]
    : [files.length > 1 ? `${files.length} pieces` : "scrambled", ""];
  addThumb(`:${kind}`, title, address).checked = true;
}

export async function fetchPuzzle(settings, seed, signal) {
  const grid = settings.findGrid ? "" : `${settings.rows}x${settings.cols}`;
  if (settings.pile) {
    const files = own.pile.length > 1 ? { pieces: own.pile } : { picture: own.pile[0] };
    return readPuzzle(await api.pile({ ...files, grid }, signal), own.pile);
  }
  const source = settings.sample === ":picture" ? { picture: own.picture[0] } : { sample: settings.sample };
  const fields = { ...source, grid, seed, corrupt: corruption(settings), rotated: settings.rotated };
  return readPuzzle(await api.shuffle(fields, signal));
}
