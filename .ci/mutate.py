#!/usr/bin/env python3
"""Feeds randomly damaged files to the program: none may make it panic, hang or exhaust memory.

usage: mutate.py --program PATH --seed N --seconds S [--jobs 2] [--keep DIR] [--only READER]

Each reader gets valid files, from the scenarios and from the program itself, with bytes flipped, pieces cut, moved and
repeated, numbers at the ends of their ranges, and tokens of other files. A run has 2 GiB of address space and 10 s. It
is wrong if it is ended by a signal, panics, takes longer, or ends with a status other than 0, 1, 2 and 130. Case K of
job J depends only on the seed, J and K. The first few faults of each kind are kept in DIR, a folder per case, with the
command line. Ends with a table by reader; the exit status is 0 only if nothing is wrong. Python 3.11, standard library
only.
"""
import argparse
import base64
import collections
import multiprocessing
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ADDRESS_BYTES = 2 << 30
TIMEOUT_S = 10
RIGHT_STATUSES = (0, 1, 2, 130)
KEPT_OF_A_KIND = 3
# Most bytes by which a file may grow: small files are read in the time it takes to start the program.
GROWTH_BYTES = 1 << 14
NUMBERS = [0, 1, -1, 2, 3, 7, 8, 15, 16, 63, 64, 127, 128, 254, 255, 256, 1023, 1024, 1025, 2**15 - 1, 2**15, -2**15,
           65_534, 65_535, 65_536, 10**6, 2**20, 2**20 + 1, 2**26, 2**26 + 1, 2**28, 2**31 - 1, 2**31, -2**31,
           -2**31 - 1, 2**32 - 2, 2**32 - 1, 2**32, 2**40, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -2**63, 2**64 - 1, 2**64,
           10**30]
ODD_TEXTS = [b"", b" ", b"\n", b"\r\n", b"\t", b"\0", b"\x1b[2J", b"\xff", b"\xc3\x28", b"\xef\xbb\xbf", "\u202e".encode(),
             "\ufffe".encode(), "\U0001f69a".encode(), b"nan", b"inf", b"-0", b"1e308", b"1e-400", b"0x10", b"1_000", b"true", b"null",
             b"[]", b"{}", b"\"\"", b"'''", b"\"\"\"", b"..", b"/", b"/dev/zero", b"/dev/stdin", b"/proc/self/mem", b"-",
             b"\\u0000", b"\\ud800", b"[[", b"]]", b"=", b",", b"#", b"A" * 300, b"[" * 300, b"{\"a\":" * 200, b"<a>" * 300]
TOKEN = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*|-?\d+(?:\.\d+)?|\"[^\"\n]*\"|[^\sA-Za-z0-9]")
NUMBER = re.compile(rb"-?\d+")

