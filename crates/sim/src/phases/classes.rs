//! Class changes: deploying, upgrading. Each takes effect at the first tick at which its agent rests.

use super::agents::check_class;
use super::selection::refuse_command;
use crate::class_changes::ClassChange;
use crate::commands::{RefusalReason, Ticket};
use crate::log::TraceEvent;
use crate::world::World;
use wheelbase_planner::model::{heading_from_name, heading_name};
use wheelbase_planner::{Heading, Pose};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// Changes the class of an agent, at once if it rests.
pub(super) fn request_class(
    world: &mut World,
    ticket: Ticket,
    agent: AgentId,
    class: ClassId,
    pose: Option<Pose>,
) -> Result<(), RefusalReason> {
    check_class(world, class)?;
    let row = world.agents.present_row(agent).ok_or(RefusalReason::UnknownAgent)?;
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
        let changed =
            row.ok_or(RefusalReason::UnknownAgent).and_then(|row| change_class(world, row, &change));
        if let Err(reason) = changed {
            refuse_command(world, change.ticket, Some(change.agent), reason);
        }
    }
}

/// Changes the class of an agent at rest.
fn change_class(world: &mut World, row: usize, change: &ClassChange) -> Result<(), RefusalReason> {
    let agent = world.agents.ids[row];
    let before = world.agents.motion[row];
    let from = world.pose(row);
    let headings_before = world.tables[usize::from(before.class.0)].space().headings();
    let headings = world.tables[usize::from(change.class.0)].space().headings();
    let same_name = || heading_from_name(headings, heading_name(headings_before, from.heading));
    let pose = change.pose.unwrap_or(Pose { cell: from.cell, heading: same_name().unwrap_or(Heading(0)) });
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
    world.paths.drop_path(&mut world.agents.paths[row]);
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
