//! `run --watch`: the run drawn in the terminal as it goes.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use std::io::{self, IsTerminal};
use wheelbase_sim::{Counters, Simulation};
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
pub fn show(terminal: &mut Terminal, sim: &Simulation, stop: &Interrupt) -> Result<bool, Failure> {
    terminal.count_tick();
    loop {
        if terminal.is_frame_due() {
            draw(terminal, sim)?;
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

fn draw(terminal: &mut Terminal, sim: &Simulation) -> io::Result<()> {
    let classes: Vec<_> = sim.tables().iter().map(|tables| tables.class()).collect();
    let motion = sim.agents().motion.iter().enumerate();
    let bodies = motion.map(|(row, motion)| Body { class: motion.class.0, pose: sim.pose(row) });
    let frame = Frame {
        grid: sim.grid(),
        classes: &classes,
        tick: sim.tick(),
        ticks: sim.settings().ticks,
        counters: Counters::of(sim),
    };
    terminal.draw(&frame, bodies)
}
