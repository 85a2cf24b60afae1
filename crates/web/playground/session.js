// The side of the playground that runs the world: in a Worker, or on the page where there is none. It is asked by messages
// and answers by messages; see `serve`.
import { World, init } from 'wheelbase';

/** At most so much time is spent on ticks before the page is told, in ms. */
const SLICE_MS = 12;

/** Answers messages that come through `port`, a Worker's scope or one end of a channel. */
export function serve(port) {
  let world = null;
  let recording = null;
  let isPlaying = false;
  let ticksPerSecond = 20;
  let begun = 0;
  let done = 0;
  let timer = null;
  let terrainShown = null;

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
    terrainShown = world.terrain();
    const paint = { wall: kindOf('out'), water: kindOf('water'), ground: kindOf('ground') };
    post({ type: 'opened', name, ...info, kinds, paint, classes, terrain: terrainShown.slice() });
    map.free();
  }

  function frame() {
    const rows = world.agents();
    const copy = rows.int32().slice();
    const message = { type: 'frame', tick: world.tick, hash: world.hash().toString(16).padStart(16, '0'), rows: copy, isPlaying };
    message.ordersDone = world.counts().ordersDone;
    message.editsPending = world.counts().editsPending;
    const terrain = world.terrain();
    if (terrain.length !== terrainShown.length || terrain.some((kind, i) => kind !== terrainShown[i])) {
      terrainShown = terrain;
      message.terrain = terrain.slice();
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
      if (kind === 'edit_done') note(`tick ${world.tick}: the map has changed`);
    }
  }

  function step() {
    const isRunning = world.step();
    tell();
    return isRunning;
  }

  function loop() {
    timer = null;
    if (!isPlaying || world === null) return;
    const from = performance.now();
    const due = ((from - begun) / 1000) * ticksPerSecond;
    let ticked = false;
    while (done < due && performance.now() - from < SLICE_MS) {
      step();
      done++;
      ticked = true;
    }
    // What a slow machine could not do is not made up for.
    if (done < due - 1) [begun, done] = [performance.now(), 0];
    if (ticked) frame();
    timer = setTimeout(loop, Math.max(1, Math.min(16, 1000 / ticksPerSecond / 2)));
  }

  function play(on) {
    isPlaying = on;
    [begun, done] = [performance.now(), 0];
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (on) loop();
    frame();
  }

  const commands = {
    open({ name, text, files }) {
      const next = World.parse(name, text, files);
      recording?.free();
      world?.free();
      world = next;
      // A game goes on when the scenario is done.
      world.setTicks(0);
      recording = world.record();
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
      for (let i = 0; i < ticks; i++) step();
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
