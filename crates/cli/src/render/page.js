"use strict";
// Plays a recorded run. Four parts, in this order: reading the run that the page carries, asking what was
// at a tick, drawing it, and the controls.
//
// Nothing is worked out tick by tick: each agent's moves lie in arrays in the order of time, and what an
// agent did at a tick is found by bisection. So any tick is as near as the next.

// ---------------------------------------------------------------- reading

/** Number that stands for none. */
const NONE = 0xffffffff;

/** The bytes of the run: base64 in the page, deflated. */
async function unpack(text) {
  const packed = atob(text.trim());
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads whole numbers, seven bits a byte, one behind the other. */
class Numbers {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  next() {
    let number = 0, factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      number += (byte & 127) * factor;
      if (byte < 128) return number;
      factor *= 128;
    }
  }
  signed() {
    const number = this.next();
    return number % 2 ? -(number + 1) / 2 : number / 2;
  }
  byte() { return this.bytes[this.at++]; }
  more() { return this.at < this.bytes.length; }
}

/** Cuts the bytes into their sections; `pack.rs` says what each holds. */
function sections(bytes) {
  const numbers = new Numbers(bytes), parts = [];
  while (numbers.more()) {
    const length = numbers.next();
    parts.push(bytes.subarray(numbers.at, numbers.at + length));
    numbers.at += length;
  }
  return parts;
}

/** Fills a layer of the map from runs. */
function layer(bytes, cells, signed) {
  if (!bytes.length) return null;
  const numbers = new Numbers(bytes);
  let at = 0, value = 0;
  while (numbers.more()) {
    const count = numbers.next();
    value = signed ? value + numbers.signed() : numbers.next();
    cells.fill(value, at, at + count);
    at += count;
  }
  return cells;
}

/** Steps, swept cells and shapes of a class, ready for use. */
function prepareClass(written) {
  const headings = written.headings.length;
  const steps = written.primitives.map((primitive) => primitive.steps);
  return { ...written, nHeadings: headings, steps, boxes: written.footprints.map(boxes), ...outlines(written) };
}

/** The run as arrays. Moves of agent `a` are those from `moveFirst[a]` to `moveFirst[a + 1]`, and so on. */
function readRun(bytes) {
  const parts = sections(bytes);
  const about = JSON.parse(new TextDecoder().decode(parts[0]));
  const [width, height] = about.size, cells = width * height, n = about.agents;
  const run = {
    ...about, width, height, n,
    classes: about.classes.map(prepareClass),
    terrain0: layer(parts[1], new Uint8Array(cells), false),
    sides0: layer(parts[2], new Uint32Array(cells), false),
    elevation0: layer(parts[3], new Int16Array(cells), true),
    id: new Uint32Array(n), cls: new Uint8Array(n), placed: new Uint32Array(n),
    removed: new Uint32Array(n).fill(NONE),
    x0: new Int32Array(n), y0: new Int32Array(n), h0: new Uint8Array(n),
    moveFirst: new Uint32Array(n + 1), waitFirst: new Uint32Array(n + 1),
    orderFirst: new Uint32Array(n + 1), pathFirst: new Uint32Array(n + 1),
    edits: readEdits(new Numbers(parts[13]), about.edits),
    counters: {},
  };
  readAgents(run, parts);
  about.counters.forEach((name, number) => {
    const numbers = new Numbers(parts[14 + number]), values = new Float64Array(about.ticks);
    for (let tick = 0, value = 0; tick < about.ticks; tick++) values[tick] = value += numbers.signed();
    run.counters[name] = values;
  });
  return run;
}

/** Reads sections 4 to 12. */
function readAgents(run, parts) {
  const [agents, runs, counts, rests, ticks, waits, orders, paths, pathRuns] =
    parts.slice(4, 13).map((part) => new Numbers(part));
  let nMoves = 0;
  while (counts.more()) nMoves += counts.next() + 1;
  counts.at = 0;
  Object.assign(run, {
    start: new Uint32Array(nMoves), end: new Uint32Array(nMoves), primitive: new Uint8Array(nMoves),
    fromX: new Int32Array(nMoves), fromY: new Int32Array(nMoves), fromH: new Uint8Array(nMoves),
    waits: [], orderAt: [], orderOf: [], paths: [],
  });
  let id = 0, x = 0, y = 0, at = 0;
  for (let a = 0; a < run.n; a++) {
    run.id[a] = id += agents.next();
    run.cls[a] = agents.next();
    run.placed[a] = agents.next();
    const there = agents.next();
    if (there) run.removed[a] = run.placed[a] + there - 1;
    run.x0[a] = x += agents.signed();
    run.y0[a] = y += agents.signed();
    run.h0[a] = agents.next();
    run.moveFirst[a] = at;
    at = readMoves(run, a, at, agents.next(), { runs, counts, rests, ticks });
    run.waitFirst[a] = run.waits.length / 2;
    for (let left = agents.next(), tick = 0; left > 0; left--) {
      const from = tick + waits.next();
      tick = from + waits.next();
      run.waits.push(from, tick);
    }
    run.orderFirst[a] = run.orderAt.length;
    for (let left = agents.next(), tick = 0; left > 0; left--) {
      run.orderAt.push(tick += orders.next());
      run.orderOf.push(orders.next() - 1);
    }
    run.pathFirst[a] = run.paths.length;
    for (let left = agents.next(), tick = 0; left > 0; left--) {
      tick += paths.next();
      const path = { tick, common: paths.next(), others: [] };
      for (let more = paths.next(); more > 0; more--) path.others.push(pathRuns.next());
      run.paths.push(path);
    }
  }
  run.moveFirst[run.n] = at;
  run.waitFirst[run.n] = run.waits.length / 2;
  run.orderFirst[run.n] = run.orderAt.length;
  run.pathFirst[run.n] = run.paths.length;
}

/** Reads the moves of an agent from index `at` on; gives the index behind them. */
function readMoves(run, a, at, nRuns, { runs, counts, rests, ticks }) {
  const cls = run.classes[run.cls[a]];
  const last = cls.primitives.map((primitive) => primitive.ticks);
  let tick = run.placed[a], x = run.x0[a], y = run.y0[a], h = run.h0[a];
  for (; nRuns > 0; nRuns--) {
    const flags = runs.byte(), primitive = flags & 15, count = counts.next() + 1;
    if (flags & 16) tick += rests.next();
    if (flags & 32) last[primitive] = ticks.next();
    for (const behind = at + count; at < behind; at++) {
      run.start[at] = tick;
      run.end[at] = tick += last[primitive];
      run.primitive[at] = primitive;
      run.fromX[at] = x; run.fromY[at] = y; run.fromH[at] = h;
      const step = cls.steps[primitive][h];
      x += step[0]; y += step[1]; h = step[2];
    }
  }
  return at;
}

