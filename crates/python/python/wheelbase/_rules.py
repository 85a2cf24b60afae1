"""Traffic rules and planners to derive from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._native import PathRequest, TrafficView

#: The primitive of an agent that waits.
WAIT = 255


class Traffic:
    """A traffic rule: which agents begin which move at a tick. Derive from it and write `decide`.

    The world begins the moves that are legal and overlap no other; of two that do not fit together the earlier one. So a
    bad rule is slow, but no two agents ever overlap under it. A rule must decide by the view and by its own state alone.
    """

    #: Whether the world plans a path for each order, which the rule follows: `rows["next"]` is its next move. If not, the
    #: rule finds the way to `rows["goal_x"]`, `rows["goal_y"]` itself.
    needs_paths: bool = False

    #: The name under which `World.save` writes the rule, and `World.load` looks it up in `rules`. `None`: not saved.
    saved_name: str | None = None

    def decide(self, view: TrafficView) -> Any:
        """The moves that begin at this tick: a primitive for each row of `view.rows`, 255 to wait; or pairs of a row and a
        primitive, the first to go first."""
        raise NotImplementedError

    def save_state(self) -> Iterable[int]:
        """The state on which later decisions depend, as numbers of 0 to 2**64 - 1."""
        return []

    def restore_state(self, state: Sequence[int]) -> None:
        """Takes over what `save_state` gave. Raises if it cannot."""
        if state:
            raise ValueError("this rule has no state")


class Planner:
    """A planner of paths: it answers the requests of a world in place of the planner of the package. Derive from it and write
    `plan`."""

    def plan(self, request: PathRequest) -> Sequence[int] | None:
        """The numbers of the primitives that lead from `request.start` to one of `request.goals`, or `None` without a way. A
        path that is illegal or leads elsewhere is refused by an event."""
        raise NotImplementedError
