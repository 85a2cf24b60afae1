/** The plot of the run below the map: painted once, then only its cursor moves. */
class Plot {
  constructor(canvas, run) {
    Object.assign(this, { canvas, run, image: document.createElement("canvas") });
    this.context = canvas.getContext("2d");
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, { canvas, image } = this;
    canvas.width = image.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = image.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    this.paint(ratio);
  }

  /** Mean of a counter over the ticks of a column; of its growth per tick if it `grows`. */
  column(values, from, to, grows) {
    if (grows) return ((values[to - 1] ?? 0) - (from > 0 ? values[from - 1] : this.run.first > 0 ? values[0] : 0)) / (to - from);
    let sum = 0;
    for (let tick = from; tick < to; tick++) sum += values[tick];
    return sum / (to - from);
  }

  paint(ratio) {
    const { image, run } = this, c = image.getContext("2d"), style = getComputedStyle(document.documentElement);
    const { width, height } = image, ticks = Math.max(1, run.ticks - run.first), top = 17 * ratio, high = height - top - 2;
    const columns = Math.max(1, Math.min(ticks, Math.floor(width / (4 * ratio))));
    c.clearRect(0, 0, width, height);
    const edge = (column) => Math.floor((column * ticks) / columns);
    const series = (name, grows) => Array.from({ length: columns }, (_, i) => this.column(run.counters[name], edge(i), edge(i + 1), grows));
    const agents = Math.max(1, range(run.counters.agents)[1]);
    let textX = 0;
    const line = (name, label, colour, most, area, values) => {
      c.strokeStyle = c.fillStyle = style.getPropertyValue(colour);
      c.beginPath();
      if (area) c.moveTo(0, height);
      values.forEach((value, i) => c.lineTo(((i + 0.5) * width) / columns, top + high * (1 - value / most)));
      if (area) { c.lineTo(width, height); c.globalAlpha = 0.35; c.fill(); c.globalAlpha = 1; }
      c.lineWidth = 1.4 * ratio;
      if (!area) c.stroke();
      c.font = `${11.5 * ratio}px system-ui, sans-serif`;
      // In a narrow window the last have no room.
      if (textX + c.measureText(label).width <= width) c.fillText(label, textX, 11 * ratio);
      textX += c.measureText(label).width + 14 * ratio;
    };
    const rate = (values) => { const most = range(values)[1] || 1; return [values, most, Number(most.toPrecision(3))]; };
    // Where agents come and go, the tick tells how many there are.
    const steady = run.counters.agents.every((here) => here === agents);
    line("moving", steady ? `moving (of ${agents})` : `moving (of up to ${agents})`, "--moving", agents, true, series("moving", false));
    line("waiting", "waiting", "--waiting", agents, false, series("waiting", false));
    line("stuck", "stuck", "--stuck", agents, false, series("stuck", false));
    const [moves, mostMoves, moveText] = rate(series("moves", true));
    line("moves", `moves per tick (up to ${moveText})`, "--faint", mostMoves, false, moves);
    const [done, mostDone] = rate(series("done", true));
    const total = run.counters.done.at(-1) || 0;
    const [agentsApart, tasksApart] = run.confined, carried = run.carried === null ? "" : `; carried ${run.carried / 10} %`;
    const apart = agentsApart ? `, ${tasksApart} by ${agentsApart} confined agents` : "";
    line("done", `orders and tasks done (${total}${apart})${carried}`, "--done", mostDone, false, done);
  }

  draw(time) {
    const { context: c, canvas, image, run } = this, x = ((time - run.first) / Math.max(1, run.ticks - run.first)) * canvas.width;
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.drawImage(image, 0, 0);
    c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    c.fillRect(Math.round(x) - 1, 0, 2, canvas.height);
  }
}