function readEdits(numbers, count) {
  const edits = [];
  for (let tick = 0; count > 0; count--) {
    tick += numbers.next();
    const what = numbers.next(), edit = { tick, what, x: numbers.signed(), y: numbers.signed() };
    if (what === 2) edit.kinds = [0, 0, 0, 0].map(() => numbers.next());
    else {
      edit.width = numbers.next(); edit.height = numbers.next();
      edit.value = what === 1 ? numbers.signed() : numbers.next();
    }
    edits.push(edit);
  }
  return edits;
}

// ---------------------------------------------------------------- shapes

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

/** Outline of cells, drawn in a little, about a pivot: one closed path for each border. */
function outline(cells, pivot, inset) {
  const filled = new Set(cells.map(String)), has = (x, y) => filled.has(`${x},${y}`);
  // Borders of single cells, clockwise, by the corner in which they begin.
  const edges = new Map();
  const add = (x, y, dx, dy) => {
    const key = `${x},${y}`;
    edges.set(key, [...(edges.get(key) || []), { x, y, dx, dy }]);
  };
  for (const [x, y] of cells) {
    if (!has(x, y - 1)) add(x, y, 1, 0);
    if (!has(x + 1, y)) add(x + 1, y, 0, 1);
    if (!has(x, y + 1)) add(x + 1, y + 1, -1, 0);
    if (!has(x - 1, y)) add(x, y + 1, 0, -1);
  }
  const path = new Path2D();
  for (const list of edges.values()) {
    while (list.length) {
      const loop = [];
      for (let edge = list.pop(); edge; edge = (edges.get(`${edge.x + edge.dx},${edge.y + edge.dy}`) || []).pop()) {
        loop.push(edge);
      }
      loop.forEach((edge, index) => {
        const before = loop[(index + loop.length - 1) % loop.length];
        if (before.dx === edge.dx && before.dy === edge.dy) return;
        // The inside is to the right of each edge.
        const px = edge.x - 0.5 - pivot[0] + inset * (-edge.dy - before.dy);
        const py = edge.y - 0.5 - pivot[1] + inset * (edge.dx + before.dx);
        path.lineTo(px, py);
      });
      path.closePath();
    }
  }
  return path;
}

/** Bodies of a class at each heading and its mark of facing, about the pivot, and how far they reach. */
function outlines(cls) {
  const { pivot, footprints } = cls;
  const bodies = footprints.map((cells) => outline(cells, pivot, 0.07));
  const east = footprints[0];
  const front = Math.max(...east.map((cell) => cell[0]));
  const rows = east.filter((cell) => cell[0] === front).map((cell) => cell[1]);
  const half = (Math.max(...rows) - Math.min(...rows) + 1) / 2;
  const tipX = front + 0.5 - pivot[0] - 0.14, midY = (Math.max(...rows) + Math.min(...rows)) / 2 - pivot[1];
  const mark = new Path2D();
  if (cls.headings.length > 1) {
    const wide = Math.min(half * 0.75, 0.9), long = Math.min(0.55, 0.3 + wide * 0.4);
    mark.moveTo(tipX, midY);
    mark.lineTo(tipX - long, midY - wide);
    mark.lineTo(tipX - long, midY + wide);
    mark.closePath();
  } else {
    mark.arc(-pivot[0], -pivot[1], 0.2, 0, 7);
  }
  const far = (cell) => Math.hypot(cell[0] - pivot[0], cell[1] - pivot[1]) + 0.8;
  return { bodies, mark, reach: Math.max(...footprints.flat().map(far)) };
}

// ---------------------------------------------------------------- what was at a tick

/** Index of the last of `values[first..behind]` that is at most `limit`; `first - 1` if none is. */
function lastUpTo(values, first, behind, limit) {
  while (first < behind) {
    const middle = (first + behind) >> 1;
    if (values[middle] <= limit) first = middle + 1; else behind = middle;
  }
  return first - 1;
}

class Film {
  constructor(run) {
    this.run = run;
    this.cursor = Int32Array.from(run.moveFirst.subarray(0, run.n), (first) => first - 1);
    this.byClass = run.classes.map(() => []);
    for (let a = 0; a < run.n; a++) this.byClass[run.cls[a]].push(a);
    this.rowOfId = new Map(Array.from(run.id, (id, row) => [id, row]));
  }

  isThere(a, tick) { return this.run.placed[a] <= tick && tick < this.run.removed[a]; }

  /** Index of the move that an agent began last, or one before its first. */
  moveAt(a, tick) {
    const { start, moveFirst } = this.run, first = moveFirst[a], behind = moveFirst[a + 1];
    let at = this.cursor[a];
    const holds = (index) => (index < first || start[index] <= tick) && (index + 1 >= behind || start[index + 1] > tick);
    if (!holds(at)) {
      at = at + 1 < behind && holds(at + 1) ? at + 1 : lastUpTo(start, first, behind, tick);
      this.cursor[a] = at;
    }
    return at;
  }

  /** `[x, y, heading]` before a move, or behind the last. */
  poseBefore(a, move) {
    const run = this.run;
    if (move < run.moveFirst[a + 1]) {
      return move < run.moveFirst[a] ? [run.x0[a], run.y0[a], run.h0[a]] : [run.fromX[move], run.fromY[move], run.fromH[move]];
    }
    return move === run.moveFirst[a] ? [run.x0[a], run.y0[a], run.h0[a]] : this.poseAfter(a, move - 1);
  }

  poseAfter(a, move) {
    const run = this.run;
    if (move < run.moveFirst[a]) return [run.x0[a], run.y0[a], run.h0[a]];
    const step = run.classes[run.cls[a]].steps[run.primitive[move]][run.fromH[move]];
    return [run.fromX[move] + step[0], run.fromY[move] + step[1], step[2]];
  }

  /** The move in progress, or -1. */
  moving(a, tick) {
    const move = this.moveAt(a, tick);
    return move >= this.run.moveFirst[a] && this.run.end[move] > tick ? move : -1;
  }

  /** Pose at rest, or that from which the move in progress began. */
  pose(a, tick) {
    const move = this.moving(a, tick);
    return move >= 0 ? this.poseBefore(a, move) : this.poseAfter(a, this.moveAt(a, tick));
  }

  /** Cells that an agent holds, each `[x, y]`. */
  held(a, tick) {
    const cls = this.run.classes[this.run.cls[a]], move = this.moving(a, tick), [x, y, h] = this.pose(a, tick);
    const swept = move >= 0 && this.run.collision === "swept";
    const cells = swept ? cls.primitives[this.run.primitive[move]].swept[h] : cls.footprints[h];
    return cells.map(([dx, dy]) => [x + dx, y + dy]);
  }

  /** `[from, to]` of the wait that goes on at a tick, or null. */
  wait(a, tick) {
    const { waits, waitFirst } = this.run;
    for (let at = waitFirst[a]; at < waitFirst[a + 1] && waits[2 * at] <= tick; at++) {
      if (tick < waits[2 * at + 1]) return [waits[2 * at], waits[2 * at + 1]];
    }
    return null;
  }

