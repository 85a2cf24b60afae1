//! A tick of a recording as bytes: what follows from the frame before it is not written.
//!
//! First the events that are no moves, each with a tag and its agent as the difference from the one before.
//! Then the moves. Most agents in mid-move go on with the next move of their path, at once, for as long as
//! the move before: so each agent whose move ended at the tick has one byte, 0 if it rests, 1 if it goes
//! on just so; the others that start are listed. Last come lists of rows: who began or ceased to wait, whose
//! current order is another, whose path was dropped. Runs of equal bytes are for deflate.

use crate::recording::header::Header;
use crate::recording::record::{Event, PathRun, RecordedEdit, RecordedSet, TickRecord};
use crate::recording::recorded_agents::{
    NONE, PATH_RUNS_MAX, RecordedAgents, check_pose, known_order, put_run,
};
use crate::scenario::EVENTS_MAX;
use wheelbase_grid::{CellXY, Rect};
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{AgentId, ClassId, Counters, OnAgents};

/// The flag of the tick at which a run ended.
pub(super) const ENDED: u8 = 1;

/// Most events of a tick that are no moves: 16 of each agent of the largest simulation.
const TICK_EVENTS_MAX: u64 = 1 << 24;

const SPAWN: u8 = 0;
const REMOVE: u8 = 1;
const ORDER: u8 = 2;
const DONE: u8 = 3;
const UNREACHABLE: u8 = 4;
const PATH: u8 = 5;
const EDIT: u8 = 6;
const TASK: u8 = 7;
const TASK_DONE: u8 = 8;

/// The agent rests on.
const RESTS: u8 = 0;
/// The next move of its path for as long as expected, or for a time that follows.
const NEXT: u8 = 1;
const NEXT_TICKS: u8 = 2;
/// Another primitive: this and twice its number for as long as expected; one more if a time follows.
const OTHER: u8 = 3;

/// Writes numbers.
pub(super) trait Put {
    fn byte(&mut self, byte: u8);

    /// Seven bits a byte, lowest first.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    /// A difference: small for a small one of either sign.
    fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63) as u64);
    }
}

impl Put for Vec<u8> {
    fn byte(&mut self, byte: u8) {
        self.push(byte);
    }
}

/// Reads numbers.
#[derive(Debug)]
pub(super) struct Take<'a>(pub &'a [u8]);

impl Take<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let (&byte, rest) = self.0.split_first().ok_or("a tick lacks its end")?;
        self.0 = rest;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, String> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            number |= bits << shift;
            if number >> shift != bits {
                break;
            }
            if byte < 0x80 {
                let longer = byte == 0 && shift > 0;
                return if longer {
                    Err("a number in more bytes than it takes".to_owned())
                } else {
                    Ok(number)
                };
            }
        }
        Err("a number of more than 64 bits".to_owned())
    }

    fn small(&mut self) -> Result<u32, String> {
        u32::try_from(self.number()?).map_err(|_| "a number of more than 32 bits".to_owned())
    }

    fn signed(&mut self) -> Result<i64, String> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The flags of a tick: whether the run ended at it.
    pub(super) fn flags(&mut self) -> Result<bool, String> {
        match self.byte()? {
            flags @ (0 | ENDED) => Ok(flags == ENDED),
            other => Err(format!("unknown flags {:#04x}, expected 0 or {ENDED:#04x}", other & !ENDED)),
        }
    }

    /// Number of entries of a list, each of which takes so many bytes or more.
    fn count(&mut self, bytes_each: usize) -> Result<u64, String> {
        let (count, left) = (self.number()?, self.0.len());
        let fits = count <= (left / bytes_each) as u64;
        if fits { Ok(count) } else { Err(format!("a list of {count} where {left} bytes are left")) }
    }

    /// A number that is the sum of one before and a difference.
    fn after(&mut self, before: u32) -> Result<u32, String> {
        let sum = i64::from(before).checked_add(self.signed()?);
        sum.and_then(|sum| u32::try_from(sum).ok()).ok_or_else(|| "a number below 0".to_owned())
    }

    /// A cell on the map.
    fn cell_on(&mut self, header: &Header, before: CellXY) -> Result<CellXY, String> {
        let cell = self.cell_after(before)?;
        let on_map = header.map.index(cell).is_some();
        if on_map { Ok(cell) } else { Err(format!("cell {cell}, which is off the map")) }
    }

    fn cell_after(&mut self, before: CellXY) -> Result<CellXY, String> {
        let mut of = |before: i32| {
            let sum = i64::from(before).checked_add(self.signed()?);
            sum.and_then(|sum| i32::try_from(sum).ok()).ok_or_else(|| "a cell off all maps".to_owned())
        };
        Ok(CellXY::new(of(before.x)?, of(before.y)?))
    }

    fn hash(&mut self) -> Result<u64, String> {
        let (head, rest) = self.0.split_first_chunk::<8>().ok_or("a tick lacks its hash")?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*head))
    }
}

