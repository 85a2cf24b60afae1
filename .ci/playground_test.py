#!/usr/bin/env python3
"""Drives the playground of crates/web in headless Chromium, and has the program verify the session that it exports.

    python3 .ci/playground_test.py PAGE PROGRAM [--keep FOLDER]

PAGE is crates/web/dist/playground.html, PROGRAM the built `wheelbase`. Needs the Debian packages chromium and
chromium-driver. With --keep screenshots and the recording stay in FOLDER.
"""

import argparse
import base64
import pathlib
import subprocess
import tempfile

from page_test import TOUCH, Browser, wait_for

SCREENS = [(390, 844), (1024, 768), (1600, 1000)]
STATE = "const s = playground.state; return "


def open_page(browser, page, before=""):
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {"url": page.as_uri()})
    wait_for(lambda: browser.run("return !!globalThis.playground?.state.frame"), "the first frame")


def press(browser, point, button=0, to=None, keys=()):
    """Presses a button of the mouse at a point, and drags it to another."""
    move = lambda at: {"type": "pointerMove", "x": round(at["x"]), "y": round(at["y"]), "duration": 30}
    steps = [move(point), {"type": "pointerDown", "button": button}]
    if to:
        steps += [move(to)]
    steps += [{"type": "pointerUp", "button": button}]
    browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})


def cell(browser, x, y):
    return browser.run("return playground.screenOf(arguments[0], arguments[1])", x, y)


def unit(browser, number):
    return browser.run("return playground.at(arguments[0])", number)


def tool(browser, name):
    browser.run(f"document.querySelector('[data-tool={name}]').click()")


def step(browser, ticks):
    tick = browser.run(STATE + "s.frame.tick") + ticks
    browser.run("playground.ask('step', {ticks: arguments[0]})", ticks)
    wait_for(lambda: browser.run(STATE + "s.frame.tick") == tick, f"tick {tick}")


def check_layout(browser, size):
    """Nothing overlaps, all can be hit by a finger, nothing sticks out."""
    parts = browser.run("""
        const rect = (e) => { const r = e.getBoundingClientRect(); return [e.id || e.dataset.tool || e.textContent, r.left, r.top, r.right, r.bottom]; };
        const seen = (e) => e.getClientRects().length > 0;
        return { panels: ['header', 'main', 'footer'].map((name) => rect(document.querySelector(name))),
            controls: [...document.querySelectorAll('button, select, input')].filter(seen).map(rect),
            texts: [rect(document.getElementById('note')), rect(document.getElementById('facts'))],
            scroll: [document.documentElement.scrollWidth, document.querySelector('footer').scrollHeight - document.querySelector('footer').clientHeight] };""")
    width, height = size
    (_, _, _, _, header), (_, _, top, _, bottom), (_, _, footer, _, end) = parts["panels"]
    assert header <= top + 0.5 and bottom <= footer + 0.5 and end <= height + 0.5, parts["panels"]
    assert bottom - top >= 200, f"{size}: the map is {bottom - top} high"
    assert parts["scroll"][0] <= width and parts["scroll"][1] <= 1, f"{size}: {parts['scroll']}"
    controls = parts["controls"]
    assert len(controls) > 20
    for name, left, upper, right, lower in controls:
        assert right - left >= TOUCH - 0.5 and lower - upper >= TOUCH - 0.5, f"{size}: {name} is {right - left} x {lower - upper}"
        assert left >= 0 and upper >= 0 and right <= width + 0.5 and lower <= height + 0.5, f"{size}: {name} sticks out"
    boxes = controls + parts["texts"]
    for i, (name, left, upper, right, lower) in enumerate(boxes):
        for other, left_2, upper_2, right_2, lower_2 in boxes[i + 1:]:
            apart = right <= left_2 + 0.5 or right_2 <= left + 0.5 or lower <= upper_2 + 0.5 or lower_2 <= upper + 0.5
            assert apart, f"{size}: {name} and {other} overlap"


