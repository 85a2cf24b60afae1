//! Corridors compared with their definition cell by cell, before and after edits. Also admission to them.

use super::ground::{Ground, ground};
use crate::collision::Transition;
use crate::cooperative::admission::*;
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::fixed::{CORRIDOR_BATCH, CORRIDOR_BATCH_BUSY, CORRIDOR_SIDE_MAX, REQUEST_TICKS};
use crate::motion::{AgentId, AgentSlot, sides};
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::random::Random;
use crate::teams::Team;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, GridShape, Rect, SideKind, TerrainKind};
use wheelbase_planner::{ClassSpec, Heading, Legality, MovementTables, Pose, Primitive};

type Cells = BTreeSet<(i32, i32)>;

/// The priority key of an agent: by its id.
fn key(agent: AgentId) -> PriorityKey {
    PriorityKey::of_trip(0, 0, agent)
}

fn sides_of(ground: &Ground) -> Vec<(u32, u32)> {
    ground.tables.iter().map(sides).collect()
}

/// Corridors on a new map.
fn control_of(ground: &Ground) -> CorridorControl {
    control_with(ground, TrafficParams::USUAL)
}

fn control_with(ground: &Ground, params: TrafficParams) -> CorridorControl {
    CorridorControl::new(ground.grid.size(), &ground.tables, &sides_of(ground), params)
}

/// Cells and widths of the corridors, by the definition at the head of `corridor_map.rs`, where ways around are short
/// up to `detour` cells.
fn defined(ground: &Ground, detour: u32) -> BTreeSet<(Cells, u32)> {
    let size = ground.grid.size();
    let body = |tables: &&MovementTables| tables.class().spec().footprint.len();
    let smallest = ground.tables.iter().min_by_key(body).unwrap();
    let legality = Legality::new(&ground.grid, smallest.class());
    let mut free = Cells::new();
    for cell in size.rect().cells() {
        for heading in 0..smallest.space().headings() {
            let pose = Pose { cell, heading: Heading(heading) };
            if legality.check_pose(pose).is_ok() {
                let under = smallest.class().cells_at(pose);
                free.extend(under.iter().map(|offset| (cell.x + offset.dx, cell.y + offset.dy)));
            }
        }
    }
    let run = |(x, y): (i32, i32), (dx, dy): (i32, i32)| {
        (1..).take_while(|&at| free.contains(&(x + at * dx, y + at * dy))).count() as u32
    };
    let width =
        |cell| (1 + run(cell, (1, 0)) + run(cell, (-1, 0))).min(1 + run(cell, (0, 1)) + run(cell, (0, -1)));
    let bodies = TrafficParams::USUAL.corridor_bodies;
    let widest = sides_of(ground).iter().map(|&(short, _)| short).max().unwrap();
    let with_room = |widths: std::ops::Range<u32>| -> Cells {
        free.iter().copied().filter(|&cell| widths.contains(&width(cell))).collect()
    };
    let (narrow, tight) = (with_room(0..2 * widest), with_room(2 * widest..bodies * widest));
    let regions = [narrow, tight].into_iter().flat_map(|cells| joined(ground, cells, width));
    regions.filter(|(region, _)| detour == 0 || !has_way_around(ground, &free, region, detour)).collect()
}

/// Whether a region has several mouths, and all cells of them lie within some steps of the first, outside the region.
fn has_way_around(ground: &Ground, free: &Cells, region: &Cells, detour: u32) -> bool {
    let beside = |(x, y): (i32, i32)| {
        let shape = ground.grid.shape();
        shape.sides().iter().map(move |&side| shape.neighbour(CellXY::new(x, y), side)).map(|to| (to.x, to.y))
    };
    let outside: Cells = free.difference(region).copied().collect();
    let by_row = |&(x, y): &(i32, i32)| (y, x);
    let mouths: Cells =
        region.iter().flat_map(|&cell| beside(cell)).filter(|cell| outside.contains(cell)).collect();
    let Some(&first) = mouths.iter().min_by_key(|cell| by_row(cell)) else { return false };
    // All cells that are connected to the first in some steps.
    let spread = |steps: u32, next: &dyn Fn((i32, i32)) -> Cells| {
        let mut all = Cells::from([first]);
        for _ in 0..steps {
            let more: Cells = all.iter().flat_map(|&cell| next(cell)).collect();
            all.extend(more);
        }
        all
    };
    let touching = |(x, y): (i32, i32)| -> Cells {
        mouths.iter().copied().filter(|to| (to.0 - x).abs().max((to.1 - y).abs()) <= 1).collect()
    };
    let open = |cell| -> Cells { beside(cell).filter(|cell| outside.contains(cell)).collect() };
    spread(mouths.len() as u32, &touching) != mouths && mouths.is_subset(&spread(detour, &open))
}

