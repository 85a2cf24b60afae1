//! A search that is saved and restored, or cloned, goes on as if it had not been.

use crate::common::{goal, saved_cases, world_of};
use proptest::prelude::*;
use wheelbase_grid::*;
use wheelbase_planner::fields::CostField;
use wheelbase_planner::model::*;
use wheelbase_planner::search::*;
use wheelbase_planner::tables::*;
use wheelbase_planner::{SettleTarget, advance, begin, finish};

/// What a request asks besides its start and goal.
#[derive(Clone, Debug)]
struct Asked {
    heuristic: u8,
    weight: u32,
    limit: Option<u64>,
    nearest: bool,
    partial: bool,
    window: Option<(i32, i32, u32, u32)>,
    obstacles: Vec<u16>,
    penalty: u16,
    area: Option<(i32, i32, u32, u32)>,
    components: bool,
}

fn rect() -> impl Strategy<Value = (i32, i32, u32, u32)> {
    (-2_i32..12, -2_i32..12, 1_u32..14, 1_u32..14)
}

fn asked() -> impl Strategy<Value = Asked> {
    let some = (
        prop::option::weighted(0.2, rect()),
        prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(any::<u16>(), 1..20)],
        prop_oneof![2 => Just(0_u16), 1 => Just(7), 1 => Just(60_000)],
        prop::option::weighted(0.2, rect()),
    );
    let weight = prop_oneof![3 => Just(1000_u32), 1 => Just(1300), 1 => Just(5000)];
    let limit = prop::option::weighted(0.2, 0_u64..80);
    (0_u8..12, weight, limit, any::<[bool; 3]>(), some).prop_map(
        |(heuristic, weight, limit, [nearest, partial, components], (window, obstacles, penalty, area))| {
            Asked { heuristic, weight, limit, nearest, partial, window, obstacles, penalty, area, components }
        },
    )
}

/// Everything that a request borrows.
struct Owned {
    tables: MovementTables,
    landmarks: Landmarks,
    field: CostField,
    learned: LearnedCosts,
    members: Vec<GoalMember>,
    within: u32,
    obstacles: BitGrid,
    penalties: CellPenalties,
    start: Pose,
    asked: Asked,
}

fn small(pose: Pose) -> u32 {
    (pose.cell.x as u32 ^ pose.cell.y as u32) % 5
}

fn never_at_border(pose: Pose) -> bool {
    pose.cell.x > 1 && pose.cell.y != 3
}

impl Owned {
    fn new(
        (grid, class): &(Grid, MovementClass),
        (members, within): &(Vec<GoalMember>, u32),
        start: u32,
        asked: &Asked,
    ) -> Self {
        let mut tables = MovementTables::compile(grid, class.clone());
        if asked.components {
            tables.make_components();
        }
        let space = tables.space();
        let goal = Goal { members, within: *within };
        let mut field = CostField::to_goal(&tables, &goal);
        field.settle(&tables, SettleTarget::All, 40);
        // A legal pose if any is near.
        let n_states = space.n_states() as u32;
        let states = (0..n_states).map(|n| State((start % n_states + n) % n_states));
        let start = states.clone().find(|&s| tables.is_legal(s)).unwrap_or(State(start % n_states));
        let mut learned = LearnedCosts::new(&tables, &goal);
        let request = Request::new(space.pose(State(n_states / 2)), goal);
        learned.plan(&tables, &request, &mut Scratch::new(), &mut Path::new());
        let mut obstacles = BitGrid::new(space.size());
        let mut penalties = CellPenalties::new(space.size());
        for &draw in &asked.obstacles {
            let cell = space.size().xy(Cell(u32::from(draw) % space.size().n_cells() as u32));
            obstacles.set(cell, true);
            penalties.set(Rect::new(cell.x, cell.y, 3, 2), asked.penalty);
        }
        Self {
            landmarks: Landmarks::of(&tables, 2),
            field,
            learned,
            members: members.clone(),
            within: *within,
            obstacles,
            penalties,
            start: space.pose(start),
            asked: asked.clone(),
            tables,
        }
    }

    fn request(&self) -> Request<'_> {
        let asked = &self.asked;
        let mut request = Request::new(self.start, Goal { members: &self.members, within: self.within });
        request.heuristic = match asked.heuristic {
            0 => Heuristic::Landmarks(&self.landmarks),
            1 => Heuristic::Field(&self.field),
            2 => Heuristic::Learned(&self.learned),
            3 => Heuristic::Custom(&small),
            4 => Heuristic::Default,
            number => Heuristic::Named(HeuristicName::ALL[usize::from(number - 5)]),
        };
        request.weight_permille = asked.weight;
        request.expansions_max = asked.limit;
        request.partial = asked.partial;
        request.fallback = if asked.nearest { Fallback::Nearest } else { Fallback::Fail };
        let rect = |(x, y, width, height)| Rect::new(x, y, width, height);
        request.window = asked.window.map(rect);
        if !asked.obstacles.is_empty() && asked.penalty != 7 {
            request.obstacles = Some(&self.obstacles);
        }
        if asked.penalty > 0 {
            request.penalties = Some(&self.penalties);
        }
        request.area = asked.area.map(|area| GoalArea { area: rect(area), open: &never_at_border });
        request
    }

    fn finish(&self, scratch: &Scratch) -> (Answer, Path, u32) {
        let mut path = Path::new();
        let answer = finish(&self.tables, &self.request(), scratch, &mut path);
        (answer, path, cost_lower_bound(scratch))
    }

    fn restored(&self, scratch: &Scratch) -> Scratch {
        let mut restored = Scratch::new();
        if let Some(saved) = scratch.save() {
            restored.restore(&saved, &self.tables, &self.request()).unwrap();
            assert_eq!(restored.save().as_ref(), Some(&saved));
        }
        restored
    }
}

