//! A queue of path requests with a budget a frame, whose searches the host's threads run.

use crate::arguments::{fill_structure, give, slice, structure, write};
use crate::call::call;
use crate::handle::{Exclusive, Kind, Object, destroy, exclusive, shared};
use crate::plan::{no_request, read_request, wb_request};
use crate::status::{Failure, WB_BROKEN, WB_BUSY, WB_NOT_FOUND};
use crate::tables::Tables;
use crate::value::{answer, wb_answer, wb_path_pose};
use std::sync::{Mutex, TryLockError};
use wheelbase_grid::GridSize;
use wheelbase_planner::MovementTables;
use wheelbase_planner::search::{PathQueue, SearchJob, Ticket};

/// A queue of a host.
pub(crate) struct Queue {
    queue: PathQueue,
    size: GridSize,
    frame: Option<Frame>,
    /// The jobs of a round, emptied.
    spare: Vec<SearchJob>,
    answers: Answers,
}

impl Object for Queue {
    const KIND: Kind = Kind::Queue;
}

/// A frame between begin and end: its tables, shared with the host's tables, and the jobs of the present round.
struct Frame {
    tables: Vec<MovementTables>,
    jobs: Vec<Mutex<Job>>,
}

struct Job {
    search: SearchJob,
    is_done: bool,
}

/// The answers of the last frame as C reads them; path `n` is from `starts[n]` to `starts[n + 1]` of `poses`, and has a
/// move less.
#[derive(Default)]
struct Answers {
    tickets: Vec<u64>,
    answers: Vec<wb_answer>,
    starts: Vec<usize>,
    poses: Vec<wb_path_pose>,
    moves: Vec<u8>,
}

impl Answers {
    fn clear(&mut self) {
        let Self { tickets, answers, starts, poses, moves } = self;
        tickets.clear();
        answers.clear();
        starts.clear();
        poses.clear();
        moves.clear();
    }

    fn take(&mut self, queue: &PathQueue) {
        self.clear();
        for found in queue.answers() {
            self.tickets.push(found.ticket.0);
            self.answers.push(answer(&found.answer, found.path));
            self.starts.push(self.poses.len());
            self.poses.extend(found.path.poses.iter().map(|pose| wb_path_pose::from(*pose)));
            self.moves.extend_from_slice(&found.path.moves);
            // So that both have the same places.
            self.moves.resize(self.poses.len(), crate::plan::WB_NO_MOVE);
        }
        self.starts.push(self.poses.len());
    }
}

impl Queue {
    fn check_between_frames(&self) -> Result<(), Failure> {
        match self.frame {
            None => Ok(()),
            Some(_) => {
                Err(Failure::new(WB_BUSY, "a frame of this queue is under way: call wb_queue_end first"))
            }
        }
    }

    /// Takes the jobs of the next round; without any the frame ends. The number of jobs.
    fn next_round(&mut self) -> usize {
        let n_jobs = self.queue.take_jobs(&mut self.spare);
        if n_jobs == 0 {
            self.frame = None;
            self.queue.end_frame();
            self.answers.take(&self.queue);
        } else if let Some(frame) = &mut self.frame {
            frame.jobs.extend(self.spare.drain(..).map(|search| Mutex::new(Job { search, is_done: false })));
        }
        n_jobs
    }

    /// Takes the jobs of a round back.
    fn end_round(&mut self) -> Result<(), Failure> {
        let Some(frame) = &mut self.frame else {
            return Err(Failure::argument("no frame is under way: call wb_queue_begin first"));
        };
        for (number, job) in frame.jobs.iter_mut().enumerate() {
            match job.get_mut() {
                Ok(job) if job.is_done => {}
                Ok(_) => {
                    return Err(Failure::argument(format!(
                        "job {number} has not been run: call wb_queue_run"
                    )));
                }
                Err(_) => return Err(broken_job(number)),
            }
        }
        self.spare.extend(frame.jobs.drain(..).filter_map(|job| Some(job.into_inner().ok()?.search)));
        self.queue.give_back(&mut self.spare);
        Ok(())
    }
}

