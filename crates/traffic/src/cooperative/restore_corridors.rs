//! Corridors, and the agents in and before them, are read from a saved state.

use crate::cooperative::admission::{AdmissionRequest, Direction, Entrant};
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::fixed::LOOK_AHEAD_MOVES;
use crate::cooperative::plan_head::DetailFlags;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::state::Cooperative;
use crate::free_cells::{area_around, smallest_bodies};
use crate::motion::{AgentId, AgentSlot};
use crate::priority::PriorityKey;
use crate::rule_state::{RuleContext, RuleStateError};
use crate::state_reader::{PartReader, StateReader};
use crate::teams::Team;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{BitGrid, Cell, CellXY, GridSize, Rect};

/// Columns or rows that a path leads through a corridor at most: its longest side and a move before and after it.
const DIRECTION_MAX: i32 = 4096 + 2 * STEP_MAX;
/// Columns or rows that a move leads at most.
const STEP_MAX: i32 = 255;
/// Agents that have entered a corridor in a turn at most.
const ENTERED_MAX: u64 = 1 << 40;

/// The corridors by their numbers. They follow from the free cells, and these from the tables, unless an edit waits to
/// be seen by the rule.
pub(crate) fn restore_corridor_map(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let control = &mut rule.table.corridor_control;
    if let Some(free) = read_free_cells(&control.map.free, reader, context)? {
        control.map.find_all(free);
    }
    let n_cells = control.map.size.n_cells();
    let mut part = reader.part("corridor.first_cell")?;
    // A number that was never used has no cell.
    let mut first_cells = Vec::with_capacity(part.left());
    let mut unused = BTreeSet::new();
    while part.left() > 0 {
        let number = first_cells.len() as u32;
        let cell = part.u32("the index of a cell")?;
        if cell == NO_CORRIDOR {
            unused.insert(number);
        } else if cell as usize >= n_cells {
            return Err(part.wrong(format!("the index of a cell, below {n_cells}, or {NO_CORRIDOR}")));
        }
        first_cells.push(cell);
    }
    let mut part = reader.part_of("corridor.spare", unused.len())?;
    let mut spare = Vec::with_capacity(unused.len());
    while part.left() > 0 {
        let number = part.u32("a corridor")?;
        if !unused.remove(&number) {
            return Err(part.wrong("a number that no corridor has, once"));
        }
        spare.push(number);
    }
    if let Err(number) = control.map.renumber(&first_cells, &spare) {
        let expected = "the first cell of each corridor of the map, once";
        return Err(match first_cells.get(number) {
            Some(cell) => RuleStateError::of_value("corridor.first_cell", number, cell.to_string(), expected),
            None => RuleStateError::of_part("corridor.first_cell", "fewer corridors", expected),
        });
    }
    control.admission.corridors.clear();
    control.admission.corridors.resize_with(first_cells.len(), Default::default);
    for (corridor, shape) in control.admission.corridors.iter_mut().zip(&control.map.shapes) {
        corridor.width = shape.width;
    }
    Ok(())
}

/// The free cells; `None` if they agree with the tables.
fn read_free_cells(
    of_tables: &BitGrid,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<Option<BitGrid>, RuleStateError> {
    let size = of_tables.size();
    let words_of_row = size.width().div_ceil(u64::BITS);
    let mut part = reader.part_of("free_cells", words_of_row as usize * size.height() as usize)?;
    let smallest = smallest_bodies(context.tables);
    let areas = context.edited.iter().filter_map(|&area| Some(area_around(smallest?, area, size)));
    let areas: Vec<Rect> = areas.collect();
    let mut free: Option<BitGrid> = None;
    for y in 0..size.height() {
        for (number, &before) in (0..).zip(of_tables.row_words(y)) {
            let word = part.word()?;
            let mut different = word ^ before;
            while different != 0 {
                let bit = different.trailing_zeros();
                different &= different - 1;
                let cell = CellXY::new((number * u64::BITS + bit) as i32, y as i32);
                if !areas.iter().any(|area| area.contains(cell)) {
                    return Err(part.wrong(format!("free cells as on the map: {cell} differs")));
                }
                free.get_or_insert_with(|| of_tables.clone()).set(cell, word >> bit & 1 != 0);
            }
        }
    }
    Ok(free)
}

/// Turns, and the agents in corridors and before them.
pub(crate) fn restore_admission(
    rule: &mut Cooperative,
    reader: &mut StateReader<'_>,
    context: &RuleContext<'_>,
) -> Result<(), RuleStateError> {
    let PlanTable { corridor_control, heads, sides, .. } = &mut rule.table;
    let (map, corridors) = (&corridor_control.map, &mut corridor_control.admission.corridors);
    let (n_slots, size, tick) = (heads.len(), map.size, context.tick);
    let exists = |number: u32| map.shapes.get(number as usize).is_some_and(|shape| shape.n_cells > 0);
    let corridor = |part: &mut PartReader<'_>| match part.u32("a corridor")? {
        number if exists(number) => Ok(number as usize),
        _ => Err(part.wrong("a corridor of the map")),
    };
    let mut part = reader.part("corridor.turns")?;
    while part.left() > 0 {
        let number = corridor(&mut part)?;
        corridors[number].direction = direction(&mut part, DIRECTION_MAX)?;
        corridors[number].entered = part.next(0..=ENTERED_MAX, "a number of agents")? as usize;
    }
    let mut part = reader.part("corridor.inside")?;
    while part.left() > 0 {
        let number = corridor(&mut part)?;
        let entrant = entrant(&mut part, (n_slots, size), sides)?;
        corridors[number].inside.push(entrant);
    }
    let mut part = reader.part("corridor.waiting")?;
    let mut last: (usize, BTreeSet<AgentId>) = (0, BTreeSet::new());
    while part.left() > 0 {
        let number = corridor(&mut part)?;
        let entrant = entrant(&mut part, (n_slots, size), sides)?;
        if last.0 != number {
            last = (number, corridors[number].waiting.iter().map(|other| other.entrant.agent).collect());
        }
        if !last.1.insert(entrant.agent) {
            return Err(part.wrong("one request of each agent"));
        }
        let key = PriorityKey::of_words(part.word()?, part.u32("an agent id")?);
        let moves = part.u32_to(LOOK_AHEAD_MOVES, "a number of moves ahead")?;
        let asked_at = part.u32_to(tick, "a tick up to the present one")?;
        let refused = part.flag("whether it was refused")?;
        let since = part.u32_to(asked_at, "a tick up to the last request")?;
        corridors[number].waiting.push(AdmissionRequest { entrant, key, moves, asked_at, refused, since });
    }
    Ok(())
}

