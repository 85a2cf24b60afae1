// The controls and the start of the page.

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const $ = (id) => document.getElementById(id);

class Player {
  constructor(run) {
    this.run = run;
    this.timeline = new Timeline(run);
    this.view = new View($("map"), run, this.timeline, new GroundMap(run));
    this.minimap = new Minimap($("minimap"), this.view);
    this.minimap.onmove = () => { this.setFollow(false); this.dirty = true; };
    this.plot = new Plot($("plot"), run);
    Object.assign(this, { time: run.first, speed: 20, playing: false, following: false, dirty: true, shownTick: -1, last: 0 });
    /** Milliseconds spent on drawing each of the last frames, for measurements. */
    this.frameMs = [];
    this.label();
    this.listen();
    this.listenToMap();
    this.plot.resize();
    this.readLink();
    // A link leads to a tick, which stays. Some eyes do not bear what moves by itself.
    if (!location.hash && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Fills in everything that does not change. */
  label() {
    const { run } = this;
    $("name").textContent = run.name;
    $("last").textContent = `of ${run.ticks}${run.complete ? "" : " recorded, then cut off"}`;
    $("scrub").min = $("tick").min = run.first;
    $("scrub").max = $("tick").max = run.ticks;
    $("speed").append(...SPEEDS.map((speed) => new Option(`${speed} ticks/s`, speed, speed === 20, speed === 20)));
    $("names").append(...run.names.filter(Boolean).map((name) => new Option(name)));
    for (const [key, text] of LAYERS) {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: this.view.layers[key], id: `layer-${key}` });
      box.onchange = () => { this.view.layers[key] = box.checked; this.dirty = true; };
      const label = document.createElement("label");
      label.append(box, text);
      $("layer-list").append(label);
    }
    fillLegend($("legend-list"), run);
    fillKeys($("key-list"));
  }

  /** Opens a list beside the map, or closes it. One is open at a time. */
  toggle(name) {
    for (const button of ["layers", "legend", "keys"]) {
      const list = $({ layers: "layer-list", legend: "legend-list", keys: "key-list" }[button]);
      list.hidden = button !== name || !list.hidden;
      $(button).setAttribute("aria-expanded", !list.hidden);
      if (button === name) $("dock").scrollTop = list.hidden ? 0 : list.offsetTop;
    }
  }

  // Time.

  goTo(time) {
    this.time = Math.max(this.run.first, Math.min(this.run.ticks, time));
    this.dirty = true;
  }

  step(ticks) {
    this.pause();
    this.goTo(ticks > 0 ? Math.floor(this.time) + ticks : Math.ceil(this.time) + ticks);
  }

  play() {
    if (this.time >= this.run.ticks) this.goTo(this.run.first);
    this.playing = true;
    this.last = performance.now();
    this.dirty = true;
    $("play").textContent = "Pause";
  }

  pause() {
    this.playing = false;
    $("play").textContent = "Play";
    this.writeLink();
  }

  setSpeed(speed) {
    this.speed = speed;
    $("speed").value = speed;
  }

  frame(now) {
    if (this.playing) {
      // A page in the background can sleep for long; playback resumes where it stopped.
      const seconds = Math.min(0.25, Math.max(0, now - this.last) / 1000);
      this.goTo(this.time + seconds * this.speed);
      if (this.time >= this.run.ticks) this.pause();
    }
    this.last = now;
    if (this.dirty) this.draw();
    requestAnimationFrame((next) => this.frame(next));
  }

  draw() {
    const began = performance.now(), { view, timeline } = this, tick = Math.floor(this.time);
    this.dirty = false;
    if (this.following && view.selected >= 0 && timeline.isThere(view.selected, tick)) {
      this.centre(view.selected);
    }
    view.playing = this.playing;
    view.draw(this.time);
    this.minimap.draw(tick);
    // The layer of paths lags while the run plays.
    if (view.paths.work) this.dirty = true;
    this.plot.draw(this.time);
    if (tick !== this.shownTick) this.showTick(tick);
    this.frameMs.push(performance.now() - began);
    if (this.frameMs.length > 1000) this.frameMs.splice(0, 500);
  }

