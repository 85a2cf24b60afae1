//! Nobody waits for an unknown reason. At every tick of the scenarios, each waiting agent names the rule that keeps it
//! and the agent in its way. So do the results.

use crate::common::{is_long, on_threads};
use crate::recorded_outcomes::{names_in, scenarios};
use std::collections::BTreeMap;
use std::io::Cursor;
use wheelbase_scenario::load::{Overrides, load_world, load_world_and_text};
use wheelbase_scenario::recording::{Reader, Recorder, ScenarioText, wait_reasons};
use wheelbase_sim::{AgentId, NamedReason, Reason, RunResult, RunState, TickTimes, WaitReason, World};

/// Ticks between two looks at all agents: no multiple of the ticks of a move.
const LOOK_TICKS: u32 = 13;
/// Ticks of a scenario that are looked at; half of them in the short form.
const TICKS_MAX: u32 = 1_200;

/// Holds the reason of a waiting agent to what can be seen from outside.
fn check(world: &World, agent: AgentId, reason: WaitReason) {
    let NamedReason { holder, at, corridor_at, text, .. } = reason.named();
    let place = format!("tick {}, agent {}: {text}", world.tick(), agent.0);
    assert!(!matches!(reason, WaitReason::OutsideRule | WaitReason::None | WaitReason::Moves), "{place}");
    if let Some(holder) = holder {
        assert!(holder != agent.0 && world.agent(AgentId(holder)).is_some(), "{place}");
    }
    for [x, y] in at.into_iter().chain(corridor_at) {
        assert!(world.grid().size().contains(wheelbase_grid::CellXY::new(x, y)), "{place}");
    }
    if let WaitReason::Traffic(Reason::Resting { holder, at }) = reason {
        assert!(world.agents_in(wheelbase_grid::Rect::new(at.x, at.y, 1, 1)).contains(&holder), "{place}");
    }
}

/// Runs a scenario and counts the reasons of its waiting agents.
fn reasons_in(folder: &str, name: &str) -> BTreeMap<&'static str, u32> {
    let mut world = load_world(&scenarios().join(folder).join(name), Overrides::default()).unwrap();
    let mut counts = BTreeMap::new();
    let ticks_max = if is_long() { TICKS_MAX } else { TICKS_MAX / 2 };
    on_threads(1, || {
        while world.tick() < ticks_max && world.step() == RunState::Running {
            if !world.tick().is_multiple_of(LOOK_TICKS) {
                continue;
            }
            for (row, wait_state) in world.agent_arrays().wait_states.iter().enumerate() {
                let waits = wait_state.waits_since != wheelbase_sim::WaitState::NOT_WAITING;
                let agent = world.agent_arrays().ids[row];
                if let Some(reason) = world.reason_for_waiting(agent).filter(|_| waits)
                    && !matches!(reason, WaitReason::None | WaitReason::Moves)
                {
                    check(&world, agent, reason);
                    *counts.entry(reason.named().rule).or_default() += 1;
                }
            }
        }
    });
    let result = RunResult::of(&world, 1, &TickTimes::default(), 0.0, 0);
    for cycle in &result.wait_for_cycles {
        assert!(cycle.ring || cycle.reason.as_ref().is_some_and(|reason| reason.rule != "outside_rule"));
    }
    counts
}

/// A run that was recorded and is stepped again tells what the world said at the time.
#[test]
fn reasons_found_by_a_replay_are_those_of_the_run() {
    let path = scenarios().join("traffic/8_bridge.toml");
    let (loaded, text) = load_world_and_text(&path, Overrides::default()).unwrap();
    let (mut world, scenario) = (loaded.world, ScenarioText { file: "a.toml", text: &text });
    let mut recorder = Recorder::begin(&mut world, &loaded.source, scenario, Vec::new()).unwrap();
    let mut said = BTreeMap::new();
    for tick in 0..600 {
        let step = world.step();
        recorder.tick(&world, tick, step).unwrap();
        world.clear_log();
        for &agent in &world.agent_arrays().ids {
            said.insert((tick, agent), world.reason_for_waiting(agent));
        }
        if step != RunState::Running {
            break;
        }
    }
    let recording = recorder.finish(&world).unwrap();
    let mut reader = Reader::open(Cursor::new(recording)).unwrap();
    let found = wait_reasons(&mut reader, u64::MAX).unwrap();
    assert_eq!((found.n_ticks, found.differs_at), (reader.n_ticks(), None));
    let hidden = found.rows.iter().filter(|row| row.reason.is_some());
    assert!(hidden.clone().count() > 20, "{:?}", found.rows);
    for row in hidden {
        assert_eq!(said[&(row.tick, row.agent)], row.reason, "{row:?}");
        assert_eq!(said[&(row.last, row.agent)], row.reason, "{row:?}");
    }
    // With little work only the first ticks.
    let short = wait_reasons(&mut reader, 1).unwrap();
    assert_eq!(short.n_ticks, 1);
    assert!(short.rows.len() < found.rows.len());
    for (short, found) in short.rows.iter().zip(&found.rows) {
        assert_eq!((short.tick, short.agent, short.reason), (found.tick, found.agent, found.reason));
    }
}

#[test]
fn every_waiting_agent_names_its_reason() {
    for folder in ["traffic", "first"] {
        for name in names_in(folder) {
            let counts = reasons_in(folder, &name);
            println!("{folder}/{name}: {counts:?}");
        }
    }
}
