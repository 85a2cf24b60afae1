#!/usr/bin/env python3
"""Writes random scenarios, runs each in several configurations and judges the results.

usage: make_runs.py --seed N --out DIR --program PATH [--count K] [--only I]
                    [--debug-program PATH] [--write-only] [--quiet]

Each case is a file `NNN.toml`, drawn by `random_scenario.py`. The same seed writes the same files. A case is
wrong if

- the program ends with an exit status other than 0 or 1, or takes too long;
- the outcome, including the state hash, or the trace differs between 1, 2 and 8 threads, or (with
  --debug-program) between an optimised and a debug build;
- two agents collide, or the judge finds a violation in the trace;
- the header of the trace differs from the map and classes of the file; the trace lacks an event of the file; an
  edit waits although it disturbs no agent; a run ends before its last tick with work left to do;
- an order is reported unreachable although the judge finds a path or a free pose; an order done by fallback could
  end nearer to its goal;
- a single agent does not arrive after exactly the path costs reported by `wheelbase plan`.

A group without room is made smaller; a case without agents is counted as empty. Ends with a table of the features
drawn and a line `runs N, empty N, ..., wrong N`; the exit status is 0 only if nothing is wrong. Python 3.11,
standard library only.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys

import judge_run  # first: it adds the folder of the judge to the path, for the modules below
import random_scenario
import rules

THREADS = (1, 2, 8)
# Every third case has numbers at the ends of their ranges.
EXTREME_EVERY = 3
TIMEOUT_S = 120
# Keys of the result that depend on time, threads or memory.
NOT_OUTCOME = ("threads", "wall_s", "ticks_per_s", "agent_ticks_per_s", "moves_per_s", "tick_ms",
               "peak_memory_mib")
SUMMED = ("agents", "moves", "orders_done", "orders_unreachable", "orders_left", "removed", "edits_pending",
          "stuck_agents")


class Wrong(Exception):
    """A fault of a case."""


# -- running --------------------------------------------------------------------------------------

def call(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Wrong(f"no end after {TIMEOUT_S} s: {' '.join(command)}") from None
    return done.returncode, done.stdout, done.stderr


def generated_rows(program, folder, generate):
    """The rows of a map written by `wheelbase generate`."""
    path = os.path.join(folder, "generated.map")
    size = ",".join(map(str, generate["size"]))
    status, _, err = call([program, "generate", generate["kind"], "--size", size, "--seed",
                           str(generate["seed"]), "-o", path])
    if status != 0:
        raise Wrong(f"generate: exit status {status}: {err.strip()[-300:]}")
    return rules.read_map_rows(path)


def make_room(case, err):
    """If a group found no room, makes it smaller. Returns whether that was the error."""
    found = re.search(r"found room for (\d+) of (\d+) agents", err)
    if not found:
        return False
    placed, count = map(int, found.groups())
    group = next(group for group in case["groups"] if group["count"] == count)
    group["count"] = placed * 2 // 3           # leaves some room to move
    if group["count"] == 0:
        case["groups"].remove(group)
    return True


def write_scenario(path, case):
    with open(path, "w", encoding="utf-8") as file:
        file.write(random_scenario.scenario_text(case))


def run_once(program, scenario, threads, trace):
    """Runs a scenario. Returns its exit status, outcome, trace and error messages."""
    status, out, err = call([program, "run", scenario, "--threads", str(threads), "--trace", trace,
                             "--check-invariants", "--format", "json"])
    if status == 2:
        return status, None, None, err
    if status not in (0, 1):
        raise Wrong(f"exit status {status} with {threads} threads: {(err.strip() or out.strip())[-300:]}")
    result = json.loads(out)
    if result["threads"] != threads:
        raise Wrong(f"{threads} threads asked for, {result['threads']} used")
    if status == 1 and result["orders_left"] == 0:
        raise Wrong("exit status 1 with no order left")
    with open(trace, "rb") as file:
        written = file.read()
    return status, {key: value for key, value in result.items() if key not in NOT_OUTCOME}, written, err


def run_all(args, scenario, case, trace):
    """Runs a scenario in all configurations. Returns the exit status and the outcome of the first."""
    run = run_once(args.program, scenario, THREADS[0], trace)
    while run[0] == 2 and make_room(case, run[3]):
        write_scenario(scenario, case)
        run = run_once(args.program, scenario, THREADS[0], trace)
    if run[0] == 2:
        raise Wrong(f"exit status 2: {run[3].strip()[-300:]}")
    status, outcome, written, _ = run
    others = [(args.program, threads) for threads in THREADS[1:]]
    if args.debug_program:
        others.append((args.debug_program, 2))
    for program, threads in others:
        other = run_once(program, scenario, threads, os.path.join(args.out, "other.jsonl"))
        where = f"with {threads} threads, {program}"
        if other[0] != status:
            raise Wrong(f"exit status {status} with {THREADS[0]} threads and {other[0]} {where}")
        for key, value in outcome.items():
            if other[1][key] != value:
                raise Wrong(f"{key} is {value} with {THREADS[0]} threads and {other[1][key]} {where}")
        if other[2] != written:
            raise Wrong(f"the trace with {THREADS[0]} threads differs from that {where}")
    if outcome["collisions"] != 0:
        raise Wrong(f"{outcome['collisions']} collisions")
    return status, outcome


# -- judging --------------------------------------------------------------------------------------

def judge(trace, case, outcome, sums):
    """Judges a trace. Returns the judge."""
    judge, wrong = judge_run.judge_run(trace, case, outcome)
    if wrong:
        raise Wrong(f"judge: {len(wrong)} violations: {'; '.join(wrong[:3])[:400]}")
    sums["edits"] += judge.n_edits
    sums["disturbed"] += judge.n_disturbed
    return judge


def judge_alone(program, scenario, case, folder, done_at):
    """Checks that a single agent does its orders in turn, each in exactly the cost of its path, or in one tick if it is
    already there."""
    agent = case["agents"][0]
    queries = os.path.join(folder, "alone.jsonl")
    tick, pose = 0, agent["at"]
    for number, order in enumerate(agent["orders"]):
        cost = order["wait"] if "wait" in order else path_cost(program, scenario, agent, pose, order, queries)
        if cost is None:
            return
        tick += max(1, cost)
        done = done_at[number][0] if number < len(done_at) else None
        if done != (tick if tick <= case["top"]["ticks"] else None):
            raise Wrong(f"single agent: order {number} done at {done}, not at {tick}")
        if done is None:
            return
        pose = done_at[number][1]


def path_cost(program, scenario, agent, pose, order, queries):
    """The cost of an order from a pose by `wheelbase plan`, or None."""
    goal = order.get("goto")
    if "goto_area" in order:
        x, y, width, height = order["goto_area"]
        goal = [[gx, gy] for gx in range(x, x + width) for gy in range(y, y + height)]
    query = {"from": pose, "to": goal, "within": order.get("within", 0), "fallback": order.get("fallback", "fail")}
    with open(queries, "w", encoding="utf-8") as file:
        file.write(json.dumps(query) + "\n")
    status, out, err = call([program, "plan", scenario, "--class", agent["class"], "--queries", queries])
    if status != 0:
        raise Wrong(f"plan: exit status {status}: {err.strip()[-300:]}")
    answer = json.loads(out)
    return answer["cost"] if answer["status"] == "found" else None


# -- all cases ------------------------------------------------------------------------------------

class Drawn:
    """How often each feature of the rules was drawn, and the number of moves begun with it."""

    def __init__(self):
        self.cases, self.moves = collections.Counter(), collections.Counter()

    def add(self, case, moves_of):
        moves = collections.Counter(dict.fromkeys(random_scenario.case_features(case), moves_of.total()))
        for name in {keys["class"] for keys in case["agents"] + case["groups"]}:
            for feature in random_scenario.class_features(case["class"].get(name)):
                moves[feature] += moves_of[name]
        self.cases.update(moves.keys())
        self.moves.update(moves)

    def print(self):
        width = max(map(len, self.cases), default=0)
        print(f"{'drawn':{width}}  cases    moves")
        for feature in sorted(self.cases):
            print(f"{feature:{width}}  {self.cases[feature]:5}  {self.moves[feature]:7}")


def run_case(args, scenario, case, sums, drawn):
    trace = os.path.join(args.out, "trace.jsonl")
    status, outcome = run_all(args, scenario, case, trace)
    judged = judge(trace, case, outcome, sums)
    if case.get("alone"):
        judge_alone(args.program, scenario, case, args.out, judged.done_at)
        sums["alone"] += 1
    for key in SUMMED:
        sums[key] += outcome[key]
    sums["exit 1"] += status
    sums["empty"] += outcome["agents"] == 0
    sums["without a move"] += outcome["moves"] == 0
    drawn.add(case, judged.moves_of)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", type=int, help="run only this case")
    parser.add_argument("--debug-program")
    parser.add_argument("--write-only", action="store_true")
    parser.add_argument("--quiet", action="store_true", help="leave out the table of features drawn")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    wrong, drawn = 0, Drawn()
    sums = dict.fromkeys(("empty", "without a move", "alone", *SUMMED, "edits", "disturbed", "exit 1"), 0)
    numbers = range(args.count) if args.only is None else [args.only]
    for number in numbers:
        scenario = os.path.join(args.out, f"{number:03}.toml")
        try:
            case = random_scenario.draw_case(random.Random(args.seed * 1_000_003 + number), number,
                                             lambda table: generated_rows(args.program, args.out, table),
                                             extreme=number % EXTREME_EVERY == EXTREME_EVERY - 1)
            write_scenario(scenario, case)
            if not args.write_only:
                run_case(args, scenario, case, sums, drawn)
        except Wrong as problem:
            wrong += 1
            print(f"{scenario}: {problem}", flush=True)
    if not args.quiet:
        drawn.print()
    figures = ", ".join(f"{name} {value}" for name, value in sums.items())
    print(f"seed {args.seed}: runs {len(numbers)}, {figures}, wrong {wrong}")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
