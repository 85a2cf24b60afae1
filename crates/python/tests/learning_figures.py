"""Where the time of a step of 5,000 agents goes: the figures of docs/learning.md. The last line is the summary."""

import statistics
import time

import numpy as np

import wheelbase as wb
from scenes import VEHICLE
from wheelbase.environments import Batch, Scene


def median_ms(work, n=20):
    found = []
    for _ in range(n):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return 1e3 * statistics.median(found)


def main():
    cart = wb.Class("cart", VEHICLE)
    lorry = wb.Class("lorry", VEHICLE, footprint=[(0, 0), (-1, 0)])
    scene = Scene(map=wb.Map.generate("rooms", 64, 64, 3), classes=[cart, lorry], counts=[60, 40])
    random = np.random.default_rng(1)
    found = {}
    for radius in (0, 5):
        batch = Batch(scene, worlds=50, radius=radius)
        observation = batch.reset(1)
        waits = np.zeros(batch.n_agents, int)
        found[radius, "wait"] = median_ms(lambda: batch.step(waits))

        def allowed():
            nonlocal observation
            mask = observation["action_mask"]
            actions = np.where(mask == 1, random.random(mask.shape), -1).argmax(1)
            begun = time.perf_counter()
            observation, _ = batch.step(actions)
            return time.perf_counter() - begun

        found[radius, "move"] = 1e3 * statistics.median(allowed() for _ in range(50))
        found[radius, "reset"] = median_ms(lambda: batch.reset(1), 5)
    window = found[5, "wait"] - found[0, "wait"]
    moves = found[5, "move"] - found[5, "wait"]
    print(f"5,000 agents in 50 worlds of 64 x 64 cells, one thread: a step {found[5, 'move']:.2f} ms")
    print(f"  of it windows of 11 x 11 cells {window:.2f} ms, moves {moves:.2f} ms, own numbers and masks {found[0, 'wait']:.2f} ms")
    print(f"  a reset of all worlds {found[5, 'reset']:.1f} ms")
    print(f"a step of 5,000 agents {found[5, 'move']:.2f} ms, {5000 / found[5, 'move'] * 1e3:,.0f} agent-steps a second")


if __name__ == "__main__":
    main()
