// The solved picture at the size of the user's own files, for a table that shows a reduced one.
import { TURNS } from "./geometry.js";
import { exact } from "./puzzle.js";

// `files` are the pieces, or the one picture that is a scrambled grid; `mental` fills the empty slots. Rejects where the browser cannot read them, and
// where pieces of the size `full` do not fill that picture.
export async function fullPicture({ files, rows, cols, full }, pieces, mental) {
  const sheet = files.length === 1 && pieces.length > 1 ? await createImageBitmap(files[0], exact) : null;
  if (sheet && (sheet.height !== rows * full[0] || sheet.width !== cols * full[1])) throw new Error("gutters or a frame");
  let [canvas, context, width, height] = [];
  for (const [i, { slot, turn }] of pieces.entries()) {
    if (slot < 0) continue; // left over
    const source = sheet || (await createImageBitmap(files[i], exact));
    if (!canvas) {
      [width, height] = sheet ? [sheet.width / cols, sheet.height / rows] : [source.width, source.height];
      canvas = new OffscreenCanvas(cols * width, rows * height);
      context = canvas.getContext("2d");
      context.fillRect(0, 0, canvas.width, canvas.height); // empty slots are black where nothing was imagined
      mental.fill(context, { x: 0, y: 0, width: canvas.width, height: canvas.height });
      context.fillStyle = "white"; // under transparent pieces, as on the server
    }
    const [x, y] = sheet ? [(i % cols) * width, Math.floor(i / cols) * height] : [0, 0];
    const piece = [-width / 2, -height / 2, width, height];
    context.setTransform(...TURNS[turn], (slot % cols + 0.5) * width, (Math.floor(slot / cols) + 0.5) * height);
    context.fillRect(...piece);
    context.drawImage(source, x, y, width, height, ...piece);
    if (!sheet) source.close();
  }
  return canvas.convertToBlob({ type: "image/png" });
}