fn broken_job(number: usize) -> Failure {
    Failure::new(WB_BROKEN, format!("job {number} panicked: destroy this queue"))
}

/// Makes an empty queue of path requests, for maps of a size and a number of classes. `slots` searches, at least one,
/// are in progress together. Each holds the memory of a search, and their number affects the result.
///
/// In each frame the queue spends a budget of expansions on the requests that come first by priority and age. The
/// answers depend on requests, tables and budgets, and on no thread.
///
/// Threads: any. Lifetime: until `wb_queue_destroy`. Statuses: `WB_ARGUMENT` for a size that does not exist, more than
/// 256 classes or 1024 slots.
///
/// # Safety
/// `queue` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_queue_new(
    width: u32,
    height: u32,
    classes: u32,
    slots: u32,
    queue: *mut u64,
) -> u32 {
    call("wb_queue_new", || {
        let make = || {
            let size = GridSize::new(u64::from(width), u64::from(height))
                .map_err(|error| Failure::argument(error.to_string()))?;
            for (name, number, most) in [("classes", classes, 256), ("slots", slots, 1024)] {
                if number == 0 || number > most {
                    return Err(Failure::argument(format!("`{name}` is {number}, expected 1 to {most}")));
                }
            }
            let queue = PathQueue::new(size, classes as u16, slots as usize);
            Ok(Queue { queue, size, frame: None, spare: Vec::new(), answers: Answers::default() })
        };
        // SAFETY: by this function's contract.
        unsafe { give(queue, "queue", make) }
    })
}

/// Destroys a queue with its requests; 0 is none.
///
/// Threads: any, while no other call uses the queue (else `WB_BUSY`).
#[unsafe(no_mangle)]
pub extern "C" fn wb_queue_destroy(queue: u64) -> u32 {
    call("wb_queue_destroy", || destroy::<Queue>(queue))
}

/// A queue between its frames.
fn between_frames(queue: u64) -> Result<Exclusive<Queue>, Failure> {
    let queue = exclusive::<Queue>(queue)?;
    queue.check_between_frames()?;
    Ok(queue)
}

/// Queues a request for the class with a number, from 0; all is copied. Of two requests the one of higher `priority`
/// goes first; a unit weighs as much as a frame of waiting. `*ticket` gets a number by which its answer is known.
///
/// Threads: one, while no other call uses the queue and no frame is under way (else `WB_BUSY`). Statuses:
/// `WB_ARGUMENT`.
///
/// # Safety
/// `request` as for `wb_plan`; `ticket` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_queue_submit(
    queue: u64,
    class_: u32,
    request: *const wb_request,
    priority: i32,
    ticket: *mut u64,
) -> u32 {
    call("wb_queue_submit", || {
        let mut queue = between_frames(queue)?;
        let mut asked = no_request();
        // The classes are not known before a frame. A heading that a class lacks is answered as one off the map.
        let space = (queue.size, 8);
        // SAFETY: by this function's contract.
        unsafe {
            write(ticket, u64::MAX, "ticket")?;
            read_request(&structure(request, "request")?, space, &mut asked)
                .map_err(|failure| Failure::new(failure.status, format!("`request`: {}", failure.message)))?;
        }
        asked.class = u16::try_from(class_).unwrap_or(u16::MAX);
        asked.priority = priority;
        let given = queue.queue.submit(asked).map_err(|error| Failure::argument(error.to_string()))?;
        // SAFETY: by this function's contract.
        unsafe { write(ticket, given.0, "ticket") }
    })
}

/// Drops a request; its answer will not come. A request of which the answer can be read already is dropped at the next
/// frame.
///
/// Threads: one, while no other call uses the queue and no frame is under way (else `WB_BUSY`). Statuses:
/// `WB_NOT_FOUND`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_queue_cancel(queue: u64, ticket: u64) -> u32 {
    call("wb_queue_cancel", || {
        let mut queue = between_frames(queue)?;
        match queue.queue.cancel(Ticket(ticket)) {
            true => Ok(()),
            false => {
                Err(Failure::new(WB_NOT_FOUND, format!("no request of this queue has the ticket {ticket}")))
            }
        }
    })
}

