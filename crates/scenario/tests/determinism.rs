//! One mixed scene has the same state after every tick with any number of threads, in debug and in release. `.ci/run`
//! runs this test in both. The scene has several classes, edits, tasks, groups, patrols, agents that come and go, and a
//! small budget.

use crate::common::{on_threads, run_checked};
use crate::recorded_outcomes::{recorded, scenarios};
use wheelbase_scenario::load::{Overrides, load_world};
use wheelbase_sim::World;

/// State hashes after each tick, and the world at the end.
fn run(threads: usize) -> (Vec<u64>, World) {
    on_threads(threads, || {
        let mut world = load_world(&scenarios().join("mixed.toml"), Overrides::default()).unwrap();
        (run_checked(&mut world), world)
    })
}

#[test]
fn any_number_of_threads_debug_and_release_agree() {
    let outcome = recorded("mixed.toml");
    let (alone, world) = run(1);
    assert_eq!((world.tick(), format!("{:016x}", world.state_hash())), (outcome.ticks, outcome.state_hash));
    for threads in [2, 8] {
        let (found, _) = run(threads);
        let differs = alone.iter().zip(&found).position(|(alone, found)| alone != found);
        assert_eq!(differs, None, "the first tick that differs with {threads} threads");
        assert_eq!(found.len(), alone.len());
    }
    // The scene has its subject.
    let counts = world.counts();
    assert!(counts.orders_done > 0 && counts.tasks_done > 0 && counts.removed > 0 && counts.wait_ticks > 0);
    assert!(counts.placed > 112, "twelve came later");
}
