// The layer of all paths, drawn to a canvas of its own and redrawn as the run goes on.

/** Milliseconds of each frame that a playing run spends on redrawing the paths. */
const SLICE_MS = 5;
/** Agents drawn between two checks of the clock. */
const SLICE_AGENTS = 64;

class PathLayer {
  constructor(view) {
    Object.assign(this, { view, work: null, front: this.canvas(), back: this.canvas() });
    const { n } = view.run;
    /** Cached points `x, y` of each agent's path, before and after its moves, and the index of that path. */
    this.points = new Array(n).fill(null);
    this.ofPath = new Int32Array(n).fill(-2);
  }

  canvas() { return { canvas: document.createElement("canvas"), key: "", x: 0, y: 0, scale: 1 }; }

  /**
   * Draws the paths at a tick. While the run plays, the paths lag by a few frames: drawing many paths takes longer than
   * a frame, so it is spread over several. At rest they are exact.
   */
  draw(tick) {
    const { view } = this, key = [tick, view.x, view.y, view.scale, view.canvas.width, view.canvas.height].join();
    if (this.front.key !== key) {
      if (!view.playing) this.work = null;
      this.work ??= this.paint(tick, key);
      const until = view.playing && this.front.key ? performance.now() + SLICE_MS : Infinity;
      let step = { done: false };
      while (!step.done && performance.now() < until) step = this.work.next();
      if (step.done) {
        [this.front, this.back, this.work] = [this.back, this.front, null];
      }
    }
    const { context: c, canvas } = view, { front } = this, by = view.scale / front.scale;
    const [left, top] = [canvas.width / 2 + (front.x - view.x) * view.scale, canvas.height / 2 + (front.y - view.y) * view.scale];
    c.setTransform(by, 0, 0, by, left - (front.canvas.width / 2) * by, top - (front.canvas.height / 2) * by);
    c.globalAlpha = 0.75;
    c.drawImage(front.canvas, 0, 0);
    c.globalAlpha = 1;
    c.setTransform(1, 0, 0, 1, 0, 0);
  }

  /** Paints the back canvas in steps. */
  *paint(tick, key) {
    const { view, back } = this, { run, timeline } = view;
    Object.assign(back, { key, x: view.x, y: view.y, scale: view.scale });
    back.canvas.width = view.canvas.width;
    back.canvas.height = view.canvas.height;
    const c = back.canvas.getContext("2d");
    c.lineWidth = Math.max(1, Math.min(view.scale * 0.16, 3 * view.ratio));
    c.lineJoin = "round";
    const [left, top] = view.toCanvas(0, 0), { scale } = back;
    for (const [number, cls] of run.classes.entries()) {
      c.strokeStyle = cls.colour;
      c.beginPath();
      let drawn = 0;
      for (const a of timeline.byClass[number]) {
        if (timeline.isThere(a, tick)) this.trace(c, a, tick, left, top, scale);
        if (++drawn % SLICE_AGENTS === 0) {
          c.stroke();
          c.beginPath();
          yield;
        }
      }
      c.stroke();
    }
  }

  /** Adds a line along the rest of an agent's path. */
  trace(c, a, tick, left, top, scale) {
    const { run, timeline } = this.view, path = timeline.pathAt(a, tick);
    if (path < run.pathFirst[a]) return;
    if (this.ofPath[a] !== path) this.keep(a, path);
    const points = this.points[a], done = this.movesDone(a, path, tick);
    if (2 * done + 2 >= points.length) return;
    c.moveTo(left + points[2 * done] * scale, top + points[2 * done + 1] * scale);
    // Only bends matter: points within a straight line are skipped.
    let [lastX, lastY] = [points[2 * done], points[2 * done + 1]], dirX = 0, dirY = 0;
    for (let at = 2 * done + 2; at < points.length; at += 2) {
      const x = points[at], y = points[at + 1], dx = x - lastX, dy = y - lastY;
      if (!dx && !dy) continue;
      const straight = Math.abs(dirX * dy - dirY * dx) < 1e-3 && dirX * dx + dirY * dy > 0;
      if (!straight) c.lineTo(left + lastX * scale, top + lastY * scale);
      [lastX, lastY, dirX, dirY] = [x, y, dx, dy];
    }
    c.lineTo(left + lastX * scale, top + lastY * scale);
  }

  /** Moves of a path begun so far, until the agent left it. */
  movesDone(a, path, tick) {
    const { run, timeline } = this.view, first = lastUpTo(run.start, run.moveFirst[a], run.moveFirst[a + 1], run.paths[path].tick - 1) + 1;
    return Math.max(0, Math.min(run.paths[path].common, timeline.moveAt(a, tick) + 1 - first));
  }

  /** Caches the points of a path. */
  keep(a, path) {
    const { run, timeline } = this.view, cls = run.classes[run.cls[a]], { lattice } = run, { tick, common, others } = run.paths[path];
    const first = lastUpTo(run.start, run.moveFirst[a], run.moveFirst[a + 1], tick - 1) + 1;
    let [x, y, h] = timeline.poseBefore(a, first);
    const points = [];
    const add = () => points.push(lattice.middleX(x, y) + cls.pivot[0], lattice.middleY(y) + cls.pivot[1]);
    const go = (primitive) => {
      const step = cls.step(primitive, h, y);
      if (!step) return false;
      [x, y, h] = [x + step[0], y + step[1], step[2]];
      add();
      return true;
    };
    add();
    let goes = true;
    for (let move = first; goes && move < first + common; move++) goes = go(run.primitive[move]);
    for (const other of others) for (let left = (other >> 4) + 1; goes && left > 0; left--) goes = go(other & 15);
    this.points[a] = Float32Array.from(points);
    this.ofPath[a] = path;
  }
}
