//! The events phase: waiting edits and class changes, then the commands of the tick in order.

use super::selection::{for_each_row, refuse_with_details};
use super::{agents, classes, edits, orders_given};
use crate::agents::Agents;
use crate::commands::{Command, RefusalReason, Ticket};
use crate::disturbed::check_edit;
use crate::pending_edits::PendingEdit;
use crate::rows::event_details::EventDetails;
use crate::tick_buffers::TickBuffers;
use crate::world::World;
use wheelbase_traffic::RowSet;
use wheelbase_traffic::motion::AgentId;

/// The events phase of a tick.
pub(crate) fn apply_events(world: &mut World) {
    world.orders.free_unused();
    world.tick_buffers.given_orders.clear();
    edits::retry_pending(world);
    classes::retry_pending(world);
    let mut due = std::mem::take(&mut world.tick_buffers.due);
    world.commands.take_due(world.tick, &mut due);
    let any = !due.is_empty();
    if any {
        world.requests.sort_for_host();
    }
    for (ticket, command) in due.drain(..) {
        carry_out(world, ticket, command);
    }
    world.tick_buffers.due = due;
    world.leave_out_replaced();
    finish_commands(world);
    if any {
        // The commands can have removed or stranded the agents that an edit waits for.
        edits::retry_pending(world);
        finish_commands(world);
    }
}

/// What commands leave to do, once for all of them: drops the requests that are over, sets the priorities of the others,
/// and closes up the rows of removed agents, which stay where they are until then.
pub(super) fn finish_commands(world: &mut World) {
    let World { requests, agents, tick_buffers, .. } = world;
    let TickBuffers { requests_over, reprioritised, agents: named, .. } = tick_buffers;
    // Most commands name few agents, and requests may be many: each is looked up among the few.
    if take_agents(requests_over, agents, named) {
        requests.forget_where(|agent| named.binary_search(&agent).is_ok());
    }
    if take_agents(reprioritised, agents, named) {
        requests.set_priorities(|agent| {
            named.binary_search(&agent).ok()?;
            Some(agents.wait_states[agents.row(agent)?].priority)
        });
    }
    agents.close_up();
}

/// Empties a set of rows into their agents, which are in order of id as rows are. Returns whether there are any.
fn take_agents(rows: &mut RowSet, agents: &Agents, named: &mut Vec<AgentId>) -> bool {
    named.clear();
    named.extend(rows.iter().map(|row| agents.ids[row]));
    rows.clear();
    !named.is_empty()
}

/// Carries out a command, as far as that is possible.
fn carry_out(world: &mut World, ticket: Ticket, command: Command) {
    world.tick_buffers.cause = Some(ticket);
    let mut details = EventDetails::default();
    let done = match command {
        Command::Spawn(spawn) => agents::spawn(world, ticket, &spawn).map(|_| ()).inspect_err(|&reason| {
            details = agents::details_of_refused(world, (spawn.class, spawn.pose), None, reason);
            details.team = Some(spawn.team);
            world.agents.skip_id();
        }),
        Command::SpawnGroup(group) => agents::spawn_group(world, ticket, &group),
        Command::Remove(selection) => for_each_row(world, ticket, &selection, |world, _, row| {
            world.remove(row);
            Ok(())
        }),
        Command::Order { agents, orders, append } => {
            orders_given::give_orders(world, ticket, &agents, &orders, append)
        }
        Command::Tasks { agents, source, stream } => {
            orders_given::give_tasks(world, ticket, &agents, source, stream)
        }
        Command::Priority { agents, priority } => for_each_row(world, ticket, &agents, |world, _, row| {
            agents::set_priority(world, row, priority);
            Ok(())
        }),
        Command::Class { agent, class, pose } => classes::request_class(world, ticket, agent, class, pose)
            .inspect_err(|&reason| {
                details = classes::details_of_refused(world, agent, (class, pose), reason)
            }),
        Command::Team { agents, team } if team.is_known() => {
            for_each_row(world, ticket, &agents, |world, _, row| {
                agents::set_team(world, row, team);
                Ok(())
            })
        }
        Command::Team { .. } => Err(RefusalReason::UnknownTeam),
        Command::SpeedFactor { permille: 0, .. } => Err(RefusalReason::WrongSpeedFactor),
        Command::SpeedFactor { agents, permille } => for_each_row(world, ticket, &agents, |world, _, row| {
            agents::set_speed_factor(world, row, permille);
            Ok(())
        }),
        Command::Edit(edit) => check_edit(world, &edit)
            .and_then(|()| edits::request_edit(world, PendingEdit::new(world.tick, ticket, edit))),
        Command::CancelEdit(edit) => edits::cancel_edit(world, ticket, edit),
        Command::Decisions(decisions) => agents::set_decisions(world, ticket, &decisions),
        Command::PathAnswer { agent, moves } => orders_given::answer_path(world, agent, moves.as_deref()),
    };
    if let Err(reason) = done {
        refuse_with_details(world, ticket, None, reason, details);
    }
    world.tick_buffers.cause = None;
}
