//! Recordings of worlds, for `wheelbase verify`, `wheelbase render` and `wheelbase show`.

use crate::arguments::{fill, give};
use crate::call::call;
use crate::handle::{Kind, Object, destroy, exclusive};
use crate::status::{Failure, WB_BROKEN, WB_DESTROYED, WB_LIMIT};
use crate::world::{WB_ENDED, WB_RUNNING, changing, reading};
use std::sync::Arc;
use wheelbase_scenario::recording::Recorder;
use wheelbase_sim::RunState;

/// A recording being written, or written.
pub(crate) struct HostRecording {
    /// The world that is recorded points here.
    mark: Arc<()>,
    part: Part,
}

enum Part {
    Begun(Box<Recorder<Vec<u8>>>),
    Written(Vec<u8>),
}

impl Object for HostRecording {
    const KIND: Kind = Kind::Recording;
}

/// Begins to record a world, before the step of the first tick to record. A world that has not stepped, from
/// `wb_world_new`, `wb_world_open` or `wb_world_parse`, is recorded with its setup. Any other world is recorded with a
/// snapshot. So the file needs no other data. Another recording of the world ends.
///
/// Threads: changes `world`.
///
/// # Safety
/// `recording` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_recording_begin(world: u64, recording: *mut u64) -> u32 {
    call("wb_recording_begin", || {
        let make = || {
            let mut found = changing(world)?;
            let is_new = found.is_new && found.world.tick() == 0;
            let recorder = if is_new {
                Recorder::begin_host(&mut found.world, Vec::new())
            } else {
                Recorder::begin_resumed(&mut found.world, Vec::new())
            };
            let recorder = recorder.map_err(|error| Failure::new(WB_LIMIT, error.to_string()))?;
            let mark = Arc::new(());
            found.begin_log(&mark);
            Ok(HostRecording { mark, part: Part::Begun(Box::new(recorder)) })
        };
        // SAFETY: by this function's contract.
        unsafe { give(recording, "recording", make) }
    })
}

/// Records the last step of the world: called after each step, with the state that it gave. A step without this call,
/// `wb_world_restore` and `wb_world_copy_from` end the recording: then it can only be finished. A recording also ends
/// with its run: idle steps add nothing, and a step in which something happens is refused. `wb_world_set_ticks` with 0
/// makes a world that has no last tick.
///
/// Threads: changes `recording` and `world`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_recording_tick(recording: u64, world: u64, state: u32) -> u32 {
    call("wb_recording_tick", || {
        let mut found = exclusive::<HostRecording>(recording)?;
        let HostRecording { mark, part } = &mut *found;
        let Part::Begun(recorder) = part else {
            return Err(Failure::argument("the recording is finished"));
        };
        let mut of = changing(world)?;
        let step = of.unread_step(mark)?;
        let expected = if step == RunState::Running { WB_RUNNING } else { WB_ENDED };
        if state != expected {
            let message = format!("`state` is {state}, expected {expected}, which the step gave");
            return Err(Failure::argument(message));
        }
        // A step that ends the run leaves the tick as it is.
        let tick = of.world.tick() - u32::from(step == RunState::Running);
        let recorded = recorder.tick(&of.world, tick, step);
        of.log_is_read();
        recorded.map_err(|error| {
            of.end_log();
            Failure::new(WB_LIMIT, error.to_string())
        })
    })
}

/// Writes the recording as bytes, the content of a file for `wheelbase verify`. The first call ends it; further calls
/// give the same bytes. `world` is the recorded world, or 0 if it is gone. If it is 0 or broken, or the recording had
/// ended before, the bytes end as if the run had been killed. `wheelbase verify` reports this and accepts it.
///
/// Threads: changes `recording`, reads `world`.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_recording_finish(
    recording: u64,
    world: u64,
    buffer: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_recording_finish", || {
        let mut found = exclusive::<HostRecording>(recording)?;
        if matches!(found.part, Part::Begun(_)) {
            finish(&mut found, world)?;
        }
        let Part::Written(bytes) = &found.part else {
            return Err(Failure::argument("the recording could not be finished"));
        };
        // SAFETY: by this function's contract.
        unsafe { fill(buffer, capacity, count, bytes, "buffer") }
    })
}

fn finish(found: &mut HostRecording, world: u64) -> Result<(), Failure> {
    let of = match world {
        0 => None,
        _ => match reading(world) {
            Ok(of) => Some(of),
            Err(failure) if matches!(failure.status, WB_BROKEN | WB_DESTROYED) => None,
            Err(failure) => return Err(failure),
        },
    };
    let whole = of.filter(|of| of.is_recorded(&found.mark));
    let Part::Begun(recorder) = std::mem::replace(&mut found.part, Part::Written(Vec::new())) else {
        return Ok(());
    };
    let bytes = match &whole {
        Some(of) => recorder.finish(&of.world),
        None => recorder.finish_without_end(),
    };
    found.part = Part::Written(bytes.map_err(|error| Failure::new(WB_LIMIT, error.to_string()))?);
    // The world keeps no log for it any more.
    found.mark = Arc::new(());
    Ok(())
}

/// Destroys a recording. 0 does nothing.
///
/// Threads: changes `recording`.
#[unsafe(no_mangle)]
pub extern "C" fn wb_recording_destroy(recording: u64) -> u32 {
    call("wb_recording_destroy", || destroy::<HostRecording>(recording))
}
