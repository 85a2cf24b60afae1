//! What agents that are to make way are sent to do, carried out one after the other.

use super::scenes::{built, cells, class, map_of, rows, rule, shape};
use crate::Simulation;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::cooperative::admission::{Mouth, Passer};
use wheelbase_traffic::cooperative::*;
use wheelbase_traffic::decisions::Decisions;
use wheelbase_traffic::motion::Activity;
use wheelbase_traffic::priority::PriorityKey;
use wheelbase_traffic::rule::Traffic;
use wheelbase_traffic::view::TrafficView;

/// A rule under which nobody moves.
struct Still;

impl Traffic for Still {
    fn decide(&mut self, _: &TrafficView<'_>, _: &mut Decisions) {}
}

fn view<'a>(sim: &'a mut Simulation) -> TrafficView<'a> {
    TrafficView {
        tick: sim.tick,
        tries: 1_000_000,
        grid_size: sim.grid.size(),
        tables: &sim.tables,
        agents: sim.agents.view(&[]),
        paths: &sim.paths,
        forbidden: sim.pending.areas(),
        streams: sim.congestion.streams(),
        edited: &[],
        refused: &[],
        occupancy: &sim.occupancy,
    }
}

/// Agents at rest, the first ones with somewhere to go.
fn crowd() -> impl Strategy<Value = String> {
    (shape(), 1_u32..15).prop_flat_map(|(shape, walls)| {
        let classes = (class("a", shape, (1, 1)), class("b", shape, (3, 2)));
        let counts = (1_u32..4, 1_u32..4, 1_u32..8, 1_u32..4);
        (rows(walls, 5..9), classes, counts, rule(), (0..5, 0..5), any::<u32>()).prop_map(
            move |(rows, (a, b), (goes_a, goes_b, rests_a, rests_b), rule, (x, y), seed)| {
                let area = format!("[0, 0, {}, {}]", rows[0].len(), rows.len());
                let group = |class: &str, count: u32, orders: &str| {
                    format!("[[groups]]\nclass = \"{class}\"\ncount = {count}\narea = {area}\norders = [{orders}]\n")
                };
                let goes = format!("{{ goto = [{x}, {y}], within = 2 }}");
                [
                    format!("name = \"way\"\nseed = {seed}\nticks = 9\ncollision = \"{}\"\n", rule.name()),
                    map_of(shape, &rows),
                    a,
                    b,
                    group("a", goes_a, &goes),
                    group("b", goes_b, &goes),
                    group("a", rests_a, ""),
                    group("b", rests_b, ""),
                ]
                .concat()
            },
        )
    })
}

/// Bodies of all agents, those displaced being moved in turn.
type Bodies = BTreeMap<usize, BTreeSet<CellXY>>;

fn body(sim: &Simulation, row: usize, state: State) -> BTreeSet<CellXY> {
    let tables = &sim.tables[sim.agents.motion[row].class.0 as usize];
    let pose = tables.space().pose(state);
    cells((pose.cell, tables.class().cells_at(pose)))
}

/// Checks what one that is blocked has had others do; gives how many were displaced.
fn check(sim: &mut Simulation, row: usize, other: usize) -> Result<usize, TestCaseError> {
    let collision = sim.settings.collision;
    let mut rule = Cooperative::new(&sim.tables, sim.grid.size(), collision, TrafficParams::USUAL);
    let mut decisions = Decisions::default();
    let view = view(sim);
    rule.search.tries_left = view.tries;
    rule.follow_agents(&view);
    rule.follow_paths(&view, &mut decisions);
    let place = rule.board.place(&view, row);
    // As one does that has found no room some times.
    rule.board.cold[view.agents.ids[row].0 as usize].push_failures = 2;
    let (mut now, others) = rule.planning(&view);
    if !others.make_way.make_way(&mut now, row, other, place, &mut decisions) {
        prop_assert!(decisions.reroutes.is_empty());
        return Ok(0);
    }
    let displaced: Vec<usize> = decisions.reroutes.iter().map(|reroute| reroute.row as usize).collect();
    prop_assert!(displaced.contains(&other));
    prop_assert_eq!(displaced.iter().collect::<BTreeSet<_>>().len(), displaced.len());
    let mut bodies: Bodies =
        (0..sim.agents.len()).map(|row| (row, body(sim, row, sim.agents.motion[row].state))).collect();
    // The last one has to go first; each finds the way free that it is sent.
    for reroute in decisions.reroutes.iter().rev() {
        let at = reroute.row as usize;
        let motion = &sim.agents.motion[at];
        let tables = &sim.tables[motion.class.0 as usize];
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        let aside = rule.board.members[sim.agents.ids[at].0 as usize].aside_left as usize;
        prop_assert!(0 < aside && aside <= moves.len());
        let mut state = motion.state;
        for (number, &primitive) in moves.iter().enumerate() {
            let primitive = usize::from(primitive);
            prop_assert!(tables.move_ticks(state, primitive).is_some(), "an illegal move");
            if number < aside {
                let step = step_at(tables, tables.space().pose(state), primitive);
                let needed = cells(sim.occupancy.needed(&step));
                for (other, held) in bodies.iter().filter(|(other, _)| **other != at) {
                    prop_assert!(needed.is_disjoint(held), "{} is sent through {}", at, other);
                }
            }
            state = tables.state_after(state, primitive);
            if number + 1 == aside {
                bodies.insert(at, body(sim, at, state));
            }
        }
    }
    // Unless it backs out itself, none of them stands on the next of its way.
    if !displaced.contains(&row) {
        let motion = &sim.agents.motion[row];
        let tables = &sim.tables[motion.class.0 as usize];
        let mut state = motion.state;
        for &primitive in
            sim.paths.moves(sim.agents.paths[row]).iter().take(TrafficParams::USUAL.clear_moves_last as usize)
        {
            let step = step_at(tables, tables.space().pose(state), usize::from(primitive));
            for &at in &displaced {
                prop_assert!(cells(sim.occupancy.needed(&step)).is_disjoint(&bodies[&at]));
            }
            state = tables.state_after(state, usize::from(primitive));
        }
    }
    Ok(displaced.len())
}

