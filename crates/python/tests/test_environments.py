"""Learning environments: interfaces, masks, seeds and a scripted policy."""

import importlib.util
import multiprocessing
import unittest
import warnings

import numpy as np

import wheelbase as wb
from scenes import ROOT, VEHICLE, cart, truck
from wheelbase.environments import SCENES, Batch, Scene, detours

try:
    import gymnasium
    import pettingzoo.test
    from wheelbase.environments import VectorEnv, parallel_env

    MISSING = ""
except ImportError as error:
    MISSING = str(error)

ROVER = [
    {"name": "forward", "by": (1, 0), "time": 2, "when": "straight"},
    {"name": "diagonal", "by": (1, -1), "time": 3, "when": "diagonal"},
    {"name": "left", "turn": 1, "time": 1},
    {"name": "right", "turn": -1, "time": 1},
]
HEXAPOD = [{"name": "forward", "by": (1, 0), "time": 2}, {"name": "left", "turn": 1, "time": 1}]

# A bridge that closes and opens again while agents are on it.
EDITED = """
name = "bridge"
ticks = 1000
collision = "COLLISION"
[map]
rows = [
  "..........WW..........", "..........WW..........", "......................", "......................",
  "......................", "..........WW..........", "..........WW..........",
]
[class.cart]
headings = 4
moves = [
  { name = "forward", by = [1, 0], time = 2 }, { name = "reverse", by = [-1, 0], time = 3 },
  { name = "left", turn = 1, time = 1 }, { name = "right", turn = -1, time = 1 },
]
[[groups]]
class = "cart"
count = 24
area = [0, 0, 22, 7]
[[events]]
tick = 15
set_terrain = { area = [10, 2, 2, 3], kind = "water", on_agents = "wait" }
[[events]]
tick = 40
set_terrain = { area = [10, 2, 2, 3], kind = "ground" }
[[events]]
tick = 60
set_terrain = { area = [3, 0, 1, 3], kind = "swamp", on_agents = "strand" }
"""


def rover():
    return wb.Class("rover", ROVER, headings=8, footprint=[(0, 0), (-1, 0)])


def hexapod():
    return wb.Class("hexapod", HEXAPOD, headings=6, shape="hex", footprint=[(0, 0), (-1, 0)])


def crowded(collision="swept", side=16, counts=(12, 4, 5)):
    """Two classes of several cells, and one with diagonal headings, close together."""
    return Scene(map=wb.Map.generate("random", side, side, 4), classes=[cart(), truck(), rover()], counts=list(counts), collision=collision)


def greedy(observation, random, explore=0.1):
    """The allowed action that makes the way to the goal longer by least; sometimes any."""
    mask = observation["action_mask"] == 1
    costs = np.where(mask & (detours(observation) >= 0), detours(observation), np.inf)
    best = costs.argmin(-1)
    other = np.where(mask, random.random(mask.shape), -1).argmax(-1)
    return np.where(random.random(len(best)) < explore, other, best)


