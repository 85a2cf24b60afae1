//! Commands that place agents, and give them moves.

use super::orders_given::{StoredOrders, check_leaders, check_orders};
use super::selection::for_each_row;
use crate::agents::resting;
use crate::commands::{
    AGENTS_MAX, AgentSelection, Command, IfNoRoom, RefusalReason, Spawn, SpawnGroup, Ticket,
};
use crate::order_pool::OrderState;
use crate::placement::{Placement, PlacementArea};
use crate::rows::event_details::EventDetails;
use crate::world::World;
use std::sync::Arc;
use wheelbase_planner::Pose;
use wheelbase_planner::model::State;
use wheelbase_traffic::forbidden::touches;
use wheelbase_traffic::motion::{AgentId, AgentSlot, ClassId};
use wheelbase_traffic::random::Random;

/// Places an agent.
/// # Errors
/// The reason why it cannot be placed.
pub(crate) fn spawn(world: &mut World, ticket: Ticket, spawn: &Spawn) -> Result<AgentId, RefusalReason> {
    let state = check_spawn(world, spawn)?;
    check_orders(world, &spawn.orders)?;
    check_leaders(&spawn.orders, |leader| world.agents.present_row(leader).is_some())?;
    let headings = world.tables[usize::from(spawn.class.0)].space().headings();
    let pools = (&mut world.orders, &mut world.assigned_poses);
    let list = StoredOrders::new(&spawn.orders).of(pools, Some(ticket), headings);
    Ok(place(world, Some(ticket), spawn, state, list))
}

/// The state in which an agent can be placed, whatever its orders.
/// # Errors
/// The reason why it cannot.
pub(crate) fn check_spawn(world: &World, spawn: &Spawn) -> Result<State, RefusalReason> {
    check_room(world)?;
    if !spawn.team.is_known() {
        return Err(RefusalReason::UnknownTeam);
    }
    if spawn.speed_factor == 0 {
        return Err(RefusalReason::WrongSpeedFactor);
    }
    world.placeable(spawn.class, spawn.pose)
}

/// The details of an agent that was not placed, or has not changed its class. The agent in a row is no obstacle to
/// itself.
pub(super) fn details_of_refused(
    world: &World,
    (class, pose): (ClassId, Pose),
    row: Option<usize>,
    reason: RefusalReason,
) -> EventDetails<'static> {
    let asked = EventDetails { class: Some(class), pose: Some(pose), ..EventDetails::default() };
    if reason != RefusalReason::PoseHeld {
        return asked;
    }
    let World { agents, occupancy, pending_edits, grid, tables, .. } = world;
    let slot = row.map_or(AgentSlot::NOBODY, |row| agents.slots[row]);
    let cells = tables[usize::from(class.0)].class().cells_at(pose);
    let arriving = || occupancy.first_arriving(slot, pose.cell, cells);
    let holder = occupancy.blocker(slot, pose.cell, cells).or_else(arriving);
    if let Some(holder) = holder.and_then(|slot| agents.row_of_slot(slot)) {
        return EventDetails { blocker: Some(agents.ids[holder]), ..asked };
    }
    let area = pending_edits.areas().iter().map(|of| of.area).find(|&area| touches(area, pose.cell, cells));
    EventDetails { area: area.map(|area| area.intersection(grid.size().rect())), ..asked }
}

/// Whether one more agent can be present, and there is an id for it.
fn check_room(world: &World) -> Result<(), RefusalReason> {
    let n_agents = world.agents.len() + world.agents.off_map().len();
    let has_room = n_agents < AGENTS_MAX && world.agents.ids_left();
    if has_room { Ok(()) } else { Err(RefusalReason::TooManyAgents) }
}

