// Prints the skirmish as node plays it, with the files of the folder `skirmish`: node examples/skirmish_in_node.mjs FOLDER
import { readFileSync } from 'node:fs';
import { init } from 'wheelbase';
import { FILES, play } from './skirmish.mjs';

const folder = process.argv[2] ?? new URL('../../../skirmish', import.meta.url).pathname;
await init();
process.stdout.write(play(Object.fromEntries(FILES.map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]))));
