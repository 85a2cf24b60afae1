#!/usr/bin/env python3
"""Drives the page of `wheelbase render --html` in a headless Chromium and checks what it shows.

    python3 .ci/page_test.py PROGRAM [--keep FOLDER]

PROGRAM is the built `wheelbase`. Needs the Debian packages chromium and chromium-driver, and nothing else:
chromedriver is spoken to by plain HTTP. With --keep the pages and screenshots stay in FOLDER. What the page
shows is held against the trace of the same run, which is written by other code.
"""

import base64
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENARIOS = ["river", "4_hill", "6_diagonal", "8_road_tiles", "9_reinforcements"]
SIZES = [(1280, 800), (800, 600), (390, 740)]
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]


class Browser:
    """A session of WebDriver."""

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

    def open(self, path, size=(1280, 800)):
        self.call("POST", "/window/rect", {"width": size[0], "height": size[1]})
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": pathlib.Path(str(path).split("#")[0]).as_uri() + ("#" + str(path).split("#")[1] if "#" in str(path) else "")})
        wait_for(lambda: self.run("return !!window.openedMs"), "the page to open")

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def click(self, x, y):
        """A click of the mouse at a point of the window."""
        steps = [{"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def key(self, key):
        steps = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def errors(self):
        log = self.call("POST", "/se/log", {"type": "browser"})
        # That reading pixels back is slow is said of this script, not of the page.
        told = [entry["message"] for entry in log if entry["level"] in ("SEVERE", "WARNING")]
        return [message for message in told if "getImageData" not in message]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def wait_for(holds, what, seconds=30):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.05)


def poses_by_trace(path, tick):
    """Pose of every agent at a tick: at rest, or where its move began. And the agents that are in mid-move."""
    poses, moving = {}, {}
    for line in path.read_text().splitlines():
        event = json.loads(line)
        if event.get("t", -1) > tick or "end" in event:
            continue
        if "spawn" in event:
            poses[event["spawn"]] = [event["at"], event["at"], 0]
        elif "remove" in event:
            del poses[event["remove"]]
        elif "move" in event:
            entry = poses[event["agent"]]
            poses[event["agent"]] = [entry[1], event["to"], event["until"]]
            moving[event["agent"]] = event["move"]
    at = {agent: was if until > tick else to for agent, (was, to, until) in poses.items()}
    return at, {agent for agent, (_, _, until) in poses.items() if until > tick}


# The colour of the map's canvas at a point of the map, as drawn for the time that is shown.
PIXEL = """
const v = player.view, [px, py] = v.toCanvas(arguments[0], arguments[1]);
player.draw();
return [...v.context.getImageData(Math.floor(px), Math.floor(py), 1, 1).data].slice(0, 3);
"""
GO_TO = "player.pause(); player.goTo(arguments[0]); player.draw();"
AGENT_OF_PAGE = """
const tick = Math.floor(player.time), out = {};
for (let a = 0; a < player.run.n; a++) if (player.film.isThere(a, tick)) {
  const [x, y, h] = player.film.pose(a, tick), cls = player.run.classes[player.run.cls[a]];
  out[player.run.id[a]] = [[x, y, cls.headings[h]], player.film.moving(a, tick) >= 0, cls.footprints[h].map(([dx, dy]) => [x + dx, y + dy]), cls.colour];
}
return out;
"""


def check_ticks(browser, trace, ticks):
    """Every agent is where the trace has it, and a resting one is drawn on each of its cells."""
    n_pixels = 0
    for tick in ticks:
        browser.run(GO_TO, tick)
        shown = browser.run(AGENT_OF_PAGE)
        poses, moving = poses_by_trace(trace, tick)
        assert {str(agent): pose for agent, pose in poses.items()} == {agent: one[0] for agent, one in shown.items()}, tick
        assert {str(agent) for agent in moving} == {agent for agent, one in shown.items() if one[1]}, tick
        for agent, (pose, in_move, cells, colour) in sorted(shown.items()):
            # Near a corner, where neither mark of facing nor ring nor line is.
            rests = not in_move and pose[2] in ("E", "N", "W", "S", "-")
            wanted = [int(colour[at:at + 2], 16) for at in (1, 3, 5)]
            for x, y in cells if rests and n_pixels < 60 else []:
                spots = [browser.run(PIXEL, x + dx, y + dy) for dx, dy in ((0.2, 0.2), (0.8, 0.2), (0.2, 0.8), (0.8, 0.8))]
                near = [all(abs(a - b) <= 6 for a, b in zip(spot, wanted)) for spot in spots]
                assert sum(near) >= 2, (tick, agent, (x, y), spots, wanted)
                n_pixels += 1
    return n_pixels


def check_terrain(browser, scenario_map_colour):
    """The colour of cells without agents is that of their terrain."""
    browser.run(GO_TO, 0)
    for x, y in ((0, 0), (3, 1)):
        kind = browser.run("return player.run.terrain[player.view.ground.terrain[arguments[1] * player.run.width + arguments[0]]].colour", x, y)
        pixel = browser.run(PIXEL, x + 0.5, y + 0.5)
        assert all(abs(a - b) <= 3 for a, b in zip(pixel, kind)), (pixel, kind, scenario_map_colour)


def check_controls(browser, page):
    """Plays, pauses, steps, scrubs, follows, links."""
    tick = lambda: browser.run("return Math.floor(player.time)")
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
    half = browser.run("return player.run.ticks") / 2
    assert abs(tick() - half) <= half / 50 + 1, (tick(), half)
    browser.run("const s = document.getElementById('scrub'); s.value = 40; s.dispatchEvent(new Event('input'))")
    wait_for(lambda: browser.run("return document.getElementById('tick').value") == "40", "the tick to be shown")
    # A click on the body of agent 0 shows agent 0.
    spot = browser.run("const v = player.view, s = v.place(0, player.time, {}), b = v.canvas.getBoundingClientRect(), [x, y] = v.toCanvas(s.x, s.y); return [b.left + x / v.ratio, b.top + y / v.ratio]")
    browser.click(*spot)
    text = lambda name: browser.run("return document.getElementById(arguments[0]).textContent", name)
    assert text("agent-title").startswith("Agent 0"), text("agent-title")
    assert text("agent-class") and text("agent-pose").startswith("["), text("agent-pose")
    assert "agent=0" in browser.run("return location.hash")
    browser.key("f")
    browser.run(GO_TO, 100)
    centre = browser.run("const v = player.view, s = v.place(0, player.time, {}); return [s.x - v.x, s.y - v.y]")
    assert max(map(abs, centre)) < 1e-9, centre
    browser.key("\ue00c")
    assert browser.run("return document.getElementById('panel').hidden")
    browser.open(f"{page}#tick=77&agent=1")
    assert tick() == 77 and text("agent-title").startswith("Agent 1")
    before = browser.run("return document.documentElement.dataset.theme")
    browser.key("d")
    assert browser.run("return document.documentElement.dataset.theme") != before


def main():
    program, keep = pathlib.Path(sys.argv[1]).resolve(), None
    if "--keep" in sys.argv:
        keep = pathlib.Path(sys.argv[sys.argv.index("--keep") + 1])
        keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or pathlib.Path(temporary)
        browser = Browser(temporary)
        try:
            for name in SCENARIOS:
                recording, trace, page = (folder / f"{name}.{ending}" for ending in ("rec", "jsonl", "html"))
                run = [program, "run", ROOT / f"scenarios/first/{name}.toml", "--quiet", "--record", recording, "--trace", trace]
                subprocess.run(run, stdout=subprocess.DEVNULL, check=False)
                subprocess.run([program, "render", recording, "--html", page], check=True)
                browser.open(page)
                ticks = browser.run("return player.run.ticks")
                wanted = sorted({0, 1, 30, 200, ticks // 2, ticks - 1} & set(range(ticks)))
                # Backwards too: no tick may depend on those that were shown before.
                n_pixels = check_ticks(browser, trace, wanted + wanted[::-1])
                opened = browser.run("return Math.round(openedMs)")
                if name == "river":
                    check_terrain(browser, name)
                    check_controls(browser, page)
                for width, height in SIZES if keep else SIZES[:1]:
                    browser.open(f"{page}#tick={ticks // 3}&agent=0", (width, height))
                    browser.run("for (const k in player.view.layers) player.view.layers[k] = true; player.setFollow(false); player.view.fit(); player.draw()")
                    if keep:
                        browser.screenshot(folder / f"{name}_{width}.png")
                errors = browser.errors()
                assert not errors, errors
                print(f"{name}: ok, {len(wanted)} ticks, {n_pixels} cells, opened in {opened} ms")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
