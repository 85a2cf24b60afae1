//! Regions and what crossings take, held against floods and relaxation over all poses of a map.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::{Simulation, load, scenario};
use proptest::prelude::*;
use std::path::Path;

const CLASSES: &str = r#"
[class.walker]
headings = 1
moves = [
    { name = "E", by = [1, 0], time = 1 },
    { name = "N", by = [0, -1], time = 2 },
    { name = "W", by = [-1, 0], time = 1 },
    { name = "S", by = [0, 1], time = 1 },
]
[class.truck]
headings = 4
footprint = ["XX>"]
moves = [
    { name = "forward", by = [1, 0], time = 3 },
    { name = "reverse", by = [-1, 0], time = 9 },
    { name = "left", turn = 1, time = 3 },
    { name = "right", turn = -1, time = 4 },
]
[class.tank]
headings = 4
footprint = ["X>", "XX"]
pivot = [-0.5, 0.5]
moves = [
    { name = "forward", by = [1, 0], time = 4 },
    { name = "reverse", by = [-1, 0], time = 5 },
    { name = "left", turn = 1, time = 2 },
    { name = "right", turn = -1, time = 2 },
]
"#;

/// Three rooms side by side with doors, some slow ground and a few trees.
fn rooms() -> impl Strategy<Value = Vec<String>> {
    let glyph = prop_oneof![120 => Just('.'), 20 => Just('S'), 1 => Just('T')];
    let doors = prop::collection::vec((0_usize..11, 1_usize..4), 4);
    (prop::collection::vec(prop::collection::vec(glyph, 26), 12), doors).prop_map(|(mut rows, doors)| {
        for (at, (top, width)) in doors.into_iter().enumerate() {
            let x = [8, 17][at % 2];
            for (y, row) in rows.iter_mut().enumerate() {
                let in_door = (top..top + width).contains(&y);
                match at < 2 {
                    true => row[x] = if in_door { '.' } else { 'T' },
                    false if in_door => row[x] = '.',
                    false => {}
                }
            }
        }
        rows.into_iter().map(String::from_iter).collect()
    })
}

fn built(rows: &[String], collision: &str) -> Simulation {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    let rows = rows.join(",");
    let text = format!(
        "name = \"rooms\"\nticks = 9\ncollision = \"{collision}\"\n[map]\nrows = [{rows}]\n{CLASSES}"
    );
    let typed = scenario::parse("rooms.toml", text.as_bytes()).unwrap();
    load::build_simulation(Path::new("rooms.toml"), &typed).unwrap()
}

/// Number of the region of each state; `None` of those that touch gates, lie in small pockets or are not legal.
fn regions(tables: &MovementTables, gates: &Gates) -> (Vec<Option<u32>>, u32) {
    let space = tables.space();
    let states = || (0..space.n_states() as u32).map(State);
    let touches = |state: State| {
        let pose = space.pose(state);
        tables.class().cells_at(pose).iter().any(|offset| gates.at(offset.cell_from(pose.cell)) != NONE)
    };
    let mut seen: Vec<bool> = states().map(|state| !tables.is_legal(state) || touches(state)).collect();
    let (mut regions, mut n_regions) = (vec![None; seen.len()], 0);
    for first in states() {
        let mut flood = Vec::new();
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state.0 as usize], true) {
                flood.push(state);
                tables.for_each_neighbour(state, |next| open.push(next));
            }
        }
        if flood.len() >= 16 * usize::from(space.headings()) {
            flood.iter().for_each(|state| regions[state.0 as usize] = Some(n_regions));
            n_regions += 1;
        }
    }
    (regions, n_regions)
}