/// What numbers of one event are written as differences from; each tick begins anew.
struct Before {
    agent: u32,
    order: u32,
    cell: CellXY,
}

const ORIGIN: CellXY = CellXY::new(0, 0);

impl Before {
    const START: Self = Self { agent: 0, order: 0, cell: ORIGIN };
}

fn put_cell(out: &mut Vec<u8>, before: CellXY, cell: CellXY) {
    out.signed(i64::from(cell.x) - i64::from(before.x));
    out.signed(i64::from(cell.y) - i64::from(before.y));
}

fn put_agent(out: &mut Vec<u8>, before: &mut Before, tag: u8, agent: AgentId) {
    out.byte(tag);
    out.signed(i64::from(agent.0) - i64::from(before.agent));
    before.agent = agent.0;
}

/// Writes the events up to the moves, and lets them take effect on the frame.
///
/// # Errors
/// What is impossible about one: of our own events none is.
pub(super) fn put_events(
    record: &TickRecord,
    n_events: usize,
    frame: &mut RecordedAgents,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    if n_events as u64 > TICK_EVENTS_MAX {
        return Err(too_many_events(n_events as u64));
    }
    out.number(n_events as u64);
    let mut before = Before::START;
    for event in &record.events[..n_events] {
        match *event {
            Event::Spawn { agent, class, pose } => {
                put_agent(out, &mut before, SPAWN, agent);
                out.byte(class.0);
                put_cell(out, before.cell, pose.cell);
                out.byte(pose.heading.0);
                before.cell = pose.cell;
            }
            Event::Remove { agent } => put_agent(out, &mut before, REMOVE, agent),
            Event::Order { agent, order } => {
                put_agent(out, &mut before, ORDER, agent);
                out.signed(i64::from(order) - i64::from(before.order));
                before.order = order;
            }
            Event::Done { agent, kind } => {
                put_agent(out, &mut before, DONE, agent);
                out.byte(kind);
            }
            Event::Unreachable { agent, kind } => {
                put_agent(out, &mut before, UNREACHABLE, agent);
                out.byte(kind);
            }
            Event::Path { agent, first, count, .. } => {
                put_agent(out, &mut before, PATH, agent);
                out.number(count.into());
                record.runs_of_path(first, count).iter().for_each(|run| out.number(run.to_number().into()));
            }
            Event::Task { agent, cell, heading } => {
                put_agent(out, &mut before, TASK, agent);
                put_cell(out, before.cell, cell);
                out.byte(heading.map_or(0, |heading| heading.0 + 1));
                before.cell = cell;
            }
            Event::TaskDone { agent, cell } => {
                put_agent(out, &mut before, TASK_DONE, agent);
                put_cell(out, before.cell, cell);
                before.cell = cell;
            }
            Event::Edit(edit) => put_edit(&edit, out),
            Event::Move { .. } | Event::Wait { .. } | Event::Current { .. } => {}
        }
        frame.apply(event, record)?;
    }
    frame.close_up()
}

fn too_many_events(found: u64) -> String {
    format!("{found} events at one tick, expected at most {TICK_EVENTS_MAX}")
}

fn put_area(out: &mut Vec<u8>, area: Rect) {
    put_cell(out, ORIGIN, CellXY::new(area.x, area.y));
    out.number(area.width.into());
    out.number(area.height.into());
}

/// Writes an edit with its tag.
pub(super) fn put_edit(edit: &RecordedEdit, out: &mut Vec<u8>) {
    out.byte(EDIT);
    out.byte(match edit.on_agents {
        OnAgents::Wait => 0,
        OnAgents::Strand => 1,
        OnAgents::Remove => 2,
    });
    out.number(edit.asked.into());
    match edit.set {
        RecordedSet::Terrain { area, kind } => {
            out.byte(0);
            put_area(out, area);
            out.byte(kind);
        }
        RecordedSet::Elevation { area, height } => {
            out.byte(1);
            put_area(out, area);
            out.signed(height.into());
        }
        RecordedSet::Sides { cell, kinds } => {
            out.byte(2);
            put_cell(out, ORIGIN, cell);
            for kind in kinds {
                out.byte(kind.map_or(0, |kind| kind + 1));
            }
        }
    }
}

