//! Orders, tasks and placements as C gives them, and what they are in Rust.
//!
//! An argument becomes a Rust value wherever such a value exists. So the world itself refuses a goal off the map or an
//! unknown class, by an event with the ticket.

#![allow(non_camel_case_types)]

use crate::arguments::{Sized32, slice, structure, structures, write};
use crate::call::call;
use crate::row::{
    WB_ORDER_FOLLOW, WB_ORDER_GOTO, WB_ORDER_GOTO_AREA, WB_ORDER_GOTO_FORMATION, WB_ORDER_GOTO_GROUP,
    WB_ORDER_HOLD, WB_ORDER_PATROL, WB_ORDER_REPEAT, WB_ORDER_STOP, WB_ORDER_TASKS, WB_ORDER_WAIT,
    WB_ORDER_WAIT_IN_PLACE,
};
use crate::status::Failure;
use crate::value::{WB_FALLBACK_FAIL, WB_FALLBACK_NEAREST, goal_members, wb_cell, wb_goal, wb_pose, wb_rect};
use std::sync::Arc;
use wheelbase_planner::GoalMember;
use wheelbase_planner::search::Fallback;
use wheelbase_sim::{
    AgentId, CellXY, ClassId, IfNoRoom, IfUnreachable, Order, OrderKind, Spawn, SpawnGroup, TaskSource, Team,
    Trip, USUAL_SPEED_PERMILLE,
};

/// An order that cannot be carried out is reported, and the next one begins.
pub const WB_UNREACHABLE_DROP: u32 = 0;
/// An order that cannot be carried out is reported once, kept, and tried again after a change that could help.
pub const WB_UNREACHABLE_WAIT: u32 = 1;

/// Agents of a group for which there is no room are counted and reported.
pub const WB_NO_ROOM_DROP: u32 = 0;
/// The command is tried again every eight ticks until all agents of the group are placed.
pub const WB_NO_ROOM_WAIT: u32 = 1;

/// Random legal cells of `area`.
pub const WB_TASKS_RANDOM: u32 = 0;
/// A list of goals for each agent, repeated.
pub const WB_TASKS_LIST: u32 = 1;
/// One list of cells for all: of `team` agents, agent k gets the k-th cell, the (team + k)-th and so on.
pub const WB_TASKS_ROUND_ROBIN: u32 = 2;

/// The goals of one agent in a list of tasks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct wb_task_list {
    /// Index of its first goal.
    pub first: u32,
    /// Number of its goals, at least 1.
    pub count: u32,
}

/// A source of tasks: goals that agents are given one after another, without end. Fields of other kinds are ignored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct wb_task_source {
    /// `sizeof(wb_task_source)`, set by the caller.
    pub size: u32,
    /// `WB_TASKS_RANDOM`, `WB_TASKS_LIST` or `WB_TASKS_ROUND_ROBIN`.
    pub kind: u32,
    /// Of random tasks: the area, within the map.
    pub area: wb_rect,
    /// Of a list: the number of headings in which the goals count, 1, 4, 6 or 8; 0 for 1.
    pub headings: u32,
    /// Of round robin: the number of agents.
    pub team: u32,
    /// Of a list: the goals of all agents, one list after another.
    pub goals: *const wb_goal,
    /// Number of `goals`.
    pub n_goals: usize,
    /// Of a list: the part of each agent. The k-th of the agents of a command, in order of id, gets the k-th.
    pub lists: *const wb_task_list,
    /// Number of `lists`.
    pub n_lists: usize,
    /// Of round robin: the cells.
    pub cells: *const wb_cell,
    /// Number of `cells`.
    pub n_cells: usize,
}

// SAFETY: numbers and raw pointers, the first a `u32`.
unsafe impl Sized32 for wb_task_source {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_task_source";
}

