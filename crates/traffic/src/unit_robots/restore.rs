//! The rule takes over the state of a saved one.

use crate::rule_state::{RuleContext, RuleState, RuleStateError, StateReader, check};
use crate::saved::unpack;
use crate::unit_robots::guidance::{Guidance, NO_STEP, STEP_BITS};
use crate::unit_robots::operations::{DEPTH, FORWARD, LEFT, RIGHT, WAIT};
use crate::unit_robots::robot_reservations::{NOBODY, RobotReservations};
use crate::unit_robots::save::LISTS;
use crate::unit_robots::state::UnitRobots;
use crate::unit_robots::team::Team;
use crate::unit_robots::unit_fields::{Field, NO_GOAL_CELL, NO_WINDOW, UnitFields};
use crate::unit_robots::unit_map::{BLOCKED, UnitMap};
use wheelbase_grid::CellXY;

/// Fields made so far at most.
const MADE_MAX: u64 = 1 << 60;

/// Gives a fresh rule the state of a saved one.
///
/// After an edit that the rule has not seen the next tick makes another map and drops all but the random numbers.
/// Until then the state is as it was, with the numbers of the map of before.
pub(super) fn restore_unit_robots(
    rule: &mut UnitRobots,
    state: &RuleState,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let robots_max = usize::from(NOBODY) - 1;
    if context.agents.len() > robots_max {
        let found = format!("{} robots", context.agents.len());
        let expected = format!("at most {robots_max}: the rule `unit_robots` can have no more");
        return Err(RuleStateError::of_part("unit_robots", found, expected));
    }
    let mut reader = StateReader::new(state);
    let saved = reader.list_of("unit_robots", 1)?[0];
    let ((n, n_free), (tick, epoch), newest, [random, n_made]): ((usize, usize), (u32, u32), _, [u64; 2]) =
        saved;
    let (part, n_cells) = (("unit_robots", 0), rule.map.n_cells());
    check(n <= robots_max, part, n, "a number of robots")?;
    let is_same_map = context.edited.is_empty();
    let is_right = if is_same_map { n_free == rule.map.n_free() } else { n_free <= n_cells };
    check(is_right, part, n_free, "the free cells of the map")?;
    let is_due = tick.checked_add(1) == Some(context.tick) || (tick, context.tick) == (0, 0);
    check(is_due, part, tick, format_args!("the tick before tick {} of the world", context.tick))?;
    check(n_made <= MADE_MAX, part, n_made, "a number of fields")?;
    (rule.tick, rule.epoch, rule.newest, rule.fields.n_made) = (tick, epoch, newest, n_made);
    rule.random.set_state(random);
    let UnitRobots { map, operations, fields, guidance, reservations, team, tick, newest, .. } = rule;
    team.resize(n, operations.n);
    restore_team(team, &mut reader, (n_cells, *tick))?;
    restore_guidance(guidance, &mut reader, is_same_map.then_some(&*map), n_free)?;
    restore_fields(fields, &mut reader, n_free, *tick)?;
    reader.finish()?;
    // Where robots came, went, or are not where they were sent, all of them rest at the next tick.
    let agents = &context.agents;
    let are_same = agents.len() == n && agents.ids.last() == newest.as_ref();
    let are_there = || (0..n).all(|row| map.index(pose_of(context, row).0) == team.cells[row][0]);
    let go_on =
        is_same_map && are_same && context.refused.is_empty() && context.reclassed.is_empty() && are_there();
    if go_on {
        (0..n).try_for_each(|row| check_operation(map, team, row, pose_of(context, row).1))?;
        reservations.set_tick(context.tick);
        reserve(reservations, team)?;
    }
    Ok(())
}

/// Cell and heading of a robot.
fn pose_of(context: &RuleContext<'_>, row: usize) -> (CellXY, u8) {
    let motion = &context.agents.motion[row];
    let pose = context.tables[usize::from(motion.class.0)].space().pose(motion.state);
    (pose.cell, pose.heading.0)
}

/// Operations, and since when and until when robots wait, go first or are bound.
fn restore_team(
    team: &mut Team,
    reader: &mut StateReader<'_>,
    (n_cells, tick): (usize, u32),
) -> Result<(), RuleStateError> {
    let n = team.len();
    team.cells = reader.list_of("robot.cells", n)?;
    team.actions = reader.list_of("robot.actions", n)?;
    let lists = [&mut team.waits_since, &mut team.first_until, &mut team.bound_until, &mut team.visited_in];
    for (name, list) in LISTS.into_iter().zip(lists) {
        *list = reader.list_of(name, n)?;
    }
    team.visits = reader.list_of("robot.visits", n)?;
    for row in 0..n {
        let (cells, since) = (team.cells[row], team.waits_since[row]);
        let are_known = cells.iter().all(|&cell| (cell as usize) < n_cells);
        check(are_known, ("robot.cells", row), cells, "indices of cells")?;
        let actions = team.actions[row];
        check(actions.iter().all(|&action| action <= WAIT), ("robot.actions", row), actions, "actions")?;
        check(since <= tick, (LISTS[0], row), since, "a tick up to the last one")?;
    }
    Ok(())
}

