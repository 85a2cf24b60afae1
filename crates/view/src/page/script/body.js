// Body shapes of the classes.

/** Covers cells by few rectangles `[x, y, width, height]`, each grown greedily. */
function boxes(cells) {
  const left = new Set(cells.map(String)), found = [];
  for (const [x, y] of [...cells].sort((a, b) => a[1] - b[1] || a[0] - b[0])) {
    if (!left.has(`${x},${y}`)) continue;
    let w = 1, h = 1;
    while (left.has(`${x + w},${y}`)) w++;
    const row = (dy) => Array.from({ length: w }, (_, dx) => `${x + dx},${y + dy}`);
    while (row(h).every((cell) => left.has(cell))) h++;
    for (let dy = 0; dy < h; dy++) row(dy).forEach((cell) => left.delete(cell));
    found.push([x, y, w, h]);
  }
  return found;
}

/** The same for hexagons: a rectangle `[x, y, width, height]` for each cell, relative to the centre of the anchor. */
function hexBoxes(cells, parity) {
  const shift = (y) => (y & 1) / 2;
  return cells.map(([x, y]) => [x - 0.5 + shift(parity + y) - shift(parity), (y - 0.5) * HEX_ROW, 1, HEX_ROW]);
}

/** Closed loops of points as a path. */
function closedPath(loops) {
  const path = new Path2D();
  for (const loop of loops) {
    loop.forEach(([x, y], at) => (at ? path.lineTo(x, y) : path.moveTo(x, y)));
    path.closePath();
  }
  return path;
}

/**
 * Prepares a packed class for use. Its outlines (by heading, then the disc of a body that turns as one) and its facing mark
 * are relative to the pivot.
 */
function prepareClass(packed, lattice) {
  const entryOf = (heading, y) => lattice.entry(heading, y);
  const fromAnchor = (cells, entry) => (lattice.hex ? hexBoxes(cells, entry & 1) : boxes(cells).map(([x, y, w, h]) => [x - 0.5, y - 0.5, w, h]));
  return {
    ...packed,
    nHeadings: packed.headings.length,
    corners: packed.outlines[0].flat(),
    outlines: packed.outlines.map(closedPath),
    mark: closedPath(packed.mark),
    sign: closedPath(packed.sign),
    footprint: (heading, y) => packed.footprints[entryOf(heading, y)],
    swept: (primitive, heading, y) => packed.primitives[primitive].swept[entryOf(heading, y)],
    step: (primitive, heading, y) => packed.primitives[primitive].steps[entryOf(heading, y)],
    boxes: packed.footprints.map(fromAnchor),
    sweptBoxes: packed.primitives.map((primitive) => primitive.swept.map(fromAnchor)),
  };
}
