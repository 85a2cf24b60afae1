//! A panic inside a step leaves the world broken: it says so from then on, and its report runs to the same panic.

use crate::common::{WALKER, at, cell, map, setup_on};
use std::panic::{AssertUnwindSafe, catch_unwind};
use wheelbase_grid::GridShape;
use wheelbase_sim::{
    AgentId, Broken, Command, CrashReport, Host, LoadError, Order, RunState, SaveError, Setup, Threads, World,
};
use wheelbase_traffic::{Decisions, RuleSetting, Start, Traffic, TrafficView};

/// Has agents follow their paths, and panics when one rests at the right edge of the map.
#[derive(Clone, Copy, Debug, Default)]
struct Faulty {
    /// Panics without a word.
    silent: bool,
}

const EDGE: i32 = 11;

impl Traffic for Faulty {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        for (row, motion) in view.agents.motion.iter().enumerate().filter(|(_, motion)| motion.at_rest()) {
            let tables = &view.tables[usize::from(motion.class.0)];
            let x = tables.space().pose(motion.state).cell.x;
            assert!(x < EDGE || !self.silent, "");
            assert!(x < EDGE, "agent {} is at column {x}", view.agents.ids[row].0);
            let Some(&primitive) = view.paths.moves(view.agents.paths[row]).first() else { continue };
            let Some(ticks) = tables.move_ticks(motion.state, usize::from(primitive)) else { continue };
            decisions.starts.push(Start { row: row as u32, primitive, ticks });
        }
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(*self)
    }

    fn saved_name(&self) -> Option<&'static str> {
        Some("faulty")
    }
}

fn make_faulty(name: &str, _: RuleSetting<'_>) -> Option<Box<dyn Traffic>> {
    (name == "faulty").then(|| Box::new(Faulty::default()) as Box<dyn Traffic>)
}

fn host(threads: Threads) -> Host<'static> {
    Host { traffic: &make_faulty, threads, ..Host::default() }
}

fn world(threads: Threads) -> World {
    world_of(Faulty::default(), threads)
}

fn world_of(rule: Faulty, threads: Threads) -> World {
    let Setup { settings, grid, tables, .. } = setup_on(map(&["............"; 4], GridShape::Square));
    let mut setup = Setup::with_rule(settings, grid, tables, Box::new(rule));
    setup.agents = vec![at(WALKER, 0, 0, 0), at(WALKER, 0, 2, 0)];
    setup.threads = threads;
    World::new(setup).unwrap()
}

/// Sends both agents about, one of them to the edge in the end.
fn command(world: &mut World) {
    match world.tick() {
        2 => _ = world.command(Command::order(AgentId(0), Order::goto(cell(4, 0)))),
        5 => _ = world.command_at(40, Command::order(AgentId(1), Order::goto(cell(EDGE, 2)))),
        20 => {
            world.command(Command::order(AgentId(1), Order::goto(cell(5, 3))));
            world.command_at(22, Command::order(AgentId(0), Order::goto(cell(0, 1))));
        }
        _ => {}
    }
}

/// Steps to the panic, with a report kept from a tick on.
fn run_to_panic(threads: Threads, kept_at: u32) -> (World, Broken) {
    let mut world = world(threads);
    loop {
        if world.tick() == kept_at {
            world.keep_report().unwrap();
        }
        command(&mut world);
        match world.try_step() {
            Ok(state) => assert_eq!(state, RunState::Running),
            Err(broken) => return (world, broken),
        }
        assert!(world.tick() < 500, "no panic");
    }
}

