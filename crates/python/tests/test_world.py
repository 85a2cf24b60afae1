"""Worlds: rows, events, commands, questions, saving, copying, threads and processes."""

import copy
import gc
import multiprocessing
import os
import pathlib
import tempfile
import threading
import unittest

import numpy as np

import wheelbase as wb
from scenes import ROOT, SCENARIO, cart, crowd


def address(array):
    return array.__array_interface__["data"][0]


def hash_after(world, ticks):
    world.step(ticks)
    return world.hash()


class Rows(unittest.TestCase):
    def test_a_scenario_runs_to_its_end(self):
        world = wb.World.open(SCENARIO)
        while world.step():
            pass
        counts = world.counts()
        self.assertGreater(counts["orders_done"], 0)
        self.assertEqual(counts["orders_unreachable"], 0)
        text = SCENARIO.read_text()
        again = wb.World.parse(str(SCENARIO), text, {p.name: p.read_bytes() for p in SCENARIO.parent.glob("*.map")})
        while again.step():
            pass
        self.assertEqual((again.tick, again.hash()), (world.tick, world.hash()))

    def test_rows_are_arrays_of_the_last_step(self):
        world = crowd()
        self.assertEqual((len(world.agents), len(world.events), world.tick), (40, 0, 0))
        self.assertEqual(world.agents.dtype, wb.AGENT_DTYPE)
        self.assertEqual(world.agents["to_x"].tolist(), [2 * (i % 10) for i in range(40)])
        world.step()
        self.assertEqual(world.tick, 1)
        kinds = {wb.EVENTS[kind] for kind in world.events["kind"]}
        self.assertIn("path_found", kinds)
        world.step(4)
        moving = world.agents[world.agents["primitive"] != 255]
        self.assertGreater(len(moving), 20)
        self.assertTrue((moving["end_tick"] > moving["begin_tick"]).all())

    def test_views_never_change_and_buffers_are_used_again_when_no_view_is_left(self):
        world = crowd()
        kept, copies = [], []
        for _ in range(12):
            world.step()
            rows = world.agents
            with self.assertRaises(ValueError):
                rows["to_x"][0] = 1
            with self.assertRaises(ValueError):
                rows.flags.writeable = True
            kept.append(rows["to_x"][::2])
            copies.append(rows["to_x"][::2].copy())
        del rows
        for view, was in zip(kept, copies):
            self.assertTrue(np.array_equal(view, was))
        addresses = {address(view) for view in kept}
        self.assertEqual(len(addresses), 12)
        kept.clear()
        gc.collect()
        seen = set()
        for _ in range(50):
            world.step()
            seen.add(address(world.agents))
        self.assertLessEqual(len(seen), 4)

    def test_a_view_outlives_its_world(self):
        world = crowd()
        world.step(5)
        rows = world.agents
        was = rows.copy()
        del world
        gc.collect()
        self.assertTrue(np.array_equal(rows, was))

    def test_frames(self):
        world = crowd()
        frame = world.frame(scale=6)
        self.assertEqual((frame.shape, frame.dtype), ((240, 240, 3), np.uint8))
        world.step(20)
        self.assertFalse(np.array_equal(frame, world.frame(scale=6)))
        self.assertEqual(world.frame(area=(0, 0, 10, 5), scale=4).shape, (20, 40, 3))
        self.assertFalse(np.array_equal(world.frame(), world.frame(time=world.tick - 0.5)))
        with self.assertRaisesRegex(wb.ArgumentError, "`scale` is 0"):
            world.frame(scale=0)
        with self.assertRaisesRegex(wb.ArgumentError, "on the map"):
            world.frame(area=(90, 90, 2, 2))