  showTick(tick) {
    const { run, timeline } = this, { agents, moving, waiting, stuck, done } = run.counters;
    this.shownTick = tick;
    if (!this.typing) $("tick").value = tick;
    $("scrub").value = tick;
    const at = Math.min(tick - run.first, agents.length - 1);
    if (at >= 0) {
      $("counts").textContent = `${agents[at]} agents, ${moving[at]} moving, ${waiting[at]} waiting, ${stuck[at]} stuck, ${done[at]} orders and tasks done`;
      const ever = timeline.rowOfId.size;
      $("present").textContent = ever === agents[at] ? `of ${ever}` : `of ${ever}, ${agents[at]} on the map`;
    }
    this.showAgent();
  }

  // The selected agent.

  select(a) {
    this.view.selected = a;
    $("panel").hidden = a < 0;
    if (a < 0) this.setFollow(false);
    this.showAgent();
    this.writeLink();
    this.dirty = true;
  }

  setFollow(follow) {
    this.following = follow && this.view.selected >= 0;
    $("follow").checked = this.following;
    if (this.following && this.view.scale < 8 * this.view.ratio) this.view.zoom((12 * this.view.ratio) / this.view.scale);
    this.dirty = true;
  }

  showAgent() {
    const { run, timeline } = this, a = this.view.selected, tick = Math.floor(this.time);
    if (a < 0) return;
    const cls = run.classes[run.cls[a]], text = (id, value) => { $(id).textContent = value; };
    text("agent-title", `Agent ${timeline.label(a)}`);
    text("agent-class", cls.name);
    if (!timeline.isThere(a, tick)) {
      const absent = tick < run.placed[a] ? `placed at tick ${run.placed[a]}` : `removed at tick ${run.removed[a]}`;
      for (const id of ["pose", "goal", "order", "path", "waited", "words"]) text(`agent-${id}`, "");
      text("agent-doing", absent);
      text("agent-why", "");
      return;
    }
    const [x, y, h] = timeline.pose(a, tick), move = timeline.moving(a, tick), wait = timeline.wait(a, tick), left = timeline.pathLeft(a, tick);
    text("agent-pose", `[${x}, ${y}, "${cls.headings[h]}"]`);
    text("agent-words", this.words(a, tick));
    text("agent-goal", this.goalText(a, tick));
    text("agent-order", timeline.order(a, tick) ?? "none");
    text("agent-doing", move >= 0 ? `${cls.primitives[run.primitive[move]].name}, until tick ${run.end[move]}`
      : wait ? `waiting since tick ${wait[0]}` : "at rest");
    text("agent-path", left.length ? `${left.length} ${left.length === 1 ? "move" : "moves"} left, next ${cls.primitives[left[0]].name}` : run.paths.length ? "none" : "not in this page");
    text("agent-waited", `${timeline.waitedUpTo(a, tick)} ticks in total${wait ? `, ${tick - wait[0]} now` : ""}`);
    text("agent-why", move < 0 ? this.why(a, tick) : "");
  }

  /** What an agent does, as a sentence. */
  words(a, tick) {
    const { timeline, run } = this, order = timeline.parsedOrder(a, tick), wait = timeline.wait(a, tick);
    const labelOf = (id) => { const row = timeline.rowOfId.get(id); return row === undefined ? id : timeline.label(row); };
    const name = run.names[run.id[a]] || `Agent ${run.id[a]}`;
    const doing = order ? `${name} ${orderWords(order, labelOf)}.` : `${name} has nothing to do.`;
    return wait ? `${doing} It has been waiting since tick ${wait[0]}, for ${tick - wait[0]} ticks.` : doing;
  }

  goalText(a, tick) {
    const goal = this.timeline.goal(a, tick);
    if (!goal) return "none";
    if (goal.unknown) return `not in this page after tick ${this.run.tasks_until}`;
    if (goal.area) return `a place in [${goal.area.join(", ")}]`;
    const more = goal.cells.length > 4 ? `, and ${goal.cells.length - 4} more` : "";
    return goal.cells.slice(0, 4).map(([x, y]) => `(${x}, ${y})`).join(", ") + more;
  }

