//! The bytes of a tick. What follows from the frame, the agents after the tick before, is left out.
//!
//! First come the commands given before the tick, the decisions of a rule from outside, and the texts of the orders
//! that were stored. Then the events other than moves, each a tag and its agent as a difference from the previous one.
//! Then the moves: most agents that end a move begin the next one of their path immediately, of equal length. So each
//! agent whose move ends at the tick has one byte, 0 if it rests and 1 if it goes on that way. Other agents that begin
//! a move are listed. Last come lists of rows with a changed wait, a changed current order or a dropped path. Runs of
//! equal bytes are left to deflate.

use crate::recording::command_code::{decode_commands, encode_commands};
use crate::recording::decision_code::{decode_decisions, encode_decisions};
use crate::recording::header::Header;
use crate::recording::order_texts::{put_text, take_text};
use crate::recording::record::{Event, PathRun, RunRange, TickRecord};
use crate::recording::recorded_agents::{NONE, PATH_RUNS_MAX, RecordedAgents, check_pose, push_run};
use crate::varint::{self, VarintError};
use wheelbase_grid::{CellXY, Rect, SideKind, TerrainKind};
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{
    AgentId, AppliedEdit, AtDeadline, ClassId, Counters, EditEffect, OnAgents, RefusalReason, Team, Ticket,
    USUAL_SPEED_PERMILLE,
};

/// Flag of the tick at which a run ended.
const ENDED: u8 = 1;

/// Most events of a tick other than moves: 16 for each agent of the largest simulation.
const TICK_EVENTS_MAX: u64 = 1 << 24;
/// Most edits in force together, and most of a chunk in addition.
pub(super) const EDITS_MAX: usize = 1 << 20;

const SPAWN: u8 = 0;
const REMOVE: u8 = 1;
const ORDER: u8 = 2;
const DONE: u8 = 3;
const UNREACHABLE: u8 = 4;
const PATH: u8 = 5;
const EDIT: u8 = 6;
const TASK: u8 = 7;
const TASK_DONE: u8 = 8;
/// With a team and a speed factor other than the usual ones.
const SPAWN_UNUSUAL: u8 = 9;
const ORDER_BEHIND: u8 = 10;
/// Of a command about an agent, and about none.
const REFUSED_AGENT: u8 = 11;
const REFUSED: u8 = 12;
const PRIORITY: u8 = 13;
const TEAM: u8 = 14;
const SPEED_FACTOR: u8 = 15;
const CLASS: u8 = 16;
const TASKS_REPLACED: u8 = 17;
const ENTER: u8 = 18;
const LEAVE: u8 = 19;

/// The agent rests.
const RESTS: u8 = 0;
/// The next move of its path, in the expected time.
const NEXT: u8 = 1;
/// The next move of its path; its time follows.
const NEXT_TICKS: u8 = 2;
/// Another primitive: this plus twice its number, in the expected time; one more if its time follows.
const OTHER: u8 = 3;

/// Reads the bytes of ticks and of edits.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    /// The bytes that are left.
    pub bytes: &'a [u8],
}

