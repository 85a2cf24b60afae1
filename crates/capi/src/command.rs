//! Commands: the only way to change a world from outside.

#![allow(non_camel_case_types)]

use crate::arguments::{optional_output, slice};
use crate::call::call;
use crate::class::read_pose;
use crate::order::{
    class_id, no_choice, orders, permille, spawn_group_of, spawn_of, task_source, team_of, wb_order,
    wb_spawn, wb_spawn_group, wb_task_source,
};
use crate::status::Failure;
use crate::tables::read_area;
use crate::value::{changes_unchecked, wb_change, wb_pose, wb_rect};
use crate::world::changing;
use wheelbase_sim::{AgentId, AgentSelection, AtDeadline, Command, MapEdit, OnAgents, Ticket, World};

/// The edit waits until it disturbs no agent.
pub const WB_ON_AGENTS_WAIT: u32 = 0;
/// Agents that the edit disturbs stay where they are until a later edit frees them.
pub const WB_ON_AGENTS_STRAND: u32 = 1;
/// Agents that the edit disturbs are removed.
pub const WB_ON_AGENTS_REMOVE: u32 = 2;
/// The edit waits until it disturbs no agent, or until its deadline; then as `WB_ON_AGENTS_STRAND`.
pub const WB_ON_AGENTS_WAIT_STRAND: u32 = 3;
/// The edit waits until it disturbs no agent, or until its deadline; then as `WB_ON_AGENTS_REMOVE`.
pub const WB_ON_AGENTS_WAIT_REMOVE: u32 = 4;

/// Gives the world a command, made of arguments that are read before the world is taken.
///
/// # Safety
/// `ticket` is null, or may be written.
unsafe fn command(
    name: &'static str,
    (world, tick, ticket): (u64, u32, *mut u64),
    make: impl FnOnce() -> Result<Command, Failure>,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { command_for(name, (world, tick, ticket), || make().map(|command| |_: &World| Ok(command))) }
}

/// As [`command`], of a command that depends on the world's map.
///
/// # Safety
/// As for [`command`].
unsafe fn command_for<M: FnOnce(&World) -> Result<Command, Failure>>(
    name: &'static str,
    (world, tick, ticket): (u64, u32, *mut u64),
    read: impl FnOnce() -> Result<M, Failure>,
) -> u32 {
    call(name, || {
        // SAFETY: by this function's contract.
        let out = unsafe { optional_output(ticket, "ticket")? };
        let make = read()?;
        let mut found = changing(world)?;
        let command = make(&found.world)?;
        let given = match tick {
            0 => found.world.command(command),
            _ => found.world.command_at(tick, command),
        };
        if let Some(out) = out {
            out.write(given.0);
        }
        Ok(())
    })
}

/// Agents by id.
///
/// # Safety
/// `agents` points to `n_agents` ids.
unsafe fn named(agents: *const u32, n_agents: usize) -> Result<AgentSelection, Failure> {
    // SAFETY: by this function's contract.
    Ok(match unsafe { slice(agents, n_agents, "agents")? } {
        &[agent] => AgentSelection::One(AgentId(agent)),
        agents => AgentSelection::Named(agents.iter().map(|&agent| AgentId(agent)).collect()),
    })
}

/// Agents whose pose, or the pose in which their current move began, has its anchor in an area.
///
/// # Safety
/// `area` may be read.
unsafe fn inside(area: *const wb_rect) -> Result<AgentSelection, Failure> {
    // SAFETY: by this function's contract.
    unsafe { read_area(area, "area") }.map(AgentSelection::Area)
}