  /** Why an agent rests although it has an order: by its surroundings, else as the run said when it was stepped again. */
  why(a, tick) {
    const { timeline, run } = this, wait = timeline.wait(a, tick), reason = timeline.reason(a, tick);
    const said = reason && `Why, as of tick ${reason[0]}: ${reason[1]}`;
    if (!wait) return said ?? "";
    if (!run.paths.length) return said ?? "";
    const found = timeline.obstacles(a, tick);
    if (!found) return said ?? `It has no path and waits for its search. Remedy: ${run.remedies.path}.`;
    if (!found.by.length) return said ?? "No agent holds the cells of its next move at this tick: a rule of traffic keeps it, or it asks for another path. This page does not know which.";
    const names = found.by.slice(0, 3).map(([b, [x, y]]) => {
      const doing = timeline.moving(b, tick) >= 0 ? "moving" : timeline.wait(b, tick) ? "also waiting" : "at rest";
      return `agent ${timeline.label(b)} (${run.classes[run.cls[b]].name}, ${doing}) holds cell (${x}, ${y})`;
    });
    const more = found.by.length > 3 ? `, and ${found.by.length - 3} more` : "";
    return `Other agents hold cells of its next move: ${names.join("; ")}${more}. Remedy: ${run.remedies.agent}.`;
  }

  /** Selects an agent by number or name. Returns whether it exists. */
  find(text) {
    const { run, timeline } = this, named = run.names.indexOf(text);
    const a = timeline.rowOfId.get(text !== "" && named >= 0 ? named : /^\d+$/.test(text) ? Number(text) : -1);
    if (a === undefined) return false;
    this.select(a);
    const tick = Math.floor(this.time);
    if (!timeline.isThere(a, tick)) this.goTo(run.placed[a]);
    this.centre(a);
    return true;
  }

  /** Puts an agent in the middle of the map or, in narrow windows, of what the panel leaves of it. */
  centre(a) {
    const { view } = this, spot = view.placement(a, this.time, {}), covered = innerWidth <= 620 ? $("dock").offsetHeight : 0;
    [view.x, view.y, view.fitted] = [spot.x, spot.y + ((covered - 60 * Math.sign(covered)) * view.ratio) / 2 / view.scale, false];
  }

  // Links: #tick=120&agent=3.

  readLink() {
    const link = new URLSearchParams(location.hash.slice(1));
    if (link.has("tick") && Number.isFinite(Number(link.get("tick")))) this.goTo(Number(link.get("tick")));
    if (link.has("agent") && this.find(link.get("agent"))) this.setFollow(true);
  }

  writeLink() {
    const a = this.view.selected, agent = a >= 0 ? `&agent=${this.run.id[a]}` : "";
    history.replaceState(null, "", `#tick=${Math.floor(this.time)}${agent}`);
  }

  // Keys, buttons, pointers.

  listen() {
    const { view } = this, then = (act) => () => { act(); this.dirty = true; };
    $("play").onclick = () => (this.playing ? this.pause() : this.play());
    $("back").onclick = () => this.step(-1);
    $("forth").onclick = () => this.step(1);
    $("zoom-in").onclick = then(() => view.zoom(1.5));
    $("zoom-out").onclick = then(() => view.zoom(1 / 1.5));
    for (const name of ["layers", "legend", "keys"]) $(name).onclick = () => this.toggle(name);
    $("fit").onclick = then(() => { this.setFollow(false); view.fit(); });
    $("close").onclick = () => this.select(-1);
    $("follow").onchange = () => this.setFollow($("follow").checked);
    $("speed").onchange = () => this.setSpeed(Number($("speed").value));
    $("scrub").oninput = () => this.goTo(Number($("scrub").value));
    $("scrub").onchange = () => this.writeLink();
    $("tick").oninput = () => { this.typing = true; };
    $("tick").onblur = () => { this.typing = false; $("tick").value = Math.floor(this.time); };
    // The field shows the tick that is drawn, whatever was typed.
    $("tick").onchange = () => { this.typing = false; this.pause(); this.goTo(Number($("tick").value) || 0); $("tick").value = Math.floor(this.time); this.writeLink(); };
    $("find").onchange = () => { $("find").setCustomValidity(this.find($("find").value.trim()) ? "" : "No such agent"); $("find").reportValidity(); };
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const setTheme = (theme) => { document.documentElement.dataset.theme = theme; this.plot.resize(); this.dirty = true; };
    setTheme(dark.matches ? "dark" : "light");
    dark.onchange = () => setTheme(dark.matches ? "dark" : "light");
    $("theme").onclick = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    window.onhashchange = () => this.readLink();
    new ResizeObserver(() => { view.resize(); this.plot.resize(); this.draw(); }).observe($("map"));
    const toTick = (event) => { const box = $("plot").getBoundingClientRect(); this.goTo(Math.round(this.run.first + ((event.clientX - box.left) / box.width) * (this.run.ticks - this.run.first))); };
    $("plot").onpointerdown = (event) => { $("plot").setPointerCapture(event.pointerId); toTick(event); };
    $("plot").onpointermove = (event) => { if (event.buttons) toTick(event); };
    $("plot").onpointerup = () => this.writeLink();
    window.onkeydown = (event) => this.key(event);
  }

