//! A picture as a list of items in the plane of the map.

use crate::picture::view::View;
use wheelbase_grid::{CellXY, Point, Rect, Rgb};

/// A picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The visible part of the map and its scale.
    pub view: View,
    /// Title of the picture.
    pub title: String,
    /// Items in drawing order: each covers those before it.
    pub items: Vec<Item>,
}

/// A colour with its opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Paint {
    /// The colour.
    pub rgb: Rgb,
    /// Opacity: 0 transparent, 255 opaque.
    pub alpha: u8,
}

impl Paint {
    /// An opaque colour.
    pub const fn solid(rgb: Rgb) -> Self {
        Self { rgb, alpha: 255 }
    }

    /// A colour with an opacity.
    pub const fn new(rgb: Rgb, alpha: u8) -> Self {
        Self { rgb, alpha }
    }

    /// Transparent.
    pub const NONE: Self = Self { rgb: [0; 3], alpha: 0 };
}

/// One item of a picture.
#[derive(Clone, Debug)]
pub enum Item {
    /// Cells, each with its own paint.
    Cells(Cells),
    /// Lines or areas.
    Shape(Shape),
}

/// The cells of a rectangle with their paints.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The rectangle.
    pub area: Rect,
    /// `[height * width]`, row-major.
    pub paints: Vec<Paint>,
}

impl Cells {
    /// All cells of a view, painted by `paint`.
    pub fn of(view: &View, paint: impl Fn(CellXY) -> Paint) -> Self {
        Self { area: view.area, paints: view.area.cells().map(paint).collect() }
    }
}

/// Filled loops, stroked loops, or lines.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Loops of points; open lines if the stroke is not closed.
    pub loops: Vec<Vec<Point>>,
    /// Fill of the enclosed area.
    pub fill: Option<Paint>,
    /// Stroke along the loops.
    pub stroke: Option<Stroke>,
    /// Tooltip, in formats that have one.
    pub title: Option<String>,
}

/// A stroke along points.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Paint.
    pub paint: Paint,
    /// Width in cells.
    pub width: f64,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

impl Shape {
    /// Filled loops.
    pub fn filled(loops: Vec<Vec<Point>>, paint: Paint) -> Self {
        Self { loops, fill: Some(paint), ..Self::default() }
    }

    /// Open lines.
    pub fn lines(lines: Vec<Vec<Point>>, paint: Paint, width: f64) -> Self {
        Self { loops: lines, stroke: Some(Stroke { paint, width, closed: false }), ..Self::default() }
    }

    /// Stroked loops.
    pub fn outlines(loops: Vec<Vec<Point>>, paint: Paint, width: f64) -> Self {
        Self { loops, stroke: Some(Stroke { paint, width, closed: true }), ..Self::default() }
    }

    /// Adds a stroke along the loops.
    pub fn with_outline(mut self, paint: Paint, width: f64) -> Self {
        self.stroke = Some(Stroke { paint, width, closed: true });
        self
    }

    /// Adds a tooltip.
    pub fn titled(mut self, title: String) -> Self {
        self.title = Some(title);
        self
    }
}

impl From<Shape> for Item {
    fn from(shape: Shape) -> Self {
        Self::Shape(shape)
    }
}
