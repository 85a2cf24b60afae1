import { Shape, WB_SHAPE_SQUARE, wb_map_info, wb_rect, wb_terrain } from './abi.js';
import { choice, nameOf, wrong } from './error.js';
import { Handle, make, running, whole, type Instance } from './module.js';
import { NONE, getRect, putChanges, type Change, type Rect } from './value.js';

/** A terrain kind of a map. */
export interface Terrain {
  /** Movement classes set their own speeds by it. */
  name: string;
  /** In thousandths: 1000 normal, 400 slow, 0 impassable; at most 65535. */
  speed: number;
  /** The characters that stand for it in rows. */
  characters?: string;
}

/** Facts about a map. */
export interface MapInfo {
  /** Columns. */
  width: number;
  /** Rows. */
  height: number;
  shape: Shape;
  /** Edits so far that changed something. */
  revision: number;
  /** Number of terrain kinds, numbered from 0. */
  terrainKinds: number;
  /** Number of side kinds, numbered from 0: open, wall, then the kinds of the map's file. */
  sideKinds: number;
  hasElevation: boolean;
}

/** The bytes of a file: as text they are UTF-8. */
export type FileContent = string | Uint8Array;

/** @internal */
export function putContent(m: Instance, content: FileContent): { at: number; length: number } {
  if (typeof content === 'string') return m.putText(content);
  return { at: m.putBytes(content), length: content.length };
}

/** A map. */
export class GridMap extends Handle {
  /** @internal */
  constructor(instance: Instance, handle: bigint) {
    super(instance, handle, instance.f.wb_map_destroy);
  }

  /**
   * A map of one terrain kind. It has the kinds of MovingAI maps: 0 `ground` (`.`), 1 `swamp` (`S`), 2 `water` (`W`), 3
   * `trees` (`T`), 4 `out` (`@`). The speeds of the first two are 1000 and 500 thousandths, the others are impassable.
   */
  static filled(options: { width: number; height: number; shape?: Shape; terrain?: number }): GridMap {
    const m = running();
    m.begin();
    const shape = choice(Shape, options.shape ?? 'square', 'shape');
    const [width, height] = [whole(options.width, 'width', 0, NONE), whole(options.height, 'height', 0, NONE)];
    const terrain = whole(options.terrain ?? 0, 'terrain', 0, NONE);
    return new GridMap(m, make(m, (to) => m.f.wb_map_new(width, height, shape, terrain, to)));
  }

  /** A map of square cells of text: a line for each row, a character for each cell (see `filled`). */
  static fromRows(rows: string | readonly string[]): GridMap {
    const m = running();
    m.begin();
    const text = m.putText(typeof rows === 'string' ? rows : rows.join('\n'));
    return new GridMap(m, make(m, (to) => m.f.wb_map_from_rows(text.at, text.length, to)));
  }

  /**
   * A map of cells that the host has: `width * height` terrain kinds, row by row. `terrains` are the kinds, numbered from 0;
   * those of `filled` that are not among them follow.
   */
  static fromCells(options: {
    width: number;
    height: number;
    cells: Uint8Array;
    shape?: Shape;
    terrains?: readonly Terrain[];
  }): GridMap {
    const m = running();
    m.begin();
    const [width, height] = [whole(options.width, 'width', 0, NONE), whole(options.height, 'height', 0, NONE)];
    const terrains = options.terrains ?? [];
    const at = m.take(terrains.length * wb_terrain.SIZE);
    terrains.forEach((terrain, i) => {
      const to = at + i * wb_terrain.SIZE;
      m.setU32(to, wb_terrain.SIZE);
      m.setU32(to + wb_terrain.speed, whole(terrain.speed, `terrains[${i}].speed`, 0, 65535));
      m.setText(to + wb_terrain.name, to + wb_terrain.name_length, terrain.name);
      m.setText(to + wb_terrain.characters, to + wb_terrain.characters_length, terrain.characters ?? '');
    });
    const [cells, n] = [m.putBytes(options.cells), options.cells.length];
    const shape = options.shape === undefined ? WB_SHAPE_SQUARE : choice(Shape, options.shape, 'shape');
    const call = (to: number): number => m.f.wb_map_from_cells(width, height, shape, cells, n, at, terrains.length, to);
    return new GridMap(m, make(m, call));
  }

  /**
   * The map of a file: of a MovingAI map, or of a scenario (its name ends in `.toml`). The name is used in messages. This
   * package reads neither PNG nor Tiled maps.
   */
  static parse(name: string, content: FileContent): GridMap {
    const m = running();
    m.begin();
    const [file, bytes] = [m.putText(name), putContent(m, content)];
    return new GridMap(m, make(m, (to) => m.f.wb_map_parse(file.at, file.length, bytes.at, bytes.length, to)));
  }

  /** A copy, which is edited apart from it. */
  clone(): GridMap {
    const m = this.instance;
    m.begin();
    return new GridMap(m, make(m, (to) => m.f.wb_map_clone(this.handle, to)));
  }

  /** Facts about the map. */
  info(): MapInfo {
    const m = this.instance;
    m.begin();
    const at = m.sized(wb_map_info);
    m.check(m.f.wb_map_describe(this.handle, at));
    return {
      width: m.getU32(at + wb_map_info.width),
      height: m.getU32(at + wb_map_info.height),
      shape: nameOf(Shape, m.getU32(at + wb_map_info.shape)),
      revision: m.getCount(at + wb_map_info.revision),
      terrainKinds: m.getU32(at + wb_map_info.terrain_kinds),
      sideKinds: m.getU32(at + wb_map_info.side_kinds),
      hasElevation: m.getU32(at + wb_map_info.has_elevation) !== 0,
    };
  }

  /** The terrain kinds of all cells, row by row: a copy. */
  terrain(): Uint8Array {
    const m = this.instance;
    m.begin();
    const at = m.take(8);
    m.check(m.f.wb_map_terrain(this.handle, at, at + 4));
    const from = m.getU32(at);
    return m.bytes.slice(from, from + m.getU32(at + 4));
  }

  /** The number of the terrain kind with a name. */
  terrainKind(name: string): number {
    const m = this.instance;
    m.begin();
    const [text, to] = [m.putText(name), m.take(8)];
    m.check(m.f.wb_map_terrain_kind(this.handle, text.at, text.length, to));
    return m.getU32(to);
  }

  /** The name of a terrain kind. */
  terrainName(kind: number): string {
    const m = this.instance;
    m.begin();
    return m.text((buffer, capacity, count) => m.f.wb_map_terrain_name(this.handle, kind, buffer, capacity, count));
  }

  /** The names of all terrain kinds, by number. */
  terrainNames(): string[] {
    return Array.from({ length: this.info().terrainKinds }, (_, kind) => this.terrainName(kind));
  }

  /**
   * Makes changes, in their order, as one edit; if one is wrong, none is made. The rectangle holds every cell that is not as
   * it was: tables follow it by `update`.
   */
  edit(changes: readonly Change[]): Rect {
    const m = this.instance;
    m.begin();
    if (!Array.isArray(changes)) throw wrong('`changes` is no array');
    const [at, changed] = [putChanges(m, changes), m.take(wb_rect.SIZE)];
    m.check(m.f.wb_map_edit(this.handle, at, changes.length, changed));
    return getRect(m, changed);
  }
}
