import type { Functions } from './abi.js';
import { STATUS, WB_ABI_VERSION, WB_BUFFER } from './abi.js';
import { WheelbaseError, wrong, type Status } from './error.js';
import { inlined } from './wasm.js';

/** The functions of `crates/capi/src/wasm.rs` are among them. */
interface Exports extends Functions {
  memory: WebAssembly.Memory;
}

const STATUS_NAMES = new Map<number, Status | 'ok'>(
  Object.entries(STATUS).map(([name, status]) => [status, name as keyof typeof STATUS]),
);

/** Memory for the arguments of one call, which is used again for the next. */
const ARENA_BYTES = 1 << 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A running module: its functions, its memory, and the arguments of the present call. */
export class Instance {
  /** The functions, which throw a `WheelbaseError` where the module traps. */
  readonly f: Functions;
  readonly #exports: Exports;
  readonly #memory: WebAssembly.Memory;
  #bytes: Uint8Array;
  #words: Int32Array;
  #unsigned: Uint32Array;
  #view: DataView;
  /** Where the calls of every tick write: 16 bytes that no other call uses. */
  readonly out: number;
  readonly #arena: number;
  #top: number;
  /** Memory of arguments for which the arena is too small. */
  readonly #large: { at: number; size: number }[] = [];
  /** The first fault, after which nothing runs. */
  #fault: WheelbaseError | null = null;

