//! The map in a picture: terrain, elevation, grid lines and sides.

use crate::picture::drawing::{Cells, Item, Paint, Shape};
use crate::picture::view::View;
use wheelbase_grid::{CellXY, Grid, GridShape, Point, Rect, Rgb};
use wheelbase_maps::TerrainColours;
use wheelbase_scenario::recording::{Header, MapLayers};

/// Least scale, in pixels per cell, with grid lines.
const LINES_FROM: u32 = 10;
const LINE: Paint = Paint::new([0; 3], 41);

/// Colours of impassable and of slow sides.
const WALL: Rgb = [28, 18, 16];
const SLOW_SIDE: Rgb = [185, 138, 60];

/// How the terrain kinds and side kinds of a map are drawn.
#[derive(Clone, Debug)]
pub struct MapStyle {
    /// Colours, by terrain kind.
    terrain: Vec<Rgb>,
    /// Speeds in thousandths, by side kind.
    sides: Vec<u16>,
}

impl MapStyle {
    /// The style of a recorded map.
    pub fn of_header(header: &Header) -> Self {
        Self {
            terrain: header.terrain_colours.clone(),
            sides: header.side_kinds.iter().map(|kind| kind.speed).collect(),
        }
    }

    /// The style of a map.
    pub fn of_grid(grid: &Grid) -> Self {
        let sides = grid.side_table().entries().iter().map(|kind| kind.speed);
        Self { terrain: TerrainColours::of(grid.terrain_table()).all().to_vec(), sides: sides.collect() }
    }
}

/// The rectangle of all cells of a map.
pub fn map_area(map: &MapLayers) -> Rect {
    Rect::new(0, 0, map.width, map.height)
}

/// The visible part of a recorded map.
pub fn items(view: &View, map: &MapLayers, style: &MapStyle) -> Vec<Item> {
    let mut items = vec![Item::Cells(terrain(view, map, style))];
    if view.scale >= LINES_FROM {
        items.push(grid_lines(view).into());
    }
    items.extend(borders(view, map, style).into_iter().map(Item::from));
    items
}

/// The visible part of a map.
pub fn of_grid(view: &View, grid: &Grid) -> Vec<Item> {
    items(view, &MapLayers::of(grid), &MapStyle::of_grid(grid))
}

/// Terrain colours, lighter with elevation; north-western slopes are lit.
fn terrain(view: &View, map: &MapLayers, style: &MapStyle) -> Cells {
    let low = map.elevation.iter().copied().min().unwrap_or(0);
    let high = map.elevation.iter().copied().max().unwrap_or(0);
    let range = f64::from(i32::from(high) - i32::from(low));
    let height = |x: i32, y: i32| {
        let index = map.index(CellXY::new(x.max(0), y.max(0))).unwrap_or(0);
        f64::from(map.height_of(index)) - f64::from(low)
    };
    let paint = |cell: CellXY| {
        let index = map.index(cell).unwrap_or(0);
        let colour = style.terrain.get(usize::from(map.terrain[index])).copied().unwrap_or_default();
        if range == 0.0 {
            return Paint::solid(colour);
        }
        let CellXY { x, y } = cell;
        let here = height(x, y);
        let slope = (2.0 * here - height(x, y - 1) - height(x - 1, y)) / range;
        let light = 0.7 + 0.7 * here / range + slope.clamp(-0.2, 0.2);
        Paint::solid(colour.map(|part| (f64::from(part) * light).min(255.0) as u8))
    };
    Cells::of(view, paint)
}

/// Lines between cells: along rows and columns, or around each hexagon.
fn grid_lines(view: &View) -> Shape {
    let View { lattice, area, .. } = *view;
    let mut lines: Vec<Vec<Point>> = Vec::new();
    let (right, bottom) = (area.x + area.width as i32, area.y + area.height as i32);
    // Half a pixel in, so that a line covers exactly one row of pixels.
    let half = view.cells(0.5);
    if lattice.0 == GridShape::Square {
        let (left, top) = (f64::from(area.x), f64::from(area.y));
        for x in (area.x..=right).map(f64::from) {
            lines.push(vec![[x + half, top], [x + half, f64::from(bottom)]]);
        }
        for y in (area.y..=bottom).map(f64::from) {
            lines.push(vec![[left, y + half], [f64::from(right), y + half]]);
        }
    } else {
        // Half the sides of each cell; the other half only at the border, where no neighbour draws them.
        for cell in area.cells() {
            for (number, _, next) in lattice.neighbours(cell) {
                if number < 3 || !area.contains(next) {
                    lines.push(lattice.side(cell, number).map(|corner| lattice.point(corner)).to_vec());
                }
            }
        }
    }
    Shape::lines(lines, LINE, view.cells(1.0))
}

/// Sides of other kinds than open, one shape for each colour. The slower of two facing sides counts.
fn borders(view: &View, map: &MapLayers, style: &MapStyle) -> Vec<Shape> {
    if map.sides.is_empty() {
        return Vec::new();
    }
    // The open kind never limits.
    let speed = |kind: u8| {
        if kind == 0 { u32::MAX } else { u32::from(style.sides.get(usize::from(kind)).copied().unwrap_or(0)) }
    };
    let kind_of =
        |cell: CellXY, number: usize| map.index(cell).map_or(0, |index| map.side(index, number as u8));
    let (mut walls, mut slow) = (Vec::new(), Vec::new());
    for cell in view.area.cells() {
        for (number, side, next) in view.lattice.neighbours(cell) {
            let is_drawn = (next.y, next.x) < (cell.y, cell.x) && view.area.contains(next);
            if is_drawn {
                continue;
            }
            let facing = view.lattice.0.side_number(side.opposite()).unwrap_or(0);
            let (here, there) = (kind_of(cell, number), kind_of(next, facing));
            let lowest = speed(here).min(speed(there));
            if here != 0 || there != 0 {
                let line = view.lattice.side(cell, number).map(|corner| view.lattice.point(corner)).to_vec();
                if lowest == 0 { walls.push(line) } else { slow.push(line) }
            }
        }
    }
    let width = view.cells(1.0).max(0.14);
    let shapes = [(slow, SLOW_SIDE), (walls, WALL)].into_iter().filter(|(lines, _)| !lines.is_empty());
    shapes.map(|(lines, colour)| Shape::lines(squared(lines, width), Paint::solid(colour), width)).collect()
}

/// Extends lines by half their width at both ends, so that corners are filled.
fn squared(mut lines: Vec<Vec<Point>>, width: f64) -> Vec<Vec<Point>> {
    for line in &mut lines {
        if let [[ax, ay], [bx, by]] = &mut line[..] {
            let length = (*bx - *ax).hypot(*by - *ay);
            let (dx, dy) = ((*bx - *ax) / length * width / 2.0, (*by - *ay) / length * width / 2.0);
            (*ax, *ay, *bx, *by) = (*ax - dx, *ay - dy, *bx + dx, *by + dy);
        }
    }
    lines
}
