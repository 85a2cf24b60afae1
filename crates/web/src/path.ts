import { wb_path_pose, WB_NO_MOVE } from './abi.js';
import { WheelbaseError, wrong } from './error.js';
import { Handle, make, running, type Instance } from './module.js';
import type { PathPose } from './value.js';

const STRIDE = wb_path_pose.SIZE / 4;

/**
 * The poses and moves of a path, read from the module's memory without a copy. They hold until the path is written again:
 * then reading them throws.
 */
export abstract class PathRows {
  /** Number of poses: one more than moves; 0 without a path. */
  abstract get length(): number;
  /** @internal Index of the first 32-bit word of pose 0. */
  protected abstract readonly instance: Instance;
  /** @internal */
  protected abstract poses(): number;
  /** @internal */
  protected abstract moves(): number;

  #at(i: number): number {
    const first = this.poses();
    if (!(i >= 0 && i < this.length)) throw wrong(`pose ${i}: the path has ${this.length} poses`);
    return (first >> 2) + i * STRIDE;
  }

  /** Column of the anchor. */
  x(i: number): number {
    return this.instance.words[this.#at(i)]!;
  }

  /** Row of the anchor. */
  y(i: number): number {
    return this.instance.words[this.#at(i) + 1]!;
  }

  heading(i: number): number {
    return this.instance.words[this.#at(i) + 2]!;
  }

  /** Ticks from the start of the path. */
  arrival(i: number): number {
    return this.instance.unsigned[this.#at(i) + 3]!;
  }

  /** The primitive, by number, that leads from pose `i` to the next. */
  move(i: number): number {
    const first = this.moves();
    if (!(i >= 0 && i < this.length - 1)) throw wrong(`move ${i}: the path has ${Math.max(this.length - 1, 0)} moves`);
    return this.instance.bytes[first + i]!;
  }

  /** A pose: a copy. */
  pose(i: number): PathPose {
    return { x: this.x(i), y: this.y(i), heading: this.heading(i), arrival: this.arrival(i) };
  }

  /** All poses: a copy. */
  toArray(): PathPose[] {
    return Array.from({ length: this.length }, (_, i) => this.pose(i));
  }

  /** All moves, as numbers of primitives: a copy. */
  toMoves(): Uint8Array {
    const first = this.moves();
    return this.instance.bytes.slice(first, first + Math.max(this.length - 1, 0));
  }
}

/** The memory of searches. It grows to the largest map that it is used with, 8 to 16 bytes for each pose. */
export class Scratch extends Handle {
  constructor() {
    const m = running();
    m.begin();
    super(m, make(m, (to) => m.f.wb_scratch_new(to)), m.f.wb_scratch_destroy);
  }
}

/** A path, to be written by searches. Its memory is used again. */
export class Path extends Handle {
  /** The poses as they were written last. */
  readonly rows: PathRows;
  /** @internal */
  readonly written: () => void;

  constructor() {
    const m = running();
    m.begin();
    super(m, make(m, (to) => m.f.wb_path_new(to)), m.f.wb_path_destroy);
    const rows = new OwnRows(this);
    this.rows = rows;
    this.written = () => rows.renew();
  }
}

class OwnRows extends PathRows {
  readonly #path: Path;
  #poses = 0;
  #moves = 0;
  #length = 0;

  constructor(path: Path) {
    super();
    this.#path = path;
  }

  protected get instance(): Instance {
    return this.#path.instance;
  }

  renew(): void {
    const m = this.instance;
    m.begin();
    const at = m.take(16);
    m.check(m.f.wb_path_poses(this.#path.handle, at, at + 4));
    m.check(m.f.wb_path_moves(this.#path.handle, at + 8, at + 12));
    this.#poses = m.getU32(at);
    this.#length = m.getU32(at + 4);
    this.#moves = m.getU32(at + 8);
  }

  get length(): number {
    return this.#path.isFreed ? 0 : this.#length;
  }

  protected poses(): number {
    void this.#path.handle;
    return this.#poses;
  }

  protected moves(): number {
    void this.#path.handle;
    return this.#moves;
  }
}

/** @internal Rows that hold as long as a counter stays as it is. */
export class BorrowedRows extends PathRows {
  protected readonly instance: Instance;
  readonly #poses: number;
  readonly #moves: number;
  readonly #length: number;
  readonly #holds: () => boolean;

  constructor(instance: Instance, of: { poses: number; moves: number; length: number }, holds: () => boolean) {
    super();
    this.instance = instance;
    this.#poses = of.poses;
    this.#moves = of.moves;
    this.#length = of.length;
    this.#holds = holds;
  }

  #check(): void {
    if (!this.#holds()) throw new WheelbaseError('stale', 'this path is of an earlier frame');
  }

  get length(): number {
    this.#check();
    return this.#length;
  }

  protected poses(): number {
    this.#check();
    return this.#poses;
  }

  protected moves(): number {
    this.#check();
    return this.#moves;
  }
}

/** In the moves of a batch: the last pose of a path, after which there is no move. */
export const NO_MOVE = WB_NO_MOVE;