#[test]
fn a_broken_world_says_so_and_does_nothing() {
    let (mut world, broken) = run_to_panic(Threads::default(), 0);
    assert!(broken.tick() > 40, "{broken}");
    assert_eq!(broken.message(), "agent 1 is at column 11");
    assert!(broken.to_string().contains("its step of tick "), "{broken}");
    assert_eq!((world.tick(), world.broken()), (broken.tick(), Some(&broken)));
    assert_eq!(world.try_step(), Err(broken.clone()));
    assert!(matches!(world.save(), Err(SaveError::Broken(found)) if found == broken));
    assert!(matches!(world.keep_report(), Err(SaveError::Broken(_))));
    let report = world.report();
    world.command(Command::remove(AgentId(0)));
    assert!(world.report() == report && report.is_some());
    assert_eq!(world.clone().try_step(), Err(broken.clone()));
    let panic = catch_unwind(AssertUnwindSafe(|| world.step())).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>(), Some(&broken.to_string()));
}

#[test]
fn a_panic_marks_the_world_however_it_is_stepped() {
    let mut world = world(Threads::default());
    world.command(Command::order(AgentId(0), Order::goto(cell(EDGE, 0))));
    let ran = catch_unwind(AssertUnwindSafe(|| (0..500).for_each(|_| _ = world.step())));
    assert!(ran.is_err());
    assert_eq!(world.broken().map(Broken::tick), Some(world.tick()));
    assert!(world.report().is_none(), "none was kept");
}

/// From a report that began before, between and after the commands, on any threads.
#[test]
fn a_report_runs_to_the_same_panic() {
    let (_, expected) = run_to_panic(Threads::default(), 0);
    for (kept_at, then, threads) in
        [(0, Threads::default(), Threads::Own(2)), (7, Threads::Own(2), Threads::default())]
            .into_iter()
            .chain([20, 21, 30, 45].map(|kept_at| (kept_at, Threads::default(), Threads::default())))
    {
        let (world, broken) = run_to_panic(then, kept_at);
        assert_eq!(broken, expected);
        let bytes = world.report().unwrap();
        let report = CrashReport::load(&bytes, host(threads)).unwrap();
        assert_eq!(report.broken, Some(broken));
        assert!(world.report_from(&report.world, &report.commands).unwrap() == bytes);
        let CrashReport { mut world, mut commands, .. } = report;
        assert_eq!(world.tick(), kept_at);
        let found = loop {
            commands.give_due(&mut world);
            if let Err(broken) = world.try_step() {
                break broken;
            }
            assert!(world.tick() <= expected.tick(), "no panic at tick {}", expected.tick());
        };
        assert_eq!(found, expected);
        assert!(commands.is_empty());
    }
}

/// A panic is told from none by more than its message.
#[test]
fn a_panic_without_a_message_is_reported_too() {
    let mut world = world_of(Faulty { silent: true }, Threads::default());
    world.keep_report().unwrap();
    let whole = CrashReport::load(&world.report().unwrap(), host(Threads::default())).unwrap();
    assert_eq!(whole.broken, None);
    world.command(Command::order(AgentId(0), Order::goto(cell(EDGE, 0))));
    let broken = (0..500).find_map(|_| world.try_step().err()).unwrap();
    assert_eq!(broken.message(), "");
    let report = CrashReport::load(&world.report().unwrap(), host(Threads::default())).unwrap();
    assert_eq!((report.broken, report.commands.len()), (Some(broken), 1));
}

#[test]
fn damaged_reports_are_refused() {
    let (world, _) = run_to_panic(Threads::default(), 7);
    let bytes = world.report().unwrap();
    assert!(matches!(
        CrashReport::load(&bytes, Host::default()),
        Err(LoadError::UnknownRule(name)) if name == "faulty"
    ));
    for end in 0..bytes.len() {
        let cut = CrashReport::load(&bytes[..end], host(Threads::default()));
        assert!(cut.err().is_some_and(|error| !error.to_string().is_empty()), "cut at {end}");
    }
    let mut flipped = bytes.clone();
    for bit in 0..bytes.len() * 8 {
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(CrashReport::load(&flipped, host(Threads::default())).is_err(), "bit {bit}");
        flipped[bit / 8] ^= 1 << (bit % 8);
    }
    let snapshot = self::world(Threads::default()).save().unwrap();
    let error = CrashReport::load(&snapshot, host(Threads::default())).err().unwrap().to_string();
    assert!(error.contains("crash report"), "{error}");
}
