//! Packs a [`Timeline`] compactly, in a form that a browser reads quickly.
//!
//! The bytes are sections, each preceded by its length. The first is JSON: names, classes, kinds. The others are
//! varints (LEB128: seven bits per byte, low bits first, the top bit set in all bytes but the last), zigzag-encoded
//! where signed. Similar numbers are grouped, which helps deflate. `script/run.js` reads them in the same order:
//!
//! | section | its content |
//! |---|---|
//! | 1 | terrain: runs `count, kind`, row-major |
//! | 2 | sides: runs `count, kinds` as in [`MapLayers::sides`](wheelbase_scenario::recording::MapLayers); empty if all are open |
//! | 3 | elevation: runs `count, height - height before`; empty if flat |
//! | 4 | agents: `id - id before, class, placed, removed + 1 - placed or 0, x - x before, y - y before (signed), heading, n_runs, n_waits, n_orders, n_paths` |
//! | 5 | runs of equal moves, a byte each: primitive, +16 after a rest, +32 if its move time has changed |
//! | 6, 7, 8 | for these runs: moves - 1; ticks of rest, if flagged; ticks per move, if flagged |
//! | 9 | waits: `ticks since the end of the last, ticks` |
//! | 10 | orders: `ticks since the last, order + 1 or 0` |
//! | 11 | paths: `ticks since the last, number of leading moves that were then executed, n_runs of the other moves` |
//! | 12 | runs of the other moves: `(moves - 1) * 16 + primitive` |
//! | 13 | edits: `ticks since the last, layer (0 terrain, 1 elevation, 2 sides), ...` |
//! | 14 to 19 | a section for each of [`COUNTERS`]: signed differences |
//! | 20 | tasks ([`PackedTasks`](crate::page::tasks::PackedTasks)) |
//! | 21 | reasons ([`PackedReasons`](crate::page::reasons::PackedReasons)) |

use crate::page::reasons::PackedReasons;
use crate::page::remedies::remedy;
use crate::page::tasks::PackedTasks;
use crate::page::timeline::{ClassGeometry, Timeline, TimelineAgent, TimelineMove, TimelinePath};
use crate::recorded::NONE;
use crate::safe_text;
use serde_json::{Value, json};
use wheelbase_grid::hexadecimal as css;
use wheelbase_grid::{GridShape, Point};
use wheelbase_scenario::recording::WaitReasons;
use wheelbase_scenario::varint::{put, put_signed};
use wheelbase_sim::{AppliedEdit, Counters, EditEffect, STUCK_AFTER_TICKS};

