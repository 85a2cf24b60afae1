//! Edits of the map: when they take effect, and what they do to agents.

use crate::agents::Agents;
use crate::class::WorldClass;
use crate::commands::{AtDeadline, MapEdit, OnAgents, RefusalReason, Ticket};
use crate::disturbed::{find_disturbed, find_one_disturbed, is_known_to_wait};
use crate::events::Events;
use crate::log::{AppliedEdit, EditEffect, TraceEvent};
use crate::pending_edits::{PendingEdit, PendingEdits, WaitsFor};
use crate::replaced_changes::{PAIRS_MAX, left_of, replaces};
use crate::rows::event_details::{EventDetails, WAITS_FOR_MAX};
use crate::rows::event_row::EventRow;
use crate::world::World;
use wheelbase_grid::{Change, Grid, Rect, SIDES_MAX, Side};
use wheelbase_planner::MovementTables;
use wheelbase_planner::tables::Update;
use wheelbase_traffic::motion::{Activity, ClassId, end_state};

/// Applies the edit of a command, or adds it to the pending ones, of which it replaces what sets the same cells.
/// # Errors
/// [`RefusalReason::TooLong`] if there is too much to compare.
pub(super) fn request_edit(world: &mut World, mut edit: PendingEdit) -> Result<(), RefusalReason> {
    let World { pending_edits, events, grid, tick, commands, .. } = &mut *world;
    // An edit of the setup replaces nothing: a scenario file lists its edits together, and each of them takes effect.
    if !commands.is_of_setup(edit.ticket) {
        replace_pending((pending_edits, events), (grid.size().rect(), *tick), &edit)?;
    }
    if !try_apply(world, &edit) {
        let disturbed = &world.pending_edits.disturbed;
        edit.waited_for.extend(disturbed.iter().take(WAITS_FOR_MAX));
        let row = EventRow::edit_waits(world.tick, disturbed.len() as u32).with_ticket(edit.ticket);
        world.events.note_row(row, details_of(world, &edit));
        world.pending_edits.push(edit);
    }
    Ok(())
}

/// What events say of an edit.
fn details_of<'a>(world: &World, edit: &'a PendingEdit) -> EventDetails<'a> {
    let area = edit.area(world.grid.size().rect());
    EventDetails {
        ticket: Some(edit.ticket),
        area: Some(area),
        agents: &edit.waited_for,
        ..EventDetails::default()
    }
}

/// Removes the changes that a later edit sets too from the pending edits, on a map at a tick.
fn replace_pending(
    (pending_edits, events): (&mut PendingEdits, &mut Events),
    (map, tick): (Rect, u32),
    later: &PendingEdit,
) -> Result<(), RefusalReason> {
    let changes = &later.edit.changes;
    let near = later.area(map);
    let is_near = |edit: &&PendingEdit| edit.area(map).overlaps(near);
    let n_earlier: usize =
        pending_edits.edits().iter().filter(is_near).map(|edit| edit.edit.changes.len()).sum();
    if n_earlier.saturating_mul(changes.len()) > PAIRS_MAX {
        return Err(RefusalReason::TooLong);
    }
    let mut at = 0;
    while let Some(earlier) = pending_edits.edits().get(at) {
        let (edit, old) = (earlier.ticket, &earlier.edit.changes);
        if !is_near(&earlier) || !old.iter().any(|old| changes.iter().any(|new| replaces(new, old))) {
            at += 1;
            continue;
        }
        let left: Vec<Change> = old.iter().flat_map(|&old| left_of(old, changes)).collect();
        let event = TraceEvent::EditReplaced { ticket: later.ticket, edit, left: left.len() as u32 };
        let area = Some(earlier.area(map));
        if left.is_empty() {
            pending_edits.remove(at);
        } else {
            pending_edits.set_changes(at, left);
            at += 1;
        }
        events.note(tick, event, EventDetails { area, ..EventDetails::default() });
    }
    Ok(())
}

/// Withdraws the pending edit of a ticket.
/// # Errors
/// [`RefusalReason::NoSuchEdit`] if it does not wait.
pub(super) fn cancel_edit(
    (pending_edits, events): (&mut PendingEdits, &mut Events),
    (map, tick): (Rect, u32),
    ticket: Ticket,
    edit: Ticket,
) -> Result<(), RefusalReason> {
    let at = pending_edits.find(edit).ok_or(RefusalReason::NoSuchEdit)?;
    let area = Some(pending_edits.edits()[at].area(map));
    pending_edits.remove(at);
    let details = EventDetails { area, ..EventDetails::default() };
    events.note(tick, TraceEvent::EditCancelled { ticket, edit }, details);
    Ok(())
}

/// Tries the pending edits, oldest first, until none takes effect. While an agent for which an edit waits stays as it
/// is, the edit is not tested.
pub(super) fn retry_pending(world: &mut World) {
    let mut at = 0;
    while at < world.pending_edits.len() {
        if is_known_to_wait(world, at) {
            at += 1;
            continue;
        }
        let edit = world.pending_edits.edits()[at].clone();
        if edit.edit.on_agents.after(world.tick - edit.asked) == OnAgents::Wait {
            let known = world.pending_edits.waits_for(at).map(WaitsFor::agent);
            let waits_for = find_one_disturbed(world, &edit.edit.changes, known);
            world.pending_edits.set_waits_for(at, waits_for);
            if waits_for.is_some() {
                at += 1;
                continue;
            }
        }
        world.events.cause = Some(edit.ticket);
        let is_done = try_apply(world, &edit);
        world.events.cause = None;
        if is_done {
            world.pending_edits.remove(at);
            at = 0;
        } else {
            at += 1;
        }
    }
}

