// A world in a Worker of node: it gets the compiled module, runs the scenario and posts what came of it.
import { parentPort, workerData } from 'node:worker_threads';
import { World, init } from 'wheelbase';

await init({ module: workerData.module });
const world = World.parse(workerData.name, workerData.text);
world.run(workerData.ticks);
parentPort.postMessage({ tick: world.tick, hash: world.hash() });
world.free();
