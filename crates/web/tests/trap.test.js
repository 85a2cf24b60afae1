// What happens after a panic: in a process of its own, since it ends the module.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GridMap, Scratch, WheelbaseError, init } from '../dist/index.js';
import { running } from '../dist/module.js';

test('a trap breaks the module, and init makes a new one', async () => {
  await init();
  const map = GridMap.filled({ width: 4, height: 4 });
  const broken = running();
  // No argument of this package makes it panic: so the memory of the handles is overwritten.
  broken.bytes.fill(0xff, 1024);
  let first = null;
  try {
    for (let i = 0; i < 100; i++) new Scratch();
  } catch (error) {
    first = error;
  }
  assert.ok(first instanceof WheelbaseError, String(first));
  assert.equal(first.status, 'trap');
  assert.throws(() => map.info(), (error) => error.status === 'trap' && /has stopped/.test(error.message));
  map.free();
  await init();
  assert.notEqual(running(), broken);
  assert.equal(GridMap.filled({ width: 3, height: 3 }).info().width, 3);
});
