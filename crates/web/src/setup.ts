import { Collision, PathSource, Rule, WB_NONE, wb_settings } from './abi.js';
import { MovementClass } from './class.js';
import { choice } from './error.js';
import type { GridMap } from './map.js';
import { Handle, make, running, whole, wide } from './module.js';
import { putSpawn, type Spawn } from './order.js';
import type { MovementTables } from './tables.js';
import { NONE, putChanges, type Change } from './value.js';

/** Settings of a world. All of them change results, so lockstep partners have equal ones. */
export interface Settings {
  name?: string;
  /** Seed of all random numbers. Default 0. */
  seed?: number | bigint;
  /** Whether a move holds all cells that it sweeps (`swept`, default) or its start and end (`discrete`). */
  collision?: Collision;
  /** Ticks to run at most; 0 (default) for a world that idles when nothing is left to do. */
  ticks?: number;
  /** Path searches in progress together, 1 to 1024. Default 16. */
  searchSlots?: number;
  /** Expansions for path searches per tick. Default 200,000. */
  expansionsPerTick?: number;
  /** Poses that each agent may expand per tick to plan its moves, at least 1; of the `cooperative` rule. Default 16. */
  posesPerAgent?: number;
  /** Traffic search budget: tries of `unit_robots` per tick. Default 20,000. */
  triesPerTick?: number;
  /** `cooperative` (default), `unit_robots` or `commanded`. */
  rule?: Rule;
  /** Who finds the paths: the `planner` (default) or the `host`. */
  paths?: PathSource;
  /** Landmarks of each class, 0 to 64, which make far searches cheap. */
  landmarks?: number;
}

/** A world in the making: classes and agents. It can make any number of worlds. */
export class Setup extends Handle {
  /** On a map as it is now. */
  constructor(map: GridMap, settings: Settings = {}) {
    const m = running();
    m.begin();
    const at = m.take(wb_settings.SIZE);
    m.check(m.f.wb_settings_init(at));
    const { name, seed, collision, ticks, searchSlots, expansionsPerTick, posesPerAgent, triesPerTick } = settings;
    const { rule, paths, landmarks } = settings;
    if (name !== undefined) m.setText(at + wb_settings.name, at + wb_settings.name_length, name);
    if (seed !== undefined) m.setU64(at + wb_settings.seed, wide(seed, 'seed'));
    if (collision !== undefined) m.setU32(at + wb_settings.collision, choice(Collision, collision, 'collision'));
    if (ticks !== undefined) m.setU32(at + wb_settings.ticks, whole(ticks, 'ticks', 0, NONE));
    if (searchSlots !== undefined) m.setU32(at + wb_settings.search_slots, whole(searchSlots, 'searchSlots', 0, NONE));
    if (expansionsPerTick !== undefined) m.setU64(at + wb_settings.expansions_per_tick, wide(expansionsPerTick, 'expansionsPerTick'));
    if (posesPerAgent !== undefined) m.setU32(at + wb_settings.poses_per_agent, whole(posesPerAgent, 'posesPerAgent', 0, NONE));
    if (triesPerTick !== undefined) m.setU64(at + wb_settings.tries_per_tick, wide(triesPerTick, 'triesPerTick'));
    if (rule !== undefined) m.setU32(at + wb_settings.rule, choice(Rule, rule, 'rule'));
    if (paths !== undefined) m.setU32(at + wb_settings.paths, choice(PathSource, paths, 'paths'));
    m.setU32(at + wb_settings.landmarks, landmarks === undefined ? WB_NONE : whole(landmarks, 'landmarks', 0, NONE));
    super(m, make(m, (to) => m.f.wb_setup_new(map.handle, at, to)), m.f.wb_setup_destroy);
  }

  /**
   * Adds a class, and gives its number: 0, 1, 2 ... in order. Tables of the setup's map are shared, and need no compiling;
   * components are made where they have none.
   */
  addClass(classOrTables: MovementClass | MovementTables): number {
    const m = this.instance;
    m.begin();
    const to = m.take(8);
    m.check(m.f.wb_setup_class(this.handle, classOrTables.handle, to));
    return m.getU32(to);
  }

  /** Adds an agent, and gives its id: 0, 1, 2 ... in order. Whether it can stand there is found when the world is made. */
  addAgent(spawn: Spawn): number {
    const m = this.instance;
    m.begin();
    const [at, to] = [putSpawn(m, spawn), m.take(8)];
    m.check(m.f.wb_setup_agent(this.handle, at, to));
    return m.getU32(to);
  }

  /** Makes two teams friends, 0 to 31 each: they yield to each other by priority. Others are obstacles to each other. */
  befriend(one: number, other: number): void {
    const [a, b] = [whole(one, 'one', 0, NONE), whole(other, 'other', 0, NONE)];
    this.instance.check(this.instance.f.wb_setup_friends(this.handle, a, b));
  }

  /** Sets a parameter by its name, as `wheelbase run --tune NAME=VALUE`: for experiments. */
  tune(name: string, value: number): void {
    const m = this.instance;
    m.begin();
    const text = m.putText(name);
    m.check(m.f.wb_setup_tune(this.handle, text.at, text.length, whole(value, 'value', 0, NONE)));
  }

  /** Names changes that edits may make and undo while landmarks stay in use, such as the doors of a fortress. */
  ease(changes: readonly Change[]): void {
    const m = this.instance;
    m.begin();
    m.check(m.f.wb_setup_ease(this.handle, putChanges(m, changes), changes.length));
  }
}