/// The corridors that touching cells form, without corridors that are too large. Each has its least width.
fn joined(ground: &Ground, mut left: Cells, width: impl Fn((i32, i32)) -> u32) -> BTreeSet<(Cells, u32)> {
    let mut corridors = BTreeSet::new();
    while let Some(first) = left.pop_first() {
        let (mut cells, mut open) = (Cells::new(), vec![first]);
        while let Some((x, y)) = open.pop() {
            cells.insert((x, y));
            for &side in ground.grid.shape().sides() {
                let next = ground.grid.shape().neighbour(CellXY::new(x, y), side);
                let next = (next.x, next.y);
                if left.remove(&next) {
                    open.push(next);
                }
            }
        }
        let span = |at: fn(&(i32, i32)) -> i32| {
            cells.iter().map(at).max().unwrap() - cells.iter().map(at).min().unwrap() + 1
        };
        if cells.len() <= TrafficParams::USUAL.corridor_cells_max as usize
            && span(|cell| cell.0).max(span(|cell| cell.1)) <= CORRIDOR_SIDE_MAX as i32
        {
            let least = cells.iter().map(|&cell| width(cell)).min().unwrap();
            corridors.insert((cells, least));
        }
    }
    corridors
}

/// Cells and widths of the corridors as found.
fn found(corridor_control: &CorridorControl) -> BTreeSet<(Cells, u32)> {
    let mut cells: BTreeMap<u32, Cells> = BTreeMap::new();
    for cell in corridor_control.map.size.rect().cells() {
        let number = corridor_control.map.at_anchor(cell);
        if number != NO_CORRIDOR {
            cells.entry(number).or_default().insert((cell.x, cell.y));
        }
    }
    for (number, corridor) in corridor_control.admission.corridors.iter().enumerate() {
        let n = cells.get(&(number as u32)).map_or(0, BTreeSet::len);
        assert_eq!(n as u32, corridor_control.map.shapes[number].n_cells);
        assert_eq!(corridor.width, corridor_control.map.shapes[number].width);
        assert_eq!(n == 0, corridor_control.map.spare.contains(&(number as u32)));
    }
    cells
        .into_iter()
        .map(|(number, cells)| (cells, corridor_control.admission.corridors[number as usize].width))
        .collect()
}

/// A class of square bodies that moves east only, a cell in a tick.
fn going_east(side: i32) -> ClassSpec {
    let mut spec = ClassSpec::new("a", 1);
    spec.footprint = (0..side).flat_map(|x| (0..side).map(move |y| (x, y))).collect();
    spec.primitives = vec![Primitive::step("E", (1, 0), 1)];
    spec
}

/// The agent of a number, in the agent slot of that number.
fn entrant(number: u32) -> Entrant {
    let (agent, slot) = (AgentId(number), AgentSlot(number));
    Entrant { agent, slot, direction: (1, 0), width: 1, stays: None, team: Team(0), friends: 1 }
}