/// A counter plotted by the page: its name and its value.
type PlottedCounter = (&'static str, fn(&Counters) -> u64);

const COUNTERS: [PlottedCounter; 6] = [
    ("agents", |counters| counters.agents.into()),
    ("moving", |counters| counters.moving.into()),
    ("waiting", |counters| counters.waiting.into()),
    ("stuck", |counters| counters.stuck.into()),
    ("done", |counters| counters.orders_done + counters.tasks_done),
    ("moves", |counters| counters.moves),
];

/// Flag of a run of moves: it follows a rest.
const AFTER_REST: u8 = 16;
/// Flag of a run of moves: its move time differs from the last of its primitive.
const OTHER_TICKS: u8 = 32;

/// Packs a timeline. Linear in its events.
pub fn pack(timeline: &Timeline, reasons: &WaitReasons) -> Vec<u8> {
    let PackedReasons { texts, bytes: reasons } = PackedReasons::of(timeline, reasons);
    let PackedTasks { until, bytes: tasks } = PackedTasks::of(timeline);
    let mut about = about(timeline);
    about["reasons"] = texts.into();
    // The page itself finds these two reasons.
    about["remedies"] = json!({ "agent": remedy("agent"), "path": remedy("path") });
    about["tasks_until"] = until.into();
    make_safe(&mut about);
    let mut sections = vec![about.to_string().into_bytes()];
    sections.extend(map(timeline));
    sections.extend(agents(timeline));
    sections.push(edits(timeline));
    sections.extend(COUNTERS.map(|(_, value)| {
        let (mut out, mut before) = (Vec::new(), 0_u64);
        for counters in &timeline.counters {
            put_signed(&mut out, value(counters).wrapping_sub(before) as i64);
            before = value(counters);
        }
        out
    }));
    sections.push(tasks);
    sections.push(reasons);
    let mut out = Vec::new();
    for section in &sections {
        put(&mut out, section.len() as u64);
        out.extend_from_slice(section);
    }
    out
}

/// The JSON section.
fn about(timeline: &Timeline) -> Value {
    let header = &timeline.header;
    // Tables by pose have an entry for even and one for odd rows, which differ only on hexagonal maps.
    let every = if header.shape == GridShape::Hex.name() { 1 } else { 2 };
    let classes = header.classes.iter().zip(&timeline.geometries).map(|(class, geometry)| {
        let ClassGeometry { shape, footprints, steps, swept } = geometry;
        let movement = class.movement();
        let primitives = movement.primitives().iter().zip(steps).zip(swept);
        let primitives = primitives.map(|((primitive, steps), swept)| {
            let steps: Vec<_> = steps.iter().step_by(every).collect();
            let swept: Vec<_> = swept.iter().step_by(every).collect();
            // The outline drawn in a turn from each heading; -1 stands for the east-facing body, turned.
            let turning = |heading| shape.outline_in(wheelbase_planner::Heading(heading), primitive.turn);
            let drawn = (0..movement.headings()).map(|at| turning(at).map_or(-1, |outline| outline as i32));
            json!({ "name": primitive.name, "ticks": primitive.time, "turn": primitive.turn, "steps": steps,
                "swept": swept, "drawn": drawn.collect::<Vec<_>>() })
        });
        let headings =
            (0..movement.headings()).map(|heading| class.heading_name(wheelbase_planner::Heading(heading)));
        let loops = |loops: &[Vec<Point>]| loops.iter().map(|points| rounded(points)).collect::<Vec<_>>();
        json!({
            "name": class.name,
            "colour": css(shape.colour),
            "headings": headings.collect::<Vec<_>>(),
            "pivot": rounded(&[shape.pivot])[0],
            "outlines": shape.outlines.iter().map(|outline| loops(outline)).collect::<Vec<_>>(),
            "mark": loops(&shape.mark),
            "sign": loops(&shape.sign),
            "reach": rounded(&[[shape.reach, 0.0]])[0][0],
            "footprints": footprints.iter().step_by(every).collect::<Vec<_>>(),
            "primitives": primitives.collect::<Vec<_>>(),
        })
    });
    let terrain = header
        .terrain_kinds
        .iter()
        .zip(&header.terrain_colours)
        .map(|(kind, colour)| json!({ "name": kind.name, "speed": kind.speed, "colour": colour }));
    let sides = header.side_kinds.iter().map(|kind| json!({ "name": kind.name, "speed": kind.speed }));
    json!({
        "name": header.name,
        "file": header.file,
        "seed": header.seed,
        "collision": header.collision,
        "shape": header.shape,
        "first": timeline.header.first_tick(),
        "ticks": timeline.last,
        "complete": timeline.complete,
        "confined": [timeline.outcome["confined_agents"], timeline.outcome["confined_tasks_done"]],
        "carried": timeline.outcome["carried_permille"],
        "size": [header.map.width, header.map.height],
        "terrain": terrain.collect::<Vec<_>>(),
        "sides": sides.collect::<Vec<_>>(),
        "classes": classes.collect::<Vec<_>>(),
        "orders": timeline.orders,
        "names": timeline.names,
        "agents": timeline.agents.len(),
        "edits": timeline.edits.len(),
        "counters": COUNTERS.map(|(name, _)| name),
        "stuck_after": STUCK_AFTER_TICKS,
    })
}

/// Points to a ten-thousandth of a cell, which is invisible at any scale.
fn rounded(points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| point.map(|part| (part * 1e4).round() / 1e4)).collect()
}

