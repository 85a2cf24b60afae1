"""Learning environments: many agents of several cells on one map, each moved by its own actions.

`parallel_env` is a PettingZoo environment for some hundred agents, `VectorEnv` a Gymnasium vector environment for thousands.
`docs/learning.md` says what observations, actions and rewards are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._batch import OBSERVATION_VERSION, Batch, detours
from ._scenes import SCENES, Scene

if TYPE_CHECKING:
    from .parallel import ParallelEnv, parallel_env
    from .vector import VectorEnv

__all__ = [
    "OBSERVATION_VERSION",
    "SCENES",
    "Batch",
    "ParallelEnv",
    "Scene",
    "VectorEnv",
    "detours",
    "parallel_env",
    "register",
]


def register() -> None:
    """Registers the scenes of `SCENES` with Gymnasium, for `gymnasium.make_vec`. Importing this package does so where
    Gymnasium is installed."""
    from ._extra import gymnasium_of

    gymnasium = gymnasium_of("register()")
    for name in SCENES:
        if name not in gymnasium.envs.registration.registry:
            gymnasium.register(
                id=name,
                vector_entry_point="wheelbase.environments.vector:VectorEnv",
                kwargs={"scene": name},
                disable_env_checker=True,
            )


def __getattr__(name: str) -> Any:
    # Gymnasium and PettingZoo are imported only where they are used.
    if name == "VectorEnv":
        from .vector import VectorEnv

        return VectorEnv
    if name in ("ParallelEnv", "parallel_env"):
        from . import parallel

        return getattr(parallel, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


try:
    register()
except ImportError:
    pass