/// Edits of a map, and the corridors and the agents in them after each.
fn check_edits(mut ground: Ground, random: &mut Random) -> Result<(), TestCaseError> {
    let size = ground.grid.size();
    let detour = [0, 3, 12, 48][random.below(4)];
    let params = TrafficParams { detour_cells: detour, ..TrafficParams::USUAL };
    let mut corridor_control = control_with(&ground, params);
    prop_assert_eq!(found(&corridor_control), defined(&ground, detour));
    let n_kinds = ground.grid.terrain_table().entries().len();
    for _ in 0..8 {
        let before: Vec<u32> = corridor_control.map.of_cell.clone();
        let corridors = found(&corridor_control);
        // Agent 100 + n is in corridor n.
        for number in before.iter().copied().filter(|&number| number != NO_CORRIDOR) {
            corridor_control.admission.enter(number, entrant(100 + number));
        }
        let mut edited = Vec::new();
        for _ in 0..1 + random.below(2) {
            let (x, y) = (random.below(size.width() as usize), random.below(size.height() as usize));
            let area = Rect::new(x as i32, y as i32, 1 + random.below(3) as u32, 1 + random.below(2) as u32);
            let changed = if random.below(3) == 0 {
                let sides = ground.grid.shape().sides();
                let kind = [SideKind::OPEN, SideKind::WALL][random.below(2)];
                ground
                    .grid
                    .set_side(CellXY::new(x as i32, y as i32), sides[random.below(sides.len())], kind)
                    .changed
            } else {
                ground.grid.set_terrain(area, TerrainKind(random.below(n_kinds) as u8)).changed
            };
            for tables in &mut ground.tables {
                tables.update(&ground.grid, changed);
            }
            edited.push(changed);
        }
        edited.retain(|area| !area.is_empty());
        let changed = corridor_control.update(&ground.tables, &edited);
        prop_assert_eq!(found(&corridor_control), defined(&ground, detour));
        prop_assert_eq!(changed, found(&corridor_control) != corridors);
        for (cell, &number) in before.iter().enumerate() {
            let now = corridor_control.map.at(cell);
            if number != NO_CORRIDOR && now != NO_CORRIDOR {
                prop_assert!(
                    corridor_control.admission.is_inside(now, AgentSlot(100 + number)),
                    "an agent in it is in what it has become"
                );
            }
            if number != NO_CORRIDOR && !corridor_control.map.is_altered(number) {
                prop_assert_eq!(now, number);
            }
        }
        corridor_control.admission.keep_inside(|_, _| false);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn corridors_are_as_defined_before_and_after_edits(
        ground in prop_oneof![ground(10), ground(40), ground(90)],
        seed in any::<u64>(),
    ) {
        let Some(ground) = ground else { return Ok(()) };
        check_edits(ground, &mut Random::new(seed))?;
    }
}

/// Long lanes and mazes are too large for corridors; cut in two they may become some, and joined none again.
#[test]
fn corridors_of_large_maps_are_as_defined() {
    let mut random = Random::new(7);
    for cover in [20, 35, 60] {
        let row = |random: &mut Random| -> String {
            (0..90).map(|_| if random.below(100) < cover { '@' } else { '.' }).collect()
        };
        let mut rows: Vec<String> = (0..70).map(|_| row(&mut random)).collect();
        rows[30] = "@".repeat(90);
        rows[31] = ".".repeat(90);
        rows[32] = "@".repeat(90);
        let ground = Ground::new(GridShape::Square, &rows, &[going_east(1)]).unwrap();
        check_edits(ground, &mut random).unwrap();
    }
}

/// A lane that is cut, joined again and opened, and the agents in it.
#[test]
fn a_lane_is_cut_joined_and_opened() {
    let rows = ["#########", ".........", "#########", "#########", "........."];
    let mut ground = Ground::square(&rows, &[going_east(1)]);
    let kinds = ground.grid.terrain_table();
    let (floor, rock) = (kinds.kind_of_glyph('.').unwrap(), kinds.kind_of_glyph('#').unwrap());
    let mut corridor_control = control_of(&ground);
    let mut edit = |corridor_control: &mut CorridorControl, area, kind| {
        let changed = ground.grid.set_terrain(area, kind).changed;
        ground.tables[0].update(&ground.grid, changed);
        corridor_control.update(&ground.tables, &[changed])
    };
    let at = |corridor_control: &CorridorControl, x, y| corridor_control.map.at_anchor(CellXY::new(x, y));
    let (upper, lower) = (at(&corridor_control, 0, 1), at(&corridor_control, 0, 4));
    assert!(upper != lower && upper != NO_CORRIDOR && lower != NO_CORRIDOR);
    corridor_control.admission.enter(upper, entrant(1));
    corridor_control.admission.enter(lower, entrant(2));
    // Cut in two: the agent inside may be in either half, and leaves the half where it is not.
    assert!(edit(&mut corridor_control, Rect::new(4, 1, 1, 1), rock));
    let (west, east) = (at(&corridor_control, 1, 1), at(&corridor_control, 6, 1));
    assert!(west != east && at(&corridor_control, 4, 1) == NO_CORRIDOR && west == upper);
    assert!(
        corridor_control.admission.is_inside(west, AgentSlot(1))
            && corridor_control.admission.is_inside(east, AgentSlot(1))
            && corridor_control.admission.is_inside(lower, AgentSlot(2))
    );
    assert!(corridor_control.map.is_altered(upper) && !corridor_control.map.is_altered(lower));
    corridor_control.admission.keep_inside(|corridor, slot| slot.0 != 1 || corridor == east);
    assert!(
        !corridor_control.admission.is_inside(west, AgentSlot(1))
            && corridor_control.admission.is_inside(east, AgentSlot(1))
    );
    // Joined again.
    corridor_control.admission.enter(west, entrant(3));
    assert!(edit(&mut corridor_control, Rect::new(4, 1, 1, 1), floor));
    let joined = at(&corridor_control, 4, 1);
    assert!([at(&corridor_control, 0, 1), at(&corridor_control, 8, 1)] == [joined; 2] && joined != lower);
    assert!(
        corridor_control.admission.is_inside(joined, AgentSlot(1))
            && corridor_control.admission.is_inside(joined, AgentSlot(3))
    );
    assert!(!corridor_control.map.is_altered(lower));
    // An edit that changes no narrow cell changes no corridor.
    assert!(!edit(&mut corridor_control, Rect::new(4, 1, 1, 1), floor));
    // Widened: two can pass there, and it is one tight corridor; the agents of the lane are in it.
    assert!(edit(&mut corridor_control, Rect::new(0, 2, 9, 1), floor));
    let tight = at(&corridor_control, 4, 1);
    assert!(tight != lower && tight != NO_CORRIDOR && at(&corridor_control, 4, 2) == tight);
    assert_eq!(corridor_control.map.shapes[tight as usize].width, 2);
    assert!(corridor_control.admission.is_inside(tight, AgentSlot(3)));
    // Wider still: it joins the lower lane as open ground does, three pass, and all of it is open.
    assert!(edit(&mut corridor_control, Rect::new(0, 3, 9, 1), floor));
    assert_eq!([1, 2, 4].map(|y| at(&corridor_control, 4, y)), [NO_CORRIDOR; 3]);
    assert!(edit(&mut corridor_control, Rect::new(0, 3, 9, 1), rock));
    // The lane comes back where the floor is walled up again, with the number that was given up.
    assert!(edit(&mut corridor_control, Rect::new(0, 2, 9, 1), rock));
    assert_eq!(at(&corridor_control, 4, 1), 0);
    assert!(!corridor_control.admission.is_inside(at(&corridor_control, 4, 1), AgentSlot(1)));
}

/// Entrants of two widths keep coming from both ends of a corridor two cells wide. Most go through, some stay there.
#[test]
fn all_enter_in_time_and_none_meets_an_agent_it_cannot_pass() {
    let wall = "##########";
    let ground = Ground::square(&[wall, "..........", "..........", wall], &[going_east(2)]);
    // Whether one may enter after the other, in a corridor in which two narrow bodies have room side by side.
    let passes = |one: &Entrant, other: &Entrant| {
        let follows = agree(one.direction, other.direction);
        let have_room = one.width + other.width <= 2;
        match (one.stays, other.stays) {
            (_, None) => follows || have_room,
            (None, Some(_)) => have_room,
            (Some(goal), Some(other)) => follows && goal != other,
        }
    };
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut corridor_control = control_of(&ground);
        let corridor = corridor_control.map.at_anchor(CellXY::new(4, 1));
        // Since when each is there; the first to come is the first to go.
        let mut waiting: Vec<(u32, Entrant)> = Vec::new();
        let mut inside: Vec<(u32, Entrant)> = Vec::new();
        let (mut number, mut longest) = (0, 0);
        for tick in 0..6000 {
            inside.retain(|&(until, entrant)| {
                if until == tick {
                    corridor_control.admission.leave(corridor, entrant.slot);
                }
                until > tick
            });
            // In the end no more come.
            if random.below(4) == 0 && tick < 5000 && waiting.len() < 30 {
                // Most come from the east.
                let direction = if random.below(4) == 0 { (9, 0) } else { (-9, 0) };
                let stays = (random.below(20) == 0).then(|| CellXY::new(random.below(10) as i32, 1));
                let width = 1 + random.below(2) as u32;
                waiting.push((tick, Entrant { direction, width, stays, ..entrant(number) }));
                number += 1;
            }
            waiting.retain(|&(since, entrant)| {
                let key = key(entrant.agent);
                let moves = random.below(10) as u32;
                let kept = corridor_control.admission.next_opposing(corridor, &entrant, 0).is_some()
                    || corridor_control.admission.is_turn_of_others(corridor, &entrant, key, tick)
                    || corridor_control.admission.is_crowded(corridor, &entrant, moves, tick);
                corridor_control.admission.note_request(corridor, entrant, (key, moves), (tick, kept));
                if !kept {
                    for (_, other) in &inside {
                        assert!(passes(&entrant, other), "{entrant:?} and {other:?}");
                    }
                    longest = longest.max(tick - since);
                    corridor_control.admission.enter(corridor, entrant);
                    inside.push((tick + 4 + random.below(8) as u32, entrant));
                }
                kept
            });
        }
        assert!(number > 500 && waiting.is_empty() && inside.is_empty());
        // It waits at most for a batch and the agents before it, a few ticks each.
        assert!(longest < 400, "an agent has waited for {longest} ticks");
    }
}

