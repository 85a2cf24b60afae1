// The page of the playground: draws what the session tells, and asks it for what the user does.
import { AgentRows } from 'wheelbase';
import { UNITS, drawing, rotated, startHost } from './drawing.js';

const $ = (id) => document.getElementById(id);
const { STRIDE, WORDS } = AgentRows;
const SPEEDS = [2, 5, 10, 20, 60, 200, 1000];
/** Where the bridges are, and what they are made of. */
const BRIDGES = {
  'playground.toml': { area: { x: 20, y: 12, width: 4, height: 4 }, open: 'road', closed: 'deep' },
  '11_river.toml': { area: { x: 30, y: 19, width: 3, height: 2 }, open: 'road', closed: 'deep' },
  '16_three_bridges.toml': { area: { x: 39, y: 6, width: 12, height: 4 }, open: 'road', closed: 'deep' },
};
const TOOLS = [
  ['select', 'Select', '1'], ['send', 'Send', '2'], ['wall', 'Wall', '3'], ['water', 'Water', '4'], ['ground', 'Ground', '5'],
  ['place', 'Place', '6'], ['pan', 'Move map', '7'],
];
const HEADINGS = { 1: [''], 4: ['E', 'N', 'W', 'S'], 6: ['E', 'NE', 'NW', 'W', 'SW', 'SE'], 8: ['E', 'NE', 'N', 'NW', 'W', 'SW', 'S', 'SE'] };

const canvas = $('map');
const scenarios = JSON.parse($('scenarios').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
const state = {
  map: null, frame: null, shownAt: 0, selected: new Set(), tool: 'select', class: 0, heading: 0, ticksPerSecond: 20, isPlaying: false,
  isClosed: false, camera: { x: 0, y: 0, scale: 16 }, drag: null, hover: null, name: '', exported: null, fails: [], host: '',
};
// For tests, and for the curious at the console.
globalThis.playground = { state, ask, screenOf, at: (id) => rowOf(id) };

// --- The session: in a Worker, or here where a page may have none.

let port = null;
async function connect() {
  const { host, open: openSession } = await startHost($('session').textContent);
  state.host = host;
  port = openSession();
  port.onmessage = ({ data }) => answers[data.type](data);
  open(scenarios[Math.max($('scenario').selectedIndex, 0)]);
}

function ask(type, message = {}) {
  port.postMessage({ type, ...message });
}

const answers = {
  opened(map) {
    Object.assign(state, { selected: new Set(), isClosed: false, class: 0, heading: 0 });
    view.open(map);
    whole();
    palette();
    const bridge = BRIDGES[state.name];
    $('bridge').hidden = bridge === undefined;
    buttons();
    answers.note({ text: 'Click units, then right-click where they are to go. With Shift the order is added.' });
  },
  frame(frame) {
    const ids = new Set();
    for (let i = 0; i < frame.rows.length; i += STRIDE) ids.add(frame.rows[i + WORDS.id]);
    for (const id of state.selected) if (!ids.has(id)) state.selected.delete(id);
    $('facts').textContent = `tick ${frame.tick}  ${ids.size} units  ${frame.hash}`;
    view.show(frame);
    buttons();
  },
  note({ text }) {
    $('note').textContent = text;
  },
  failed({ text }) {
    state.fails.push(text);
    $('note').textContent = text;
  },
  exported({ bytes, tick, hash }) {
    state.exported = { bytes, tick, hash };
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    link.download = 'session.rec';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    $('note').textContent = `session.rec saved, to tick ${tick}, hash ${hash}: wheelbase verify session.rec`;
  },
};

function open(scenario) {
  state.name = scenario.name;
  ask('open', scenario);
  ask('speed', { ticks: state.ticksPerSecond });
}

// --- Drawing.

const view = drawing(canvas, state, () => dark.matches, (context, scale) => {
  if (state.tool === 'place' && state.hover !== null) {
    const of = state.map.classes[state.class];
    context.globalAlpha = 0.5;
    view.drawBody(of, view.centre(state.hover.x, state.hover.y), (2 * Math.PI * state.heading) / of.headings, UNITS[state.class % UNITS.length], false);
    context.globalAlpha = 1;
  }
  if (state.drag?.kind === 'box') {
    const { from, to } = state.drag;
    context.strokeStyle = dark.matches ? '#ffffff' : '#000000';
    context.lineWidth = 2 / scale;
    context.strokeRect(Math.min(from.x, to.x), Math.min(from.y, to.y), Math.abs(to.x - from.x), Math.abs(to.y - from.y));
  }
});
const { worldAt, cellAt, placeAt, timeShown, draw, whole } = view;

/** The middle of a cell in CSS pixels of the window. */
function screenOf(x, y) {
  const { left, top } = canvas.getBoundingClientRect();
  const at = view.centre(x, y);
  const { camera } = state;
  return { x: left + (at.x - camera.x) * camera.scale, y: top + (at.y - camera.y) * camera.scale };
}

function animate() {
  if (state.isPlaying && state.ticksPerSecond <= 60) draw();
  requestAnimationFrame(animate);
}

function zoom(factor, clientX, clientY) {
  const { camera } = state;
  const before = worldAt({ clientX, clientY });
  camera.scale = Math.max(2, Math.min(96, camera.scale * factor));
  const after = worldAt({ clientX, clientY });
  camera.x += before.x - after.x;
  camera.y += before.y - after.y;
  draw();
}

// --- What the user does.

function rowOf(id) {
  const { rows } = state.frame;
  for (let i = 0; i < rows.length; i += STRIDE) if (rows[i + WORDS.id] === id) return { x: rows[i + WORDS.toX], y: rows[i + WORDS.toY] };
  return null;
}

/** The unit whose body is drawn at a place. */
function unitAt(place) {
  const time = timeShown();
  const { rows } = state.frame;
  for (let i = 0; i < rows.length; i += STRIDE) {
    const { of, at, angle } = placeAt(i, time);
    const own = rotated({ x: place.x - at.x - of.pivot.x, y: place.y - at.y - of.pivot.y }, -angle);
    const within = (cell) => Math.abs(own.x + of.pivot.x - cell.x) <= 0.5 && Math.abs(own.y + of.pivot.y - cell.y) <= 0.5;
    if (of.body.some(within)) return rows[i + WORDS.id];
  }
  return null;
}

function send(cell, append) {
  if (state.selected.size === 0) return answers.note({ text: 'Select units first.' });
  if (cell !== null) ask('send', { agents: [...state.selected].sort((a, b) => a - b), cell, append });
}

function toSelected(type) {
  if (state.selected.size > 0) ask(type, { agents: [...state.selected].sort((a, b) => a - b) });
}

function select(ids, isAdded) {
  if (!isAdded) state.selected.clear();
  for (const id of ids) state.selected.add(id);
  buttons();
  draw();
}

/** Cells on the line between two cells: a fast stroke leaves no gaps. */
function line(from, to) {
  const n = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y), 1);
  return Array.from({ length: n + 1 }, (_, i) => [Math.round(from.x + ((to.x - from.x) * i) / n), Math.round(from.y + ((to.y - from.y) * i) / n)]);
}

