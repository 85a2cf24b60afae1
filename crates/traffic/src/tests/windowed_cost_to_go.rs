//! Windowed cost-to-go compared with costs that are improved until none can be.

use super::ground::{Ground, ground};
use crate::cooperative::fixed::GUIDE_PATH_MOVES;
use crate::cooperative::moves::set_guide_path;
use crate::cooperative::windowed_cost_to_go::*;
use crate::motion::{AgentId, AgentSlot};
use crate::random::Random;
use crate::speed::ticks_at_speed;
use proptest::prelude::*;
use std::collections::BTreeMap;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::State;

/// Cost of every state in a window. For a pose of the guide path it is the rest of the path from there. For other
/// states it is the cost of the best move and the rest after it.
fn plain(move_costs: MoveCosts<'_>, window: Rect, guide_path: &[GuidePose]) -> BTreeMap<State, u64> {
    let tables = move_costs.tables;
    let space = tables.space();
    let inside = |state: State| window.contains(space.pose(state).cell);
    let guide_path = &guide_path[..guide_path.iter().take_while(|&&(state, _)| inside(state)).count()];
    let base = guide_path.last().map_or(0, |&(_, left)| left);
    let mut costs: BTreeMap<State, u64> = BTreeMap::new();
    for &(state, left) in guide_path {
        let cost = costs.entry(state).or_insert(u64::MAX);
        *cost = (*cost).min(u64::from(left - base));
    }
    let states: Vec<State> = (0..space.n_states() as u32).map(State).filter(|&state| inside(state)).collect();
    loop {
        let mut better = false;
        for &state in &states {
            let mut best = costs.get(&state).copied();
            tables.for_each_successor(state, |next| {
                let ticks = ticks_at_speed(next.ticks, move_costs.speed_factor);
                let Some(behind) = costs.get(&next.state) else { return };
                let cost = behind + u64::from(ticks);
                best = Some(best.map_or(cost, |best| best.min(cost)));
            });
            if let Some(best) = best
                && costs.get(&state) != Some(&best)
            {
                costs.insert(state, best);
                better = true;
            }
        }
        if !better {
            return costs;
        }
    }
}

/// A window that has been asked for, with the true costs.
struct Asked {
    slot: AgentSlot,
    key: WindowKey,
    class: usize,
    speed_factor: u16,
    center: CellXY,
    radius: u32,
    guide_path: Vec<GuidePose>,
    truth: BTreeMap<State, u64>,
}

/// Asks a window for costs in any order, each up to a limit, so that it settles little by little.
fn check_costs(
    (ground, windows): (&Ground, &mut CostWindows),
    asked: &Asked,
    tick: u32,
    random: &mut Random,
) -> Result<(), TestCaseError> {
    let tables = &ground.tables[asked.class];
    let costs = MoveCosts { tables, class: asked.class, speed_factor: asked.speed_factor, tick };
    let place = (asked.center, asked.radius);
    let mut window = windows.obtain(asked.slot, asked.key, costs, place, &asked.guide_path);
    let space = tables.space();
    let asks_all = random.below(3) == 0;
    for _ in 0..if asks_all { space.n_states() } else { random.below(20) } {
        let state = State(random.below(space.n_states()) as u32);
        let limit = if random.below(4) == 0 { UNKNOWN } else { random.below(60) as u32 };
        let found = window.cost(space.pose(state), limit);
        let right = asked.truth.get(&state).map_or(UNKNOWN, |&cost| cost as u32);
        let is_right = found == right || (found == UNKNOWN && right > limit);
        prop_assert!(is_right, "{}: {found}, not {right}", space.display(space.pose(state)));
    }
    Ok(())
}

fn check(ground: &Ground, random: &mut Random) -> Result<(), TestCaseError> {
    let mut windows = CostWindows::new(ground.tables.iter());
    windows.grow(4);
    let mut last: [Option<Asked>; 4] = [const { None }; 4];
    for round in 0..20 {
        let tick = 100 * round;
        let class = random.below(ground.tables.len());
        let tables = &ground.tables[class];
        let Some(from) = ground.any_state(class, random) else { return Ok(()) };
        // A path that wanders.
        let (mut state, mut path) = (from, Vec::new());
        for _ in 0..random.below(40) {
            let mut next = Vec::new();
            tables.for_each_successor(state, |successor| next.push(successor));
            let Some(chosen) = (!next.is_empty()).then(|| next[random.below(next.len())]) else { break };
            path.push(chosen.primitive);
            state = chosen.state;
        }
        let mut guide_path = Vec::new();
        let speed_factor = [1000, 1000, 300, 1700, 65_535][random.below(5)];
        let moves_max = GUIDE_PATH_MOVES;
        set_guide_path(tables, (from, speed_factor), &path, moves_max, &mut guide_path);
        let (agent, radius) = (random.below(4) as u32, 1 + random.below(6) as u32);
        let center = tables.space().pose(from).cell;
        let key = WindowKey { agent: AgentId(agent), path: round, revision: 0, speed_factor };
        let costs = MoveCosts { tables, class, speed_factor, tick };
        let side = 2 * radius + 1;
        let area = Rect::new(center.x - radius as i32, center.y - radius as i32, side, side);
        let truth = plain(costs, area, &guide_path);
        // Now and then there is no room for more than one.
        windows.bytes_max = if random.below(4) == 0 { 1 } else { CostWindows::BYTES_MAX };
        let slot = AgentSlot(agent);
        let asked = Asked { slot, key, class, speed_factor, center, radius, guide_path, truth };
        check_costs((ground, &mut windows), &asked, tick, random)?;
        if random.below(3) == 0 {
            // It gets another speed on its way.
            let speed_factor = 700;
            let mut guide_path = Vec::new();
            set_guide_path(tables, (from, speed_factor), &path, moves_max, &mut guide_path);
            let truth = plain(MoveCosts { speed_factor, ..costs }, area, &guide_path);
            let key = WindowKey { speed_factor, ..key };
            let other = Asked { key, speed_factor, guide_path, truth, ..asked };
            check_costs((ground, &mut windows), &other, tick, random)?;
            last[agent as usize] = Some(other);
        } else {
            last[agent as usize] = Some(asked);
        }
        // A window that has come to be among others goes on from where it was, even in a copy.
        for _ in 0..3 {
            if let Some(asked) = &last[random.below(4)] {
                check_costs((ground, &mut windows), asked, tick, random)?;
            }
        }
        if random.below(2) == 0 {
            let copy = windows.clone();
            if let Some(asked) = &last[random.below(4)] {
                check_costs((ground, &mut windows), asked, tick, random)?;
            }
            windows.clone_from(&copy);
            windows.begin_tick();
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_are_the_least_costs_to_the_guide_path(ground in ground(25), seed in any::<u64>()) {
        let Some(ground) = ground else { return Ok(()) };
        check(&ground, &mut Random::new(seed))?;
    }
}
