//! Bodies drawn between two ticks, as a host draws them by `DrawnClass`, never intersect on square maps.
//!
//! Every move is looked at five times. Bodies are inset by 0.02 cells, so that touching bodies do not count.

use crate::common::build_world;
use crate::recorded_outcomes::{names_in, scenarios};
use std::collections::HashMap;
use wheelbase_grid::{GridShape, Point};
use wheelbase_planner::Heading;
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::{AgentRow, CollisionRule, DrawnBody, DrawnClass, DrawnForm, RunState, World};

const SAMPLES_PER_MOVE: u32 = 5;
const INSET: f64 = 0.02;
const TICKS_MAX: u32 = 2_000;

/// A convex part of a body.
#[derive(Clone, Copy, Debug)]
enum Part {
    Square { centre: Point, angle: f64 },
    Disc { centre: Point, radius: f64 },
}

/// Half the side of a drawn cell.
const HALF: f64 = 0.5 - INSET;

/// Whether two parts have an interior point in common.
fn intersect(a: Part, b: Part) -> bool {
    match (a, b) {
        (Part::Disc { centre: [ax, ay], radius: a }, Part::Disc { centre: [bx, by], radius: b }) => {
            (ax - bx).hypot(ay - by) < a + b
        }
        (Part::Square { centre: [sx, sy], angle }, Part::Disc { centre: [x, y], radius })
        | (Part::Disc { centre: [x, y], radius }, Part::Square { centre: [sx, sy], angle }) => {
            let (sin, cos) = angle.sin_cos();
            let (dx, dy) = (x - sx, y - sy);
            let far = |along: f64| (along.abs() - HALF).max(0.0);
            far(dx * cos - dy * sin).hypot(far(dx * sin + dy * cos)) < radius
        }
        (Part::Square { centre: [ax, ay], angle: a }, Part::Square { centre: [bx, by], angle: b }) => {
            let (dx, dy, between) = (bx - ax, by - ay, b - a);
            // Half the projections of both on an axis of either.
            let reach = HALF * (1.0 + between.sin().abs() + between.cos().abs());
            [a, b].into_iter().all(|angle| {
                let (sin, cos) = angle.sin_cos();
                (dx * cos - dy * sin).abs() < reach && (dx * sin + dy * cos).abs() < reach
            })
        }
    }
}

/// The parts of a body. Of a hexagon only its inscribed disc is looked at, so a hit there is certain.
fn parts(shape: GridShape, class: &DrawnClass, body: DrawnBody) -> Vec<Part> {
    let [px, py] = body.pivot;
    match body.form {
        DrawnForm::Disc { radius } => vec![Part::Disc { centre: body.pivot, radius: radius - INSET }],
        DrawnForm::Cells { heading, angle } => {
            let (sin, cos) = angle.sin_cos();
            let turned = |&[x, y]: &Point| [px + x * cos + y * sin, py + y * cos - x * sin];
            let part = |cell: &Point| match shape {
                GridShape::Square => Part::Square { centre: turned(cell), angle },
                GridShape::Hex => Part::Disc { centre: turned(cell), radius: HALF },
            };
            class.cells(heading).iter().map(part).collect()
        }
    }
}

/// The visible part of a run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    samples: u64,
    /// Pairs of bodies that intersect, at each sample.
    intersections: u64,
}

/// Rows of agents by the square of a coarse grid that holds their pivot.
struct Neighbours {
    side: f64,
    rows: HashMap<(i64, i64), Vec<usize>>,
}

impl Neighbours {
    /// Bodies whose pivots are farther apart than `reach` cannot intersect.
    fn of(bodies: &[DrawnBody], reach: f64) -> Self {
        let mut found = Self { side: reach, rows: HashMap::new() };
        for (row, body) in bodies.iter().enumerate() {
            found.rows.entry(found.square(body.pivot)).or_default().push(row);
        }
        found
    }

    fn square(&self, [x, y]: Point) -> (i64, i64) {
        ((x / self.side).floor() as i64, (y / self.side).floor() as i64)
    }

    fn near(&self, at: Point) -> impl Iterator<Item = usize> {
        let (x, y) = self.square(at);
        let around = (y - 1..=y + 1).flat_map(move |y| (x - 1..=x + 1).map(move |x| (x, y)));
        around.filter_map(|square| self.rows.get(&square)).flatten().copied()
    }
}

