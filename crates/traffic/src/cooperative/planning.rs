//! The agent that plans now: what it sees, and how it searches for its next moves.

use crate::cooperative::ahead::Ahead;
use crate::cooperative::board::Board;
use crate::cooperative::claims::FOREVER;
use crate::cooperative::contraflow::Contraflow;
use crate::cooperative::interval_search::{IntervalSearch, Quest};
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::steps::{descend, goes, line_moves, make_line, pose_after, step_at};
use crate::cooperative::window_field::{Costs, FieldKey, FieldView, LinePose, UNKNOWN, WindowFields};
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
    pub intervals: IntervalSearch,
    pub fields: WindowFields,
    pub contraflow: Contraflow,
    /// Poses that may still be tried at this tick.
    pub tries_left: u64,
}

impl MoveSearch {
    pub fn new(tables: &[MovementTables], params: TrafficParams) -> Self {
        Self {
            intervals: IntervalSearch::default(),
            fields: WindowFields::new(tables.iter()),
            contraflow: Contraflow::new(tables.iter(), params),
            tries_left: 0,
        }
    }
}

/// Memory of [`Planning`] that is used again from tick to tick.
#[derive(Debug, Default)]
pub struct PlanningScratch {
    pub ahead: Vec<Ahead>,
    pub line: Vec<LinePose>,
    pub moves: Vec<u8>,
}

/// The agents of a tick as they plan, one after the other: what they share, and of the agent that plans now what it
/// looks at.
pub struct Planning<'a> {
    pub view: &'a TrafficView<'a>,
    pub board: &'a mut Board,
    pub search: &'a mut MoveSearch,
    /// Passages ahead of the agent, how it goes through them, and who keeps it from entering.
    pub ahead: Vec<Ahead>,
    /// Moves after which it stops, to leave room before a passage that it is kept from.
    pub stop: u32,
    /// The next poses of its path, each with what remains from there.
    pub line: Vec<LinePose>,
    /// Moves that lead back to its path.
    pub moves: Vec<u8>,
}

impl<'a> Planning<'a> {
    /// No agent plans yet.
    pub fn new(
        view: &'a TrafficView<'a>,
        board: &'a mut Board,
        search: &'a mut MoveSearch,
        scratch: PlanningScratch,
    ) -> Self {
        let PlanningScratch { mut ahead, line, moves } = scratch;
        ahead.clear();
        Self { view, board, search, ahead, stop: u32::MAX, line, moves }
    }

    /// The memory, for the next tick.
    pub fn into_scratch(self) -> PlanningScratch {
        PlanningScratch { ahead: self.ahead, line: self.line, moves: self.moves }
    }

    /// The poses of an agent's path from where its plan begins, each with what remains from there to the last
    /// of them.
    pub fn make_line(&mut self, row: usize, from: State) {
        let view = self.view;
        let id = view.agents.ids[row].0;
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let path = line_moves(view, row, &self.board.members[id as usize]);
        make_line(tables, from, path, &mut self.line);
    }

