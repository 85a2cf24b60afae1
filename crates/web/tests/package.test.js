// The package as npm packs it: its size, its types, the examples of the documentation.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { file } from './help.js';

const here = fileURLToPath(new URL('..', import.meta.url));
const run = (program, args, cwd = here) => execFileSync(program, args, { cwd, encoding: 'utf8' });
const node = process.execPath;

test('npm packs it, within 1.2 MB, and a program elsewhere runs with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wheelbase-'));
  try {
    const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder]));
    const size = gzipSync(gunzipSync(readFileSync(join(folder, packed.filename))), { level: 9 }).length;
    console.log(`npm pack, gzip -9: ${(size / 1000).toFixed(0)} kB, ${packed.files.length} files`);
    assert.ok(size <= 1_200_000, `${size} bytes`);
    const names = packed.files.map(({ path }) => path);
    for (const name of ['dist/index.js', 'dist/index.d.ts', 'dist/wasm.js', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', 'package.json']) {
      assert.ok(names.includes(name), `${name} is missing`);
    }
    assert.ok(!names.some((name) => /playground|tests|\.wasm$/.test(name)), names.join(' '));
    const to = join(folder, 'node_modules/wheelbase');
    mkdirSync(to, { recursive: true });
    run('tar', ['xzf', packed.filename, '-C', to, '--strip-components', '1'], folder);
    writeFileSync(join(folder, 'program.mjs'), file('crates/web/examples/forty_lines.mjs'));
    assert.equal(run(node, ['program.mjs'], folder), run(node, ['examples/forty_lines.mjs']));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the example of the documentation is the file that is run', () => {
  const example = file('crates/web/examples/forty_lines.mjs');
  assert.ok(file('docs/web.md').includes(`\`\`\`js\n${example}\`\`\``), 'docs/web.md does not hold examples/forty_lines.mjs');
  assert.equal(example.trimEnd().split('\n').length, 40);
  const said = run(node, ['examples/forty_lines.mjs']);
  assert.match(said, /^found: \d+ moves, \d+ ticks/);
  assert.equal(said.match(/has arrived/g).length, 2);
  assert.ok(file('docs/web.md').includes(`\`\`\`text\n${said}\`\`\``), `docs/web.md does not hold its output:\n${said}`);
});

test('types are exact', () => {
  run(node, ['node_modules/typescript/bin/tsc', '-p', 'examples']);
});

test('a bundler takes it', async () => {
  const { build } = await import('esbuild');
  const contents = "import { GridMap, init } from 'wheelbase'; await init(); console.log(GridMap.filled({ width: 3, height: 2 }).info().width);";
  const made = await build({ stdin: { contents, resolveDir: here }, bundle: true, write: false, format: 'esm', minify: true, target: 'es2022' });
  assert.equal(execFileSync(node, ['--input-type=module'], { input: made.outputFiles[0].text, encoding: 'utf8' }), '3\n');
});