  waitedUpTo(a, tick) {
    const { waits, waitFirst } = this.run;
    let sum = 0;
    for (let at = waitFirst[a]; at < waitFirst[a + 1] && waits[2 * at] < tick; at++) {
      sum += Math.min(waits[2 * at + 1], tick) - waits[2 * at];
    }
    return sum;
  }

  isStuck(a, tick) {
    const wait = this.wait(a, tick);
    if (!wait) return false;
    const move = this.moveAt(a, tick);
    const since = move < this.run.moveFirst[a] ? this.run.placed[a] : this.run.end[move];
    return tick - since >= this.run.stuck_after;
  }

  order(a, tick) {
    const { orderAt, orderOf, orderFirst } = this.run;
    const at = lastUpTo(orderAt, orderFirst[a], orderFirst[a + 1], tick);
    return at < orderFirst[a] || orderOf[at] < 0 ? null : this.run.orders[orderOf[at]];
  }

  /** Primitives of what is left of the path of an agent, next first. */
  pathLeft(a, tick) {
    const { paths, pathFirst, start, primitive, moveFirst } = this.run;
    let at = pathFirst[a + 1] - 1;
    while (at >= pathFirst[a] && paths[at].tick > tick) at--;
    if (at < pathFirst[a]) return [];
    const path = paths[at];
    const first = lastUpTo(start, moveFirst[a], moveFirst[a + 1], path.tick - 1) + 1;
    const planned = Array.from(primitive.subarray(first, first + path.common));
    for (const run of path.others) for (let left = (run >> 4) + 1; left > 0; left--) planned.push(run & 15);
    let done = 0;
    for (let move = first, last = this.moveAt(a, tick); move <= last; move++) {
      if (planned[done] === primitive[move]) done++;
    }
    return planned.slice(done);
  }

  /** Poses of what is left of the path: where it begins, and after each move. */
  pathPoses(a, tick) {
    const { steps } = this.run.classes[this.run.cls[a]];
    let [x, y, h] = this.poseAfter(a, this.moveAt(a, tick));
    const poses = [[x, y, h]];
    for (const primitive of this.pathLeft(a, tick)) {
      const step = steps[primitive][h];
      if (!step) break;
      poses.push([x += step[0], y += step[1], h = step[2]]);
    }
    return poses;
  }

  /** Cells that the next move needs, and who holds which of them: `{ cells, by: [[row, cell]] }`, or null. */
  obstacles(a, tick) {
    const primitive = this.pathLeft(a, tick)[0];
    if (primitive === undefined) return null;
    const cls = this.run.classes[this.run.cls[a]], [x, y, h] = this.poseAfter(a, this.moveAt(a, tick));
    const step = cls.steps[primitive][h];
    if (!step) return null;
    const offsets = this.run.collision === "swept"
      ? cls.primitives[primitive].swept[h]
      : cls.footprints[step[2]].map(([dx, dy]) => [dx + step[0], dy + step[1]]);
    const cells = offsets.map(([dx, dy]) => [x + dx, y + dy]);
    const needed = new Set(cells.map(String)), by = [];
    for (let b = 0; b < this.run.n; b++) {
      if (b === a || !this.isThere(b, tick)) continue;
      const cell = this.held(b, tick).find((held) => needed.has(String(held)));
      if (cell) by.push([b, cell]);
    }
    return { cells, by };
  }

  label(a) {
    const name = this.run.names[this.run.id[a]];
    return name ? `${this.run.id[a]} “${name}”` : String(this.run.id[a]);
  }
}

/** The map at a tick, and its picture, a point a cell (or a few cells, of maps too large for a canvas). */
class GroundMap {
  constructor(run) {
    this.run = run;
    this.every = Math.ceil(Math.max(run.width, run.height) / 8192);
    this.image = document.createElement("canvas");
    this.image.width = Math.ceil(run.width / this.every);
    this.image.height = Math.ceil(run.height / this.every);
    this.reset();
    this.paint();
  }

  reset() {
    const { terrain0, sides0, elevation0 } = this.run;
    this.terrain = terrain0.slice();
    this.sides = sides0 && sides0.slice();
    this.elevation = elevation0 && elevation0.slice();
    this.done = 0;
  }

  /** Brings the map to a tick. */
  goTo(tick) {
    const { edits } = this.run;
    let wanted = 0;
    while (wanted < edits.length && edits[wanted].tick <= tick) wanted++;
    if (wanted === this.done) return;
    if (wanted < this.done) this.reset();
    while (this.done < wanted) this.apply(edits[this.done++]);
    this.paint();
  }

  apply(edit) {
    const { width, height } = this.run, cells = width * height;
    if (edit.what === 2) {
      this.sides ??= new Uint32Array(cells);
      edit.kinds.forEach((kind, side) => {
        const at = edit.y * width + edit.x;
        if (kind) this.sides[at] = (this.sides[at] & ~(15 << (4 * side))) | ((kind - 1) << (4 * side));
      });
      return;
    }
    if (edit.what === 1) this.elevation ??= new Int16Array(cells);
    const target = edit.what === 1 ? this.elevation : this.terrain;
    for (let y = Math.max(edit.y, 0); y < Math.min(edit.y + edit.height, height); y++) {
      const row = y * width;
      target.fill(edit.value, row + Math.max(edit.x, 0), row + Math.min(edit.x + edit.width, width));
    }
  }

  paint() {
    const { width, height, terrain } = this.run, { every, image, elevation } = this;
    const pixels = new ImageData(image.width, image.height), points = new Uint32Array(pixels.data.buffer);
    const colours = terrain.map((kind) => kind.colour);
    const [low, high] = elevation ? range(elevation) : [0, 0];
    let at = 0;
    for (let y = 0; y < height; y += every) {
      for (let x = 0; x < width; x += every) {
        const cell = y * width + x, [r, g, b] = colours[this.terrain[cell]];
        let light = 1;
        if (high > low) {
          // Higher is lighter; slopes that face north-west lie in the sun.
          const north = elevation[Math.max(y - 1, 0) * width + x], west = elevation[y * width + Math.max(x - 1, 0)];
          const slope = (2 * elevation[cell] - north - west) / (high - low);
          light = 0.7 + (0.7 * (elevation[cell] - low)) / (high - low) + Math.max(-0.2, Math.min(0.2, slope));
        }
        const part = (value) => Math.min(255, value * light);
        points[at++] = 0xff000000 | (part(b) << 16) | (part(g) << 8) | part(r);
      }
    }
    image.getContext("2d").putImageData(pixels, 0, 0);
    this.findBorders();
  }

