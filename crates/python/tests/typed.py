"""What a user with types writes: mypy reads it with the types of the package."""

import numpy as np

import wheelbase as wb
from wheelbase.environments import Batch, detours


class Still(wb.Traffic):
    def decide(self, view: wb.TrafficView) -> list[int]:
        return [wb.WAIT] * len(view.rows)


grid = wb.Map.from_rows(["....", ".@.."])
cart = wb.Class("cart", [{"name": "forward", "by": (1, 0), "time": 2}])
tables = wb.Tables(grid, cart)
answer = tables.plan((0, 0, "E"), [(3, 0), (2, 0, "E")], weight=1200)
cost: int = answer.cost
batch = tables.plan_batch(np.zeros((3, 3), int), [[1, 0]] * 3, threads=2)
world = wb.World(grid, [tables], [wb.Spawn(0, (0, 0, "E"), orders=wb.Order.goto((3, 0)))], rule=Still())
world.edit([("terrain", (0, 0, 1, 1), "water"), ("rotate", (1, 1), 1)])
going: bool = world.step()
ids = world.agents["id"]
error: wb.WheelbaseError = wb.ArgumentError("no")
line: int | None = error.line
worlds = Batch("wheelbase/Crossing-v1", worlds=2)
observation = worlds.reset(1)
observation, outcome = worlds.step([0] * worlds.n_agents)
best = detours(observation).argmin(1)
rows = wb.sweep("a.toml", "0..3", out="runs.parquet", memory_max=1 << 30, ray="auto") if going else []
differ: wb.WheelbaseError = wb.RowsDifferError("no")