impl Decoder<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let (&byte, rest) = self.bytes.split_first().ok_or(TRUNCATED)?;
        self.bytes = rest;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, String> {
        varint::read(&mut self.bytes).map_err(varint_message)
    }

    fn number_u32(&mut self) -> Result<u32, String> {
        u32::try_from(self.number()?).map_err(|_| "a number of more than 32 bits".to_owned())
    }

    fn signed(&mut self) -> Result<i64, String> {
        varint::read_signed(&mut self.bytes).map_err(varint_message)
    }

    /// The flags of a tick: whether the run ended at it.
    fn flags(&mut self) -> Result<bool, String> {
        match self.byte()? {
            flags @ (0 | ENDED) => Ok(flags == ENDED),
            other => Err(format!("unknown flags {:#04x}, expected 0 or {ENDED:#04x}", other & !ENDED)),
        }
    }

    /// Length of a list whose entries take at least `entry_bytes` each.
    fn list_len(&mut self, entry_bytes: usize) -> Result<u64, String> {
        let (count, left) = (self.number()?, self.bytes.len());
        let fits = count <= (left / entry_bytes) as u64;
        if fits { Ok(count) } else { Err(format!("a list of {count} where {left} bytes are left")) }
    }

    /// A number stored as its difference from `base`.
    fn number_from(&mut self, base: u32) -> Result<u32, String> {
        let sum = i64::from(base).checked_add(self.signed()?);
        sum.and_then(|sum| u32::try_from(sum).ok()).ok_or_else(|| "a number below 0".to_owned())
    }

    /// A cell stored as its difference from `base`.
    fn cell_from(&mut self, base: CellXY) -> Result<CellXY, String> {
        let mut coordinate = |base: i32| {
            let sum = i64::from(base).checked_add(self.signed()?);
            sum.and_then(|sum| i32::try_from(sum).ok()).ok_or_else(|| "a cell off all maps".to_owned())
        };
        Ok(CellXY::new(coordinate(base.x)?, coordinate(base.y)?))
    }

    /// As [`Self::cell_from`], on the map.
    fn cell_on_map(&mut self, header: &Header, base: CellXY) -> Result<CellXY, String> {
        let cell = self.cell_from(base)?;
        let on_map = header.map.index(cell).is_some();
        if on_map { Ok(cell) } else { Err(format!("cell {cell}, which is off the map")) }
    }

    fn hash(&mut self) -> Result<u64, String> {
        let (head, rest) = self.bytes.split_first_chunk::<8>().ok_or("a tick lacks its hash")?;
        self.bytes = rest;
        Ok(u64::from_le_bytes(*head))
    }
}

const TRUNCATED: &str = "a tick lacks its end";

fn varint_message(error: VarintError) -> String {
    match error {
        VarintError::Truncated => TRUNCATED.to_owned(),
        other => other.to_string(),
    }
}

/// The values that the next event of a tick is stored as a difference from.
struct DeltaBase {
    agent: u32,
    order: u32,
    cell: CellXY,
}

const ORIGIN: CellXY = CellXY::new(0, 0);

impl DeltaBase {
    /// Before the first event of each tick.
    const START: Self = Self { agent: 0, order: 0, cell: ORIGIN };
}

fn encode_cell(out: &mut Vec<u8>, base: CellXY, cell: CellXY) {
    varint::put_signed(out, i64::from(cell.x) - i64::from(base.x));
    varint::put_signed(out, i64::from(cell.y) - i64::from(base.y));
}

/// Writes what stands before the events of a tick: its flags, commands, decisions and new orders, whose texts it adds
/// to the frame. `bytes` is scratch.
/// # Errors
/// It exceeds the limits.
pub(super) fn encode_head(
    record: &TickRecord,
    ended: bool,
    header: &Header,
    frame: &mut RecordedAgents,
    bytes: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    out.push(if ended { ENDED } else { 0 });
    encode_commands(&record.commands, bytes, out)?;
    if header.rule_is_outside() {
        encode_decisions(&record.decisions, out);
    }
    varint::put(out, record.new_orders.len() as u64);
    for (_, text) in &record.new_orders {
        frame.texts.announce(text)?;
        put_text(text, out);
    }
    Ok(())
}