/// The number of requests without an answer.
///
/// Threads: one, while no other call uses the queue and no frame is under way (else `WB_BUSY`).
///
/// # Safety
/// `count` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_queue_open(queue: u64, count: *mut usize) -> u32 {
    call("wb_queue_open", || {
        let queue = between_frames(queue)?;
        // SAFETY: by this function's contract.
        unsafe { write(count, queue.queue.open(), "count") }
    })
}

/// Begins a frame of a budget of expansions. `tables` are the tables of each class, in order of class number; the frame
/// keeps the data that it needs. Drops the answers of the last frame. `*jobs` gets the number of searches that
/// `wb_queue_run` can run together. It is 0 if there is nothing to do, and then the frame has ended.
///
/// ```c
/// size_t jobs = 0, answers = 0;
/// wb_queue_begin(queue, tables, n_tables, 20000, &jobs);
/// while (jobs > 0) {
///     for (size_t job = 0; job < jobs; job++) wb_queue_run(queue, job);   // on any threads
///     wb_queue_end(queue, &jobs, &answers);                               // when all have run
/// }
/// ```
///
/// Threads: one, while no other call uses the queue (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for a wrong number of
/// tables, or tables of a map of another size.
///
/// # Safety
/// `tables` has `n_tables` handles; `jobs` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_queue_begin(
    queue: u64,
    tables: *const u64,
    n_tables: usize,
    budget: u64,
    jobs: *mut usize,
) -> u32 {
    call("wb_queue_begin", || {
        let mut queue = between_frames(queue)?;
        // SAFETY: by this function's contract.
        let n_jobs = unsafe {
            write(jobs, 0, "jobs")?;
            start(&mut queue, slice(tables, n_tables, "tables")?, budget)?
        };
        // SAFETY: by this function's contract.
        unsafe { write(jobs, n_jobs, "jobs") }
    })
}

fn start(queue: &mut Queue, tables: &[u64], budget: u64) -> Result<usize, Failure> {
    let mut found = Vec::with_capacity(tables.len());
    for handle in tables {
        found.push(shared::<Tables>(*handle)?.tables.clone());
    }
    queue.queue.check_tables(&found).map_err(|error| Failure::argument(error.to_string()))?;
    queue.queue.begin_frame(&found, budget);
    queue.frame = Some(Frame { tables: found, jobs: Vec::new() });
    Ok(queue.next_round())
}

/// Runs a job of the present round: `job` is less than the `jobs` of `wb_queue_begin` or `wb_queue_end`, and each is
/// run once.
///
/// Threads: any number together, with different jobs. Cost: its share of the budget. Statuses: `WB_ARGUMENT` for a job
/// that does not exist or has been run; `WB_BUSY` while another thread runs it.
#[unsafe(no_mangle)]
pub extern "C" fn wb_queue_run(queue: u64, job: usize) -> u32 {
    call("wb_queue_run", || {
        let queue = shared::<Queue>(queue)?;
        let Some(frame) = &queue.frame else {
            return Err(Failure::argument("no frame is under way: call wb_queue_begin first"));
        };
        let Some(found) = frame.jobs.get(job) else {
            return Err(Failure::argument(format!(
                "`job` is {job}, expected less than {}",
                frame.jobs.len()
            )));
        };
        let mut found = match found.try_lock() {
            Ok(found) => found,
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(WB_BUSY, format!("another thread runs job {job}")));
            }
            Err(TryLockError::Poisoned(_)) => return Err(broken_job(job)),
        };
        if found.is_done {
            return Err(Failure::argument(format!("job {job} has been run already")));
        }
        found.search.run(&frame.tables);
        found.is_done = true;
        Ok(())
    })
}

