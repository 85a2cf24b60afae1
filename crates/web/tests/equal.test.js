// The same results as Rust: tests/expected is written by `crates/capi/tests/web.rs`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GridMap, MovementClass, MovementTables, Path, World, init } from '../dist/index.js';
import { expected, file } from './help.js';

const SCENARIO = 'scenarios/first/16_three_bridges.toml';
await init();

const requestOf = (words) => {
  const [x, y, heading, goalX, goalY, goalHeading, within, weightPermille] = words.slice(1, 9).map(Number);
  const goal = { x: goalX, y: goalY, heading: goalHeading === -1 ? undefined : goalHeading };
  return { start: { x, y, heading }, goals: [goal], within, weightPermille };
};

test('1,000 requests have the answers of Rust', () => {
  const text = file(SCENARIO);
  const map = GridMap.parse('map.toml', text);
  const tables = {};
  const lines = expected('plans.txt');
  assert.equal(lines.length, 1000);
  const path = new Path();
  const results = new Set();
  for (const [number, words] of lines.entries()) {
    const name = words[0];
    tables[name] ??= MovementTables.compile(map, MovementClass.parse(`map.toml#${name}`, text));
    const request = requestOf(words);
    const answer = tables[name].plan(request, { path });
    const end = answer.end ?? { x: 0, y: 0, heading: 0 };
    const found = [answer.result, answer.cost, answer.expansions, answer.moves, end.x, end.y, end.heading];
    assert.deepEqual(found.map(String), words.slice(9), `line ${number + 1}`);
    results.add(answer.result);
    if (answer.result !== 'found') {
      assert.equal(path.rows.length, 0);
      assert.notEqual(tables[name].explain(map, request, answer), '');
      continue;
    }
    // The path is what the answer says, move for move.
    const last = path.rows.length - 1;
    assert.equal(last, answer.moves);
    assert.equal(path.rows.arrival(last), answer.cost);
    assert.deepEqual(path.rows.pose(0), { ...request.start, arrival: 0 });
    const checked = tables[name].checkMoves(request.start, path.rows.toMoves());
    assert.deepEqual(checked, { legal: answer.moves, end: { ...end, arrival: answer.cost } });
  }
  for (const result of ['found', 'start_off_map', 'start_blocked', 'goal_blocked', 'unreachable']) {
    assert.ok(results.has(result), `no request is ${result}`);
  }
  // All at once, and in slices, the same.
  for (const [name, of] of Object.entries(tables)) {
    const mine = lines.filter((words) => words[0] === name);
    const batch = of.planAll(mine.map(requestOf));
    mine.forEach((words, i) => {
      const answer = batch.answers[i];
      assert.deepEqual([answer.result, String(answer.cost)], words.slice(9, 11));
      const n = batch.offsets[i + 1] - batch.offsets[i];
      assert.equal(n, answer.result === 'found' ? answer.moves + 1 : 0);
      if (n > 0) assert.equal(batch.poses[batch.offsets[i + 1] * 4 - 1], answer.cost);
    });
    const search = of.begin(requestOf(mine[1]));
    while (!search.isDone) search.advance(50);
    assert.equal(String(search.finish(path).cost), mine[1][10]);
  }
});

test('a world of 2,000 ticks has the hashes of Rust', () => {
  const world = World.parse('three_bridges.toml', file(SCENARIO));
  world.setTicks(2000);
  world.checkInvariants();
  const lines = expected('hashes.txt');
  assert.equal(lines.at(-1)[0], '2000');
  for (const [tick, hash] of lines) {
    while (world.tick < Number(tick)) world.step();
    assert.equal(world.hash().toString(16).padStart(16, '0'), hash, `tick ${tick}`);
  }
  const counts = world.counts();
  assert.equal(counts.collisions, 0);
  assert.ok(counts.tasksDone > 0 && counts.moves > 1000);
});