fn assert_equal(owned: &Owned, scratch: &Scratch, other: &Scratch) {
    assert_eq!(owned.finish(scratch), owned.finish(other), "{:?}", owned.request());
    for state in (0..owned.tables.space().n_states() as u32).map(State) {
        assert_eq!(scratch.expanded_cost(state), other.expanded_cost(state));
    }
    assert_eq!(scratch.save(), other.save());
}

fn check(owned: &Owned, slices: &[u64], dirty: &mut Scratch) {
    let request = owned.request();
    let (mut straight, mut copy) = (Scratch::new(), Scratch::new());
    assert!(straight.save().is_none());
    begin(&owned.tables, &request, &mut straight);
    let (mut restored, mut cloned) = (owned.restored(&straight), straight.clone());
    for &slice in slices {
        assert_equal(owned, &straight, &restored);
        assert_equal(owned, &straight, &cloned);
        let progress = advance(&owned.tables, &request, &mut straight, slice);
        assert_eq!(advance(&owned.tables, &request, &mut restored, slice), progress);
        assert_eq!(advance(&owned.tables, &request, &mut cloned, slice), progress);
        if slice % 3 == 0 {
            assert_eq!(pass_goal(&mut straight), pass_goal(&mut restored));
            pass_goal(&mut cloned);
        }
        if slice % 2 == 0 {
            restored = owned.restored(&restored);
            dirty.clone_from(&cloned);
            std::mem::swap(dirty, &mut cloned);
            copy.clone_from(&straight);
            assert_equal(owned, &straight, &copy);
        }
    }
    for scratch in [&mut straight, &mut restored, &mut cloned] {
        advance(&owned.tables, &request, scratch, u64::MAX);
    }
    assert_equal(owned, &straight, &restored);
    assert_equal(owned, &straight, &cloned);
    dirty.clone_from(&cloned);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(saved_cases(400)))]

    #[test]
    fn a_search_goes_on_as_if_it_had_not_been_saved(
        world in world_of(3..14),
        goal in goal(),
        start in any::<u32>(),
        asked in prop::collection::vec(asked(), 1..5),
        slices in prop::collection::vec(prop_oneof![0_u64..4, 0_u64..30, 0_u64..300], 1..8),
    ) {
        let mut dirty = Scratch::new();
        for asked in &asked {
            check(&Owned::new(&world, &goal, start, asked), &slices, &mut dirty);
        }
    }
}

/// Long searches, over many blocks of many buckets and with a full heap.
#[test]
fn long_searches_go_on() {
    let rows = [["..T.......T..."; 30].concat(), ["......T......."; 30].concat()];
    let rows: Vec<&str> = (0..200).map(|y| rows[y / 3 % 2].as_str()).collect();
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let members = (vec![GoalMember::any(CellXY::new(415, 190))], 0);
    for (heuristic, weight) in [(4, 1000), (5, 1000), (4, 1500), (9, 1000), (11, 1000), (0, 1000)] {
        let asked = Asked {
            heuristic,
            weight,
            limit: None,
            nearest: false,
            partial: true,
            window: None,
            obstacles: Vec::new(),
            penalty: 0,
            area: None,
            components: false,
        };
        let owned = Owned::new(&(grid.clone(), crate::common::truck()), &members, 5, &asked);
        check(&owned, &[5000, 9999, 20_000], &mut Scratch::new());
    }
}

#[cfg(feature = "serde")]
mod forged {
    use super::*;
    use crate::common::forge;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(saved_cases(300)))]

        /// A forged search is refused or harmless: nothing panics, and every path is legal.
        #[test]
        fn a_forged_search_is_refused_or_harmless(
            world in world_of(3..10),
            goal in goal(),
            start in any::<u32>(),
            asked in asked(),
            slice in 0_u64..60,
            forgeries in prop::collection::vec((any::<u32>(), any::<i64>()), 1..4),
        ) {
            let owned = Owned::new(&world, &goal, start, &asked);
            let request = owned.request();
            let mut scratch = Scratch::new();
            begin(&owned.tables, &request, &mut scratch);
            advance(&owned.tables, &request, &mut scratch, slice);
            let saved = scratch.save().unwrap();
            let json = serde_json::to_value(&saved).unwrap();
            prop_assert_eq!(&serde_json::from_value::<SavedSearch>(json.clone()).unwrap(), &saved);
            let bytes = bincode::serde::encode_to_vec(&saved, bincode::config::standard()).unwrap();
            let read = bincode::serde::decode_from_slice::<SavedSearch, _>(&bytes, bincode::config::standard());
            prop_assert_eq!(&read.unwrap().0, &saved);
            for (place, draw) in forgeries {
                let mut forged = json.clone();
                forge(&mut forged, place, draw);
                let Ok(forged) = serde_json::from_value::<SavedSearch>(forged) else { continue };
                if scratch.restore(&forged, &owned.tables, &request).is_err() {
                    prop_assert!(scratch.save().is_none());
                    continue;
                }
                let mut path = Path::new();
                for slice in [0, 1, 50, 100_000] {
                    advance(&owned.tables, &request, &mut scratch, slice);
                    finish(&owned.tables, &request, &scratch, &mut path);
                    if let Some(first) = path.poses.first() {
                        let start = owned.tables.space().state(first.pose).unwrap();
                        let end = owned.tables.follow_moves(start, &path.moves).unwrap();
                        prop_assert_eq!(end.ticks, path.cost());
                    }
                }
            }
        }
    }
}
