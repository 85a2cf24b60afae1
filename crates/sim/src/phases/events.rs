//! The events phase: waiting edits and class changes, then the commands of the tick in order.

use super::selection::{for_each_row, refuse_command};
use super::{agents, classes, edits, orders_given};
use crate::commands::{Command, RefusalReason, Ticket};
use crate::pending_edits::PendingEdit;
use crate::world::World;

/// The events phase of a tick.
pub(crate) fn apply_events(world: &mut World) {
    world.orders.free_unused();
    edits::retry_pending(world);
    classes::retry_pending(world);
    let mut due = std::mem::take(&mut world.due_commands);
    world.commands.take_due(world.tick, &mut due);
    let any = !due.is_empty();
    for (ticket, command) in due.drain(..) {
        carry_out(world, ticket, command);
    }
    world.due_commands = due;
    finish_commands(world);
    if any {
        // The commands can have removed or stranded the agents that an edit waits for.
        edits::retry_pending(world);
        finish_commands(world);
    }
}

/// Closes up the rows of removed agents, and drops the requests of agents with new orders: once for all commands.
pub(super) fn finish_commands(world: &mut World) {
    let World { requests, agents, redirected, .. } = world;
    if !redirected.is_empty() {
        redirected.sort_unstable();
        requests.forget_where(|agent| redirected.binary_search(&agent).is_ok());
        redirected.clear();
    }
    agents.close_up();
}

/// Carries out a command, as far as that is possible.
fn carry_out(world: &mut World, ticket: Ticket, command: Command) {
    let done = match command {
        Command::Spawn(spawn) => agents::spawn(world, ticket, &spawn).map(|_| ()),
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
        Command::Class { agent, class, pose } => classes::request_class(world, ticket, agent, class, pose),
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
        Command::Edit(edit) => edits::check_edit(world, &edit).map(|()| {
            edits::request_edit(world, PendingEdit { asked: world.tick, ticket, edit });
        }),
        Command::Decisions(decisions) => agents::set_decisions(world, ticket, &decisions),
        Command::PathAnswer { agent, moves } => orders_given::answer_path(world, agent, moves.as_deref()),
    };
    if let Err(reason) = done {
        refuse_command(world, ticket, None, reason);
    }
}