# A small scenario with every key.
DENSE = """name = "dense"
seed = 7
ticks = 40
collision = "discrete"
expansions_per_tick = 500
search_slots = 3
landmarks = 2
poses_per_agent = 3
[map]
rows = ["........", ".mm.##..", ".mm.....", "....==..", "....==..", "........"]
elevation = [[0,0,0,1,1,2,2,2],[0,0,0,1,1,2,2,2],[0,0,0,0,0,1,1,1],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0]]
walls = [[2, 0, 2, 3], [4, 5, 6, 5]]
[terrain.mud]
glyphs = "m"
speed = 400
colour = "#645430"
sides = { E = "hedge" }
[terrain.road]
glyphs = "="
speed = 1500
[terrain.out]
speed = 0
glyphs = "#"
[side.hedge]
speed = 300
[class.truck]
headings = 8
footprint = ["X>"]
footprint_diagonal = [[0, 0], [-1, 1]]
pivot = [0, 0]
sweep = { moves = "full", turns = "ends" }
up = 100
down = -50
max_up = 2
max_down = 2
max_tilt = 2
speed = { mud = 250 }
side_speed = { hedge = 500 }
moves = [
  { name = "forward", by = [1, 0], when = "straight", time = 10 },
  { name = "forward", by = [1, -1], when = "diagonal", time = 14 },
  { name = "left", turn = 1, time = 4 }, { name = "right", turn = -1, time = 4 },
  { name = "arc", by = [1, -1], turn = 1, when = "straight", time = 5, swept = [[1, 0]] },
]
[class.cart]
headings = 1
moves = [{ name = "E", by = [1, 0], time = 3 }, { name = "N", by = [0, -1], time = 3 }, { name = "W", by = [-1, 0], time = 3 }, { name = "S", by = [0, 1], time = 3 }]
[[agents]]
name = "a"
class = "truck"
at = [1, 4, "E"]
priority = 5
orders = [{ goto = [5, 4, "N"], within = 1, fallback = "nearest" }, { wait = 3 }, { patrol = [[1, 5], [6, 5, "any"]], if_unreachable = "wait" }]
[[groups]]
class = "cart"
count = 3
area = [0, 0, 8, 6]
orders = [{ goto_area = [5, 2, 3, 3] }, { goto_group = [1, 1] }]
[[groups]]
class = "cart"
count = 2
area = [0, 3, 8, 3]
tasks = { kind = "random", area = [0, 0, 8, 6] }
[[groups]]
class = "cart"
count = 2
area = [0, 3, 8, 3]
tasks = { file = "tasks.csv" }
[[events]]
tick = 2
set_terrain = { area = [3, 3, 2, 2], kind = "mud", on_agents = "strand" }
[[events]]
tick = 3
set_elevation = { area = [6, 3, 2, 2], height = 3, on_agents = "remove" }
[[events]]
tick = 4
set_side = { cell = [3, 3], side = "N", kind = "wall" }
[[events]]
tick = 5
rotate = { cell = [2, 2], turns = 1, on_agents = "wait" }
[[events]]
tick = 6
add_agents = { class = "cart", count = 2, area = [0, 0, 3, 3], priority = 1, orders = [{ goto = [7, 5] }] }
[[events]]
tick = 9
give_orders = { names = ["a"], orders = [{ goto = [[1, 4], [2, 5]] }] }
[[events]]
tick = 12
remove_agents = { area = [0, 0, 2, 2] }
"""
HEX = """name = "hex"
ticks = 30
[map]
shape = "hex"
generate = { kind = "river", size = [12, 9], seed = 3 }
[class.cart]
headings = 6
footprint = [[0, 0], [-1, 0]]
moves = [{ name = "forward", by = [1, 0], time = 4 }, { name = "left", turn = 1, time = 2 }, { name = "right", turn = -1, time = 2 }]
[[groups]]
class = "cart"
count = 3
area = [0, 0, 12, 9]
orders = [{ goto_group = [6, 5] }]
[[events]]
tick = 4
rotate = { cell = [2, 2], turns = 1 }
"""
# The scenario through which map files are read, and below the same for elevation.
ON_FILE = """name = "map"
ticks = 9
[map]
file = "FILE"
[class.cart]
headings = 1
moves = [{ name = "E", by = [1, 0], time = 3 }, { name = "S", by = [0, 1], time = 3 }]
[[groups]]
class = "cart"
count = 1
area = [0, 0, 99, 99]
orders = [{ goto = [1, 1], fallback = "nearest" }]
"""
HEIGHTS = ON_FILE.replace('file = "FILE"', 'rows = ["....", "....", "...."]\nelevation = "FILE"')
CSV = "agent,x,y,heading\n0,1,4,\n1,6,5,any\n0,7,5,-\n"
SCEN = ("version 1\n0\tm.map\t12\t10\t1\t1\t5\t5\t5.65685425\n0\tm.map\t12\t10\t0\t0\t9\t9\t12.72792206\n"
        "1\tm.map\t12\t10\t3\t2\t3\t2\t0\n")
QUERIES = """{"from": [1, 1], "to": [5, 5]}
{"id": "b", "from": [1, 1, "-"], "to": [5, 5, "any"], "within": 2, "heuristic": "octile", "weight": 1500}
{"from": [0, 0], "to": [[9, 9], [2, 2]], "fallback": "nearest", "expansions_max": 50, "partial": true}
"""
CLASS_FILE = """[class.truck]
headings = 4
footprint = [[0, 0], [-1, 0]]
sweep = "full"
moves = [{ name = "forward", by = [1, 0], time = 10 }, { name = "left", turn = 1, time = 9 }, { name = "right", turn = -1, time = 9 }]
[terrain.swamp]
speed = 300
"""
PROBLEM = """{"mapFile": "p.map", "agentFile": "p.agents", "taskFile": "p.tasks", "teamSize": 3,
 "taskAssignmentStrategy": "roundrobin", "numTasksReveal": 1, "version": "2023 LoRR"}
"""
TSX = """<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="roads" tilewidth="16" tileheight="16" tilecount="6" columns="3">
 <tile id="0"><properties><property name="terrain" value="ground"/></properties></tile>
 <tile id="1"><properties><property name="terrain" value="road"/><property name="speed" type="int" value="1500"/><property name="sides" value="N S"/></properties></tile>
 <tile id="2"><properties><property name="sides" value="E=wall"/></properties></tile>
</tileset>
"""
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" width="4" height="3" tilewidth="16" tileheight="16" infinite="0">
 <tileset firstgid="1" source="t.tsx"/>
 <layer id="1" name="ground" width="4" height="3">LAYER</layer>
 <group><layer name="above"><data encoding="csv">0,3,2147483651,0,0,0,0,0,0,0,0,536870915</data></layer></group>
 <objectgroup id="2"><object id="1" name="a" class="cart" x="24" y="8"><properties><property name="goal" type="object" value="2"/></properties></object>
 <object id="2" class="goal" x="40" y="20" width="16" height="16"/></objectgroup>
