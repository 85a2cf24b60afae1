//! Makes points of a picture.
//!
//! Areas are drawn by what each edge takes away from the points to its right: the edges of a loop sum up
//! to the part of each point that it covers (the exact-area method of font rasterisers, as in FreeType). A
//! cover is rounded to quarters, so that there are few colours and files stay small.

use crate::picture::drawing::{Cells, Item, Paint, Shape};
use crate::picture::lattice::Point;
use crate::picture::view::View;
use wheelbase_grid::Rgb;
use wheelbase_grid::{CellXY, GridShape};

/// What no cell covers: the gaps beside the rows of a hexagonal map.
pub const OUTSIDE: Rgb = [13, 15, 17];

/// Points that the covers of a shape are held for at a time.
const BAND_POINTS: usize = 1 << 20;

/// Covers that are told apart.
const LEVELS: f32 = 4.0;

/// A picture as points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `[height * width]`, row-major.
    pub points: Vec<Rgb>,
}

impl Image {
    /// One of a single colour.
    pub fn filled(width: u32, height: u32, colour: Rgb) -> Self {
        Self { width, height, points: vec![colour; width as usize * height as usize] }
    }

    /// Its rows.
    pub fn rows(&self) -> impl Iterator<Item = &[Rgb]> {
        self.points.chunks_exact(self.width as usize)
    }
}

/// A view being drawn.
#[derive(Clone, Debug)]
pub struct Canvas {
    view: View,
    image: Image,
    /// Parts of points that edges take away, of a band of a shape.
    covers: Vec<f32>,
}

impl Canvas {
    /// An empty one.
    pub fn new(view: View) -> Self {
        let (width, height) = view.size();
        Self { view, image: Image::filled(width, height, OUTSIDE), covers: Vec::new() }
    }

    /// The points.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Makes its points those of an image of the same size.
    pub fn reset_to(&mut self, image: &Image) {
        self.image.points.copy_from_slice(&image.points);
    }