class Commands(unittest.TestCase):
    def events(self, world, ticks=1):
        found = []
        for _ in range(ticks):
            world.step()
            found += [(wb.EVENTS[e["kind"]], int(e["agent"]), int(e["a"]), int(e["ticket"])) for e in world.events]
        return found

    def test_events_have_details(self):
        world = wb.World(wb.Map(30, 30), [cart()])
        world.spawn("cart", (0, 0, "E"), team=2)
        ticket = world.spawn("cart", (0, 0, "N"))
        world.step()
        spawned, refused = world.event_details(0), world.event_details(1)
        self.assertEqual((spawned["team"], spawned["pose"], spawned["blocker"]), (2, (0, 0, 0), None))
        self.assertEqual((refused["ticket"], refused["blocker"], refused["pose"]), (ticket, 0, (0, 0, 1)))
        waits = world.edit([("terrain", (0, 0, 2, 1), 2)])
        world.hold(0)
        world.step()
        found = [world.event_details(at) for at, e in enumerate(world.events) if wb.EVENTS[e["kind"]] == "edit_waits"]
        self.assertEqual([(e["ticket"], e["area"], e["agents"]) for e in found], [(waits, (0, 0, 2, 1), [0])])
        with self.assertRaises(wb.NotFoundError):
            world.event_details(len(world.events))

    def test_patrols_dwell_and_lists_repeat(self):
        world = wb.World(wb.Map(12, 3), [cart()])
        world.spawn("cart", (0, 1, "E"), orders=wb.Order.patrol([(0, 1), (6, 1)], dwell=20))
        stands = [0]
        for _ in range(200):
            world.step()
            row = world.agents[0]
            stands.append(stands[-1] + 1 if row["activity"] == wb.ACTIVITIES.index("dwelling") else 0)
        self.assertIn(max(stands), (19, 20))
        self.assertGreater(stands.count(1), 2)
        world = wb.World(wb.Map(12, 3), [cart()])
        world.spawn("cart", (0, 1, "E"), orders=[wb.Order.goto((6, 1)), wb.Order.goto((0, 1)), wb.Order.repeat(2)])
        done = sum(event[0] == "order_done" for event in self.events(world, 600))
        self.assertGreater(done, 4)

    def test_a_group_waits_for_room(self):
        for if_no_room, placed in [("drop", 2), ("wait", 4)]:
            world = wb.World(wb.Map(12, 1), [cart()])
            orders = wb.Order.goto((11, 0), within=4)
            world.spawn_group("cart", 4, (0, 0, 2, 1), orders=orders, if_no_room=if_no_room)
            for _ in range(100):
                world.step()
            self.assertEqual(len(world.agents), placed, if_no_room)
        with self.assertRaisesRegex(wb.ArgumentError, 'if_no_room. is "stay", expected "drop" or "wait"'):
            world.spawn_group("cart", 1, (0, 0, 1, 1), if_no_room="stay")

    def test_every_verb(self):
        world = wb.World(wb.Map(30, 30), [cart(), wb.Class("other", [{"name": "on", "by": (1, 0), "time": 1}])])
        tickets = [world.spawn("cart", (3 * i, 0, "E"), team=i % 2) for i in range(4)]
        tickets.append(world.spawn_group(0, 3, (0, 10, 10, 5), orders=[wb.Order.wait(3), wb.Order.goto((20, 20))]))
        self.assertEqual(tickets, sorted(set(tickets)))
        spawned = [event for event in self.events(world) if event[0] == "spawned"]
        self.assertEqual([event[1] for event in spawned], list(range(7)))
        world.order(0, wb.Order.goto((0, 5)))
        world.order([0, 1], wb.Order.goto((5, 5, "N"), within=2), append=True)
        world.order(wb.Rect(5, 0, 2, 1), wb.Order.patrol([(6, 9), (9, 9)]))
        world.order(3, wb.Order.follow(2, 3))
        self.assertEqual(len([e for e in self.events(world) if e[0] == "ordered"]), 5)
        world.set_team([0, 1], 5)
        world.set_priority(wb.Rect(0, 0, 30, 30), -3)
        world.set_speed_factor(4, 500)
        world.tasks([5, 6], wb.TaskSource.random((0, 0, 30, 30)))
        world.set_class(3, "other")
        world.hold(1)
        world.stop(0)
        world.edit([("terrain", (29, 29, 1, 1), "water")])
        found = {event[0] for event in self.events(world, 6)}
        self.assertLessEqual(
            {"team_set", "priority_set", "speed_factor_set", "class_set", "tasks_replaced", "edit_done"}
            if "tasks_replaced" in found else
            {"team_set", "priority_set", "speed_factor_set", "class_set", "edit_done"},
            found,
        )
        self.assertEqual(world.terrain[29, 29], 2)
        self.assertEqual(world.agents["team"][:2].tolist(), [5, 5])
        self.assertEqual(wb.ORDERS[world.agents["order_kind"][1]], "hold")
        world.enter([0, 1], 4)
        self.assertEqual([e[1] for e in self.events(world) if e[0] == "entered"], [0, 1])
        self.assertEqual((len(world.agents), world.off_map(4).tolist(), world.off_map(3).tolist()), (5, [0, 1], []))
        world.leave(0, (0, 0, "E"))
        world.leave(1, (9, 9, "E"), or_nearest=False)
        self.assertEqual([e[1] for e in self.events(world) if e[0] in ("left", "refused")], [0, 1])
        self.assertEqual(world.off_map().size, 0)
        world.remove([0, 1])
        self.assertEqual([e[1] for e in self.events(world) if e[0] == "removed"], [0, 1])
        self.assertEqual(len(world.agents), 5)

    def test_what_cannot_be_done_is_an_event_with_the_ticket(self):
        world = crowd(2)
        ticket = world.order(99, wb.Order.goto((1, 1)))
        other = world.spawn(7, (1, 1, 0), at=3)
        events = self.events(world, 4)
        refused = {event[3]: wb.REFUSALS[event[2]] for event in events if event[0] == "refused"}
        self.assertEqual(refused, {ticket: "unknown_agent", other: "unknown_class"})

    def test_commanded_moves(self):
        agents = [wb.Spawn(0, (0, 0, "E")), wb.Spawn(0, (1, 0, "E"))]
        world = wb.World(wb.Map(4, 1), [cart()], agents, rule="commanded")
        world.decide([0, 1], [0, 0])
        world.step()
        self.assertEqual(world.agents["primitive"].tolist(), [255, 0])
        world.step(2)
        world.decide(np.array([0]), np.array([0]))
        world.step(3)
        self.assertEqual(world.agents["to_x"].tolist(), [1, 2])

    def test_questions(self):
        world = crowd(4)
        self.assertEqual(world.agent_at((2, 0)), 1)
        self.assertIsNone(world.agent_at((39, 39)))
        self.assertEqual(world.agents_in((0, 0, 5, 5)).tolist(), [0, 1, 2])
        self.assertTrue(world.can_place("cart", (20, 20, "N")))
        self.assertEqual(world.why_not_place(0, (2, 0, 0)), "pose_held")
        self.assertEqual(world.would_disturb([("terrain", (0, 0, 3, 1), "out")]).tolist(), [0, 1])
        self.assertEqual(world.plan(0, (0, 5)).path[-1]["y"], 5)
        self.assertEqual(world.reach(0, 2)["arrival"].max(), 2)
        self.assertEqual(len(world.path(0)), 1)
        world.step(2)
        self.assertGreater(len(world.path(0)), 10)
        self.assertIn(world.reason_for_waiting(0)["rule"], {"moves", "planned"})
        self.assertEqual(world.class_names, ["cart"])
        self.assertEqual(world.add_class(cart()), 1)
        self.assertEqual((world.class_names, world.landmarks_in_use(1)), (["cart", "cart"], False))
        self.assertEqual(world.class_cells(0, (4, 4, 0)), [(4, 4)])
        self.assertEqual(world.tables("cart").plan((0, 0, 0), (9, 9)).status, "found")
        self.assertEqual(world.map().width, 40)
        world.name_agent(2, "Anna")
        self.assertEqual((world.agent_name(2), world.agent_name(1)), ("Anna", ""))
        with self.assertRaisesRegex(wb.NotFoundError, "no agent of id 99"):
            world.path(99)
        with self.assertRaisesRegex(wb.ArgumentError, "`agent` is 'x'"):
            world.path("x")

    def test_wrong_arguments_are_named(self):
        world = crowd(2)
        bad = [
            ("`agents` is", lambda: world.remove("all")),
            (r"`agents\[1\]` is -5", lambda: world.remove([0, -5])),
            ("`agents` is -5", lambda: world.stop(-5)),
            ("`agents` has 2 dimensions", lambda: world.stop([[0, 1]])),
            (r"`orders\[0\]` is 'go'", lambda: world.order(0, ["go"])),
            ("`orders` is 'go'", lambda: world.order(0, "go")),
            ("`goal`", lambda: wb.Order.goto(5)),
            ("`ticks` is -1", lambda: wb.Order.wait(-1)),
            ("`team` is 300", lambda: world.set_team(0, 300)),
            ("`factor` is 70000", lambda: world.set_speed_factor(0, 70000)),
            ('`class_` is "tank", expected one of cart', lambda: world.spawn("tank", (0, 0, 0))),
            ("`pose` is", lambda: world.spawn("cart", (0, 0))),
            ('`on_agents` is "push"', lambda: world.edit([], on_agents="push")),
            ("`deadline` is missing", lambda: world.edit([], on_agents="wait_strand")),
            ("`primitives` has 1 values, expected 2", lambda: world.decide([0, 1], [0])),
            ("`at` is -1", lambda: world.stop(0, at=-1)),
            ("`threads` is 5000", lambda: world.set_threads(5000)),
            (r"`agents\[0\]` is 5", lambda: wb.World(wb.Map(3, 3), [cart()], [5])),
            (r"`agents\[0\].pose\[2\]` is \"NE\"",
             lambda: wb.World(wb.Map(3, 3), [cart()], [wb.Spawn(0, (0, 0, "NE"))])),
            (r"`classes\[0\]` is 5", lambda: wb.World(wb.Map(3, 3), [5])),
            ('`rule` is "fast"', lambda: wb.World(wb.Map(3, 3), [cart()], rule="fast")),
            ("`rule` is 5", lambda: wb.World(wb.Map(3, 3), [cart()], rule=5)),
            ("`tunables`: .*speediness", lambda: wb.World(wb.Map(3, 3), [cart()], tunables={"speediness": 1})),
            ("agent 1", lambda: wb.World(wb.Map(3, 3), [cart()], [wb.Spawn(0, (0, 0, 0))] * 2)),
        ]
        for pattern, call in bad:
            with self.assertRaisesRegex(wb.ArgumentError, pattern):
                call()
        with self.assertRaises(wb.TextError):
            wb.World.load(b"nonsense")


