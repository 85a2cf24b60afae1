import {
  OnAgents, Refusal, OrderFailure, WB_NONE, WB_RUNNING, WaitRule, wb_agent_row, wb_answer, wb_cell, wb_counts,
  wb_event_details, wb_file, wb_group_pose,
  wb_memory, wb_path_pose, wb_path_request, wb_pose, wb_wait_reason,
} from './abi.js';
import { MovementClass } from './class.js';
import { choice, nameOf, wrong } from './error.js';
import { GridMap, putContent, type FileContent } from './map.js';
import { Handle, make, running, whole, type Instance } from './module.js';
import { putOrders, putSpawn, putSpawnGroup, putTaskSource, type Order, type Spawn, type SpawnGroup, type TaskSource } from './order.js';
import { Scratch, type Path } from './path.js';
import { Recording } from './recording.js';
import { AgentRows, EventRows, agentAt, detailsAt, type Agent, type EventDetails } from './rows.js';
import type { Setup } from './setup.js';
import { MovementTables, getAnswer, type Answer } from './tables.js';
import {
  NONE, getCell, getCells, getPathPoses, getPose, getU32s, putCell, putChanges, putGoals, putPose, putRect, type Cell, type Change,
  type Goal, type PathPose, type Pose, type Rect,
} from './value.js';

/** What a run counts as it goes. */
export interface Counts {
  moving: number;
  waiting: number;
  editsPending: number;
  placed: number;
  removed: number;
  notPlaced: number;
  commandsRefused: number;
  ordersDone: number;
  ordersUnreachable: number;
  /** Of these, the orders of each reason. */
  unreachableBy: Record<OrderFailure, number>;
  tasksDone: number;
  moves: number;
  movesRefused: number;
  movesOverlapping: number;
  flowtime: number;
  trips: number;
  tripTicks: number;
  boundTicks: number;
  waitTicks: number;
  pathRequests: number;
  expansions: number;
  /** Pairs of agents in violation, summed over ticks; `null` unless invariants are checked. */
  collisions: number | null;
  longestTaskTicks: number;
  longestTripTicks: number;
  longestWaitTicks: number;
  longestRequestTicks: number;
}

/** Bytes in use for agents and goals. */
export interface WorldMemory {
  agents: number;
  agentBytes: number;
  fields: number;
  fieldBytes: number;
  landmarkBytes: number;
}

/** Why an agent is not moving on. Fields that do not apply are `null`. */
export interface WaitReason {
  rule: WaitRule;
  /** In words. */
  text: string;
  /** The agent that holds the cells it needs. */
  holder: number | null;
  /** The cell that is needed. */
  at: Cell | null;
  corridor: number | null;
  corridorAt: Cell | null;
  /** Agents nearer to the corridor that go the same way. */
  ahead: number | null;
}

/** A path for the host to find. */
export interface PathRequest {
  agent: number;
  class: number;
  start: Pose;
  goals: Goal[];
  within: number;
  priority: number;
}

/** The agents that a command is about: by id, or all in an area at that tick. */
export type Selection = number | readonly number[] | Uint32Array | { area: Rect };

/** When a command takes effect. */
export interface When {
  /** By default at the beginning of the next step. */
  tick?: number;
}

/** The files that a scenario names, by their paths as it writes them. */
export type Attached = Readonly<Record<string, FileContent>>;

/**
 * Many agents, many ticks. Commands change it, at the beginning of the next step; an event refuses an impossible command
 * with the command's ticket.
 */
export class World extends Handle {
  #revision = 0;
  readonly #agents: AgentRows;
  readonly #events: EventRows;
  #scratch: Scratch | null = null;
  #recording: Recording | null = null;
  // Where the calls that are made each tick write: kept, so that they allocate nothing.
  readonly #out: number;

  private constructor(instance: Instance, handle: bigint) {
    super(instance, handle, instance.f.wb_world_destroy);
    this.#agents = new AgentRows(this);
    this.#events = new EventRows(this);
    this.#out = instance.out;
  }

