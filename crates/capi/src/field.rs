//! Fields: the costs from all poses to a goal, or from one pose to all.

use crate::arguments::{fill, give, output, slice, write};
use crate::call::call;
use crate::class::read_pose;
use crate::handle::{Exclusive, Kind, Object, Shared, destroy, exclusive, shared};
use crate::plan::HostPath;
use crate::status::Failure;
use crate::tables::{Tables, read_area};
use crate::value::{WB_NEVER, WB_NONE, goal_members, wb_goal, wb_path_pose, wb_pose};
use wheelbase_planner::fields::{Direction, RepairScratch, SettleTarget};
use wheelbase_planner::{Distances, Goal, GoalMember, MovementTables, PathPose, Pose, Progress};

/// The costs between one end and all poses.
pub(crate) struct Field {
    distances: Distances,
    /// The tables that it was made with, and the edits that it knows.
    tables: u64,
    edits: u64,
    repair: RepairScratch,
    answers: Vec<Option<wheelbase_planner::fields::Distance>>,
}

impl Object for Field {
    const KIND: Kind = Kind::Field;
}

impl Field {
    fn new(distances: Distances, tables: u64, edits: u64) -> Self {
        Self { distances, tables, edits, repair: RepairScratch::new(), answers: Vec::new() }
    }

    /// That a field was made with these tables, and knows all their edits.
    fn check(&self, handle: u64, tables: &Tables) -> Result<(), Failure> {
        if self.tables != handle {
            return Err(Failure::argument("the field was made with other tables"));
        }
        if self.edits != tables.edits {
            return Err(Failure::argument("the tables have changed since: call wb_field_repair first"));
        }
        Ok(())
    }

    /// The ticks between a pose and the field's end, as far as they are known: `Some(WB_NEVER)` is known, too.
    fn known(&self, pose: Pose) -> Option<u32> {
        match self.distances.settled(pose) {
            Some(found) => Some(found.ticks),
            None => self.distances.field().is_complete().then_some(WB_NEVER),
        }
    }

    /// The same, after as much search as that needs.
    fn measure(&mut self, tables: &MovementTables, pose: Pose) -> u32 {
        self.distances.measure(tables, &[GoalMember::pose(pose)], &mut self.answers);
        self.answers.first().copied().flatten().map_or(WB_NEVER, |found| found.ticks)
    }
}

/// A field that is being read, with its tables.
fn read(field: u64, tables: u64) -> Result<(Shared<Field>, Shared<Tables>), Failure> {
    let (field, found) = (shared::<Field>(field)?, shared::<Tables>(tables)?);
    field.check(tables, &found)?;
    Ok((field, found))
}

/// A field that is being changed, with its tables.
fn change(field: u64, tables: u64) -> Result<(Exclusive<Field>, Shared<Tables>), Failure> {
    let (field, found) = (exclusive::<Field>(field)?, shared::<Tables>(tables)?);
    field.check(tables, &found)?;
    Ok((field, found))
}

/// Makes the field of costs from all poses to a goal: one search answers for all agents that go there. Nothing is
/// searched before a question, or `wb_field_settle`. `within`: radius of the goal in cells.
///
/// Threads: any, beside other readers of the tables. Lifetime: until `wb_field_destroy`; it works with these tables
/// alone. Memory: 4 to 8 bytes for each pose. Statuses: `WB_ARGUMENT` without a goal, or for a heading that the class
/// lacks.
///
/// # Safety
/// `goals` has `n_goals` values; `field` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_to_goal(
    tables: u64,
    goals: *const wb_goal,
    n_goals: usize,
    within: u32,
    field: *mut u64,
) -> u32 {
    call("wb_field_to_goal", || {
        let make = || {
            let handle = tables;
            let tables = shared::<Tables>(tables)?;
            // SAFETY: by this function's contract.
            let given = unsafe { slice(goals, n_goals, "goals")? };
            if given.is_empty() {
                return Err(Failure::argument("`n_goals` is 0, expected at least 1"));
            }
            let mut members = Vec::with_capacity(n_goals);
            goal_members(given, tables.headings(), &mut members)?;
            let goal = Goal { members: &members, within };
            Ok(Field::new(Distances::to_goal(&tables.tables, &goal), handle, tables.edits))
        };
        // SAFETY: by this function's contract.
        unsafe { give(field, "field", make) }
    })
}

