"""A PettingZoo environment: some hundred agents, each with its own observations and actions by name."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import ArgumentError, World
from ._batch import OBSERVATION_VERSION, Batch, Observation
from ._extra import gymnasium_of, pettingzoo_of
from ._scenes import Scene

_pettingzoo = pettingzoo_of("parallel_env")
_seeding = gymnasium_of("parallel_env").utils.seeding


class ParallelEnv(_pettingzoo.ParallelEnv):  # type: ignore[misc, name-defined]
    """One world as a PettingZoo parallel environment. All agents live as long as the episode."""

    metadata = {
        "name": "wheelbase_v1",
        "render_modes": ["rgb_array"],
        "is_parallelizable": True,
        "observation_version": OBSERVATION_VERSION,
    }

    def __init__(
        self, scene: str | World | Scene = "wheelbase/Crossing-v1", *, render_mode: str | None = None, **options: Any
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ArgumentError(f'`render_mode` is {render_mode!r}, expected None or "rgb_array"')
        for name in ("worlds", "autoreset"):
            if name in options:
                raise ArgumentError(f"`{name}` is not known here: a parallel environment is one world, reset by its caller")
        self.batch = Batch(scene, autoreset=False, **options)
        self.render_mode = render_mode
        self.possible_agents = [f"{name}_{number}" for number, name in enumerate(self.batch.native.classes)]
        self.agents: list[str] = []
        self._numbers = {name: number for number, name in enumerate(self.possible_agents)}
        # A space for each agent, so that each draws with its own seed.
        self.observation_spaces = {name: self.batch.observation_space() for name in self.possible_agents}
        self.action_spaces = {name: self.batch.action_space() for name in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins a new episode. Without a seed, another one each time."""
        if seed is not None or self._random is None:
            self._random, _ = _seeding.np_random(seed)
        drawn = int(self._random.integers(2**63)) if seed is None else seed
        observation = self.batch.reset(drawn)
        self.agents = list(self.possible_agents)
        return self._by_agent(observation), {name: {} for name in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Runs a step; who has no action waits. Infos: `arrived` at a goal, whether the action has `begun`, and `blocked_by`,
        the agent because of whose action or staying it has not, or `None`."""
        if not self.agents:
            return {}, {}, {}, {}, {}
        given = np.zeros(len(self.possible_agents), np.int64)
        for name, action in actions.items():
            number = self._numbers.get(name)
            if number is None:
                raise ArgumentError(f"`actions` has {name!r}, expected names of agents such as {self.possible_agents[0]!r}")
            try:
                given[number] = operator.index(action)
            except TypeError:
                raise ArgumentError(f"`actions[{name!r}]` is {action!r}, expected a whole number") from None
        observation, outcome = self.batch.step(given)
        columns = (outcome[name].tolist() for name in ("reward", "terminated", "truncated", "arrived", "begun", "blocked_by"))
        reward, terminated, truncated, arrived, begun, blocked_by = columns
        names = self.possible_agents
        infos = {
            name: {
                "arrived": arrived[number],
                "begun": begun[number],
                "blocked_by": names[blocked_by[number]] if blocked_by[number] >= 0 else None,
            }
            for number, name in enumerate(names)
        }
        # All episodes of a world end together.
        if terminated[0] or truncated[0]:
            self.agents = []
        by_name = (dict(zip(names, column, strict=True)) for column in (reward, terminated, truncated))
        rewards, terminations, truncations = by_name
        return self._by_agent(observation), rewards, terminations, truncations, infos

    def _by_agent(self, observation: Observation) -> dict[str, Observation]:
        parts = observation.items()
        return {name: {part: rows[number] for part, rows in parts} for number, name in enumerate(self.possible_agents)}

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the world."""
        if self.render_mode is None:
            return None
        frame: npt.NDArray[np.uint8] = self.batch.native.frame()
        return frame

    def close(self) -> None:
        """Nothing is left open."""


def parallel_env(scene: str | World | Scene = "wheelbase/Crossing-v1", **options: Any) -> ParallelEnv:
    """A PettingZoo parallel environment of a scene: an id of `SCENES`, a new `World`, or a `Scene`."""
    return ParallelEnv(scene, **options)
