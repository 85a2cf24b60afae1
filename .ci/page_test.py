#!/usr/bin/env python3
"""Drives the page of `wheelbase render --html` in headless Chromium and checks what it shows.

    python3 .ci/page_test.py PROGRAM [--keep FOLDER] [--only NAME] [--large-ticks N]

PROGRAM is the built `wheelbase`. Needs the Debian packages chromium and chromium-driver, and nothing else: the script
talks to chromedriver by plain HTTP. Every scenario of scenarios/first, and a run of 5,000 agents, is run, rendered and
opened in three window sizes; the pages are compared with the traces of the same runs, which other code writes. Times
are printed, not judged. The page of `show --reload` must load itself again when the scenario is saved. With --keep the
pages and screenshots, light and dark, stay in FOLDER; with --only just the scenario of that name is tested, `tasks` or `reload`.
"""

import argparse
import base64
import itertools
import json
import math
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENARIOS = sorted((ROOT / "scenarios/first").glob("*.toml"))
# 5,000 agents: enough ticks for all to be moving, few enough to run in seconds.
LARGE, LARGE_TICKS = ROOT / "scenarios/bench/5k.toml", 300
SIZES = [(1280, 800), (800, 600), (390, 740)]
# Shows every first scenario whole, with cells large enough to tell a body from its outline.
WIDE = (1920, 1200)
# A phone, a small and a large screen: inner sizes, at which no two parts of the page may overlap.
SCREENS = [(360, 640), (1024, 768), (1920, 1080)]
# Least side of whatever a finger is to hit, in CSS pixels.
TOUCH = 44
# A crowd whose agents get a new goal whenever they have reached one.
TASKS = """
name = "tasks"
seed = 3
ticks = 400
[map]
generate = { kind = "rooms", size = [40, 30], seed = 2 }
[class.cart]
headings = 4
moves = [
  { name = "forward", by = [1, 0], time = 2 },
  { name = "left", turn = 1, time = 2 },
  { name = "right", turn = -1, time = 2 },
]
[[groups]]
class = "cart"
count = 25
area = [0, 0, 40, 30]
tasks = { kind = "random", area = [0, 0, 40, 30] }
"""
# Most cells checked per page.
PIXELS_MAX = 400
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


