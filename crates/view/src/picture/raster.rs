//! Rasterises a picture.
//!
//! Shapes are filled by signed area coverage, as in the font rasteriser of FreeType. Each edge of a loop adds its
//! signed area to the pixels on its right. The sum over all edges is the covered part of each pixel. Coverage is
//! rounded to quarters: few distinct colours keep files small.

use crate::picture::drawing::{Cells, Item, Paint, Shape};
use crate::picture::view::View;
use wheelbase_grid::{CellXY, GridShape, Point, Rgb};

/// Background, seen in the gaps at the row ends of a hexagonal map.
pub const OUTSIDE: Rgb = [13, 15, 17];

/// Pixels whose coverage is held in memory at a time.
const BAND_PIXELS: usize = 1 << 20;

/// Steps to which coverage is rounded.
const LEVELS: f32 = 4.0;

/// An image in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `[height * width]`, row-major.
    pub pixels: Vec<Rgb>,
}

impl Image {
    /// An image of one colour.
    pub fn filled(width: u32, height: u32, colour: Rgb) -> Self {
        Self { width, height, pixels: vec![colour; width as usize * height as usize] }
    }

    /// The rows, from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[Rgb]> {
        self.pixels.chunks_exact(self.width as usize)
    }
}

/// An image of a view, to draw on.
#[derive(Clone, Debug)]
pub struct Canvas {
    view: View,
    image: Image,
    /// Scratch: coverage of the current band of a shape.
    coverage: Vec<f32>,
}

impl Canvas {
    /// An empty canvas.
    pub fn new(view: View) -> Self {
        let (width, height) = view.size();
        Self { view, image: Image::filled(width, height, OUTSIDE), coverage: Vec::new() }
    }

    /// The image drawn so far.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Replaces the image by another of the same size.
    pub fn reset_to(&mut self, image: &Image) {
        self.image.pixels.copy_from_slice(&image.pixels);
    }

