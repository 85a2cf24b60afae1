//! Questions to a world. They change nothing, so in lockstep each machine may ask different ones.

#![allow(non_camel_case_types)]

use crate::arguments::{Sized32, fill, fill_structure, give, known_size, output, slice};
use crate::call::call;
use crate::class::{Class, covered, read_pose};
use crate::handle::{exclusive, shared};
use crate::map::Map;
use crate::names::Names;
use crate::order::{class_id, members, orders, wb_order};
use crate::plan::{SearchMemory, path_to_write};
use crate::status::{Failure, WB_LIMIT};
use crate::tables::{Tables, read_area};
use crate::value::{
    WB_ANY_HEADING, WB_NONE, answer, changes, wb_answer, wb_cell, wb_change, wb_goal, wb_path_pose, wb_pose,
    wb_rect,
};
use crate::world::{changing, no_agent, reading};
use std::ffi::c_char;
use wheelbase_planner::{Goal, Path as PlannedPath, Pose};
use wheelbase_sim::{AgentId, MovementTables, NamedReason, SetupError, World};

/// Nothing is left for it to do.
pub const WB_WAIT_NOTHING_TO_DO: u32 = 0;
/// It is in mid-move.
pub const WB_WAIT_MOVES: u32 = 1;
/// It rests as its order says: for a `wait`, or near the agent that it follows.
pub const WB_WAIT_DWELLING: u32 = 2;
/// It is on hold.
pub const WB_WAIT_HOLD: u32 = 3;
/// Its path request has no answer yet, or it asks for a path at the next tick.
pub const WB_WAIT_PATH: u32 = 4;
/// It has let another agent pass.
pub const WB_WAIT_YIELDING: u32 = 5;
/// Another agent, `holder`, is in the way of its next move, at the cell `at`.
pub const WB_WAIT_AGENT: u32 = 6;
/// An edit waits for cells of its next moves.
pub const WB_WAIT_EDIT: u32 = 7;
/// Its goal cannot be reached for now.
pub const WB_WAIT_UNREACHABLE: u32 = 8;
/// An edit has made its pose illegal.
pub const WB_WAIT_STRANDED: u32 = 9;
/// A traffic rule from outside holds it back.
pub const WB_WAIT_OUTSIDE_RULE: u32 = 10;
/// Agents that come from another side have their turn to enter a corridor.
pub const WB_WAIT_CORRIDOR_TURN: u32 = 11;
/// An agent is in the corridor, or admitted to it, that this one can neither pass nor follow.
pub const WB_WAIT_CORRIDOR_HELD: u32 = 12;
/// A whole batch that goes the agent's way comes first, for others want to come the other way.
pub const WB_WAIT_CORRIDOR_QUEUE: u32 = 13;
/// The next moves lead into a busy corridor, for which the agent has not asked.
pub const WB_WAIT_CORRIDOR_BUSY: u32 = 14;
/// No plan leads over the no-stopping ground of a busy corridor and off it again.
pub const WB_WAIT_KEEP_CLEAR: u32 = 15;
/// The next moves lead to poses that leave it, or an agent there, no room to turn.
pub const WB_WAIT_NO_ROOM_TO_TURN: u32 = 16;
/// An agent of higher priority has a soft reservation on a cell of the next moves.
pub const WB_WAIT_CLAIM: u32 = 17;
/// Another agent has reserved a cell of the next moves for its own: it goes first.
pub const WB_WAIT_RESERVED: u32 = 18;
/// Another agent rests on a cell of the next moves.
pub const WB_WAIT_RESTING: u32 = 19;
/// It was pushed aside, and stays until its pusher has passed.
pub const WB_WAIT_MAKES_WAY: u32 = 21;
/// The next move is planned.
pub const WB_WAIT_PLANNED: u32 = 22;
/// Nothing is in the way any more; it looks for another plan after a pause.
pub const WB_WAIT_PAUSE: u32 = 23;
/// No plan among the reservations of the others was found.
pub const WB_WAIT_NO_PLAN: u32 = 24;
/// The way is free, but its searches have used up the poses that it may expand.
pub const WB_WAIT_BUDGET: u32 = 25;
/// On a map too full for all, the robot pursues no goal for a while.
pub const WB_WAIT_CROWD: u32 = 26;
/// The robot is bound to a push.
pub const WB_WAIT_PUSHED: u32 = 27;
/// The robot is slower than the rule allows, or stands where the rule has no moves for it.
pub const WB_WAIT_STOPPED: u32 = 28;
/// No operation of the robot that is free brings it nearer.
pub const WB_WAIT_NO_OPERATION: u32 = 29;
/// The host, which names the moves, has named none.
pub const WB_WAIT_HOST: u32 = 30;
/// Another agent is in the way that cannot make way, and no way around it is known.
pub const WB_WAIT_ROADBLOCK: u32 = 31;

