// Draws the run at a time.

/** Least scale, in pixels per cell, at which agents are drawn as bodies with a facing; below as plain rectangles. */
const SHAPES_FROM = 4;
/** Least scales with grid lines and with elevation numbers. */
const LINES_FROM = 10, HEIGHTS_FROM = 22;
/** Least scale at which hexagons are drawn as such; below as shifted rows of rectangles. */
const HEXAGONS_FROM = 6;
const SCALE_MAX = 160;
/** Least side of a body on the screen, in CSS pixels. */
const MARK_LEAST = 4;

const LAYERS = [
  ["names", "Names, where there is room"],
  ["goals", "Goals of all"],
  ["path", "Paths of all"],
  ["swept", "Swept cells"],
  ["held", "Held cells (reservations)"],
  ["heat", "Traffic of the whole run"],
  ["waiting", "Waiting agents"],
  ["stuck", "Stuck agents"],
];

/** The colour of a side kind. */
function sideColour(kind) { return kind.speed === 0 ? "#1c1210" : "#b98a3c"; }

class View {
  constructor(canvas, run, timeline, ground) {
    Object.assign(this, { canvas, run, timeline, ground, x: 0, y: 0, scale: 1, selected: -1, hovered: -1, fitted: true });
    this.layers = { names: true, goals: false, path: false, swept: false, held: false, heat: false, waiting: false, stuck: true };
    this.context = canvas.getContext("2d", { alpha: false });
    this.back = document.createElement("canvas");
    this.paths = new PathLayer(this);
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
    const { width, height } = run.lattice;
    this.scale = Math.min((canvas.width * 0.97) / width, (canvas.height * 0.97) / height, SCALE_MAX);
    this.x = width / 2;
    this.y = height / 2;
    this.fitted = true;
  }

  /** Zooms, keeping a point of the canvas in place. */
  zoom(factor, px = this.canvas.width / 2, py = this.canvas.height / 2) {
    const [x, y] = this.toMap(px, py), { canvas, run } = this;
    const least = Math.min(canvas.width / run.lattice.width, canvas.height / run.lattice.height) / 4;
    this.scale = Math.max(Math.min(this.scale * factor, SCALE_MAX), least);
    this.x = x - (px - canvas.width / 2) / this.scale;
    this.y = y - (py - canvas.height / 2) / this.scale;
    this.fitted = false;
  }

  pan(dx, dy) { this.goTo(this.x - dx / this.scale, this.y - dy / this.scale); }

  /** Puts a point of the map in the middle. */
  goTo(x, y) {
    const { width, height } = this.run.lattice;
    this.x = Math.max(0, Math.min(width, x));
    this.y = Math.max(0, Math.min(height, y));
    this.fitted = false;
  }

  toMap(px, py) {
    return [(px - this.canvas.width / 2) / this.scale + this.x, (py - this.canvas.height / 2) / this.scale + this.y];
  }

  toCanvas(x, y) {
    return [(x - this.x) * this.scale + this.canvas.width / 2, (y - this.y) * this.scale + this.canvas.height / 2];
  }

  /**
   * Placement of an agent at a time: its pivot, the number of the outline that is drawn, the rotation of that outline and
   * of the facing. A turning body is the east-facing one, turned, or a disc where it counts as round.
   */
  placement(a, time, out) {
    const { run, timeline } = this, { lattice } = run, tick = Math.floor(time), cls = run.classes[run.cls[a]];
    const move = timeline.moveAt(a, tick);
    let y0 = run.y0[a], h = run.h0[a], drawn = h, steps = h, x = lattice.middleX(run.x0[a], y0), y = lattice.middleY(y0);
    if (move >= run.moveFirst[a]) {
      const primitive = run.primitive[move], from = run.fromH[move], x0 = run.fromX[move];
      y0 = run.fromY[move];
      const step = cls.step(primitive, from, y0);
      const part = Math.min(1, (time - run.start[move]) / (run.end[move] - run.start[move]));
      x = lattice.middleX(x0, y0) * (1 - part) + lattice.middleX(x0 + step[0], y0 + step[1]) * part;
      y = lattice.middleY(y0) + step[1] * part * lattice.rowStep;
      if (part >= 0.5) y0 += step[1];
      h = part < 0.5 ? from : step[2];
      drawn = part < 1 ? cls.primitives[primitive].drawn[from] : h;
      steps = from + cls.primitives[primitive].turn * part;
    }
    out.x = x + cls.pivot[0];
    out.y = y + cls.pivot[1];
    // Canvas angles grow clockwise, headings counter-clockwise.
    out.facing = (-2 * Math.PI * steps) / cls.nHeadings;
    out.outline = Math.max(drawn, 0);
    out.turned = drawn < 0 ? out.facing : 0;
    out.h = out.outline < cls.nHeadings ? out.outline : h;
    out.entry = lattice.entry(h, y0);
    out.move = move;
    return out;
  }

