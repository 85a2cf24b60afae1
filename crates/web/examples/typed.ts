// What TypeScript makes of the package: checked by `npm run types`, not run.
import { GridMap, MovementClass, MovementTables, Setup, WheelbaseError, World, init, type Answer, type Order, type Status } from 'wheelbase';

await init();
using map = GridMap.filled({ width: 20, height: 20, shape: 'hex' });
using scout = MovementClass.of({ name: 'scout', shape: 'hex', headings: 1, primitives: [{ name: 'east', by: [1, 0], time: 5 }] });
using tables = MovementTables.compile(map, scout);
const answer: Answer = tables.plan({ start: { x: 0, y: 0, heading: 0 }, goals: [{ x: 5, y: 5 }] });
const cost: number = answer.cost;
const orders: Order[] = [{ kind: 'goto', goals: [{ x: 3, y: 3 }] }, { kind: 'wait', ticks: cost }, { kind: 'hold' }];
using setup = new Setup(map, { rule: 'cooperative' });
setup.addAgent({ class: setup.addClass(tables), pose: { x: 0, y: 0, heading: 0 }, orders });
using world = World.of(setup);
const hash: bigint = world.hash();
try {
  world.step();
} catch (error) {
  if (error instanceof WheelbaseError) {
    const status: Status = error.status;
    console.log(status, error.places[0]?.line, hash);
  }
}
// @ts-expect-error There is no such order.
world.order(0, { kind: 'fly' });
// @ts-expect-error A goal has a column.
tables.plan({ start: { x: 0, y: 0, heading: 0 }, goals: [{ y: 5 }] });
// @ts-expect-error The handle is the package's own.
map.handle;
