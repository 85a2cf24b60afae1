//! Interactive view of a run in the terminal.

mod canvas;
mod layout;

pub use canvas::{Canvas, DrawnAgent};
pub use layout::TerminalSize;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::{cursor, execute, terminal};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use wheelbase_grid::Grid;
use wheelbase_planner::MovementClass;
use wheelbase_sim::Counters;

/// Time between two frames.
const FRAME: Duration = Duration::from_millis(50);
/// Initial, least and greatest speed in ticks per second.
const SPEED: u32 = 64;
const SPEED_MIN: u32 = 1;
const SPEED_MAX: u32 = 1 << 20;

/// What the run must do next, by the keys pressed and the pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewerInput {
    /// Run the next tick.
    Advance,
    /// Keep waiting: the next tick is not due.
    Wait,
    /// End the run.
    Quit,
}

/// A run at a tick.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// The classes, by number.
    pub classes: &'a [&'a MovementClass],
    /// The tick.
    pub tick: u32,
    /// Ticks of the whole run.
    pub ticks: u32,
    /// Counts after the tick.
    pub counters: Counters,
}

/// The terminal in raw mode, on its alternate screen. Dropping it restores the terminal.
#[derive(Debug)]
pub struct Terminal {
    canvas: Canvas,
    /// Ticks per second.
    speed: u32,
    paused: bool,
    drawn: Instant,
    /// When the pace was last set, and the ticks run since.
    since: Instant,
    ticks: u32,
}

impl Terminal {
    /// Takes over the terminal.
    /// # Errors
    /// Errors of the terminal.
    pub fn begin() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let now = Instant::now();
        let own =
            Self { canvas: Canvas::default(), speed: SPEED, paused: false, drawn: now, since: now, ticks: 0 };
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(own)
    }

    /// Counts a tick that was run. The pace sets when the next one is due.
    pub fn count_tick(&mut self) {
        self.ticks += 1;
    }

    /// Whether the next frame is due.
    pub fn is_frame_due(&self) -> bool {
        self.drawn.elapsed() >= FRAME || self.paused
    }

    /// Handles keys until the next tick or frame is due.
    /// # Errors
    /// Errors of the terminal.
    pub fn wait(&mut self) -> io::Result<ViewerInput> {
        let due = self.since + Duration::from_secs(1) * self.ticks / self.speed;
        let wait = due.saturating_duration_since(Instant::now());
        let to_next_frame = FRAME.saturating_sub(self.drawn.elapsed());
        let wait = if self.paused { FRAME } else { wait.min(to_next_frame) };
        if self.handle_keys(wait)? {
            return Ok(ViewerInput::Quit);
        }
        Ok(if !self.paused && Instant::now() >= due { ViewerInput::Advance } else { ViewerInput::Wait })
    }

    /// Handles the keys pressed within `wait`. Returns whether one of them ends the run.
    fn handle_keys(&mut self, wait: Duration) -> io::Result<bool> {
        let until = Instant::now() + wait;
        while poll(until.saturating_duration_since(Instant::now()))? {
            let Event::Key(KeyEvent { code, modifiers, kind, .. }) = read()? else { continue };
            if kind == KeyEventKind::Release {
                continue;
            }
            match code {
                KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => return Ok(true),
                KeyCode::Char('q') | KeyCode::Esc => return Ok(true),
                KeyCode::Char(' ') => self.paused = !self.paused,
                KeyCode::Char('+' | '=') => self.speed = (self.speed * 2).min(SPEED_MAX),
                KeyCode::Char('-') => self.speed = (self.speed / 2).max(SPEED_MIN),
                _ => continue,
            }
            self.since = Instant::now();
            self.ticks = 0;
        }
        Ok(false)
    }

    /// Draws a frame with its agents.
    /// # Errors
    /// Errors of the terminal.
    pub fn draw(&mut self, frame: &Frame<'_>, agents: impl Iterator<Item = DrawnAgent>) -> io::Result<()> {
        let (columns, rows) = terminal::size()?;
        let size = TerminalSize { columns: columns.into(), rows: rows.into() };
        let Frame { grid, classes, tick, ticks, counters } = *frame;
        let state = if self.paused { "paused".to_owned() } else { format!("{} ticks/s", self.speed) };
        let status = format!(
            "tick {tick} of {ticks}, {state}, {} moving, {} waiting, {} stuck   q quit, space pause, + - speed",
            counters.moving, counters.waiting, counters.stuck
        );
        let text = self.canvas.paint(grid, agents, classes, size, &status);
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        self.drawn = Instant::now();
        // If the run cannot keep the pace, overdue ticks are forgotten.
        if self.since.elapsed() > Duration::from_secs(1) {
            self.since = self.drawn;
            self.ticks = 0;
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Nothing is left that could report a failure.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}
