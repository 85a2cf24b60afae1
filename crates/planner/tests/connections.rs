//! Connected tiles against a flood over the sides alone, after each rotation of a tile.

use crate::common::{apply, edit, world};
use proptest::prelude::*;
use wheelbase_grid::*;
use wheelbase_planner::fields::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::reference::Reference;
use wheelbase_planner::tables::*;

/// Open sides of each kind of tile in its initial orientation, in the order of [`Side::SQUARE`].
const TILES: [[bool; 4]; 5] = [
    [true, true, true, true],
    [true, true, true, false],
    [true, true, false, false],
    [true, false, true, false],
    [true, false, false, false],
];

fn board(width: u64, height: u64, kinds: &[usize]) -> Grid {
    let size = GridSize::new(width, height).unwrap();
    let mut grid = Grid::filled(size, TerrainKind(0), TerrainTable::movingai(), SideTable::default());
    for (cell, &kind) in kinds.iter().enumerate() {
        let xy = size.xy(Cell(cell as u32));
        for (side, open) in Side::SQUARE.into_iter().zip(TILES[kind]) {
            if !open {
                grid.set_side(xy, side, SideKind::WALL);
            }
        }
    }
    grid
}

fn current() -> MovementClass {
    let mut spec = ClassSpec::new("current", 1);
    spec.primitives = Primitive::four_directions(1);
    MovementClass::new(spec).unwrap()
}

/// Steps from a cell to every other through open sides, by breadth-first search.
fn steps_from(grid: &Grid, from: Cell) -> Vec<Option<u32>> {
    let size = grid.size();
    let mut steps = vec![None; size.n_cells()];
    let mut queue = vec![from];
    steps[from.0 as usize] = Some(0);
    let mut at = 0;
    while at < queue.len() {
        let cell = queue[at];
        at += 1;
        for side in Side::SQUARE {
            let (dx, dy) = GridShape::Square.step(side, 0);
            let xy = size.xy(cell);
            let Some(next) = size.cell(CellXY::new(xy.x + dx, xy.y + dy)) else { continue };
            let open = grid.side_of(cell, side) == SideKind::OPEN
                && grid.side_of(next, side.opposite()) == SideKind::OPEN;
            if open && steps[next.0 as usize].is_none() {
                steps[next.0 as usize] = Some(steps[cell.0 as usize].unwrap() + 1);
                queue.push(next);
            }
        }
    }
    steps
}

fn assert_board(grid: &Grid, tables: &MovementTables, connections: &mut Connections) {
    let size = grid.size();
    let cells = || (0..size.n_cells() as u32).map(Cell);
    let mut tiles = Vec::new();
    for from in cells() {
        let steps = steps_from(grid, from);
        for to in cells() {
            let connected = tables.connects(size.xy(from), size.xy(to));
            let expected = if steps[to.0 as usize].is_some() { Reachability::Yes } else { Reachability::No };
            assert_eq!(connected, expected, "{from:?} {to:?}");
        }
        let to = Cell(size.n_cells() as u32 - 1);
        let ticks = connections.shortest(tables, size.xy(from), size.xy(to), &mut tiles);
        assert_eq!(ticks, steps[to.0 as usize]);
        assert_eq!(tiles.len(), ticks.map_or(0, |ticks| ticks as usize + 1));
        if ticks.is_some() {
            assert_eq!((tiles[0], *tiles.last().unwrap()), (size.xy(from), size.xy(to)));
        }
        for pair in tiles.windows(2) {
            assert_eq!(tables.connects(pair[0], pair[1]), Reachability::Yes);
            assert_eq!(pair[0].distance_squared(pair[1]), 1);
        }
        connections.all(tables, size.xy(from), &mut tiles);
        assert_eq!(
            tiles,
            cells().filter(|c| steps[c.0 as usize].is_some()).map(|c| size.xy(c)).collect::<Vec<_>>()
        );
    }
}