/// Reads an edit behind its tag.
fn take_edit(bytes: &mut Take<'_>, header: &Header) -> Result<RecordedEdit, String> {
    let on_agents = match bytes.byte()? {
        0 => OnAgents::Wait,
        1 => OnAgents::Strand,
        2 => OnAgents::Remove,
        other => return Err(format!("an edit that does {other} with agents")),
    };
    let asked = bytes.small()?;
    let area = |bytes: &mut Take<'_>| {
        let corner = bytes.cell_after(ORIGIN)?;
        let area = Rect::new(corner.x, corner.y, bytes.small()?, bytes.small()?);
        let on_map = area.intersection(Rect::new(0, 0, header.map.width, header.map.height)) == area;
        if on_map { Ok(area) } else { Err("an edit off the map".to_owned()) }
    };
    let set = match bytes.byte()? {
        0 => {
            let (area, kind) = (area(bytes)?, bytes.byte()?);
            if usize::from(kind) >= header.terrain_kinds.len() {
                return Err(format!("terrain kind {kind}, expected one of {}", header.terrain_kinds.len()));
            }
            RecordedSet::Terrain { area, kind }
        }
        1 => {
            let (area, height) = (area(bytes)?, bytes.signed()?);
            let height = i16::try_from(height).map_err(|_| format!("height {height}"))?;
            RecordedSet::Elevation { area, height }
        }
        2 => {
            let cell = bytes.cell_on(header, ORIGIN)?;
            let mut kinds = [None; 6];
            for (side, kind) in kinds.iter_mut().enumerate() {
                *kind = bytes.byte()?.checked_sub(1);
                let known = |kind: u8| {
                    usize::from(kind) < header.side_kinds.len() && side < header.grid_shape().sides().len()
                };
                if let Some(kind) = kind.filter(|&kind| !known(kind)) {
                    return Err(format!(
                        "side {side} of kind {kind}, expected one of {}",
                        header.side_kinds.len()
                    ));
                }
            }
            RecordedSet::Sides { cell, kinds }
        }
        other => return Err(format!("an edit of kind {other}")),
    };
    Ok(RecordedEdit { set, on_agents, asked })
}

/// What is said of more edits than a scenario can ask for.
pub(super) fn too_many_edits() -> String {
    format!("more than {EVENTS_MAX} edits of the map, the most that a scenario may have")
}

/// Reads edits that stand one behind the other.
pub(super) fn take_edit_list(bytes: &[u8], header: &Header) -> Result<Vec<RecordedEdit>, String> {
    let (mut bytes, mut edits) = (Take(bytes), Vec::new());
    while !bytes.0.is_empty() {
        if bytes.byte()? != EDIT {
            return Err("something else among the edits".to_owned());
        }
        if edits.len() == EVENTS_MAX {
            return Err(too_many_edits());
        }
        edits.push(take_edit(&mut bytes, header)?);
    }
    Ok(edits)
}

/// Reads the events up to the moves, and lets them take effect on the frame.
pub(super) fn take_events(
    bytes: &mut Take<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    // A tag and an agent or more.
    let n_events = bytes.count(2)?;
    if n_events > TICK_EVENTS_MAX {
        return Err(too_many_events(n_events));
    }
    let (mut before, mut any_placed) = (Before::START, false);
    for _ in 0..n_events {
        let tag = bytes.byte()?;
        let agent = if tag == EDIT { AgentId(NONE) } else { AgentId(bytes.after(before.agent)?) };
        if tag != EDIT {
            before.agent = agent.0;
        }
        let kind_of_order = |kind: u8| {
            let known = usize::from(kind) < header.order_kinds.len();
            if known { Ok(kind) } else { Err(format!("order kind {kind}")) }
        };
        let event = match tag {
            SPAWN => {
                let class = ClassId(bytes.byte()?);
                let cell = bytes.cell_after(before.cell)?;
                before.cell = cell;
                let pose = Pose { cell, heading: Heading(bytes.byte()?) };
                check_pose(header, class, pose)?;
                any_placed = true;
                Event::Spawn { agent, class, pose }
            }
            REMOVE => Event::Remove { agent },
            ORDER => {
                before.order = known_order(bytes.after(before.order)?, header)?;
                Event::Order { agent, order: before.order }
            }
            DONE => Event::Done { agent, kind: kind_of_order(bytes.byte()?)? },
            UNREACHABLE => Event::Unreachable { agent, kind: kind_of_order(bytes.byte()?)? },
            PATH => {
                let row = frame.row(agent).ok_or_else(|| format!("agent {} is not there", agent.0))?;
                let class = &header.classes[usize::from(frame.classes[row].0)];
                let first = record.path_runs.len();
                let count = bytes.count(1)? as usize;
                if first + count > PATH_RUNS_MAX {
                    return Err(format!(
                        "paths of more than {PATH_RUNS_MAX} runs of equal moves at one tick"
                    ));
                }
                for _ in 0..count {
                    put_run(PathRun::of_number(bytes.small()?), class, first, &mut record.path_runs)?;
                }
                Event::Path { agent, from: frame.motion[row].to, first: first as u32, count: count as u32 }
            }
            TASK => {
                before.cell = bytes.cell_on(header, before.cell)?;
                let heading = bytes.byte()?.checked_sub(1).map(Heading);
                let row = frame.row(agent).ok_or_else(|| format!("agent {} is not there", agent.0))?;
                if let Some(heading) = heading {
                    let pose = Pose { cell: before.cell, heading };
                    check_pose(header, frame.classes[row], pose)?;
                }
                Event::Task { agent, cell: before.cell, heading }
            }
            TASK_DONE => {
                before.cell = bytes.cell_on(header, before.cell)?;
                Event::TaskDone { agent, cell: before.cell }
            }
            EDIT => Event::Edit(take_edit(bytes, header)?),
            other => return Err(format!("an event of kind {other}")),
        };
        frame.apply(&event, record)?;
        record.events.push(event);
    }
    frame.close_up()?;
    if any_placed { frame.check_room(header) } else { Ok(()) }
}

