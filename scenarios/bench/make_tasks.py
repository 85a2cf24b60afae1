"""Writes scenarios of random tasks: lifelong traffic of mixed bodies.

    python3 scenarios/bench/make_tasks.py PROGRAM
    python3 scenarios/bench/make_tasks.py PROGRAM --large --out FOLDER
    python3 scenarios/bench/make_tasks.py PROGRAM --cover 5,15 --out FOLDER [--ticks N] MAP.map...

The first writes the scenarios of `tasks/` and their maps, `../maps/tasks_*.png`: maps of `PROGRAM generate` with
patches of road, swamp and woods laid over their ground, so that each has four speeds. The second writes a scenario of
100,000 agents. The third writes one for each map and each cover, with as many agents as cover that percentage of the
map's free cells, and next to it a copy of the map with the same kind of patches; `MAP.map` may also be `KIND-SIZE`,
such as `base-512`.

All five classes have equally many agents, which cover 5.6 cells each on average, and get random tasks: over the whole
map, or nearby on large ones. Nothing here is random: the same arguments give the same files.
"""
import argparse
import pathlib
import subprocess
import tempfile

import make

FOLDER = pathlib.Path(__file__).parent

# Cells that each class covers.
AREAS = {"scout": 1, "truck": 2, "hovercraft": 4, "loader": 6, "carrier": 15}

# name, kind, width, height, agents, classes, ticks
SCENARIOS = [
    *[
        (f"{kind}_{agents}", kind, 512, 512, agents, list(AREAS), 10000)
        for kind in ["open", "rooms", "base", "streets", "river"]
        for agents in [1000, 2000]
    ],
    ("base_5000", "base", 1024, 1024, 5000, list(AREAS), 6000),
    ("open_10000", "open", 2048, 2048, 10000, list(AREAS), 3000),
    ("narrow_10000", "open", 500, 140, 10000, ["scout"], 3000),
]
# Written with `--large` alone: a thousand groups.
LARGE = [("open_100000", "open", 4096, 4096, 100000, list(AREAS), 1000)]

# On maps wider than WHOLE_MAX agents start in blocks of BLOCK cells and have their tasks there and up to AROUND cells
# further, so that searches stay small and neighbours mix; on others anywhere.
BLOCK = 128
AROUND = 32
WHOLE_MAX = 1024

# Patches: glyph, size in cells, and share of the map in 1024ths; later ones cover earlier ones.
PATCHES = [("r", 24, 160), ("s", 16, 120), ("t", 12, 80)]

TERRAIN = """\
# Four speeds, of which open land without patches has one; water, if there is any, is for hovercraft alone.
[terrain.road]
glyphs = "r"
colour = "#c8a878"
speed = 1500
[terrain.ground]
speed = 1000
[terrain.swamp]
glyphs = "Ss"
speed = 500
[terrain.woods]
glyphs = "t"
colour = "#2f7d3a"
speed = 250
[terrain.trees]
speed = 0
[terrain.water]
speed = 0

"""


def noise(x, y, salt):
    """A number from 0 to 1023 for a point of the lattice, always the same."""
    value = (x * 0x9E3779B1 + y * 0x85EBCA77 + salt * 0xC2B2AE3D) & 0xFFFFFFFF
    for shift, factor in [(15, 0x2C1B3C6D), (12, 0x297A2D39)]:
        value = ((value ^ (value >> shift)) * factor) & 0xFFFFFFFF
    return (value ^ (value >> 15)) & 1023