class Masks(unittest.TestCase):
    """A masked-out action is always refused; an allowed one only because of another agent, which is named."""

    JOINT_ACTIONS = 100_000

    def check(self, scene, joint_actions, seed, worlds=50, **options):
        batch = Batch(scene, worlds=worlds, episode_ticks=120, radius=1, goals=2, **options)
        random = np.random.default_rng(seed)
        observation = batch.reset(seed)
        ended = np.zeros(batch.n_agents, bool)
        n, allowed_begun, blocked, masked = batch.agents_per_world, 0, 0, 0
        world_of = np.arange(batch.n_agents) // n
        for _ in range(-(-joint_actions // worlds)):
            mask = observation["action_mask"]
            every = random.integers(0, batch.n_actions, batch.n_agents)
            some = np.where(mask == 1, random.random(mask.shape), -1).argmax(1)
            actions = np.where(random.random(batch.n_agents) < 0.6, some, every)
            is_allowed = mask[np.arange(batch.n_agents), actions] == 1
            observation, outcome = batch.step(actions)
            begun, by = outcome["begun"], outcome["blocked_by"]
            # The step after the end of an episode takes no actions.
            acts = (actions > 0) & ~ended
            self.assertFalse(np.any(begun & ~acts))
            self.assertFalse(np.any(begun & ~is_allowed))
            refused = acts & is_allowed & ~begun
            self.assertTrue(np.all(by[refused] >= 0), "an allowed action was refused, and nobody is named")
            self.assertTrue(np.all(by[refused] != np.flatnonzero(refused)))
            self.assertTrue(np.all(world_of[by[refused]] == world_of[refused]))
            self.assertTrue(np.all(by[begun] == -1))
            allowed_begun, blocked, masked = allowed_begun + begun.sum(), blocked + refused.sum(), masked + (acts & ~is_allowed).sum()
            ended = outcome["terminated"] | outcome["truncated"]
        return int(allowed_begun), int(blocked), int(masked)

    def test_random_joint_actions(self):
        scenes = {
            "swept": crowded(side=26, counts=(20, 8, 8)),
            "discrete": crowded("discrete"),
            "hexagons": Scene(map=wb.Map(9, 9, shape="hex"), classes=[hexapod()], counts=[14]),
            "discrete hexagons": Scene(map=wb.Map(9, 9, shape="hex"), classes=[hexapod()], counts=[14], collision="discrete"),
        }
        share = self.JOINT_ACTIONS // (len(scenes) + 2)
        for seed, (name, scene) in enumerate(scenes.items()):
            with self.subTest(name):
                self.assertGreater(min(self.check(scene, share, seed)), 300)
        for seed, collision in enumerate(["swept", "discrete"]):
            with self.subTest(f"edits, {collision}"):
                world = wb.World.parse("bridge.toml", EDITED.replace("COLLISION", collision))
                self.assertGreater(min(self.check(world, share, seed, starts="given")), 300)

    def test_a_step_of_several_ticks(self):
        for ticks in (3, "until_at_rest"):
            self.assertGreater(min(self.check(crowded(), 2000, 9, ticks_per_step=ticks)), 20)

    def test_alone_an_allowed_action_begins(self):
        # Under the discrete rule one that wants the place of an agent at rest does not: that one stays.
        for collision in ("swept", "discrete"):
            batch = Batch(crowded(collision), worlds=20, radius=0, goals=2)
            random = np.random.default_rng(5)
            observation = batch.reset(5)
            n, n_begun = batch.agents_per_world, 0
            for _ in range(300):
                actions = np.zeros(batch.n_agents, int)
                chosen = np.arange(20) * n + random.integers(0, n, 20)
                mask = observation["action_mask"][chosen]
                actions[chosen] = np.where(mask == 1, random.random(mask.shape), -1).argmax(1)
                acts = actions > 0
                observation, outcome = batch.step(actions)
                refused = acts & ~outcome["begun"]
                n_begun += int(outcome["begun"].sum())
                if collision == "swept":
                    self.assertFalse(refused.any())
                self.assertTrue((outcome["blocked_by"][refused] >= 0).all())
            self.assertGreater(n_begun, 1000)

    def test_two_agents_want_one_cell(self):
        world = wb.World(wb.Map(3, 1), [cart()], [wb.Spawn(0, (0, 0, "E")), wb.Spawn(0, (2, 0, "W"))])
        batch = Batch(world, starts="given", radius=1, goals=2)
        observation = batch.reset(0)
        # Wait, forward, reverse (off the map), left, right.
        self.assertEqual(observation["action_mask"].tolist(), [[1, 1, 0, 1, 1]] * 2)
        observation, outcome = batch.step([1, 1])
        self.assertEqual(outcome["begun"].tolist(), [True, False])
        self.assertEqual(outcome["blocked_by"].tolist(), [-1, 0])
        # The first is under way and holds the middle; the other may turn.
        self.assertEqual(observation["action_mask"].tolist(), [[1, 0, 0, 0, 0], [1, 0, 0, 1, 1]])

    def test_the_world_decides_alike(self):
        # The same actions given to a World by commands lead to the same state.
        def made():
            return wb.World(wb.Map(8, 8), [cart()], [wb.Spawn(0, (x, y, "E")) for x in (1, 4, 6) for y in (2, 5)], rule="commanded")

        batch, world = Batch(made(), starts="given", goals=4), made()
        observation, random = batch.reset(3), np.random.default_rng(3)
        for tick in range(60):
            actions = np.where(observation["action_mask"] == 1, random.random(observation["action_mask"].shape), -1).argmax(1)
            order = [(tick + k) % 6 for k in range(6)]
            moving = [agent for agent in order if actions[agent] > 0]
            if moving:
                world.decide(moving, [int(actions[agent]) - 1 for agent in moving])
            world.step()
            observation, _ = batch.step(actions)
            self.assertEqual(batch.native.hashes(), [world.hash()])


class Observations(unittest.TestCase):
    def test_window_and_own_numbers(self):
        grid = wb.Map.from_rows([".....", ".@...", "....."])
        world = wb.World(grid, [truck()], [wb.Spawn(0, (3, 0, "E"))])
        batch = Batch(world, starts="given", radius=2, goals=2)
        observation = batch.reset(1)
        planes = dict(zip(batch.planes, observation["window"][0]))
        self.assertEqual(list(planes), ["terrain", "bodies", "own", "goal"])
        # The agent's anchor is in the middle, at (2, 2) of the window.
        self.assertEqual(planes["terrain"].tolist(), [[0] * 5, [0] * 5, [100, 100, 100, 100, 0], [0, 100, 100, 100, 0], [100, 100, 100, 100, 0]])
        self.assertEqual(np.argwhere(planes["own"]).tolist(), [[2, 2], [2, 3], [3, 2], [3, 3]])
        self.assertFalse(planes["bodies"].any())
        own = dict(zip(batch.own_names, observation["own"][0].tolist()))
        self.assertEqual([own[f"heading_{h}"] for h in range(4)], [1, 0, 0, 0])
        x, y = 3 + own["goal_dx"], own["goal_dy"]
        self.assertEqual(own["cost_to_go"], wb.Tables(grid, truck()).plan((3, 0, "E"), (int(x), int(y))).cost)
        allowed = observation["action_mask"][0] == 1
        self.assertEqual(detours(observation)[0][1:][allowed[1:]].min(), 0)

    def test_bodies_sides_and_heights(self):
        text = """
name = "walls"
ticks = 10
[map]
rows = ["....", "...."]
elevation = [[0, 3, 0, 0], [0, 0, -2, 0]]
walls = [[1, 0, 1, 1]]
[class.cart]
headings = 4
moves = [{ name = "forward", by = [1, 0], time = 2 }, { name = "left", turn = 1, time = 1 }]
[[agents]]
class = "cart"
at = [1, 0, "E"]
[[agents]]
class = "cart"
at = [2, 1, "N"]
"""
        batch = Batch(wb.World.parse("walls.toml", text), starts="given", radius=1, goals=2)
        self.assertEqual(batch.planes, ["terrain", "sides", "heights", "bodies", "own", "goal"])
        planes = dict(zip(batch.planes, batch.reset(0)["window"][0]))
        self.assertEqual(planes["heights"].tolist(), [[128, 128, 128], [125, 128, 125], [125, 125, 123]])
        self.assertEqual(planes["bodies"].tolist(), [[0, 0, 0], [0, 0, 0], [0, 0, 1]])
        # The wall is between the first two cells: a side of each, east and west, is closed.
        sides = planes["sides"][1]
        self.assertEqual(sides.tolist(), [1 << 0, 1 << 2, 0])
        observation, _ = batch.step([1, 0])
        planes = dict(zip(batch.planes, observation["window"][1]))
        self.assertEqual(planes["bodies"].tolist(), [[2, 2, 0], [0, 0, 0], [0, 0, 0]])

    def test_costs_follow_edits(self):
        starts = [(1, 3, "E"), (20, 3, "W"), (5, 5, "N"), (16, 1, "S")]
        agents = "".join(f'[[agents]]\nclass = "cart"\nat = [{x}, {y}, "{h}"]\n' for x, y, h in starts)
        groups = EDITED[EDITED.index("[[groups]]") : EDITED.index("[[events]]")]
        text = EDITED.replace("COLLISION", "swept").replace(groups, agents)
        world = wb.World.parse("bridge.toml", text)
        grid, cart_of_text = world.map(), wb.Class.parse("bridge.toml", text, "cart")
        batch = Batch(world, starts="given", goals=6, radius=2)
        at = {name: number for number, name in enumerate(batch.own_names)}
        observation, n_closed = batch.reset(2), 0
        edits = {15: ("terrain", (10, 2, 2, 3), "water"), 40: ("terrain", (10, 2, 2, 3), "ground"), 60: ("terrain", (3, 0, 1, 3), "swamp")}
        for tick in range(65):
            observation, _ = batch.step(np.zeros(4, int))
            if tick not in edits:
                continue
            grid.edit([edits[tick]])
            tables = wb.Tables(grid, cart_of_text)
            for start, own in zip(starts, observation["own"], strict=True):
                goal = (start[0] + int(own[at["goal_dx"]]), start[1] + int(own[at["goal_dy"]]))
                answer = tables.plan(start, goal)
                self.assertEqual(own[at["cost_to_go"]], answer.cost if answer.found else -1, (tick, start, goal))
                n_closed += not answer.found
        self.assertGreater(n_closed, 0)

    def test_arrays_never_change(self):
        batch = Batch(crowded(), worlds=2)
        first = batch.reset(1)
        kept = {name: part.copy() for name, part in first.items()}
        with self.assertRaises(ValueError):
            first["window"][0] = 1
        for _ in range(20):
            batch.step(np.ones(batch.n_agents, int))
        for name, part in first.items():
            np.testing.assert_array_equal(part, kept[name])


class Seeds(unittest.TestCase):
    def run_of(self, seed, threads, scene=None, steps=150):
        batch = Batch(scene or crowded(), worlds=6, threads=threads, episode_ticks=50)
        observation, random, seen = batch.reset(seed), np.random.default_rng(seed), []
        for _ in range(steps):
            observation, outcome = batch.step(greedy(observation, random))
            seen += [*observation.values(), *outcome.values()]
        return seen, batch.native.hashes()

    def test_seeds_and_threads(self):
        (one, hashes), (two, others) = self.run_of(7, 1), self.run_of(7, 2)
        self.assertEqual(hashes, others)
        for a, b in zip(one, two, strict=True):
            np.testing.assert_array_equal(a, b)
        self.assertNotEqual(self.run_of(8, 1, steps=1)[1], self.run_of(7, 1, steps=1)[1])
        self.assertEqual(len(set(hashes)), 6)

    def test_reset_begins_again(self):
        batch = Batch(crowded(), worlds=3)
        first = batch.reset(5)
        for _ in range(30):
            batch.step(np.ones(batch.n_agents, int))
        again = batch.reset(5)
        for name in first:
            np.testing.assert_array_equal(first[name], again[name])

    @unittest.skipUnless("fork" in multiprocessing.get_all_start_methods(), "no fork on this system")
    def test_a_forked_child_goes_on(self):
        batch = Batch(crowded(), worlds=4, threads=2)
        observation = batch.reset(1)
        actions = greedy(observation, np.random.default_rng(1))
        here = multiprocessing.get_context("fork")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            queue = here.SimpleQueue()
            child = here.Process(target=lambda: queue.put((batch.step(actions), batch.native.hashes())[1]))
            child.start()
            child.join(60)
        self.assertEqual(child.exitcode, 0)
        batch.step(actions)
        self.assertEqual(queue.get(), batch.native.hashes())


class Episodes(unittest.TestCase):
    def test_a_scripted_policy_reaches_its_goals(self):
        scene = Scene(map=wb.Map.generate("rooms", 32, 32, 2), classes=[cart(), truck()], counts=[6, 4])
        batch = Batch(scene, worlds=4, episode_ticks=10_000)
        example = importlib.util.spec_from_file_location("example", ROOT / "crates/python/examples/scripted_policy.py")
        module = importlib.util.module_from_spec(example)
        example.loader.exec_module(module)
        policy = module.ScriptedPolicy(batch.n_agents)
        observation, arrived = batch.reset(2), np.zeros(batch.n_agents, int)
        for _ in range(1500):
            observation, outcome = batch.step(policy.act(observation))
            arrived += outcome["arrived"]
            np.testing.assert_array_equal(outcome["reward"], outcome["arrived"])
        self.assertGreaterEqual(arrived.min(), 2)

    def test_all_stay_at_their_goals(self):
        scene = Scene(map=wb.Map(20, 20), classes=[cart(), truck()], counts=[5, 3])
        batch = Batch(scene, worlds=8, on_arrival="stay", episode_ticks=2000)
        observation, random, ended = batch.reset(4), np.random.default_rng(4), np.zeros(batch.n_agents, int)
        reward = np.zeros(batch.n_agents)
        for _ in range(700):
            at_goal = observation["own"][:, batch.own_names.index("cost_to_go")] == 0
            actions = np.where(at_goal & (random.random(batch.n_agents) < 0.9), 0, greedy(observation, random))
            observation, outcome = batch.step(actions)
            reward += outcome["reward"]
            ended += outcome["terminated"]
            self.assertEqual(len(set(outcome["terminated"].reshape(8, -1).sum(1)) - {0, 8}), 0)
        self.assertGreater(ended.sum(), 0)
        self.assertTrue((reward >= ended).all())

    def test_the_step_after_the_end_begins_anew(self):
        batch = Batch(crowded(), worlds=2, episode_ticks=5)
        batch.reset(1)
        for step in range(1, 13):
            observation, outcome = batch.step(np.ones(batch.n_agents, int))
            self.assertEqual(outcome["truncated"].all(), step % 6 == 5)
            if step % 6 == 0:
                self.assertFalse(outcome["begun"].any())
                self.assertFalse(outcome["reward"].any())
        self.assertFalse((observation["own"][:, batch.own_names.index("busy_ticks")]).any())

    def test_registered_scenes(self):
        for name in SCENES:
            with self.subTest(name):
                batch = Batch(name, worlds=1)
                observation = batch.reset(0)
                self.assertTrue(np.isfinite(observation["own"]).all())
                self.assertTrue((observation["own"][:, batch.own_names.index("cost_to_go")] > 0).all())
                observation, _ = batch.step(greedy(observation, np.random.default_rng(0)))
                self.assertEqual(len(batch.native.action_names), len(set(batch.native.classes)))

    def test_a_scenario(self):
        world = wb.World.open(ROOT / "scenarios/first/12_crowd.toml")
        batch = Batch(world, worlds=2)
        observation = batch.reset(0)
        batch.step(greedy(observation, np.random.default_rng(0)))
        self.assertEqual(batch.native.frame().shape[2], 3)


class Arguments(unittest.TestCase):
    def refused(self, says, error=wb.ArgumentError, scene=None, **options):
        with self.assertRaises(error) as caught:
            Batch(scene or crowded(), **options)
        self.assertIn(says, str(caught.exception))

    def test_wrong_arguments(self):
        self.refused("`worlds` is 0", worlds=0)
        self.refused("`radius` is 128", radius=128)
        self.refused("`ticks_per_step` is 0", ticks_per_step=0)
        self.refused("`ticks_per_step` is 'soon'", ticks_per_step="soon")
        self.refused("`episode_ticks` is 0", episode_ticks=0)
        self.refused("`on_arrival` is \"vanish\"", on_arrival="vanish")
        self.refused("`starts` is \"given\"", starts="given")
        self.refused("`goals` is 0", goals=0)
        self.refused("`goals` is 2", goals=2, on_arrival="stay")
        self.refused("`threads` is 5000", threads=5000)
        self.refused("agents, expected at most", worlds=65536)
        self.refused("room for", wb.LimitError, goals=1000)
        self.refused("`scene` is 'wheelbase/None-v1'", scene="wheelbase/None-v1")
        self.refused("`counts` has 1", scene=Scene(map=wb.Map(4, 4), classes=[cart(), truck()], counts=[1]))
        self.refused("0 agents", scene=Scene(map=wb.Map(4, 4), classes=[cart()], counts=[0]))
        self.refused("no room was found", wb.LimitError, scene=Scene(map=wb.Map(4, 4), classes=[cart()], counts=[17]))
        stepped = wb.World(wb.Map(4, 4), [cart()], [wb.Spawn(0, (0, 0, "E"))])
        stepped.step()
        self.refused("`world` has stepped", scene=stepped)
        self.refused("no agents", scene=wb.World(wb.Map(4, 4), [cart()]))
        island = wb.Map.from_rows(["..@......", "..@......", "..@......"])
        agents = [wb.Spawn(0, (x, 0, "E")) for x in (0, 4, 6, 8)]
        self.refused("reaches no goal", scene=wb.World(island, [cart()], agents), starts="given", scene_seed=3)
        text = EDITED.replace("COLLISION", "swept").replace('on_agents = "wait"', 'on_agents = "remove"')
        self.refused("removes agents", scene=wb.World.parse("removes.toml", text))

    def test_wrong_actions(self):
        batch = Batch(crowded())
        batch.reset(0)
        n = batch.n_agents
        for actions, says in [
            (np.zeros(n - 1, int), "`actions` is of shape"),
            (np.full(n, 99), "`actions[0]` is 99"),
            (np.full(n, -1), "`actions[0]` is -1"),
            (np.zeros(n), "whole numbers"),
        ]:
            with self.assertRaises(wb.ArgumentError) as caught:
                batch.step(actions)
            self.assertIn(says, str(caught.exception))
        with self.assertRaises(wb.ArgumentError):
            batch.native.frame(1)


@unittest.skipIf(MISSING, MISSING)
class PettingZoo(unittest.TestCase):
    def test_api(self):
        for name in ("wheelbase/Crossing-v1", "wheelbase/Hexagons-v1", "wheelbase/UnitRobots-v1"):
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                pettingzoo.test.parallel_api_test(parallel_env(name, episode_ticks=60), num_cycles=200)

    def test_seeds(self):
        pettingzoo.test.parallel_seed_test(lambda: parallel_env("wheelbase/Crossing-v1", episode_ticks=60), num_cycles=30)

    def test_infos_name_agents(self):
        world = wb.World(wb.Map(3, 1), [cart()], [wb.Spawn(0, (0, 0, "E")), wb.Spawn(0, (2, 0, "W"))])
        env = parallel_env(world, starts="given", goals=2, render_mode="rgb_array")
        observations, infos = env.reset(seed=1)
        self.assertEqual((env.agents, infos), (["cart_0", "cart_1"], {"cart_0": {}, "cart_1": {}}))
        self.assertTrue(env.observation_space("cart_0").contains(observations["cart_0"]))
        *_, infos = env.step({"cart_0": 1, "cart_1": 1})
        self.assertEqual(infos["cart_0"], {"arrived": False, "begun": True, "blocked_by": None})
        self.assertEqual(infos["cart_1"], {"arrived": False, "begun": False, "blocked_by": "cart_0"})
        self.assertEqual(env.render().shape[2], 3)
        with self.assertRaises(wb.ArgumentError):
            env.step({"tank_9": 1})
        with self.assertRaises(wb.ArgumentError):
            env.step({"cart_0": 1.5})
        with self.assertRaises(wb.ArgumentError):
            parallel_env(worlds=2)
        with self.assertRaises(wb.ArgumentError):
            parallel_env(render_mode="human")


@unittest.skipIf(MISSING, MISSING)
class Gymnasium(unittest.TestCase):
    def test_made_by_id(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            env = gymnasium.make_vec("wheelbase/Crossing-v1", num_envs=64, episode_ticks=20)
        self.assertEqual((env.num_envs, env.spec.id), (64, "wheelbase/Crossing-v1"))
        observation, infos = env.reset(seed=3)
        self.assertTrue(env.observation_space.contains(observation))
        self.assertEqual(infos, {})
        env.action_space.seed(1)
        for _ in range(50):
            observation, rewards, terminations, truncations, infos = env.step(env.action_space.sample())
        self.assertTrue(env.observation_space.contains(observation))
        for part in (rewards, terminations, truncations, *infos.values()):
            self.assertEqual(part.shape, (64,))
        with self.assertRaises(wb.ArgumentError):
            gymnasium.make_vec("wheelbase/Crossing-v1", num_envs=65)
        env.close()

    def test_wrapped(self):
        env = gymnasium.wrappers.vector.RecordEpisodeStatistics(VectorEnv("wheelbase/Rooms-v1", 128, episode_ticks=30))
        observation, _ = env.reset(seed=1)
        random, found = np.random.default_rng(1), 0
        for _ in range(100):
            observation, *_, infos = env.step(greedy(observation, random))
            found += "episode" in infos and int(infos["_episode"].sum())
        self.assertEqual(found, 128 * 3)

    def test_without_a_seed_episodes_differ(self):
        env = VectorEnv("wheelbase/UnitRobots-v1")
        first, _ = env.reset(seed=1)
        self.assertFalse(np.array_equal(env.reset()[0]["own"], first["own"]))
        np.testing.assert_array_equal(env.reset(seed=1)[0]["own"], first["own"])


if __name__ == "__main__":
    unittest.main()
