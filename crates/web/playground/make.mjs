// Makes the playground: one page with the package, the scenarios and the session in it, which needs no network.
// Makes the scripts of the live lessons, too.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * Writes lessons.js, lessons.css and lessons_data.js into a folder of the book. The last one has the module and the
 * scenarios. It is a script, because pages that are files may fetch no files. Where the package cannot read the map, it
 * has a snapshot by `program` instead of the scenario.
 */
export async function makeLessons(folder, program) {
  const texts = (await scenarios()).slice(1);
  for (const name of readdirSync(first).filter((file) => !texts.some((one) => one.name === file))) {
    const [file, made] = [fileURLToPath(new URL(name, first)), `${folder}/${name}.snapshot`];
    // The exit status says that orders are left.
    spawnSync(program, ['run', file, '--quiet', '--ticks', '0', '--snapshot', made], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ticks = Number(readFileSync(file, 'utf8').match(/^ticks = (\d+)/m)[1]);
    texts.push({ name, ticks, snapshot: readFileSync(made, 'base64') });
    rmSync(made);
  }
  copyFileSync(`${here}lessons.css`, `${folder}/lessons.css`);
  writeFileSync(`${folder}/lessons.js`, await bundle('lessons.js'));
  const session = await bundle('worker.js');
  writeFileSync(`${folder}/lessons_data.js`, `globalThis.wheelbaseLessons={scenarios:${JSON.stringify(texts)},session:function(){${session}}};\n`);
}
