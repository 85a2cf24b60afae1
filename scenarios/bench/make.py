"""Writes the scenarios of this folder: `python3 scenarios/bench/make.py`.

The map is divided into blocks, and in each block one group starts. In `1k`, `5k` and `10k` it goes on patrol to the
border of the map, east, north, west or south in turn, then to the opposite border and back. Its waypoints are close
enough that each search stays small. In `rooms_and_river` it goes to another block. In `crowd_long`, `parked` and
`bridge_long` groups start anywhere and get random tasks. Nothing here is random; the program places the agents from
the seed.
"""
import pathlib

# name, description, ticks, map, its side in cells, blocks along a side, agents per block, cells between waypoints
# (None: to another block), search slots
SCENARIOS = [
    ("1k", "1,000 mixed agents on patrol; a river with fords and bridges, woods", 2000, "river", 512, 5, 40, 512, 16),
    ("5k", "5,000 mixed agents on patrol between the buildings of a base", 2000, "base", 1024, 10, 50, 256, 16),
    ("10k", "10,000 mixed agents on patrol on open land with woods", 2000, "open", 2048, 10, 100, 256, 8),
    ("rooms_and_river", "1,000 mixed agents change places between rooms", 20000, None, 256, 5, 40, None, 16),
]

# Notes in the comments of scenarios.
NOTES = {
    "rooms_and_river": """\
# Each of 25 groups has 40 poses to reach in another part of the map, through doors of 3 to 6 cells that others pass in
# the opposite direction, and over a river with few crossings. No two agents ever hold one cell; the rule of traffic
# promises no more. Not all orders are done: large bodies are stuck at doors. One to three carriers start along a wall,
# with no room to turn or to leave it; their orders are unreachable.
#
""",
}

CLASSES = """\
# Four speeds: ground 1000, swamp 500, woods 250 and water 0 (800 for a hovercraft). Not every map has all four.
[terrain.ground]
speed = 1000
[terrain.swamp]
speed = 500
[terrain.trees]
speed = 250
[terrain.water]
speed = 0

# 1x1, 1x2, 2x2, 2x3 and 3x5 cells; all reverse at a third of their speed.
[class.scout]
headings = 4
moves = [
  { name = "forward", by = [1, 0],  time = 8 },
  { name = "reverse", by = [-1, 0], time = 24 },
  { name = "left",    turn = 1,     time = 8 },
  { name = "right",   turn = -1,    time = 8 },
]
[class.truck]
headings = 4
footprint = ["X>"]
moves = [
  { name = "forward", by = [1, 0],  time = 10 },
  { name = "reverse", by = [-1, 0], time = 30 },
  { name = "left",    turn = 1,     time = 10 },
  { name = "right",   turn = -1,    time = 10 },
]
[class.hovercraft]
headings = 4
footprint = ["X>", "XX"]
pivot = [-0.5, 0.5]
speed = { water = 800 }
moves = [
  { name = "forward", by = [1, 0],  time = 12 },
  { name = "reverse", by = [-1, 0], time = 36 },
  { name = "left",    turn = 1,     time = 12 },
  { name = "right",   turn = -1,    time = 12 },
]
[class.loader]
headings = 4
footprint = ["XX>", "XXX"]
pivot = [-0.5, 0.5]
moves = [
  { name = "forward", by = [1, 0],  time = 15 },
  { name = "reverse", by = [-1, 0], time = 45 },
  { name = "left",    turn = 1,     time = 20 },
  { name = "right",   turn = -1,    time = 20 },
]
[class.carrier]
headings = 4
footprint = ["XXXXX", "XX>XX", "XXXXX"]
moves = [
  { name = "forward", by = [1, 0],  time = 20 },
  { name = "reverse", by = [-1, 0], time = 60 },
  { name = "left",    turn = 1,     time = 40 },
  { name = "right",   turn = -1,    time = 40 },
]
"""

# The class of each of 25 blocks.
SHARES = ["scout"] * 7 + ["truck"] * 7 + ["hovercraft"] * 5 + ["loader"] * 4 + ["carrier"] * 2