/// A map of three rows, its corridors, and the one under the third cell of the middle row.
fn corridor_of(rows: [&str; 3]) -> (Ground, CorridorControl, u32) {
    let ground = Ground::square(&rows, &[going_east(1)]);
    let corridor_control = control_of(&ground);
    let corridor = corridor_control.map.at_anchor(CellXY::new(2, 1));
    (ground, corridor_control, corridor)
}

/// Of agents that queue while others come the other way, the next few approach; the rest stay back, each farther than
/// the agents before it. Where none comes the other way, all approach.
#[test]
fn agents_behind_a_batch_stay_back_in_the_queue() {
    let (_, mut corridor_control, corridor) = corridor_of(["#####", ".....", "#####"]);
    let east = |number: u32| Entrant { direction: (5, 0), ..entrant(number) };
    let kept = |corridor_control: &CorridorControl, tick: u32| -> Vec<u32> {
        (0..12)
            .filter(|&agent| corridor_control.admission.is_crowded(corridor, &east(agent), 10 + agent, tick))
            .collect()
    };
    for agent in (0..12).rev() {
        corridor_control.admission.note_request(
            corridor,
            east(agent),
            (key(AgentId(agent)), 10 + agent),
            (3, false),
        );
    }
    assert!(kept(&corridor_control, 3).is_empty());
    corridor_control.admission.note_request(
        corridor,
        Entrant { direction: (-5, 0), ..east(20) },
        (key(AgentId(20)), 40),
        (3, false),
    );
    assert_eq!(kept(&corridor_control, 3), (CORRIDOR_BATCH..12).collect::<Vec<_>>());
    corridor_control.admission.enter(corridor, east(0));
    corridor_control.admission.enter(corridor, east(1));
    assert_eq!(kept(&corridor_control, 3), (CORRIDOR_BATCH..12).collect::<Vec<_>>());
    let stops: Vec<u32> = (4..12)
        .map(|agent| corridor_control.admission.queue_moves(corridor, &east(agent), 10 + agent, 3))
        .collect();
    assert!(stops.is_sorted_by(|one, next| one < next), "{stops:?}");
    // An agent that has not asked for long no longer counts.
    assert!(kept(&corridor_control, 3 + REQUEST_TICKS + 1).is_empty());
}

