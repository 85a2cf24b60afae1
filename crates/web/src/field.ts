import { WB_NEVER, WB_NONE, wb_path_pose, wb_pose } from './abi.js';
import { Handle, make, whole, wide, type Instance } from './module.js';
import type { Path } from './path.js';
import type { MovementTables } from './tables.js';
import { NONE, getPathPoses, getPose, putGoals, putPose, putRect, type Goal, type PathPose, type Pose, type Rect } from './value.js';

/**
 * The costs from all poses to a goal, or from one pose to all. One search answers for all agents that go there. It works
 * with the tables that it was made with, and follows their edits by `repair`.
 */
export class CostField extends Handle {
  readonly #tables: MovementTables;

  private constructor(instance: Instance, handle: bigint, tables: MovementTables) {
    super(instance, handle, instance.f.wb_field_destroy);
    this.#tables = tables;
  }

  /** The costs from all poses to a goal. `within`: radius of the goal in cells. Nothing is searched before a question. */
  static toGoal(tables: MovementTables, goals: readonly Goal[], within = 0): CostField {
    const m = tables.instance;
    m.begin();
    const [at, radius] = [putGoals(m, goals, 'goals'), whole(within, 'within', 0, NONE)];
    const call = (to: number): number => m.f.wb_field_to_goal(tables.handle, at, goals.length, radius, to);
    return new CostField(m, make(m, call), tables);
  }

  /** The costs from one pose to all others: what an agent can reach, and when. */
  static fromPose(tables: MovementTables, start: Pose): CostField {
    const m = tables.instance;
    m.begin();
    const at = putPose(m, start, 'start');
    return new CostField(m, make(m, (to) => m.f.wb_field_from_pose(tables.handle, at, to)), tables);
  }

  /** Searches on for at most `expansions`, all by default; whether every pose that can be reached is settled. */
  settle(expansions?: number): boolean {
    const m = this.instance;
    m.begin();
    const to = m.take(8);
    const budget = expansions === undefined ? 0xffff_ffff_ffff_ffffn : wide(expansions, 'expansions');
    m.check(m.f.wb_field_settle(this.handle, this.#tables.handle, budget, to));
    return m.bytes[to] !== 0;
  }

  /** Follows an edit, after the tables have (`MovementTables.update`), with the same rectangle. */
  repair(changed: Rect): void {
    const m = this.instance;
    m.begin();
    m.check(m.f.wb_field_repair(this.handle, this.#tables.handle, putRect(m, changed, 'changed')));
  }

  /** The cost between a pose and the field's end in ticks; `Infinity` if there is no way. */
  cost(pose: Pose): number {
    const m = this.instance;
    m.begin();
    const [at, to] = [putPose(m, pose, 'pose'), m.take(8)];
    m.check(m.f.wb_field_cost(this.handle, this.#tables.handle, at, to));
    const ticks = m.getU32(to);
    return ticks === WB_NEVER ? Infinity : ticks;
  }

  /** All poses within some ticks, each with its cost as `arrival`, row by row. */
  within(ticks: number): PathPose[] {
    const m = this.instance;
    m.begin();
    const most = whole(ticks, 'ticks', 0, NONE);
    const call = (to: number, room: number, n: number): number =>
      m.f.wb_field_within(this.handle, this.#tables.handle, most, to, room, n);
    return getPathPoses(m, m.buffer(wb_path_pose.SIZE, call));
  }

  /** Writes a cheapest path between a pose and the field's end, in the direction of travel; whether there is one. */
  path(pose: Pose, path: Path): boolean {
    const m = this.instance;
    m.begin();
    const [at, to] = [putPose(m, pose, 'pose'), m.take(8)];
    m.check(m.f.wb_field_path(this.handle, this.#tables.handle, at, path.handle, to));
    const isFound = m.bytes[to] !== 0;
    path.written();
    return isFound;
  }

  /** The next move of an agent at a pose towards the goal, and the pose after it; `null` at the goal or without a way. */
  next(pose: Pose): { primitive: number; after: Pose } | null {
    const m = this.instance;
    m.begin();
    const [at, to, after] = [putPose(m, pose, 'pose'), m.take(8), m.take(wb_pose.SIZE)];
    m.check(m.f.wb_field_next(this.handle, this.#tables.handle, at, to, after));
    const primitive = m.getU32(to);
    return primitive === WB_NONE ? null : { primitive, after: getPose(m, after) };
  }
}
