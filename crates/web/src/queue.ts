import { wb_answer } from './abi.js';
import { Handle, make, running, whole, wide } from './module.js';
import { BorrowedRows, type PathRows } from './path.js';
import { getAnswer, putRequest, type Answer, type MovementTables, type Request } from './tables.js';
import { NONE } from './value.js';

/** An answer of a frame. */
export interface QueueAnswer {
  ticket: number;
  answer: Answer;
  /** Until the next frame. */
  path: PathRows;
}

/**
 * Path requests that are answered within a budget of expansions a frame: those first that come first by priority and age.
 */
export class PathQueue extends Handle {
  #frame = 0;

  /**
   * For maps of a size and a number of classes. `slots` searches are in progress together (default 16); each holds the memory
   * of a search.
   */
  constructor(options: { width: number; height: number; classes?: number; slots?: number }) {
    const m = running();
    m.begin();
    const { width, height, classes = 1, slots = 16 } = options;
    const numbers = [width, height, classes, slots].map((n, i) => whole(n, ['width', 'height', 'classes', 'slots'][i]!, 0, NONE));
    const [w, h, c, s] = numbers as [number, number, number, number];
    super(m, make(m, (to) => m.f.wb_queue_new(w, h, c, s, to)), m.f.wb_queue_destroy);
  }

  /**
   * Queues a request for the class with a number, from 0; its ticket. The higher `priority` goes first; a unit weighs as much
   * as a frame of waiting.
   */
  submit(movementClass: number, request: Request, priority = 0): number {
    const m = this.instance;
    m.begin();
    const [at, to] = [putRequest(m, request), m.take(8)];
    const number = whole(movementClass, 'movementClass', 0, NONE);
    m.check(m.f.wb_queue_submit(this.handle, number, at, whole(priority, 'priority', -0x8000_0000, 0x7fff_ffff), to));
    return m.getCount(to);
  }

  /** Drops a request; its answer will not come. */
  cancel(ticket: number): void {
    this.instance.check(this.instance.f.wb_queue_cancel(this.handle, wide(ticket, 'ticket')));
  }

  /** Number of requests without an answer. */
  get open(): number {
    const m = this.instance;
    m.begin();
    const to = m.take(8);
    m.check(m.f.wb_queue_open(this.handle, to));
    return m.getU32(to);
  }

  /** Spends a budget of expansions. `tables` has the tables of each class, in order of class number. Answers in order of tickets. */
  advance(tables: readonly MovementTables[], expansions: number): QueueAnswer[] {
    const m = this.instance;
    m.begin();
    const at = m.take(tables.length * 8);
    tables.forEach((one, i) => m.setU64(at + i * 8, one.handle));
    const to = m.take(8);
    const frame = ++this.#frame;
    m.check(m.f.wb_queue_advance(this.handle, at, tables.length, wide(expansions, 'expansions'), to));
    const n = m.getU32(to);
    return Array.from({ length: n }, (_, number) => this.#answer(number, () => !this.isFreed && this.#frame === frame));
  }

  #answer(number: number, holds: () => boolean): QueueAnswer {
    const m = this.instance;
    m.begin();
    const [ticket, answer, to] = [m.take(8), m.sized(wb_answer), m.take(16)];
    m.check(m.f.wb_queue_answer(this.handle, number, ticket, answer, to, to + 4, to + 8));
    const of = { poses: m.getU32(to), moves: m.getU32(to + 4), length: m.getU32(to + 8) };
    return { ticket: m.getCount(ticket), answer: getAnswer(m, answer), path: new BorrowedRows(m, of, holds) };
  }
}
