//! Commands that take agents off the map and put them back.

use super::agents::details_of_refused;
use super::finished_commands::finish_commands;
use super::selection::for_each_row;
use crate::commands::{AgentSelection, NAMED_MAX, RefusalReason, Ticket};
use crate::log::TraceEvent;
use crate::off_map::OffMapAgent;
use crate::placement::is_free;
use crate::ring::ring;
use crate::rows::event_details::EventDetails;
use crate::world::World;
use wheelbase_planner::model::State;
use wheelbase_planner::tables::Reachability;
use wheelbase_planner::{Heading, Pose};
use wheelbase_traffic::motion::{AgentId, ClassId};

/// Takes agents off the map.
pub(super) fn enter(
    world: &mut World,
    ticket: Ticket,
    selection: &AgentSelection,
    container: AgentId,
) -> Result<(), RefusalReason> {
    for_each_row(world, ticket, selection, |world, _, row| {
        let agent = world.agents.ids[row];
        let is_known = world.agents.present_row(container).is_some() || world.agents.is_off_map(container);
        if container != AgentId::NOBODY && (!is_known || container == agent) {
            return Err(RefusalReason::UnknownAgent);
        }
        let last = world.last_details(row);
        world.give_up_place(row);
        world.obstructed.remove(agent);
        world.agents.take_off(row, container);
        world.events.note(world.tick, TraceEvent::Enter { agent, container }, last);
        Ok(())
    })
}

/// Puts an agent that is off the map back.
pub(super) fn leave(
    world: &mut World,
    ticket: Ticket,
    agent: AgentId,
    (pose, or_nearest): (Pose, bool),
) -> Result<(), RefusalReason> {
    let Ok(index) = world.agents.find_off_map(agent) else {
        let is_present = world.agents.present_row(agent).is_some();
        return Err(if is_present { RefusalReason::OnMap } else { RefusalReason::UnknownAgent });
    };
    let OffMapAgent { class, team, speed_factor, .. } = world.agents.off_map()[index].agent;
    let found = match world.placeable(class, pose) {
        Err(_) if or_nearest => nearest_placeable(world, class, pose).ok_or(RefusalReason::NoRoom),
        found => found,
    };
    let state = match found {
        Ok(state) => state,
        Err(reason) => {
            let asked = details_of_refused(world, (class, pose), None, reason);
            let details = EventDetails { team: Some(team), ..asked };
            world.events.refuse(&mut world.counts, (world.tick, ticket), Some(agent), reason, details);
            return Ok(());
        }
    };
    // The rows of agents that have gone at this tick close up, so that a row can be inserted between the others.
    let gone: Vec<u32> = world.agents.leaving_rows().map(|row| row as u32).collect();
    world.tick_buffers.given_orders.close_up(&gone);
    finish_commands(world);
    let pose = world.tables[usize::from(class.0)].space().pose(state);
    let row = world.agents.put_back(index, (state, pose), world.tick);
    world.tick_buffers.given_orders.open_up(row);
    // Its current order and its trip begin from here.
    let orders = world.agents.orders(row);
    world.agents.begin_trip(row, orders, &world.orders, world.tick);
    world.hold_cells(row);
    // To the traffic rule its body is new.
    world.traffic_buffers.new_classes.push(agent);
    world.note(TraceEvent::Leave { agent, class, pose, team, speed_factor });
    Ok(())
}

/// The state in which an agent of a class can be placed whose anchor is nearest to that of a pose. Linear in the poses
/// that are nearer.
fn nearest_placeable(world: &World, class: ClassId, asked: Pose) -> Option<State> {
    let (tables, size, shape) = (&world.tables[usize::from(class.0)], world.grid.size(), world.grid.shape());
    let space = tables.space();
    let from = space.state(asked).filter(|&state| tables.is_legal(state));
    let can_stand = |pose: Pose| {
        let state = space.state(pose).filter(|&state| tables.is_legal(state))?;
        let components = tables.components();
        let is_reached = from.is_none_or(|from| components.reachability(from, state) != Reachability::No);
        let cells = tables.class().cells_at(pose);
        let is_free = || is_free(&world.occupancy, world.pending_edits.areas(), pose.cell, cells);
        (is_reached && is_free()).then_some(state)
    };
    let mut nearest: Option<(u64, bool, State)> = None;
    for reach in 0..=size.width().max(size.height()) {
        if nearest.is_some_and(|(measure, ..)| measure < shape.measure_of(reach)) {
            break;
        }
        for cell in ring(asked.cell, reach, size.rect()) {
            for heading in (0..space.headings()).map(Heading) {
                if let Some(state) = can_stand(Pose { cell, heading }) {
                    let key = (shape.measure(cell, asked.cell), heading != asked.heading, state);
                    nearest = Some(nearest.map_or(key, |nearest| nearest.min(key)));
                }
            }
        }
    }
    nearest.map(|(.., state)| state)
}

/// Removes the agents of a selection that are off the map, and returns the rest of the selection.
pub(super) fn remove_off_map(world: &mut World, selection: AgentSelection) -> AgentSelection {
    let mut is_left = |agent: AgentId| {
        let Ok(index) = world.agents.find_off_map(agent) else { return true };
        let mut orders = world.agents.off_map()[index].orders;
        world.orders.clear(&mut orders);
        let OffMapAgent { class, team, .. } = world.agents.drop_off_map(index);
        world.counts.removed += 1;
        let last = EventDetails { class: Some(class), team: Some(team), ..EventDetails::default() };
        world.events.note(world.tick, TraceEvent::Remove { agent, was_off_map: true }, last);
        false
    };
    match selection {
        AgentSelection::One(agent) if !is_left(agent) => AgentSelection::Named(Vec::new()),
        AgentSelection::Named(mut agents) if agents.len() <= NAMED_MAX => {
            agents.sort_unstable();
            agents.dedup();
            agents.retain(|&agent| is_left(agent));
            AgentSelection::Named(agents)
        }
        other => other,
    }
}
