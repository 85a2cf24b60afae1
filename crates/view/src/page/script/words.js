// Orders in plain words.

/** An order as sentences begin: "goes to (3, 4)". */
function orderWords(order, labelOf) {
  const spot = ([x, y, heading]) => `(${x}, ${y})${heading && heading !== "any" && heading !== "-" ? ` facing ${heading}` : ""}`;
  const goals = (value) => (Array.isArray(value[0]) ? value : [value]);
  const list = (value) => {
    const all = goals(value), first = all.slice(0, 4).map(spot).join(", ");
    return all.length > 4 ? `${first} and ${all.length - 4} more` : first;
  };
  const area = ([x, y, width, height]) => `the area of ${width} x ${height} cells at (${x}, ${y})`;
  const many = (value) => goals(value).length > 1;
  const kinds = {
    goto: (value) => `goes to ${many(value) ? "one of " : ""}${list(value)}`,
    goto_area: (value) => `goes to a free place in ${area(value)}`,
    goto_group: (value) => `goes with its group to a place of its own near ${list(value)}`,
    goto_formation: (value) => `goes in formation to ${list(value)}`,
    patrol: (value) => `patrols between ${list(value)}`,
    wait: (value) => `waits for ${value} ${value === 1 ? "tick" : "ticks"} as ordered`,
    wait_in_place: (value) => `stands in place for ${value} ${value === 1 ? "tick" : "ticks"}`,
    stop: () => "has been stopped",
    hold: () => "holds its place",
    follow: (value) => `follows agent ${labelOf(value)}`,
    task: (value) => (value === "random" ? `does tasks at places drawn at random in ${area(order.area)}` : "does the tasks of its list"),
  };
  const kind = Object.keys(kinds).find((key) => key in order);
  if (!kind) return JSON.stringify(order);
  const { within, fallback, if_unreachable: unreachable } = order;
  return kinds[kind](order[kind])
    + (within ? `, to within ${within} ${within === 1 ? "cell" : "cells"}` : "")
    + (fallback === "nearest" ? ", or as near as there is a way" : "")
    + (unreachable === "wait" ? ", and waits while there is no way" : "");
}