/// Reads what stands before the events of a tick. Gives whether the run ended at it.
pub(super) fn decode_head(
    bytes: &mut Decoder<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<bool, String> {
    let ended = bytes.flags()?;
    decode_commands(&mut bytes.bytes, &mut record.commands)?;
    if header.rule_is_outside() {
        decode_decisions(&mut bytes.bytes, &mut record.decisions)?;
    }
    // A length and a byte each.
    for _ in 0..bytes.list_len(2)? {
        let (number, text) = (frame.texts.next(), take_text(&mut bytes.bytes)?);
        frame.texts.announce(text)?;
        record.new_orders.push((number, text.to_owned()));
    }
    Ok(ended)
}

/// Writes the events other than moves, the first `n_events`, and applies them to the frame.
///
/// # Errors
/// The reason why an event is impossible; none of ours is.
pub(super) fn encode_events(
    record: &TickRecord,
    n_events: usize,
    frame: &mut RecordedAgents,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    if n_events as u64 > TICK_EVENTS_MAX {
        return Err(too_many_events(n_events as u64));
    }
    varint::put(out, n_events as u64);
    let mut base = DeltaBase::START;
    for event in &record.events[..n_events] {
        encode_event(event, record, &mut base, out);
        frame.apply(event, record)?;
    }
    frame.remove_gone()
}

fn encode_event(event: &Event, record: &TickRecord, base: &mut DeltaBase, out: &mut Vec<u8>) {
    let mut head = |tag: u8, agent: AgentId, out: &mut Vec<u8>| {
        out.push(tag);
        varint::put_signed(out, i64::from(agent.0) - i64::from(base.agent));
        base.agent = agent.0;
    };
    match *event {
        Event::Spawn { agent, class, pose, team, speed_factor } => {
            let usual = (team, speed_factor) == (Team::default(), USUAL_SPEED_PERMILLE);
            head(if usual { SPAWN } else { SPAWN_UNUSUAL }, agent, out);
            encode_pose(class, pose, base, out);
            if !usual {
                out.push(team.0);
                varint::put(out, speed_factor.into());
            }
        }
        Event::Remove { agent } => head(REMOVE, agent, out),
        Event::Order { agent, order, append } => {
            head(if append { ORDER_BEHIND } else { ORDER }, agent, out);
            varint::put_signed(out, i64::from(order) - i64::from(base.order));
            base.order = order;
        }
        Event::Done { agent, kind } => {
            head(DONE, agent, out);
            out.push(kind);
        }
        Event::Unreachable { agent, kind } => {
            head(UNREACHABLE, agent, out);
            out.push(kind);
        }
        Event::Path { agent, runs, .. } => {
            head(PATH, agent, out);
            varint::put(out, runs.count.into());
            record.runs_of_path(runs).iter().for_each(|run| varint::put(out, run.to_number().into()));
        }
        Event::Task { agent, cell, heading } => {
            head(TASK, agent, out);
            encode_cell(out, base.cell, cell);
            out.push(heading.map_or(0, |heading| heading.0 + 1));
            base.cell = cell;
        }
        Event::TaskDone { agent, cell } => {
            head(TASK_DONE, agent, out);
            encode_cell(out, base.cell, cell);
            base.cell = cell;
        }
        Event::Refused { ticket, agent, reason } => {
            match agent {
                Some(agent) => head(REFUSED_AGENT, agent, out),
                None => out.push(REFUSED),
            }
            varint::put(out, ticket.0);
            out.push(reason as u8);
        }
        Event::Priority { agent, priority } => {
            head(PRIORITY, agent, out);
            varint::put_signed(out, priority.into());
        }
        Event::Team { agent, team } => {
            head(TEAM, agent, out);
            out.push(team.0);
        }
        Event::SpeedFactor { agent, permille } => {
            head(SPEED_FACTOR, agent, out);
            varint::put(out, permille.into());
        }
        Event::Class { agent, class, pose } => {
            head(CLASS, agent, out);
            encode_pose(class, pose, base, out);
        }
        Event::TasksReplaced { agent } => head(TASKS_REPLACED, agent, out),
        Event::Enter { agent, container } => {
            head(ENTER, agent, out);
            // The number after that of no agent is 0.
            varint::put(out, container.0.wrapping_add(1).into());
        }
        Event::Leave { agent, class, pose, team, speed_factor } => {
            head(LEAVE, agent, out);
            encode_pose(class, pose, base, out);
            out.push(team.0);
            varint::put(out, speed_factor.into());
        }
        Event::Edit(edit) => encode_edit(&edit, out),
        Event::Move { .. } | Event::Wait { .. } | Event::Current { .. } => {}
    }
}

fn encode_pose(class: ClassId, pose: Pose, base: &mut DeltaBase, out: &mut Vec<u8>) {
    out.push(class.0);
    encode_cell(out, base.cell, pose.cell);
    out.push(pose.heading.0);
    base.cell = pose.cell;
}

fn too_many_events(found: u64) -> String {
    format!("{found} events at one tick, expected at most {TICK_EVENTS_MAX}")
}

fn encode_area(out: &mut Vec<u8>, area: Rect) {
    encode_cell(out, ORIGIN, CellXY::new(area.x, area.y));
    varint::put(out, area.width.into());
    varint::put(out, area.height.into());
}

/// Writes an edit with its tag.
pub(super) fn encode_edit(edit: &AppliedEdit, out: &mut Vec<u8>) {
    out.push(EDIT);
    let (on_agents, deadline) = match edit.on_agents {
        OnAgents::Wait => (0, None),
        OnAgents::Strand => (1, None),
        OnAgents::Remove => (2, None),
        OnAgents::WaitUntil { deadline, then: AtDeadline::Strand } => (3, Some(deadline)),
        OnAgents::WaitUntil { deadline, then: AtDeadline::Remove } => (4, Some(deadline)),
    };
    out.push(on_agents);
    if let Some(deadline) = deadline {
        varint::put(out, deadline.into());
    }
    varint::put(out, edit.asked.into());
    varint::put(out, edit.part.into());
    match edit.effect {
        EditEffect::Terrain { area, kind } => {
            out.push(0);
            encode_area(out, area);
            out.push(kind.0);
        }
        EditEffect::Elevation { area, height } => {
            out.push(1);
            encode_area(out, area);
            varint::put_signed(out, height.into());
        }
        EditEffect::Sides { cell, kinds } => {
            out.push(2);
            encode_cell(out, ORIGIN, cell);
            for kind in kinds {
                out.push(kind.map_or(0, |kind| kind.0 + 1));
            }
        }
    }
}

/// Reads an edit after its tag.
fn decode_edit(bytes: &mut Decoder<'_>, header: &Header) -> Result<AppliedEdit, String> {
    let on_agents = match bytes.byte()? {
        0 => OnAgents::Wait,
        1 => OnAgents::Strand,
        2 => OnAgents::Remove,
        3 => OnAgents::WaitUntil { deadline: bytes.number_u32()?, then: AtDeadline::Strand },
        4 => OnAgents::WaitUntil { deadline: bytes.number_u32()?, then: AtDeadline::Remove },
        other => return Err(format!("an edit that does {other} with agents")),
    };
    let (asked, part) = (bytes.number_u32()?, bytes.number_u32()?);
    let area = |bytes: &mut Decoder<'_>| {
        let corner = bytes.cell_from(ORIGIN)?;
        let area = Rect::new(corner.x, corner.y, bytes.number_u32()?, bytes.number_u32()?);
        let on_map = area.intersection(Rect::new(0, 0, header.map.width, header.map.height)) == area;
        if on_map { Ok(area) } else { Err("an edit off the map".to_owned()) }
    };
    let effect = match bytes.byte()? {
        0 => {
            let (area, kind) = (area(bytes)?, bytes.byte()?);
            if usize::from(kind) >= header.terrain_kinds.len() {
                return Err(format!("terrain kind {kind}, expected one of {}", header.terrain_kinds.len()));
            }
            EditEffect::Terrain { area, kind: TerrainKind(kind) }
        }
        1 => {
            let (area, height) = (area(bytes)?, bytes.signed()?);
            let height = i16::try_from(height).map_err(|_| format!("height {height}"))?;
            EditEffect::Elevation { area, height }
        }
        2 => {
            let cell = bytes.cell_on_map(header, ORIGIN)?;
            let mut kinds = [None; 6];
            for (side, kind) in kinds.iter_mut().enumerate() {
                let Some(number) = bytes.byte()?.checked_sub(1) else { continue };
                let n_kinds = header.side_kinds.len();
                if usize::from(number) >= n_kinds || side >= header.grid_shape().sides().len() {
                    return Err(format!("side {side} of kind {number}, expected one of {n_kinds}"));
                }
                *kind = Some(SideKind(number));
            }
            EditEffect::Sides { cell, kinds }
        }
        other => return Err(format!("an edit of kind {other}")),
    };
    Ok(AppliedEdit { effect, on_agents, asked, part })
}

