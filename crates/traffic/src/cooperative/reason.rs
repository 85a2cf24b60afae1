//! Why an agent does not go on, found on demand from plans and reservations as they stand between two ticks. A walk
//! along the next moves of the path meets the first thing that keeps them from being a plan. The last turn has noted
//! the stop before a corridor.

use crate::collision::{CollisionRule, Transition};
use crate::cooperative::corridor_entry::list_corridors_ahead;
use crate::cooperative::corridors_ahead::{CorridorAhead, Refusal};
use crate::cooperative::crossing::{find_crossing, moves_max};
use crate::cooperative::fixed::FREE_PATH_HORIZON_QUARTERS;
use crate::cooperative::moves::{guide_moves, pose_after, transition_at};
use crate::cooperative::no_stopping::NoStoppingFor;
use crate::cooperative::plan_head::Refused;
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::planning::NO_STOP;
use crate::cooperative::reservations::{FOREVER, Reservation};
use crate::cooperative::sipp::{Crossing, SippContext};
use crate::forbidden::{forbids, touches};
use crate::motion::{AgentId, AgentSlot};
use crate::reason::{CorridorPlace, CorridorSide, Reason};
use crate::speed::ticks_at_speed;
use crate::view::TrafficView;
use wheelbase_grid::CellXY;
use wheelbase_planner::Pose;
use wheelbase_planner::model::{Offset, State};

/// Why an agent at rest with a path does not begin its next move; `None` for an agent that the rule has not seen yet.
pub(crate) fn reason_of(table: &PlanTable, view: &TrafficView<'_>, row: usize) -> Option<Reason> {
    let slot = view.agents.slots[row];
    let (head, details) = (table.heads.get(slot.index())?, table.details.get(slot.index())?);
    let pusher = view.agents.row(details.pusher).filter(|&pusher| pusher != row);
    if head.retreat_left == 0 && pusher.is_some() {
        return Some(Reason::MakesWay { holder: details.pusher });
    }
    // The path was replaced or dropped since the rule has seen it.
    if view.agents.paths[row].len() != head.path_left as usize {
        return Some(Reason::Pause { until: view.tick });
    }
    if !head.plan_is_empty() {
        return Some(before_planned_move(table, view, row));
    }
    let until = head.next_try;
    Some(match Walk::of(table, view, row).first_obstacle() {
        Ok(()) if !details.credit.is_positive(view.tick, view.poses_per_agent) => Reason::Budget,
        Ok(()) => Reason::Pause { until },
        Err(found) => found.unwrap_or(Reason::NoPlan { until }),
    })
}

/// What an agent waits for whose next move is planned for later.
fn before_planned_move(table: &PlanTable, view: &TrafficView<'_>, row: usize) -> Reason {
    let (slot, motion) = (view.agents.slots[row], &view.agents.motion[row]);
    let (tables, head) = (&view.tables[motion.class.0 as usize], &table.heads[slot.index()]);
    let begins = head.plan_begins.max(view.tick);
    let planned = table.plans[slot.index()].moves().first().filter(|_| begins > view.tick);
    let found = planned.and_then(|planned| {
        let pose = tables.space().pose(motion.state);
        let step = transition_at(tables, pose, usize::from(planned.primitive));
        let until = view.tick.saturating_add(planned.ticks).max(begins);
        reserver(table, view, slot, view.occupancy.needed(&step), (view.tick, until))
    });
    found.unwrap_or(Reason::Planned { begins })
}

/// The reason in the first reservation by another agent of one of some cells between two ticks.
fn reserver(
    table: &PlanTable,
    view: &TrafficView<'_>,
    slot: AgentSlot,
    (anchor, cells): (CellXY, &[Offset]),
    ticks: (u32, u32),
) -> Option<Reason> {
    let in_way = |found: &&Reservation| found.agent != slot && found.meets(ticks);
    cells.iter().find_map(|&offset| {
        let found = table.reservations.on(table.reservations.index(anchor, offset)).find(in_way)?;
        let (at, other) = (offset.cell_from(anchor), view.agents.row_of_slot(found.agent)?);
        let holder = view.agents.ids[other];
        let rests = view.agents.motion[other].at_rest() && table.heads[found.agent.index()].plan_is_empty();
        Some(if rests { Reason::Resting { holder, at } } else { Reason::Reserved { holder, at } })
    })
}

/// Where a corridor is.
fn place_of(table: &PlanTable, view: &TrafficView<'_>, number: u32) -> CorridorPlace {
    let (first, width) =
        (table.corridor_control.map.shapes[number as usize].first_cell, view.grid_size.width());
    CorridorPlace { number, cell: CellXY::new((first % width) as i32, (first / width) as i32) }
}

