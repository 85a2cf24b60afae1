//! What agents that are to make way are sent to do, carried out one after the other.

use super::scenes::{built, cells, class, map_of, rows, rule, shape};
use crate::World;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::cooperative::admission::{Entrance, Entrant};
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

fn view<'a>(world: &'a mut World) -> TrafficView<'a> {
    TrafficView {
        tick: world.tick,
        tries: 1_000_000,
        grid_size: world.grid.size(),
        tables: &world.tables,
        agents: world.agents.view(&[]),
        paths: &world.paths,
        forbidden: world.pending_edits.areas(),
        flow: world.congestion.flow(),
        edited: &[],
        refused: &[],
        occupancy: &world.occupancy,
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

fn body(world: &World, row: usize, state: State) -> BTreeSet<CellXY> {
    let tables = &world.tables[world.agents.motion[row].class.0 as usize];
    let pose = tables.space().pose(state);
    cells((pose.cell, tables.class().cells_at(pose)))
}

/// Checks what one that is blocked has had others do; gives how many were displaced.
fn check(world: &mut World, row: usize, other: usize) -> Result<usize, TestCaseError> {
    let collision = world.settings.collision;
    let mut rule = Cooperative::new(&world.tables, world.grid.size(), collision, TrafficParams::USUAL);
    let mut decisions = Decisions::default();
    let view = view(world);
    rule.search.tries_left = view.tries;
    rule.follow_agents(&view);
    rule.follow_paths(&view, &mut decisions);
    let key = rule.table.key(&view, row);
    // As one does that has found no room some times.
    rule.table.cold[view.agents.ids[row].0 as usize].push_failures = 2;
    let (mut now, others) = rule.planning(&view);
    if !others.pushing.push_aside(&mut now, row, other, key, &mut decisions) {
        prop_assert!(decisions.reroutes.is_empty());
        return Ok(0);
    }
    let pushed: Vec<usize> = decisions.reroutes.iter().map(|reroute| reroute.row as usize).collect();
    prop_assert!(pushed.contains(&other));
    prop_assert_eq!(pushed.iter().collect::<BTreeSet<_>>().len(), pushed.len());
    let mut bodies: Bodies =
        (0..world.agents.len()).map(|row| (row, body(world, row, world.agents.motion[row].state))).collect();
    // The last one has to go first; each finds the way free that it is sent.
    for reroute in decisions.reroutes.iter().rev() {
        let at = reroute.row as usize;
        let motion = &world.agents.motion[at];
        let tables = &world.tables[motion.class.0 as usize];
        let moves = &decisions.reroute_moves[reroute.first as usize..][..reroute.count as usize];
        let aside = rule.table.heads[world.agents.ids[at].0 as usize].retreat_left as usize;
        prop_assert!(0 < aside && aside <= moves.len());
        let mut state = motion.state;
        for (number, &primitive) in moves.iter().enumerate() {
            let primitive = usize::from(primitive);
            prop_assert!(tables.move_ticks(state, primitive).is_some(), "an illegal move");
            if number < aside {
                let step = transition_at(tables, tables.space().pose(state), primitive);
                let needed = cells(world.occupancy.needed(&step));
                for (other, held) in bodies.iter().filter(|(other, _)| **other != at) {
                    prop_assert!(needed.is_disjoint(held), "{} is sent through {}", at, other);
                }
            }
            state = tables.state_after(state, primitive);
            if number + 1 == aside {
                bodies.insert(at, body(world, at, state));
            }
        }
    }
    // Unless it backs out itself, none of them stands on the next of its way.
    if !pushed.contains(&row) {
        let motion = &world.agents.motion[row];
        let tables = &world.tables[motion.class.0 as usize];
        let mut state = motion.state;
        for &primitive in world
            .paths
            .moves(world.agents.paths[row])
            .iter()
            .take(TrafficParams::USUAL.clear_moves_last as usize)
        {
            let step = transition_at(tables, tables.space().pose(state), usize::from(primitive));
            for &at in &pushed {
                prop_assert!(cells(world.occupancy.needed(&step)).is_disjoint(&bodies[&at]));
            }
            state = tables.state_after(state, usize::from(primitive));
        }
    }
    Ok(pushed.len())
}

#[test]
fn those_that_make_way_find_the_way_free() {
    let config = ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    // By number of agents displaced at once.
    let pushed = std::cell::RefCell::new([0_u32; 4]);
    let result = runner.run(&crowd(), |text| {
        let Some(mut world) = built(&text) else { return Ok(()) };
        world.traffic = Box::new(Still);
        world.step();
        for row in 0..world.agents.len() {
            if world.agents.motion[row].activity != Activity::Following {
                continue;
            }
            for other in (0..world.agents.len()).filter(|&other| other != row) {
                let n = check(&mut world, row, other)?;
                pushed.borrow_mut()[n.min(3)] += 1;
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let pushed = pushed.into_inner();
    assert!(pushed.iter().all(|&n| n > 20), "{pushed:?}");
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
    let mut world = built(&text).unwrap();
    world.traffic = Box::new(Still);
    world.step();
    let mut rule =
        Cooperative::new(&world.tables, world.grid.size(), world.settings.collision, TrafficParams::USUAL);
    let mut decisions = Decisions::default();
    let corridor = rule.table.corridor_control.map.at_anchor(CellXY::new(12, 3));
    let entrances =
        [(11, 1), (13, -1)].map(|(x, dx)| Entrance { cell: CellXY::new(x, 3), direction: (dx, 0), reach: 4 });
    let mut view = view(&mut world);
    view.tick = view.tick.next_multiple_of(TrafficParams::USUAL.clear_entrances_ticks);
    rule.search.tries_left = view.tries;
    rule.follow_agents(&view);
    let (mut now, others) = rule.planning(&view);
    others.pushing.clear_entrances(&mut now, &mut decisions);
    assert!(decisions.reroutes.is_empty(), "nobody wants to go through");
    for agent in 100..120 {
        let direction = if agent % 2 == 0 { (2, 0) } else { (-2, 0) };
        let entrant = Entrant { agent, direction, width: 1, stays: None };
        rule.table.corridor_control.admission.note_asked(
            corridor,
            entrant,
            (PriorityKey::FIRST, 4),
            (view.tick, true),
        );
    }
    rule.table.corridor_control.admission.find_busy(view.tick);
    entrances.iter().for_each(|&entrance| {
        rule.table.corridor_control.admission.note_entrance(corridor, entrance, view.tick)
    });
    let (mut now, others) = rule.planning(&view);
    others.pushing.clear_entrances(&mut now, &mut decisions);
    let before = |cells: &BTreeSet<CellXY>| {
        entrances.iter().any(|entrance| cells.iter().any(|&cell| entrance.has_before(cell)))
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
        assert_eq!(rule.table.cold[row].for_agent, NONE);
    }
    assert!(left[0] > 0 && left[1] > 0, "{left:?}");
}
