//! What part of a map a picture shows, and how large.

use crate::picture::lattice::{Lattice, Point};
use std::fmt;
use wheelbase_grid::Rect;

/// Most points of a picture: as many as the largest map has cells.
pub const POINTS_MAX: u64 = 1 << 26;
/// Most points along the longer side of a picture whose scale is not given, and points a cell then.
const SIDE_DEFAULT: f64 = 1280.0;
const SCALE_DEFAULT_MAX: u32 = 32;
/// Most points a cell.
pub const SCALE_MAX: u32 = 256;

/// What part of a map a picture shows, and how large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The plane of the map.
    pub lattice: Lattice,
    /// The cells, all on the map.
    pub area: Rect,
    /// Points a cell.
    pub scale: u32,
}

impl View {
    /// The view of a map: of its part within `area`, and of so many points a cell, or of as many as fit a screen.
    /// # Errors
    /// [`ViewError`] if no cell of the map is in the area, or the picture had more than `points_max` points.
    pub fn of(
        lattice: Lattice,
        map: Rect,
        area: Option<Rect>,
        scale: Option<u32>,
        points_max: u64,
    ) -> Result<Self, ViewError> {
        let wanted = area.unwrap_or(map);
        let area = wanted.intersection(map);
        if area.width == 0 || area.height == 0 {
            return Err(ViewError::OffMap { area: wanted, map });
        }
        let [width, height] = lattice.extent(area);
        let fitting = (SIDE_DEFAULT / width.max(height)) as u32;
        let default = fitting.clamp(1, SCALE_DEFAULT_MAX);
        let view = Self { lattice, area, scale: scale.unwrap_or(default) };
        let points = |scale| {
            let (width, height) = Self { scale, ..view }.size();
            u64::from(width) * u64::from(height)
        };
        if points(view.scale) <= points_max {
            return Ok(view);
        }
        let fitting = (1..view.scale).rev().find(|&scale| points(scale) <= points_max);
        Err(ViewError::TooLarge { size: view.size(), points_max, fitting })
    }

    /// Columns and rows of points.
    pub fn size(&self) -> (u32, u32) {
        let points = |cells: f64| (cells * f64::from(self.scale)).ceil() as u32;
        let [width, height] = self.lattice.extent(self.area);
        (points(width), points(height))
    }

    /// So many points as cells.
    pub fn points(&self, points: f64) -> f64 {
        points / f64::from(self.scale)
    }

    /// Where a point of the plane is in the picture.
    pub fn in_picture(&self, [x, y]: Point) -> Point {
        let ([left, top], scale) = (self.lattice.corner_of(self.area), f64::from(self.scale));
        [(x - left) * scale, (y - top) * scale]
    }
}

/// Why there is no such picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewError {
    /// No cell of the map is in the area.
    OffMap {
        /// The area.
        area: Rect,
        /// The whole map.
        map: Rect,
    },
    /// It would have too many points.
    TooLarge {
        /// Its columns and rows of points.
        size: (u32, u32),
        /// Most points that it may have.
        points_max: u64,
        /// The most points a cell with which it fits; `None` if none is few enough.
        fitting: Option<u32>,
    },
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OffMap { area, map } => write!(
                f,
                "no cell of {},{},{},{} is on the map of {} x {}",
                area.x, area.y, area.width, area.height, map.width, map.height
            ),
            Self::TooLarge { size: (width, height), points_max, .. } => {
                write!(
                    f,
                    "a picture of {width} x {height} points is too large, at most {points_max} are drawn"
                )
            }
        }
    }
}

impl std::error::Error for ViewError {}