#[test]
fn those_that_make_way_find_the_way_free() {
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    // By number of agents displaced at once.
    let displaced = std::cell::RefCell::new([0_u32; 4]);
    let result = runner.run(&crowd(), |text| {
        let Some(mut sim) = built(&text) else { return Ok(()) };
        sim.traffic = Box::new(Still);
        sim.step();
        for row in 0..sim.agents.len() {
            if sim.agents.motion[row].activity != Activity::Following {
                continue;
            }
            for other in (0..sim.agents.len()).filter(|&other| other != row) {
                let n = check(&mut sim, row, other)?;
                displaced.borrow_mut()[n.min(3)] += 1;
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let displaced = displaced.into_inner();
    assert!(displaced.iter().all(|&n| n > 20), "{displaced:?}");
}

/// Those who rest before the mouths of a busy gate leave the ground there, one at each mouth at a time, and
/// none of them through the gate.
#[test]
fn those_at_rest_before_a_busy_gate_leave() {
    let side = |x: i32| format!("[[groups]]\nclass = \"truck\"\ncount = 14\narea = [{x}, 0, 12, 7]\n");
    let rows: Vec<String> =
        (0..7).map(|y| format!("\"{0}{1}{0}\"", ".".repeat(12), if y == 3 { "." } else { "W" })).collect();
    let text = format!(
        "name = \"gate\"\nticks = 9\n[map]\nrows = [{}]\n[class.truck]\nheadings = 4\n\
         footprint = [\"X>\"]\nmoves = [\n{{ name = \"forward\", by = [1, 0], time = 10 }},\n\
         {{ name = \"reverse\", by = [-1, 0], time = 30 }},\n{{ name = \"left\", turn = 1, time = 10 }},\n\
         {{ name = \"right\", turn = -1, time = 10 }},\n]\n{}{}",
        rows.join(", "),
        side(0),
        side(13)
    );
    let mut sim = built(&text).unwrap();
    sim.traffic = Box::new(Still);
    sim.step();
    let mut rule =
        Cooperative::new(&sim.tables, sim.grid.size(), sim.settings.collision, TrafficParams::USUAL);
    let mut decisions = Decisions::default();
    let passage = rule.board.narrows.map.at_anchor(CellXY::new(12, 3));
    let mouths = [(11, 1), (13, -1)].map(|(x, dx)| Mouth { cell: CellXY::new(x, 3), way: (dx, 0), reach: 4 });
    let mut view = view(&mut sim);
    view.tick = view.tick.next_multiple_of(TrafficParams::USUAL.clear_entrances_ticks);
    rule.search.tries_left = view.tries;
    rule.follow_agents(&view);
    let (mut now, others) = rule.planning(&view);
    others.make_way.clear_mouths(&mut now, &mut decisions);
    assert!(decisions.reroutes.is_empty(), "nobody wants to go through");
    for agent in 100..120 {
        let way = if agent % 2 == 0 { (2, 0) } else { (-2, 0) };
        let passer = Passer { agent, way, width: 1, stays: None };
        rule.board.narrows.admission.note_asked(passage, passer, (PriorityKey::FIRST, 4), (view.tick, true));
    }
    rule.board.narrows.admission.find_busy(view.tick);
    mouths.iter().for_each(|&mouth| rule.board.narrows.admission.note_mouth(passage, mouth, view.tick));
    let (mut now, others) = rule.planning(&view);
    others.make_way.clear_mouths(&mut now, &mut decisions);
    let before = |cells: &BTreeSet<CellXY>| {
        mouths.iter().any(|mouth| cells.iter().any(|&cell| mouth.has_before(cell)))
    };
    let mut left = [0, 0];
    for reroute in &decisions.reroutes {
        let row = reroute.row as usize;
        let tables = &view.tables[0];
        let from = view.agents.motion[row].state;
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        let to =
            moves.iter().fold(from, |state, &primitive| tables.state_after(state, usize::from(primitive)));
        let body = |state: State| {
            let pose = tables.space().pose(state);
            cells((pose.cell, tables.class().cells_at(pose)))
        };
        assert!(!before(&body(to)), "it stays before the mouth");
        let side = |state: State| usize::from(tables.space().pose(state).cell.x > 12);
        assert_eq!(side(from), side(to), "it went through the gate");
        left[side(from)] += usize::from(before(&body(from)));
        assert_eq!(rule.board.cold[row].for_agent, NONE);
    }
    assert!(left[0] > 0 && left[1] > 0, "{left:?}");
}
