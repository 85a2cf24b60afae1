//! No-stopping ground compared with its definition, and crowds before a bridge that heed it.

use super::ground::{Ground, RULES, at, dot, ground, truck};
use super::hand_world::{HandWorld, Trips, cooperative, cooperative_with};
use crate::cooperative::admission::Entrant;
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::no_stopping::Place;
use crate::forbidden::{ForbiddenArea, forbids, touches};
use crate::motion::{AgentId, AgentSlot, ClassId, sides};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::random::Random;
use crate::teams::Team;
use proptest::prelude::*;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, GridSize, Rect, TerrainKind};
use wheelbase_planner::model::Offset;

/// Cells at most `reach` steps away from a corridor over free cells, diagonal steps too: one step after the
/// other.
fn ground_of(control: &CorridorControl, corridor: u32, reach: u32, size: GridSize) -> BTreeSet<(i32, i32)> {
    let all = || size.rect().cells();
    let mut cells: BTreeSet<(i32, i32)> =
        all().filter(|&cell| control.map.at_anchor(cell) == corridor).map(|cell| (cell.x, cell.y)).collect();
    for _ in 0..reach {
        let touches = |cell: &CellXY| {
            let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)));
            around.into_iter().any(|(dx, dy)| cells.contains(&(cell.x + dx, cell.y + dy)))
        };
        let next: Vec<CellXY> = all().filter(|&cell| control.map.free.get(cell)).filter(touches).collect();
        cells.extend(next.into_iter().map(|cell| (cell.x, cell.y)));
    }
    cells
}

