// Where a puzzle comes from: a sample, a picture of your own, or a real pile.
import * as api from "./api.js";
import { byId } from "./dom.js";
import { readPuzzle } from "./puzzle.js";
import { corruption } from "./settings.js";

const own = { picture: null, pile: null }; // the files the user opened

export async function listSamples() {
  for (const { name, title } of await api.samples()) addThumb(name, title, `/api/samples/${encodeURIComponent(name)}`);
  const first = document.querySelector('#samples input[name="sample"]');
  if (first) first.checked = true;
}

function addThumb(value, title, address) {
  document.querySelector(`#samples input[value="${CSS.escape(value)}"]`)?.closest("label").remove();
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

// Take files the user opened or dropped; gives back the radio button that now stands for them.
export function take(files, asPile) {
  if (asPile || files.length > 1) {
    own.pile = files;
    return addThumb(":pile", files.length > 1 ? `${files.length} pieces` : "scrambled", "");
  }
  own.picture = files[0];
  return addThumb(":picture", `Your picture ${files[0].name}`, URL.createObjectURL(files[0]));
}

export const isPile = (settings) => settings.sample === ":pile";
export const isPileOfFiles = (settings) => isPile(settings) && own.pile.length > 1;

export async function fetchPuzzle(settings, seed, signal) {
  const grid = `${settings.rows}x${settings.cols}`;
  if (isPile(settings)) {
    const files = isPileOfFiles(settings)
      ? { pieces: [...own.pile], grid: byId("find-grid").checked ? "" : grid }
      : { picture: own.pile[0], grid };
    return readPuzzle(await api.pile(files, signal));
  }
  const source = settings.sample === ":picture" ? { picture: own.picture } : { sample: settings.sample };
  const fields = { ...source, grid, seed, corrupt: corruption(settings), rotated: settings.rotated };
  return readPuzzle(await api.shuffle(fields, signal));
}
