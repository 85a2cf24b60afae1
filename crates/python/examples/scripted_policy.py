"""A policy that learns nothing: each agent follows its cost field, and takes random steps aside when it has been blocked for a while.

    python scripted_policy.py [SCENE] [AGENTS] [STEPS]

Prints steps a second and arrivals. A learned policy should bring more agents to their goals than this one.
"""

import sys
import time

import numpy as np

from wheelbase.environments import Batch, detours


class ScriptedPolicy:
    """For each agent the allowed action that makes the way to its goal longer by least. Who waits for more than `patience` steps,
    although it could move, takes random actions for a few steps, so that agents face to face come past each other."""

    def __init__(self, n_agents, seed=1, patience=3):
        self.random = np.random.default_rng(seed)
        self.patience = patience
        self.waited = np.zeros(n_agents, int)
        self.aside = np.zeros(n_agents, int)

    def act(self, observation):
        allowed = observation["action_mask"] == 1
        longer_by = detours(observation)
        best = np.where(allowed & (longer_by >= 0), longer_by, np.inf).argmin(1)
        self.waited = np.where((best == 0) & allowed[:, 1:].any(1), self.waited + 1, 0)
        gives_way = (self.waited > self.patience) & (self.random.random(len(best)) < 0.3)
        self.aside = np.where(gives_way, self.random.integers(2, 8, len(best)), np.maximum(self.aside - 1, 0))
        self.waited[gives_way] = 0
        # A random move; to wait only where nothing else is allowed.
        chance = np.where(allowed, self.random.random(allowed.shape), -1)
        chance[:, 0] = -0.5
        return np.where(self.aside > 0, chance.argmax(1), best)


def main(scene="wheelbase/Rooms-v1", agents="1024", steps="300"):
    one = Batch(scene).agents_per_world
    batch = Batch(scene, worlds=max(1, int(agents) // one))
    policy = ScriptedPolicy(batch.n_agents)
    observation = batch.reset(seed=1)
    arrivals, begun = 0, time.perf_counter()
    for _ in range(int(steps)):
        observation, outcome = batch.step(policy.act(observation))
        arrivals += int(outcome["arrived"].sum())
    seconds = time.perf_counter() - begun
    per_agent = 1000 * arrivals / batch.n_agents / int(steps)
    print(f"{scene}: {batch.n_agents} agents, {int(steps) / seconds:.0f} steps a second, {arrivals} arrivals,")
    print(f"{per_agent:.1f} in 1,000 steps of an agent")


if __name__ == "__main__":
    main(*sys.argv[1:])