/// Makes a corridor busy at a tick: as many agents ask from either end as that takes.
pub fn make_busy(control: &mut CorridorControl, corridor: u32, tick: u32) {
    for number in 0..2 * TrafficParams::USUAL.corridor_busy_wide {
        let (agent, slot) = (AgentId(1_000 + number), AgentSlot(1_000 + number));
        let direction = if number % 2 == 0 { (3, 0) } else { (-3, 0) };
        let entrant = Entrant { agent, slot, direction, width: 1, stays: None, team: Team(0), friends: 1 };
        let key = PriorityKey::of_trip(0, 0, agent);
        control.admission.note_request(corridor, entrant, (key, 5), (tick, false));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(60), failure_persistence: None, ..ProptestConfig::default() })]

    /// On random maps, after edits too: a cell is on no-stopping ground if and only if the definition says so.
    #[test]
    fn equals_its_definition(mut ground in ground(25).prop_filter_map("no class", |ground| ground), seed in any::<u64>()) {
        let (size, mut random) = (ground.grid.size(), Random::new(seed));
        let of_classes: Vec<(u32, u32)> = ground.tables.iter().map(sides).collect();
        let params = TrafficParams::USUAL;
        let longest = of_classes.iter().map(|&(_, long)| long).max().unwrap_or(1);
        let narrowest = of_classes.iter().map(|&(short, _)| short).min().unwrap_or(1);
        let mut control = CorridorControl::new(size, &ground.tables, &of_classes, params);
        for _ in 0..3 {
            let mut right = BTreeSet::new();
            for (number, shape) in control.map.shapes.clone().into_iter().enumerate() {
                if shape.n_cells == 0 || random.below(3) == 0 {
                    continue;
                }
                make_busy(&mut control, number as u32, 0);
                if shape.width >= 2 * narrowest {
                    let reach = (params.keep_clear_quarters * longest).div_ceil(4);
                    right.extend(ground_of(&control, number as u32, reach, size));
                }
            }
            control.find_busy(0, &[], [].into_iter());
            for cell in size.rect().cells() {
                let body = (cell, &[Offset::new(0, 0)][..]);
                let covers = |team| control.no_stopping.covers(body, control.no_stopping.agent_at(team, body));
                prop_assert_eq!(covers(Team(0)), right.contains(&(cell.x, cell.y)), "{}", cell);
                prop_assert!(!covers(Team(1)));
            }
            // The next edit may change any corridor; nobody asks any more.
            let changed = CellXY::new(random.below(size.width() as usize) as i32, random.below(size.height() as usize) as i32);
            let area = Rect::new(changed.x, changed.y, 1, 1);
            let changed = ground.grid.set_terrain(area, TerrainKind(random.below(2) as u8)).changed;
            for tables in &mut ground.tables {
                tables.update(&ground.grid, changed);
            }
            control.update(&ground.tables, &[changed]);
            control.admission.corridors.iter_mut().for_each(|corridor| corridor.waiting.clear());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The ground of edits that wait, for a body of two cells, cell by cell.
    #[test]
    fn the_ground_of_edits_equals_its_definition(
        areas in prop::collection::vec((0..4_u64, (-3..12, -3..12), (1..5_u32, 1..5_u32)), 1..7),
        quarters in 0..5_u32,
    ) {
        let ground = Ground::square(&["........"; 7], &[dot(2)]);
        let size = ground.grid.size();
        let params = TrafficParams { keep_clear_quarters: quarters, ..TrafficParams::USUAL };
        let mut control = CorridorControl::new(size, &ground.tables, &[(1, 2)], params);
        let reach = (quarters * 2).div_ceil(4) as i32;
        let mut areas: Vec<ForbiddenArea> = areas
            .into_iter()
            .map(|(edit, (x, y), (w, h))| ForbiddenArea { area: Rect::new(x, y, w, h), edit })
            .filter(|of| !of.area.intersection(size.rect()).is_empty())
            .collect();
        areas.sort_by_key(|of| of.edit);
        control.find_busy(0, &areas, [ClassId(0)].into_iter());
        let cells = [Offset::new(0, 0), Offset::new(1, 0)];
        for anchor in size.rect().cells() {
            let body: Vec<CellXY> = cells.iter().map(|offset| offset.cell_from(anchor)).collect();
            let on_map = |of: &ForbiddenArea| of.area.intersection(size.rect()).cells().collect::<Vec<_>>();
            let is_on = |of: &ForbiddenArea, by: i32| {
                let close = |a: &CellXY, b: &CellXY| (a.x - b.x).abs().max((a.y - b.y).abs()) <= by;
                let inside = body.iter().filter(|cell| size.contains(**cell));
                on_map(of).iter().any(|cell| inside.clone().any(|under| close(cell, under)))
            };
            let no_stopping = &control.no_stopping;
            let agent = no_stopping.agent_at(Team(0), (anchor, &cells));
            let (on, near) =
                (areas.iter().any(|of| is_on(of, 0)), areas.iter().any(|of| is_on(of, reach)));
            let kept = reach > 0;
            prop_assert_eq!(agent.leaves_edit, kept && on, "{}", anchor);
            prop_assert_eq!(no_stopping.covers((anchor, &cells), agent), kept && near && !on, "{}", anchor);
            for (at, edit) in areas.chunk_by(|a, b| a.edit == b.edit).enumerate().filter(|_| kept) {
                let right = match (edit.iter().any(|of| is_on(of, 0)), edit.iter().any(|of| is_on(of, reach))) {
                    (true, _) => Some(Place::OnEdit),
                    (_, true) => Some(Place::Near),
                    _ => None,
                };
                prop_assert_eq!(no_stopping.place(at, (anchor, &cells)), right, "{} {}", anchor, at);
            }
            let held = &cells[..1];
            let forbidden = areas.chunk_by(|a, b| a.edit == b.edit).any(|edit| {
                let has = |cells: &[Offset]| edit.iter().any(|of| touches(of.area, anchor, cells));
                has(&cells) && !has(held)
            });
            prop_assert_eq!(forbids(&areas, anchor, held, &cells), forbidden);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(100), failure_persistence: None, ..ProptestConfig::default() })]

    /// The marks of cells agree with a walk over all grounds, on random maps and for every team. Corridors
    /// become busy for some teams and cease to be, edits wait and are made, and the map changes.
    #[test]
    fn marks_of_cells_equal_a_walk_over_all_grounds(
        mut ground in ground(25).prop_filter_map("no class", |ground| ground),
        seed in any::<u64>(),
    ) {
        let (size, mut random) = (ground.grid.size(), Random::new(seed));
        let of_classes: Vec<(u32, u32)> = ground.tables.iter().map(sides).collect();
        let mut control = CorridorControl::new(size, &ground.tables, &of_classes, TrafficParams::USUAL);
        let any_cell = |random: &mut Random| {
            CellXY::new(random.below(size.width() as usize) as i32, random.below(size.height() as usize) as i32)
        };
        for _ in 0..12 {
            for corridor in &mut control.admission.corridors {
                let teams = [0, 1, 0b11, 1 << 6, 1 << 9 | 1, 1 << 31 | 1 << 5, u32::MAX];
                if random.below(2) == 0 {
                    corridor.busy_for = teams[random.below(teams.len())];
                }
            }
            control.admission.any_busy = control.admission.corridors.iter().any(|corridor| corridor.busy_for != 0);
            let mut areas: Vec<ForbiddenArea> = (0..random.below(4))
                .map(|_| {
                    let (CellXY { x, y }, edit) = (any_cell(&mut random), random.below(2) as u64);
                    ForbiddenArea { area: Rect::new(x - 1, y - 1, 1 + random.below(3) as u32, 2), edit }
                })
                .collect();
            areas.sort_by_key(|of| of.edit);
            let CorridorControl { map, admission, no_stopping } = &mut control;
            let n_classes = random.below(of_classes.len() + 1);
            no_stopping.update(map, admission, &areas, (0..n_classes).map(|class| ClassId(class as u8)));
            let cells = [Offset::new(0, 0), Offset::new(1, 0), Offset::new(0, -2)];
            for anchor in size.rect().cells() {
                for team in [0, 1, 5, 6, 9, 30, 31].map(Team) {
                    let body = (anchor, &cells[..1 + random.below(3)]);
                    let agent = no_stopping.agent_at(team, body);
                    let walked = no_stopping.reason_under(body, agent).is_some();
                    prop_assert_eq!(no_stopping.covers(body, agent), walked, "{} {:?}", anchor, team);
                }
            }
            if random.below(3) == 0 {
                let CellXY { x, y } = any_cell(&mut random);
                let kind = TerrainKind(random.below(2) as u8);
                let changed = ground.grid.set_terrain(Rect::new(x, y, 1, 1), kind).changed;
                for tables in &mut ground.tables {
                    tables.update(&ground.grid, changed);
                }
                control.update(&ground.tables, &[changed]);
            }
        }
    }
}

