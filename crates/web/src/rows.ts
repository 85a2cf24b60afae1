import {
  Activity, EventKind, OrderKind, Reached, WB_AT_REST, WB_NEVER, WB_NO_ORDER, WB_NO_TICKET, WB_NONE, wb_agent_row,
  wb_event_details, wb_event_row,
} from './abi.js';
import { WheelbaseError, nameOf, wrong } from './error.js';
import type { Instance } from './module.js';
import type { Pose, Rect } from './value.js';

const AGENT_WORDS = wb_agent_row.SIZE / 4;
const EVENT_WORDS = wb_event_row.SIZE / 4;

/** @internal What rows need of their world. */
export interface RowSource {
  readonly instance: Instance;
  /** Counts what ends rows. */
  readonly revision: number;
  readonly isFreed: boolean;
}

/** An agent after a tick: a copy. See `AgentRows` for what the fields mean. */
export interface Agent {
  id: number;
  class: number;
  team: number;
  activity: Activity;
  /** `null` at rest. */
  primitive: number | null;
  from: { x: number; y: number; heading: number };
  to: { x: number; y: number; heading: number };
  turn: number;
  orderKind: OrderKind | null;
  beginTick: number;
  endTick: number;
  /** `null` while it does not wait. */
  waitsSince: number | null;
  order: number | null;
  /** Bits, see `AgentFlag`. */
  flags: number;
}

/** Rows in the module's memory, which are read without a copy. They hold until the world steps: then reading them throws. */
abstract class Rows {
  readonly #source: RowSource;
  protected readonly m: Instance;
  #first = 0;
  #length = 0;
  #revision = -1;

  /** @internal */
  constructor(source: RowSource) {
    this.#source = source;
    this.m = source.instance;
  }

  /** Points the rows at where they are now. @internal */
  point(first: number, length: number): void {
    this.#first = first;
    this.#length = length;
    this.#revision = this.#source.revision;
  }

