#!/usr/bin/env python3
"""Writes random scenarios, runs each of them in several ways and judges what comes of it.

usage: make_runs.py --seed N --out DIR --program PATH [--judge DIR] [--count K] [--only I]
                    [--debug-program PATH] [--write-only]

Each case is a file `NNN.toml`: a map of 1x1 to 40x40 cells, one to four movement classes, agents and groups
with orders, events of every kind, either rule of collision. The same seed writes the same files. A case is wrong if

- the program ends with another exit status than 0 or 1, or takes too long;
- the outcome, with the state hash, or the trace differs between 1, 2 and 8 threads, or (given
  --debug-program) between an optimised and a debug build;
- two agents collide, or the judge finds a violation in the trace;
- an order is called unreachable although the judge knows a way;
- an agent that is alone does not arrive after exactly the cost of its path as `wheelbase plan` says it.

A case whose groups find no room is skipped and counted; the judge is not asked about it. Ends with
`runs N, skipped N, ..., wrong N`; exit status 0 only if nothing is wrong. Python 3.11, standard library only.
"""
import argparse
import json
import os
import random
import subprocess
import sys

THREADS = (1, 2, 8)
TIMEOUT_S = 120
# Keys of the result that depend on time, threads or memory.
NOT_OUTCOME = ("threads", "wall_s", "ticks_per_s", "agent_ticks_per_s", "moves_per_s", "tick_ms",
               "peak_memory_mib")
HEADINGS = "ENWS"
OPEN_SPEED = 65_535

# name, glyph, speed
TERRAINS = (("grass", ".", 1000), ("mud", "m", 400), ("shallow", "s", 300), ("road", "=", 1500),
            ("gravel", "g", 777), ("deep", "~", 0), ("rock", "#", 0))
SIDES = {"open": OPEN_SPEED, "wall": 0, "hedge": 0, "stile": 300}

# (forward, right) cells and the pivots that suit them.
FOOTPRINTS = (
    ("1x1", [[0, 0]], ([0, 0],)),
    ("1x2", [[0, 0], [-1, 0]], ([0, 0], [-1, 0], [-0.5, 0.5])),
    ("1x3", [[1, 0], [0, 0], [-1, 0]], ([0, 0], [-1, 0])),
    ("2x2", [[0, 0], [-1, 0], [0, 1], [-1, 1]], ([-0.5, 0.5], [0, 0])),
    ("2x3", [[0, 0], [-1, 0], [-2, 0], [0, 1], [-1, 1], [-2, 1]], ([-0.5, 0.5], [-1, 0], [-1.5, 0.5])),
    ("3x3", [[f, r] for f in (-1, 0, 1) for r in (-1, 0, 1)], ([0, 0], [0.5, 0.5])),
    ("L", [[0, 0], [-1, 0], [-1, 1]], ([0, 0], [-0.5, 0.5])),
    ("T", [[0, -1], [0, 0], [0, 1], [-1, 0]], ([0, 0],)),
    ("two wheels", [[0, -1], [0, 1]], ([0, 0],)),
    ("towed", [[-1, 0], [-2, 0]], ([0, 0], [-1, 0])),
)


# -- TOML -----------------------------------------------------------------------------------------

