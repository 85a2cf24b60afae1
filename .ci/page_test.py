#!/usr/bin/env python3
"""Drives the page of `wheelbase render --html` in headless Chromium and checks what it shows.

    python3 .ci/page_test.py PROGRAM [--keep FOLDER] [--only NAME] [--large-ticks N]

PROGRAM is the built `wheelbase`. Needs the Debian packages chromium and chromium-driver, and nothing else: the script
talks to chromedriver by plain HTTP. Every scenario of scenarios/first, and a run of 5,000 agents, is run, rendered and
opened in three window sizes; the pages are compared with the traces of the same runs, which other code writes. Times
are printed, not judged. The page of `show --reload` must load itself again when the scenario is saved. With --keep the
pages and screenshots, light and dark, stay in FOLDER; with --only just the scenario of that name is tested, or `reload`.
"""

import argparse
import base64
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
        self.poses, self.moving, self.orders, self.tasks, self.classes = {}, {}, {}, {}, {}
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
GO_TO = "player.pause(); player.goTo(arguments[0]); player.draw();"
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
if (v.scale < 8 || arguments[1]) {
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


def point(shape, x, y, dx, dy):
    """A point of a cell in map coordinates, (dx, dy) from its centre."""
    if shape == "hex":
        return x + 0.5 + (y % 2) / 2 + dx, y * math.sqrt(3) / 2 + 1 / math.sqrt(3) + dy
    return x + 0.5 + dx, y + 0.5 + dy


def near(colour, wanted, by=20):
    return all(abs(a - b) <= by for a, b in zip(colour, wanted))


def rgb(css):
    return [int(css[at:at + 2], 16) for at in (1, 3, 5)]


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

    def check_controls(self):
        """Checks playing, pausing, stepping, scrubbing, following and links."""
        browser, tick = self.browser, self.tick
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
        ("all layers", ["path", "swept", "held", "heat", "waiting", "stuck"])]}
    for size in SIZES if keep else ():
        page.check_size(size, f"tick={n_ticks // 2}")
        browser.run(ALL_LAYERS)
        browser.screenshot(folder / f"{LARGE.stem}_{size[0]}.png")
    size = page.page.stat().st_size / 1e6
    # 2 MB for 2,000 ticks; the paths and orders at the start take most of it.
    assert size <= max(0.5, 2 * n_ticks / 2000), size
    print(f"{LARGE.stem}, {n_ticks} ticks: ok, {size:.1f} MB, opened in {page.opened_ms} ms, {page.n_pixels} cells; median frame: "
          + ", ".join(f"{name} {ms} ms" for name, ms in times.items()), flush=True)


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
            if given.only in (None, "reload"):
                check_reload(browser, given.program.resolve(), folder)
            errors = browser.errors()
            assert not errors, errors
        finally:
            browser.close()


if __name__ == "__main__":
    main()