def play(browser, program, folder):
    """A session of clicks: the units obey, the map changes, and the program verifies what is exported."""
    assert browser.run(STATE + "s.host") in ("worker", "page")
    # Unit 0 is clicked, and sent.
    at = unit(browser, 0)
    press(browser, cell(browser, at["x"], at["y"]))
    assert browser.run(STATE + "[...s.selected]") == [0]
    press(browser, cell(browser, 14, 13), button=2)
    step(browser, 150)
    assert unit(browser, 0) == {"x": 14, "y": 13}, unit(browser, 0)
    # A box of units goes as a group, across the bridge, which closes once they are off it.
    press(browser, cell(browser, 0, 6), to=cell(browser, 13, 12))
    group = browser.run(STATE + "[...s.selected]")
    assert len(group) >= 2, group
    before = [unit(browser, number) for number in group]
    press(browser, cell(browser, 30, 13), button=2)
    step(browser, 100)
    assert all(unit(browser, number) != old for number, old in zip(group, before)), group
    browser.key("b")
    step(browser, 1)
    bridge = "s.map.kinds[s.map.terrain[13 * s.map.width + 21]]"
    step(browser, 400)
    assert browser.run(STATE + bridge) == "deep", browser.run(STATE + bridge)
    browser.key("b")
    step(browser, 1)
    assert browser.run(STATE + bridge) == "road"
    # A stroke of wall, of water, and a tank.
    kind = "s.map.kinds[s.map.terrain[arguments[1] * s.map.width + arguments[0]]]"
    for name, y, expected in (("wall", 24, "out"), ("water", 26, "water")):
        tool(browser, name)
        press(browser, cell(browser, 2, y), to=cell(browser, 8, y))
        step(browser, 1)
        assert [browser.run(STATE + kind, x, y) for x in range(2, 9)] == [expected] * 7, name
    n_units = browser.run(STATE + "s.frame.rows.length / 12")
    browser.run("[...document.querySelectorAll('#palette button')].find((b) => b.textContent === 'tank').click()")
    press(browser, cell(browser, 30, 4))
    step(browser, 1)
    assert browser.run(STATE + "s.frame.rows.length / 12") == n_units + 1
    # Played, not stepped.
    tool(browser, "select")
    tick = browser.run(STATE + "s.frame.tick")
    browser.run("document.getElementById('play').click()")
    wait_for(lambda: browser.run(STATE + "s.frame.tick") >= tick + 20, "20 ticks")
    browser.run("document.getElementById('play').click()")
    wait_for(lambda: not browser.run(STATE + "s.isPlaying"), "the pause")
    browser.run("document.getElementById('export').click()")
    wait_for(lambda: browser.run(STATE + "!!s.exported"), "the recording")
    found = browser.run("""const {bytes, tick, hash} = playground.state.exported; let text = '';
        for (const byte of bytes) text += String.fromCharCode(byte); return [btoa(text), tick, hash, playground.state.frame.hash];""")
    recording = folder / "session.rec"
    recording.write_bytes(base64.b64decode(found[0]))
    assert found[2] == found[3], "the hash shown is not that of the export"
    verified = subprocess.run([program, "verify", str(recording)], capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    # It plays the session again and compares the hash of each tick with that which the page has recorded.
    assert f"equal for {found[1]} ticks of {found[1]}" in verified.stdout, verified.stdout
    assert browser.run(STATE + "s.fails") == []
    return f"{found[1]} ticks, hash {found[2]}, {recording.stat().st_size} bytes"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("page", type=pathlib.Path)
    arguments.add_argument("program")
    arguments.add_argument("--keep", type=pathlib.Path)
    arguments = arguments.parse_args()
    page = arguments.page.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        keep = arguments.keep or pathlib.Path(temporary)
        keep.mkdir(parents=True, exist_ok=True)
        browser = Browser(temporary)
        try:
            open_page(browser, page)
            browser.resize(SCREENS[-1])
            host = browser.run(STATE + "s.host")
            print(f"session in a {host}: {play(browser, arguments.program, keep)}, verified by the program")
            for scheme in ("light", "dark"):
                features = [{"name": "prefers-color-scheme", "value": scheme}]
                browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})
                for size in SCREENS:
                    browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
                        "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}})
                    open_page(browser, page)
                    browser.run("playground.ask('step', {ticks: 3})")
                    wait_for(lambda: browser.run(STATE + "s.frame.tick") == 3, "tick 3")
                    check_layout(browser, size)
                    browser.screenshot(keep / f"{scheme}-{size[0]}x{size[1]}.png")
            # All scenarios open and move.
            names = browser.run("return [...document.querySelectorAll('#scenario option')].map((option) => option.textContent)")
            for number, name in enumerate(names):
                browser.run("const s = document.getElementById('scenario'); s.selectedIndex = arguments[0]; playground.state.frame = null; s.onchange()", number)
                wait_for(lambda: browser.run(STATE + "s.frame !== null"), name)
                step(browser, 40)
                assert browser.run(STATE + "s.fails") == [], name
                browser.screenshot(keep / f"scenario-{number:02}.png")
            # Without Workers the session runs on the page.
            browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": "delete globalThis.Worker"}})
            open_page(browser, page)
            assert browser.run(STATE + "s.host") == "page"
            step(browser, 5)
            errors = browser.errors()
            assert not errors, errors
            print(f"{len(SCREENS)} sizes, light and dark: nothing overlaps; {len(names)} scenarios; without Workers, too")
        finally:
            browser.close()


if __name__ == "__main__":
    main()
