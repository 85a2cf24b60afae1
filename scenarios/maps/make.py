"""Writes rooms_and_river.map: `python3 scenarios/maps/make.py target/release/wheelbase`.

It is the generated map of rooms with the generated river laid over it, both 256 x 256 from seed 1. The river's water
and fords replace the cells below. Along its banks, six cells on either side, and under its bridges walls are removed,
so that every crossing can be reached. Everywhere else the walls stand, with the river map's woods between them.
"""
import pathlib
import subprocess
import sys
import tempfile

SIZE, SEED, BANK = 256, 1, 6


def generated(program, kind):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "generated.map"
        size = f"{SIZE},{SIZE}"
        subprocess.run([program, "generate", kind, "--size", size, "--seed", str(SEED), "-o", file], check=True)
        return file.read_text().split("\nmap\n")[1].split()


def near_river(river, x, y):
    """Whether the river, which flows north to south, is within the width of its bank in a nearby row: at a bridge the
    row itself has no water."""
    rows = river[max(0, y - BANK) : y + BANK + 1]
    return any(glyph in row[max(0, x - BANK) : x + BANK + 1] for row in rows for glyph in "WS")


def glyph(rooms, river, x, y):
    if river[y][x] in "WS":
        return river[y][x]
    if rooms[y][x] == "@":
        return "." if near_river(river, x, y) else "@"
    return river[y][x]


def main():
    rooms, river = (generated(sys.argv[1], kind) for kind in ("rooms", "river"))
    rows = ["".join(glyph(rooms, river, x, y) for x in range(SIZE)) for y in range(SIZE)]
    head = ["type octile", f"height {SIZE}", f"width {SIZE}", "map"]
    path = pathlib.Path(__file__).parent / "rooms_and_river.map"
    path.write_text("\n".join([*head, *rows]) + "\n")


if __name__ == "__main__":
    main()
