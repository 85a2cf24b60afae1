"""Maps, classes, tables, paths and fields."""

import copy
import threading
import unittest

import numpy as np

import wheelbase as wb
from scenes import VEHICLE, cart, truck

ROWS = [".....", "..@..", "..@..", "....."]


class Maps(unittest.TestCase):
    def test_a_map_is_made_read_edited_and_copied(self):
        grid = wb.Map.from_rows(ROWS)
        self.assertEqual((grid.width, grid.height, grid.shape, grid.revision), (5, 4, "square", 0))
        self.assertEqual(grid.terrain_names, ["ground", "swamp", "water", "trees", "out"])
        self.assertEqual(grid.terrain.shape, (4, 5))
        self.assertEqual(grid.terrain[1, 2], grid.terrain_names.index("out"))
        before = copy.copy(grid)
        self.assertEqual(grid.edit([("terrain", (2, 0, 1, 4), "water")]), wb.Rect(2, 0, 1, 4))
        self.assertEqual(set(grid.terrain[:, 2]), {grid.terrain_names.index("water")})
        self.assertEqual(before.revision, 0)
        self.assertEqual(before.terrain[0, 2], 0)

    def test_other_sources(self):
        cells = wb.Map.from_cells(np.array([[0, 1, 0], [1, 1, 0]]), [("grass", 900), ("mud", 300, "m")])
        self.assertEqual((cells.width, cells.height, cells.terrain_names[:2]), (3, 2, ["grass", "mud"]))
        text = "type octile\nheight 1\nwidth 3\nmap\n.@.\n"
        self.assertEqual(wb.Map.parse("x.map", text).terrain.tolist(), wb.Map.from_rows([".@."]).terrain.tolist())
        maze = wb.Map.generate("maze", 33, 17, 5)
        self.assertTrue(np.array_equal(maze.terrain, wb.Map.generate("maze", 33, 17, 5).terrain))
        self.assertEqual(wb.Map(4, 3, shape="hex").shape, "hex")

    def test_terrain_is_read_only_and_stays(self):
        grid = wb.Map.from_rows(ROWS)
        terrain = grid.terrain
        with self.assertRaises(ValueError):
            terrain[0, 0] = 3
        with self.assertRaises(ValueError):
            terrain.flags.writeable = True
        grid.edit([("terrain", (0, 0, 5, 4), "out")])
        self.assertEqual(terrain[0, 0], 0)
        frame = grid.frame(scale=8)
        self.assertEqual((frame.shape, frame.dtype), ((32, 40, 3), np.uint8))
        self.assertEqual(len(np.unique(wb.Map.from_rows(ROWS).frame(scale=4).reshape(-1, 3), axis=0)), 2)


