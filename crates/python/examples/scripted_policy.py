"""A policy that learns nothing: each agent follows its cost field, and now and then takes any allowed action.

    python scripted_policy.py [SCENE] [AGENTS] [STEPS]

Prints steps a second and arrivals. A learned policy should bring more agents to their goals than this one.
"""

import sys
import time

import numpy as np

from wheelbase.environments import Batch, detours


def act(observation, random, explore=0.1):
    """For each agent the allowed action that makes the way to its goal longer by least; sometimes any allowed one, so that
    agents face to face let each other pass."""
    allowed = observation["action_mask"] == 1
    longer_by = detours(observation)
    best = np.where(allowed & (longer_by >= 0), longer_by, np.inf).argmin(1)
    other = np.where(allowed, random.random(allowed.shape), -1).argmax(1)
    return np.where(random.random(len(best)) < explore, other, best)


def main(scene="wheelbase/Rooms-v1", agents="1024", steps="300"):
    one = Batch(scene).agents_per_world
    batch = Batch(scene, worlds=max(1, int(agents) // one))
    random = np.random.default_rng(1)
    observation = batch.reset(seed=1)
    arrivals, begun = 0, time.perf_counter()
    for _ in range(int(steps)):
        observation, outcome = batch.step(act(observation, random))
        arrivals += int(outcome["arrived"].sum())
    seconds = time.perf_counter() - begun
    per_agent = 1000 * arrivals / batch.n_agents / int(steps)
    print(f"{scene}: {batch.n_agents} agents, {int(steps) / seconds:.0f} steps a second, {arrivals} arrivals,")
    print(f"{per_agent:.1f} in 1,000 steps of an agent")


if __name__ == "__main__":
    main(*sys.argv[1:])