/// A corridor that these numbers of agents ask to enter eastward and westward, all of them near.
fn lane_between(n_east: u32, n_west: u32) -> (CorridorControl, u32) {
    let (_, mut corridor_control, corridor) = corridor_of(["########", ".......#", "########"]);
    // The agents from the west have the higher priority.
    for agent in 0..n_east {
        corridor_control.admission.note_request(
            corridor,
            entrant(agent),
            (key(AgentId(agent)), 4),
            (0, true),
        );
    }
    for agent in 100..100 + n_west {
        let entrant = Entrant { direction: (-1, 0), ..entrant(agent) };
        corridor_control.admission.note_request(corridor, entrant, (key(AgentId(agent)), 4), (0, true));
    }
    corridor_control.admission.find_busy(0);
    (corridor_control, corridor)
}

/// Agents that are not friends do not make a corridor busy for each other. They do not keep each other out of it, nor
/// count in each other's queues. A friend of both counts all of them.
#[test]
fn only_friends_count_before_a_corridor() {
    let of_team = |number: u32, team: u8, friends: u32, direction: i32| Entrant {
        direction: (direction, 0),
        team: Team(team),
        friends,
        ..entrant(number)
    };
    for are_friends in [true, false] {
        let (_, mut corridor_control, corridor) = corridor_of(["########", ".......#", "########"]);
        let admission = &mut corridor_control.admission;
        // Team 2 is a friend of both, which may not be friends of each other.
        let friends = if are_friends { [0b111, 0b111] } else { [0b101, 0b110] };
        let east = |number| of_team(number, 0, friends[0], 1);
        let west = |number| of_team(number, 1, friends[1], -1);
        for number in 0..TrafficParams::USUAL.corridor_busy {
            for entrant in [east(number), west(100 + number)] {
                admission.note_request(corridor, entrant, (key(entrant.agent), 4), (0, true));
            }
        }
        admission.find_busy(0);
        let busy = [0, 1, 2, 3].map(|team| admission.is_busy(corridor, Team(team)));
        assert_eq!(busy, [are_friends, are_friends, true, false]);
        // The one with the least key is in the corridor, and one of the others would come against it.
        let inside = east(0);
        admission.enter(corridor, inside);
        let other = west(100);
        assert_eq!(admission.next_opposing(corridor, &other, 0).is_some(), are_friends);
        let both = of_team(200, 2, 0b111, -1);
        assert_eq!(admission.next_opposing(corridor, &both, 0), Some((inside.slot, 0)));
        assert_eq!(admission.is_turn_of_others(corridor, &other, PriorityKey::LAST, 0), are_friends);
        // It changes sides.
        admission.set_team(corridor, inside.slot, (Team(1), friends[1]));
        assert_eq!(admission.next_opposing(corridor, &other, 0), Some((inside.slot, 0)));
        let behind = of_team(300, 0, friends[0], -1);
        let queue = admission.queue_moves(corridor, &behind, 9, 0);
        let alone = admission.queue_moves(corridor, &of_team(300, 3, 0b1000, -1), 9, 0);
        assert_eq!(queue > alone, are_friends);
    }
}

