"""A Gymnasium vector environment: thousands of agents on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import ArgumentError, World
from ._batch import OBSERVATION_VERSION, Batch, Observation
from ._extra import gymnasium_of
from ._scenes import Scene, scene_of

_gymnasium = gymnasium_of("VectorEnv")


class VectorEnv(_gymnasium.vector.VectorEnv):  # type: ignore[misc, name-defined]
    """All agents of some worlds as the sub-environments of one vector environment: `num_envs` is the number of agents of all
    worlds together.

    All agents of a world begin and end their episodes together. The autoreset mode is "next step": the step after the end
    of an episode ignores the actions of its agents and gives the first observations of the next episode, with rewards 0.
    """

    metadata = {
        "render_modes": ["rgb_array"],
        "autoreset_mode": _gymnasium.vector.AutoresetMode.NEXT_STEP,
        "observation_version": OBSERVATION_VERSION,
    }

    def __init__(
        self,
        scene: str | World | Scene = "wheelbase/Crossing-v1",
        num_envs: int | None = None,
        *,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ArgumentError(f'`render_mode` is {render_mode!r}, expected None or "rgb_array"')
        if max_episode_steps is not None:
            raise ArgumentError("`max_episode_steps` is not known: `episode_ticks` ends episodes")
        if num_envs is not None and "worlds" in options:
            raise ArgumentError("expected either `num_envs` or `worlds`")
        if num_envs is not None:
            scene = scene_of(scene)
            one = max(1, scene.n_agents)
            if num_envs < 1 or num_envs % one != 0:
                raise ArgumentError(f"`num_envs` is {num_envs}, expected a multiple of {one}, the agents of a world of the scene")
            options["worlds"] = num_envs // one
        self.batch = Batch(scene, **options)
        self.num_envs = self.batch.n_agents
        self.render_mode = render_mode
        self.single_observation_space = self.batch.observation_space()
        self.single_action_space = self.batch.action_space()
        batch_space = _gymnasium.vector.utils.batch_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = np.ones(self.num_envs, np.bool_)
        self._all.flags.writeable = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins new episodes. Without a seed, other ones each time."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(2**63)) if seed is None else seed
        return self.batch.reset(drawn), {}

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Observation, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Runs a step. Infos: `arrived` at a goal, whether the action has `begun`, and `blocked_by`, the agent because of whose
        action or staying it has not; -1 for none."""
        observation, outcome = self.batch.step(actions)
        infos = {}
        for name in ("arrived", "begun", "blocked_by"):
            infos[name], infos[f"_{name}"] = outcome[name], self._all
        return observation, outcome["reward"], outcome["terminated"], outcome["truncated"], infos

    def render(self) -> tuple[npt.NDArray[np.uint8], ...] | None:
        """A picture of each world."""
        if self.render_mode is None:
            return None
        return tuple(self.batch.native.frame(world) for world in range(self.batch.native.worlds))
