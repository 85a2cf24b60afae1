//! The terminal while a run is drawn in it.

mod canvas;
mod layout;

pub use canvas::{Body, Canvas};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::{cursor, execute, terminal};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use wheelbase_grid::Grid;
use wheelbase_planner::MovementClass;
use wheelbase_sim::Counters;

/// Time between two pictures.
const FRAME: Duration = Duration::from_millis(50);
/// Ticks a second at the start, and the most and the fewest.
const SPEED: u32 = 64;
const SPEED_MIN: u32 = 1;
const SPEED_MAX: u32 = 1 << 20;

/// What the one who watches wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The next tick.
    GoOn,
    /// To look on: the next tick is not due.
    Wait,
    /// To stop.
    Quit,
}

/// A run at a tick.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// By number of the class.
    pub classes: &'a [&'a MovementClass],
    /// The tick.
    pub tick: u32,
    /// Ticks of the whole run.
    pub ticks: u32,
    /// Counts behind the tick.
    pub counters: Counters,
}

/// The terminal while a run is drawn in it; as it was again once this is dropped.
#[derive(Debug)]
pub struct Terminal {
    canvas: Canvas,
    /// Ticks a second.
    speed: u32,
    paused: bool,
    drawn: Instant,
    /// When the pace was last set, and the ticks since.
    since: Instant,
    ticks: u32,
}

impl Terminal {
    /// Takes charge of the terminal.
    /// # Errors
    /// Those of the terminal.
    pub fn begin() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let now = Instant::now();
        let own =
            Self { canvas: Canvas::default(), speed: SPEED, paused: false, drawn: now, since: now, ticks: 0 };
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(own)
    }

    /// Counts a tick that was run: the next is due later by as much as the pace says.
    pub fn count_tick(&mut self) {
        self.ticks += 1;
    }

    /// Whether it is time to draw.
    pub fn is_frame_due(&self) -> bool {
        self.drawn.elapsed() >= FRAME || self.paused
    }

    /// Heeds keys for a while: until the next tick or the next picture is due.
    /// # Errors
    /// Those of the terminal.
    pub fn wait(&mut self) -> io::Result<Wish> {
        let due = self.since + Duration::from_secs(1) * self.ticks / self.speed;
        let wait = due.saturating_duration_since(Instant::now());
        let at_most = FRAME.saturating_sub(self.drawn.elapsed());
        let wait = if self.paused { FRAME } else { wait.min(at_most) };
        if self.heed_keys(wait)? {
            return Ok(Wish::Quit);
        }
        Ok(if !self.paused && Instant::now() >= due { Wish::GoOn } else { Wish::Wait })
    }

    /// Heeds the keys pressed within a time; whether one of them ends the run.
    fn heed_keys(&mut self, wait: Duration) -> io::Result<bool> {
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

    /// Draws a run with its agents.
    /// # Errors
    /// Those of the terminal.
    pub fn draw(&mut self, frame: &Frame<'_>, bodies: impl Iterator<Item = Body>) -> io::Result<()> {
        let (columns, rows) = terminal::size()?;
        let Frame { grid, classes, tick, ticks, counters } = *frame;
        let state = if self.paused { "paused".to_owned() } else { format!("{} ticks/s", self.speed) };
        let status = format!(
            "tick {tick} of {ticks}, {state}, {} moving, {} waiting, {} stuck   q quit, space pause, + - speed",
            counters.moving, counters.waiting, counters.stuck
        );
        let text = self.canvas.paint(grid, bodies, classes, (columns.into(), rows.into()), &status);
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

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nobody left to tell that it failed.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}
