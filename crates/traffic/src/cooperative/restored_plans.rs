//! Checks of restored plans and reservations: the definitions of `audit.rs`, without a loop over ticks.

use crate::collision::CollisionRule;
use crate::cooperative::moves::{end_of_move, pose_after, transition_at};
use crate::cooperative::plan::PlannedMove;
use crate::cooperative::reservations::{FOREVER, Reservations};
use crate::cooperative::restore_agents::is_on_map;
use crate::cooperative::state::Cooperative;
use crate::motion::{AgentId, AgentSlot};
use crate::rule_state::{RuleContext, RuleStateError};
use crate::speed::ticks_at_speed;
use wheelbase_grid::CellXY;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::{Offset, State};

/// What every agent has reserved: agent slot, cell, from, until. Touching reservations of an agent are one.
struct Reserved(Vec<(AgentSlot, u32, u32, u32)>);

impl Reserved {
    fn of(reservations: &Reservations) -> Self {
        let mut all: Vec<_> =
            reservations.reservations.iter().map(|one| (one.agent, one.cell, one.from, one.until)).collect();
        all.sort_unstable();
        all.dedup_by(|next, one| {
            let touches = (next.0, next.1) == (one.0, one.1) && next.2 <= one.3;
            if touches {
                one.3 = one.3.max(next.3);
            }
            touches
        });
        Self(all)
    }

    /// The first of the cells that an agent has not reserved for all of these ticks.
    fn missing(
        &self,
        reservations: &Reservations,
        slot: AgentSlot,
        (anchor, cells): (CellXY, &[Offset]),
        (from, until): (u32, u32),
    ) -> Option<CellXY> {
        let is_missing = |offset: &&Offset| {
            let cell = reservations.index(anchor, **offset) as u32;
            let after = self.0.partition_point(|one| (one.0, one.1, one.2) <= (slot, cell, from));
            let last = after.checked_sub(1).map(|at| self.0[at]);
            !last.is_some_and(|one| (one.0, one.1) == (slot, cell) && until <= one.3)
        };
        let cell = cells.iter().find(is_missing).filter(|_| from < until);
        cell.map(|offset| offset.cell_from(anchor))
    }
}

/// Every agent can carry out its plan from where it is, and has reserved the cells for it.
///
/// Where a move was refused at the last tick, or an edit has made a plan impossible, the next tick drops all plans
/// and reservations before it reads them. They are not compared.
pub(crate) fn check_plans(rule: &Cooperative, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
    let mut plans_hold = context.refused.is_empty();
    for (at, &(id, slot)) in rule.present.iter().enumerate() {
        let Some(row) = current_row(context, id) else { continue };
        let head = &rule.table.heads[slot.index()];
        let is_still = head.plan_is_empty() && head.retreat_left == 0;
        if !is_still && !context.agents.busy.contains(row) {
            let found = format!("a plan or retreat of agent {}, which has nothing to do", id.0);
            return Err(RuleStateError::of_value("plan.n_moves", at, found, "none"));
        }
        if plans_hold {
            plans_hold = plan_holds(rule, context, (row, slot)).map_err(|(part, found, expected)| {
                RuleStateError::of_part(part, format!("{found} of agent {}", id.0), expected)
            })?;
        }
    }
    if !plans_hold {
        return Ok(());
    }
    let reserved = Reserved::of(&rule.table.reservations);
    for &(id, slot) in &rule.present {
        let Some(row) = current_row(context, id) else { continue };
        if let Some((cell, tick)) = missing(rule, context, &reserved, (row, slot)) {
            let found = format!("cell {cell} not reserved by agent {} from tick {tick} on", id.0);
            return Err(RuleStateError::of_part("reservations", found, "all cells of its plan"));
        }
    }
    Ok(())
}

/// Row of an agent that is there and has the class for which its plan was made. The next tick resets all others.
pub(crate) fn current_row(context: &RuleContext<'_>, id: AgentId) -> Option<usize> {
    let row = context.agents.row(id)?;
    (!context.reclassed.contains(&(row as u32))).then_some(row)
}

