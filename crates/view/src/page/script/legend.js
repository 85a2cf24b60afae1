// The lists that open beside the map: layers, legend, keys.

const KEYS = [
  ["space", "play or pause"], [", .", "a tick back or on"], ["← →", "10 ticks; with Shift 100"], ["↑ ↓", "faster, slower"],
  ["Home End", "first, last tick"], ["+ - 0", "zoom in, out, the whole map"], ["f", "follow the selected agent"],
  ["Esc", "select none"], ["d", "dark or light"], ["l", "layers"], ["k", "legend"], ["?", "these keys"],
];

function fillKeys(list) {
  for (const [keys, text] of KEYS) {
    const row = Object.assign(document.createElement("div"), { className: "kind" }), box = Object.assign(document.createElement("span"), { className: "chord" });
    box.append(...keys.split(" ").flatMap((key) => [Object.assign(document.createElement("kbd"), { textContent: key }), " "]));
    row.append(box, text);
    list.append(row);
  }
}

/** Lists what the run has, and nothing else: its classes, terrain, sides and heights. */
function fillLegend(list, run) {
  const ratio = window.devicePixelRatio || 1, wide = 30, high = 26;
  const row = (text, paint) => {
    const line = Object.assign(document.createElement("div"), { className: "kind" });
    const swatch = Object.assign(document.createElement("canvas"), { className: "swatch", width: wide * ratio, height: high * ratio });
    const c = swatch.getContext("2d");
    c.scale(ratio, ratio);
    paint(c);
    line.append(swatch, text);
    list.append(line);
  };
  const fill = (colour) => (c) => { c.fillStyle = colour; c.fillRect(0, 0, wide, high); };
  const classes = new Set(run.cls), terrain = new Set(run.terrain0), sides = new Set();
  for (const packed of run.sides0 ?? []) for (let left = packed; left; left >>>= 4) sides.add(left & 15);
  for (const edit of run.edits) {
    if (edit.layer === SIDES) edit.kinds.forEach((kind) => sides.add(kind - 1));
    else if (edit.layer !== ELEVATION) terrain.add(edit.value);
  }
  const ground = `rgb(${run.terrain[run.terrain0[0]].colour})`;
  run.classes.forEach((cls, number) => { if (classes.has(number)) row(cls.name, (c) => { fill(ground)(c); drawSample(c, cls, wide, high); }); });
  run.terrain.forEach((of, number) => { if (terrain.has(number)) row(`${of.name}, ${of.speed ? `speed ${of.speed}` : "impassable"}`, fill(`rgb(${of.colour})`)); });
  run.sides.forEach((of, number) => {
    if (number && sides.has(number)) row(`side: ${of.name}, ${of.speed ? `speed ${of.speed}` : "impassable"}`, (c) => { fill(ground)(c); c.fillStyle = sideColour(of); c.fillRect(0, high / 2 - 2.5, wide, 5); });
  });
  const heights = [...(run.elevation0 ? range(run.elevation0) : []), ...run.edits.filter((edit) => edit.layer === ELEVATION).map((edit) => edit.value)];
  if (heights.length) {
    row(`heights ${Math.min(...heights)} to ${Math.max(...heights)}: the higher, the lighter`, (c) => {
      const shade = c.createLinearGradient(0, 0, wide, 0);
      shade.addColorStop(0, "#3c4a30");
      shade.addColorStop(1, "#b4dc90");
      c.fillStyle = shade;
      c.fillRect(0, 0, wide, high);
    });
  }
  if (range(run.counters.stuck)[1] > 0) {
    row(`stuck: ended no move for ${run.stuck_after} ticks`, (c) => {
      c.strokeStyle = "#ff4038";
      c.lineWidth = 2;
      c.arc(wide / 2, high / 2, 10, 0, 2 * Math.PI);
      c.stroke();
    });
  }
}

/** Draws the body of a class, facing east, to fit a swatch. */
function drawSample(c, cls, wide, high) {
  const [left, right] = range(cls.corners.map(([x]) => x)), [top, bottom] = range(cls.corners.map(([, y]) => y));
  const scale = Math.min((wide - 4) / (right - left), (high - 4) / (bottom - top));
  c.translate(wide / 2, high / 2);
  c.scale(scale, scale);
  c.translate(-(left + right) / 2, -(top + bottom) / 2);
  c.fillStyle = cls.colour;
  c.strokeStyle = "#000";
  c.lineWidth = 1.2 / scale;
  c.fill(cls.outlines[0]);
  c.stroke(cls.outlines[0]);
  c.fillStyle = "rgba(0,0,0,.62)";
  c.fill(cls.mark);
  c.fill(cls.sign);
}