  #check(): void {
    if (this.#revision !== this.#source.revision || this.#source.isFreed) {
      throw new WheelbaseError('stale', 'the world has changed since: ask it for its rows again');
    }
  }

  /** Number of rows. */
  get length(): number {
    this.#check();
    return this.#length;
  }

  /** Address of row 0 in bytes. */
  protected first(): number {
    this.#check();
    return this.#first;
  }

  /** Address of a row in bytes. */
  protected row(i: number, size: number): number {
    this.#check();
    if (!(i >= 0 && i < this.#length)) throw wrong(`row ${i}: there are ${this.#length} rows`);
    return this.#first + i * size;
  }
}

/**
 * The agents of a world, in order of id.
 *
 * The move (`from...`, `to...`, `turn`, `beginTick`, `endTick`) is the present one, and at rest the last one. So after the
 * step that leads to tick t the rows say where each agent was at any time from t - 1 to t: see `progress`.
 */
export class AgentRows extends Rows {
  /** Numbers of 32 bits in a row: the stride of `int32()` and `uint32()`. */
  static readonly STRIDE = AGENT_WORDS;
  /** Places of the numbers in a row of `int32()` and `uint32()`. */
  static readonly WORDS = {
    id: wb_agent_row.id / 4,
    fromX: wb_agent_row.from_x / 4,
    fromY: wb_agent_row.from_y / 4,
    toX: wb_agent_row.to_x / 4,
    toY: wb_agent_row.to_y / 4,
    beginTick: wb_agent_row.begin_tick / 4,
    endTick: wb_agent_row.end_tick / 4,
    waitsSince: wb_agent_row.waits_since / 4,
    order: wb_agent_row.order / 4,
    flags: wb_agent_row.flags / 4,
  } as const;
  /** Places of the bytes in a row of `uint8()`, whose stride is 4 `STRIDE`. `turn` has a sign. */
  static readonly BYTES = {
    class: wb_agent_row.class_,
    team: wb_agent_row.team,
    activity: wb_agent_row.activity,
    primitive: wb_agent_row.primitive,
    fromHeading: wb_agent_row.from_heading,
    toHeading: wb_agent_row.to_heading,
    turn: wb_agent_row.turn,
    orderKind: wb_agent_row.order_kind,
  } as const;

  #int32 = new Int32Array(0);
  #uint32 = new Uint32Array(0);
  #uint8 = new Uint8Array(0);

  /** Its id, for life. */
  id(i: number): number {
    return this.m.unsigned[this.row(i, wb_agent_row.SIZE) >> 2]!;
  }

  /** Number of its class. */
  class(i: number): number {
    return this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.class_]!;
  }

  team(i: number): number {
    return this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.team]!;
  }

  /** Its activity, as a number of `Activity`. */
  activity(i: number): number {
    return this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.activity]!;
  }

  activityName(i: number): Activity {
    return nameOf(Activity, this.activity(i));
  }

  /** Whether it is in mid-move. */
  isMoving(i: number): boolean {
    return this.primitive(i) !== WB_AT_REST;
  }

  /** Number of the primitive of the move in progress; 255 at rest. */
  primitive(i: number): number {
    return this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.primitive]!;
  }

  /** Column of the anchor where the move ends; at rest, of the anchor. */
  x(i: number): number {
    return this.m.words[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.to_x) >> 2]!;
  }

  /** Row of the anchor where the move ends; at rest, of the anchor. */
  y(i: number): number {
    return this.m.words[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.to_y) >> 2]!;
  }

  /** Heading where the move ends; at rest, the heading. */
  heading(i: number): number {
    return this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.to_heading]!;
  }

  /** Column of the anchor where the move began. */
  fromX(i: number): number {
    return this.m.words[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.from_x) >> 2]!;
  }

  /** Row of the anchor where the move began. */
  fromY(i: number): number {
    return this.m.words[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.from_y) >> 2]!;
  }

  /** Heading at which the move began. */
  fromHeading(i: number): number {
    return this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.from_heading]!;
  }

  /** Heading steps of the move, counterclockwise positive. */
  turn(i: number): number {
    return (this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.turn]! << 24) >> 24;
  }

  /** Tick at which the move began. */
  beginTick(i: number): number {
    return this.m.unsigned[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.begin_tick) >> 2]!;
  }

  /** Tick at which the move ends; at rest, since which the agent rests. */
  endTick(i: number): number {
    return this.m.unsigned[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.end_tick) >> 2]!;
  }

  /** Tick since which it could have moved on but has not; `Infinity` while it does not wait. */
  waitsSince(i: number): number {
    const tick = this.m.unsigned[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.waits_since) >> 2]!;
    return tick === WB_NEVER ? Infinity : tick;
  }

  /** Number of the current order, as in events; -1 without one. */
  order(i: number): number {
    const order = this.m.unsigned[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.order) >> 2]!;
    return order === WB_NONE ? -1 : order;
  }

  /** Kind of the current order, as a number of `OrderKind`; 255 without one. */
  orderKind(i: number): number {
    return this.m.bytes[this.row(i, wb_agent_row.SIZE) + wb_agent_row.order_kind]!;
  }

  /** Bits, see `AgentFlag`. */
  flags(i: number): number {
    return this.m.unsigned[(this.row(i, wb_agent_row.SIZE) + wb_agent_row.flags) >> 2]!;
  }

  /** The part of the move that is done at a time in ticks, 0 to 1: a body is drawn that far from `from` to `to`. */
  progress(i: number, time: number): number {
    const [begin, end] = [this.beginTick(i), this.endTick(i)];
    return time >= end ? 1 : time <= begin ? 0 : (time - begin) / (end - begin);
  }

  /** The row of an id, or -1: rows are in order of id. */
  indexOf(id: number): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.id(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low < this.length && this.id(low) === id ? low : -1;
  }

  /** A row: a copy. */
  get(i: number): Agent {
    return agentAt(this.m, this.row(i, wb_agent_row.SIZE));
  }

  /**
   * All rows as numbers of 32 bits with sign, in the module's memory: see `STRIDE` and `WORDS`. Ask for them again after each
   * step; the same array is given as long as the rows lie where they lay.
   */
  int32(): Int32Array {
    const [at, n] = [this.first(), this.length * AGENT_WORDS];
    const { buffer } = this.m.bytes;
    if (this.#int32.buffer !== buffer || this.#int32.byteOffset !== at || this.#int32.length !== n) {
      this.#int32 = new Int32Array(buffer as ArrayBuffer, at, n);
    }
    return this.#int32;
  }

  /** As `int32`, without sign. */
  uint32(): Uint32Array {
    const [at, n] = [this.first(), this.length * AGENT_WORDS];
    const { buffer } = this.m.bytes;
    if (this.#uint32.buffer !== buffer || this.#uint32.byteOffset !== at || this.#uint32.length !== n) {
      this.#uint32 = new Uint32Array(buffer as ArrayBuffer, at, n);
    }
    return this.#uint32;
  }

  /** As `int32`, as bytes: see `BYTES`. */
  uint8(): Uint8Array {
    const [at, n] = [this.first(), this.length * wb_agent_row.SIZE];
    const { buffer } = this.m.bytes;
    if (this.#uint8.buffer !== buffer || this.#uint8.byteOffset !== at || this.#uint8.length !== n) {
      this.#uint8 = new Uint8Array(buffer as ArrayBuffer, at, n);
    }
    return this.#uint8;
  }
}

