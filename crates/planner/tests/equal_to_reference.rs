//! Search, tables and statuses against the slow reference, on random worlds and on all small ones.

use crate::common::{goal, tables, truck, world};
use proptest::prelude::*;
use proptest::sample::Index;
use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::search::*;
use wheelbase_planner::tables::*;

/// The outcome of a query by the rules and the reference alone: status, reached, cost.
fn expected(
    legality: &Legality<'_>,
    request: &Request<'_>,
    reference: Option<&Reference>,
) -> (Status, Option<Reached>, Option<u64>) {
    let space = legality.space();
    let nearest = request.fallback == Fallback::Nearest;
    let Some(start) = space.state(request.start) else { return (Status::StartOffMap, None, None) };
    let states = || (0..space.n_states() as u32).map(State);
    let shape = space.shape();
    let near = |cell: CellXY, member: &GoalMember| {
        shape.measure(cell, member.cell) <= shape.measure_of(request.goal.within)
    };
    let is_member = |pose: Pose| {
        request.goal.members.iter().any(|m| near(pose.cell, m) && m.heading.is_none_or(|h| h == pose.heading))
    };
    // A heading that the class lacks is not a pose, so a goal with only such members is off the map.
    if !nearest && !states().any(|s| is_member(space.pose(s))) {
        return (Status::GoalOffMap, None, None);
    }
    if legality.check_pose(request.start).is_err() {
        return (Status::StartBlocked, None, None);
    }
    let legal_goals: Vec<State> = states()
        .filter(|&s| is_member(space.pose(s)) && legality.check_pose(space.pose(s)).is_ok())
        .collect();
    if !nearest && legal_goals.is_empty() {
        return (Status::GoalBlocked, None, None);
    }
    let costs = &reference.expect("a legal start").costs;
    assert_eq!(costs[start.0 as usize], Some(0));
    if let Some(cost) = legal_goals.iter().filter_map(|s| costs[s.0 as usize]).min() {
        return (Status::Found, Some(Reached::Goal), Some(cost));
    }
    if !nearest {
        return (Status::Unreachable, None, None);
    }
    let best = states()
        .filter_map(|s| {
            let cell = space.pose(s).cell;
            let distance = request.goal.members.iter().map(|m| space.shape().measure(m.cell, cell)).min();
            Some((distance?, costs[s.0 as usize]?, s))
        })
        .min();
    (Status::Found, Some(Reached::Nearest), best.map(|(_, cost, _)| cost))
}

fn heuristics() -> impl Strategy<Value = Heuristic<'static>> {
    // The greedy heuristic does not promise a cost; it has a separate test.
    let exact = HeuristicName::ALL.into_iter().filter(|&h| h != HeuristicName::Greedy);
    let named = prop::sample::select(exact.collect::<Vec<_>>()).prop_map(Heuristic::Named);
    prop_oneof![named, Just(Heuristic::Default)]
}

#[derive(Clone, Debug)]
struct Query {
    start: Index,
    members: Vec<GoalMember>,
    within: u32,
    heuristic: Heuristic<'static>,
    nearest: bool,
    weight: u32,
}

impl Query {
    fn request(&self, space: StateSpace) -> Request<'_> {
        let start = space.pose(State(self.start.index(space.n_states()) as u32));
        let goal = Goal { members: &self.members, within: self.within };
        Request {
            heuristic: self.heuristic,
            weight_permille: self.weight,
            fallback: if self.nearest { Fallback::Nearest } else { Fallback::Fail },
            ..Request::new(start, goal)
        }
    }
}

fn queries() -> impl Strategy<Value = Vec<Query>> {
    let weight = prop_oneof![2 => Just(1000_u32), 1 => 1000_u32..3000];
    let query = (any::<Index>(), goal(), heuristics(), any::<bool>(), weight);
    let query = query.prop_map(|(start, (members, within), heuristic, nearest, weight)| Query {
        start,
        members,
        within,
        heuristic,
        nearest,
        weight,
    });
    prop::collection::vec(query, 1..8)
}

/// Random penalties per pair of cells, some beyond the declared maximum.
#[derive(Clone, Copy, Debug)]
struct RandomPenalties {
    seed: u32,
    most: u32,
    /// Number of penalised pairs in 16.
    share: u32,
}

fn random_penalties() -> impl Strategy<Value = RandomPenalties> {
    let most = prop_oneof![0_u32..4, 0_u32..100, 60_000_u32..80_000];
    (any::<u32>(), most, 0_u32..16).prop_map(|(seed, most, share)| RandomPenalties { seed, most, share })
}

