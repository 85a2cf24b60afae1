//! Maps made from a seed, for tests, benchmarks and first scenarios.
//!
//! A map depends on nothing but its kind, size and seed, for ever: its recordings and published costs
//! would be void otherwise. So everything here is integer arithmetic over numbers of its own
//! [`SplitMix64`], and `tests/generated_maps.rs` pins one map of each kind.

mod base;
mod canvas;
mod maze;
mod river;
mod rooms;
mod scatter;
mod span;
mod streets;
mod union_find;

use canvas::Canvas;
use wheelbase_grid::{Grid, GridSize, SplitMix64};

/// What a generated map looks like.
///
/// All use the kinds of [`TerrainTable::movingai`](wheelbase_grid::TerrainTable::movingai), and all sides are
/// open. Maps of less than about 32 x 32 cells have no room for what their kind promises and are
/// mostly ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MapKind {
    /// Open land: about 3 % of the cells are clumps of trees, at least 2 cells apart.
    Open,
    /// One cell in five is blocked at random, as in the random maps of the MovingAI benchmarks, and
    /// some land is swamp. A few cells are closed off, and it is too dense for bodies wider than one cell.
    Random,
    /// Rooms of about 12 to 20 cells behind walls one cell thick, with doors of 3 to 6 cells. Every
    /// room can be reached.
    Rooms,
    /// Corridors 4 cells wide, with a few loops and many dead ends. A 3x5 body can go everywhere if it
    /// can step sideways within its corridor; one that only goes straight on and turns about its middle
    /// cannot take every bend.
    Maze,
    /// Open land with woods and a winding river of water, 4 to 8 cells wide, right across the map. It
    /// is crossed at swamp fords and at bridges of ground, at one place at least.
    River,
    /// Compounds of buildings of 4 to 14 cells with gaps of 2 to 8 cells, some of them behind walls
    /// with gates, and open yards; roads of 4 cells or more between them.
    Base,
    /// A grid of streets, 4 to 7 cells wide, between blocks of 10 to 24 cells, with a few squares,
    /// courtyards and dead ends.
    Streets,
}

impl MapKind {
    /// All kinds in order.
    pub const ALL: [Self; 7] =
        [Self::Open, Self::Random, Self::Rooms, Self::Maze, Self::River, Self::Base, Self::Streets];

    /// Name as written in files and on the command line, in lower case.
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

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Makes a map of that kind and size. The same seed gives the same map on every machine, for ever.
///
/// Terrain is that of [`TerrainTable::movingai`](wheelbase_grid::TerrainTable::movingai), every side is open and
/// there is no elevation, so that a `.map` file written from it reads back the same. Takes time and
/// memory in proportion to the number of cells.
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
    let mut canvas = Canvas::new(size);
    match kind {
        MapKind::Open => scatter::draw_open(&mut canvas, &mut random),
        MapKind::Random => scatter::draw_random(&mut canvas, &mut random),
        MapKind::Rooms => rooms::draw(&mut canvas, &mut random),
        MapKind::Maze => maze::draw(&mut canvas, &mut random),
        MapKind::River => river::draw(&mut canvas, &mut random),
        MapKind::Base => base::draw(&mut canvas, &mut random),
        MapKind::Streets => streets::draw(&mut canvas, &mut random),
    }
    canvas.into_grid()
}
