//! Setups: what a new world is made of.

#![allow(non_camel_case_types)]

use crate::arguments::{Sized32, give, output, slice, structure, text, write};
use crate::call::call;
use crate::class::Class;
use crate::handle::{Kind, Object, destroy, exclusive, shared};
use crate::map::Map;
use crate::order::{no_choice, spawn_of, team_of, wb_spawn};
use crate::status::{Failure, WB_WRONG_KIND};
use crate::tables::Tables;
use crate::value::{WB_NONE, changes, wb_change};
use crate::world::{HostWorld, threads_of};
use std::ffi::c_char;
use wheelbase_planner::MovementTables;
use wheelbase_sim::traffic::{OwnRule, RuleSetting};
use wheelbase_sim::{Change, CollisionRule, Friends, Grid, PathSource, Settings, Setup, Spawn, World, tune};

/// Bodies never overlap, also while they move: all cells that a move sweeps are held.
pub const WB_COLLISION_SWEPT: u32 = 0;
/// Bodies never overlap at whole moves: a move holds its start and its end.
pub const WB_COLLISION_DISCRETE: u32 = 1;

/// The default traffic rule, for any classes.
pub const WB_RULE_COOPERATIVE: u32 = 0;
/// A rule for one class of one cell whose moves take a tick each, under `WB_COLLISION_DISCRETE`.
pub const WB_RULE_UNIT_ROBOTS: u32 = 1;
/// No rule: the host names each move by `wb_command_decisions`.
pub const WB_RULE_COMMANDED: u32 = 2;

/// The planner finds the paths, within the budget of expansions.
pub const WB_PATHS_PLANNER: u32 = 0;
/// The host finds the paths: `wb_world_path_requests`, `wb_command_path_answer`.
pub const WB_PATHS_HOST: u32 = 1;

/// A world in the making. Its number among the classes is the index of the tables.
pub(crate) struct HostSetup {
    settings: Settings,
    grid: Grid,
    tables: Vec<MovementTables>,
    rule: OwnRule,
    paths: PathSource,
    threads: u32,
    agents: Vec<Spawn>,
    friends: Friends,
    landmarks: Option<usize>,
    eased: Vec<Change>,
}

impl Object for HostSetup {
    const KIND: Kind = Kind::Setup;
}

/// Settings of a world. All that changes results has to be equal on all machines that step equal worlds: everything but
/// `threads`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct wb_settings {
    /// `sizeof(wb_settings)`, set by the caller.
    pub size: u32,
    /// `WB_COLLISION_SWEPT` (default) or `WB_COLLISION_DISCRETE`.
    pub collision: u32,
    /// Seed of all random numbers. Default 0.
    pub seed: u64,
    /// Ticks to run at most; 0 (default) for a world without a last tick, which idles when nothing is left to do.
    pub ticks: u32,
    /// Path searches in progress together, 1 to 1,024. Default 16.
    pub search_slots: u32,
    /// Expansions for path searches per tick, 1 to 2^40. Default 200,000.
    pub expansions_per_tick: u64,
    /// Traffic search budget: tries of `WB_RULE_UNIT_ROBOTS` per tick. Default 20,000.
    pub tries_per_tick: u64,
    /// Threads, as for `wb_world_set_threads`. Default 0.
    pub threads: u32,
    /// `WB_RULE_COOPERATIVE` (default), `WB_RULE_UNIT_ROBOTS` or `WB_RULE_COMMANDED`.
    pub rule: u32,
    /// `WB_PATHS_PLANNER` (default) or `WB_PATHS_HOST`.
    pub paths: u32,
    /// Landmarks of each class, 0 to 64, which make far searches cheap; a game of clicks on a large map asks for 4.
    /// `WB_NONE` (default): as many as pay off for agents with tasks all over the map, none in a game of clicks.
    pub landmarks: u32,
    /// Poses that each agent may expand per tick to plan its moves, at least 1; of `WB_RULE_COOPERATIVE`. Default 16.
    pub poses_per_agent: u32,
    /// Name of the world.
    pub name: *const c_char,
    /// Bytes of `name`.
    pub name_length: usize,
}

// SAFETY: numbers and raw pointers, the first a `u32`.
unsafe impl Sized32 for wb_settings {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_settings";
}