  /** Draws the run at a time in ticks, whole or not. */
  draw(time) {
    const { canvas, context: c, scale, layers } = this, tick = Math.floor(time);
    this.ground.goTo(tick);
    this.drawGround();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.drawImage(this.back, 0, 0);
    const [left, top] = this.toMap(0, 0), [right, bottom] = this.toMap(canvas.width, canvas.height);
    const visible = { left, top, right, bottom };
    if (layers.swept) this.drawCells(tick, visible, "rgba(255,140,0,.45)", true);
    if (layers.held) this.drawCells(tick, visible, "rgba(255,255,255,.33)", false);
    if (this.selected >= 0) this.drawSelected(tick);
    if (scale < SHAPES_FROM * this.ratio) this.drawBoxes(time, visible); else this.drawShapes(time, visible);
    if (layers.path) this.paths.draw(tick);
    if (layers.goals) drawGoals(this, time, visible);
    this.drawRings(time, visible);
    const goal = this.selected >= 0 && this.timeline.isThere(this.selected, tick) && this.timeline.goal(this.selected, tick);
    if (goal) drawGoal(this, goal);
    drawNames(this, time, visible);
    c.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** Draws the map and everything that stands still, unless neither the view nor the map changed. */
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
    this.drawImage(c, ground);
    if (layers.heat) {
      this.heat ??= heatImage(run, this.timeline, ground);
      this.drawImage(c, this.heat);
    }
    if (scale >= LINES_FROM) this.drawLines(c);
    if (ground.elevation && scale >= HEIGHTS_FROM) this.drawHeights(c);
    this.drawBorders(c);
  }

