"""Draws random scenarios that cover the rules of `docs/rules.md` and the keys of `docs/scenario.md`.

A case is a dict: `top` (the keys without a table), `map`, the tables `terrain`, `side` and `class`, the lists
`agents`, `groups` and `events`, and `alone` if there is a single agent. `scenario_text` writes it as TOML. Legal
poses come from the judge's own implementation of the rules.
"""
import json
import math

import rules

# name, glyph, speed
TERRAINS = (("grass", ".", 1000), ("mud", "m", 400), ("shallow", "s", 300), ("road", "=", 1500),
            ("gravel", "g", 777), ("deep", "~", 0), ("rock", "#", 0))
SIDE_KINDS = {"hedge": 0, "stile": 300}
GENERATED = ("open", "random", "rooms", "maze", "river", "base", "streets")
# The moves of `octile` take 10,000 ticks at speed 1000, so its cases have faster ground.
OCTILE_SPEED_UP, OCTILE_TICKS = 40, 30_000
ALONE_TICKS = 20_000
EXTREME_TICKS = 300
POSE_TRIES = 60
# The ends of the ranges in docs/scenario.md.
I32_MIN, I32_MAX, U32_MAX = -2 ** 31, 2 ** 31 - 1, 2 ** 32 - 1
EVERYWHERE = [I32_MIN, I32_MIN, U32_MAX, U32_MAX]
# Values of extreme cases, whose moves can take almost 2^32 ticks and never end.
EXTREME = {
    "time": (1, 2, 5, 10, 1000, 65_534, 65_535),
    "terrain speed": (1, 2, 400, 999, 65_534, 65_535),
    "side speed": (1, 300, 65_535),
    "class speed": (0, 1, 999, 65_535),
    "up": (0, 1, 100, 65_535, 65_536, 2 ** 31, U32_MAX - 1, U32_MAX),
    "down": (I32_MIN, I32_MIN + 1, -65_536, -1, 0, 100, 65_536, I32_MAX),
    "most height": (0, 1, 5, 65_535, U32_MAX),
    "height": (-32_768, -32_767, -1, 0, 0, 1, 2, 32_767),
    "priority": (I32_MIN, I32_MIN + 1, -1, 0, 1, I32_MAX),
    "expansions_per_tick": (1, 2, 200_000, 2 ** 40),
    "search_slots": (1, 2, 16, 1024),
    "poses_per_agent": (1, 2, 2 ** 32 - 1),
    "landmarks": (0, 1, 64),
}
EDITS = ("set_terrain", "set_elevation", "set_side", "rotate")

# (forward, right) cells with suitable pivots.
FOOTPRINTS = (
    ("1x1", [[0, 0]], ([0, 0],)),
    ("1x2", [[0, 0], [-1, 0]], ([0, 0], [-1, 0], [-0.5, 0.5])),
    ("1x3", [[1, 0], [0, 0], [-1, 0]], ([0, 0], [-1, 0])),
    ("2x2", [[0, 0], [-1, 0], [0, 1], [-1, 1]], ([-0.5, 0.5], [0, 0])),
    ("2x3", [[0, 0], [-1, 0], [-2, 0], [0, 1], [-1, 1], [-2, 1]], ([-0.5, 0.5], [-1, 0], [-1.5, 0.5])),
    ("3x3", [[f, r] for f in (-1, 0, 1) for r in (-1, 0, 1)], ([0, 0], [0.5, 0.5])),
    ("2x4", [[f, r] for f in (1, 0, -1, -2) for r in (0, 1)], ([-0.5, 0.5],)),
    ("L", [[0, 0], [-1, 0], [-1, 1]], ([0, 0], [-0.5, 0.5])),
    ("T", [[0, -1], [0, 0], [0, 1], [-1, 0]], ([0, 0],)),
    ("two wheels", [[0, -1], [0, 1]], ([0, 0],)),
    ("towed", [[-1, 0], [-2, 0]], ([0, 0], [-1, 0])),
)
# The same for hexagonal maps, where right is the next heading clockwise.
HEX_FOOTPRINTS = (
    ("1x1", [[0, 0]], ([0, 0],)),
    ("1x2", [[0, 0], [-1, 0]], ([0, 0], [-1, 0], [1, 0])),
    ("1x3", [[1, 0], [0, 0], [-1, 0]], ([0, 0], [-1, 0])),
    ("triangle", [[0, 0], [-1, 0], [-1, 1]], ([0, 0], [-1, 1])),
    ("ring", [[0, 0], [1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]], ([0, 0], [-1, 0])),
    ("hollow", [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]], ([0, 0],)),
    ("bow", [[0, 0], [-1, 0], [-1, 1], [0, -1]], ([0, 0], [0, -1])),
    ("towed", [[-1, 0], [-2, 0]], ([0, 0], [-1, 0])),
)
# (east, south) cells while facing NE.
DIAGONAL_FOOTPRINTS = ([[0, 0]], [[0, 0], [-1, 1]], [[0, 0], [1, 0], [0, -1]], [[0, 0], [-1, 0], [0, 1], [-1, 1]])


