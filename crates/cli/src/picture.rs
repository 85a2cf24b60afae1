//! A picture as a list of what is to be drawn, in the plane of the map. `raster.rs` makes points of it and
//! `svg.rs` text, so PNG, GIF and SVG show the same.

pub mod bodies;
pub mod distances;
pub mod gif;
pub mod ground;
pub mod lattice;
pub mod plan;
pub mod png;
pub mod raster;
pub mod svg;

use crate::colours::Rgb;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::clash::Output;
use crate::output::files::Outputs;
use crate::picture::lattice::{Lattice, Point};
use crate::picture::raster::Canvas;
use std::path::Path;
use wheelbase_grid::{CellXY, Rect};

/// Most points of a picture: as many as the largest map has cells.
const POINTS_MAX: u64 = 1 << 26;
/// Most points along the longer side of a picture whose scale is not given, and points a cell then.
const SIDE_DEFAULT: f64 = 1280.0;
const SCALE_DEFAULT_MAX: u32 = 32;
/// Most points a cell.
pub const SCALE_MAX: u32 = 256;
/// Most cells of an SVG: it names each run of them.
const SVG_CELLS_MAX: u64 = 1 << 20;

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
    /// The view of a map, or of the part of it within `area`.
    /// # Errors
    /// What would fit, if the picture had too many points.
    pub fn of(lattice: Lattice, map: Rect, wanted: &Wanted<'_>, points_max: u64) -> Result<Self, String> {
        let (scale, wanted) = (wanted.scale, wanted.area.unwrap_or(map));
        let area = wanted.intersection(map);
        if area.width == 0 || area.height == 0 {
            return Err(format!(
                "--area: no cell of {},{},{},{} is on the map of {} x {}",
                wanted.x, wanted.y, wanted.width, wanted.height, map.width, map.height
            ));
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
        let (width, height) = view.size();
        let largest = (1..view.scale).rev().find(|&scale| points(scale) <= points_max);
        let fits = match largest {
            Some(scale) => {
                format!("--scale {scale} is the largest that fits, or show a part with --area X,Y,W,H")
            }
            None => "show a part of the map with --area X,Y,W,H".to_owned(),
        };
        Err(format!(
            "a picture of {width} x {height} points is too large, at most {points_max} are drawn; {fits}"
        ))
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

/// What pictures are drawn for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// A PNG file.
    pub png: Option<&'a Path>,
    /// An SVG file.
    pub svg: Option<&'a Path>,
    /// The part of the map that is shown.
    pub area: Option<Rect>,
    /// Points a cell.
    pub scale: Option<u32>,
}

impl Wanted<'_> {
    /// Whether any file is.
    pub fn any(&self) -> bool {
        self.png.is_some() || self.svg.is_some()
    }

    /// The view of a map, if its picture is not too large for any of the files.
    /// # Errors
    /// What would fit.
    pub fn view(&self, lattice: Lattice, map: Rect) -> Result<View, Failure> {
        let view = View::of(lattice, map, self, POINTS_MAX).map_err(Failure::bad_input)?;
        let cells = u64::from(view.area.width) * u64::from(view.area.height);
        if self.svg.is_some() && cells > SVG_CELLS_MAX {
            return Err(Failure::bad_input(format!(
                "an SVG of {cells} cells is too large, at most {SVG_CELLS_MAX} are drawn; show a part of the map with --area X,Y,W,H, or write a PNG"
            )));
        }
        Ok(view)
    }

    /// The view of a map for a moving picture.
    /// # Errors
    /// What would fit.
    pub fn moving_view(&self, lattice: Lattice, map: Rect) -> Result<View, Failure> {
        let view = View::of(lattice, map, self, gif::POINTS_MAX).map_err(Failure::bad_input)?;
        let (width, height) = view.size();
        if width.max(height) > gif::SIDE_MAX {
            return Err(Failure::bad_input(format!(
                "a GIF of {width} x {height} points is too large, its sides have at most {}; show a part of the map with --area X,Y,W,H",
                gif::SIDE_MAX
            )));
        }
        Ok(view)
    }

    /// The files, with their flags.
    pub fn outputs(&self) -> [Output<'_>; 2] {
        [("--png", self.png), ("--svg", self.svg)]
    }

    /// Writes the files.
    pub fn write(&self, picture: &Picture, outputs: &mut Outputs, stop: &Interrupt) {
        if let Some(path) = self.svg {
            outputs.write(path, svg::text(picture).as_bytes(), stop);
        }
        if let Some(path) = self.png {
            let mut canvas = Canvas::new(picture.view);
            canvas.draw(&picture.items);
            let encoded = png::encode(canvas.image()).map_err(|error| Failure::writing(path, &error));
            if let Some(bytes) = outputs.note(encoded) {
                outputs.write(path, &bytes, stop);
            }
        }
    }
}