/// The least that is taken of a resource from a region to each, with no other on the way: relaxed until nothing
/// changes. Its weights are counted from cells.
fn least_by_relaxation(
    tables: &MovementTables,
    rule: CollisionRule,
    weight_of: &dyn Fn(&[CellXY]) -> u32,
    (regions, n_regions): (&[Option<u32>], u32),
    from: u32,
) -> Vec<u32> {
    let space = tables.space();
    let mut moves = Vec::new();
    for state in (0..space.n_states() as u32).map(State).filter(|&state| tables.is_legal(state)) {
        tables.for_each_successor(state, |next| {
            let (pose, primitive) = (space.pose(state), usize::from(next.primitive));
            let (anchor, cells) = rule.held(&Step { class: tables.class(), pose, primitive });
            let cells: Vec<CellXY> = cells.iter().map(|offset| offset.cell_from(anchor)).collect();
            moves.push((state, next.state, next.ticks * weight_of(&cells)));
        });
    }
    let mut costs = vec![u32::MAX; space.n_states()];
    let mut least = vec![u32::MAX; n_regions as usize];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(one, other, amount) in &moves {
            let so_far = match regions[one.0 as usize] {
                Some(region) if region == from => 0,
                Some(_) => continue,
                None => costs[one.0 as usize],
            };
            let known = match regions[other.0 as usize] {
                Some(region) => &mut least[region as usize],
                None => &mut costs[other.0 as usize],
            };
            if so_far != u32::MAX && so_far + amount < *known {
                *known = so_far + amount;
                changed = true;
            }
        }
    }
    least
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn crossings_take_what_all_sequences_of_moves_take_at_least(rows in rooms(), discrete in any::<bool>()) {
        let sim = built(&rows, if discrete { "discrete" } else { "swept" });
        let (rule, gates) = (sim.settings.collision, Gates::find(sim.grid.size(), &sim.tables));
        for tables in &sim.tables {
            let ways = Ways::find(tables, rule, &gates, &|| true);
            let (regions, n_regions) = regions(tables, &gates);
            prop_assert_eq!(ways.n_regions, n_regions);
            for state in (0..tables.space().n_states() as u32).map(State) {
                if let Some(region) = regions[state.0 as usize] {
                    prop_assert_eq!(ways.regions_at(state), &[region][..]);
                }
            }
            // Of too many gates at one crossing it is said that they take nothing.
            let is_exact = gates.widths.len() <= GATES_MAX && n_regions as usize <= REGIONS_MAX;
            for (gate, &width) in gates.widths.iter().enumerate() {
                let cells: Vec<CellXY> =
                    gates.cells.iter().filter(|cell| cell.1 == gate as u32).map(|cell| cell.0).collect();
                prop_assert_eq!(cells.len() as u32, width);
                for count in 0..COUNTS {
                    if capacity(count, width).is_none() {
                        continue;
                    }
                    let weight_of = |held: &[CellXY]| {
                        let held = held.iter().filter(|cell| cells.contains(cell)).count() as u32;
                        // Two that have more than a half each have more than all, and so three of a third.
                        match count { 0 => held, _ => u32::from(held * (count as u32 + 1) > width) }
                    };
                    let resource = (gate * COUNTS + count) as u32;
                    for from in 0..n_regions {
                        let expected =
                            least_by_relaxation(tables, rule, &weight_of, (&regions, n_regions), from);
                        for to in (0..n_regions).filter(|&to| to != from) {
                            let between = ways.crossings.iter().filter(|way| (way.from, way.to) == (from, to));
                            let taken = between.map(|&way| {
                                let of = ways.takes(way).iter().find(|takes| takes.0 == resource);
                                of.map_or(0, |takes| takes.1)
                            });
                            let taken = taken.min().unwrap_or(u32::MAX);
                            let expected = expected[to as usize];
                            prop_assert!(taken <= expected, "{from} to {to}: {taken}, {expected} of {resource}");
                            prop_assert!(!is_exact || taken == expected, "{from} to {to}: {taken}, {expected}");
                        }
                    }
                }
            }
        }
    }
}

/// No agents that stand beside each other on a gate have more of it than there is.
#[test]
fn weights_of_those_at_a_gate_are_within_its_capacity() {
    fn most(count: usize, width: u32, left: u32) -> u32 {
        (1..=left).map(|held| weight(count, width, held) + most(count, width, left - held)).max().unwrap_or(0)
    }
    for width in 1..=12 {
        for count in 0..COUNTS {
            if let Some(capacity) = capacity(count, width) {
                assert_eq!(most(count, width, width), capacity, "{count} of {width}");
            }
        }
    }
}
