#!/usr/bin/env python3
"""Runs the live lessons of the book in headless Chromium, and compares each end with scenarios/outcomes.csv.

    python3 .ci/book_test.py BOOK [--keep FOLDER]

BOOK is the folder that .ci/book makes. Needs the Debian packages chromium and chromium-driver. With --keep screenshots stay
in FOLDER.
"""

import argparse
import csv
import functools
import http.server
import pathlib
import tempfile
import threading

from page_test import ROOT, Browser, wait_for

THEMES = ("light", "coal")
WIDTHS = (360, 1200)
SCENE = "const scene = lessons.find((one) => one.name === arguments[0]); "


class Server(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def open_lessons(browser, base):
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {"url": f"{base}/docs/lessons.html"})
    wait_for(lambda: browser.run("return !!globalThis.lessons"), "the lessons")


def scene(browser, name, script, *more):
    return browser.run(SCENE + script, name, *more)


def run_to_end(browser, name):
    """Restarts a scene, and runs it to its end. Returns its last tick and state hash."""
    scene(browser, name, "scene.state.frame = null; scene.restart.click()")
    wait_for(lambda: scene(browser, name, "return scene.state.frame !== null"), f"{name}: the first frame")
    scene(browser, name, "scene.ask('step', {ticks: 1e6})")
    wait_for(lambda: scene(browser, name, "return scene.state.frame.isOver"), f"{name}: the end", 300)
    assert scene(browser, name, "return scene.failure.hidden"), name
    return scene(browser, name, "return [scene.state.frame.tick, scene.state.frame.hash]")


def check_runs(browser):
    """Every lesson ends as it does in the program."""
    with open(ROOT / "scenarios/outcomes.csv") as file:
        outcomes = {row["scenario"]: [int(row["ticks"]), row["state_hash"]] for row in csv.DictReader(file)}
    names = browser.run("return lessons.map((scene) => scene.name)")
    assert names == sorted(path.stem for path in (ROOT / "scenarios/first").glob("*.toml")), names
    for name in names:
        ended = run_to_end(browser, name)
        assert ended == outcomes[f"first/{name}.toml"], f"{name}: {ended}, the program {outcomes[f'first/{name}.toml']}"
        assert scene(browser, name, "return scene.canvas.getClientRects().length === 1"), name
    return len(names)


def check_controls(browser):
    """A scene plays, pauses, steps, sleeps out of sight, and says what is wrong with its text."""
    name = "01_yard"
    tick = lambda: scene(browser, name, "return scene.state.frame.tick")
    plays = lambda: scene(browser, name, "return scene.state.isPlaying")
    scene(browser, name, "scene.canvas.scrollIntoView({block: 'center'}); scene.restart.click()")
    wait_for(lambda: plays() and 3 < tick() < 100, "the scene to play")
    browser.run("scrollTo(0, document.body.scrollHeight)")
    wait_for(lambda: not plays(), "the scene to sleep")
    scene(browser, name, "scene.canvas.scrollIntoView({block: 'center'})")
    wait_for(plays, "the scene to wake")
    scene(browser, name, "scene.play.click()")
    wait_for(lambda: not plays(), "the pause")
    before = tick()
    scene(browser, name, "scene.step.click()")
    wait_for(lambda: tick() == before + 1, "one tick")
    scene(browser, name, "scene.edit.click()")
    change = "scene.text.value = scene.text.value.replace(arguments[1], arguments[2]); scene.rerun.click()"
    wait_for(lambda: scene(browser, name, "return scene.text.getClientRects().length === 1"), "the editor")
    scene(browser, name, change, "headings = 4", "headings = 5")
    wait_for(lambda: not scene(browser, name, "return scene.failure.hidden"), "the error")
    message = scene(browser, name, "return scene.failure.textContent")
    assert "01_yard.toml:" in message and "headings" in message, message
    # The change that the file itself proposes.
    scene(browser, name, change, "headings = 5", "headings = 4")
    scene(browser, name, change, "pivot = [0, 0]\n", "pivot = [-1, 0]\n")
    assert run_to_end(browser, name)[0] == 220
    scene(browser, "10_tiled_map", "scene.edit.click()")
    wait_for(lambda: not scene(browser, "10_tiled_map", "return scene.failure.hidden"), "why it has no text")
    return message


def check_layout(browser, base, keep):
    """Nothing is wider than the page, in a light and a dark theme."""
    for theme in THEMES:
        for width in WIDTHS:
            browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
                "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}})
            browser.run("localStorage.setItem('mdbook-theme', arguments[0])", theme)
            open_lessons(browser, base)
            assert browser.run("return document.documentElement.classList.contains(arguments[0])", theme), theme
            for name in browser.run("return lessons.map((scene) => scene.name)"):
                scene(browser, name, "scene.step.click()")
                wait_for(lambda: scene(browser, name, "return scene.state.frame?.tick === 1"), name)
                scene(browser, name, "scene.ask('step', {ticks: 120})")
                wait_for(lambda: scene(browser, name, "return scene.state.frame.tick > 1"), name)
                if keep:
                    scene(browser, name, "scene.canvas.scrollIntoView({block: 'center'})")
                    browser.screenshot(keep / f"{theme}-{width}-{name}.png")
            name = "01_yard"
            scene(browser, name, "scene.edit.click(); scene.text.value = scene.text.value.replace('headings = 4', 'headings = 5'); scene.rerun.click()")
            wait_for(lambda: not scene(browser, name, "return scene.failure.hidden"), "the error")
            scene(browser, name, "scene.text.scrollIntoView({block: 'center'})")
            if keep:
                browser.screenshot(keep / f"{theme}-{width}-editor.png")
            wide = browser.run("return document.documentElement.scrollWidth")
            assert wide <= width, f"{theme}, {width}: the page is {wide} wide"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("book", type=pathlib.Path)
    arguments.add_argument("--keep", type=pathlib.Path)
    given = arguments.parse_args()
    book = given.book.resolve()
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    # Below a path, as most books are.
    handler = functools.partial(Server, directory=book.parent)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as temporary:
        browser = Browser(temporary)
        try:
            hosts = []
            for base in (book.as_uri(), f"http://127.0.0.1:{server.server_port}/{book.name}"):
                open_lessons(browser, base)
                assert browser.run("return document.querySelector('script[src*=lessons_data]') === null"), "loaded before it is needed"
                n_lessons = check_runs(browser)
                hosts.append(scene(browser, "01_yard", "return scene.state.host"))
                message = check_controls(browser)
            check_layout(browser, base, given.keep)
            browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": "delete globalThis.Worker"}})
            open_lessons(browser, book.as_uri())
            assert run_to_end(browser, "01_yard")[0] == 160
            hosts.append(scene(browser, "01_yard", "return scene.state.host"))
            errors = browser.errors()
            assert not errors, errors
        finally:
            browser.close()
    print(f"a mistake: {message.splitlines()[0]}")
    print(f"{n_lessons} lessons end as in the program, from a file in a {hosts[0]}, from a server in a {hosts[1]}, without Workers in the {hosts[2]}")


if __name__ == "__main__":
    main()
