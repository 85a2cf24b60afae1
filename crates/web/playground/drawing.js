// Draws a world on a canvas: for the playground, and for the lessons of the book.
import { AgentRows } from 'wheelbase';

const { STRIDE, WORDS, BYTES } = AgentRows;
/** Height of a row of hexagons, of which each is one wide. */
const HEX_ROW = Math.sqrt(3) / 2;
/** From the middle of a hexagon to a corner. */
const HEX_RADIUS = 1 / Math.sqrt(3);
const COLOURS = {
  light: { ground: '#dcd9c6', swamp: '#b9b184', water: '#7fb2d9', trees: '#7d9e6b', out: '#6d6a66', road: '#c4b9a3', shallow: '#abcbe0', deep: '#6fa3cd' },
  dark: { ground: '#34352d', swamp: '#4b4730', water: '#21476a', trees: '#2c4a2a', out: '#0c0d0f', road: '#4c473d', shallow: '#2f5470', deep: '#1b3e5f' },
};
/** Names that have the colour of another kind. */
const SAME = { meadow: 'ground', field: 'trees', wood: 'trees', river: 'deep' };
export const UNITS = ['#d1495b', '#e08e2b', '#3a7d44', '#6a4c93', '#1d6f8a', '#b0507f', '#7a6a2f', '#4059ad'];

export const rotated = ({ x, y }, angle) => ({ x: x * Math.cos(angle) + y * Math.sin(angle), y: y * Math.cos(angle) - x * Math.sin(angle) });

/**
 * The drawing of `state` on a canvas. It reads `map`, `frame`, `shownAt`, `camera`, `selected`, `isPlaying` and
 * `ticksPerSecond` there. `over` draws what belongs above the units.
 */
