//! The events phase: waiting edits and class changes, then the commands of the tick in order.

use super::finished_commands::finish_commands;
use super::selection::for_each_row;
use super::{agents, classes, edits, off_map, orders_given, requests};
use crate::commands::{Command, RefusalReason, Ticket};
use crate::disturbed::check_edit;
use crate::log::TraceEvent;
use crate::pending_edits::PendingEdit;
use crate::rows::event_details::EventDetails;
use crate::world::World;

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
    world.events.leave_out_replaced();
    finish_commands(world);
    if any {
        // The commands can have removed or stranded the agents that an edit waits for.
        edits::retry_pending(world);
        finish_commands(world);
    }
}

/// Carries out a command, as far as that is possible.
fn carry_out(world: &mut World, ticket: Ticket, command: Command) {
    world.events.cause = Some(ticket);
    let mut details = EventDetails::default();
    let done = match command {
        Command::Spawn(spawn) => agents::spawn(world, ticket, &spawn).map(|_| ()).inspect_err(|&reason| {
            details = agents::details_of_refused(world, (spawn.class, spawn.pose), None, reason);
            details.team = Some(spawn.team);
            world.agents.skip_id();
        }),
        Command::SpawnGroup(group) => agents::spawn_group(world, ticket, &group),
        Command::Remove(selection) => {
            let selection = off_map::remove_off_map(world, selection);
            for_each_row(world, ticket, &selection, |world, _, row| {
                world.remove(row);
                Ok(())
            })
        }
        Command::Enter { agents, container } => off_map::enter(world, ticket, &agents, container),
        Command::Leave { agent, pose, or_nearest } => {
            off_map::leave(world, ticket, agent, (pose, or_nearest))
        }
        Command::Order { agents, orders, append } => {
            orders_given::give_orders(world, ticket, &agents, &orders, append)
        }
        Command::Tasks { agents, source, stream } => {
            orders_given::give_tasks(world, ticket, &agents, source, stream)
        }
        Command::Priority { agents, priority } => for_each_row(world, ticket, &agents, |world, _, row| {
            world.agents.set_priority(row, priority);
            world.tick_buffers.reprioritised.insert(row);
            world.note(TraceEvent::Priority { agent: world.agents.ids[row], priority });
            Ok(())
        }),
        Command::Class { agent, class, pose } => classes::request_class(world, ticket, agent, class, pose)
            .inspect_err(|&reason| {
                details = classes::details_of_refused(world, agent, (class, pose), reason)
            }),
        Command::Team { agents, team } if team.is_known() => {
            for_each_row(world, ticket, &agents, |world, _, row| {
                let agent = world.agents.ids[row];
                world.agents.set_team(row, team);
                // A search in progress has the obstacles of the old team.
                world.requests.restart_searches(|requester| requester == agent);
                world.note(TraceEvent::Team { agent, team });
                Ok(())
            })
        }
        Command::Team { .. } => Err(RefusalReason::UnknownTeam),
        Command::SpeedFactor { permille: 0, .. } => Err(RefusalReason::WrongSpeedFactor),
        Command::SpeedFactor { agents, permille } => for_each_row(world, ticket, &agents, |world, _, row| {
            // At the pace of a formation it keeps a lower pace until it leaves that.
            let is_paced = world.group_goals.renew_own_factor(world.agents.ids[row], permille);
            if !is_paced || permille < world.agents.speed_factors[row] {
                world.set_speed_factor(row, permille);
            }
            Ok(())
        }),
        Command::Edit(edit) => check_edit(world, &edit)
            .and_then(|()| edits::request_edit(world, PendingEdit::new(world.tick, ticket, edit))),
        Command::CancelEdit(edit) => {
            let World { pending_edits, events, grid, tick, .. } = &mut *world;
            edits::cancel_edit((pending_edits, events), (grid.size().rect(), *tick), ticket, edit)
        }
        Command::Decisions(decisions) => agents::set_decisions(world, ticket, &decisions),
        Command::PathAnswer { agent, moves } => requests::answer_path(world, agent, moves.as_deref()),
    };
    if let Err(reason) = done {
        world.events.refuse(&mut world.counts, (world.tick, ticket), None, reason, details);
    }
    world.events.cause = None;
}
