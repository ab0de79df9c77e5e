// A piece in the air.
const FLIGHT = 620; // ms one piece flies

const ease = (t) => (t < 0.5 ? 4 * t * t * t : 1 - (2 - 2 * t) ** 3 / 2);

// Put a flying piece where it is now, in an arc, or, at the end, where it goes; `height` is a piece's.
export function fly(piece, now, height) {
  const { from, to, start } = piece.flight;
  const t = Math.min(1, Math.max(0, (now - start) / FLIGHT));
  if (t >= 1) {
    Object.assign(piece, to, { flight: null, lift: 0 });
    return;
  }
  const s = ease(t);
  const arc = Math.sin(Math.PI * s);
  piece.lift = arc;
  piece.x = from.x + (to.x - from.x) * s;
  piece.y = from.y + (to.y - from.y) * s - 0.6 * height * arc;
  piece.angle = from.angle + (to.angle - from.angle) * s;
  piece.scale = from.scale + (to.scale - from.scale) * s + 0.12 * arc;
}