class Saving(unittest.TestCase):
    def test_saved_copied_and_loaded_worlds_step_alike(self):
        world = crowd()
        world.step(17)
        others = [wb.World.load(world.save()), world.copy(), copy.deepcopy(world), crowd(3)]
        others[-1].copy_from(world)
        self.assertEqual(len(others[-1].agents), 40)
        expected = hash_after(world, 30)
        for other in others:
            self.assertEqual((other.tick, hash_after(other, 30)), (17, expected))
            self.assertTrue(np.array_equal(other.agents, world.agents))

    def test_threads_change_nothing(self):
        self.assertEqual(hash_after(crowd(threads=2), 40), hash_after(crowd(), 40))

    def test_a_recording_is_verified_by_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "crowd.rec")
            world = crowd()
            world.record(path)
            world.step(10)
            world.order(3, wb.Order.goto((0, 30)))
            world.step(10)
            world.finish_recording()
            self.assertGreater(path.stat().st_size, 1000)
            if program := os.environ.get("WHEELBASE_PROGRAM"):
                import subprocess

                subprocess.run([program, "verify", path], check=True, capture_output=True)


class Threads(unittest.TestCase):
    def test_another_thread_that_is_in_the_world_is_an_exception(self):
        world = crowd(60, 60)
        busy, rows = [], []
        done = threading.Event()

        def step():
            world.step(300)
            done.set()

        thread = threading.Thread(target=step)
        thread.start()
        while not done.is_set():
            try:
                world.step()
            except wb.BusyError as error:
                busy.append(error)
            # Rows can be read all the time.
            rows.append(len(world.agents))
        thread.join()
        self.assertGreater(len(busy), 0)
        self.assertRegex(str(busy[0]), "another thread is in this World")
        self.assertEqual(set(rows), {60})

    def test_the_lock_of_the_interpreter_is_free_in_a_step(self):
        world = crowd(60, 60)
        counted = [0]
        stop = threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        world.step(100)
        stop.set()
        thread.join()
        self.assertGreater(counted[0], 100)