const pointers = new Map();

canvas.addEventListener('pointerdown', (event) => {
  if (state.frame === null) return;
  canvas.focus({ preventScroll: true });
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, event);
  const place = worldAt(event);
  const cell = cellAt(place);
  if (pointers.size === 2 || event.button === 1 || (state.tool === 'pan' && event.button === 0)) {
    state.drag = { kind: 'pan' };
  } else if (event.button === 2) {
    send(cell, event.shiftKey);
  } else if (state.tool === 'select') {
    state.drag = { kind: 'box', from: place, to: place, isAdded: event.shiftKey };
  } else if (state.tool === 'send') {
    send(cell, event.shiftKey);
  } else if (state.tool === 'place') {
    if (cell !== null) ask('place', { number: state.class, pose: { ...cell, heading: state.heading } });
  } else if (cell !== null) {
    state.drag = { kind: 'paint', cells: new Map([[`${cell.x},${cell.y}`, [cell.x, cell.y]]]), last: cell };
  }
});

canvas.addEventListener('pointermove', (event) => {
  if (state.frame === null) return;
  const before = pointers.get(event.pointerId);
  const place = worldAt(event);
  state.hover = cellAt(place);
  const { drag, camera } = state;
  if (drag?.kind === 'pan' && before !== undefined) {
    if (pointers.size === 2) {
      const [other] = [...pointers.values()].filter(({ pointerId }) => pointerId !== event.pointerId);
      const far = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      if (far(before) > 0) zoom(far(event) / far(before), (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
      camera.x -= (event.clientX - before.clientX) / camera.scale / 2;
      camera.y -= (event.clientY - before.clientY) / camera.scale / 2;
    } else {
      camera.x -= (event.clientX - before.clientX) / camera.scale;
      camera.y -= (event.clientY - before.clientY) / camera.scale;
    }
    draw();
  } else if (drag?.kind === 'box') {
    drag.to = place;
    draw();
  } else if (drag?.kind === 'paint' && state.hover !== null) {
    for (const [x, y] of line(drag.last, state.hover)) drag.cells.set(`${x},${y}`, [x, y]);
    drag.last = state.hover;
  } else if (state.tool === 'place') {
    draw();
  }
  if (before !== undefined) pointers.set(event.pointerId, event);
});

function release(event) {
  pointers.delete(event.pointerId);
  const { drag } = state;
  state.drag = null;
  if (drag?.kind === 'box') {
    const { from, to, isAdded } = drag;
    if (Math.hypot(to.x - from.x, to.y - from.y) * state.camera.scale < 6) {
      const unit = unitAt(to);
      select(unit === null ? [] : [unit], isAdded);
    } else {
      const time = timeShown();
      const { rows } = state.frame;
      const ids = [];
      for (let i = 0; i < rows.length; i += STRIDE) {
        const { at } = placeAt(i, time);
        const within = (key) => at[key] >= Math.min(from[key], to[key]) && at[key] <= Math.max(from[key], to[key]);
        if (within('x') && within('y')) ids.push(rows[i + WORDS.id]);
      }
      select(ids, isAdded);
    }
  } else if (drag?.kind === 'paint') {
    const kind = state.map.paint[state.tool];
    if (kind === null) answers.note({ text: `This map has no ${state.tool}.` });
    else ask('paint', { cells: [...drag.cells.values()], kind });
  }
}
canvas.addEventListener('pointerup', release);
canvas.addEventListener('pointercancel', release);
canvas.addEventListener('contextmenu', (event) => event.preventDefault());
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
}, { passive: false });