/// The names of the rules, by number.
const RULES: [&str; 32] = [
    "nothing_to_do",
    "moves",
    "dwelling",
    "hold",
    "path",
    "yielding",
    "agent",
    "edit",
    "unreachable",
    "stranded",
    "outside_rule",
    "corridor_turn",
    "corridor_held",
    "corridor_queue",
    "corridor_busy",
    "keep_clear",
    "no_room_to_turn",
    "claim",
    "reserved",
    "resting",
    // Of a mechanism that is gone.
    "",
    "makes_way",
    "planned",
    "pause",
    "no_plan",
    "budget",
    "crowd",
    "pushed",
    "stopped",
    "no_operation",
    "host",
    "roadblock",
];

/// The sides of a corridor, by number.
const SIDES: [&str; 4] = ["east", "north", "west", "south"];

/// Why an agent is not moving on. Numbers that do not apply are `WB_NONE`, and such cells are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct wb_wait_reason {
    /// `sizeof(wb_wait_reason)`, set by the caller.
    pub size: u32,
    /// `WB_WAIT_...`
    pub rule: u32,
    /// The agent that holds the cells it needs.
    pub holder: u32,
    /// 1 if `at` says which cell is needed, else 0.
    pub has_at: u32,
    /// The cell that is needed.
    pub at: wb_cell,
    /// Number of the corridor.
    pub corridor: u32,
    /// The side of the corridor whose turn it is, or on which the queue stands: 0 east, 1 north, 2 west, 3 south.
    pub side: u32,
    /// The first cell of the corridor, row by row.
    pub corridor_at: wb_cell,
    /// Agents nearer to the corridor that go the same way.
    pub ahead: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: numbers alone, the first a `u32`.
unsafe impl Sized32 for wb_wait_reason {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_wait_reason";
}

/// A path for the host to find.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_path_request {
    /// The agent.
    pub agent: u32,
    /// Number of its class.
    pub class_: u32,
    /// The pose in which the path begins.
    pub start: wb_pose,
    /// Radius around each goal in cells.
    pub within: u32,
    /// Priority of the agent.
    pub priority: i32,
    /// Index of the first member of its goal among all goals.
    pub first_goal: u32,
    /// Number of members of its goal.
    pub n_goals: u32,
}

/// The name of a rule that has an agent wait, such as "corridor_turn", ending with a zero byte; null for a number that
/// is none.
///
/// Threads: any. Lifetime: for ever.
#[unsafe(no_mangle)]
pub extern "C" fn wb_wait_rule_name(rule: u32) -> *const c_char {
    static NAMES: Names = Names::new();
    NAMES.of(rule, || RULES)
}

/// The agent that holds a cell; `WB_NONE` if none does, or the cell is off the map.
///
/// Threads: reads `world`.
///
/// # Safety
/// `cell` is valid; `agent` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_agent_at(world: u64, cell: *const wb_cell, agent: *mut u32) -> u32 {
    call("wb_world_agent_at", || {
        // SAFETY: by this function's contract.
        let (cell, out) = unsafe { (slice(cell, 1, "cell")?[0], output(agent, "agent")?) };
        out.write(reading(world)?.world.agent_at(cell.into()).map_or(WB_NONE, |agent| agent.0));
        Ok(())
    })
}

/// The ids of agents as numbers.
fn ids(agents: &[AgentId]) -> Vec<u32> {
    agents.iter().map(|agent| agent.0).collect()
}

/// The agents that hold a cell of an area, or the end of whose move will, in order of id. Linear in the cells of a
/// small area, else in all agents.
///
/// Threads: reads `world`.
///
/// # Safety
/// `area` is valid; `agents` has room for `capacity` ids, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_agents_in(
    world: u64,
    area: *const wb_rect,
    agents: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_agents_in", || {
        // SAFETY: by this function's contract.
        unsafe {
            let area = read_area(area, "area")?;
            let found = reading(world)?.world.agents_in(area);
            fill(agents, capacity, count, &ids(&found), "agents")
        }
    })
}