    /// The next stretch of an agent's path, if nobody is in its way for a quarter of the horizon at least.
    pub fn follow_line(
        &mut self,
        row: usize,
        (mut state, mut ready): (State, u32),
        horizon: u32,
        place: PriorityKey,
    ) -> Option<Plan> {
        let view = self.view;
        let id = view.agents.ids[row].0;
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let member = &self.board.members[id as usize];
        let path = line_moves(view, row, member);
        let mover = self.board.mover(view, row, &self.ahead);
        let begin = ready;
        let mut against = 0;
        let mut plan = Plan::rest(state, ready);
        let (mut good, mut tried) = (None, 0);
        for (at, &primitive) in path.iter().enumerate().take_while(|(at, _)| (*at as u32) < self.stop) {
            let primitive = usize::from(primitive);
            let Some(ticks) = tables.move_ticks(state, primitive) else { break };
            let step = step_at(tables, tables.space().pose(state), primitive);
            tried += 1;
            let class = motion.class.0 as usize;
            against += self.search.contraflow.extra(view.streams, class, state, primitive, ticks);
            if against > u64::from(self.board.step_ticks[class]) {
                good = None;
                break;
            }
            if mover.is_forbidden(&step, place) || !mover.can_begin(&step, ticks, ready) {
                break;
            }
            state = tables.state_after(state, primitive);
            plan.push(PlannedMove { start: ready, ticks, primitive: primitive as u8 }, state);
            ready += ticks;
            let last = at + 1 == path.len() || at as u32 + 1 == self.stop;
            let far = ready - begin >= (horizon - begin).div_ceil(4) || last;
            if far && mover.free_until(pose_after(&step), ready) == FOREVER {
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
        quest: Quest,
        (nearest, lift_steps): (u32, Option<u32>),
    ) -> Option<(Plan, u32)> {
        let view = self.view;
        let motion = &view.agents.motion[row];
        let space = view.tables[motion.class.0 as usize].space();
        let Self { board, search, ahead, line, .. } = self;
        let MoveSearch { intervals, fields, contraflow, tries_left } = &mut **search;
        let field = goes(motion).then(|| field_of((fields, contraflow), board, view, row, line));
        let mut mover = board.mover(view, row, ahead);
        if let Some(steps) = lift_steps {
            mover.rank = board.rank(view.tick, quest.place, steps);
        }
        let found = intervals.search(&mover, quest, |pose| {
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
        let field = field_of((fields, contraflow), self.board, view, row, &self.line);
        field.cost(space.pose(from), space.headings())
    }

    /// Adds to `moves` the way from a pose downhill to the agent's path, of which the line is made; gives the
    /// move at which the path goes on from there.
    pub fn lead_back(&mut self, row: usize, from: State) -> Option<usize> {
        let view = self.view;
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let MoveSearch { fields, contraflow, .. } = &mut *self.search;
        let field = field_of((fields, contraflow), self.board, view, row, &self.line);
        descend(tables, field, from, &self.line, &mut self.moves)
    }

    /// An agent takes a plan. Where that leaves its path, the path is led back to where it goes on.
    pub fn take(&mut self, row: usize, plan: Plan, decisions: &mut Decisions) {
        let view = self.view;
        let id = view.agents.ids[row].0;
        let path = view.paths.moves(view.agents.paths[row]);
        let leaves_path = !plan.begins(path);
        self.board.set_plan(id, plan);
        let member = &mut self.board.members[id as usize];
        member.failures = 0;
        // Until then others hardly make room for more; to look at every tick found no better plans.
        let pause = (self.board.step_ticks[view.agents.motion[row].class.0 as usize] / 2).max(1);
        member.next_try = view.tick.saturating_add(pause);
        let aside = member.aside_left;
        self.board.touch(id, view.tick);
        if leaves_path {
            let motion = &view.agents.motion[row];
            // One that goes nowhere steps aside with all of its moves.
            let steps_aside = aside > 0 || !goes(motion);
            self.moves.clear();
            self.moves.extend(plan.moves().iter().map(|planned| planned.primitive));
            let joins = if goes(motion) { self.lead_back(row, plan.end.0) } else { None };
            let member = &mut self.board.members[id as usize];
            let first = decisions.reroute_moves.len() as u32;
            decisions.reroute_moves.extend_from_slice(&self.moves);
            if let Some(at) = joins {
                decisions.reroute_moves.extend_from_slice(&path[at..]);
                if aside > 0 {
                    member.aside_left = self.moves.len() as u32 + aside.saturating_sub(at as u32);
                }
            } else if steps_aside {
                member.aside_left = self.moves.len() as u32;
            }
            let count = decisions.reroute_moves.len() as u32 - first;
            member.path_left = count;
            let leads = match motion.activity {
                Activity::Following if joins.is_some() => Leads::On,
                Activity::Following if goes(motion) => Leads::Off,
                _ => Leads::Aside,
            };
            decisions.reroutes.push(Reroute { row: row as u32, first, count, leads });
        }
        self.board.claim(view, row, &self.ahead);
    }
}

/// The field of an agent for its line, which is made.
fn field_of<'f>(
    (fields, contraflow): (&'f mut WindowFields, &Contraflow),
    board: &Board,
    view: &TrafficView<'_>,
    row: usize,
    line: &[LinePose],
) -> FieldView<'f> {
    let id = view.agents.ids[row].0;
    let number = view.agents.motion[row].class.0 as usize;
    let tables = &view.tables[number];
    let key = FieldKey { path: board.cold[id as usize].path, revision: tables.revision() };
    let center = tables.space().pose(line[0].0).cell;
    let costs = Costs { tables, number, contraflow, streams: view.streams, tick: view.tick };
    fields.obtain(id, key, costs, (center, board.params.field_reach + 2 * board.sides[number].1), line)
}
