// One skirmish everywhere (skirmish/README.md): in node it is what Rust makes of it. The browser's is .ci/skirmish_test.py.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { file } from './help.js';

test('the skirmish is the golden one', { timeout: 240_000 }, () => {
  const program = fileURLToPath(new URL('../examples/skirmish_in_node.mjs', import.meta.url));
  const played = execFileSync(process.execPath, [program], { encoding: 'utf8' });
  const [lines, golden] = [played, file('skirmish/golden.txt')].map((text) => text.split('\n'));
  golden.forEach((line, i) => assert.equal(lines[i], line, `line ${i + 1}`));
  assert.equal(lines.length, golden.length);
});