  constructor(instance: WebAssembly.Instance) {
    this.#exports = instance.exports as unknown as Exports;
    this.#memory = this.#exports.memory;
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#words = new Int32Array(this.#memory.buffer);
    this.#unsigned = new Uint32Array(this.#memory.buffer);
    this.#view = new DataView(this.#memory.buffer);
    const functions: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(instance.exports)) {
      if (typeof value === 'function') functions[name] = this.#guarded(value as (...given: unknown[]) => unknown);
    }
    this.f = functions as unknown as Functions;
    const version = this.f.wb_abi_version() >>> 0;
    if (version >>> 16 !== WB_ABI_VERSION >>> 16) {
      throw wrong(`the module has version ${version >>> 16} of the interface, expected ${WB_ABI_VERSION >>> 16}`);
    }
    this.f.wb_wasm_begin();
    this.out = this.f.wb_wasm_alloc(16) >>> 0;
    this.#arena = this.f.wb_wasm_alloc(ARENA_BYTES) >>> 0;
    this.#top = this.#arena;
  }

  /** Whether the module has stopped. */
  get isBroken(): boolean {
    return this.#fault !== null;
  }

  /** Bytes of the module's memory. It grows and never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  // A view of a memory that has grown is empty, and the memory has another buffer.
  #renew(): void {
    const buffer = this.#memory.buffer;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    this.#unsigned = new Uint32Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** The memory as bytes. */
  get bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#renew();
    return this.#bytes;
  }

  /** The memory as signed 32-bit numbers. */
  get words(): Int32Array {
    if (this.#bytes.length === 0) this.#renew();
    return this.#words;
  }

  /** The memory as unsigned 32-bit numbers. */
  get unsigned(): Uint32Array {
    if (this.#bytes.length === 0) this.#renew();
    return this.#unsigned;
  }

  get view(): DataView {
    if (this.#bytes.length === 0) this.#renew();
    return this.#view;
  }

  // By number of arguments, so that a call makes no array of them.
  #guarded(f: (...given: unknown[]) => unknown): unknown {
    const check = (): void => {
      if (this.#fault !== null) throw this.#stopped();
    };
    const trap = (error: unknown): WheelbaseError => this.#trapped(error);
    type Any = unknown;
    switch (f.length) {
      case 0:
        return () => { check(); try { return f(); } catch (error) { throw trap(error); } };
      case 1:
        return (a: Any) => { check(); try { return f(a); } catch (error) { throw trap(error); } };
      case 2:
        return (a: Any, b: Any) => { check(); try { return f(a, b); } catch (error) { throw trap(error); } };
      case 3:
        return (a: Any, b: Any, c: Any) => { check(); try { return f(a, b, c); } catch (error) { throw trap(error); } };
      case 4:
        return (a: Any, b: Any, c: Any, d: Any) => { check(); try { return f(a, b, c, d); } catch (error) { throw trap(error); } };
      case 5:
        return (a: Any, b: Any, c: Any, d: Any, e: Any) => {
          check();
          try { return f(a, b, c, d, e); } catch (error) { throw trap(error); }
        };
      default:
        return (...given: Any[]) => { check(); try { return f(...given); } catch (error) { throw trap(error); } };
    }
  }

  #stopped(): WheelbaseError {
    return new WheelbaseError('trap', `the module has stopped: ${this.#fault?.message ?? ''}`, { cause: this.#fault });
  }

  #trapped(error: unknown): WheelbaseError {
    // An argument that is no number or no bigint is refused before the module runs.
    if (error instanceof TypeError || error instanceof SyntaxError) return wrong(error.message);
    let message = error instanceof Error ? error.message : String(error);
    try {
      const length = this.#exports.wb_wasm_panic_length() >>> 0;
      const at = this.#exports.wb_wasm_panic() >>> 0;
      if (length > 0) message = decoder.decode(new Uint8Array(this.#memory.buffer, at, length));
    } catch {
      // The message of the trap has to do.
    }
    this.#fault = new WheelbaseError('trap', message, { cause: error });
    return this.#fault;
  }

  /** Throws unless the status is `ok`. */
  check(status: number): void {
    if (status !== 0) throw this.failure(status);
  }

  /** The failure of the last call. */
  failure(status: number): WheelbaseError {
    const name = STATUS_NAMES.get(status);
    const message = this.text((buffer, capacity, count) => this.f.wb_last_error(buffer, capacity, count));
    // The name of C's function says nothing to this caller.
    return new WheelbaseError(name === undefined || name === 'ok' ? 'broken' : name, message.replace(/^wb_\w+: /, ''));
  }

  /** Begins the arguments of a call: the arguments of the last call are gone. */
  begin(): void {
    this.#top = this.#arena;
    while (this.#large.length > 0) {
      const { at, size } = this.#large.pop()!;
      this.f.wb_wasm_free(at, size);
    }
  }

  /** Memory of `size` zero bytes, aligned to 8. */
  take(size: number): number {
    let at = this.#top;
    if (at + size <= this.#arena + ARENA_BYTES) {
      this.#top = (at + size + 7) & ~7;
    } else {
      at = this.f.wb_wasm_alloc(size) >>> 0;
      if (at === 0) throw new WheelbaseError('limit', `no memory for ${size} bytes`);
      this.#large.push({ at, size });
    }
    this.bytes.fill(0, at, at + size);
    return at;
  }

  /** A structure that begins with its size. */
  sized(type: { SIZE: number }): number {
    const at = this.take(type.SIZE);
    this.setU32(at, type.SIZE);
    return at;
  }

  getU32(at: number): number {
    return this.view.getUint32(at, true);
  }

  getI32(at: number): number {
    return this.view.getInt32(at, true);
  }

  getU64(at: number): bigint {
    return this.view.getBigUint64(at, true);
  }

  /** A number of 64 bits that stays below 2^53: a count. */
  getCount(at: number): number {
    return this.view.getUint32(at, true) + this.view.getUint32(at + 4, true) * 2 ** 32;
  }

  setU32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  setI32(at: number, value: number): void {
    this.view.setInt32(at, value, true);
  }

  setU64(at: number, value: bigint): void {
    this.view.setBigUint64(at, value, true);
  }

  setU8(at: number, value: number): void {
    this.view.setUint8(at, value);
  }

  /** Bytes of the host as an argument. */
  putBytes(bytes: Uint8Array): number {
    const at = this.take(bytes.length);
    this.bytes.set(bytes, at);
    return at;
  }

  /** A text as an argument. */
  putText(text: string): { at: number; length: number } {
    const bytes = encoder.encode(text);
    return { at: this.putBytes(bytes), length: bytes.length };
  }

  /** Writes a text and a pointer to it into a structure. */
  setText(pointer: number, length: number, text: string): void {
    const put = this.putText(text);
    this.setU32(pointer, put.at);
    this.setU32(length, put.length);
  }

  /** Numbers as an argument. */
  putU32s(numbers: ArrayLike<number>, name: string): number {
    const at = this.take(numbers.length * 4);
    for (let i = 0; i < numbers.length; i++) this.setU32(at + i * 4, whole(numbers[i]!, `${name}[${i}]`, 0, 0xffff_ffff));
    return at;
  }

  /** What a call writes into a buffer of the host, whose size the call says: its address and its number of items. */
  buffer(
    size: number,
    call: (buffer: number, capacity: number, count: number) => number,
  ): { at: number; count: number } {
    const count = this.take(8);
    let capacity = Math.floor(4096 / size);
    for (;;) {
      const at = this.take(capacity * size);
      const status = call(at, capacity, count);
      const n = this.getU32(count);
      if (status !== WB_BUFFER || n <= capacity) {
        this.check(status);
        return { at, count: n };
      }
      capacity = n;
    }
  }

  /** A text that a call writes. */
  text(call: (buffer: number, capacity: number, count: number) => number): string {
    const { at, count } = this.buffer(1, call);
    return decoder.decode(this.bytes.subarray(at, at + count));
  }
}

/** A whole number within a range. */
export function whole(value: number, name: string, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw wrong(`\`${name}\` is ${String(value)}, expected a whole number from ${least} to ${most}`);
  }
  return value;
}

/** A whole number of 64 bits without sign. */
export function wide(value: number | bigint, name: string): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw wrong(`\`${name}\` is ${value}, expected a whole number below 2^53, or a bigint`);
  }
  const found = BigInt(value);
  if (found < 0n || found > 0xffff_ffff_ffff_ffffn) throw wrong(`\`${name}\` is ${found}, expected 0 to 2^64 - 1`);
  return found;
}

/** What `init` may be given in place of the inlined module. */
export interface InitOptions {
  /** The module compiled already, such as by `compile()` on another thread, or its bytes. */
  module?: WebAssembly.Module | BufferSource;
}

let current: Instance | null = null;
let beginning: Promise<void> | null = null;

async function inflate(): Promise<BufferSource> {
  const deflated = Uint8Array.from(atob(inlined), (character) => character.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).arrayBuffer();
}

/** Compiles the inlined module. A page that runs several workers compiles it once, and posts it to each for `init`. */
export async function compile(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await inflate());
}

