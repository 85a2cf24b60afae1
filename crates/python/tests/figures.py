"""Figures of docs/python.md. The last line is the summary of .ci/python."""

import time
from statistics import median

import numpy as np

import wheelbase as wb
from scenes import cart


#: Rounds of as many ticks.
ROUNDS, TICKS = 15, 20


def seconds(work, n):
    """The least time of one of `n` calls."""
    best = float("inf")
    for _ in range(n):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


def main():
    side = 120
    agents = [
        wb.Spawn(0, (3 * (i % 40), 3 * (i // 40), "E"), orders=wb.Order.tasks(wb.TaskSource.random((0, 0, side, side))), number=i)
        for i in range(1000)
    ]
    world = wb.World(wb.Map(side, side), [cart()], agents)
    world.step(100)
    other = world.copy()
    # In turn, since the machine is faster at one time than at another.
    alone, read, more, total = [], [], [], 0
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        world.step(TICKS)
        alone.append((time.perf_counter() - begun) / TICKS)
        begun = time.perf_counter()
        for _ in range(TICKS):
            other.step()
            total += int(other.agents["to_x"][0]) + len(other.events)
        read.append((time.perf_counter() - begun) / TICKS)
        more.append(read[-1] / alone[-1] - 1)
    assert world.hash() == other.hash() and total > 0
    rows = seconds(lambda: world.agents, 1000)
    tables = wb.Tables(wb.Map.generate("rooms", 128, 128, 1), cart())
    random = np.random.default_rng(1)
    starts = np.column_stack([random.integers(0, 128, (1000, 2)), random.integers(0, 4, 1000)])
    goals = random.integers(0, 128, (1000, 2))
    batch = seconds(lambda: tables.plan_batch(starts, goals), 3)
    print(f"1,000 agents: {median(alone) * 1e3:.2f} ms a tick in one call, {median(read) * 1e3:.2f} ms with rows and events read each tick")
    print(f"world.agents {rows * 1e6:.1f} us; 1,000 requests on 128 x 128 cells in a batch {batch * 1e3:.0f} ms")
    print(f"a tick of 1,000 agents with rows read costs {100 * median(more):+.1f} %")


if __name__ == "__main__":
    main()