/// Places an agent. Its id is the number of agents placed before; the event `WB_EVENT_SPAWNED` has it, and the ticket.
///
/// `tick` and `ticket` mean the same in all commands. With `tick` 0 the command takes effect at the beginning of the
/// next step, after the commands given before it. With a later tick it takes effect then, before the commands given
/// there with 0. A past tick counts as 0. The number of the command is written to `ticket`, unless that is null; the
/// event of a refusal has it. The call itself fails only for meaningless arguments. If the world cannot carry the
/// command out, for example because an agent is gone, an event refuses it at that tick.
///
/// Threads: changes `world`. Lifetime: everything is copied; rows stay borrowed.
///
/// # Safety
/// `spawn` and all data that it points to are valid. `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_spawn(
    world: u64,
    spawn: *const wb_spawn,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { command("wb_command_spawn", (world, tick, ticket), || spawn_of(spawn).map(Command::Spawn)) }
}

/// Places agents at random. Those for which there is no room are counted in `not_placed` and refused by one event.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `group` and all data that it points to are valid. `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_spawn_group(
    world: u64,
    group: *const wb_spawn_group,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_spawn_group", (world, tick, ticket), || {
            spawn_group_of(group).map(Command::SpawnGroup)
        })
    }
}

/// Removes agents.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` points to `n_agents` ids; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_remove(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_remove", (world, tick, ticket), || named(agents, n_agents).map(Command::Remove))
    }
}

/// Removes the agents in an area: those whose pose, or the pose in which their current move began, has its anchor there
/// at that tick.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `area` is valid; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_remove_in(
    world: u64,
    area: *const wb_rect,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { command("wb_command_remove_in", (world, tick, ticket), || inside(area).map(Command::Remove)) }
}

/// Takes agents off the map: into a garrison, a transport, a burrow. Each keeps its id and orders; it holds no cell,
/// blocks nobody and has no row. A move in progress ends without effect. `container` is the agent that they enter,
/// `WB_NONE` for none; it is only stored. Off the map only `wb_command_leave` and `wb_command_remove` reach them; other
/// commands to them are refused with `WB_REFUSED_OFF_MAP`.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` points to `n_agents` ids; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_enter(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    container: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_enter", (world, tick, ticket), || {
            Ok(Command::enter(named(agents, n_agents)?, AgentId(container)))
        })
    }
}

/// As `wb_command_enter`, for the agents in an area (see `wb_command_remove_in`).
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `area` is valid; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_enter_in(
    world: u64,
    area: *const wb_rect,
    container: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_enter_in", (world, tick, ticket), || {
            Ok(Command::enter(inside(area)?, AgentId(container)))
        })
    }
}

/// Puts an agent that is off the map back, at rest in a pose. It begins its current order from there. With `or_nearest`
/// 1 the nearest pose will do that is legal and free: the least distance of the anchor first, then the heading of
/// `pose`. If `pose` is legal, poses are left out that cannot be reached from it.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `pose` is valid; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_leave(
    world: u64,
    agent: u32,
    pose: *const wb_pose,
    or_nearest: u8,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_leave", (world, tick, ticket), || {
            let (pose, or_nearest) = (read_pose(pose, u8::MAX)?, flag(or_nearest, "or_nearest")?);
            Ok(Command::Leave { agent: AgentId(agent), pose, or_nearest })
        })
    }
}

/// Gives agents orders, which they carry out one after another. The orders replace the remaining ones, or follow them
/// with `append` 1. An empty list takes all orders away. Agents sent to a group goal by one command share the poses
/// around it. Of several commands to an agent at one tick only the first replaces; the orders of the others follow.
/// Orders that begin with `WB_ORDER_STOP` always replace.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` points to `n_agents` ids, `orders` to `n_orders` orders, and what these point to is valid; `ticket` is
/// null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_order(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    orders: *const wb_order,
    n_orders: usize,
    append: u8,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_order", (world, tick, ticket), || {
            ordered(named(agents, n_agents)?, (orders, n_orders), append)
        })
    }
}

/// As `wb_command_order`, for the agents in an area (see `wb_command_remove_in`).
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `area` is valid, `orders` points to `n_orders` orders, and what these point to is valid; `ticket` is null, or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_order_in(
    world: u64,
    area: *const wb_rect,
    orders: *const wb_order,
    n_orders: usize,
    append: u8,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_order_in", (world, tick, ticket), || {
            ordered(inside(area)?, (orders, n_orders), append)
        })
    }
}

