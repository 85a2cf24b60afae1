//! Cost fields against a reference: settled whole and in parts, forward and backward, followed, and repaired
//! after edits of any kind.

use crate::common::{goal, side_of, tables, truck, world};
use proptest::prelude::*;
use proptest::sample::Index;
use wheelbase_grid::*;
use wheelbase_planner::fields::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::*;

/// Every legal move `(from, to, ticks, primitive)`, by the rule alone.
fn all_moves(legality: &Legality<'_>) -> Vec<(usize, usize, u64, u8)> {
    let space = legality.space();
    let mut moves = Vec::new();
    for state in 0..space.n_states() {
        for (primitive, pose, ticks) in legality.successors(space.pose(State(state as u32))) {
            moves.push((state, space.state(pose).unwrap().0 as usize, u64::from(ticks), primitive as u8));
        }
    }
    moves
}

/// Bellman-Ford costs to the goal, or from the starts; `None` beyond `COST_MAX`. Also, for each state that is
/// not a source, the least primitive that yields its cost.
fn slow_field(
    grid: &Grid,
    class: &MovementClass,
    goal: &Goal<'_>,
    direction: Direction,
) -> Vec<Option<(u32, Option<u8>)>> {
    let legality = Legality::new(grid, class);
    let space = legality.space();
    let moves = all_moves(&legality);
    let is_source = |state: usize| {
        let pose = space.pose(State(state as u32));
        goal.matches(space.shape(), pose) && legality.check_pose(pose).is_ok()
    };
    let mut costs: Vec<Option<u64>> = (0..space.n_states()).map(|s| is_source(s).then_some(0)).collect();
    let ends = |from: usize, to: usize| if direction == Direction::ToGoal { (from, to) } else { (to, from) };
    loop {
        let mut changed = false;
        for &(from, to, ticks, _) in &moves {
            let (state, nearer) = ends(from, to);
            if let Some(cost) = costs[nearer].map(|cost| cost + ticks)
                && cost <= u64::from(COST_MAX)
                && costs[state].is_none_or(|known| cost < known)
            {
                costs[state] = Some(cost);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut least: Vec<Option<u8>> = vec![None; costs.len()];
    for &(from, to, ticks, primitive) in &moves {
        let (state, nearer) = ends(from, to);
        if let (Some(cost), Some(after)) = (costs[state], costs[nearer])
            && cost == after + ticks
        {
            least[state] = Some(least[state].map_or(primitive, |p| p.min(primitive)));
        }
    }
    costs.iter().zip(least).map(|(cost, least)| cost.map(|cost| (cost as u32, least))).collect()
}

/// Costs, next moves and paths of a field, as far as it is settled, against the reference.
fn assert_field(grid: &Grid, tables: &MovementTables, field: &CostField, moves_kept: bool) {
    let expected = slow_field(grid, tables.class(), &field.goal(), field.direction());
    let space = tables.space();
    let legality = Legality::new(grid, tables.class());
    let mut path = Path::new();
    let mut n_settled = 0;
    for (state, &expected) in expected.iter().enumerate() {
        let state = State(state as u32);
        let settled = expected.filter(|&(cost, _)| cost <= field.radius());
        assert_eq!(field.cost(state), settled.map(|(cost, _)| cost), "{state:?} radius {}", field.radius());
        assert!(field.lower_bound(state) <= expected.map_or(COST_MAX, |(cost, _)| cost));
        let next = field.next(tables, state);
        assert_eq!(next.map(|next| next.primitive), settled.and_then(|(_, least)| least), "{state:?}");
        if moves_kept {
            let mut stepped = [state];
            field.step_all(&mut stepped);
            assert_eq!(stepped[0], next.map_or(state, |next| next.state));
        }
        assert_eq!(field.follow(tables, state, &mut path), settled.is_some());
        let Some((cost, _)) = settled else { continue };
        n_settled += 1;
        assert_eq!(check_path(&legality, &path), Ok(()));
        assert_eq!(path.cost(), cost);
        let (first, last) = (path.poses[0].pose, path.poses[path.poses.len() - 1].pose);
        let (source, end) =
            if field.direction() == Direction::ToGoal { (last, first) } else { (first, last) };
        assert!(field.goal().matches(field.space().shape(), source));
        assert_eq!(space.state(end), Some(state));
    }
    assert_eq!(field.settled().count(), n_settled);
    if field.is_complete() {
        assert!(expected.iter().flatten().all(|&(cost, _)| cost <= field.radius()));
    }
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::ToGoal), Just(Direction::FromStart)]
}

fn new_field(tables: &MovementTables, goal: &Goal<'_>, direction: Direction) -> CostField {
    match direction {
        Direction::ToGoal => CostField::to_goal(tables, goal),
        Direction::FromStart => CostField::from_start(tables, goal),
    }
}

/// How far a field is settled, and in slices of what size.
fn extent() -> impl Strategy<Value = (u8, u32, Index, u64)> {
    (0_u8..4, prop_oneof![0_u32..40, 0_u32..20_000], any::<Index>(), prop_oneof![0_u64..60, Just(u64::MAX)])
}

/// Settles as described by an [`extent`].
fn settle(
    field: &mut CostField,
    tables: &MovementTables,
    (kind, ticks, state, budget): (u8, u32, Index, u64),
) {
    let pose = State(state.index(tables.space().n_states()) as u32);
    let target = match kind {
        0 => SettleTarget::All,
        1 => SettleTarget::Within(ticks),
        2 => SettleTarget::Pose(pose),
        _ => return,
    };
    field.settle(tables, target, budget);
}

/// An edit of any kind: terrain, a side, elevation, a rotated tile.
fn edits(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(i32, i32, u32, u32, u8, usize)>> {
    prop::collection::vec((-2_i32..9, -2_i32..9, 0_u32..4, 0_u32..4, 0_u8..5, 0_usize..9), n)
}

fn apply(grid: &mut Grid, (x, y, width, height, kind, what): (i32, i32, u32, u32, u8, usize)) -> Rect {
    let size = grid.size();
    let xy = CellXY::new(x.rem_euclid(size.width() as i32), y.rem_euclid(size.height() as i32));
    let area = Rect::new(x, y, width, height);
    let edit = match what {
        number @ 0..4 => grid.set_side(xy, side_of(grid, number, x), SideKind(kind % 4)),
        4 => grid.set_elevation(area, i16::from(kind) * 7 - 9),
        5 => grid.rotate(xy, i32::from(kind) - 2),
        _ => grid.set_terrain(area, TerrainKind(kind)),
    };
    edit.changed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any world, any class: settled whole and piece by piece.
    #[test]
    fn fields_equal_the_reference(
        (grid, class) in world(),
        (members, within) in goal(),
        direction in direction(),
        extents in prop::collection::vec(extent(), 0..4),
        keep in any::<bool>(),
    ) {
        let tables = MovementTables::compile(&grid, class);
        let goal = Goal { members: &members, within };
        let mut field = new_field(&tables, &goal, direction);
        if keep {
            field.keep_moves(&tables);
        }
        for extent in extents {
            settle(&mut field, &tables, extent);
            assert_field(&grid, &tables, &field, keep);
        }
        let whole = field.settle(&tables, SettleTarget::All, u64::MAX);
        prop_assert_eq!(whole.progress, Progress::Done);
        prop_assert!(field.is_complete());
        field.keep_moves(&tables);
        assert_field(&grid, &tables, &field, true);
        // The same memory reused for another field.
        let other = [GoalMember::any(CellXY::new(0, 0))];
        field.restart(&tables, &Goal::of(&other));
        field.settle(&tables, SettleTarget::All, u64::MAX);
        assert_field(&grid, &tables, &field, true);
    }

    /// A field from one pose equals the reference search from there.
    #[test]
    fn a_field_from_a_start_equals_the_reference_search(
        (grid, class) in world(),
        start in any::<Index>(),
    ) {
        let tables = MovementTables::compile(&grid, class.clone());
        let start = tables.space().pose(State(start.index(tables.space().n_states()) as u32));
        let starts = [GoalMember::pose(start)];
        let mut field = CostField::from_start(&tables, &Goal::of(&starts));
        field.settle(&tables, SettleTarget::All, u64::MAX);
        let reference = Reference::from(&Legality::new(&grid, &class), start);
        for (state, &cost) in reference.costs.iter().enumerate() {
            let cost = cost.filter(|&cost| cost <= u64::from(COST_MAX));
            prop_assert_eq!(field.cost(State(state as u32)).map(u64::from), cost);
        }
    }

    /// After each edit a repaired field equals a fresh one: costs, next moves and lower bounds. However far it
    /// was settled before and after the edit.
    #[test]
    fn repaired_equals_fresh(
        (mut grid, class) in world(),
        (members, within) in goal(),
        direction in direction(),
        extents in prop::collection::vec(extent(), 7),
        edits in edits(1..7),
        keep in any::<bool>(),
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        let mut field = new_field(&tables, &Goal { members: &members, within }, direction);
        if keep {
            field.keep_moves(&tables);
        }
        let mut scratch = RepairScratch::new();
        for (edit, extent) in edits.into_iter().zip(extents) {
            settle(&mut field, &tables, extent);
            let radius = field.radius();
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            field.repair(&tables, changed, &mut scratch);
            prop_assert_eq!(field.radius(), radius);
            assert_field(&grid, &tables, &field, keep);
        }
        field.settle(&tables, SettleTarget::All, u64::MAX);
        assert_field(&grid, &tables, &field, keep);
    }

    /// Several edits that the tables have already followed are repaired one after another, in any order.
    #[test]
    fn edits_are_repaired_in_any_order(
        (mut grid, class) in world(),
        (members, within) in goal(),
        direction in direction(),
        extent in extent(),
        edits in edits(2..5),
        turn in any::<Index>(),
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        let mut field = new_field(&tables, &Goal { members: &members, within }, direction);
        field.keep_moves(&tables);
        settle(&mut field, &tables, extent);
        let mut areas: Vec<Rect> = edits.into_iter().map(|edit| {
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
            changed
        }).collect();
        areas.reverse();
        let n = areas.len();
        areas.rotate_left(turn.index(n));
        let mut scratch = RepairScratch::new();
        for changed in areas {
            field.repair(&tables, changed, &mut scratch);
        }
        assert_field(&grid, &tables, &field, true);
    }
}

/// All maps of 4x3 cells of two terrains, every goal of a 1x2, and every toggle of a cell.
#[test]
fn every_edit_of_every_small_map_is_repaired() {
    let halves: Vec<_> =
        (0..2_u32).map(|half| std::thread::spawn(move || small_maps(half << 11..(half + 1) << 11))).collect();
    let repairs: u64 = halves.into_iter().map(|half| half.join().unwrap()).sum();
    assert!(repairs > 1_000_000, "{repairs}");
}

fn small_maps(maps: std::ops::Range<u32>) -> u64 {
    let (terrain, sides) = tables();
    let size = GridSize::new(4, 3).unwrap();
    let kind = |map: u32, cell: u32| TerrainKind(if map >> cell & 1 == 1 { 4 } else { 0 });
    let mut scratch = RepairScratch::new();
    let mut repairs = 0;
    for map in maps {
        let cells = (0..12).map(|cell| kind(map, cell)).collect();
        let mut grid = Grid::from_terrain(size, cells, terrain.clone(), sides.clone());
        let mut tables = MovementTables::compile(&grid, truck());
        let space = tables.space();
        let states = || (0..48).map(State);
        let mut fields: Vec<CostField> = states()
            .map(|goal| CostField::to_goal(&tables, &Goal::of(&[GoalMember::pose(space.pose(goal))])))
            .collect();
        fields.iter_mut().for_each(|field| {
            field.settle(&tables, SettleTarget::All, u64::MAX);
        });
        for cell in 0..12_u32 {
            for toggled in [map ^ 1 << cell, map] {
                let CellXY { x, y } = size.xy(Cell(cell));
                let edit = grid.set_terrain(Rect::new(x, y, 1, 1), kind(toggled, cell));
                tables.update(&grid, edit.changed);
                let legality = Legality::new(&grid, tables.class());
                for field in &mut fields {
                    field.repair(&tables, edit.changed, &mut scratch);
                    repairs += 1;
                }
                // The costs of all pairs, once per start.
                for start in states().filter(|_| toggled != map || cell == 0) {
                    let costs = Reference::from(&legality, space.pose(start)).costs;
                    for (field, cost) in fields.iter().zip(costs) {
                        assert_eq!(field.cost(start).map(u64::from), cost, "map {map:b}, cell {cell}");
                    }
                }
            }
        }
    }
    repairs
}

/// Moves of up to 65 million ticks, which need the heap as well as the buckets, and paths that overflow.
#[test]
fn paths_beyond_the_maximum_cost_are_not_followed() {
    let mut spec = ClassSpec::new("snail", 1);
    spec.primitives = Primitive::four_directions(65_535);
    spec.primitives[1].time = 1;
    spec.speed = vec![("swamp".to_owned(), 1)];
    let rows = ["S".repeat(90), ".".repeat(90)];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    grid.set_terrain(Rect::new(0, 1, 90, 1), grid.terrain_at(CellXY::new(0, 0)).unwrap());
    let mut tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    let goal = [GoalMember::any(CellXY::new(0, 0))];
    let mut field = CostField::to_goal(&tables, &Goal::of(&goal));
    field.keep_moves(&tables);
    field.settle(&tables, SettleTarget::All, u64::MAX);
    assert_field(&grid, &tables, &field, true);
    let n_settled = field.settled().count();
    assert!((120..140).contains(&n_settled), "{n_settled}");
    let mut scratch = RepairScratch::new();
    for (area, kind) in
        [(Rect::new(30, 0, 10, 2), 0), (Rect::new(35, 0, 1, 2), 2), (Rect::new(35, 1, 1, 1), 0)]
    {
        let edit = grid.set_terrain(area, TerrainKind(kind));
        tables.update(&grid, edit.changed);
        field.repair(&tables, edit.changed, &mut scratch);
        assert_field(&grid, &tables, &field, true);
    }
}

/// A field in progress has expensive moves pending; an edit makes one of them so fast that it leads to a cost
/// below the radius.
#[test]
fn an_expensive_pending_move_becomes_fast() {
    let mut spec = ClassSpec::new("rower", 1);
    spec.primitives = Primitive::four_directions(10);
    spec.primitives[2].time = 60;
    // The move to the south has no inverse.
    spec.primitives.remove(1);
    spec.climb.down = -50;
    let mut grid =
        Grid::from_rows(&[".".repeat(12)], TerrainTable::movingai(), SideTable::default()).unwrap();
    let mut tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    let goal = [GoalMember::any(CellXY::new(6, 0))];
    let mut field = CostField::to_goal(&tables, &Goal::of(&goal));
    field.settle(&tables, SettleTarget::Within(50), u64::MAX);
    let east = tables.space().state(Pose::new(7, 0, Heading(0))).unwrap();
    assert_eq!(field.cost(east), None);
    // Downhill to the goal from the east: 30 ticks instead of 60.
    let edit = grid.set_elevation(Rect::new(7, 0, 5, 1), 10);
    tables.update(&grid, edit.changed);
    field.repair(&tables, edit.changed, &mut RepairScratch::new());
    assert_eq!(field.cost(east), Some(30));
    assert_field(&grid, &tables, &field, false);
    field.settle(&tables, SettleTarget::All, u64::MAX);
    assert_field(&grid, &tables, &field, false);
}

/// The first height of a map renumbers times everywhere, also far from the edit; fields in progress stay
/// correct at any stage.
#[test]
fn a_distant_first_height_keeps_a_field_in_progress_correct() {
    let mut spec = ClassSpec::new("truck", 4);
    spec.primitives = Primitive::vehicle(20, 60, 10);
    spec.climb.up = 100;
    let class = MovementClass::new(spec).unwrap();
    let mut rows = vec![".".repeat(9); 9];
    rows[1] = "S........".to_owned();
    rows[4] = "...S.SS..".to_owned();
    let goal = [GoalMember::any(CellXY::new(3, 3))];
    for radius in (0..240).step_by(5) {
        let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
        let mut tables = MovementTables::compile(&grid, class.clone());
        let mut field = CostField::to_goal(&tables, &Goal::of(&goal));
        field.settle(&tables, SettleTarget::Within(radius), u64::MAX);
        let edit = grid.set_elevation(Rect::new(8, 8, 1, 1), 3);
        tables.update(&grid, edit.changed);
        field.repair(&tables, edit.changed, &mut RepairScratch::new());
        assert_field(&grid, &tables, &field, false);
        field.settle(&tables, SettleTarget::All, u64::MAX);
        assert_field(&grid, &tables, &field, false);
    }
}

/// Edits at the boundary of a partially settled field leave stale entries, which must not accumulate.
#[test]
fn stale_entries_do_not_accumulate() {
    let size = GridSize::new(128, 128).unwrap();
    let mut grid = Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default());
    let mut tables = MovementTables::compile(&grid, truck());
    let goal = [GoalMember::any(CellXY::new(64, 64))];
    let mut field = CostField::to_goal(&tables, &Goal::of(&goal));
    field.settle(&tables, SettleTarget::Within(60), u64::MAX);
    let mut scratch = RepairScratch::new();
    let mut bytes = Vec::new();
    for round in 0..3000 {
        let kind = TerrainKind(if round % 2 == 0 { 2 } else { 0 });
        let edit = grid.set_terrain(Rect::new(60 + round / 2 % 20, 34, 10, 3), kind);
        tables.update(&grid, edit.changed);
        field.repair(&tables, edit.changed, &mut scratch);
        bytes.push(field.memory_bytes());
    }
    assert_eq!(bytes[1000], bytes[2999], "from {}", bytes[0]);
    field.settle(&tables, SettleTarget::All, u64::MAX);
    let mut fresh = CostField::to_goal(&tables, &Goal::of(&goal));
    fresh.settle(&tables, SettleTarget::All, u64::MAX);
    assert!(field.settled().eq(fresh.settled()));
}

/// The cached fields, by the columns of their goals, oldest first.
fn kept(fields: &CostFieldCache) -> Vec<(u32, i32)> {
    fields.iter().map(|(class, _, field)| (class, field.goal().members[0].cell.x)).collect()
}

#[test]
fn the_least_recently_used_field_is_evicted() {
    let rows = ["........"; 4];
    let mut grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let mut tables = MovementTables::compile(&grid, truck());
    let goals: Vec<[GoalMember; 1]> = (0..8).map(|x| [GoalMember::any(CellXY::new(x, 1))]).collect();
    let one = 5 * tables.space().n_states() + 4 * 4;
    let mut fields = CostFieldCache::new(3 * one + one / 2);
    let obtain = |fields: &mut CostFieldCache, tables: &MovementTables, class, x: usize, tick| {
        let field = fields.obtain(class, tables, &Goal::of(&goals[x]), tick).unwrap();
        field.settle(tables, SettleTarget::All, u64::MAX);
    };
    for (class, x, tick) in [(0, 0, 1), (0, 1, 1), (1, 1, 2), (0, 0, 3)] {
        obtain(&mut fields, &tables, class, x, tick);
    }
    assert_eq!(kept(&fields), [(0, 0), (0, 1), (1, 1)]);
    assert_eq!(fields.bytes(), 3 * one);
    obtain(&mut fields, &tables, 0, 2, 3);
    assert_eq!(kept(&fields), [(0, 0), (1, 1), (0, 2)]);
    // A lookup does not count as a use.
    assert!(fields.get(1, &Goal::of(&goals[1])).is_some());
    obtain(&mut fields, &tables, 0, 3, 4);
    assert_eq!(kept(&fields), [(0, 0), (0, 2), (0, 3)]);
    // With equal use numbers the oldest field is evicted.
    obtain(&mut fields, &tables, 0, 4, 4);
    assert_eq!(kept(&fields), [(0, 2), (0, 3), (0, 4)]);
    assert!(fields.get(0, &Goal::of(&goals[0])).is_none());
    // A goal with too many poses for the limit.
    let near = [GoalMember::any(CellXY::new(0, 0))];
    assert!(CostFieldCache::new(one).obtain(0, &tables, &Goal { members: &near, within: 1 }, 1).is_none());

    let edit = grid.set_terrain(Rect::new(4, 0, 1, 3), TerrainKind(2));
    tables.update(&grid, edit.changed);
    fields.repair(0, &tables, edit.changed, &mut RepairScratch::new());
    for (_, _, field) in fields.iter() {
        assert_field(&grid, &tables, field, false);
    }
    fields.forget_unused(1, 9);
    assert_eq!(kept(&fields), [(0, 2), (0, 3), (0, 4)]);
    fields.forget_unused(0, 4);
    assert_eq!(kept(&fields), [(0, 3), (0, 4)]);
    fields.forget_class(0);
    assert_eq!(fields.bytes(), 0);
}

/// Regression: an edit affected a move that ends outside the touched anchors, and the cost from a start kept
/// its old value there.
#[test]
fn a_field_from_a_start_follows_moves_into_untouched_poses() {
    let mut spec = ClassSpec::new("lopsided", 4);
    spec.footprint = vec![(1, 1)];
    spec.pivot = Pivot { forward: -1, right: 3 };
    spec.primitives = vec![Primitive::step("aside", (-1, 1), 1)];
    let class = MovementClass::new(spec).unwrap();
    let (terrain, sides) = tables();
    let size = GridSize::new(2, 7).unwrap();
    let mut scratch = RepairScratch::new();
    for cell in 0..14 {
        for start in 0..14 {
            let mut grid = Grid::filled(size, TerrainKind(0), terrain.clone(), sides.clone());
            let mut tables = MovementTables::compile(&grid, class.clone());
            let starts = [GoalMember::any(size.xy(Cell(start)))];
            let mut field = CostField::from_start(&tables, &Goal::of(&starts));
            field.keep_moves(&tables);
            field.settle(&tables, SettleTarget::All, u64::MAX);
            let CellXY { x, y } = size.xy(Cell(cell));
            let edit = grid.set_terrain(Rect::new(x, y, 1, 1), TerrainKind(1));
            tables.update(&grid, edit.changed);
            field.repair(&tables, edit.changed, &mut scratch);
            assert_field(&grid, &tables, &field, true);
        }
    }
}