class Browser:
    """A WebDriver session."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        options = {"args": [*FLAGS, f"--user-data-dir={folder}/profile"]}
        wanted = {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        for _ in range(100):
            try:
                self.call("GET", "/status")
                break
            except OSError:
                time.sleep(0.1)
        self.base += "/session/" + self.call("POST", "/session", wanted)["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, path, size=SIZES[0]):
        self.call("POST", "/window/rect", {"width": size[0], "height": size[1]})
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": pathlib.Path(str(path).split("#")[0]).as_uri() + ("#" + str(path).split("#")[1] if "#" in str(path) else "")})
        wait_for(lambda: self.run("return !!window.openedMs"), "the page to open")

    def resize(self, size):
        """Gives the page inside the window a size."""
        for _ in range(2):
            inner = self.run("return [innerWidth, innerHeight]")
            outer = self.call("GET", "/window/rect")
            self.call("POST", "/window/rect", {
                "width": outer["width"] + size[0] - inner[0], "height": outer["height"] + size[1] - inner[1]})
        # Once the page has been laid out anew.
        wait_for(lambda: self.run("return [innerWidth, innerHeight]") == list(size), f"a page of {size}")
        self.call("POST", "/execute/async", {"script": "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))", "args": []})

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def click(self, x, y):
        """Clicks the mouse at a point of the window."""
        steps = [{"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def key(self, key):
        steps = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def errors(self):
        log = self.call("POST", "/se/log", {"type": "browser"})
        # Warnings about slow pixel reads are caused by this script, not by the page.
        messages = [entry["message"] for entry in log if entry["level"] in ("SEVERE", "WARNING")]
        return [message for message in messages if "getImageData" not in message]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def wait_for(holds, what, seconds=30):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"timed out waiting for {what}"
        time.sleep(0.05)


class Replay:
    """The agents at a tick, from the trace."""

    def __init__(self, path, tick):
        self.poses, self.moving, self.orders, self.classes, self.tasks = {}, {}, {}, {}, {}
        self.moves = 0
        until = {}
        for line in path.open():
            event = json.loads(line)
            if "trace" in event:
                self.header = event
            elif event["t"] > tick or "end" in event:
                break
            elif "spawn" in event:
                self.poses[event["spawn"]], self.classes[event["spawn"]] = (event["at"], event["at"]), event["class"]
                until[event["spawn"]] = 0
            elif "remove" in event:
                for known in (self.poses, self.orders, until):
                    known.pop(event["remove"], None)
            elif "move" in event:
                agent = event["agent"]
                self.poses[agent] = (self.poses[agent][1], event["to"])
                until[agent], self.moving[agent] = event["until"], (event["move"], event["until"])
                self.moves += 1
            elif "task" in event:
                self.tasks[event["agent"]] = event["task"]
            elif "order" in event:
                # Orders of one tick form a list that replaces the remaining orders.
                given, orders = self.orders.get(event["agent"], (None, []))
                self.orders[event["agent"]] = (event["t"], [*(orders if given == event["t"] else []), event["order"]])
            elif "done" in event:
                self.orders[event["agent"]][1].pop(0)
            elif "unreachable" in event and self.orders[event["agent"]][1][0].get("if_unreachable") != "wait":
                self.orders[event["agent"]][1].pop(0)
        self.moving = {agent: move for agent, move in self.moving.items() if until.get(agent, 0) > tick}
        self.poses = {agent: was if agent in self.moving else to for agent, (was, to) in self.poses.items()}


# The colours of the canvas at points of the map.
PIXELS = """
const v = player.view, all = v.context.getImageData(0, 0, v.canvas.width, v.canvas.height);
return arguments[0].map(([x, y]) => {
  const [px, py] = v.toCanvas(x, y).map(Math.floor), at = 4 * (py * v.canvas.width + px);
  return [...all.data.subarray(at, at + 3)];
});
"""
# Names are drawn over the map: where colours are compared, they are off.
GO_TO = "player.view.layers.names = false; player.pause(); player.goTo(arguments[0]); player.draw();"
SHOWN = """
const tick = Math.floor(player.time), out = {};
for (let a = 0; a < player.run.n; a++) if (player.timeline.isThere(a, tick)) {
  const [x, y, h] = player.timeline.pose(a, tick), cls = player.run.classes[player.run.cls[a]];
  out[player.run.id[a]] = [[x, y, cls.headings[h]], player.timeline.moving(a, tick) >= 0];
}
return out;
"""
# Visible cells covered by agents at rest, with the colours of their classes. If cells are too small to check, the view
# first zooms to an agent.
AT_REST = """
const tick = Math.floor(player.time), out = [], v = player.view;
if (v.scale < 11 || arguments[1]) {
  const rests = (a) => player.timeline.isThere(a, tick) && player.timeline.moving(a, tick) < 0;
  const spot = v.placement([...player.run.id.keys()].slice(arguments[1]).find(rests) ?? 0, tick, {});
  [v.x, v.y, v.scale, v.fitted] = [spot.x, spot.y, 12, false];
  player.draw();
}
const inSight = (x, y) => {
  const [px, py] = v.toCanvas(x, y);
  return px > 24 && py > 24 && px < v.canvas.width - 24 && py < v.canvas.height - 24;
};
for (let a = 0; a < player.run.n && out.length < arguments[0]; a++) {
  const timeline = player.timeline, cls = player.run.classes[player.run.cls[a]];
  if (!timeline.isThere(a, tick) || timeline.moving(a, tick) >= 0) continue;
  const [x, y, h] = timeline.pose(a, tick);
  // A diagonal body covers its cells only in part.
  if (["NE", "NW", "SW", "SE"].includes(cls.headings[h]) && player.run.shape !== "hex") continue;
  for (const [cx, cy] of timeline.held(a, tick)) if (inSight(cx, cy)) out.push([cx, cy, player.run.id[a], cls.colour]);
}
return out;
"""
HELD = "return [...player.run.id.keys()].filter((a) => player.timeline.isThere(a, 0)).flatMap((a) => player.timeline.held(a, 0));"
CELLS = """
const g = player.view.ground, run = player.run, out = [];
for (let y = 0; y < run.height; y++) for (let x = 0; x < run.width; x++) out.push(run.terrain[g.terrain[y * run.width + x]].colour);
return out;
"""
PANEL = """
player.select(player.timeline.rowOfId.get(arguments[0]));
const text = (id) => document.getElementById(`agent-${id}`).textContent;
return Object.fromEntries(["title", "class", "pose", "order", "doing"].map((id) => [id, text(id)]));
"""


# The parts of the page that are seen, with their boxes, and the controls among them.
PARTS = """
const seen = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
const box = (e) => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
const boxes = (selector) => [...document.querySelectorAll(selector)].filter(seen).map((e) => [e.id || e.textContent.trim(), box(e)]);
return {
  parts: boxes("header, footer, #tools > button, #minimap, #dock > *"),
  controls: boxes("header > *, #controls > *, #scrub, #plot"),
  touched: boxes("button, select, input:not([type=checkbox]), #dock label, #minimap, #plot"),
  dock: box(document.getElementById("dock")),
};
"""
# The legend and what is on the map at any tick, counted anew.
LEGEND = """
const { run } = player, rows = [...document.querySelectorAll("#legend-list .kind")].map((e) => e.textContent);
const kinds = new Set([...run.terrain0, ...run.edits.filter((e) => e.layer === 0).map((e) => e.value)]);
const classes = new Set(run.cls);
return [rows, [...classes].map((c) => run.classes[c].name), [...kinds].map((k) => run.terrain[k].name), run.terrain.map((k) => k.name), Boolean(run.elevation0) || run.edits.some((e) => e.layer === 1)];
"""
# Pixels of the canvas that differ with and without a layer.
CHANGED = """
const v = player.view, [layer] = arguments, shots = [false, true].map((on) => {
  v.layers[layer] = on;
  player.draw();
  return new Uint32Array(v.context.getImageData(0, 0, v.canvas.width, v.canvas.height).data.buffer);
});
let changed = 0;
shots[0].forEach((pixel, at) => { if (pixel !== shots[1][at]) changed++; });
v.layers[layer] = false;
return changed;
"""
# Whether more of the map is there than is in sight.
LARGER = "const v = player.view, l = v.run.lattice; return l.width * v.scale > v.canvas.width + 2 || l.height * v.scale > v.canvas.height + 2"


def overlap(a, b):
    """Whether two boxes share more than a border."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.5 and min(a[3], b[3]) - max(a[1], b[1]) > 0.5


