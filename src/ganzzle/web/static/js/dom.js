// Small helpers for the page.
export const byId = (id) => document.getElementById(id);

export function say(text) {
  const status = byId("status");
  if (status.textContent !== text) status.textContent = text;
}

export function showError(text) {
  const box = byId("error");
  box.hidden = !text;
  box.querySelector("p").textContent = text || "";
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
