import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Activity, AgentRows, CostField, GridMap, MovementClass, MovementTables, Path, PathQueue, Scratch, Setup,
  WheelbaseError, World, explainMove, explainPose, init, memoryBytes,
} from '../dist/index.js';
import * as wheelbase from '../dist/index.js';
import * as abi from '../dist/abi.js';
import { running } from '../dist/module.js';
import { CART, crowd, file } from './help.js';

const fails = (status, pattern) => (error) => {
  assert.ok(error instanceof WheelbaseError, String(error));
  assert.equal(error.status, status, error.message);
  assert.match(error.message, pattern);
  return true;
};

test('nothing works before init', () => {
  assert.throws(() => GridMap.filled({ width: 4, height: 4 }), fails('uninitialized', /await init\(\)/));
});

test('the names of numbers are those of the library', async () => {
  await init();
  const m = running();
  const groups = {
    wb_activity_name: abi.Activity, wb_event_kind_name: abi.EventKind, wb_order_kind_name: abi.OrderKind,
    wb_refusal_name: abi.Refusal, wb_failure_name: abi.OrderFailure, wb_wait_rule_name: abi.WaitRule,
    wb_plan_result_name: abi.PlanResult,
  };
  for (const [call, group] of Object.entries(groups)) {
    for (const [name, number] of Object.entries(group)) {
      const at = m.f[call](number) >>> 0;
      const end = m.bytes.indexOf(0, at);
      const found = new TextDecoder().decode(m.bytes.slice(at, end));
      // The one that the library calls by the singular, though its number is WB_ORDER_TASKS.
      assert.equal(found === 'task' ? 'tasks' : found, name, call);
    }
    const last = Math.max(...Object.values(group));
    assert.equal(m.f[call](last + 1), 0, `${call} has more`);
    // A number that is no longer in use has the empty name.
    for (let number = 0; number <= last; number++) {
      const named = m.bytes[m.f[call](number) >>> 0] !== 0;
      assert.equal(named, Object.values(group).includes(number), `${call} of ${number}`);
    }
  }
});

test('a map is made, read, edited and freed', async () => {
  await init();
  const map = GridMap.fromRows(['.....', '..@..', '..@..', '.....']);
  assert.deepEqual(map.info(), {
    width: 5, height: 4, shape: 'square', revision: 0, terrainKinds: 5, sideKinds: 2, hasElevation: false,
  });
  assert.equal(map.terrain()[1 * 5 + 2], map.terrainKind('out'));
  assert.deepEqual(map.terrainNames(), ['ground', 'swamp', 'water', 'trees', 'out']);
  const cart = MovementClass.of(CART);
  const tables = MovementTables.compile(map, cart);
  const request = { start: { x: 0, y: 1, heading: 0 }, goals: [{ x: 4, y: 1 }] };
  const around = tables.plan(request);
  assert.equal(around.result, 'found');
  const field = CostField.toGoal(tables, request.goals);
  assert.equal(field.cost(request.start), around.cost);
  const changed = map.edit([{ kind: 'terrain', area: { x: 2, y: 0, width: 1, height: 4 }, value: 4 }]);
  assert.deepEqual(changed, { x: 2, y: 0, width: 1, height: 4 });
  assert.deepEqual(tables.update(map, changed), { changed: true, eased: false });
  const none = tables.plan(request);
  assert.equal(none.result, 'unreachable');
  assert.equal(none.end, null);
  assert.match(tables.explain(map, request, none), /./);
  assert.throws(() => field.cost(request.start), fails('argument', /changed since/));
  field.repair(changed);
  assert.equal(field.cost(request.start), Infinity);
  assert.equal(field.next(request.start), null);
  assert.match(explainMove(map, cart, { x: 1, y: 1, heading: 0 }, 0), /out/);
  assert.equal(explainPose(map, cart, { x: 1, y: 1, heading: 0 }), '');
  assert.equal(tables.move({ x: 1, y: 1, heading: 0 }, 0), null);
  assert.deepEqual(tables.move({ x: 0, y: 1, heading: 0 }, 0), { after: { x: 1, y: 1, heading: 0 }, ticks: 2 });
  const cells = GridMap.fromCells({
    width: 2, height: 2, cells: Uint8Array.of(0, 1, 1, 0), terrains: [{ name: 'grass', speed: 900 }, { name: 'mud', speed: 300, characters: 'm' }],
  });
  assert.deepEqual(cells.terrainNames().slice(0, 2), ['grass', 'mud']);
  for (const object of [field, tables, cart, cells, map]) object.free();
  map.free();
  assert.ok(map.isFreed);
  assert.throws(() => map.info(), fails('destroyed', /GridMap has been freed/));
  assert.throws(() => tables.plan(request), fails('destroyed', /MovementTables/));
});

