#!/usr/bin/env python3
"""Has headless Chromium play the skirmish (skirmish/README.md), in a page and in a Worker, and compares both texts.

    python3 .ci/skirmish_test.py PAGE [--inits N]

PAGE is made by `node crates/web/tests/skirmish_page.mjs PAGE`. Needs the Debian packages chromium and chromium-driver. With
--inits it also prints the median time of N calls of `init()`, each in a new Worker.
"""

import argparse
import pathlib
import statistics
import tempfile

from page_test import ROOT, Browser

ASYNC = "const done = arguments[arguments.length - 1]; %s.then((value) => done({value}), (error) => done({error: String(error)}));"


def asked(browser, script):
    answer = browser.call("POST", "/execute/async", {"script": ASYNC % script, "args": []})
    assert "error" not in answer, answer["error"]
    return answer["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--inits", type=int, default=0)
    args = parser.parse_args()
    golden = (ROOT / "skirmish/golden.txt").read_text()
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(folder)
        try:
            browser.call("POST", "/timeouts", {"script": 110_000})
            browser.call("POST", "/url", {"url": args.page.resolve().as_uri()})
            played = asked(browser, "skirmish.play()")
            for place in ("page", "worker"):
                for number, (line, expected) in enumerate(zip(played[place].split("\n"), golden.split("\n")), 1):
                    assert line == expected, f"{place}, line {number}:\n  played {line}\n  golden {expected}"
                assert played[place] == golden, f"{place}: {len(played[place])} bytes, golden {len(golden)}"
            if args.inits:
                times = asked(browser, f"skirmish.inits({args.inits})")
                median = statistics.median(times)
                print(f"init() in {len(times)} Workers: median {median:.0f} ms, {min(times):.0f} to {max(times):.0f}")
            assert browser.errors() == [], browser.errors()
        finally:
            browser.close()
    print(f"the skirmish in a page and in a Worker of Chromium: {golden.count(chr(10))} lines as in skirmish/golden.txt")


if __name__ == "__main__":
    main()