/// The message on more edits than a recording may have.
pub(super) fn too_many_edits() -> String {
    format!("more than {EDITS_MAX} edits of the map in force, or of a chunk")
}

/// Reads the edits of a key frame.
pub(super) fn decode_edit_list(bytes: &[u8], header: &Header) -> Result<Vec<AppliedEdit>, String> {
    let (mut decoder, mut edits) = (Decoder { bytes }, Vec::new());
    while !decoder.bytes.is_empty() {
        if decoder.byte()? != EDIT {
            return Err("something else among the edits".to_owned());
        }
        if edits.len() == EDITS_MAX {
            return Err(too_many_edits());
        }
        edits.push(decode_edit(&mut decoder, header)?);
    }
    Ok(edits)
}

/// Reads the events other than moves, and applies them to the frame.
pub(super) fn decode_events(
    bytes: &mut Decoder<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    // At least a tag and an agent each.
    let n_events = bytes.list_len(2)?;
    if n_events > TICK_EVENTS_MAX {
        return Err(too_many_events(n_events));
    }
    let (mut base, mut any_larger) = (DeltaBase::START, false);
    for _ in 0..n_events {
        let event = decode_event(bytes, header, frame, record, &mut base)?;
        any_larger |= matches!(event, Event::Spawn { .. } | Event::Class { .. } | Event::Leave { .. });
        frame.apply(&event, record)?;
        record.events.push(event);
    }
    frame.remove_gone()?;
    if any_larger { frame.check_fits(header) } else { Ok(()) }
}