    /// Draws items over the image.
    pub fn draw(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Cells(cells) if self.view.lattice.0 == GridShape::Square => self.draw_squares(cells),
                Item::Cells(cells) => self.draw_hexagons(cells),
                Item::Shape(shape) => self.draw_shape(shape),
            }
        }
    }

    fn draw_squares(&mut self, cells: &Cells) {
        let View { area, scale, .. } = self.view;
        for (y, row) in self.image.pixels.chunks_exact_mut(self.image.width as usize).enumerate() {
            for (x, pixels) in row.chunks_exact_mut(scale as usize).enumerate() {
                let cell = CellXY::new(area.x + x as i32, area.y + y as i32 / scale as i32);
                let Paint { rgb, alpha } = cells.paint(cell);
                if alpha > 0 {
                    pixels.iter_mut().for_each(|pixel| blend(pixel, rgb, alpha.into()));
                }
            }
        }
    }

    /// Each pixel becomes the mean of the cells at four sample positions within it.
    fn draw_hexagons(&mut self, cells: &Cells) {
        const SAMPLES: [Point; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
        let View { lattice, area, .. } = self.view;
        let ([left, top], step) = (lattice.corner_of(area), self.view.cells(1.0));
        for (y, row) in self.image.pixels.chunks_exact_mut(self.image.width as usize).enumerate() {
            for (x, pixel) in row.iter_mut().enumerate() {
                let cell_at = |[dx, dy]: Point| {
                    lattice.cell_at([left + (x as f64 + dx) * step, top + (y as f64 + dy) * step])
                };
                let paints = SAMPLES.map(cell_at).map(|cell| cells.paint(cell));
                if paints[1..].iter().all(|paint| *paint == paints[0]) {
                    blend(pixel, paints[0].rgb, paints[0].alpha.into());
                    continue;
                }
                let mut sums = [0_u32; 3];
                for Paint { rgb, alpha } in paints {
                    let mut sample = *pixel;
                    blend(&mut sample, rgb, alpha.into());
                    sums.iter_mut().zip(sample).for_each(|(sum, part)| *sum += u32::from(part));
                }
                *pixel = sums.map(|sum| ((sum + 2) / 4) as u8);
            }
        }
    }

    fn draw_shape(&mut self, shape: &Shape) {
        let to_picture = |points: &[Point]| -> Vec<Point> {
            points.iter().map(|&point| self.view.in_picture(point)).collect()
        };
        let loops: Vec<Vec<Point>> = shape.loops.iter().map(|points| to_picture(points)).collect();
        if let Some(paint) = shape.fill {
            self.fill(&loops, paint);
        }
        if let Some(stroke) = shape.stroke {
            let width = stroke.width * f64::from(self.view.scale);
            let mut pieces = Vec::new();
            loops.iter().for_each(|points| stroke_pieces(points, width, stroke.closed, &mut pieces));
            self.fill(&pieces, stroke.paint);
        }
    }

    /// Fills the area enclosed by loops. Overlapping loops of the same orientation are filled once.
    fn fill(&mut self, loops: &[Vec<Point>], paint: Paint) {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in loops.iter().flatten() {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let size = [self.image.width, self.image.height].map(f64::from);
        // Negated, so that NaN is rejected too.
        if !(0..2).all(|axis| low[axis] < size[axis] && high[axis] > 0.0 && low[axis] <= high[axis]) {
            return;
        }
        let first = [0, 1].map(|axis| low[axis].max(0.0) as usize);
        let end = [0, 1].map(|axis| high[axis].ceil().min(size[axis]) as usize);
        let columns = end[0] - first[0];
        let rows = (BAND_PIXELS / columns.max(1)).max(1);
        for top in (first[1]..end[1]).step_by(rows) {
            let mut band = Band {
                left: first[0],
                top,
                columns,
                rows: rows.min(end[1] - top),
                coverage: &mut self.coverage,
            };
            band.clear();
            for points in loops {
                let next = points.iter().cycle().skip(1);
                points.iter().zip(next).for_each(|(&from, &to)| band.edge(from, to));
            }
            band.blend(&mut self.image, paint);
        }
    }
}

impl Cells {
    /// The paint of a cell; [`Paint::NONE`] outside the area.
    fn paint(&self, cell: CellXY) -> Paint {
        let (x, y) = (cell.x - self.area.x, cell.y - self.area.y);
        let inside = self.area.contains(cell);
        if inside { self.paints[y as usize * self.area.width as usize + x as usize] } else { Paint::NONE }
    }
}

/// Rows of an image while a shape is drawn on them.
struct Band<'a> {
    left: usize,
    top: usize,
    columns: usize,
    rows: usize,
    /// `[rows * (columns + 2)]`: the change of coverage from the pixel on the left. An edge writes to the pixels that
    /// it crosses and the one after them.
    coverage: &'a mut Vec<f32>,
}

