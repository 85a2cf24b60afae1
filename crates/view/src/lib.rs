//! Pictures, playback pages, reports and a terminal view of maps and runs.
//!
//! Input: grids, rows of agents, recordings. Output: bytes. Nothing here steps a simulation.
//!
//! ```
//! use wheelbase_grid::{Grid, Lattice, SideTable, TerrainTable};
//! use wheelbase_view::picture::drawing::Picture;
//! use wheelbase_view::picture::view::{PIXELS_MAX, View};
//! use wheelbase_view::picture::{ground, svg};
//! let grid = Grid::from_rows(&["..W", ".T."], TerrainTable::movingai(), SideTable::default())?;
//! let view = View::of(Lattice(grid.shape()), grid.size().rect(), None, None, PIXELS_MAX)?;
//! let picture = Picture { view, title: "a pond".to_owned(), items: ground::of_grid(&view, &grid) };
//! assert!(svg::text(&picture, None).contains("<title>a pond</title>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod animation;
mod base64;
mod colours;
pub mod page;
pub mod picture;
mod recorded;
pub mod report;
mod round_numbers;
pub mod safe_text;
pub mod scene;
pub mod sweep;
mod template;
pub mod terminal;
