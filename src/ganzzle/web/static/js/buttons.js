// Which buttons above the table can be pressed, and what they say.
import { byId } from "./dom.js";

let left = null; // a button that could not be pressed any more while it had the focus

// `answered`: the solvers are done, and their answers are being laid; `over`: somebody has won the race.
export function showButtons(state, puzzle, { answered, over }) {
  const busy = state === "loading" || !puzzle;
  const [shuffle, solve, race] = ["shuffle", "solve", "race"].map(byId);
  shuffle.disabled = busy || state === "solving" || puzzle === true; // pages that pieces lie on are not shuffled
  solve.disabled = busy || state === "race";
  solve.textContent = state !== "solving" ? "Solve" : answered ? "Skip" : "Stop";
  // The next step of somebody who is here for the first time stands out.
  shuffle.classList.toggle("primary", state === "whole");
  solve.classList.toggle("primary", state !== "whole" && state !== "race");
  race.disabled = busy || !puzzle?.truth || state === "solving";
  race.textContent = state !== "race" ? "Race the machine" : over ? "Race again" : "Give up";
  byId("pace").disabled = race.disabled || (state === "race" && !over);
  race.parentElement.hidden = Boolean(puzzle && !puzzle.truth); // with such a pile nobody knows who has won
  keepFocus([shuffle, solve, race]);
}

// A browser takes the focus from a button that is disabled; the keyboard finds it there again afterwards.
function keepFocus(buttons) {
  const focused = document.activeElement;
  if (buttons.includes(focused)) left = focused.disabled ? focused : null;
  else if (focused && focused !== document.body) left = null; // its user went elsewhere
  if (!left || left.disabled) return;
  left.focus({ preventScroll: true });
  left = null;
}