fn decode_event(
    bytes: &mut Decoder<'_>,
    header: &Header,
    frame: &RecordedAgents,
    record: &mut TickRecord,
    base: &mut DeltaBase,
) -> Result<Event, String> {
    let tag = bytes.byte()?;
    if tag == EDIT {
        return Ok(Event::Edit(decode_edit(bytes, header)?));
    }
    if tag == REFUSED {
        let (ticket, reason) = decode_refusal(bytes)?;
        return Ok(Event::Refused { ticket, agent: None, reason });
    }
    base.agent = bytes.number_from(base.agent)?;
    let agent = AgentId(base.agent);
    let row = || frame.row(agent).ok_or_else(|| format!("agent {} is not there", agent.0));
    let order_kind = |kind: u8| {
        let known = usize::from(kind) < header.order_kinds.len();
        if known { Ok(kind) } else { Err(format!("order kind {kind}")) }
    };
    Ok(match tag {
        SPAWN => {
            let (class, pose) = decode_pose(bytes, header, base)?;
            Event::Spawn { agent, class, pose, team: Team::default(), speed_factor: USUAL_SPEED_PERMILLE }
        }
        SPAWN_UNUSUAL => {
            let (class, pose) = decode_pose(bytes, header, base)?;
            let (team, speed_factor) = (decode_team(bytes)?, decode_speed_factor(bytes)?);
            if (team, speed_factor) == (Team::default(), USUAL_SPEED_PERMILLE) {
                return Err("another way to write an agent of the usual team and speed".to_owned());
            }
            Event::Spawn { agent, class, pose, team, speed_factor }
        }
        REMOVE => Event::Remove { agent },
        ORDER | ORDER_BEHIND => {
            base.order = frame.check_order(bytes.number_from(base.order)?, header)?;
            Event::Order { agent, order: base.order, append: tag == ORDER_BEHIND }
        }
        REFUSED_AGENT => {
            let (ticket, reason) = decode_refusal(bytes)?;
            Event::Refused { ticket, agent: Some(agent), reason }
        }
        PRIORITY => {
            let priority = i32::try_from(bytes.signed()?).map_err(|_| "a priority beyond 32 bits")?;
            Event::Priority { agent, priority }
        }
        TEAM => Event::Team { agent, team: decode_team(bytes)? },
        SPEED_FACTOR => Event::SpeedFactor { agent, permille: decode_speed_factor(bytes)? },
        CLASS => {
            let (class, pose) = decode_pose(bytes, header, base)?;
            Event::Class { agent, class, pose }
        }
        TASKS_REPLACED => Event::TasksReplaced { agent },
        ENTER => Event::Enter { agent, container: AgentId(bytes.number_u32()?.wrapping_sub(1)) },
        LEAVE => {
            let (class, pose) = decode_pose(bytes, header, base)?;
            let (team, speed_factor) = (decode_team(bytes)?, decode_speed_factor(bytes)?);
            Event::Leave { agent, class, pose, team, speed_factor }
        }
        DONE => Event::Done { agent, kind: order_kind(bytes.byte()?)? },
        UNREACHABLE => Event::Unreachable { agent, kind: order_kind(bytes.byte()?)? },
        PATH => {
            let row = row()?;
            let class = &header.classes[usize::from(frame.classes[row].0)];
            let first = record.path_runs.len();
            let count = bytes.list_len(1)? as usize;
            if first + count > PATH_RUNS_MAX {
                return Err(format!("paths of more than {PATH_RUNS_MAX} runs of equal moves at one tick"));
            }
            for _ in 0..count {
                push_run(PathRun::of_number(bytes.number_u32()?), class, first, &mut record.path_runs)?;
            }
            let runs = RunRange { first: first as u32, count: count as u32 };
            Event::Path { agent, from: frame.motion[row].to, runs }
        }
        TASK => {
            base.cell = bytes.cell_on_map(header, base.cell)?;
            let heading = bytes.byte()?.checked_sub(1).map(Heading);
            let row = row()?;
            if let Some(heading) = heading {
                check_pose(header, frame.classes[row], Pose { cell: base.cell, heading })?;
            }
            Event::Task { agent, cell: base.cell, heading }
        }
        TASK_DONE => {
            base.cell = bytes.cell_on_map(header, base.cell)?;
            Event::TaskDone { agent, cell: base.cell }
        }
        other => return Err(format!("an event of kind {other}")),
    })
}

