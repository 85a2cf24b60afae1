//! `run --watch`: the run drawn in the terminal as it goes.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use std::io::{self, IsTerminal};
use wheelbase_sim::{Counters, World};
use wheelbase_view::terminal::{Body, Frame, Terminal, Wish};

/// Refuses to draw where there is no terminal.
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

/// Draws the run behind a tick if it is time to, and waits until the next is due. Whether it goes on.
/// # Errors
/// Those of the terminal.
pub fn show(terminal: &mut Terminal, world: &World, stop: &Interrupt) -> Result<bool, Failure> {
    terminal.count_tick();
    loop {
        if terminal.is_frame_due() {
            draw(terminal, world)?;
        }
        let wish = terminal.wait()?;
        if wish == Wish::Quit || stop.is_raised() {
            return Ok(false);
        }
        if wish == Wish::GoOn {
            return Ok(true);
        }
    }
}

fn draw(terminal: &mut Terminal, world: &World) -> io::Result<()> {
    let classes: Vec<_> = world.tables().iter().map(|tables| tables.class()).collect();
    let motion = world.agents().motion.iter().enumerate();
    let bodies = motion.map(|(row, motion)| Body { class: motion.class.0, pose: world.pose(row) });
    let frame = Frame {
        grid: world.grid(),
        classes: &classes,
        tick: world.tick(),
        ticks: world.settings().ticks,
        counters: Counters::of(world),
    };
    terminal.draw(&frame, bodies)
}