test('objects are disposed of', { skip: Symbol.dispose === undefined }, async () => {
  await init();
  const scratch = new Scratch();
  scratch[Symbol.dispose]();
  assert.ok(scratch.isFreed);
});

test('wrong arguments are named, and break nothing', async () => {
  await init();
  assert.throws(() => GridMap.fromRows(['..', '.?']), (error) => {
    fails('text', /^rows:2:2: /)(error);
    assert.deepEqual(error.places, [{ file: 'rows', line: 2, column: 2 }]);
    return true;
  });
  assert.throws(() => World.parse('bad.toml', 'name = "x"\nseed = -1\n'), fails('text', /bad\.toml:2/));
  assert.throws(() => MovementClass.of({ ...CART, headings: 5 }), fails('argument', /heading/));
  assert.throws(() => GridMap.filled({ width: 1.5, height: 2 }), fails('argument', /`width` is 1.5/));
  assert.throws(() => GridMap.filled({ width: 0, height: 2 }), fails('argument', /./));
  assert.throws(() => GridMap.filled({ width: 2, height: 2, shape: 'round' }), fails('argument', /"square", "hex"/));
  const map = GridMap.filled({ width: 8, height: 8 });
  const cart = MovementClass.of(CART);
  const tables = MovementTables.compile(map, cart);
  const start = { x: 0, y: 0, heading: 0 };
  assert.throws(() => tables.plan({ start, goals: [] }), fails('argument', /goal/));
  assert.throws(() => tables.plan({ start, goals: [{ x: 1, y: 1, heading: 9 }] }), fails('argument', /heading/));
  assert.throws(() => tables.plan({ start: { x: 0, y: NaN, heading: 0 }, goals: [start] }), fails('argument', /start\.y/));
  assert.throws(() => World.load(new Uint8Array(100)), fails('text', /bytes/));
  assert.throws(() => map.edit([{ kind: 'terrain', area: { x: 0, y: 0, width: 1, height: 1 }, value: 77 }]), fails('argument', /changes\[0\]/));
  const setup = new Setup(map);
  setup.addClass(tables);
  setup.addAgent({ class: 0, pose: start });
  setup.addAgent({ class: 0, pose: start });
  assert.throws(() => World.of(setup), fails('argument', /agent/));
  assert.throws(() => setup.tune('nonsense', 1), fails('argument', /nonsense/));
  assert.equal(tables.plan({ start, goals: [{ x: 3, y: 0 }] }).cost, 6);
});

