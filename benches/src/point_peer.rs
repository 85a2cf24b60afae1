//! Peers that plan for points on grids by their own rules.

use crate::scene::Query;
use grid_pathfinding::PathingGrid;
use grid_util::{Point, ValueGrid};
use hierarchical_pathfinding::prelude::{
    ManhattanNeighborhood, MooreNeighborhood, Neighborhood, PathCache, PathCacheConfig,
};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, MovementTables, Pose};

/// A planner of points, prepared for a map.
pub enum PointPeer {
    /// `grid_pathfinding`: jump point search.
    JumpPoints(Box<PathingGrid>),
    /// `hierarchical_pathfinding` on eight neighbours, with default settings.
    EightNeighbours(Chunks<MooreNeighborhood>),
    /// The same on four neighbours.
    FourNeighbours(Chunks<ManhattanNeighborhood>),
}

/// A cache of paths between the entrances of chunks, with its map of costs.
pub struct Chunks<N: Neighborhood> {
    cache: PathCache<N>,
    /// `[height * width]`: cost of each cell, -1 for a wall.
    costs: Vec<isize>,
    width: usize,
}

impl PointPeer {
    /// Name of each peer, and in what way the comparison is unfair.
    pub const LABELS: [(&'static str, &'static str); 3] = [
        (
            "grid_pathfinding",
            "unfair: cuts corners; not quite optimal (the first cell of a jump is charged by the previous \
             direction); points and uniform costs only",
        ),
        (
            "hierarchical_pathfinding 8",
            "unfair: cuts corners; not optimal (a diagonal costs as much as a straight step; chunks); \
             prepared; points only",
        ),
        (
            "hierarchical_pathfinding 4",
            "unfair: same moves and costs, but not optimal (chunks); prepared; points only",
        ),
    ];

    /// `grid_pathfinding` on the legal poses of a class with one cell and one heading.
    pub fn jump_points(tables: &MovementTables) -> Self {
        let size = tables.space().size();
        let mut grid = PathingGrid::new(size.width() as usize, size.height() as usize, false);
        for y in 0..size.height() as i32 {
            for x in 0..size.width() as i32 {
                if !is_free(tables, CellXY::new(x, y)) {
                    grid.set(x, y, true);
                }
            }
        }
        grid.generate_components();
        Self::JumpPoints(Box::new(grid))
    }

    /// `hierarchical_pathfinding` on the same cells, with eight neighbours.
    pub fn eight_neighbours(tables: &MovementTables) -> Self {
        Self::EightNeighbours(Chunks::of(tables, MooreNeighborhood::new))
    }

    /// The same with four neighbours.
    pub fn four_neighbours(tables: &MovementTables) -> Self {
        Self::FourNeighbours(Chunks::of(tables, ManhattanNeighborhood::new))
    }

    /// Name in outputs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::JumpPoints(_) => Self::LABELS[0].0,
            Self::EightNeighbours(_) => Self::LABELS[1].0,
            Self::FourNeighbours(_) => Self::LABELS[2].0,
        }
    }

    /// The cells of the path, including start and goal; `None` if there is no path.
    pub fn path(&self, query: &Query) -> Option<Vec<CellXY>> {
        let (start, goal) = (query.start.cell, query.goal.cell);
        match self {
            Self::JumpPoints(grid) => {
                let path = grid.get_path_single_goal(
                    Point::new(start.x, start.y),
                    Point::new(goal.x, goal.y),
                    false,
                )?;
                Some(path.into_iter().map(|point| CellXY::new(point.x, point.y)).collect())
            }
            Self::EightNeighbours(chunks) => chunks.path(start, goal),
            Self::FourNeighbours(chunks) => chunks.path(start, goal),
        }
    }
}

impl<N: Neighborhood + Sync> Chunks<N> {
    fn of(tables: &MovementTables, neighborhood: impl Fn(usize, usize) -> N) -> Self {
        let size = tables.space().size();
        let (width, height) = (size.width() as usize, size.height() as usize);
        let cells = (0..height as i32).flat_map(|y| (0..width as i32).map(move |x| CellXY::new(x, y)));
        let costs: Vec<isize> = cells.map(|cell| if is_free(tables, cell) { 1 } else { -1 }).collect();
        let cache = PathCache::new(
            (width, height),
            |(x, y)| costs[y * width + x],
            neighborhood(width, height),
            PathCacheConfig::default(),
        );
        Self { cache, costs, width }
    }

    fn path(&self, start: CellXY, goal: CellXY) -> Option<Vec<CellXY>> {
        let point = |cell: CellXY| (cell.x as usize, cell.y as usize);
        let cost = |(x, y): (usize, usize)| self.costs[y * self.width + x];
        let path = self.cache.find_path(point(start), point(goal), cost)?;
        let steps = path.map(|(x, y)| CellXY::new(x as i32, y as i32));
        Some(std::iter::once(start).chain(steps).collect())
    }
}

fn is_free(tables: &MovementTables, cell: CellXY) -> bool {
    tables.is_legal_pose(Pose { cell, heading: Heading(0) })
}