/// Places an agent in a state in which it can be placed, with a stored list of orders.
pub(crate) fn place(
    world: &mut World,
    ticket: Option<Ticket>,
    spawn: &Spawn,
    state: State,
    list: Option<u32>,
) -> AgentId {
    let pose = world.tables[usize::from(spawn.class.0)].space().pose(state);
    let id = world.agents.push(resting(state, spawn.class), pose, spawn.priority, world.tick);
    let row = world.agents.len() - 1;
    world.hold_cells(row);
    world.counts.placed += 1;
    world.agents.set_team(row, spawn.team);
    world.agents.speed_factors[row] = spawn.speed_factor;
    let mut orders = OrderState::none_at(world.tick);
    if let Some(list) = list {
        world.orders.append(&mut orders, list, world.tick);
        world.orders.begin_tasks(&mut orders, list, spawn.number, world.settings.seed);
    }
    world.agents.set_orders(row, orders, &world.orders);
    if let Some(ticket) = ticket {
        world.note(world.spawn_of(row, Some(ticket)));
        if let Some(list) = list {
            world.note_orders(row, list, false);
        }
    }
    id
}

/// Ticks after which a group that waits for room is tried again.
const ROOM_AGAIN_TICKS: u32 = 8;

/// Places agents while there is room. The command has its own random stream.
pub(super) fn spawn_group(
    world: &mut World,
    ticket: Ticket,
    group: &SpawnGroup,
) -> Result<(), RefusalReason> {
    check_class(world, group.class)?;
    if !group.team.is_known() {
        return Err(RefusalReason::UnknownTeam);
    }
    if group.speed_factor == 0 {
        return Err(RefusalReason::WrongSpeedFactor);
    }
    check_orders(world, &group.orders)?;
    check_leaders(&group.orders, |leader| world.agents.present_row(leader).is_some())?;
    let headings = world.tables[usize::from(group.class.0)].space().headings();
    let pools = (&mut world.orders, &mut world.assigned_poses);
    let list = StoredOrders::new(&group.orders).of(pools, Some(ticket), headings);
    let mut random = Random::of_stream(world.settings.seed, ticket.0);
    let SpawnGroup { class, area, anywhere, .. } = *group;
    if !anywhere {
        // The sets of mutually reachable poses are exact then.
        world.tables[usize::from(class.0)].renew_components();
    }
    let mut placement = Placement::new(&world.tables, PlacementArea { class, area, anywhere });
    let before = match group.if_no_room {
        IfNoRoom::Wait { placed } => placed,
        IfNoRoom::Drop => 0,
    };
    for placed in before..group.count {
        let areas = world.pending_edits.areas();
        let drawn = placement.draw(&world.tables, &world.occupancy, areas, &mut random);
        let state = drawn.filter(|_| check_room(world).is_ok());
        let Some(state) = state else {
            if let IfNoRoom::Wait { .. } = group.if_no_room {
                let left = SpawnGroup { if_no_room: IfNoRoom::Wait { placed }, ..group.clone() };
                let again_at = world.tick.saturating_add(ROOM_AGAIN_TICKS);
                world.commands.postpone(again_at, ticket, Command::SpawnGroup(left));
                return Ok(());
            }
            world.counts.not_placed += u64::from(group.count - placed);
            return Err(RefusalReason::NoRoom);
        };
        let spawn = Spawn {
            priority: group.priority,
            team: group.team,
            speed_factor: group.speed_factor,
            number: placed,
            ..Spawn::new(group.class, world.tables[usize::from(group.class.0)].space().pose(state))
        };
        place(world, Some(ticket), &spawn, state, list);
    }
    Ok(())
}

/// Takes the host's moves for this tick.
pub(super) fn set_decisions(
    world: &mut World,
    ticket: Ticket,
    decisions: &Arc<[(AgentId, u8)]>,
) -> Result<(), RefusalReason> {
    if decisions.len() > AGENTS_MAX {
        return Err(RefusalReason::TooLong);
    }
    for &(agent, primitive) in decisions.iter() {
        let one = AgentSelection::One(agent);
        for_each_row(world, ticket, &one, |world, _, row| {
            let tables = &world.tables[usize::from(world.agents.motion[row].class.0)];
            if usize::from(primitive) >= tables.class().primitives().len() {
                return Err(RefusalReason::WrongPrimitive);
            }
            world.agents.busy.insert(row);
            world.traffic_buffers.decisions_given.push((world.agents.ids[row], primitive));
            Ok(())
        })?;
    }
    Ok(())
}

/// Refuses a command about an unknown class.
pub(super) fn check_class(world: &World, class: ClassId) -> Result<(), RefusalReason> {
    if usize::from(class.0) < world.tables.len() { Ok(()) } else { Err(RefusalReason::UnknownClass) }
}
