"""What both kinds of environment are made of: worlds stepped together on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import World
from .._native import BatchedEnvironment
from ._extra import gymnasium_of
from ._scenes import Scene, scene_of

#: Version of observations and rewards. Both are fixed for a version; ids of scenes end with it.
OBSERVATION_VERSION = 1

Observation = dict[str, npt.NDArray[Any]]


class Batch:
    """Worlds of one scene, stepped together: an action for each agent goes in, arrays come out. Agents are counted over all
    worlds: agent `i` is in world `i // agents_per_world`.

    The arrays are read-only and never change; their memory is used again when no array is left over it.
    """

    def __init__(self, scene: str | World | Scene, **options: Any) -> None:
        chosen = scene_of(scene)
        parts: dict[str, Any] = {"map": chosen.map, "classes": chosen.classes, "counts": chosen.counts}
        if chosen.world is None:
            parts["collision"] = chosen.collision
        self.native = BatchedEnvironment(chosen.world, **parts, **{**chosen.options, **options})
        self.agents_per_world: int = self.native.agents_per_world
        self.n_agents: int = self.agents_per_world * self.native.worlds
        self.n_actions: int = self.native.actions
        self.planes: list[str] = self.native.planes
        self.own_names: list[str] = self.native.own_names

    def reset(self, seed: int) -> Observation:
        """Begins new episodes. The seed gives starts and goals, of later episodes too."""
        return self._observation(self.native.reset(seed))

    def step(self, actions: npt.ArrayLike) -> tuple[Observation, dict[str, npt.NDArray[Any]]]:
        """Runs a step. Beside the observations: `reward`, `terminated`, `truncated`, `arrived`, `begun`, `blocked_by`."""
        observed, (reward, terminated, truncated, arrived, begun, blocked_by) = self.native.step(actions)
        outcome = {
            "reward": reward,
            "terminated": terminated.view(np.bool_),
            "truncated": truncated.view(np.bool_),
            "arrived": arrived.view(np.bool_),
            "begun": begun.view(np.bool_),
            "blocked_by": blocked_by,
        }
        return self._observation(observed), outcome

    @staticmethod
    def _observation(observed: tuple[Any, Any, Any]) -> Observation:
        window, own, mask = observed
        return {"window": window, "own": own, "action_mask": mask.view(np.int8)}

    def observation_space(self) -> Any:
        """The space of one agent's observations."""
        spaces = gymnasium_of("an environment").spaces
        side = self.native.side
        return spaces.Dict(
            {
                "window": spaces.Box(0, 255, (len(self.planes), side, side), np.uint8),
                "own": spaces.Box(-np.inf, np.inf, (len(self.own_names),), np.float32),
                "action_mask": spaces.Box(0, 1, (self.n_actions,), np.int8),
            }
        )

    def action_space(self) -> Any:
        """The space of one agent's actions."""
        return gymnasium_of("an environment").spaces.Discrete(self.n_actions)


def detours(observation: Observation) -> npt.NDArray[np.float32]:
    """The ticks by which each action makes the way to the goal longer than the shortest one; -1 where it cannot be taken or
    leads nowhere. Of one agent's observation, or of many."""
    n_actions = observation["action_mask"].shape[-1]
    return observation["own"][..., -n_actions:]
