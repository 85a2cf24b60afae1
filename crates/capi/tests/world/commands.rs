//! Commands of Rust given through C.

use std::sync::Arc;
use wheelbase_c::*;
use wheelbase_grid::{Change, GridShape};
use wheelbase_planner::search::Fallback;
use wheelbase_planner::{GoalMember, Heading, Pose};
use wheelbase_sim::{
    AgentSelection, AtDeadline, Command, IfNoRoom, IfUnreachable, MapEdit, OnAgents, Order, OrderKind,
    TaskSource,
};

/// A command as C can express it. It has no goals with other classes' headings, which only texts give. It has no
/// numbers that stand for defaults in C.
pub fn sayable(mut command: Command, shape: GridShape) -> Command {
    let selection = match &mut command {
        Command::Remove(agents)
        | Command::Order { agents, .. }
        | Command::Tasks { agents, .. }
        | Command::Priority { agents, .. }
        | Command::Team { agents, .. }
        | Command::SpeedFactor { agents, .. }
        | Command::Enter { agents, .. } => Some(agents),
        _ => None,
    };
    if let Some(agents) = selection
        && let AgentSelection::Named(named) = agents
        && let [agent] = named[..]
    {
        *agents = AgentSelection::One(agent);
    }
    match &mut command {
        Command::Order { orders, .. } => *orders = sayable_orders(orders),
        Command::Leave { pose, .. } => *pose = sayable_pose(*pose),
        Command::Spawn(spawn) => {
            spawn.orders = sayable_orders(&spawn.orders);
            spawn.speed_factor = usual(spawn.speed_factor);
            spawn.pose = sayable_pose(spawn.pose);
        }
        Command::SpawnGroup(group) => {
            group.orders = sayable_orders(&group.orders);
            group.speed_factor = usual(group.speed_factor);
        }
        Command::Tasks { source, .. } => *source = sayable_tasks(source),
        Command::Class { pose: Some(pose), .. } => *pose = sayable_pose(*pose),
        Command::Edit(edit) => {
            let change = |&change: &Change| match change {
                Change::Side { cell, side, kind } if shape.side_number(side).is_none() => {
                    Change::Side { cell, side: shape.sides()[0], kind }
                }
                other => other,
            };
            edit.changes = edit.changes.iter().map(change).collect();
        }
        _ => {}
    }
    command
}

fn usual(factor: u16) -> u16 {
    if factor == 0 { 1000 } else { factor }
}

fn sayable_pose(pose: Pose) -> Pose {
    Pose { heading: Heading(pose.heading.0.min(254)), ..pose }
}

fn sayable_goals(goals: &mut [GoalMember]) {
    for goal in goals {
        goal.heading = goal.heading.map(|heading| Heading(heading.0.min(254)));
    }
}

fn sayable_orders(orders: &[Order]) -> Arc<[Order]> {
    let one = |order: &Order| {
        let mut order = Order { lacked: Box::default(), headings: order.headings.max(1), ..order.clone() };
        match &mut order.kind {
            OrderKind::GotoGroup(number, trip) => {
                *number = 0;
                sayable_goals(&mut trip.members);
            }
            OrderKind::Goto(trip) | OrderKind::Patrol(trip) => sayable_goals(&mut trip.members),
            OrderKind::Tasks(source, _) => *source = sayable_tasks(source),
            _ => {}
        }
        match &mut order.kind {
            // Only patrols dwell.
            OrderKind::Goto(trip) | OrderKind::GotoArea(_, trip) | OrderKind::GotoGroup(_, trip) => {
                trip.dwell = 0
            }
            _ => {}
        }
        order
    };
    orders.iter().map(one).collect()
}

fn sayable_tasks(source: &TaskSource) -> Arc<TaskSource> {
    Arc::new(match source {
        TaskSource::List { goals, of_agent, headings } => {
            let mut goals = goals.to_vec();
            sayable_goals(&mut goals);
            TaskSource::List { goals: goals.into(), of_agent: of_agent.clone(), headings: (*headings).max(1) }
        }
        other => other.clone(),
    })
}

