"""Exact path planning and deterministic simulation of units that cover several cells.

x grows to the east, y to the south. Headings are counted counterclockwise from east, by number or by name ("E", "N", "W",
"S"). Times and costs are whole ticks, speeds thousandths. Every failure raises a `WheelbaseError`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

#: A cell: column, row.
Cell = tuple[int, int]
#: A pose: column and row of the anchor, heading. With one heading `(x, y)` will do.
Pose = tuple[int, int, int | str] | tuple[int, int]
#: A goal: a cell with any heading, or with one; `None` and "any" are any.
Goal = tuple[int, int] | tuple[int, int, int | str | None]
#: An area: a `Rect`, or column, row, columns, rows.
Area = Rect | tuple[int, int, int, int]
#: ("terrain", area, kind), ("elevation", area, height), ("side", cell, side, kind) or ("rotate", cell, turns). Kinds by
#: number or by name.
Change = (
    tuple[Literal["terrain"], Area, int | str]
    | tuple[Literal["elevation"], Area, int]
    | tuple[Literal["side"], Cell, str, int | str]
    | tuple[Literal["rotate"], Cell, int]
)
#: Agents: an id, a list of ids, or all whose anchors are in a `Rect`.
Selection = int | Sequence[int] | NDArray[Any] | Rect
Path = str | PathLike[str]

#: Names of the numbers in `World.agents["activity"]`.
ACTIVITIES: list[str]
#: Names of the numbers in `World.events["kind"]`.
EVENTS: list[str]
#: Names of the numbers in `World.agents["order_kind"]`; 255 without an order.
ORDERS: list[str]
#: Why commands are refused: names of `a` in events of the kind "refused".
REFUSALS: list[str]
#: Why goals cannot be reached: names of `c` in events of the kind "order_failed".
FAILURES: list[str]
#: Names of the numbers in `BatchAnswers.status`; 0 is "found".
STATUSES: list[str]
#: What a sweep can measure.
MEASURES: list[str]
#: The cost of a pose from which no way leads.
NEVER: int
#: The move of the last pose of a path in a batch.
NO_MOVE: int
#: What a traffic rule decides for an agent that waits.
WAIT: int
#: An agent: id, class, team, activity, primitive (255 at rest), from_x, from_y, to_x, to_y, from_heading, to_heading, turn,
#: order_kind, begin_tick, end_tick, waits_since, order, flags (1 stranded, 2 on hold, 4 to the nearest pose).
AGENT_DTYPE: np.dtype[Any]
#: An event: tick, kind, agent (2**32 - 1 for none), a, b, c, ticket (2**64 - 1 without one).
EVENT_DTYPE: np.dtype[Any]
#: A pose of a path: x, y, heading, arrival in ticks.
PATH_DTYPE: np.dtype[Any]

class Place(NamedTuple):
    """A place in a text: lines and columns from 1, 0 where they are not known."""

    file: str
    line: int
    column: int

class WheelbaseError(Exception):
    """The exception of every failed call; `file`, `line` and `column` give the first place."""

    message: str
    places: list[Place]
    file: str | None
    line: int | None
    column: int | None

class ArgumentError(WheelbaseError, ValueError):
    """A wrong argument, which the message names."""

class TextError(WheelbaseError, ValueError):
    """Mistakes in a text or a file: `places` has them all."""

class BusyError(WheelbaseError, RuntimeError):
    """Another thread is in the object."""

class BrokenError(WheelbaseError, RuntimeError):
    """A step of the world has panicked, which is a fault of the library. The world is of no use any more."""

class LimitError(WheelbaseError, MemoryError):
    """Too large, or more memory than there is; a world whose rule cannot be saved."""

class NotFoundError(WheelbaseError, LookupError):
    """There is no such agent or class."""

class RowsDifferError(WheelbaseError, ValueError):
    """A row of a sweep was computed twice, with two results."""

class Rect:
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int
    def __init__(self, x: int, y: int, width: int, height: int) -> None: ...
    def __iter__(self) -> Iterable[int]: ...
    def __len__(self) -> int: ...

class Map:
    """A map: terrain, sides, elevation."""

    def __init__(
        self, width: int, height: int, *, shape: Literal["square", "hex"] = "square", terrain: int | str | None = None
    ) -> None:
        """A map of one terrain kind of MovingAI files; `ground` by default."""
    @staticmethod
    def from_rows(rows: Sequence[str]) -> Map:
        """A map of the characters of MovingAI files: `.` ground, `S` swamp, `W` water, `T` trees, `@` out."""
    @staticmethod
    def from_cells(
        cells: ArrayLike, terrains: Sequence[tuple[str, int] | tuple[str, int, str]], *, shape: Literal["square", "hex"] = "square"
    ) -> Map:
        """A map of an array of terrain kinds, rows first. `terrains`: name, speed in thousandths, characters."""
    @staticmethod
    def open(path: Path) -> Map:
        """The map of a file: `.map`, `.png`, `.tmx`, or that of a scenario."""
    @staticmethod
    def parse(name: str, content: str | bytes, files: Mapping[str, str | bytes] | None = None) -> Map:
        """The map of a file in memory. The name tells the format and is in all messages; `files` contains the files that it names."""
    @staticmethod
    def generate(kind: str, width: int, height: int, seed: int) -> Map:
        """A map of a generator: "open", "random", "rooms", "maze", "river", "base" or "streets"."""
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def shape(self) -> str: ...
    @property
    def revision(self) -> int:
        """Edits so far that changed something."""
    @property
    def terrain(self) -> NDArray[np.uint8]:
        """The terrain kind of each cell, rows first; a copy."""
    @property
    def terrain_names(self) -> list[str]: ...
    @property
    def side_names(self) -> list[str]: ...
    def edit(self, changes: Sequence[Change]) -> Rect:
        """Makes changes, all or none, and gives the area that they touch, for `Tables.update` and `Field.repair`."""
    def frame(self, *, area: Area | None = None, scale: int | None = None) -> NDArray[np.uint8]:
        """The map as an image: rows, columns, red, green and blue. `scale`: pixels a cell, 1 to 256."""
    def copy(self) -> Map: ...

class Class:
    """A movement class: what an agent covers, how it moves, how long that takes."""

    def __init__(
        self,
        name: str,
        primitives: Sequence[Mapping[str, Any]],
        *,
        headings: int | None = None,
        shape: Literal["square", "hex"] = "square",
        footprint: Sequence[Cell] | None = None,
        diagonal: Sequence[Cell] | None = None,
        pivot: tuple[float, float] | None = None,
        sweep: str | Mapping[str, str] | None = None,
        speeds: Mapping[str, int] | None = None,
        side_speeds: Mapping[str, int] | None = None,
        climb: Mapping[str, int | None] | None = None,
    ) -> None:
        """A class of its parts.

        `primitives`: 1 to 16 dicts with `name`, `by` (cells forward and to the right), `turn` (heading steps to the left),
        `time` in ticks, `when` ("any", "straight", "diagonal") and `swept` (further cells). `headings`: 4 by default.
        `footprint`: the cells it covers while facing east. `pivot`: multiples of a half. `sweep`: "ends", "full" (the default on
        square maps), or a dict with `moves` and `turns`. `speeds`: thousandths by terrain kind. `climb`: `up`, `down`, `max_up`, `max_down`, `max_tilt`.
        """
    @staticmethod
    def octile() -> Class:
        """The agent of the MovingAI benchmarks: a cell, eight moves, 10000 and 14142 ticks."""
    @staticmethod
    def parse(name: str, text: str | bytes, class_name: str | None = None) -> Class:
        """The class of a class file (`[class.NAME]`), or `class_name` of a scenario."""
    @staticmethod
    def open(path: Path, class_name: str | None = None) -> Class: ...
    @property
    def name(self) -> str: ...
    @property
    def headings(self) -> int: ...
    @property
    def shape(self) -> str: ...
    @property
    def primitives(self) -> list[str]:
        """Names, in the order of the numbers."""
    def cells(self, pose: Pose) -> list[Cell]:
        """The cells that it covers at a pose; they may lie off the map."""

class Answer:
    """An answer to a request."""

    @property
    def status(self) -> str:
        """One of `STATUSES`."""
    @property
    def found(self) -> bool: ...
    @property
    def reached(self) -> str | None:
        """"goal", "nearest" or "partial"."""
    @property
    def cost(self) -> int: ...
    @property
    def expansions(self) -> int: ...
    @property
    def guide(self) -> str:
        """What guided the search."""
    @property
    def path(self) -> NDArray[Any]:
        """The poses with their arrivals (`PATH_DTYPE`), from the start on; empty without a path."""
    @property
    def moves(self) -> NDArray[np.uint8]:
        """The primitives, one fewer than the poses."""

class BatchAnswers:
    """The answers of a batch, in arrays. The path of request `i` is `path[offsets[i]:offsets[i + 1]]`, and so are its moves."""

    @property
    def status(self) -> NDArray[np.uint8]: ...
    @property
    def cost(self) -> NDArray[np.uint32]: ...
    @property
    def expansions(self) -> NDArray[np.uint64]: ...
    @property
    def offsets(self) -> NDArray[np.uint64]: ...
    @property
    def path(self) -> NDArray[Any]: ...
    @property
    def moves(self) -> NDArray[np.uint8]:
        """The primitive that begins at each pose; `NO_MOVE` at the last one of a path."""
    def __len__(self) -> int: ...

class Tables:
    """Movement tables: a class compiled against a map. Threads may plan on the same tables together."""

    def __init__(self, map: Map, class_: Class) -> None: ...
    @property
    def class_(self) -> Class: ...
    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, headings: the shape of arrays over all poses."""
    def plan(
        self,
        start: Pose,
        goal: Goal | Sequence[Goal],
        *,
        within: int | None = None,
        heuristic: str | None = None,
        weight: int | None = None,
        expansions_max: int | None = None,
        partial: bool = False,
        fallback: Literal["fail", "nearest"] = "fail",
        window: Area | None = None,
    ) -> Answer:
        """A cheapest path. `weight`: the cost is at most this many thousandths of the cheapest. `window`: where to stay."""
    def plan_batch(
        self,
        starts: ArrayLike,
        goals: ArrayLike,
        *,
        within: int | None = None,
        heuristic: str | None = None,
        weight: int | None = None,
        expansions_max: int | None = None,
        fallback: Literal["fail", "nearest"] = "fail",
        threads: int = 1,
    ) -> BatchAnswers:
        """Many paths on several threads, with the same answers for any number of them.

        `starts`: rows of x, y, heading. `goals`: as many rows of x, y or x, y, heading, where -1 is any.
        """
    def explain(self, map: Map, answer: Answer) -> str:
        """Why an answer of these tables has no path; empty if it has one."""
    def explain_pose(self, map: Map, pose: Pose) -> str:
        """Why a pose is illegal; empty if it is legal."""
    def explain_move(self, map: Map, pose: Pose, primitive: int | str) -> str:
        """Why a move is illegal; empty if it is legal."""
    def is_legal(self, pose: Pose) -> bool: ...
    def legal(self) -> NDArray[np.uint8]:
        """1 for each legal pose, by row, column and heading."""
    def move(self, pose: Pose, primitive: int | str) -> tuple[tuple[int, int, int], int] | None:
        """The pose after a move, and its ticks; `None` if it is illegal."""
    def check_moves(self, start: Pose, moves: ArrayLike) -> tuple[int, tuple[int, int, int], int]:
        """How many of the moves are legal one after the other, the pose after these, and their ticks."""
    def connected(self, from_: Cell, to: Cell) -> bool | None:
        """Whether a way leads from a cell to another; `None` where only a search can tell."""
    def update(self, map: Map, changed: Area) -> tuple[bool, bool]:
        """Follows an edit of the map; whether anything changed, and whether anything became easier."""
    @property
    def memory_bytes(self) -> int: ...
    def copy(self) -> Tables: ...

