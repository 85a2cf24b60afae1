// The skirmish of `skirmish/`, played through this package: 200 units of four classes, clicks at given ticks, a bridge that is
// blown up, a saved game. `play` gives what `skirmish/golden.txt` holds, in node, in a page and in a Worker alike;
// examples/skirmish_in_node.mjs prints it.
import { EventKind, GridMap, MovementClass, Path, Setup, World } from 'wheelbase';

const [SAVED_AT, LOADED_UNTIL, TICKS, LINE_EVERY] = [300, 400, 700, 50];
const CLASSES = ['scout', 'truck', 'tank', 'hovercraft'];
/** What the host reads: the map and the classes. */
export const FILES = ['river.map', ...CLASSES.map((name) => `${name}.toml`)];

/*
 * Units in rows, all of one class and team: unit k stands at `x + k % columns * dx`, `y + floor(k / columns) * dy`. Red (team 0)
 * stands in the west and faces east, blue (team 1) in the east.
 */
const FORMATIONS = [
  { class: 0, team: 0, heading: 0, count: 50, x: 2, y: 2, columns: 10, dx: 2, dy: 2 },
  { class: 1, team: 0, heading: 0, count: 30, x: 4, y: 16, columns: 6, dx: 3, dy: 2 },
  { class: 2, team: 0, heading: 0, count: 24, x: 4, y: 28, columns: 6, dx: 4, dy: 3 },
  { class: 3, team: 0, heading: 0, count: 12, x: 4, y: 46, columns: 6, dx: 3, dy: 3 },
  { class: 0, team: 1, heading: 2, count: 36, x: 70, y: 2, columns: 9, dx: 2, dy: 2 },
  { class: 1, team: 1, heading: 2, count: 20, x: 72, y: 14, columns: 5, dx: 3, dy: 2 },
  { class: 2, team: 1, heading: 2, count: 16, x: 72, y: 24, columns: 4, dx: 4, dy: 3 },
  { class: 3, team: 1, heading: 2, count: 12, x: 72, y: 48, columns: 6, dx: 3, dy: 3 },
];

/*
 * What is clicked, and what its numbers are. Units count in the order in which they were placed.
 *
 * - goto: first unit, count, x, y, radius
 * - nearest: first unit, count, x, y: or to the nearest pose that can be reached
 * - patient: first unit, count, x, y: or waits until there is a way
 * - face: first unit, count, x, y, heading
 * - group: first unit, count, x, y
 * - area: first unit, count, x, y, width, height
 * - patrol: first unit, count, x, y, x, y
 * - follow: first unit, count, leader, distance
 * - pause: first unit, count, ticks, x, y: waits, then goes
 * - then: first unit, count, x, y: after the orders that they have
 * - stop: first unit, count
 * - hold: first unit, count
 * - in_box: x, y of the goal; x, y, width, height of a box around units
 * - speed: first unit, count, permille
 * - priority: first unit, count, priority
 * - teams: first unit, count, team
 * - class: unit, class
 * - remove: first unit, count
 * - shell: x, y, width, height: whoever is there is removed
 * - place: class, team, x, y, heading
 * - drop: class, count, x, y, width, height
 * - errands: first unit, count, x, y, width, height: errands there
 * - blow: x, y, width, height, what becomes of units there (0 to 4: wait ...), deadline: water
 * - build: x, y, width, height become ground, after so many ticks
 * - false_alarm: x, y, width, height: water there once nobody is on it, which is withdrawn immediately
 * - ferry: unit, the unit that it enters, x, y, heading, ticks: when it returns there
 * - gate: x, y, kind of the western side
 * - why: unit: why does it wait?
 * - left: unit: what is left of its path?
 * - who: x, y: who is there?
 * - many: x, y, width, height: how many are there?
 * - room: class, x, y, heading: is there room?
 * - harm: x, y, width, height: whom would water there disturb?
 * - plan: unit, x, y, radius: how long would it take?
 * - reach: unit, ticks: how many poses can it reach?
 */