test('a world obeys commands and tells what happened', async () => {
  await init();
  const map = GridMap.filled({ width: 20, height: 10 });
  const tables = MovementTables.compile(map, MovementClass.of(CART));
  const setup = new Setup(map, { name: 'yard', seed: 3 });
  setup.addClass(tables);
  const first = setup.addAgent({ class: 0, pose: { x: 1, y: 1, heading: 0 } });
  const world = World.of(setup);
  assert.equal(world.classes, 1);
  assert.equal(world.className(0), 'cart');
  assert.equal(world.addClass(MovementClass.of(CART)), 1);
  assert.equal(world.classes, 2);
  const preview = world.plan(first, [{ x: 8, y: 1 }]);
  assert.equal(preview.cost, 14);
  world.order(first, { kind: 'goto', goals: [{ x: 8, y: 1, heading: 0 }], headings: 4 });
  world.order(first, { kind: 'wait', ticks: 3 }, { append: true });
  const ticket = world.spawn({ class: 0, pose: { x: 1, y: 1, heading: 0 } });
  world.step();
  const refused = world.events().toArray().find((event) => event.kind === 'refused');
  assert.equal(refused.ticket, ticket);
  assert.equal(refused.a, wheelbase.Refusal.pose_held);
  const details = world.eventDetails(world.events().toArray().findIndex((event) => event.kind === 'refused'));
  assert.deepEqual([details.ticket, details.blocker, details.class], [ticket, first, 0]);
  assert.deepEqual([details.pose, details.area, details.reached], [{ x: 1, y: 1, heading: 0 }, null, null]);
  assert.throws(() => world.eventDetails(99), fails('not_found', /event 99/));
  const rows = world.agents();
  assert.equal(rows.length, 1);
  assert.deepEqual([rows.id(0), rows.fromX(0), rows.x(0), rows.y(0), rows.heading(0)], [0, 1, 2, 1, 0]);
  assert.equal(rows.activity(0), Activity.following);
  assert.ok(rows.isMoving(0));
  assert.equal(rows.progress(0, 1), 0.5);
  assert.deepEqual(rows.get(0).to, { x: 2, y: 1, heading: 0 });
  assert.equal(rows.int32()[AgentRows.WORDS.toX], 2);
  assert.equal(rows.uint8()[AgentRows.BYTES.activity], Activity.following);
  assert.equal(rows.indexOf(0), 0);
  assert.equal(rows.indexOf(7), -1);
  assert.throws(() => rows.x(1), fails('argument', /row 1/));
  assert.ok(world.path(first).length > 1);
  world.step();
  assert.throws(() => rows.x(0), fails('stale', /rows again/));
  const seen = [];
  for (let i = 0; i < 30; i++) {
    world.step();
    for (const event of world.events().toArray()) seen.push(event.kind);
  }
  assert.deepEqual(seen.filter((kind) => kind === 'order_done').length, 2);
  assert.equal(world.agent(first).to.x, 8);
  assert.equal(world.agentAt({ x: 8, y: 1 }), first);
  assert.deepEqual(world.agentsIn({ x: 0, y: 0, width: 20, height: 10 }), [first]);
  assert.equal(world.agentAt({ x: 1, y: 1 }), null);
  assert.equal(world.whyNotPlace(0, { x: 8, y: 1, heading: 0 }), 'pose_held');
  assert.ok(world.canPlace(0, { x: 1, y: 1, heading: 0 }));
  assert.equal(world.reasonForWaiting(first).rule, 'nothing_to_do');
  const wall = [{ kind: 'terrain', area: { x: 8, y: 0, width: 1, height: 10 }, value: map.terrainKind('out') }];
  assert.deepEqual(world.wouldDisturb(wall), [first]);
  world.edit(wall);
  world.step();
  assert.equal(world.counts().editsPending, 1);
  world.order([first], { kind: 'goto', goals: [{ x: 12, y: 3 }] });
  for (let i = 0; i < 40; i++) world.step();
  assert.equal(world.counts().editsPending, 0);
  assert.equal(world.terrain()[8], map.terrainKind('out'));
  world.nameAgent(first, 'Ada');
  assert.equal(world.agentName(first), 'Ada');
  assert.ok(world.reach(first, 2).length >= 3);
  world.setPriority(first, 3);
  world.setTeam({ area: { x: 0, y: 0, width: 20, height: 10 } }, 2);
  world.setSpeedFactor([first], 500);
  world.step();
  assert.deepEqual(world.events().toArray().map((event) => event.kind).sort(), ['priority_set', 'speed_factor_set', 'team_set']);
  assert.equal(world.agents().team(0), 2);
  world.enter([first]);
  world.step();
  assert.deepEqual([world.offMap(), world.offMap(first)], [[first], []]);
  world.leave(first, { x: 12, y: 3, heading: 0 });
  world.step();
  assert.deepEqual(world.offMap(), []);
  world.remove([first]);
  world.step();
  assert.equal(world.agents().length, 0);
  assert.ok(world.nothingLeft);
  assert.throws(() => world.agent(first), fails('not_found', /agent/));
});