  /** The sides that are not open, as `[x0, y0, x1, y1, kind]` between corners; each pair of cells once. */
  findBorders() {
    this.borders = [];
    if (!this.sides) return;
    const { width, height, sides } = this.run;
    const speed = (kind) => (kind === 0 ? 65536 : sides[kind].speed);
    const kindOf = (x, y, side) => x < 0 || y < 0 || x >= width || y >= height ? 0 : (this.sides[y * width + x] >>> (4 * side)) & 15;
    // The slower of two sides that face each other is the one that counts.
    const slower = (one, other) => (speed(one) <= speed(other) ? one : other);
    for (let y = 0; y <= height; y++) {
      for (let x = 0; x <= width; x++) {
        const west = slower(kindOf(x, y, 2), kindOf(x - 1, y, 0));
        if (west) this.borders.push([x, y, x, y + 1, west]);
        const north = slower(kindOf(x, y, 1), kindOf(x, y - 1, 3));
        if (north) this.borders.push([x, y, x + 1, y, north]);
      }
    }
  }
}

function range(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** How often each cell was swept in the whole run, as a picture. */
function heatImage(run, film, ground) {
  const { every } = ground, counts = new Uint32Array(ground.image.width * ground.image.height);
  for (let a = 0; a < run.n; a++) {
    const { primitives } = run.classes[run.cls[a]];
    for (let move = run.moveFirst[a]; move < run.moveFirst[a + 1]; move++) {
      const x = run.fromX[move], y = run.fromY[move];
      for (const [dx, dy] of primitives[run.primitive[move]].swept[run.fromH[move]]) {
        counts[Math.floor((y + dy) / every) * ground.image.width + Math.floor((x + dx) / every)]++;
      }
    }
  }
  const most = Math.log1p(range(counts)[1]) || 1;
  const image = document.createElement("canvas");
  image.width = ground.image.width;
  image.height = ground.image.height;
  const pixels = new ImageData(image.width, image.height);
  counts.forEach((count, at) => {
    if (!count) return;
    const heat = Math.log1p(count) / most;
    pixels.data.set([255, 230 * (1 - heat), 60 * (1 - heat), 70 + 170 * heat], 4 * at);
  });
  image.getContext("2d").putImageData(pixels, 0, 0);
  return image;
}

// ---------------------------------------------------------------- drawing

/** Below so many points a cell agents are drawn as plain rectangles, without facing. */
const SHAPES_FROM = 4;
/** From so many on the cells have lines between them, and their heights. */
const LINES_FROM = 10, HEIGHTS_FROM = 22;
const SCALE_MAX = 160;

const LAYERS = [
  ["path", "Paths"],
  ["swept", "Swept cells"],
  ["held", "Held cells (reservations)"],
  ["heat", "Traffic of the whole run"],
  ["waiting", "Waiting agents"],
  ["stuck", "Stuck agents"],
];

class View {
  constructor(canvas, run, film, ground) {
    Object.assign(this, { canvas, run, film, ground, x: 0, y: 0, scale: 1, selected: -1, fitted: true });
    this.layers = { path: false, swept: false, held: false, heat: false, waiting: false, stuck: true };
    this.context = canvas.getContext("2d", { alpha: false });
    this.back = document.createElement("canvas");
    this.backKey = "";
    this.resize();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, { canvas } = this;
    this.ratio = ratio;
    canvas.width = this.back.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = this.back.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    this.backKey = "";
    if (this.fitted) this.fit();
  }

  /** Shows the whole map. */
  fit() {
    const { canvas, run } = this;
    this.scale = Math.min((canvas.width * 0.97) / run.width, (canvas.height * 0.97) / run.height, SCALE_MAX);
    this.x = run.width / 2;
    this.y = run.height / 2;
    this.fitted = true;
  }

  /** Zooms about a point of the canvas. */
  zoom(factor, px = this.canvas.width / 2, py = this.canvas.height / 2) {
    const [x, y] = this.toMap(px, py), { canvas, run } = this;
    const least = Math.min(canvas.width / run.width, canvas.height / run.height) / 4;
    this.scale = Math.max(Math.min(this.scale * factor, SCALE_MAX), least);
    this.x = x - (px - canvas.width / 2) / this.scale;
    this.y = y - (py - canvas.height / 2) / this.scale;
    this.fitted = false;
  }

  pan(dx, dy) {
    this.x = Math.max(0, Math.min(this.run.width, this.x - dx / this.scale));
    this.y = Math.max(0, Math.min(this.run.height, this.y - dy / this.scale));
    this.fitted = false;
  }

  toMap(px, py) {
    return [(px - this.canvas.width / 2) / this.scale + this.x, (py - this.canvas.height / 2) / this.scale + this.y];
  }

  toCanvas(x, y) {
    return [(x - this.x) * this.scale + this.canvas.width / 2, (y - this.y) * this.scale + this.canvas.height / 2];
  }

  /**
   * Where an agent is at a time: its pivot, the heading whose body is nearest, and by how much that is
   * turned. A turning body is that of its first heading up to the middle, then that of its second.
   */
  place(a, time, out) {
    const { run, film } = this, tick = Math.floor(time), cls = run.classes[run.cls[a]];
    const move = film.moveAt(a, tick);
    let x = run.x0[a], y = run.y0[a], h = run.h0[a], turned = 0;
    if (move >= run.moveFirst[a]) {
      const primitive = run.primitive[move], from = run.fromH[move], step = cls.steps[primitive][from];
      const part = Math.min(1, (time - run.start[move]) / (run.end[move] - run.start[move]));
      const turn = (cls.primitives[primitive].turn * 2 * Math.PI) / cls.nHeadings;
      x = run.fromX[move] + step[0] * part;
      y = run.fromY[move] + step[1] * part;
      h = part < 0.5 ? from : step[2];
      // Counter-clockwise on the screen is against the canvas.
      turned = -turn * (part < 0.5 ? part : part - 1);
    }
    out.x = x + 0.5 + cls.pivot[0];
    out.y = y + 0.5 + cls.pivot[1];
    out.h = h;
    out.turned = turned;
    return out;
  }

  /** Draws the run at a time, in ticks. */
  draw(time) {
    const { canvas, context: c, scale, layers } = this, tick = Math.floor(time);
    this.ground.goTo(tick);
    this.drawGround();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(this.back, 0, 0);
    const [left, top] = this.toMap(0, 0), [right, bottom] = this.toMap(canvas.width, canvas.height);
    const seen = { left, top, right, bottom };
    if (layers.swept) this.drawCells(tick, seen, "rgba(255,140,0,.45)", (a) => this.film.moving(a, tick) >= 0);
    if (layers.held) this.drawCells(tick, seen, "rgba(255,255,255,.33)", () => true);
    if (this.selected >= 0) this.drawTrip(tick);
    if (scale < SHAPES_FROM) this.drawBoxes(time, seen); else this.drawShapes(time, seen);
    if (layers.path) this.drawPaths(tick, seen);
    this.drawRings(time, seen);
    c.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** Draws the map and all that stands still; kept until the view or the map is another. */
  drawGround() {
    const { back, run, ground, scale, layers } = this;
    const outside = getComputedStyle(document.documentElement).getPropertyValue("--outside");
    const key = [this.x, this.y, scale, ground.done, layers.heat, outside].join();
    if (key === this.backKey) return;
    this.backKey = key;
    const c = back.getContext("2d", { alpha: false });
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = outside;
    c.fillRect(0, 0, back.width, back.height);
    c.imageSmoothingEnabled = scale < 1;
    const [left, top] = this.toCanvas(0, 0), points = scale * ground.every;
    const whole = [left, top, ground.image.width * points, ground.image.height * points];
    c.drawImage(ground.image, ...whole);
    if (layers.heat) {
      this.heat ??= heatImage(run, this.film, ground);
      c.drawImage(this.heat, ...whole);
    }
    if (scale >= LINES_FROM) this.drawLines(c);
    if (ground.elevation && scale >= HEIGHTS_FROM) this.drawHeights(c);
    this.drawBorders(c);
  }

  /** First and last column and row in sight. */
  cellsInSight() {
    const [left, top] = this.toMap(0, 0), [right, bottom] = this.toMap(this.canvas.width, this.canvas.height);
    const { width, height } = this.run;
    return [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top)), Math.min(width, Math.ceil(right)), Math.min(height, Math.ceil(bottom))];
  }

  drawLines(c) {
    const [x0, y0, x1, y1] = this.cellsInSight(), [left, top] = this.toCanvas(x0, y0), [right, bottom] = this.toCanvas(x1, y1);
    c.fillStyle = "rgba(0,0,0,.16)";
    for (let x = x0; x <= x1; x++) c.fillRect(Math.round(this.toCanvas(x, 0)[0]), top, 1, bottom - top);
    for (let y = y0; y <= y1; y++) c.fillRect(left, Math.round(this.toCanvas(0, y)[1]), right - left, 1);
  }

  drawHeights(c) {
    const [x0, y0, x1, y1] = this.cellsInSight();
    c.fillStyle = "rgba(255,255,255,.75)";
    c.font = `${Math.min(13 * this.ratio, this.scale * 0.4)}px system-ui, sans-serif`;
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) {
        const [px, py] = this.toCanvas(x + 0.08, y + 0.38);
        c.fillText(this.ground.elevation[y * this.run.width + x], px, py);
      }
    }
  }

  drawBorders(c) {
    const [x0, y0, x1, y1] = this.cellsInSight();
    c.lineCap = "square";
    this.run.sides.forEach((kind, number) => {
      const here = this.ground.borders.filter(([x, y, , , of]) => of === number && x >= x0 && x <= x1 && y >= y0 && y <= y1);
      if (!here.length) return;
      c.beginPath();
      for (const [ax, ay, bx, by] of here) {
        c.moveTo(...this.toCanvas(ax, ay));
        c.lineTo(...this.toCanvas(bx, by));
      }
      c.lineWidth = Math.max(1, this.scale * 0.14);
      c.strokeStyle = kind.speed === 0 ? "#1c1210" : "#b98a3c";
      c.stroke();
    });
  }

  /** Calls `each` with the agents of a class in sight. */
  forEachSeen(number, time, seen, each) {
    const { reach } = this.run.classes[number], tick = Math.floor(time), spot = {};
    for (const a of this.film.byClass[number]) {
      if (!this.film.isThere(a, tick)) continue;
      this.place(a, time, spot);
      if (spot.x + reach < seen.left || spot.x - reach > seen.right || spot.y + reach < seen.top || spot.y - reach > seen.bottom) continue;
      each(spot, a);
    }
  }

  drawBoxes(time, seen) {
    const { context: c, scale, run } = this, least = Math.max(1.6, this.ratio * 1.6);
    c.setTransform(1, 0, 0, 1, 0, 0);
    const [left, top] = this.toCanvas(0, 0);
    run.classes.forEach((cls, number) => {
      c.fillStyle = cls.colour;
      const px = 0.5 + cls.pivot[0], py = 0.5 + cls.pivot[1];
      this.forEachSeen(number, time, seen, (spot) => {
        for (const [x, y, w, h] of cls.boxes[spot.h]) {
          c.fillRect(left + (spot.x - px + x) * scale, top + (spot.y - py + y) * scale, Math.max(least, w * scale), Math.max(least, h * scale));
        }
      });
    });
  }

  /** Sets the canvas to the frame of a body: its pivot at the origin, a cell a unit. */
  enter(spot, angle) {
    const cos = Math.cos(angle) * this.scale, sin = Math.sin(angle) * this.scale, [x, y] = this.toCanvas(spot.x, spot.y);
    this.context.setTransform(cos, sin, -sin, cos, x, y);
  }

  drawShapes(time, seen) {
    const { context: c, run } = this, outlined = this.scale >= 9;
    run.classes.forEach((cls, number) => {
      const step = (-2 * Math.PI) / cls.nHeadings;
      c.fillStyle = cls.colour;
      c.strokeStyle = "rgba(0,0,0,.75)";
      c.lineWidth = (1.2 * this.ratio) / this.scale;
      this.forEachSeen(number, time, seen, (spot) => {
        this.enter(spot, spot.turned);
        c.fill(cls.bodies[spot.h]);
        if (outlined) c.stroke(cls.bodies[spot.h]);
      });
      c.fillStyle = "rgba(0,0,0,.62)";
      this.forEachSeen(number, time, seen, (spot) => {
        this.enter(spot, spot.turned + step * spot.h);
        c.fill(cls.mark);
      });
    });
  }

  drawCells(tick, seen, colour, wanted) {
    const { context: c, scale, run, film } = this;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = colour;
    const [left, top] = this.toCanvas(0, 0);
    run.classes.forEach((_, number) => {
      this.forEachSeen(number, tick, seen, (_, a) => {
        if (!wanted(a)) return;
        for (const [x, y] of film.held(a, tick)) c.fillRect(left + x * scale, top + y * scale, scale, scale);
      });
    });
  }

  /** A line through the middles of the bodies along a path; straight parts are one line. */
  tracePath(poses, cls) {
    const { context: c } = this;
    let [lastX, lastY] = poses[0], dirX = 0, dirY = 0;
    const to = (x, y) => this.toCanvas(x + 0.5 + cls.pivot[0], y + 0.5 + cls.pivot[1]);
    c.moveTo(...to(lastX, lastY));
    for (const [x, y] of poses.slice(1)) {
      const dx = Math.sign(x - lastX), dy = Math.sign(y - lastY);
      if ((dx || dy) && (dx !== dirX || dy !== dirY)) c.lineTo(...to(lastX, lastY));
      if (dx || dy) [dirX, dirY] = [dx, dy];
      [lastX, lastY] = [x, y];
    }
    c.lineTo(...to(lastX, lastY));
  }

  drawPaths(tick, seen) {
    const { context: c, run, film } = this;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.lineWidth = Math.max(1, Math.min(this.scale * 0.16, 3 * this.ratio));
    c.globalAlpha = 0.75;
    run.classes.forEach((cls, number) => {
      c.strokeStyle = cls.colour;
      c.beginPath();
      this.forEachSeen(number, tick, seen, (_, a) => this.tracePath(film.pathPoses(a, tick), cls));
      c.stroke();
    });
    c.globalAlpha = 1;
  }

  /** The selected agent's path with its bodies, the cells of its next move, and who holds them. */
  drawTrip(tick) {
    const { context: c, film, run, selected: a, scale } = this;
    if (!film.isThere(a, tick)) return;
    const cls = run.classes[run.cls[a]], poses = film.pathPoses(a, tick);
    c.setTransform(1, 0, 0, 1, 0, 0);
    const [left, top] = this.toCanvas(0, 0);
    const fill = (cells, colour) => {
      c.fillStyle = colour;
      for (const [x, y] of cells) c.fillRect(left + x * scale, top + y * scale, scale, scale);
    };
    if (poses.length > 1) {
      const covered = new Map();
      for (const [x, y, h] of poses) for (const [dx, dy] of cls.footprints[h]) covered.set(`${x + dx},${y + dy}`, [x + dx, y + dy]);
      fill(covered.values(), "rgba(255,255,255,.22)");
      c.strokeStyle = "rgba(255,255,255,.95)";
      c.lineWidth = Math.max(1.5, Math.min(scale * 0.14, 4 * this.ratio));
      c.beginPath();
      this.tracePath(poses, cls);
      c.stroke();
      const [x, y, h] = poses[poses.length - 1];
      this.enter({ x: x + 0.5 + cls.pivot[0], y: y + 0.5 + cls.pivot[1] }, 0);
      c.lineWidth = Math.max(0.08, 1.5 / scale);
      c.stroke(cls.bodies[h]);
      c.setTransform(1, 0, 0, 1, 0, 0);
    }
    if (film.wait(a, tick)) {
      const found = film.obstacles(a, tick);
      if (found) {
        fill(found.cells, "rgba(255,190,40,.4)");
        for (const [b] of found.by) fill(film.held(b, tick), "rgba(255,40,40,.4)");
      }
    }
  }

  /** Rings around agents that wait or are stuck, if their layers are on, and the selected one. */
  drawRings(time, seen) {
    const { context: c, run, film, layers } = this, tick = Math.floor(time);
    const ring = (spot, reach, colour, wide) => {
      const [x, y] = this.toCanvas(spot.x, spot.y);
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.strokeStyle = colour;
      c.lineWidth = wide * this.ratio;
      c.beginPath();
      c.arc(x, y, Math.max(reach * this.scale, 6 * this.ratio), 0, 7);
      c.stroke();
    };
    if (layers.waiting || layers.stuck) {
      run.classes.forEach((cls, number) => {
        this.forEachSeen(number, time, seen, (spot, a) => {
          if (layers.stuck && film.isStuck(a, tick)) ring(spot, cls.reach, "#ff4038", 2);
          else if (layers.waiting && film.wait(a, tick)) ring(spot, cls.reach, "#ffc83c", 1.2);
        });
      });
    }
    if (this.selected >= 0 && film.isThere(this.selected, tick)) {
      ring(this.place(this.selected, time, {}), run.classes[run.cls[this.selected]].reach, "#ffffff", 2.5);
    }
  }

  /** The agent at a point of the canvas, or the nearest within a finger's width; -1 if none. */
  agentAt(px, py, time) {
    const [x, y] = this.toMap(px, py), near = (12 * this.ratio) / this.scale;
    let best = -1, least = near;
    this.run.classes.forEach((cls, number) => {
      this.forEachSeen(number, time, { left: x - near, right: x + near, top: y - near, bottom: y + near }, (spot, a) => {
        const cos = Math.cos(spot.turned), sin = Math.sin(spot.turned), dx = x - spot.x, dy = y - spot.y;
        const bx = dx * cos + dy * sin + cls.pivot[0], by = dy * cos - dx * sin + cls.pivot[1];
        for (const [cx, cy] of cls.footprints[spot.h]) {
          const far = Math.hypot(Math.max(0, Math.abs(bx - cx) - 0.5), Math.max(0, Math.abs(by - cy) - 0.5));
          if (far < least || (far === 0 && best < 0)) [best, least] = [a, far];
        }
      });
    });
    return best;
  }
}

