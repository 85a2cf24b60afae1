//! The agent that plans now: what it sees, and how it searches for its next moves.

use crate::cooperative::contraflow::Contraflow;
use crate::cooperative::corridors_ahead::Ahead;
use crate::cooperative::local_field::{Costs, FieldKey, FieldView, GuidePose, LocalFields, UNKNOWN};
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::FOREVER;
use crate::cooperative::sipp::{SippQuery, SippSearch};
use crate::cooperative::steps::{descend, goes, guide_moves, make_guide_path, pose_after, transition_at};
use crate::decisions::{Decisions, Leads, Reroute};
use crate::motion::Activity;
use crate::params::TrafficParams;
use crate::priority::PriorityKey;
use crate::view::TrafficView;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// The search for moves, its cost-to-go fields, and what it may still spend.
#[derive(Debug)]
pub struct MoveSearch {
    pub intervals: SippSearch,
    pub fields: LocalFields,
    pub contraflow: Contraflow,
    /// Poses that may still be tried at this tick.
    pub tries_left: u64,
}

impl MoveSearch {
    pub fn new(tables: &[MovementTables], params: TrafficParams) -> Self {
        Self {
            intervals: SippSearch::default(),
            fields: LocalFields::new(tables.iter()),
            contraflow: Contraflow::new(tables.iter(), params),
            tries_left: 0,
        }
    }
}

/// Memory of [`Planning`] that is used again from tick to tick.
#[derive(Debug, Default)]
pub struct PlanningScratch {
    pub ahead: Vec<Ahead>,
    pub guide_path: Vec<GuidePose>,
    pub moves: Vec<u8>,
}

/// The agents of a tick as they plan, one after the other: what they share, and of the agent that plans now what it
/// looks at.
pub struct Planning<'a> {
    pub view: &'a TrafficView<'a>,
    pub table: &'a mut PlanTable,
    pub search: &'a mut MoveSearch,
    /// Passages ahead of the agent, how it goes through them, and who keeps it from entering.
    pub ahead: Vec<Ahead>,
    /// Moves after which it stops, to leave room before a passage that it is kept from.
    pub stop: u32,
    /// The next poses of its path, each with what remains from there.
    pub guide_path: Vec<GuidePose>,
    /// Moves that lead back to its path.
    pub moves: Vec<u8>,
}

impl<'a> Planning<'a> {
    /// No agent plans yet.
    pub fn new(
        view: &'a TrafficView<'a>,
        table: &'a mut PlanTable,
        search: &'a mut MoveSearch,
        scratch: PlanningScratch,
    ) -> Self {
        let PlanningScratch { mut ahead, guide_path, moves } = scratch;
        ahead.clear();
        Self { view, table, search, ahead, stop: u32::MAX, guide_path, moves }
    }

    /// The memory, for the next tick.
    pub fn into_scratch(self) -> PlanningScratch {
        PlanningScratch { ahead: self.ahead, guide_path: self.guide_path, moves: self.moves }
    }

    /// The poses of an agent's path from where its plan begins, each with what remains from there to the last
    /// of them.
    pub fn make_guide_path(&mut self, row: usize, from: State) {
        let view = self.view;
        let id = view.agents.ids[row].0;
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let path = guide_moves(view, row, &self.table.heads[id as usize]);
        make_guide_path(tables, from, path, &mut self.guide_path);
    }

    /// The next stretch of an agent's path, if nobody is in its way for a quarter of the horizon at least.
    pub fn follow_guide_path(
        &mut self,
        row: usize,
        (mut state, mut ready): (State, u32),
        horizon: u32,
        key: PriorityKey,
    ) -> Option<Plan> {
        let view = self.view;
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let head = &self.table.heads[id as usize];
        let path = guide_moves(view, row, head);
        let context = self.table.context(view, row, &self.ahead);
        let begin = ready;
        let mut against = 0;
        let mut plan = Plan::rest(state, ready);
        let (mut good, mut tried) = (None, 0);
        for (at, &primitive) in path.iter().enumerate().take_while(|(at, _)| (*at as u32) < self.stop) {
            let primitive = usize::from(primitive);
            let Some(ticks) = tables.move_ticks(state, primitive) else { break };
            let step = transition_at(tables, tables.space().pose(state), primitive);
            tried += 1;
            let class = motion.class.0 as usize;
            against += self.search.contraflow.extra(view.flow, class, state, primitive, ticks);
            if against > u64::from(self.table.step_ticks[class]) {
                good = None;
                break;
            }
            if context.is_forbidden(&step, key) || !context.can_begin(&step, ticks, ready) {
                break;
            }
            state = tables.state_after(state, primitive);
            plan.push(PlannedMove { start: ready, ticks, primitive: primitive as u8 }, state);
            ready += ticks;
            let last = at + 1 == path.len() || at as u32 + 1 == self.stop;
            let far = ready - begin >= (horizon - begin).div_ceil(4) || last;
            if far && context.free_until(pose_after(&step), ready) == FOREVER {
                good = Some(plan);
            }
            if plan.is_full() || ready >= horizon {
                break;
            }
        }
        self.search.tries_left = self.search.tries_left.saturating_sub(tried);
        good
    }