/// Writes the moves of a tick, which stand from `first` on in order of id, and lets them take effect.
/// `late` is room for those of agents that rested.
pub(super) fn put_moves(
    record: &TickRecord,
    first: usize,
    header: &Header,
    frame: &mut RecordedAgents,
    late: &mut Vec<(u32, u32)>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    late.clear();
    let (mut next, n_rows) = (first, frame.len());
    for row in 0..n_rows {
        let starts = record.events.get(next).is_some_and(|event| event.agent() == Some(frame.ids[row]));
        let due = frame.motion[row].end == frame.tick;
        match (due, starts) {
            (true, true) => put_move(&record.events[next], row, header, frame, record, out)?,
            (true, false) => out.byte(RESTS),
            (false, true) => late.push((row as u32, next as u32)),
            (false, false) => {}
        }
        next += usize::from(starts);
    }
    if next != record.events.len() {
        return Err("a move of an agent that is not there".to_owned());
    }
    out.number(late.len() as u64);
    let mut row_before = 0;
    for &(row, at) in &*late {
        out.number((row - row_before).into());
        row_before = row;
        put_move(&record.events[at as usize], row as usize, header, frame, record, out)?;
    }
    Ok(())
}

fn put_move(
    event: &Event,
    row: usize,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &TickRecord,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let Event::Move { primitive, end, .. } = *event else { return Err("no move".to_owned()) };
    let class = &header.classes[usize::from(frame.classes[row].0)];
    let ticks = end - frame.tick;
    let expected = ticks == frame.expected_ticks(row, class, primitive);
    let next = frame.next_move(row) == Some(primitive);
    out.byte(match (next, expected) {
        (true, true) => NEXT,
        (true, false) => NEXT_TICKS,
        (false, expected) => OTHER + 2 * primitive + u8::from(!expected),
    });
    if !expected {
        out.number(ticks.into());
    }
    frame.apply(event, record)
}

/// Reads the moves of a tick, and lets them take effect on the frame.
pub(super) fn take_moves(
    bytes: &mut Take<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    let first = record.events.len();
    frame.for_each_due(|frame, row| {
        let symbol = bytes.byte()?;
        take_move(symbol, row, bytes, header, frame, record)
    })?;
    let mut rows = Rows::default();
    for _ in 0..bytes.number()? {
        let row = rows.take(bytes, frame)?;
        let symbol = bytes.byte()?;
        if symbol == RESTS {
            return Err("a row among the moves that begins none".to_owned());
        }
        take_move(symbol, row, bytes, header, frame, record)?;
    }
    record.events[first..].sort_unstable_by_key(Event::agent);
    Ok(())
}

/// Rows that rise, so that a list has no more of them than there are agents.
#[derive(Default)]
struct Rows {
    /// The one after the last.
    next: usize,
}

