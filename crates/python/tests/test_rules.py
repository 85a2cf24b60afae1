"""Traffic rules and planners of Python."""

import unittest

import numpy as np

import wheelbase as wb
from scenes import cart


class Downhill(wb.Traffic):
    """Each agent makes the legal move that brings it nearest to its goal."""

    saved_name = "downhill"

    def __init__(self):
        self.decided = 0

    def decide(self, view):
        self.decided += 1
        rows, steps = view.rows, np.array([(1, 0), (0, -1), (-1, 0), (0, 1)])
        # Moves of the class `walker`: a step to each side.
        to = np.stack([rows["x"], rows["y"]], 1)[:, None] + steps
        goal = np.stack([rows["goal_x"], rows["goal_y"]], 1)[:, None]
        far = np.abs(to - goal).sum(2) + np.where(view.move_ticks[:, :4] > 0, 0, 10**6)
        here = np.abs(to - steps - goal).sum(2)[:, 0]
        best = far.argmin(1)
        return np.where((far.min(1) < here) & (rows["primitive"] == 255), best, wb.WAIT)

    def save_state(self):
        return [self.decided]

    def restore_state(self, state):
        (self.decided,) = state


def walker():
    sides = [("E", (1, 0)), ("N", (0, -1)), ("W", (-1, 0)), ("S", (0, 1))]
    return wb.Class("walker", [{"name": n, "by": by, "time": 2} for n, by in sides], headings=1)


def walkers(rule, n=200, **options):
    agents = [
        wb.Spawn(0, (2 * (i % 25), 2 * (i // 25)), orders=wb.Order.goto(((2 * i + 4) % 50, 30 + 2 * (i // 25))))
        for i in range(n)
    ]
    return wb.World(wb.Map(50, 50), [walker()], agents, rule=rule, **options)


class Rules(unittest.TestCase):
    def test_a_rule_of_twenty_lines_moves_200_agents_and_is_refused_where_it_overlaps(self):
        world = walkers(Downhill())
        world.check_invariants()
        world.step(400)
        counts = world.counts()
        # It never makes way, so some meet head-on and stay: slow, but not wrong.
        self.assertGreater(counts["orders_done"], 100)
        self.assertGreater(counts["moves"], 2000)
        self.assertGreater(counts["moves_refused"], 100)
        self.assertEqual(counts["collisions"], 0)
        again = walkers(Downhill())
        again.step(400)
        self.assertEqual(again.hash(), world.hash())

    def test_a_rule_is_copied_saved_and_loaded(self):
        rule = Downhill()
        world = walkers(rule)
        world.step(50)
        copied = world.copy()
        with self.assertRaisesRegex(wb.TextError, "downhill"):
            wb.World.load(world.save())
        loaded = wb.World.load(world.save(), rules={"downhill": Downhill})
        self.assertEqual(rule.decided, 50)
        for other in (world, copied, loaded):
            other.step(100)
        self.assertEqual(rule.decided, 150)
        self.assertEqual({copied.hash(), loaded.hash()}, {world.hash()})

    def test_a_rule_without_a_name_is_not_saved(self):
        class Still(wb.Traffic):
            def decide(self, view):
                return None

        world = walkers(Still(), 5)
        world.step(5)
        self.assertEqual(world.counts()["moves"], 0)
        with self.assertRaisesRegex(wb.LimitError, "no name"):
            world.save()

    def test_exceptions_of_a_rule_come_out_of_step(self):
        class Bad(wb.Traffic):
            answer = None

            def decide(self, view):
                if isinstance(self.answer, Exception):
                    raise self.answer
                return self.answer

        rule = Bad()
        world = walkers(rule, 5)
        rule.answer = KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            world.step()
        for answer, pattern in [
            ([0, 0], "shape"), ([0] * 4 + [999], r"decide\(\)\[4\]"), ([[7, 0]], r"decide\(\)\[0\]"), ("east", "whole numbers"),
        ]:
            rule.answer = answer
            with self.assertRaisesRegex(wb.ArgumentError, pattern):
                world.step()
        self.assertEqual((world.tick, world.counts()["moves"]), (5, 0))
        rule.answer = [[3, 3], [1, 3]]
        world.step()
        self.assertEqual(world.counts()["moves"], 2)

    def test_a_rule_cannot_step_its_world(self):
        class Recursive(wb.Traffic):
            def decide(self, view):
                self.world.step()

            def __deepcopy__(self, memo):
                return self

        rule = Recursive()
        rule.world = walkers(rule, 2)
        with self.assertRaises(wb.BusyError):
            rule.world.step()

    def test_a_rule_that_follows_paths(self):
        class Follow(wb.Traffic):
            needs_paths = True

            def decide(self, view):
                return np.where(view.rows["primitive"] == 255, view.rows["next"], 255)

        agents = [wb.Spawn(0, (0, y, "E"), orders=wb.Order.goto((9, y))) for y in range(4)]
        world = wb.World(wb.Map(10, 4), [cart()], agents, rule=Follow())
        world.step(40)
        self.assertEqual(world.counts()["orders_done"], 4)


class Planners(unittest.TestCase):
    def test_a_planner_answers_the_requests(self):
        grid = wb.Map.from_rows(["......", ".@@@@.", "......"])
        tables = wb.Tables(grid, cart())
        asked = []

        class Mine(wb.Planner):
            def plan(self, request):
                asked.append(request.agent)
                answer = tables.plan(request.start, request.goals, within=request.within)
                return answer.moves if answer.found else None

        agents = [wb.Spawn(0, (0, 2 * i, "E"), orders=wb.Order.goto((5, 2 * i))) for i in range(2)]
        world = wb.World(grid, [cart()], agents, planner=Mine())
        world.step(1)
        self.assertEqual([(r.agent, r.start, r.class_) for r in world.path_requests()], [(0, (0, 0, 0), 0), (1, (0, 2, 0), 0)])
        while not world.nothing_left and world.tick < 100:
            world.step()
        self.assertEqual(world.counts()["orders_done"], 2)
        self.assertEqual(asked, [0, 1])

    def test_its_exceptions_come_out_of_step(self):
        class Bad(wb.Planner):
            def plan(self, request):
                return [1.5]

        world = wb.World(wb.Map(5, 5), [cart()], [wb.Spawn(0, (0, 0, 0), orders=wb.Order.goto((3, 3)))], planner=Bad())
        with self.assertRaisesRegex(wb.ArgumentError, r"plan\(\)"):
            world.step(3)


if __name__ == "__main__":
    unittest.main()
