//! `step_observed` reports the phases of each tick in order, and does not change the run.

use crate::common::{CART, build_world};
use wheelbase_sim::{Phase, RunState};

#[test]
fn each_phase_is_named_before_it_begins() {
    let text = format!(
        "name = \"there\"\nticks = 3\n[map]\nrows = [\".....\"]\n{CART}\
         [[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\norders = [{{ goto = [4, 0] }}]\n"
    );
    let (mut world, mut unobserved) = (build_world(&text), build_world(&text));
    let whole = [
        Phase::Events,
        Phase::Orders,
        Phase::Requests,
        Phase::Traffic,
        Phase::Metrics,
        Phase::Moves,
        Phase::Metrics,
    ];
    for tick in 0..=3 {
        let mut begun = Vec::new();
        let step = world.step_observed(&mut |phase| begun.push(phase));
        assert_eq!((step, world.state_hash()), (unobserved.step(), unobserved.state_hash()));
        match tick {
            3 => assert_eq!((step, begun.as_slice()), (RunState::Ended, &whole[..2])),
            _ => assert_eq!((step, begun.as_slice()), (RunState::Running, &whole[..])),
        }
    }
    assert_eq!(Phase::ALL.map(Phase::name), ["events", "orders", "requests", "traffic", "moves", "metrics"]);
}
