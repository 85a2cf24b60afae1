// The state of the run at any tick.
//
// Nothing is simulated tick by tick: the moves of each agent are sorted by time and looked up by bisection, so a jump
// to any tick costs the same as a step to the next.

/** Index of the last of `values[first..end]` that is at most `limit`; `first - 1` if none is. */
function lastUpTo(values, first, end, limit) {
  while (first < end) {
    const middle = (first + end) >> 1;
    if (values[middle] <= limit) first = middle + 1; else end = middle;
  }
  return first - 1;
}

class Timeline {
  constructor(run) {
    this.run = run;
    this.cursor = Int32Array.from(run.moveFirst.subarray(0, run.n), (first) => first - 1);
    this.byClass = run.classes.map(() => []);
    for (let a = 0; a < run.n; a++) this.byClass[run.cls[a]].push(a);
    /** Parsed orders by number, as far as they were asked for. */
    this.parsed = [];
    /** The ends of paths by number, as far as they were asked for. */
    this.ends = new Map();
    this.rowOfId = new Map(Array.from(run.id, (id, row) => [id, row]));
  }

  /** Whether an agent is on the map. */
  isThere(a, tick) { return this.run.placed[a] <= tick && tick < this.run.removed[a]; }

  /** Index of the last move begun by an agent; one less than its first if there is none. */
  moveAt(a, tick) {
    const { start, moveFirst } = this.run, first = moveFirst[a], end = moveFirst[a + 1];
    let at = this.cursor[a];
    const holds = (index) => (index < first || start[index] <= tick) && (index + 1 >= end || start[index + 1] > tick);
    if (!holds(at)) {
      at = at + 1 < end && holds(at + 1) ? at + 1 : lastUpTo(start, first, end, tick);
      this.cursor[a] = at;
    }
    return at;
  }