/// The agents off the map that have entered an agent, in order of id; with `container` `WB_NONE` all agents off the
/// map. Linear in the agents off the map.
///
/// Threads: reads `world`.
///
/// # Safety
/// `agents` has room for `capacity` ids, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_off_map(
    world: u64,
    container: u32,
    agents: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_off_map", || {
        let found = reading(world)?;
        let off_map = found.world.off_map().filter(|of| container == WB_NONE || of.container.0 == container);
        let found: Vec<u32> = off_map.map(|of| of.id.0).collect();
        // SAFETY: by this function's contract.
        unsafe { fill(agents, capacity, count, &found, "agents") }
    })
}

/// Whether an agent of a class could be placed in a pose now. `refusal`: `WB_NONE` if so, else
/// `WB_REFUSED_UNKNOWN_CLASS`, `WB_REFUSED_ILLEGAL_POSE` or `WB_REFUSED_POSE_HELD`. A command to place it can still be
/// refused if an earlier command takes the place.
///
/// Threads: reads `world`.
///
/// # Safety
/// `pose` is valid; `refusal` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_can_place(
    world: u64,
    class_: u32,
    pose: *const wb_pose,
    refusal: *mut u32,
) -> u32 {
    call("wb_world_can_place", || {
        // SAFETY: by this function's contract.
        let (pose, out) = unsafe { (read_pose(pose, u8::MAX)?, output(refusal, "refusal")?) };
        let class = class_id(class_, "class_")?;
        let placed = reading(world)?.world.can_place(class, pose);
        out.write(placed.map_or_else(|reason| reason as u32, |()| WB_NONE));
        Ok(())
    })
}

/// The agents whose pose or move would become illegal if these changes were made together now, in order of id.
///
/// Threads: reads `world`.
///
/// # Safety
/// `changes` points to `n_changes` changes; `agents` has room for `capacity` ids, or is null with `capacity` 0; `count`
/// may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_would_disturb(
    world: u64,
    changes: *const wb_change,
    n_changes: usize,
    agents: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_would_disturb", || {
        // SAFETY: by this function's contract.
        let given = unsafe { slice(changes, n_changes, "changes")? };
        let found = reading(world)?;
        let changes = self::changes(given, found.world.grid())?;
        let disturbed = found.world.would_disturb(&changes);
        let disturbed = disturbed.map_err(|reason| Failure::argument(format!("`changes`: {reason}")))?;
        // SAFETY: by this function's contract.
        unsafe { fill(agents, capacity, count, &ids(&disturbed), "agents") }
    })
}

/// An agent and the pose that an order to a group would give it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_group_pose {
    /// Id of the agent.
    pub agent: u32,
    /// The pose; without room or a way, its heading is `WB_NONE`.
    pub pose: wb_pose,
}

/// Previews the poses that an order to a group, of the kind `WB_ORDER_GOTO_GROUP` or `WB_ORDER_GOTO_FORMATION`, would
/// give to some agents, in order of id. None for other orders. Costs a cost field for each class, as the order itself
/// does.
///
/// Threads: reads `world`.
///
/// # Safety
/// `agents` points to `n_agents` ids. `order` points to an order whose `size` is set, with pointers as its fields say.
/// `poses` has room for `capacity` poses, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_group_poses(
    world: u64,
    agents: *const u32,
    n_agents: usize,
    order: *const wb_order,
    poses: *mut wb_group_pose,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_group_poses", || {
        // SAFETY: by this function's contract.
        let (agents, orders) = unsafe { (slice(agents, n_agents, "agents")?, orders(order, 1, "order")?) };
        let agents: Vec<AgentId> = agents.iter().map(|&agent| AgentId(agent)).collect();
        let found = reading(world)?.world.group_poses(&agents, &orders[0]);
        let nowhere = wb_pose { heading: WB_NONE, ..wb_pose::default() };
        let given = |&(AgentId(agent), pose): &(AgentId, Option<Pose>)| wb_group_pose {
            agent,
            pose: pose.map_or(nowhere, Into::into),
        };
        let found: Vec<wb_group_pose> = found.iter().map(given).collect();
        // SAFETY: by this function's contract.
        unsafe { fill(poses, capacity, count, &found, "poses") }
    })
}

