// Builds the package into dist/: the module of crates/capi, the sources of src/ around it, the playground.
//
//   node build.mjs              all of it
//   node build.mjs --no-wasm    with the module that is there
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync, inflateRawSync } from 'node:zlib';
import zopfli from '@gfx/zopfli';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? `${root}target`;
const built = `${target}/wasm32-unknown-unknown/web/wheelbase_c.wasm`;
const kilobytes = (n) => `${(n / 1000).toFixed(0)} kB`;

function run(program, ...args) {
  execFileSync(program, args, { cwd: here, stdio: 'inherit' });
}

rmSync(`${here}dist`, { recursive: true, force: true });
mkdirSync(`${here}dist`);

if (!process.argv.includes('--no-wasm')) {
  // A library of C's kind, of crates/capi alone: its other kinds are for other hosts. Maps of PNG and Tiled files are left
  // out: they would make the module larger for the few who have such maps in a browser.
  run('cargo', 'rustc', '--quiet', '--package', 'wheelbase-capi', '--lib', '--crate-type', 'cdylib', '--profile', 'web',
    '--target', 'wasm32-unknown-unknown', '--no-default-features');
}
if (!existsSync(built)) throw new Error(`${built} is missing: run node build.mjs without --no-wasm`);
// These passes of Binaryen make it smaller by 4 % in half a minute, packed; its -Oz takes more than five minutes.
const optimized = `${built}.optimized`;
const merge = ['--duplicate-function-elimination', '--merge-similar-functions'];
const prune = ['--rse', '--dce', '--merge-blocks', '--remove-unused-brs', '--remove-unused-names'];
run(process.execPath, 'node_modules/binaryen/bin/wasm-opt', built, '-o', optimized, '--enable-bulk-memory',
  '--enable-multivalue', '--enable-mutable-globals', '--enable-nontrapping-float-to-int', '--enable-reference-types',
  '--enable-sign-ext', ...merge, ...prune, '--optimize-instructions', ...prune, '--code-folding', ...prune, ...merge,
  ...prune, '--duplicate-function-elimination', '--reorder-functions', '--coalesce-locals', '--vacuum',
  '--reorder-locals');
const wasm = readFileSync(optimized);

// Deflated before it is base64, so that the text is a third of what it would be, and packs as small as the module itself.
// DecompressionStream is in node from 18 and in all browsers since 2023. Zopfli makes it smaller by a twentieth, in half a
// minute: what it has made of a module is kept.
const kept = `${target}/wasm32-unknown-unknown/web/${createHash('sha256').update(wasm).digest('hex')}.deflate`;
if (!existsSync(kept)) writeFileSync(kept, await zopfli.deflateAsync(wasm, { numiterations: 15 }));
const deflated = readFileSync(kept);
if (!inflateRawSync(deflated).equals(wasm)) throw new Error(`${kept} is not the module: remove it`);
writeFileSync(`${here}dist/wasm.js`, `export const inlined = '${deflated.toString('base64')}';\n`);
console.log(`module ${kilobytes(wasm.length)}, gzip -9 ${kilobytes(gzipSync(wasm, { level: 9 }).length)}`);

run(process.execPath, 'generate.mjs');
// The declarations have the documentation; the code does without comments.
const tsc = (...args) => run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', '.', ...args);
tsc('--emitDeclarationOnly');
tsc('--removeComments', '--declaration', 'false');
for (const name of ['LICENSE-MIT', 'LICENSE-APACHE']) copyFileSync(`${root}${name}`, `${here}${name}`);

if (existsSync(`${here}playground/make.mjs`)) {
  const { make } = await import('./playground/make.mjs');
  writeFileSync(`${here}dist/playground.html`, await make());
}
