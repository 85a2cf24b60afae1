//! `run --watch`: draws a run in the terminal as it goes.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use std::io::{self, IsTerminal};
use wheelbase_sim::{Counters, World};
use wheelbase_view::terminal::{DrawnAgent, Frame, Terminal, ViewerInput};

/// Requires that standard output is a terminal.
/// # Errors
/// If it is not.
pub fn require_terminal() -> Result<(), Failure> {
    if !io::stdout().is_terminal() {
        return Err(Failure::bad_input(
            "--watch draws in a terminal, but standard output is not one; leave it out, or record the run with --record",
        ));
    }
    Ok(())
}

/// Draws the run after a tick if a frame is due, and waits until the next tick is due. Returns whether the run goes on.
/// # Errors
/// Errors of the terminal.
pub fn show(terminal: &mut Terminal, world: &World, stop: &Interrupt) -> Result<bool, Failure> {
    terminal.count_tick();
    loop {
        if terminal.is_frame_due() {
            draw(terminal, world)?;
        }
        let input = terminal.wait()?;
        if input == ViewerInput::Quit || stop.is_raised() {
            return Ok(false);
        }
        if input == ViewerInput::Advance {
            return Ok(true);
        }
    }
}

fn draw(terminal: &mut Terminal, world: &World) -> io::Result<()> {
    let classes: Vec<_> = world.tables().iter().map(|tables| tables.class()).collect();
    let motion = world.agent_arrays().motion.iter().enumerate();
    let agents = motion.map(|(row, motion)| DrawnAgent { class: motion.class.0, pose: world.pose(row) });
    let frame = Frame {
        grid: world.grid(),
        classes: &classes,
        tick: world.tick(),
        ticks: world.settings().ticks,
        counters: Counters::of(world),
    };
    terminal.draw(&frame, agents)
}