class Field:
    """The costs from all poses to a goal, or from one pose to all. Nothing is searched before it is asked for."""

    @staticmethod
    def to_goal(tables: Tables, goal: Goal | Sequence[Goal], *, within: int | None = None) -> Field: ...
    @staticmethod
    def from_pose(tables: Tables, start: Pose) -> Field: ...
    @property
    def tables(self) -> Tables: ...
    def settle(self, expansions: int | None = None) -> bool:
        """Searches on; whether all is settled."""
    def costs(self) -> NDArray[np.uint32]:
        """The costs of all poses, by row, column and heading; `NEVER` without a way."""
    def cost(self, pose: Pose) -> int | None: ...
    def next(self, pose: Pose) -> tuple[int, tuple[int, int, int]] | None:
        """The next move of an agent at a pose, and the pose after it; `None` at the goal or without a way."""
    def path(self, pose: Pose) -> Answer | None: ...
    def within(self, ticks: int) -> NDArray[Any]:
        """All poses within some ticks, each with its cost as `arrival`."""
    def repair(self, changed: Area) -> None:
        """Follows an edit, after the tables have, with the same area."""
    def copy(self) -> Field:
        """A copy with the same tables."""

class Order:
    """An order to an agent. A heading by name is one of 4, 8 or 6 headings, whichever has the name first, unless `headings` is given."""

    @staticmethod
    def goto(
        goal: Goal | Sequence[Goal],
        *,
        within: int | None = None,
        fallback: Literal["fail", "nearest"] = "fail",
        if_unreachable: Literal["drop", "wait"] = "drop",
        headings: int | None = None,
    ) -> Order: ...
    @staticmethod
    def goto_group(
        goal: Goal | Sequence[Goal],
        *,
        within: int | None = None,
        fallback: Literal["fail", "nearest"] = "fail",
        if_unreachable: Literal["drop", "wait"] = "drop",
        headings: int | None = None,
    ) -> Order:
        """To separate poses near a cell, for all agents that get this order together."""
    @staticmethod
    def goto_formation(
        goal: Goal,
        *,
        fallback: Literal["fail", "nearest"] = "fail",
        if_unreachable: Literal["drop", "wait"] = "drop",
        headings: int | None = None,
    ) -> Order:
        """To places around a cell in their present layout, at the pace of the slowest, for all agents that get this order
        together. Agents whose class has the heading of the goal face it."""
    @staticmethod
    def goto_area(
        area: Area, *, fallback: Literal["fail", "nearest"] = "fail", if_unreachable: Literal["drop", "wait"] = "drop"
    ) -> Order: ...
    @staticmethod
    def patrol(waypoints: Sequence[Goal], *, headings: int | None = None, dwell: int = 0) -> Order: ...
    @staticmethod
    def repeat(orders: int) -> Order:
        """Does that many orders before it in its list once more, without end."""
    @staticmethod
    def wait(ticks: int) -> Order: ...
    @staticmethod
    def wait_in_place(ticks: int) -> Order:
        """Stands for that long; nobody pushes the agent, and searches take it for an obstacle."""
    @staticmethod
    def tasks(source: TaskSource, *, stream: int = 0) -> Order: ...
    @staticmethod
    def stop() -> Order: ...
    @staticmethod
    def hold() -> Order: ...
    @staticmethod
    def follow(leader: int, within: int) -> Order: ...
    @property
    def kind(self) -> str: ...