def point(shape, x, y, dx, dy):
    """A point of a cell in map coordinates, (dx, dy) from its centre."""
    if shape == "hex":
        return x + 0.5 + (y % 2) / 2 + dx, y * math.sqrt(3) / 2 + 1 / math.sqrt(3) + dy
    return x + 0.5 + dx, y + 0.5 + dy


def near(colour, wanted, by=20):
    return all(abs(a - b) <= by for a, b in zip(colour, wanted))


def rgb(css):
    return [int(css[at:at + 2], 16) for at in (1, 3, 5)]


def clipped(box, by, name):
    """A box as far as the dock shows it, if it is in there."""
    if name not in ("panel", "layer-list", "legend-list", "key-list"):
        return box
    return [box[0], max(box[1], by[1]), box[2], min(box[3], by[3])]


class Page:
    """An open page with the trace of its run."""

    def __init__(self, browser, page, trace, size=SIZES[0]):
        self.browser, self.page, self.trace = browser, page, trace
        self.n_pixels = self.n_panels = 0
        browser.open(page, size)
        self.ticks = browser.run("return player.run.ticks")
        self.shape = Replay(trace, -1).header["shape"]
        self.opened_ms = browser.run("return Math.round(openedMs)")

    def text(self, name):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", name)

    def tick(self):
        return self.browser.run("return Math.floor(player.time)")

    def check_tick(self, tick, first=0):
        """
        Checks that every agent has the pose of the trace, and that agents at rest are drawn on all their cells. On a
        map too large for the window, only the cells around the first resting agent from index `first` on are checked.
        """
        browser, replay = self.browser, Replay(self.trace, tick)
        browser.run(GO_TO, tick)
        shown = browser.run(SHOWN)
        assert {str(agent): pose for agent, pose in replay.poses.items()} == {agent: one[0] for agent, one in shown.items()}, tick
        assert {str(agent) for agent in replay.moving} == {agent for agent, one in shown.items() if one[1]}, tick
        cells = browser.run(AT_REST, PIXELS_MAX - self.n_pixels, first)
        # Off the centre, away from facing marks, rings and lines; two of four must have the colour.
        off = 0.3 if self.shape == "square" else 0.27
        spots = [(dx, dy) for dx in (-off, off) for dy in (-off, off)]
        points = [point(self.shape, x, y, dx, dy) for x, y, *_ in cells for dx, dy in spots]
        colours = iter(browser.run(PIXELS, points))
        for x, y, agent, colour in cells:
            found = [next(colours) for _ in spots]
            assert sum(near(one, rgb(colour)) for one in found) >= 2, (tick, agent, (x, y), found, rgb(colour))
        self.n_pixels += len(cells)

    def check_panel(self, tick):
        """Checks the panel of selected agents against the trace."""
        replay = Replay(self.trace, tick)
        self.browser.run(GO_TO, tick)
        for agent in sorted(replay.poses)[:6]:
            shown = self.browser.run(PANEL, agent)
            assert shown["title"].startswith(f"Agent {agent}"), shown
            assert shown["class"] == replay.classes[agent], shown
            assert json.loads(shown["pose"]) == replay.poses[agent], (tick, agent, shown, replay.poses[agent])
            left = replay.orders.get(agent, (0, []))[1]
            if agent in replay.tasks and not left:
                assert "task" in shown["order"], (tick, agent, shown)
            else:
                found = None if shown["order"] == "none" else json.loads(shown["order"])
                assert found == (left[0] if left else None), (tick, agent, shown, left)
            if agent in replay.moving:
                assert shown["doing"] == "{}, until tick {}".format(*replay.moving[agent]), (tick, agent, shown)
            else:
                assert "until tick" not in shown["doing"], (tick, agent, shown)
            self.n_panels += 1
        self.browser.run("player.select(-1); player.draw()")

    def check_terrain(self):
        """Checks that free cells have the colour of their terrain, and that the terrain agrees with the trace."""
        browser, replay = self.browser, Replay(self.trace, 0)
        browser.run(GO_TO, 0)
        width = replay.header["size"][0]
        kinds = [kind for count, kind in replay.header["cells"] for _ in range(count)]
        colours = browser.run(CELLS)
        of_kind = dict(zip(kinds, colours))
        assert colours == [of_kind[kind] for kind in kinds]
        assert len(set(map(tuple, of_kind.values()))) == len(of_kind), "two kinds of one colour"
        if "elevation" in replay.header:
            return
        taken = set(map(tuple, browser.run(HELD)))
        free = [(i % width, i // width) for i in range(0, len(kinds), max(1, len(kinds) // 300))]
        free = [cell for cell in free if cell not in taken]
        browser.run("player.view.fit(); player.draw()")
        found = browser.run(PIXELS, [point(self.shape, x, y, 0.06, 0.06) for x, y in free])
        # Paths and rings cover a few.
        right = sum(near(colour, colours[y * width + x], 3) for (x, y), colour in zip(free, found))
        assert right >= 0.95 * len(free), (right, len(free))

    def check_size(self, size, link):
        """Checks that the page fits the window and shows its controls."""
        self.browser.open(f"{self.page}#{link}", size)
        inside = self.browser.run("""
            const wide = document.documentElement.scrollWidth - innerWidth, high = document.documentElement.scrollHeight - innerHeight;
            const boxes = ["play", "scrub", "plot", "map", "layers", "speed"].map((id) => document.getElementById(id).getBoundingClientRect());
            const out = boxes.filter((b) => b.left < 0 || b.top < 0 || b.right > innerWidth + 1 || b.bottom > innerHeight + 1 || b.width < 20 || b.height < 10);
            const map = document.getElementById("map");
            return [wide, high, out.length, map.clientWidth * map.clientHeight / (innerWidth * innerHeight)];
        """)
        assert inside[:3] == [0, 0, 0] and inside[3] > 0.4, (size, inside)

    def check_screens(self, keep):
        """Checks that no two parts of the page overlap whatever is open, and that fingers can hit all controls."""
        browser = self.browser
        browser.open(f"{self.page}#tick={self.ticks // 3}&agent=0")
        for size in SCREENS:
            browser.resize(size)
            # Zoomed in, so that the minimap is there.
            browser.run("player.view.fit(); player.view.zoom(6); player.draw()")
            for agent, opened in itertools.product((-1, 0), ("", "layers", "legend", "keys")):
                browser.run("player.select(arguments[0]); player.toggle(''); if (arguments[1]) document.getElementById(arguments[1]).click(); player.draw()", agent, opened)
                found = browser.run(PARTS)
                for (a, first), (b, second) in itertools.combinations(found["parts"], 2):
                    # The dock scrolls: what it does not show covers nothing.
                    first, second = (clipped(box, found["dock"], name) for name, box in ((a, first), (b, second)))
                    assert not overlap(first, second), (size, opened, a, first, b, second)
                for (a, first), (b, second) in itertools.combinations(found["controls"], 2):
                    assert not overlap(first, second), (size, opened, a, first, b, second)
                for name, (left, top, right, bottom) in found["parts"] + found["controls"]:
                    assert left >= -0.5 and right <= size[0] + 0.5, (size, opened, name, left, right)
                for name, (left, top, right, bottom) in found["touched"]:
                    assert right - left > TOUCH - 0.5 and bottom - top > TOUCH - 0.5, (size, name, right - left, bottom - top)
                left, top, right, bottom = found["dock"]
                high = browser.run("const b = document.getElementById('map').getBoundingClientRect(); return [b.top, b.bottom]")
                assert top >= high[0] and bottom <= high[1] and (bottom - top > 80 or not (opened or agent >= 0)), (size, opened, found["dock"], high)
                if keep and agent == 0:
                    for theme in ("light", "dark"):
                        browser.run("document.documentElement.dataset.theme = arguments[0]; player.plot.resize(); player.draw()", theme)
                        browser.screenshot(keep / f"{self.page.stem}_{size[0]}_{opened or 'agent'}_{theme}.png")
            browser.run("player.select(-1); player.toggle(''); player.draw()")
            # A small map is in sight as a whole at the largest scale too.
            larger = browser.run(LARGER)
            assert browser.run("return document.getElementById('minimap').hidden") != larger, (size, larger)
            browser.run("player.view.fit(); player.draw()")
            assert browser.run("return document.getElementById('minimap').hidden")

    def check_legend(self):
        """The legend names the classes and terrains that the map has at some tick, and no others."""
        rows, classes, present, kinds, has_heights = self.browser.run(LEGEND)
        terrain = [kind for kind in kinds if any(row.startswith(f"{kind}, ") for row in rows)]
        assert set(terrain) == set(present), (rows, present)
        assert all(name in rows for name in classes), (rows, classes)
        assert any(row.startswith("heights ") for row in rows) == has_heights, rows

    def check_words(self):
        """Checks the words for orders and goals, and the layers of names and goals."""
        browser = self.browser
        browser.run(GO_TO, 30)
        given = Replay(self.trace, 30).orders
        for agent, (_, orders) in sorted(given.items())[:8]:
            browser.run(PANEL, agent)
            words, goal = self.text("agent-words"), self.text("agent-goal")
            first = orders[0] if orders else {}
            if isinstance(first.get("goto", [[]])[0], int):
                spot = "({}, {})".format(*first["goto"])
                assert f"goes to {spot}" in words and goal == spot, (agent, words, goal, first)
            elif "task" in first:
                assert "tasks" in words and goal.startswith("("), (agent, words, goal)
            elif not orders:
                assert "nothing to do" in words and goal == "none", (agent, words, goal)
            assert "{" not in words, words
        browser.run("player.select(-1); player.view.fit(); player.draw()")
        assert browser.run(CHANGED, "goals") > 20
        browser.run("const s = player.view.placement(0, player.time, {}); player.view.goTo(s.x, s.y); player.view.zoom(40 * player.view.ratio / player.view.scale); player.draw()")
        assert browser.run(CHANGED, "names") > 20
        # The pointer on a body shows its name at any scale.
        browser.run("player.view.fit(); player.draw()")
        spot = browser.run("const v = player.view, s = v.placement(0, player.time, {}), b = v.canvas.getBoundingClientRect(), [x, y] = v.toCanvas(s.x, s.y); return [b.left + x / v.ratio, b.top + y / v.ratio]")
        move = {"type": "pointerMove", "x": int(spot[0]), "y": int(spot[1])}
        browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})
        wait_for(lambda: browser.run("return [player.view.hovered, player.view.namesDrawn]") == [0, 1], "the name of the agent below the pointer")

    def check_tasks(self, tick):
        """Checks that the goal of each agent with a task is that of the trace."""
        tasks = Replay(self.trace, tick).tasks
        shown = self.browser.run("""
            const { timeline, run } = player, goals = {};
            for (let a = 0; a < run.n; a++) if (timeline.isThere(a, arguments[0]) && timeline.parsedOrder(a, arguments[0])?.task) goals[run.id[a]] = timeline.goal(a, arguments[0]);
            return [goals, run.tasks_until];
        """, tick)
        goals, until = shown
        assert goals and (tick <= until or all(goal == {"unknown": True} for goal in goals.values()))
        for agent, goal in goals.items():
            assert tick > until or goal["cells"][0][:2] == tasks[int(agent)][:2], (tick, agent, goal, tasks[int(agent)])

    def check_minimap(self):
        """A click on the minimap goes there."""
        browser = self.browser
        browser.run("player.view.fit(); player.view.zoom(4); player.draw()")
        if not browser.run(LARGER):
            return
        left, top, width, height = browser.run("const b = document.getElementById('minimap').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
        browser.click(left + width / 4, top + height / 4)
        x, y, wide, high = browser.run("const v = player.view; return [v.x, v.y, v.run.lattice.width, v.run.lattice.height]")
        assert abs(x / wide - 0.25) < 0.05 and abs(y / high - 0.25) < 0.05, (x, y, wide, high)

    def check_keys(self):
        """The key `?` lists the keys, all of which do something."""
        browser = self.browser
        browser.key("?")
        listed = browser.run("const l = document.getElementById('key-list'); return l.hidden ? '' : l.textContent")
        for key in ("space", "Home", "End", "Esc", "?"):
            assert key in listed, listed
        browser.key("?")
        assert browser.run("return document.getElementById('key-list').hidden")
        for key, shown in (("l", "layer-list"), ("k", "legend-list")):
            browser.key(key)
            assert not browser.run("return document.getElementById(arguments[0]).hidden", shown)
            browser.key(key)

    def check_counts(self):
        """The last tick is that of the trace, and the field holds the tick that is drawn, whatever was typed."""
        browser = self.browser
        *_, last = self.trace.open()
        assert self.text("last") == f"of {json.loads(last)['end']['ticks']}" == f"of {self.ticks}", self.text("last")
        browser.run("const t = document.getElementById('tick'); t.value = arguments[0]; t.dispatchEvent(new Event('input')); t.dispatchEvent(new Event('change'))", self.ticks + 999)
        assert self.tick() == self.ticks and browser.run("return document.getElementById('tick').value") == str(self.ticks)
        ever = len({json.loads(line)["spawn"] for line in self.trace.open() if '"spawn"' in line})
        here = len(Replay(self.trace, self.ticks).poses)
        wanted = f"of {ever}" if ever == here else f"of {ever}, {here} on the map"
        assert self.text("present") == wanted, (self.text("present"), wanted)

    def check_controls(self):
        """Checks playing, pausing, stepping, scrubbing, following and links."""
        browser, tick = self.browser, self.tick
        browser.open(self.page)
        assert browser.run("return player.playing") or tick() == self.ticks, "a page begins to play"
        browser.run(GO_TO, 0)
        browser.run("document.getElementById('play').click()")
        wait_for(lambda: tick() > 3, "the run to play")
        browser.key(" ")
        stopped = tick()
        time.sleep(0.3)
        assert tick() == stopped
        browser.key(".")
        assert tick() == stopped + 1
        browser.key(",")
        assert tick() == stopped
        box = browser.run("const b = document.getElementById('plot').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
        browser.click(box[0] + box[2] / 2, box[1] + box[3] / 2)
        assert abs(tick() - self.ticks / 2) <= self.ticks / 100 + 1, (tick(), self.ticks)
        browser.run("const s = document.getElementById('scrub'); s.value = 40; s.dispatchEvent(new Event('input'))")
        wait_for(lambda: browser.run("return document.getElementById('tick').value") == "40", "the tick to be shown")
        # A click on the body of agent 0 shows agent 0.
        spot = browser.run("const v = player.view, s = v.placement(0, player.time, {}), b = v.canvas.getBoundingClientRect(), [x, y] = v.toCanvas(s.x, s.y); return [b.left + x / v.ratio, b.top + y / v.ratio]")
        browser.click(*spot)
        assert self.text("agent-title").startswith("Agent 0"), self.text("agent-title")
        assert "agent=0" in browser.run("return location.hash")
        browser.key("f")
        browser.run(GO_TO, 100)
        centre = browser.run("const v = player.view, s = v.placement(0, player.time, {}); return [s.x - v.x, s.y - v.y]")
        assert max(map(abs, centre)) < 1e-9, centre
        browser.key("\ue00c")
        assert browser.run("return document.getElementById('panel').hidden")
        browser.open(f"{self.page}#tick=77&agent=1")
        assert tick() == 77 and self.text("agent-title").startswith("Agent 1")
        before = browser.run("return document.documentElement.dataset.theme")
        browser.key("d")
        assert browser.run("return document.documentElement.dataset.theme") != before

    def frame_ms(self, layers):
        """Median drawing time of a frame in the middle of the playing run, with some layers on."""
        return self.browser.run("""
            const on = arguments[0], layers = player.view.layers;
            for (const key in layers) layers[key] = on.includes(key);
            player.setFollow(false); player.select(-1); player.view.fit();
            const ms = [];
            player.draw();
            player.playing = true;
            for (let i = 0; i < 60; i++) {
              player.goTo(player.run.ticks / 2 + i / 3);
              const began = performance.now();
              player.draw();
              // Forces deferred drawing.
              player.view.context.getImageData(0, 0, 1, 1);
              ms.push(performance.now() - began);
            }
            player.pause();
            ms.sort((a, b) => a - b);
            return Math.round(ms[30] * 10) / 10;
        """, layers)


def record(program, scenario, folder, *flags):
    """Runs and renders a scenario. Returns the page and the trace."""
    recording, trace, page = (folder / f"{scenario.stem}.{ending}" for ending in ("rec", "jsonl", "html"))
    run = [program, "run", scenario, "--quiet", "--record", recording, "--trace", trace, *flags]
    # Exit status 1: orders are left.
    assert subprocess.run(run, stdout=subprocess.DEVNULL).returncode in (0, 1), scenario
    subprocess.run([program, "render", recording, "--html", page], check=True)
    return page, trace


ALL_LAYERS = "for (const k in player.view.layers) player.view.layers[k] = true; player.setFollow(false); player.view.fit(); player.draw();"


def check_scenario(browser, program, scenario, folder, keep):
    page = Page(browser, *record(program, scenario, folder), size=WIDE)
    ticks = page.ticks
    wanted = sorted({0, 1, 30, 200, ticks // 2, ticks - 1} & set(range(ticks)))
    # Backwards too: no tick may depend on the ticks shown before.
    for tick in wanted + wanted[::-1]:
        page.check_tick(tick)
    for tick in wanted[1:4]:
        page.check_panel(tick)
    page.check_terrain()
    page.check_legend()
    page.check_words()
    page.check_counts()
    page.check_minimap()
    page.check_keys()
    page.check_screens(folder if keep else None)
    if scenario.stem == "11_river":
        page.check_controls()
    for size in SIZES:
        page.check_size(size, f"tick={ticks // 3}&agent=0")
        browser.run(ALL_LAYERS)
        for theme in ("light", "dark") if keep else ():
            browser.run("document.documentElement.dataset.theme = arguments[0]; player.plot.resize(); player.draw()", theme)
            browser.screenshot(folder / f"{scenario.stem}_{size[0]}_{theme}.png")
    print(f"{scenario.stem}: ok, {len(wanted)} ticks, {page.n_pixels} cells, {page.n_panels} panels, opened in {page.opened_ms} ms", flush=True)


def check_large(browser, program, folder, keep, n_ticks):
    page = Page(browser, *record(program, LARGE, folder, "--ticks", str(n_ticks)))
    # At first most agents wait for a path. Checks agents in several parts of the map.
    for first in range(0, 5000, 450):
        page.check_tick(0, first)
    page.check_tick(n_ticks // 2)
    page.check_panel(n_ticks // 2)
    times = {name: page.frame_ms(layers) for name, layers in [
        ("plain", []), ("paths", ["path"]), ("swept and held cells", ["swept", "held"]),
        ("all layers", ["path", "swept", "held", "heat", "waiting", "stuck"]), ("goals", ["goals"])]}
    # However small the map is drawn, an agent alone covers some pixels.
    least = browser.run("""
        player.view.fit(); player.select(-1);
        const v = player.view, sides = [], fill = v.context.fillRect;
        v.context.fillRect = (x, y, wide, high) => { sides.push(wide, high); };
        v.drawBoxes(player.time, { left: 0, top: 0, right: v.run.width, bottom: v.run.height });
        v.context.fillRect = fill;
        return Math.min(...sides) / v.ratio;
    """)
    assert least >= 4, least
    page.check_minimap()
    for size in SIZES if keep else ():
        page.check_size(size, f"tick={n_ticks // 2}")
        browser.run(ALL_LAYERS)
        browser.screenshot(folder / f"{LARGE.stem}_{size[0]}.png")
    size = page.page.stat().st_size / 1e6
    # 2 MB for 2,000 ticks; the paths and orders at the start take most of it.
    assert size <= max(0.5, 2 * n_ticks / 2000), size
    print(f"{LARGE.stem}, {n_ticks} ticks: ok, {size:.1f} MB, opened in {page.opened_ms} ms, {page.n_pixels} cells; median frame: "
          + ", ".join(f"{name} {ms} ms" for name, ms in times.items()), flush=True)


def check_task_goals(browser, program, folder):
    """The goals of tasks are packed by what else is in the page: all of a run are compared with its trace."""
    scenario = folder / "tasks.toml"
    scenario.write_text(TASKS)
    page = Page(browser, *record(program, scenario, folder))
    for tick in range(0, page.ticks, 7):
        page.check_tasks(tick)
    page.check_legend()
    print(f"goals of tasks: ok, {page.ticks} ticks", flush=True)


def check_reload(browser, program, folder):
    """The page of show --reload, opened as a file, shows what was saved last."""
    scenario, page = folder / "saved.toml", folder / "a page, 100%.html"
    scenario.unlink(missing_ok=True)
    subprocess.run([program, "new", scenario], check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.Popen(
        [program, "show", scenario, "--reload", "--no-open", "--output", page],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(pathlib.Path(f"{page}.js").exists, "the first page")
        browser.open(page)
        assert browser.run("return document.title") == "saved"
        scenario.write_text(scenario.read_text().replace('name = "saved"', 'name = "saved again"'))
        wait_for(lambda: browser.run("return document.title") == "saved again", "the page to load itself again")
        errors = browser.errors()
        assert not errors, errors
        browser.call("POST", "/url", {"url": "about:blank"})
        shown.send_signal(signal.SIGINT)
        assert shown.wait(60) == 0
    finally:
        shown.kill()
        shown.wait()
    print("show --reload: the page loads itself again")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("--keep", type=pathlib.Path)
    arguments.add_argument("--only")
    arguments.add_argument("--large-ticks", type=int, default=LARGE_TICKS)
    given = arguments.parse_args()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or pathlib.Path(temporary)
        browser = Browser(temporary)
        try:
            for scenario in SCENARIOS:
                if given.only in (None, scenario.stem):
                    check_scenario(browser, given.program.resolve(), scenario, folder, given.keep)
            if given.only in (None, LARGE.stem):
                check_large(browser, given.program.resolve(), folder, given.keep, given.large_ticks)
            if given.only in (None, "tasks"):
                check_task_goals(browser, given.program.resolve(), folder)
            if given.only in (None, "reload"):
                check_reload(browser, given.program.resolve(), folder)
            errors = browser.errors()
            assert not errors, errors
        finally:
            browser.close()


if __name__ == "__main__":
    main()
