//! Passages held against their definition cell by cell, before and after edits; and who may enter.

use super::scenes::{built, world};
use crate::Simulation;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, Rect, SideKind, TerrainKind};
use wheelbase_planner::{Heading, Legality, MovementTables, Pose};
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::collision::Step;
use wheelbase_traffic::cooperative::admission::*;
use wheelbase_traffic::cooperative::narrows::Narrows;
use wheelbase_traffic::cooperative::passage_map::OPEN;
use wheelbase_traffic::motion::{AgentId, sides};
use wheelbase_traffic::priority::PriorityKey;
use wheelbase_traffic::random::Random;

type Cells = BTreeSet<(i32, i32)>;

/// The place of an agent in the order of priority: by its id.
fn key(agent: u32) -> PriorityKey {
    PriorityKey::of_trip(0, 0, AgentId(agent))
}

fn sides_of(sim: &Simulation) -> Vec<(u32, u32)> {
    sim.tables.iter().map(sides).collect()
}

/// Cells and widths of the passages, by the definition at the head of the file.
fn defined(sim: &Simulation) -> BTreeSet<(Cells, u32)> {
    let size = sim.grid.size();
    let body = |tables: &&MovementTables| tables.class().spec().footprint.len();
    let smallest = sim.tables.iter().min_by_key(body).unwrap();
    let legality = Legality::new(&sim.grid, smallest.class());
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
    let widest = sides_of(sim).iter().map(|&(short, _)| short).max().unwrap();
    let mut left: Cells = free.iter().copied().filter(|&cell| width(cell) < 2 * widest).collect();
    let mut passages = BTreeSet::new();
    while let Some(first) = left.pop_first() {
        let (mut cells, mut open) = (Cells::new(), vec![first]);
        while let Some((x, y)) = open.pop() {
            cells.insert((x, y));
            for &side in sim.grid.shape().sides() {
                let next = sim.grid.shape().neighbour(CellXY::new(x, y), side);
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
            && span(|cell| cell.0).max(span(|cell| cell.1)) <= TrafficParams::USUAL.corridor_side_max as i32
        {
            let least = cells.iter().map(|&cell| width(cell)).min().unwrap();
            passages.insert((cells, least));
        }
    }
    passages
}

/// The passages that there are.
fn found(narrows: &Narrows) -> BTreeSet<(Cells, u32)> {
    let mut cells: BTreeMap<u32, Cells> = BTreeMap::new();
    for cell in narrows.map.size.rect().cells() {
        let number = narrows.map.at_anchor(cell);
        if number != OPEN {
            cells.entry(number).or_default().insert((cell.x, cell.y));
        }
    }
    for (number, passage) in narrows.admission.passages.iter().enumerate() {
        let n = cells.get(&(number as u32)).map_or(0, BTreeSet::len);
        assert_eq!(n as u32, narrows.map.shapes[number].n_cells);
        assert_eq!(passage.width, narrows.map.shapes[number].width);
        assert_eq!(n == 0, narrows.map.spare.contains(&(number as u32)));
    }
    cells
        .into_iter()
        .map(|(number, cells)| (cells, narrows.admission.passages[number as usize].width))
        .collect()
}

fn passer(agent: u32) -> Passer {
    Passer { agent, way: (1, 0), width: 1, stays: None }
}

/// Edits of a map, the passages of which follow; agents that are in some.
fn check_edits(mut sim: Simulation, random: &mut Random) -> Result<(), TestCaseError> {
    let size = sim.grid.size();
    let mut narrows = Narrows::new(size, &sim.tables, &sides_of(&sim), TrafficParams::USUAL);
    prop_assert_eq!(found(&narrows), defined(&sim));
    let n_kinds = sim.grid.terrain_table().entries().len();
    for _ in 0..8 {
        let before: Vec<u32> = narrows.map.of_cell.clone();
        let passages = found(&narrows);
        // Agent 100 + n is in passage n.
        for number in before.iter().copied().filter(|&number| number != OPEN) {
            narrows.admission.enter(number, passer(100 + number));
        }
        let mut edited = Vec::new();
        for _ in 0..1 + random.below(2) {
            let (x, y) = (random.below(size.width() as usize), random.below(size.height() as usize));
            let area = Rect::new(x as i32, y as i32, 1 + random.below(3) as u32, 1 + random.below(2) as u32);
            let changed = if random.below(3) == 0 {
                let sides = sim.grid.shape().sides();
                let kind = [SideKind::OPEN, SideKind::WALL][random.below(2)];
                sim.grid
                    .set_side(CellXY::new(x as i32, y as i32), sides[random.below(sides.len())], kind)
                    .changed
            } else {
                sim.grid.set_terrain(area, TerrainKind(random.below(n_kinds) as u8)).changed
            };
            for tables in &mut sim.tables {
                tables.update(&sim.grid, changed);
            }
            edited.push(changed);
        }
        edited.retain(|area| !area.is_empty());
        let changed = narrows.follow_edits(&sim.tables, &edited);
        prop_assert_eq!(found(&narrows), defined(&sim));
        prop_assert_eq!(changed, found(&narrows) != passages);
        for (cell, &number) in before.iter().enumerate() {
            let now = narrows.map.at(cell);
            if number != OPEN && now != OPEN {
                prop_assert!(
                    narrows.admission.is_inside(now, 100 + number),
                    "who was in it is in what it has become"
                );
            }
            if number != OPEN && !narrows.map.is_altered(number) {
                prop_assert_eq!(now, number);
            }
        }
        narrows.admission.keep_inside(|_, _| false);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn passages_are_as_defined_before_and_after_edits(
        text in prop_oneof![world(10), world(40), world(90)],
        seed in any::<u64>(),
    ) {
        let Some(sim) = built(&text) else { return Ok(()) };
        check_edits(sim, &mut Random::new(seed))?;
    }
}

/// Long lanes and mazes are too large for passages; cut in two they may become some, and joined be none
/// again.
#[test]
fn passages_of_large_maps_are_as_defined() {
    let mut random = Random::new(7);
    for cover in [20, 35, 60] {
        let row = |random: &mut Random| -> String {
            (0..90).map(|_| if random.below(100) < cover { '@' } else { '.' }).collect()
        };
        let mut rows: Vec<String> = (0..70).map(|_| format!("\"{}\"", row(&mut random))).collect();
        rows[30] = format!("\"{}\"", "@".repeat(90));
        rows[31] = format!("\"{}\"", ".".repeat(90));
        rows[32] = format!("\"{}\"", "@".repeat(90));
        let text = format!(
            "name = \"large\"\nticks = 9\n[map]\nrows = [{}]\n[class.a]\nheadings = 1\n\
             moves = [{{ name = \"E\", by = [1, 0], time = 1 }}]\n",
            rows.join(", ")
        );
        check_edits(built(&text).unwrap(), &mut random).unwrap();
    }
}

/// What becomes of a lane that is cut, joined again and opened, and of who is in it.
#[test]
fn a_lane_is_cut_joined_and_opened() {
    let rows = ["#########", ".........", "#########", "#########", "........."]
        .map(|row| format!("\"{row}\""))
        .join(", ");
    let text = format!(
        "name = \"lane\"\nticks = 9\n[map]\nrows = [{rows}]\n[terrain.rock]\nglyphs = \"#\"\nspeed = 0\n\
         [terrain.floor]\nglyphs = \".\"\nspeed = 1000\n[class.a]\nheadings = 1\n\
         moves = [{{ name = \"E\", by = [1, 0], time = 1 }}]\n"
    );
    let mut sim = built(&text).unwrap();
    let kinds = sim.grid.terrain_table();
    let (floor, rock) = (kinds.kind_of_glyph('.').unwrap(), kinds.kind_of_glyph('#').unwrap());
    let mut narrows = Narrows::new(sim.grid.size(), &sim.tables, &sides_of(&sim), TrafficParams::USUAL);
    let mut edit = |narrows: &mut Narrows, area, kind| {
        let changed = sim.grid.set_terrain(area, kind).changed;
        sim.tables[0].update(&sim.grid, changed);
        narrows.follow_edits(&sim.tables, &[changed])
    };
    let at = |narrows: &Narrows, x, y| narrows.map.at_anchor(CellXY::new(x, y));
    let (upper, lower) = (at(&narrows, 0, 1), at(&narrows, 0, 4));
    assert!(upper != lower && upper != OPEN && lower != OPEN);
    narrows.admission.enter(upper, passer(1));
    narrows.admission.enter(lower, passer(2));
    // Cut in two: the one inside may be in either, and leaves the one where it is not.
    assert!(edit(&mut narrows, Rect::new(4, 1, 1, 1), rock));
    let (west, east) = (at(&narrows, 1, 1), at(&narrows, 6, 1));
    assert!(west != east && at(&narrows, 4, 1) == OPEN && west == upper);
    assert!(
        narrows.admission.is_inside(west, 1)
            && narrows.admission.is_inside(east, 1)
            && narrows.admission.is_inside(lower, 2)
    );
    assert!(narrows.map.is_altered(upper) && !narrows.map.is_altered(lower));
    narrows.admission.keep_inside(|passage, agent| agent != 1 || passage == east);
    assert!(!narrows.admission.is_inside(west, 1) && narrows.admission.is_inside(east, 1));
    // Joined again.
    narrows.admission.enter(west, passer(3));
    assert!(edit(&mut narrows, Rect::new(4, 1, 1, 1), floor));
    let joined = at(&narrows, 4, 1);
    assert!([at(&narrows, 0, 1), at(&narrows, 8, 1)] == [joined; 2] && joined != lower);
    assert!(narrows.admission.is_inside(joined, 1) && narrows.admission.is_inside(joined, 3));
    assert!(!narrows.map.is_altered(lower));
    // Where an edit changes nothing that is narrow, nothing is found anew.
    assert!(!edit(&mut narrows, Rect::new(4, 1, 1, 1), floor));
    // Widened: two can pass there, and only the lower lane is left.
    assert!(edit(&mut narrows, Rect::new(0, 2, 9, 1), floor));
    assert_eq!([at(&narrows, 4, 1), at(&narrows, 4, 2), at(&narrows, 4, 4)], [OPEN, OPEN, lower]);
    // It comes back where the floor is walled up again, with the number that was given up.
    assert!(edit(&mut narrows, Rect::new(0, 2, 9, 1), rock));
    assert_eq!(at(&narrows, 4, 1), 0);
    assert!(!narrows.admission.is_inside(at(&narrows, 4, 1), 1));
}

/// Passers of two widths keep coming from either end of a passage two cells wide, most in haste, some to
/// stay.
#[test]
fn all_enter_in_time_and_none_meets_one_it_cannot_pass() {
    let wall = "##########";
    let rows = [wall, "..........", "..........", wall].map(|row| format!("\"{row}\"")).join(", ");
    let text = format!(
        "name = \"lane\"\nticks = 9\n[map]\nrows = [{rows}]\n[terrain.rock]\nglyphs = \"#\"\nspeed = 0\n\
         [class.a]\nheadings = 1\nfootprint = [[0, 0], [1, 0], [0, 1], [1, 1]]\n\
         moves = [{{ name = \"E\", by = [1, 0], time = 1 }}]\n"
    );
    let sim = built(&text).unwrap();
    let passes = |one: &Passer, other: &Passer| {
        let both_go = one.stays.is_none() && other.stays.is_none();
        let follows = agree(one.way, other.way);
        if both_go {
            follows || one.width + other.width <= 2
        } else {
            follows && one.stays.is_some() && other.stays.is_some() && one.stays != other.stays
        }
    };
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut narrows = Narrows::new(sim.grid.size(), &sim.tables, &sides_of(&sim), TrafficParams::USUAL);
        let passage = narrows.map.at_anchor(CellXY::new(4, 1));
        // Since when each is there; who came first goes first.
        let mut waiting: Vec<(u32, Passer)> = Vec::new();
        let mut inside: Vec<(u32, Passer)> = Vec::new();
        let (mut agent, mut longest) = (0, 0);
        for tick in 0..6000 {
            inside.retain(|&(until, passer)| {
                if until == tick {
                    narrows.admission.leave(passage, passer.agent);
                }
                until > tick
            });
            // In the end nobody comes any more.
            if random.below(4) == 0 && tick < 5000 && waiting.len() < 30 {
                // Most come from the east.
                let way = if random.below(4) == 0 { (9, 0) } else { (-9, 0) };
                let stays = (random.below(20) == 0).then(|| CellXY::new(random.below(10) as i32, 1));
                waiting.push((tick, Passer { agent, way, width: 1 + random.below(2) as u32, stays }));
                agent += 1;
            }
            waiting.retain(|&(since, passer)| {
                let place = key(passer.agent);
                let moves = random.below(10) as u32;
                let kept = narrows.admission.next_opposed(passage, &passer, 0).is_some()
                    || narrows.admission.is_turn_of_other(passage, &passer, place, tick)
                    || narrows.admission.is_crowded(passage, &passer, moves, tick);
                narrows.admission.note_asked(passage, passer, (place, moves), (tick, kept));
                if !kept {
                    for (_, other) in &inside {
                        assert!(passes(&passer, other), "{passer:?} and {other:?}");
                    }
                    longest = longest.max(tick - since);
                    narrows.admission.enter(passage, passer);
                    inside.push((tick + 4 + random.below(8) as u32, passer));
                }
                kept
            });
        }
        assert!(agent > 500 && waiting.is_empty() && inside.is_empty());
        // It waits at most for a batch and those that are before it, a few ticks each.
        assert!(longest < 400, "one has waited for {longest} ticks");
    }
}

/// A map of three rows, its passages, and the one under the third cell of the middle row.
fn passage_of(rows: [&str; 3]) -> (Simulation, Narrows, u32) {
    let rows = rows.map(|row| format!("\"{row}\"")).join(", ");
    let text = format!(
        "name = \"lane\"\nticks = 9\n[map]\nrows = [{rows}]\n[terrain.rock]\nglyphs = \"#\"\nspeed = 0\n\
         [class.a]\nheadings = 1\nmoves = [{{ name = \"E\", by = [1, 0], time = 1 }}]\n"
    );
    let sim = built(&text).unwrap();
    let narrows = Narrows::new(sim.grid.size(), &sim.tables, &sides_of(&sim), TrafficParams::USUAL);
    let passage = narrows.map.at_anchor(CellXY::new(2, 1));
    (sim, narrows, passage)
}

/// Of those who want to go one way while others come the other way, the next few come near; the others stay
/// back, each farther than those before it. Where nobody comes the other way all come near.
#[test]
fn those_behind_a_batch_stay_back_in_line() {
    let (_, mut narrows, passage) = passage_of(["#####", ".....", "#####"]);
    let east = |agent: u32| Passer { agent, way: (5, 0), width: 1, stays: None };
    let kept = |narrows: &Narrows, tick: u32| -> Vec<u32> {
        (0..12)
            .filter(|&agent| narrows.admission.is_crowded(passage, &east(agent), 10 + agent, tick))
            .collect()
    };
    for agent in (0..12).rev() {
        narrows.admission.note_asked(passage, east(agent), (key(agent), 10 + agent), (3, false));
    }
    assert!(kept(&narrows, 3).is_empty());
    narrows.admission.note_asked(passage, Passer { way: (-5, 0), ..east(20) }, (key(20), 40), (3, false));
    assert_eq!(kept(&narrows, 3), (TrafficParams::USUAL.corridor_batch..12).collect::<Vec<_>>());
    narrows.admission.enter(passage, east(0));
    narrows.admission.enter(passage, east(1));
    assert_eq!(kept(&narrows, 3), (TrafficParams::USUAL.corridor_batch..12).collect::<Vec<_>>());
    let stops: Vec<u32> =
        (4..12).map(|agent| narrows.admission.queue_moves(passage, &east(agent), 10 + agent, 3)).collect();
    assert!(stops.is_sorted_by(|one, next| one < next), "{stops:?}");
    // Whoever has not asked for long wants nothing any more.
    assert!(kept(&narrows, 3 + TrafficParams::USUAL.asked_ticks + 1).is_empty());
}

/// A passage of five cells, busy with so many that want to go east and west, all of them near.
fn lane_between(n_east: u32, n_west: u32) -> (Narrows, u32) {
    let (_, mut narrows, passage) = passage_of(["########", ".......#", "########"]);
    // Those that come from the west have the higher rank.
    for agent in 0..n_east {
        narrows.admission.note_asked(passage, passer(agent), (key(agent), 4), (0, true));
    }
    for agent in 100..100 + n_west {
        let passer = Passer { way: (-1, 0), ..passer(agent) };
        narrows.admission.note_asked(passage, passer, (key(agent), 4), (0, true));
    }
    narrows.admission.find_busy(0);
    (narrows, passage)
}

/// Where many wait at both ends the directions take turns by number, and those of lower rank have theirs.
#[test]
fn a_busy_passage_is_entered_by_turns_whatever_the_rank() {
    let (mut narrows, passage) = lane_between(40, 40);
    assert!(narrows.admission.is_busy(passage));
    let mut turns = Vec::new();
    for number in 0..35 {
        let (east, west) = (passer(number), Passer { way: (-1, 0), ..passer(100 + number) });
        let waits = [east, west]
            .map(|passer| narrows.admission.is_turn_of_other(passage, &passer, key(passer.agent), 0));
        assert!(!waits[0] || !waits[1], "both wait for each other");
        let passer = if waits[0] { west } else { east };
        turns.push(passer.way.0);
        narrows.admission.enter(passage, passer);
        narrows.admission.leave(passage, passer.agent);
        narrows.admission.find_busy(0);
    }
    assert!(
        turns[..TrafficParams::USUAL.corridor_turn_busy as usize].iter().all(|&way| way == 1),
        "{turns:?}"
    );
    assert!(
        turns[TrafficParams::USUAL.corridor_turn_busy as usize..].iter().all(|&way| way == -1),
        "{turns:?}"
    );
    // More may come near at once, and the line behind them is as long for each.
    let (narrows, passage) = lane_between(12, 1);
    assert!(!narrows.admission.is_busy(passage));
    let (busy, _) = lane_between(12, 4);
    let n_near = |narrows: &Narrows| {
        (0..12).filter(|&agent| !narrows.admission.is_crowded(passage, &passer(agent), 4, 0)).count()
    };
    assert_eq!(
        (n_near(&narrows), n_near(&busy)),
        (TrafficParams::USUAL.corridor_batch as usize, TrafficParams::USUAL.corridor_batch_busy as usize)
    );
    let line = |narrows: &Narrows, agent: u32| narrows.admission.queue_moves(passage, &passer(agent), 4, 0);
    assert!((0..12).all(|agent| line(&narrows, agent) == line(&busy, agent)));
    assert!((1..12).all(|agent| line(&busy, agent - 1) < line(&busy, agent)));
}

/// A busy passage is entered by a move onto its cells from elsewhere, and by no other.
#[test]
fn a_busy_passage_is_entered_from_outside() {
    let (sim, mut narrows, passage) = passage_of(["..#..", ".....", "..#.."]);
    let class = sim.tables[0].class();
    let enters = |narrows: &Narrows, x: i32| {
        let pose = Pose { cell: CellXY::new(x, 1), heading: Heading(0) };
        narrows.enters_busy(&Step { class, pose, primitive: 0 })
    };
    let mouth = Mouth { cell: CellXY::new(1, 1), way: (1, 0), reach: 2 };
    narrows.admission.note_mouth(passage, mouth, 5);
    assert!((0..4).all(|x| enters(&narrows, x).is_none()));
    assert_eq!(narrows.admission.next_mouth(0, 5), None);
    for agent in 0..TrafficParams::USUAL.corridor_busy {
        narrows.admission.note_asked(passage, passer(agent), (PriorityKey::FIRST, 4), (5, true));
        narrows.admission.note_asked(
            passage,
            Passer { way: (-1, 0), ..passer(100 + agent) },
            (PriorityKey::FIRST, 4),
            (5, true),
        );
    }
    narrows.admission.find_busy(5);
    let entered: Vec<_> = (0..4).map(|x| enters(&narrows, x)).collect();
    assert_eq!(entered, [None, Some(passage), None, None]);
    // The ground before a mouth is kept clear while some come there.
    let (found, at) = narrows.admission.next_mouth(0, 5).unwrap();
    assert_eq!(found, mouth);
    assert!(
        narrows.admission.next_mouth(at + 1, 5).is_none()
            && narrows.admission.next_mouth(0, 6 + TrafficParams::USUAL.entrance_ticks).is_none()
    );
    let before: Vec<_> = sim.grid.size().rect().cells().filter(|&cell| mouth.has_before(cell)).collect();
    let west = Rect::new(0, 0, 2, 3);
    assert!(
        before == west.cells().collect::<Vec<_>>()
            && west == mouth.bounds(sim.grid.size()).intersection(west)
    );
    // Whoever has nothing to do there does not begin a turn.
    narrows.admission.enter(passage, Passer { way: (1, 0), ..passer(1) });
    narrows.admission.enter(passage, Passer { way: (0, 0), ..passer(50) });
    assert_eq!((narrows.admission.passages[0].way, narrows.admission.passages[0].entered), ((1, 0), 1));
}

/// A lane that leads to the north-east on a map of hexagons is one passage.
#[test]
fn a_lane_across_hexagons_is_one_passage() {
    let rows = ["####.#", "###.##", "###.##", "##.###", "##.###", "#.####"]
        .map(|row| format!("\"{row}\""))
        .join(", ");
    let text = format!(
        "name = \"lane\"\nticks = 9\n[map]\nshape = \"hex\"\nrows = [{rows}]\n[terrain.rock]\nglyphs = \"#\"\n\
         speed = 0\n[class.a]\nheadings = 6\nmoves = [{{ name = \"ahead\", by = [1, 0], time = 1 }}]\n"
    );
    let sim = built(&text).unwrap();
    let narrows = Narrows::new(sim.grid.size(), &sim.tables, &sides_of(&sim), TrafficParams::USUAL);
    let at = |x, y| narrows.map.at_anchor(CellXY::new(x, y));
    assert!(at(4, 0) != OPEN);
    assert_eq!([at(3, 1), at(3, 2), at(2, 3), at(2, 4), at(1, 5)], [at(4, 0); 5]);
}
