"""Scenes: a map, classes, and how many agents of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import ArgumentError, Class, Map, Tables, World


@dataclass(frozen=True)
class Scene:
    """What the worlds of an environment are made of: a new `World`, whose orders and tasks are not used, or a map, classes
    and a number of agents of each. `options` are the environment's options, which its caller may override."""

    world: World | None = None
    map: Map | None = None
    classes: Sequence[Class | Tables] | None = None
    counts: Sequence[int] | None = None
    collision: str = "swept"
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def n_agents(self) -> int:
        """Agents of one world."""
        return len(self.world.agents) if self.world is not None else sum(self.counts or ())


def _vehicle(forward: int, reverse: int, turn: int) -> list[dict[str, Any]]:
    return [
        {"name": "forward", "by": (1, 0), "time": forward},
        {"name": "reverse", "by": (-1, 0), "time": reverse},
        {"name": "left", "turn": 1, "time": turn},
        {"name": "right", "turn": -1, "time": turn},
    ]


def _cart() -> Class:
    return Class("cart", _vehicle(1, 2, 1))


def _lorry() -> Class:
    return Class("lorry", _vehicle(1, 2, 1), footprint=[(0, 0), (-1, 0)])


def _tank() -> Class:
    return Class("tank", _vehicle(2, 3, 2), footprint=[(0, 0), (1, 0), (0, 1), (1, 1)], pivot=(0.5, 0.5))


def _hauler() -> Class:
    return Class("hauler", _vehicle(2, 4, 3), footprint=[(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])


def _rover() -> Class:
    """Eight headings: it drives along diagonals too."""
    moves = [
        {"name": "forward", "by": (1, 0), "time": 2, "when": "straight"},
        {"name": "diagonal", "by": (1, -1), "time": 3, "when": "diagonal"},
        {"name": "left", "turn": 1, "time": 1},
        {"name": "right", "turn": -1, "time": 1},
    ]
    return Class("rover", moves, headings=8, footprint=[(0, 0), (-1, 0)])


def _hexapod() -> Class:
    moves = [
        {"name": "forward", "by": (1, 0), "time": 2},
        {"name": "left", "turn": 1, "time": 1},
        {"name": "right", "turn": -1, "time": 1},
    ]
    return Class("hexapod", moves, headings=6, shape="hex", footprint=[(0, 0), (-1, 0)])


def _crossing() -> Scene:
    return Scene(map=Map.generate("river", 48, 48, 5), classes=[_cart(), _lorry(), _tank()], counts=[16, 8, 8])


def _rooms() -> Scene:
    return Scene(map=Map.generate("rooms", 64, 64, 3), classes=[_cart(), _lorry()], counts=[40, 24])


def _streets() -> Scene:
    return Scene(map=Map.generate("streets", 64, 64, 2), classes=[_cart(), _lorry(), _rover()], counts=[40, 30, 30])


def _open_field() -> Scene:
    return Scene(map=Map(96, 96), classes=[_cart(), _lorry(), _tank(), _hauler(), _rover()], counts=[80, 50, 40, 10, 20])


def _unit_robots() -> Scene:
    return Scene(
        map=Map.generate("random", 32, 32, 1), classes=[_cart()], counts=[64], collision="discrete",
    )


def _hexagons() -> Scene:
    return Scene(map=Map(32, 32, shape="hex"), classes=[_hexapod()], counts=[32])


#: Scenes by id. A scene, its observations and its rewards never change under one id: what changes them makes a new version.
SCENES: dict[str, Callable[[], Scene]] = {
    "wheelbase/Crossing-v1": _crossing,
    "wheelbase/Rooms-v1": _rooms,
    "wheelbase/Streets-v1": _streets,
    "wheelbase/OpenField-v1": _open_field,
    "wheelbase/UnitRobots-v1": _unit_robots,
    "wheelbase/Hexagons-v1": _hexagons,
}


def scene_of(scene: str | World | Scene) -> Scene:
    """A scene by its id, of a world, or as it is."""
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, World):
        return Scene(world=scene)
    if isinstance(scene, str):
        if scene in SCENES:
            return SCENES[scene]()
        raise ArgumentError(f"`scene` is {scene!r}, expected one of {', '.join(SCENES)}, a World or a Scene")
    raise ArgumentError(f"`scene` is {scene!r:.60}, expected the id of a scene, a World or a Scene")
