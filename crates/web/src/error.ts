import type { STATUS } from './abi.js';

/** Why a call failed. The statuses of the library, and three of this package: `uninitialized`, `stale`, `trap`. */
export type Status =
  | Exclude<keyof typeof STATUS, 'ok'>
  /** `init()` has not ended. */
  | 'uninitialized'
  /** Rows of a tick that is over, or a path that was planned again. */
  | 'stale'
  /** The module has stopped: all its objects are lost. `init()` makes a new one. */
  | 'trap';

/** A place in a text that the library has read. */
export interface Place {
  file: string;
  /** From 1. */
  line: number;
  /** From 1; 0 if the mistake has none. */
  column: number;
}

/** The error of every failed call. */
export class WheelbaseError extends Error {
  override readonly name = 'WheelbaseError';
  readonly status: Status;

  constructor(status: Status, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }

  /** The places of the mistakes in a text: from the lines of the message that begin with `file:line:column:`. */
  get places(): Place[] {
    const places: Place[] = [];
    for (const [, file, line, column] of this.message.matchAll(/^(?:error: )?([^:\n]+):(\d+)(?::(\d+))?:/gm)) {
      places.push({ file: file ?? '', line: Number(line), column: Number(column ?? 0) });
    }
    return places;
  }
}

/** A wrong argument. */
export function wrong(message: string): WheelbaseError {
  return new WheelbaseError('argument', message);
}

/** The number of a choice by its name. */
export function choice<T extends Record<string, number>>(of: T, name: keyof T, parameter: string): number {
  const number = Object.hasOwn(of, name) ? of[name] : undefined;
  if (number === undefined) {
    throw wrong(`\`${parameter}\` is ${JSON.stringify(name)}, expected one of "${Object.keys(of).join('", "')}"`);
  }
  return number;
}

/** The name of a number. */
export function nameOf<T extends Record<string, number>>(of: T, number: number): keyof T & string {
  for (const name in of) {
    if (of[name] === number) return name;
  }
  throw wrong(`${number} has no name, expected one of ${Object.values(of).join(', ')}`);
}
