"""Where the time of a step of 5,000 agents goes: the figures of docs/learning.md, in CPU time of one thread, so that they hold on a
busy machine too. The last line is the summary."""

import time

import numpy as np

import wheelbase as wb
from scenes import VEHICLE
from wheelbase.environments import Batch, Scene

STEPS = 200


def timed(work):
    begun = time.process_time()
    result = work()
    return result, 1e3 * (time.process_time() - begun)


def main():
    cart = wb.Class("cart", VEHICLE)
    lorry = wb.Class("lorry", VEHICLE, footprint=[(0, 0), (-1, 0)])
    scene = Scene(map=wb.Map.generate("rooms", 64, 64, 3), classes=[cart, lorry], counts=[60, 40])
    random = np.random.default_rng(1)
    # With windows of one cell and of 11 x 11, all waiting and all moving, in turn: the least of each.
    batches = {(radius, moves): Batch(scene, worlds=50, radius=radius) for radius in (0, 5) for moves in (False, True)}
    seen = {key: batch.reset(1) for key, batch in batches.items()}
    least = dict.fromkeys(batches, float("inf"))
    for _ in range(STEPS):
        for key, batch in batches.items():
            mask = seen[key]["action_mask"]
            actions = np.where(mask == 1, random.random(mask.shape), -1).argmax(1) * key[1]
            (seen[key], _), ms = timed(lambda batch=batch, actions=actions: batch.step(actions))
            least[key] = min(least[key], ms)
    reset = min(timed(lambda: batches[5, True].reset(1))[1] for _ in range(5))
    step = least[5, True]
    print(f"5,000 agents in 50 worlds of 64 x 64 cells, one thread: a step {step:.2f} ms, a reset of all worlds {reset:.1f} ms")
    print(f"  windows of 11 x 11 cells instead of one {step - least[0, True]:.2f} ms, moves instead of waiting {step - least[5, False]:.2f} ms,")
    print(f"  own numbers, masks and the tick, all waiting {least[0, False]:.2f} ms")
    print(f"a step of 5,000 agents {step:.2f} ms, {5000 / step * 1e3:,.0f} agent-steps a second")


if __name__ == "__main__":
    main()
