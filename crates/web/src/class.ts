import {
  Shape, SweepRule, When, WB_NONE, wb_cell, wb_class_info, wb_class_spec, wb_primitive, wb_speed,
} from './abi.js';
import { choice, nameOf } from './error.js';
import { Handle, make, running, whole, type Instance } from './module.js';
import { NONE, getCells, putCells, putPose, type Cell, type Pose } from './value.js';

/** A motion primitive: a move in the agent's own frame. */
export interface Primitive {
  /** No other primitive of the class has it. */
  name: string;
  /** Displacement: cells forward and to the right, -255 to 255. With one heading: to the east and the south. */
  by?: readonly [forward: number, right: number];
  /** Heading steps, positive to the left (counterclockwise). */
  turn?: number;
  /** Base time in ticks at speed 1000, 1 to 65535. */
  time: number;
  /** With 8 headings a primitive that moves is `straight` or `diagonal`. */
  when?: When;
  /**
   * Further swept cells: x is forward, y is right of the anchor at the start. Without them, where a rule is `full`, a
   * primitive that moves and turns touches all that the body can touch on the way.
   */
  swept?: readonly Cell[];
}

/** What a movement class is. */
export interface ClassSpec {
  name: string;
  /** Shape of the maps it moves on. Default `square`. */
  shape?: Shape;
  /** 1 (no facing), 4 (default) or 8; on hexagonal maps 1 or 6. */
  headings?: number;
  /** The cells it covers while facing east: x is forward (east), y is right (south) of the anchor. By default the anchor. */
  footprint?: readonly Cell[];
  /** With 8 headings: the cells it covers while facing northeast, in map axes. */
  diagonal?: readonly Cell[];
  /** The point about which it turns, in cells forward and to the right of the anchor's centre: multiples of a half. */
  pivot?: readonly [forward: number, right: number];
  /**
   * Which cells a displacement and a turn touch: those at its `ends`, or all that the body touches in between (`full`).
   * Default `full` on square maps; on hexagonal maps always `ends`.
   */
  sweep?: { moves?: SweepRule; turns?: SweepRule };
  /** 1 to 16 primitives. */
  primitives: readonly Primitive[];
  /** Its own speeds on terrain kinds, by name, in thousandths. */
  speeds?: Readonly<Record<string, number>>;
  /** Its own speeds over side kinds, by name, in thousandths. */
  sideSpeeds?: Readonly<Record<string, number>>;
  /** Climbing: thousandths of the base time for each unit of rise and fall, and the most of each in a move. */
  climb?: { up?: number; down?: number; maxUp?: number; maxDown?: number; maxTilt?: number };
}

/** Facts about a class. */
export interface ClassInfo {
  shape: Shape;
  headings: number;
  /** Cells of its footprint while facing east. */
  footprintCells: number;
  /** Number of primitives, numbered from 0. */
  primitives: number;
  /** Columns of its footprint while facing east. */
  width: number;
  /** Rows of its footprint while facing east. */
  height: number;
}

function putSpeeds(m: Instance, speeds: Readonly<Record<string, number>>, name: string): { at: number; n: number } {
  const all = Object.entries(speeds);
  const at = m.take(all.length * wb_speed.SIZE);
  all.forEach(([kind, speed], i) => {
    const to = at + i * wb_speed.SIZE;
    m.setText(to + wb_speed.name, to + wb_speed.name_length, kind);
    m.setU32(to + wb_speed.speed, whole(speed, `${name}.${kind}`, 0, 65535));
  });
  return { at, n: all.length };
}

function putPrimitives(m: Instance, primitives: readonly Primitive[]): number {
  const at = m.take(primitives.length * wb_primitive.SIZE);
  primitives.forEach((primitive, i) => {
    const to = at + i * wb_primitive.SIZE;
    const name = `primitives[${i}]`;
    const [forward, right] = primitive.by ?? [0, 0];
    m.setU32(to, wb_primitive.SIZE);
    m.setI32(to + wb_primitive.forward, whole(forward, `${name}.by[0]`, -255, 255));
    m.setI32(to + wb_primitive.right, whole(right, `${name}.by[1]`, -255, 255));
    m.setI32(to + wb_primitive.turn, whole(primitive.turn ?? 0, `${name}.turn`, -255, 255));
    m.setU32(to + wb_primitive.time, whole(primitive.time, `${name}.time`, 0, NONE));
    m.setU32(to + wb_primitive.when, choice(When, primitive.when ?? 'any', `${name}.when`));
    m.setText(to + wb_primitive.name, to + wb_primitive.name_length, primitive.name);
    if (primitive.swept !== undefined) {
      m.setU32(to + wb_primitive.lists_swept, 1);
      m.setU32(to + wb_primitive.swept, putCells(m, primitive.swept, `${name}.swept`));
      m.setU32(to + wb_primitive.n_swept, primitive.swept.length);
    }
  });
  return at;
}

/** A movement class: what an agent covers, how it moves, how long that takes. */
export class MovementClass extends Handle {
  /** @internal */
  constructor(instance: Instance, handle: bigint) {
    super(instance, handle, instance.f.wb_class_destroy);
  }