def waypoints(start, toward_end, length, leg):
    """Waypoints along an axis of the map: from `start` to one border, over to the other, and back to `start`."""
    margin = 24
    low, high = margin, length - 1 - margin
    ends = [high, low] if toward_end else [low, high]
    places, at = [], start
    for end in [*ends, start]:
        n_legs = max(1, -(-abs(end - at) // leg))
        places += [at + (end - at) * step // n_legs for step in range(1, n_legs + 1)]
        at = end
    return places


def group(scenario, i, j):
    _, _, _, _, size, blocks, count, leg, _ = scenario
    # Five by five blocks contain all shares. 7 and 25 are coprime, so neighbours differ.
    class_name = SHARES[7 * (i % 5 + 5 * (j % 5)) % 25]
    edges = [block * size // blocks for block in range(blocks + 1)]

    def block(i, j):
        return [edges[i], edges[j], edges[i + 1] - edges[i], edges[j + 1] - edges[j]]

    head = f'  {{ class = "{class_name}", count = {count}, area = {block(i, j)}, orders = '
    if leg is None:
        # Each of the five by five blocks is the goal of one group, and never its own.
        return f"{head}[{{ goto_area = {block((2 * i + j) % 5, (i + 2 * j + 1) % 5)} }}] }},"
    # Each group keeps to a line of its own, or all groups of a row would meet at the same cells.
    upright = (i + j) % 2 == 1
    first, lane = (j, i) if upright else (i, j)
    across = edges[lane] + (2 * first + 1) * (edges[lane + 1] - edges[lane]) // (2 * blocks)
    along = (edges[first] + edges[first + 1]) // 2
    places = waypoints(along, (i + j) % 4 < 2, size, leg)
    stops = ", ".join(f"[{across}, {at}]" if upright else f"[{at}, {across}]" for at in places)
    return f"{head}[{{ patrol = [{stops}], within = 16 }}] }},"


def text(scenario):
    name, title, ticks, kind, size, blocks, _, _, slots = scenario
    groups = "\n".join(group(scenario, i, j) for j in range(blocks) for i in range(blocks))
    map_source = f'generate = {{ kind = "{kind}", size = [{size}, {size}], seed = 1 }}'
    if kind is None:
        map_source = f'file = "../maps/{name}.map"'
    return f"""\
# {title}.
#
#     wheelbase {"bench" if kind else "run"} scenarios/bench/{name}.toml
#
{NOTES.get(name, "")}# Written by scenarios/bench/make.py; change that and run it again.

name = "{name.replace("_", " ")}"
seed = 1
ticks = {ticks}
expansions_per_tick = 4000000   # all agents ask for their first path at once
search_slots = {slots}

# One group a block of the map.
groups = [
{groups}
]

[map]
{map_source}

{CLASSES}"""


# name, what it is, ticks, map, its size, groups as class, number, area and the area of their tasks (None: no tasks)
CROWDS = [
    ("crowd_long", "1,250 mixed agents with tasks in a base, 15 % of its ground: long enough for jams to settle", 6000,
     'kind = "base", size = [256, 256], seed = 1',
     [(name, 250, [0, 0, 256, 256], [0, 0, 256, 256])
      for name in ("scout", "truck", "hovercraft", "loader", "carrier")]),
    ("parked", "400 mixed agents with tasks in streets, between 60 that are parked for good", 5000,
     'kind = "streets", size = [256, 256], seed = 2',
     [("scout", 30, [0, 0, 256, 256], None), ("loader", 30, [0, 0, 256, 256], None),
      *((name, 100, [0, 0, 256, 256], [0, 0, 256, 256]) for name in ("scout", "truck", "hovercraft", "loader"))]),
    ("bridge_long", "72 mixed agents with tasks on both banks of one bridge five cells wide", 6000, None,
     [(name, 6, [start, 0, 40, 40], [0, 0, 96, 40])
      for name in ("scout", "truck", "hovercraft", "loader", "scout", "truck") for start in (0, 56)]),
]


def crowd_text(crowd):
    name, title, ticks, generated, groups = crowd
    # A parked agent is on hold: nobody pushes it aside.
    def ends(tasks):
        return f'tasks = {{ kind = "random", area = {tasks} }}' if tasks else "orders = [{ hold = true }]"
    lines = "\n".join(f'  {{ class = "{of}", count = {count}, area = {area}, {ends(tasks)} }},'
                      for of, count, area, tasks in groups)
    rows = [f'  "{"." * 44}{"." * 8 if 18 <= y < 23 else "~" * 8}{"." * 44}",' for y in range(40)]
    source = f"generate = {{ {generated} }}" if generated else "rows = [\n" + "\n".join(rows) + "\n]"
    classes = CLASSES if generated else CLASSES.replace("[terrain.ground]\n", '[terrain.ground]\nglyphs = "."\n').replace(
        "[terrain.water]\n", '[terrain.water]\nglyphs = "~"\n').replace("speed = { water = 800 }\n", "")
    return f"""\
# {title}.
#
#     wheelbase bench scenarios/bench/{name}.toml
#
# Written by scenarios/bench/make.py; change that and run it again.

name = "{name.replace("_", " ")}"
seed = 1
ticks = {ticks}
expansions_per_tick = 1000000

groups = [
{lines}
]

[map]
{source}

{classes}"""


def main():
    for crowd in CROWDS:
        (pathlib.Path(__file__).parent / f"{crowd[0]}.toml").write_text(crowd_text(crowd))
    for scenario in SCENARIOS:
        path = pathlib.Path(__file__).parent / f"{scenario[0]}.toml"
        path.write_text(text(scenario))


if __name__ == "__main__":
    main()
