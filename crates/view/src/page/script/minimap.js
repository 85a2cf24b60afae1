// The whole map in a corner, with the part in sight. Shown when there is more than is in sight.

/** Longest side in CSS pixels, in wide and in narrow windows. */
const MINIMAP_SIDES = [180, 110];
/** Milliseconds between two drawings of its agents while the run plays. */
const MINIMAP_MS = 250;

class Minimap {
  constructor(canvas, view) {
    Object.assign(this, { canvas, view, image: document.createElement("canvas"), key: "", drawnAt: 0 });
    this.context = canvas.getContext("2d");
    const toMap = (event) => {
      const box = canvas.getBoundingClientRect(), { lattice } = view.run;
      view.goTo(((event.clientX - box.left) / box.width) * lattice.width, ((event.clientY - box.top) / box.height) * lattice.height);
      this.onmove();
    };
    canvas.onpointerdown = (event) => { canvas.setPointerCapture(event.pointerId); toMap(event); };
    canvas.onpointermove = (event) => { if (event.buttons) toMap(event); };
  }

  draw(tick) {
    const { canvas, view, context: c, image } = this, { lattice } = view.run, { canvas: map, ratio } = view;
    const [left, top] = view.toMap(0, 0), [right, bottom] = view.toMap(map.width, map.height);
    const slack = 1 / view.scale;
    canvas.hidden = left <= slack && top <= slack && right >= lattice.width - slack && bottom >= lattice.height - slack;
    if (canvas.hidden) return;
    const longest = MINIMAP_SIDES[innerWidth <= 620 ? 1 : 0], by = longest / Math.max(lattice.width, lattice.height);
    const width = Math.max(44, lattice.width * by), height = Math.max(44, lattice.height * by);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const scaleX = (width * ratio) / lattice.width, scaleY = (height * ratio) / lattice.height;
    const key = [tick, view.ground.done, width, height, ratio].join();
    if (key !== this.key && (!view.playing || performance.now() - this.drawnAt > MINIMAP_MS)) {
      canvas.width = image.width = Math.round(width * ratio);
      canvas.height = image.height = Math.round(height * ratio);
      Object.assign(this, { key, drawnAt: performance.now() });
      this.paint(tick, scaleX, scaleY);
    }
    c.drawImage(image, 0, 0);
    const box = [left * scaleX, top * scaleY, (right - left) * scaleX, (bottom - top) * scaleY];
    for (const [colour, wide] of [["#000000", 4], ["#ffffff", 2]]) {
      c.strokeStyle = colour;
      c.lineWidth = wide * ratio;
      c.strokeRect(...box);
    }
  }

  paint(tick, scaleX, scaleY) {
    const { image, view } = this, { run, timeline, ground } = view, c = image.getContext("2d"), least = 2 * view.ratio, spot = {};
    c.drawImage(ground.image, 0, 0, image.width, image.height);
    run.classes.forEach((cls, number) => {
      c.fillStyle = cls.colour;
      for (const a of timeline.byClass[number]) {
        if (!timeline.isThere(a, tick)) continue;
        view.placement(a, tick, spot);
        c.fillRect(spot.x * scaleX - least / 2, spot.y * scaleY - least / 2, least, least);
      }
    });
  }
}