/// Where many wait at both ends, the directions take turns by number, and agents of lower priority have theirs.
#[test]
fn a_busy_corridor_is_entered_by_turns_whatever_the_priority() {
    let (mut corridor_control, corridor) = lane_between(40, 40);
    assert!(corridor_control.admission.is_busy(corridor, Team(0)));
    let mut turns = Vec::new();
    for number in 0..35 {
        let (east, west) = (entrant(number), Entrant { direction: (-1, 0), ..entrant(100 + number) });
        let waits = [east, west].map(|entrant| {
            corridor_control.admission.is_turn_of_others(corridor, &entrant, key(entrant.agent), 0)
        });
        assert!(!waits[0] || !waits[1], "both wait for each other");
        let entrant = if waits[0] { west } else { east };
        turns.push(entrant.direction.0);
        corridor_control.admission.enter(corridor, entrant);
        corridor_control.admission.leave(corridor, entrant.slot);
        corridor_control.admission.find_busy(0);
    }
    assert!(
        turns[..TrafficParams::USUAL.corridor_turn_busy as usize].iter().all(|&direction| direction == 1),
        "{turns:?}"
    );
    assert!(
        turns[TrafficParams::USUAL.corridor_turn_busy as usize..].iter().all(|&direction| direction == -1),
        "{turns:?}"
    );
    // More may approach together, and the queue behind them is as long for each.
    let (corridor_control, corridor) = lane_between(12, 1);
    assert!(!corridor_control.admission.is_busy(corridor, Team(0)));
    let (busy, _) = lane_between(12, 4);
    let n_near = |corridor_control: &CorridorControl| {
        (0..12)
            .filter(|&agent| !corridor_control.admission.is_crowded(corridor, &entrant(agent), 4, 0))
            .count()
    };
    assert_eq!(
        (n_near(&corridor_control), n_near(&busy)),
        (CORRIDOR_BATCH as usize, CORRIDOR_BATCH_BUSY as usize)
    );
    let guide_path = |corridor_control: &CorridorControl, agent: u32| {
        corridor_control.admission.queue_moves(corridor, &entrant(agent), 4, 0)
    };
    assert!((0..12).all(|agent| guide_path(&corridor_control, agent) == guide_path(&busy, agent)));
    assert!((1..12).all(|agent| guide_path(&busy, agent - 1) < guide_path(&busy, agent)));
}