function setTool(tool) {
  state.tool = tool;
  buttons();
  draw();
}

function togglePlay() {
  ask('play', { on: !state.isPlaying });
}

function toggleBridge() {
  const bridge = BRIDGES[state.name];
  if (bridge === undefined) return;
  state.isClosed = !state.isClosed;
  ask('fill', { area: bridge.area, kind: state.isClosed ? bridge.closed : bridge.open });
  answers.note({ text: state.isClosed ? 'The bridge closes once no unit is on it.' : 'The bridge opens.' });
  buttons();
}

function turn() {
  state.heading = (state.heading + 1) % state.map.classes[state.class].headings;
  palette();
  draw();
}

function buttons() {
  for (const button of $('tools').children) button.setAttribute('aria-pressed', button.dataset.tool === state.tool);
  $('play').textContent = state.isPlaying ? 'Pause' : 'Play';
  $('bridge').textContent = state.isClosed ? 'Open bridge' : 'Close bridge';
  for (const id of ['stop', 'hold', 'remove', 'why']) $(id).disabled = state.selected.size === 0;
}

function palette() {
  const of = $('palette');
  of.replaceChildren();
  state.map.classes.forEach(({ name }, number) => {
    const button = document.createElement('button');
    button.textContent = name;
    button.style.borderLeft = `10px solid ${UNITS[number % UNITS.length]}`;
    button.setAttribute('aria-pressed', state.class === number);
    button.onclick = () => {
      [state.class, state.heading] = [number, 0];
      setTool('place');
      palette();
    };
    of.append(button);
  });
  const { headings } = state.map.classes[state.class];
  if (headings > 1) {
    const button = document.createElement('button');
    button.textContent = `Turn: ${HEADINGS[headings][state.heading]}`;
    button.title = 'Heading of units to place (R)';
    button.onclick = turn;
    of.append(button);
  }
}

for (const [tool, name, key] of TOOLS) {
  const button = document.createElement('button');
  button.textContent = name;
  button.title = `${name} (${key})`;
  button.dataset.tool = tool;
  button.onclick = () => setTool(tool);
  $('tools').append(button);
}
for (const { title } of scenarios) $('scenario').append(new Option(title));
$('scenario').onchange = () => open(scenarios[$('scenario').selectedIndex]);
$('play').onclick = togglePlay;
$('step').onclick = () => ask('step');
$('whole').onclick = whole;
$('export').onclick = () => ask('export');
$('bridge').onclick = toggleBridge;
$('why').onclick = () => state.selected.size > 0 && ask('why', { agent: Math.min(...state.selected) });
for (const id of ['stop', 'hold', 'remove']) $(id).onclick = () => toSelected(id);
$('speed').oninput = () => {
  state.ticksPerSecond = SPEEDS[$('speed').value];
  ask('speed', { ticks: state.ticksPerSecond });
};

const KEYS = {
  ' ': togglePlay, '.': () => ask('step'), x: () => toSelected('stop'), h: () => toSelected('hold'), Delete: () => toSelected('remove'),
  y: () => $('why').click(), b: toggleBridge, r: turn, e: () => ask('export'), 0: whole,
  a: () => select(Array.from({ length: state.frame.rows.length / STRIDE }, (_, i) => state.frame.rows[i * STRIDE + WORDS.id]), false),
  Escape: () => select([], false),
  '+': () => zoomMiddle(1.25), '-': () => zoomMiddle(0.8),
  ArrowLeft: () => pan(-1, 0), ArrowRight: () => pan(1, 0), ArrowUp: () => pan(0, -1), ArrowDown: () => pan(0, 1),
};
for (const [tool, , key] of TOOLS) KEYS[key] = () => setTool(tool);

function zoomMiddle(factor) {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  zoom(factor, left + width / 2, top + height / 2);
}

function pan(x, y) {
  state.camera.x += (x * 60) / state.camera.scale;
  state.camera.y += (y * 60) / state.camera.scale;
  draw();
}

addEventListener('keydown', (event) => {
  const own = event.target.closest?.('select, input');
  const isButton = event.target.closest?.('button') && event.key === ' ';
  if (own || isButton || event.ctrlKey || event.metaKey || event.altKey || state.frame === null) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
});
addEventListener('resize', () => state.map !== null && whole());
dark.addEventListener('change', () => {
  if (state.map !== null) view.paintTerrain();
  draw();
});
connect();
animate();
