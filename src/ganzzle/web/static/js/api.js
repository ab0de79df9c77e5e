// Talking to the server. Every failure becomes an Error with a sentence to show, `passing` where it may work a little
// later; an abort stays an AbortError.
const BUSY = [408, 429, 503];

async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw Object.assign(new Error("The server cannot be reached. Is “ganzzle serve” still running?"), { passing: true });
  }
  let answer;
  try {
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(`The server answered in a way this page does not understand (${response.status}).`);
  }
  if (!response.ok) {
    const error = new Error(answer.error || `The server refused this (${response.status}).`);
    const { status } = response;
    throw Object.assign(error, { status, passing: BUSY.includes(status), unreadable: Boolean(answer.unreadable) });
  }
  return answer;
}

function form(values) {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one instanceof Blob) data.append(name, one, one.name || "pieces.png");
      else if (one !== null && one !== undefined && one !== "") data.append(name, String(one));
    }
  }
  return data;
}

const post = (path, values, signal) => request(path, { method: "POST", body: form(values), signal });

export const health = () => request("/api/health");
export const solvers = () => request("/api/solvers");
export const samples = () => request("/api/samples");
export const shuffle = (values, signal) => post("/api/shuffle", values, signal);
export const pile = (values, signal) => post("/api/pile", values, signal);
export const solve = (values, signal) => post("/api/solve", values, signal);

export function blobOf(dataAddress) {
  const text = atob(dataAddress.slice(dataAddress.indexOf(",") + 1));
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  return new Blob([bytes], { type: "image/png" });
}
