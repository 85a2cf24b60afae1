//! The rule takes over the state of a saved one.

use crate::motion::AgentId;
use crate::rule_state::{RuleContext, RuleState, RuleStateError};
use crate::state_reader::{PartReader, StateReader};
use crate::unit_robots::guidance::{Guidance, NO_STEP, STEP_BITS};
use crate::unit_robots::operations::{DEPTH, FORWARD, LEFT, RIGHT, WAIT};
use crate::unit_robots::robot_reservations::{NOBODY, RobotReservations};
use crate::unit_robots::save::COSTS_OF_WORD;
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
    let mut part = reader.part_of("unit_robots", 7)?;
    let n = part.next(0..=robots_max as u64, "a number of robots")? as usize;
    let (n_cells, n_free) = (rule.map.n_cells(), rule.map.n_free());
    let is_same_map = context.edited.is_empty();
    let n_free = match part.next(0..=n_cells as u64, "a number of free cells")? as usize {
        saved if is_same_map && saved != n_free => {
            return Err(part.wrong(format!("the {n_free} free cells of the map")));
        }
        saved => saved,
    };
    rule.tick = part.u32("the last tick")?;
    if rule.tick.checked_add(1) != Some(context.tick) && (rule.tick, context.tick) != (0, 0) {
        return Err(part.wrong(format!("the tick before tick {} of the world", context.tick)));
    }
    rule.epoch = part.u32("the number of an epoch")?;
    rule.random.set_state(part.word()?);
    let newest = part.next(0..=AgentId::NOBODY.0.into(), "an agent id and one, or 0")?;
    rule.newest = newest.checked_sub(1).map(|id| AgentId(id as u32));
    rule.fields.n_made = part.next(0..=MADE_MAX, "a number of fields")?;
    let UnitRobots { map, operations, fields, guidance, reservations, team, tick, newest, .. } = rule;
    restore_team(team, &mut reader, (n, operations.n), (n_cells, *tick))?;
    restore_guidance(guidance, &mut reader, is_same_map.then_some(&*map), n_free)?;
    restore_windows(fields, &mut reader, n_free, *tick)?;
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
    (n, n_operations): (usize, usize),
    (n_cells, tick): (usize, u32),
) -> Result<(), RuleStateError> {
    let mut cells = reader.part_of("robot.cells", n * (DEPTH + 1))?;
    let mut actions = reader.part_of("robot.actions", n * DEPTH)?;
    team.resize(n, n_operations);
    for cell in team.cells.as_flattened_mut() {
        *cell = cells.below(n_cells, "the index of a cell")?;
    }
    for action in team.actions.as_flattened_mut() {
        *action = actions.u32_to(WAIT.into(), "an action")? as u8;
    }
    let mut restore = |name, values: &mut Vec<u32>, most: u32, what: &str| {
        let mut part = reader.part_of(name, n)?;
        values.iter_mut().try_for_each(|value| {
            *value = part.u32_to(most, what)?;
            Ok(())
        })
    };
    restore("robot.waits_since", &mut team.waits_since, tick, "a tick up to the last one")?;
    restore("robot.first_until", &mut team.first_until, u32::MAX, "a tick")?;
    restore("robot.bound_until", &mut team.bound_until, u32::MAX, "a tick")?;
    restore("robot.visited_in", &mut team.visited_in, u32::MAX, "the number of an epoch")?;
    let mut visits = reader.part_of("robot.visits", n)?;
    team.visits.iter_mut().try_for_each(|of_robot| {
        *of_robot = visits.u32_to(u8::MAX.into(), "a number of visits")? as u8;
        Ok(())
    })
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
    let mut part = reader.part("guidance")?;
    let mut next_cell = 0;
    while part.left() > 0 {
        let cell = part.next(next_cell..=(n_free as u64).saturating_sub(1), "the number of a later cell")?;
        next_cell = cell + 1;
        let Some(flow) = flow.get_mut(cell as usize) else { return Err(part.wrong("no cell")) };
        for count in flow {
            *count = part.u32("a count of steps")?;
        }
        waiting[cell as usize] = part.u32("a count of ticks")?;
        let costs = part.u32_to(u16::MAX.into(), "costs of four steps")?;
        for (heading, step) in steps_to[cell as usize].iter_mut().enumerate() {
            let cost = costs >> (STEP_BITS * heading as u32) & Guidance::STEP_MAX;
            if map.is_some() && (*step == NO_STEP) != (cost == 0) {
                return Err(part.wrong("a cost of each step to the cell, and no other"));
            }
            if *step != NO_STEP {
                *step = *step >> STEP_BITS << STEP_BITS | cost;
            }
        }
    }
    Ok(())
}

