// The page of the playground: draws what the session tells, and asks it for what the user does.
import { AgentRows } from 'wheelbase';

const $ = (id) => document.getElementById(id);
const { STRIDE, WORDS, BYTES } = AgentRows;
const SPEEDS = [2, 5, 10, 20, 60, 200, 1000];
/** Height of a row of hexagons, of which each is one wide. */
const HEX_ROW = Math.sqrt(3) / 2;
const COLOURS = {
  light: { ground: '#dcd9c6', swamp: '#b9b184', water: '#7fb2d9', trees: '#7d9e6b', out: '#6d6a66', road: '#c4b9a3', shallow: '#abcbe0', deep: '#6fa3cd' },
  dark: { ground: '#34352d', swamp: '#4b4730', water: '#21476a', trees: '#2c4a2a', out: '#0c0d0f', road: '#4c473d', shallow: '#2f5470', deep: '#1b3e5f' },
};
const UNITS = ['#d1495b', '#e08e2b', '#3a7d44', '#6a4c93', '#1d6f8a', '#b0507f', '#7a6a2f', '#4059ad'];
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
const context = canvas.getContext('2d');
const scenarios = JSON.parse($('scenarios').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
const state = {
  map: null, frame: null, shownAt: 0, selected: new Set(), tool: 'select', class: 0, heading: 0, ticksPerSecond: 20, isPlaying: false,
  isClosed: false, camera: { x: 0, y: 0, scale: 16 }, drag: null, hover: null, name: '', exported: null, fails: [], host: '',
};
// For tests, and for the curious at the console.
globalThis.playground = { state, ask, screenOf, cellAt, at: (id) => rowOf(id) };

// --- The session: in a Worker, or here where a page may have none.

let port = null;
function connect() {
  const script = $('session').textContent;
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const here = () => {
    if (state.host === 'page') return;
    state.host = 'page';
    const element = document.createElement('script');
    element.textContent = script;
    document.head.append(element);
    const { port1, port2 } = new MessageChannel();
    globalThis.serveSession(port2);
    listen(port1);
  };
  try {
    const worker = new Worker(url);
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      here();
    });
    state.host = 'worker';
    listen(worker);
  } catch {
    here();
  }
}

function listen(to) {
  port = to;
  port.onmessage = ({ data }) => answers[data.type](data);
  open(scenarios[Math.max($('scenario').selectedIndex, 0)]);
}

function ask(type, message = {}) {
  port.postMessage({ type, ...message });
}