/** The plot of the run below the map: drawn once, then only its cursor moves. */
class Plot {
  constructor(canvas, run) {
    Object.assign(this, { canvas, run, image: document.createElement("canvas") });
    this.context = canvas.getContext("2d");
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, { canvas, image } = this;
    canvas.width = image.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = image.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    this.paint(ratio);
  }

  /** Mean of a counter over the ticks of a column, or of what it grew by a tick. */
  column(values, from, to, grows) {
    if (grows) return ((values[to - 1] ?? 0) - (from > 0 ? values[from - 1] : 0)) / (to - from);
    let sum = 0;
    for (let tick = from; tick < to; tick++) sum += values[tick];
    return sum / (to - from);
  }

  paint(ratio) {
    const { image, run } = this, c = image.getContext("2d"), style = getComputedStyle(document.documentElement);
    const { width, height } = image, ticks = Math.max(1, run.ticks), top = 17 * ratio, high = height - top - 2;
    const columns = Math.max(1, Math.min(ticks, Math.floor(width / (4 * ratio))));
    c.clearRect(0, 0, width, height);
    const edge = (column) => Math.floor((column * ticks) / columns);
    const series = (name, grows) => Array.from({ length: columns }, (_, i) => this.column(run.counters[name], edge(i), edge(i + 1), grows));
    const agents = Math.max(1, range(run.counters.agents)[1]);
    let textX = 0;
    const line = (name, label, colour, most, area, values) => {
      c.strokeStyle = c.fillStyle = style.getPropertyValue(colour);
      c.beginPath();
      if (area) c.moveTo(0, height);
      values.forEach((value, i) => c.lineTo(((i + 0.5) * width) / columns, top + high * (1 - value / most)));
      if (area) { c.lineTo(width, height); c.globalAlpha = 0.35; c.fill(); c.globalAlpha = 1; }
      c.lineWidth = 1.4 * ratio;
      if (!area) c.stroke();
      c.font = `${11.5 * ratio}px system-ui, sans-serif`;
      c.fillText(label, textX, 11 * ratio);
      textX += c.measureText(label).width + 14 * ratio;
    };
    const rate = (values) => { const most = range(values)[1] || 1; return [values, most, Number(most.toPrecision(3))]; };
    line("moving", `moving (of ${agents})`, "--moving", agents, true, series("moving", false));
    line("waiting", "waiting", "--waiting", agents, false, series("waiting", false));
    line("stuck", "stuck", "--stuck", agents, false, series("stuck", false));
    const [moves, mostMoves, moveText] = rate(series("moves", true));
    line("moves", `moves a tick (to ${moveText})`, "--faint", mostMoves, false, moves);
    const [done, mostDone] = rate(series("done", true));
    const total = run.counters.done[run.ticks - 1] || 0;
    line("done", `orders and tasks done (${total})`, "--done", mostDone, false, done);
  }

