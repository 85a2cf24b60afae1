// The side of the playground and of the lessons that runs the world: in a Worker, or on the page where there is none.
// It is asked by messages and answers by messages; see `serve`.
import { MovementClass, MovementTables, World, init } from 'wheelbase';

/** At most so much time is spent on ticks before the page is told, in ms. */
const SLICE_MS = 12;
/** Larger maps are drawn without walls and heights. */
const CELLS_MAX = 20000;
/** The paths of more units than this would cover the map. */
const PATHS_MAX = 12;

/** Moves to half of the neighbours, by shape of the cells. The others are the way back. */
const STEPS = { square: [[1, 0], [0, 1]], hex: [[1, 0], [0, 1], [-1, 1]] };

/**
 * The walls and heights of a map. Moves of one cell find them, at the same speed on all terrain. A wall is a pair of
 * cells that no move joins: x, y, x, y. Heights are relative to the first cell; a flat map has none.
 */
function relief(map) {
  const { width, height, shape, hasElevation } = map.info();
  const found = { walls: [], heights: [] };
  if (width * height > CELLS_MAX) return found;
  const speeds = Object.fromEntries(map.terrainNames().map((name) => [name, 1000]));
  const forEachMove = (spec, heard) => {
    const primitives = STEPS[shape].map((by, i) => ({ name: `${i}`, by, time: 1000 }));
    const of = MovementClass.of({ name: 'probe', shape, headings: 1, primitives, speeds, ...spec });
    const tables = MovementTables.compile(map, of);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        primitives.forEach(({ by: [east, south] }, i) => {
          const to = { x: x + east + (shape === 'hex' && south === 1 && y % 2 === 1 ? 1 : 0), y: y + south };
          if (to.x >= 0 && to.x < width && to.y < height) heard(x, y, to, tables.move({ x, y, heading: 0 }, i));
        });
      }
    }
    tables.free();
    of.free();
  };
  forEachMove({}, (x, y, to, move) => move === null && found.walls.push([x, y, to.x, to.y]));
  if (hasElevation) {
    found.heights = new Array(width * height).fill(0);
    // A rise of one unit takes 1,000 ticks more, a fall one tick more.
    forEachMove({ sideSpeeds: { wall: 1000 }, climb: { up: 1000, down: 1 } }, (x, y, to, move) => {
      const more = (move?.ticks ?? 1000) - 1000;
      found.heights[to.y * width + to.x] = found.heights[y * width + x] + (more >= 1000 ? Math.floor(more / 1000) : -more);
    });
  }
  return found;
}