test('a world is saved, loaded, cloned and rolled back', async () => {
  await init();
  const world = crowd(wheelbase, 50, 40);
  world.run(20);
  const [bytes, copy, hash] = [world.save(), world.clone(), world.hash()];
  const loaded = World.load(bytes);
  for (const other of [copy, loaded]) assert.equal(other.hash(), hash);
  for (let i = 0; i < 30; i++) [world, copy, loaded].forEach((one) => one.step());
  assert.equal(copy.hash(), world.hash());
  assert.equal(loaded.hash(), world.hash());
  assert.notEqual(world.hash(), hash);
  world.restore(bytes);
  assert.equal(world.hash(), hash);
  world.copyFrom(loaded);
  assert.equal(world.hash(), copy.hash());
  assert.equal(world.memory().agents, 50);
  for (const one of [world, copy, loaded]) one.free();
});

test('rows outlive a growth of the memory, and their arrays are made anew', async () => {
  await init();
  const world = crowd(wheelbase, 30, 40);
  world.step();
  const rows = world.agents();
  const array = rows.int32();
  const before = Array.from(rows.int32());
  const [bytes, grown] = [memoryBytes(), []];
  while (memoryBytes() === bytes) grown.push(GridMap.filled({ width: 2000, height: 2000 }));
  assert.equal(array.length, 0, 'an array over the old memory is empty');
  assert.deepEqual(Array.from(rows.int32()), before);
  assert.equal(rows.x(3), before[3 * AgentRows.STRIDE + AgentRows.WORDS.toX]);
  for (const map of grown) map.free();
  world.free();
  assert.throws(() => rows.x(0), fails('stale', /./));
});

test('5,000 agents are read without a copy and without an allocation', { timeout: 120_000 }, async () => {
  await init();
  const world = crowd(wheelbase, 5000, 300);
  world.step();
  const rows = world.agents();
  assert.equal(rows.length, 5000);
  const read = () => {
    let sum = 0;
    const agents = world.agents();
    for (let i = 0; i < agents.length; i++) sum += agents.x(i) + agents.y(i) + agents.heading(i);
    return sum;
  };
  const raw = () => {
    let sum = 0;
    const words = world.agents().int32();
    const bytes = world.agents().uint8();
    const { toX, toY } = AgentRows.WORDS;
    for (let i = 0; i < words.length; i += AgentRows.STRIDE) sum += words[i + toX] + words[i + toY] + bytes[i * 4 + AgentRows.BYTES.toHeading];
    return sum;
  };
  assert.equal(world.agents().int32(), world.agents().int32(), 'one array as long as the rows stay');
  assert.equal(read(), raw());
  assert.equal(world.agents().int32().buffer, running().bytes.buffer);
  // Reading costs next to no heap: less than a byte for each agent and pass.
  for (let i = 0; i < 50; i++) read();
  const heap = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200; i++) read();
  const used = process.memoryUsage().heapUsed - heap;
  assert.ok(used < 200 * 5000, `${used} bytes for 200 passes`);
  world.free();
});

test('a queue spends its budget', async () => {
  await init();
  const map = GridMap.filled({ width: 60, height: 60 });
  const tables = MovementTables.compile(map, MovementClass.of(CART));
  const queue = new PathQueue({ width: 60, height: 60, slots: 2 });
  const tickets = [10, 30, 50].map((x) => queue.submit(0, { start: { x: 0, y: 0, heading: 0 }, goals: [{ x, y: x }] }));
  const dropped = queue.submit(0, { start: { x: 0, y: 0, heading: 0 }, goals: [{ x: 5, y: 5 }] });
  queue.cancel(dropped);
  assert.equal(queue.open, 3);
  const found = new Map();
  let path = null;
  for (let frame = 0; frame < 1000 && queue.open > 0; frame++) {
    for (const { ticket, answer, path: rows } of queue.advance([tables], 100)) {
      found.set(ticket, answer.cost);
      assert.equal(rows.arrival(rows.length - 1), answer.cost);
      path = rows;
    }
  }
  queue.advance([tables], 100);
  assert.throws(() => path.x(0), fails('stale', /earlier frame/));
  const alone = [10, 30, 50].map((x) => tables.plan({ start: { x: 0, y: 0, heading: 0 }, goals: [{ x, y: x }] }).cost);
  assert.deepEqual(tickets.map((ticket) => found.get(ticket)), alone);
});

