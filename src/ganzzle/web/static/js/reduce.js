// A picture of the user's own, made ready for the server: the page shows a reduced one, and it is sent anew with every
// change of the form, which a slow network feels.
const SIDE = 1920; // px; twice the longest side on the page
const TAKEN = ["image/png", "image/jpeg", "image/webp", "image/tiff", "image/bmp"]; // by the server

const ready = new WeakMap(); // file -> promise of what is sent

export function readyToSend(file) {
  if (!ready.has(file)) ready.set(file, reduced(file));
  return ready.get(file);
}

// What the browser cannot read goes as it is: the server may, or it says what is wrong.
async function reduced(file) {
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const shrink = Math.min(1, SIDE / Math.max(picture.width, picture.height));
  if (shrink === 1 && TAKEN.includes(file.type)) return file;
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.round(shrink * side)));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "white"; // under a transparent picture, as on the server
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  picture.close();
  const [type, quality] = shrink < 1 ? ["image/jpeg", 0.95] : ["image/png"];
  return new File([await canvas.convertToBlob({ type, quality })], file.name, { type });
}