  /** `[x, y, heading]` before a move, or after the last. */
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
    const step = run.classes[run.cls[a]].step(run.primitive[move], run.fromH[move], run.fromY[move]);
    return [run.fromX[move] + step[0], run.fromY[move] + step[1], step[2]];
  }

  /** The move in progress, or -1. */
  moving(a, tick) {
    const move = this.moveAt(a, tick);
    return move >= this.run.moveFirst[a] && this.run.end[move] > tick ? move : -1;
  }

  /** The resting pose, or the start pose of the move in progress. */
  pose(a, tick) {
    const move = this.moving(a, tick);
    return move >= 0 ? this.poseBefore(a, move) : this.poseAfter(a, this.moveAt(a, tick));
  }

  /** Cells held by an agent, as `[x, y]`. */
  held(a, tick) {
    const cls = this.run.classes[this.run.cls[a]], move = this.moving(a, tick), [x, y, h] = this.pose(a, tick);
    const swept = move >= 0 && this.run.collision === "swept";
    const cells = swept ? cls.swept(this.run.primitive[move], h, y) : cls.footprint(h, y);
    return cells.map(([dx, dy]) => [x + dx, y + dy]);
  }

  /** The same, with the cells that a move under way ends on. */
  claimed(a, tick) {
    const held = this.held(a, tick);
    if (this.run.collision === "swept" || this.moving(a, tick) < 0) return held;
    const [x, y, h] = this.poseAfter(a, this.moveAt(a, tick));
    return held.concat(this.run.classes[this.run.cls[a]].footprint(h, y).map(([dx, dy]) => [x + dx, y + dy]));
  }

  /** `[from, to]` of the wait in progress, or null. */
  wait(a, tick) {
    const { waitFrom, waitTo, waitFirst } = this.run;
    const at = lastUpTo(waitFrom, waitFirst[a], waitFirst[a + 1], tick);
    return at >= waitFirst[a] && tick < waitTo[at] ? [waitFrom[at], waitTo[at]] : null;
  }

  waitedUpTo(a, tick) {
    const { waitFrom, waitTo, waitFirst } = this.run;
    let sum = 0;
    for (let at = waitFirst[a]; at < waitFirst[a + 1] && waitFrom[at] < tick; at++) {
      sum += Math.min(waitTo[at], tick) - waitFrom[at];
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

  /** Number of the current order; -1 for none. */
  orderNumber(a, tick) {
    const { orderAt, orderOf, orderFirst } = this.run;
    const at = lastUpTo(orderAt, orderFirst[a], orderFirst[a + 1], tick);
    return at < orderFirst[a] ? -1 : orderOf[at];
  }

  order(a, tick) { return this.run.orders[this.orderNumber(a, tick)] ?? null; }

  /** The current order as an object, or null. */
  parsedOrder(a, tick) {
    const number = this.orderNumber(a, tick);
    if (number < 0) return null;
    this.parsed[number] ??= JSON.parse(this.run.orders[number]);
    return this.parsed[number];
  }

  /**
   * Where an agent goes: `{ cells }`, `{ area }` where it has not been given a place yet, `{ unknown }` where the page
   * does not hold it; null if nowhere.
   */
  goal(a, tick) {
    const order = this.parsedOrder(a, tick);
    if (!order) return null;
    const { run } = this;
    if (order.goto) return { cells: Array.isArray(order.goto[0]) ? order.goto : [order.goto] };
    if (order.task) {
      const { taskTick, taskFirst } = run, at = lastUpTo(taskTick, taskFirst[a], taskFirst[a + 1], tick);
      if (tick > run.tasks_until) return { unknown: true };
      if (at < taskFirst[a]) return null;
      const goal = run.taskGoal[at];
      // The next task is given when this one is done.
      return { cells: [Array.isArray(goal) ? goal : goal < 0 ? this.pose(a, taskTick[at + 1]) : this.endOfPath(a, goal)] };
    }
    if (order.follow !== undefined) {
      const leader = this.rowOfId.get(order.follow);
      return leader === undefined || !this.isThere(leader, tick) ? null : { cells: [this.pose(leader, tick)] };
    }
    const path = this.pathAt(a, tick);
    const rests = ["wait", "stop", "hold"].some((kind) => kind in order);
    if (!rests && path >= run.pathFirst[a]) return { cells: [this.endOfPath(a, path)] };
    return order.goto_area ? { area: order.goto_area } : null;
  }

  /** The pose at the end of a path, by the number of the path. */
  endOfPath(a, path) {
    if (this.ends.has(path)) return this.ends.get(path);
    const { run } = this, cls = run.classes[run.cls[a]], { tick, common, others } = run.paths[path];
    const first = lastUpTo(run.start, run.moveFirst[a], run.moveFirst[a + 1], tick - 1) + 1;
    let [x, y, h] = common ? this.poseAfter(a, first + common - 1) : this.poseBefore(a, first);
    for (const other of others) {
      for (let left = (other >> 4) + 1; left > 0; left--) {
        const step = cls.step(other & 15, h, y);
        if (!step) break;
        [x, y, h] = [x + step[0], y + step[1], step[2]];
      }
    }
    this.ends.set(path, [x, y, h]);
    return [x, y, h];
  }

  /** `[tick, text]`: the reason for resting found when the run was stepped again, and the tick of it; null if none was. */
  reason(a, tick) {
    const { reasonTick, reasonFirst, reasonText } = this.run;
    const at = lastUpTo(reasonTick, reasonFirst[a], reasonFirst[a + 1], tick);
    const move = this.moveAt(a, tick), since = move < this.run.moveFirst[a] ? this.run.placed[a] : this.run.end[move];
    return at >= reasonFirst[a] && reasonText[at] && reasonTick[at] >= since ? [reasonTick[at], reasonText[at]] : null;
  }

  /** Index of the current path of an agent; one less than its first if there is none. */
  pathAt(a, tick) {
    const { pathTick, pathFirst } = this.run;
    return lastUpTo(pathTick, pathFirst[a], pathFirst[a + 1], tick);
  }

  /** Remaining primitives of the path of an agent, in order. */
  pathLeft(a, tick) {
    const { paths, pathFirst, start, primitive, moveFirst } = this.run, at = this.pathAt(a, tick);
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

  /** Poses along the rest of the path: its start, then the pose after each move. */
  pathPoses(a, tick) {
    const cls = this.run.classes[this.run.cls[a]];
    let [x, y, h] = this.poseAfter(a, this.moveAt(a, tick));
    const poses = [[x, y, h]];
    for (const primitive of this.pathLeft(a, tick)) {
      const step = cls.step(primitive, h, y);
      if (!step) break;
      poses.push([x += step[0], y += step[1], h = step[2]]);
    }
    return poses;
  }

  /** Cells of the next move and agents that hold one of them: `{ cells, by: [[agent, cell]] }`; null without a move. */
  obstacles(a, tick) {
    const primitive = this.pathLeft(a, tick)[0];
    if (primitive === undefined) return null;
    const cls = this.run.classes[this.run.cls[a]], [x, y, h] = this.poseAfter(a, this.moveAt(a, tick));
    const step = cls.step(primitive, h, y);
    if (!step) return null;
    const offsets = this.run.collision === "swept"
      ? cls.swept(primitive, h, y)
      : cls.footprint(step[2], y + step[1]).map(([dx, dy]) => [dx + step[0], dy + step[1]]);
    const cells = offsets.map(([dx, dy]) => [x + dx, y + dy]);
    const needed = new Set(cells.map(String)), by = [];
    for (let b = 0; b < this.run.n; b++) {
      if (b === a || !this.isThere(b, tick)) continue;
      const cell = this.claimed(b, tick).find((held) => needed.has(String(held)));
      if (cell) by.push([b, cell]);
    }
    return { cells, by };
  }

  label(a) {
    const name = this.run.names[this.run.id[a]];
    return name ? `${this.run.id[a]} “${name}”` : String(this.run.id[a]);
  }
}
