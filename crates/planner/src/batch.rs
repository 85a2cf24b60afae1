//! Many requests at once over rayon, one scratch a worker.

use crate::path::Path;
use crate::request::{Answer, Request};
use crate::scratch::Scratch;
use crate::search::plan;
use crate::tables::MovementTables;
use rayon::prelude::*;

/// Plans every request on the current rayon pool and calls `done` for each answer, in order of the
/// requests. Equal results for any number of threads.
///
/// `lanes` holds the memory of the workers and is kept by the caller between calls.
pub fn plan_all(
    tables: &MovementTables,
    requests: &[Request<'_>],
    lanes: &mut BatchScratch,
    mut done: impl FnMut(usize, &Answer, &Path),
) {
    let workers = rayon::current_num_threads().max(1);
    lanes.workers.resize_with(workers.max(lanes.workers.len()), Scratch::new);
    let block = workers * REQUESTS_A_WORKER;
    lanes.slots.resize_with(block.max(lanes.slots.len()), Slot::default);
    for (number, chunk) in requests.chunks(block).enumerate() {
        let next = std::sync::atomic::AtomicUsize::new(0);
        // Workers claim requests one by one from a counter; each slot is written by the one that
        // claimed it, so the slots are handed out through locks that never wait.
        let slots: &Vec<Slot> = &lanes.slots;
        lanes.workers[..workers].par_iter_mut().with_max_len(1).for_each(|scratch| {
            loop {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(request) = chunk.get(at) else { break };
                if let Ok(mut slot) = slots[at].lock() {
                    let (answer, path) = &mut *slot;
                    *answer = Some(plan(tables, request, scratch, path));
                }
            }
        });
        for at in 0..chunk.len() {
            if let Ok(slot) = lanes.slots[at].lock()
                && let (Some(answer), path) = &*slot
            {
                done(number * block + at, answer, path);
            }
        }
    }
}

const REQUESTS_A_WORKER: usize = 64;

type Slot = std::sync::Mutex<(Option<Answer>, Path)>;

/// Memory of the workers of [`plan_all`]: a scratch each, and the answers of one block of requests.
#[derive(Debug, Default)]
pub struct BatchScratch {
    workers: Vec<Scratch>,
    slots: Vec<Slot>,
}

impl BatchScratch {
    /// Empty; memory is taken at the first call.
    pub fn new() -> Self {
        Self::default()
    }
}
