// A film of a table while something is shown on it.
import { reducedMotion } from "./dom.js";

const TYPES = ["video/mp4;codecs=avc1", "video/webm"]; // the first is played everywhere, the second is made everywhere
const FRAMES = 30; // a second
const BITS = 8e6; // a second
const AFTERWARDS = 1500; // ms the finished picture is looked at

const type = () => TYPES.find((one) => globalThis.MediaRecorder?.isTypeSupported(one));

// Whether this browser makes films, and its user wants to see things move.
export const canFilm = () => Boolean(type()) && !reducedMotion();

// Gives back the film of all that happens on this canvas until `show()` has ended; `signal` ends it at once.
export async function film(canvas, show, signal) {
  const even = (side) => 2 * Math.ceil(side / 2); // as a film's sides must be
  const copy = Object.assign(document.createElement("canvas"), { width: even(canvas.width), height: even(canvas.height) });
  const context = copy.getContext("2d");
  context.fillStyle = getComputedStyle(canvas.parentElement).backgroundColor;
  let frame = 0;
  const draw = () => {
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(canvas, 0, 0);
    frame = requestAnimationFrame(draw);
  };
  const recorder = new MediaRecorder(copy.captureStream(FRAMES), { mimeType: type(), videoBitsPerSecond: BITS });
  const parts = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  const ended = new Promise((resolve) => { recorder.addEventListener("stop", resolve); });
  draw();
  recorder.start();
  try {
    await show();
    if (!signal.aborted) await new Promise((resolve) => { setTimeout(resolve, AFTERWARDS); });
  } finally {
    recorder.stop();
    await ended;
    cancelAnimationFrame(frame);
  }
  return new Blob(parts, { type: type().split(";")[0] });
}
