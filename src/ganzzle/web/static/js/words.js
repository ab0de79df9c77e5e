// What the page says of a pile and of a solution.
export const shortList = (names) => names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");

export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

const pieces = (count) => `${count} ${count === 1 ? "piece" : "pieces"}`;
const lost = (count, [rows, cols], puzzles = 1) => {
  const gone = puzzles * rows * cols - count;
  return gone > 0 ? `, ${gone} missing` : "";
};

// A pile or a picture that was just opened, and what to do next.
export function pileSummary({ count, grid, megapixels }, { pile, findGrid, someMissing, puzzles }) {
  const found = findGrid && grid ? `, grid ${grid.join(" × ")}` : "";
  const mixed = puzzles > 1 ? ` of ${puzzles} puzzles` : "";
  const gone = someMissing ? lost(count, grid, puzzles) : "";
  const [before, after] = (megapixels || []).map((one) => (one < 10 ? one.toFixed(1) : Math.round(one)));
  const reduced = megapixels ? ` To send it, the page reduced ${before} megapixels to ${after}.` : "";
  return `${pieces(count)}${mixed}${found}${gone}. Press ${pile ? "Solve" : "Shuffle"}.${reduced}`;
}

// The heading of one puzzle of a mixed pile.
export function partTitle({ pieces: { length: count }, grid }, k) {
  return `Puzzle ${k + 1}: ${pieces(count)}, ${grid.join(" × ")}${lost(count, grid)}`;
}

// What was solved on these lanes; `answers` are those of /api/solve.
export function solvedSummary(lanes, answers, settings) {
  const [{ puzzles, solver, timings }] = answers;
  if (!puzzles && lanes.length === 1) return summary(lanes[0], settings);
  if (!puzzles) return lanes.map((lane) => `${lane.title}: ${withSmallStart(summary(lane, settings))}`).join(" ");
  const asked = settings.puzzles;
  const found = puzzles.length < asked ? `only ${puzzles.length} of ${asked} puzzles found` : `${asked} puzzles`;
  const doubtful = lanes.flatMap((lane, k) => (lane.doubtful ? [k + 1] : []));
  const doubt = doubtful.length ? `, but it is not sure of ${shortList(doubtful)}` : "";
  const next = doubt || puzzles.length < asked ? ` ${advice(settings)}` : "";
  return `${solver}: ${found} in ${duration(timings.solve_ms)}${doubt}.${next}`;
}

const withSmallStart = (text) => text[0].toLowerCase() + text.slice(1);

function summary({ score, solution, doubtful }, settings) {
  const { placement, grid, left_over: left = [] } = solution; // a part of a mixed pile has none
  if (score) return verdict(score);
  const count = placement.length - left.length;
  const over = left.length ? `; ${pieces(left.length)} left over, copies or not of this picture` : "";
  const found = `${pieces(count)} laid, grid ${grid.join(" × ")}${lost(count, grid)}${over}`;
  return doubtful ? `${found}, but only ${Math.round(100 * solution.sure)} % sure. ${advice(settings)}` : `${found}.`;
}

// What lies after a move by hand; `right`, once all pieces lie, of which of them it is known that they lie right.
export function handSummary(laid, count, right) {
  const good = right && right.filter(Boolean).length;
  return right ? `All ${count} laid, ${good || "none"} of them right.` : `${laid} of ${count} pieces laid.`;
}

export const machineErred = (wrong) => `The machine is done, with ${wrong} wrong ${wrong === 1 ? "piece" : "pieces"}. You can still win!`;

// Of a puzzle whose truth is known.
function verdict({ right, direct, neighbour }) {
  const good = right.filter(Boolean).length;
  if (good === right.length) return `All ${good} pieces right.`;
  const shifted = direct < 0.5 && neighbour > 0.5 ? " Large parts fit, but lie in the wrong place." : "";
  return `${good || "None"} of ${right.length} pieces right.${shifted}`;
}

// What people forget to say of a pile.
function advice({ findGrid, someMissing, loose, rotated }) {
  const unsaid = [findGrid ? "say the grid" : "check the grid"];
  if (loose) unsaid.push("how many puzzles are in the pile");
  if (loose && !someMissing) unsaid.push("whether pieces are missing");
  if (!rotated) unsaid.push("whether they may be turned");
  return `If it looks wrong, ${unsaid.join(", ").replace(/, ([^,]*)$/, " and $1")}.`;
}
