// Files and folders dropped anywhere on the page.
import { byId, showError } from "./dom.js";

// The files of a drop, a folder standing for the files in it.
async function droppedFiles({ items }) {
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

// `open(files)` takes what was dropped.
export function listenToDrops(open) {
  let depth = 0;
  const withFiles = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragenter", (event) => { if (withFiles(event)) byId("drop").hidden = ++depth < 1; });
  addEventListener("dragleave", (event) => { if (withFiles(event)) byId("drop").hidden = --depth < 1; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    byId("drop").hidden = true;
    droppedFiles(event.dataTransfer).then(
      (files) => (files.length ? open(files) : showError("There is no file in this folder.")),
      () => showError("What was dropped cannot be read."));
  });
}
