// Writes src/abi.ts: the numbers, structures and functions of the C interface, read from the sources of crates/capi.
// Structures lie as C lays them out on wasm32: a pointer and a size have 4 bytes, u64 is aligned to 8.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const from = new URL('../capi/src/', import.meta.url);
const to = new URL('src/abi.ts', import.meta.url);

const plain = { u8: 1, i8: 1, u32: 4, i32: 4, usize: 4, u64: 8 };
const constants = new Map();
const structures = new Map();
const aliases = new Map();
const functions = [];

function fail(message) {
  console.error(`generate.mjs: ${message}`);
  process.exit(1);
}

// Comments may hold anything, and tests are no part of the interface.
function withoutComments(text) {
  return text.split('\n#[cfg(test)]')[0].replace(/\/\/.*$/gm, '');
}

const files = readdirSync(from).filter((name) => name.endsWith('.rs')).sort();
const texts = files.map((name) => withoutComments(readFileSync(new URL(name, from), 'utf8')));
for (const text of texts) {
  for (const [, name, type, value] of text.matchAll(/^pub const (WB_\w+): (u8|u32|u64) = ([^;]+);/gm)) {
    const bits = { u8: 0xff, u32: 0xffff_ffff, u64: null }[type];
    if (/^u(8|32)::MAX$/.test(value)) constants.set(name, String(bits));
    else if (value === 'u64::MAX') constants.set(name, '0xffff_ffff_ffff_ffffn');
    else if (/^[\d_]+( << [\d_]+)?$/.test(value)) constants.set(name, value);
    else fail(`the value of ${name} is ${value}, expected a number`);
  }
  for (const [, name, other] of text.matchAll(/^pub type (wb_\w+) = (wb_\w+);/gm)) aliases.set(name, other);
  for (const [, name, body] of text.matchAll(/#\[repr\(C\)\]\s*(?:#\[[^\]]*\]\s*)*pub struct (wb_\w+) \{([^}]*)\}/g)) {
    const fields = [...body.matchAll(/pub (\w+): ([^,]+(?:; \w+\])?),/g)].map(([, field, type]) => [field, type.trim()]);
    structures.set(name, fields);
  }
  for (const [, name, given, returned] of text.matchAll(
    /pub (?:unsafe )?extern "C" fn (wb_\w+)\(([^)]*)\)\s*(?:-> ([^{]+?))?\s*\{/g,
  )) {
    const parameters = given.split(',').map((part) => part.trim()).filter(Boolean).map((part) => part.split(/:\s*/));
    functions.push([name, parameters, returned]);
  }
}

const known = new Map();
// Size and alignment of a type, and for structures the places of the fields.
function layout(type) {
  if (type in plain) return { size: plain[type], alignment: plain[type] };
  if (type.startsWith('*')) return { size: 4, alignment: 4 };
  const array = type.match(/^\[(\w+); (\w+)\]$/);
  if (array) {
    // One length has a name: the sides of a hexagon.
    const one = layout(array[1]);
    const n = array[2] === 'SIDES_MAX' ? 6 : Number(array[2]);
    return { size: one.size * n, alignment: one.alignment };
  }
  const name = aliases.get(type) ?? type;
  if (!structures.has(name)) fail(`type ${type} is not known`);
  if (known.has(name)) return known.get(name);
  let size = 0;
  let alignment = 1;
  const places = [];
  for (const [field, fieldType] of structures.get(name)) {
    const one = layout(fieldType);
    size = Math.ceil(size / one.alignment) * one.alignment;
    places.push([field, size]);
    size += one.size;
    alignment = Math.max(alignment, one.alignment);
  }
  const found = { size: Math.ceil(size / alignment) * alignment, alignment, places };
  known.set(name, found);
  return found;
}

const isWide = (type) => type === 'u64' || type === 'i64';
const lines = ['// Written by generate.mjs of the sources of crates/capi: do not change.', ''];
for (const [name, value] of [...constants].sort(([a], [b]) => (a < b ? -1 : 1))) {
  lines.push(`export const ${name} = ${value};`);
}
lines.push('');
for (const name of [...structures.keys()].sort()) {
  const { size, places } = layout(name);
  const fields = places.map(([field, place]) => `${field === 'size' ? 'size_' : field}: ${place}`);
  lines.push(`export const ${name} = { SIZE: ${size}, ${fields.join(', ')} } as const;`);
}
// Numbers that hosts use by name: as objects, whose keys are the names that the library gives them, too.
const groups = {
  Activity: 'ACTIVITY', EventKind: 'EVENT', Refusal: 'REFUSED', OrderKind: 'ORDER', OrderFailure: 'FAILURE', WaitRule: 'WAIT',
  PlanResult: 'PLAN', Reached: 'REACHED', Shape: 'SHAPE', Fallback: 'FALLBACK', Heuristic: 'HEURISTIC', Guide: 'GUIDE',
  SweepRule: 'SWEEP', When: 'WHEN', Connected: 'CONNECTED', Collision: 'COLLISION', Rule: 'RULE', PathSource: 'PATHS',
  OnAgents: 'ON_AGENTS', IfUnreachable: 'UNREACHABLE', IfNoRoom: 'NO_ROOM', TaskKind: 'TASKS', ChangeKind: 'CHANGE', AgentFlag: 'FLAG',
};
for (const [group, prefix] of Object.entries(groups)) {
  const members = [...constants].filter(([name]) => name.startsWith(`WB_${prefix}_`));
  if (members.length === 0) fail(`no number begins with WB_${prefix}_`);
  const named = members.map(([name, value]) => [name.slice(prefix.length + 4).toLowerCase(), Number(value.replaceAll('_', ''))]);
  named.sort(([, a], [, b]) => a - b);
  lines.push('', `/** \`${named.map(([name]) => name).join('`, `')}\`: by number. */`);
  lines.push(`export const ${group} = { ${named.map((pair) => pair.join(': ')).join(', ')} } as const;`);
  lines.push(`export type ${group} = keyof typeof ${group};`);
}
// Statuses have no prefix of their own: they are all numbers of their file.
const statuses = [...texts[files.indexOf('status.rs')].matchAll(/^pub const WB_(\w+): u32 = (\d+);/gm)];
if (statuses.length === 0) fail('status.rs has no numbers');
lines.push('', '/** What a call returns. */');
lines.push(`export const STATUS = { ${statuses.map(([, name, value]) => `${name.toLowerCase()}: ${value}`).join(', ')} } as const;`);
lines.push('', '/** The functions of the module. */', 'export interface Functions {');
for (const [name, parameters, returned] of functions.sort(([a], [b]) => (a < b ? -1 : 1))) {
  const typed = parameters.map(([parameter, type]) => `${parameter}: ${isWide(type) ? 'bigint' : 'number'}`);
  lines.push(`  ${name}(${typed.join(', ')}): ${returned ? (isWide(returned) ? 'bigint' : 'number') : 'void'};`);
}
lines.push('}', '');
writeFileSync(to, lines.join('\n'));
console.log(`${fileURLToPath(to)}: ${constants.size} numbers, ${structures.size} structures, ${functions.length} functions`);