/// Part, the error, and the right value.
type Wrong = (&'static str, String, &'static str);

/// Whether the moves of a plan are legal, in their times. An error if they are not, and no edit is to blame.
fn plan_holds(
    rule: &Cooperative,
    context: &RuleContext<'_>,
    (row, slot): (usize, AgentSlot),
) -> Result<bool, Wrong> {
    let motion = &context.agents.motion[row];
    let class = usize::from(motion.class.0);
    let tables = &context.tables[class];
    let plan = &rule.table.plans[slot.index()];
    let factor = rule.table.speed_factors[slot.index()];
    let (mut state, ready) = end_of_move(tables, motion, context.tick);
    if plan.moves().first().is_some_and(|first| first.start < ready) {
        return Err(("plan.starts", "the first move".to_owned(), "a tick after its move in progress"));
    }
    for &PlannedMove { primitive, ticks, .. } in plan.moves() {
        let number = usize::from(primitive);
        if number >= tables.class().primitives().len() {
            return Err(("plan.primitives", format!("primitive {primitive}"), "one of its class"));
        }
        if !is_on_map(context, class, state, number) {
            return Err(("plan.primitives", format!("primitive {primitive}"), "a move on the map"));
        }
        let legal = tables.move_ticks(state, number).map(|ticks| ticks_at_speed(ticks, factor));
        if legal != Some(ticks) {
            if !context.edited.is_empty() {
                return Ok(false);
            }
            let found = format!("primitive {primitive} in {ticks} ticks");
            return Err(("plan.ticks", found, "a legal move in the time that it takes"));
        }
        state = tables.state_after(state, number);
    }
    if plan.end.0 != state {
        let found = format!("state {}", plan.end.0.0);
        return Err(("plan.end_state", found, "the state after its move in progress and its plan"));
    }
    Ok(true)
}

/// A cell that an agent needs and has not reserved, and from which tick on.
fn missing(
    rule: &Cooperative,
    context: &RuleContext<'_>,
    reserved: &Reserved,
    (row, slot): (usize, AgentSlot),
) -> Option<(CellXY, u32)> {
    let reservations = &rule.table.reservations;
    let motion = &context.agents.motion[row];
    let tables: &MovementTables = &context.tables[usize::from(motion.class.0)];
    let lacks = |cells: (CellXY, &[Offset]), from: u32, until: u32| {
        reserved.missing(reservations, slot, cells, (from, until)).map(|cell| (cell, from))
    };
    let in_move = |state: State, planned: &PlannedMove| {
        let step = transition_at(tables, tables.space().pose(state), usize::from(planned.primitive));
        let (start, end) = (planned.start, planned.start + planned.ticks);
        match reservations.rule() {
            CollisionRule::Swept => lacks(step.swept(), start, end),
            CollisionRule::Discrete => {
                lacks(step.start(), start, end).or_else(|| lacks(step.end(), start, end))
            }
        }
    };
    let (mut state, mut ready) = end_of_move(tables, motion, context.tick);
    if !motion.at_rest() {
        let ticks = ready.saturating_sub(context.tick);
        let begun = PlannedMove { start: context.tick, ticks, primitive: motion.primitive };
        let found = in_move(motion.state, &begun);
        if found.is_some() {
            return found;
        }
    }
    for planned in rule.table.plans[slot.index()].moves() {
        let step = transition_at(tables, tables.space().pose(state), usize::from(planned.primitive));
        let found = lacks(step.start(), ready, planned.start).or_else(|| in_move(state, planned));
        if found.is_some() {
            return found;
        }
        let end = tables.space().state(pose_after(&step))?;
        (state, ready) = (end, planned.start + planned.ticks);
    }
    let pose = tables.space().pose(state);
    lacks((pose.cell, tables.class().cells_at(pose)), ready, FOREVER)
}