/// Sets `settings` to the defaults, with their `size`.
///
/// Threads: any.
///
/// # Safety
/// `settings` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_settings_init(settings: *mut wb_settings) -> u32 {
    call("wb_settings_init", || {
        let Settings { seed, search_slots, expansions_per_tick, poses_per_agent, tries_per_tick, .. } =
            Settings::named("");
        let usual = wb_settings {
            size: size_of::<wb_settings>() as u32,
            collision: WB_COLLISION_SWEPT,
            seed,
            ticks: 0,
            search_slots: search_slots as u32,
            expansions_per_tick,
            tries_per_tick,
            threads: 0,
            rule: WB_RULE_COOPERATIVE,
            paths: WB_PATHS_PLANNER,
            landmarks: WB_NONE,
            poses_per_agent,
            name: std::ptr::null(),
            name_length: 0,
        };
        // SAFETY: by this function's contract.
        unsafe { write(settings, usual, "settings") }
    })
}

/// A world in the making, on a map as it is now, without classes and agents. A setup can make any number of worlds.
///
/// Threads: reads `map`. Lifetime: the setup shares the map's memory and does not follow later edits of it.
///
/// # Safety
/// `settings` points to a structure whose `size` is set; `setup` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_setup_new(map: u64, settings: *const wb_settings, setup: *mut u64) -> u32 {
    call("wb_setup_new", || {
        // SAFETY: by this function's contract.
        let (given, name) = unsafe {
            let given = structure(settings, "settings")?;
            (given, text(given.name, given.name_length, "settings.name")?)
        };
        threads_of(given.threads)?;
        let make = || {
            Ok(HostSetup {
                settings: settings_of(&given, name)?,
                grid: shared::<Map>(map)?.0.clone(),
                tables: Vec::new(),
                rule: match given.rule {
                    WB_RULE_COOPERATIVE => OwnRule::Cooperative,
                    WB_RULE_UNIT_ROBOTS => OwnRule::UnitRobots,
                    WB_RULE_COMMANDED => OwnRule::Commanded,
                    other => {
                        return Err(no_choice("settings.rule", other, "0 to 2: WB_RULE_COOPERATIVE ..."));
                    }
                },
                paths: match given.paths {
                    WB_PATHS_PLANNER => PathSource::Planner,
                    WB_PATHS_HOST => PathSource::Host,
                    other => {
                        let expected = "WB_PATHS_PLANNER (0) or WB_PATHS_HOST (1)";
                        return Err(no_choice("settings.paths", other, expected));
                    }
                },
                threads: given.threads,
                agents: Vec::new(),
                friends: Friends::default(),
                landmarks: (given.landmarks != WB_NONE).then_some(given.landmarks as usize),
                eased: Vec::new(),
            })
        };
        // SAFETY: by this function's contract.
        unsafe { give(setup, "setup", make) }
    })
}

/// Numbers out of their ranges are found when the world is made.
fn settings_of(given: &wb_settings, name: &str) -> Result<Settings, Failure> {
    Ok(Settings {
        seed: given.seed,
        collision: match given.collision {
            WB_COLLISION_SWEPT => CollisionRule::Swept,
            WB_COLLISION_DISCRETE => CollisionRule::Discrete,
            other => {
                let expected = "WB_COLLISION_SWEPT (0) or WB_COLLISION_DISCRETE (1)";
                return Err(no_choice("settings.collision", other, expected));
            }
        },
        ticks: if given.ticks == 0 { Settings::ENDLESS } else { given.ticks },
        expansions_per_tick: given.expansions_per_tick,
        search_slots: given.search_slots as usize,
        poses_per_agent: given.poses_per_agent,
        tries_per_tick: given.tries_per_tick,
        ..Settings::named(name)
    })
}

/// Destroys a setup. 0 does nothing. Worlds made of it stay.
///
/// Threads: changes `setup`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_setup_destroy(setup: u64) -> u32 {
    call("wb_setup_destroy", || destroy::<HostSetup>(setup))
}

/// Adds a class, and gives its number: 0, 1, 2 ... in order. Tables compiled against the setup's map are shared; a
/// class is compiled here. Components are made where there are none. So worlds on one map are made fast if its tables
/// are made once, with components.
///
/// Threads: changes `setup`, reads the other. Lifetime: the setup needs neither of the handles later.
///
/// # Safety
/// `class_number` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_setup_class(setup: u64, class_or_tables: u64, class_number: *mut u32) -> u32 {
    call("wb_setup_class", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(class_number, "class_number")? };
        let mut found = exclusive::<HostSetup>(setup)?;
        let mut tables = match shared::<Tables>(class_or_tables) {
            Ok(tables) => {
                tables.check_map(&found.grid)?;
                tables.tables.clone()
            }
            Err(failure) if failure.status == WB_WRONG_KIND => {
                MovementTables::compile(&found.grid, shared::<Class>(class_or_tables)?.on(&found.grid)?)
            }
            Err(failure) => return Err(failure),
        };
        // A group finds its places by them.
        if !tables.components().are_known() {
            tables.make_components();
        }
        out.write(found.tables.len() as u32);
        found.tables.push(tables);
        Ok(())
    })
}