const answers = {
  opened(map) {
    hexNow = map.shape === 'hex';
    map.classes.forEach(shape);
    Object.assign(state, { map, frame: null, selected: new Set(), isClosed: false, class: 0, heading: 0 });
    paintTerrain();
    whole();
    palette();
    const bridge = BRIDGES[state.name];
    $('bridge').hidden = bridge === undefined;
    buttons();
    answers.note({ text: 'Click units, then right-click where they are to go. With Shift the order is added.' });
  },
  frame(frame) {
    if (frame.terrain !== undefined) {
      state.map.terrain = frame.terrain;
      paintTerrain();
    }
    frame.bytes = new Uint8Array(frame.rows.buffer);
    state.frame = frame;
    state.shownAt = performance.now();
    state.isPlaying = frame.isPlaying;
    const ids = new Set();
    for (let i = 0; i < frame.rows.length; i += STRIDE) ids.add(frame.rows[i + WORDS.id]);
    for (const id of state.selected) if (!ids.has(id)) state.selected.delete(id);
    $('facts').textContent = `tick ${frame.tick}  ${ids.size} units  ${frame.hash}`;
    buttons();
    draw();
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

// --- Geometry.

const isHex = () => state.map.shape === 'hex';
const centre = (x, y) => (isHex() ? { x: x + 0.5 + (y & 1) / 2, y: y * HEX_ROW + 0.5 } : { x: x + 0.5, y: y + 0.5 });
const extent = () => ({ width: state.map.width + (isHex() ? 0.5 : 0), height: isHex() ? (state.map.height - 1) * HEX_ROW + 1 : state.map.height });

/** The middle of a cell in CSS pixels of the window. */
function screenOf(x, y) {
  const { left, top } = canvas.getBoundingClientRect();
  const at = centre(x, y);
  const { camera } = state;
  return { x: left + (at.x - camera.x) * camera.scale, y: top + (at.y - camera.y) * camera.scale };
}

function worldAt(event) {
  const { left, top } = canvas.getBoundingClientRect();
  const { camera } = state;
  return { x: (event.clientX - left) / camera.scale + camera.x, y: (event.clientY - top) / camera.scale + camera.y };
}

/** The cell at a place of the map; `null` off it. */
function cellAt(place) {
  const { width, height } = state.map;
  let best = null;
  if (isHex()) {
    const near = Math.round((place.y - 0.5) / HEX_ROW);
    let least = Infinity;
    for (let y = near - 1; y <= near + 1; y++) {
      const x = Math.round(place.x - 0.5 - (y & 1) / 2);
      const at = centre(x, y);
      const far = (at.x - place.x) ** 2 + (at.y - place.y) ** 2;
      if (far < least) [least, best] = [far, { x, y }];
    }
  } else {
    best = { x: Math.floor(place.x), y: Math.floor(place.y) };
  }
  return best.x >= 0 && best.y >= 0 && best.x < width && best.y < height ? best : null;
}

const rotated = ({ x, y }, angle) => ({ x: x * Math.cos(angle) + y * Math.sin(angle), y: y * Math.cos(angle) - x * Math.sin(angle) });

/** The body of a class in its own frame, and the point about which it turns, found from its cells at two headings. */
function shape(of) {
  const middles = (heading) => of.cells[heading].map(({ x, y }) => {
    const [at, zero] = [centreOf(x, y), centreOf(0, 0)];
    return { x: at.x - zero.x, y: at.y - zero.y };
  });
  const mean = (points) => ({ x: points.reduce((sum, p) => sum + p.x, 0) / points.length, y: points.reduce((sum, p) => sum + p.y, 0) / points.length });
  of.body = middles(0);
  of.pivot = { x: 0, y: 0 };
  if (of.headings > 1) {
    const k = of.headings === 6 ? 1 : of.headings / 4;
    const angle = (2 * Math.PI * k) / of.headings;
    const [from, to] = [mean(of.body), mean(middles(k))];
    const turned = rotated(from, angle);
    const [rx, ry] = [to.x - turned.x, to.y - turned.y];
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    // (I - R) p = r, with R = [[c, s], [-s, c]].
    const det = (1 - c) ** 2 + s * s;
    of.pivot = { x: ((1 - c) * rx + s * ry) / det, y: ((1 - c) * ry - s * rx) / det };
  }
  of.front = Math.max(...of.body.map((cell) => cell.x));
}

let hexNow = false;
function centreOf(x, y) {
  return hexNow ? { x: x + (y & 1) / 2, y: y * HEX_ROW } : { x, y };
}

// --- Drawing.

const terrainImage = document.createElement('canvas');
const colourOf = (kind) => COLOURS[dark.matches ? 'dark' : 'light'][kind] ?? (dark.matches ? '#41454b' : '#cfc9bd');

function paintTerrain() {
  const { width, height, terrain, kinds } = state.map;
  if (isHex()) return;
  terrainImage.width = width;
  terrainImage.height = height;
  const image = terrainImage.getContext('2d');
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      image.fillStyle = colourOf(kinds[terrain[y * width + x]]);
      image.fillRect(x, y, 1, 1);
    }
  }
}

function hexagon(at, radius) {
  context.moveTo(at.x, at.y - radius);
  for (let side = 1; side < 6; side++) {
    const angle = (side * Math.PI) / 3;
    context.lineTo(at.x + radius * Math.sin(angle), at.y - radius * Math.cos(angle));
  }
  context.closePath();
}

function drawBody(of, at, angle, colour, isSelected) {
  context.save();
  context.translate(at.x + of.pivot.x, at.y + of.pivot.y);
  context.rotate(-angle);
  context.translate(-of.pivot.x, -of.pivot.y);
  const pass = (fill, inset) => {
    context.fillStyle = fill;
    context.beginPath();
    for (const cell of of.body) {
      if (hexNow) hexagon(cell, 0.577 - inset);
      else {
        const has = (dx, dy) => of.body.some((other) => other.x === cell.x + dx && other.y === cell.y + dy);
        const [l, r, t, b] = [has(-1, 0), has(1, 0), has(0, -1), has(0, 1)].map((joined) => (joined ? -0.02 : inset));
        context.rect(cell.x - 0.5 + l, cell.y - 0.5 + t, 1 - l - r, 1 - t - b);
      }
    }
    context.fill();
  };
  pass(isSelected ? (dark.matches ? '#ffffff' : '#000000') : 'rgba(0,0,0,.45)', 0.03);
  pass(colour, isSelected ? 0.16 : 0.1);
  if (of.headings > 1) {
    context.fillStyle = 'rgba(255,255,255,.9)';
    const y = of.body.filter((cell) => cell.x === of.front).reduce((sum, cell, _, all) => sum + cell.y / all.length, 0);
    context.beginPath();
    context.moveTo(of.front + 0.36, y);
    context.lineTo(of.front - 0.05, y - 0.26);
    context.lineTo(of.front - 0.05, y + 0.26);
    context.fill();
  }
  context.restore();
}

