"""Maps, classes and worlds that several tests use."""

import pathlib

import wheelbase as wb

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCENARIO = ROOT / "scenarios/first/01_yard.toml"

VEHICLE = [
    {"name": "forward", "by": (1, 0), "time": 2},
    {"name": "reverse", "by": (-1, 0), "time": 6},
    {"name": "left", "turn": 1, "time": 2},
    {"name": "right", "turn": -1, "time": 2},
]


def cart():
    return wb.Class("cart", VEHICLE)


def truck():
    return wb.Class("truck", VEHICLE, footprint=[(0, 0), (1, 0), (0, 1), (1, 1)], pivot=(0.5, 0.5))


def crowd(n=40, side=40, **options):
    """Carts in rows, each sent to the opposite side."""
    agents = [
        wb.Spawn(0, (2 * (i % 10), 2 * (i // 10), "E"), orders=wb.Order.goto((side - 1 - i % 10, side - 1 - i // 10)))
        for i in range(n)
    ]
    return wb.World(wb.Map(side, side), [cart()], agents, **options)
