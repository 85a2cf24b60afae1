import {
  Connected, Fallback, Guide, Heuristic, PlanResult, Reached, WB_BUFFER, WB_UPDATE_CHANGED, WB_UPDATE_EASED, wb_answer,
  wb_path_pose, wb_pose, wb_request,
} from './abi.js';
import type { MovementClass } from './class.js';
import { choice, nameOf } from './error.js';
import type { GridMap } from './map.js';
import { Handle, make, running, whole, wide, type Instance } from './module.js';
import { Path, Scratch } from './path.js';
import {
  NONE, getPathPoses, getPose, putCell, putGoals, putPose, putRect, setPose, setRect, type Cell, type Goal, type PathPose,
  type Pose, type Rect,
} from './value.js';

/** A request to the planner. */
export interface Request {
  /** Pose of the agent. */
  start: Pose;
  /** The members of the goal; it is reached at any of them. */
  goals: readonly Goal[];
  /** Radius of the goal in cells: any anchor this near to a member is one too. Default 0. */
  within?: number;
  /** Guides the search, and changes no cost unless it is `greedy`. */
  heuristic?: Heuristic;
  /** The cost is at most this many thousandths of the cheapest: 1000 (default) is exact. */
  weightPermille?: number;
  /** Without a path to the goal: none, or the path to the pose nearest to it. Default `fail`. */
  fallback?: Fallback;
  /** Whether a search that hits the limit gives the path to its best pose. */
  partial?: boolean;
  /** Most expansions; 0 (default) for no limit. */
  expansionsMax?: number;
  /** No move sweeps a cell outside it. */
  window?: Rect;
  /**
   * Cells that no move may sweep: a bit for each cell, each row begun with a new word of 64 bits; the bit of (x, y) is
   * `obstacles[y * Math.ceil(width / 64) + (x >> 6)] >> BigInt(x & 63)`.
   */
  obstacles?: BigUint64Array;
}

/** What came of a request. That there is no path is an answer, not a failure. */
export interface Answer {
  result: PlanResult;
  /** Where the path ends. */
  reached: Reached;
  /** Ticks that the path takes; 0 without one. */
  cost: number;
  /** Poses that the search expanded. */
  expansions: number;
  /** The last pose of the path; `null` without one. */
  end: Pose | null;
  /** Moves of the path. */
  moves: number;
  /** What guided the search. */
  guide: Exclude<Heuristic, 'default'> | Guide | 'never';
}

/** Where a plan works and what it writes. */
export interface PlanOptions {
  /** By default the scratch of the tables. */
  scratch?: Scratch;
  /** Where the path goes, if it is wanted. */
  path?: Path;
}

/** Answers and paths of many requests. */
export interface BatchAnswers {
  answers: Answer[];
  /** The path of request `n` is from `offsets[n]` to `offsets[n + 1] - 1`. */
  offsets: Uint32Array;
  /** Four numbers a pose: x, y, heading, arrival. */
  poses: Int32Array;
  /** The primitive that leads from each pose to the next; `NO_MOVE` from the last. */
  moves: Uint8Array;
}

/** @internal */
export function setRequest(m: Instance, at: number, request: Request): void {
  m.setU32(at, wb_request.SIZE);
  m.setU32(at + wb_request.within, whole(request.within ?? 0, 'within', 0, NONE));
  setPose(m, at + wb_request.start, request.start, 'start');
  m.setU32(at + wb_request.heuristic, choice(Heuristic, request.heuristic ?? 'default', 'heuristic'));
  m.setU32(at + wb_request.weight_permille, whole(request.weightPermille ?? 1000, 'weightPermille', 0, NONE));
  m.setU32(at + wb_request.fallback, choice(Fallback, request.fallback ?? 'fail', 'fallback'));
  m.setU32(at + wb_request.partial, request.partial === true ? 1 : 0);
  m.setU64(at + wb_request.expansions_max, wide(request.expansionsMax ?? 0, 'expansionsMax'));
  if (request.window !== undefined) setRect(m, at + wb_request.window, request.window, 'window');
  m.setU32(at + wb_request.goals, putGoals(m, request.goals, 'goals'));
  m.setU32(at + wb_request.n_goals, request.goals.length);
  const obstacles = request.obstacles;
  if (obstacles !== undefined) {
    const bytes = new Uint8Array(obstacles.buffer, obstacles.byteOffset, obstacles.byteLength);
    m.setU32(at + wb_request.obstacles, m.putBytes(bytes));
    m.setU32(at + wb_request.n_obstacles, obstacles.length);
  }
}

/** @internal */
export function putRequest(m: Instance, request: Request): number {
  const at = m.take(wb_request.SIZE);
  setRequest(m, at, request);
  return at;
}

/** @internal */
export function getAnswer(m: Instance, at: number): Answer {
  const reached = nameOf(Reached, m.getU32(at + wb_answer.reached));
  const guide = m.getU32(at + wb_answer.guide);
  return {
    result: nameOf(PlanResult, m.getU32(at + wb_answer.result)),
    reached,
    cost: m.getU32(at + wb_answer.cost),
    expansions: m.getCount(at + wb_answer.expansions),
    end: reached === 'nothing' ? null : getPose(m, at + wb_answer.end),
    moves: m.getU32(at + wb_answer.moves),
    guide: guide === 0 ? 'never' : guide < 100 ? (nameOf(Heuristic, guide) as Exclude<Heuristic, 'default'>) : nameOf(Guide, guide),
  };
}