// Tick, what, and its numbers.
const CLICKS = [
  [1, 'group', 0, 50, 60, 14],                    // red's scouts over the northern bridge
  [1, 'group', 80, 24, 58, 48],                   // its tanks over the southern one
  [1, 'area', 104, 12, 56, 16, 12, 10],           // its hovercraft across the river
  [2, 'follow', 50, 10, 0, 4],                    // trucks behind the first scout
  [2, 'goto', 60, 10, 38, 14, 6],                 // trucks to the head of the bridge
  [2, 'patient', 70, 10, 57, 30],                 // trucks over the ford
  [5, 'patrol', 116, 18, 66, 6, 66, 18],          // blue's scouts
  [5, 'patrol', 134, 18, 60, 20, 60, 32],
  [5, 'pause', 152, 10, 40, 56, 30],              // its trucks set out later
  [5, 'errands', 162, 10, 70, 14, 20, 20],
  [5, 'group', 172, 16, 62, 49],                  // its tanks to the southern bridge
  [6, 'area', 188, 12, 30, 40, 10, 12],           // its hovercraft across the river
  [20, 'priority', 80, 4, 5],
  [30, 'speed', 0, 10, 500],                      // ten scouts are hit
  [31, 'place', 0, 0, 46, 5, 0],                  // into the water: refused
  [31, 'place', 0, 0, 4, 60, 0],
  [31, 'room', 2, 46, 5, 0],
  [31, 'room', 3, 46, 5, 0],
  [36, 'false_alarm', 4, 16, 18, 8],              // where trucks stand
  [37, 'blow', 4, 16, 18, 8, 0, 0],               // under trucks: it waits,
  [37, 'build', 4, 16, 18, 8, 1],                 // and is replaced
  [40, 'then', 0, 20, 66, 24],
  [42, 'ferry', 45, 50, 38, 14, 0, 15],           // a scout rides in a truck
  [60, 'why', 50],
  [60, 'left', 80],
  [75, 'hold', 172, 2],
  [90, 'face', 104, 4, 60, 24, 3],
  [100, 'harm', 44, 12, 8, 4],
  [100, 'many', 44, 12, 8, 4],
  [120, 'blow', 44, 12, 8, 4, 2, 0],              // the northern bridge, with whoever is on it
  [121, 'many', 44, 12, 8, 4],
  [121, 'left', 20],
  [121, 'why', 20],
  [140, 'nearest', 0, 20, 60, 14],                // to the bank, then: the ford is far
  [140, 'stop', 60, 10],
  [150, 'teams', 152, 10, 2],                     // ten trucks change sides: team 2 is a friend of red
  [160, 'class', 50, 2],                          // a truck becomes a tank, if there is room
  [160, 'class', 61, 0],
  [180, 'drop', 0, 12, 2, 50, 20, 12],            // twelve scouts from the air
  [200, 'plan', 80, 80, 48, 2],
  [200, 'reach', 104, 40],
  [200, 'who', 58, 48],
  [220, 'in_box', 80, 14, 56, 40, 12, 20],        // whoever is in the box
  [240, 'remove', 116, 3],
  [250, 'gate', 57, 30, 1],                       // a wall across the ford's end
  [260, 'blow', 44, 46, 8, 5, 4, 60],             // the southern bridge, 60 ticks after the warning
  [262, 'harm', 44, 46, 8, 5],
  [270, 'why', 81],
  [275, 'shell', 76, 20, 6, 8],
  [280, 'speed', 0, 10, 1500],
  [282, 'group', 104, 12, 40, 24],
  [284, 'patrol', 20, 20, 30, 6, 30, 40],
  [286, 'plan', 10, 80, 48, 0],
  [290, 'build', 44, 12, 8, 4, 60],               // given now, for later: it is in the saved game
  [295, 'blow', 44, 29, 14, 2, 3, 80],            // the ford: it waits when the game is saved
  [305, 'area', 0, 50, 56, 6, 12, 16],            // to be given again to the game that is loaded
  [310, 'place', 2, 0, 10, 56, 0],
  [320, 'follow', 80, 10, 104, 6],
  [355, 'group', 20, 30, 60, 16],
  [365, 'left', 104],
  [380, 'why', 70],
  [400, 'build', 44, 46, 8, 5, 0],
  [410, 'group', 80, 24, 60, 48],
  [430, 'gate', 57, 30, 0],
  [460, 'drop', 3, 5, 80, 40, 12, 8],
  [505, 'in_box', 20, 14, 52, 8, 30, 16],
  [530, 'blow', 44, 12, 8, 4, 0, 0],              // again, when nobody is on it
  [560, 'hold', 116, 20],
  [600, 'errands', 150, 20, 52, 0, 44, 20],       // ten of them had errands before
  [640, 'harm', 44, 46, 8, 5],
  [660, 'why', 80],
  [690, 'stop', 0, 100],
];

