//! Tests of recordings that no [`Recorder`] has written.

mod altered;
mod changed;

use crate::load::{Source, build_world};
use crate::recording::{Recorder, ScenarioText};
use crate::scenario;
use std::path::Path;
use wheelbase_sim::RunState;

/// Records a run of a scenario to its end.
fn record_text(file: &str, text: &str) -> Vec<u8> {
    let typed = scenario::parse(file, text.as_bytes()).unwrap();
    let mut world = build_world(Path::new(file), &typed).unwrap();
    let scenario = ScenarioText { file, text };
    let mut recorder = Recorder::begin(&mut world, &Source::default(), scenario, Vec::new()).unwrap();
    loop {
        let tick = world.tick();
        let step = world.step();
        recorder.tick(&world, tick, step).unwrap();
        world.clear_log();
        if step == RunState::Ended {
            return recorder.finish(&world).unwrap();
        }
    }
}
