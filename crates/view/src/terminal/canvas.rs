//! A map with its agents as coloured terminal text, scaled to fit. Each character shows two pixels.

use super::layout::{Layout, TerminalSize};
use crate::colours::class_colour;
use std::fmt::Write as _;
use wheelbase_grid::Grid;
use wheelbase_maps::TerrainColours;
use wheelbase_planner::{MovementClass, Pose};

/// Black among the 256 colours.
const BLACK: u8 = 16;

/// An agent as the terminal draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnAgent {
    /// Number of its class.
    pub class: u8,
    /// Its pose.
    pub pose: Pose,
}

/// The frame as text, with the parts kept for the next frame.
#[derive(Debug, Default)]
pub struct Canvas {
    layout: Layout,
    revision: Option<u64>,
    /// Colours of the map's pixels without agents, valid for `layout` and `revision`.
    terrain: Vec<u8>,
    /// The same with agents.
    pixels: Vec<u8>,
    text: String,
}

impl Canvas {
    /// Paints agents on a map, and a status line below. Returns the text to write to the terminal.
    pub fn paint(
        &mut self,
        grid: &Grid,
        agents: impl Iterator<Item = DrawnAgent>,
        classes: &[&MovementClass],
        terminal: TerminalSize,
        status: &str,
    ) -> &str {
        let layout = Layout::of(grid, terminal);
        let clear = self.layout != layout || self.revision != Some(grid.revision());
        if clear {
            self.layout = layout;
            self.revision = Some(grid.revision());
            self.paint_terrain(grid);
        }
        self.pixels.clone_from(&self.terrain);
        self.paint_agents(agents, classes);
        self.write(status, clear);
        &self.text
    }

    fn paint_terrain(&mut self, grid: &Grid) {
        let Layout { scale, width, height, .. } = self.layout;
        let colours = TerrainColours::of(grid.terrain_table());
        let colours = colours.all().iter();
        let kinds: Vec<[u32; 3]> = colours.map(|colour| colour.map(u32::from)).collect();
        let size = grid.size();
        self.terrain.clear();
        for y in 0..height {
            for x in 0..width {
                let colour = if scale > 1 {
                    of_256(average(grid, &kinds, (x * scale, y * scale), scale))
                } else {
                    let cell = self.layout.cell(x, y, size);
                    cell.map_or(BLACK, |cell| of_256(kinds[usize::from(grid.terrain_of(cell).0)]))
                };
                self.terrain.push(colour);
            }
        }
    }

    fn paint_agents(&mut self, agents: impl Iterator<Item = DrawnAgent>, classes: &[&MovementClass]) {
        let Self { layout, pixels, .. } = self;
        for DrawnAgent { class, pose } in agents {
            let colour = of_256(class_colour(class.into()).map(u32::from));
            for offset in classes[usize::from(class)].cells_at(pose) {
                let cell = offset.cell_from(pose.cell);
                let (x, y, side) = layout.pixels_of(cell);
                for y in y..y + side {
                    let first = (y * layout.width + x) as usize;
                    pixels[first..first + side as usize].fill(colour);
                }
            }
        }
    }

    /// Writes the pixels as half blocks: the upper pixel is the foreground, the lower one the background.
    fn write(&mut self, status: &str, clear: bool) {
        let Self { layout, pixels, text, .. } = self;
        let at = |x: u32, y: u32| {
            let inside = y < layout.height;
            if inside { pixels[(y * layout.width + x) as usize] } else { BLACK }
        };
        text.clear();
        text.push_str(if clear { "\x1b[0m\x1b[2J\x1b[H" } else { "\x1b[0m\x1b[H" });
        for row in 0..layout.height.div_ceil(2).min(layout.rows) {
            let mut last = None;
            for x in 0..layout.width {
                let pair = (at(x, 2 * row), at(x, 2 * row + 1));
                if last != Some(pair) {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "\x1b[38;5;{};48;5;{}m", pair.0, pair.1);
                    last = Some(pair);
                }
                text.push('▀');
            }
            text.push_str("\x1b[0m\r\n");
        }
        text.extend(status.chars().take(layout.columns as usize));
        text.push_str("\x1b[K");
    }
}