/// Boards of 3x2 tiles, in each of the 4096 combinations of orientations, one rotation after another.
#[test]
fn every_turn_of_every_small_board() {
    for kinds in [[2, 3, 1, 4, 2, 2], [1, 2, 3, 2, 0, 4], [3, 1, 2, 2, 1, 3]] {
        let mut grid = board(3, 2, &kinds);
        let size = grid.size();
        let mut tables = MovementTables::compile(&grid, current());
        tables.make_components();
        let mut connections = Connections::new(&tables);
        for number in 1..=1_u32 << 12 {
            assert_board(&grid, &tables, &mut connections);
            // Like an odometer, this visits every combination of orientations.
            for cell in 0..=(number.trailing_zeros() / 2).min(5) {
                let edit = grid.rotate(size.xy(Cell(cell)), 1);
                tables.update(&grid, edit.changed);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Larger boards, rotated at random.
    #[test]
    fn rotated_boards_equal_a_flood(
        kinds in prop::collection::vec(0_usize..5, 35),
        turns in prop::collection::vec((0_u32..35, 1_i32..4), 0..30),
    ) {
        let mut grid = board(7, 5, &kinds);
        let size = grid.size();
        let mut tables = MovementTables::compile(&grid, current());
        tables.make_components();
        let mut connections = Connections::new(&tables);
        for (cell, turns) in turns {
            let edit = grid.rotate(size.xy(Cell(cell)), turns);
            tables.update(&grid, edit.changed);
        }
        assert_board(&grid, &tables, &mut connections);
    }

    /// Any class in any world, edited: cheapest connections by the reference, connected sets by a closure.
    #[test]
    fn any_class_equals_the_reference((mut grid, class) in world(), edits in prop::collection::vec(edit(), 0..3), draw in any::<(u32, u32)>()) {
        let mut tables = MovementTables::compile(&grid, class);
        tables.make_components();
        let mut connections = Connections::new(&tables);
        for edit in edits {
            let changed = apply(&mut grid, edit);
            tables.update(&grid, changed);
        }
        let (space, size) = (tables.space(), grid.size());
        let legality = Legality::new(&grid, tables.class());
        let n = size.n_cells() as u32;
        let (from, to) = (size.xy(Cell(draw.0 % n)), size.xy(Cell(draw.1 % n)));
        let poses = |cell| (0..space.headings()).map(move |h| Pose { cell, heading: Heading(h) });
        let costs = poses(from).flat_map(|start| {
            let reference = Reference::from(&legality, start);
            poses(to).filter_map(move |end| reference.costs[space.state(end).unwrap().0 as usize])
        });
        let expected = costs.min().filter(|&cost| cost <= u64::from(COST_MAX));
        let mut tiles = Vec::new();
        let ticks = connections.shortest(&tables, from, to, &mut tiles);
        prop_assert_eq!(ticks.map(u64::from), expected);
        match tables.connects(from, to) {
            Reachability::Yes => prop_assert!(ticks.is_some()),
            Reachability::No => prop_assert!(ticks.is_none()),
            Reachability::Unknown => {}
        }
        prop_assert!(tiles.iter().all(|&cell| size.contains(cell)));
        let mut connected: Vec<Pose> = poses(from).filter(|&pose| legality.check_pose(pose).is_ok()).collect();
        let mut at = 0;
        while at < connected.len() {
            let moves = legality.successors(connected[at]).chain(legality.predecessors(connected[at]));
            for (_, pose, _) in moves.collect::<Vec<_>>() {
                if !connected.contains(&pose) {
                    connected.push(pose);
                }
            }
            at += 1;
        }
        let covered = connected.iter().flat_map(|pose| {
            let body = tables.class().footprint().at(space.frame(*pose)).iter();
            body.map(|offset| offset.cell_from(pose.cell))
        });
        let mut expected: Vec<CellXY> = covered.collect();
        expected.sort_unstable_by_key(|cell| (cell.y, cell.x));
        expected.dedup();
        connections.all(&tables, from, &mut tiles);
        prop_assert_eq!(tiles, expected);
    }
}
