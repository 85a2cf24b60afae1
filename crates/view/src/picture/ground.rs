//! The map: terrain, heights, lines between cells, sides that are not open.

use crate::picture::drawing::{Cells, Item, Paint, Shape};
use crate::picture::lattice::Point;
use crate::picture::view::View;
use wheelbase_grid::Rgb;
use wheelbase_grid::{CellXY, Grid, Rect};
use wheelbase_maps::TerrainColours;
use wheelbase_scenario::recording::{Header, MapLayers};

/// From so many points a cell on there are lines between the cells.
const LINES_FROM: u32 = 10;
const LINE: Paint = Paint::new([0; 3], 41);

/// Colours of sides that nobody passes, and of those that are slow.
const WALL: Rgb = [28, 18, 16];
const SLOW_SIDE: Rgb = [185, 138, 60];

/// What a map's kinds look like.
#[derive(Clone, Debug)]
pub struct Kinds {
    terrain: Vec<Rgb>,
    /// Speeds in permille, by kind.
    sides: Vec<u16>,
}

impl Kinds {
    /// Those of a recorded map.
    pub fn of_header(header: &Header) -> Self {
        Self {
            terrain: header.terrain_colours.clone(),
            sides: header.side_kinds.iter().map(|kind| kind.speed).collect(),
        }
    }

    /// Those of a map.
    pub fn of_grid(grid: &Grid) -> Self {
        let sides = grid.side_table().entries().iter().map(|kind| kind.speed);
        Self { terrain: TerrainColours::of(grid.terrain_table()).all().to_vec(), sides: sides.collect() }
    }
}

/// The whole of a map.
pub fn map_area(map: &MapLayers) -> Rect {
    Rect::new(0, 0, map.width, map.height)
}

/// A map as it is seen.
pub fn items(view: &View, map: &MapLayers, kinds: &Kinds) -> Vec<Item> {
    let mut items = vec![Item::Cells(terrain(view, map, kinds))];
    if view.scale >= LINES_FROM {
        items.push(lines(view).into());
    }
    items.extend(borders(view, map, kinds).into_iter().map(Item::from));
    items
}

/// A map that stands still, as it is seen.
pub fn of_grid(view: &View, grid: &Grid) -> Vec<Item> {
    items(view, &MapLayers::of(grid), &Kinds::of_grid(grid))
}

/// Terrain, the higher the lighter; slopes that face north-west lie in the sun.
fn terrain(view: &View, map: &MapLayers, kinds: &Kinds) -> Cells {
    let low = map.elevation.iter().copied().min().unwrap_or(0);
    let high = map.elevation.iter().copied().max().unwrap_or(0);
    let range = f64::from(i32::from(high) - i32::from(low));
    let height = |x: i32, y: i32| {
        let index = map.index(CellXY::new(x.max(0), y.max(0))).unwrap_or(0);
        f64::from(map.height_of(index)) - f64::from(low)
    };
    let paint = |cell: CellXY| {
        let index = map.index(cell).unwrap_or(0);
        let colour = kinds.terrain.get(usize::from(map.terrain[index])).copied().unwrap_or_default();
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
fn lines(view: &View) -> Shape {
    let View { lattice, area, .. } = *view;
    let mut lines: Vec<Vec<Point>> = Vec::new();
    let (right, bottom) = (area.x + area.width as i32, area.y + area.height as i32);
    // Through the middle of a row of points, so that a line is one point wide.
    let half = view.points(0.5);
    if lattice.0 == wheelbase_grid::GridShape::Square {
        let (left, top) = (f64::from(area.x), f64::from(area.y));
        for x in (area.x..=right).map(f64::from) {
            lines.push(vec![[x + half, top], [x + half, f64::from(bottom)]]);
        }
        for y in (area.y..=bottom).map(f64::from) {
            lines.push(vec![[left, y + half], [f64::from(right), y + half]]);
        }
    } else {
        // The western sides of each cell, and the others where no cell follows.
        for cell in area.cells() {
            for (number, _, next) in lattice.neighbours(cell) {
                if number < 3 || !area.contains(next) {
                    lines.push(lattice.side(cell, number).map(|corner| lattice.point(corner)).to_vec());
                }
            }
        }
    }
    Shape::lines(lines, LINE, view.points(1.0))
}

/// The sides that are not open, a shape a colour. Where two sides face each other the slower counts.
fn borders(view: &View, map: &MapLayers, kinds: &Kinds) -> Vec<Shape> {
    if map.sides.is_empty() {
        return Vec::new();
    }
    // The open kind never limits.
    let speed = |kind: u8| {
        if kind == 0 { u32::MAX } else { u32::from(kinds.sides.get(usize::from(kind)).copied().unwrap_or(0)) }
    };
    let kind_of =
        |cell: CellXY, number: usize| map.index(cell).map_or(0, |index| map.side(index, number as u8));
    let (mut walls, mut slow) = (Vec::new(), Vec::new());
    for cell in view.area.cells() {
        for (number, side, next) in view.lattice.neighbours(cell) {
            let met_before = (next.y, next.x) < (cell.y, cell.x) && view.area.contains(next);
            if met_before {
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
    let width = view.points(1.0).max(0.14);
    let shapes = [(slow, SLOW_SIDE), (walls, WALL)].into_iter().filter(|(lines, _)| !lines.is_empty());
    shapes.map(|(lines, colour)| Shape::lines(squared(lines, width), Paint::solid(colour), width)).collect()
}

/// Lines that reach half their width farther at both ends, so that corners are filled.
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