/// Mean colour of a square of cells, given by its corner and its side.
fn average(grid: &Grid, kinds: &[[u32; 3]], (x, y): (u32, u32), side: u32) -> [u32; 3] {
    let size = grid.size();
    let (mut sums, mut n_cells) = ([0; 3], 0);
    for y in y..(y + side).min(size.height()) {
        let row = (y * size.width()) as usize;
        for kind in &grid.terrain()[row + x as usize..row + (x + side).min(size.width()) as usize] {
            let colour = kinds[usize::from(kind.0)];
            sums.iter_mut().zip(colour).for_each(|(sum, part)| *sum += part);
            n_cells += 1;
        }
    }
    sums.map(|sum| sum / n_cells.max(1))
}

/// The nearest colour of the 6 x 6 x 6 cube within a terminal's 256 colours.
fn of_256(colour: [u32; 3]) -> u8 {
    // The levels of the cube are 0, 95, 135, 175, 215 and 255.
    let level = |part: u32| {
        if part < 48 {
            0
        } else if part < 115 {
            1
        } else {
            (part - 35) / 40
        }
    };
    let [red, green, blue] = colour.map(|part| level(part.min(255)));
    (16 + 36 * red + 6 * green + blue) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use wheelbase_grid::{Cell, CellXY, GridShape, SideTable, TerrainTable};

    fn grid(width: usize, height: usize) -> Grid {
        let rows = vec![".".repeat(width); height];
        Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap()
    }

    #[test]
    fn a_map_of_any_size_fits_any_terminal() {
        for (width, height) in [(1, 1), (7, 3), (80, 46), (81, 46), (80, 47), (1024, 16), (16, 1024)] {
            for (columns, rows) in [(80, 24), (1, 1), (0, 0), (300, 100)] {
                let grid = grid(width, height);
                let layout = Layout::of(&grid, TerminalSize { columns, rows });
                assert!(layout.width <= columns.max(1), "{layout:?}");
                assert!(layout.height.div_ceil(2) <= layout.rows, "{layout:?}");
                let last = CellXY::new(width as i32 - 1, height as i32 - 1);
                let (x, y, side) = layout.pixels_of(last);
                assert!(x + side == layout.width && y + side == layout.height, "{layout:?}");
                let mut canvas = Canvas { layout, ..Canvas::default() };
                canvas.paint_terrain(&grid);
                assert_eq!(canvas.terrain.len() as u32, layout.width * layout.height);
            }
        }
    }

    #[test]
    fn odd_rows_of_hexagons_are_shifted_half_a_cell_to_the_east() {
        for (columns, rows) in [(80, 24), (20, 9), (7, 24), (6, 24), (3, 3)] {
            let grid = grid(5, 4).with_shape(GridShape::Hex);
            let layout = Layout::of(&grid, TerminalSize { columns, rows });
            assert!(layout.width <= columns && layout.height.div_ceil(2) <= layout.rows, "{layout:?}");
            assert_eq!(layout.shift > 0, layout.zoom > 1, "{layout:?}");
            let (even, odd) = (layout.pixels_of(CellXY::new(2, 2)), layout.pixels_of(CellXY::new(2, 3)));
            assert_eq!(odd.0 - even.0, layout.zoom / 2);
            if layout.scale > 1 {
                continue;
            }
            // Exactly the pixels of a cell show it.
            let size = grid.size();
            let shown = |cell| {
                let pixels = (0..layout.height).flat_map(|y| (0..layout.width).map(move |x| (x, y)));
                pixels.filter(|&(x, y)| layout.cell(x, y, size) == Some(cell)).collect::<Vec<_>>()
            };
            for cell in (0..20).map(Cell) {
                let (x, y, side) = layout.pixels_of(size.xy(cell));
                let expected = (y..y + side).flat_map(|y| (x..x + side).map(move |x| (x, y)));
                assert_eq!(shown(cell), expected.collect::<Vec<_>>(), "{layout:?} {cell:?}");
            }
        }
    }

    #[test]
    fn classes_have_colours_of_their_own_among_the_256() {
        let of_class = |class| of_256(class_colour(class).map(u32::from));
        let classes: BTreeSet<u8> = (0..8).map(of_class).collect();
        assert_eq!(classes.len(), 8);
        let table = TerrainTable::movingai();
        for terrain in TerrainColours::of(&table).all() {
            assert!(!classes.contains(&of_256(terrain.map(u32::from))), "{terrain:?}");
        }
    }

    #[test]
    fn colours_are_the_nearest_of_the_cube() {
        let levels = [0_u32, 95, 135, 175, 215, 255];
        for part in 0..=255_u32 {
            let index = of_256([part, 0, 0]) as usize;
            let nearest = levels.iter().map(|level| level.abs_diff(part)).min().unwrap();
            assert_eq!(levels[(index - 16) / 36].abs_diff(part), nearest, "{part}");
        }
    }
}
