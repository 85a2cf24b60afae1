//! The scene has what it is for, and no two agents overlap in it.

#![allow(clippy::unwrap_used)]

use wheelbase_golden::{AGENTS_AT_START, Outcome, Script, TICKS, run_observed, world};
use wheelbase_sim::{EventKind, RunState};

#[test]
fn the_scene_is_mixed_and_right() {
    let mut world = world(1).unwrap();
    world.check_invariants();
    let (mut script, mut outcome, mut hashes) = (Script::new(), Outcome::default(), Vec::new());
    for tick in 0..TICKS {
        script.give(&mut world);
        assert_eq!(world.step(), RunState::Running);
        hashes.push(outcome.see(&world));
        if tick == 0 {
            assert_eq!(world.agents().len() as u32, AGENTS_AT_START, "the script names them by id");
        }
    }
    assert_eq!(world.violation(), None);
    let counts = outcome.counts;
    assert!(counts.orders_done > 100 && counts.tasks_done > 50, "{counts:?}");
    assert!(counts.orders_unreachable > 0 && counts.removed > 5, "{counts:?}");
    assert!(counts.longest_request_ticks > 1, "searches go on from tick to tick");
    for kind in EventKind::ALL {
        assert!(outcome.events_of(kind) > 0, "{kind:?}");
    }
    // This world was never saved, nor loaded: neither changes anything.
    let mut each = Vec::new();
    let loaded = run_observed(2, |_, hash| each.push(hash)).unwrap();
    assert!(hashes == each);
    assert_eq!(Outcome { snapshot: outcome.snapshot, ..loaded }, outcome);
}
