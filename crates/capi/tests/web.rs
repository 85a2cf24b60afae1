//! What the package of `crates/web` has to give, too: answers to 1,000 requests and hashes of 2,000 ticks, as the
//! libraries give them. The tests of the package are held to the same file. WHEELBASE_BLESS=1 cargo test -p
//! wheelbase-capi --test web writes it again.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use wheelbase_grid::{CellXY, MemoryMax};
use wheelbase_planner::{
    Goal, GoalMember, Heading, MovementClass, MovementTables, Path as PlannedPath, Pose, Request, Scratch,
    plan,
};
use wheelbase_scenario::load::{Overrides, load_class_of_bytes, load_grid, load_world};

const SCENARIO: &str = "scenarios/first/16_three_bridges.toml";
const CLASSES: [&str; 6] = ["scout", "truck", "tank", "loader", "carrier", "hovercraft"];
const REQUESTS: u64 = 1000;
const TICKS: u32 = 2000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Numbers that look random: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit) as i32
    }
}

/// A line for each request: class, start, goal (heading -1: any), radius, weight; result, cost, expansions, moves, end.
fn plans(lines: &mut String) {
    let path = root().join(SCENARIO);
    let (grid, text) = (load_grid(&path, MemoryMax::NONE).unwrap().grid, std::fs::read(&path).unwrap());
    let tables = CLASSES.map(|name| {
        let spec = load_class_of_bytes(&path, Some(name), &text).unwrap();
        MovementTables::compile(&grid, MovementClass::new(spec).unwrap())
    });
    let (mut scratch, mut path, mut numbers) = (Scratch::new(), PlannedPath::new(), Numbers(16));
    let (width, height) = (u64::from(grid.size().width()), u64::from(grid.size().height()));
    for number in 0..REQUESTS {
        let class = (number % CLASSES.len() as u64) as usize;
        let tables = &tables[class];
        // Most are legal; the tenth is as it comes, on the river and off the map, too.
        let mut start = Pose::new(0, 0, Heading(0));
        for _ in 0..if number % 10 == 0 { 1 } else { 100 } {
            let heading = Heading(numbers.below(4) as u8);
            start = Pose::new(numbers.below(width + 2) - 1, numbers.below(height + 2) - 1, heading);
            if tables.is_legal_pose(start) {
                break;
            }
        }
        let cell = CellXY::new(numbers.below(width), numbers.below(height));
        let heading = numbers.below(5) - 1;
        let heading_of_goal = u8::try_from(heading).ok().map(Heading);
        let members = [GoalMember { cell, heading: heading_of_goal }];
        let (within, weight) = (numbers.below(3) as u32, [1000, 1000, 1000, 1500][numbers.below(4) as usize]);
        let goal = Goal { members: &members, within };
        let request = Request { weight_permille: weight, ..Request::new(start, goal) };
        let answer = plan(tables, &request, &mut scratch, &mut path);
        let end = path.poses.last().map_or(Pose::new(0, 0, Heading(0)), |end| end.pose);
        let Pose { cell: CellXY { x, y }, heading: Heading(facing) } = start;
        writeln!(
            lines,
            "{} {x} {y} {facing} {} {} {heading} {within} {weight} {} {} {} {} {} {} {}",
            CLASSES[class],
            cell.x,
            cell.y,
            answer.status.name(),
            answer.cost,
            answer.expansions,
            path.moves.len(),
            end.cell.x,
            end.cell.y,
            end.heading.0
        )
        .unwrap();
    }
}

/// A line for each 100 ticks: the tick and the hash.
fn hashes(lines: &mut String) {
    let mut world = load_world(&root().join(SCENARIO), Overrides::default()).unwrap();
    world.set_ticks(TICKS);
    for tick in 1..=TICKS {
        world.step();
        if tick % 100 == 0 {
            writeln!(lines, "{tick} {:016x}", world.state_hash()).unwrap();
        }
    }
}

#[test]
fn the_package_for_browsers_is_held_to_these_results() {
    for (name, make) in [("plans.txt", plans as fn(&mut String)), ("hashes.txt", hashes)] {
        let mut made = String::new();
        make(&mut made);
        let file = root().join("crates/web/tests/expected").join(name);
        if std::env::var_os("WHEELBASE_BLESS").is_some() {
            std::fs::write(&file, &made).unwrap();
        }
        let committed = std::fs::read_to_string(&file).unwrap();
        let mut lines = made.lines().zip(committed.lines()).enumerate();
        let first = lines.find(|(_, (made, committed))| made != committed);
        assert!(
            made == committed,
            "{name} is not what the libraries give, at {first:?}: \
             WHEELBASE_BLESS=1 cargo test -p wheelbase-capi --test web"
        );
    }
}