    /// Draws things over what is there.
    pub fn draw(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Cells(cells) if self.view.lattice.0 == GridShape::Square => self.draw_squares(cells),
                Item::Cells(cells) => self.draw_nearest(cells),
                Item::Shape(shape) => self.draw_shape(shape),
            }
        }
    }

    fn draw_squares(&mut self, cells: &Cells) {
        let View { area, scale, .. } = self.view;
        for (y, row) in self.image.points.chunks_exact_mut(self.image.width as usize).enumerate() {
            for (x, points) in row.chunks_exact_mut(scale as usize).enumerate() {
                let cell = CellXY::new(area.x + x as i32, area.y + y as i32 / scale as i32);
                let Paint { rgb, alpha } = cells.paint(cell);
                if alpha > 0 {
                    points.iter_mut().for_each(|point| blend(point, rgb, alpha.into()));
                }
            }
        }
    }

    /// Each point takes the mean of the cells at four places in it.
    fn draw_nearest(&mut self, cells: &Cells) {
        const PLACES: [Point; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
        let View { lattice, area, .. } = self.view;
        let ([left, top], step) = (lattice.corner_of(area), self.view.points(1.0));
        for (y, row) in self.image.points.chunks_exact_mut(self.image.width as usize).enumerate() {
            for (x, point) in row.iter_mut().enumerate() {
                let at = |[dx, dy]: Point| {
                    lattice.cell_at([left + (x as f64 + dx) * step, top + (y as f64 + dy) * step])
                };
                let at = PLACES.map(at);
                let paints = at.map(|cell| cells.paint(cell));
                if paints[1..].iter().all(|paint| *paint == paints[0]) {
                    blend(point, paints[0].rgb, paints[0].alpha.into());
                    continue;
                }
                let mut sums = [0_u32; 3];
                for Paint { rgb, alpha } in paints {
                    let mut part = *point;
                    blend(&mut part, rgb, alpha.into());
                    sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += u32::from(part));
                }
                *point = sums.map(|sum| ((sum + 2) / 4) as u8);
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
            loops.iter().for_each(|points| along(points, width, stroke.closed, &mut pieces));
            self.fill(&pieces, stroke.paint);
        }
    }

    /// Fills what loops enclose; where some overlap that turn the same way round, once.
    fn fill(&mut self, loops: &[Vec<Point>], paint: Paint) {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in loops.iter().flatten() {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let size = [self.image.width, self.image.height].map(f64::from);
        // What is not a number is left out here too.
        if !(0..2).all(|axis| low[axis] < size[axis] && high[axis] > 0.0 && low[axis] <= high[axis]) {
            return;
        }
        let first = [0, 1].map(|axis| low[axis].max(0.0) as usize);
        let behind = [0, 1].map(|axis| high[axis].ceil().min(size[axis]) as usize);
        let columns = behind[0] - first[0];
        let rows = (BAND_POINTS / columns.max(1)).max(1);
        for top in (first[1]..behind[1]).step_by(rows) {
            let mut band = Band {
                left: first[0],
                top,
                columns,
                rows: rows.min(behind[1] - top),
                covers: &mut self.covers,
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
    /// What is drawn of a cell.
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
    /// `[rows * (columns + 2)]`: an edge leaves its share in the point it crosses and the one behind.
    covers: &'a mut Vec<f32>,
}

impl Band<'_> {
    fn clear(&mut self) {
        self.covers.clear();
        self.covers.resize(self.rows * (self.columns + 2), 0.0);
    }

    /// Adds an edge of a loop, row by row.
    fn edge(&mut self, from: Point, to: Point) {
        let (from, to, sign) = if from[1] <= to[1] { (from, to, 1.0) } else { (to, from, -1.0) };
        let (top, bottom) = (from[1] - self.top as f64, to[1] - self.top as f64);
        let first = top.max(0.0);
        let behind = bottom.min(self.rows as f64);
        if first >= behind {
            return;
        }
        let lean = (to[0] - from[0]) / (to[1] - from[1]);
        let (start, columns) = (from[0] - self.left as f64, self.columns as f64);
        let x_at = |y: f64| (start + (y - top) * lean).clamp(0.0, columns);
        for row in first as usize..(behind.ceil() as usize).min(self.rows) {
            let (y0, y1) = (first.max(row as f64), behind.min(row as f64 + 1.0));
            let (a, b) = (x_at(y0), x_at(y1));
            self.crossing(row, a.min(b), a.max(b), sign * (y1 - y0));
        }
    }

    /// An edge crosses a row from `left` to `right` and is `tall` high there: it covers all points to its
    /// right by that, and the points it crosses in part.
    fn crossing(&mut self, row: usize, left: f64, right: f64, tall: f64) {
        let line = &mut self.covers[row * (self.columns + 2)..][..self.columns + 2];
        let mut put = |column: usize, part: f64| line[column] += part as f32;
        let (first, last) = (left as usize, (right.ceil() as usize).max(left as usize + 1) - 1);
        if first == last {
            // The part of the point that lies to the left of the middle of the edge is not covered.
            let uncovered = (left + right) / 2.0 - first as f64;
            put(first, tall * (1.0 - uncovered));
            put(first + 1, tall * uncovered);
            return;
        }
        // The cover of each point is the area to the right of the edge within it; what is put is by how
        // much it differs from that of the point before.
        let slope = tall / (right - left);
        let mut before = 0.0;
        for column in first..=last {
            let (enter, leave) = (left.max(column as f64), right.min(column as f64 + 1.0));
            let (low, high) = ((enter - left) * slope, (leave - left) * slope);
            let behind = column as f64 + 1.0 - leave;
            let cover = (low + high) / 2.0 * (leave - enter) + high * behind;
            put(column, cover - before);
            before = cover;
        }
        put(last + 1, tall - before);
    }

    /// Sums the shares up and paints the points.
    fn blend(&self, image: &mut Image, paint: Paint) {
        for row in 0..self.rows {
            let first = (self.top + row) * image.width as usize + self.left;
            let points = &mut image.points[first..first + self.columns];
            let mut sum = 0.0;
            for (point, share) in points.iter_mut().zip(&self.covers[row * (self.columns + 2)..]) {
                sum += share;
                let level = (sum.abs().min(1.0) * LEVELS).round() as u32;
                if level > 0 {
                    blend(point, paint.rgb, u32::from(paint.alpha) * level / LEVELS as u32);
                }
            }
        }
    }
}

/// Puts a colour over a point, `alpha` of 255 parts of it.
fn blend(point: &mut Rgb, rgb: Rgb, alpha: u32) {
    for (under, over) in point.iter_mut().zip(rgb) {
        let sum = u32::from(*under) * (255 - alpha) + u32::from(over) * alpha;
        *under = ((sum + 127) / 255) as u8;
    }
}

/// The pieces of a line along points, all of them turning the same way round: a box for each part, and where
/// it is wide enough to be seen a disc at each bend.
fn along(points: &[Point], width: f64, closed: bool, pieces: &mut Vec<Vec<Point>>) {
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
        // From east to south, as the boxes turn.
        let corner = |number| {
            let angle = f64::from(number) * std::f64::consts::TAU / f64::from(DISC_CORNERS);
            [x + half * angle.cos(), y + half * angle.sin()]
        };
        pieces.push((0..DISC_CORNERS).map(corner).collect());
    }
}