/** @internal */
export function agentAt(m: Instance, at: number): Agent {
  const { bytes, view } = m;
  const primitive = bytes[at + wb_agent_row.primitive]!;
  const orderKind = bytes[at + wb_agent_row.order_kind]!;
  const order = m.getU32(at + wb_agent_row.order);
  const waitsSince = m.getU32(at + wb_agent_row.waits_since);
  const pose = (x: number, y: number, heading: number): Agent['from'] => ({
    x: m.getI32(at + x),
    y: m.getI32(at + y),
    heading: bytes[at + heading]!,
  });
  return {
    id: m.getU32(at),
    class: bytes[at + wb_agent_row.class_]!,
    team: bytes[at + wb_agent_row.team]!,
    activity: nameOf(Activity, bytes[at + wb_agent_row.activity]!),
    primitive: primitive === WB_AT_REST ? null : primitive,
    from: pose(wb_agent_row.from_x, wb_agent_row.from_y, wb_agent_row.from_heading),
    to: pose(wb_agent_row.to_x, wb_agent_row.to_y, wb_agent_row.to_heading),
    turn: view.getInt8(at + wb_agent_row.turn),
    orderKind: orderKind === WB_NO_ORDER ? null : nameOf(OrderKind, orderKind),
    beginTick: m.getU32(at + wb_agent_row.begin_tick),
    endTick: m.getU32(at + wb_agent_row.end_tick),
    waitsSince: waitsSince === WB_NEVER ? null : waitsSince,
    order: order === WB_NONE ? null : order,
    flags: m.getU32(at + wb_agent_row.flags),
  };
}

/** One thing that happened at the last tick: a copy. */
export interface Event {
  tick: number;
  kind: EventKind;
  /** `null` if it is about none. */
  agent: number | null;
  /** What `a`, `b` and `c` are depends on the kind: see docs/web.md. */
  a: number;
  b: number;
  c: number;
  /** Ticket of the command that asked for it, of refusals, placements and edits. */
  ticket: number | null;
}

/** Details of an event: a copy. A field that does not apply is `null`. */
export interface EventDetails {
  /** Ticket of the command that is the cause; of an order, the command that gave it. */
  ticket: number | null;
  /** Where an order has ended. */
  reached: Reached | null;
  /** The agent in the way. */
  blocker: number | null;
  class: number | null;
  team: number | null;
  /** Of a removed agent the last one. */
  pose: Pose | null;
  /** Rectangle around the cells of an edit, on the map. */
  area: Rect | null;
  /** Agents for which an edit waits or waited at first, at most 8. */
  agents: number[];
}

/** @internal */
export function detailsAt(m: Instance, at: number): EventDetails {
  const number = (place: number): number | null => {
    const found = m.getU32(at + place);
    return found === WB_NONE ? null : found;
  };
  const [pose, area, reached] = [at + wb_event_details.pose, at + wb_event_details.area, m.getU32(at + wb_event_details.reached)];
  const ticket = at + wb_event_details.ticket;
  const heading = number(wb_event_details.pose + 8);
  const [width, height] = [m.getU32(area + 8), m.getU32(area + 12)];
  const n = m.getU32(at + wb_event_details.n_agents);
  return {
    ticket: m.getU64(ticket) === WB_NO_TICKET ? null : m.getCount(ticket),
    reached: reached === Reached.nothing ? null : nameOf(Reached, reached),
    blocker: number(wb_event_details.blocker),
    class: number(wb_event_details.class_),
    team: number(wb_event_details.team),
    pose: heading === null ? null : { x: m.getI32(pose), y: m.getI32(pose + 4), heading },
    area: width === 0 ? null : { x: m.getI32(area), y: m.getI32(area + 4), width, height },
    agents: Array.from({ length: n }, (_, i) => m.getU32(at + wb_event_details.agents + 4 * i)),
  };
}

/** What happened at the last tick, in order. */
export class EventRows extends Rows {
  tick(i: number): number {
    return this.#word(i, wb_event_row.tick);
  }

  /** As a number of `EventKind`. */
  kind(i: number): number {
    return this.#word(i, wb_event_row.kind);
  }

  kindName(i: number): EventKind {
    return nameOf(EventKind, this.kind(i));
  }

  /** Id of the agent; -1 if it is about none. */
  agent(i: number): number {
    const agent = this.#word(i, wb_event_row.agent);
    return agent === WB_NONE ? -1 : agent;
  }

  a(i: number): number {
    return this.#word(i, wb_event_row.a);
  }

  b(i: number): number {
    return this.#word(i, wb_event_row.b);
  }

  c(i: number): number {
    return this.#word(i, wb_event_row.c);
  }

  /** Ticket of the command that asked for it; -1 without one. */
  ticket(i: number): number {
    const at = this.row(i, wb_event_row.SIZE) + wb_event_row.ticket;
    return this.m.getU64(at) === WB_NO_TICKET ? -1 : this.m.getCount(at);
  }

  #word(i: number, place: number): number {
    return this.m.unsigned[(this.row(i, EVENT_WORDS * 4) + place) >> 2]!;
  }

  /** A row: a copy. */
  get(i: number): Event {
    const [agent, ticket] = [this.agent(i), this.ticket(i)];
    return {
      tick: this.tick(i),
      kind: this.kindName(i),
      agent: agent === -1 ? null : agent,
      a: this.a(i),
      b: this.b(i),
      c: this.c(i),
      ticket: ticket === -1 ? null : ticket,
    };
  }

  /** All rows: a copy. */
  toArray(): Event[] {
    return Array.from({ length: this.length }, (_, i) => this.get(i));
  }
}
