// The user's own files, made ready for the server.
import * as api from "./api.js";

const SIDE = 1920; // px of a picture to cut; twice the longest side on the page
const PIXELS = 16e6; // of a canvas that every browser has
const ROOM = 0.95; // share of a limit that is filled: a form holds more than files
const TAKEN = ["image/png", "image/jpeg", "image/webp", "image/tiff", "image/bmp"]; // by the server
const JPEG = { type: "image/jpeg", quality: 0.95 };
const PNG = { type: "image/png" };

const ready = new WeakMap(); // a file or a list of them -> promise of what is sent

function once(files, make) {
  if (!ready.has(files)) {
    const made = make(files);
    ready.set(files, made);
    made.catch(() => ready.delete(files)); // the next try may do better
  }
  return ready.get(files);
}

// A picture to cut: the page shows a reduced one, and it is sent anew with every change of the form, which a slow network
// feels. What the browser cannot read goes as it is: the server may, or it says what is wrong.
export const pictureToSend = (file) => once(file, async () => {
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const shrink = Math.min(1, SIDE / Math.max(picture.width, picture.height));
  if (shrink === 1 && TAKEN.includes(file.type)) return file;
  return drawn(picture, shrink, file.name, shrink < 1 ? JPEG : PNG);
});

const foreign = ({ type }) => type.startsWith("image/") && !TAKEN.includes(type);

// The files of a pile: as they are, unless the server would refuse their kind, so many bytes or so many pixels. Then all
// are reduced alike, and `megapixels` says from how many to how many; the seams of piece files are kept from JPEG.
export const pileToSend = (files) => once(files, async () => {
  const [limits, each] = await Promise.all([known(), pixelsOf(files[0])]); // pieces are of one size
  const pixels = files.length * each;
  const room = ROOM * limits.bytes;
  const small = pixels <= limits.pixels && bytesOf(files) < room;
  if (!pixels || (small && !files.some(foreign))) return { files, megapixels: null };
  let shrink = Math.min(1, Math.sqrt((ROOM * Math.min(PIXELS, limits.pixels)) / pixels));
  let smaller = await allDrawn(files, shrink);
  if (bytesOf(smaller) >= room) {
    shrink *= ROOM * Math.sqrt(room / bytesOf(smaller));
    smaller = await allDrawn(files, shrink);
  }
  return { files: smaller, megapixels: shrink < 1 ? [pixels, shrink ** 2 * pixels].map((one) => one / 1e6) : null };
});

// The server's limits; where it does not say them it is left to judge, unless it is only away or busy.
const known = () => api.health().then(({ limits }) => limits, (error) => {
  if (error.passing) throw error;
  return { bytes: Infinity, pixels: Infinity };
});

const bytesOf = (files) => files.reduce((sum, { size }) => sum + size, 0);

async function allDrawn(files, shrink) {
  const format = files.length > 1 || shrink === 1 ? PNG : JPEG;
  const smaller = [];
  for (const file of files) { // one after the other, for the memory's sake
    const picture = await createImageBitmap(file).catch(() => null);
    smaller.push(picture ? await drawn(picture, shrink, file.name, format) : file);
  }
  return smaller;
}

// From the head of a file alone; 0 where the browser cannot read it.
function pixelsOf(file) {
  return new Promise((resolve) => {
    const image = new Image();
    const tell = () => {
      URL.revokeObjectURL(image.src);
      resolve(image.naturalWidth * image.naturalHeight);
    };
    Object.assign(image, { onload: tell, onerror: tell, src: URL.createObjectURL(file) });
  });
}

async function drawn(picture, shrink, name, format) {
  const [width, height] = [picture.width, picture.height].map((side) => Math.max(1, Math.floor(shrink * side)));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "white"; // under a transparent picture, as on the server
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, width, height);
  picture.close();
  return new File([await canvas.convertToBlob(format)], name, { type: format.type });
}
