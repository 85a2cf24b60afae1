//! The rule takes over the state of a saved one.
//!
//! Values are placed first, each only where it cannot lead out of an array. Then `restored` and `restored_plans` check
//! that the whole is sound.

use crate::cooperative::admission::{Corridor, Direction};
use crate::cooperative::corridor_map::CorridorMap;
use crate::cooperative::plan::{MOVES_MAX, Plan, PlannedMove};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::{FOREVER, Reservation, Reservations};
use crate::cooperative::restored::{check_agents, check_corridors, check_overlaps, check_present};
use crate::cooperative::restored_plans::{check_plans, current_row};
use crate::cooperative::save::{NO_REVISION, SavedWindow};
use crate::cooperative::soft_reservations::SoftReservations;
use crate::cooperative::state::Cooperative;
use crate::cooperative::windowed_cost_to_go::{
    CostWindow, NO_WINDOW, UNKNOWN_SHORT, WindowKey, room_of, window_radius,
};
use crate::free_cells::{area_around, smallest_bodies};
use crate::motion::{AgentId, AgentSlot};
use crate::priority::PriorityKey;
use crate::rule_state::{RuleContext, RuleState, RuleStateError, StateReader, check};
use crate::saved::unpack;
use crate::teams::Team;
use wheelbase_grid::{BitGrid, CellXY, Rect};
use wheelbase_planner::model::State;

/// Gives a fresh rule the state of a saved one.
pub(crate) fn restore_cooperative(
    rule: &mut Cooperative,
    state: &RuleState,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let mut reader = StateReader::new(state);
    restore_agents(rule, &mut reader, context)?;
    restore_plans(rule, &mut reader, context)?;
    restore_reservations(&mut rule.table.reservations, &mut reader)?;
    restore_soft_reservations(&mut rule.table.soft_reservations, &mut reader)?;
    restore_corridors(rule, &mut reader, context)?;
    restore_windows(rule, &mut reader, context)?;
    reader.finish()?;
    check_agents(rule, context)?;
    check_corridors(rule, context)?;
    check_overlaps(rule)?;
    check_plans(rule, context)?;
    let Cooperative { table, present, .. } = rule;
    for &(id, slot) in &*present {
        let Some(row) = current_row(context, id) else { continue };
        // Of plans that are not valid, ends are not checked; the next tick drops them before it reads them.
        let n_states = context.tables[context.agents.motion[row].class.0 as usize].space().n_states();
        if (table.plans[slot.index()].end.0.0 as usize) < n_states {
            table.keep_turnaround_free(&context.agents, context.tables, row);
        }
    }
    Ok(())
}

fn restore_agents(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let counts = reader.list_of::<u32>("cooperative", 2)?;
    let (n_slots, next_tick) = (counts[0] as usize, counts[1]);
    let is_known = n_slots <= context.agents.row_of_slot.len();
    check(is_known, ("cooperative", 0), n_slots, "a number of agent slots")?;
    let is_due = [0, context.tick].contains(&next_tick);
    check(is_due, ("cooperative", 1), next_tick, format_args!("the tick {} of the world", context.tick))?;
    rule.next_tick = next_tick;
    rule.table.grow(n_slots);
    rule.search.windows.grow(n_slots);
    let revisions = reader.list_of("revisions", rule.revisions.len())?;
    // The present ones, unless an edit waits to be seen by the rule.
    for (at, (&saved, present)) in revisions.iter().zip(&rule.revisions).enumerate() {
        let is_right = saved == *present || !context.edited.is_empty();
        check(is_right, ("revisions", at), saved, format_args!("{present}, the revision of the map"))?;
    }
    rule.revisions = revisions;
    rule.present = reader.list("agents")?;
    rule.just_out = reader.list("just_out")?;
    rule.table.roadblocks.extend(reader.list::<AgentId>("roadblocks")?);
    check_present(rule, context)?;
    let PlanTable { heads, details, yield_states, speed_factors, .. } = &mut rule.table;
    let n = rule.present.len();
    place(&rule.present, heads, reader.list_of("heads", n)?);
    place(&rule.present, details, reader.list_of("details", n)?);
    place(&rule.present, yield_states, reader.list_of("yield_states", n)?);
    place(&rule.present, speed_factors, reader.list_of("speed_factors", n)?);
    Ok(())
}

/// Puts the value of each agent into its slot.
fn place<T>(present: &[(AgentId, AgentSlot)], all: &mut [T], values: Vec<T>) {
    present.iter().zip(values).for_each(|((_, slot), value)| all[slot.index()] = value);
}

