"""Agent-steps a second of CPU time on one thread beside POGEMA and RWARE: as many agents, maps of one size, random actions, in
turn, medians.

    python learning_peers.py [ROUNDS]

Each environment is asked for what it is made for: POGEMA moves points over cells, RWARE robots with a facing and shelves;
our carts have a facing too and cover one cell here. All of ours see a window of 11 x 11 cells, as POGEMA's do.
"""

import statistics
import sys
import time

import numpy as np

import wheelbase as wb
from scenes import VEHICLE
from wheelbase.environments import Batch, Scene

AGENTS, SIDE, RADIUS = 64, 32, 5
SECONDS = 0.5


def of_wheelbase(worlds=1):
    cart = wb.Class("cart", [{**move, "time": 1} for move in VEHICLE])
    scene = Scene(map=wb.Map.generate("random", SIDE, SIDE, 1), classes=[cart], counts=[AGENTS], collision="discrete")
    batch = Batch(scene, worlds=worlds, radius=RADIUS, episode_ticks=10**6)
    batch.reset(1)
    random = np.random.default_rng(1)
    return batch.n_agents, lambda: batch.step(random.integers(0, batch.n_actions, batch.n_agents))


def of_pogema():
    from pogema import GridConfig, pogema_v0

    config = GridConfig(
        num_agents=AGENTS, size=SIDE, density=0.1, obs_radius=RADIUS, seed=1, max_episode_steps=10**6, on_target="restart"
    )
    env = pogema_v0(config)
    env.reset()
    random = np.random.default_rng(1)
    return AGENTS, lambda: env.step(random.integers(0, 5, AGENTS).tolist())


def of_rware(sensor_range):
    from rware.warehouse import RewardType, Warehouse

    # 34 x 29 cells: the nearest to the others that its rows of shelves allow.
    env = Warehouse(11, 8, 3, AGENTS, 0, sensor_range, AGENTS, None, 10**6, RewardType.INDIVIDUAL)
    env.reset()
    random = np.random.default_rng(1)
    return AGENTS, lambda: env.step(random.integers(0, 5, AGENTS).tolist())


def agent_steps_per_second(n_agents, step):
    step()
    begun, n = time.process_time(), 0
    while time.process_time() - begun < SECONDS:
        step()
        n += 1
    return n_agents * n / (time.process_time() - begun)


def main(rounds=5):
    makers = {
        "wheelbase, 1 world": of_wheelbase,
        "wheelbase, 80 worlds": lambda: of_wheelbase(worlds=80),
        "pogema": of_pogema,
        "rware, 3 x 3 cells": lambda: of_rware(1),
        "rware, 11 x 11 cells": lambda: of_rware(RADIUS),
    }
    made = {}
    for name, make in makers.items():
        try:
            made[name] = make()
        except Exception as error:  # Whatever does not install or start is named, and the others are measured.
            print(f"{name}: left out: {type(error).__name__}: {error}")
    found = {name: [] for name in made}
    for _ in range(rounds):
        for name, (n_agents, step) in made.items():
            found[name].append(agent_steps_per_second(n_agents, step))
    for name, all_found in found.items():
        print(f"{name:34} {statistics.median(all_found):12,.0f} agent-steps a second ({min(all_found):,.0f} to {max(all_found):,.0f})")
    medians = {name: statistics.median(of) for name, of in found.items()}
    peers = [name for name in medians if not name.startswith("wheelbase")]
    print("one world of ours against " + ", ".join(f"{name}: {medians['wheelbase, 1 world'] / medians[name]:.1f} x" for name in peers))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
