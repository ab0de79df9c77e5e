// What the page says of a pile and of a solution.
import { byId } from "./dom.js";
import { readSettings } from "./settings.js";

export const shortList = (names) => names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");

export const lost = (count, [rows, cols]) => (rows * cols > count ? `, ${rows * cols - count} missing` : "");

export function summary({ score, solution, doubtful }, turned) {
  const { solver, placement: { length: count }, grid } = solution;
  if (score) return `${solver}: ${(100 * score.direct).toFixed(1).replace(".0", "")} % of the pieces right.`;
  const found = `${solver}: ${count} pieces, grid ${grid.join(" × ")}${lost(count, grid)}`;
  return doubtful ? `${found}, but only ${Math.round(100 * solution.sure)} % sure. ${advice(turned)}` : `${found}.`;
}

// What people forget to say of a pile.
function advice(turned) {
  const { findGrid, someMissing } = readSettings();
  const unsaid = [findGrid ? "say the grid" : "check the grid"];
  if (!someMissing && !byId("missing-set").hidden) unsaid.push("whether pieces are missing");
  if (!turned) unsaid.push("whether they may be turned");
  return `If it looks wrong, ${unsaid.join(", ").replace(/, ([^,]*)$/, " and $1")}.`;
}