impl Penalties for RandomPenalties {
    fn ticks(&self, from: CellXY, to: CellXY, ticks: u32) -> u32 {
        let key = [from.x, from.y, to.x, to.y]
            .into_iter()
            .fold(self.seed, |key, part| (key ^ part as u32).wrapping_mul(0x9e37_79b1).rotate_left(13));
        if key % 16 < self.share { key / 16 % (self.most + self.most / 4 + 1) + ticks / 8 } else { 0 }
    }

    fn max_ticks(&self) -> u32 {
        self.most
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Status, cost and every step of every path, for random queries on random worlds, with and without
    /// components.
    #[test]
    fn answers_equal_the_reference(
        (grid, class) in world(),
        queries in queries(),
        components in any::<bool>(),
    ) {
        let legality = Legality::new(&grid, &class);
        let mut movement = MovementTables::compile(&grid, class.clone());
        if components {
            movement.make_components();
        }
        let space = movement.space();
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        for query in queries {
            let (request, weight) = (query.request(space), query.weight);
            let start = request.start;
            let reference = legality.check_pose(start).is_ok().then(|| Reference::from(&legality, start));
            let (status, reached, cost) = expected(&legality, &request, reference.as_ref());
            let answer = plan(&movement, &request, &mut scratch, &mut path);
            prop_assert_eq!((answer.status, answer.reached), (status, reached), "{:?}", request);
            prop_assert_eq!(answer.reason(&legality, &request).is_some(), status != Status::Found);
            let Some(cost) = cost else {
                prop_assert!(path.poses.is_empty());
                continue;
            };
            prop_assert_eq!(check_path(&legality, &path), Ok(()));
            prop_assert_eq!(path.poses[0].pose, start);
            prop_assert!(u64::from(answer.cost) >= cost);
            prop_assert!(u64::from(answer.cost) * 1000 <= u64::from(weight) * cost);
            let end = path.poses[path.poses.len() - 1].pose;
            if reached == Some(Reached::Goal) {
                prop_assert!(request.goal.matches(space.shape(), end));
            } else if weight == 1000 {
                let reference = reference.unwrap();
                let state = space.state(end).unwrap();
                prop_assert_eq!(reference.costs[state.0 as usize], Some(cost));
            }
        }
    }

    /// With penalties the sum of time and penalties of a path is minimal, or within the weight, and its cost is
    /// the time alone.
    #[test]
    fn penalised_answers_equal_the_reference(
        (grid, class) in world(),
        queries in queries(),
        penalties in random_penalties(),
    ) {
        let legality = Legality::new(&grid, &class);
        let movement = MovementTables::compile(&grid, class.clone());
        let space = movement.space();
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        for query in queries {
            let request = Request { penalties: Some(&penalties), ..query.request(space) };
            let (start, weight) = (request.start, query.weight);
            let is_legal = legality.check_pose(start).is_ok();
            let reference = is_legal.then(|| Reference::with_penalties(&legality, start, request.penalties));
            let (status, reached, cost) = expected(&legality, &request, reference.as_ref());
            let answer = plan(&movement, &request, &mut scratch, &mut path);
            prop_assert_eq!((answer.status, answer.reached), (status, reached), "{:?}", request);
            let Some(cost) = cost else { continue };
            prop_assert_eq!(check_path(&legality, &path), Ok(()));
            prop_assert_eq!(path.poses.last().map(|end| end.arrival), Some(answer.cost));
            let penalty = |pair: &[PathPose]| {
                let (from, to) = (pair[0], pair[1]);
                u64::from(penalties.ticks(from.pose.cell, to.pose.cell, to.arrival - from.arrival).min(penalties.most))
            };
            let whole = u64::from(answer.cost) + path.poses.windows(2).map(penalty).sum::<u64>();
            prop_assert!(whole * 1000 <= u64::from(weight) * cost, "{} for {}", whole, cost);
            prop_assert!(whole >= cost || reached == Some(Reached::Nearest) && weight > 1000);
        }
    }

    /// A search in slices, a search in one go, and a search limited and resumed, are identical.
    #[test]
    fn slices_change_nothing(
        (grid, class) in world(),
        (members, within) in goal(),
        start in any::<Index>(),
        slice in 1_u64..5,
        heuristic in heuristics(),
        weight in prop_oneof![Just(1000_u32), Just(1700_u32)],
    ) {
        let movement = MovementTables::compile(&grid, class);
        let start = movement.space().pose(State(start.index(movement.space().n_states()) as u32));
        let mut request = Request::new(start, Goal { members: &members, within });
        request.heuristic = heuristic;
        request.weight_permille = weight;
        let (mut scratch, mut whole, mut sliced) = (Scratch::new(), Path::new(), Path::new());
        let answer = plan(&movement, &request, &mut scratch, &mut whole);

        let mut progress = begin(&movement, &request, &mut scratch);
        let is_bound = weight == 1000 && !matches!(heuristic, Heuristic::Named(HeuristicName::Greedy));
        let mut bound = 0;
        while progress == Progress::Running {
            if is_bound {
                // It rises, and never exceeds the cost.
                prop_assert!(bound <= cost_lower_bound(&scratch));
                bound = cost_lower_bound(&scratch);
                prop_assert!(answer.status != Status::Found || bound <= answer.cost);
            }
            progress = advance(&movement, &request, &mut scratch, slice);
        }
        prop_assert_eq!(finish(&movement, &request, &scratch, &mut sliced), answer);
        prop_assert_eq!(&sliced, &whole);

        begin(&movement, &request, &mut scratch);
        request.partial = true;
        for limit in [0, 1, slice, 3 * slice] {
            request.expansions_max = Some(limit);
            advance(&movement, &request, &mut scratch, u64::MAX);
            let limited = finish(&movement, &request, &scratch, &mut sliced);
            prop_assert!(limited.expansions <= limit);
            if limited.status == Status::LimitReached {
                prop_assert_eq!(limited.reached, Some(Reached::Partial));
                prop_assert_eq!(limited.expansions, limit);
                prop_assert_eq!(check_path(&Legality::new(&grid, movement.class()), &sliced), Ok(()));
            } else {
                prop_assert_eq!(limited, answer);
            }
        }
        request.expansions_max = None;
        advance(&movement, &request, &mut scratch, u64::MAX);
        prop_assert_eq!(finish(&movement, &request, &scratch, &mut sliced), answer);
        prop_assert_eq!(sliced, whole);
    }

    /// A window acts like a frame of obstacles; a greedy search finds a path if there is one. The nearest pose is the
    /// same for any weight and for greedy search.
    #[test]
    fn windows_and_greedy_searches_keep_the_rules(
        (grid, class) in world(),
        (members, within) in goal(),
        start in any::<Index>(),
        window in (-2_i32..8, -2_i32..8, 0_u32..12, 0_u32..12),
        nearest in any::<bool>(),
    ) {
        let movement = MovementTables::compile(&grid, class.clone());
        let space = movement.space();
        let start = space.pose(State(start.index(space.n_states()) as u32));
        let mut request = Request::new(start, Goal { members: &members, within });
        request.fallback = if nearest { Fallback::Nearest } else { Fallback::Fail };
        let window = Rect::new(window.0, window.1, window.2, window.3);
        let mut outside = BitGrid::new(grid.size());
        outside.fill(grid.size().rect(), true);
        outside.fill(window, false);
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        request.obstacles = Some(&outside);
        let by_obstacles = plan(&movement, &request, &mut scratch, &mut path);
        request.obstacles = None;
        request.window = Some(window);
        let by_window = plan(&movement, &request, &mut scratch, &mut path);
        prop_assert_eq!(by_window, by_obstacles);
        let exact_end = path.poses.last().map(|p| p.pose);
        for (heuristic, weight) in [(HeuristicName::Greedy, 1000), (HeuristicName::Euclid, 2500)] {
            request.heuristic = Heuristic::Named(heuristic);
            request.weight_permille = weight;
            let answer = plan(&movement, &request, &mut scratch, &mut path);
            prop_assert_eq!((answer.status, answer.reached), (by_window.status, by_window.reached));
            prop_assert!(answer.cost >= by_window.cost);
            if answer.status == Status::Found {
                prop_assert_eq!(check_path(&Legality::new(&grid, &class), &path), Ok(()));
            }
            if answer.reached == Some(Reached::Nearest) {
                prop_assert_eq!(path.poses.last().map(|p| p.pose), exact_end);
            }
        }
    }

    /// A search for the nearest pose that goes to the poses around the goal ends where a search of everything ends,
    /// however it is sliced. Also among obstacles, which may cut these poses off.
    #[test]
    fn nearest_poses_are_those_of_a_search_of_everything(
        (grid, class) in world(),
        (members, within) in goal(),
        start in any::<Index>(),
        blocked in prop::collection::vec((0_i32..8, 0_i32..8), 0..6),
        slice in 1_u64..20,
    ) {
        let movement = MovementTables::compile(&grid, class);
        let space = movement.space();
        let start = space.pose(State(start.index(space.n_states()) as u32));
        let mut obstacles = BitGrid::new(grid.size());
        for &(x, y) in &blocked {
            let cell = CellXY::new(x, y);
            if grid.size().contains(cell) {
                obstacles.set(cell, true);
            }
        }
        let mut request = Request::new(start, Goal { members: &members, within });
        request.fallback = Fallback::Nearest;
        request.obstacles = (!blocked.is_empty()).then_some(&obstacles);
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        request.partial = true;
        let all = plan(&movement, &request, &mut scratch, &mut path);
        let end = path.poses.last().map(|last| last.pose);
        request.partial = false;
        let found = plan(&movement, &request, &mut scratch, &mut path);
        prop_assert_eq!((found.status, found.reached, found.cost), (all.status, all.reached, all.cost));
        prop_assert_eq!(path.poses.last().map(|last| last.pose), end);
        let mut progress = begin(&movement, &request, &mut scratch);
        while progress == Progress::Running {
            progress = advance(&movement, &request, &mut scratch, slice);
        }
        let moves = path.moves.clone();
        prop_assert_eq!(finish(&movement, &request, &scratch, &mut path), found);
        prop_assert_eq!(&path.moves, &moves);
    }

    /// The nearest pose by a greedy search needs the exact costs of all reachable poses. They are expanded again for
    /// it, but count once: a limit that suffices for them is not reached, however the search is sliced.
    #[test]
    fn poses_expanded_again_for_exact_costs_count_once(
        (grid, class) in world(),
        (members, within) in goal(),
        start in any::<Index>(),
        slice in 1_u64..40,
        less in 0_u64..3,
    ) {
        let movement = MovementTables::compile(&grid, class);
        let space = movement.space();
        let start = space.pose(State(start.index(space.n_states()) as u32));
        let mut request = Request::new(start, Goal { members: &members, within });
        request.fallback = Fallback::Nearest;
        request.heuristic = Heuristic::Named(HeuristicName::Zero);
        // With partial paths all that can be reached is explored.
        request.partial = true;
        let (mut scratch, mut path, mut sliced) = (Scratch::new(), Path::new(), Path::new());
        let exact = plan(&movement, &request, &mut scratch, &mut path);
        // A quarter of the goals.
        if exact.reached != Some(Reached::Nearest) {
            return Ok(());
        }
        request.partial = false;
        request.heuristic = Heuristic::Named(HeuristicName::Greedy);
        request.expansions_max = Some(exact.expansions.saturating_sub(less));
        let greedy = plan(&movement, &request, &mut scratch, &mut path);
        prop_assert!(Some(greedy.expansions) <= request.expansions_max);
        if less == 0 {
            let found = (greedy.status, greedy.reached, greedy.cost, greedy.expansions);
            prop_assert_eq!(found, (exact.status, exact.reached, exact.cost, exact.expansions));
        }
        let mut progress = begin(&movement, &request, &mut scratch);
        while progress == Progress::Running {
            progress = advance(&movement, &request, &mut scratch, slice);
        }
        prop_assert_eq!(finish(&movement, &request, &scratch, &mut sliced), greedy);
        prop_assert_eq!(&sliced, &path);
        // A search that reached its limit continues if more is allowed.
        request.expansions_max = None;
        advance(&movement, &request, &mut scratch, u64::MAX);
        let whole = finish(&movement, &request, &scratch, &mut sliced);
        prop_assert_eq!((whole.reached, whole.cost), (exact.reached, exact.cost));
    }

    /// Components are never wrong, and always decide for reversible classes.
    #[test]
    fn components_are_never_wrong((grid, class) in world()) {
        let mut movement = MovementTables::compile(&grid, class.clone());
        movement.make_components();
        let legality = Legality::new(&grid, &class);
        let space = movement.space();
        let legal: Vec<State> = (0..space.n_states() as u32).map(State).filter(|&s| movement.is_legal(s)).collect();
        for &from in legal.iter().take(40) {
            let costs = Reference::from(&legality, space.pose(from)).costs;
            for &to in &legal {
                match movement.components().reachability(from, to) {
                    Reachability::Yes => prop_assert!(costs[to.0 as usize].is_some()),
                    Reachability::No => prop_assert!(costs[to.0 as usize].is_none()),
                    Reachability::Unknown => {}
                }
            }
        }
    }

    /// A caller's heuristic that is admissible but not consistent still gives the cheapest path.
    #[test]
    fn an_inconsistent_heuristic_stays_exact(
        (grid, class) in world(),
        (members, within) in goal(),
        start in any::<Index>(),
        salt in any::<u64>(),
    ) {
        let movement = MovementTables::compile(&grid, class.clone());
        let space = movement.space();
        let legality = Legality::new(&grid, &class);
        let start = space.pose(State(start.index(space.n_states()) as u32));
        let mut request = Request::new(start, Goal { members: &members, within });
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        let plain = plan(&movement, &request, &mut scratch, &mut path);
        // A random share of the true remaining cost.
        let goals: Vec<State> = (0..space.n_states() as u32).map(State)
            .filter(|&s| request.goal.matches(space.shape(), space.pose(s)) && movement.is_legal(s)).collect();
        let to_goal: Vec<u64> = (0..space.n_states() as u32).map(|s| {
            let costs = Reference::from(&legality, space.pose(State(s))).costs;
            goals.iter().filter_map(|g| costs[g.0 as usize]).min().unwrap_or(0)
        }).collect();
        let estimate = |pose: Pose| {
            let state = space.state(pose).unwrap().0 as usize;
            let share = (salt ^ state as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            ((u128::from(to_goal[state]) * u128::from(share)) >> 32) as u32
        };
        request.heuristic = Heuristic::Custom(&estimate);
        let guided = plan(&movement, &request, &mut scratch, &mut path);
        prop_assert_eq!((guided.status, guided.cost), (plain.status, plain.cost));
    }

    /// Obstacles are cells that no move may sweep: like deep water there, except for start and goal.
    #[test]
    fn obstacles_equal_an_impassable_map(
        (grid, class) in world(),
        goal in any::<Index>(),
        start in any::<Index>(),
        held in prop::collection::vec(any::<Index>(), 1..5),
    ) {
        let movement = MovementTables::compile(&grid, class.clone());
        let space = movement.space();
        let pose_at = |index: Index| space.pose(State(index.index(space.n_states()) as u32));
        let (start, goal) = (pose_at(start), pose_at(goal));
        let mut obstacles = BitGrid::new(grid.size());
        let mut area = Rect::new(0, 0, 0, 0);
        for cell in held {
            let xy = grid.size().xy(Cell(cell.index(grid.size().n_cells()) as u32));
            obstacles.set(xy, true);
            area = area.union(Rect::new(xy.x, xy.y, 1, 1));
        }
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        let members = [GoalMember::pose(goal)];
        let mut request = Request::new(start, Goal::of(&members));
        request.obstacles = Some(&obstacles);
        let answer = plan(&movement, &request, &mut scratch, &mut path);
        request.obstacle_area = Some(area);
        prop_assert_eq!(plan(&movement, &request, &mut scratch, &mut path), answer);
        // By the rule: Dijkstra over the moves that sweep no obstacle.
        let legality = Legality::new(&grid, &class);
        let mut costs = vec![None; space.n_states()];
        let mut open = std::collections::BTreeSet::new();
        if let Some(state) = space.state(start).filter(|&s| movement.is_legal(s)) {
            open.insert((0_u64, state));
        }
        while let Some((cost, state)) = open.pop_first() {
            if costs[state.0 as usize].is_some() {
                continue;
            }
            costs[state.0 as usize] = Some(cost);
            let pose = space.pose(state);
            for (primitive, next, ticks) in legality.successors(pose) {
                let swept = &class.shape_at(pose, primitive).swept;
                if !swept.iter().any(|o| obstacles.get(o.cell_from(pose.cell))) {
                    open.insert((cost + u64::from(ticks), space.state(next).unwrap()));
                }
            }
        }
        let cost = space.state(goal).filter(|&s| movement.is_legal(s)).and_then(|s| costs[s.0 as usize]);
        prop_assert_eq!((answer.status == Status::Found).then_some(u64::from(answer.cost)), cost);
    }
}

/// All 65,536 maps of 4x4 cells of two terrains, every pair of legal poses of a 1x2.
#[test]
fn every_small_map_equals_the_reference() {
    let halves: Vec<_> = (0..2_u32)
        .map(|half| std::thread::spawn(move || small_maps(4, &truck(), half << 15..(half + 1) << 15)))
        .collect();
    let queries: u64 = halves.into_iter().map(|half| half.join().unwrap()).sum();
    assert!(queries > 10_000_000, "{queries}");
}

/// All 512 hexagonal maps of 3x3 cells of two terrains, every pair of legal poses of several bodies.
#[test]
fn every_small_hexagonal_map_equals_the_reference() {
    let mut spec = ClassSpec::hexagonal("truck", 6);
    spec.primitives = Primitive::vehicle(2, 6, 2);
    let cart = MovementClass::new(spec.clone()).unwrap();
    spec.footprint = vec![(0, 0), (-1, 0)];
    let truck = MovementClass::new(spec.clone()).unwrap();
    spec.footprint = vec![(0, 0), (-1, 0), (-1, 1)];
    spec.pivot = Pivot::from_cells(-1.0, 0.0).unwrap();
    spec.primitives.remove(1);
    spec.primitives.push(Primitive { turn: -1, ..Primitive::step("arc", (1, 1), 3) });
    let one_way = MovementClass::new(spec).unwrap();
    let mut walker = ClassSpec::hexagonal("walker", 1);
    walker.primitives = Primitive::six_directions(5);
    walker.primitives.push(Primitive::step("leap", (1, 1), 7));
    let walker = MovementClass::new(walker).unwrap();
    let queries: u64 = [cart, truck, one_way, walker].iter().map(|class| small_maps(3, class, 0..512)).sum();
    assert!(queries > 450_000, "{queries}");
}

/// Maps of `side` x `side` cells, with deep water wherever the map's number has a bit set.
fn small_maps(side: u64, class: &MovementClass, maps: std::ops::Range<u32>) -> u64 {
    let (terrain, sides) = tables();
    let size = GridSize::new(side, side).unwrap();
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let mut queries = 0;
    for map in maps {
        let kind = |cell: usize| TerrainKind(if map >> cell & 1 == 1 { 4 } else { 0 });
        let cells = (0..size.n_cells()).map(kind).collect();
        let grid = Grid::from_terrain(size, cells, terrain.clone(), sides.clone());
        let grid = grid.with_shape(class.grid_shape());
        let legality = Legality::new(&grid, class);
        let movement = MovementTables::compile(&grid, class.clone());
        let space = movement.space();
        let states = (0..space.n_states() as u32).map(State);
        let legal: Vec<State> = states.filter(|&s| movement.is_legal(s)).collect();
        for &start in &legal {
            let costs = Reference::from(&legality, space.pose(start)).costs;
            for &end in &legal {
                let goal = [GoalMember::pose(space.pose(end))];
                let request = Request::new(space.pose(start), Goal::of(&goal));
                let answer = plan(&movement, &request, &mut scratch, &mut path);
                let found = (answer.status == Status::Found).then_some(u64::from(answer.cost));
                assert_eq!(found, costs[end.0 as usize], "map {map:016b}, {start:?} to {end:?}");
                if class.grid_shape() == GridShape::Hex && found.is_some() {
                    assert_eq!(check_path(&legality, &path), Ok(()));
                }
                queries += 1;
            }
        }
    }
    queries
}

/// An island in the middle of a map: the pose nearest to it is found without a search of the whole land.
#[test]
fn the_nearest_pose_to_an_island_takes_few_expansions() {
    let is_water = |at: usize| (40..88).contains(&at);
    let row =
        |y: usize| (0..128).map(|x| if is_water(x) && is_water(y) { 'W' } else { '.' }).collect::<String>();
    let mut rows: Vec<String> = (0..128).map(row).collect();
    rows[64].replace_range(64..65, ".");
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let movement = MovementTables::compile(&grid, truck());
    let goal = [GoalMember::any(CellXY::new(64, 64))];
    let (mut scratch, mut path) = (Scratch::new(), Path::new());
    let mut request = Request::new(Pose::new(10, 20, Heading(0)), Goal::of(&goal));
    request.fallback = Fallback::Nearest;
    let found = plan(&movement, &request, &mut scratch, &mut path);
    let end = path.poses.last().map(|last| last.pose);
    request.partial = true;
    let all = plan(&movement, &request, &mut scratch, &mut path);
    assert_eq!(
        (found.reached, found.cost, end),
        (all.reached, all.cost, path.poses.last().map(|last| last.pose))
    );
    assert_eq!(found.reached, Some(Reached::Nearest));
    assert!(found.expansions * 10 < all.expansions, "{} of {}", found.expansions, all.expansions);
}