/// The guidance, on the same map or on a former one.
fn restore_guidance(
    guidance: &mut Guidance,
    reader: &mut StateReader<'_>,
    map: Option<&UnitMap>,
    n_free: usize,
) -> Result<(), RuleStateError> {
    let Guidance { flow, waiting, steps_to } = guidance;
    if map.is_none() {
        flow.clear();
        flow.resize(n_free, [0; 4]);
        waiting.clear();
        waiting.resize(n_free, 0);
        steps_to.clear();
        steps_to.resize(n_free, [NO_STEP; 4]);
    }
    for (at, (cell, counts, waits, costs)) in
        reader.list::<(u32, [u32; 4], u32, [u32; 4])>("guidance")?.into_iter().enumerate()
    {
        let (part, cell) = (("guidance", at), cell as usize);
        check(cell < flow.len(), part, cell, "the number of a free cell")?;
        (flow[cell], waiting[cell]) = (counts, waits);
        for (step, cost) in steps_to[cell].iter_mut().zip(costs) {
            let is_right = map.is_none() || (*step == NO_STEP) == (cost == 0);
            let is_cost = is_right && cost <= Guidance::STEP_MAX;
            check(is_cost, part, costs, "a cost of each step to the cell, and no other")?;
            if *step != NO_STEP {
                *step = *step >> STEP_BITS << STEP_BITS | cost;
            }
        }
    }
    Ok(())
}

/// The fields, with a cost of each free cell. Any cost will do: robots only compare them.
fn restore_fields(
    fields: &mut UnitFields,
    reader: &mut StateReader<'_>,
    n_free: usize,
    tick: u32,
) -> Result<(), RuleStateError> {
    fields.of_cell.clear();
    fields.of_cell.resize(n_free, NO_WINDOW);
    let saved = reader.list::<(u32, u32, bool, bool)>("fields")?;
    let n_shorts = |goal, is_wide| if goal == NO_GOAL_CELL { 0 } else { n_free * (1 + usize::from(is_wide)) };
    let costs =
        reader.lists::<u64>("field.costs", saved.iter().map(|of| n_shorts(of.0, of.3).div_ceil(4)))?;
    for (at, ((goal, used_at, whole, is_wide), costs)) in saved.into_iter().zip(costs).enumerate() {
        let part = ("fields", at);
        let mut field = Field::default();
        (field.goal, field.used_at, field.whole) = (goal, used_at, whole);
        check(used_at <= tick, part, used_at, "a tick up to the last one")?;
        if goal != NO_GOAL_CELL {
            let of_goal = fields.of_cell.get_mut(goal as usize).filter(|slot| **slot == NO_WINDOW);
            check(of_goal.is_some(), part, goal, "a free cell, the goal of one field")?;
            of_goal.into_iter().for_each(|slot| *slot = at as u32);
            let shorts: Vec<u16> = unpack(&costs).take(n_shorts(goal, is_wide)).collect();
            if is_wide {
                let wide = shorts.chunks(2).map(|halves| u32::from(halves[1]) << 16 | u32::from(halves[0]));
                field.costs.wide = wide.collect();
            } else {
                field.costs.narrow = shorts;
            }
        }
        check(goal != NO_GOAL_CELL || !is_wide, part, goal, "a goal of a field with costs")?;
        fields.fields.push(field);
    }
    Ok(())
}

/// A robot can carry out its operation from where it is.
fn check_operation(map: &UnitMap, team: &Team, row: usize, mut heading: u8) -> Result<(), RuleStateError> {
    let (cells, actions) = (&team.cells[row], &team.actions[row]);
    for (depth, &action) in actions.iter().enumerate() {
        let (cell, next) = (cells[depth], cells[depth + 1]);
        let (turned, right) = match action {
            FORWARD if map.is_open(cell, heading) => (heading, map.ahead(cell, heading)),
            LEFT if map.number(cell) != BLOCKED => ((heading + 1) % 4, cell),
            RIGHT if map.number(cell) != BLOCKED => ((heading + 3) % 4, cell),
            WAIT => (heading, cell),
            _ => (heading, BLOCKED),
        };
        check(next == right, ("robot.cells", row), (cells, actions), "cells to which legal actions lead")?;
        heading = turned;
    }
    Ok(())
}

/// Reserves the cells of all operations, which no two robots share or exchange.
fn reserve(reservations: &mut RobotReservations, team: &Team) -> Result<(), RuleStateError> {
    for (row, cells) in team.cells.iter().enumerate() {
        let is_free = (0..=DEPTH).all(|depth| reservations.holder(cells[depth], depth) == NOBODY);
        check(is_free, ("robot.cells", row), cells, "cells of one robot")?;
        reservations.put(cells, row as u32);
    }
    for (row, cells) in team.cells.iter().enumerate() {
        for depth in (0..DEPTH).filter(|&depth| cells[depth] != cells[depth + 1]) {
            let other = reservations.holder(cells[depth + 1], depth);
            let is_alone = other == NOBODY || reservations.holder(cells[depth], depth + 1) != other;
            check(is_alone, ("robot.cells", row), cells, "cells that no other robot exchanges with it")?;
        }
    }
    Ok(())
}