fn decode_pose(
    bytes: &mut Decoder<'_>,
    header: &Header,
    base: &mut DeltaBase,
) -> Result<(ClassId, Pose), String> {
    let class = ClassId(bytes.byte()?);
    base.cell = bytes.cell_from(base.cell)?;
    let pose = Pose { cell: base.cell, heading: Heading(bytes.byte()?) };
    check_pose(header, class, pose)?;
    Ok((class, pose))
}

fn decode_team(bytes: &mut Decoder<'_>) -> Result<Team, String> {
    let team = Team(bytes.byte()?);
    if team.is_known() { Ok(team) } else { Err(format!("team {}", team.0)) }
}

fn decode_speed_factor(bytes: &mut Decoder<'_>) -> Result<u16, String> {
    let factor = u16::try_from(bytes.number()?).ok().filter(|&factor| factor > 0);
    factor.ok_or_else(|| "a speed factor that is none".to_owned())
}

fn decode_refusal(bytes: &mut Decoder<'_>) -> Result<(Ticket, RefusalReason), String> {
    let (ticket, number) = (Ticket(bytes.number()?), bytes.byte()?);
    let reason = RefusalReason::ALL.get(usize::from(number)).copied();
    Ok((ticket, reason.ok_or_else(|| format!("a refusal for reason {number}"))?))
}

/// A move of an agent that rested before the tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct LateMove {
    row: u32,
    /// Index of the event.
    event: u32,
}

/// Writes the moves of a tick, the events from `first` on in order of id, and applies them to the frame. `late` is
/// scratch.
pub(super) fn encode_moves(
    record: &TickRecord,
    first: usize,
    header: &Header,
    frame: &mut RecordedAgents,
    late: &mut Vec<LateMove>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    late.clear();
    let (mut next, n_rows) = (first, frame.len());
    for row in 0..n_rows {
        let starts = record.events.get(next).is_some_and(|event| event.agent() == Some(frame.ids[row]));
        let is_due = frame.motion[row].end == frame.tick;
        match (is_due, starts) {
            (true, true) => encode_move(&record.events[next], row, header, frame, record, out)?,
            (true, false) => out.push(RESTS),
            (false, true) => late.push(LateMove { row: row as u32, event: next as u32 }),
            (false, false) => {}
        }
        next += usize::from(starts);
    }
    if next != record.events.len() {
        return Err("a move of an agent that is not there".to_owned());
    }
    varint::put(out, late.len() as u64);
    let mut previous_row = 0;
    for &LateMove { row, event } in &*late {
        varint::put(out, (row - previous_row).into());
        previous_row = row;
        encode_move(&record.events[event as usize], row as usize, header, frame, record, out)?;
    }
    Ok(())
}

fn encode_move(
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
    let as_expected = ticks == frame.expected_ticks(row, class, primitive);
    let is_next = frame.next_move(row) == Some(primitive);
    out.push(match (is_next, as_expected) {
        (true, true) => NEXT,
        (true, false) => NEXT_TICKS,
        (false, _) => OTHER + 2 * primitive + u8::from(!as_expected),
    });
    if !as_expected {
        varint::put(out, ticks.into());
    }
    frame.apply(event, record)
}