/// Previews the path of an agent to a goal, from where it rests, or will rest, around the agents that are obstacles to
/// its team. `within`: radius around each goal in cells; `path`: 0 where only the answer is wanted. `WB_NOT_FOUND` if
/// the agent is not present.
///
/// Threads: reads `world`, changes `scratch` and `path`.
///
/// # Safety
/// `goals` points to `n_goals` goals; `answer` points to a structure whose `size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_plan(
    world: u64,
    agent: u32,
    goals: *const wb_goal,
    n_goals: usize,
    within: u32,
    scratch: u64,
    path: u64,
    answer: *mut wb_answer,
) -> u32 {
    call("wb_world_plan", || {
        // SAFETY: by this function's contract.
        let members = unsafe {
            known_size(answer, "answer")?;
            members(goals, n_goals)?
        };
        let found = reading(world)?;
        found.world.agent(AgentId(agent)).ok_or_else(|| no_agent(agent))?;
        let (mut memory, mut path) = (exclusive::<SearchMemory>(scratch)?, path_to_write(path)?);
        let (scratch, unwanted) = memory.for_other();
        let written = path.as_mut().map_or(unwanted, |path| &mut path.path);
        let goal = Goal { members: &members, within };
        let planned = found.world.plan(AgentId(agent), goal, scratch, written);
        let value = self::answer(&planned.ok_or_else(|| no_agent(agent))?, written);
        if let Some(path) = &mut path {
            path.renew();
        }
        // SAFETY: by this function's contract.
        unsafe { fill_structure(answer, &value, "answer") }
    })
}

/// The poses that an agent can reach within some ticks from where it rests, or will rest, each with its distance in
/// ticks. The agent moves at the normal speed, alone on the map. Linear in the poses within reach. `WB_NOT_FOUND` if
/// the agent is not present.
///
/// Threads: reads `world`.
///
/// # Safety
/// `reached` has room for `capacity` poses, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_reach(
    world: u64,
    agent: u32,
    ticks: u32,
    reached: *mut wb_path_pose,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_reach", || {
        let distances = reading(world)?.world.reach(AgentId(agent), ticks);
        let distances = distances.ok_or_else(|| no_agent(agent))?;
        let within = distances.within(ticks);
        let poses: Vec<wb_path_pose> =
            within.map(|(pose, arrival)| wb_path_pose { pose: pose.into(), arrival }).collect();
        // SAFETY: by this function's contract.
        unsafe { fill(reached, capacity, count, &poses, "reached") }
    })
}

/// The remaining path of an agent, from where it rests or will rest. Arrivals are in ticks from there at its speed
/// factor, if nothing holds it up. Without a path this is one pose. `WB_NOT_FOUND` if the agent is not present.
///
/// Threads: reads `world`.
///
/// # Safety
/// `poses` has room for `capacity` poses, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_path(
    world: u64,
    agent: u32,
    poses: *mut wb_path_pose,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_path", || {
        let mut path = PlannedPath::default();
        if !reading(world)?.world.path_of(AgentId(agent), &mut path) {
            return Err(no_agent(agent));
        }
        let left: Vec<wb_path_pose> = path.poses.iter().map(|&pose| pose.into()).collect();
        // SAFETY: by this function's contract.
        unsafe { fill(poses, capacity, count, &left, "poses") }
    })
}

/// Why an agent is not moving on: by which rule, for which agent, at which cell or corridor. The buffer gets the same
/// in words, as UTF-8 without a zero byte at its end. `count` may be null if the words are not wanted. `WB_NOT_FOUND`
/// if the agent is not present.
///
/// Threads: reads `world`.
///
/// # Safety
/// `reason` points to a structure whose `size` is set. `buffer` has room for `capacity` bytes, or is null with
/// `capacity` 0. `count` is null, or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_reason_for_waiting(
    world: u64,
    agent: u32,
    reason: *mut wb_wait_reason,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_reason_for_waiting", || {
        let found = reading(world)?.world.reason_for_waiting(AgentId(agent));
        let named = found.ok_or_else(|| no_agent(agent))?.named();
        // SAFETY: by this function's contract.
        unsafe {
            fill_structure(reason, &wait_reason(&named), "reason")?;
            if count.is_null() {
                return Ok(());
            }
            fill(buffer.cast::<u8>(), capacity, count, named.text.as_bytes(), "buffer")
        }
    })
}