/** FNV-1a of 32 bits, for the bytes of saved games. */
function checksum(bytes) {
  let sum = 0x811c9dc5;
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, '0');
}

const hex = (hash) => hash.toString(16).padStart(16, '0');
const rect = (x, y, width, height) => ({ x, y, width, height });
const spawn = (kind, team, x, y, heading) => ({ class: kind, team, pose: { x, y, heading } });
const nearest = (x, y) => ({ kind: 'goto', goals: [{ x, y }], fallback: 'nearest' });

class Game {
  text = '';

  /** `units`: the ids of all units ever placed, in order; `events`: how many so far, by number of their kind. */
  constructor(world, units, events) {
    this.world = world;
    this.units = units;
    this.events = events;
    world.checkInvariants();
  }

  /** `files` has the texts of `FILES`, by name. */
  static begin(files) {
    const map = GridMap.parse('river.map', files['river.map']);
    const setup = new Setup(map, { name: 'skirmish', seed: 7, expansionsPerTick: 15_000 });
    for (const name of CLASSES) setup.addClass(MovementClass.parse(`${name}.toml`, files[`${name}.toml`]));
    setup.befriend(0, 2);
    const game = new Game(World.of(setup), [], new Array(Object.keys(EventKind).length).fill(0));
    for (const { class: kind, team, heading, count, x, y, columns, dx, dy } of FORMATIONS) {
      for (let k = 0; k < count; k++) {
        game.world.spawn(spawn(kind, team, x + (k % columns) * dx, y + Math.floor(k / columns) * dy, heading));
      }
    }
    return game;
  }

  /** Plays up to a tick. */
  run(until) {
    for (let tick = this.world.tick; tick < until; tick++) {
      for (const [at, verb, ...numbers] of CLICKS) if (at === tick) this.click(verb, numbers);
      this.world.step();
      const events = this.world.events();
      for (let i = 0; i < events.length; i++) {
        this.events[events.kind(i)]++;
        if (events.kind(i) === EventKind.spawned) this.units.push(events.agent(i));
      }
      if ((tick + 1) % LINE_EVERY === 0) this.line();
    }
  }

  click(verb, n) {
    const { world } = this;
    const units = this.units.slice(n[0], n[0] + n[1]);
    const [, , x, y] = n;
    const last = rect(x, y, n[4], n[5]);
    const terrain = (kind) => ({ kind: 'terrain', area: rect(...n), value: this.terrain(kind) });
    switch (verb) {
      case 'goto': return world.order(units, { kind: 'goto', goals: [{ x, y }], within: n[4] });
      case 'nearest': return world.order(units, nearest(x, y));
      case 'patient': return world.order(units, { kind: 'goto', goals: [{ x, y }], ifUnreachable: 'wait' });
      case 'face': return world.order(units, { kind: 'goto', goals: [{ x, y, heading: n[4] }], headings: 4 });
      case 'group': return world.order(units, { kind: 'goto_group', goal: { x, y } });
      case 'area': return world.order(units, { kind: 'goto_area', area: last });
      case 'patrol': return world.order(units, { kind: 'patrol', goals: [{ x, y }, { x: n[4], y: n[5] }] });
      case 'follow': return world.order(units, { kind: 'follow', leader: this.units[n[2]], within: n[3] });
      case 'pause': return world.order(units, [{ kind: 'wait', ticks: n[2] }, nearest(n[3], n[4])]);
      case 'then': return world.order(units, nearest(x, y), { append: true });
      case 'stop': return world.order(units, { kind: 'stop' });
      case 'hold': return world.order(units, { kind: 'hold' });
      case 'in_box': return world.order({ area: last }, { kind: 'goto_group', goal: { x: n[0], y: n[1] } });
      case 'speed': return world.setSpeedFactor(units, n[2]);
      case 'priority': return world.setPriority(units, n[2]);
      case 'teams': return world.setTeam(units, n[2]);
      case 'class': return world.setClass(this.units[n[0]], n[1]);
      case 'remove': return world.remove(units);
      case 'shell': return world.remove({ area: rect(...n) });
      case 'place': return world.spawn(spawn(...n));
      case 'drop': return world.spawnGroup({ class: n[0], count: n[1], area: last });
      case 'errands': return world.tasks(units, { kind: 'random', area: last }, { stream: 1 });
      case 'blow': {
        const onAgents = ['wait', 'strand', 'remove', 'wait_strand', 'wait_remove'][n[4]];
        return world.edit([terrain('water')], { onAgents, deadline: n[5] });
      }
      case 'build': return world.edit([terrain('ground')], { tick: world.tick + n[4] });
      case 'false_alarm': return world.cancelEdit(world.edit([terrain('water')]));
      case 'ferry':
        world.leave(this.units[n[0]], { x, y, heading: n[4] }, { tick: world.tick + n[5] });
        return world.enter([this.units[n[0]]], { container: this.units[n[1]] });
      case 'gate': return world.edit([{ kind: 'sides', cell: { x: n[0], y: n[1] }, sides: [null, null, n[2], null] }]);
      default: return this.ask(verb, n);
    }
  }