/// Plans whose moves follow each other in time; they are compared with the agents later.
fn restore_plans(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let ends = reader.list_of::<(usize, (State, u32))>("plans", rule.present.len())?;
    let moves = reader.lists::<PlannedMove>("plan.moves", ends.iter().map(|&(n, _)| n))?;
    for (at, ((&(_, slot), moves), (n, end))) in rule.present.iter().zip(moves).zip(ends).enumerate() {
        let part = ("plans", at);
        check(n <= MOVES_MAX, part, n, "a number of moves")?;
        let (mut plan, mut ready) = (Plan::rest(end.0, end.1), context.tick);
        for planned in moves {
            let ends = planned.start.saturating_add(planned.ticks);
            let follows = planned.start >= ready && planned.ticks > 0 && ends < FOREVER;
            check(follows, part, planned, format_args!("a move from tick {ready} on"))?;
            plan.push(planned, end.0);
            ready = ends;
        }
        check(plan.end == end, part, end.1, format_args!("{ready}, the end of the last move"))?;
        rule.table.set_plan(slot, plan);
    }
    Ok(())
}

/// Reservations by cell. All reservations of a cell follow each other.
fn restore_reservations(
    reservations: &mut Reservations,
    reader: &mut StateReader<'_>,
) -> Result<(), RuleStateError> {
    let Reservations { of_cell, of_agent, reservations: list, .. } = reservations;
    *list = reader.list("reservations")?;
    for at in 0..list.len() {
        let one @ Reservation { agent, cell, .. } = list[at];
        let (part, index) = (("reservations", at), at as u32);
        let is_known = (cell as usize) < of_cell.len() && agent.index() < of_agent.len();
        check(is_known, part, one, "an agent slot, and a cell of the map")?;
        match list[..at].last_mut() {
            Some(before) if before.cell == cell => before.next_in_cell = index,
            before => {
                check(before.is_none_or(|before| before.cell < cell), part, one, "a later cell")?;
                of_cell[cell as usize] = index;
            }
        }
        list[at].next_of_agent = std::mem::replace(&mut of_agent[agent.index()], index);
    }
    Ok(())
}

fn restore_soft_reservations(
    soft: &mut SoftReservations,
    reader: &mut StateReader<'_>,
) -> Result<(), RuleStateError> {
    (soft.until, soft.reserved_so_far) = reader.list_of("claims", 1)?[0];
    let n_cells = soft.of_cell.len();
    let open = reader.list::<(u32, (u32, PriorityKey), Team)>("claimed_cells")?;
    for (at, &(cell, reserved, team)) in open.iter().enumerate() {
        let is_known = (cell as usize) < n_cells && team.is_known() && reserved.0 <= soft.until;
        check(is_known, ("claimed_cells", at), (cell, reserved, team), "a cell, a tick and a team")?;
        soft.of_cell[cell as usize] = reserved;
        if team != Team(0) {
            soft.teams.resize(n_cells, Team(0));
            soft.teams[cell as usize] = team;
        }
    }
    Ok(())
}

/// The corridors by their numbers, and the agents in them and before them. They follow from the free cells, and these
/// from the tables, unless an edit waits to be seen by the rule.
fn restore_corridors(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let control = &mut rule.table.corridor_control;
    if let Some(free) = read_free_cells(&control.map, reader, context)? {
        control.map.find_all(free);
    }
    let first_cells = reader.list::<u32>("corridor.first_cell")?;
    let spare = reader.list("corridor.spare")?;
    control.map.renumber(&first_cells, &spare).map_err(|at| {
        let found = first_cells.get(at).map(|&cell| u64::from(cell));
        RuleStateError::of_element("corridor.first_cell", at, found, "the first cell of each corridor, once")
    })?;
    let (shapes, corridors) = (&control.map.shapes, &mut control.admission.corridors);
    corridors.clear();
    corridors.resize_with(shapes.len(), Default::default);
    let turns = reader.list_of::<(Direction, usize, usize, usize)>("corridors", shapes.len())?;
    let inside = reader.lists("corridor.inside", turns.iter().map(|turn| turn.2))?;
    let waiting = reader.lists("corridor.waiting", turns.iter().map(|turn| turn.3))?;
    for (at, (corridor, (inside, waiting))) in
        corridors.iter_mut().zip(inside.into_iter().zip(waiting)).enumerate()
    {
        let (direction, entered, width) = (turns[at].0, turns[at].1, shapes[at].width);
        *corridor = Corridor { width, inside, waiting, direction, entered, busy_for: 0 };
    }
    Ok(())
}