/** Answers messages that come through `port`, one end of a channel. */
export function serve(port) {
  let world = null;
  let recording = null;
  let isPlaying = false;
  let ticksPerSecond = 20;
  let begun = 0;
  let done = 0;
  let timer = null;
  let isLesson = false;
  let isOver = false;
  let mapShown = null;

  const post = (message, transfer = []) => port.postMessage(message, transfer);
  const note = (text) => post({ type: 'note', text });

  function describe(name) {
    const map = world.map();
    const info = map.info();
    const kinds = map.terrainNames();
    const kindOf = (kind) => {
      const at = kinds.indexOf(kind);
      return at === -1 ? null : at;
    };
    const classes = [];
    for (let number = 0; number < world.classes; number++) {
      const of = world.movementClass(number);
      const { headings } = of.info();
      // Well inside of any map, on an even row: hexagonal maps shift the odd ones.
      const cells = Array.from({ length: headings }, (_, heading) => of.cells({ x: 0, y: 0, heading }));
      classes.push({ name: of.name, headings, cells });
      of.free();
    }
    mapShown = { terrain: world.terrain(), ...relief(map) };
    const paint = { wall: kindOf('out'), water: kindOf('water'), ground: kindOf('ground') };
    post({ type: 'opened', name, ...info, kinds, paint, classes, ...mapShown });
    map.free();
  }

  function frame() {
    const rows = world.agents();
    const copy = rows.int32().slice();
    const message = { type: 'frame', tick: world.tick, hash: world.hash().toString(16).padStart(16, '0'), rows: copy, isPlaying, isOver, paths: [] };
    if (isLesson && rows.length <= PATHS_MAX) {
      message.paths = Array.from({ length: rows.length }, (_, i) => rows.id(i)).map((id) => world.path(id).map(({ x, y }) => [x, y]));
    }
    message.ordersDone = world.counts().ordersDone;
    message.editsPending = world.counts().editsPending;
    if (mapShown === null) {
      const map = world.map();
      message.map = mapShown = { terrain: world.terrain(), ...relief(map) };
      map.free();
    }
    post(message, [copy.buffer]);
  }

  function tell() {
    const events = world.events();
    for (let i = 0; i < events.length; i++) {
      const { kind, agent, a } = events.get(i);
      if (kind === 'refused') note(`tick ${world.tick}: refused${agent === null ? '' : ` for unit ${agent}`}: ${REFUSALS[a] ?? a}`);
      if (kind === 'order_failed') note(`tick ${world.tick}: unit ${agent} cannot reach its goal`);
      if (kind === 'edit_waits') note(`tick ${world.tick}: the change waits for ${a} unit${a === 1 ? '' : 's'} to leave`);
      if (kind === 'edit_done') {
        mapShown = null;
        note(`tick ${world.tick}: the map has changed`);
      }
    }
  }

  function step() {
    // A game goes on when the scenario is done; a lesson ends.
    isOver = !world.step() && isLesson;
    if (isOver) isPlaying = false;
    tell();
  }

  function loop() {
    timer = null;
    if (!isPlaying || world === null) return;
    const from = performance.now();
    const due = ((from - begun) / 1000) * ticksPerSecond;
    let ticked = false;
    while (isPlaying && done < due && performance.now() - from < SLICE_MS) {
      step();
      done++;
      ticked = true;
    }
    // What a slow machine could not do is not made up for.
    if (done < due - 1) [begun, done] = [performance.now(), 0];
    if (ticked) frame();
    if (isPlaying) timer = setTimeout(loop, Math.max(1, Math.min(16, 1000 / ticksPerSecond / 2)));
  }

  function play(on) {
    isPlaying = on && !isOver;
    [begun, done] = [performance.now(), 0];
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (isPlaying) loop();
    frame();
  }

  const commands = {
    open({ name, text, files, snapshot, ticks = 0, lesson = false }) {
      const next = snapshot === undefined ? World.parse(name, text, files) : World.load(Uint8Array.from(atob(snapshot), (byte) => byte.charCodeAt(0)));
      recording?.free();
      world?.free();
      [world, isLesson, isOver] = [next, lesson, false];
      if (!isLesson || snapshot !== undefined) world.setTicks(ticks);
      recording = isLesson ? null : world.record();
      describe(name);
      play(false);
    },
    play({ on }) {
      play(on);
    },
    speed({ ticks }) {
      ticksPerSecond = ticks;
      play(isPlaying);
    },
    step({ ticks = 1 }) {
      isPlaying = false;
      for (let i = 0; i < ticks && !isOver; i++) step();
      frame();
    },
    paint({ cells, kind }) {
      world.edit(cells.map(([x, y]) => ({ kind: 'terrain', area: { x, y, width: 1, height: 1 }, value: kind })));
    },
    fill({ area, kind }) {
      const map = world.map();
      world.edit([{ kind: 'terrain', area, value: map.terrainKind(kind) }]);
      map.free();
    },
    place({ number, pose }) {
      world.spawn({ class: number, pose });
    },
    remove({ agents }) {
      world.remove(agents);
    },
    stop({ agents }) {
      world.order(agents, { kind: 'stop' });
    },
    hold({ agents }) {
      world.order(agents, { kind: 'hold' });
    },
    send({ agents, cell, append }) {
      const trip = { fallback: 'nearest' };
      const order = agents.length === 1 ? { kind: 'goto', goals: [cell], ...trip } : { kind: 'goto_group', goal: cell, ...trip };
      world.order(agents, order, { append });
    },
    why({ agent }) {
      note(`unit ${agent}: ${world.reasonForWaiting(agent).text}`);
    },
    export() {
      const [tick, hash] = [world.tick, world.hash().toString(16).padStart(16, '0')];
      const bytes = recording.finish();
      recording.free();
      // What comes now is recorded from here.
      recording = world.record();
      post({ type: 'exported', bytes, tick, hash }, [bytes.buffer]);
    },
  };

  port.onmessage = async ({ data }) => {
    try {
      await init();
      // All but `open` are about a world.
      if (world !== null || data.type === 'open') commands[data.type](data);
    } catch (error) {
      post({ type: 'failed', text: error.message });
    }
  };
}

const REFUSALS = [
  'no such unit', 'no such class', 'it cannot stand there', 'another unit is there', 'the goal is off the map', 'wrong heading',
  'wrong order', 'wrong tasks', 'too many', 'wrong change', 'no such team', 'wrong speed', 'too many units', 'no room',
  'no request', 'wrong path', 'wrong move',
];
