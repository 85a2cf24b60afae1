// The map at a tick and its image.

/** The map at a tick, and its image with a pixel for each cell, or for `every` x `every` cells of very large maps. */
class GroundMap {
  constructor(run) {
    this.run = run;
    // Browsers limit the size of a canvas.
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
    if (edit.layer === SIDES) {
      this.sides ??= new Uint32Array(cells);
      edit.kinds.forEach((kind, side) => {
        const at = edit.y * width + edit.x;
        if (kind) this.sides[at] = (this.sides[at] & ~(15 << (4 * side))) | ((kind - 1) << (4 * side));
      });
      return;
    }
    if (edit.layer === ELEVATION) this.elevation ??= new Int16Array(cells);
    const target = edit.layer === ELEVATION ? this.elevation : this.terrain;
    for (let y = Math.max(edit.y, 0); y < Math.min(edit.y + edit.height, height); y++) {
      const row = y * width;
      target.fill(edit.value, row + Math.max(edit.x, 0), row + Math.min(edit.x + edit.width, width));
    }
  }

  paint() {
    const { width, height, terrain } = this.run, { every, image, elevation } = this;
    const data = new ImageData(image.width, image.height), pixels = new Uint32Array(data.data.buffer);
    this.pixels = pixels;
    const colours = terrain.map((kind) => kind.colour);
    const [low, high] = elevation ? range(elevation) : [0, 0];
    let at = 0;
    for (let y = 0; y < height; y += every) {
      for (let x = 0; x < width; x += every) {
        const cell = y * width + x, [r, g, b] = colours[this.terrain[cell]];
        let light = 1;
        if (high > low) {
          // Lighter with elevation; north-western slopes are lit.
          const north = elevation[Math.max(y - 1, 0) * width + x], west = elevation[y * width + Math.max(x - 1, 0)];
          const slope = (2 * elevation[cell] - north - west) / (high - low);
          light = 0.7 + (0.7 * (elevation[cell] - low)) / (high - low) + Math.max(-0.2, Math.min(0.2, slope));
        }
        const part = (value) => Math.min(255, value * light);
        pixels[at++] = 0xff000000 | (part(b) << 16) | (part(g) << 8) | part(r);
      }
    }
    image.getContext("2d").putImageData(data, 0, 0);
    this.findBorders();
  }

  /** Finds the sides that are not open, as `[x0, y0, x1, y1, kind]` between corners, once for each pair of cells. */
  findBorders() {
    this.borders = [];
    if (!this.sides) return;
    const { width, height, sides, lattice } = this.run, n = lattice.sides.length;
    const speed = (kind) => (kind === 0 ? 65536 : sides[kind].speed);
    const isOn = (x, y) => x >= 0 && y >= 0 && x < width && y < height;
    const kindOf = (x, y, side) => (isOn(x, y) ? (this.sides[y * width + x] >>> (4 * side)) & 15 : 0);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        for (let side = 0; side < n; side++) {
          const [nx, ny] = lattice.neighbour(x, y, side);
          if (isOn(nx, ny) && (ny < y || (ny === y && nx < x))) continue;
          // The slower of two facing sides counts.
          const one = kindOf(x, y, side), other = kindOf(nx, ny, (side + n / 2) % n), kind = speed(one) <= speed(other) ? one : other;
          if (!kind) continue;
          const [from, to] = lattice.sides[side].map((corner) => lattice.corners[corner]), mx = lattice.middleX(x, y), my = lattice.middleY(y);
          this.borders.push([mx + from[0], my + from[1], mx + to[0], my + to[1], kind]);
        }
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

/** A heat map of swept cells over the whole run, as an image with its pixels. */
function heatImage(run, timeline, ground) {
  const { every } = ground, counts = new Uint32Array(ground.image.width * ground.image.height);
  for (let a = 0; a < run.n; a++) {
    const cls = run.classes[run.cls[a]];
    for (let move = run.moveFirst[a]; move < run.moveFirst[a + 1]; move++) {
      const x = run.fromX[move], y = run.fromY[move];
      for (const [dx, dy] of cls.swept(run.primitive[move], run.fromH[move], y)) {
        counts[Math.floor((y + dy) / every) * ground.image.width + Math.floor((x + dx) / every)]++;
      }
    }
  }
  const most = Math.log1p(range(counts)[1]) || 1;
  const image = document.createElement("canvas");
  image.width = ground.image.width;
  image.height = ground.image.height;
  const data = new ImageData(image.width, image.height);
  counts.forEach((count, at) => {
    if (!count) return;
    const heat = Math.log1p(count) / most;
    data.data.set([255, 230 * (1 - heat), 60 * (1 - heat), 70 + 170 * heat], 4 * at);
  });
  image.getContext("2d").putImageData(data, 0, 0);
  return { image, every, pixels: new Uint32Array(data.data.buffer) };
}