/// Steps a world to its end, or to a tick, and looks at each move [`SAMPLES_PER_MOVE`] times.
fn look(mut world: World, ticks_max: u32, name: &str) -> Seen {
    let classes: Vec<DrawnClass> =
        world.tables().iter().map(|tables| DrawnClass::of(tables.class())).collect();
    let cells = classes.iter().flat_map(|class| (0..8).flat_map(|heading| class.cells(Heading(heading))));
    let reach = 2.0 * cells.map(|[x, y]| x.hypot(*y) + 1.0).fold(0.0, f64::max);
    let shape = world.grid().shape();
    let mut seen = Seen::default();
    while world.tick() < ticks_max {
        let running = world.step() == RunState::Running;
        let end = f64::from(world.tick());
        let rows = world.agents();
        let mut samples: Vec<(f64, usize)> = Vec::new();
        for (row, agent) in rows.iter().enumerate().filter(|(_, agent)| agent.end_tick > agent.begin_tick) {
            let ticks = f64::from(agent.end_tick - agent.begin_tick);
            let at = |sample| (f64::from(sample) + 0.5) / f64::from(SAMPLES_PER_MOVE);
            let times = (0..SAMPLES_PER_MOVE).map(|sample| f64::from(agent.begin_tick) + ticks * at(sample));
            samples.extend(times.filter(|&time| end - 1.0 <= time && time < end).map(|time| (time, row)));
        }
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        for at_time in samples.chunk_by(|a, b| a.0 == b.0) {
            let time = at_time[0].0;
            let drawn = |agent: &AgentRow| classes[usize::from(agent.class)].at(agent, time);
            let bodies: Vec<DrawnBody> = rows.iter().map(drawn).collect();
            let neighbours = Neighbours::of(&bodies, reach);
            for &(_, row) in at_time {
                seen.samples += 1;
                let parts_of = |row: usize| parts(shape, &classes[usize::from(rows[row].class)], bodies[row]);
                let own = parts_of(row);
                for other in neighbours.near(bodies[row].pivot).filter(|&other| other != row) {
                    let theirs = parts_of(other);
                    if own.iter().any(|&a| theirs.iter().any(|&b| intersect(a, b))) {
                        if seen.intersections == 0 {
                            println!("{name}, time {time}: {:?} and {:?}", rows[row], rows[other]);
                        }
                        seen.intersections += 1;
                    }
                }
            }
        }
        if !running {
            break;
        }
    }
    seen
}

fn load(name: &str) -> World {
    load_world(&scenarios().join(name), Overrides::default()).unwrap()
}

#[test]
fn bodies_of_the_first_lessons_never_intersect() {
    for name in ["01_yard.toml", "02_dead_end.toml", "03_lake.toml"] {
        let name = format!("first/{name}");
        let seen = look(load(&name), TICKS_MAX, &name);
        assert_eq!(seen.intersections, 0, "{name}");
        assert!(seen.samples > 0, "{name}");
    }
}

/// What this test looks for is found where moves are swept by their ends.
#[test]
fn bodies_swept_by_their_ends_intersect() {
    let file = scenarios().join("first/16_three_bridges.toml");
    let text =
        std::fs::read_to_string(file).unwrap().replace("headings = 4", "headings = 4\nsweep = \"ends\"");
    let seen = look(build_world(&text), 200, "three bridges by ends");
    assert!(seen.intersections > 10, "{seen:?}");
}

/// On hexagonal maps, and under the rule `discrete`, intersections are counted and reported.
#[test]
#[ignore = "takes minutes; `.ci/run` runs it in release"]
fn bodies_never_intersect_on_square_maps() {
    let mut failed = Vec::new();
    for folder in ["first", "traffic"] {
        for name in names_in(folder) {
            let name = format!("{folder}/{name}");
            let world = load(&name);
            let kept_apart = world.grid().shape() == GridShape::Square
                && world.settings().collision == CollisionRule::Swept;
            let seen = look(world, TICKS_MAX, &name);
            let rule = if kept_apart { "" } else { " (reported alone)" };
            println!("{name}: {} samples, {} intersections{rule}", seen.samples, seen.intersections);
            if kept_apart && seen.intersections > 0 {
                failed.push(name);
            }
        }
    }
    assert_eq!(failed, Vec::<String>::new());
}