/// The free cells; `None` if they agree with the tables.
fn read_free_cells(
    map: &CorridorMap,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<Option<BitGrid>, RuleStateError> {
    let of_tables = &map.free;
    let size = of_tables.size();
    let words_of_row = size.width().div_ceil(u64::BITS);
    let words = reader.list_of::<u64>("free_cells", words_of_row as usize * size.height() as usize)?;
    let smallest = smallest_bodies(&context.tables[..map.n_classes]);
    let areas = context.edited.iter().filter_map(|&area| Some(area_around(smallest?, area, size)));
    let areas: Vec<Rect> = areas.collect();
    let mut free: Option<BitGrid> = None;
    let before = (0..size.height()).flat_map(|y| (0..).zip(of_tables.row_words(y)).map(move |of| (y, of)));
    for (at, (&word, (y, (number, &before)))) in words.iter().zip(before).enumerate() {
        let mut different = word ^ before;
        while different != 0 {
            let bit = different.trailing_zeros();
            different &= different - 1;
            let cell = CellXY::new((number * u64::BITS + bit) as i32, y as i32);
            let is_edited = areas.iter().any(|area| area.contains(cell));
            check(is_edited, ("free_cells", at), cell, "free cells as on the map")?;
            free.get_or_insert_with(|| of_tables.clone()).set(cell, word >> bit & 1 != 0);
        }
    }
    Ok(free)
}

/// The windows, in their order. Windows of former paths have no costs.
fn restore_windows(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let Cooperative { table: PlanTable { details, sides, speed_factors, .. }, search, .. } = rule;
    let windows = &mut search.windows;
    let headings_of = |class: usize| context.tables[class].space().headings();
    let rooms =
        sides.iter().enumerate().map(|(class, sides)| room_of(window_radius(sides.1), headings_of(class)));
    let room_max = rooms.max().unwrap_or(0);
    let saved = reader.list::<SavedWindow>("windows")?;
    let costs = reader.lists::<u64>("window.costs", saved.iter().map(|of| of.3.div_ceil(4)))?;
    for (at, (((slot, key), (used_at, room), (center, radius), n_costs), costs)) in
        saved.into_iter().zip(costs).enumerate()
    {
        let part = ("windows", at);
        let of_slot = windows.of_agent.get_mut(slot.index()).filter(|number| **number == NO_WINDOW);
        check(of_slot.is_some(), part, slot, "one window of each agent slot")?;
        of_slot.into_iter().for_each(|number| *number = at as u32);
        check(used_at <= context.tick, part, used_at, "a tick up to the present one")?;
        check(n_costs <= room && room <= room_max, part, (n_costs, room), "costs and the room for them")?;
        windows.bytes += room * 2;
        // After an edit or with another class the agent needs another window.
        let row =
            current_row(context, key.agent).filter(|&row| context.agents.slots[row] == slot && n_costs > 0);
        let class = row.map(|row| usize::from(context.agents.motion[row].class.0));
        let (path, speed_factor) = (details[slot.index()].path, speed_factors[slot.index()]);
        let present = |class: usize| WindowKey {
            path,
            revision: context.tables[class].revision(),
            speed_factor,
            ..key
        };
        let class = class.filter(|&class| key == present(class));
        let mut window = CostWindow {
            slot,
            used_at,
            key: WindowKey { path: 0, revision: NO_REVISION, ..key },
            center: CellXY::new(0, 0),
            radius: 0,
            area: Rect::new(0, 0, 0, 0),
            costs: Vec::new(),
            settled: 0,
            room,
        };
        if let Some(class) = class {
            let right = window_radius(sides[class].1);
            check(radius == right, part, radius, format_args!("{right}, the radius of its class"))?;
            check(context.grid_size.contains(center), part, center, "a cell of the map")?;
            let area = Rect::of_cell(center).grown(radius, context.grid_size);
            let n = area.width as usize * area.height as usize * usize::from(headings_of(class));
            check(n_costs == n, part, n_costs, format_args!("{n}, one cost for each pose of the window"))?;
            let costs: Vec<u16> = unpack(&costs).take(n_costs).collect();
            let known = costs.iter().filter(|&&cost| cost != UNKNOWN_SHORT);
            let settled = known.max().map_or(0, |&cost| cost.into());
            window = CostWindow { key, center, radius, area, costs, settled, ..window };
        }
        windows.list.push(window);
    }
    Ok(())
}
