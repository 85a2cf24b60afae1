//! Ctrl-C, and on Unix SIGTERM. They end the program at once, but for stretches of work in which they are
//! heeded: then it stops at the next good place, and what was asked for is written whole.

use crate::failure::Exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time between two looks at the flag while other work is waited for.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What Ctrl-C and SIGTERM do, and whether one came.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<State>);

#[derive(Debug)]
struct State {
    /// The next one ends the program: none is heeded, or one has come already.
    ends: Arc<AtomicBool>,
    /// They are heeded.
    heeded: AtomicBool,
}

impl Interrupt {
    /// Takes charge of Ctrl-C and SIGTERM, of which each ends the program with [`Exit::Interrupted`] until
    /// they are heeded. To be called once.
    pub fn listen() -> Self {
        let ends = Arc::new(AtomicBool::new(true));
        #[cfg(unix)]
        listen_to_termination(&ends);
        let raised = Arc::clone(&ends);
        // Without a handler Ctrl-C still ends the program, only less politely.
        let _ = ctrlc::set_handler(move || {
            if raised.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        Self(Arc::new(State { ends, heeded: AtomicBool::new(false) }))
    }

    /// From here on the first of them only raises the flag, which the caller looks at; a second one ends the
    /// program. Says whether it was otherwise before.
    pub fn heed(&self) -> bool {
        let begins = !self.0.heeded.swap(true, Ordering::Relaxed);
        if begins {
            self.0.ends.store(false, Ordering::Relaxed);
        }
        begins
    }

    /// From here on each of them ends the program; at once, if one came meanwhile.
    pub fn unheed(&self) {
        if self.0.heeded.swap(false, Ordering::Relaxed) && self.0.ends.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    }

    /// Does work that must not be cut off. One that comes meanwhile ends the program behind it, if none is
    /// heeded there.
    pub fn hold<T>(&self, work: impl FnOnce() -> T) -> T {
        let begins = self.heed();
        let done = work();
        if begins {
            self.unheed();
        }
        done
    }

    /// What comes of work that does not look at the flag; `None` if it is raised before that. The work then
    /// goes on in its thread until the program ends.
    pub fn unless_raised<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, wait) = mpsc::channel();
        let worker = std::thread::spawn(move || done.send(work()).is_ok());
        loop {
            match wait.recv_timeout(LOOK_EVERY) {
                Ok(value) => return Some(value),
                Err(RecvTimeoutError::Timeout) if self.is_raised() => return None,
                Err(RecvTimeoutError::Timeout) => {}
                // It panicked.
                Err(RecvTimeoutError::Disconnected) => {
                    worker.join().map_or_else(|panic| std::panic::resume_unwind(panic), drop);
                    return None;
                }
            }
        }
    }

    /// Does as Ctrl-C does.
    pub fn raise(&self) {
        self.0.ends.store(true, Ordering::Relaxed);
    }

    /// Whether Ctrl-C was pressed while it is heeded.
    pub fn is_raised(&self) -> bool {
        self.0.heeded.load(Ordering::Relaxed) && self.0.ends.load(Ordering::Relaxed)
    }
}

/// SIGTERM raises the flag; one that comes while it is raised ends the program.
#[cfg(unix)]
fn listen_to_termination(ends: &Arc<AtomicBool>) {
    use signal_hook::consts::SIGTERM;
    use signal_hook::flag::{register, register_conditional_shutdown};
    // Without a handler it still ends the program, only less politely. They are called in this order.
    let _ = register_conditional_shutdown(SIGTERM, Exit::Interrupted as i32, Arc::clone(ends));
    let _ = register(SIGTERM, Arc::clone(ends));
}