/// A busy corridor is entered by a move onto its cells from elsewhere, and by no other.
#[test]
fn a_busy_corridor_is_entered_from_outside() {
    let (ground, mut corridor_control, corridor) = corridor_of(["..#..", ".....", "..#.."]);
    let class = ground.tables[0].class();
    let enters = |corridor_control: &CorridorControl, x: i32| {
        let pose = Pose { cell: CellXY::new(x, 1), heading: Heading(0) };
        corridor_control.enters_busy(&Transition { class, pose, primitive: 0 }, Team(0))
    };
    let entrance = Entrance { cell: CellXY::new(1, 1), direction: (1, 0), reach: 2 };
    assert!((0..4).all(|x| enters(&corridor_control, x).is_none()));
    for agent in 0..TrafficParams::USUAL.corridor_busy {
        corridor_control.admission.note_request(corridor, entrant(agent), (PriorityKey::FIRST, 4), (5, true));
        corridor_control.admission.note_request(
            corridor,
            Entrant { direction: (-1, 0), ..entrant(100 + agent) },
            (PriorityKey::FIRST, 4),
            (5, true),
        );
    }
    corridor_control.find_busy(5, &[], [].into_iter());
    let entered: Vec<_> = (0..4).map(|x| enters(&corridor_control, x)).collect();
    assert_eq!(entered, [None, Some(corridor), None, None]);
    let before: Vec<_> =
        ground.grid.size().rect().cells().filter(|&cell| entrance.has_before(cell)).collect();
    let west = Rect::new(0, 0, 2, 3);
    assert_eq!(before, west.cells().collect::<Vec<_>>());
    // An agent that does not go through begins no turn.
    corridor_control.admission.enter(corridor, Entrant { direction: (1, 0), ..entrant(1) });
    corridor_control.admission.enter(corridor, Entrant { direction: (0, 0), ..entrant(50) });
    let of_lane = &corridor_control.admission.corridors[corridor as usize];
    assert_eq!((of_lane.direction, of_lane.entered), ((1, 0), 1));
}

/// A lane to the north-east on a hexagonal map is one corridor.
#[test]
fn a_lane_across_hexagons_is_one_corridor() {
    let rows = ["####.#", "###.##", "###.##", "##.###", "##.###", "#.####"];
    let mut spec = ClassSpec::hexagonal("a", 6);
    spec.primitives = vec![Primitive::step("ahead", (1, 0), 1)];
    let ground = Ground::new(GridShape::Hex, &rows, &[spec]).unwrap();
    let corridor_control = control_of(&ground);
    let at = |x, y| corridor_control.map.at_anchor(CellXY::new(x, y));
    assert!(at(4, 0) != NO_CORRIDOR);
    assert_eq!([at(3, 1), at(3, 2), at(2, 3), at(2, 4), at(1, 5)], [at(4, 0); 5]);
}
