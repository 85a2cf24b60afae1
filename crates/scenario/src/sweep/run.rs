//! Runs the items of a sweep side by side, one thread each.

use super::error::SweepError;
use super::prepared::{GroupText, PreparedSweep};
use super::table::{Row, Status};
use crate::load::{Files, KeptFiles, LoadError, Overrides, load_world_of_bytes};
use crate::outcome::outcome_json;
use crate::output_file::{OutputFile, Unfinished};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::Value;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;
use wheelbase_grid::MemoryMax;
use wheelbase_sim::{CommandsSince, RunResult, RunState, TickTimes, World};

/// Rows that wait to be taken before the items stop for them.
const ROWS_WAITING: usize = 256;

/// How the items of a sweep are run. Rows do not depend on it.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Items in progress, each on one thread; 0 for one per core.
    pub jobs: usize,
    /// Folder for a file of each failed item. An item that panicked or broke an invariant has a crash report,
    /// `KEY.report`. An item that cannot be loaded has its scenario with the values set, `KEY.toml` or `KEY.json`.
    pub record_failed: Option<PathBuf>,
}

impl PreparedSweep {
    /// Runs items, by their numbers in the order of the table. Gives each row to `on_row` as soon as it is there, on
    /// the calling thread, in no order. `stop` is asked at every tick, from many threads; once it says yes, items in
    /// progress are given up. Prints nothing.
    /// # Errors
    /// The first of `on_row`, after which items in progress are given up. Also if there are no threads, or a file of
    /// [`RunOptions::record_failed`] cannot be written.
    pub fn run(
        &self,
        items: &[usize],
        options: &RunOptions,
        stop: &(dyn Fn() -> bool + Sync),
        on_row: &mut dyn FnMut(Row) -> Result<(), SweepError>,
    ) -> Result<(), SweepError> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = if options.jobs == 0 { cores() } else { options.jobs };
        let jobs = jobs.clamp(1, items.len().max(1));
        // A separate pool for each item under way: inside one pool, an item that waits would take up another.
        let pools: Vec<ThreadPool> = (0..jobs)
            .map(|_| ThreadPoolBuilder::new().num_threads(1).build())
            .collect::<Result<_, _>>()
            .map_err(|error| {
                SweepError::argument(format_args!("no threads for {jobs} items together: {error}"))
            })?;
        let share = |bytes: Option<u64>| bytes.map(|bytes| bytes / jobs as u64);
        let memory_max =
            MemoryMax { built: share(self.memory_max.built), total: share(self.memory_max.total) };
        let (next, halt) = (AtomicUsize::new(0), AtomicBool::new(false));
        let stopped = || halt.load(Ordering::Relaxed) || stop();
        let work = |send: mpsc::SyncSender<Result<Row, SweepError>>| {
            while !stopped() {
                let Some(&item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let Some(row) = self.row_of(item, memory_max, options, &stopped) else { break };
                if send.send(row).is_err() {
                    break;
                }
            }
        };
        let mut done = Ok(());
        std::thread::scope(|scope| {
            let (send, rows) = mpsc::sync_channel(ROWS_WAITING);
            for pool in &pools {
                let send = send.clone();
                scope.spawn(|| pool.install(|| work(send)));
            }
            drop(send);
            for row in rows {
                // What follows a failure is only taken so that no item waits.
                if done.is_ok()
                    && let Err(error) = row.and_then(&mut *on_row)
                {
                    done = Err(error);
                    halt.store(true, Ordering::Relaxed);
                }
            }
        });
        done
    }