  draw(time) {
    const { context: c, canvas, image, run } = this, x = (time / Math.max(1, run.ticks)) * canvas.width;
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.drawImage(image, 0, 0);
    c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    c.fillRect(Math.round(x) - 1, 0, 2, canvas.height);
  }
}

// ---------------------------------------------------------------- controls

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const $ = (id) => document.getElementById(id);

class Player {
  constructor(run) {
    this.run = run;
    this.film = new Film(run);
    this.view = new View($("map"), run, this.film, new GroundMap(run));
    this.plot = new Plot($("plot"), run);
    Object.assign(this, { time: 0, speed: 20, playing: false, following: false, dirty: true, shownTick: -1, last: 0 });
    /** Milliseconds that the last frames took to draw, for measuring. */
    this.frameMs = [];
    this.label();
    this.listen();
    this.listenToMap();
    this.plot.resize();
    this.readLink();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** What is said once. */
  label() {
    const { run } = this;
    $("name").textContent = run.name;
    $("last").textContent = `of ${run.ticks}${run.complete ? "" : " (cut off)"}`;
    $("scrub").max = $("tick").max = run.ticks;
    $("speed").append(...SPEEDS.map((speed) => new Option(`${speed} ticks/s`, speed, speed === 20, speed === 20)));
    $("names").append(...run.names.filter(Boolean).map((name) => new Option(name)));
    for (const [key, text] of LAYERS) {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: this.view.layers[key], id: `layer-${key}` });
      box.onchange = () => { this.view.layers[key] = box.checked; this.dirty = true; };
      const label = document.createElement("label");
      label.append(box, ` ${text}`);
      $("layer-list").append(label);
    }
    const kind = (colour, text) => {
      const row = Object.assign(document.createElement("div"), { className: "kind" });
      const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
      swatch.style.background = colour;
      row.append(swatch, text);
      $("legend-list").append(row);
    };
    run.classes.forEach((cls) => kind(cls.colour, cls.name));
    run.terrain.forEach((of) => kind(`rgb(${of.colour})`, `${of.name}, speed ${of.speed}`));
    run.sides.slice(1).forEach((of) => kind(of.speed ? "#b98a3c" : "#1c1210", `side: ${of.name}, speed ${of.speed}`));
  }

  // Time.

  goTo(time) {
    this.time = Math.max(0, Math.min(this.run.ticks, time));
    this.dirty = true;
  }

  step(ticks) {
    this.pause();
    this.goTo(ticks > 0 ? Math.floor(this.time) + ticks : Math.ceil(this.time) + ticks);
  }

  play() {
    if (this.time >= this.run.ticks) this.goTo(0);
    this.playing = true;
    this.last = performance.now();
    this.dirty = true;
    $("play").textContent = "Pause";
  }

  pause() {
    this.playing = false;
    $("play").textContent = "Play";
    this.writeLink();
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = speed;
  }

  frame(now) {
    if (this.playing) {
      // A page in the background may sleep long; it goes on from where it was.
      const seconds = Math.min(0.25, Math.max(0, now - this.last) / 1000);
      this.goTo(this.time + seconds * this.speed);
      if (this.time >= this.run.ticks) this.pause();
    }
    this.last = now;
    if (this.dirty) this.draw();
    requestAnimationFrame((next) => this.frame(next));
  }

  draw() {
    const began = performance.now(), { view, film } = this, tick = Math.floor(this.time);
    this.dirty = false;
    if (this.following && view.selected >= 0 && film.isThere(view.selected, tick)) {
      const spot = view.place(view.selected, this.time, {});
      [view.x, view.y, view.fitted] = [spot.x, spot.y, false];
    }
    view.draw(this.time);
    this.plot.draw(this.time);
    if (tick !== this.shownTick) this.showTick(tick);
    this.frameMs.push(performance.now() - began);
    if (this.frameMs.length > 1000) this.frameMs.splice(0, 500);
  }

  showTick(tick) {
    const { run } = this, { agents, moving, waiting, stuck, done } = run.counters;
    this.shownTick = tick;
    if (document.activeElement !== $("tick")) $("tick").value = tick;
    $("scrub").value = tick;
    const at = Math.min(tick, run.ticks - 1);
    if (at >= 0) {
      $("counts").textContent = `${agents[at]} agents, ${moving[at]} moving, ${waiting[at]} waiting, ${stuck[at]} stuck, ${done[at]} orders and tasks done`;
    }
    this.showAgent();
  }

  // The selected agent.

  select(a) {
    this.view.selected = a;
    $("panel").hidden = a < 0;
    if (a < 0) this.setFollow(false);
    this.showAgent();
    this.writeLink();
    this.dirty = true;
  }

  setFollow(follow) {
    this.following = follow && this.view.selected >= 0;
    $("follow").checked = this.following;
    if (this.following && this.view.scale < 8 * this.view.ratio) this.view.zoom((12 * this.view.ratio) / this.view.scale);
    this.dirty = true;
  }

  showAgent() {
    const { run, film } = this, a = this.view.selected, tick = Math.floor(this.time);
    if (a < 0) return;
    const cls = run.classes[run.cls[a]], text = (id, value) => { $(id).textContent = value; };
    text("agent-title", `Agent ${film.label(a)}`);
    text("agent-class", cls.name);
    if (!film.isThere(a, tick)) {
      const gone = tick < run.placed[a] ? `is placed at tick ${run.placed[a]}` : `was taken out at tick ${run.removed[a]}`;
      for (const id of ["pose", "order", "path", "waited"]) text(`agent-${id}`, "");
      text("agent-doing", gone);
      text("agent-why", "");
      return;
    }
    const [x, y, h] = film.pose(a, tick), move = film.moving(a, tick), wait = film.wait(a, tick), left = film.pathLeft(a, tick);
    text("agent-pose", `[${x}, ${y}, "${cls.headings[h]}"]`);
    text("agent-order", film.order(a, tick) ?? "none");
    text("agent-doing", move >= 0 ? `${cls.primitives[run.primitive[move]].name}, until tick ${run.end[move]}`
      : wait ? `waits since tick ${wait[0]}` : "rests");
    text("agent-path", left.length ? `${left.length} moves left, next ${cls.primitives[left[0]].name}` : run.paths.length ? "none" : "not in this page");
    text("agent-waited", `${film.waitedUpTo(a, tick)} ticks in all${wait ? `, ${tick - wait[0]} now` : ""}`);
    text("agent-why", wait ? this.why(a, tick) : "");
  }

  /** Why an agent waits, as far as its surroundings tell. */
  why(a, tick) {
    const { film, run } = this;
    if (!run.paths.length) return "";
    const found = film.obstacles(a, tick);
    if (!found) return "It has no path: it waits for one to be found.";
    if (!found.by.length) return "Nobody holds the cells of its next move at this tick: it gives way, or looks for another path.";
    const names = found.by.slice(0, 3).map(([b, [x, y]]) => {
      const doing = film.moving(b, tick) >= 0 ? "moving" : film.wait(b, tick) ? "waiting too" : "at rest";
      return `agent ${film.label(b)} (${run.classes[run.cls[b]].name}, ${doing}) holds cell (${x}, ${y})`;
    });
    const more = found.by.length > 3 ? `, and ${found.by.length - 3} more` : "";
    return `Its next move needs cells that others hold: ${names.join("; ")}${more}.`;
  }

  /** Selects an agent by its number or name. */
  find(text) {
    const { run, film } = this, named = run.names.indexOf(text);
    const a = film.rowOfId.get(text !== "" && named >= 0 ? named : /^\d+$/.test(text) ? Number(text) : -1);
    if (a === undefined) return false;
    this.select(a);
    const tick = Math.floor(this.time);
    if (!film.isThere(a, tick)) this.goTo(run.placed[a]);
    const spot = this.view.place(a, this.time, {});
    [this.view.x, this.view.y, this.view.fitted] = [spot.x, spot.y, false];
    return true;
  }

  // Links: #tick=120&agent=3.

  readLink() {
    const link = new URLSearchParams(location.hash.slice(1));
    if (link.has("tick") && Number.isFinite(Number(link.get("tick")))) this.goTo(Number(link.get("tick")));
    if (link.has("agent") && this.find(link.get("agent"))) this.setFollow(true);
  }

  writeLink() {
    const a = this.view.selected, agent = a >= 0 ? `&agent=${this.run.id[a]}` : "";
    history.replaceState(null, "", `#tick=${Math.floor(this.time)}${agent}`);
  }

  // Keys, buttons, pointers.

  listen() {
    const { view } = this, then = (act) => () => { act(); this.dirty = true; };
    $("play").onclick = () => (this.playing ? this.pause() : this.play());
    $("back").onclick = () => this.step(-1);
    $("forth").onclick = () => this.step(1);
    $("zoom-in").onclick = then(() => view.zoom(1.5));
    $("zoom-out").onclick = then(() => view.zoom(1 / 1.5));
    $("fit").onclick = then(() => { this.setFollow(false); view.fit(); });
    $("close").onclick = () => this.select(-1);
    $("follow").onchange = () => this.setFollow($("follow").checked);
    $("speed").onchange = () => this.setSpeed(Number($("speed").value));
    $("scrub").oninput = () => this.goTo(Number($("scrub").value));
    $("scrub").onchange = () => this.writeLink();
    $("tick").onchange = () => { this.pause(); this.goTo(Number($("tick").value) || 0); this.writeLink(); };
    $("find").onchange = () => { $("find").setCustomValidity(this.find($("find").value.trim()) ? "" : "No such agent"); $("find").reportValidity(); };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const setTheme = (theme) => { document.documentElement.dataset.theme = theme; this.plot.resize(); this.dirty = true; };
    setTheme(dark.matches ? "dark" : "light");
    dark.onchange = () => setTheme(dark.matches ? "dark" : "light");
    $("theme").onclick = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    window.onhashchange = () => this.readLink();
    new ResizeObserver(() => { view.resize(); this.plot.resize(); this.draw(); }).observe($("map"));
    const toTick = (event) => { const box = $("plot").getBoundingClientRect(); this.goTo(Math.round(((event.clientX - box.left) / box.width) * this.run.ticks)); };
    $("plot").onpointerdown = (event) => { $("plot").setPointerCapture(event.pointerId); toTick(event); };
    $("plot").onpointermove = (event) => { if (event.buttons) toTick(event); };
    $("plot").onpointerup = () => this.writeLink();
    window.onkeydown = (event) => this.key(event);
  }

  key(event) {
    const { view, run } = this, typing = event.target.matches("input[type=number], input[type=search], select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 100 : 10, faster = (way) => this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + way))]);
    const keys = {
      " ": () => $("play").click(), ",": () => this.step(-1), ".": () => this.step(1),
      ArrowLeft: () => this.step(-by), ArrowRight: () => this.step(by), ArrowUp: () => faster(1), ArrowDown: () => faster(-1),
      Home: () => this.step(-run.ticks), End: () => this.step(run.ticks),
      "+": () => view.zoom(1.25), "=": () => view.zoom(1.25), "-": () => view.zoom(0.8), 0: () => $("fit").click(),
      f: () => this.setFollow(!this.following), d: () => $("theme").click(), Escape: () => this.select(-1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    this.dirty = true;
  }

  /** Drag and pinch, wheel and click, alike for mouse, pen and fingers. */
  listenToMap() {
    const { view } = this, canvas = $("map"), down = new Map();
    let travelled = 0;
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) * view.ratio, (event.clientY - box.top) * view.ratio];
    };
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      if (!down.size) travelled = 0;
      down.set(event.pointerId, point(event));
    };
    canvas.onpointermove = (event) => {
      const before = down.get(event.pointerId);
      if (!before) return;
      const now = point(event), other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (travelled > 5 * view.ratio) {
        canvas.classList.add("dragging");
        if (other) {
          const spread = (from) => Math.hypot(from[0] - other[0], from[1] - other[1]) || 1;
          view.zoom(spread(now) / spread(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
          view.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
        } else view.pan(now[0] - before[0], now[1] - before[1]);
        if (!other) this.setFollow(false);
      }
      down.set(event.pointerId, now);
      this.dirty = true;
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => {
      if (event.type === "pointerup" && down.has(event.pointerId) && travelled <= 5 * view.ratio) {
        const a = view.agentAt(...point(event), this.time);
        if (a >= 0) this.select(a);
      }
      down.delete(event.pointerId);
      canvas.classList.remove("dragging");
    };
    canvas.onwheel = (event) => {
      event.preventDefault();
      view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...point(event));
      this.dirty = true;
    };
  }
}

/** Opens the run; `window.player` is there for scripts once it is open. */
async function open() {
  try {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old: it has no DecompressionStream");
    const text = $("run").textContent;
    $("run").remove();
    const run = readRun(await unpack(text));
    window.player = new Player(run);
    $("message").hidden = true;
    window.openedMs = performance.now();
  } catch (error) {
    $("message").textContent = `The run cannot be opened: ${error.message}`;
    throw error;
  }
}
open();
