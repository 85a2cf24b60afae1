//! Checks of restored plans and reservations: the definitions of `audit.rs`, without a loop over ticks.

use crate::collision::CollisionRule;
use crate::cooperative::moves::{end_of_move, pose_after, transition_at};
use crate::cooperative::plan::PlannedMove;
use crate::cooperative::reservations::{FOREVER, Reservations};
use crate::cooperative::state::Cooperative;
use crate::motion::{AgentId, AgentSlot};
use crate::rule_state::{RuleContext, RuleStateError, check};
use crate::speed::ticks_at_speed;
use wheelbase_grid::CellXY;
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
/// After a refused move, or an edit that makes a plan impossible, the next tick first drops all plans and reservations.
/// They are not compared.
pub(crate) fn check_plans(rule: &Cooperative, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
    let reserved = Reserved::of(&rule.table.reservations);
    let (mut plans_hold, mut missing) = (context.refused.is_empty(), Vec::new());
    for (at, &(id, slot)) in rule.present.iter().enumerate() {
        let Some(row) = current_row(context, id) else { continue };
        let head = &rule.table.heads[slot.index()];
        let has_nothing = head.plan_is_empty() && head.retreat_left == 0;
        let is_sound = has_nothing || context.agents.busy.contains(row);
        check(is_sound, ("plans", at), id, "no plan or retreat of an agent that has nothing to do")?;
        if plans_hold {
            let found = check_plan(rule, context, &reserved, ("plans", at), (row, slot))?;
            plans_hold = found.is_some();
            missing.extend(found.flatten().map(|found| (at, found)));
        }
    }
    match missing[..] {
        [(at, found), ..] if plans_hold => {
            check(false, ("plans", at), found, "all cells of the plan reserved")
        }
        _ => Ok(()),
    }
}

/// Row of an agent that is there and has the class for which its plan was made. The next tick resets all others.
pub(crate) fn current_row(context: &RuleContext<'_>, id: AgentId) -> Option<usize> {
    let row = context.agents.row(id)?;
    (!context.reclassed.contains(&(row as u32))).then_some(row)
}

/// A cell that an agent needs for its plan and has not reserved, and from which tick on. `None` if an edit has made its
/// plan impossible; an error if it is, and no edit is to blame.
fn check_plan(
    rule: &Cooperative,
    context: &RuleContext<'_>,
    reserved: &Reserved,
    part: (&str, usize),
    (row, slot): (usize, AgentSlot),
) -> Result<Option<Option<(CellXY, u32)>>, RuleStateError> {
    let reservations = &rule.table.reservations;
    let motion = &context.agents.motion[row];
    let class = usize::from(motion.class.0);
    let tables = &context.tables[class];
    let plan = &rule.table.plans[slot.index()];
    let factor = rule.table.speed_factors[slot.index()];
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
    let rests = |state: State, from: u32, until: u32| {
        let pose = tables.space().pose(state);
        lacks((pose.cell, tables.class().cells_at(pose)), from, until)
    };
    let (mut state, mut ready) = end_of_move(tables, motion, context.tick);
    let ticks = ready.saturating_sub(context.tick);
    let begun = PlannedMove { start: context.tick, ticks, primitive: motion.primitive };
    let mut found = if motion.at_rest() { None } else { in_move(motion.state, &begun) };
    let is_after = plan.moves().first().is_none_or(|first| first.start >= ready);
    check(is_after, part, plan.moves().first(), "a first move after the move in progress")?;
    for planned in plan.moves() {
        let number = usize::from(planned.primitive);
        let is_known = number < tables.class().primitives().len() && is_on_map(context, class, state, number);
        check(is_known, part, planned, "a primitive of its class, on the map")?;
        let legal = tables.move_ticks(state, number).map(|ticks| ticks_at_speed(ticks, factor));
        if legal != Some(planned.ticks) && !context.edited.is_empty() {
            return Ok(None);
        }
        check(legal == Some(planned.ticks), part, planned, "a legal move in the time that it takes")?;
        found = found.or_else(|| rests(state, ready, planned.start)).or_else(|| in_move(state, planned));
        (state, ready) = (tables.state_after(state, number), planned.start + planned.ticks);
    }
    check(plan.end.0 == state, part, plan.end.0, "the state after its move in progress and its plan")?;
    Ok(Some(found.or_else(|| rests(state, ready, FOREVER))))
}

/// Whether all cells of a move are on the map.
fn is_on_map(context: &RuleContext<'_>, class: usize, state: State, primitive: usize) -> bool {
    let tables = &context.tables[class];
    let step = transition_at(tables, tables.space().pose(state), primitive);
    let on_map = |(anchor, cells): (CellXY, &[Offset])| {
        cells.iter().all(|offset| context.grid_size.contains(offset.cell_from(anchor)))
    };
    on_map(step.start())
        && on_map(step.swept())
        && on_map(step.end())
        && context.grid_size.contains(pose_after(&step).cell)
}