/** Where a body is at a time: between the ends of its move. */
function placeAt(i, time) {
  const { rows, bytes } = state.frame;
  const byte = i * 4;
  const [begin, end] = [rows[i + WORDS.beginTick], rows[i + WORDS.endTick]];
  const part = time >= end ? 1 : time <= begin ? 0 : (time - begin) / (end - begin);
  const [from, to] = [centre(rows[i + WORDS.fromX], rows[i + WORDS.fromY]), centre(rows[i + WORDS.toX], rows[i + WORDS.toY])];
  const of = state.map.classes[bytes[byte + BYTES.class]];
  const turn = (bytes[byte + BYTES.turn] << 24) >> 24;
  const heading = bytes[byte + BYTES.toHeading] - turn * (1 - part);
  return { of, number: bytes[byte + BYTES.class], at: { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }, angle: (2 * Math.PI * heading) / of.headings };
}

function timeShown() {
  const { frame, isPlaying, ticksPerSecond } = state;
  if (!isPlaying || ticksPerSecond > 60) return frame.tick;
  return frame.tick - 1 + Math.min(1, ((performance.now() - state.shownAt) / 1000) * ticksPerSecond);
}

function draw() {
  const { map, frame, camera } = state;
  const ratio = devicePixelRatio;
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  if (map === null || frame === null) return;
  hexNow = isHex();
  const scale = camera.scale * ratio;
  context.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
  context.imageSmoothingEnabled = false;
  if (hexNow) {
    for (let y = 0; y < map.height; y++) {
      for (let x = 0; x < map.width; x++) {
        context.fillStyle = colourOf(map.kinds[map.terrain[y * map.width + x]]);
        context.beginPath();
        hexagon(centre(x, y), 0.56);
        context.fill();
      }
    }
  } else {
    context.drawImage(terrainImage, 0, 0);
    if (camera.scale >= 9) {
      context.strokeStyle = dark.matches ? 'rgba(255,255,255,.06)' : 'rgba(0,0,0,.07)';
      context.lineWidth = 1 / scale;
      context.beginPath();
      for (let x = 0; x <= map.width; x++) { context.moveTo(x, 0); context.lineTo(x, map.height); }
      for (let y = 0; y <= map.height; y++) { context.moveTo(0, y); context.lineTo(map.width, y); }
      context.stroke();
    }
  }
  const time = timeShown();
  for (let i = 0; i < frame.rows.length; i += STRIDE) {
    const { of, number, at, angle } = placeAt(i, time);
    drawBody(of, at, angle, UNITS[number % UNITS.length], state.selected.has(frame.rows[i + WORDS.id]));
  }
  if (state.tool === 'place' && state.hover !== null) {
    const of = map.classes[state.class];
    context.globalAlpha = 0.5;
    drawBody(of, centre(state.hover.x, state.hover.y), (2 * Math.PI * state.heading) / of.headings, UNITS[state.class % UNITS.length], false);
    context.globalAlpha = 1;
  }
  if (state.drag?.kind === 'box') {
    const { from, to } = state.drag;
    context.strokeStyle = dark.matches ? '#ffffff' : '#000000';
    context.lineWidth = 2 / scale;
    context.strokeRect(Math.min(from.x, to.x), Math.min(from.y, to.y), Math.abs(to.x - from.x), Math.abs(to.y - from.y));
  }
}

function animate() {
  if (state.isPlaying && state.ticksPerSecond <= 60) draw();
  requestAnimationFrame(animate);
}

function whole() {
  const { width, height } = extent();
  const scale = Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
  state.camera = { scale, x: (width - canvas.clientWidth / scale) / 2, y: (height - canvas.clientHeight / scale) / 2 };
  draw();
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
  if (state.map !== null) paintTerrain();
  draw();
});
connect();
animate();