    /// The row of an item; `None` if it was given up.
    fn row_of(
        &self,
        item: usize,
        memory_max: MemoryMax,
        options: &RunOptions,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Result<Row, SweepError>> {
        let key = self.key(item);
        let mut row = Row {
            item,
            key,
            status: Status::Done,
            reason: String::new(),
            measures: vec![Value::Null; self.items().sweep().measures.len()],
            wall_s: None,
        };
        let group = match self.group_text(self.items().group_of(item)) {
            Ok(group) => group,
            Err(reason) => return Some(Ok(Row { status: Status::NotLoaded, reason, ..row })),
        };
        let load = || self.load(&group, self.items().seed(item), memory_max);
        let (failure, report) = match load() {
            Err(failure) => (failure, Report::Text),
            Ok(mut world) => match run_world(&mut world, stop)? {
                Ok((result, wall_s)) => {
                    let outcome = outcome_json(&result);
                    let measure = |name: &String| outcome.get(name).cloned().unwrap_or(Value::Null);
                    row.measures = self.items().sweep().measures.iter().map(measure).collect();
                    row.wall_s = Some(wall_s);
                    return Some(Ok(row));
                }
                Err(failure) => (failure, Report::Of(Box::new(world))),
            },
        };
        (row.status, row.reason) = (failure.status, failure.reason);
        let written = options.record_failed.as_deref().map_or(Ok(()), |folder| {
            let (bytes, ending) = match report {
                Report::Text => (group.text.as_bytes().to_vec(), extension(group.path)),
                Report::Of(world) => {
                    let report = load()
                        .ok()
                        .and_then(|start| world.report_from(&start, &CommandsSince::default()).ok());
                    // There is none of a world that cannot be saved.
                    let Some(report) = report else { return Ok(()) };
                    (report, "report")
                }
            };
            write(&folder.join(format!("{key:016x}.{ending}")), &bytes)
        });
        Some(written.map(|()| row))
    }

    fn load(&self, group: &GroupText<'_>, seed: u64, memory_max: MemoryMax) -> Result<World, Failure> {
        let overrides = Overrides { seed: Some(seed), memory_max, ..group.overrides };
        let files = KeptFiles::new(&self.store);
        let load = || load_world_of_bytes(group.path, group.text.as_bytes(), Files::Kept(&files), overrides);
        let failed = |status, reason| Failure { status, reason };
        let mut world = match catch_unwind(AssertUnwindSafe(load)) {
            Ok(Ok(loaded)) => loaded.world,
            Ok(Err(error @ LoadError::Memory { .. })) => {
                return Err(failed(Status::NoMemory, error.to_string()));
            }
            Ok(Err(error)) => return Err(failed(Status::NotLoaded, error.to_string())),
            Err(panic) => {
                return Err(failed(
                    Status::Panicked,
                    format!("panicked while it was loaded: {}", message_of(&*panic)),
                ));
            }
        };
        if self.items().sweep().check_invariants {
            world.check_invariants();
        }
        Ok(world)
    }
}

/// The record of a failed item.
enum Report {
    /// The text of its scenario.
    Text,
    /// A crash report.
    Of(Box<World>),
}

/// Why an item failed.
struct Failure {
    status: Status,
    reason: String,
}

/// The result of a world that is run to its end, as [`RunResult::of`] makes it, and its wall time; `None` if it was
/// given up.
fn run_world(
    world: &mut World,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Result<(RunResult, f64), Failure>> {
    let started = Instant::now();
    let mut agent_ticks = 0;
    loop {
        if stop() {
            return None;
        }
        match world.try_step() {
            Err(broken) => {
                let reason = format!("the step of tick {} panicked: {}", broken.tick(), broken.message());
                return Some(Err(Failure { status: Status::Panicked, reason }));
            }
            Ok(RunState::Ended) => break,
            Ok(_) => agent_ticks += world.agent_arrays().len() as u64,
        }
        if let Some(failure) = violation(world) {
            return Some(Err(failure));
        }
        // Read by traces and recordings alone.
        world.clear_log();
    }
    if let Some(failure) = violation(world) {
        return Some(Err(failure));
    }
    let wall_s = started.elapsed().as_secs_f64();
    let result = RunResult::of(world, 1, &TickTimes::with_capacity(0), wall_s, agent_ticks);
    Some(Ok((result, wall_s)))
}

fn violation(world: &World) -> Option<Failure> {
    let (tick, violation) = world.violation()?;
    let reason = format!("an invariant broke at tick {tick}: {violation}");
    Some(Failure { status: Status::BrokenInvariant, reason })
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or("toml")
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), SweepError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(SweepError::writing(folder))?;
    }
    let written = OutputFile::create(path, Unfinished::Removed).and_then(|file| file.commit_with(bytes));
    written.map_err(SweepError::writing(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    use wheelbase_planner::{Heading, MovementClass, Pose};
    use wheelbase_sim::traffic::view::TrafficView;
    use wheelbase_sim::traffic::{Decisions, Traffic};
    use wheelbase_sim::{ClassId, Order, Settings, Setup, Spawn};

    /// Panics at its third tick.
    #[derive(Clone)]
    struct Faulty(u32);

    impl Traffic for Faulty {
        fn decide(&mut self, _: &TrafficView<'_>, _: &mut Decisions) {
            self.0 += 1;
            assert!(self.0 < 3, "three, of all numbers");
        }

        fn clone_box(&self) -> Box<dyn Traffic> {
            Box::new(self.clone())
        }
    }

    #[test]
    fn a_panic_of_a_step_is_a_reason() {
        let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default()).unwrap();
        let setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]);
        let mut setup = Setup::with_rule(setup.settings, setup.grid, setup.tables, Box::new(Faulty(0)));
        let order = Order::goto(CellXY::new(3, 0));
        setup.agents.push(Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0))).with_orders([order]));
        let mut world = World::new(setup).unwrap();
        let failure = run_world(&mut world, &|| false).unwrap().err().unwrap();
        assert_eq!(failure.status, Status::Panicked);
        assert!(failure.reason.contains("panicked: three, of all numbers"), "{}", failure.reason);
        assert!(run_world(&mut world, &|| true).is_none());
    }
}