fn entrant(
    part: &mut PartReader<'_>,
    (n_slots, size): (usize, GridSize),
    sides: &[(u32, u32)],
) -> Result<Entrant, RuleStateError> {
    let agent = AgentId(part.u32_to(AgentId::NOBODY.0 - 1, "an agent id")?);
    let slot = AgentSlot(part.below(n_slots, "an agent slot")?);
    let direction = direction(part, DIRECTION_MAX)?;
    let width = part.u32("a width")?;
    if sides.iter().all(|&(shortest, _)| shortest != width) {
        return Err(part.wrong("the short side of a body"));
    }
    let stays = match part.next(0..=size.n_cells() as u64, "the index of a cell and one, or 0")? {
        0 => None,
        index => Some(size.xy(Cell(index as u32 - 1))),
    };
    let team = Team(part.below(Team::COUNT, "a team")? as u8);
    let friends = part.u32("a bit for each team")?;
    Ok(Entrant { agent, slot, direction, width, stays, team, friends })
}

fn direction(part: &mut PartReader<'_>, most: i32) -> Result<Direction, RuleStateError> {
    let mut along = || match part.u32("columns or rows")? as i32 {
        along if along.unsigned_abs() <= most.unsigned_abs() => Ok(along),
        _ => Err(part.wrong(format!("-{most} to {most} columns or rows, as the bits of 32"))),
    };
    Ok((along()?, along()?))
}

/// A cell by index.
pub(crate) fn cell(part: &mut PartReader<'_>, size: GridSize) -> Result<CellXY, RuleStateError> {
    Ok(size.xy(Cell(part.below(size.n_cells(), "the index of a cell")?)))
}

/// Agents are known in the corridors that they are in, and in no others. Notes which details of each are set.
pub(crate) fn check_inside(rule: &mut Cooperative, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
    let Cooperative { table, present, .. } = rule;
    let PlanTable { corridor_control, heads, details, .. } = table;
    let agents: BTreeMap<AgentSlot, AgentId> = present.iter().map(|&(id, slot)| (slot, id)).collect();
    let mut inside = BTreeSet::new();
    for (number, corridor) in (0_u32..).zip(&corridor_control.admission.corridors) {
        for entrant in &corridor.inside {
            let is_known = agents.get(&entrant.slot) == Some(&entrant.agent)
                && details[entrant.slot.index()].corridors.contains(&number)
                && inside.insert((number, entrant.slot));
            if !is_known {
                let found = format!("agent {} in corridor {number}", entrant.agent.0);
                return Err(RuleStateError::of_part(
                    "corridor.inside",
                    found,
                    "an agent that is there, once",
                ));
            }
        }
    }
    for (at, &(id, slot)) in present.iter().enumerate() {
        let (head, details) = (&mut heads[slot.index()], &details[slot.index()]);
        head.has = DetailFlags::of(details);
        let known = || details.corridors.into_iter().filter(|&corridor| corridor != NO_CORRIDOR);
        if let Some(corridor) = known().find(|&corridor| !inside.contains(&(corridor, slot))) {
            let found = format!("corridor {corridor} of agent {}", id.0);
            return Err(RuleStateError::of_part("details.corridor_1", found, "corridors that it is in"));
        }
        if details.admitted != NO_CORRIDOR && !known().any(|corridor| corridor == details.admitted) {
            let (found, expected) = (details.admitted.to_string(), "a corridor of the agent");
            return Err(RuleStateError::of_value("details.admitted", at, found, expected));
        }
        // The corridors under its body. After an edit or with another class these are others.
        let row = context.agents.row(id).filter(|&row| !context.reclassed.contains(&(row as u32)));
        let Some(row) = row.filter(|_| context.edited.is_empty() && details.corridors.contains(&NO_CORRIDOR))
        else {
            continue;
        };
        let motion = &context.agents.motion[row];
        let tables = &context.tables[motion.class.0 as usize];
        let pose = tables.space().pose(motion.state);
        for offset in tables.class().cells_at(pose) {
            let corridor = corridor_control.map.at_anchor(offset.cell_from(pose.cell));
            if corridor != NO_CORRIDOR && !inside.contains(&(corridor, slot)) {
                let found = format!("agent {} not in corridor {corridor}", id.0);
                return Err(RuleStateError::of_part("corridor.inside", found, "it, for it stands there"));
            }
        }
    }
    Ok(())
}