/// Adds an agent, and gives its id: 0, 1, 2 ... in order. It has no event. Whether it can stand there is found when the
/// world is made.
///
/// Threads: changes `setup`. Lifetime: everything is copied.
///
/// # Safety
/// `spawn` and all data that it points to are valid. `agent` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_setup_agent(setup: u64, spawn: *const wb_spawn, agent: *mut u32) -> u32 {
    call("wb_setup_agent", || {
        // SAFETY: by this function's contract.
        let (spawn, out) = unsafe { (spawn_of(spawn)?, output(agent, "agent")?) };
        let mut found = exclusive::<HostSetup>(setup)?;
        let Ok(id) = u32::try_from(found.agents.len()) else {
            return Err(Failure::argument("no ids are left"));
        };
        found.agents.push(spawn);
        out.write(id);
        Ok(())
    })
}

/// Makes two teams friends, 0 to 31 each: friends yield to each other by priority and push each other out of the way.
/// Each team is its own friend; others are obstacles to each other where they rest.
///
/// Threads: changes `setup`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_setup_friends(setup: u64, one: u32, other: u32) -> u32 {
    call("wb_setup_friends", || {
        let (one, other) = (team_of(one, "one")?, team_of(other, "other")?);
        for (team, name) in [(one, "one"), (other, "other")] {
            if !team.is_known() {
                return Err(no_choice(name, team.0.into(), "0 to 31"));
            }
        }
        exclusive::<HostSetup>(setup)?.friends.befriend(one, other);
        Ok(())
    })
}

/// Sets a parameter by its name, as `wheelbase run --tune NAME=VALUE`: for experiments. `docs/traffic.md` lists them;
/// the message on an unknown name does, too.
///
/// Threads: changes `setup`.
///
/// # Safety
/// `name` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_setup_tune(setup: u64, name: *const c_char, length: usize, value: u32) -> u32 {
    call("wb_setup_tune", || {
        // SAFETY: by this function's contract.
        let name = unsafe { text(name, length, "name")? };
        let mut found = exclusive::<HostSetup>(setup)?;
        let Settings { traffic, replan, .. } = &mut found.settings;
        tune(traffic, replan, name, value).map_err(|error| Failure::argument(error.to_string()))
    })
}

/// Names changes that edits may make and undo while landmarks stay in use, such as the doors of a fortress. Any other
/// edit that makes a move easier switches the landmarks off until they are repaired; this affects the time of searches
/// alone.
///
/// Threads: changes `setup`. Lifetime: everything is copied.
///
/// # Safety
/// `changes` points to `n_changes` changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_setup_ease(setup: u64, changes: *const wb_change, n_changes: usize) -> u32 {
    call("wb_setup_ease", || {
        // SAFETY: by this function's contract.
        let given = unsafe { slice(changes, n_changes, "changes")? };
        let mut found = exclusive::<HostSetup>(setup)?;
        let eased = self::changes(given, &found.grid)?;
        found.eased.extend(eased);
        Ok(())
    })
}

/// A world of a setup, before its first tick. `WB_ARGUMENT` with all mistakes of the setup, such as agents that
/// overlap. The setup stays as it is.
///
/// Threads: reads `setup`.
///
/// # Safety
/// `world` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_new(setup: u64, world: *mut u64) -> u32 {
    call("wb_world_new", || {
        // SAFETY: by this function's contract.
        unsafe { give(world, "world", || make(&*shared::<HostSetup>(setup)?)) }
    })
}

fn make(setup: &HostSetup) -> Result<HostWorld, Failure> {
    let HostSetup { settings, grid, tables, rule, agents, friends, threads, .. } = setup;
    let setting = RuleSetting {
        tables,
        size: grid.size(),
        collision: settings.collision,
        n_agents: agents.len(),
        seed: settings.seed,
        params: settings.traffic,
    };
    let traffic = rule.make(setting).ok_or_else(|| {
        let name = rule.name();
        Failure::argument(format!("the rule {name} does not support these classes or the collision rule"))
    })?;
    let made = Setup {
        agents: agents.clone(),
        friends: *friends,
        threads: threads_of(*threads)?,
        paths: setup.paths,
        landmarks: setup.landmarks,
        eased: setup.eased.clone(),
        ..Setup::with_rule(settings.clone(), grid.clone(), tables.clone(), traffic)
    };
    let world = World::new(made).map_err(|errors| Failure::argument(errors.to_string()))?;
    Ok(HostWorld::new(world, *threads))
}
