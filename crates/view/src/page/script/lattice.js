// Positions of cells: squares, or hexagons with a corner to the north whose odd rows are shifted half a cell to the
// east. Map coordinates are in cell widths, x to the east and y to the south.

/** Distance between rows of hexagons, and from the centre of a hexagon to its corners. */
const HEX_ROW = Math.sqrt(3) / 2, HEX_RADIUS = 1 / Math.sqrt(3);

const SQUARE_CORNERS = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
/** Clockwise from north. */
const HEX_CORNERS = [0, 1, 2, 3, 4, 5].map((sixth) => {
  const angle = (sixth * Math.PI) / 3;
  return [HEX_RADIUS * Math.sin(angle), -HEX_RADIUS * Math.cos(angle)];
});
/** For each side, counter-clockwise from east: the corners at its ends. */
const SQUARE_SIDES = [[1, 2], [0, 1], [3, 0], [2, 3]];
const HEX_SIDES = [[1, 2], [0, 1], [5, 0], [4, 5], [3, 4], [2, 3]];

class Lattice {
  constructor({ shape, size: [width, height] }) {
    this.hex = shape === "hex";
    this.corners = this.hex ? HEX_CORNERS : SQUARE_CORNERS;
    this.sides = this.hex ? HEX_SIDES : SQUARE_SIDES;
    this.rowStep = this.hex ? HEX_ROW : 1;
    /** Size of the map in the plane. */
    this.width = this.hex && height > 1 ? width + 0.5 : width;
    this.height = this.hex ? (height - 1) * HEX_ROW + 2 * HEX_RADIUS : height;
  }

  middleX(x, y) { return this.hex ? x + 0.5 + (y & 1) / 2 : x + 0.5; }
  middleY(y) { return this.hex ? y * HEX_ROW + HEX_RADIUS : y + 0.5; }

  /** Index into a table by heading. On hexagonal maps entries also depend on the parity of the row. */
  entry(heading, y) { return this.hex ? 2 * heading + (y & 1) : heading; }

  /** From the centre of a cell in an even row to that of the cell `dx` columns and `dy` rows away. */
  offset([dx, dy]) { return this.hex ? [dx + (dy & 1) / 2, dy * HEX_ROW] : [dx, dy]; }

  /** The neighbour across a side, counter-clockwise from east. */
  neighbour(x, y, side) {
    if (!this.hex) return [x + [1, 0, -1, 0][side], y + [0, -1, 0, 1][side]];
    const odd = y & 1;
    return [x + [1, odd, odd - 1, -1, odd - 1, odd][side], y + [0, -1, -1, 0, 1, 1][side]];
  }

  /** Adds the outline of a cell to a path in map coordinates. */
  addCell(path, x, y) {
    const mx = this.middleX(x, y), my = this.middleY(y);
    if (!this.hex) { path.rect(x, y, 1, 1); return; }
    this.corners.forEach(([cx, cy], at) => (at ? path.lineTo(mx + cx, my + cy) : path.moveTo(mx + cx, my + cy)));
    path.closePath();
  }

  /** Distance from a cell to a point given relative to the cell's centre. */
  distance(x, y) {
    if (!this.hex) return Math.hypot(Math.max(0, Math.abs(x) - 0.5), Math.max(0, Math.abs(y) - 0.5));
    // Distance beyond the farthest side: exact but for the regions at corners, and close enough there.
    const beyond = (angle) => x * Math.cos(angle) + y * Math.sin(angle) - 0.5;
    return Math.max(0, ...[0, 1, 2, 3, 4, 5].map((sixth) => beyond((sixth * Math.PI) / 3)));
  }

  /** `[x0, y0, x1, y1]`: the half-open ranges of columns and rows that a rectangle can touch, on a map of a size. */
  cellsIn(left, top, right, bottom, [width, height]) {
    const clamp = (value, most) => Math.max(0, Math.min(most, value));
    const wide = this.hex ? 1 : 0;
    return [
      clamp(Math.floor(left) - wide, width), clamp(Math.floor(top / this.rowStep) - wide, height),
      clamp(Math.ceil(right) + wide, width), clamp(Math.ceil(bottom / this.rowStep) + wide, height),
    ];
  }
}