pub fn goal(member: &GoalMember) -> wb_goal {
    let heading = member.heading.map_or(WB_ANY_HEADING, |heading| heading.0.into());
    wb_goal { x: member.cell.x, y: member.cell.y, heading }
}

/// A source of tasks with its arrays.
struct Tasks {
    source: Box<wb_task_source>,
    _goals: Vec<wb_goal>,
    _lists: Vec<wb_task_list>,
    _cells: Vec<wb_cell>,
}

impl Tasks {
    fn of(tasks: &TaskSource) -> Self {
        let (mut goals, mut lists, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        let (mut area, mut of_headings, mut of_team) = (wb_rect::default(), 0, 0);
        let kind = match tasks {
            TaskSource::Random { area: of } => {
                area = (*of).into();
                WB_TASKS_RANDOM
            }
            TaskSource::List { goals: of, of_agent, headings } => {
                goals = of.iter().map(goal).collect();
                lists = of_agent.iter().map(|&(first, count)| wb_task_list { first, count }).collect();
                of_headings = (*headings).into();
                WB_TASKS_LIST
            }
            TaskSource::RoundRobin { cells: of, team } => {
                cells = of.iter().map(|&cell| cell.into()).collect();
                of_team = *team;
                WB_TASKS_ROUND_ROBIN
            }
        };
        let source = wb_task_source {
            size: size_of::<wb_task_source>() as u32,
            kind,
            area,
            headings: of_headings,
            team: of_team,
            goals: goals.as_ptr(),
            n_goals: goals.len(),
            lists: lists.as_ptr(),
            n_lists: lists.len(),
            cells: cells.as_ptr(),
            n_cells: cells.len(),
        };
        Self { source: Box::new(source), _goals: goals, _lists: lists, _cells: cells }
    }
}

/// Orders with their arrays.
pub struct Orders {
    pub orders: Vec<wb_order>,
    _goals: Vec<Vec<wb_goal>>,
    _tasks: Vec<Tasks>,
}

impl Orders {
    pub fn of(given: &[Order]) -> Self {
        let (mut all_goals, mut all_tasks, mut orders) = (Vec::new(), Vec::new(), Vec::new());
        for given in given {
            let number = u32::from(given.kind.number());
            // SAFETY: numbers and null pointers: zeros are a value.
            let mut order: wb_order = unsafe { std::mem::zeroed() };
            // SAFETY: the order may be written.
            assert_eq!(unsafe { wb_order_init(&raw mut order, number) }, WB_OK);
            order.headings = given.headings.into();
            if let Some(trip) = given.kind.trip() {
                let goals: Vec<wb_goal> = trip.members.iter().map(goal).collect();
                (order.goals, order.n_goals, order.within) = (goals.as_ptr(), goals.len(), trip.within);
                all_goals.push(goals);
                order.fallback = match trip.fallback {
                    Fallback::Fail => WB_FALLBACK_FAIL,
                    Fallback::Nearest => WB_FALLBACK_NEAREST,
                };
                order.if_unreachable = match trip.if_unreachable {
                    IfUnreachable::Drop => WB_UNREACHABLE_DROP,
                    IfUnreachable::Wait => WB_UNREACHABLE_WAIT,
                };
            }
            match &given.kind {
                OrderKind::GotoArea(area, _) => order.area = (*area).into(),
                OrderKind::Wait(number) | OrderKind::WaitInPlace(number) | OrderKind::Repeat(number) => {
                    order.ticks = *number
                }
                OrderKind::Patrol(trip) => order.ticks = trip.dwell,
                OrderKind::Tasks(source, stream) => {
                    let tasks = Tasks::of(source);
                    (order.tasks, order.stream) = (&raw const *tasks.source, *stream);
                    all_tasks.push(tasks);
                }
                OrderKind::Follow { leader, within } => (order.leader, order.within) = (leader.0, *within),
                _ => {}
            }
            orders.push(order);
        }
        Self { orders, _goals: all_goals, _tasks: all_tasks }
    }
}

/// An agent to place, with its orders.
pub struct SpawnOf {
    pub spawn: wb_spawn,
    _orders: Orders,
}

impl SpawnOf {
    pub fn of(spawn: &wheelbase_sim::Spawn) -> Self {
        let orders = Orders::of(&spawn.orders);
        let value = wb_spawn {
            size: size_of::<wb_spawn>() as u32,
            class_: spawn.class.0.into(),
            pose: spawn.pose.into(),
            priority: spawn.priority,
            team: spawn.team.0.into(),
            speed_factor: spawn.speed_factor.into(),
            number: spawn.number,
            reserved: 0,
            orders: orders.orders.as_ptr(),
            n_orders: orders.orders.len(),
        };
        Self { spawn: value, _orders: orders }
    }
}

pub fn change(change: &Change, shape: GridShape) -> wb_change {
    let mut given = wb_change { side_kinds: [WB_KEEP; 6], ..wb_change::default() };
    (given.kind, given.area) = match *change {
        Change::Terrain { area, .. } => (WB_CHANGE_TERRAIN, area.into()),
        Change::Elevation { area, .. } => (WB_CHANGE_ELEVATION, area.into()),
        Change::Side { cell, .. } => (WB_CHANGE_SIDES, wb_rect { x: cell.x, y: cell.y, width: 0, height: 0 }),
        Change::Rotate { cell, .. } => {
            (WB_CHANGE_ROTATE, wb_rect { x: cell.x, y: cell.y, width: 0, height: 0 })
        }
    };
    match *change {
        Change::Terrain { kind, .. } => given.value = kind.0.into(),
        Change::Elevation { height, .. } => given.value = height.into(),
        Change::Side { side, kind, .. } => {
            given.side_kinds[shape.side_number(side).unwrap()] = kind.0.into();
        }
        Change::Rotate { turns, .. } => given.value = turns,
    }
    given
}

/// Gives a command through C, for the next tick (0) or a later one. Its status and its ticket.
pub fn give(world: u64, command: &Command, shape: GridShape, tick: u32) -> (u32, u64) {
    let mut ticket = u64::MAX;
    // SAFETY: all arrays are there until the call is over, and the ticket may be written.
    let status = unsafe { call(world, command, shape, tick, &raw mut ticket) };
    (status, ticket)
}

/// # Safety
/// `out` is null, or may be written.
unsafe fn call(world: u64, command: &Command, shape: GridShape, tick: u32, out: *mut u64) -> u32 {
    let ids = |agents: &AgentSelection| -> Vec<u32> {
        match agents {
            AgentSelection::One(agent) => vec![agent.0],
            AgentSelection::Named(agents) => agents.iter().map(|agent| agent.0).collect(),
            AgentSelection::Area(_) => Vec::new(),
        }
    };
    let area = |agents: &AgentSelection| match agents {
        AgentSelection::Area(area) => Some(wb_rect::from(*area)),
        _ => None,
    };
    // SAFETY: the arrays live to the end of each call.
    unsafe {
        match command {
            Command::Spawn(spawn) => {
                let spawn = SpawnOf::of(spawn);
                wb_command_spawn(world, &raw const spawn.spawn, tick, out)
            }
            Command::SpawnGroup(group) => {
                let orders = Orders::of(&group.orders);
                let group = wb_spawn_group {
                    size: size_of::<wb_spawn_group>() as u32,
                    class_: group.class.0.into(),
                    count: group.count,
                    area: group.area.into(),
                    priority: group.priority,
                    team: group.team.0.into(),
                    speed_factor: group.speed_factor.into(),
                    anywhere: group.anywhere.into(),
                    if_no_room: match group.if_no_room {
                        IfNoRoom::Drop => WB_NO_ROOM_DROP,
                        IfNoRoom::Wait { .. } => WB_NO_ROOM_WAIT,
                    },
                    orders: orders.orders.as_ptr(),
                    n_orders: orders.orders.len(),
                };
                wb_command_spawn_group(world, &raw const group, tick, out)
            }
            Command::Remove(agents) => match area(agents) {
                Some(area) => wb_command_remove_in(world, &raw const area, tick, out),
                None => {
                    let ids = ids(agents);
                    wb_command_remove(world, ids.as_ptr(), ids.len(), tick, out)
                }
            },
            Command::Order { agents, orders, append } => {
                let orders = Orders::of(orders);
                let (orders, append) = (&orders.orders, u8::from(*append));
                match area(agents) {
                    Some(area) => wb_command_order_in(
                        world,
                        &raw const area,
                        orders.as_ptr(),
                        orders.len(),
                        append,
                        tick,
                        out,
                    ),
                    None => {
                        let ids = ids(agents);
                        let (at, n) = (orders.as_ptr(), orders.len());
                        wb_command_order(world, ids.as_ptr(), ids.len(), at, n, append, tick, out)
                    }
                }
            }
            Command::Tasks { agents, source, stream } => {
                let tasks = Tasks::of(source);
                let source = &raw const *tasks.source;
                match area(agents) {
                    Some(area) => wb_command_tasks_in(world, &raw const area, source, *stream, tick, out),
                    None => {
                        let ids = ids(agents);
                        wb_command_tasks(world, ids.as_ptr(), ids.len(), source, *stream, tick, out)
                    }
                }
            }
            Command::Priority { agents, priority } => match area(agents) {
                Some(area) => wb_command_priority_in(world, &raw const area, *priority, tick, out),
                None => {
                    let ids = ids(agents);
                    wb_command_priority(world, ids.as_ptr(), ids.len(), *priority, tick, out)
                }
            },
            Command::Class { agent, class, pose } => {
                let pose = pose.map(wb_pose::from);
                let pose = pose.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
                wb_command_class(world, agent.0, class.0.into(), pose, tick, out)
            }
            Command::Team { agents, team } => match area(agents) {
                Some(area) => wb_command_team_in(world, &raw const area, team.0.into(), tick, out),
                None => {
                    let ids = ids(agents);
                    wb_command_team(world, ids.as_ptr(), ids.len(), team.0.into(), tick, out)
                }
            },
            Command::SpeedFactor { agents, permille } => match area(agents) {
                Some(area) => {
                    wb_command_speed_factor_in(world, &raw const area, (*permille).into(), tick, out)
                }
                None => {
                    let ids = ids(agents);
                    wb_command_speed_factor(world, ids.as_ptr(), ids.len(), (*permille).into(), tick, out)
                }
            },
            Command::Edit(MapEdit { changes, on_agents }) => {
                let changes: Vec<wb_change> = changes.iter().map(|of| change(of, shape)).collect();
                let (on_agents, deadline) = match *on_agents {
                    OnAgents::Wait => (WB_ON_AGENTS_WAIT, 0),
                    OnAgents::Strand => (WB_ON_AGENTS_STRAND, 0),
                    OnAgents::Remove => (WB_ON_AGENTS_REMOVE, 0),
                    OnAgents::WaitUntil { deadline, then: AtDeadline::Strand } => {
                        (WB_ON_AGENTS_WAIT_STRAND, deadline)
                    }
                    OnAgents::WaitUntil { deadline, then: AtDeadline::Remove } => {
                        (WB_ON_AGENTS_WAIT_REMOVE, deadline)
                    }
                };
                wb_command_edit(world, changes.as_ptr(), changes.len(), on_agents, deadline, tick, out)
            }
            Command::Enter { agents, container } => match area(agents) {
                Some(area) => wb_command_enter_in(world, &raw const area, container.0, tick, out),
                None => {
                    let ids = ids(agents);
                    wb_command_enter(world, ids.as_ptr(), ids.len(), container.0, tick, out)
                }
            },
            Command::Leave { agent, pose, or_nearest } => {
                let pose = wb_pose::from(*pose);
                wb_command_leave(world, agent.0, &raw const pose, (*or_nearest).into(), tick, out)
            }
            Command::CancelEdit(edit) => wb_command_cancel_edit(world, edit.0, tick, out),
            Command::Decisions(moves) => {
                let agents: Vec<u32> = moves.iter().map(|(agent, _)| agent.0).collect();
                let primitives: Vec<u8> = moves.iter().map(|&(_, primitive)| primitive).collect();
                wb_command_decisions(world, agents.as_ptr(), primitives.as_ptr(), agents.len(), tick, out)
            }
            Command::PathAnswer { agent, moves } => {
                let given = moves.as_deref().unwrap_or_default();
                let found = u8::from(moves.is_some());
                wb_command_path_answer(world, agent.0, found, given.as_ptr(), given.len(), tick, out)
            }
        }
    }
}
