// Tanks of two by two cells on a map with a gap: planned alone, then together in a world.
import { GridMap, MovementClass, MovementTables, Path, Setup, World, init } from 'wheelbase';

await init();
const map = GridMap.fromRows([
  '..............', '......@@......', '......@@......', '..............', '..............', '......@@......', '......@@......',
]);
const tank = MovementClass.of({
  name: 'tank',
  footprint: [{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 0, y: 1 }, { x: 1, y: 1 }],
  pivot: [0.5, 0.5],
  primitives: [
    { name: 'forward', by: [1, 0], time: 12 },
    { name: 'reverse', by: [-1, 0], time: 36 },
    { name: 'left', turn: 1, time: 12 },
    { name: 'right', turn: -1, time: 12 },
  ],
});
const tables = MovementTables.compile(map, tank);
// With components searches for goals out of reach end at once; a world makes them where they are missing.
tables.makeComponents();
const path = new Path();
const answer = tables.plan({ start: { x: 0, y: 0, heading: 0 }, goals: [{ x: 12, y: 0 }] }, { path });
console.log(`${answer.result}: ${answer.moves} moves, ${answer.cost} ticks, by way of row ${path.rows.y(path.rows.length >> 1)}`);

const setup = new Setup(map, { name: 'gap', seed: 1 });
const number = setup.addClass(tables);
const agents = [0, 5].map((y) => setup.addAgent({ class: number, pose: { x: 0, y, heading: 0 } }));
const world = World.of(setup);
world.order(agents, { kind: 'goto_group', goal: { x: 11, y: 3 } });
while (!world.nothingLeft && world.tick < 1000) {
  world.step();
  for (const event of world.events().toArray()) {
    if (event.kind === 'order_done') console.log(`tick ${event.tick}: tank ${event.agent} has arrived`);
  }
}
const rows = world.agents();
for (let i = 0; i < rows.length; i++) console.log(`tank ${rows.id(i)} is at ${rows.x(i)}, ${rows.y(i)}`);
console.log(`tick ${world.tick}, hash ${world.hash().toString(16)}`);
for (const object of [world, setup, path, tables, tank, map]) object.free();