/**
 * Starts the library: to be awaited once, before all else. Later calls do nothing, unless the module has stopped
 * (`WheelbaseError` of status `trap`): then it is restarted, and objects made before stay lost.
 */
export function init(options: InitOptions = {}): Promise<void> {
  if (current !== null && !current.isBroken) return Promise.resolve();
  beginning ??= begin(options).finally(() => {
    beginning = null;
  });
  return beginning;
}

async function begin(options: InitOptions): Promise<void> {
  const given = options.module ?? (await inflate());
  const module = given instanceof WebAssembly.Module ? given : await WebAssembly.compile(given);
  current = new Instance(await WebAssembly.instantiate(module, {}));
}

/** The running module. */
export function running(): Instance {
  if (current === null) throw new WheelbaseError('uninitialized', 'call `await init()` first');
  return current;
}

/** Bytes of the module's memory, which grows and never shrinks. */
export function memoryBytes(): number {
  return running().memoryBytes;
}

type Destroy = (handle: bigint) => number;

/** Frees what the host has forgotten to free, at some time. */
const forgotten = new FinalizationRegistry<{ instance: Instance; handle: bigint; destroy: Destroy }>((of) => {
  if (!of.instance.isBroken) of.destroy(of.handle);
});

/** An object of the library: until `free()`, or the end of the block of `using`. */
export abstract class Handle {
  /** @internal */
  readonly instance: Instance;
  #handle: bigint;
  readonly #destroy: Destroy;

  /** @internal */
  constructor(instance: Instance, handle: bigint, destroy: Destroy) {
    this.instance = instance;
    this.#handle = handle;
    this.#destroy = destroy;
    forgotten.register(this, { instance, handle, destroy }, this);
  }

  /** @internal */
  get handle(): bigint {
    if (this.#handle === 0n) throw new WheelbaseError('destroyed', `this ${this.constructor.name} has been freed`);
    return this.#handle;
  }

  /** Whether `free()` has been called. */
  get isFreed(): boolean {
    return this.#handle === 0n;
  }

  /** Frees it. Doing so twice does nothing. */
  free(): void {
    if (this.#handle === 0n) return;
    const handle = this.#handle;
    this.#handle = 0n;
    forgotten.unregister(this);
    if (!this.instance.isBroken) this.instance.check(this.#destroy(handle));
  }

  /** `free()`, at the end of the block of `using`. */
  [Symbol.dispose](): void {
    this.free();
  }
}

/** Makes an object by a call that writes its handle. */
export function make(instance: Instance, call: (handle: number) => number): bigint {
  const at = instance.take(8);
  instance.check(call(at));
  return instance.getU64(at);
}