# -- TOML -----------------------------------------------------------------------------------------

def toml(value):
    """A value as inline TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def key_lines(keys):
    """The keys of a table; long lists have an item per line."""
    lines = []
    for key, value in keys.items():
        if key in ("moves", "rows", "elevation"):
            lines += [f"{key} = [", *(f"  {toml(item)}," for item in value), "]"]
        else:
            lines.append(f"{key} = {toml(value)}")
    return lines


def scenario_text(case):
    lines = key_lines(case["top"]) + ["\n[map]"] + key_lines(case["map"])
    for table in ("terrain", "side", "class"):
        for name, keys in case[table].items():
            lines += [f"\n[{table}.{name}]", *key_lines(keys)]
    for table in ("agents", "groups", "events"):
        for keys in case[table]:
            lines += [f"\n[[{table}]]", *key_lines(keys)]
    return "\n".join(lines) + "\n"


# -- maps -----------------------------------------------------------------------------------------

def draw_size(rng):
    kind = rng.random()
    if kind < 0.06:
        return rng.randint(1, 4), rng.randint(1, 4)
    if kind < 0.12:
        return rng.randint(6, 40), rng.randint(1, 4)
    if kind < 0.65:
        return rng.randint(6, 16), rng.randint(6, 16)
    return rng.randint(12, 36), rng.randint(12, 36)


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


def draw_rows(rng, width, height):
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


def draw_elevation(rng, width, height):
    """Cones, a slope or noise; sometimes a cliff."""
    style = rng.choice(("cones", "cones", "slope", "noise"))
    run = rng.choice((1, 2, 2, 3))
    if style == "cones":
        tops = [(rng.randrange(width), rng.randrange(height), rng.randint(1, 9))
                for _ in range(rng.randint(1, 4))]
        heights = [[max(0, max(top - max(abs(x - tx), abs(y - ty)) // run for tx, ty, top in tops))
                    for x in range(width)] for y in range(height)]
    elif style == "slope":
        along_x = rng.random() < 0.5
        heights = [[(x if along_x else y) // run for x in range(width)] for y in range(height)]
    else:
        heights = [[rng.choice((0, 0, 0, 1, 1, 2)) for _ in range(width)] for _ in range(height)]
    cliff = rng.randint(1, width) if rng.random() < 0.2 else width
    drop = rng.choice((3, 7, 30_000))
    return [[value - (drop if x >= cliff else 0) for x, value in enumerate(row)] for row in heights]


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


def draw_map(rng, generated_rows, hexagonal):
    """The `[map]` table, and the rows of the map."""
    width, height = draw_size(rng)
    if rng.random() < 0.15:
        generate = {"kind": rng.choice(GENERATED), "size": [width, height], "seed": rng.randrange(1000)}
        table, rows = {"generate": generate}, generated_rows(generate)
    else:
        rows = draw_rows(rng, width, height)
        table = {"rows": rows}
    if hexagonal:
        table["shape"] = "hex"
    elif rng.random() < 0.1:
        table["shape"] = "square"
    if rng.random() < 0.4:
        table["elevation"] = draw_elevation(rng, width, height)
    walls = [] if hexagonal else draw_walls(rng, width, height)
    if walls:
        table["walls"] = walls
    return table, rows


def stretch_map(rng, case):
    """Slow ground and heights at the ends of their ranges."""
    for keys in case["terrain"].values():
        if keys["speed"] and rng.random() < 0.6:
            keys["speed"] = rng.choice(EXTREME["terrain speed"])
    for keys in case["side"].values():
        if keys["speed"]:
            keys["speed"] = rng.choice(EXTREME["side speed"])
    if "elevation" in case["map"] and rng.random() < 0.7:
        heights = rng.sample(EXTREME["height"], 3)
        chance = rng.choice((0.02, 0.1, 0.5))
        case["map"]["elevation"] = [[rng.choice(heights) if rng.random() < chance else value for value in row]
                                    for row in case["map"]["elevation"]]


# -- classes --------------------------------------------------------------------------------------

def draw_time(rng):
    return rng.choice((1, 2, 3, 5, 7, 10, 10, 20))


def draw_moves(rng, headings, hexagonal):
    """Moves of a class."""
    if headings == 1 and hexagonal:
        moves = [{"name": name, "by": list(by), "time": draw_time(rng)}
                 for name, by in zip(rules.HEX_SIDES, rules.STEPS_HEX)]
        if rng.random() < 0.3:
            moves.append({"name": "leap", "by": rng.choice(([2, 0], [0, -3], [1, 1], [-2, 4], [2, -1])), "time": 5})
        if rng.random() < 0.25:
            del moves[rng.randrange(len(moves))]
        return moves
    if headings == 1:
        moves = [{"name": name, "by": by, "time": draw_time(rng)}
                 for name, by in zip("ENWS", ([1, 0], [0, -1], [-1, 0], [0, 1]))]
        if rng.random() < 0.4:
            moves += [{"name": name, "by": by, "time": draw_time(rng)}
                      for name, by in zip(("NE", "NW", "SW", "SE"), ([1, -1], [-1, -1], [-1, 1], [1, 1]))]
        if rng.random() < 0.15:
            moves.append({"name": "leap", "by": rng.choice(([2, 0], [0, -3], [2, 2], [1, -2])), "time": 5})
        if rng.random() < 0.15:
            del moves[rng.randrange(len(moves))]
        return moves
    chosen = [{"name": "forward", "by": [1, 0]}]
    optional = (
        (0.9, {"name": "left", "turn": 1}),
        (0.85, {"name": "right", "turn": -1}),
        (0.55, {"name": "reverse", "by": [-1, 0]}),
        (0.2, {"name": "stride", "by": [2, 0]}),
        (0.05, {"name": "jump", "by": [-3, 0]}),
        (0.15, {"name": "strafe", "by": [0, 1]}),
        (0.1, {"name": "slant", "by": [1, -1]}),
        (0.1, {"name": "long slant", "by": [2, 2]}),
        (0.1, {"name": "about", "turn": headings // 2}),
        (0.2, {"name": "bend left", "by": [1, -1], "turn": 1, "swept": [[1, 0]]}),
        (0.1, {"name": "bend right", "by": [2, 1], "turn": -1}),
        (0.05, {"name": "hop", "by": [1, 1], "turn": 1, "swept": []}),
        (0.1, {"name": "wide left", "turn": 1, "swept": [[1, -1], [-1, -1]]}),
        (0.05, {"name": "broad", "by": [1, 0], "swept": [[1, 1]]}),
    )
    chosen += [move for chance, move in optional if rng.random() < chance]
    if headings in (4, 6):
        return [{**move, "time": draw_time(rng)} for move in chosen][:16]
    moves = []
    for move in chosen:
        if "by" not in move and "swept" not in move and rng.random() < 0.8:
            moves.append({**move, "time": draw_time(rng)})
            continue
        moves.append({**move, "when": "straight", "time": draw_time(rng)})
        if rng.random() < 0.9:
            moves.append({**diagonal(rng, move), "when": "diagonal", "time": draw_time(rng)})
    # A class that cannot turn from a diagonal heading, or not move along it, behaves like a class of four headings.
    return moves[:16]


def diagonal(rng, move):
    """A move from NE in map axes: f forward and r to the right is (f + r, r - f)."""
    turned = {key: [[f + r, r - f] for f, r in value] if key == "swept" else value
              for key, value in move.items()}
    if "by" in move:
        f, r = move["by"]
        # An arc can end on a cell that no straight step reaches.
        turned["by"] = rng.choice(([1, 0], [0, -1], [2, -1])) if "turn" in move else [f + r, r - f]
    return turned


def as_rows(footprint):
    f0, f1 = min(f for f, _ in footprint), max(f for f, _ in footprint)
    r0, r1 = min(r for _, r in footprint), max(r for _, r in footprint)
    return ["".join((">" if f == r == 0 else "X") if [f, r] in footprint else "."
                    for f in range(f0, f1 + 1)) for r in range(r0, r1 + 1)]


def draw_class(rng, elevated, hexagonal):
    """The table of a class, or None if its diagonal footprint would be empty."""
    headings = rng.choice((1, 6, 6) if hexagonal else (1, 4, 4, 8, 8))
    bodies = FOOTPRINTS[:5] if rng.random() < 0.75 else FOOTPRINTS
    _, footprint, pivots = rng.choice(bodies)
    if hexagonal:
        _, footprint, pivots = rng.choice(HEX_FOOTPRINTS)
    keys = {"headings": headings}
    if [0, 0] in footprint and rng.random() < 0.4:
        keys["footprint"] = as_rows(footprint)
    elif footprint != [[0, 0]] or rng.random() < 0.5:
        keys["footprint"] = footprint
    if headings > 1:
        keys["pivot"] = rng.choice(pivots)
    if headings == 8 and rng.random() < 0.25:
        keys["footprint_diagonal"] = rng.choice(DIAGONAL_FOOTPRINTS)
    if rng.random() < 0.6 and not hexagonal:
        keys["sweep"] = rng.choice(("ends", "full", "full", {"moves": "full", "turns": "ends"},
                                    {"moves": "ends", "turns": "full"}, {"turns": "full"}))
    if rng.random() < 0.4:
        names = rng.sample([terrain[0] for terrain in TERRAINS] + ["lava", "water", "swamp"], rng.randint(1, 3))
        keys["speed"] = {terrain: rng.choice((0, 250, 800, 1000, 2000)) for terrain in names}
    if rng.random() < 0.3:
        names = rng.sample(("hedge", "stile", "wall", "open"), rng.randint(1, 2))
        keys["side_speed"] = {name: rng.choice((0, 500, 900) if name != "open" else (600, 2000)) for name in names}
    if rng.random() < (0.8 if elevated else 0.4):
        keys["up"], keys["down"] = rng.choice((0, 50, 100, 333)), rng.choice((0, -100, 25, 200, -600, I32_MIN))
        for key in ("max_up", "max_down", "max_tilt"):
            if rng.random() < 0.4:
                keys[key] = rng.choice((0, 1, 1, 2, 2, 4))
    keys["moves"] = draw_moves(rng, headings, hexagonal)
    return keys


def stretch_class(rng, keys, elevated):
    """Times, speeds and slopes at the ends of their ranges."""
    for move in keys["moves"]:
        move["time"] = rng.choice(EXTREME["time"])
    for table in ("speed", "side_speed"):
        if table in keys:
            keys[table] = {name: rng.choice(EXTREME["class speed"]) for name in keys[table]}
    if elevated or rng.random() < 0.3:
        for key in ("up", "down"):
            keys[key] = rng.choice(EXTREME[key])
        for key in ("max_up", "max_down", "max_tilt"):
            keys.pop(key, None)
            if rng.random() < 0.2:
                keys[key] = rng.choice(EXTREME["most height"])


class Ground:
    """The legal poses of a class on the initial map."""

    def __init__(self, grid, name, keys):
        self.movement = (rules.octile_class() if keys is None
                         else rules.MovementClass(name, keys, grid.hexagonal))
        self.names = self.movement.heading_names
        self.tables = rules.Tables(grid, self.movement)
        self.grid = grid

    def random_pose(self, rng, is_free=lambda cells: True):
        """A legal pose `(x, y, heading)` whose cells are free, or None."""
        for _ in range(POSE_TRIES):
            x, y = rng.randrange(self.grid.width), rng.randrange(self.grid.height)
            heading = rng.randrange(len(self.names))
            if self.tables.legal_pose(x, y, heading):
                if is_free(self.tables.footprint_cells(x, y, heading)):
                    return x, y, heading
        return None

    def written(self, rng, x, y, heading):
        name = self.names[heading]
        return [x, y] if name == "-" and rng.random() < 0.5 else [x, y, name]


def draw_grounds(rng, case, grid):
    """Adds the classes to the case. Returns their legal poses by name."""
    elevated = "elevation" in case["map"]
    grounds = {}
    for number in range(rng.randint(0, 1) if case["octile"] else rng.randint(1, 4)):
        name = f"c{number}"
        for _ in range(8):
            keys = draw_class(rng, elevated, grid.hexagonal)
            if case["extreme"]:
                stretch_class(rng, keys, elevated)
            try:
                ground = Ground(grid, name, keys)
            except rules.RuleError:            # its diagonal footprint would be empty
                continue
            if ground.random_pose(rng) is not None:
                case["class"][name], grounds[name] = keys, ground
                break
    if grid.hexagonal and not grounds:
        case["class"]["walker"] = {"headings": 1, "moves": draw_moves(rng, 1, True)}
        grounds["walker"] = Ground(grid, "walker", case["class"]["walker"])
    elif case["octile"] or not grounds:
        grounds["octile"] = Ground(grid, "octile", None)
    return grounds


# -- orders ---------------------------------------------------------------------------------------

def draw_goal(rng, ground):
    pose = ground.random_pose(rng) if rng.random() < 0.8 else None
    if pose is None:
        pose = (rng.randrange(ground.grid.width), rng.randrange(ground.grid.height),
                rng.randrange(len(ground.names)))
    x, y, heading = pose
    heading = rng.choice(("any", None, None, ground.names[heading], ground.names[heading]))
    return [x, y] + ([heading] if heading else [])


def draw_order(rng, ground, ticks):
    kind = rng.random()
    if kind < 0.15:
        wait = rng.choice((0, 1, 7, ticks // 20, rng.randint(0, ticks // 4 + 1)))
        return {"wait": U32_MAX - 1 if rng.random() < 0.03 else wait}
    if kind < 0.27:
        order = {"goto_area": draw_area(rng, ground.grid, 2, 12) if rng.random() < 0.97 else EVERYWHERE}
    elif kind < 0.35:
        order = {"patrol": [draw_goal(rng, ground) for _ in range(rng.randint(1, 3))]}
    elif kind < 0.55:
        order = {"goto": [draw_goal(rng, ground) for _ in range(rng.randint(1, 4))]}
    else:
        order = {"goto": draw_goal(rng, ground)}
    if rng.random() < 0.35 and "goto_area" not in order:
        order["within"] = rng.choice((1, 2, 3, 5)) if rng.random() < 0.97 else 65_535
    if rng.random() < 0.3:
        order["fallback"] = rng.choice(("nearest", "nearest", "nearest", "fail"))
        if order["fallback"] == "nearest" and rng.random() < 0.1 and "goto" in order:
            # Off the map: only the nearest pose is possible.
            order["goto"] = rng.choice(([-3, 2], [I32_MIN, I32_MAX], [[I32_MAX, -1], [2, 10_000]]))
    if rng.random() < 0.3:
        order["if_unreachable"] = rng.choice(("wait", "wait", "drop"))
    return order


def is_timed_by_plan(order):
    """Whether the answer of `wheelbase plan` determines when a single agent has done the order."""
    # The order is not done at the nearest pose to an area.
    if "goto_area" in order:
        return order.get("fallback") != "nearest" and order["goto_area"] is not EVERYWHERE
    return "goto" in order or "wait" in order


def draw_orders(rng, ground, ticks):
    return [draw_order(rng, ground, ticks) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 3, 5)))]


# -- agents and events ----------------------------------------------------------------------------

def draw_agents(rng, grounds, ticks):
    """Agents at legal poses that do not overlap."""
    taken, agents = set(), []
    for _ in range(rng.choice((0, 1, 2, 4, 8, 16))):
        name, ground = rng.choice(list(grounds.items()))
        pose = ground.random_pose(rng, taken.isdisjoint)
        if pose is None:
            continue
        taken.update(ground.tables.footprint_cells(*pose))
        agent = {"class": name, "at": ground.written(rng, *pose), "orders": draw_orders(rng, ground, ticks)}
        if rng.random() < 0.3:
            agent["priority"] = rng.choice((-100, -1, 1, 50, 1000, I32_MIN, I32_MAX))
        if rng.random() < 0.3:
            agent["name"] = f"agent {len(agents)}"
        agents.append(agent)
    return agents


def draw_area(rng, grid, smallest, largest):
    return [rng.randint(-1, grid.width - 1), rng.randint(-1, grid.height - 1),
            rng.randint(smallest, largest), rng.randint(smallest, largest)]


def draw_group(rng, grounds, grid, ticks, at_most):
    name, ground = rng.choice(list(grounds.items()))
    room = grid.width * grid.height // (4 * len(ground.movement.footprint))
    group = {"class": name, "count": min(at_most, rng.randint(1, max(1, room // rng.choice((1, 3, 8)))))}
    group["area"] = draw_area(rng, grid, 5, 40) if rng.random() < 0.3 else [0, 0, grid.width, grid.height]
    if rng.random() < 0.2:
        group["priority"] = rng.randint(-20, 20)
    group["orders"] = draw_orders(rng, ground, ticks)
    return group


def draw_groups(rng, grounds, grid, ticks, at_least):
    n_groups = max(at_least, rng.choice((0, 1, 1, 2, 3)))
    return [draw_group(rng, grounds, grid, ticks, rng.choice((20, 60, 60, 200))) for _ in range(n_groups)]


def draw_area_of_event(rng, case, grid):
    """The area of an edit: anywhere, or around the start of an agent or a goal."""
    places = [agent["at"] for agent in case["agents"]]
    for keys in case["agents"] + case["groups"]:
        for order in keys["orders"]:
            goals = order.get("goto", order.get("patrol", []))
            places += goals if goals and isinstance(goals[0], list) else [goals] if goals else []
    if rng.random() < 0.02:
        return list(EVERYWHERE)
    area = draw_area(rng, grid, 1, 20 if rng.random() < 0.15 else 4)
    places = [place for place in places if grid.on_map(*place[:2])]
    if places and rng.random() < 0.5:
        x, y = rng.choice(places)[:2]
        area[:2] = [x - rng.randrange(area[2]), y - rng.randrange(area[3])]
    return area


def draw_edit(rng, case, grid):
    """An edit event: its key and its body."""
    kind = rng.random()
    area = draw_area_of_event(rng, case, grid)
    if kind < 0.5:
        name = rng.choice([terrain[0] for terrain in TERRAINS] + ["grass", "deep"])
        action, body = "set_terrain", {"area": area, "kind": name}
    elif kind < 0.65 or "elevation" in case["map"] and kind < 0.75:
        action, body = "set_elevation", {"area": area, "height": rng.choice((0, 0, 1, 2, 5, -3, 32_767, -32_768))}
    else:
        cell = [min(grid.width - 1, max(0, area[0])), min(grid.height - 1, max(0, area[1]))]
        if kind < 0.88:
            body = {"cell": cell, "side": rng.choice(grid.side_names), "kind": draw_side_kind(rng)}
            action = "set_side"
        else:
            action, body = "rotate", {"cell": cell, "turns": rng.choice((1, 1, 2, -1, 3, 4, I32_MIN, I32_MAX))}
    if rng.random() < 0.85:
        body["on_agents"] = rng.choice(("wait", "strand", "remove"))
    return {action: body}


def draw_side_kind(rng):
    return rng.choice(("wall", "wall", "hedge", "stile", "open"))


def draw_events(rng, case, grid, grounds, ticks):
    events = []
    names = {agent["name"]: agent["class"] for agent in case["agents"] if "name" in agent}
    busy_ticks = [0] + [rng.randint(0, ticks // 3) for _ in range(3)]
    for _ in range(rng.choice((0, 0, 1, 2, 4, 10, 30))):
        tick = rng.choice((rng.randint(0, ticks), rng.randint(0, ticks // 4), rng.choice(busy_ticks)))
        event = {"tick": tick if rng.random() < 0.99 else U32_MAX - 1}
        kind = rng.random()
        if kind < 0.1:
            at_most = max(1, grid.width * grid.height // 20)
            event["add_agents"] = draw_group(rng, grounds, grid, ticks, min(12, at_most))
        elif kind < 0.15:
            event["remove_agents"] = draw_chosen(rng, case, grid, names)
        elif kind < 0.28:
            chosen = draw_chosen(rng, case, grid, names)
            # Agents in an area can be of any class, so their goals name no heading.
            ground = grounds[names[chosen["names"][0]]] if "names" in chosen else rng.choice(list(grounds.values()))
            orders = draw_orders(rng, ground, ticks)
            event["give_orders"] = {**chosen, "orders": orders if "names" in chosen else without_headings(orders)}
        else:
            event.update(draw_edit(rng, case, grid))
        events.append(event)
    return events


def draw_chosen(rng, case, grid, names):
    """`names` of agents of one class, possibly repeated, or an `area`."""
    if not names or rng.random() < 0.4:
        return {"area": draw_area_of_event(rng, case, grid)}
    first = rng.choice(list(names))
    alike = [name for name in names if names[name] == names[first]]
    return {"names": rng.choices(alike, k=rng.randint(1, len(alike)))}


def without_headings(orders):
    def bare(goals):
        return [goal[:2] for goal in goals] if isinstance(goals[0], list) else goals[:2]
    return [{key: bare(value) if key in ("goto", "patrol") else value for key, value in order.items()}
            for order in orders]


# -- cases ----------------------------------------------------------------------------------------

def draw_terrain(rng, speed_up, side_names):
    terrain = {name: {"glyphs": glyph, "speed": min(65_535, speed * speed_up)} for name, glyph, speed in TERRAINS}
    if rng.random() < 0.3:
        for name in rng.sample(["mud", "road", "gravel", "shallow"], rng.randint(1, 3)):
            sides = rng.sample(side_names, rng.randint(1, 3))
            terrain[name]["sides"] = {side: rng.choice(("wall", "hedge", "stile")) for side in sides}
    return terrain


def draw_ticks(rng):
    kind = rng.random()
    return 1 if kind < 0.03 else 50 if kind < 0.1 else rng.choice((300, 600, 1000, 1500))


def draw_extreme_top(rng, case):
    """Settings and priorities at the ends of their ranges."""
    for key in ("expansions_per_tick", "search_slots", "poses_per_agent", "landmarks"):
        if rng.random() < 0.6:
            case["top"][key] = rng.choice(EXTREME[key])
    for keys in case["agents"] + case["groups"] + [event["add_agents"] for event in case["events"]
                                                   if "add_agents" in event]:
        if rng.random() < 0.6:
            keys["priority"] = rng.choice(EXTREME["priority"])


def draw_case(rng, number, generated_rows, extreme=False):
    """Draws a case. `generated_rows` returns the rows of a `generate` table. Numbers of an `extreme` case are at the ends
    of their ranges."""
    hexagonal = rng.random() < 0.25
    octile = rng.random() < 0.06 and not hexagonal and not extreme
    speed_up = OCTILE_SPEED_UP if octile else 1
    table, rows = draw_map(rng, generated_rows, hexagonal)
    case = {"map": table, "rows": rows, "octile": octile, "class": {}, "extreme": extreme}
    case["terrain"] = draw_terrain(rng, speed_up, rules.HEX_SIDES if hexagonal else rules.SQUARE_SIDES)
    case["side"] = {name: {"speed": min(65_535, speed * speed_up)} for name, speed in SIDE_KINDS.items()}
    if extreme:
        stretch_map(rng, case)
    grid = grid_of(case)
    grounds = draw_grounds(rng, case, grid)
    ticks = OCTILE_TICKS if octile else draw_ticks(rng)
    top = case["top"] = {"name": f"random {number}", "ticks": ticks}
    if rng.random() < 0.9:
        top["seed"] = rng.randrange(2 ** 32)
    if rng.random() < 0.5:
        top["collision"] = rng.choice(("swept", "discrete", "discrete", "discrete"))
    if rng.random() < 0.4:
        top["expansions_per_tick"] = rng.choice((1, 7, 60, 500, 5000))
    if rng.random() < 0.4:
        top["search_slots"] = rng.choice((1, 2, 3, 40))
    if rng.random() < 0.3:
        top["poses_per_agent"] = rng.choice((1, 4, 100))
    case["agents"], case["groups"], case["events"] = draw_agents(rng, grounds, ticks), [], []
    # A single agent, whose arrival is compared with `plan`.
    if rng.random() < 0.15 and case["agents"] and not extreme:
        case["alone"] = True
        agent = case["agents"] = case["agents"][:1]
        orders = [draw_order(rng, grounds[agent[0]["class"]], ticks) for _ in range(24)]
        agent[0]["orders"] = [order for order in orders if is_timed_by_plan(order)][:rng.randint(1, 4)]
        top["ticks"] = max(ticks, ALONE_TICKS)
        top.pop("expansions_per_tick", None)
        return case
    case["groups"] = draw_groups(rng, grounds, grid, ticks, len(case["agents"]) < 3)
    case["events"] = draw_events(rng, case, grid, grounds, ticks)
    if extreme:
        top["ticks"] = min(ticks, EXTREME_TICKS)
        draw_extreme_top(rng, case)
    return case


def grid_of(case):
    """The initial map, as the judge reads it."""
    return rules.grid_from_rows(case["rows"], case["terrain"], case["side"],
                                case["map"].get("shape") == "hex",
                                case["map"].get("walls", ()), case["map"].get("elevation"))


def edits_asked(case, grid):
    """The edits of the whole run as (tick, key, body, on_agents), in the order in which they are tried. The body is that
    of a trace line, except for `rotate`, whose effect depends on the map at that time. Edits off the map are left
    out."""
    asked = []
    for event in sorted(case["events"], key=lambda event: event["tick"]):
        (what, body), = [item for item in event.items() if item[0] != "tick"]
        if event["tick"] >= case["top"]["ticks"] or what not in EDITS:
            continue
        if what in ("set_terrain", "set_elevation"):
            x0, y0, w, h = body["area"]
            cells = [[x, y] for y in range(max(0, y0), min(grid.height, y0 + h))
                     for x in range(max(0, x0), min(grid.width, x0 + w))]
            if not cells:
                continue
            written = {"cells": cells}
            written |= {"kind": grid.kind_no(body["kind"])} if "kind" in body else {"height": body["height"]}
        elif what == "set_side":
            written = {"sides": [[*body["cell"], body["side"], grid.side_kind_no(body["kind"])]]}
        else:
            written = {key: body[key] for key in ("cell", "turns")}
        asked.append((event["tick"], what, written, body.get("on_agents", "wait")))
    return asked


# -- features -------------------------------------------------------------------------------------

def class_features(keys):
    """The features of the rules used by a class."""
    if keys is None:
        return {"class octile"}
    moves, usual = keys["moves"], "ends" if keys["headings"] == 6 else "full"
    sweep = keys.get("sweep", usual)
    sweep = {"moves": usual, "turns": usual} | sweep if isinstance(sweep, dict) else {"moves": sweep, "turns": sweep}
    footprint = keys.get("footprint", [[0, 0]])
    by = [move["by"] for move in moves if "by" in move]
    steps = {"ahead": (1, 0), "back": (-1, 0)}
    found = {
        f"headings {keys['headings']}": True,
        "footprint as rows": isinstance(footprint[0], str),
        "footprint as offsets": not isinstance(footprint[0], str) and len(footprint) > 1,
        "footprint_diagonal": "footprint_diagonal" in keys,
        "pivot on halves": isinstance(keys.get("pivot", [0])[0], float),
        "sweep full": sweep.get("moves") == sweep.get("turns") == "full",
        "sweep moves full": sweep.get("moves") == "full" != sweep.get("turns"),
        "sweep turns full": sweep.get("turns") == "full" != sweep.get("moves"),
        "swept listed": any(move.get("swept") for move in moves),
        "moves and turns at once": any("by" in move and "turn" in move for move in moves),
        "several equal steps": any(math.gcd(*step) > 1 for step in by),
        "no reverse": keys["headings"] > 1 and list(steps["back"]) not in by,
        "speed overrides": "speed" in keys,
        "side_speed overrides": "side_speed" in keys,
        "up": keys.get("up", 0) > 0, "down": keys.get("down", 0) > 0, "down below 0": keys.get("down", 0) < 0,
        **{key: key in keys for key in ("max_up", "max_down", "max_tilt")},
    }
    return {name for name, is_there in found.items() if is_there}


def case_features(case):
    """The features of the rules used by a case, without its classes."""
    givers = case["agents"] + case["groups"] + [body for event in case["events"] for body in event.values()
                                                if isinstance(body, dict)]
    orders = [order for keys in givers for order in keys.get("orders", ())]
    found = {
        f"collision {case['top'].get('collision', 'swept')}": True,
        "hexagonal": case["map"].get("shape") == "hex",
        "extreme": case["extreme"],
        "elevation": "elevation" in case["map"],
        "walls": "walls" in case["map"],
        "terrain sides": any("sides" in keys for keys in case["terrain"].values()),
        "alone": "alone" in case,
        "groups": case["groups"],
        "goto a set": any(isinstance(order.get("goto", [0])[0], list) for order in orders),
        "within": any("within" in order for order in orders),
        "fallback nearest": any(order.get("fallback") == "nearest" for order in orders),
        "if_unreachable wait": any(order.get("if_unreachable") == "wait" for order in orders),
        "goto_area": any("goto_area" in order for order in orders),
        "patrol": any("patrol" in order for order in orders),
        "wait": any("wait" in order for order in orders),
    }
    if "generate" in case["map"]:
        found[f"generate {case['map']['generate']['kind']}"] = True
    for event in case["events"]:
        (name, body), = [item for item in event.items() if item[0] != "tick"]
        found[f"event {name} {body.get('on_agents', 'wait')}" if name in EDITS else f"event {name}"] = True
    return {name for name, is_there in found.items() if is_there}
