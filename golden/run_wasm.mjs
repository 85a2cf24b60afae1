// Runs the scene in WebAssembly and prints what came out: node run_wasm.mjs FILE.wasm
import { readFileSync } from "node:fs";

const file = process.argv[2];
if (file === undefined) {
  console.error("usage: node run_wasm.mjs FILE.wasm");
  process.exit(2);
}
// It imports nothing: no clock, no file, no random numbers, no threads.
const { instance } = await WebAssembly.instantiate(readFileSync(file), {});
const { golden, memory } = instance.exports;
const packed = golden();
const address = Number(BigInt.asUintN(32, packed >> 32n));
const length = Number(BigInt.asUintN(32, packed));
process.stdout.write(new TextDecoder().decode(new Uint8Array(memory.buffer, address, length)));
