//! One mixed scene whose states are the same on every machine.
//!
//! [`run`] makes a world in code, plays 600 ticks of it and returns what came out, the hash of all states and events
//! among it. Half way it saves the world to bytes and goes on with the world that it loads from them. `golden.txt` is
//! what must come out. `.ci/golden_hash` runs it on several numbers of threads, in debug and in release, and on other
//! processors and systems: `golden.txt` says nothing of these, so they must all agree.
//!
//! It reads no file and no clock, and on one thread it makes none, so that it runs on bare WebAssembly too.

#[cfg(target_arch = "wasm32")]
mod door;
mod outcome;
mod scene;
mod script;

pub use outcome::Outcome;
pub use scene::{AGENTS_AT_START, SAVED_AT, SceneError, TICKS, threads, world};
pub use script::Script;

use wheelbase_sim::{Host, World};

/// Plays the scene on some threads.
/// # Errors
/// [`SceneError`], if the scene and the library no longer fit together.
///
/// ```
/// let outcome = wheelbase_golden::run(1)?;
/// assert_eq!(outcome.to_string(), include_str!("../golden.txt"));
/// # Ok::<(), wheelbase_golden::SceneError>(())
/// ```
pub fn run(threads: usize) -> Result<Outcome, SceneError> {
    run_observed(threads, |_, _| {})
}

/// [`run`] that shows the tick and the hash of the state after it.
/// # Errors
/// As [`run`].
pub fn run_observed(n_threads: usize, mut after: impl FnMut(u32, u64)) -> Result<Outcome, SceneError> {
    let mut world = world(n_threads)?;
    let mut script = Script::new();
    let mut outcome = Outcome::default();
    for _ in 0..TICKS {
        script.give(&mut world);
        if world.tick() == SAVED_AT {
            // Commands given, edits that wait and searches half done are in it.
            let bytes = world.save()?;
            outcome.snapshot.write(&if n_threads == 1 { bytes.clone() } else { snapshot_of_one_thread()? });
            world = World::load(&bytes, Host { threads: threads(n_threads), ..Host::default() })?;
        }
        world.step();
        after(world.tick(), outcome.see(&world));
    }
    Ok(outcome)
}

/// The snapshot of a world on one thread. On more threads searches may have run ahead of what they have spent, and the
/// bytes hold that too: another snapshot of the same state.
fn snapshot_of_one_thread() -> Result<Vec<u8>, SceneError> {
    let (mut world, mut script) = (world(1)?, Script::new());
    for _ in 0..SAVED_AT {
        script.give(&mut world);
        world.step();
    }
    script.give(&mut world);
    Ok(world.save()?)
}