class Planning(unittest.TestCase):
    def test_a_path_goes_around_and_an_edit_closes_the_way(self):
        grid = wb.Map.from_rows(ROWS)
        tables = wb.Tables(grid, cart())
        answer = tables.plan((0, 1, "E"), (4, 1))
        self.assertTrue(answer.found)
        self.assertEqual((answer.status, answer.reached), ("found", "goal"))
        self.assertEqual(answer.path[0].tolist(), (0, 1, 0, 0))
        self.assertEqual(answer.path[-1]["arrival"], answer.cost)
        self.assertEqual(len(answer.moves) + 1, len(answer.path))
        self.assertEqual(tables.check_moves((0, 1, "E"), answer.moves)[2], answer.cost)
        field = wb.Field.to_goal(tables, (4, 1))
        self.assertEqual(field.cost((0, 1, "E")), answer.cost)
        self.assertEqual(field.costs()[1, 0, 0], answer.cost)
        self.assertEqual(field.path((0, 1, 0)).cost, answer.cost)
        self.assertIn(field.next((0, 1, 0))[0], range(4))
        changed = grid.edit([("terrain", (2, 0, 1, 4), "out")])
        self.assertEqual(tables.update(grid, changed), (True, False))
        with self.assertRaisesRegex(wb.ArgumentError, "repair"):
            field.cost((0, 1, 0))
        field.repair(changed)
        self.assertIsNone(field.cost((0, 1, 0)))
        self.assertEqual(field.costs()[1, 0, 0], wb.NEVER)
        none = tables.plan((0, 1, "E"), (4, 1))
        self.assertEqual((none.status, len(none.path), len(none.moves)), ("unreachable", 0, 0))
        self.assertTrue(tables.explain(grid, none))
        self.assertIn("out", tables.explain_move(grid, (1, 1, "E"), "forward"))
        self.assertEqual(tables.explain_pose(grid, (1, 1, "E")), "")
        self.assertIsNone(tables.move((1, 1, 0), 0))
        self.assertEqual(tables.move((0, 1, 0), "forward"), ((1, 1, 0), 2))
        self.assertIs(tables.connected((0, 0), (4, 0)), False)
        near = tables.plan((0, 1, "E"), (4, 1), fallback="nearest")
        self.assertEqual((near.reached, near.path[-1]["x"]), ("nearest", 1))

    def test_arrays_over_all_poses(self):
        grid = wb.Map.from_rows(ROWS)
        tables = wb.Tables(grid, truck())
        legal = tables.legal()
        self.assertEqual(legal.shape, tables.shape)
        self.assertEqual(legal.shape, (4, 5, 4))
        costs = wb.Field.from_pose(tables, (0, 0, "E")).costs()
        for y in range(4):
            for x in range(5):
                for heading in range(4):
                    self.assertEqual(bool(legal[y, x, heading]), tables.is_legal((x, y, heading)))
                    answer = tables.plan((0, 0, 0), (x, y, heading))
                    expected = answer.cost if answer.found else wb.NEVER
                    self.assertEqual(costs[y, x, heading], expected)
        reached = wb.Field.from_pose(tables, (0, 0, "E")).within(4)
        self.assertEqual(len(reached), int((costs <= 4).sum()))

    def test_a_batch_is_what_single_requests_are_with_any_threads(self):
        grid = wb.Map.generate("rooms", 64, 64, 3)
        tables = wb.Tables(grid, cart())
        random = np.random.default_rng(1)
        starts = np.column_stack([random.integers(0, 64, (200, 2)), random.integers(0, 4, 200)])
        goals = random.integers(0, 64, (200, 2))
        one, two = (tables.plan_batch(starts, goals, threads=threads) for threads in (1, 2))
        for name in ("status", "cost", "expansions", "offsets", "path", "moves"):
            self.assertTrue(np.array_equal(getattr(one, name), getattr(two, name)), name)
        self.assertEqual(len(one), 200)
        self.assertEqual(one.offsets[-1], len(one.path))
        self.assertGreater((one.status == 0).sum(), 50)
        for i in range(0, 200, 7):
            answer = tables.plan(tuple(starts[i]), tuple(goals[i]))
            self.assertEqual(wb.STATUSES[one.status[i]], answer.status)
            path = slice(int(one.offsets[i]), int(one.offsets[i + 1]))
            self.assertTrue(np.array_equal(one.path[path], answer.path))
            self.assertTrue(np.array_equal(one.moves[path][:-1], answer.moves))
        self.assertEqual(len(tables.plan_batch(np.zeros((0, 3), int), np.zeros((0, 2), int))), 0)

    def test_several_threads_plan_on_the_same_tables(self):
        tables = wb.Tables(wb.Map.generate("rooms", 96, 96, 3), cart())
        goals = [(x, y) for x in range(4, 90, 12) for y in range(4, 90, 12)]
        expected = [tables.plan((1, 1, 0), goal).cost for goal in goals]
        found = [[] for _ in range(3)]
        threads = [
            threading.Thread(target=lambda to=to: to.extend(tables.plan((1, 1, 0), goal).cost for goal in goals))
            for to in found
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 3)

    def test_classes(self):
        octile = wb.Class.octile()
        self.assertEqual((octile.name, octile.headings, len(octile.primitives)), ("octile", 1, 8))
        text = 'headings = 4\nfootprint = [">X", "XX"]\nmoves = [{ name = "on", by = [1, 0], time = 3 }]\n'
        tank = wb.Class.parse("tank.toml", "[class.tank]\n" + text)
        self.assertEqual((tank.name, tank.primitives, len(tank.cells((5, 5, "N")))), ("tank", ["on"], 4))
        self.assertEqual(sorted(truck().cells((3, 3, "E"))), [(3, 3), (3, 4), (4, 3), (4, 4)])
        tables = wb.Tables(wb.Map(8, 8), octile)
        self.assertEqual(tables.plan((0, 0), (7, 7)).cost, 7 * 14142)