class TaskSource:
    """Where endless tasks come from."""

    @staticmethod
    def random(area: Area) -> TaskSource: ...
    @staticmethod
    def list(lists: Sequence[Sequence[Goal]], *, headings: int | None = None) -> TaskSource:
        """A list of goals for each agent, by `Spawn.number`."""
    @staticmethod
    def round_robin(cells: Sequence[Cell], team: int) -> TaskSource: ...

class Spawn:
    """An agent of a new world."""

    def __init__(
        self,
        class_: int | str,
        pose: Pose,
        *,
        orders: Order | Sequence[Order] | None = None,
        priority: int = 0,
        team: int | None = None,
        speed_factor: int | None = None,
        number: int = 0,
    ) -> None:
        """`speed_factor`: thousandths, 1000 by default. `number`: which of the agents that share its tasks."""

class TrafficView:
    """What a traffic rule sees at a tick."""

    tick: int
    #: For each agent: id, x, y and heading of where it rests or will rest, goal_x, goal_y, until (when it rests), class,
    #: activity, team, primitive (255 at rest), next (move of its path, 255 for none), has_goal, refused (its last move).
    rows: NDArray[Any]
    #: Ticks of each primitive of each agent at rest, 0 where it is illegal.
    move_ticks: NDArray[np.uint32]