</map>
"""
TILES = [1, 1, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1]


# -- valid files ----------------------------------------------------------------------------------

class Seed:
    """Valid files, the name of the one to change, and the command lines that read it."""

    def __init__(self, reader, files, changed, commands):
        self.reader, self.files, self.changed, self.commands = reader, files, changed, commands


def png(size, depth, colours, rows, extra=()):
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    head = size[0].to_bytes(4, "big") + size[1].to_bytes(4, "big") + bytes([depth, colours, 0, 0, 0])
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunk(*item) for item in extra)
            + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def call(program, folder, *args):
    done = subprocess.run([program, *args], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"mutate.py: {shlex.join(args)}: exit status {done.returncode}: {(done.stderr + done.stdout)[-500:]}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def without_comments(text):
    return b"\n".join(line for line in text.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")) + b"\n"


def check_and_run(scenario):
    return [["check", scenario], ["run", scenario, "--ticks", "12", "--threads", "1", "--quiet", "--check-invariants"]]


def scenario_seeds():
    seeds = [Seed("scenario", {"s.toml": DENSE, "tasks.csv": CSV}, "s.toml", check_and_run("s.toml")),
             Seed("scenario", {"s.toml": HEX}, "s.toml", check_and_run("s.toml")),
             Seed("scenario", {"s.toml": HEX, "m.map": "type octile\nheight 1\nwidth 1\nmap\n.\n"}, "s.toml",
                  [["plan", "s.toml", "--from", "1,1,E", "--to", "5,5"], ["check", "s.toml"]]),
             Seed("scenario", {"c.toml": CLASS_FILE}, "c.toml", [["check", "c.toml"]])]
    for folder in ("first", "regression"):
        for name in sorted(os.listdir(os.path.join(ROOT, "scenarios", folder))):
            text = without_comments(read(os.path.join(ROOT, "scenarios", folder, name)))
            if not name.endswith(".toml") or b"maps/" in text:
                continue
            seeds.append(Seed("scenario", {"s.toml": text}, "s.toml", check_and_run("s.toml")))
    return seeds


def map_seeds(program, folder):
    call(program, folder, "generate", "river", "--size", "12,10", "--seed", "3", "-o", "m.map")
    call(program, folder, "generate", "rooms", "--size", "12,10", "--seed", "3", "-o", "m.png")
    text, picture = read(os.path.join(folder, "m.map")), read(os.path.join(folder, "m.png"))
    on = {name: ON_FILE.replace("FILE", name) for name in ("m.map", "m.png", "m.tmx")}
    plan = ["--from", "1,1", "--to", "5,5"]
    grey = png((4, 3), 16, 0, [bytes(range(8))] * 3)
    seeds = [
        Seed("map", {"m.map": text}, "m.map", [["check", "m.map"], ["plan", "m.map", *plan]]),
        Seed("map", {"m.map": text, "s.toml": on["m.map"]}, "m.map", check_and_run("s.toml")),
        Seed("scen", {"m.map": text, "q.scen": SCEN}, "q.scen", [["check", "q.scen"]]),
        Seed("scen", {"m.map": text, "m.map.scen": SCEN}, "m.map", [["check", "m.map.scen"]]),
        Seed("queries", {"m.map": text, "q.jsonl": QUERIES}, "q.jsonl", [["plan", "m.map", "--queries", "q.jsonl"]]),
        Seed("scenario", {"m.map": text, "c.toml": CLASS_FILE}, "c.toml",
             [["plan", "m.map", "--class", "c.toml", "--from", "1,1,E", "--to", "5,5"]]),
        Seed("png", {"m.png": picture}, "m.png", [["check", "m.png"], ["plan", "m.png", *plan]]),
        Seed("png", {"m.png": picture, "s.toml": on["m.png"]}, "m.png", check_and_run("s.toml")),
        Seed("png", {"h.png": grey, "s.toml": HEIGHTS.replace("FILE", "h.png")}, "h.png", check_and_run("s.toml")),
        Seed("csv", {"s.toml": DENSE, "tasks.csv": CSV}, "tasks.csv", check_and_run("s.toml")),
    ]
    ground = bytes((88, 120, 68))
    for depth in (1, 2, 4, 8):
        row = bytes(-(-4 * depth // 8))
        indexed = png((4, 3), depth, 3, [row] * 3, [(b"PLTE", ground * 2), (b"tRNS", b"\xff")])
        seeds.append(Seed("png", {"m.png": indexed}, "m.png", [["check", "m.png"]]))
    # The standard colours of ground and, in grey, of out-of-bounds terrain.
    for colours, pixel in ((2, ground), (6, ground + b"\xff"), (0, b"\x1e"), (4, b"\x1e\xff")):
        for wide in (1, 2):
            row = bytes(byte for byte in pixel for _ in range(wide)) * 4
            seeds.append(Seed("png", {"m.png": png((4, 3), 8 * wide, colours, [row] * 3)}, "m.png", [["check", "m.png"]]))
    tiles = b"".join(tile.to_bytes(4, "little") for tile in TILES)
    for data in (f'<data encoding="csv">{",".join(map(str, TILES))}</data>',
                 f'<data encoding="base64">{base64.b64encode(tiles).decode()}</data>',
                 f'<data encoding="base64" compression="zlib">{base64.b64encode(zlib.compress(tiles)).decode()}</data>'):
        files = {"m.tmx": TMX.replace("LAYER", data), "t.tsx": TSX, "s.toml": on["m.tmx"]}
        for changed in ("m.tmx", "t.tsx"):
            seeds.append(Seed("tmx", files, changed, [["check", "m.tmx"], *check_and_run("s.toml")]))
    return seeds


def problem_seeds(program, folder):
    files = {"p.json": PROBLEM, "p.map": "type octile\nheight 4\nwidth 6\nmap\n......\n.@..T.\n......\n......\n",
             "p.agents": "# starts\n3\n0\n5\n20\n", "p.tasks": "4\n2\n18\n23\n12\n"}
    for name, text in files.items():
        write(os.path.join(folder, name), text)
    call(program, folder, "run", "p.json", "--ticks", "20", "--threads", "1", "--quiet", "--plan-out", "plan.json",
         "--record", "p.rec")
    commands = [["check", "p.json"], ["run", "p.json", "--ticks", "9", "--threads", "1", "--quiet"]]
    seeds = [Seed("problem", files, changed, commands) for changed in files]
    planned = {**files, "plan.json": read(os.path.join(folder, "plan.json"))}
    judge = [["check", "p.json", "--plan", "plan.json"]]
    return seeds + [Seed("plan", planned, "plan.json", judge), Seed("plan", planned, "p.tasks", judge),
                    *recording_seeds(read(os.path.join(folder, "p.rec")))]


def recording_seeds(recording):
    commands = [["check", "r.rec"], ["verify", "r.rec", "--threads", "1"], ["render", "r.rec", "--html", "r.html"],
                ["render", "r.rec", "--svg", "r.svg"]]
    return [Seed("recording", {"r.rec": recording}, "r.rec", commands)]


def all_seeds(program, folder):
    seeds = scenario_seeds() + map_seeds(program, folder) + problem_seeds(program, folder)
    for name, text in (("dense", DENSE), ("hex", HEX)):
        write(os.path.join(folder, f"{name}.toml"), text)
        write(os.path.join(folder, "tasks.csv"), CSV)
        call(program, folder, "run", f"{name}.toml", "--threads", "1", "--quiet", "--record", f"{name}.rec")
        seeds += recording_seeds(read(os.path.join(folder, f"{name}.rec")))
    for seed in seeds:
        seed.files = {name: text.encode() if isinstance(text, str) else text for name, text in seed.files.items()}
        with tempfile.TemporaryDirectory(prefix="mutate-") as own:
            for name, text in seed.files.items():
                write(os.path.join(own, name), text)
            for command in seed.commands:
                call(program, own, *command)
    return seeds


# -- changes --------------------------------------------------------------------------------------

def span(rng, text, longest=64):
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.randint(1, rng.choice((1, 4, longest))))


def flip(rng, text, _):
    at = rng.randrange(len(text))
    byte = rng.choice((text[at] ^ 1 << rng.randrange(8), rng.randrange(256), 0, 255))
    return text[:at] + bytes([byte]) + text[at + 1:]


def delete(rng, text, _):
    start, end = span(rng, text)
    return text[:start] + text[end:]


def repeat(rng, text, _):
    start, end = span(rng, text)
    times = min(rng.choice((2, 2, 3, 20, 400)), 1 + GROWTH_BYTES // max(1, end - start))
    return text[:start] + text[start:end] * times + text[end:]


def move(rng, text, _):
    start, end = span(rng, text)
    to = rng.randrange(len(text) + 1)
    rest = text[:start] + text[end:]
    return rest[:to] + text[start:end] + rest[to:]


def cut(rng, text, _):
    return text[:rng.randrange(len(text))]


def insert(rng, text, _):
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(ODD_TEXTS) + text[at:]


def number(rng, text, _):
    found = list(NUMBER.finditer(text))
    if not found:
        return flip(rng, text, _)
    match = rng.choice(found)
    value = rng.choice((rng.choice(NUMBERS), rng.choice(NUMBERS), int(match[0][:30]) + rng.choice((-1, 1)), rng.randrange(100)))
    return text[:match.start()] + str(value).encode() + text[match.end():]


def token(rng, text, others):
    """Replaces a token by one of another file, or of this one."""
    found = list(TOKEN.finditer(text))
    if not found:
        return insert(rng, text, others)
    match = rng.choice(found)
    new = rng.choice(others) if rng.random() < 0.7 else rng.choice(found)[0]
    new = rng.choice((new, new, new, match[0] + b" " + new, rng.choice(ODD_TEXTS)))
    return text[:match.start()] + new + text[match.end():]


def line(rng, text, _):
    """Deletes, copies, swaps or repeats a line."""
    lines = text.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(4)
    if change == 0:
        del lines[a]
    elif change == 1:
        lines.insert(b, lines[a])
    elif change == 2:
        lines[a], lines[b] = lines[b], lines[a]
    else:
        lines[a:a + 1] = [lines[a]] * min(rng.choice((2, 3, 60)), 1 + GROWTH_BYTES // (len(lines[a]) + 1))
    return b"\n".join(lines)


def png_chunk(rng, text, others):
    """Changes the chunks of a picture and keeps the checksums valid; pixel data is changed before compression."""
    chunks, at = [], 8
    while at + 12 <= len(text):
        n_bytes = int.from_bytes(text[at:at + 4], "big")
        chunks.append([text[at + 4:at + 8], text[at + 8:at + 8 + n_bytes]])
        at += 12 + n_bytes
    if not chunks:
        return flip(rng, text, others)
    chosen = rng.choice(chunks)
    change = rng.randrange(8)
    if change == 0:
        chunks.insert(rng.randrange(len(chunks) + 1), list(chosen))
    elif change == 1:
        chunks.remove(chosen)
    elif change == 2:
        chosen[0] = rng.choice((b"PLTE", b"tRNS", b"IDAT", b"IHDR", b"acTL", b"fcTL", b"fdAT", b"iCCP", b"zTXt", b"gAMA", b"sBIT", b"bKGD"))
    elif change == 3 and chosen[0] == b"IDAT":
        try:
            plain = zlib.decompress(chosen[1])
        except zlib.error:
            plain = chosen[1]
        chosen[1] = zlib.compress(rng.choice((flip, delete, repeat))(rng, plain or b"\0", others))
    elif change == 4:
        chosen[1] = bytes(rng.randrange(256) for _ in range(rng.choice((0, 1, 2, 3, 4, 13, 255, 767, 768, 769, 800))))
    else:
        chosen[1] = rng.choice((flip, flip, flip, delete, repeat))(rng, chosen[1] or b"\0", others)
    out = [text[:8]]
    for kind, data in chunks:
        out.append(len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big"))
    return b"".join(out)


TEXT_CHANGES = (number, number, number, number, token, token, token, line, line, flip, delete, repeat, move, insert, cut)
BYTE_CHANGES = (flip, flip, flip, delete, repeat, move, insert, cut)
CHANGES = {"png": (*BYTE_CHANGES, *(png_chunk,) * 16), "recording": BYTE_CHANGES}


def changed(rng, seed, tokens):
    text = seed.files[seed.changed]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        change = rng.choice(CHANGES.get(seed.reader, TEXT_CHANGES))
        text = change(rng, text, tokens[seed.reader])[:len(seed.files[seed.changed]) + GROWTH_BYTES] or b"\n"
    return text


# -- running --------------------------------------------------------------------------------------

def write(path, text):
    with open(path, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)


def wrong_with(program, folder, command):
    """The fault of a run as one line, the same for equal faults, or None; and its exit status."""
    try:
        done = subprocess.run([program, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"{command[0]}: no end after {TIMEOUT_S} s", None
    panic = re.search(rb"panicked at ([^\n]*)", done.stderr)
    if panic:
        return f"panicked at {panic[1].decode(errors='replace')}", done.returncode
    if done.returncode < 0:
        last = done.stderr.decode(errors="replace").strip().split("\n")[-1]
        return f"{command[0]}: {signal.Signals(-done.returncode).name}: {re.sub('[0-9]+', 'N', last)[:120]}", done.returncode
    if done.returncode not in RIGHT_STATUSES:
        return f"{command[0]}: exit status {done.returncode}", done.returncode
    return None, done.returncode


def keep(args, kind_number, name, seed, text, command, wrong):
    folder = os.path.join(args.keep, f"{kind_number:02}-{name}")
    os.makedirs(folder, exist_ok=True)
    for file, right in seed.files.items():
        write(os.path.join(folder, file), text if file == seed.changed else right)
    program = os.path.abspath(args.program)
    write(os.path.join(folder, "command"), f"# {wrong}\n(ulimit -v {ADDRESS_BYTES // 1024}; timeout {TIMEOUT_S} {program} {shlex.join(command)})\n")
    return folder


def job(args, number, seeds, deadline, results):
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    readers = sorted({seed.reader for seed in seeds})
    by_reader = {reader: [seed for seed in seeds if seed.reader == reader] for reader in readers}
    tokens = {reader: sorted({found for seed in by_reader[reader] for text in seed.files.values()
                              for found in TOKEN.findall(text)}) or [b""] for reader in readers}
    counts, kinds = collections.Counter(), collections.Counter()
    folder = tempfile.mkdtemp(prefix=f"mutate-{number}-")
    case = 0
    while time.monotonic() < deadline:
        rng = random.Random(f"{args.seed} {number} {case}")
        case += 1
        seed = rng.choice(by_reader[rng.choice(readers)])
        text = changed(rng, seed, tokens)
        for name, right in seed.files.items():
            write(os.path.join(folder, name), text if name == seed.changed else right)
        command = rng.choice(seed.commands)
        wrong, status = wrong_with(args.program, folder, command)
        counts[seed.reader, "runs"] += 1
        counts[seed.reader, "refused"] += status == 2
        if wrong is not None:
            counts[seed.reader, "wrong"] += 1
            kinds[wrong] += 1
            if kinds[wrong] <= KEPT_OF_A_KIND:
                kept = keep(args, len(kinds), f"{seed.reader}-job{number}-case{case - 1}", seed, text, command, wrong)
                print(f"{kept}: {wrong}", flush=True)
    shutil.rmtree(folder)
    results.put((counts, kinds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="folder for inputs that cause faults; by default a new one")
    parser.add_argument("--only", help="test only this reader")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    args.keep = args.keep or tempfile.mkdtemp(prefix="mutate-wrong-")
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        seeds = all_seeds(args.program, folder)
    if args.only:
        seeds = [seed for seed in seeds if seed.reader == args.only]
    began = time.monotonic()
    results = multiprocessing.Queue()
    jobs = [multiprocessing.Process(target=job, args=(args, number, seeds, began + args.seconds, results))
            for number in range(args.jobs)]
    for process in jobs:
        process.start()
    counts, kinds = collections.Counter(), collections.Counter()
    for _ in jobs:
        of_job, kinds_of_job = results.get()
        counts.update(of_job)
        kinds.update(kinds_of_job)
    for process in jobs:
        process.join()
    print(f"{'reader':10} {'runs':>7} {'refused':>8} {'wrong':>6}")
    for reader in sorted({reader for reader, _ in counts}):
        print(f"{reader:10} " + " ".join(f"{counts[reader, key]:{width}}" for key, width in (("runs", 7), ("refused", 8), ("wrong", 6))))
    for wrong, times in kinds.most_common():
        print(f"{times:6} {wrong}")
    runs, n_wrong = (sum(n for (_, key), n in counts.items() if key == what) for what in ("runs", "wrong"))
    print(f"seed {args.seed}: {runs} runs in {time.monotonic() - began:.0f} s, wrong {n_wrong}"
          + (f"; kept in {args.keep}" if n_wrong else ""))
    return 0 if n_wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
