//! Ctrl-C, and on Unix SIGTERM: work stops at the next good place, and what was asked for is written whole.

use crate::failure::Exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that Ctrl-C and SIGTERM raise.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes charge of Ctrl-C and SIGTERM; a second one ends the program at once. To be called once.
    pub fn listen() -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        listen_to_termination(&flag);
        let raised = Arc::clone(&flag);
        // Without a handler Ctrl-C still ends the program, only less politely.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        Self(flag)
    }

    /// Does as Ctrl-C does.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// SIGTERM raises the flag; one that comes while it is raised ends the program.
#[cfg(unix)]
fn listen_to_termination(flag: &Arc<AtomicBool>) {
    use signal_hook::consts::SIGTERM;
    use signal_hook::flag::{register, register_conditional_shutdown};
    // Without a handler it still ends the program, only less politely. They are called in this order.
    let _ = register_conditional_shutdown(SIGTERM, Exit::Interrupted as i32, Arc::clone(flag));
    let _ = register(SIGTERM, Arc::clone(flag));
}
