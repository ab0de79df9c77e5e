// Small helpers for the page.
export const byId = (id) => document.getElementById(id);

const [SOON, LONG] = [5, 15]; // s after which it is said how long something takes, and that this is long
let counting = 0; // timer of what is being said

// `counts`: this takes a while, and the eye is told how long; a screen reader is not told every second.
export function say(text, counts = false) {
  const [status, since] = ["status", "since"].map(byId);
  clearInterval(counting);
  since.textContent = "";
  since.toggleAttribute("data-counts", counts);
  if (status.textContent !== text) status.textContent = text;
  if (!counts) return;
  const begun = performance.now();
  counting = setInterval(() => {
    const seconds = Math.floor((performance.now() - begun) / 1000);
    if (seconds >= SOON) since.textContent = `, ${seconds} s${seconds >= LONG ? ": a hard one" : ""}`;
  }, 1000);
}

// `again()` is offered where it may help to do the same once more, or what `word` says.
export function showError(text, again = null, word = "Try again") {
  const [box, button] = ["error", "again"].map(byId);
  box.hidden = !text;
  box.querySelector("p").textContent = text || "";
  button.hidden = !again;
  button.textContent = word;
  button.onclick = () => { closeError(); again(); };
  const typing = document.activeElement?.type === "number"; // its field stays where it is
  if (text && !typing) box.scrollIntoView({ block: "nearest" });
}

// The focus was on a button of the box, and stays near.
export function closeError() {
  showError("");
  byId("play").focus({ preventScroll: true });
}

export function setState(state) {
  document.body.dataset.state = state;
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function clock(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