/// An order. Fields of other kinds are ignored. So a structure of zeros is an order once `size`, `kind` and the fields
/// of the kind are set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct wb_order {
    /// `sizeof(wb_order)`, set by the caller. In an array all have the size of the first.
    pub size: u32,
    /// `WB_ORDER_...`
    pub kind: u32,
    /// Number of headings that the headings of `goals` count in: 4, 6 or 8, as the agents' class has. It is 1, or 0 for
    /// 1, if no goal names a heading. Agents of other classes take the headings of the same names.
    pub headings: u32,
    /// Radius around each goal in cells; of an order to follow, the distance in cells to keep within.
    pub within: u32,
    /// `WB_FALLBACK_FAIL` or `WB_FALLBACK_NEAREST`.
    pub fallback: u32,
    /// `WB_UNREACHABLE_DROP` or `WB_UNREACHABLE_WAIT`.
    pub if_unreachable: u32,
    /// Of an order to wait: ticks. Of a patrol: ticks to stand at each waypoint. Of an order to repeat: the number of
    /// orders before it.
    pub ticks: u32,
    /// Of an order to follow: the id of the leader.
    pub leader: u32,
    /// Of tasks: the number of the random stream.
    pub stream: u32,
    /// 0.
    pub reserved: u32,
    /// Of an order to an area: the cells.
    pub area: wb_rect,
    /// Members of the goal: the agent goes to the cheapest. Of an order for a group: one. Of a patrol: the waypoints in
    /// turn.
    pub goals: *const wb_goal,
    /// Number of `goals`.
    pub n_goals: usize,
    /// Of tasks: where they come from.
    pub tasks: *const wb_task_source,
}

// SAFETY: numbers and raw pointers, the first a `u32`.
unsafe impl Sized32 for wb_order {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_order";
}

/// An agent to place.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct wb_spawn {
    /// `sizeof(wb_spawn)`, set by the caller.
    pub size: u32,
    /// Number of its class.
    pub class_: u32,
    /// Its pose: legal, on cells that nobody holds.
    pub pose: wb_pose,
    /// Its priority; higher goes first. Default 0.
    pub priority: i32,
    /// Its team, 0 to 31.
    pub team: u32,
    /// Its speed factor in thousandths, 1 to 65,535; 0 for the default 1,000.
    pub speed_factor: u32,
    /// Its index among the agents that share its tasks.
    pub number: u32,
    /// 0.
    pub reserved: u32,
    /// Its orders, done one after another.
    pub orders: *const wb_order,
    /// Number of `orders`.
    pub n_orders: usize,
}

// SAFETY: numbers and raw pointers, the first a `u32`.
unsafe impl Sized32 for wb_spawn {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_spawn";
}

/// Agents to place at random.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct wb_spawn_group {
    /// `sizeof(wb_spawn_group)`, set by the caller.
    pub size: u32,
    /// Number of their class.
    pub class_: u32,
    /// Their number.
    pub count: u32,
    /// Area of their anchors, clipped to the map.
    pub area: wb_rect,
    /// Priority of each.
    pub priority: i32,
    /// Team of each, 0 to 31.
    pub team: u32,
    /// Speed factor of each in thousandths, 1 to 65,535; 0 for the default 1,000.
    pub speed_factor: u32,
    /// 1: in any legal pose; 0: in the largest set of poses that reach each other while it has room.
    pub anywhere: u32,
    /// `WB_NO_ROOM_DROP` or `WB_NO_ROOM_WAIT`.
    pub if_no_room: u32,
    /// Orders of each, stored once.
    pub orders: *const wb_order,
    /// Number of `orders`.
    pub n_orders: usize,
}

// SAFETY: numbers and raw pointers, the first a `u32`.
unsafe impl Sized32 for wb_spawn_group {
    const SIZE_MIN: usize = size_of::<Self>();
    const NAME: &'static str = "wb_spawn_group";
}

/// Makes `order` an order of a kind, with its `size` and the default values of everything else.
///
/// Threads: any.
///
/// # Safety
/// `order` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wb_order_init(order: *mut wb_order, kind: u32) -> u32 {
    call("wb_order_init", || {
        let usual = wb_order {
            size: size_of::<wb_order>() as u32,
            kind,
            headings: 1,
            within: 0,
            fallback: WB_FALLBACK_FAIL,
            if_unreachable: WB_UNREACHABLE_DROP,
            ticks: 0,
            leader: 0,
            stream: 0,
            reserved: 0,
            area: wb_rect::default(),
            goals: std::ptr::null(),
            n_goals: 0,
            tasks: std::ptr::null(),
        };
        // SAFETY: by this function's contract.
        unsafe { write(order, usual, "order") }
    })
}

/// A number that Rust keeps in a byte.
pub(crate) fn byte(number: u32, name: &str, expected: &str) -> Result<u8, Failure> {
    u8::try_from(number).map_err(|_| Failure::argument(format!("`{name}` is {number}, expected {expected}")))
}

pub(crate) fn class_id(class: u32, name: &str) -> Result<ClassId, Failure> {
    byte(class, name, "the number of a class").map(ClassId)
}

pub(crate) fn team_of(team: u32, name: &str) -> Result<Team, Failure> {
    byte(team, name, "0 to 31").map(Team)
}

