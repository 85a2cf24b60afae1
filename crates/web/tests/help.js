import { readFileSync } from 'node:fs';

/** A file of the repository, as text. */
export function file(path) {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

/** A file of tests/expected, which a test of crates/capi writes: its lines as words. */
export function expected(name) {
  const text = readFileSync(new URL(`expected/${name}`, import.meta.url), 'utf8');
  return text.trimEnd().split('\n').map((line) => line.split(' '));
}

/** A class of one cell that turns. */
export const CART = {
  name: 'cart',
  primitives: [
    { name: 'forward', by: [1, 0], time: 2 },
    { name: 'left', turn: 1, time: 2 },
    { name: 'right', turn: -1, time: 2 },
  ],
};

/** Many carts on an open map, all with random tasks. */
export function crowd({ GridMap, MovementClass, Setup, World }, count, size) {
  const map = GridMap.filled({ width: size, height: size });
  const cart = MovementClass.of(CART);
  const setup = new Setup(map, { seed: 5 });
  const number = setup.addClass(cart);
  const world = World.of(setup);
  const area = { x: 0, y: 0, width: size, height: size };
  const orders = [{ kind: 'tasks', tasks: { kind: 'random', area } }];
  world.spawnGroup({ class: number, count, area, orders });
  for (const object of [map, cart, setup]) object.free();
  return world;
}