  ask(verb, n) {
    const { world } = this;
    const unit = this.units[n[0]];
    const gone = ['why', 'left', 'plan', 'reach'].includes(verb) && world.agents().indexOf(unit) === -1;
    if (gone) return this.say(`  ${verb} ${n[0]}: ${verb === 'reach' ? '0 poses' : 'gone'}`);
    switch (verb) {
      case 'why': {
        const { rule, text } = world.reasonForWaiting(unit);
        return this.say(`  why ${n[0]}: ${rule}: ${text}`);
      }
      case 'left': {
        const path = world.path(unit);
        return this.say(`  left ${n[0]}: ${path.length} poses, ${path.at(-1).arrival} ticks`);
      }
      case 'who': return this.say(`  who ${n[0]} ${n[1]}: ${world.agentAt({ x: n[0], y: n[1] }) ?? 'nobody'}`);
      case 'many': return this.say(`  many ${n[0]} ${n[1]}: ${world.agentsIn(rect(...n)).length}`);
      case 'room': return this.say(`  room ${n[0]}: ${world.whyNotPlace(n[0], { x: n[1], y: n[2], heading: n[3] }) ?? 'yes'}`);
      case 'harm': {
        const disturbed = world.wouldDisturb([{ kind: 'terrain', area: rect(...n), value: this.terrain('water') }]);
        return this.say(`  harm ${n[0]} ${n[1]}: ${disturbed.length}`);
      }
      case 'plan': {
        const path = new Path();
        const { result, cost } = world.plan(unit, [{ x: n[1], y: n[2] }], { within: n[3], path });
        this.say(`  plan ${n[0]}: ${result}, ${cost} ticks, ${path.rows.toMoves().length} moves`);
        return path.free();
      }
      case 'reach': return this.say(`  reach ${n[0]}: ${world.reach(unit, n[1]).length} poses`);
      default: throw new Error(`no such click: ${verb}`);
    }
  }

  terrain(name) {
    const map = this.world.map();
    const kind = map.terrainKind(name);
    map.free();
    return kind;
  }

  line() {
    const { world } = this;
    const rows = world.agents();
    let [x, y, headings] = [0, 0, 0];
    for (let i = 0; i < rows.length; i++) [x, y, headings] = [x + rows.x(i), y + rows.y(i), headings + rows.heading(i)];
    const { moves, ordersDone, ordersUnreachable, collisions } = world.counts();
    const saved = world.save();
    this.say(
      `tick ${world.tick} hash ${hex(world.hash())} units ${rows.length} x ${x} y ${y} headings ${headings} moves ${moves}` +
        ` done ${ordersDone} failed ${ordersUnreachable} overlaps ${collisions} events ${this.events.join(' ')}` +
        ` saved ${saved.length} ${checksum(saved)}`,
    );
  }

  say(line) {
    this.text += `${line}\n`;
  }
}

/** Plays the skirmish, after `init`; gives its text. */
export function play(files) {
  const game = Game.begin(files);
  game.run(SAVED_AT);
  // The saved game is loaded into a second world. It gets the same clicks, and goes the same way.
  const again = new Game(World.load(game.world.save()), [...game.units], [...game.events]);
  const before = game.text.length;
  game.run(LOADED_UNTIL);
  again.run(LOADED_UNTIL);
  if (game.text.slice(before) !== again.text) throw new Error(`the loaded game goes another way:\n${again.text}`);
  game.say(`loaded at ${SAVED_AT}: hash ${hex(again.world.hash())}`);
  // What that one saves goes on in the place of the first.
  game.world.restore(again.world.save());
  game.world.checkInvariants();
  game.run(TICKS);
  for (const { world } of [game, again]) world.free();
  return game.text;
}
