// Figures of docs/web.md: node bench.mjs
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { Worker } from 'node:worker_threads';
import { GridMap, MovementClass, MovementTables, Path, World, init } from './dist/index.js';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('scenarios/first/16_three_bridges.toml', root), 'utf8');
const timed = (name, f) => {
  const from = performance.now();
  const n = f();
  const ms = performance.now() - from;
  console.log(`${name}: ${n} in ${ms.toFixed(0)} ms, ${(ms / n * 1000).toFixed(1)} us each`);
};
// In new Workers: the first of a process is no slower than the next.
const timedInit = `import('${new URL('./dist/index.js', import.meta.url)}').then(async ({ init }) => {
  const from = performance.now();
  await init();
  require('node:worker_threads').parentPort.postMessage(performance.now() - from);
});`;
const inits = [];
for (let i = 0; i < 11; i++) inits.push(await new Promise((resolve) => new Worker(timedInit, { eval: true }).once('message', resolve)));
inits.sort((a, b) => a - b);
console.log(`init: median of ${inits.length} ${inits[5].toFixed(0)} ms, ${inits[0].toFixed(0)} to ${inits.at(-1).toFixed(0)}; load ${loadavg()[0].toFixed(1)} on ${cpus().length} processors`);
await init();
const lines = readFileSync(new URL('tests/expected/plans.txt', import.meta.url), 'utf8').trim().split('\n').map((line) => line.split(' '));
const map = GridMap.parse('map.toml', text);
const tables = {};
timed('tables', () => ['scout', 'truck', 'tank', 'loader', 'carrier', 'hovercraft'].map((name) => (tables[name] = MovementTables.compile(map, MovementClass.parse(`map.toml#${name}`, text)))).length);
const path = new Path();
const requests = lines.map((words) => {
  const [x, y, heading, gx, gy, gh, within, weightPermille] = words.slice(1, 9).map(Number);
  return [tables[words[0]], { start: { x, y, heading }, goals: [{ x: gx, y: gy, heading: gh < 0 ? undefined : gh }], within, weightPermille }];
});
const all = () => { for (const [of, request] of requests) of.plan(request, { path }); return requests.length; };
all();
timed('requests', all);
const world = World.parse('three_bridges.toml', text);
world.setTicks(2000);
timed('ticks of 80 agents', () => world.run(2000));
const large = World.parse('5k.toml', readFileSync(new URL('scenarios/bench/5k.toml', root), 'utf8'));
large.run(50);
timed('ticks of 5,000 agents', () => large.run(50));
const read = () => { let sum = 0; const rows = large.agents(); for (let i = 0; i < rows.length; i++) sum += rows.x(i) + rows.y(i) + rows.heading(i); return sum; };
for (let i = 0; i < 200; i++) read();
timed('reads of 3 fields of 5,000 rows', () => { for (let i = 0; i < 1000; i++) read(); return 1000; });