  /** A world of a setup, before its first tick. The error names all mistakes, such as agents that overlap. */
  static of(setup: Setup): World {
    const m = setup.instance;
    m.begin();
    return new World(m, make(m, (to) => m.f.wb_world_new(setup.handle, to)));
  }

  /** A world from the text of a scenario (`.toml`) or of a problem of the League of Robot Runners (`.json`). */
  static parse(name: string, content: FileContent, files: Attached = {}): World {
    const m = running();
    m.begin();
    const [file, bytes, all] = [m.putText(name), putContent(m, content), Object.entries(files)];
    const at = m.take(all.length * wb_file.SIZE);
    all.forEach(([path, its], i) => {
      const to = at + i * wb_file.SIZE;
      m.setText(to + wb_file.name, to + wb_file.name_length, path);
      const put = putContent(m, its);
      m.setU32(to + wb_file.bytes, put.at);
      m.setU32(to + wb_file.length, put.length);
    });
    const call = (to: number): number =>
      m.f.wb_world_parse(file.at, file.length, bytes.at, bytes.length, at, all.length, 0, to);
    return new World(m, make(m, call));
  }

  /** A world from the bytes of `save()`. It steps exactly like the world that was saved. */
  static load(bytes: Uint8Array): World {
    const m = running();
    m.begin();
    const at = m.putBytes(bytes);
    return new World(m, make(m, (to) => m.f.wb_world_load(at, bytes.length, 0, to)));
  }

  override free(): void {
    this.#scratch?.free();
    this.#scratch = null;
    this.#recording = null;
    super.free();
  }

  /** @internal */
  get revision(): number {
    return this.#revision;
  }

  /** A copy that steps exactly like the world. It shares map, tables and cost fields with it. */
  clone(): World {
    const m = this.instance;
    m.begin();
    return new World(m, make(m, (to) => m.f.wb_world_clone(this.handle, to)));
  }

  /** Makes the world a copy of another, in the memory that it has: what a game does to roll back. */
  copyFrom(other: World): void {
    this.instance.check(this.instance.f.wb_world_copy_from(this.handle, other.handle));
    this.#changed();
  }

  /** The whole world as bytes: a saved game. Not in it: names of agents, events. */
  save(): Uint8Array {
    const m = this.instance;
    m.begin();
    const { at, count } = m.buffer(1, (to, room, n) => m.f.wb_world_save(this.handle, to, room, n));
    return m.bytes.slice(at, at + count);
  }

  /** Puts the world of `save()` in place of this one. If it fails, the world is as it was. */
  restore(bytes: Uint8Array): void {
    const m = this.instance;
    m.begin();
    m.check(m.f.wb_world_restore(this.handle, m.putBytes(bytes), bytes.length));
    this.#changed();
  }

