//! The visible part of a map and its scale.

use std::fmt;
use wheelbase_grid::{Lattice, Point, Rect};

/// Most pixels of a picture: the number of cells of the largest map.
pub const PIXELS_MAX: u64 = 1 << 26;
/// Most pixels along the longer side of a picture at the default scale, and the largest default scale.
const SIDE_DEFAULT: f64 = 1280.0;
const SCALE_DEFAULT_MAX: u32 = 32;
/// Largest scale, in pixels per cell.
pub const SCALE_MAX: u32 = 256;

/// The visible part of a map and its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The plane of the map.
    pub lattice: Lattice,
    /// The visible cells, all on the map.
    pub area: Rect,
    /// Pixels per cell.
    pub scale: u32,
}

impl View {
    /// The view of the part of a map within `area`, or of all of it. Without a `scale` the picture fits a screen.
    /// # Errors
    /// [`ViewError`] if the area holds no cell of the map, or the picture would exceed `pixels_max` pixels.
    pub fn of(
        lattice: Lattice,
        map: Rect,
        area: Option<Rect>,
        scale: Option<u32>,
        pixels_max: u64,
    ) -> Result<Self, ViewError> {
        let requested = area.unwrap_or(map);
        let area = requested.intersection(map);
        if area.width == 0 || area.height == 0 {
            return Err(ViewError::OffMap { area: requested, map });
        }
        let [width, height] = lattice.extent(area);
        let fitting = (SIDE_DEFAULT / width.max(height)) as u32;
        let default = fitting.clamp(1, SCALE_DEFAULT_MAX);
        let view = Self { lattice, area, scale: scale.unwrap_or(default) };
        let pixels = |scale| {
            let (width, height) = Self { scale, ..view }.size();
            u64::from(width) * u64::from(height)
        };
        if pixels(view.scale) <= pixels_max {
            return Ok(view);
        }
        let fitting = (1..view.scale).rev().find(|&scale| pixels(scale) <= pixels_max);
        Err(ViewError::TooLarge { size: view.size(), pixels_max, fitting })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        let pixels = |cells: f64| (cells * f64::from(self.scale)).ceil() as u32;
        let [width, height] = self.lattice.extent(self.area);
        (pixels(width), pixels(height))
    }

    /// A length of `pixels`, in cells.
    pub fn cells(&self, pixels: f64) -> f64 {
        pixels / f64::from(self.scale)
    }

    /// Pixel coordinates of a point of the plane.
    pub fn in_picture(&self, [x, y]: Point) -> Point {
        let ([left, top], scale) = (self.lattice.corner_of(self.area), f64::from(self.scale));
        [(x - left) * scale, (y - top) * scale]
    }
}

/// Why a view cannot be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViewError {
    /// No cell of the map is in the area.
    OffMap {
        /// The area.
        area: Rect,
        /// The whole map.
        map: Rect,
    },
    /// The picture would have too many pixels.
    TooLarge {
        /// Its width and height in pixels.
        size: (u32, u32),
        /// Most pixels allowed.
        pixels_max: u64,
        /// The largest scale that fits; `None` if none does.
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
            Self::TooLarge { size: (width, height), pixels_max, .. } => {
                write!(
                    f,
                    "a picture of {width} x {height} pixels is too large; the limit is {pixels_max} pixels"
                )
            }
        }
    }
}

impl std::error::Error for ViewError {}