/// A walk along the path of an agent that rests.
struct Walk<'a> {
    table: &'a PlanTable,
    view: &'a TrafficView<'a>,
    row: usize,
    ahead: Vec<CorridorAhead>,
    /// Moves after which it stops before a corridor, and why; [`NO_STOP`] if it need not.
    stop: (u32, Option<Reason>),
    crossing: Option<Crossing>,
}

impl<'a> Walk<'a> {
    fn of(table: &'a PlanTable, view: &'a TrafficView<'a>, row: usize) -> Self {
        let state = view.agents.motion[row].state;
        let mut ahead = Vec::new();
        list_corridors_ahead(table, view, row, state, &mut ahead);
        let crossing = find_crossing(table, view, row, state);
        let mut walk = Self { table, view, row, ahead, stop: (NO_STOP, None), crossing };
        walk.find_stop();
        walk
    }

    /// Takes the stop before a corridor from the last turn.
    fn find_stop(&mut self) {
        let Self { table, view, row, .. } = *self;
        let slot = view.agents.slots[row];
        let (head, Refused { corridor: number, path_left, holder, queues }) =
            (&table.heads[slot.index()], table.details[slot.index()].refused);
        let admission = &table.corridor_control.admission;
        let Some(refused) = self.ahead.iter_mut().find(|ahead| ahead.corridor == number) else { return };
        let CorridorAhead { entrant, moves, .. } = *refused;
        refused.refusal = Some(if queues { Refusal::Queue } else { Refusal::Turn });
        refused.keeps_off = queues && admission.is_busy(number, entrant.team);
        let ahead = admission.n_ahead(number, &entrant, moves, view.tick) as u32;
        let (corridor, side) = (place_of(table, view, number), CorridorSide::of_direction(entrant.direction));
        let reason = if holder != AgentId::NOBODY {
            // It may be gone since.
            let other = view.agents.row(holder).filter(|&other| other != row);
            other.map(|_| Reason::CorridorHeld { corridor, holder, ahead })
        } else if queues {
            Some(Reason::CorridorQueue { corridor, side, ahead })
        } else {
            let others = admission.requests_against(number, entrant, view.tick).next();
            let side = others.map_or(side, |other| CorridorSide::of_direction(other.entrant.direction));
            Some(Reason::CorridorTurn { corridor, side, ahead })
        };
        let moves_left = guide_moves(view, row, head).len() as u32;
        self.stop = (moves_left.saturating_sub(path_left), reason);
    }

    /// The first thing that keeps the next moves from being a plan: `Ok` if they are one, `Err(None)` if no single
    /// thing does.
    fn first_obstacle(&self) -> Result<(), Option<Reason>> {
        let Self { table, view, row, crossing, .. } = *self;
        let (slot, motion) = (view.agents.slots[row], &view.agents.motion[row]);
        let (tables, params) = (&view.tables[motion.class.0 as usize], &table.params);
        let context = table.context(view, row, &self.ahead);
        let path = guide_moves(view, row, &table.heads[slot.index()]);
        let horizon = table.step_ticks_of(&view.agents, row) * params.horizon_steps;
        let free_ticks = (horizon * FREE_PATH_HORIZON_QUARTERS).div_ceil(4);
        let ends = crossing.unwrap_or(Crossing::NONE);
        let (mut state, mut elapsed) = (motion.state, 0_u32);
        // Why the plan cannot end in the poses so far.
        let mut kept_on: Option<Reason> = None;
        for (at, &primitive) in path.iter().enumerate().take(moves_max(crossing)) {
            let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
            let ticks = ticks_at_speed(ticks, view.agents.speed_factors[row]);
            let step = transition_at(tables, tables.space().pose(state), usize::from(primitive));
            let ready = view.tick.saturating_add(elapsed);
            if let Some(found) = self.obstacle(&context, at as u32, &step, (ready, ticks)) {
                return Err(Some(on_no_stopping(kept_on, found)));
            }
            state = tables.state_after(state, usize::from(primitive));
            elapsed = elapsed.saturating_add(ticks);
            let (pose, ready) = (pose_after(&step), view.tick.saturating_add(elapsed));
            let is_last = at + 1 == path.len() || at as u32 + 1 == self.stop.0;
            let body = (pose.cell, tables.class().cells_at(pose));
            if context.free_until(pose, ready) != FOREVER {
                let passes = reserver(table, view, slot, body, (ready, FOREVER));
                kept_on = kept_on.or(passes);
            } else if !context.may_end(pose, state, ends) {
                kept_on = Some(self.kept_on(pose, state));
            } else if elapsed >= free_ticks || is_last {
                return Ok(());
            }
            if elapsed >= horizon && crossing.is_none() {
                break;
            }
        }
        Err(kept_on)
    }

