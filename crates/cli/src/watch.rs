//! `run --watch`: the run drawn in the terminal, the whole map scaled down, a colour a terrain and a class.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::{cursor, execute, terminal};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use wheelbase_grid::{Cell, CellXY, Grid, GridShape, GridSize};
use wheelbase_maps::TerrainColours;
use wheelbase_sim::{Counters, Simulation};

/// Time between two pictures.
const FRAME: Duration = Duration::from_millis(50);
/// Ticks a second at the start, and the most and the fewest.
const SPEED: u32 = 64;
const SPEED_MIN: u32 = 1;
const SPEED_MAX: u32 = 1 << 20;
/// Cells of a small map are drawn at most so many points wide.
const ZOOM_MAX: u32 = 4;

/// Colours of the classes, one after the other, among the 256 of a terminal: none is one of terrain.
const CLASS_COLOURS: [u8; 8] = [196, 226, 201, 51, 208, 231, 129, 118];

/// Whether the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// It does.
    GoOn,
    /// It was asked to stop.
    Quit,
}

/// The terminal while a run is drawn in it; as it was again once this is dropped.
pub struct Watch {
    canvas: Canvas,
    /// Ticks a second.
    speed: u32,
    paused: bool,
    drawn: Instant,
    /// When the pace was last set, and the ticks since.
    since: Instant,
    ticks: u32,
}

impl Watch {
    /// Whether there is a terminal to draw in.
    /// # Errors
    /// If standard output is none.
    pub fn want_terminal() -> Result<(), Failure> {
        if !io::stdout().is_terminal() {
            return Err(Failure::bad_input(
                "--watch draws in a terminal, and standard output is none; leave it out, or record the run with --record",
            ));
        }
        Ok(())
    }

    /// Takes charge of the terminal.
    /// # Errors
    /// Those of the terminal.
    pub fn begin() -> Result<Self, Failure> {
        terminal::enable_raw_mode()?;
        let now = Instant::now();
        let watch =
            Self { canvas: Canvas::default(), speed: SPEED, paused: false, drawn: now, since: now, ticks: 0 };
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(watch)
    }

    /// Draws the run if it is time to, and waits until the next tick is due; heeds keys meanwhile.
    pub fn show(&mut self, sim: &Simulation, stop: &Interrupt) -> Result<Wish, Failure> {
        self.ticks += 1;
        loop {
            if self.drawn.elapsed() >= FRAME || self.paused {
                self.draw(sim)?;
            }
            let due = self.since + Duration::from_secs(1) * self.ticks / self.speed;
            let wait = due.saturating_duration_since(Instant::now());
            let at_most = FRAME.saturating_sub(self.drawn.elapsed());
            let wait = if self.paused { FRAME } else { wait.min(at_most) };
            if self.heed_keys(wait)? == Wish::Quit || stop.is_raised() {
                return Ok(Wish::Quit);
            }
            if !self.paused && Instant::now() >= due {
                return Ok(Wish::GoOn);
            }
        }
    }

    /// Heeds the keys pressed within a time.
    fn heed_keys(&mut self, wait: Duration) -> Result<Wish, Failure> {
        let until = Instant::now() + wait;
        while poll(until.saturating_duration_since(Instant::now()))? {
            let Event::Key(KeyEvent { code, modifiers, kind, .. }) = read()? else { continue };
            if kind == KeyEventKind::Release {
                continue;
            }
            match code {
                KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => return Ok(Wish::Quit),
                KeyCode::Char('q') | KeyCode::Esc => return Ok(Wish::Quit),
                KeyCode::Char(' ') => self.paused = !self.paused,
                KeyCode::Char('+' | '=') => self.speed = (self.speed * 2).min(SPEED_MAX),
                KeyCode::Char('-') => self.speed = (self.speed / 2).max(SPEED_MIN),
                _ => continue,
            }
            self.since = Instant::now();
            self.ticks = 0;
        }
        Ok(Wish::GoOn)
    }