def toml(value):
    """A value as inline TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def scenario_text(case):
    lines = [f"{key} = {toml(value)}" for key, value in case["top"].items()]
    lines.append("\n[map]\nrows = [")
    lines += [f"  {toml(row)}," for row in case["rows"]]
    lines.append("]")
    if case["walls"]:
        lines.append(f"walls = {toml(case['walls'])}")
    for table in ("terrain", "side", "class"):
        for name, keys in case[table].items():
            lines.append(f"\n[{table}.{name}]")
            for key, value in keys.items():
                if key == "moves":
                    lines.append("moves = [")
                    lines += [f"  {toml(move)}," for move in value]
                    lines.append("]")
                else:
                    lines.append(f"{key} = {toml(value)}")
    for table in ("agents", "groups", "events"):
        for keys in case[table]:
            lines.append(f"\n[[{table}]]")
            lines += [f"{key} = {toml(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"


# -- maps -----------------------------------------------------------------------------------------

def draw_size(rng):
    kind = rng.random()
    if kind < 0.12:
        return rng.randint(1, 4), rng.randint(1, 4)
    if kind < 0.2:
        return rng.randint(6, 40), rng.randint(1, 3)
    if kind < 0.65:
        return rng.randint(5, 16), rng.randint(5, 16)
    return rng.randint(12, 40), rng.randint(12, 40)


def boxes(rng, rows, glyph, count, largest):
    height, width = len(rows), len(rows[0])
    for _ in range(count):
        w, h = rng.randint(1, largest), rng.randint(1, largest)
        x0, y0 = rng.randint(-1, width - 1), rng.randint(-1, height - 1)
        for y in range(max(0, y0), min(height, y0 + h)):
            for x in range(max(0, x0), min(width, x0 + w)):
                rows[y][x] = glyph


def rooms(rng, rows):
    height, width = len(rows), len(rows[0])
    pitch, door = rng.randint(5, 9), rng.randint(1, 3)
    for y in range(height):
        for x in range(width):
            on_x, on_y = x % pitch == pitch - 1, y % pitch == pitch - 1
            if on_x or on_y:
                along = y if on_x else x
                is_door = on_x != on_y and 1 <= along % pitch <= door
                rows[y][x] = "." if is_door else "#"


def river(rng, rows):
    height, width = len(rows), len(rows[0])
    x = width // 2
    for y in range(height):
        x = min(width - 1, max(0, x + rng.randint(-1, 1)))
        for k in range(rng.randint(1, 3)):
            if x + k < width:
                rows[y][x + k] = "s" if rng.random() < 0.15 else "~"
    bridge = rng.randrange(height)
    for y in range(bridge, min(height, bridge + rng.randint(1, 3))):
        rows[y] = ["=" if glyph in "~s" else glyph for glyph in rows[y]]


def draw_rows(rng):
    width, height = draw_size(rng)
    rows = [["."] * width for _ in range(height)]
    style = rng.choice(("open", "noise", "rooms", "river", "boxes"))
    if style == "noise":
        density = rng.choice((0.03, 0.08, 0.15))
        rows = [["#" if rng.random() < density else "." for _ in range(width)] for _ in range(height)]
    elif style == "rooms":
        rooms(rng, rows)
    elif style == "boxes":
        boxes(rng, rows, "#", width * height // 40, max(1, min(width, height) // 4))
    for _ in range(rng.randint(0, 4)):
        boxes(rng, rows, rng.choice("ms=g~"), rng.randint(1, 2), max(1, min(width, height) // 3))
    if style == "river":
        river(rng, rows)
    return ["".join(row) for row in rows]


def draw_walls(rng, width, height):
    walls = []
    for _ in range(rng.choice((0, 0, 1, 3, 8))):
        if rng.random() < 0.5:
            x, y0 = rng.randint(0, width), rng.randint(0, height)
            walls.append([x, y0, x, rng.randint(0, height)])
        else:
            y, x0 = rng.randint(0, height), rng.randint(0, width)
            walls.append([x0, y, rng.randint(0, width), y])
    return [wall for wall in walls if wall[:2] != wall[2:]]


# -- classes --------------------------------------------------------------------------------------

def draw_time(rng):
    return rng.choice((1, 2, 3, 5, 7, 10, 10, 20))


def draw_moves(rng, headings):
    if headings == 1:
        moves = [{"name": name, "by": by, "time": draw_time(rng)}
                 for name, by in zip("ENWS", ([1, 0], [0, -1], [-1, 0], [0, 1]))]
        if rng.random() < 0.4:
            moves += [{"name": name, "by": by, "time": draw_time(rng)}
                      for name, by in zip(("NE", "NW", "SW", "SE"), ([1, -1], [-1, -1], [-1, 1], [1, 1]))]
        if rng.random() < 0.15:
            del moves[rng.randrange(len(moves))]
        return moves
    moves = [{"name": "forward", "by": [1, 0], "time": draw_time(rng)}]
    optional = (
        (0.85, {"name": "left", "turn": 1}),
        (0.8, {"name": "right", "turn": -1}),
        (0.6, {"name": "reverse", "by": [-1, 0]}),
        (0.2, {"name": "stride", "by": [2, 0]}),
        (0.15, {"name": "strafe", "by": [0, 1]}),
        (0.15, {"name": "slant", "by": [1, -1]}),
        (0.15, {"name": "about", "turn": 2}),
        (0.2, {"name": "bend left", "by": [1, -1], "turn": 1, "swept": [[1, 0]]}),
        (0.1, {"name": "bend right", "by": [2, 1], "turn": -1}),
        (0.1, {"name": "wide left", "turn": 1, "swept": [[1, -1], [-1, -1]]}),
    )
    moves += [{**move, "time": draw_time(rng)} for chance, move in optional if rng.random() < chance]
    return moves


def fits(footprint, headings, width, height):
    """Whether the body fits on the map at some heading; a class that does not is refused."""
    extents = [max(cell[axis] for cell in footprint) - min(cell[axis] for cell in footprint)
               for axis in (0, 1)]
    return any(along < width and across < height
               for along, across in (extents, extents[::-1])[:2 if headings == 4 else 1])


def draw_class(rng, name, width, height):
    headings = rng.choice((1, 4, 4, 4))
    bodies = FOOTPRINTS[:5] if rng.random() < 0.7 else FOOTPRINTS
    _, footprint, pivots = rng.choice([body for body in bodies if fits(body[1], headings, width, height)])
    keys = {"headings": headings}
    if footprint != [[0, 0]] or rng.random() < 0.5:
        keys["footprint"] = footprint
    if headings == 4:
        keys["pivot"] = rng.choice(pivots)
    if rng.random() < 0.5:
        keys["sweep"] = rng.choice(("ends", {"moves": "ends", "turns": "ends"}))
    if rng.random() < 0.5:
        names = rng.sample([terrain[0] for terrain in TERRAINS] + ["lava"], rng.randint(1, 3))
        keys["speed"] = {terrain: rng.choice((0, 250, 800, 1000, 2000)) for terrain in names}
    if rng.random() < 0.3:
        keys["side_speed"] = {"hedge": rng.choice((0, 500))}
    if rng.random() < 0.6:                     # the map is flat until an event lifts some of it
        for key, values in (("up", (0, 100, 500)), ("down", (0, -50, 100)), ("max_up", (0, 1, 3)),
                            ("max_down", (0, 2, 5)), ("max_tilt", (0, 1, 4))):
            if rng.random() < 0.5:
                keys[key] = rng.choice(values)
    keys["moves"] = draw_moves(rng, headings)
    return name, keys


# -- legal poses ----------------------------------------------------------------------------------

def turned(footprint, pivot, quarter_turns):
    """Offsets (east, south) of a footprint after quarter turns to the left about its pivot."""
    px, py = pivot
    cells = []
    for forward, right in footprint:
        dx, dy = forward - px, right - py
        for _ in range(quarter_turns):
            dx, dy = dy, -dx
        cells.append((round(px + dx), round(py + dy)))
    return cells


class Ground:
    """What a class can stand on: speeds of cells and of the borders between them."""

    def __init__(self, case, keys):
        self.keys = keys
        self.rows = case["rows"]
        self.height, self.width = len(self.rows), len(self.rows[0])
        speeds = keys.get("speed", {})
        self.speed = {glyph: speeds.get(name, speed) for name, glyph, speed in TERRAINS}
        starts = {case["terrain"][name]["glyphs"]: case["terrain"][name].get("sides", {})
                  for name in case["terrain"]}
        side_speeds = keys.get("side_speed", {})
        self.side_speed = {name: side_speeds.get(name, speed) for name, speed in SIDES.items()}
        self.sides = {(x, y, side): starts[glyph].get(side, "open")
                      for y, row in enumerate(self.rows) for x, glyph in enumerate(row) for side in HEADINGS}
        for x0, y0, x1, y1 in case["walls"]:
            for y in range(min(y0, y1), max(y0, y1)):
                self.sides[x0 - 1, y, "E"] = self.sides[x0, y, "W"] = "wall"
            for x in range(min(x0, x1), max(x0, x1)):
                self.sides[x, y0 - 1, "S"] = self.sides[x, y0, "N"] = "wall"

    def cells(self, x, y, heading):
        quarter_turns = HEADINGS.index(heading) if heading != "-" else 0
        footprint = self.keys.get("footprint", [[0, 0]])
        return [(x + dx, y + dy)
                for dx, dy in turned(footprint, self.keys.get("pivot", [0, 0]), quarter_turns)]

    def is_legal(self, cells):
        covered = set(cells)
        for x, y in covered:
            if not (0 <= x < self.width and 0 <= y < self.height) or self.speed[self.rows[y][x]] == 0:
                return False
            for dx, dy, side, back in ((1, 0, "E", "W"), (0, 1, "S", "N")):
                if (x + dx, y + dy) in covered and 0 in (
                        self.side_speed[self.sides[x, y, side]],
                        self.side_speed[self.sides.get((x + dx, y + dy, back), "open")]):
                    return False
        return True


# -- agents and events ----------------------------------------------------------------------------

def draw_goal(rng, case, headings):
    """A goal; without `headings` one for agents of any class."""
    height, width = len(case["rows"]), len(case["rows"][0])
    goal = [rng.randrange(width), rng.randrange(height)]
    heading = rng.choice(("any", None, None, *{4: HEADINGS, 1: "-"}.get(headings, ())))
    return goal + ([heading] if heading else [])


def draw_order(rng, case, headings):
    kind = rng.random()
    if kind < 0.2:
        return {"wait": rng.choice((0, 1, 7, 40, rng.randint(0, 200)))}
    if kind > 0.8:
        height, width = len(case["rows"]), len(case["rows"][0])
        order = {"goto_area": [rng.randint(-3, width - 1), rng.randint(-3, height - 1),
                               rng.randint(4, 12), rng.randint(4, 12)]}
        if rng.random() < 0.3:
            order["fallback"] = "nearest"
        if rng.random() < 0.3:
            order["if_unreachable"] = rng.choice(("wait", "drop"))
        return order
    if kind < 0.3:
        order = {"patrol": [draw_goal(rng, case, headings) for _ in range(rng.randint(1, 3))]}
    elif kind < 0.5:
        order = {"goto": [draw_goal(rng, case, headings) for _ in range(rng.randint(1, 4))]}
    else:
        order = {"goto": draw_goal(rng, case, headings)}
    if rng.random() < 0.35:
        order["within"] = rng.choice((1, 2, 3, 5))
    if rng.random() < 0.3:
        order["fallback"] = "nearest"
        if rng.random() < 0.1 and "goto" in order:
            order["goto"] = [-3, 2]            # off the map: only the nearest can be meant
    if rng.random() < 0.3:
        order["if_unreachable"] = rng.choice(("wait", "wait", "drop"))
    return order


def draw_orders(rng, case, headings):
    return [draw_order(rng, case, headings) for _ in range(rng.choice((0, 1, 1, 2, 3, 5)))]


def draw_agents(rng, case):
    """Agents in legal poses, found by our own small statement of the rule."""
    taken, agents = set(), []
    height, width = len(case["rows"]), len(case["rows"][0])
    grounds = {name: Ground(case, keys) for name, keys in case["class"].items()}
    for _ in range(rng.choice((0, 1, 2, 4, 8))):
        name = rng.choice(list(grounds))
        headings = case["class"][name]["headings"]
        for _ in range(40):
            heading = rng.choice(HEADINGS) if headings == 4 else "-"
            x, y = rng.randrange(width), rng.randrange(height)
            cells = grounds[name].cells(x, y, heading)
            if not taken.isdisjoint(cells) or not grounds[name].is_legal(cells):
                continue
            taken.update(cells)
            at = [x, y, heading] if headings == 4 or rng.random() < 0.5 else [x, y]
            agent = {"class": name, "at": at, "orders": draw_orders(rng, case, headings)}
            if rng.random() < 0.3:
                agent["priority"] = rng.choice((-100, -1, 1, 50, 1000))
            if rng.random() < 0.3:
                agent["name"] = f"agent {len(agents)}"
            agents.append(agent)
            break
    return agents


def draw_groups(rng, case):
    groups = []
    height, width = len(case["rows"]), len(case["rows"][0])
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        name = rng.choice(list(case["class"]))
        keys = case["class"][name]
        room = width * height // (4 * len(keys.get("footprint", [[0, 0]])))
        group = {"class": name, "count": min(60, rng.randint(1, max(1, room // rng.choice((1, 3, 8)))))}
        area = [0, 0, width, height]
        if rng.random() < 0.3:
            area = [rng.randint(-2, width - 1), rng.randint(-2, height - 1),
                    rng.randint(3, 40), rng.randint(3, 40)]
        group["area"] = area
        if rng.random() < 0.2:
            group["priority"] = rng.randint(-20, 20)
        group["orders"] = draw_orders(rng, case, keys["headings"])
        groups.append(group)
    return groups


def draw_area(rng, case, large):
    height, width = len(case["rows"]), len(case["rows"][0])
    longest = 20 if large else 4
    return [rng.randint(-1, width - 1), rng.randint(-1, height - 1), rng.randint(1, longest),
            rng.randint(1, longest)]


def draw_edit(rng, case, kind):
    """The keys of an edit of the map."""
    cell = [rng.randrange(len(case["rows"][0])), rng.randrange(len(case["rows"]))]
    if kind == "set_terrain":
        keys = {"area": draw_area(rng, case, rng.random() < 0.15),
                "kind": rng.choice([terrain[0] for terrain in TERRAINS] + ["grass", "deep"])}
    elif kind == "set_elevation":
        keys = {"area": draw_area(rng, case, rng.random() < 0.3),
                "height": rng.choice((0, 0, 1, 2, 3, -2, 6))}
    elif kind == "set_side":
        keys = {"cell": cell, "side": rng.choice(HEADINGS), "kind": rng.choice(list(SIDES))}
    else:
        keys = {"cell": cell, "turns": rng.choice((1, -1, 2, 3, 4, -7))}
    if rng.random() < 0.85:
        keys["on_agents"] = rng.choice(("wait", "strand", "remove"))
    return keys


def draw_about_agents(rng, case, kind):
    """The keys of an event that is about agents."""
    if kind == "add_agents":
        name = rng.choice(list(case["class"]))
        return {"class": name, "count": rng.randint(1, 8), "area": draw_area(rng, case, True),
                "orders": draw_orders(rng, case, case["class"][name]["headings"])}
    names = [agent["name"] for agent in case["agents"] if "name" in agent]
    if names and rng.random() < 0.4:
        keys = {"names": [rng.choice(names) for _ in range(rng.randint(1, 3))]}
    else:
        keys = {"area": draw_area(rng, case, kind == "give_orders")}
    if kind == "give_orders":
        keys["orders"] = draw_orders(rng, case, None)
    return keys


def draw_events(rng, case, ticks):
    events = []
    edits = ("set_terrain", "set_elevation", "set_side", "rotate")
    tick = rng.randint(0, ticks)
    for _ in range(rng.choice((0, 1, 2, 4, 8, 16, 30))):
        if rng.random() < 0.7:
            tick = rng.choice((0, 1, rng.randint(0, ticks), rng.randint(0, min(ticks, 100)),
                               rng.randint(0, ticks + 50)))
        kind = rng.choice((*edits, *edits, "set_terrain", "add_agents", "remove_agents", "give_orders"))
        keys = draw_edit(rng, case, kind) if kind in edits else draw_about_agents(rng, case, kind)
        events.append({"tick": tick, kind: keys})
    return events


def draw_case(rng, number):
    rows = draw_rows(rng)
    case = {"rows": rows, "walls": draw_walls(rng, len(rows[0]), len(rows)), "side": {}}
    case["terrain"] = {name: {"glyphs": glyph, "speed": speed} for name, glyph, speed in TERRAINS}
    case["side"] = {name: {"speed": SIDES[name]} for name in ("hedge", "stile")}
    if rng.random() < 0.3:
        for name in rng.sample(["mud", "road", "gravel", "shallow"], rng.randint(1, 2)):
            sides = rng.sample(HEADINGS, rng.randint(1, 3))
            case["terrain"][name]["sides"] = {side: rng.choice(("wall", "hedge", "stile")) for side in sides}
    case["class"] = dict(draw_class(rng, f"c{k}", len(rows[0]), len(rows))
                         for k in range(rng.randint(1, 4)))
    ticks = rng.choice((1, 50, 300, 600, 1000))
    top = {"name": f"random {number}", "ticks": ticks}
    if rng.random() < 0.9:
        top["seed"] = rng.randrange(2 ** 32)
    if rng.random() < 0.6:
        top["collision"] = rng.choice(("swept", "discrete"))
    if rng.random() < 0.4:
        top["expansions_per_tick"] = rng.choice((1, 7, 60, 500, 5000))
    if rng.random() < 0.4:
        top["search_slots"] = rng.choice((1, 2, 3, 40))
    if rng.random() < 0.3:
        top["tries_per_tick"] = rng.choice((0, 5, 100))
    case["top"] = top
    case["agents"], case["groups"], case["events"] = draw_agents(rng, case), [], []
    if rng.random() < 0.12 and case["agents"]:     # one agent alone: its arrival is held against `plan`
        case["alone"] = True
        agent = case["agents"] = case["agents"][:1]
        order = draw_order(rng, case, case["class"][agent[0]["class"]]["headings"])
        while "goto" not in order:
            order = draw_order(rng, case, case["class"][agent[0]["class"]]["headings"])
        agent[0]["orders"] = [order]
        top["ticks"] = 20_000
        top.pop("expansions_per_tick", None)
        return case
    case["groups"] = draw_groups(rng, case)
    case["events"] = draw_events(rng, case, ticks)
    return case


# -- running --------------------------------------------------------------------------------------

class Wrong(Exception):
    """What is wrong with a case."""


class NoRoom(Exception):
    """A group found no room; the case says nothing."""


def call(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Wrong(f"no end after {TIMEOUT_S} s: {' '.join(command)}") from None
    return done.returncode, done.stdout, done.stderr


def run_once(program, scenario, threads, trace):
    """Runs a scenario; returns its exit status, its outcome and its trace."""
    status, out, err = call([program, "run", scenario, "--threads", str(threads), "--trace", trace,
                             "--check-invariants", "--format", "json"])
    if status == 2 and "room for" in err:
        raise NoRoom
    if status not in (0, 1):
        raise Wrong(f"exit status {status} with {threads} threads: {(err.strip() or out.strip())[-300:]}")
    result = json.loads(out)
    if result["threads"] != threads:
        raise Wrong(f"{threads} threads asked for, {result['threads']} used")
    if status == 1 and result["orders_left"] == 0:
        raise Wrong("exit status 1 with no order left")
    with open(trace, "rb") as file:
        written = file.read()
    return status, {key: value for key, value in result.items() if key not in NOT_OUTCOME}, written


def excused(violation, trace):
    """Whether the judge says `edit_late` of an edit that took effect in the very tick in which a `strand` or
    `remove` edit made room for it. The judge asks whether the edit disturbed anybody the tick before on the
    map as it is now, with the other edit in it; on the map of the tick before it did."""
    tick, check, _ = violation.split(": ", 2)
    if check != "edit_late" or not violation.endswith("disturbed nobody the tick before"):
        return False
    with open(trace, encoding="utf-8") as file:
        edits = [json.loads(line) for line in file if '"asked":' in line]
    at = int(tick.removeprefix("tick "))
    return any(edit["t"] == at and edit["on_agents"] != "wait" for edit in edits)


def judge_trace(judge, trace, sums):
    status, out, err = call([sys.executable, os.path.join(judge, "judge_trace.py"), trace,
                             "--max-print", "1000"])
    lines = out.splitlines()
    figures = dict(line.rsplit(": ", 1) for line in lines if ": " in line)
    if status not in (0, 1) or "violations" not in figures:
        raise Wrong(f"judge: {(err.strip() or out.strip())[-300:]}")
    violations = [line for line in lines if line.startswith("tick ")]
    held = [violation for violation in violations if not excused(violation, trace)]
    sums["excused"] += len(violations) - len(held)
    if held or len(violations) != int(figures["violations"]):
        raise Wrong(f"judge: {figures['violations']} violations: {'; '.join(held[:3])[:400]}")
    if figures["of these with a way on the map"] != "0":
        raise Wrong(f"{figures['of these with a way on the map']} goals called unreachable have a way")
    return figures


def judge_alone(program, scenario, case, folder, outcome):
    """An agent that is alone arrives exactly its path's cost after its order."""
    agent = case["agents"][0]
    order = agent["orders"][0]
    query = {"from": agent["at"], "to": order["goto"], "within": order.get("within", 0),
             "fallback": order.get("fallback", "fail")}
    queries = os.path.join(folder, "alone.jsonl")
    with open(queries, "w", encoding="utf-8") as file:
        file.write(json.dumps(query) + "\n")
    status, out, err = call([program, "plan", scenario, "--class", agent["class"], "--queries", queries])
    if status != 0:
        raise Wrong(f"plan: exit status {status}: {err.strip()[-300:]}")
    answer = json.loads(out)
    found = answer["status"] == "found"
    expected = max(1, answer["cost"]) if found else None
    done = outcome["flowtime"] if outcome["orders_done"] else None
    if done != expected:
        raise Wrong(f"alone: done after {done} ticks; plan says {answer['status']}, {answer.get('cost')}")