  /** Draws an image of the map with a pixel for each cell, or for `every` x `every` cells. */
  drawImage(c, { image, every, pixels }) {
    const { run: { lattice, width }, scale } = this, [left, top] = this.toCanvas(0, 0);
    if (!lattice.hex) {
      c.drawImage(image, left, top, image.width * scale * every, image.height * scale * every);
      return;
    }
    if (scale < HEXAGONS_FROM || every > 1) {
      // Row by row, each shifted like its cells.
      const high = lattice.rowStep * every * scale, from = (HEX_RADIUS - HEX_ROW / 2) * scale;
      for (let y = 0; y < image.height; y++) {
        const shift = ((y * every) & 1) / 2;
        c.drawImage(image, 0, y, image.width, 1, left + shift * scale, top + from + y * high, image.width * scale * every, Math.max(1, high + 0.5));
      }
      return;
    }
    const [x0, y0, x1, y1] = this.cellsInSight(), byColour = new Map();
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) {
        const colour = pixels[y * width + x];
        if (!byColour.has(colour)) byColour.set(colour, new Path2D());
        lattice.addCell(byColour.get(colour), x, y);
      }
    }
    c.save();
    this.enterMap(c);
    c.lineWidth = 0.75 / scale;
    for (const [colour, path] of byColour) {
      const alpha = (colour >>> 24) / 255;
      if (!alpha) continue;
      c.fillStyle = c.strokeStyle = `rgba(${colour & 255},${(colour >>> 8) & 255},${(colour >>> 16) & 255},${alpha})`;
      c.fill(path);
      // The stroke closes the gaps between neighbours of one colour.
      if (alpha === 1) c.stroke(path);
    }
    c.restore();
  }

  /** Transforms a canvas to map coordinates. */
  enterMap(c) {
    const [left, top] = this.toCanvas(0, 0);
    c.setTransform(this.scale, 0, 0, this.scale, left, top);
  }

  /** The half-open ranges of visible columns and rows. */
  cellsInSight() {
    const { run, canvas } = this;
    return run.lattice.cellsIn(...this.toMap(0, 0), ...this.toMap(canvas.width, canvas.height), [run.width, run.height]);
  }

  drawLines(c) {
    if (this.run.lattice.hex) {
      const [x0, y0, x1, y1] = this.cellsInSight(), path = new Path2D();
      for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) this.run.lattice.addCell(path, x, y);
      c.save();
      this.enterMap(c);
      c.strokeStyle = "rgba(0,0,0,.16)";
      c.lineWidth = 1 / this.scale;
      c.stroke(path);
      c.restore();
      return;
    }
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
        const { lattice } = this.run, [px, py] = this.toCanvas(lattice.middleX(x, y) - 0.42, lattice.middleY(y) - 0.12);
        c.fillText(this.ground.elevation[y * this.run.width + x], px, py);
      }
    }
  }

  drawBorders(c) {
    const [x0, y0] = this.toMap(0, 0), [x1, y1] = this.toMap(this.canvas.width, this.canvas.height);
    c.lineCap = this.run.lattice.hex ? "round" : "square";
    this.run.sides.forEach((kind, number) => {
      const here = this.ground.borders.filter(([x, y, , , of]) => of === number && x >= x0 - 1 && x <= x1 + 1 && y >= y0 - 1 && y <= y1 + 1);
      if (!here.length) return;
      c.beginPath();
      for (const [ax, ay, bx, by] of here) {
        c.moveTo(...this.toCanvas(ax, ay));
        c.lineTo(...this.toCanvas(bx, by));
      }
      c.lineWidth = Math.max(1, this.scale * 0.14);
      c.strokeStyle = sideColour(kind);
      c.stroke();
    });
  }

  /** Calls `each` with the placement and the index of every visible agent of a class. */
  forEachVisible(number, time, visible, each) {
    const { reach } = this.run.classes[number], tick = Math.floor(time), spot = {};
    for (const a of this.timeline.byClass[number]) {
      if (!this.timeline.isThere(a, tick)) continue;
      this.placement(a, time, spot);
      if (spot.x + reach < visible.left || spot.x - reach > visible.right || spot.y + reach < visible.top || spot.y - reach > visible.bottom) continue;
      each(spot, a);
    }
  }

  drawBoxes(time, visible) {
    const { context: c, scale, run } = this, least = MARK_LEAST * this.ratio;
    c.setTransform(1, 0, 0, 1, 0, 0);
    const [left, top] = this.toCanvas(0, 0);
    run.classes.forEach((cls, number) => {
      c.fillStyle = cls.colour;
      const [px, py] = cls.pivot;
      this.forEachVisible(number, time, visible, (spot) => {
        for (const [x, y, w, h] of cls.boxes[spot.entry]) {
          const wide = Math.max(least, w * scale), high = Math.max(least, h * scale);
          c.fillRect(left + (spot.x - px + x + w / 2) * scale - wide / 2, top + (spot.y - py + y + h / 2) * scale - high / 2, wide, high);
        }
      });
    });
  }

  /** Transforms the canvas to the frame of a body: its pivot at the origin, cells as units. */
  enter(spot, angle) {
    const cos = Math.cos(angle) * this.scale, sin = Math.sin(angle) * this.scale, [x, y] = this.toCanvas(spot.x, spot.y);
    this.context.setTransform(cos, sin, -sin, cos, x, y);
  }

  drawShapes(time, visible) {
    const { context: c, run } = this, outlined = this.scale >= 9;
    run.classes.forEach((cls, number) => {
      c.fillStyle = cls.colour;
      c.strokeStyle = "rgba(0,0,0,.92)";
      c.lineWidth = (1.2 * this.ratio) / this.scale;
      this.forEachVisible(number, time, visible, (spot) => {
        this.enter(spot, spot.turned);
        c.fill(cls.outlines[spot.outline]);
        if (outlined) c.stroke(cls.outlines[spot.outline]);
      });
      c.fillStyle = "rgba(0,0,0,.62)";
      this.forEachVisible(number, time, visible, (spot) => {
        this.enter(spot, spot.facing);
        c.fill(cls.mark);
        if (outlined) c.fill(cls.sign);
      });
    });
  }

  /** Fills the cells held by all agents, or only by moving ones. */
  drawCells(tick, visible, colour, movingAlone) {
    const { context: c, scale, run } = this, { lattice } = run, swept = run.collision === "swept";
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = colour;
    const [left, top] = this.toCanvas(0, 0), exact = lattice.hex && scale >= HEXAGONS_FROM && new Path2D();
    run.classes.forEach((cls, number) => {
      this.forEachVisible(number, tick, visible, ({ move }, a) => {
        const moves = move >= run.moveFirst[a] && run.end[move] > tick;
        if (movingAlone && !moves) return;
        if (exact) {
          for (const [x, y] of this.timeline.held(a, tick)) lattice.addCell(exact, x, y);
          return;
        }
        const [x, y, h] = moves ? [run.fromX[move], run.fromY[move], run.fromH[move]] : this.timeline.poseAfter(a, move);
        const entry = lattice.entry(h, y), cells = moves && swept ? cls.sweptBoxes[run.primitive[move]][entry] : cls.boxes[entry];
        const px = left + lattice.middleX(x, y) * scale, py = top + lattice.middleY(y) * scale;
        for (const [bx, by, w, high] of cells) c.fillRect(px + bx * scale, py + by * scale, w * scale, high * scale);
      });
    });
    if (!exact) return;
    this.enterMap(c);
    c.fill(exact);
    c.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** The pivot of a body at a pose, on the canvas. */
  pivotOnCanvas(x, y, cls) {
    const { lattice } = this.run;
    return this.toCanvas(lattice.middleX(x, y) + cls.pivot[0], lattice.middleY(y) + cls.pivot[1]);
  }

  /** Draws the path and footprints of the selected agent; if it waits, also its next cells and their holders. */
  drawSelected(tick) {
    const { context: c, timeline, run, selected: a, scale } = this, { lattice } = run;
    if (!timeline.isThere(a, tick)) return;
    const cls = run.classes[run.cls[a]], poses = timeline.pathPoses(a, tick);
    c.setTransform(1, 0, 0, 1, 0, 0);
    const fill = (cells, colour) => {
      const path = new Path2D();
      for (const [x, y] of cells) lattice.addCell(path, x, y);
      c.save();
      this.enterMap(c);
      c.fillStyle = colour;
      c.fill(path);
      c.restore();
    };
    if (poses.length > 1) {
      const covered = new Map();
      for (const [x, y, h] of poses) for (const [dx, dy] of cls.footprint(h, y)) covered.set(`${x + dx},${y + dy}`, [x + dx, y + dy]);
      fill(covered.values(), "rgba(255,255,255,.22)");
      c.strokeStyle = "rgba(255,255,255,.95)";
      c.lineWidth = Math.max(1.5, Math.min(scale * 0.14, 4 * this.ratio));
      c.beginPath();
      poses.forEach(([x, y]) => c.lineTo(...this.pivotOnCanvas(x, y, cls)));
      c.stroke();
      const [x, y, h] = poses[poses.length - 1];
      this.enter({ x: lattice.middleX(x, y) + cls.pivot[0], y: lattice.middleY(y) + cls.pivot[1] }, 0);
      c.lineWidth = Math.max(0.08, 1.5 / scale);
      c.stroke(cls.outlines[h]);
      c.setTransform(1, 0, 0, 1, 0, 0);
    }
    if (timeline.wait(a, tick)) {
      const found = timeline.obstacles(a, tick);
      if (found) {
        fill(found.cells, "rgba(255,190,40,.4)");
        for (const [b] of found.by) fill(timeline.held(b, tick), "rgba(255,40,40,.4)");
      }
    }
  }

  /** Draws rings around waiting and stuck agents, if their layers are on, and around the selected one. */
  drawRings(time, visible) {
    const { context: c, run, timeline, layers } = this, tick = Math.floor(time);
    c.setTransform(1, 0, 0, 1, 0, 0);
    const add = (rings, spot, reach) => {
      const [x, y] = this.toCanvas(spot.x, spot.y), radius = Math.max(reach * this.scale, 6 * this.ratio);
      rings.moveTo(x + radius, y);
      rings.arc(x, y, radius, 0, 2 * Math.PI);
    };
    const stroke = (rings, colour, wide) => {
      c.strokeStyle = colour;
      c.lineWidth = wide * this.ratio;
      c.stroke(rings);
    };
    if (layers.waiting || layers.stuck) {
      const stuck = new Path2D(), waiting = new Path2D();
      run.classes.forEach((cls, number) => {
        this.forEachVisible(number, time, visible, (spot, a) => {
          if (layers.stuck && timeline.isStuck(a, tick)) add(stuck, spot, cls.reach);
          else if (layers.waiting && timeline.wait(a, tick)) add(waiting, spot, cls.reach);
        });
      });
      stroke(waiting, "#ffc83c", 1.2);
      stroke(stuck, "#ff4038", 2);
    }
    if (this.selected >= 0 && timeline.isThere(this.selected, tick)) {
      const ring = new Path2D();
      add(ring, this.placement(this.selected, time, {}), run.classes[run.cls[this.selected]].reach);
      stroke(ring, "#ffffff", 2.5);
    }
  }

  /** The agent at a point of the canvas, or the nearest one within the width of a finger; -1 if there is none. */
  agentAt(px, py, time) {
    const [x, y] = this.toMap(px, py), near = (12 * this.ratio) / this.scale;
    let best = -1, least = near;
    this.run.classes.forEach((cls, number) => {
      this.forEachVisible(number, time, { left: x - near, right: x + near, top: y - near, bottom: y + near }, (spot, a) => {
        const cos = Math.cos(spot.turned), sin = Math.sin(spot.turned), dx = x - spot.x, dy = y - spot.y;
        const bx = dx * cos + dy * sin + cls.pivot[0], by = dy * cos - dx * sin + cls.pivot[1];
        const { lattice } = this.run;
        for (const cell of cls.footprints[lattice.entry(spot.h, 0)]) {
          const [cx, cy] = lattice.offset(cell), far = lattice.distance(bx - cx, by - cy);
          if (far < least || (far === 0 && best < 0)) [best, least] = [a, far];
        }
      });
    });
    return best;
  }
}