  #changed(): void {
    this.#revision++;
    this.#recording = null;
  }

  /** Sets the last tick of the run, counted from tick 0; 0 for a world without one. */
  setTicks(ticks: number): void {
    this.instance.check(this.instance.f.wb_world_set_ticks(this.handle, whole(ticks, 'ticks', 0, NONE)));
  }

  /** Checks after every tick that no two agents overlap, and counts pairs that do in `counts().collisions`. It takes time. */
  checkInvariants(): void {
    this.instance.check(this.instance.f.wb_world_check_invariants(this.handle));
  }

  /** Runs one tick. Whether there is more to do: `false` after the last tick, or when nothing is left to do. */
  step(): boolean {
    const m = this.instance;
    this.#revision++;
    m.check(m.f.wb_world_step(this.handle, this.#out));
    const state = m.unsigned[this.#out >> 2]!;
    this.#recording?.tick(state);
    return state === WB_RUNNING;
  }

  /** Runs ticks, until the run ends; the number of ticks that have run. */
  run(ticks: number): number {
    let n = 0;
    while (n < ticks && this.step()) n++;
    return n;
  }

  /** The tick that comes next: the number of ticks that have run. */
  get tick(): number {
    const m = this.instance;
    m.check(m.f.wb_world_tick(this.handle, this.#out));
    return m.unsigned[this.#out >> 2]!;
  }

  /** The hash of the state: equal worlds that get equal commands at equal ticks have equal hashes, on any machine. */
  hash(): bigint {
    const m = this.instance;
    m.check(m.f.wb_world_hash(this.handle, this.#out));
    return m.getU64(this.#out);
  }

  /**
   * The agents present, in order of id, read without a copy. It is the same object at each tick: it holds until the next
   * `step`, `restore`, `copyFrom` or `free`, and then is asked for again.
   */
  agents(): AgentRows {
    const m = this.instance;
    m.check(m.f.wb_world_agents(this.handle, this.#out, this.#out + 4));
    const words = m.unsigned;
    this.#agents.point(words[this.#out >> 2]!, words[(this.#out >> 2) + 1]!);
    return this.#agents;
  }

  /** What happened at the last tick, in order. As for `agents`. */
  events(): EventRows {
    const m = this.instance;
    m.check(m.f.wb_world_events(this.handle, this.#out, this.#out + 4));
    const words = m.unsigned;
    this.#events.point(words[this.#out >> 2]!, words[(this.#out >> 2) + 1]!);
    return this.#events;
  }

  /** Details of an event of the last tick, by its index in `events()`: a copy. */
  eventDetails(index: number): EventDetails {
    const m = this.instance;
    m.begin();
    const at = m.sized(wb_event_details);
    m.check(m.f.wb_world_event_details(this.handle, whole(index, 'index', 0, 0xffff_ffff), at));
    return detailsAt(m, at);
  }

  /** The row of an agent: a copy. */
  agent(id: number): Agent {
    const m = this.instance;
    m.begin();
    const to = m.take(wb_agent_row.SIZE);
    m.check(m.f.wb_world_agent(this.handle, agentId(id), to));
    return agentAt(m, to);
  }

  /** The counts of the run so far. */
  counts(): Counts {
    const m = this.instance;
    m.begin();
    const at = m.sized(wb_counts);
    m.check(m.f.wb_world_counts(this.handle, at));
    const small = (place: number): number => m.getU32(at + place);
    const large = (place: number): number => m.getCount(at + place);
    const by = Object.entries(OrderFailure).map(([name, i]) => [name, large(wb_counts.unreachable_by + i * 8)]);
    return {
      moving: small(wb_counts.moving),
      waiting: small(wb_counts.waiting),
      editsPending: small(wb_counts.edits_pending),
      placed: large(wb_counts.placed),
      removed: large(wb_counts.removed),
      notPlaced: large(wb_counts.not_placed),
      commandsRefused: large(wb_counts.commands_refused),
      ordersDone: large(wb_counts.orders_done),
      ordersUnreachable: large(wb_counts.orders_unreachable),
      unreachableBy: Object.fromEntries(by) as Record<OrderFailure, number>,
      tasksDone: large(wb_counts.tasks_done),
      moves: large(wb_counts.moves),
      movesRefused: large(wb_counts.moves_refused),
      movesOverlapping: large(wb_counts.moves_overlapping),
      flowtime: large(wb_counts.flowtime),
      trips: large(wb_counts.trips),
      tripTicks: large(wb_counts.trip_ticks),
      boundTicks: large(wb_counts.bound_ticks),
      waitTicks: large(wb_counts.wait_ticks),
      pathRequests: large(wb_counts.path_requests),
      expansions: large(wb_counts.expansions),
      collisions: m.getU64(at + wb_counts.collisions) === 0xffff_ffff_ffff_ffffn ? null : large(wb_counts.collisions),
      longestTaskTicks: small(wb_counts.longest_task_ticks),
      longestTripTicks: small(wb_counts.longest_trip_ticks),
      longestWaitTicks: small(wb_counts.longest_wait_ticks),
      longestRequestTicks: small(wb_counts.longest_request_ticks),
    };
  }

  /** Memory of agents and goals after the last tick. */
  memory(): WorldMemory {
    const m = this.instance;
    m.begin();
    const at = m.sized(wb_memory);
    m.check(m.f.wb_world_memory(this.handle, at));
    return {
      agents: m.getCount(at + wb_memory.agents),
      agentBytes: m.getCount(at + wb_memory.agent_bytes),
      fields: m.getCount(at + wb_memory.fields),
      fieldBytes: m.getCount(at + wb_memory.field_bytes),
      landmarkBytes: m.getCount(at + wb_memory.landmark_bytes),
    };
  }

  /** Whether no later tick can change anything: no command waits, and every agent rests without anything to do. */
  get nothingLeft(): boolean {
    const m = this.instance;
    m.check(m.f.wb_world_nothing_left(this.handle, this.#out));
    return m.bytes[this.#out] !== 0;
  }

  /** Gives an agent a name; no part of the state. */
  nameAgent(agent: number, name: string): void {
    const m = this.instance;
    m.begin();
    const text = m.putText(name);
    m.check(m.f.wb_world_name_agent(this.handle, agentId(agent), text.at, text.length));
  }

  /** The name of an agent; empty without one. */
  agentName(agent: number): string {
    const m = this.instance;
    m.begin();
    return m.text((to, room, n) => m.f.wb_world_agent_name(this.handle, agentId(agent), to, room, n));
  }

  // --- Commands. Each gives its ticket.

  #command(when: When, give: (m: Instance, tick: number, ticket: number) => number): number {
    const m = this.instance;
    const tick = whole(when.tick ?? 0, 'tick', 0, NONE);
    m.begin();
    const ticket = m.take(8);
    m.check(give(m, tick, ticket));
    return m.getCount(ticket);
  }

  /** Places an agent. The event `spawned` has its id, and the ticket. */
  spawn(spawn: Spawn, when: When = {}): number {
    return this.#command(when, (m, tick, to) => m.f.wb_command_spawn(this.handle, putSpawn(m, spawn), tick, to));
  }

  /** Places agents at random. Those for which there is no room are counted, and refused by one event. */
  spawnGroup(group: SpawnGroup, when: When = {}): number {
    const give = (m: Instance, tick: number, to: number): number =>
      m.f.wb_command_spawn_group(this.handle, putSpawnGroup(m, group), tick, to);
    return this.#command(when, give);
  }

  /** Removes agents. */
  remove(agents: Selection, when: When = {}): number {
    return this.#command(when, (m, tick, to) => {
      const of = putSelection(m, agents);
      return of.isArea
        ? m.f.wb_command_remove_in(this.handle, of.at, tick, to)
        : m.f.wb_command_remove(this.handle, of.at, of.n, tick, to);
    });
  }

  /**
   * Gives agents orders, done one after another, in place of their remaining orders, or with `append` after them; no orders
   * leave them without any. Agents sent to a group goal by one command share the poses around it.
   */
  order(agents: Selection, orders: Order | readonly Order[], options: When & { append?: boolean } = {}): number {
    const all = Array.isArray(orders) ? (orders as readonly Order[]) : [orders as Order];
    const append = options.append === true ? 1 : 0;
    return this.#command(options, (m, tick, to) => {
      const [of, at] = [putSelection(m, agents), putOrders(m, all, 'orders')];
      return of.isArea
        ? m.f.wb_command_order_in(this.handle, of.at, at, all.length, append, tick, to)
        : m.f.wb_command_order(this.handle, of.at, of.n, at, all.length, append, tick, to);
    });
  }

  /** Gives agents tasks, in place of their present tasks or after their orders. */
  tasks(agents: Selection, tasks: TaskSource, options: When & { stream?: number } = {}): number {
    const stream = whole(options.stream ?? 0, 'stream', 0, NONE);
    return this.#command(options, (m, tick, to) => {
      const [of, at] = [putSelection(m, agents), putTaskSource(m, tasks, 'tasks')];
      return of.isArea
        ? m.f.wb_command_tasks_in(this.handle, of.at, at, stream, tick, to)
        : m.f.wb_command_tasks(this.handle, of.at, of.n, at, stream, tick, to);
    });
  }

  /** Sets the priority of agents; higher goes first. */
  setPriority(agents: Selection, priority: number, when: When = {}): number {
    const value = whole(priority, 'priority', -0x8000_0000, 0x7fff_ffff);
    return this.#command(when, (m, tick, to) => {
      const of = putSelection(m, agents);
      return of.isArea
        ? m.f.wb_command_priority_in(this.handle, of.at, value, tick, to)
        : m.f.wb_command_priority(this.handle, of.at, of.n, value, tick, to);
    });
  }

  /**
   * Gives an agent another class at the end of its current move, in a pose of that class; without one it keeps cell and
   * heading.
   */
  setClass(agent: number, movementClass: number, pose: Pose | null = null, when: When = {}): number {
    return this.#command(when, (m, tick, to) => {
      const at = pose === null ? 0 : putPose(m, pose, 'pose');
      const number = whole(movementClass, 'movementClass', 0, NONE);
      return m.f.wb_command_class(this.handle, agentId(agent), number, at, tick, to);
    });
  }

  /** Sets the team of agents, 0 to 31. */
  setTeam(agents: Selection, team: number, when: When = {}): number {
    const value = whole(team, 'team', 0, NONE);
    return this.#command(when, (m, tick, to) => {
      const of = putSelection(m, agents);
      return of.isArea
        ? m.f.wb_command_team_in(this.handle, of.at, value, tick, to)
        : m.f.wb_command_team(this.handle, of.at, of.n, value, tick, to);
    });
  }

  /** Sets the speed factor of agents in thousandths, 1 to 65535. */
  setSpeedFactor(agents: Selection, permille: number, when: When = {}): number {
    const value = whole(permille, 'permille', 0, NONE);
    return this.#command(when, (m, tick, to) => {
      const of = putSelection(m, agents);
      return of.isArea
        ? m.f.wb_command_speed_factor_in(this.handle, of.at, value, tick, to)
        : m.f.wb_command_speed_factor(this.handle, of.at, of.n, value, tick, to);
    });
  }

  /**
   * Takes agents off the map, into `container` if one is given. They keep their orders; only `leave` and `remove` reach them
   * there.
   */
  enter(agents: Selection, options: When & { container?: number } = {}): number {
    const container = options.container === undefined ? WB_NONE : agentId(options.container);
    return this.#command(options, (m, tick, to) => {
      const of = putSelection(m, agents);
      return of.isArea
        ? m.f.wb_command_enter_in(this.handle, of.at, container, tick, to)
        : m.f.wb_command_enter(this.handle, of.at, of.n, container, tick, to);
    });
  }

  /**
   * Puts an agent that is off the map back: in the pose, or in the free one nearest to it unless `orNearest` is false. It
   * begins its current order from there.
   */
  leave(agent: number, pose: Pose, options: When & { orNearest?: boolean } = {}): number {
    const orNearest = (options.orNearest ?? true) ? 1 : 0;
    return this.#command(options, (m, tick, to) =>
      m.f.wb_command_leave(this.handle, agentId(agent), putPose(m, pose, 'pose'), orNearest, tick, to),
    );
  }

  /**
   * Changes the map; all changes are one edit. `onAgents` says what happens to agents whose pose or move would become
   * illegal: the edit waits for them (default), they are stranded, or removed; the last two also after a `deadline` of ticks.
   */
  edit(changes: readonly Change[], options: When & { onAgents?: OnAgents; deadline?: number } = {}): number {
    const onAgents = choice(OnAgents, options.onAgents ?? 'wait', 'onAgents');
    const deadline = whole(options.deadline ?? 0, 'deadline', 0, NONE);
    return this.#command(options, (m, tick, to) =>
      m.f.wb_command_edit(this.handle, putChanges(m, changes), changes.length, onAgents, deadline, tick, to),
    );
  }

  /** Withdraws an edit that still waits, by the ticket of its command. */
  cancelEdit(edit: number, when: When = {}): number {
    return this.#command(when, (m, tick, to) =>
      m.f.wb_command_cancel_edit(this.handle, BigInt(whole(edit, 'edit', 0, Number.MAX_SAFE_INTEGER)), tick, to),
    );
  }

  /** Moves for agents to begin, by number of the primitive, in a world with the rule `commanded`. */
  decide(agents: ArrayLike<number>, primitives: Uint8Array, when: When = {}): number {
    if (agents.length !== primitives.length) throw wrong(`${agents.length} agents, ${primitives.length} primitives`);
    return this.#command(when, (m, tick, to) => {
      const [at, moves] = [m.putU32s(agents, 'agents'), m.putBytes(primitives)];
      return m.f.wb_command_decisions(this.handle, at, moves, agents.length, tick, to);
    });
  }

  /** Answers the path request of an agent, in a world with `paths: 'host'`: its moves, or `null` if there is no path. */
  answerPath(agent: number, moves: Uint8Array | null, when: When = {}): number {
    return this.#command(when, (m, tick, to) => {
      const [found, list] = moves === null ? [0, new Uint8Array(0)] : [1, moves];
      return m.f.wb_command_path_answer(this.handle, agentId(agent), found, m.putBytes(list), list.length, tick, to);
    });
  }

  // --- Questions, which change nothing.

  /** The agent that holds a cell, or `null`. */
  agentAt(cell: Cell): number | null {
    const m = this.instance;
    m.begin();
    const [at, to] = [putCell(m, cell, 'cell'), m.take(8)];
    m.check(m.f.wb_world_agent_at(this.handle, at, to));
    const agent = m.getU32(to);
    return agent === WB_NONE ? null : agent;
  }

  /** The agents that hold a cell of an area, or the end of whose move will, in order of id. */
  agentsIn(area: Rect): number[] {
    const m = this.instance;
    m.begin();
    const at = putRect(m, area, 'area');
    return getU32s(m, m.buffer(4, (to, room, n) => m.f.wb_world_agents_in(this.handle, at, to, room, n)));
  }

  /** The agents off the map that have entered `container`, in order of id; without one, all of them. */
  offMap(container?: number): number[] {
    const m = this.instance;
    m.begin();
    const of = container === undefined ? WB_NONE : agentId(container);
    return getU32s(m, m.buffer(4, (to, room, n) => m.f.wb_world_off_map(this.handle, of, to, room, n)));
  }

  /** Why an agent of a class could not be placed in a pose now; `null` if it could. */
  whyNotPlace(movementClass: number, pose: Pose): Refusal | null {
    const m = this.instance;
    m.begin();
    const [at, to] = [putPose(m, pose, 'pose'), m.take(8)];
    m.check(m.f.wb_world_can_place(this.handle, whole(movementClass, 'movementClass', 0, NONE), at, to));
    const refusal = m.getU32(to);
    return refusal === WB_NONE ? null : nameOf(Refusal, refusal);
  }

  /** Whether an agent of a class could be placed in a pose now. */
  canPlace(movementClass: number, pose: Pose): boolean {
    return this.whyNotPlace(movementClass, pose) === null;
  }

  /** The agents whose pose or move would become illegal if these changes were made together now. */
  wouldDisturb(changes: readonly Change[]): number[] {
    const m = this.instance;
    m.begin();
    const [at, n] = [putChanges(m, changes), changes.length];
    return getU32s(m, m.buffer(4, (to, room, count) => m.f.wb_world_would_disturb(this.handle, at, n, to, room, count)));
  }

  /** Previews the poses that an order to a group, or in formation, would give to some agents, in order of id. A pose is `null`
   * without room or a way. */
  groupPoses(agents: readonly number[], order: Order): { agent: number; pose: Pose | null }[] {
    const m = this.instance;
    m.begin();
    const [of, given] = [m.putU32s(agents, 'agents'), putOrders(m, [order], 'orders')];
    const call = (to: number, room: number, n: number): number =>
      m.f.wb_world_group_poses(this.handle, of, agents.length, given, to, room, n);
    const { at, count } = m.buffer(wb_group_pose.SIZE, call);
    return Array.from({ length: count }, (_, i) => {
      const from = at + i * wb_group_pose.SIZE;
      const pose = getPose(m, from + wb_group_pose.pose);
      return { agent: m.getU32(from + wb_group_pose.agent), pose: pose.heading === WB_NONE ? null : pose };
    });
  }

  /** Previews the path of an agent to a goal, from where it rests or will rest. */
  plan(agent: number, goals: readonly Goal[], options: { within?: number; scratch?: Scratch; path?: Path } = {}): Answer {
    const m = this.instance;
    const scratch = options.scratch ?? (this.#scratch ??= new Scratch());
    m.begin();
    const [at, to] = [putGoals(m, goals, 'goals'), m.sized(wb_answer)];
    const within = whole(options.within ?? 0, 'within', 0, NONE);
    const path = options.path?.handle ?? 0n;
    m.check(m.f.wb_world_plan(this.handle, agentId(agent), at, goals.length, within, scratch.handle, path, to));
    const answer = getAnswer(m, to);
    options.path?.written();
    return answer;
  }

  /** Where an agent can get within some ticks, alone on the map: each pose with its distance in ticks. */
  reach(agent: number, ticks: number): PathPose[] {
    const m = this.instance;
    m.begin();
    const most = whole(ticks, 'ticks', 0, NONE);
    const call = (to: number, room: number, n: number): number =>
      m.f.wb_world_reach(this.handle, agentId(agent), most, to, room, n);
    return getPathPoses(m, m.buffer(wb_path_pose.SIZE, call));
  }

  /** The remaining path of an agent, from where it rests or will rest, with arrivals in ticks from there. */
  path(agent: number): PathPose[] {
    const m = this.instance;
    m.begin();
    const call = (to: number, room: number, n: number): number => m.f.wb_world_path(this.handle, agentId(agent), to, room, n);
    return getPathPoses(m, m.buffer(wb_path_pose.SIZE, call));
  }

  /** Why an agent is not moving on. */
  reasonForWaiting(agent: number): WaitReason {
    const m = this.instance;
    m.begin();
    const at = m.sized(wb_wait_reason);
    const text = m.text((to, room, n) => m.f.wb_world_reason_for_waiting(this.handle, agentId(agent), at, to, room, n));
    const number = (place: number): number | null => {
      const found = m.getU32(at + place);
      return found === WB_NONE ? null : found;
    };
    const corridor = number(wb_wait_reason.corridor);
    return {
      rule: nameOf(WaitRule, m.getU32(at + wb_wait_reason.rule)),
      text,
      holder: number(wb_wait_reason.holder),
      at: m.getU32(at + wb_wait_reason.has_at) === 0 ? null : getCell(m, at + wb_wait_reason.at),
      corridor,
      corridorAt: corridor === null ? null : getCell(m, at + wb_wait_reason.corridor_at),
      ahead: number(wb_wait_reason.ahead),
    };
  }

  /** The paths for the host to find, in a world with `paths: 'host'`. */
  pathRequests(): PathRequest[] {
    const m = this.instance;
    m.begin();
    let [room, goalRoom] = [64, 256];
    for (;;) {
      const [at, n, goals, nGoals] = [m.take(room * wb_path_request.SIZE), m.take(8), m.take(goalRoom * wb_pose.SIZE), m.take(8)];
      const status = m.f.wb_world_path_requests(this.handle, at, room, n, goals, goalRoom, nGoals);
      const [count, goalCount] = [m.getU32(n), m.getU32(nGoals)];
      if (status !== 0 && (count > room || goalCount > goalRoom)) {
        [room, goalRoom] = [Math.max(room, count), Math.max(goalRoom, goalCount)];
        continue;
      }
      m.check(status);
      const goal = (i: number): Goal => {
        const pose = getPose(m, goals + i * wb_pose.SIZE);
        return pose.heading === NONE ? { x: pose.x, y: pose.y } : pose;
      };
      return Array.from({ length: count }, (_, i) => {
        const from = at + i * wb_path_request.SIZE;
        const first = m.getU32(from + wb_path_request.first_goal);
        return {
          agent: m.getU32(from + wb_path_request.agent),
          class: m.getU32(from + wb_path_request.class_),
          start: getPose(m, from + wb_path_request.start),
          goals: Array.from({ length: m.getU32(from + wb_path_request.n_goals) }, (__, k) => goal(first + k)),
          within: m.getU32(from + wb_path_request.within),
          priority: m.getI32(from + wb_path_request.priority),
        };
      });
    }
  }

  /** Number of classes. */
  get classes(): number {
    const m = this.instance;
    m.begin();
    const to = m.take(8);
    m.check(m.f.wb_world_classes(this.handle, to));
    return m.getU32(to);
  }

  /** The name of a class. */
  className(movementClass: number): string {
    const m = this.instance;
    m.begin();
    const number = whole(movementClass, 'movementClass', 0, NONE);
    return m.text((to, room, n) => m.f.wb_world_class_name(this.handle, number, to, room, n));
  }

  /** The cells that an agent of a class covers in a pose; they may lie off the map. */
  classCells(movementClass: number, pose: Pose): Cell[] {
    const m = this.instance;
    m.begin();
    const [at, number] = [putPose(m, pose, 'pose'), whole(movementClass, 'movementClass', 0, NONE)];
    const call = (to: number, room: number, n: number): number =>
      m.f.wb_world_class_cells(this.handle, number, at, to, room, n);
    return getCells(m, m.buffer(wb_cell.SIZE, call));
  }

  /** A class as a separate object. */
  movementClass(movementClass: number): MovementClass {
    const m = this.instance;
    m.begin();
    const number = whole(movementClass, 'movementClass', 0, NONE);
    return new MovementClass(m, make(m, (to) => m.f.wb_world_class(this.handle, number, to)));
  }

  /** Adds a class between two ticks; its number. It has no landmarks. Corridors stay as the setup's bodies have them. */
  addClass(of: MovementClass): number {
    const m = this.instance;
    m.begin();
    const to = m.take(8);
    m.check(m.f.wb_world_add_class(this.handle, of.handle, to));
    return m.getU32(to);
  }

  /** The present tables of a class as a separate object, to plan with. They do not follow the world. */
  tables(movementClass: number): MovementTables {
    const m = this.instance;
    m.begin();
    const number = whole(movementClass, 'movementClass', 0, NONE);
    return new MovementTables(m, make(m, (to) => m.f.wb_world_tables(this.handle, number, to)));
  }

  /** The present map as a separate object. It does not follow the world. */
  map(): GridMap {
    const m = this.instance;
    m.begin();
    return new GridMap(m, make(m, (to) => m.f.wb_world_map(this.handle, to)));
  }

  /** The terrain kinds of all cells, row by row: a copy. */
  terrain(): Uint8Array {
    const m = this.instance;
    m.begin();
    const at = m.take(8);
    m.check(m.f.wb_world_terrain(this.handle, at, at + 4));
    const from = m.getU32(at);
    return m.bytes.slice(from, from + m.getU32(at + 4));
  }

  /**
   * Begins to record, every step until `Recording.finish`. A world that has not stepped is recorded with its setup, any other
   * with a snapshot. Another recording of the world ends.
   */
  record(): Recording {
    const recording: Recording = new Recording(this, () => {
      if (this.#recording === recording) this.#recording = null;
    });
    this.#recording = recording;
    return recording;
  }
}

function agentId(agent: number): number {
  return whole(agent, 'agent', 0, NONE);
}

function putSelection(m: Instance, agents: Selection): { isArea: boolean; at: number; n: number } {
  if (typeof agents === 'number') return { isArea: false, at: m.putU32s([agents], 'agents'), n: 1 };
  if ('area' in agents) return { isArea: true, at: putRect(m, agents.area, 'area'), n: 0 };
  return { isArea: false, at: m.putU32s(agents, 'agents'), n: agents.length };
}

