//! Ctrl-C, and on Unix SIGTERM. They end the program immediately, except while they are caught: then the work stops at
//! the next safe point and its outputs are completed.

use crate::failure::Exit;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Time between two checks of the flag while waiting for work in another thread.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How the program responds to Ctrl-C and SIGTERM, and whether one came.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<State>);

#[derive(Debug)]
struct State {
    /// The next signal ends the program: signals are not caught, or one was caught already.
    ends: AtomicBool,
    /// Signals are caught.
    caught: AtomicBool,
    /// What a signal prints to standard output when it ends the program.
    last_words: Mutex<Option<String>>,
}

impl State {
    /// Does what a signal asks for.
    fn signal(&self) {
        if self.ends.swap(true, Ordering::Relaxed) {
            self.end();
        }
    }

    /// Ends the program.
    fn end(&self) -> ! {
        if let Ok(words) = self.last_words.lock()
            && let Some(words) = &*words
        {
            let mut out = io::stdout();
            // A closed pipe wants no words.
            let _ = writeln!(out, "{words}").and_then(|()| out.flush());
        }
        std::process::exit(Exit::Interrupted as i32);
    }
}

impl Interrupt {
    /// Installs the signal handlers. Until signals are caught, each ends the program with [`Exit::Interrupted`]. Call
    /// once.
    pub fn listen() -> Self {
        let state = Arc::new(State {
            ends: AtomicBool::new(true),
            caught: AtomicBool::new(false),
            last_words: Mutex::new(None),
        });
        #[cfg(unix)]
        listen_to_termination(&state);
        let handler = Arc::clone(&state);
        // Without a handler Ctrl-C still ends the program, with another status.
        let _ = ctrlc::set_handler(move || handler.signal());
        Self(state)
    }

    /// Sets what a signal prints to standard output when it ends the program. Programs that read the output then find
    /// data.
    pub fn set_last_words(&self, words: Option<String>) {
        if let Ok(mut last_words) = self.0.last_words.lock() {
            *last_words = words;
        }
    }

    /// From now on the first signal only raises the flag, which the caller must poll; a second one ends the program.
    /// Returns whether signals were not caught before.
    pub fn catch_signals(&self) -> bool {
        let begins = !self.0.caught.swap(true, Ordering::Relaxed);
        if begins {
            self.0.ends.store(false, Ordering::Relaxed);
        }
        begins
    }

    /// From now on each signal ends the program, immediately if one was caught meanwhile.
    pub fn release_signals(&self) {
        if self.0.caught.swap(false, Ordering::Relaxed) && self.0.ends.swap(true, Ordering::Relaxed) {
            self.0.end();
        }
    }

    /// Does work that must not be cut off. A signal that arrives meanwhile takes effect after it: it ends the program,
    /// unless signals were caught before.
    pub fn shielded<T>(&self, work: impl FnOnce() -> T) -> T {
        let begins = self.catch_signals();
        let done = work();
        if begins {
            self.release_signals();
        }
        done
    }

    /// The result of work that does not poll the flag; `None` if the flag is raised first. The work then goes on in its
    /// thread until the program ends.
    pub fn unless_raised<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, wait) = mpsc::channel();
        let worker = std::thread::spawn(move || done.send(work()).is_ok());
        loop {
            match wait.recv_timeout(POLL_INTERVAL) {
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

    /// Acts as Ctrl-C.
    pub fn raise(&self) {
        self.0.ends.store(true, Ordering::Relaxed);
    }

    /// Whether a signal was caught.
    pub fn is_raised(&self) -> bool {
        self.0.caught.load(Ordering::Relaxed) && self.0.ends.load(Ordering::Relaxed)
    }
}

/// Makes SIGTERM act as Ctrl-C.
#[cfg(unix)]
fn listen_to_termination(state: &Arc<State>) {
    use signal_hook::consts::SIGTERM;
    use signal_hook::iterator::Signals;
    // Without a handler SIGTERM still ends the program, with another status.
    if let Ok(mut signals) = Signals::new([SIGTERM]) {
        let state = Arc::clone(state);
        std::thread::spawn(move || signals.forever().for_each(|_| state.signal()));
    }
}
