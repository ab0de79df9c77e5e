// Asking the server for solutions, and showing them on the tables.
import * as api from "./api.js";
import { solveFields } from "./puzzle.js";

// What the server answers for this puzzle, or for so many that are mixed in it.
export function ask(puzzle, solver, rotated, signal, puzzles = 1) {
  return api.solve(solveFields(puzzle, solver, rotated, puzzles), signal);
}

// One solver a lane; gives back what they answered, `answered(all)` hears of every answer, and whether it is the last.
async function solveEach(lanes, puzzle, { solver, versus }, rotated, signal, answered) {
  const names = versus ? [solver, versus] : [solver];
  let open = names.length;
  const solved = await Promise.allSettled(names.map(async (name, k) => {
    const answer = await ask(puzzle, name, rotated, signal);
    open -= 1;
    answered(!open);
    await lanes.list[k].show(answer, signal);
    return answer;
  }));
  const failed = solved.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return solved.map((one) => one.value);
}

// A lane for every puzzle of the pile; gives back what was answered.
async function solveMixed(lanes, puzzle, { solver, puzzles }, rotated, signal, answered) {
  const answer = await ask(puzzle, solver, rotated, signal, puzzles);
  answered(true);
  await lanes.showParts(answer.puzzles, signal);
  return [answer];
}

export function solveOn(lanes, puzzle, settings, ...others) {
  return (settings.puzzles > 1 ? solveMixed : solveEach)(lanes, puzzle, settings, ...others);
}