/// Ends a round, after all its jobs have been run. While something of the budget is left and searches need it, `*jobs`
/// gets the number of jobs of the next round, and `*answers` 0. Else the frame is over: `*jobs` gets 0, and `*answers`
/// the number of answers to be read by `wb_queue_answer`.
///
/// Threads: one, while no other call uses the queue (else `WB_BUSY`). Statuses: `WB_ARGUMENT` if no frame is under way
/// or a job has not been run; `WB_BROKEN` if a job panicked.
///
/// # Safety
/// `jobs` and `answers` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_queue_end(queue: u64, jobs: *mut usize, answers: *mut usize) -> u32 {
    call("wb_queue_end", || {
        let mut queue = exclusive::<Queue>(queue)?;
        // SAFETY: by this function's contract.
        unsafe {
            write(jobs, 0, "jobs")?;
            write(answers, 0, "answers")?;
        }
        queue.end_round()?;
        let n_jobs = queue.next_round();
        let n_answers = if n_jobs == 0 { queue.answers.tickets.len() } else { 0 };
        // SAFETY: by this function's contract.
        unsafe {
            write(jobs, n_jobs, "jobs")?;
            write(answers, n_answers, "answers")
        }
    })
}

/// A whole frame on the calling thread: `wb_queue_begin`, all jobs, `wb_queue_end`. `*answers` gets the number of
/// answers.
///
/// Threads, statuses: as `wb_queue_begin`.
///
/// # Safety
/// `tables` has `n_tables` handles; `answers` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_queue_advance(
    queue: u64,
    tables: *const u64,
    n_tables: usize,
    budget: u64,
    answers: *mut usize,
) -> u32 {
    call("wb_queue_advance", || {
        let mut queue = between_frames(queue)?;
        // SAFETY: by this function's contract.
        let mut n_jobs = unsafe {
            write(answers, 0, "answers")?;
            start(&mut queue, slice(tables, n_tables, "tables")?, budget)?
        };
        while n_jobs > 0 {
            if let Some(Frame { tables, jobs }) = &mut queue.frame {
                for job in jobs.iter_mut().filter_map(|job| job.get_mut().ok()) {
                    job.search.run(tables);
                    job.is_done = true;
                }
            }
            queue.end_round()?;
            n_jobs = queue.next_round();
        }
        // SAFETY: by this function's contract.
        unsafe { write(answers, queue.answers.tickets.len(), "answers") }
    })
}

/// An answer of the last frame, by its number from 0, in order of the tickets. `*poses` and `*moves` get the path:
/// `*count` poses, and a move from each but the last to the next; 0 without a path. `ticket`, `answer`, `poses`,
/// `moves` may be null.
///
/// Threads: any number together. Lifetime: poses and moves are the queue's own memory, valid until the next frame
/// begins or the queue is destroyed. Statuses: `WB_NOT_FOUND` for a number that is no answer.
///
/// # Safety
/// `ticket`, `poses`, `moves` and `count` may be written, or are null; `answer` may be written as far as its `size`
/// says, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_queue_answer(
    queue: u64,
    number: usize,
    ticket: *mut u64,
    answer: *mut wb_answer,
    poses: *mut *const wb_path_pose,
    moves: *mut *const u8,
    count: *mut usize,
) -> u32 {
    call("wb_queue_answer", || {
        let queue = shared::<Queue>(queue)?;
        let Answers { tickets, answers, starts, poses: all_poses, moves: all_moves } = &queue.answers;
        let (Some(found), None) = (answers.get(number), &queue.frame) else {
            let message = format!("`number` is {number}, expected less than {}", answers.len());
            return Err(Failure::new(WB_NOT_FOUND, message));
        };
        let (from, to) = (starts[number], starts[number + 1]);
        // SAFETY: by this function's contract.
        unsafe {
            write(count, to - from, "count")?;
            if !ticket.is_null() {
                write(ticket, tickets[number], "ticket")?;
            }
            if !poses.is_null() {
                write(poses, all_poses[from..].as_ptr(), "poses")?;
            }
            if !moves.is_null() {
                write(moves, all_moves[from..].as_ptr(), "moves")?;
            }
            if answer.is_null() { Ok(()) } else { fill_structure(answer, found, "answer") }
        }
    })
}
