"""The module under the package. What users need of it is in the package itself."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import Class, Map, Tables, World
from . import PathRequest as PathRequest
from . import TrafficView as TrafficView

_U8 = npt.NDArray[np.uint8]
_F32 = npt.NDArray[np.float32]

class BatchedEnvironment:
    """Worlds of one scene whose agents are moved from outside, stepped together: `docs/learning.md`, under options and observations.

    Arrays are over the agents of all worlds, read-only, and never change.
    """

    def __init__(
        self,
        world: World | None = None,
        *,
        map: Map | None = None,
        classes: list[Class | Tables] | None = None,
        counts: list[int] | None = None,
        collision: Literal["swept", "discrete"] = "swept",
        worlds: int = 1,
        radius: int = 5,
        ticks_per_step: int | Literal["until_at_rest"] | None = None,
        episode_ticks: int = 1000,
        on_arrival: Literal["new_goal", "stay"] = "new_goal",
        starts: Literal["random", "given"] = "random",
        goals: int | None = None,
        scene_seed: int = 0,
        autoreset: bool = True,
        threads: int = 1,
    ) -> None: ...
    @property
    def agents_per_world(self) -> int: ...
    @property
    def worlds(self) -> int: ...
    @property
    def actions(self) -> int:
        """Actions of an agent: to wait, and the primitives of the class that has most."""
    @property
    def planes(self) -> list[str]:
        """Names of the planes of a window."""
    @property
    def side(self) -> int:
        """Cells along a side of a window."""
    @property
    def own_names(self) -> list[str]:
        """Names of an agent's own numbers."""
    @property
    def detours_at(self) -> int:
        """Where the detours begin among these."""
    @property
    def classes(self) -> list[str]:
        """The class of each agent of a world."""
    @property
    def action_names(self) -> list[tuple[str, list[str]]]:
        """The actions of each class by name."""
    def reset(self, seed: int) -> tuple[_U8, _F32, _U8]:
        """Begins new episodes: windows, own numbers, masks."""
    def step(self, actions: npt.ArrayLike) -> tuple[tuple[_U8, _F32, _U8], list[npt.NDArray[Any]]]:
        """Runs a step: the same, and rewards, terminated, truncated, arrived, begun (as `uint8`) and blocked_by (`int32`)."""
    def hashes(self) -> list[int]:
        """The state hash of each world."""
    def frame(self, world: int = 0, *, scale: int | None = None) -> _U8:
        """A picture of a world: rows, columns, red, green and blue."""