/// Makes the field of costs from one pose to all others: what an agent can reach, and when.
///
/// Threads, lifetime, memory, statuses: as `wb_field_to_goal`.
///
/// # Safety
/// `start` can be read, or is null; `field` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_from_pose(tables: u64, start: *const wb_pose, field: *mut u64) -> u32 {
    call("wb_field_from_pose", || {
        let make = || {
            let handle = tables;
            let tables = shared::<Tables>(tables)?;
            // SAFETY: by this function's contract.
            let start = unsafe { read_pose(start, tables.headings())? };
            Ok(Field::new(Distances::from_pose(&tables.tables, start), handle, tables.edits))
        };
        // SAFETY: by this function's contract.
        unsafe { give(field, "field", make) }
    })
}

/// Destroys a field; 0 is none.
///
/// Threads: any, while no other call uses the field (else `WB_BUSY`).
#[unsafe(no_mangle)]
pub extern "C" fn wb_field_destroy(field: u64) -> u32 {
    call("wb_field_destroy", || destroy::<Field>(field))
}

/// Searches on for at most `expansions`; `*complete` gets 1 when every pose that can be reached is settled, else 0. To
/// spread the work over frames, or to make the field complete, after which any number of threads can read it together.
///
/// Threads: one, while no other call uses the field (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for other tables, or
/// tables that have changed since.
///
/// # Safety
/// `complete` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_settle(field: u64, tables: u64, expansions: u64, complete: *mut u8) -> u32 {
    call("wb_field_settle", || {
        let (mut field, tables) = change(field, tables)?;
        // SAFETY: by this function's contract.
        let out = unsafe { output(complete, "complete")? };
        let settled = field.distances.settle(&tables.tables, SettleTarget::All, expansions);
        out.write(u8::from(settled.progress == Progress::Done));
        Ok(())
    })
}

/// Follows an edit, after the tables have (`wb_tables_update`), with the same rectangle; of several edits give the
/// rectangle that holds all. Costs that stay are kept.
///
/// Threads: one, while no other call uses the field (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for other tables.
///
/// # Safety
/// `changed` can be read, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_repair(
    field: u64,
    tables: u64,
    changed: *const crate::value::wb_rect,
) -> u32 {
    call("wb_field_repair", || {
        let handle = tables;
        let (mut field, tables) = (exclusive::<Field>(field)?, shared::<Tables>(tables)?);
        // SAFETY: by this function's contract.
        let changed = unsafe { read_area(changed, "changed")? };
        if field.tables != handle {
            return Err(Failure::argument("the field was made with other tables"));
        }
        let Field { distances, repair, edits, .. } = &mut *field;
        let changed = changed.intersection(tables.tables.space().size().rect());
        distances.repair(&tables.tables, changed, repair);
        *edits = tables.edits;
        Ok(())
    })
}

/// The cost between a pose and the field's end in ticks: to the goal, or from the start. `WB_NEVER` if there is no way.
///
/// Threads: any number together while the pose is settled or the field complete. Otherwise the call continues the
/// search, and no other call may use the field (else `WB_BUSY`). Statuses: `WB_ARGUMENT` as `wb_field_settle`, or for a
/// heading that the class lacks.
///
/// # Safety
/// `pose` can be read, or is null; `ticks` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_cost(
    field: u64,
    tables: u64,
    pose: *const wb_pose,
    ticks: *mut u32,
) -> u32 {
    call("wb_field_cost", || {
        // SAFETY: by this function's contract.
        let (_, cost) = unsafe { cost_of(field, tables, pose)? };
        // SAFETY: by this function's contract.
        unsafe { write(ticks, cost, "ticks") }
    })
}

/// A pose and its cost.
///
/// # Safety
/// Where not null, `pose` can be read.
unsafe fn cost_of(field: u64, tables: u64, pose: *const wb_pose) -> Result<(Pose, u32), Failure> {
    let pose = {
        let (field, tables) = read(field, tables)?;
        // SAFETY: by this function's contract.
        let pose = unsafe { read_pose(pose, tables.headings())? };
        if let Some(known) = field.known(pose) {
            return Ok((pose, known));
        }
        pose
    };
    let (mut field, tables) = change(field, tables)?;
    Ok((pose, field.measure(&tables.tables, pose)))
}

