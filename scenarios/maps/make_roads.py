#!/usr/bin/env python3
"""Writes roads.tmx, roads.tsx and roads.png: a small map of road tiles that the Tiled editor opens.

    python3 scenarios/maps/make_roads.py

Roads are drawn as boxes below. The tileset has one tile for each form of road; other orientations are turned on the
map, as the editor does it.
"""

import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROADS = """
..........
.┌───┬──┐.
.│...│..│.
╶┼───┼──┤.
.│...│..╵.
.└───┴──╴.
..........
""".split()
# The sides that a road joins, clockwise from the north: N, E, S, W.
JOINS = {"│": "NS", "─": "EW", "└": "NE", "┌": "ES", "┐": "SW", "┘": "NW", "├": "NES", "┬": "ESW", "┤": "NSW",
         "┴": "NEW", "┼": "NESW", "╵": "N", "╶": "E", "╷": "S", "╴": "W"}
# Form of a tile in the set, its terrain and its speed.
TILES = [("", "field", 400), ("EW", "road", 1000), ("NE", "road", 1000), ("NEW", "road", 1000), ("NESW", "road", 1000),
         ("E", "depot", 500)]
# Bits of a tile that is turned clockwise by 0 to 3 quarters.
TURNED = [0, 0xA0000000, 0xC0000000, 0x60000000]
SIZE = 16
GRASS, ASPHALT, KERB, ROOF = (104, 140, 76), (150, 150, 150), (70, 70, 70), (170, 110, 80)


def turned(joins, quarters):
    return {"NESW"["NESW".index(side) + quarters - 4] for side in joins}


def number(glyph):
    """Number of a tile on the map, with the bits that turn it."""
    wanted = set(JOINS.get(glyph, ""))
    for tile, (joins, *_) in enumerate(TILES):
        for quarters in range(4):
            if len(joins) == len(wanted) and turned(joins, quarters) == wanted:
                return tile + 1 | TURNED[quarters]
    raise ValueError(glyph)


def pixel(tile, x, y):
    joins, terrain, _ = TILES[tile]
    middle = (SIZE - 1) / 2
    dx, dy = x - middle, y - middle
    if terrain == "field":
        return tuple(part - 6 * ((x * 7 + y * 11) % 5 == 0) for part in GRASS)
    on = lambda half: max(abs(dx), abs(dy)) < half or any(
        {"N": dy < 0 and abs(dx) < half, "S": dy > 0 and abs(dx) < half,
         "E": dx > 0 and abs(dy) < half, "W": dx < 0 and abs(dy) < half}[side] for side in joins)
    if terrain == "depot" and max(abs(dx), abs(dy)) < 7:
        return ROOF if max(abs(dx), abs(dy)) < 6 else KERB
    return ASPHALT if on(5) else KERB if on(6) else GRASS


def picture():
    rows = b""
    for y in range(SIZE):
        rows += b"\0" + bytes(part for tile in range(len(TILES)) for x in range(SIZE) for part in pixel(tile, x, y))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", SIZE * len(TILES), SIZE, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def properties(indent, **values):
    """A list of properties; whole numbers and references to objects have types."""
    lines = []
    for name, value in values.items():
        kind = "" if isinstance(value, str) else ' type="int"'
        lines.append(f'{indent} <property name="{name}"{kind} value="{value}"/>')
    return "\n".join([f"{indent}<properties>", *lines, f"{indent}</properties>"])


def tileset():
    tiles = []
    for tile, (joins, terrain, speed) in enumerate(TILES):
        # A field is open on all sides; a road has walls along its other sides.
        sides = {"sides": " ".join(side for side in "ENWS" if side not in joins)} if joins and len(joins) < 4 else {}
        values = properties("  ", terrain=terrain, speed=speed, **sides)
        tiles.append(f' <tile id="{tile}">\n{values}\n </tile>')
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<tileset version="1.10" name="roads" tilewidth="{SIZE}" tileheight="{SIZE}" tilecount="{len(TILES)}" columns="{len(TILES)}">',
        f' <image source="roads.png" width="{SIZE * len(TILES)}" height="{SIZE}"/>', *tiles, "</tileset>", ""])


# Name, class, cells and properties of the objects.
OBJECTS = [
    ("red", "car", (0, 3), {"heading": "E", "goal": "shop, yard"}),
    ("blue", "car", (8, 5), {"heading": "W", "goal": "home"}),
    ("green", "tractor", (2, 2), {"heading": "E", "goal": "east field, west field"}),
    ("home", "goal", (0, 3), {"heading": "E"}),
    ("shop", "goal", (8, 4), {}),
    ("yard", "goal", (8, 5), {"heading": "W", "if_unreachable": "wait"}),
    ("east field", "goal", (6, 2, 2, 1), {}),
    ("west field", "goal", (2, 4), {"within": 1}),
]


def tiled_map():
    width, height = len(ROADS[0]), len(ROADS)
    rows = [",".join(str(number(glyph)) for glyph in row) for row in ROADS]
    objects = []
    for at, (name, kind, (x, y, *size), values) in enumerate(OBJECTS):
        place = f'x="{x * SIZE}" y="{y * SIZE}" width="{size[0] * SIZE}" height="{size[1] * SIZE}"' if size else \
            f'x="{x * SIZE + SIZE // 2}" y="{y * SIZE + SIZE // 2}"'
        inside = ([properties("   ", **values)] if values else []) + ([] if size else ["   <point/>"])
        begin = f'  <object id="{at + 1}" name="{name}" type="{kind}" {place}'
        objects.append("\n".join([begin + ">", *inside, "  </object>"]) if inside else begin + "/>")
    return "\n".join([
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<map version="1.10" orientation="orthogonal" renderorder="right-down" width="{width}" height="{height}" '
        f'tilewidth="{SIZE}" tileheight="{SIZE}" infinite="0" nextlayerid="3" nextobjectid="{len(OBJECTS) + 1}">',
        ' <tileset firstgid="1" source="roads.tsx"/>',
        f' <layer id="1" name="roads" width="{width}" height="{height}">',
        '  <data encoding="csv">', ",\n".join(rows), "</data>", " </layer>",
        ' <objectgroup id="2" name="traffic">', *objects, " </objectgroup>", "</map>", ""])


def main():
    (HERE / "roads.png").write_bytes(picture())
    (HERE / "roads.tsx").write_text(tileset())
    (HERE / "roads.tmx").write_text(tiled_map())


if __name__ == "__main__":
    main()
