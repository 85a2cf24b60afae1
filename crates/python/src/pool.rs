//! Threads for work outside worlds; worlds have their own threads. Each process has a pool for each number of threads,
//! since the threads of a pool do not survive a fork.

use crate::error::{Kind, argument, failure};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};
use wheelbase_sim::Threads;

/// Most threads.
const THREADS_MAX: u32 = 1024;

/// By process and number of threads. Never taken out: to drop a pool of the parent process would wait for its threads.
static POOLS: Mutex<Vec<(u32, u32, Arc<ThreadPool>)>> = Mutex::new(Vec::new());

/// Checks a number of threads.
pub(crate) fn check_threads(threads: u32) -> PyResult<u32> {
    if threads <= THREADS_MAX {
        return Ok(threads);
    }
    Err(argument(format!("`threads` is {threads}, expected 0 to {THREADS_MAX}")))
}

/// The threads of a world. Worlds key their pools by the process themselves.
pub(crate) fn threads_of(threads: u32) -> PyResult<Threads> {
    Ok(match check_threads(threads)? {
        0 | 1 => Threads::Caller,
        threads => Threads::Own(threads as usize),
    })
}

/// The pool of this many threads in this process; `None` for one, which needs none.
///
/// Its lock is held only by threads attached to Python, and `os.fork` is: so it is free in the child.
pub(crate) fn pool(_attached: Python<'_>, threads: u32) -> PyResult<Option<Arc<ThreadPool>>> {
    let threads = check_threads(threads)?;
    if threads < 2 {
        return Ok(None);
    }
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., pool)) = pools.iter().find(|(of, count, _)| (*of, *count) == (process, threads)) {
        return Ok(Some(Arc::clone(pool)));
    }
    let made = ThreadPoolBuilder::new().num_threads(threads as usize).build();
    let made =
        Arc::new(made.map_err(|error| failure(Kind::Limit, format!("no {threads} threads: {error}")))?);
    pools.push((process, threads, Arc::clone(&made)));
    Ok(Some(made))
}
