// Makes the page that .ci/skirmish_test.py opens, with the package and the files of skirmish/ in it:
//
//     node tests/skirmish_page.mjs PAGE
//
// `skirmish.play()` plays in the page and in a Worker, and resolves to both texts; `skirmish.inits(n)` times `init()` in n new
// Workers, in ms.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { FILES } from '../examples/skirmish.mjs';

const contents = `
import { init } from 'wheelbase';
import { play } from './skirmish.mjs';

const played = async (files) => {
  const from = performance.now();
  await init();
  const ms = performance.now() - from;
  return { ms, text: files === null ? '' : play(files) };
};
if (typeof document === 'undefined') {
  onmessage = (message) => played(message.data).then(postMessage, (error) => postMessage({ error: String(error) }));
} else {
  const text = (id) => document.getElementById(id).textContent;
  const files = JSON.parse(text('files'));
  const script = URL.createObjectURL(new Blob([text('script')], { type: 'text/javascript' }));
  const inWorker = (given) => new Promise((resolve, reject) => {
    const worker = new Worker(script);
    worker.onmessage = ({ data }) => { worker.terminate(); if (data.error) reject(new Error(data.error)); else resolve(data); };
    worker.onerror = (error) => reject(new Error(error.message));
    worker.postMessage(given);
  });
  globalThis.skirmish = {
    // The Worker begins first, for the page is busy until its own is played.
    play: async () => {
      const worker = inWorker(files);
      const page = await played(files);
      return { page: page.text, worker: (await worker).text };
    },
    inits: async (n) => { const all = []; for (let i = 0; i < n; i++) all.push((await inWorker(null)).ms); return all; },
  };
}
`;
const made = await build({
  stdin: { contents, resolveDir: fileURLToPath(new URL('../examples', import.meta.url)) },
  bundle: true, write: false, format: 'iife', target: 'es2022', minify: true, charset: 'utf8',
});
const folder = new URL('../../../skirmish/', import.meta.url);
const files = Object.fromEntries(FILES.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
// Text in a script of a page must not end it.
const inScript = (text) => text.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--');
writeFileSync(process.argv[2], `<!doctype html><meta charset="utf-8"><title>Skirmish</title>
<script type="application/json" id="files">${inScript(JSON.stringify(files))}</script>
<script id="script">${inScript(made.outputFiles[0].text)}</script>
`);
