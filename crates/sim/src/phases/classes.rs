//! Class changes: deploying, upgrading. Each takes effect at the first tick at which its agent rests.

use super::agents::{self, check_class};
use super::selection::why_absent;
use crate::class_changes::ClassChange;
use crate::commands::{RefusalReason, Ticket};
use crate::log::TraceEvent;
use crate::rows::event_details::EventDetails;
use crate::world::World;
use wheelbase_planner::model::{heading_from_name, heading_name};
use wheelbase_planner::{Heading, Pose};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// Changes the class of an agent, immediately if it rests.
pub(super) fn request_class(
    world: &mut World,
    ticket: Ticket,
    agent: AgentId,
    class: ClassId,
    pose: Option<Pose>,
) -> Result<(), RefusalReason> {
    check_class(world, class)?;
    let row = world.agents.present_row(agent).ok_or_else(|| why_absent(world, agent))?;
    let change = ClassChange { ticket, agent, class, pose };
    if world.agents.motion[row].at_rest() {
        return change_class(world, row, &change);
    }
    world.class_changes.push(change);
    Ok(())
}

/// Carries out the changes of agents that have come to rest, oldest first.
pub(super) fn retry_pending(world: &mut World) {
    let mut at = 0;
    while let Some(&change) = world.class_changes.get(at) {
        let row = world.agents.present_row(change.agent);
        if row.is_some_and(|row| !world.agents.motion[row].at_rest()) {
            at += 1;
            continue;
        }
        world.class_changes.remove(at);
        world.events.cause = Some(change.ticket);
        let changed = row
            .ok_or_else(|| why_absent(world, change.agent))
            .and_then(|row| change_class(world, row, &change));
        if let Err(reason) = changed {
            let details = details_of_refused(world, change.agent, (change.class, change.pose), reason);
            let about = (world.tick, change.ticket);
            world.events.refuse(&mut world.counts, about, Some(change.agent), reason, details);
        }
        world.events.cause = None;
    }
}

/// What an event says of a change of class that was refused.
pub(super) fn details_of_refused(
    world: &World,
    agent: AgentId,
    (class, pose): (ClassId, Option<Pose>),
    reason: RefusalReason,
) -> EventDetails<'static> {
    let row = world.agents.present_row(agent).filter(|_| usize::from(class.0) < world.tables.len());
    let asked = EventDetails { class: Some(class), pose, ..EventDetails::default() };
    row.map_or(asked, |row| {
        let place = (class, new_pose(world, row, (class, pose)));
        let team = Some(world.agents.teams[row]);
        EventDetails { team, ..agents::details_of_refused(world, place, Some(row), reason) }
    })
}

/// The pose that an agent takes with another class: the one asked for, or its own with a heading of the same name.
fn new_pose(world: &World, row: usize, (class, pose): (ClassId, Option<Pose>)) -> Pose {
    let from = world.pose(row);
    let headings = |class: ClassId| world.tables[usize::from(class.0)].space().headings();
    let name = heading_name(headings(world.agents.motion[row].class), from.heading);
    let same = || heading_from_name(headings(class), name).unwrap_or(Heading(0));
    pose.unwrap_or_else(|| Pose { cell: from.cell, heading: same() })
}

/// Changes the class of an agent at rest.
fn change_class(world: &mut World, row: usize, change: &ClassChange) -> Result<(), RefusalReason> {
    let agent = world.agents.ids[row];
    let headings = world.tables[usize::from(change.class.0)].space().headings();
    let pose = new_pose(world, row, (change.class, change.pose));
    // Its own cells are free to it.
    world.release_cells(row);
    let state = match world.placeable(change.class, pose) {
        Ok(state) => state,
        Err(reason) => {
            world.hold_cells(row);
            return Err(reason);
        }
    };
    world.release_pose(row);
    world.agents.drop_path(row);
    world.agents.set_class(row, change.class, state, pose, world.tick);
    world.agents.set_stranded(row, false);
    world.hold_cells(row);
    let mut orders = world.agents.orders(row);
    world.orders.convert(&mut orders, headings);
    orders.begin_trip(world.tick);
    world.agents.set_orders(row, orders, &world.orders);
    world.agents.busy.insert(row);
    world.tick_buffers.requests_over.insert(row);
    world.traffic_buffers.new_classes.push(agent);
    world.note(TraceEvent::Class { agent, class: change.class, pose });
    Ok(())
}
