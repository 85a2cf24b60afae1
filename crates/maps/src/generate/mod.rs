//! Generates maps from seeds, for tests, benchmarks and first scenarios.
//!
//! A map depends only on its kind, size and seed, permanently: a change would invalidate recordings and published
//! costs. Hence integer arithmetic throughout, over [`SplitMix64`]; `tests/generated_maps.rs` pins maps of each kind.

mod base;
mod maze;
mod river;
mod rooms;
mod scatter;
mod span;
mod streets;
mod terrain_builder;
mod union_find;

use terrain_builder::TerrainBuilder;
use wheelbase_grid::{Grid, GridSize, SplitMix64};

/// The kind of a generated map.
///
/// All use the kinds of [`TerrainTable::movingai`](wheelbase_grid::TerrainTable::movingai), with all sides open. Maps
/// below about 32 x 32 cells have no room for the features of their kind and are mostly ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MapKind {
    /// Open land: about 3 % of the cells are clumps of trees, at least 2 cells apart.
    Open,
    /// Every fifth cell blocked at random, as in the random maps of the MovingAI benchmarks, and some swamp. A few
    /// cells are enclosed. Too dense for bodies wider than one cell.
    Random,
    /// Rooms of about 12 to 20 cells behind walls one cell thick, with doors of 3 to 6 cells. Every room is reachable.
    Rooms,
    /// Corridors 4 cells wide, with a few loops and many dead ends. A 3x5 body can go everywhere if it can step
    /// sideways within its corridor. A body that only drives straight and turns about its middle cannot take every
    /// corner.
    Maze,
    /// Open land with woods and a winding river, 4 to 8 cells wide, across the whole map. It has at least one
    /// crossing: swamp fords and bridges of ground.
    River,
    /// Compounds of buildings of 4 to 14 cells with gaps of 2 to 8 cells, some of them behind walls with gates, and
    /// open yards. Roads of 4 cells or more run between them.
    Base,
    /// A grid of streets, 4 to 7 cells wide, between blocks of 10 to 24 cells, with a few squares,
    /// courtyards and dead ends.
    Streets,
}

impl MapKind {
    /// All kinds in order.
    pub const ALL: [Self; 7] =
        [Self::Open, Self::Random, Self::Rooms, Self::Maze, Self::River, Self::Base, Self::Streets];

    /// Its name in files and on the command line, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Random => "random",
            Self::Rooms => "rooms",
            Self::Maze => "maze",
            Self::River => "river",
            Self::Base => "base",
            Self::Streets => "streets",
        }
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Generates a map. The same arguments give the same map on every machine, permanently.
///
/// Terrain kinds come from [`TerrainTable::movingai`](wheelbase_grid::TerrainTable::movingai), every side is open and
/// there is no elevation: a `.map` file holds all of it. Linear in the number of cells.
///
/// ```
/// use wheelbase_grid::GridSize;
/// use wheelbase_maps::{MapKind, generate};
/// let size = GridSize::new(64, 48)?;
/// let map = generate(MapKind::River, size, 7);
/// assert_eq!(map.terrain(), generate(MapKind::River, size, 7).terrain());
/// assert_ne!(map.terrain(), generate(MapKind::River, size, 8).terrain());
/// # Ok::<(), wheelbase_grid::SizeError>(())
/// ```
pub fn generate(kind: MapKind, size: GridSize, seed: u64) -> Grid {
    let mut random = SplitMix64::new(seed);
    let mut terrain = TerrainBuilder::new(size);
    match kind {
        MapKind::Open => scatter::draw_open(&mut terrain, &mut random),
        MapKind::Random => scatter::draw_random(&mut terrain, &mut random),
        MapKind::Rooms => rooms::draw(&mut terrain, &mut random),
        MapKind::Maze => maze::draw(&mut terrain, &mut random),
        MapKind::River => river::draw(&mut terrain, &mut random),
        MapKind::Base => base::draw(&mut terrain, &mut random),
        MapKind::Streets => streets::draw(&mut terrain, &mut random),
    }
    terrain.into_grid()
}
