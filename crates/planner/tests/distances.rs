//! Distances against plain Dijkstra: to many targets, from many starts, within a range, and first moves;
//! repeated, restarted, and after edits.

use crate::common::{apply, edit, goal, tables, truck, world, world_of};
use proptest::prelude::*;
use proptest::sample::Index;
use wheelbase_grid::*;
use wheelbase_planner::fields::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::*;

/// Cost of every state from a start, by the reference.
fn costs_from(legality: &Legality<'_>, start: Pose) -> Vec<Option<u32>> {
    let costs = Reference::from(legality, start).costs;
    costs
        .into_iter()
        .map(|cost| cost.and_then(|c| u32::try_from(c).ok()).filter(|&c| c <= COST_MAX))
        .collect()
}

/// The nearest pose of a member, with its ticks.
fn nearest_pose(space: StateSpace, member: &GoalMember, costs: &[Option<u32>]) -> Option<(u32, Pose)> {
    let poses = (0..space.headings()).map(|h| Pose { cell: member.cell, heading: Heading(h) });
    let named = poses.filter(|pose| member.heading.is_none_or(|heading| heading == pose.heading));
    let mut best = None;
    for pose in named {
        let Some(cost) = space.state(pose).and_then(|state| costs[state.0 as usize]) else { continue };
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, pose));
        }
    }
    best
}

/// Checks `measure`, `nearest` and `settled` for distances from a pose.
fn assert_from(
    grid: &Grid,
    tables: &MovementTables,
    from: &mut Distances,
    start: Pose,
    asked: &[GoalMember],
) {
    let legality = Legality::new(grid, tables.class());
    let space = tables.space();
    let costs = costs_from(&legality, start);
    let mut best: Option<(u32, usize)> = None;
    for (number, member) in asked.iter().enumerate() {
        if let Some((ticks, _)) = nearest_pose(space, member, &costs)
            && best.is_none_or(|(least, _)| ticks < least)
        {
            best = Some((ticks, number));
        }
    }
    let nearest = from.nearest(tables, asked);
    assert_eq!(nearest.map(|(number, distance)| (distance.ticks, number)), best);
    let (mut answers, mut path) = (Vec::new(), Path::new());
    from.measure(tables, asked, &mut answers);
    assert_eq!(answers.len(), asked.len());
    if let Some((number, distance)) = nearest {
        assert_eq!(answers[number], Some(distance));
    }
    for (member, answer) in asked.iter().zip(&answers) {
        let expected = nearest_pose(space, member, &costs);
        assert_eq!(answer.map(|answer| (answer.ticks, answer.pose)), expected, "{member:?}");
        let Some(answer) = answer else { continue };
        assert_eq!(from.settled(answer.pose), Some(*answer));
        let next = from.next_move(tables, answer.pose);
        assert!(from.path(tables, answer.pose, &mut path));
        assert_eq!(check_path(&legality, &path), Ok(()));
        assert_eq!((path.poses[0].pose, path.cost()), (start, answer.ticks));
        assert_eq!(path.poses.last().unwrap().pose, answer.pose);
        assert_eq!(next, path.moves.first().copied());
    }
    assert_eq!(from.measure(tables, asked, &mut answers), 0, "what is known is not searched for again");
}

/// Checks `measure` for distances to a goal.
fn assert_to(grid: &Grid, tables: &MovementTables, to: &mut Distances, asked: &[GoalMember]) {
    let legality = Legality::new(grid, tables.class());
    let space = tables.space();
    let goal: Vec<GoalMember> = to.field().goal().members.to_vec();
    let goal = Goal { members: &goal, within: to.field().goal().within };
    let to_goal: Vec<Option<u32>> = (0..space.n_states() as u32)
        .map(|state| {
            let costs = costs_from(&legality, space.pose(State(state)));
            let members =
                (0..space.n_states()).filter(|&s| goal.matches(space.shape(), space.pose(State(s as u32))));
            members.filter_map(|s| costs[s]).min()
        })
        .collect();
    let (mut answers, mut path) = (Vec::new(), Path::new());
    to.measure(tables, asked, &mut answers);
    for (member, answer) in asked.iter().zip(&answers) {
        let expected = nearest_pose(space, member, &to_goal);
        assert_eq!(answer.map(|answer| (answer.ticks, answer.pose)), expected, "{member:?}");
        let Some(answer) = answer else { continue };
        assert!(to.path(tables, answer.pose, &mut path));
        assert_eq!(check_path(&legality, &path), Ok(()));
        assert_eq!((path.poses[0].pose, path.cost()), (answer.pose, answer.ticks));
        assert!(goal.matches(space.shape(), path.poses.last().unwrap().pose));
        assert_eq!(to.next_move(tables, answer.pose), path.moves.first().copied());
        // Queried again after each step, without a search.
        for step in path.poses.windows(2) {
            let (here, next) = (to.settled(step[0].pose).unwrap(), step[1]);
            let after = to.settled(next.pose).unwrap();
            assert_eq!(here.ticks - after.ticks, next.arrival - step[0].arrival);
        }
    }
}

