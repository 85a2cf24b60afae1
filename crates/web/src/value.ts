import {
  ChangeKind,
  WB_ANY_HEADING,
  WB_KEEP,
  wb_cell,
  wb_change,
  wb_path_pose,
  wb_pose,
  wb_rect,
} from './abi.js';
import { choice, wrong } from './error.js';
import { whole, type Instance } from './module.js';

/** A cell: column and row. x grows to the east, y to the south; (0, 0) is the northwest cell. May lie off the map. */
export interface Cell {
  x: number;
  y: number;
}

/**
 * A cell for the anchor, and a heading counted counterclockwise from east. With 4 headings: 0 E, 1 N, 2 W, 3 S; with 8: E,
 * NE, N, NW, W, SW, S, SE; with the 6 of hexagonal maps: E, NE, NW, W, SW, SE; with 1: 0.
 */
export interface Pose extends Cell {
  heading: number;
}

/** A member of a goal: a cell for the anchor, with a heading or, without one, with any. */
export interface Goal extends Cell {
  heading?: number | undefined;
}

/** A rectangle of cells; (x, y) is its northwest cell. */
export interface Rect extends Cell {
  width: number;
  height: number;
}

/** A pose and the ticks from the start of the path until it is reached. */
export interface PathPose extends Pose {
  arrival: number;
}

/** A change of a map. Cells of an area that are off the map are ignored. */
export type Change =
  /** Sets the terrain kind, by number. */
  | { kind: 'terrain'; area: Rect; value: number }
  /** Sets the height, -32768 to 32767. */
  | { kind: 'elevation'; area: Rect; value: number }
  /**
   * Sets the sides of a cell, by number: east, north, west, south; of a hexagon counterclockwise from east. Kinds: 0 open,
   * 1 wall, then the kinds of the map's file; `null` leaves a side.
   */
  | { kind: 'sides'; cell: Cell; sides: readonly (number | null)[] }
  /** Rotates a cell with its sides by steps counterclockwise. */
  | { kind: 'rotate'; cell: Cell; steps: number };

/** `WB_NONE` or another number of all bits. */
export const NONE = 0xffff_ffff;

/** A coordinate, or another number of 32 bits with sign. */
function signed(value: number, name: string): number {
  return whole(value, name, -0x8000_0000, 0x7fff_ffff);
}

/** @internal */
export function setCell(m: Instance, at: number, cell: Cell, name: string): void {
  m.setI32(at + wb_cell.x, signed(cell.x, `${name}.x`));
  m.setI32(at + wb_cell.y, signed(cell.y, `${name}.y`));
}

/** @internal */
export function setPose(m: Instance, at: number, pose: Pose, name: string): void {
  setCell(m, at, pose, name);
  m.setU32(at + wb_pose.heading, whole(pose.heading, `${name}.heading`, 0, 255));
}

/** @internal */
export function setRect(m: Instance, at: number, rect: Rect, name: string): void {
  setCell(m, at, rect, name);
  m.setU32(at + wb_rect.width, whole(rect.width, `${name}.width`, 0, NONE));
  m.setU32(at + wb_rect.height, whole(rect.height, `${name}.height`, 0, NONE));
}

/** @internal */
export function putCell(m: Instance, cell: Cell, name: string): number {
  const at = m.take(wb_cell.SIZE);
  setCell(m, at, cell, name);
  return at;
}

/** @internal */
export function putPose(m: Instance, pose: Pose, name: string): number {
  const at = m.take(wb_pose.SIZE);
  setPose(m, at, pose, name);
  return at;
}

/** @internal */
export function putRect(m: Instance, rect: Rect, name: string): number {
  const at = m.take(wb_rect.SIZE);
  setRect(m, at, rect, name);
  return at;
}

/** @internal */
export function putCells(m: Instance, cells: readonly Cell[], name: string): number {
  const at = m.take(cells.length * wb_cell.SIZE);
  cells.forEach((cell, i) => setCell(m, at + i * wb_cell.SIZE, cell, `${name}[${i}]`));
  return at;
}

/** @internal */
export function putGoals(m: Instance, goals: readonly Goal[], name: string): number {
  const at = m.take(goals.length * wb_pose.SIZE);
  for (let i = 0; i < goals.length; i++) {
    const goal = goals[i]!;
    const to = at + i * wb_pose.SIZE;
    setCell(m, to, goal, `${name}[${i}]`);
    const heading = goal.heading === undefined ? WB_ANY_HEADING : whole(goal.heading, `${name}[${i}].heading`, 0, 255);
    m.setU32(to + wb_pose.heading, heading);
  }
  return at;
}

/** @internal */
export function putChanges(m: Instance, changes: readonly Change[]): number {
  const at = m.take(changes.length * wb_change.SIZE);
  changes.forEach((change, i) => {
    const to = at + i * wb_change.SIZE;
    const name = `changes[${i}]`;
    m.setU32(to + wb_change.kind, choice(ChangeKind, change.kind, `${name}.kind`));
    const area = 'area' in change ? change.area : { x: change.cell.x, y: change.cell.y, width: 1, height: 1 };
    setRect(m, to + wb_change.area, area, `${name}.area`);
    if (change.kind === 'sides') {
      if (change.sides.length > 6) throw wrong(`\`${name}.sides\` has ${change.sides.length} sides, expected at most 6`);
      for (let side = 0; side < 6; side++) {
        m.setU32(to + wb_change.side_kinds + side * 4, change.sides[side] ?? WB_KEEP);
      }
    } else {
      const value = change.kind === 'rotate' ? change.steps : change.value;
      m.setI32(to + wb_change.value, signed(value, `${name}.value`));
    }
  });
  return at;
}

/** @internal */
export function getCell(m: Instance, at: number): Cell {
  return { x: m.getI32(at + wb_cell.x), y: m.getI32(at + wb_cell.y) };
}

/** @internal */
export function getPose(m: Instance, at: number): Pose {
  return { x: m.getI32(at + wb_pose.x), y: m.getI32(at + wb_pose.y), heading: m.getU32(at + wb_pose.heading) };
}

/** @internal */
export function getRect(m: Instance, at: number): Rect {
  return {
    x: m.getI32(at + wb_rect.x),
    y: m.getI32(at + wb_rect.y),
    width: m.getU32(at + wb_rect.width),
    height: m.getU32(at + wb_rect.height),
  };
}

/** @internal */
export function getCells(m: Instance, { at, count }: { at: number; count: number }): Cell[] {
  return Array.from({ length: count }, (_, i) => getCell(m, at + i * wb_cell.SIZE));
}

/** @internal */
export function getPathPoses(m: Instance, { at, count }: { at: number; count: number }): PathPose[] {
  return Array.from({ length: count }, (_, i) => {
    const from = at + i * wb_path_pose.SIZE;
    return { ...getPose(m, from), arrival: m.getU32(from + wb_path_pose.arrival) };
  });
}

/** @internal */
export function getU32s(m: Instance, { at, count }: { at: number; count: number }): number[] {
  return Array.from({ length: count }, (_, i) => m.getU32(at + i * 4));
}