test('a field leads to its goal', async () => {
  await init();
  const map = GridMap.filled({ width: 30, height: 30 });
  const tables = MovementTables.compile(map, MovementClass.of(CART));
  const field = CostField.toGoal(tables, [{ x: 20, y: 20 }], 1);
  let pose = { x: 2, y: 3, heading: 1 };
  const cost = field.cost(pose);
  let spent = 0;
  for (let next = field.next(pose); next !== null; next = field.next(pose)) {
    spent += tables.move(pose, next.primitive).ticks;
    pose = next.after;
  }
  assert.equal(spent, cost);
  const path = new Path();
  assert.ok(field.path({ x: 2, y: 3, heading: 1 }, path));
  assert.equal(path.rows.arrival(path.rows.length - 1), cost);
  const reach = CostField.fromPose(tables, { x: 5, y: 5, heading: 0 });
  assert.deepEqual(reach.within(2).map(({ arrival }) => arrival).sort(), [0, 2, 2, 2]);
  assert.ok(reach.settle());
});

test('a group is sent', async () => {
  await init();
  const map = GridMap.filled({ width: 20, height: 9 });
  const cart = MovementClass.of(CART);
  const tables = MovementTables.compile(map, cart);
  tables.makeComponents();
  for (const made of [tables, cart]) {
    const setup = new Setup(map);
    const number = setup.addClass(made);
    const agents = [0, 4, 8].map((y) => setup.addAgent({ class: number, pose: { x: 0, y, heading: 0 } }));
    const world = World.of(setup);
    world.order(agents, { kind: 'goto_group', goal: { x: 15, y: 4 } });
    while (!world.nothingLeft && world.tick < 200) world.step();
    assert.equal(world.counts().ordersDone, 3);
    const rows = world.agents();
    const places = agents.map((_, i) => `${rows.x(i)},${rows.y(i)}`);
    assert.equal(new Set(places).size, 3);
    assert.ok(places.includes('15,4'), places.join(' '));
  }
});

test('a host finds paths, and a host decides', async () => {
  await init();
  const map = GridMap.filled({ width: 10, height: 4 });
  const tables = MovementTables.compile(map, MovementClass.of(CART));
  const setup = new Setup(map, { paths: 'host' });
  setup.addClass(tables);
  const start = { x: 0, y: 0, heading: 0 };
  const agent = setup.addAgent({ class: 0, pose: start, orders: [{ kind: 'goto', goals: [{ x: 5, y: 2 }] }] });
  const world = World.of(setup);
  world.step();
  const [request] = world.pathRequests();
  assert.deepEqual(request, { agent, class: 0, start, goals: [{ x: 5, y: 2 }], within: 0, priority: 0 });
  const path = new Path();
  tables.plan({ start: request.start, goals: request.goals }, { path });
  world.answerPath(agent, path.rows.toMoves());
  for (let i = 0; i < 40; i++) world.step();
  assert.equal(world.agent(agent).to.x, 5);

  const commanded = new Setup(map, { rule: 'commanded', collision: 'discrete' });
  commanded.addClass(tables);
  commanded.addAgent({ class: 0, pose: start });
  const robots = World.of(commanded);
  robots.decide([0], Uint8Array.of(0));
  robots.step();
  assert.equal(robots.agents().x(0), 1);
});

test('all first scenarios but those on maps of PNG or Tiled run', { timeout: 120_000 }, async () => {
  await init();
  const river = { '../maps/river.map': file('scenarios/maps/river.map') };
  const names = ['01_yard', '04_hill', '05_ledge', '09_hexagons', '11_river', '14_reinforcements', '15_two_teams'];
  for (const name of names) {
    const world = World.parse(`${name}.toml`, file(`scenarios/first/${name}.toml`), river);
    world.checkInvariants();
    let ticks = 0;
    while (world.step() && ticks < 5000) ticks++;
    assert.equal(world.counts().collisions, 0, name);
    assert.ok(world.counts().moves > 0, name);
    world.free();
  }
});