/// Reads the moves of a tick, and applies them to the frame.
pub(super) fn decode_moves(
    bytes: &mut Decoder<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    let first = record.events.len();
    frame.for_each_due(|frame, row| {
        let symbol = bytes.byte()?;
        decode_move(symbol, row, bytes, header, frame, record)
    })?;
    let mut rows = RowList::default();
    for _ in 0..bytes.number()? {
        let row = rows.next(bytes, frame)?;
        let symbol = bytes.byte()?;
        if symbol == RESTS {
            return Err("a row among the moves that begins none".to_owned());
        }
        decode_move(symbol, row, bytes, header, frame, record)?;
    }
    record.events[first..].sort_unstable_by_key(Event::agent);
    Ok(())
}

/// A list of rising rows. No list has more entries than there are agents.
#[derive(Default)]
struct RowList {
    /// The row after the last one read.
    end: usize,
}

impl RowList {
    fn next(&mut self, bytes: &mut Decoder<'_>, frame: &RecordedAgents) -> Result<usize, String> {
        let difference = bytes.number_u32()? as usize;
        let row = if self.end == 0 { Some(difference) } else { (self.end - 1).checked_add(difference) };
        let row = row.filter(|row| (self.end..frame.len()).contains(row));
        let row = row.ok_or_else(|| format!("a row that is none of {} in their order", frame.len()))?;
        self.end = row + 1;
        Ok(row)
    }
}

fn decode_move(
    symbol: u8,
    row: usize,
    bytes: &mut Decoder<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    let (primitive, as_expected) = match symbol {
        RESTS => return Ok(()),
        NEXT | NEXT_TICKS => {
            let next = frame.next_move(row);
            (next.ok_or("a move of a path that has none")?, symbol == NEXT)
        }
        other => ((other - OTHER) / 2, (other - OTHER).is_multiple_of(2)),
    };
    let agent = frame.ids[row];
    let class = &header.classes[usize::from(frame.classes[row].0)];
    let ticks = if as_expected { frame.expected_ticks(row, class, primitive) } else { bytes.number_u32()? };
    let from = frame.pose(row);
    let to = class.after(from, primitive).filter(|to| header.map.index(to.cell).is_some());
    let impossible = || format!("a move of agent {} that leads nowhere", agent.0);
    let end = frame.tick.checked_add(ticks).ok_or_else(impossible)?;
    let event = Event::Move { agent, primitive, from, to: to.ok_or_else(impossible)?, end };
    frame.apply(&event, record)?;
    record.events.push(event);
    Ok(())
}

/// Writes the rest of a tick: the lists of rows, the events from `first` on, the counters and the hash.
pub(super) fn encode_rest(
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
        varint::put(out, list.len() as u64);
        let mut previous_row = 0;
        for event in list {
            let row = event.agent().and_then(|agent| frame.row(agent)).ok_or("an agent that is not there")?;
            varint::put(out, (row - previous_row) as u64);
            previous_row = row;
            match *event {
                Event::Wait { since, .. } if since == NONE => varint::put(out, 0),
                Event::Wait { since, .. } => {
                    varint::put(out, u64::from(frame.tick.wrapping_sub(since)) + 1);
                }
                Event::Current { order, .. } => {
                    varint::put_signed(out, i64::from(order as i32) - i64::from(frame.orders[row] as i32));
                }
                Event::Path { runs, .. } if number == 2 && runs.count == 0 => {}
                _ => return Err("events out of order".to_owned()),
            }
            frame.apply(event, record)?;
        }
    }
    for (value, previous) in record.counters.values().into_iter().zip(frame.counters.values()) {
        varint::put_signed(out, value.wrapping_sub(previous) as i64);
    }
    frame.counters = record.counters;
    out.extend_from_slice(&record.state_hash.to_le_bytes());
    Ok(())
}

/// Reads the rest of a tick.
pub(super) fn decode_rest(
    bytes: &mut Decoder<'_>,
    header: &Header,
    frame: &mut RecordedAgents,
    record: &mut TickRecord,
) -> Result<(), String> {
    for number in 0..3 {
        let mut rows = RowList::default();
        for _ in 0..bytes.number()? {
            let row = rows.next(bytes, frame)?;
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
                    Event::Current { agent, order: frame.check_order(order as u32, header)? }
                }
                _ => Event::Path { agent, from: frame.motion[row].to, runs: RunRange::default() },
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
