//! A picture as a list of what is to be drawn, in the plane of the map.

use crate::picture::lattice::Point;
use crate::picture::view::View;
use wheelbase_grid::{CellXY, Rect, Rgb};

/// A picture, first things first.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What it shows.
    pub view: View,
    /// What it is called.
    pub title: String,
    /// What is drawn.
    pub items: Vec<Item>,
}

/// A colour and how much of it covers what is below: 0 nothing, 255 all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Paint {
    /// The colour.
    pub rgb: Rgb,
    /// The cover.
    pub alpha: u8,
}

impl Paint {
    /// All of a colour.
    pub const fn solid(rgb: Rgb) -> Self {
        Self { rgb, alpha: 255 }
    }

    /// A colour that lets through what is below.
    pub const fn new(rgb: Rgb, alpha: u8) -> Self {
        Self { rgb, alpha }
    }

    /// Nothing.
    pub const NONE: Self = Self { rgb: [0; 3], alpha: 0 };
}

/// One thing that is drawn, over those before it.
#[derive(Clone, Debug)]
pub enum Item {
    /// Cells, each filled with a paint of its own.
    Cells(Cells),
    /// Lines and areas.
    Shape(Shape),
}

/// The cells of an area.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The area.
    pub area: Rect,
    /// `[height * width]` of the area, row-major.
    pub paints: Vec<Paint>,
}

impl Cells {
    /// The cells in sight, each with a paint of its own.
    pub fn of(view: &View, paint: impl Fn(CellXY) -> Paint) -> Self {
        Self { area: view.area, paints: view.area.cells().map(paint).collect() }
    }
}

/// An area with its outline, or lines.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Loops of points, or lines if they are not closed.
    pub loops: Vec<Vec<Point>>,
    /// What the loops enclose is filled with.
    pub fill: Option<Paint>,
    /// What is drawn along them.
    pub stroke: Option<Stroke>,
    /// What it is, for those who can ask.
    pub title: Option<String>,
}

/// A line along points.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Its paint.
    pub paint: Paint,
    /// Its width, in cells.
    pub width: f64,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

impl Shape {
    /// Filled loops.
    pub fn filled(loops: Vec<Vec<Point>>, paint: Paint) -> Self {
        Self { loops, fill: Some(paint), ..Self::default() }
    }

    /// Lines.
    pub fn lines(lines: Vec<Vec<Point>>, paint: Paint, width: f64) -> Self {
        Self { loops: lines, stroke: Some(Stroke { paint, width, closed: false }), ..Self::default() }
    }

    /// Outlines.
    pub fn outlines(loops: Vec<Vec<Point>>, paint: Paint, width: f64) -> Self {
        Self { loops, stroke: Some(Stroke { paint, width, closed: true }), ..Self::default() }
    }

    /// With the outline drawn too.
    pub fn with_outline(mut self, paint: Paint, width: f64) -> Self {
        self.stroke = Some(Stroke { paint, width, closed: true });
        self
    }

    /// With a title.
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
