//! Connectivity of tiles, for boards whose tiles are rotated during the game.
//!
//! Whether two tiles are connected is read from the components, which follow each edit, without a search.
//! Listing the tiles of a connection is a rarer query, with time in proportion to its output.

use crate::fields::distances::Distances;
use crate::model::goal::{Goal, GoalMember};
use crate::model::offset::Offset;
use crate::model::path::Path;
use crate::model::pose::{Heading, Pose, State, StateSpace};
use crate::tables::MovementTables;
use crate::tables::components::Reachability;
use wheelbase_grid::{BitGrid, CellXY};

impl MovementTables {
    /// Whether some pose with its anchor in `to` is reachable from some legal pose with its anchor in `from`.
    /// Examines only the poses of both cells. [`Reachability::Unknown`], which only a search can settle,
    /// results from one-way moves, and from tables without [components](Self::make_components).
    ///
    /// ```
    /// use wheelbase_grid::*;
    /// use wheelbase_planner::*;
    /// use wheelbase_planner::tables::Reachability;
    ///
    /// let mut grid = Grid::from_rows(&["..."], TerrainTable::movingai(), SideTable::default())?;
    /// let mut spec = ClassSpec::new("current", 1);
    /// spec.primitives = Primitive::four_directions(1);
    /// let (west, middle, east) = (CellXY::new(0, 0), CellXY::new(1, 0), CellXY::new(2, 0));
    /// grid.set_side(middle, Side::North, SideKind::WALL);
    /// let mut tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
    /// tables.make_components();
    /// assert_eq!(tables.connects(west, east), Reachability::Yes);
    ///
    /// // A quarter turn moves the closed side to the west.
    /// let edit = grid.rotate(middle, 1);
    /// tables.update(&grid, edit.changed);
    /// assert_eq!((tables.connects(west, east), tables.connects(middle, east)), (Reachability::No, Reachability::Yes));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn connects(&self, from: CellXY, to: CellXY) -> Reachability {
        let components = self.components();
        let mut answer = Reachability::No;
        for start in poses_in(self.space(), from).filter(|&state| self.is_legal(state)) {
            for end in poses_in(self.space(), to) {
                match components.reachability(start, end) {
                    Reachability::Yes => return Reachability::Yes,
                    Reachability::Unknown if self.is_legal(end) => answer = Reachability::Unknown,
                    Reachability::Unknown | Reachability::No => {}
                }
            }
        }
        answer
    }
}

fn poses_in(space: StateSpace, cell: CellXY) -> impl Iterator<Item = State> {
    (0..space.headings()).filter_map(move |h| space.state(Pose { cell, heading: Heading(h) }))
}

/// Lists the tiles of connections. Keeps its memory: after the first queries on a board nothing allocates.
///
/// ```
/// use wheelbase_grid::*;
/// use wheelbase_planner::*;
/// use wheelbase_planner::fields::Connections;
///
/// let grid = Grid::from_rows(&["....", ".WW.", "W..."], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("current", 1);
/// spec.primitives = Primitive::four_directions(1);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let mut connections = Connections::new(&tables);
/// let mut tiles = Vec::new();
/// let cells = |cells: &[(i32, i32)]| cells.iter().map(|&(x, y)| CellXY::new(x, y)).collect::<Vec<_>>();
/// let ticks = connections.shortest(&tables, CellXY::new(2, 0), CellXY::new(2, 2), &mut tiles);
/// assert_eq!((ticks, &tiles), (Some(4), &cells(&[(2, 0), (3, 0), (3, 1), (3, 2), (2, 2)])));
/// connections.all(&tables, CellXY::new(2, 0), &mut tiles);
/// assert_eq!(tiles.len(), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Connections {
    distances: Distances,
    path: Path,
    /// Tiles already listed.
    listed: BitGrid,
    /// A bit per reached state.
    reached: Vec<u64>,
    /// The reached states, in order of discovery.
    states: Vec<State>,
}

impl Connections {
    /// For queries about a class on a board.
    pub fn new(tables: &MovementTables) -> Self {
        let space = tables.space();
        Self {
            distances: Distances::to_goal(tables, &Goal::of(&[])),
            path: Path::new(),
            listed: BitGrid::new(space.size()),
            reached: vec![0; space.n_states().div_ceil(64)],
            states: Vec::new(),
        }
    }

    /// Writes the tiles of a cheapest connection, each once. A body sweeps them in this order on its path from any pose
    /// in one cell to any pose in the other. Returns its cost in ticks, or `None` without a connection. Does not search
    /// if the components rule out a connection.
    ///
    /// # Panics
    /// If the tables are of another board or class.
    pub fn shortest(
        &mut self,
        tables: &MovementTables,
        from: CellXY,
        to: CellXY,
        tiles: &mut Vec<CellXY>,
    ) -> Option<u32> {
        tiles.clear();
        self.distances.restart_to(tables, &Goal::of(&[GoalMember::any(to)]));
        let (_, found) = self.distances.nearest(tables, &[GoalMember::any(from)])?;
        self.distances.path(tables, found.pose, &mut self.path);
        let (class, space) = (tables.class(), tables.space());
        append_cells(&mut self.listed, found.pose.cell, class.footprint().at(space.frame(found.pose)), tiles);
        for (at, &primitive) in self.path.poses.iter().zip(&self.path.moves) {
            append_cells(
                &mut self.listed,
                at.pose.cell,
                &class.shape(space.frame(at.pose), primitive.into()).swept,
                tiles,
            );
        }
        self.clear_listed(tiles);
        Some(found.ticks)
    }

    /// Writes every tile coverable by a body that starts anywhere in the cell and follows moves, forward or
    /// backward: the whole connected set. Row by row. Linear in the poses of the set.
    pub fn all(&mut self, tables: &MovementTables, from: CellXY, tiles: &mut Vec<CellXY>) {
        assert_eq!(tables.space(), self.distances.field().space(), "tables of another board");
        tiles.clear();
        self.states.clear();
        for state in poses_in(tables.space(), from).filter(|&state| tables.is_legal(state)) {
            mark_reached(&mut self.reached, &mut self.states, state);
        }
        let mut at = 0;
        while let Some(&state) = self.states.get(at) {
            tables.for_each_neighbour(state, |next| mark_reached(&mut self.reached, &mut self.states, next));
            at += 1;
        }
        for at in 0..self.states.len() {
            let state = self.states[at];
            self.reached[state.0 as usize / 64] = 0;
            let cell = tables.space().pose(state).cell;
            let footprint = tables.class().footprint().at(tables.space().frame_of(state));
            append_cells(&mut self.listed, cell, footprint, tiles);
        }
        self.clear_listed(tiles);
        tiles.sort_unstable_by_key(|cell| (cell.y, cell.x));
    }

    fn clear_listed(&mut self, tiles: &[CellXY]) {
        tiles.iter().for_each(|&cell| self.listed.set(cell, false));
    }
}

/// Appends the cells at some offsets from an anchor that are not listed yet.
fn append_cells(listed: &mut BitGrid, anchor: CellXY, offsets: &[Offset], tiles: &mut Vec<CellXY>) {
    for offset in offsets {
        let cell = offset.cell_from(anchor);
        if !listed.get(cell) {
            listed.set(cell, true);
            tiles.push(cell);
        }
    }
}

fn mark_reached(reached: &mut [u64], states: &mut Vec<State>, state: State) {
    let (word, bit) = (state.0 as usize / 64, 1 << (state.0 % 64));
    if reached[word] & bit == 0 {
        reached[word] |= bit;
        states.push(state);
    }
}