impl Band<'_> {
    fn clear(&mut self) {
        self.coverage.clear();
        self.coverage.resize(self.rows * (self.columns + 2), 0.0);
    }

    /// Adds an edge of a loop, row by row.
    fn edge(&mut self, from: Point, to: Point) {
        let (from, to, sign) = if from[1] <= to[1] { (from, to, 1.0) } else { (to, from, -1.0) };
        let (top, bottom) = (from[1] - self.top as f64, to[1] - self.top as f64);
        let first = top.max(0.0);
        let end = bottom.min(self.rows as f64);
        if first >= end {
            return;
        }
        let slope = (to[0] - from[0]) / (to[1] - from[1]);
        let (start, columns) = (from[0] - self.left as f64, self.columns as f64);
        let x_at = |y: f64| (start + (y - top) * slope).clamp(0.0, columns);
        for row in first as usize..(end.ceil() as usize).min(self.rows) {
            let (y0, y1) = (first.max(row as f64), end.min(row as f64 + 1.0));
            let (a, b) = (x_at(y0), x_at(y1));
            self.crossing(row, a.min(b), a.max(b), sign * (y1 - y0));
        }
    }

    /// Adds an edge that crosses a row from `left` to `right` with a signed height of `tall` there. It covers all
    /// pixels on its right by `tall`, and the pixels that it crosses in part.
    fn crossing(&mut self, row: usize, left: f64, right: f64, tall: f64) {
        let line = &mut self.coverage[row * (self.columns + 2)..][..self.columns + 2];
        let mut put = |column: usize, part: f64| line[column] += part as f32;
        let (first, last) = (left as usize, (right.ceil() as usize).max(left as usize + 1) - 1);
        if first == last {
            // Within a pixel, the part to the left of the middle of the edge is not covered.
            let uncovered = (left + right) / 2.0 - first as f64;
            put(first, tall * (1.0 - uncovered));
            put(first + 1, tall * uncovered);
            return;
        }
        // The coverage of a pixel is its area to the right of the edge; the difference from the pixel before is stored.
        let slope = tall / (right - left);
        let mut before = 0.0;
        for column in first..=last {
            let (enter, leave) = (left.max(column as f64), right.min(column as f64 + 1.0));
            let (low, high) = ((enter - left) * slope, (leave - left) * slope);
            let rest = column as f64 + 1.0 - leave;
            let area = (low + high) / 2.0 * (leave - enter) + high * rest;
            put(column, area - before);
            before = area;
        }
        put(last + 1, tall - before);
    }

    /// Sums up the coverage and paints the pixels.
    fn blend(&self, image: &mut Image, paint: Paint) {
        for row in 0..self.rows {
            let first = (self.top + row) * image.width as usize + self.left;
            let pixels = &mut image.pixels[first..first + self.columns];
            let mut sum = 0.0;
            for (pixel, change) in pixels.iter_mut().zip(&self.coverage[row * (self.columns + 2)..]) {
                sum += change;
                let level = (sum.abs().min(1.0) * LEVELS).round() as u32;
                if level > 0 {
                    blend(pixel, paint.rgb, u32::from(paint.alpha) * level / LEVELS as u32);
                }
            }
        }
    }
}

/// Blends a colour of opacity `alpha`, of 255, over a pixel.
pub(super) fn blend(pixel: &mut Rgb, rgb: Rgb, alpha: u32) {
    for (under, over) in pixel.iter_mut().zip(rgb) {
        let sum = u32::from(*under) * (255 - alpha) + u32::from(over) * alpha;
        *under = ((sum + 127) / 255) as u8;
    }
}

/// The pieces of a stroke along points. Each segment has a box, and each bend has a disc if the stroke is wide enough
/// to show it. All have the same orientation, so that overlaps are filled once.
fn stroke_pieces(points: &[Point], width: f64, closed: bool, pieces: &mut Vec<Vec<Point>>) {
    const DISC_FROM: f64 = 1.5;
    const DISC_CORNERS: u32 = 12;
    let half = width / 2.0;
    let ends = if closed { points.len() } else { points.len().saturating_sub(1) };
    let next = points.iter().cycle().skip(1);
    for (&[ax, ay], &[bx, by]) in points.iter().zip(next).take(ends) {
        let length = (bx - ax).hypot(by - ay);
        if length > 0.0 {
            let (nx, ny) = ((by - ay) / length * half, (ax - bx) / length * half);
            pieces.push(vec![[ax + nx, ay + ny], [bx + nx, by + ny], [bx - nx, by - ny], [ax - nx, ay - ny]]);
        }
    }
    if width < DISC_FROM {
        return;
    }
    let bends = if closed { points } else { points.get(1..ends).unwrap_or(&[]) };
    for &[x, y] in bends {
        // From east to south, the orientation of the boxes.
        let corner = |number| {
            let angle = f64::from(number) * std::f64::consts::TAU / f64::from(DISC_CORNERS);
            [x + half * angle.cos(), y + half * angle.sin()]
        };
        pieces.push((0..DISC_CORNERS).map(corner).collect());
    }
}
