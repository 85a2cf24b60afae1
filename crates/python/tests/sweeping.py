"""A sweep of carts on a map of a file, and the command, as the tests of sweeps need them."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

MAP = """type octile
height 8
width 12
map
............
....WW......
....WW......
............
............
.....WW.....
.....WW.....
............
"""

CARTS = """name = "carts"
seed = 1
ticks = 150
[map]
file = "carts.map"
[class.cart]
headings = 4
moves = [
  { name = "forward", by = [1, 0], time = 2 },
  { name = "left", turn = 1, time = 2 },
  { name = "right", turn = -1, time = 2 },
]
[[groups]]
class = "cart"
count = 3
area = [0, 0, 12, 8]
tasks = { kind = "random", area = [0, 0, 12, 8] }
"""

# What a shell runs in the background ignores Ctrl-C, and so would the commands that are begun here.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Of the counts 500 are too many carts for the map: an item that fails.
COUNTS = "groups[0].count=6,2,500,4,3"


def carts(folder, ticks=150):
    """Writes the scenario; gives the arguments that sweep it over five counts and so many seeds."""
    folder = pathlib.Path(folder)
    (folder / "carts.map").write_text(MAP)
    (folder / "carts.toml").write_text(CARTS.replace("ticks = 150", f"ticks = {ticks}"))
    return lambda seeds: ["carts.toml", "--seeds", f"0..{seeds}", "--set", COUNTS]


def begin(folder, *words, **options):
    """Begins `python -m wheelbase sweep` in a folder."""
    words = [sys.executable, "-m", "wheelbase", "sweep", *map(str, words)]
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def run(folder, *words, status=0):
    """Runs it to its end; gives what it says."""
    process = begin(folder, *words)
    out, err = process.communicate()
    assert process.returncode == status, f"{words}: status {process.returncode}, expected {status}\n{out}{err}"
    return err


def program(folder, *words):
    """The same by the program, if there is one; whether there is."""
    path = os.environ.get("WHEELBASE_PROGRAM")
    if path:
        subprocess.run([path, "sweep", *map(str, words)], cwd=folder, check=True)
    return bool(path)


def rows_of(path):
    """Number of whole lines of a file that may not be there."""
    with contextlib.suppress(OSError):
        return pathlib.Path(path).read_bytes().count(b"\n")
    return 0


def check_keys(table, items):
    """Every key once."""
    keys = [line.split(b",")[3] for line in table.splitlines()[1:]]
    assert len(keys) == len(set(keys)) == items, (len(keys), len(set(keys)), items)


def killed_and_resumed(folder, words, out, items, kills, rng, seconds):
    """Kills a sweep of so many items, which takes so many seconds, at random moments: at a time, or sooner, when a number of rows
    has come. Each time it is resumed, and at last it may end. Gives how many rows were there at each kill."""
    part = pathlib.Path(folder, f"{out}.part")
    startup = timed(run, folder, "--help")
    rows = [0]
    for _ in range(kills):
        process = begin(folder, *words, "--out", out, "--resume", "--quiet")
        end = time.monotonic() + rng.uniform(0, 2 * (seconds / kills + startup))
        most = rows[-1] + rng.randint(0, items // kills)
        while time.monotonic() < end and rows_of(part) <= most:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the sweep has ended before it could be killed"
        rows.append(rows_of(part))
    run(folder, *words, "--out", out, "--resume", "--quiet")
    return rows[1:]


def timed(call, *words):
    begun = time.monotonic()
    call(*words)
    return time.monotonic() - begun


