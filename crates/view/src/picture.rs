//! Pictures. One is a list of what is drawn in the plane of the map ([`drawing`]); [`raster`] makes points of it and
//! [`svg`] text, so PNG, GIF and SVG show the same.

pub mod bodies;
pub mod distances;
pub mod drawing;
pub mod gif;
pub mod ground;
pub mod lattice;
pub mod plan;
pub mod png;
pub mod raster;
pub mod svg;
pub mod view;