  key(event) {
    const { view, run } = this, typing = event.target.matches("input[type=number], input[type=search], select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 100 : 10;
    const faster = (by) => this.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + by))]);
    const keys = {
      " ": () => $("play").click(), ",": () => this.step(-1), ".": () => this.step(1),
      ArrowLeft: () => this.step(-by), ArrowRight: () => this.step(by), ArrowUp: () => faster(1), ArrowDown: () => faster(-1),
      Home: () => this.step(-run.ticks), End: () => this.step(run.ticks),
      "+": () => view.zoom(1.25), "=": () => view.zoom(1.25), "-": () => view.zoom(0.8), 0: () => $("fit").click(),
      f: () => this.setFollow(!this.following), d: () => $("theme").click(),
      l: () => this.toggle("layers"), k: () => this.toggle("legend"), "?": () => this.toggle("keys"), Escape: () => { this.toggle(""); this.select(-1); },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    this.dirty = true;
  }

  /** Drag, pinch, wheel and click, by mouse, pen or touch. */
  listenToMap() {
    const { view } = this, canvas = $("map"), down = new Map();
    let travelled = 0;
    const point = (event) => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) * view.ratio, (event.clientY - box.top) * view.ratio];
    };
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      if (!down.size) travelled = 0;
      down.set(event.pointerId, point(event));
    };
    canvas.onpointermove = (event) => {
      const before = down.get(event.pointerId);
      if (!before) {
        const hovered = event.pointerType === "mouse" ? view.agentAt(...point(event), this.time) : -1;
        if (hovered !== view.hovered) [view.hovered, this.dirty] = [hovered, true];
        return;
      }
      const now = point(event), other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (travelled > 5 * view.ratio) {
        canvas.classList.add("dragging");
        if (other) {
          const spread = (from) => Math.hypot(from[0] - other[0], from[1] - other[1]) || 1;
          view.zoom(spread(now) / spread(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
          view.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
        } else view.pan(now[0] - before[0], now[1] - before[1]);
        if (!other) this.setFollow(false);
      }
      down.set(event.pointerId, now);
      this.dirty = true;
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => {
      if (event.type === "pointerup" && down.has(event.pointerId) && travelled <= 5 * view.ratio) {
        const a = view.agentAt(...point(event), this.time);
        if (a >= 0) this.select(a);
      }
      down.delete(event.pointerId);
      canvas.classList.remove("dragging");
    };
    canvas.onpointerleave = () => { [view.hovered, this.dirty] = [-1, true]; };
    canvas.onwheel = (event) => {
      event.preventDefault();
      view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...point(event));
      this.dirty = true;
    };
  }
}

/** Opens the run. Afterwards `window.player` is available to scripts. */
async function open() {
  try {
    if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old: it has no DecompressionStream");
    const text = $("run").textContent;
    $("run").remove();
    const run = readRun(await unpack(text));
    window.player = new Player(run);
    $("message").hidden = true;
    window.openedMs = performance.now();
  } catch (error) {
    $("message").textContent = `The run cannot be opened: ${error.message}`;
    throw error;
  }
}
open();
