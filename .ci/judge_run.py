"""Judges a run by its trace and its scenario.

The judge of traces does not know the scenario: it cannot tell that an edit is missing, that an edit waits without
disturbing an agent, or that a run ended with work left to do. This judge can.
"""
import collections
import heapq
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared", "judge"))

import judge_trace  # noqa: E402
import random_scenario  # noqa: E402
import rules  # noqa: E402
import solve  # noqa: E402

TRACED_EDITS = ("set_terrain", "set_side", "set_elevation")


class RunJudge(judge_trace.TraceJudge):
    """The replay of the judge, with the edits and events of the scenario and the moves of each class.

    The base class demands that an edit that waited disturbed an agent in the tick before, on the map with the other
    edits of the current tick. One of these can have stranded or removed that agent. Here instead each waiting edit is
    tried at every tick with a change, on the map of that tick."""

    def __init__(self, case):
        super().__init__()
        self.case = case
        self.waiting = []                      # edits not yet in effect: (tick, what, body, on_agents)
        self.moves_of = collections.Counter()  # by class
        self.unreachable = {}                  # agent -> the order that it reported as unreachable and keeps
        self.done_at = []                      # tick and pose of each order done
        self.spawned_at = {}                   # agent -> tick
        self.given = {}                        # agent -> the orders given at this tick
        self.removed_now = []                  # agents removed at this tick, and whether an edit did it
        self.events_at = {}                    # tick -> events other than edits, in order
        groups = [group for group in case["groups"] for _ in range(group["count"])]
        self.first_orders = [keys["orders"] for keys in case["agents"] + groups]      # by agent
        for event in case["events"]:
            (what, body), = [item for item in event.items() if item[0] != "tick"]
            if what not in random_scenario.EDITS and event["tick"] < case["top"]["ticks"]:
                self.events_at.setdefault(event["tick"], []).append((what, body))

    def read_header(self, text):
        super().read_header(text)
        self.waiting = random_scenario.edits_asked(self.case, self.grid)

    def advance(self, tick):
        # Ticks of events are judged even if the trace has no line for them.
        for event in sorted(event["tick"] for event in self.case["events"]):
            if self.now < event < tick:
                super().advance(event)
        super().advance(tick)

    def on_move(self, line):
        agent = self.agents.get(line["agent"])
        if agent is not None:
            self.moves_of[agent.tables.cls.name] += 1
        super().on_move(line)

    def on_spawn(self, line):
        super().on_spawn(line)
        self.spawned_at[line["spawn"]] = self.now

    def on_remove(self, line):
        agent = self.agents.get(line["remove"])
        if agent is not None:
            self.removed_now.append((agent, agent in self.must_go))
        super().on_remove(line)

    def on_order(self, line):
        super().on_order(line)
        self.given.setdefault(line["agent"], []).append(line["order"])

    def on_done(self, line):
        agent = self.agents.get(line["agent"])
        if agent is not None:
            self.done_at.append((self.now, self.pose(agent)))
            if agent.orders and agent.orders[0].kind == "goto" and agent.until is None:
                self.judge_nearest(agent, agent.orders[0])
        super().on_done(line)

    def judge_nearest(self, agent, order):
        """Checks that an order done by fallback cannot end nearer to its goal. Skipped at the tick of an edit: an order
        that its last move finishes at that tick was planned on the map before."""
        x, y = agent.x, agent.y
        distance = solve.distance_to_goals(self.grid, order.value)
        here = distance(y * self.grid.width + x)
        reach = order.within if self.grid.hexagonal else order.within ** 2
        if order.fallback != "nearest" or here <= reach or self.edited_at == self.now:
            return
        least = min(distance(state // agent.tables.headings) for state in self.reach(agent))
        if least < here:
            self.wrong("nearest", f"agent {agent.id} is done at {self.pose(agent)} at distance {here} (squared on a"
                       f" square map), but {least} is possible")

    def reach(self, agent):
        """States that a resting agent could reach if it were alone, each with the time of its cheapest path."""
        tables = agent.tables
        start = tables.state(agent.x, agent.y, agent.heading)
        found, queue = {start: 0}, [(0, start)]
        while queue:
            cost, state = heapq.heappop(queue)
            if cost > found[state]:
                continue
            for after, time, _ in tables.successors(state):
                if cost + time < found.get(after, cost + time + 1):
                    found[after] = cost + time
                    heapq.heappush(queue, (cost + time, after))
        return found

    def judge_area(self, agent, order):
        """Checks that an area reported as full has no free pose. Skipped if poses could be assigned to other agents
        without a trace line."""
        others = [other for other in self.agents.values() if other is not agent]
        if (order.fallback == "nearest" or "expansions_per_tick" in self.case["top"] or agent.until is not None
                or any(other.orders and other.orders[0].kind == "goto_area" for other in others)):
            return
        resting = {cell for other in others if other.until is None for cell in other.cells}
        x0, y0, width, height = order.value
        for state, cost in sorted(self.reach(agent).items()):
            x, y, heading = agent.tables.pose(state)
            # A path that takes too long is refused too (`cost_overflow`).
            if (cost <= rules.PATH_MAX and x0 <= x < x0 + width and y0 <= y < y0 + height
                    and agent.tables.legal_pose(x, y, heading)
                    and resting.isdisjoint(agent.tables.footprint_cells(x, y, heading))):
                self.wrong("area", f"agent {agent.id} is refused a pose, but {[x, y, heading]} is free")
                return

    def on_unreachable(self, line):
        agent = self.agents.get(line["agent"])
        if agent is not None and agent.orders and agent.orders[0].kind == "goto_area":
            self.judge_area(agent, agent.orders[0])
        super().on_unreachable(line)
        if agent is not None and agent.orders:
            self.unreachable[agent.id] = agent.orders[0]

    def on_edit(self, line):
        what = next(what for what in TRACED_EDITS if what in line)
        edit = next((edit for edit in self.waiting if edit[0] == line["asked"] and edit[3] == line["on_agents"]
                     and self.is_same(edit, what, line[what])), None)
        if edit is None:
            self.wrong("edit_strange", f"the scenario has no such edit: {json.dumps(line)[:200]}")
        else:
            self.waiting.remove(edit)
        super().on_edit(line)

    def traced(self, edit):
        """An edit as in the trace, on the current map: its key and its body."""
        _, what, body, _ = edit
        if what != "rotate":
            return what, body
        x, y = body["cell"]
        names, turns = self.grid.side_names, body["turns"]
        sides = [[x, y, names[(side + turns) % len(names)], self.grid.side(x, y, side)]
                 for side in range(len(names))]
        return "set_side", {"sides": sides}

    def is_same(self, edit, what, body):
        """Whether a trace line has the effect of an edit; it may also name sides that do not change."""
        its_what, its_body = self.traced(edit)
        if what != "set_side" or its_what != "set_side":
            return (what, body) == (its_what, its_body)
        grid = self.grid
        own = {(x, y): {side: grid.side(x, y, n) for n, side in enumerate(grid.side_names)}
               for x, y, _, _ in its_body["sides"] + body["sides"]}
        after = []
        for sides in (its_body["sides"], body["sides"]):
            result = {cell: dict(of) for cell, of in own.items()}
            for x, y, side, kind in sides:
                result[x, y][side] = kind
            after.append(result)
        return after[0] == after[1]

    def close_tick(self):
        for edit in self.waiting:
            if edit[0] <= self.now < self.case["top"]["ticks"] and not self.disturbs(edit):
                self.wrong("edit_late", f"{edit[1]} of tick {edit[0]} waits without disturbing an agent")
        self.judge_events()
        super().close_tick()

    def judge_events(self):
        """Judges the agents added, removed and given orders at this tick."""
        events = self.events_at.pop(self.now, [])
        new = [agent for agent in self.agents.values() if self.is_new(agent)]
        n_asked = sum(body["count"] for what, body in events if what == "add_agents")
        n_gone = sum(self.is_new(agent) for agent, _ in self.removed_now)
        if len(new) + n_gone > n_asked:
            self.wrong("spawn_strange", f"{len(new) + n_gone} agents are added, {n_asked} requested")
        for agent, by_edit in self.removed_now:
            if not by_edit and not any(what == "remove_agents" and self.is_chosen(agent, body)
                                       for what, body in events):
                self.wrong("remove_strange", f"no event removes agent {agent.id}")
        for agent in self.agents.values():
            self.judge_given(agent, events)
        self.removed_now.clear()
        self.given.clear()

    def is_new(self, agent):
        """Whether an event of this tick added the agent."""
        return agent.id >= len(self.first_orders) and self.spawned_at[agent.id] == self.now

    def is_chosen(self, agent, body):
        if "names" in body:
            return any(self.case["agents"][agent.id].get("name") == name for name in body["names"]
                       if agent.id < len(self.case["agents"]))
        x, y, width, height = body["area"]
        return x <= agent.x < x + width and y <= agent.y < y + height

    def judge_given(self, agent, events):
        """Judges the orders given to an agent at this tick, and that it was not to be removed."""
        expected, is_there, is_first = [], not self.is_new(agent), True
        if self.now == 0 and is_there:
            expected += self.first_orders[agent.id]
        for what, body in events:
            if what == "add_agents" and not is_there:
                if sum(other == "add_agents" for other, _ in events) > 1:
                    return                     # the trace does not say which of them added it
                expected += body["orders"]
                is_there = True
                x, y, width, height = body["area"]
                if agent.tables.cls.name != body["class"] or not (
                        x <= agent.x < x + width and y <= agent.y < y + height):
                    self.wrong("spawn_strange", f"agent {agent.id} does not match the event")
            elif what != "add_agents" and is_there and self.is_chosen(agent, body):
                if what == "remove_agents":
                    self.wrong("remove_missing", f"an event removes agent {agent.id}, which stays")
                else:
                    # The first replace what the agent was placed with; the others of the tick are one list with them.
                    expected = ([] if is_first else expected) + (body["orders"] or [{"wait": 0}])
                    is_first = False
        given = self.given.get(agent.id, [])
        expected = [canonical(order) for order in expected]
        if given != expected:
            self.wrong("given", f"agent {agent.id} is given {given}, not {expected}")

    def disturbs(self, edit):
        """Whether an edit would disturb an agent in the events phase of this tick, before any move begins."""
        if edit[3] != "wait":
            return False
        what, body = self.traced(edit)
        places = body["sides"] if what == "set_side" else body["cells"]
        cells = [place[1] * self.grid.width + place[0] for place in places]
        touched = set(cells)
        near = [agent for agent in self.agents.values()
                if not touched.isdisjoint(agent.cells) or not touched.isdisjoint(agent.start_cells)]
        legal = [agent for agent in near if self.is_legal_in_events(agent)]
        grid = self.grid
        layers = grid.cells, grid.sides, grid.elevation, grid.plain_sides
        grid.cells, grid.sides = list(grid.cells), bytearray(grid.sides)
        grid.elevation = None if grid.elevation is None else list(grid.elevation)
        self.apply_edit(what, body, cells)
        disturbed = any(not self.is_legal_in_events(agent) for agent in legal)
        grid.cells, grid.sides, grid.elevation, grid.plain_sides = layers
        return disturbed

    def is_legal_in_events(self, agent):
        began = agent.begun_at == self.now
        move = agent.move if agent.until is not None and not began else None
        x, y, heading = agent.start_pose if began else (agent.x, agent.y, agent.heading)
        if move is None:
            return rules.slow_pose_problem(self.grid, agent.tables.cls, x, y, heading) is None
        return rules.slow_move(self.grid, agent.tables.cls, x, y, move)[1] is None

    def judge_end(self, outcome):
        """Judges the end: edits that still wait, and orders left if the run ended before its last tick."""
        last = self.case["top"]["ticks"]
        due = [edit for edit in self.waiting if edit[0] <= self.now]
        if len(due) != outcome["edits_pending"]:
            self.wrong("edit_missing", f"{len(due)} edits wait, edits_pending is {outcome['edits_pending']}")
        placed = self.n_spawned - len(self.first_orders) + outcome["not_placed"]
        asked = sum(event["add_agents"]["count"] for event in self.case["events"]
                    if "add_agents" in event and event["tick"] <= self.now and event["tick"] < last)
        if placed != asked:
            self.wrong("not_placed", f"{placed} agents are placed or counted, {asked} requested")
        if self.now >= last:
            return
        for agent in self.agents.values():
            # An agent stranded by an edit keeps its order.
            if not agent.orders or not agent.tables.legal_pose(agent.x, agent.y, agent.heading):
                continue
            order = agent.orders[0]
            if self.unreachable.get(agent.id) is not order:
                self.wrong("ended_early", f"agent {agent.id} has {order.kind} to do")
            elif order.kind == "goto" and not self.case["extreme"] and self.has_path(agent, order):
                self.wrong("ended_early", f"agent {agent.id} has a path to its {order.kind}")

    def has_path(self, agent, order):
        goals = solve.cells_within(self.grid, order.value, order.within)
        states = {agent.tables.state(x, y, h) for x, y, heading in goals
                  for h in (range(agent.tables.headings) if heading is None else (heading,))}
        return not states.isdisjoint(self.reach(agent))


def head_problem(head, case):
    """A difference between the header of a trace and the scenario, or None."""
    grid = random_scenario.grid_of(case)
    if head["shape"] != ("hex" if grid.hexagonal else "square"):
        return "the shape of the trace differs from the map"
    cells = [kind for count, kind in head["cells"] for _ in range(count)]
    if [tuple(head["terrain"][kind]) for kind in cells] != [tuple(grid.kinds[kind]) for kind in grid.cells]:
        return "the cells of the trace differ from the map"
    sides = {(x, y, side): head["side_kinds"][kind] for x, y, side, kind in head["sides"]}
    for y in range(grid.height):
        for x in range(grid.width):
            for number, side in enumerate(grid.side_names):
                kind = grid.side_kinds[grid.side(x, y, number)]
                if tuple(sides.get((x, y, side), ("open", rules.OPEN_SPEED))) != tuple(kind):
                    return f"side {side} of cell ({x}, {y}) is {kind[0]} in the scenario, but not in the trace"
    heights = [value for count, value in head.get("elevation", []) for _ in range(count)]
    flat = [0] * len(cells)
    if (heights or flat) != (grid.elevation or flat):
        return "the elevation of the trace differs from the map"
    for name, keys in case["class"].items():
        if name not in head["classes"] or class_of(name, head["classes"][name], grid) != class_of(name, keys, grid):
            return f"class {name} of the trace differs from the scenario"
    return None


def class_of(name, keys, grid):
    """The meaning of a class, however it is written."""
    if name == "octile" and not keys:
        meant = rules.octile_class()
    else:
        meant = rules.MovementClass(name, keys, grid.hexagonal)
    values = {key: value for key, value in vars(meant).items() if key not in ("footprint", "primitives", "moves")}
    moves = [{key: sorted(value) if isinstance(value, list) else value for key, value in vars(move).items()}
             for move in meant.primitives]
    return values, sorted(map(tuple, meant.footprint)), moves


def canonical(order):
    """An order as in the trace: without default keys and without headings that may be any."""
    order = {key: value for key, value in order.items()
             if (key, value) not in (("within", 0), ("fallback", "fail"), ("if_unreachable", "drop"))}
    for kind in order.keys() & {"goto", "goto_group", "patrol"}:
        goals = order[kind] if isinstance(order[kind][0], list) else [order[kind]]
        goals = [list(goal[:2]) if goal[2:] == ["any"] else list(goal) for goal in goals]
        order[kind] = goals if kind == "patrol" or len(goals) > 1 else goals[0]
    return order


def judge_run(path, case, outcome):
    """Judges the trace in a file. Returns the judge and the faults as texts."""
    judge = RunJudge(case)
    with open(path, encoding="utf-8") as file:
        lines = list(file)
    try:
        judge.read_header(lines[0])
    except judge_trace.Stop as stop:
        return judge, [f"header: {stop}"]
    problem = head_problem(judge.head, case)
    for line in lines[1:]:
        judge.read_line(line)
    judge.finish_reading()
    judge.judge_end(outcome)
    wrong = [f"tick {tick}: {check}: {text}" for check, tick, text in judge.violations]
    # In extreme cases the only path may exceed the largest cost.
    if judge.n_unreachable_with_way and not case["extreme"]:
        wrong.append(f"{judge.n_unreachable_with_way} goals reported unreachable have a path")
    return judge, [problem] * (problem is not None) + wrong
