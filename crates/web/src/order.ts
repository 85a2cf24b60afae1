import {
  Fallback, IfNoRoom, IfUnreachable, OrderKind, TaskKind, wb_order, wb_spawn, wb_spawn_group, wb_task_list, wb_task_source,
} from './abi.js';
import { choice, wrong } from './error.js';
import { whole, type Instance } from './module.js';
import { NONE, putCells, putGoals, setPose, setRect, type Cell, type Goal, type Pose, type Rect } from './value.js';

/** What an order that leads somewhere may say besides. */
export interface Trip {
  /** Radius around each goal in cells. Default 0. */
  within?: number;
  /** Without a way to the goal: none, or the pose nearest to it. Default `fail`. */
  fallback?: Fallback;
  /** An impossible order is dropped (default), or tried again after a change that may help. */
  ifUnreachable?: IfUnreachable;
  /** Number of headings in which the headings of the goals count, as the agents' class has. Needed where a goal has one. */
  headings?: number;
}

/** Where tasks come from: goals that agents are given one after another, without end. */
export type TaskSource =
  /** Random legal cells of an area. */
  | { kind: 'random'; area: Rect }
  /** A list of goals for each agent, repeated. */
  | { kind: 'list'; lists: readonly (readonly Goal[])[]; headings?: number }
  /** One list of cells for all: of `team` agents, agent k gets the k-th cell, the (team + k)-th and so on. */
  | { kind: 'round_robin'; cells: readonly Cell[]; team: number };

/** An order. */
export type Order =
  /** Go to a member of the goal, the cheapest. */
  | ({ kind: 'goto'; goals: readonly Goal[] } & Trip)
  /** Go to the cheapest pose with its anchor in an area that no other agent stands on or is assigned. */
  | ({ kind: 'goto_area'; area: Rect } & Trip)
  /** Visit the goals in turn, without end, and stand for `dwell` ticks at each; default 0. */
  | ({ kind: 'patrol'; goals: readonly Goal[]; dwell?: number } & Trip)
  /** Stand for a number of ticks. */
  | { kind: 'wait'; ticks: number }
  /** Do one task after another, without end. The last of a list. */
  | { kind: 'tasks'; tasks: TaskSource; stream?: number }
  /** Go to a pose around the goal; poses are assigned to all agents of the command together. */
  | ({ kind: 'goto_group'; goal: Goal } & Trip)
  /** Go in formation: all agents of the command keep their layout and the pace of the slowest. They face the heading of the
   * goal, if their class has it. */
  | ({ kind: 'goto_formation'; goal: Goal } & Trip)
  /** Drop all orders behind this one and rest; others may push the agent. */
  | { kind: 'stop' }
  /** Rest without end. Nobody pushes the agent, and searches take it for an obstacle. */
  | { kind: 'hold' }
  /** Keep within a number of cells of an agent, until that is gone. */
  | { kind: 'follow'; leader: number; within: number }
  /** Stand in place for a number of ticks. Nobody pushes the agent, and searches take it for an obstacle. */
  | { kind: 'wait_in_place'; ticks: number }
  /** Do a number of orders before it in its list once more, without end. */
  | { kind: 'repeat'; orders: number };

/** An agent to place. */
export interface Spawn {
  /** Number of its class. */
  class: number;
  /** Legal, on cells that nobody holds. */
  pose: Pose;
  /** Higher goes first. Default 0. */
  priority?: number;
  /** 0 to 31. Default 0. */
  team?: number;
  /** In thousandths, 1 to 65535. Default 1000. */
  speedFactor?: number;
  /** Done one after another. */
  orders?: readonly Order[];
  /** Its index among the agents that share its tasks. */
  number?: number;
}

/** Agents to place at random. */
export interface SpawnGroup {
  class: number;
  count: number;
  /** Area of their anchors, clipped to the map. */
  area: Rect;
  priority?: number;
  team?: number;
  speedFactor?: number;
  /** In any legal pose; else in the largest set of poses that reach each other while it has room. */
  anywhere?: boolean;
  /** What happens to agents without room; `'drop'` by default. */
  ifNoRoom?: IfNoRoom;
  orders?: readonly Order[];
}

function headingsOf(goals: readonly Goal[], headings: number | undefined, name: string): number {
  if (headings === undefined && goals.some((goal) => goal.heading !== undefined)) {
    throw wrong(`\`${name}.headings\` is missing, expected the headings of the class (1, 4, 6 or 8) where a goal has a heading`);
  }
  return whole(headings ?? 1, `${name}.headings`, 0, 255);
}

/** @internal */
export function putTaskSource(m: Instance, source: TaskSource, name: string): number {
  const at = m.sized(wb_task_source);
  m.setU32(at + wb_task_source.kind, choice(TaskKind, source.kind, `${name}.kind`));
  if (source.kind === 'random') {
    setRect(m, at + wb_task_source.area, source.area, `${name}.area`);
  } else if (source.kind === 'list') {
    const goals = source.lists.flat();
    m.setU32(at + wb_task_source.headings, headingsOf(goals, source.headings, name));
    m.setU32(at + wb_task_source.goals, putGoals(m, goals, `${name}.lists`));
    m.setU32(at + wb_task_source.n_goals, goals.length);
    const lists = m.take(source.lists.length * wb_task_list.SIZE);
    let first = 0;
    source.lists.forEach((list, i) => {
      m.setU32(lists + i * wb_task_list.SIZE + wb_task_list.first, first);
      m.setU32(lists + i * wb_task_list.SIZE + wb_task_list.count, list.length);
      first += list.length;
    });
    m.setU32(at + wb_task_source.lists, lists);
    m.setU32(at + wb_task_source.n_lists, source.lists.length);
  } else {
    m.setU32(at + wb_task_source.team, whole(source.team, `${name}.team`, 0, NONE));
    m.setU32(at + wb_task_source.cells, putCells(m, source.cells, `${name}.cells`));
    m.setU32(at + wb_task_source.n_cells, source.cells.length);
  }
  return at;
}