fn restore_windows(
    fields: &mut UnitFields,
    reader: &mut StateReader<'_>,
    n_free: usize,
    tick: u32,
) -> Result<(), RuleStateError> {
    fields.of_cell.clear();
    fields.of_cell.resize(n_free, NO_WINDOW);
    let mut goals = reader.part("field.goal")?;
    let n = goals.left();
    let mut used_at = reader.part_of("field.used_at", n)?;
    let mut whole = reader.part_of("field.whole", n)?;
    let mut is_wide = reader.part_of("field.is_wide", n)?;
    let mut costs = reader.part("field.costs")?;
    for number in 0..n {
        let mut field = Field::default();
        field.goal = goals.u32("the number of a cell")?;
        field.used_at = used_at.u32_to(tick, "a tick up to the last one")?;
        field.whole = whole.flag("whether the field knows all cells")?;
        let is_wide = is_wide.flag("whether costs take four bytes")?;
        if field.goal != NO_GOAL_CELL {
            match fields.of_cell.get_mut(field.goal as usize) {
                Some(slot) if *slot == NO_WINDOW => *slot = number as u32,
                Some(_) => return Err(goals.wrong("one field of each goal")),
                None => return Err(goals.wrong(format!("a free cell, below {n_free}, or {NO_GOAL_CELL}"))),
            }
            read_costs(&mut field, &mut costs, is_wide, n_free)?;
        } else if is_wide {
            return Err(goals.wrong("a goal of a field with costs"));
        }
        fields.fields.push(field);
    }
    costs.finish()
}

/// One cost of each free cell. Any cost will do: robots only compare them.
fn read_costs(
    field: &mut Field,
    part: &mut PartReader<'_>,
    is_wide: bool,
    n_free: usize,
) -> Result<(), RuleStateError> {
    let each = COSTS_OF_WORD[usize::from(is_wide)];
    let n_words = n_free.div_ceil(each);
    if part.left() < n_words {
        let found = format!("{} words of costs for a field", part.left());
        return Err(RuleStateError::of_part("field.costs", found, n_words.to_string()));
    }
    for at in 0..n_words {
        let word = part.word()?;
        let here = each.min(n_free - at * each);
        if is_wide {
            field.costs.wide.extend((0..here).map(|at| (word >> (32 * at)) as u32));
        } else {
            field.costs.narrow.extend((0..here).map(|at| (word >> (16 * at)) as u16));
        }
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
            _ => {
                let index = row * DEPTH + depth;
                let found = format!("action {action}, which is illegal there");
                return Err(RuleStateError::of_value("robot.actions", index, found, "a legal one"));
            }
        };
        if next != right {
            let index = row * (DEPTH + 1) + depth + 1;
            let expected = format!("{right}, to which the action leads");
            return Err(RuleStateError::of_value("robot.cells", index, next.to_string(), expected));
        }
        heading = turned;
    }
    Ok(())
}

/// Reserves the cells of all operations, which no two robots share or exchange.
fn reserve(reservations: &mut RobotReservations, team: &Team) -> Result<(), RuleStateError> {
    let clash = |row: usize, depth: usize, other: u16| {
        let index = row * (DEPTH + 1) + depth;
        let found = format!("{}, which robot {other} has reserved", team.cells[row][depth]);
        RuleStateError::of_value("robot.cells", index, found, "a cell of one robot")
    };
    for (row, cells) in team.cells.iter().enumerate() {
        let taken = (0..=DEPTH).map(|depth| (depth, reservations.holder(cells[depth], depth)));
        if let Some((depth, other)) = { taken }.find(|&(_, other)| other != NOBODY) {
            return Err(clash(row, depth, other));
        }
        reservations.put(cells, row as u32);
    }
    for (row, cells) in team.cells.iter().enumerate() {
        for depth in (0..DEPTH).filter(|&depth| cells[depth] != cells[depth + 1]) {
            let other = reservations.holder(cells[depth + 1], depth);
            if other != NOBODY && reservations.holder(cells[depth], depth + 1) == other {
                return Err(clash(row, depth + 1, other));
            }
        }
    }
    Ok(())
}