def in_child(send, saved, map_and_class):
    grid, carts = map_and_class or (wb.Map.generate("rooms", 48, 48, 3), cart())
    world = wb.World.load(saved, threads=2)
    world.step(20)
    tables = wb.Tables(grid, carts)
    batch = tables.plan_batch([[1, 1, 0]] * 50, [[40, 40]] * 50, threads=2)
    send.put((world.hash(), int(batch.cost.sum())))


def forked_with_world(send, world, tables):
    world.step(20)
    batch = tables.plan_batch([[1, 1, 0]] * 50, [[40, 40]] * 50, threads=2)
    send.put((world.hash(), int(batch.cost.sum())))


class Processes(unittest.TestCase):
    def expected(self):
        world = crowd(threads=2)
        world.step(10)
        tables = wb.Tables(wb.Map.generate("rooms", 48, 48, 3), cart())
        cost = int(tables.plan_batch([[1, 1, 0]] * 50, [[40, 40]] * 50, threads=2).cost.sum())
        other = world.copy()
        return world, tables, (hash_after(other, 20), cost)

    def run_child(self, context, target, *args):
        send = context.Queue()
        child = context.Process(target=target, args=(send, *args))
        child.start()
        found = send.get(timeout=120)
        child.join(120)
        self.assertEqual(child.exitcode, 0)
        return found

    def test_a_spawned_child(self):
        world, _, expected = self.expected()
        self.assertEqual(self.run_child(multiprocessing.get_context("spawn"), in_child, world.save(), None), expected)

    def test_a_forked_child_goes_on_with_the_worlds_and_tables_of_its_parent(self):
        # Pools of both have run in this process.
        world, tables, expected = self.expected()
        context = multiprocessing.get_context("fork")
        self.assertEqual(self.run_child(context, forked_with_world, world, tables), expected)
        # And the parent goes on too.
        self.assertEqual(hash_after(world, 20), expected[0])


