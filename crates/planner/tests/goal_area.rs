//! Goals by area against the reference: the cheapest open pose, then the next, and the nearest.

use crate::common::world;
use proptest::prelude::*;
use proptest::sample::Index;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::model::*;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::search::*;
use wheelbase_planner::*;

/// Costs of all reachable open poses of the area, cheapest first.
fn expected(
    legality: &Legality<'_>,
    reference: &Reference,
    open: &dyn Fn(Pose) -> bool,
    area: Rect,
) -> Vec<u64> {
    let space = legality.space();
    let states = (0..space.n_states() as u32).map(State);
    let goals = states.filter(|&state| area.contains(space.pose(state).cell) && open(space.pose(state)));
    let mut costs: Vec<u64> = goals.filter_map(|state| reference.costs[state.0 as usize]).collect();
    costs.sort_unstable();
    costs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn goals_come_cheapest_first(
        (grid, class) in world(),
        start in any::<Index>(),
        (x, y, width, height) in (-3_i32..9, -3_i32..9, 1_u32..8, 1_u32..8),
        taken in any::<u64>(),
        slice in 1_u64..50,
    ) {
        let legality = Legality::new(&grid, &class);
        let tables = MovementTables::compile(&grid, class.clone());
        let space = tables.space();
        let start = space.pose(State(start.index(space.n_states()) as u32));
        let area = Rect::new(x, y, width, height);
        // Some cells are occupied: a pose is open if the body covers none of them.
        let is_taken = |cell: CellXY| taken >> ((cell.x + 7 * cell.y).rem_euclid(64)) & 1 == 1 && taken % 3 > 0;
        let open = |pose: Pose| {
            let cells = class.cells_at(pose);
            cells.iter().all(|o| !is_taken(o.cell_from(pose.cell)))
        };
        let request = Request {
            area: Some(GoalArea { area, open: &open }),
            ..Request::new(start, Goal::of(&[]))
        };
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        if legality.check_pose(start).is_err() {
            let status = plan(&tables, &request, &mut scratch, &mut path).status;
            prop_assert!(matches!(status, Status::StartBlocked | Status::GoalOffMap));
            return Ok(());
        }
        let reference = Reference::from(&legality, start);
        let costs = expected(&legality, &reference, &open, area);
        // All open poses one after another, in slices; each pose is occupied once found.
        begin(&tables, &request, &mut scratch);
        let mut ends: Vec<Pose> = Vec::new();
        for cost in costs.iter().copied().map(Some).chain([None]) {
            let still_open = |pose: Pose| open(pose) && !ends.contains(&pose);
            let request = Request { area: Some(GoalArea { area, open: &still_open }), ..request };
            while advance(&tables, &request, &mut scratch, slice) == Progress::Running {}
            let answer = finish(&tables, &request, &scratch, &mut path);
            let Some(cost) = cost else {
                prop_assert!(answer.status != Status::Found);
                prop_assert!(answer.reason(&legality, &request).is_some());
                break;
            };
            prop_assert_eq!((answer.status, u64::from(answer.cost)), (Status::Found, cost));
            prop_assert_eq!(check_path(&legality, &path), Ok(()));
            let end = path.poses.last().unwrap().pose;
            prop_assert!(area.contains(end.cell) && still_open(end));
            prop_assert_eq!(pass_goal(&mut scratch), Progress::Running);
            ends.push(end);
        }
    }

    #[test]
    fn the_nearest_open_pose_is_found_if_the_area_is_unreachable(
        (grid, class) in world(),
        start in any::<Index>(),
        (x, y) in (-12_i32..20, -12_i32..20),
        shut in 0_i32..4,
    ) {
        let legality = Legality::new(&grid, &class);
        let tables = MovementTables::compile(&grid, class.clone());
        let space = tables.space();
        let start = space.pose(State(start.index(space.n_states()) as u32));
        let area = Rect::new(x, y, 2, 2);
        let open = |pose: Pose| pose.cell.x % 4 != shut;
        let request = Request {
            area: Some(GoalArea { area, open: &open }),
            fallback: Fallback::Nearest,
            ..Request::new(start, Goal::of(&[]))
        };
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        let answer = plan(&tables, &request, &mut scratch, &mut path);
        if legality.check_pose(start).is_err() {
            prop_assert_eq!(answer.status, Status::StartBlocked);
            return Ok(());
        }
        let reference = Reference::from(&legality, start);
        let far = |cell: CellXY| area.cells().map(|of| grid.shape().measure(of, cell)).min().unwrap();
        let states = (0..space.n_states() as u32).map(State);
        let reached = states.filter_map(|state| Some((state, reference.costs[state.0 as usize]?)));
        let open_ones = reached.filter(|(state, _)| open(space.pose(*state)));
        let best = open_ones.map(|(state, cost)| (far(space.pose(state).cell), cost, state)).min();
        match best {
            Some((0, cost, _)) => {
                prop_assert_eq!((answer.reached, u64::from(answer.cost)), (Some(Reached::Goal), cost));
            }
            Some((_, cost, state)) => {
                prop_assert_eq!((answer.reached, u64::from(answer.cost)), (Some(Reached::Nearest), cost));
                prop_assert_eq!(path.poses.last().unwrap().pose, space.pose(state));
            }
            None => prop_assert_eq!(answer.status, Status::Unreachable),
        }
    }
}