fn members() -> impl Strategy<Value = Vec<GoalMember>> {
    prop::collection::vec(goal(), 0..4).prop_map(|goals| goals.into_iter().flat_map(|goal| goal.0).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any world, any class, queries in any order, from successive starts in the same memory, with edits in
    /// between.
    #[test]
    fn from_a_pose_equals_the_reference(
        (mut grid, class) in world(),
        starts in prop::collection::vec(any::<Index>(), 1..4),
        asked in members(),
        edits in prop::collection::vec(edit(), 3),
        range in 0_u32..60,
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        let space = tables.space();
        let mut from: Option<Distances> = None;
        let mut scratch = RepairScratch::new();
        for (start, edit) in starts.into_iter().zip(edits) {
            let start = space.pose(State(start.index(space.n_states()) as u32));
            match &mut from {
                None => from = Some(Distances::from_pose(&tables, start)),
                Some(from) => from.restart_from(&tables, start),
            }
            let from = from.as_mut().unwrap();
            from.settle(&tables, SettleTarget::Within(range), u64::MAX);
            for _ in 0..2 {
                assert_from(&grid, &tables, from, start, &asked);
                let costs = costs_from(&Legality::new(&grid, tables.class()), start);
                let states = (0..space.n_states() as u32).map(State);
                let expected: Vec<(Pose, u32)> = states
                    .filter_map(|state| Some((space.pose(state), costs[state.0 as usize].filter(|&c| c <= range)?)))
                    .collect();
                prop_assert_eq!(from.within(range).collect::<Vec<_>>(), expected);
                let changed = apply(&mut grid, edit);
                tables.update(&grid, changed);
                from.repair(&tables, changed, &mut scratch);
            }
            assert_from(&grid, &tables, from, start, &asked);
        }
    }

    /// From many starts to one goal.
    #[test]
    fn to_a_goal_equals_the_reference(
        (mut grid, class) in world(),
        goals in prop::collection::vec(goal(), 1..3),
        asked in members(),
        edit in edit(),
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        prop_assume!(tables.space().n_states() < 200);
        let mut to: Option<Distances> = None;
        for (members, within) in &goals {
            let goal = Goal { members, within: *within };
            match &mut to {
                None => to = Some(Distances::to_goal(&tables, &goal)),
                Some(to) => to.restart_to(&tables, &goal),
            }
            let to = to.as_mut().unwrap();
            assert_to(&grid, &tables, to, &asked);
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            to.repair(&tables, changed, &mut RepairScratch::new());
            assert_to(&grid, &tables, to, &asked);
        }
    }

    /// The extent of a field covers all its costs: restarted on a larger map, it equals a new field.
    #[test]
    fn restarted_distances_equal_new_ones(
        (mut grid, class) in world_of(12..40),
        starts in prop::collection::vec((any::<Index>(), 0_u32..80, edit()), 2..6),
        keep in any::<bool>(),
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        let space = tables.space();
        let goal_at = |start: Index| [GoalMember::pose(space.pose(State(start.index(space.n_states()) as u32)))];
        let mut field = CostField::from_start(&tables, &Goal::of(&goal_at(starts[0].0)));
        if keep {
            field.keep_moves(&tables);
        }
        for (start, ticks, edit) in starts {
            let goal = goal_at(start);
            field.restart(&tables, &Goal::of(&goal));
            let mut fresh = CostField::from_start(&tables, &Goal::of(&goal));
            for field in [&mut field, &mut fresh] {
                field.settle(&tables, SettleTarget::Within(ticks), u64::MAX);
            }
            for state in (0..space.n_states() as u32).map(State) {
                prop_assert_eq!(field.lower_bound(state), fresh.lower_bound(state));
                prop_assert_eq!(field.next(&tables, state), fresh.next(&tables, state));
            }
            prop_assert_eq!(field.settled().collect::<Vec<_>>(), fresh.settled().collect::<Vec<_>>());
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            field.repair(&tables, changed, &mut RepairScratch::new());
            field.settle(&tables, SettleTarget::Within(ticks + 9), u64::MAX);
        }
    }
}

/// All maps of 3x3 cells of two terrains, every start of a 1x2, every range, every pose as a target.
#[test]
fn every_range_on_every_small_map() {
    let (terrain, sides) = tables();
    let size = GridSize::new(3, 3).unwrap();
    let (mut n_ranges, mut answers) = (0, Vec::new());
    for map in 0..1 << 9 {
        let cells = (0..9).map(|cell| TerrainKind(if map >> cell & 1 == 1 { 4 } else { 0 })).collect();
        let grid = Grid::from_terrain(size, cells, terrain.clone(), sides.clone());
        let tables = MovementTables::compile(&grid, truck());
        let (space, legality) = (tables.space(), Legality::new(&grid, tables.class()));
        let poses: Vec<Pose> = (0..36).map(|state| space.pose(State(state))).collect();
        let targets: Vec<GoalMember> = poses.iter().map(|&pose| GoalMember::pose(pose)).collect();
        let mut from = Distances::from_pose(&tables, poses[0]);
        for &start in &poses {
            let costs = costs_from(&legality, start);
            for ticks in 0..30 {
                from.restart_from(&tables, start);
                from.settle(&tables, SettleTarget::Within(ticks), u64::MAX);
                let within = poses.iter().zip(&costs).filter_map(|(&pose, &cost)| Some((pose, cost?)));
                let within: Vec<(Pose, u32)> = within.filter(|&(_, cost)| cost <= ticks).collect();
                assert_eq!(from.within(ticks).collect::<Vec<_>>(), within, "map {map:b}, {start:?}");
                n_ranges += 1;
            }
            from.measure(&tables, &targets, &mut answers);
            assert!(answers.iter().map(|answer| answer.map(|answer| answer.ticks)).eq(costs));
        }
    }
    assert_eq!(n_ranges, 512 * 36 * 30);
}

#[test]
#[should_panic(expected = "distances to a goal")]
fn distances_to_a_goal_have_no_start() {
    let grid = Grid::from_rows(&["..."], TerrainTable::movingai(), SideTable::default()).unwrap();
    let tables = MovementTables::compile(&grid, MovementClass::octile());
    let goal = [GoalMember::any(CellXY::new(0, 0))];
    Distances::to_goal(&tables, &Goal::of(&goal)).restart_from(&tables, Pose::new(1, 0, Heading(0)));
}