/// # Safety
/// As for [`orders`].
unsafe fn ordered(
    agents: AgentSelection,
    (given, n_given): (*const wb_order, usize),
    append: u8,
) -> Result<Command, Failure> {
    // SAFETY: by this function's contract.
    let orders = unsafe { orders(given, n_given, "orders")? };
    Ok(Command::Order { agents, orders, append: flag(append, "append")? })
}

fn flag(flag: u8, name: &str) -> Result<bool, Failure> {
    match flag {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(no_choice(name, other.into(), "0 or 1")),
    }
}

/// Gives agents tasks, in place of their present tasks or after their orders. Random tasks are drawn from a stream of
/// the number `stream`.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` points to `n_agents` ids; `source` and all data that it points to are valid. `ticket` is null, or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_tasks(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    source: *const wb_task_source,
    stream: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_tasks", (world, tick, ticket), || {
            let agents = named(agents, n_agents)?;
            Ok(Command::Tasks { agents, source: task_source(source, "source")?, stream })
        })
    }
}

/// As `wb_command_tasks`, for the agents in an area (see `wb_command_remove_in`).
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `area` is valid; `source` and all data that it points to are valid. `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_tasks_in(
    world: u64,
    area: *const wb_rect,
    source: *const wb_task_source,
    stream: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_tasks_in", (world, tick, ticket), || {
            let agents = inside(area)?;
            Ok(Command::Tasks { agents, source: task_source(source, "source")?, stream })
        })
    }
}

/// Sets the priority of agents; higher goes first.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` points to `n_agents` ids; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_priority(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    priority: i32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_priority", (world, tick, ticket), || {
            Ok(Command::Priority { agents: named(agents, n_agents)?, priority })
        })
    }
}

/// As `wb_command_priority`, for the agents in an area (see `wb_command_remove_in`).
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `area` is valid; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_priority_in(
    world: u64,
    area: *const wb_rect,
    priority: i32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_priority_in", (world, tick, ticket), || {
            Ok(Command::Priority { agents: inside(area)?, priority })
        })
    }
}

/// Gives an agent another class at the end of its current move, for example to deploy or upgrade. It keeps its orders.
/// A heading that the new class lacks becomes any heading. `pose` is the new pose, in headings of the new class. Null
/// keeps the cell, and the heading of the same name or else the first heading (east).
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `pose` is null or valid; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_class(
    world: u64,
    agent: u32,
    class_: u32,
    pose: *const wb_pose,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_class", (world, tick, ticket), || {
            let pose = if pose.is_null() { None } else { Some(read_pose(pose, u8::MAX)?) };
            Ok(Command::Class { agent: AgentId(agent), class: class_id(class_, "class_")?, pose })
        })
    }
}

/// Sets the team of agents, 0 to 31.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` points to `n_agents` ids; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_team(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    team: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_team", (world, tick, ticket), || {
            Ok(Command::Team { agents: named(agents, n_agents)?, team: team_of(team, "team")? })
        })
    }
}

/// As `wb_command_team`, for the agents in an area (see `wb_command_remove_in`).
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `area` is valid; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_team_in(
    world: u64,
    area: *const wb_rect,
    team: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_team_in", (world, tick, ticket), || {
            Ok(Command::Team { agents: inside(area)?, team: team_of(team, "team")? })
        })
    }
}

/// Sets the speed factor of agents in thousandths, 1 to 65,535; 1,000 is the normal speed. A move that begins takes
/// max(1, ceil(time * 1000 / factor)) ticks. Paths are planned for 1,000.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` points to `n_agents` ids; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_speed_factor(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    factor: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_speed_factor", (world, tick, ticket), || {
            let agents = named(agents, n_agents)?;
            Ok(Command::SpeedFactor { agents, permille: permille(factor, "factor")? })
        })
    }
}

