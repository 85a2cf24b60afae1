//! Packs the tasks of agents: most goals follow from the paths and moves, which are packed anyway.

use crate::page::timeline::{Timeline, TimelineAgent};
use miniz_oxide::deflate::compress_to_vec_zlib;
use wheelbase_scenario::varint::{put, put_signed};

/// Most deflated bytes of the tasks: a page grows by little, whatever happens in its run.
const BYTES_MAX: usize = 10 << 10;
/// A quick level, to measure with.
const DEFLATE_LEVEL: u8 = 6;

/// The goal is where the next path ends.
const PATH_END: u64 = 0;
/// The goal is where the agent is when its next task is given.
const REACHED: u64 = 1;
/// The goal follows as `x, y`.
const AT: u64 = 2;

/// The tasks of a run, packed.
pub struct PackedTasks {
    /// Tick up to which tasks are held: all, unless they would take too much space.
    pub until: u32,
    /// For each agent `n`, then for each task
    /// `paths given before it, since the last; ticks to the next path, or since the last path if there is none; goal`.
    /// A goal of 0 is the end of that path. A goal of 1 is the place of the agent when its next task is given. A goal
    /// of 2 is followed by `x, y`.
    pub bytes: Vec<u8>,
}

impl PackedTasks {
    /// Packs the tasks of all agents, up to a tick if need be.
    pub fn of(timeline: &Timeline) -> Self {
        let mut until = timeline.last;
        loop {
            let bytes = packed(&timeline.agents, until);
            if until == 0 || compress_to_vec_zlib(&bytes, DEFLATE_LEVEL).len() <= BYTES_MAX {
                return Self { until, bytes };
            }
            until /= 2;
        }
    }
}

fn packed(agents: &[TimelineAgent], until: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for TimelineAgent { tasks, paths, .. } in agents {
        let tasks = &tasks[..tasks.partition_point(|task| task.tick <= until)];
        put(&mut out, tasks.len() as u64);
        let mut before = 0;
        for (number, task) in tasks.iter().enumerate() {
            let next = paths.partition_point(|path| path.tick < task.tick);
            put(&mut out, (next - before) as u64);
            before = next;
            let path = paths.get(next);
            let last = paths.last().map_or(0, |path| path.tick);
            put(&mut out, path.map_or_else(|| task.tick - last, |path| path.tick - task.tick).into());
            if path.is_some_and(|path| path.end == task.cell) {
                put(&mut out, PATH_END);
            } else if tasks.get(number + 1).is_some_and(|next| next.tick == task.done) {
                put(&mut out, REACHED);
            } else {
                put(&mut out, AT);
                put_signed(&mut out, task.cell.x.into());
                put_signed(&mut out, task.cell.y.into());
            }
        }
    }
    out
}