/// A crowd of two sizes goes to and fro over a bridge. No plan ends on the bridge or on the ground before it, and all
/// agents arrive, round after round.
#[test]
fn plans_of_a_crowd_lead_over_the_bridge() {
    let (bank, wall) = (".".repeat(24), "#".repeat(4));
    let rows: Vec<String> = (0..12)
        .map(|y| format!("{bank}{}{bank}", if y == 5 || y == 6 { "...." } else { wall.as_str() }))
        .collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&rows, &[dot(2), truck()]), collision);
        for number in 0..12 {
            let there = |x: i32| CellXY::new(x, number);
            let both_ways = |first: i32, second: i32| Trips {
                goals: [first, second].repeat(4).into_iter().map(there).collect(),
                ..Trips::default()
            };
            world.add(0, at(1, number), 0, both_ways(50, 1));
            world.add(1, at(50, number), 0, both_ways(4, 49));
        }
        let params = TrafficParams { corridor_busy_wide: 4, ..TrafficParams::USUAL };
        let mut rule = cooperative_with(&world, params);
        let mut crossings = 0;
        while !world.all_done() {
            assert!(world.tick < 8000, "{collision:?}: not all have arrived");
            world.step(&mut rule);
            let view = world.view();
            crossings +=
                rule.audit(view.agents, view.tables, view.grid_size, view.tick).check_no_stopping(view.paths);
        }
        assert!(crossings > 5, "{collision:?}: {crossings} crossings");
    }
}

/// A goal on a bridge is not starved by agents that go over it, from either side: they can pass the agent that stays.
#[test]
fn a_goal_on_a_bridge_is_reached_in_time() {
    let wall = "....####....";
    let open = "............";
    let rows = [wall, wall, open, open, open, wall, wall];
    let mut wide = dot(3);
    wide.name = "wide".to_owned();
    wide.footprint = (0..2).flat_map(|x| (0..2).map(move |y| (x, y))).collect();
    for collision in RULES {
        let mut world = HandWorld::new(Ground::square(&rows, &[dot(2), wide.clone()]), collision);
        for y in 2..5 {
            let goals = |first, second| vec![CellXY::new(first, y), CellXY::new(second, y)];
            world.add(0, at(0, y), 0, Trips { goals: goals(11, 0), is_patrol: true, done: 0 });
            world.add(0, at(11, y), 0, Trips { goals: goals(0, 11), is_patrol: true, done: 0 });
        }
        let goals = vec![CellXY::new(5, 3), CellXY::new(0, 0)];
        let id = world.add(0, at(0, 6), 0, Trips { goals, is_patrol: true, done: 0 });
        let mut rule = cooperative(&world);
        world.run(&mut rule, 2000);
        // Alone a round takes some 40 ticks.
        assert!(world.done(id) > 20, "{collision:?}: {} goals reached", world.done(id));
        assert_eq!(rule.table.corridor_control.map.at_anchor(CellXY::new(2, 3)), NO_CORRIDOR);
        assert_ne!(rule.table.corridor_control.map.at_anchor(CellXY::new(5, 3)), NO_CORRIDOR);
    }
}