    /// Searches for the moves of an agent, whose line is made if it goes anywhere, to poses of at least some
    /// cost-to-go. Those behind its place in the order of rank give way, if so many steps are given
    /// them.
    pub fn search_moves(
        &mut self,
        row: usize,
        query: SippQuery,
        (nearest, lift_steps): (u32, Option<u32>),
    ) -> Option<(Plan, u32)> {
        let view = self.view;
        let motion = &view.agents.motion[row];
        let space = view.tables[motion.class.0 as usize].space();
        let Self { table, search, ahead, guide_path, .. } = self;
        let MoveSearch { intervals, fields, contraflow, tries_left } = &mut **search;
        let field = goes(motion).then(|| field_of((fields, contraflow), table, view, row, guide_path));
        let mut context = table.context(view, row, ahead);
        if let Some(steps) = lift_steps {
            context.precedence = table.precedence(view.tick, query.key, steps);
        }
        let found = intervals.search(&context, query, |pose| {
            match field.map_or(0, |field| field.cost(pose, space.headings())) {
                cost if cost < nearest => UNKNOWN,
                cost => cost,
            }
        });
        *tries_left = tries_left.saturating_sub(1 + intervals.spent);
        found
    }

    /// Cost-to-go of an agent from a state, as the field of its line says, which is made.
    pub fn cost_to_go(&mut self, row: usize, from: State) -> u32 {
        let view = self.view;
        let space = view.tables[view.agents.motion[row].class.0 as usize].space();
        let MoveSearch { fields, contraflow, .. } = &mut *self.search;
        let field = field_of((fields, contraflow), self.table, view, row, &self.guide_path);
        field.cost(space.pose(from), space.headings())
    }

    /// Adds to `moves` the way from a pose downhill to the agent's path, of which the line is made; gives the
    /// move at which the path goes on from there.
    pub fn lead_back(&mut self, row: usize, from: State) -> Option<usize> {
        let view = self.view;
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let MoveSearch { fields, contraflow, .. } = &mut *self.search;
        let field = field_of((fields, contraflow), self.table, view, row, &self.guide_path);
        descend(tables, field, from, &self.guide_path, &mut self.moves)
    }

    /// An agent takes a plan. Where that leaves its path, the path is led back to where it goes on.
    pub fn take(&mut self, row: usize, plan: Plan, decisions: &mut Decisions) {
        let view = self.view;
        let id = view.agents.ids[row].0;
        let path = view.paths.moves(view.agents.paths[row]);
        let leaves_path = !plan.begins(path);
        self.table.set_plan(id, plan);
        let head = &mut self.table.heads[id as usize];
        head.failures = 0;
        // Until then others hardly make room for more; to look at every tick found no better plans.
        let pause = (self.table.step_ticks[view.agents.motion[row].class.0 as usize] / 2).max(1);
        head.next_try = view.tick.saturating_add(pause);
        let aside = head.retreat_left;
        self.table.touch(id, view.tick);
        if leaves_path {
            let motion = &view.agents.motion[row];
            // One that goes nowhere steps aside with all of its moves.
            let steps_aside = aside > 0 || !goes(motion);
            self.moves.clear();
            self.moves.extend(plan.moves().iter().map(|planned| planned.primitive));
            let joins = if goes(motion) { self.lead_back(row, plan.end.0) } else { None };
            let head = &mut self.table.heads[id as usize];
            let first = decisions.reroute_moves.len() as u32;
            decisions.reroute_moves.extend_from_slice(&self.moves);
            if let Some(at) = joins {
                decisions.reroute_moves.extend_from_slice(&path[at..]);
                if aside > 0 {
                    head.retreat_left = self.moves.len() as u32 + aside.saturating_sub(at as u32);
                }
            } else if steps_aside {
                head.retreat_left = self.moves.len() as u32;
            }
            let count = decisions.reroute_moves.len() as u32 - first;
            head.path_left = count;
            let leads = match motion.activity {
                Activity::Following if joins.is_some() => Leads::On,
                Activity::Following if goes(motion) => Leads::Off,
                _ => Leads::Aside,
            };
            decisions.reroutes.push(Reroute { row: row as u32, first, count, leads });
        }
        self.table.reserve(view, row, &self.ahead);
    }
}

/// The field of an agent for its line, which is made.
fn field_of<'f>(
    (fields, contraflow): (&'f mut LocalFields, &Contraflow),
    table: &PlanTable,
    view: &TrafficView<'_>,
    row: usize,
    guide_path: &[GuidePose],
) -> FieldView<'f> {
    let id = view.agents.ids[row].0;
    let number = view.agents.motion[row].class.0 as usize;
    let tables = &view.tables[number];
    let key = FieldKey { path: table.cold[id as usize].path, revision: tables.revision() };
    let center = tables.space().pose(guide_path[0].0).cell;
    let costs = Costs { tables, number, contraflow, flow: view.flow, tick: view.tick };
    fields.obtain(id, key, costs, (center, table.params.field_reach + 2 * table.sides[number].1), guide_path)
}
