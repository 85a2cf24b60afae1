//! The threads that a world runs on: the caller's, its own, or the host's.

use rayon::ThreadPool;
use std::fmt;
use std::sync::Arc;

/// The threads that a world runs on. Results are equal for any number, and for any mixture of them.
///
/// ```
/// use wheelbase_sim::{Grid, MovementClass, Settings, Setup, SideTable, TerrainTable, Threads, World};
/// let hash = |threads| {
///     let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
///     let mut setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::octile()]);
///     setup.threads = threads;
///     let mut world = World::new(setup)?;
///     world.step();
///     Ok::<_, Box<dyn std::error::Error>>(world.state_hash())
/// };
/// assert_eq!(hash(Threads::Caller)?, hash(Threads::Own(2))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub enum Threads {
    /// The calling thread, or its rayon pool. No thread is created, and rayon's global pool is never touched, so that a
    /// forked process can step a world.
    #[default]
    Caller,
    /// A pool of the world's own with this many threads; none is made for 0 or 1. It is made at the first use in each
    /// process. Where no threads can be had, as in a browser, the world runs on the caller's.
    Own(usize),
    /// A pool that the host lends.
    Lent(Arc<ThreadPool>),
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caller => f.write_str("Caller"),
            Self::Own(threads) => f.debug_tuple("Own").field(threads).finish(),
            Self::Lent(pool) => f.debug_tuple("Lent").field(&pool.current_num_threads()).finish(),
        }
    }
}

/// The pool of a world.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    threads: Threads,
    /// Its own pool, and the process that made it: the threads of a pool do not survive a fork.
    made: Option<(u32, Arc<ThreadPool>)>,
}

impl Pool {
    /// No thread is made yet.
    pub fn new(threads: Threads) -> Self {
        Self { threads, made: None }
    }

    /// The pool to run on, made if necessary; `None` for the threads of the caller. If no threads can be started, the
    /// caller's threads serve.
    pub fn get(&mut self) -> Option<Arc<ThreadPool>> {
        let n_threads = match &self.threads {
            Threads::Lent(pool) => return Some(Arc::clone(pool)),
            Threads::Caller | Threads::Own(0 | 1) => return None,
            // There are neither threads nor processes to ask for.
            Threads::Own(_) if cfg!(target_family = "wasm") => return None,
            Threads::Own(threads) => *threads,
        };
        let process = std::process::id();
        if let Some((made_in, pool)) = &self.made
            && *made_in == process
        {
            return Some(Arc::clone(pool));
        }
        let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().ok()?);
        if let Some((_, of_parent)) = self.made.replace((process, Arc::clone(&pool))) {
            // Its threads belong to the parent process: waiting for them would never end.
            std::mem::forget(of_parent);
        }
        Some(pool)
    }

    /// Runs some work on the pool.
    pub fn run<R: Send>(&mut self, work: impl FnOnce() -> R + Send) -> R {
        match self.get() {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Number of threads for work here: of the calling thread's pool, else one.
pub(crate) fn n_threads_here() -> usize {
    // Outside a pool `current_num_threads` would create the global one.
    rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads())
}