    fn draw(&mut self, sim: &Simulation) -> Result<(), Failure> {
        let (columns, rows) = terminal::size()?;
        let counters = Counters::of(sim);
        let state = if self.paused { "paused".to_owned() } else { format!("{} ticks/s", self.speed) };
        let status = format!(
            "tick {} of {}, {state}, {} moving, {} waiting, {} stuck   q quit, space pause, + - speed",
            sim.tick(),
            sim.settings().ticks,
            counters.moving,
            counters.waiting,
            counters.stuck
        );
        let text = self.canvas.paint(sim, u32::from(columns), u32::from(rows), &status);
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        self.drawn = Instant::now();
        // At a pace that cannot be kept the ticks owed are let go.
        if self.since.elapsed() > Duration::from_secs(1) {
            self.since = self.drawn;
            self.ticks = 0;
        }
        Ok(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // There is nobody left to tell that it failed.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// How a map is laid on the points of a terminal, two of them a character: either `scale` cells along each
/// axis are a point, or a cell is `zoom` points along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Layout {
    columns: u32,
    /// Characters, without the line of status.
    rows: u32,
    scale: u32,
    zoom: u32,
    /// Points by which odd rows lie to the east of even ones.
    shift: u32,
    /// Points that the map takes.
    width: u32,
    height: u32,
}

impl Layout {
    fn of(grid: &Grid, columns: u32, rows: u32) -> Self {
        let (columns, rows) = (columns.max(1), rows.saturating_sub(1).max(1));
        let (width, height) = (grid.size().width(), grid.size().height());
        let scale = width.div_ceil(columns).max(height.div_ceil(2 * rows));
        let is_hex = grid.shape() == GridShape::Hex;
        // Half cells, of which odd rows of hexagons need one more.
        let halves = 2 * width + u32::from(is_hex);
        let zoom = (2 * columns / halves).min(2 * rows / height).clamp(1, ZOOM_MAX);
        // Where a point is a cell or more, half a cell cannot be seen.
        let (zoom, shift) = if is_hex && zoom > 1 { (zoom & !1, zoom / 2) } else { (zoom, 0) };
        let points = |cells: u32| if scale > 1 { cells.div_ceil(scale) } else { cells * zoom };
        Self { columns, rows, scale, zoom, shift, width: points(width) + shift, height: points(height) }
    }

    /// Index of the first point of a cell, and the points it takes along each axis.
    fn point(&self, cell: CellXY) -> (u32, u32, u32) {
        let (x, y) = (cell.x.max(0) as u32, cell.y.max(0) as u32);
        if self.scale > 1 {
            (x / self.scale, y / self.scale, 1)
        } else {
            (x * self.zoom + self.shift * (y & 1), y * self.zoom, self.zoom)
        }
    }

    /// The cell that a point shows, of a map that is not scaled down; `None` beside the rows of hexagons.
    fn cell(&self, x: u32, y: u32, size: GridSize) -> Option<Cell> {
        let row = y / self.zoom;
        let x = x.checked_sub(self.shift * (row & 1))?;
        size.cell(CellXY::new((x / self.zoom) as i32, row as i32))
    }
}

/// The picture as text, and what need not be worked out again for the next.
#[derive(Debug, Default)]
struct Canvas {
    layout: Layout,
    revision: Option<u64>,
    /// Colours of the points of the map, without agents and with them.
    terrain: Vec<u8>,
    points: Vec<u8>,
    text: String,
}

impl Canvas {
    /// Paints the run for a terminal of so many characters; gives what is to be written to it.
    fn paint(&mut self, sim: &Simulation, columns: u32, rows: u32, status: &str) -> &str {
        let layout = Layout::of(sim.grid(), columns, rows);
        let fresh = self.layout != layout || self.revision != Some(sim.grid().revision());
        if fresh {
            self.layout = layout;
            self.revision = Some(sim.grid().revision());
            self.paint_terrain(sim.grid());
        }
        self.points.clone_from(&self.terrain);
        self.paint_agents(sim);
        self.write(status, fresh);
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

    fn paint_agents(&mut self, sim: &Simulation) {
        let Self { layout, points, .. } = self;
        for (row, motion) in sim.agents().motion.iter().enumerate() {
            let colour = CLASS_COLOURS[usize::from(motion.class.0) % CLASS_COLOURS.len()];
            let pose = sim.pose(row);
            let tables = &sim.tables()[usize::from(motion.class.0)];
            for offset in tables.class().footprint().at(tables.space().frame(pose)) {
                let cell = offset.cell_from(pose.cell);
                let (x, y, side) = layout.point(cell);
                for y in y..y + side {
                    let first = (y * layout.width + x) as usize;
                    points[first..first + side as usize].fill(colour);
                }
            }
        }
    }

    /// Writes the points as half blocks: the upper point is the foreground, the lower the background.
    fn write(&mut self, status: &str, clear: bool) {
        let Self { layout, points, text, .. } = self;
        let at = |x: u32, y: u32| {
            let inside = y < layout.height;
            if inside { points[(y * layout.width + x) as usize] } else { BLACK }
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

/// Black among the 256 colours.
const BLACK: u8 = 16;

/// Mean colour of the cells of a square of the map.
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

/// The nearest of the 216 colours of the cube of a terminal's 256.
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
    use wheelbase_grid::{SideTable, TerrainTable};

    fn grid(width: usize, height: usize) -> Grid {
        let rows = vec![".".repeat(width); height];
        Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap()
    }

    #[test]
    fn a_map_of_any_size_fits_any_terminal() {
        for (width, height) in [(1, 1), (7, 3), (80, 46), (81, 46), (80, 47), (1024, 16), (16, 1024)] {
            for (columns, rows) in [(80, 24), (1, 1), (0, 0), (300, 100)] {
                let grid = grid(width, height);
                let layout = Layout::of(&grid, columns, rows);
                assert!(layout.width <= columns.max(1), "{layout:?}");
                assert!(layout.height.div_ceil(2) <= layout.rows, "{layout:?}");
                let last = CellXY::new(width as i32 - 1, height as i32 - 1);
                let (x, y, side) = layout.point(last);
                assert!(x + side == layout.width && y + side == layout.height, "{layout:?}");
                let mut canvas = Canvas { layout, ..Canvas::default() };
                canvas.paint_terrain(&grid);
                assert_eq!(canvas.terrain.len() as u32, layout.width * layout.height);
            }
        }
    }

    #[test]
    fn odd_rows_of_hexagons_lie_half_a_cell_to_the_east() {
        for (columns, rows) in [(80, 24), (20, 9), (7, 24), (6, 24), (3, 3)] {
            let grid = grid(5, 4).with_shape(GridShape::Hex);
            let layout = Layout::of(&grid, columns, rows);
            assert!(layout.width <= columns && layout.height.div_ceil(2) <= layout.rows, "{layout:?}");
            assert_eq!(layout.shift > 0, layout.zoom > 1, "{layout:?}");
            let (even, odd) = (layout.point(CellXY::new(2, 2)), layout.point(CellXY::new(2, 3)));
            assert_eq!(odd.0 - even.0, layout.zoom / 2);
            if layout.scale > 1 {
                continue;
            }
            // Every point of a cell shows it, and no other point does.
            let size = grid.size();
            let shown = |cell| {
                let points = (0..layout.height).flat_map(|y| (0..layout.width).map(move |x| (x, y)));
                points.filter(|&(x, y)| layout.cell(x, y, size) == Some(cell)).collect::<Vec<_>>()
            };
            for cell in (0..20).map(Cell) {
                let (x, y, side) = layout.point(size.xy(cell));
                let expected = (y..y + side).flat_map(|y| (x..x + side).map(move |x| (x, y)));
                assert_eq!(shown(cell), expected.collect::<Vec<_>>(), "{layout:?} {cell:?}");
            }
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
