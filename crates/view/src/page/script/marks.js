// Names and goals on the map.

/** Least scale, in CSS pixels per cell, with the names of all agents. */
const NAMES_FROM = 20;
/** Most agents in sight that are joined to their goals by a line. */
const GOAL_LINES_MAX = 400;

/** Draws the goals of all agents: a diamond in the colour of the class, and a thin line to it. */
function drawGoals(view, time, visible) {
  const { context: c, run, timeline, scale, ratio } = view, tick = Math.floor(time);
  const half = Math.max(0.3 * scale, 4 * ratio), spot = {};
  const marks = run.classes.map(() => []);
  let found = 0;
  for (let a = 0; a < run.n; a++) {
    const goal = timeline.isThere(a, tick) && timeline.goal(a, tick);
    if (!goal?.cells) continue;
    const { x, y } = view.placement(a, time, spot);
    const inSight = goal.cells.length <= 4 && goal.cells.some(([gx, gy]) => {
      const mx = run.lattice.middleX(gx, gy), my = run.lattice.middleY(gy);
      return mx > visible.left && mx < visible.right && my > visible.top && my < visible.bottom;
    });
    if (!inSight) continue;
    found++;
    for (const [gx, gy] of goal.cells) marks[run.cls[a]].push([...view.toCanvas(run.lattice.middleX(gx, gy), run.lattice.middleY(gy)), ...view.toCanvas(x, y)]);
  }
  c.setTransform(1, 0, 0, 1, 0, 0);
  marks.forEach((ofClass, number) => {
    if (found > GOAL_LINES_MAX) {
      // So many strokes take longer than a frame: copies of one diamond do not.
      const size = Math.ceil(half + 3 * ratio), stamp = Object.assign(document.createElement("canvas"), { width: 2 * size, height: 2 * size }), path = new Path2D();
      addDiamond(path, size, size, half);
      strokeDiamonds(stamp.getContext("2d"), path, run.classes[number].colour, ratio);
      for (const [x, y] of ofClass) c.drawImage(stamp, Math.round(x) - size, Math.round(y) - size);
      return;
    }
    const lines = new Path2D(), diamonds = new Path2D();
    for (const [x, y, fromX, fromY] of ofClass) {
      lines.moveTo(fromX, fromY);
      lines.lineTo(x, y);
      addDiamond(diamonds, x, y, half);
    }
    c.strokeStyle = run.classes[number].colour;
    c.lineWidth = ratio;
    c.globalAlpha = 0.5;
    c.stroke(lines);
    c.globalAlpha = 1;
    strokeDiamonds(c, diamonds, run.classes[number].colour, ratio);
  });
}

/** Draws the goal of the selected agent. */
function drawGoal(view, goal) {
  const { context: c, run, scale, ratio } = view, path = new Path2D();
  for (const [x, y] of goal.cells ?? []) addDiamond(path, ...view.toCanvas(run.lattice.middleX(x, y), run.lattice.middleY(y)), Math.max(0.4 * scale, 6 * ratio));
  strokeDiamonds(c, path, "#ffffff", ratio);
  if (!goal.area) return;
  const [x, y, width, height] = goal.area, { lattice } = run;
  const [left, top] = view.toCanvas(x, y * lattice.rowStep);
  c.setLineDash([6 * ratio, 4 * ratio]);
  c.strokeStyle = "#ffffff";
  c.lineWidth = 2 * ratio;
  c.strokeRect(left, top, width * scale, height * lattice.rowStep * scale);
  c.setLineDash([]);
}

function addDiamond(path, x, y, half) {
  path.moveTo(x, y - half);
  for (const [dx, dy] of [[half, 0], [0, half], [-half, 0]]) path.lineTo(x + dx, y + dy);
  path.closePath();
}

/** Lines with a dark edge, which are seen on any ground. */
function strokeDiamonds(c, path, colour, ratio) {
  for (const [style, width] of [["rgba(0,0,0,.85)", 4.5], [colour, 2]]) {
    c.strokeStyle = style;
    c.lineWidth = width * ratio;
    c.stroke(path);
  }
}

/** Writes names below bodies: of all in sight where there is room, and of the selected and the hovered agent anyway. */
function drawNames(view, time, visible) {
  const { context: c, run, timeline, scale, ratio } = view, tick = Math.floor(time), high = 12 * ratio;
  const taken = new Set(), spot = {};
  c.font = `${high}px system-ui, sans-serif`;
  c.textAlign = "center";
  c.lineJoin = "round";
  const write = (a, needsRoom) => {
    view.placement(a, time, spot);
    const cls = run.classes[run.cls[a]], text = run.names[run.id[a]] || String(run.id[a]), [px, top] = view.toCanvas(spot.x, spot.y);
    const low = Math.max(...cls.footprints[spot.entry].map((cell) => run.lattice.offset(cell)[1])) + 0.5 - cls.pivot[1];
    const y = top + low * scale + high, half = c.measureText(text).width / 2, cells = [];
    // Coarse: no two names in one box as high as a line.
    for (let x = Math.floor((px - half) / high); x <= (px + half) / high; x++) cells.push(`${x},${Math.round(y / high)}`);
    if (needsRoom && cells.some((cell) => taken.has(cell))) return;
    cells.forEach((cell) => taken.add(cell));
    c.lineWidth = 3 * ratio;
    c.strokeStyle = "rgba(0,0,0,.85)";
    c.strokeText(text, px, y);
    c.fillStyle = "#ffffff";
    c.fillText(text, px, y);
    view.namesDrawn++;
  };
  view.namesDrawn = 0;
  const first = new Set([view.selected, view.hovered].filter((a) => a >= 0 && timeline.isThere(a, tick)));
  first.forEach((a) => write(a, false));
  if (view.layers.names && scale >= NAMES_FROM * ratio) {
    run.classes.forEach((_, number) => view.forEachVisible(number, time, visible, (__, a) => { if (!first.has(a)) write(a, true); }));
  }
  c.textAlign = "start";
}