fn wait_reason(named: &NamedReason) -> wb_wait_reason {
    let number = |names: &[&str], name: &str| {
        names.iter().position(|other| *other == name).map_or(WB_NONE, |at| at as u32)
    };
    let cell = |at: Option<[i32; 2]>| at.map_or(wb_cell::default(), |[x, y]| wb_cell { x, y });
    wb_wait_reason {
        size: size_of::<wb_wait_reason>() as u32,
        rule: number(&RULES, named.rule),
        holder: named.holder.unwrap_or(WB_NONE),
        has_at: named.at.is_some().into(),
        at: cell(named.at),
        corridor: named.corridor.unwrap_or(WB_NONE),
        side: named.side.map_or(WB_NONE, |side| number(&SIDES, side)),
        corridor_at: cell(named.corridor_at),
        ahead: named.ahead.unwrap_or(WB_NONE),
        reserved: 0,
    }
}

/// The paths for the host to find, in a world with `WB_PATHS_HOST`, in order of agent. A request is listed after each
/// step until `wb_command_path_answer` answers it. The members of all goals are in `goals`; each request names its
/// part. Both arrays follow the count protocol: where one is too small neither is written.
///
/// Threads: reads `world`.
///
/// # Safety
/// `requests` has room for `capacity` requests, `goals` for `goal_capacity` goals, or they are null with 0; `count` and
/// `n_goals` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_path_requests(
    world: u64,
    requests: *mut wb_path_request,
    capacity: usize,
    count: *mut usize,
    goals: *mut wb_goal,
    goal_capacity: usize,
    n_goals: *mut usize,
) -> u32 {
    call("wb_world_path_requests", || {
        let found = reading(world)?;
        let (mut all, mut members) = (Vec::new(), Vec::new());
        for (agent, request) in found.world.path_requests() {
            all.push(wb_path_request {
                agent: agent.0,
                class_: request.class.into(),
                start: request.start.into(),
                within: request.within,
                priority: request.priority,
                first_goal: members.len() as u32,
                n_goals: request.goal.len() as u32,
            });
            members.extend(request.goal.iter().map(|member| wb_goal {
                x: member.cell.x,
                y: member.cell.y,
                heading: member.heading.map_or(WB_ANY_HEADING, |heading| heading.0.into()),
            }));
        }
        // SAFETY: by this function's contract.
        unsafe {
            output(n_goals, "n_goals")?.write(members.len());
            if members.len() > goal_capacity {
                return fill(requests, 0, count, &all, "requests")
                    .and_then(|()| fill(goals, goal_capacity, n_goals, &members, "goals"));
            }
            fill(requests, capacity, count, &all, "requests")?;
            fill(goals, goal_capacity, n_goals, &members, "goals")
        }
    })
}

/// The number of classes.
///
/// Threads: reads `world`.
///
/// # Safety
/// `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_classes(world: u64, count: *mut u32) -> u32 {
    call("wb_world_classes", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(count, "count")? };
        out.write(reading(world)?.world.classes().len() as u32);
        Ok(())
    })
}

/// The tables of a class.
fn tables_of(world: &World, class: u32) -> Result<&MovementTables, Failure> {
    world.tables().get(class as usize).ok_or_else(|| {
        let classes = world.tables().len();
        Failure::argument(format!("`class_` is {class}, expected less than {classes}"))
    })
}

/// The name of a class.
///
/// Threads: reads `world`.
///
/// # Safety
/// `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_class_name(
    world: u64,
    class_: u32,
    buffer: *mut c_char,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_class_name", || {
        let found = reading(world)?;
        let name = &tables_of(&found.world, class_)?.class().spec().name;
        // SAFETY: by this function's contract.
        unsafe { fill(buffer.cast::<u8>(), capacity, count, name.as_bytes(), "buffer") }
    })
}

/// The cells that an agent of a class covers in a pose; they may lie off the map.
///
/// Threads: reads `world`.
///
/// # Safety
/// `pose` is valid; `cells` has room for `capacity` cells, or is null with `capacity` 0; `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_class_cells(
    world: u64,
    class_: u32,
    pose: *const wb_pose,
    cells: *mut wb_cell,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    call("wb_world_class_cells", || {
        let found = reading(world)?;
        let class = tables_of(&found.world, class_)?.class();
        // SAFETY: by this function's contract.
        unsafe {
            let covered = covered(class, read_pose(pose, class.headings())?)?;
            fill(cells, capacity, count, &covered, "cells")
        }
    })
}