/// Applies an edit unless it has to wait, no longer than to its deadline; returns whether it is dealt with.
fn try_apply(world: &mut World, pending: &PendingEdit) -> bool {
    let MapEdit { changes, on_agents } = &pending.edit;
    let on_agents = on_agents.after(world.tick - pending.asked);
    let map = world.grid.size().rect();
    if changes.iter().all(|change| change.area().intersection(map).is_empty()) {
        return true;
    }
    let mut disturbed = std::mem::take(&mut world.pending_edits.disturbed);
    find_disturbed(world, changes, &mut disturbed);
    let waits = on_agents == OnAgents::Wait && !disturbed.is_empty();
    if !waits {
        let edit = Change::apply_all(changes, &mut world.grid);
        let (mut part, first_row) = (0, world.events.rows.len());
        for &change in changes.iter() {
            let area = change.area().intersection(map);
            if !area.is_empty() {
                let effect = effect_of(&world.grid, change, area);
                let event = AppliedEdit { effect, on_agents, asked: pending.asked, part };
                // All parts are one event.
                let details = if part == 0 { details_of(world, pending) } else { EventDetails::default() };
                world.events.note(world.tick, TraceEvent::Edit(event), details);
                part += 1;
            }
        }
        if let Some(row) = world.events.rows.get_mut(first_row) {
            *row = row.with_ticket(pending.ticket);
        }
        if !edit.changed.is_empty() {
            follow_edit(world, edit.changed);
        }
        match on_agents {
            OnAgents::Wait => {}
            OnAgents::Strand | OnAgents::WaitUntil { then: AtDeadline::Strand, .. } => {
                for &agent in &disturbed {
                    if let Some(row) = world.agents.row(agent) {
                        world.agents.set_stranded(row, true);
                    }
                }
            }
            OnAgents::Remove | OnAgents::WaitUntil { then: AtDeadline::Remove, .. } => {
                for &agent in &disturbed {
                    if let Some(row) = world.agents.present_row(agent) {
                        world.remove(row);
                    }
                }
            }
        }
    }
    world.pending_edits.disturbed = disturbed;
    !waits
}

/// The effect that a change has had on an area of the map, for the log.
fn effect_of(grid: &Grid, change: Change, area: Rect) -> EditEffect {
    let sides_set = |cell, is_set: &dyn Fn(Side) -> bool| {
        let mut kinds = [None; SIDES_MAX];
        let at = grid.size().cell(cell);
        for (kind, &side) in kinds.iter_mut().zip(grid.shape().sides()).filter(|(_, side)| is_set(**side)) {
            *kind = at.map(|at| grid.side_of(at, side));
        }
        EditEffect::Sides { cell, kinds }
    };
    match change {
        Change::Terrain { kind, .. } => EditEffect::Terrain { area, kind },
        Change::Elevation { height, .. } => EditEffect::Elevation { area, height },
        Change::Side { cell, side: set, .. } => sides_set(cell, &|side| side == set),
        Change::Rotate { cell, .. } => sides_set(cell, &|_| true),
    }
}

/// Tables, fields, searches and agents follow a change of the map.
fn follow_edit(world: &mut World, changed: Rect) {
    world.traffic_buffers.edited.push(changed);
    let World { grid, classes, tables, .. } = world;
    let follow = |(class, tables): (&mut WorldClass, &mut MovementTables)| {
        let WorldClass { speeds, landmarks, graph, .. } = class;
        let update = tables.update(grid, changed);
        graph.update(tables, changed);
        // Also restarts the searches of a class whose landmarks came into use or went out of it.
        let toggled = landmarks
            .as_mut()
            .is_some_and(|landmarks| landmarks.follow(tables.class(), speeds, grid, changed));
        (update, update.changed || toggled)
    };
    let (updates, are_stale): (Vec<Update>, Vec<bool>) = classes.iter_mut().zip(tables).map(follow).unzip();
    let World { requests, agents, tables, tick, .. } = world;
    for (number, tables) in tables.iter().enumerate() {
        requests.fields.repair(ClassId(number as u8), tables, changed, *tick);
    }
    requests.restart_searches(|agent| {
        agents.row(agent).is_some_and(|row| are_stale[agents.motion[row].class.0 as usize])
    });
    review_agents(agents, tables, &updates);
}

/// After an edit: agents replan if their path became illegal, or if any move of their class became legal or faster.
/// Agents without a way to their goal try again.
fn review_agents(agents: &mut Agents, tables: &[MovementTables], updates: &[Update]) {
    for row in 0..agents.len() {
        let motion = agents.motion[row];
        let Update { changed, eased } = updates[motion.class.0 as usize];
        if !changed {
            continue;
        }
        // A look at the tables for each agent would take longer than all the rest.
        let tables = &tables[motion.class.0 as usize];
        if agents.wait_states[row].stranded && motion.at_rest() && tables.is_legal(motion.state) {
            agents.set_stranded(row, false);
        }
        // In mid-move the rest of the path begins where the move ends.
        let is_legal =
            |agents: &Agents| tables.follow_moves(end_state(tables, &motion), agents.moves(row)).is_ok();
        match motion.activity {
            // An agent that waits for a detour keeps its path in case there is none.
            Activity::Following | Activity::AwaitingPath if eased || !is_legal(agents) => {
                agents.motion[row].replan = true;
                agents.progress[row].forget_nearest();
            }
            Activity::Yielding if !is_legal(agents) => {
                agents.drop_path(row);
            }
            // The orders phase begins its order again.
            Activity::Unreachable if eased => {
                agents.set_activity(row, Activity::Idle);
                agents.busy.insert(row);
            }
            _ => {}
        }
    }
}