class Errors(unittest.TestCase):
    def fails(self, kind, pattern, call, *args, **options):
        with self.assertRaisesRegex(kind, pattern) as caught:
            call(*args, **options)
        self.assertIsInstance(caught.exception, wb.WheelbaseError)
        return caught.exception

    def test_mistakes_in_texts_have_their_place(self):
        error = self.fails(wb.TextError, "^rows:2:2: ", wb.Map.from_rows, ["..", ".?"])
        self.assertEqual((error.file, error.line, error.column), ("rows", 2, 2))
        text = 'name = "x"\nticks = 10\nseed = -1\n[map]\nrows = ["..", "."]\n'
        error = self.fails(wb.TextError, r"bad\.toml:3:8: seed", wb.World.parse, "bad.toml", text)
        self.assertEqual(error.places[0], wb.Place("bad.toml", 3, 8))
        self.assertEqual((error.file, error.line, error.column), ("bad.toml", 3, 8))
        error = self.fails(wb.TextError, "no/such.toml", wb.World.open, "no/such.toml")
        self.assertEqual((error.file, error.line), ("no/such.toml", None))
        self.fails(wb.TextError, "cart.toml:1", wb.Class.parse, "cart.toml", "[class.cart]\nheadings = 4\n")

    def test_wrong_arguments_are_named(self):
        grid = wb.Map(8, 8)
        tables = wb.Tables(grid, cart())
        bad = [
            ("`width` is 1.5", lambda: wb.Map(1.5, 2)),
            ("0", lambda: wb.Map(0, 2)),
            ('`shape` is "round", expected "square" or "hex"', lambda: wb.Map(2, 2, shape="round")),
            (r"`cells\[0, 1\]` is 9", lambda: wb.Map.from_cells([[0, 9]], [("grass", 1000)])),
            ("`cells` has 1 dimensions", lambda: wb.Map.from_cells([0, 9], [("grass", 1000)])),
            (r"`changes\[0\]\[2\]` is \"lava\"", lambda: grid.edit([("terrain", (0, 0, 1, 1), "lava")])),
            (r"`changes\[0\]`: terrain kind 77", lambda: grid.edit([("terrain", (0, 0, 1, 1), 77)])),
            (r"`changes\[1\]` is 5", lambda: grid.edit([("rotate", (0, 0), 1), 5])),
            ("headings", lambda: wb.Class("c", VEHICLE, headings=5)),
            (r"`primitives\[0\]` has the key 'tiem'", lambda: wb.Class("c", [{"name": "f", "tiem": 3}])),
            (r"`primitives\[0\].time` is missing", lambda: wb.Class("c", [{"name": "f"}])),
            ("`pivot`", lambda: wb.Class("c", VEHICLE, pivot=(0.3, 0))),
            ("`start` is 5", lambda: tables.plan(5, (1, 1))),
            (r"`start\[2\]` is \"NE\"", lambda: tables.plan((0, 0, "NE"), (1, 1))),
            (r"`start\[0\]` is 1e\+?99|`start\[0\]`", lambda: tables.plan((1e99, 0, 0), (1, 1))),
            ("`goal` is empty", lambda: tables.plan((0, 0, 0), [])),
            (r"`goal\[2\]` is 9", lambda: tables.plan((0, 0, 0), (1, 1, 9))),
            ("`weight` is 999", lambda: tables.plan((0, 0, 0), (1, 1), weight=999)),
            ('`heuristic` is "good"', lambda: tables.plan((0, 0, 0), (1, 1), heuristic="good")),
            ("`window`", lambda: tables.plan((0, 0, 0), (1, 1), window=(1, 2))),
            ("`starts` is of shape", lambda: tables.plan_batch([[1]], [[1, 1]])),
            (r"`goals\[0\]`", lambda: tables.plan_batch([[1, 1, 1]], [[1, 1, 7]])),
            ("`goals` has 2 rows, expected 1", lambda: tables.plan_batch([[1, 1, 1]], [[1, 1], [2, 2]])),
            ("`starts` is .*, expected an array of whole numbers", lambda: tables.plan_batch([[0.5, 1, 1]], [[1, 1]])),
            ("`threads` is 5000", lambda: tables.plan_batch([[1, 1, 1]], [[1, 1]], threads=5000)),
            ('`primitive` is "jump"', lambda: tables.move((0, 0, 0), "jump")),
            ("the map is of", lambda: tables.update(wb.Map(3, 3), (0, 0, 1, 1))),
        ]
        for pattern, call in bad:
            self.fails(wb.ArgumentError, pattern, call)
        self.assertIsInstance(self.fails(wb.ArgumentError, ".", wb.Map, "a", 2), ValueError)


if __name__ == "__main__":
    unittest.main()