export function drawing(canvas, state, isDark, over = () => {}) {
  const context = canvas.getContext('2d');
  const isHex = () => state.map.shape === 'hex';
  const centre = (x, y) => (isHex() ? { x: x + 0.5 + (y & 1) / 2, y: y * HEX_ROW + HEX_RADIUS } : { x: x + 0.5, y: y + 0.5 });
  const extent = () => ({ width: state.map.width + (isHex() ? 0.5 : 0), height: isHex() ? (state.map.height - 1) * HEX_ROW + 2 * HEX_RADIUS : state.map.height });

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
      const near = Math.round((place.y - HEX_RADIUS) / HEX_ROW);
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

  /** The body of a class in its own frame, and the point about which it turns, found from its cells at two headings. */
  function shape(of) {
    const middles = (heading) => of.cells[heading].map(({ x, y }) => {
      const [at, zero] = [centre(x, y), centre(0, 0)];
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

  const terrainImage = document.createElement('canvas');
  const colourOf = (kind) => COLOURS[isDark() ? 'dark' : 'light'][SAME[kind] ?? kind] ?? (isDark() ? '#41454b' : '#cfc9bd');

  /** Makes the image of the terrain. High cells are lighter. */
  function paintTerrain() {
    const { width, height, terrain, kinds, heights } = state.map;
    if (isHex()) return;
    terrainImage.width = width;
    terrainImage.height = height;
    const image = terrainImage.getContext('2d');
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        image.fillStyle = colourOf(kinds[terrain[y * width + x]]);
        image.fillRect(x, y, 1, 1);
        if (heights.length === 0) continue;
        const light = (heights[y * width + x] - low) / (high - low) - 0.5;
        image.fillStyle = `rgba(${light < 0 ? '0,0,0' : '255,255,255'},${Math.abs(light) * (isDark() ? 0.6 : 0.8)})`;
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

  /** The sides that units cannot pass, each across the line from one cell to the other. */
  function drawWalls() {
    const half = isHex() ? HEX_RADIUS / 2 : 0.5;
    context.strokeStyle = isDark() ? '#f0c987' : '#3b1f14';
    context.lineWidth = 0.1;
    context.lineCap = 'round';
    context.beginPath();
    for (const [x, y, nextX, nextY] of state.map.walls) {
      const [a, b] = [centre(x, y), centre(nextX, nextY)];
      const [mx, my, dx, dy] = [(a.x + b.x) / 2, (a.y + b.y) / 2, (b.x - a.x) * half, (b.y - a.y) * half];
      context.moveTo(mx - dy, my + dx);
      context.lineTo(mx + dy, my - dx);
    }
    context.stroke();
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
        if (isHex()) hexagon(cell, HEX_RADIUS - inset);
        else {
          const has = (dx, dy) => of.body.some((other) => other.x === cell.x + dx && other.y === cell.y + dy);
          const [l, r, t, b] = [has(-1, 0), has(1, 0), has(0, -1), has(0, 1)].map((joined) => (joined ? -0.02 : inset));
          context.rect(cell.x - 0.5 + l, cell.y - 0.5 + t, 1 - l - r, 1 - t - b);
        }
      }
      context.fill();
    };
    pass(isSelected ? (isDark() ? '#ffffff' : '#000000') : 'rgba(0,0,0,.45)', 0.03);
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

  /** The rest of the paths that the frame has, from the units to their goals. */
  function drawPaths(places) {
    context.lineWidth = 0.12;
    context.lineCap = context.lineJoin = 'round';
    state.frame.paths.forEach((path, unit) => {
      if (path.length === 0) return;
      context.strokeStyle = UNITS[places[unit].number % UNITS.length];
      context.beginPath();
      context.moveTo(places[unit].at.x, places[unit].at.y);
      for (const [x, y] of path) context.lineTo(centre(x, y).x, centre(x, y).y);
      context.stroke();
    });
  }

  function draw() {
    const { map, frame, camera } = state;
    const ratio = devicePixelRatio;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    if (map === null || frame === null) return;
    const scale = camera.scale * ratio;
    context.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
    context.imageSmoothingEnabled = false;
    if (isHex()) {
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
        context.strokeStyle = isDark() ? 'rgba(255,255,255,.06)' : 'rgba(0,0,0,.07)';
        context.lineWidth = 1 / scale;
        context.beginPath();
        for (let x = 0; x <= map.width; x++) { context.moveTo(x, 0); context.lineTo(x, map.height); }
        for (let y = 0; y <= map.height; y++) { context.moveTo(0, y); context.lineTo(map.width, y); }
        context.stroke();
      }
    }
    drawWalls();
    const time = timeShown();
    const places = [];
    for (let i = 0; i < frame.rows.length; i += STRIDE) places.push(placeAt(i, time));
    drawPaths(places);
    places.forEach(({ of, number, at, angle }, unit) => {
      drawBody(of, at, angle, UNITS[number % UNITS.length], state.selected.has(frame.rows[unit * STRIDE + WORDS.id]));
    });
    over(context, scale);
  }

  /** Shows the whole map. */
  function whole() {
    const { width, height } = extent();
    const scale = Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
    state.camera = { scale, x: (width - canvas.clientWidth / scale) / 2, y: (height - canvas.clientHeight / scale) / 2 };
    draw();
  }

  /** Begins with the map of a session, before its first frame. */
  function open(map) {
    Object.assign(state, { map, frame: null });
    map.classes.forEach(shape);
    paintTerrain();
  }

  /** Takes the next frame of a session, and draws it. */
  function show(frame) {
    if (frame.map !== undefined) {
      Object.assign(state.map, frame.map);
      paintTerrain();
    }
    frame.bytes = new Uint8Array(frame.rows.buffer);
    Object.assign(state, { frame, shownAt: performance.now(), isPlaying: frame.isPlaying });
    draw();
  }

  return { centre, extent, worldAt, cellAt, placeAt, timeShown, paintTerrain, drawBody, draw, whole, open, show };
}

/**
 * Starts the host of sessions: a Worker, or the page where it may have none. `script` is the text of worker.js. The
 * function `open` of the result begins a session and returns its port.
 */
export function startHost(script) {
  return new Promise((resolve) => {
    const hostOf = (host, serve) => resolve({
      host,
      open() {
        const { port1, port2 } = new MessageChannel();
        serve(port2);
        return port1;
      },
    });
    const onPage = () => {
      const element = document.createElement('script');
      element.textContent = script;
      document.head.append(element);
      hostOf('page', globalThis.serveSession);
    };
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
      worker.onmessage = () => hostOf('worker', (port) => worker.postMessage(port, [port]));
      worker.onerror = (event) => {
        event.preventDefault();
        onPage();
      };
    } catch {
      onPage();
    }
  });
}