/// As `wb_command_speed_factor`, for the agents in an area (see `wb_command_remove_in`).
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `area` is valid; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_speed_factor_in(
    world: u64,
    area: *const wb_rect,
    factor: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_speed_factor_in", (world, tick, ticket), || {
            let agents = inside(area)?;
            Ok(Command::SpeedFactor { agents, permille: permille(factor, "factor")? })
        })
    }
}

/// Changes the map; all changes are one edit. `on_agents`, one of `WB_ON_AGENTS_...`, decides about agents whose pose
/// or move would become illegal. `deadline` is the most ticks of waiting if `on_agents` has a deadline; otherwise it is
/// ignored.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `changes` points to `n_changes` changes; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_edit(
    world: u64,
    changes: *const wb_change,
    n_changes: usize,
    on_agents: u32,
    deadline: u32,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command_for("wb_command_edit", (world, tick, ticket), || {
            let changes = slice(changes, n_changes, "changes")?;
            let on_agents = match on_agents {
                WB_ON_AGENTS_WAIT => OnAgents::Wait,
                WB_ON_AGENTS_STRAND => OnAgents::Strand,
                WB_ON_AGENTS_REMOVE => OnAgents::Remove,
                WB_ON_AGENTS_WAIT_STRAND => OnAgents::WaitUntil { deadline, then: AtDeadline::Strand },
                WB_ON_AGENTS_WAIT_REMOVE => OnAgents::WaitUntil { deadline, then: AtDeadline::Remove },
                other => return Err(no_choice("on_agents", other, "0 to 4: WB_ON_AGENTS_WAIT ...")),
            };
            Ok(move |world: &World| {
                let changes = changes_unchecked(changes, world.grid().shape())?.into();
                Ok(Command::Edit(MapEdit { changes, on_agents }))
            })
        })
    }
}

/// Withdraws an edit that still waits, by the ticket of its command. Any other ticket is refused with
/// `WB_REFUSED_NO_SUCH_EDIT`.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_cancel_edit(world: u64, edit: u64, tick: u32, ticket: *mut u64) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_cancel_edit", (world, tick, ticket), || Ok(Command::CancelEdit(Ticket(edit))))
    }
}

/// Moves for agents to begin at the tick, in a world with the rule `WB_RULE_COMMANDED`; other rules ignore them. A move
/// is a number among the primitives of the agent's class. Of two moves of an agent the first counts.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `agents` and `primitives` point to `n_agents` numbers each; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_decisions(
    world: u64,
    agents: *const u32,
    primitives: *const u8,
    n_agents: usize,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_decisions", (world, tick, ticket), || {
            let agents = slice(agents, n_agents, "agents")?;
            let primitives = slice(primitives, n_agents, "primitives")?;
            let decision = |(&agent, &primitive)| (AgentId(agent), primitive);
            Ok(Command::Decisions(agents.iter().zip(primitives).map(decision).collect()))
        })
    }
}

/// Answers the open path request of an agent, in a world with `WB_PATHS_HOST`. The answer is the moves from its pose to
/// its goal, as numbers of primitives, or `found` 0 if there is no path. Moves are checked: a wrong path is refused,
/// and the request stays open.
///
/// `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
///
/// # Safety
/// `moves` points to `n_moves` numbers; `ticket` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_command_path_answer(
    world: u64,
    agent: u32,
    found: u8,
    moves: *const u8,
    n_moves: usize,
    tick: u32,
    ticket: *mut u64,
) -> u32 {
    // SAFETY: by this function's contract.
    unsafe {
        command("wb_command_path_answer", (world, tick, ticket), || {
            let moves = slice(moves, n_moves, "moves")?;
            let moves = flag(found, "found")?.then(|| moves.into());
            Ok(Command::PathAnswer { agent: AgentId(agent), moves })
        })
    }
}