class Traffic:
    """A traffic rule to derive from."""

    needs_paths: bool
    saved_name: str | None
    def decide(self, view: TrafficView) -> ArrayLike | None:
        """The moves that begin: a primitive for each row, 255 to wait; or pairs of a row and a primitive."""
    def save_state(self) -> Iterable[int]: ...
    def restore_state(self, state: Sequence[int]) -> None: ...

class PathRequest:
    """A path for a planner to find."""

    agent: int
    class_: int
    start: tuple[int, int, int]
    goals: list[tuple[int, int, int | None]]
    within: int
    priority: int

class Planner:
    """A planner of paths to derive from."""

    def plan(self, request: PathRequest) -> ArrayLike | None:
        """The primitives that lead to a goal, or `None` without a way."""

class World:
    """Many agents, many ticks."""

    def __init__(
        self,
        map: Map,
        classes: Sequence[Class | Tables],
        agents: Sequence[Spawn] | None = None,
        *,
        name: str = "world",
        seed: int = 0,
        ticks: int | None = None,
        collision: Literal["swept", "discrete"] = "swept",
        rule: str | Traffic | None = None,
        planner: Planner | None = None,
        friends: Sequence[tuple[int, int]] = (),
        expansions_per_tick: int | None = None,
        search_slots: int | None = None,
        poses_per_agent: int | None = None,
        tries_per_tick: int | None = None,
        landmarks: int | None = None,
        eased: Sequence[Change] | None = None,
        tunables: Mapping[str, int] | None = None,
        threads: int = 1,
    ) -> None:
        """A world of its parts. `rule`: "cooperative" (the default), "unit_robots", "commanded", or one of your own."""
    @staticmethod
    def open(path: Path, *, seed: int | None = None, ticks: int | None = None, threads: int = 1) -> World:
        """The world of a scenario (`.toml`) or a problem of the League of Robot Runners (`.json`)."""
    @staticmethod
    def parse(
        name: str,
        text: str | bytes,
        files: Mapping[str, str | bytes] | None = None,
        *,
        seed: int | None = None,
        ticks: int | None = None,
        threads: int = 1,
    ) -> World:
        """The world of a text in memory. `files` contains the files that it names."""
    @staticmethod
    def load(
        saved: bytes,
        *,
        rules: Mapping[str, Callable[[], Traffic]] | None = None,
        planner: Planner | None = None,
        threads: int = 1,
    ) -> World:
        """The world that `save` wrote; it steps exactly like that one. `rules` makes rules of your own by `saved_name`."""
    def save(self) -> bytes: ...
    def copy(self) -> World:
        """A copy that steps exactly like this one. A rule or planner of Python is copied by `copy.deepcopy`."""
    def copy_from(self, other: World) -> None:
        """Becomes a copy of another, in the memory that it has. A recording of it ends without an end."""
    def step(self, ticks: int = 1) -> bool:
        """Runs ticks; whether there is more to do. Rows and events belong to the last tick."""
    @property
    def agents(self) -> NDArray[Any]:
        """The agents after the last step, in order of id (`AGENT_DTYPE`). Read-only; it never changes."""
    @property
    def events(self) -> NDArray[Any]:
        """What happened in the last tick, in order (`EVENT_DTYPE`). Read-only; it never changes."""
    @property
    def tick(self) -> int:
        """The ticks that have run."""
    def hash(self) -> int:
        """The hash of the state: equal on every machine for equal commands at equal ticks."""
    @property
    def nothing_left(self) -> bool: ...
    def set_threads(self, threads: int) -> None: ...
    def set_ticks(self, ticks: int | None) -> None: ...
    def check_invariants(self) -> None:
        """Counts pairs of agents in violation from now on: `counts()["collisions"]`. For tests: it takes time."""
    def event_details(self, index: int) -> dict[str, Any]:
        """Details of event `index` of `events`: `ticket`, `reached`, `blocker`, `area`, `class`, `team`,
        `pose` and `agents`. A value that does not apply is None."""
    def counts(self) -> dict[str, Any]:
        """What a run counts as it goes."""
    # Commands take effect at the beginning of the next step, or of that of the tick `at`. Each gives its ticket.
    def spawn(
        self,
        class_: int | str,
        pose: Pose,
        *,
        orders: Order | Sequence[Order] | None = None,
        priority: int = 0,
        team: int | None = None,
        speed_factor: int | None = None,
        number: int = 0,
        at: int | None = None,
    ) -> int: ...
    def spawn_group(
        self,
        class_: int | str,
        count: int,
        area: Area,
        *,
        orders: Order | Sequence[Order] | None = None,
        priority: int = 0,
        team: int | None = None,
        speed_factor: int | None = None,
        anywhere: bool = False,
        if_no_room: Literal["drop", "wait"] = "drop",
        at: int | None = None,
    ) -> int: ...
    def remove(self, agents: Selection, *, at: int | None = None) -> int: ...
    def order(
        self, agents: Selection, orders: Order | Sequence[Order], *, append: bool = False, at: int | None = None
    ) -> int: ...
    def stop(self, agents: Selection, *, at: int | None = None) -> int: ...
    def hold(self, agents: Selection, *, at: int | None = None) -> int: ...
    def tasks(self, agents: Selection, source: TaskSource, *, stream: int = 0, at: int | None = None) -> int: ...
    def set_priority(self, agents: Selection, priority: int, *, at: int | None = None) -> int: ...
    def set_class(self, agent: int, class_: int | str, pose: Pose | None = None, *, at: int | None = None) -> int: ...
    def set_team(self, agents: Selection, team: int, *, at: int | None = None) -> int: ...
    def set_speed_factor(self, agents: Selection, factor: int, *, at: int | None = None) -> int: ...
    def enter(self, agents: Selection, container: int | None = None, *, at: int | None = None) -> int:
        """Takes agents off the map, into another agent. They keep their orders."""
    def leave(self, agent: int, pose: Pose, *, or_nearest: bool = True, at: int | None = None) -> int:
        """Puts an agent that is off the map back, in the pose or the free one nearest to it."""
    def edit(
        self,
        changes: Sequence[Change],
        *,
        on_agents: Literal["wait", "strand", "remove", "wait_strand", "wait_remove"] = "wait",
        deadline: int | None = None,
        at: int | None = None,
    ) -> int: ...
    def cancel_edit(self, edit: int, *, at: int | None = None) -> int:
        """Withdraws an edit that still waits, by the ticket of its command."""
    def decide(self, agents: ArrayLike, primitives: ArrayLike, *, at: int | None = None) -> int:
        """The moves of a tick under the rule "commanded"."""
    def answer_path(self, agent: int, moves: ArrayLike | None, *, at: int | None = None) -> int: ...
    # Questions. They change nothing.
    def agent_at(self, cell: Cell) -> int | None: ...
    def agents_in(self, area: Area) -> NDArray[np.uint32]: ...
    def off_map(self, container: int | None = None) -> NDArray[np.uint32]:
        """The agents off the map that have entered `container`; without one, all of them."""
    def can_place(self, class_: int | str, pose: Pose) -> bool: ...
    def why_not_place(self, class_: int | str, pose: Pose) -> str | None: ...
    def would_disturb(self, changes: Sequence[Change]) -> NDArray[np.uint32]: ...
    def group_poses(
        self, agents: Sequence[int], order: Order
    ) -> list[tuple[int, tuple[int, int, int] | None]]:
        """Previews the poses that an order to a group, or in formation, would give to some agents, in order of id: column, row
        and heading, or `None` without room or a way."""
    def plan(self, agent: int, goal: Goal | Sequence[Goal], *, within: int | None = None) -> Answer: ...
    def reach(self, agent: int, ticks: int) -> NDArray[Any]: ...
    def path(self, agent: int) -> NDArray[Any]: ...
    def reason_for_waiting(self, agent: int) -> dict[str, Any]: ...
    def path_requests(self) -> list[PathRequest]: ...
    @property
    def class_names(self) -> list[str]: ...
    def class_cells(self, class_: int | str, pose: Pose) -> list[Cell]: ...
    def movement_class(self, class_: int | str) -> Class: ...
    def add_class(self, class_: Class) -> int:
        """Adds a class between two steps; its number. It has no landmarks. Corridors stay as the bodies of the first classes
        have them. Snapshots have the class."""
    def landmarks_in_use(self, class_: int | str) -> bool:
        """Whether searches of the class use its landmarks. They do not after an edit that makes a move easier, until
        the landmarks are repaired."""
    def tables(self, class_: int | str) -> Tables: ...
    def map(self) -> Map: ...
    @property
    def terrain(self) -> NDArray[np.uint8]: ...
    def name_agent(self, agent: int, name: str) -> None: ...
    def agent_name(self, agent: int) -> str: ...
    def record(self, path: Path) -> None:
        """Begins a recording, which `wheelbase verify`, `show` and `render` read; of a world at tick 0 or later."""
    def finish_recording(self) -> None: ...
    def frame(
        self, *, area: Area | None = None, scale: int | None = None, time: float | None = None
    ) -> NDArray[np.uint8]:
        """The world as an image: rows, columns, red, green and blue. `time`: in ticks, from the last tick on to now."""

def sweep(
    scenarios: Path | Sequence[Path],
    seeds: str | Sequence[int],
    *,
    out: Path,
    measures: str | Sequence[str] | None = None,
    set: Mapping[str, Any] | None = None,
    resume: bool = False,
    shard: str | None = None,
    jobs: int = 0,
    times: bool = False,
    check_invariants: bool = False,
    record_failed: Path | None = None,
    memory_max: int | None = None,
    ray: str | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> list[dict[str, Any]]:
    """Runs scenarios over seeds and values of keys, as `wheelbase sweep` does, writes the same table, and gives its rows.

    `seeds`: "0..100" or a list. `set`: values by key, such as {"groups[0].count": [20, 40]}. `jobs`: items together, 0 for one per
    processor. `memory_max`: bytes that all items together may need, `None` for the free memory of the machine. `out` ends in
    .csv, .jsonl or .parquet: that one is made by pyarrow of the .jsonl beside it. `ray`: "auto" or the address of a Ray cluster, on
    which the items are then run; `memory_max` is then that of each node. `progress` is called with the items done and all;
    an exception stops the sweep, which `resume` continues.
    """
