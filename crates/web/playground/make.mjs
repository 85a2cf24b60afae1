// Makes the playground: one page with the package, the scenarios and the session in it, which needs no network.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { World, init } from '../dist/index.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const first = new URL('../../../scenarios/first/', import.meta.url);

async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [`${here}${entry}`], bundle: true, write: false, format: 'iife', target: 'es2022', minify: true, charset: 'utf8',
    alias: { wheelbase: fileURLToPath(new URL('../dist/index.js', import.meta.url)) },
  });
  return outputFiles[0].text;
}

// Text in a script of a page must not end it.
const inScript = (text) => text.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--');

/** The scenarios that can be opened here: those on maps of PNG or Tiled files cannot. */
async function scenarios() {
  await init();
  const found = [{ name: 'playground.toml', title: 'Two banks and a bridge', text: readFileSync(`${here}playground.toml`, 'utf8'), files: {} }];
  for (const name of readdirSync(first).sort()) {
    const text = readFileSync(new URL(name, first), 'utf8');
    const files = {};
    for (const [, path] of text.matchAll(/^file = "([^"]+\.map)"/gm)) files[path] = readFileSync(new URL(path, first), 'utf8');
    try {
      World.parse(name, text, files).free();
    } catch (error) {
      if (!/png|tiled|\.tmx/i.test(`${error.message} ${text.match(/^file = .*$/m)}`)) throw error;
      console.log(`playground: without ${name}`);
      continue;
    }
    found.push({ name, title: name.replace('.toml', '').replaceAll('_', ' '), text, files });
  }
  return found;
}

/** The page. */
export async function make() {
  const [page, session, script] = [readFileSync(`${here}page.html`, 'utf8'), await bundle('worker.js'), await bundle('page.js')];
  const parts = { SCENARIOS: JSON.stringify(await scenarios()), SESSION: session, PAGE: script };
  return page.replace(/\{\{(\w+)\}\}/g, (_, name) => inScript(parts[name]));
}