pub(crate) fn permille(factor: u32, name: &str) -> Result<u16, Failure> {
    let wrong = |_| Failure::argument(format!("`{name}` is {factor}, expected 1 to 65,535"));
    u16::try_from(factor).map_err(wrong)
}

/// A number of headings, where 0 stands for 1.
fn headings_of(headings: u32, name: &str) -> Result<u8, Failure> {
    byte(headings.max(1), name, "1, 4, 6 or 8")
}

/// A mistake inside of an argument.
fn inside(name: &str) -> impl Fn(Failure) -> Failure {
    move |failure| Failure { message: format!("`{name}`: {}", failure.message), ..failure }
}

/// Members of a goal. Headings that a class may lack are the world's to judge.
pub(crate) unsafe fn members(goals: *const wb_goal, n_goals: usize) -> Result<Vec<GoalMember>, Failure> {
    // SAFETY: by this function's contract, as for `slice`.
    let given = unsafe { slice(goals, n_goals, "goals")? };
    let mut members = Vec::with_capacity(given.len());
    goal_members(given, u8::MAX, &mut members)?;
    Ok(members)
}

/// A source of tasks.
///
/// # Safety
/// As for [`structure`], and its pointers are valid for as many values as it says.
pub(crate) unsafe fn task_source(
    source: *const wb_task_source,
    name: &str,
) -> Result<Arc<TaskSource>, Failure> {
    // SAFETY: by this function's contract.
    let source = unsafe { structure(source, name)? };
    let read = || {
        Ok(match source.kind {
            WB_TASKS_RANDOM => TaskSource::Random { area: source.area.into() },
            WB_TASKS_LIST => {
                // SAFETY: by this function's contract.
                let (goals, lists) = unsafe {
                    let goals = members(source.goals, source.n_goals)?;
                    (goals, slice(source.lists, source.n_lists, "lists")?)
                };
                let of_agent = lists.iter().map(|list| (list.first, list.count)).collect();
                let headings = headings_of(source.headings, "headings")?;
                TaskSource::List { goals: goals.into(), of_agent, headings }
            }
            WB_TASKS_ROUND_ROBIN => {
                // SAFETY: by this function's contract.
                let cells = unsafe { slice(source.cells, source.n_cells, "cells")? };
                TaskSource::RoundRobin {
                    cells: cells.iter().map(|&cell| CellXY::from(cell)).collect(),
                    team: source.team,
                }
            }
            kind => {
                let message =
                    format!("`kind` is {kind}, expected 0 to {WB_TASKS_ROUND_ROBIN}: WB_TASKS_RANDOM ...");
                return Err(Failure::argument(message));
            }
        })
    };
    read().map(Arc::new).map_err(inside(name))
}

/// Orders.
///
/// # Safety
/// As for [`structures`], and the pointers in each order are valid for as many values as it says.
pub(crate) unsafe fn orders(
    orders: *const wb_order,
    n_orders: usize,
    name: &str,
) -> Result<Arc<[Order]>, Failure> {
    // SAFETY: by this function's contract.
    let given = unsafe { structures(orders, n_orders, name)? };
    let read = |(number, order): (usize, &wb_order)| {
        // SAFETY: by this function's contract.
        unsafe { order_of(order) }.map_err(|failure| inside(&format!("{name}[{number}]"))(failure))
    };
    given.iter().enumerate().map(read).collect()
}

/// An order.
///
/// # Safety
/// Its pointers are valid for as many values as it says.
unsafe fn order_of(given: &wb_order) -> Result<Order, Failure> {
    let trip = || -> Result<Trip, Failure> {
        // SAFETY: by this function's contract.
        let members = unsafe { members(given.goals, given.n_goals)? };
        Ok(Trip { members, ..trip_without_goals(given)? })
    };
    let kind = match given.kind {
        WB_ORDER_GOTO => OrderKind::Goto(trip()?),
        WB_ORDER_GOTO_AREA => OrderKind::GotoArea(given.area.into(), trip_without_goals(given)?),
        WB_ORDER_PATROL => OrderKind::Patrol(Trip { dwell: given.ticks, ..trip()? }),
        WB_ORDER_WAIT => OrderKind::Wait(given.ticks),
        // SAFETY: by this function's contract.
        WB_ORDER_TASKS => OrderKind::Tasks(unsafe { task_source(given.tasks, "tasks")? }, given.stream),
        WB_ORDER_GOTO_GROUP => OrderKind::GotoGroup(0, trip()?),
        WB_ORDER_GOTO_FORMATION => OrderKind::GotoGroup(0, Trip { formation: true, ..trip()? }),
        WB_ORDER_STOP => OrderKind::Stop,
        WB_ORDER_HOLD => OrderKind::Hold,
        WB_ORDER_FOLLOW => OrderKind::Follow { leader: AgentId(given.leader), within: given.within },
        WB_ORDER_WAIT_IN_PLACE => OrderKind::WaitInPlace(given.ticks),
        WB_ORDER_REPEAT => OrderKind::Repeat(given.ticks),
        kind => {
            let message =
                format!("`kind` is {kind}, expected 0 to {WB_ORDER_GOTO_FORMATION}: WB_ORDER_GOTO ...");
            return Err(Failure::argument(message));
        }
    };
    Ok(Order { headings: headings_of(given.headings, "headings")?, ..Order::new(kind) })
}