def smooth(width, height, size, salt):
    """Rows of numbers that change slowly: interpolated between points `size` cells apart."""
    rows = []
    lattice = {}
    for j in range(height // size + 2):
        for i in range(width // size + 2):
            lattice[i, j] = noise(i, j, salt)
    for y in range(height):
        j, v = divmod(y, size)
        column = [
            lattice[i, j] * (size - v) + lattice[i, j + 1] * v for i in range(width // size + 2)
        ]
        rows.append(
            [
                (column[x // size] * (size - x % size) + column[x // size + 1] * (x % size)) // (size * size)
                for x in range(width)
            ]
        )
    return rows


def with_patches(rows):
    """The rows of a map with patches of other terrain on its ground."""
    height, width = len(rows), len(rows[0])
    cells = [list(row) for row in rows]
    for salt, (glyph, size, share) in enumerate(PATCHES):
        values = smooth(width, height, size, salt)
        limit = sorted(value for row in values for value in row)[-(width * height * share // 1024)]
        for row, value_row, given in zip(cells, values, rows):
            for x, value in enumerate(value_row):
                if value >= limit and given[x] in ".G":
                    row[x] = glyph
    return ["".join(row) for row in cells]


def read_map(path):
    """Rows of a MovingAI map, without header and trailing text."""
    lines = pathlib.Path(path).read_text().splitlines()
    head = lines.index("map")
    height = next(int(line.split()[1]) for line in lines[:head] if line.startswith("height"))
    return lines[head + 1 : head + 1 + height]


def write_map(path, rows):
    head = f"type octile\nheight {len(rows)}\nwidth {len(rows[0])}\nmap\n"
    path.write_text(head + "\n".join(rows) + "\n")


def generate(program, kind, width, height):
    """Rows of a generated map."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "generated.map"
        command = [program, "generate", kind, "--size", f"{width},{height}", "--seed", "1", "-o", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return read_map(path)


def classes_text():
    """The classes of the other scenarios of this folder, without their terrain."""
    return make.CLASSES[make.CLASSES.index("# 1x1, 1x2") :]


def scenario_text(name, title, note, map_file, size, groups, ticks, folder=""):
    # Each slot has the memory of a search, which on a large map causes more cache misses, so that fewer expansions fit
    # into a tick. Very many agents have tasks nearby, and so small searches.
    large = size[0] * size[1] > 2**18
    slots = 16 if not large else 4 if size[0] * size[1] <= 2**22 else 2
    many = sum(count for _, count, *_ in groups) > 10000
    expansions = 4000000 if many else 700000 if large else 1000000
    lines = [
        f'  {{ class = "{class_name}", count = {count}, area = {area}, '
        f'tasks = {{ kind = "random", area = {task_area} }} }},\n'
        for class_name, count, area, task_area in groups
        if count > 0
    ]
    return f"""\
# {title}.
#
#     wheelbase bench {folder}{name}.toml
#
# {note}

name = "{name.replace("_", " ")}"
seed = 1
ticks = {ticks}
expansions_per_tick = {expansions}   # all agents ask for their first path at once
search_slots = {slots}

groups = [
{"".join(lines)}]

[map]
{map_file}

{TERRAIN}{classes_text()}"""


def groups_of(classes, agents, width, height):
    """Groups with the areas where they start and have their tasks, classes as equal in number as possible."""
    if max(width, height) <= WHOLE_MAX:
        area = [0, 0, width, height]
        return [(name, (agents + i) // len(classes), area, area) for i, name in enumerate(classes)]
    columns, rows = width // BLOCK, height // BLOCK
    n_blocks = columns * rows
    groups = []
    for at in range(n_blocks):
        i, j = at % columns, at // columns
        count = agents * (at + 1) // n_blocks - agents * at // n_blocks
        corner = [max(0, i * BLOCK - AROUND), max(0, j * BLOCK - AROUND)]
        end = [min(width, (i + 1) * BLOCK + AROUND), min(height, (j + 1) * BLOCK + AROUND)]
        area = [i * BLOCK, j * BLOCK, BLOCK, BLOCK]
        # 2 and 1 are coprime to 5, so neighbours differ.
        groups.append(
            (classes[(2 * i + j) % len(classes)], count, area, [*corner, end[0] - corner[0], end[1] - corner[1]])
        )
    return groups


def write_cover(program, maps, covers, out, ticks):
    out.mkdir(parents=True, exist_ok=True)
    for name in maps:
        if name.endswith(".map"):
            stem, rows = pathlib.Path(name).stem, read_map(name)
        else:
            kind, side = name.split("-")
            stem, rows = name, generate(program, kind, int(side), int(side))
        free = sum(row.count(".") + row.count("G") + row.count("S") for row in rows)
        write_map(out / f"{stem}_patches.map", with_patches(rows))
        for cover in covers:
            each = free * cover // 100 // sum(AREAS.values())
            text = scenario_text(
                f"{stem}_{cover}_percent",
                f"{each * len(AREAS)} agents, as many of each class, cover {cover} % of the {free} free cells "
                f"of {stem}",
                "Written by scenarios/bench/make_tasks.py.",
                f'file = "{stem}_patches.map"',
                (len(rows[0]), len(rows)),
                groups_of(list(AREAS), each * len(AREAS), len(rows[0]), len(rows)),
                ticks,
            )
            (out / f"{stem}_{cover}_percent.toml").write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cover", default="5,15")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--ticks", type=int, default=10000)
    parser.add_argument("maps", nargs="*")
    args = parser.parse_intermixed_args()
    if args.large:
        return write_named(args.program, LARGE, args.out or FOLDER / "tasks")
    if args.out:
        covers = [int(cover) for cover in args.cover.split(",")]
        return write_cover(args.program, args.maps, covers, args.out, args.ticks)
    write_named(args.program, SCENARIOS, FOLDER / "tasks")


def write_picture(program, path, rows):
    """Writes a map with patches as a picture, far smaller than rows of glyphs."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_map(folder / "patches.map", rows)
        text = scenario_text("patches", "", "", 'file = "patches.map"', (1, 1), [], 1)
        (folder / "patches.toml").write_text(text)
        command = [program, "generate", folder / "patches.toml", "-o", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def write_named(program, scenarios, out):
    out.mkdir(parents=True, exist_ok=True)
    written = set()
    for name, kind, width, height, agents, classes, ticks in scenarios:
        size = (width, height)
        if width * height > 2**20:
            source = f'generate = {{ kind = "{kind}", size = [{width}, {height}], seed = 1 }}'
        else:
            map_name = f"tasks_{kind}_{width}" if width == height else f"tasks_{kind}_{width}x{height}"
            source = f'file = "../../maps/{map_name}.png"'
            if map_name not in written:
                written.add(map_name)
                rows = with_patches(generate(program, kind, width, height))
                write_picture(program, FOLDER.parent / "maps" / f"{map_name}.png", rows)
        where = "all over" if max(width, height) <= WHOLE_MAX else "in all parts of"
        text = scenario_text(
            name,
            f"{agents:,} agents with random tasks {where} a map of {width} x {height} cells: {kind}",
            "Written by scenarios/bench/make_tasks.py; change that and run it again.",
            source,
            size,
            groups_of(classes, agents, width, height),
            ticks,
            "scenarios/bench/tasks/",
        )
        (out / f"{name}.toml").write_text(text)


if __name__ == "__main__":
    main()