/// Escapes unsafe characters in all strings: the page shows them next to its own text.
fn make_safe(value: &mut Value) {
    match value {
        Value::String(text) => *text = safe_text::line(text),
        Value::Array(values) => values.iter_mut().for_each(make_safe),
        Value::Object(fields) => fields.values_mut().for_each(make_safe),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The layers of the map before the first tick: terrain, sides, elevation.
fn map(timeline: &Timeline) -> [Vec<u8>; 3] {
    let map = &timeline.header.map;
    let [mut terrain, mut sides, mut elevation] = <[Vec<u8>; 3]>::default();
    for run in map.terrain.chunk_by(|a, b| a == b) {
        put(&mut terrain, run.len() as u64);
        put(&mut terrain, run[0].into());
    }
    for run in map.sides.chunk_by(|a, b| a == b) {
        put(&mut sides, run.len() as u64);
        put(&mut sides, run[0].into());
    }
    let mut before = 0;
    for run in map.elevation.chunk_by(|a, b| a == b) {
        put(&mut elevation, run.len() as u64);
        put_signed(&mut elevation, i64::from(run[0]) - before);
        before = run[0].into();
    }
    [terrain, sides, elevation]
}

/// Sections 4 to 12.
#[derive(Default)]
struct AgentSections {
    agents: Vec<u8>,
    runs: Vec<u8>,
    counts: Vec<u8>,
    rests: Vec<u8>,
    ticks: Vec<u8>,
    waits: Vec<u8>,
    orders: Vec<u8>,
    paths: Vec<u8>,
    path_runs: Vec<u8>,
}

fn agents(timeline: &Timeline) -> [Vec<u8>; 9] {
    let mut out = AgentSections::default();
    let ((mut id, mut x, mut y), mut stretches) = ((0, 0, 0), Vec::new());
    for agent in &timeline.agents {
        put(&mut out.agents, (agent.id - id).into());
        put(&mut out.agents, agent.class.into());
        put(&mut out.agents, agent.placed.into());
        let lifetime = if agent.removed == NONE { 0 } else { agent.removed - agent.placed + 1 };
        put(&mut out.agents, lifetime.into());
        put_signed(&mut out.agents, i64::from(agent.pose.cell.x) - x);
        put_signed(&mut out.agents, i64::from(agent.pose.cell.y) - y);
        put(&mut out.agents, agent.pose.heading.0.into());
        (id, x, y) = (agent.id, agent.pose.cell.x.into(), agent.pose.cell.y.into());
        let n_runs = out.put_moves(timeline, agent);
        put(&mut out.agents, n_runs);
        put(&mut out.agents, agent.waits.len() as u64);
        put(&mut out.agents, agent.orders.len() as u64);
        put(&mut out.agents, agent.paths.len() as u64);
        out.put_waits_and_orders(agent);
        let mut tick = 0;
        put_stretches(&agent.moves, &mut stretches);
        for path in &agent.paths {
            put(&mut out.paths, (path.tick - tick).into());
            tick = path.tick;
            out.put_path(timeline, agent, &stretches, path);
        }
    }
    let AgentSections { agents, runs, counts, rests, ticks, waits, orders, paths, path_runs } = out;
    [agents, runs, counts, rests, ticks, waits, orders, paths, path_runs]
}

impl AgentSections {
    /// Writes the moves of an agent. Returns the number of runs.
    fn put_moves(&mut self, timeline: &Timeline, agent: &TimelineAgent) -> u64 {
        let primitives = timeline.header.classes[usize::from(agent.class)].movement().primitives();
        let mut last_ticks: Vec<u32> = primitives.iter().map(|primitive| primitive.time).collect();
        let goes_on = |a: &TimelineMove, b: &TimelineMove| {
            a.primitive == b.primitive && a.ticks == b.ticks && a.start + a.ticks == b.start
        };
        let (mut n_runs, mut tick) = (0, agent.placed);
        for run in agent.moves.chunk_by(goes_on) {
            let TimelineMove { start, ticks, primitive } = run[0];
            let last = &mut last_ticks[usize::from(primitive)];
            let (rest, other) = (start - tick, *last != ticks);
            let flags = if rest > 0 { AFTER_REST } else { 0 } | if other { OTHER_TICKS } else { 0 };
            self.runs.push(primitive | flags);
            put(&mut self.counts, run.len() as u64 - 1);
            if rest > 0 {
                put(&mut self.rests, rest.into());
            }
            if other {
                put(&mut self.ticks, ticks.into());
                *last = ticks;
            }
            tick = start + ticks * run.len() as u32;
            n_runs += 1;
        }
        n_runs
    }

    fn put_waits_and_orders(&mut self, agent: &TimelineAgent) {
        let mut tick = 0;
        for &[from, to] in &agent.waits {
            put(&mut self.waits, (from - tick).into());
            put(&mut self.waits, (to - from).into());
            tick = to;
        }
        let mut tick = 0;
        for &[from, order] in &agent.orders {
            put(&mut self.orders, (from - tick).into());
            put(&mut self.orders, order.wrapping_add(1).into());
            tick = from;
        }
    }

    /// Writes a path without the moves that were then executed, which section 5 holds. `stretches` belong to the
    /// agent's moves ([`put_stretches`]): with them the time is linear in the runs of the path, not in its moves.
    fn put_path(
        &mut self,
        timeline: &Timeline,
        agent: &TimelineAgent,
        stretches: &[u32],
        path: &TimelinePath,
    ) {
        let planned = &timeline.path_runs[path.first..path.first + path.count];
        let mut next = agent.moves.partition_point(|a_move| a_move.start < path.tick);
        let (mut common, mut others) = (0_u64, planned);
        let mut rest = None;
        while let [run, after @ ..] = others {
            let executed = agent.moves.get(next).filter(|a_move| a_move.primitive == run.primitive());
            let stretch = executed.map_or(0, |_| stretches[next] - next as u32);
            let shared = stretch.min(run.n_moves());
            common += u64::from(shared);
            next += shared as usize;
            others = after;
            if shared < run.n_moves() {
                rest = Some((run.n_moves() - shared, run.primitive()));
                break;
            }
        }
        put(&mut self.paths, common);
        put(&mut self.paths, others.len() as u64 + u64::from(rest.is_some()));
        let others = others.iter().map(|run| (run.n_moves(), run.primitive()));
        for (n_moves, primitive) in rest.into_iter().chain(others) {
            put(&mut self.path_runs, (u64::from(n_moves) - 1) * 16 + u64::from(primitive));
        }
    }
}

/// For each move of an agent: the index of the next move with another primitive.
fn put_stretches(moves: &[TimelineMove], stretches: &mut Vec<u32>) {
    stretches.clear();
    for stretch in moves.chunk_by(|a, b| a.primitive == b.primitive) {
        let end = stretches.len() + stretch.len();
        stretches.resize(end, end as u32);
    }
}

fn edits(timeline: &Timeline) -> Vec<u8> {
    let (mut out, mut before) = (Vec::new(), 0);
    for (tick, AppliedEdit { effect, .. }) in &timeline.edits {
        put(&mut out, (tick - before).into());
        before = *tick;
        match *effect {
            EditEffect::Terrain { area, kind } => {
                put(&mut out, 0);
                put_area(&mut out, area);
                put(&mut out, kind.0.into());
            }
            EditEffect::Elevation { area, height } => {
                put(&mut out, 1);
                put_area(&mut out, area);
                put_signed(&mut out, height.into());
            }
            EditEffect::Sides { cell, kinds } => {
                put(&mut out, 2);
                put_signed(&mut out, cell.x.into());
                put_signed(&mut out, cell.y.into());
                let n_sides = if timeline.header.shape == GridShape::Hex.name() { 6 } else { 4 };
                for kind in &kinds[..n_sides] {
                    put(&mut out, kind.map_or(0, |kind| u64::from(kind.0) + 1));
                }
            }
        }
    }
    out
}

fn put_area(out: &mut Vec<u8>, area: wheelbase_grid::Rect) {
    put_signed(out, area.x.into());
    put_signed(out, area.y.into());
    put(out, area.width.into());
    put(out, area.height.into());
}