fn trip_without_goals(given: &wb_order) -> Result<Trip, Failure> {
    let fallback = match given.fallback {
        WB_FALLBACK_FAIL => Fallback::Fail,
        WB_FALLBACK_NEAREST => Fallback::Nearest,
        other => return Err(no_choice("fallback", other, "WB_FALLBACK_FAIL (0) or WB_FALLBACK_NEAREST (1)")),
    };
    let if_unreachable = match given.if_unreachable {
        WB_UNREACHABLE_DROP => IfUnreachable::Drop,
        WB_UNREACHABLE_WAIT => IfUnreachable::Wait,
        other => {
            let expected = "WB_UNREACHABLE_DROP (0) or WB_UNREACHABLE_WAIT (1)";
            return Err(no_choice("if_unreachable", other, expected));
        }
    };
    Ok(Trip { within: given.within, fallback, if_unreachable, ..Trip::to(Vec::new()) })
}

/// A number that is none of a few.
pub(crate) fn no_choice(name: &str, found: u32, expected: &str) -> Failure {
    Failure::argument(format!("`{name}` is {found}, expected {expected}"))
}

/// An agent to place.
///
/// # Safety
/// As for [`structure`] and [`orders`].
pub(crate) unsafe fn spawn_of(spawn: *const wb_spawn) -> Result<Spawn, Failure> {
    // SAFETY: by this function's contract.
    let spawn = unsafe { structure(spawn, "spawn")? };
    Ok(Spawn {
        class: class_id(spawn.class_, "spawn.class_")?,
        // Its headings are the world's to judge.
        pose: spawn.pose.pose(u8::MAX, "spawn.pose")?,
        priority: spawn.priority,
        team: team_of(spawn.team, "spawn.team")?,
        speed_factor: speed_factor(spawn.speed_factor, "spawn.speed_factor")?,
        // SAFETY: by this function's contract.
        orders: unsafe { orders(spawn.orders, spawn.n_orders, "spawn.orders")? },
        number: spawn.number,
    })
}

/// The speed factor of an agent to place, where 0 stands for the default one.
fn speed_factor(factor: u32, name: &str) -> Result<u16, Failure> {
    if factor == 0 { Ok(USUAL_SPEED_PERMILLE) } else { permille(factor, name) }
}

/// Agents to place at random.
///
/// # Safety
/// As for [`structure`] and [`orders`].
pub(crate) unsafe fn spawn_group_of(group: *const wb_spawn_group) -> Result<SpawnGroup, Failure> {
    // SAFETY: by this function's contract.
    let group = unsafe { structure(group, "group")? };
    Ok(SpawnGroup {
        class: class_id(group.class_, "group.class_")?,
        count: group.count,
        area: group.area.into(),
        priority: group.priority,
        team: team_of(group.team, "group.team")?,
        // SAFETY: by this function's contract.
        orders: unsafe { orders(group.orders, group.n_orders, "group.orders")? },
        speed_factor: speed_factor(group.speed_factor, "group.speed_factor")?,
        if_no_room: match group.if_no_room {
            WB_NO_ROOM_DROP => IfNoRoom::Drop,
            WB_NO_ROOM_WAIT => IfNoRoom::Wait { placed: 0 },
            other => {
                let expected = "WB_NO_ROOM_DROP (0) or WB_NO_ROOM_WAIT (1)";
                return Err(no_choice("group.if_no_room", other, expected));
            }
        },
        anywhere: match group.anywhere {
            anywhere @ ..=1 => anywhere == 1,
            other => return Err(no_choice("group.anywhere", other, "0 or 1")),
        },
    })
}
