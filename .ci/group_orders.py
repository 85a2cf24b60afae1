#!/usr/bin/env python3
"""Rewrites a trace for judges that do not know `goto_group`: each such order becomes a `goto` of the pose in which the
agent had done it, or of the goal where it has not. Reads standard input, writes standard output."""
import json
import sys

lines = [json.loads(line) for line in sys.stdin]
pose, open_orders, given_at = {}, {}, {}
for line in lines:
    agent = line.get("agent", line.get("spawn"))
    if "spawn" in line:
        pose[agent], open_orders[agent] = line["at"], []
    elif "move" in line:
        pose[agent] = line["to"]
    elif "order" in line:
        # Those of one tick are one list, which replaces what is left.
        if given_at.get(agent) != line["t"]:
            open_orders[agent] = []
        given_at[agent] = line["t"]
        open_orders[agent].append(line["order"])
        if "goto_group" in line["order"]:
            line["order"]["goto"] = line["order"].pop("goto_group")
    elif "done" in line:
        order = open_orders[agent].pop(0)
        if line["done"] == "goto_group":
            line["done"] = "goto"
            order["goto"] = pose[agent]
            order.pop("fallback", None)
    elif "unreachable" in line:
        waits = open_orders[agent][0].get("if_unreachable") == "wait"
        if not waits:
            open_orders[agent].pop(0)
        if line["unreachable"] == "goto_group":
            line["unreachable"] = "goto"
for line in lines:
    print(json.dumps(line))