/// All poses of at most `ticks`, each with its cost as `arrival`, row by row: what an agent can reach in a turn.
///
/// Threads: one, while no other call uses the field (else `WB_BUSY`). Cost: the poses of the answer. Statuses:
/// `WB_BUFFER` with the poses needed in `count`; `WB_ARGUMENT` as `wb_field_settle`.
///
/// # Safety
/// `reached` has room for `capacity` values, or is null with 0; `count` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_within(
    field: u64,
    tables: u64,
    ticks: u32,
    reached: *mut wb_path_pose,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_field_within", || {
        let (mut field, tables) = change(field, tables)?;
        field.distances.settle(&tables.tables, SettleTarget::Within(ticks), u64::MAX);
        let found: Vec<wb_path_pose> =
            field.distances.within(ticks).map(|(pose, arrival)| PathPose { pose, arrival }.into()).collect();
        // SAFETY: by this function's contract.
        unsafe { fill(reached, capacity, count, &found, "reached") }
    })
}

/// Writes a cheapest path between a pose and the field's end, in the direction of travel. `*found` gets 1. Without a
/// path it gets 0, and the path is empty.
///
/// Threads: as `wb_field_cost`; the path is written by one. Statuses: as `wb_field_cost`.
///
/// # Safety
/// `pose` can be read, or is null; `found` may be written, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_path(
    field: u64,
    tables: u64,
    pose: *const wb_pose,
    path: u64,
    found: *mut u8,
) -> u32 {
    call("wb_field_path", || {
        let mut path = exclusive::<HostPath>(path)?;
        // SAFETY: by this function's contract.
        let (out, (pose, _)) = unsafe { (output(found, "found")?, cost_of(field, tables, pose)?) };
        let (field, tables) = read(field, tables)?;
        let is_found = field.distances.path(&tables.tables, pose, &mut path.path);
        path.renew();
        out.write(u8::from(is_found));
        Ok(())
    })
}

/// The next move of an agent at a pose towards the goal of the field: `*primitive` gets its number, and `*after` the
/// pose after it. At the goal, and where there is no way, `*primitive` is `WB_NONE`, and `*after` the pose itself. Of a
/// field from a pose it is the first move from there towards `pose`, and `*after` the pose after it. `after` may be
/// null.
///
/// Threads: as `wb_field_cost`; a field from a pose is searched by one. Statuses: as `wb_field_cost`.
///
/// # Safety
/// `pose` can be read, or is null; `primitive` and `after` may be written, or are null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_field_next(
    field: u64,
    tables: u64,
    pose: *const wb_pose,
    primitive: *mut u32,
    after: *mut wb_pose,
) -> u32 {
    call("wb_field_next", || {
        // SAFETY: by this function's contract.
        let (pose, _) = unsafe { cost_of(field, tables, pose)? };
        let (next, end) = next_move(field, tables, pose)?;
        // SAFETY: by this function's contract.
        unsafe {
            write(primitive, next.map_or(WB_NONE, u32::from), "primitive")?;
            if after.is_null() { Ok(()) } else { write(after, end.into(), "after") }
        }
    })
}

/// The next move and the pose after it.
fn next_move(field: u64, tables: u64, pose: Pose) -> Result<(Option<u8>, Pose), Failure> {
    let (reading, found) = read(field, tables)?;
    let space = found.tables.space();
    let ends_at = |from: Pose, primitive: u8| {
        let state = space.state(from)?;
        Some(space.pose(found.tables.state_after(state, usize::from(primitive))))
    };
    if reading.distances.field().direction() == Direction::ToGoal {
        let state = space.state(pose);
        let next = state.and_then(|state| reading.distances.field().next(&found.tables, state));
        return Ok((next.map(|next| next.primitive), next.map_or(pose, |next| space.pose(next.state))));
    }
    let start = reading.distances.field().goal().members.first().copied();
    drop(reading);
    let (mut field, tables) = change(field, tables)?;
    let next = field.distances.next_move(&tables.tables, pose);
    let start = start.and_then(|member| Some(Pose { cell: member.cell, heading: member.heading? }));
    let end = start.zip(next).and_then(|(start, next)| ends_at(start, next));
    Ok((next, end.unwrap_or(pose)))
}
