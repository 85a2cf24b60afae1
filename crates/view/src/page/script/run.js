"use strict";
// Decodes the run embedded in the page into arrays.

/** Marks an absent tick. */
const NONE = 0xffffffff;

/** The bytes of the run, which are deflated and in base64. */
async function unpack(text) {
  const packed = atob(text.trim());
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads consecutive varints. */
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

/** Splits the bytes into sections, which `pack.rs` describes. */
function sections(bytes) {
  const numbers = new Numbers(bytes), parts = [];
  while (numbers.more()) {
    const length = numbers.next();
    parts.push(bytes.subarray(numbers.at, numbers.at + length));
    numbers.at += length;
  }
  return parts;
}

/** Fills a map layer from runs. */
function readLayer(bytes, cells, signed) {
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

/** The run as arrays. Agent `a` has the moves `moveFirst[a]` to `moveFirst[a + 1]`, exclusive; other lists likewise. */
function readRun(bytes) {
  const parts = sections(bytes);
  const about = JSON.parse(new TextDecoder().decode(parts[0]));
  const [width, height] = about.size, cells = width * height, n = about.agents;
  const lattice = new Lattice(about);
  const run = {
    ...about, width, height, n, lattice,
    classes: about.classes.map((cls) => prepareClass(cls, lattice)),
    terrain0: readLayer(parts[1], new Uint8Array(cells), false),
    sides0: readLayer(parts[2], new Uint32Array(cells), false),
    elevation0: readLayer(parts[3], new Int16Array(cells), true),
    id: new Uint32Array(n), cls: new Uint8Array(n), placed: new Uint32Array(n),
    removed: new Uint32Array(n).fill(NONE),
    x0: new Int32Array(n), y0: new Int32Array(n), h0: new Uint8Array(n),
    moveFirst: new Uint32Array(n + 1), waitFirst: new Uint32Array(n + 1),
    orderFirst: new Uint32Array(n + 1), pathFirst: new Uint32Array(n + 1),
    taskFirst: new Uint32Array(n + 1), reasonFirst: new Uint32Array(n + 1),
    edits: readEdits(new Numbers(parts[13]), about.edits, lattice.sides.length),
    counters: {},
  };
  readAgents(run, parts);
  readTasks(run, new Numbers(parts[20]));
  readReasons(run, new Numbers(parts[21]));
  about.counters.forEach((name, number) => {
    // One more than ticks were run, if the recording is whole: the counts after the last.
    const numbers = new Numbers(parts[14 + number]), values = [];
    for (let value = 0; numbers.more();) values.push(value += numbers.signed());
    run.counters[name] = Float64Array.from(values);
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
    waitFrom: [], waitTo: [], orderAt: [], orderOf: [], paths: [],
  });
  let id = 0, x = 0, y = 0, at = 0;
  for (let a = 0; a < run.n; a++) {
    run.id[a] = id += agents.next();
    run.cls[a] = agents.next();
    run.placed[a] = agents.next();
    const lifetime = agents.next();
    if (lifetime) run.removed[a] = run.placed[a] + lifetime - 1;
    run.x0[a] = x += agents.signed();
    run.y0[a] = y += agents.signed();
    run.h0[a] = agents.next();
    run.moveFirst[a] = at;
    at = readMoves(run, a, at, agents.next(), { runs, counts, rests, ticks });
    run.waitFirst[a] = run.waitFrom.length;
    for (let left = agents.next(), tick = 0; left > 0; left--) {
      const from = tick + waits.next();
      tick = from + waits.next();
      run.waitFrom.push(from);
      run.waitTo.push(tick);
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
  run.waitFirst[run.n] = run.waitFrom.length;
  run.orderFirst[run.n] = run.orderAt.length;
  run.pathFirst[run.n] = run.paths.length;
  run.pathTick = Uint32Array.from(run.paths, (path) => path.tick);
}

/** Reads the moves of an agent into the arrays from index `at` on. Returns the index after them. */
function readMoves(run, a, at, nRuns, { runs, counts, rests, ticks }) {
  const cls = run.classes[run.cls[a]];
  const last = cls.primitives.map((primitive) => primitive.ticks);
  let tick = run.placed[a], x = run.x0[a], y = run.y0[a], h = run.h0[a];
  for (; nRuns > 0; nRuns--) {
    const flags = runs.byte(), primitive = flags & 15, count = counts.next() + 1;
    if (flags & 16) tick += rests.next();
    if (flags & 32) last[primitive] = ticks.next();
    for (const end = at + count; at < end; at++) {
      run.start[at] = tick;
      run.end[at] = tick += last[primitive];
      run.primitive[at] = primitive;
      run.fromX[at] = x; run.fromY[at] = y; run.fromH[at] = h;
      const step = cls.step(primitive, h, y);
      x += step[0]; y += step[1]; h = step[2];
    }
  }
  return at;
}

/** Reads tasks: the tick of each, and its goal: `[x, y]`, the number of the path that ends there, or -1 if it was reached. */
function readTasks(run, numbers) {
  const ticks = [], goals = [];
  for (let a = 0; a < run.n; a++) {
    run.taskFirst[a] = ticks.length;
    let at = run.pathFirst[a];
    const end = run.pathFirst[a + 1];
    for (let left = numbers.next(); left > 0; left--) {
      at += numbers.next();
      const by = numbers.next(), last = end > run.pathFirst[a] ? run.pathTick[end - 1] : 0;
      ticks.push(at < end ? run.pathTick[at] - by : last + by);
      const goal = numbers.next();
      goals.push(goal === 0 ? at : goal === 1 ? -1 : [numbers.signed(), numbers.signed()]);
    }
  }
  run.taskFirst[run.n] = ticks.length;
  Object.assign(run, { taskTick: ticks, taskGoal: goals });
}

/** Reads why agents rested. A text is one of `run.reasons` with its numbers put in; empty where the map shows why. */
function readReasons(run, numbers) {
  const ticks = [], texts = [];
  for (let a = 0; a < run.n; a++) {
    run.reasonFirst[a] = ticks.length;
    for (let left = numbers.next(), tick = 0; left > 0; left--) {
      ticks.push(tick += numbers.next());
      texts.push((run.reasons[numbers.next() - 1] ?? "").replace(/#/g, () => numbers.next()));
    }
  }
  run.reasonFirst[run.n] = ticks.length;
  Object.assign(run, { reasonTick: ticks, reasonText: texts });
}

/** Layers of an edit other than terrain. */
const ELEVATION = 1, SIDES = 2;

function readEdits(numbers, count, nSides) {
  const edits = [];
  for (let tick = 0; count > 0; count--) {
    tick += numbers.next();
    const layer = numbers.next(), edit = { tick, layer, x: numbers.signed(), y: numbers.signed() };
    if (layer === SIDES) edit.kinds = Array.from({ length: nSides }, () => numbers.next());
    else {
      edit.width = numbers.next(); edit.height = numbers.next();
      edit.value = layer === ELEVATION ? numbers.signed() : numbers.next();
    }
    edits.push(edit);
  }
  return edits;
}