class RandomCalls(unittest.TestCase):
    def test_random_calls_raise_and_never_abort(self):
        import random

        from wheelbase.environments import Batch, Scene

        choose = random.Random(7)
        world = crowd(6, 12)
        tables = world.tables(0)
        grid = world.map()
        batch = Batch(Scene(map=wb.Map(9, 9), classes=[cart()], counts=[3]), worlds=2)
        values = [
            None, 0, 1, -1, 3, 255, 2**31, 2**32, 2**63, 2**70, 1.5, float("nan"), "", "E", "cart", "water", b"x", (), [],
            (1, 2), (1, 2, 0), (1, 2, "E"), (99, -99, 3), (2**31 - 1, -2**31, 0), (0, 0, 4, 4), (0, 0, 2**32 - 1, 1),
            [(1, 1)], [0, 1], [0.5], np.arange(4), np.zeros((2, 3), int), np.zeros((0, 2)), wb.Rect(0, 0, 3, 3),
            wb.Order.wait(2), wb.Order.goto((5, 5)), wb.Order.hold(), [wb.Order.stop()], wb.TaskSource.random((0, 0, 5, 5)),
            [("terrain", (0, 0, 1, 1), 2)], [("terrain", (0, 0, 1, 1), 200)], [("rotate", (99, 0), 3)], {}, {"a": 1}, True,
            object(), cart(), grid, tables, world,
        ]
        methods = [
            (owner, name)
            for owner, names in [
                (world, "spawn spawn_group remove order stop hold tasks set_priority set_class set_team set_speed_factor enter leave off_map edit "
                 "decide answer_path agent_at agents_in why_not_place would_disturb plan reach path reason_for_waiting "
                 "class_cells movement_class add_class landmarks_in_use name_agent agent_name frame tables"),
                (tables, "plan plan_batch explain explain_pose explain_move is_legal move check_moves connected"),
                (grid, "edit frame"),
                (wb.Order, "goto goto_group goto_area patrol wait follow tasks"),
                (wb.TaskSource, "random list round_robin"),
                (wb.Field, "to_goal from_pose"),
                (wb, "Map Class Tables Rect Spawn World"),
                (batch, "reset step"),
                (batch.native, "frame"),
            ]
            for name in names.split()
        ]
        n = int(os.environ.get("WHEELBASE_RANDOM_CALLS", "100000"))
        raised = done = 0
        for number in range(n):
            owner, name = choose.choice(methods)
            args = [choose.choice(values) for _ in range(choose.randint(0, 3))]
            if name == "Map" and any(isinstance(a, int) and a > 10**4 for a in args):
                continue
            try:
                getattr(owner, name)(*args)
                done += 1
            except (wb.WheelbaseError, TypeError, ValueError, OverflowError) as error:
                raised += 1
                self.assertTrue(str(error), (name, args))
            if number % 50 == 0:
                world.step()
        self.assertGreater(raised, n // 2)
        self.assertGreater(done, n // 100)


if __name__ == "__main__":
    unittest.main()