function setAnswer(m: Instance, at: number, answer: Answer): void {
  m.setU32(at + wb_answer.result, choice(PlanResult, answer.result, 'answer.result'));
  m.setU64(at + wb_answer.expansions, wide(answer.expansions, 'answer.expansions'));
}

/** A class compiled against a map. All searches of this class on this map use these tables, which take the place of both. */
export class MovementTables extends Handle {
  #scratch: Scratch | null = null;

  /** @internal */
  constructor(instance: Instance, handle: bigint) {
    super(instance, handle, instance.f.wb_tables_destroy);
  }

  /** Compiles a class against a map. */
  static compile(map: GridMap, movementClass: MovementClass): MovementTables {
    const m = running();
    m.begin();
    return new MovementTables(m, make(m, (to) => m.f.wb_tables_new(map.handle, movementClass.handle, to)));
  }

  /** An estimate of the memory that `compile` takes, in bytes: by the tables, and while it compiles. */
  static need(map: GridMap, movementClass: MovementClass): { kept: number; peak: number } {
    const m = running();
    m.begin();
    const at = m.take(16);
    m.check(m.f.wb_tables_need(map.handle, movementClass.handle, at, at + 8));
    return { kept: m.getCount(at), peak: m.getCount(at + 8) };
  }

  /** A copy. The two share their memory until one of them is updated. */
  clone(): MovementTables {
    const m = this.instance;
    m.begin();
    return new MovementTables(m, make(m, (to) => m.f.wb_tables_clone(this.handle, to)));
  }

  override free(): void {
    this.#scratch?.free();
    this.#scratch = null;
    super.free();
  }

  /**
   * Follows an edit of the map: recompiles what the rectangle of `GridMap.edit` can touch. Says whether a pose or a move
   * is not as it was, and whether one has become legal or cheaper.
   */
  update(map: GridMap, changed: Rect): { changed: boolean; eased: boolean } {
    const m = this.instance;
    m.begin();
    const [at, effect] = [putRect(m, changed, 'changed'), m.take(8)];
    m.check(m.f.wb_tables_update(this.handle, map.handle, at, effect));
    const found = m.getU32(effect);
    return { changed: (found & WB_UPDATE_CHANGED) !== 0, eased: (found & WB_UPDATE_EASED) !== 0 };
  }

  /** Makes the components of the poses: searches for goals out of reach then end immediately. Updates keep them. */
  makeComponents(): void {
    this.instance.check(this.instance.f.wb_tables_make_components(this.handle));
  }

  /** Whether a pose is on the map and legal. */
  isLegal(pose: Pose): boolean {
    const m = this.instance;
    m.begin();
    const [at, to] = [putPose(m, pose, 'pose'), m.take(8)];
    m.check(m.f.wb_tables_is_legal(this.handle, at, to));
    return m.bytes[to] !== 0;
  }

  /** Whether some pose in the one cell leads to some pose in the other; without search. */
  connected(from: Cell, to: Cell): Connected {
    const m = this.instance;
    m.begin();
    const [one, other, answer] = [putCell(m, from, 'from'), putCell(m, to, 'to'), m.take(8)];
    m.check(m.f.wb_tables_connected(this.handle, one, other, answer));
    return nameOf(Connected, m.getU32(answer));
  }

  /** One move: the pose after it and its time in ticks; `null` if it is illegal. */
  move(pose: Pose, primitive: number): { after: Pose; ticks: number } | null {
    const m = this.instance;
    m.begin();
    const [at, after, to] = [putPose(m, pose, 'pose'), m.take(wb_pose.SIZE), m.take(8)];
    m.check(m.f.wb_tables_move(this.handle, at, whole(primitive, 'primitive', 0, NONE), after, to));
    const ticks = m.getU32(to);
    return ticks === 0 ? null : { after: getPose(m, after), ticks };
  }

  /** Checks moves from a pose, such as a path after an edit: how many of them are legal, and where these end. */
  checkMoves(start: Pose, moves: Uint8Array): { legal: number; end: PathPose } {
    const m = this.instance;
    m.begin();
    const [at, list] = [putPose(m, start, 'start'), m.putBytes(moves)];
    const [end, to] = [m.take(wb_path_pose.SIZE), m.take(8)];
    m.check(m.f.wb_tables_check_moves(this.handle, at, list, moves.length, end, to));
    return { legal: m.getU32(to), end: getPathPoses(m, { at: end, count: 1 })[0]! };
  }

  /** Memory of the tables in bytes. */
  memory(): number {
    const m = this.instance;
    m.begin();
    const to = m.take(8);
    m.check(m.f.wb_tables_memory(this.handle, to));
    return m.getCount(to);
  }

