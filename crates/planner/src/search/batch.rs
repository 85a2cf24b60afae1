//! Batches of requests on a rayon pool, with one scratch per worker.

use crate::model::path::{Path, PathPose};
use crate::search::plan;
use crate::search::request::{Answer, Request};
use crate::search::scratch::Scratch;
use crate::tables::MovementTables;
use rayon::prelude::*;

/// Plans every request on the current rayon pool and calls `done` for each answer, in order of the requests.
/// Results do not depend on the number of threads.
///
/// `buffers` holds the workers' memory and is kept by the caller between calls. Memory of workers beyond the
/// pool's threads, and memory for larger maps than this one, is released.
pub fn plan_all(
    tables: &MovementTables,
    requests: &[Request<'_>],
    buffers: &mut BatchScratch,
    mut done: impl FnMut(usize, &Answer, &Path),
) {
    let threads = rayon::current_num_threads().max(1);
    let workers = threads.min(requests.len());
    let block = workers * REQUESTS_A_WORKER;
    buffers.keep(threads, tables.space().n_states());
    buffers.workers.resize_with(workers.max(buffers.workers.len()), Scratch::new);
    buffers.slots.resize_with(block.min(requests.len()).max(buffers.slots.len()), Slot::default);
    for (number, chunk) in requests.chunks(block.max(1)).enumerate() {
        let next = std::sync::atomic::AtomicUsize::new(0);
        // Workers claim requests one by one from a counter. Each slot is written only by the worker that
        // claimed it, so the locks never block.
        let slots: &Vec<Slot> = &buffers.slots;
        buffers.workers[..workers].par_iter_mut().with_max_len(1).for_each(|scratch| {
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
            if let Ok(slot) = buffers.slots[at].lock()
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
    /// Empty; memory is allocated at the first call.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory in bytes: [`Scratch::memory_bytes`] of each worker, and the answers.
    pub fn memory_bytes(&self) -> usize {
        let path_bytes = |slot: &Slot| {
            let bytes = |path: &Path| path.poses.capacity() * size_of::<PathPose>() + path.moves.capacity();
            slot.lock().map_or(0, |slot| bytes(&slot.1))
        };
        self.workers.iter().map(Scratch::memory_bytes).sum::<usize>()
            + self.workers.capacity() * size_of::<Scratch>()
            + self.slots.iter().map(path_bytes).sum::<usize>()
            + self.slots.capacity() * size_of::<Slot>()
    }

    /// Releases memory except what [`Scratch::shrink_to`] keeps for `workers` workers.
    pub fn shrink_to(&mut self, workers: usize, n_states: usize) {
        self.workers.truncate(workers);
        self.workers.shrink_to_fit();
        self.workers.iter_mut().for_each(|scratch| scratch.shrink_to(n_states));
        self.slots = Vec::new();
    }

    /// Releases memory not needed by `threads` threads on a map of `n_states` states.
    fn keep(&mut self, threads: usize, n_states: usize) {
        self.workers.truncate(threads);
        self.slots.truncate(threads * REQUESTS_A_WORKER);
        for scratch in self.workers.iter_mut().filter(|scratch| scratch.nodes.len() > n_states) {
            scratch.shrink_to(n_states);
        }
    }
}