  /** A class of its specification. */
  static of(spec: ClassSpec): MovementClass {
    const m = running();
    m.begin();
    const at = m.sized(wb_class_spec);
    const [forward, right] = spec.pivot ?? [0, 0];
    const { up = 0, down = 0, maxUp, maxDown, maxTilt } = spec.climb ?? {};
    const limit = (value: number | undefined, name: string): number =>
      value === undefined ? WB_NONE : whole(value, `climb.${name}`, 0, NONE);
    m.setU32(at + wb_class_spec.shape, choice(Shape, spec.shape ?? 'square', 'shape'));
    m.setU32(at + wb_class_spec.headings, whole(spec.headings ?? 4, 'headings', 0, NONE));
    m.setU32(at + wb_class_spec.sweep_moves, choice(SweepRule, spec.sweep?.moves ?? 'usual', 'sweep.moves'));
    m.setU32(at + wb_class_spec.sweep_turns, choice(SweepRule, spec.sweep?.turns ?? 'usual', 'sweep.turns'));
    m.setI32(at + wb_class_spec.pivot_forward, whole(forward * 2, 'twice pivot[0]', -1024, 1024));
    m.setI32(at + wb_class_spec.pivot_right, whole(right * 2, 'twice pivot[1]', -1024, 1024));
    m.setU32(at + wb_class_spec.climb_up, whole(up, 'climb.up', 0, NONE));
    m.setI32(at + wb_class_spec.climb_down, whole(down, 'climb.down', -0x8000_0000, 0x7fff_ffff));
    m.setU32(at + wb_class_spec.max_up, limit(maxUp, 'maxUp'));
    m.setU32(at + wb_class_spec.max_down, limit(maxDown, 'maxDown'));
    m.setU32(at + wb_class_spec.max_tilt, limit(maxTilt, 'maxTilt'));
    m.setText(at + wb_class_spec.name, at + wb_class_spec.name_length, spec.name);
    const [footprint, diagonal] = [spec.footprint ?? [], spec.diagonal ?? []];
    m.setU32(at + wb_class_spec.footprint, putCells(m, footprint, 'footprint'));
    m.setU32(at + wb_class_spec.n_footprint, footprint.length);
    m.setU32(at + wb_class_spec.diagonal, putCells(m, diagonal, 'diagonal'));
    m.setU32(at + wb_class_spec.n_diagonal, diagonal.length);
    m.setU32(at + wb_class_spec.primitives, putPrimitives(m, spec.primitives));
    m.setU32(at + wb_class_spec.n_primitives, spec.primitives.length);
    const speeds = putSpeeds(m, spec.speeds ?? {}, 'speeds');
    m.setU32(at + wb_class_spec.speeds, speeds.at);
    m.setU32(at + wb_class_spec.n_speeds, speeds.n);
    const sideSpeeds = putSpeeds(m, spec.sideSpeeds ?? {}, 'sideSpeeds');
    m.setU32(at + wb_class_spec.side_speeds, sideSpeeds.at);
    m.setU32(at + wb_class_spec.n_side_speeds, sideSpeeds.n);
    return new MovementClass(m, make(m, (to) => m.f.wb_class_new(at, to)));
  }

  /** The class of a class file (TOML, `[class.NAME]`), or, with the name `FILE#CLASS`, a class of a scenario. */
  static parse(name: string, toml: string): MovementClass {
    const m = running();
    m.begin();
    const [file, text] = [m.putText(name), m.putText(toml)];
    return new MovementClass(m, make(m, (to) => m.f.wb_class_parse(file.at, file.length, text.at, text.length, to)));
  }

  clone(): MovementClass {
    const m = this.instance;
    m.begin();
    return new MovementClass(m, make(m, (to) => m.f.wb_class_clone(this.handle, to)));
  }

  /** Facts about the class. */
  info(): ClassInfo {
    const m = this.instance;
    m.begin();
    const at = m.sized(wb_class_info);
    m.check(m.f.wb_class_describe(this.handle, at));
    return {
      shape: nameOf(Shape, m.getU32(at + wb_class_info.shape)),
      headings: m.getU32(at + wb_class_info.headings),
      footprintCells: m.getU32(at + wb_class_info.footprint_cells),
      primitives: m.getU32(at + wb_class_info.primitives),
      width: m.getU32(at + wb_class_info.width),
      height: m.getU32(at + wb_class_info.height),
    };
  }

  /** Its name. */
  get name(): string {
    const m = this.instance;
    m.begin();
    return m.text((buffer, capacity, count) => m.f.wb_class_name(this.handle, buffer, capacity, count));
  }

  /** The name of a primitive. */
  primitiveName(primitive: number): string {
    const m = this.instance;
    m.begin();
    return m.text((to, room, n) => m.f.wb_class_primitive_name(this.handle, primitive, to, room, n));
  }

  /** The cells that an agent of the class covers at a pose; they may lie off the map. */
  cells(pose: Pose): Cell[] {
    const m = this.instance;
    m.begin();
    const at = putPose(m, pose, 'pose');
    const call = (to: number, room: number, n: number): number => m.f.wb_class_cells(this.handle, at, to, room, n);
    return getCells(m, m.buffer(wb_cell.SIZE, call));
  }
}