    /// What keeps it from a move, the `at`th of its path, at a tick.
    fn obstacle(
        &self,
        context: &SippContext<'a>,
        at: u32,
        step: &Transition<'a>,
        (ready, ticks): (u32, u32),
    ) -> Option<Reason> {
        let Self { table, view, row, .. } = *self;
        if at >= self.stop.0 {
            return self.stop.1;
        }
        let ((anchor, held), (_, swept)) = (step.start(), step.swept());
        if forbids(view.forbidden, anchor, held, swept) {
            let mut cells = swept.iter().map(|offset| offset.cell_from(anchor));
            let is_of_edit = |&cell: &CellXY| {
                let mut areas = view.forbidden.iter();
                areas.any(|of| of.area.contains(cell) && !touches(of.area, anchor, held))
            };
            return Some(Reason::Edit { at: cells.find(is_of_edit).unwrap_or(anchor) });
        }
        if context.is_forbidden(step, table.key(view, row)) {
            return self.why_forbidden(context, step);
        }
        if context.can_begin(step, ticks, ready) {
            return None;
        }
        let (slot, end) = (view.agents.slots[row], ready.saturating_add(ticks));
        let found = reserver(table, view, slot, table.reservations.rule().needed(step), (ready, end));
        // Under the discrete rule it needs its own cells until the end, and others must be off by then.
        let leaves = || reserver(table, view, slot, step.start(), (ready, end));
        let follows = || reserver(table, view, slot, step.end(), (ready, end.saturating_add(1)));
        match table.reservations.rule() {
            CollisionRule::Swept => found,
            CollisionRule::Discrete => found.or_else(leaves).or_else(follows),
        }
        .or(Some(Reason::NoPlan { until: table.heads[slot.index()].next_try }))
    }

    /// Which corridor or soft reservation forbids a move.
    fn why_forbidden(&self, context: &SippContext<'a>, step: &Transition<'a>) -> Option<Reason> {
        let Self { table, view, row, .. } = *self;
        let key = table.key(view, row);
        if table.soft_reservations.until > view.tick && context.enters_soft_reservation(step, key) {
            let (anchor, cells) = step.swept();
            let reserved = |&offset: &Offset| {
                let cell = table.reservations.index(anchor, offset);
                let is_reserved =
                    table.soft_reservations.is_reserved(cell, view.tick, (key, context.friends));
                let found = || (table.soft_reservations.of_cell[cell].1.agent(), offset.cell_from(anchor));
                is_reserved.then(found)
            };
            let (owner, at) = cells.iter().find_map(reserved)?;
            // A soft reservation outlives its agent.
            let other = view.agents.row(owner).filter(|&other| other != row);
            return Some(Reason::SoftReservation { holder: other.map(|_| owner), at });
        }
        if context.enters_closed(step) {
            return self.stop.1;
        }
        let corridor = table.corridor_control.enters_busy(step, context.team)?;
        Some(Reason::CorridorBusy { corridor: place_of(table, view, corridor) })
    }

    /// The ground on which no plan ends.
    fn kept_on(&self, pose: Pose, state: State) -> Reason {
        let Self { table, view, row, .. } = *self;
        let class = view.agents.motion[row].class.0 as usize;
        let tables = &view.tables[class];
        let cells = tables.class().cells_at(pose);
        let no_stopping = &table.corridor_control.no_stopping;
        match no_stopping
            .reason_under((pose.cell, cells), table.stopping_agent(&view.agents, view.tables, row))
        {
            Some(NoStoppingFor::Corridor(corridor)) => {
                Reason::NoStopping { corridor: place_of(table, view, corridor), holder: None, at: pose.cell }
            }
            Some(NoStoppingFor::Edit) => Reason::Edit { at: pose.cell },
            None => {
                let body = (view.agents.slots[row], class, tables);
                let other = table.turnaround.holder(body, state, &table.reservations);
                let holder =
                    other.and_then(|slot| view.agents.row_of_slot(slot)).map(|row| view.agents.ids[row]);
                Reason::NoRoomToTurn { holder, at: pose.cell }
            }
        }
    }
}

/// The reason if an obstacle stands beyond no-stopping ground on which the plan would have to end. It names the ground,
/// and the agent in the way off it.
fn on_no_stopping(kept_on: Option<Reason>, found: Reason) -> Reason {
    match (kept_on, found.holder(), found.at()) {
        (Some(Reason::NoStopping { corridor, .. }), Some(holder), Some(at)) => {
            Reason::NoStopping { corridor, holder: Some(holder), at }
        }
        _ => found,
    }
}