  #scratchOf(options: PlanOptions): Scratch {
    return options.scratch ?? (this.#scratch ??= new Scratch());
  }

  /** Plans a cheapest path. */
  plan(request: Request, options: PlanOptions = {}): Answer {
    const m = this.instance;
    const scratch = this.#scratchOf(options);
    m.begin();
    const [at, to] = [putRequest(m, request), m.sized(wb_answer)];
    m.check(m.f.wb_plan(this.handle, at, scratch.handle, options.path?.handle ?? 0n, to));
    const answer = getAnswer(m, to);
    options.path?.written();
    return answer;
  }

  /** Begins a search, to be advanced over several frames. */
  begin(request: Request, options: PlanOptions = {}): Search {
    const m = this.instance;
    const scratch = this.#scratchOf(options);
    m.begin();
    const [at, done] = [putRequest(m, request), m.take(8)];
    m.check(m.f.wb_plan_begin(this.handle, at, scratch.handle, done));
    return new Search(this, scratch, m.bytes[done] !== 0);
  }

  /** Says in words why an answer has no path to its goal, and where; empty if it has. `map` is the map of the tables. */
  explain(map: GridMap, request: Request, answer: Answer): string {
    const m = this.instance;
    m.begin();
    const [at, of] = [putRequest(m, request), m.sized(wb_answer)];
    setAnswer(m, of, answer);
    return m.text((to, room, n) => m.f.wb_plan_explain(map.handle, this.handle, at, of, to, room, n));
  }

  /** Plans many requests together. */
  planAll(requests: readonly Request[], options: { scratch?: Scratch } = {}): BatchAnswers {
    const m = this.instance;
    const scratch = this.#scratchOf(options);
    let room = requests.length * 64;
    for (;;) {
      m.begin();
      const at = m.take(requests.length * wb_request.SIZE);
      requests.forEach((request, i) => setRequest(m, at + i * wb_request.SIZE, request));
      const answers = m.take(requests.length * wb_answer.SIZE + 8);
      for (let i = 0; i < requests.length; i++) m.setU32(answers + i * wb_answer.SIZE, wb_answer.SIZE);
      const [poses, moves] = [m.take(room * wb_path_pose.SIZE), m.take(room)];
      const offsets = m.take((requests.length + 1) * 4);
      const n = requests.length;
      const status = m.f.wb_plan_batch(this.handle, at, n, 1, scratch.handle, answers, poses, moves, room, offsets);
      if (status !== WB_BUFFER) m.check(status);
      const needed = m.getU32(offsets + n * 4);
      if (status === WB_BUFFER) {
        room = needed;
        continue;
      }
      return {
        answers: Array.from({ length: n }, (_, i) => getAnswer(m, answers + i * wb_answer.SIZE)),
        offsets: m.unsigned.slice(offsets >> 2, (offsets >> 2) + n + 1),
        poses: m.words.slice(poses >> 2, (poses >> 2) + needed * 4),
        moves: m.bytes.slice(moves, moves + needed),
      };
    }
  }
}

/** A search in progress. It ends with the next plan in the same scratch, and when the tables change. */
export class Search {
  readonly #tables: MovementTables;
  readonly #scratch: Scratch;
  #isDone: boolean;

  /** @internal */
  constructor(tables: MovementTables, scratch: Scratch, isDone: boolean) {
    this.#tables = tables;
    this.#scratch = scratch;
    this.#isDone = isDone;
  }

  /** Whether the search has ended. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Goes on for at most `expansions`; whether it has ended. Slicing changes no answer. */
  advance(expansions: number): boolean {
    const m = this.#tables.instance;
    m.begin();
    const to = m.take(8);
    const budget = wide(expansions, 'expansions');
    m.check(m.f.wb_plan_advance(this.#tables.handle, this.#scratch.handle, budget, to));
    this.#isDone = m.bytes[to] !== 0;
    return this.#isDone;
  }

  /** The answer, and the path. Before the end that is `limit_reached`, and the search can still go on. */
  finish(path?: Path): Answer {
    const m = this.#tables.instance;
    m.begin();
    const to = m.sized(wb_answer);
    m.check(m.f.wb_plan_finish(this.#tables.handle, this.#scratch.handle, path?.handle ?? 0n, to));
    const answer = getAnswer(m, to);
    path?.written();
    return answer;
  }
}

/** Says in words why a move from a pose is illegal, and where; empty if it is legal. */
export function explainMove(map: GridMap, movementClass: MovementClass, pose: Pose, primitive: number): string {
  const m = map.instance;
  m.begin();
  const at = putPose(m, pose, 'pose');
  const number = whole(primitive, 'primitive', 0, NONE);
  return m.text((to, room, n) => m.f.wb_explain_move(map.handle, movementClass.handle, at, number, to, room, n));
}

/** Says in words why a pose is illegal, and where; empty if it is legal. */
export function explainPose(map: GridMap, movementClass: MovementClass, pose: Pose): string {
  const m = map.instance;
  m.begin();
  const at = putPose(m, pose, 'pose');
  return m.text((to, room, n) => m.f.wb_explain_pose(map.handle, movementClass.handle, at, to, room, n));
}