def run_case(args, scenario, case, sums):
    trace, other = os.path.join(args.out, "trace.jsonl"), os.path.join(args.out, "other.jsonl")
    status, outcome, written = run_once(args.program, scenario, THREADS[0], trace)
    runs = [(args.program, threads) for threads in THREADS[1:]]
    if args.debug_program:
        runs.append((args.debug_program, 2))
    for program, threads in runs:
        its_status, its_outcome, its_trace = run_once(program, scenario, threads, other)
        for key, value in outcome.items():
            if its_outcome[key] != value:
                raise Wrong(f"{key} is {value} with {THREADS[0]} threads and {its_outcome[key]} with {threads},"
                            f" {program}")
        if its_trace != written or its_status != status:
            raise Wrong(f"trace or exit status with {THREADS[0]} threads differs from {threads}, {program}")
    if outcome["collisions"] != 0:
        raise Wrong(f"{outcome['collisions']} collisions")
    if args.judge:
        figures = judge_trace(args.judge, trace, sums)
        sums["edits"] += int(figures["edits"])
        sums["disturbed"] += int(figures["agents disturbed by an edit"])
    if case.get("alone"):
        judge_alone(args.program, scenario, case, args.out, outcome)
        sums["alone"] += 1
    for key in ("agents", "moves", "orders_done", "orders_unreachable", "removed", "edits_pending",
                "stuck_agents"):
        sums[key] += outcome[key]
    sums["exit 1"] += status


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", type=int, help="run this case alone")
    parser.add_argument("--program")
    parser.add_argument("--debug-program")
    parser.add_argument("--judge", help="folder of judge_trace.py")
    parser.add_argument("--write-only", action="store_true")
    args = parser.parse_args()
    if not args.write_only and not args.program:
        parser.error("--program is needed to run the cases")
    os.makedirs(args.out, exist_ok=True)
    skipped, wrong = 0, 0
    sums = dict.fromkeys(("alone", "agents", "moves", "orders_done", "orders_unreachable", "removed", "edits",
                          "disturbed", "edits_pending", "excused", "stuck_agents", "exit 1"), 0)
    numbers = range(args.count) if args.only is None else [args.only]
    for number in numbers:
        case = draw_case(random.Random(args.seed * 1_000_003 + number), number)
        scenario = os.path.join(args.out, f"{number:03}.toml")
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(scenario_text(case))
        if args.write_only:
            continue
        try:
            run_case(args, scenario, case, sums)
        except NoRoom:
            skipped += 1
        except Wrong as problem:
            wrong += 1
            print(f"{scenario}: {problem}")
    figures = ", ".join(f"{name} {value}" for name, value in sums.items())
    print(f"seed {args.seed}: runs {len(numbers)}, skipped {skipped}, {figures}, wrong {wrong}")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
