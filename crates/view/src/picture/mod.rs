//! Pictures. A picture is a list of items in the plane of the map ([`drawing`]). [`raster`] turns it into pixels and
//! [`svg`] into text, so PNG, GIF and SVG show the same.

pub mod bodies;
pub mod caption;
pub mod distances;
pub mod drawing;
pub mod gif;
pub mod ground;
pub mod plan;
pub mod png;
pub mod raster;
pub mod signs;
pub mod svg;
pub mod view;
