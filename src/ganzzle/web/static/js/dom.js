// Small helpers for the page.
export const byId = (id) => document.getElementById(id);

export function say(text) {
  const status = byId("status");
  if (status.textContent !== text) status.textContent = text;
}

// `again()` is offered where it may help to do the same once more.
export function showError(text, again = null) {
  const [box, button] = ["error", "again"].map(byId);
  box.hidden = !text;
  box.querySelector("p").textContent = text || "";
  button.hidden = !again;
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
