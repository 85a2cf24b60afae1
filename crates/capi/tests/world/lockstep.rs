//! A world through C and one of Rust get the same commands, and agree at every tick.

use crate::calls::{agents, copy_of, counts, events, hash, message, ok, save, step, tick};
use crate::commands::{give, sayable};
use crate::common::random_commands::{Generator, Kinds};
use crate::scenes::{Driver, world_of};
use std::collections::BTreeSet;
use wheelbase_c::*;
use wheelbase_grid::GridShape;
use wheelbase_sim::traffic::OwnRule;
use wheelbase_sim::{Command, Host, RunState, World};

/// A world through C and its twin of Rust.
struct Twins {
    c: u64,
    rust: World,
    shape: GridShape,
}

impl Twins {
    fn new(shape: GridShape, driver: Driver, threads: u32) -> Self {
        let rust = world_of(shape, driver);
        Self { c: copy_of(&rust, threads), rust, shape }
    }

    /// Gives both a command: for the next tick (0), or a later one.
    fn give(&mut self, command: Command, at: u32) {
        let command = sayable(command, self.shape);
        let (status, ticket) = give(self.c, &command, self.shape, at);
        assert_eq!(status, WB_OK, "{} for {command:?}", message());
        let expected = if at == 0 { self.rust.command(command) } else { self.rust.command_at(at, command) };
        assert_eq!(ticket, expected.0);
    }

    fn step(&mut self) {
        let state = if self.rust.step() == RunState::Running { WB_RUNNING } else { WB_ENDED };
        assert_eq!(step(self.c), state);
        self.compare();
    }

    fn compare(&self) {
        assert_eq!(hash(self.c), self.rust.state_hash(), "tick {}", self.rust.tick());
        assert_eq!(tick(self.c), self.rust.tick());
        assert_eq!(format!("{:?}", agents(self.c)), as_of_c(&format!("{:?}", self.rust.agents()), "Agent"));
        assert_eq!(format!("{:?}", events(self.c)), as_of_c(&format!("{:?}", self.rust.events()), "Event"));
    }
}

/// The rows of Rust in words, with the names of C.
fn as_of_c(words: &str, of: &str) -> String {
    words
        .replace(&format!("{of}Row"), &format!("wb_{}_row", of.to_lowercase()))
        .replace(" class:", " class_:")
}

impl Drop for Twins {
    fn drop(&mut self) {
        wb_world_destroy(self.c);
    }
}

/// Commands of all kinds, valid and not, for `ticks` ticks; the kinds that were given.
fn play(twins: &mut Twins, seed: u64, ticks: u32) -> BTreeSet<String> {
    let mut generator = Generator::new(seed, Kinds::OF_BINDINGS);
    let mut given = BTreeSet::new();
    for _ in 0..ticks {
        for command in generator.answers(&twins.rust) {
            twins.give(command, 0);
        }
        if generator.chance(300) {
            let command = generator.command(&twins.rust);
            let words = format!("{command:?}");
            given.insert(words.split([' ', '(']).next().unwrap_or_default().to_owned());
            let later = twins.rust.tick() + generator.below(40);
            let at = if generator.chance(200) { later } else { 0 };
            twins.give(command, at);
        }
        let decisions = generator.decisions(&twins.rust);
        if twins.rust.own_rule() == Some(OwnRule::Commanded) {
            twins.give(decisions, 0);
        }
        twins.step();
    }
    given
}

#[test]
fn two_thousand_ticks_of_all_commands_are_those_of_rust() {
    let mut twins = Twins::new(GridShape::Square, Driver::Planner, 0);
    let given = play(&mut twins, 1, 2_000);
    let all = [
        "CancelEdit",
        "Class",
        "Decisions",
        "Edit",
        "Enter",
        "Leave",
        "Order",
        "PathAnswer",
        "Priority",
        "Remove",
        "Spawn",
        "SpawnGroup",
        "SpeedFactor",
        "Tasks",
        "Team",
    ];
    assert_eq!(given, all.map(str::to_owned).into());
    let counts = counts(twins.c);
    assert!(counts.moves > 1_000 && counts.orders_done > 50 && counts.commands_refused > 50, "{counts:?}");
    assert_eq!(counts.collisions, u64::MAX);
}

#[test]
fn other_shapes_rules_and_threads_are_those_of_rust() {
    for (number, shape) in [GridShape::Square, GridShape::Hex].into_iter().enumerate() {
        for driver in [Driver::Planner, Driver::HostPaths, Driver::HostMoves] {
            let mut twins = Twins::new(shape, driver, 2);
            play(&mut twins, 7 + number as u64, 300);
            assert!(counts(twins.c).moves > 50, "{shape:?} {driver:?}");
        }
    }
}

#[test]
fn saved_loaded_copied_and_restored_worlds_go_on_alike() {
    let mut twins = Twins::new(GridShape::Square, Driver::Planner, 0);
    play(&mut twins, 3, 400);
    // What C saves is what Rust saves; asking twice gives the same.
    let bytes = save(twins.c);
    assert_eq!(bytes, twins.rust.save().unwrap());
    assert_eq!(bytes, save(twins.c));
    let (mut clone, mut loaded, mut other) = (0, 0, 0);
    // SAFETY: the handles may be written; the bytes are there.
    unsafe {
        ok(wb_world_clone(twins.c, &raw mut clone));
        ok(wb_world_load(bytes.as_ptr(), bytes.len(), 2, &raw mut loaded));
        ok(wb_world_clone(twins.c, &raw mut other));
    }
    let at_400 = hash(twins.c);
    play(&mut twins, 4, 100);
    // The others have not moved; saving again gives the new state.
    assert_eq!([hash(clone), hash(loaded), hash(other)], [at_400; 3]);
    let later = save(twins.c);
    assert_eq!(later, twins.rust.save().unwrap());
    // Rolled back and played again, by three ways.
    let end = hash(twins.c);
    let rust = World::load(&bytes, Host::default()).unwrap();
    for way in 0..3 {
        // SAFETY: the bytes are there.
        unsafe {
            ok(match way {
                0 => wb_world_copy_from(other, clone),
                1 => wb_world_restore(other, bytes.as_ptr(), bytes.len()),
                _ => wb_world_copy_from(other, loaded),
            });
        }
        assert_eq!((hash(other), tick(other)), (at_400, 400));
        let mut again = Twins { c: other, rust: rust.clone(), shape: GridShape::Square };
        play(&mut again, 4, 100);
        assert_eq!(hash(other), end, "way {way}");
        std::mem::forget(again);
    }
    ok(wb_world_copy_from(other, other));
    // Damaged bytes leave the world as it is.
    for at in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        // SAFETY: the bytes are there.
        let status = unsafe { wb_world_restore(other, damaged.as_ptr(), damaged.len()) };
        assert_eq!(status, WB_TEXT, "byte {at}: {}", message());
    }
    assert_eq!(hash(other), end);
    for world in [clone, loaded, other] {
        ok(wb_world_destroy(world));
    }
}
