// In Workers: the module is compiled once and given to each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { World, compile, init } from '../dist/index.js';
import { file } from './help.js';

test('a world runs in a Worker, with the same hash', async () => {
  const [name, text] = ['yard.toml', file('scenarios/first/01_yard.toml')];
  await init();
  const world = World.parse(name, text);
  world.run(100);
  const module = await compile();
  const ask = () => new Promise((resolve, reject) => {
    const worker = new Worker(new URL('../examples/worker.mjs', import.meta.url), { workerData: { module, name, text, ticks: 100 } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  const answers = await Promise.all([ask(), ask()]);
  for (const answer of answers) assert.equal(answer.hash, world.hash());
});
