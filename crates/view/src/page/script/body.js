// Bodies of the classes: their outlines and marks of facing.

/** Cells as few rectangles `[x, y, width, height]`, by growing each as far as it goes. */
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

/** The same of a map of hexagons, `[x, y, width, height]` about the middle of the anchor: a rectangle a cell. */
function hexBoxes(cells, parity) {
  const shift = (y) => (y & 1) / 2;
  return cells.map(([x, y]) => [x - 0.5 + shift(parity + y) - shift(parity), (y - 0.5) * HEX_ROW, 1, HEX_ROW]);
}

/** Outline of the polygons about these middles, drawn in a little: one closed path for each border. */
function outline(middles, corners, inset) {
  const key = (x, y) => `${Math.round(x * 1000)},${Math.round(y * 1000)}`;
  // Borders of single cells, clockwise; those that two share run both ways and are none of the whole.
  const all = new Map();
  for (const [mx, my] of middles) {
    corners.forEach(([cx, cy], at) => {
      const [nx, ny] = corners[(at + 1) % corners.length], length = Math.hypot(nx - cx, ny - cy);
      const edge = { x: mx + cx, y: my + cy, dx: (nx - cx) / length, dy: (ny - cy) / length, to: key(mx + nx, my + ny) };
      all.set(`${key(edge.x, edge.y)} ${edge.to}`, edge);
    });
  }
  const edges = new Map();
  for (const [name, edge] of all) {
    const [from, to] = name.split(" ");
    if (!all.has(`${to} ${from}`)) edges.set(from, [...(edges.get(from) || []), edge]);
  }
  const path = new Path2D();
  for (const list of edges.values()) {
    while (list.length) {
      const loop = [];
      for (let edge = list.pop(); edge; edge = (edges.get(edge.to) || []).pop()) loop.push(edge);
      loop.forEach((edge, index) => {
        const before = loop[(index + loop.length - 1) % loop.length], along = before.dx * edge.dx + before.dy * edge.dy;
        if (along > 0.999) return;
        // The inside is to the right of each edge.
        const by = inset / (1 + along);
        path.lineTo(edge.x + by * (-edge.dy - before.dy), edge.y + by * (edge.dx + before.dx));
      });
      path.closePath();
    }
  }
  return path;
}

/** Bodies of a class at each heading and its mark of facing, about the pivot, and how far they reach. */
function outlines(cls, lattice) {
  const pivot = lattice.inFrame(cls.pivot), { footprints } = cls;
  const away = (cell) => lattice.offset(cell).map((part, axis) => part - pivot[axis]);
  const bodies = cls.headings.map((_, heading) => outline(footprints[lattice.entry(heading, 0)].map(away), lattice.corners, 0.07));
  const east = footprints[0].map(away);
  const front = Math.max(...east.map((cell) => cell[0]));
  const rows = east.filter((cell) => cell[0] > front - 0.4).map((cell) => cell[1]);
  const half = (Math.max(...rows) - Math.min(...rows) + 1) / 2;
  const tipX = front + 0.5 - 0.14, midY = (Math.max(...rows) + Math.min(...rows)) / 2;
  const mark = new Path2D();
  if (cls.headings.length > 1) {
    const wide = Math.min(half * (lattice.hex ? 0.5 : 0.75), 0.9), long = Math.min(0.55, 0.3 + wide * 0.4);
    mark.moveTo(tipX, midY);
    mark.lineTo(tipX - long, midY - wide);
    mark.lineTo(tipX - long, midY + wide);
    mark.closePath();
  } else {
    mark.arc(-pivot[0], -pivot[1], 0.2, 0, 7);
  }
  const far = (cell) => Math.hypot(...away(cell)) + 0.8;
  return { pivotAt: pivot, bodies, mark, reach: Math.max(...cls.headings.flatMap((_, heading) => footprints[lattice.entry(heading, 0)].map(far))) };
}

/** Steps, swept cells and shapes of a class, ready for use. */
function prepareClass(written, lattice) {
  const entryOf = (heading, y) => lattice.entry(heading, y);
  const about = (cells, entry) => (lattice.hex ? hexBoxes(cells, entry & 1) : boxes(cells).map(([x, y, w, h]) => [x - 0.5, y - 0.5, w, h]));
  return {
    ...written,
    nHeadings: written.headings.length,
    footprint: (heading, y) => written.footprints[entryOf(heading, y)],
    swept: (primitive, heading, y) => written.primitives[primitive].swept[entryOf(heading, y)],
    step: (primitive, heading, y) => written.primitives[primitive].steps[entryOf(heading, y)],
    boxes: written.footprints.map(about),
    sweptBoxes: written.primitives.map((primitive) => primitive.swept.map(about)),
    ...outlines(written, lattice),
  };
}
