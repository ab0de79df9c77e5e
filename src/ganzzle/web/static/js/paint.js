// Drawing a stage. A piece that rests on the board is copied pixel by pixel; everything else is decoration around it.
import { TURNS } from "./geometry.js";

let style = null;
let styleOf = "";

// The page's colours; read again only when the scheme changes.
function colours(canvas) {
  const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  if (scheme !== styleOf) {
    const all = getComputedStyle(canvas);
    style = Object.fromEntries(
      ["board", "slot", "shadow", "cursor", "wrong", "halo"].map((name) => [name, all.getPropertyValue(`--${name}`).trim()]));
    styleOf = scheme;
  }
  return style;
}

export function paint(stage, now, shine) {
  const { context, puzzle, table, canvas } = stage;
  const colour = colours(canvas);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalAlpha = 1;
  context.clearRect(0, 0, canvas.width, canvas.height);
  paintBoard(context, puzzle, table, colour, stage, now);
  context.imageSmoothingEnabled = false;
  for (const i of stage.order) if (isLaid(stage, i)) layPiece(context, stage, i);
  if (stage.whole) {
    paintCuts(context, puzzle, table);
    return;
  }
  if (stage.wrong) stage.wrong.forEach((i) => isLaid(stage, i) && markWrong(context, stage, i, colour));
  stage.mental.paintOver(context, table.board, now);
  if (shine >= 0) paintShine(context, table.board, shine);
  context.imageSmoothingEnabled = true;
  for (const pass of [false, true]) {
    for (const i of stage.order) {
      const piece = stage.pieces[i];
      if (!isLaid(stage, i) && i !== stage.held && Boolean(piece.flight && piece.lift) === pass) {
        floatPiece(context, stage, i, colour);
      }
    }
  }
  if (stage.cursor !== null) paintCursor(context, stage, colour);
  if (stage.held >= 0) floatPiece(context, stage, stage.held, colour);
  context.setTransform(1, 0, 0, 1, 0, 0);
}

const isLaid = (stage, i) => stage.pieces[i].slot >= 0 && !stage.pieces[i].flight && i !== stage.held;

function paintBoard(context, puzzle, { board, rim }, colour, stage, now) {
  const pad = Math.round(rim / 3);
  context.fillStyle = colour.board;
  context.beginPath();
  context.roundRect(board.x - pad, board.y - pad, board.width + 2 * pad, board.height + 2 * pad, pad);
  context.fill();
  stage.mental.paintUnder(context, board, stage.laid / puzzle.count, now);
  context.strokeStyle = colour.slot;
  context.lineWidth = Math.max(1, board.width / 700);
  gridLines(context, puzzle, board);
}

function gridLines(context, puzzle, board) {
  context.beginPath();
  for (let col = 1; col < puzzle.cols; col++) {
    context.moveTo(board.x + col * puzzle.width, board.y);
    context.lineTo(board.x + col * puzzle.width, board.y + board.height);
  }
  for (let row = 1; row < puzzle.rows; row++) {
    context.moveTo(board.x, board.y + row * puzzle.height);
    context.lineTo(board.x + board.width, board.y + row * puzzle.height);
  }
  context.stroke();
}

// Where the whole picture is cut.
function paintCuts(context, puzzle, { board }) {
  context.strokeStyle = "rgba(255, 255, 255, 0.35)";
  gridLines(context, puzzle, board);
}

function sheetPlace(stage, i) {
  const { layout: [, across], cells, width, height } = stage.puzzle;
  return [(cells[i] % across) * width, Math.floor(cells[i] / across) * height, width, height];
}

// On its slot, at a whole-pixel position.
function layPiece(context, stage, i) {
  const piece = stage.pieces[i];
  const { x, y } = stage.slotCentre(piece.slot);
  const { width, height } = stage.puzzle;
  context.setTransform(...TURNS[piece.turn], x, y);
  context.drawImage(stage.puzzle.sheet, ...sheetPlace(stage, i), -width / 2, -height / 2, width, height);
  context.setTransform(1, 0, 0, 1, 0, 0);
}

function floatPiece(context, stage, i, colour) {
  const piece = stage.pieces[i];
  const { width, height } = stage.puzzle;
  const lift = i === stage.held ? 1 : piece.lift || 0;
  const cos = Math.cos(piece.angle) * piece.scale;
  const sin = Math.sin(piece.angle) * piece.scale;
  const drop = (0.03 + 0.1 * lift) * height;
  context.setTransform(cos, sin, -sin, cos, piece.x + drop / 2, piece.y + drop);
  context.fillStyle = colour.shadow;
  context.fillRect(-width / 2, -height / 2, width, height);
  context.setTransform(cos, sin, -sin, cos, piece.x, piece.y);
  context.drawImage(stage.puzzle.sheet, ...sheetPlace(stage, i), -width / 2, -height / 2, width, height);
}

function markWrong(context, stage, i, colour) {
  const { x, y } = stage.slotCentre(stage.pieces[i].slot);
  const { width, height } = stage.puzzle;
  const line = Math.max(2, Math.min(width, height) / 16);
  const arm = Math.min(width, height) / 6;
  context.beginPath();
  context.rect(x - width / 2 + line, y - height / 2 + line, width - 2 * line, height - 2 * line);
  context.moveTo(x - arm, y - arm);
  context.lineTo(x + arm, y + arm);
  context.moveTo(x + arm, y - arm);
  context.lineTo(x - arm, y + arm);
  strokeTwice(context, colour.wrong, colour.halo, line);
}

// The path in one colour within another, so that it is seen on any picture.
function strokeTwice(context, colour, halo, line) {
  for (const [style, width] of [[halo, 2 * line], [colour, line]]) {
    Object.assign(context, { strokeStyle: style, lineWidth: width });
    context.stroke();
  }
}

function paintCursor(context, stage, colour) {
  const { x, y } = stage.slotCentre(stage.cursor);
  const { width, height } = stage.puzzle;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.beginPath();
  context.rect(x - width / 2, y - height / 2, width, height);
  strokeTwice(context, colour.cursor, colour.halo, Math.max(3, Math.min(width, height) / 14));
}

// A band of light that runs across the finished picture and leaves no trace.
function paintShine(context, board, t) {
  const centre = board.x - 0.3 * board.width + 1.6 * board.width * t;
  const band = 0.25 * board.width;
  const light = context.createLinearGradient(centre - band, board.y, centre + band, board.y + 0.35 * band);
  light.addColorStop(0, "rgba(255, 255, 255, 0)");
  light.addColorStop(0.5, "rgba(255, 255, 255, 0.4)");
  light.addColorStop(1, "rgba(255, 255, 255, 0)");
  context.fillStyle = light;
  context.fillRect(board.x, board.y, board.width, board.height);
}
