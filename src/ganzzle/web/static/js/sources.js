// Where a puzzle comes from: a sample, a picture of your own, or a real pile.
import * as api from "./api.js";
import { byId } from "./dom.js";
import { readPuzzle } from "./puzzle.js";
import { pictureToSend, pileToSend } from "./reduce.js";
import { corruption } from "./settings.js";

const own = { picture: [], pile: [] }; // the files the user opened

export async function listSamples() {
  const found = await api.samples();
  byId("samples").replaceChildren(); // those of an earlier, unlucky begin
  for (const { name, title } of found) addThumb(name, title, `/api/samples/${encodeURIComponent(name)}`);
  const first = document.querySelector('#samples input[name="sample"]');
  if (first) first.checked = true;
}

const radios = () => [...document.querySelectorAll('#samples input[name="sample"]')];

function addThumb(value, title, address) {
  const label = document.createElement("label");
  label.title = title;
  const radio = Object.assign(document.createElement("input"), { type: "radio", name: "sample", value });
  const icon = (text) => Object.assign(document.createElement("span"), { className: "pile-icon", textContent: text });
  const view = address ? Object.assign(new Image(), { src: address, alt: "" }) : icon(title);
  const name = Object.assign(document.createElement("span"), { className: "name", textContent: title });
  view.addEventListener("error", () => view.replaceWith(icon("yours"))); // a TIFF, which the server reads
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

// Take files the user opened or dropped and choose them; gives back what undoes it.
export function take(files, asPile) {
  const kind = asPile || files.length > 1 ? "pile" : "picture";
  const before = own[kind];
  const chosen = radios().find((radio) => radio.checked)?.value;
  const [find, missing, turn, puzzles, { dataset }] = ["find-grid", "some-missing", "may-turn", "puzzles", "puzzles-set"].map(byId);
  const say = (found, gone, turned, mixed) => {
    [find.checked, missing.checked, turn.checked, puzzles.value] = [found, gone, turned, mixed];
  };
  const said = [find.checked, missing.checked, turn.checked, puzzles.value];
  const { pieces } = dataset;
  put(kind, files);
  if (kind === "pile") say(true, false, false, 1); // what was said of other files says nothing of these
  return () => {
    put(kind, before);
    if (pieces) dataset.pieces = pieces;
    say(...said);
    const radio = radios().find(({ value }) => value === chosen);
    if (radio) radio.checked = true;
  };
}

function put(kind, files) {
  own[kind] = files;
  if (kind === "pile") byId("puzzles-set").dataset.pieces = files.length > 1 ? files.length : 0; // one is a picture of them
  radios().find(({ value }) => value === `:${kind}`)?.closest("label").remove();
  if (!files.length) return;
  const [title, address] = files.length > 1 ? [`${files.length} pieces`, ""]
    : [`Your ${kind === "pile" ? "pieces" : "picture"}: ${files[0].name}`, URL.createObjectURL(files[0])];
  const radio = addThumb(`:${kind}`, title, address);
  radio.checked = true;
  radio.closest("label").scrollIntoView({ block: "nearest" }); // a narrow screen scrolls the row
}

// What the user's own files are called, where such are chosen.
export function ownName(sample) {
  const files = own[sample.slice(1)];
  if (!sample.startsWith(":") || !files.length) return "";
  return files.length > 1 ? `your ${files.length} pieces` : files[0].name;
}

export async function fetchPuzzle(settings, seed, signal) {
  const grid = settings.findGrid ? "" : `${settings.rows}x${settings.cols}`;
  if (settings.pile) {
    const { pile } = own;
    const { files, megapixels } = await pileToSend(pile);
    const sent = files.length > 1 ? { pieces: files } : { picture: files[0] };
    const { puzzles, someMissing: missing } = settings;
    const answer = await api.pile({ ...sent, grid, missing, puzzles }, signal);
    if (answer.kind) return { scans: answer, sent: files }; // pages of jigsaw pieces or strips
    const puzzle = await readPuzzle(answer, pile, puzzles);
    return { ...puzzle, files: files === pile ? puzzle.files : pile, photo: files[0], megapixels };
  }
  const mine = settings.sample === ":picture";
  const source = mine ? { picture: await pictureToSend(own.picture[0]) } : { sample: settings.sample };
  const fields = { ...source, grid, seed, corrupt: corruption(settings), rotated: settings.rotated };
  return readPuzzle(await api.shuffle(fields, signal));
}