impl Rows {
    fn take(&mut self, bytes: &mut Take<'_>, frame: &RecordedAgents) -> Result<usize, String> {
        let more = bytes.small()? as usize;
        let row = if self.next == 0 { Some(more) } else { (self.next - 1).checked_add(more) };
        let row = row.filter(|row| (self.next..frame.len()).contains(row));
        let row = row.ok_or_else(|| format!("a row that is none of {} in their order", frame.len()))?;
        self.next = row + 1;
        Ok(row)
    }
}

fn take_move(
    symbol: u8,
    row: usize,
    bytes: &mut Take<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    let (primitive, expected) = match symbol {
        RESTS => return Ok(()),
        NEXT | NEXT_TICKS => {
            let next = frame.next_move(row);
            (next.ok_or("a move of a path that has none")?, symbol == NEXT)
        }
        other => ((other - OTHER) / 2, (other - OTHER).is_multiple_of(2)),
    };
    let agent = frame.ids[row];
    let class = &header.classes[usize::from(frame.classes[row].0)];
    let ticks = if expected { frame.expected_ticks(row, class, primitive) } else { bytes.small()? };
    let from = frame.pose(row);
    let to = class.after(from, primitive).filter(|to| header.map.index(to.cell).is_some());
    let impossible = || format!("a move of agent {} that leads nowhere", agent.0);
    let end = frame.tick.checked_add(ticks).ok_or_else(impossible)?;
    let event = Event::Move { agent, primitive, from, to: to.ok_or_else(impossible)?, end };
    frame.apply(&event, record)?;
    record.events.push(event);
    Ok(())
}

/// Writes the rest of a tick: the lists of rows behind `first`, the counters and the hash.
pub(super) fn put_rest(
    record: &TickRecord,
    first: usize,
    frame: &mut RecordedAgents,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let rest = &record.events[first..];
    let n_waits = rest.iter().take_while(|event| matches!(event, Event::Wait { .. })).count();
    let (waits, rest) = rest.split_at(n_waits);
    let n_orders = rest.iter().take_while(|event| matches!(event, Event::Current { .. })).count();
    let (orders, drops) = rest.split_at(n_orders);
    for (number, list) in [waits, orders, drops].into_iter().enumerate() {
        out.number(list.len() as u64);
        let mut before = 0;
        for event in list {
            let row = event.agent().and_then(|agent| frame.row(agent)).ok_or("an agent that is not there")?;
            out.number((row - before) as u64);
            before = row;
            match *event {
                Event::Wait { since, .. } if since == NONE => out.number(0),
                Event::Wait { since, .. } => out.number(u64::from(frame.tick.wrapping_sub(since)) + 1),
                Event::Current { order, .. } => {
                    out.signed(i64::from(order as i32) - i64::from(frame.orders[row] as i32));
                }
                Event::Path { count: 0, .. } if number == 2 => {}
                _ => return Err("events out of order".to_owned()),
            }
            frame.apply(event, record)?;
        }
    }
    for (value, before) in record.counters.values().into_iter().zip(frame.counters.values()) {
        out.signed(value.wrapping_sub(before) as i64);
    }
    frame.counters = record.counters;
    out.extend_from_slice(&record.state_hash.to_le_bytes());
    Ok(())
}

/// Reads the rest of a tick.
pub(super) fn take_rest(
    bytes: &mut Take<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    for number in 0..3 {
        let mut rows = Rows::default();
        for _ in 0..bytes.number()? {
            let row = rows.take(bytes, frame)?;
            let agent = frame.ids[row];
            let event = match number {
                0 => match bytes.number()? {
                    0 => Event::Wait { agent, since: NONE },
                    ago => {
                        let ago = u32::try_from(ago - 1).map_err(|_| "a wait before all ticks".to_owned())?;
                        Event::Wait { agent, since: frame.tick.wrapping_sub(ago) }
                    }
                },
                1 => {
                    let order = i64::from(frame.orders[row] as i32).checked_add(bytes.signed()?);
                    let order = order.and_then(|order| i32::try_from(order).ok()).ok_or("no order")?;
                    Event::Current { agent, order: known_order(order as u32, header)? }
                }
                _ => Event::Path { agent, from: frame.motion[row].to, first: 0, count: 0 },
            };
            frame.apply(&event, record)?;
            record.events.push(event);
        }
    }
    let mut values = frame.counters.values();
    for value in &mut values {
        *value = value.wrapping_add(bytes.signed()? as u64);
    }
    record.counters = Counters::of_values(values).ok_or("counters that are too large")?;
    if record.counters.agents as usize != frame.len() {
        return Err(format!("{} agents are counted, {} are there", record.counters.agents, frame.len()));
    }
    frame.counters = record.counters;
    record.state_hash = bytes.hash()?;
    Ok(())
}