function setOrder(m: Instance, at: number, order: Order, name: string): void {
  m.setU32(at, wb_order.SIZE);
  m.setU32(at + wb_order.kind, choice(OrderKind, order.kind, `${name}.kind`));
  switch (order.kind) {
    case 'goto':
    case 'patrol':
    case 'goto_group':
    case 'goto_formation': {
      const goals = 'goal' in order ? [order.goal] : order.goals;
      m.setU32(at + wb_order.headings, headingsOf(goals, order.headings, name));
      m.setU32(at + wb_order.goals, putGoals(m, goals, `${name}.goals`));
      m.setU32(at + wb_order.n_goals, goals.length);
      setTrip(m, at, order, name);
      if (order.kind === 'patrol') m.setU32(at + wb_order.ticks, whole(order.dwell ?? 0, `${name}.dwell`, 0, NONE));
      break;
    }
    case 'goto_area':
      m.setU32(at + wb_order.headings, headingsOf([], order.headings, name));
      setRect(m, at + wb_order.area, order.area, `${name}.area`);
      setTrip(m, at, order, name);
      break;
    case 'wait':
    case 'wait_in_place':
      m.setU32(at + wb_order.ticks, whole(order.ticks, `${name}.ticks`, 0, NONE));
      break;
    case 'repeat':
      m.setU32(at + wb_order.ticks, whole(order.orders, `${name}.orders`, 0, NONE));
      break;
    case 'tasks':
      m.setU32(at + wb_order.tasks, putTaskSource(m, order.tasks, `${name}.tasks`));
      m.setU32(at + wb_order.stream, whole(order.stream ?? 0, `${name}.stream`, 0, NONE));
      break;
    case 'follow':
      m.setU32(at + wb_order.leader, whole(order.leader, `${name}.leader`, 0, NONE));
      m.setU32(at + wb_order.within, whole(order.within, `${name}.within`, 0, NONE));
      break;
    default:
  }
}

function setTrip(m: Instance, at: number, trip: Trip, name: string): void {
  m.setU32(at + wb_order.within, whole(trip.within ?? 0, `${name}.within`, 0, NONE));
  m.setU32(at + wb_order.fallback, choice(Fallback, trip.fallback ?? 'fail', `${name}.fallback`));
  m.setU32(at + wb_order.if_unreachable, choice(IfUnreachable, trip.ifUnreachable ?? 'drop', `${name}.ifUnreachable`));
}

/** @internal */
export function putOrders(m: Instance, orders: readonly Order[], name: string): number {
  const at = m.take(orders.length * wb_order.SIZE);
  orders.forEach((order, i) => setOrder(m, at + i * wb_order.SIZE, order, `${name}[${i}]`));
  return at;
}

/** @internal */
export function putSpawn(m: Instance, spawn: Spawn): number {
  const at = m.sized(wb_spawn);
  m.setU32(at + wb_spawn.class_, whole(spawn.class, 'class', 0, NONE));
  setPose(m, at + wb_spawn.pose, spawn.pose, 'pose');
  m.setI32(at + wb_spawn.priority, whole(spawn.priority ?? 0, 'priority', -0x8000_0000, 0x7fff_ffff));
  m.setU32(at + wb_spawn.team, whole(spawn.team ?? 0, 'team', 0, NONE));
  m.setU32(at + wb_spawn.speed_factor, whole(spawn.speedFactor ?? 0, 'speedFactor', 0, NONE));
  m.setU32(at + wb_spawn.number, whole(spawn.number ?? 0, 'number', 0, NONE));
  const orders = spawn.orders ?? [];
  m.setU32(at + wb_spawn.orders, putOrders(m, orders, 'orders'));
  m.setU32(at + wb_spawn.n_orders, orders.length);
  return at;
}

/** @internal */
export function putSpawnGroup(m: Instance, group: SpawnGroup): number {
  const at = m.sized(wb_spawn_group);
  m.setU32(at + wb_spawn_group.class_, whole(group.class, 'class', 0, NONE));
  m.setU32(at + wb_spawn_group.count, whole(group.count, 'count', 0, NONE));
  setRect(m, at + wb_spawn_group.area, group.area, 'area');
  m.setI32(at + wb_spawn_group.priority, whole(group.priority ?? 0, 'priority', -0x8000_0000, 0x7fff_ffff));
  m.setU32(at + wb_spawn_group.team, whole(group.team ?? 0, 'team', 0, NONE));
  m.setU32(at + wb_spawn_group.speed_factor, whole(group.speedFactor ?? 0, 'speedFactor', 0, NONE));
  m.setU32(at + wb_spawn_group.anywhere, group.anywhere ? 1 : 0);
  m.setU32(at + wb_spawn_group.if_no_room, choice(IfNoRoom, group.ifNoRoom ?? 'drop', 'ifNoRoom'));
  const orders = group.orders ?? [];
  m.setU32(at + wb_spawn_group.orders, putOrders(m, orders, 'orders'));
  m.setU32(at + wb_spawn_group.n_orders, orders.length);
  return at;
}
