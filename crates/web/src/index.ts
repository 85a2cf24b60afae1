/** Exact path planning and deterministic simulation of units that cover several cells. Begin with `await init()`. */
export {
  Activity, AgentFlag, ChangeKind, Collision, Connected, EventKind, Fallback, Guide, Heuristic, IfNoRoom, IfUnreachable, OnAgents,
  OrderFailure, OrderKind, PathSource, PlanResult, Reached, Refusal, Rule, Shape, SweepRule, TaskKind, WaitRule, When,
} from './abi.js';
export { MovementClass, type ClassInfo, type ClassSpec, type Primitive } from './class.js';
export { WheelbaseError, type Place, type Status } from './error.js';
export { CostField } from './field.js';
export { GridMap, type FileContent, type MapInfo, type Terrain } from './map.js';
export { compile, init, memoryBytes, type InitOptions } from './module.js';
export type { Order, Spawn, SpawnGroup, TaskSource, Trip } from './order.js';
export { NO_MOVE, Path, PathRows, Scratch } from './path.js';
export { PathQueue, type QueueAnswer } from './queue.js';
export { Recording } from './recording.js';
export { AgentRows, EventRows, type Agent, type Event, type EventDetails } from './rows.js';
export { Setup, type Settings } from './setup.js';
export {
  MovementTables, Search, explainMove, explainPose, type Answer, type BatchAnswers, type PlanOptions, type Request,
} from './tables.js';
export type { Cell, Change, Goal, PathPose, Pose, Rect } from './value.js';
export {
  World, type Attached, type Counts, type PathRequest, type Selection, type WaitReason, type When as CommandTime,
  type WorldMemory,
} from './world.js';
