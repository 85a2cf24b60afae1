import { Handle, make, type Instance } from './module.js';

/** @internal The part of a world that a recording needs. */
export interface RecordedWorld {
  readonly instance: Instance;
  readonly handle: bigint;
  readonly isFreed: boolean;
}

/**
 * A recording of a world, for `wheelbase verify`, `wheelbase render` and `wheelbase show`. Every step is recorded until
 * `finish()`. `World.restore` and `World.copyFrom` end it before.
 */
export class Recording extends Handle {
  readonly #world: RecordedWorld;
  readonly #forget: () => void;

  /** @internal */
  constructor(world: RecordedWorld, forget: () => void) {
    const m = world.instance;
    m.begin();
    super(m, make(m, (to) => m.f.wb_recording_begin(world.handle, to)), m.f.wb_recording_destroy);
    this.#world = world;
    this.#forget = forget;
  }

  /** @internal */
  tick(state: number): void {
    this.instance.check(this.instance.f.wb_recording_tick(this.handle, this.#world.handle, state));
  }

  /** The content of the file. The first call ends the recording; further calls give the same bytes. */
  finish(): Uint8Array {
    const m = this.instance;
    this.#forget();
    m.begin();
    const world = this.#world.isFreed ? 0n : this.#world.handle;
    const call = (to: number, room: number, n: number): number => m.f.wb_recording_finish(this.handle, world, to, room, n);
    const { at, count } = m.buffer(1, call);
    return m.bytes.slice(at, at + count);
  }

  override free(): void {
    this.#forget();
    super.free();
  }
}