/// A class as a separate object, for its headings and primitives, and for other worlds.
///
/// Threads: reads `world`. Lifetime: independent of the world.
///
/// # Safety
/// `class_handle` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_class(world: u64, class_: u32, class_handle: *mut u64) -> u32 {
    call("wb_world_class", || {
        let make = || Ok(Class::new(tables_of(&reading(world)?.world, class_)?.class().clone()));
        // SAFETY: by this function's contract.
        unsafe { give(class_handle, "class_handle", make) }
    })
}

/// Adds a class between two ticks, such as a unit that a game has just unlocked, and gives its number. It is compiled
/// against the map as it is. Equal worlds add equal classes between the same ticks. The class has no landmarks.
/// Corridors stay as the bodies of the setup have them, so declare the smallest and the largest body there. Snapshots
/// and copies have the class. A recording that began before refuses the next tick: begin another one.
///
/// Fails with `WB_LIMIT` for a class beyond 256, and with `WB_ARGUMENT` for a class for maps of another shape.
/// `WB_RULE_UNIT_ROBOTS` drives one class, so there it fails with `WB_ARGUMENT` too. After a failure nothing has
/// changed.
///
/// Threads: changes `world`, reads `class_handle`. Lifetime: the world does not need the handle later.
///
/// # Safety
/// `class_number` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_add_class(world: u64, class_handle: u64, class_number: *mut u32) -> u32 {
    call("wb_world_add_class", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(class_number, "class_number")? };
        let mut found = changing(world)?;
        let class = shared::<Class>(class_handle)?.on(found.world.grid())?;
        let added = found.world.add_class(class).map_err(|error| match error {
            SetupError::TooManyClasses(_) => Failure::new(WB_LIMIT, error.to_string()),
            _ => Failure::argument(error.to_string()),
        })?;
        out.write(added.0.into());
        Ok(())
    })
}

/// Whether searches of a class use its landmarks: 1 if so. 0 if it has none, or if an edit has made a move easier and
/// they are not repaired yet.
///
/// Threads: reads `world`.
///
/// # Safety
/// `in_use` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_landmarks_in_use(world: u64, class_: u32, in_use: *mut u8) -> u32 {
    call("wb_world_landmarks_in_use", || {
        // SAFETY: by this function's contract.
        let out = unsafe { output(in_use, "in_use")? };
        let found = reading(world)?;
        tables_of(&found.world, class_)?;
        out.write(found.world.landmarks_in_use(class_id(class_, "class_")?).into());
        Ok(())
    })
}

/// The present tables of a class as a separate object, to plan with. They share the world's memory until an edit
/// changes one of the two, and do not follow the world.
///
/// Threads: reads `world`. Lifetime: independent of the world.
///
/// # Safety
/// `tables` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_tables(world: u64, class_: u32, tables: *mut u64) -> u32 {
    call("wb_world_tables", || {
        let make = || {
            let found = reading(world)?;
            Ok(Tables::new(tables_of(&found.world, class_)?.clone(), found.world.grid()))
        };
        // SAFETY: by this function's contract.
        unsafe { give(tables, "tables", make) }
    })
}

/// The present map as a separate object. It shares the world's memory until an edit changes one of the two.
///
/// Threads: reads `world`. Lifetime: independent of the world.
///
/// # Safety
/// `map` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_map(world: u64, map: *mut u64) -> u32 {
    call("wb_world_map", || {
        // SAFETY: by this function's contract.
        unsafe { give(map, "map", || Ok(Map(reading(world)?.world.grid().clone()))) }
    })
}

/// The terrain kinds of all cells, row by row. Nothing is copied.
///
/// Threads: reads `world`. Lifetime: as for `wb_world_agents`.
///
/// # Safety
/// `cells` and `count` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_world_terrain(world: u64, cells: *mut *const u8, count: *mut usize) -> u32 {
    call("wb_world_terrain", || {
        // SAFETY: by this function's contract.
        let (out, n) = unsafe { (output(cells, "cells")?, output(count, "count")?) };
        let found = reading(world)?;
        let terrain = found.world.grid().terrain();
        // A kind is a byte: `TerrainKind` is transparent.
        out.write(terrain.as_ptr().cast());
        n.write(terrain.len());
        Ok(())
    })
}
