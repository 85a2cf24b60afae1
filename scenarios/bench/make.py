"""Writes the scenarios of this folder: `python3 scenarios/bench/make.py`.

The map is divided into blocks, and in each block one group starts. In `1k`, `5k` and `10k` it goes on patrol to the border
of the map, east, north, west or south by turns, over to the opposite border and back, in legs short enough that
a search for one stays small. In `rooms_and_river` it goes to another block. Nothing here is random; the program places
the agents from the seed.
"""
import pathlib

# name, what it is, ticks, map, its side in cells, blocks along a side, agents a block, cells a leg (None: to another
# block), search slots
SCENARIOS = [
    ("1k", "1,000 mixed agents on patrol; a river with fords and bridges, woods", 2000, "river", 512, 5, 40, 512, 16),
    ("5k", "5,000 mixed agents on patrol between the buildings of a base", 2000, "base", 1024, 10, 50, 256, 16),
    ("10k", "10,000 mixed agents on patrol on open land with woods", 2000, "open", 2048, 10, 100, 256, 8),
    ("rooms_and_river", "1,000 mixed agents change places between rooms", 20000, None, 256, 5, 40, None, 16),
]

# What the comment of a scenario says besides.
NOTES = {
    "rooms_and_river": """\
# Each of 25 groups has 40 places to reach in another part of the map, through doors of 3 to 6 cells that others want to
# pass the other way, and over a river with few crossings. No two ever hold one cell; that is all the rule of traffic
# promises. Not all orders are done: large bodies stay before doors. One to three carriers start along a wall, with no
# room to turn or to leave it; their orders are unreachable.
#
""",
}

CLASSES = """\
# Four speeds: ground 1000, swamp 500, woods 250 and water 0, but 800 for a hovercraft. Not every map has all four.
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

# Of 25 blocks, the class of each.
SHARES = ["scout"] * 7 + ["truck"] * 7 + ["hovercraft"] * 5 + ["loader"] * 4 + ["carrier"] * 2


def stations(start, toward_end, length, leg):
    """Places along an axis of the map: from `start` to one border, over to the other, and back to `start`."""
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
    # Five by five blocks have all the shares. 7 has no factor in common with 25, so neighbours differ.
    class_name = SHARES[7 * (i % 5 + 5 * (j % 5)) % 25]
    edges = [block * size // blocks for block in range(blocks + 1)]

    def block(i, j):
        return [edges[i], edges[j], edges[i + 1] - edges[i], edges[j + 1] - edges[j]]

    head = f'  {{ class = "{class_name}", count = {count}, area = {block(i, j)}, orders = '
    if leg is None:
        # Of five by five blocks each is the goal of one, and none its own.
        return f"{head}[{{ goto_area = {block((2 * i + j) % 5, (i + 2 * j + 1) % 5)} }}] }},"
    # Each group keeps to a line of its own, or all of a row would meet at the same places.
    upright = (i + j) % 2 == 1
    first, lane = (j, i) if upright else (i, j)
    across = edges[lane] + (2 * first + 1) * (edges[lane + 1] - edges[lane]) // (2 * blocks)
    along = (edges[first] + edges[first + 1]) // 2
    places = stations(along, (i + j) % 4 < 2, size, leg)
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
{NOTES.get(name, "")}# Written by scenarios/bench/make.py, which says how; change that and run it again.

name = "{name.replace("_", " ")}"
seed = 1
ticks = {ticks}
expansions_per_tick = 4000000   # all ask for their first path at once
search_slots = {slots}

# One a block of the map.
groups = [
{groups}
]

[map]
{map_source}

{CLASSES}"""


def main():
    for scenario in SCENARIOS:
        path = pathlib.Path(__file__).parent / f"{scenario[0]}.toml"
        path.write_text(text(scenario))


if __name__ == "__main__":
    main()
