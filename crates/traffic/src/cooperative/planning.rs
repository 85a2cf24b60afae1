//! The planning context: what the agents of a tick share as they plan one after the other, and how one of them
//! searches.

use crate::clone_fields::clone_fields;
use crate::cooperative::corridors_ahead::CorridorAhead;
use crate::cooperative::crossing::moves_max;
use crate::cooperative::fixed::{
    FREE_PATH_HORIZON_QUARTERS, GUIDE_PATH_MOVES, PATH_BACK_MOVES, REPLAN_HALF_STEPS,
};
use crate::cooperative::moves::{
    descend, guide_moves, half_steps, is_following, pose_after, set_guide_path, transition_at,
};
use crate::cooperative::plan::{Plan, PlannedMove};
use crate::cooperative::plan_table::PlanTable;
use crate::cooperative::reservations::FOREVER;
use crate::cooperative::sipp::{Crossing, SippQuery, SippSearch};
use crate::cooperative::windowed_cost_to_go::{
    CostWindows, GuidePose, MoveCosts, UNKNOWN, WindowKey, WindowView, window_radius,
};
use crate::decisions::{Decisions, Leads, Reroute};
use crate::motion::{Activity, AgentSlot};
use crate::priority::PriorityKey;
use crate::speed::ticks_at_speed;
use crate::view::TrafficView;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// `stop` of an agent that no corridor stops.
pub(crate) const NO_STOP: u32 = u32::MAX;

/// The search for moves, its cost-to-go, and its spent poses.
#[derive(Debug)]
pub(crate) struct MoveSearch {
    pub(crate) intervals: SippSearch,
    pub(crate) windows: CostWindows,
    /// Poses expanded in the present turn.
    pub(crate) expanded: u64,
}

clone_fields!(MoveSearch { windows } keep { intervals, expanded });

impl MoveSearch {
    /// For some classes.
    pub(crate) fn new(tables: &[MovementTables]) -> Self {
        Self { intervals: SippSearch::default(), windows: CostWindows::new(tables.iter()), expanded: 0 }
    }
}

/// Scratch memory of [`Planning`].
#[derive(Clone, Debug, Default)]
pub(crate) struct PlanningScratch {
    pub(crate) ahead: Vec<CorridorAhead>,
    pub(crate) guide_path: Vec<GuidePose>,
    pub(crate) moves: Vec<u8>,
}

/// The planning context of a tick: the view, the shared table and search, and the scratch of the agent that plans now.
pub(crate) struct Planning<'a> {
    pub(crate) view: &'a TrafficView<'a>,
    pub(crate) table: &'a mut PlanTable,
    pub(crate) search: &'a mut MoveSearch,
    /// Corridors on the path of the agent.
    pub(crate) ahead: Vec<CorridorAhead>,
    /// Moves after which it stops before a corridor; [`NO_STOP`] if it need not.
    pub(crate) stop: u32,
    /// The next poses of its path, each with what remains from there to the last of them.
    pub(crate) guide_path: Vec<GuidePose>,
    /// Moves of its plan and back to its path.
    pub(crate) moves: Vec<u8>,
}

impl<'a> Planning<'a> {
    /// Before the first agent plans.
    pub(crate) fn new(
        view: &'a TrafficView<'a>,
        table: &'a mut PlanTable,
        search: &'a mut MoveSearch,
        scratch: PlanningScratch,
    ) -> Self {
        let PlanningScratch { mut ahead, guide_path, moves } = scratch;
        ahead.clear();
        search.windows.begin_tick();
        Self { view, table, search, ahead, stop: NO_STOP, guide_path, moves }
    }

    /// The scratch memory, for the next tick.
    pub(crate) fn into_scratch(self) -> PlanningScratch {
        PlanningScratch { ahead: self.ahead, guide_path: self.guide_path, moves: self.moves }
    }

    /// Begins the turn of an agent; says whether its credit lets it expand any pose.
    pub(crate) fn begin_turn(&mut self, slot: AgentSlot) -> bool {
        self.search.expanded = 0;
        self.table.details[slot.index()].credit.is_positive(self.view.tick, self.view.poses_per_agent)
    }

    /// Ends the turn of an agent, which pays for all that was expanded in it, whoever was moved.
    pub(crate) fn end_turn(&mut self, slot: AgentSlot) {
        let (view, expanded) = (self.view, self.search.expanded);
        self.table.details[slot.index()].credit.take(expanded, view.tick, view.poses_per_agent);
    }

    /// Sets the guide path of an agent from a state on its path.
    pub(crate) fn set_guide_path(&mut self, row: usize, from: State) {
        let view = self.view;
        let slot = view.agents.slots[row];
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let path = guide_moves(view, row, &self.table.heads[slot.index()]);
        let (factor, moves_max) = (view.agents.speed_factors[row], GUIDE_PATH_MOVES);
        set_guide_path(tables, (from, factor), path, moves_max, &mut self.guide_path);
    }

    /// The next moves of an agent's path as its plan, if they are free for a share of the horizon. They must lead off
    /// any no-stopping ground.
    pub(crate) fn plan_along_path(
        &mut self,
        row: usize,
        (mut state, mut ready): (State, u32),
        (horizon, crossing): (u32, Option<Crossing>),
        key: PriorityKey,
    ) -> Option<Plan> {
        let view = self.view;
        let slot = view.agents.slots[row];
        let motion = &view.agents.motion[row];
        let tables = &view.tables[motion.class.0 as usize];
        let head = &self.table.heads[slot.index()];
        let path = guide_moves(view, row, head);
        let context = self.table.context(view, row, &self.ahead);
        let factor = view.agents.speed_factors[row];
        let begin = ready;
        let free_ticks = ((horizon - begin) * FREE_PATH_HORIZON_QUARTERS).div_ceil(4);
        let ends = crossing.unwrap_or(Crossing::NONE);
        let mut plan = Plan::rest(state, ready);
        let mut found = None;
        for (at, &primitive) in path.iter().enumerate().take_while(|(at, _)| (*at as u32) < self.stop) {
            let primitive = usize::from(primitive);
            let Some(ticks) = tables.move_ticks(state, primitive) else { break };
            let ticks = ticks_at_speed(ticks, factor);
            let step = transition_at(tables, tables.space().pose(state), primitive);
            if context.is_forbidden(&step, key) || !context.can_begin(&step, ticks, ready) {
                break;
            }
            state = tables.state_after(state, primitive);
            plan.push(PlannedMove { start: ready, ticks, primitive: primitive as u8 }, state);
            ready += ticks;
            let last = at + 1 == path.len() || at as u32 + 1 == self.stop;
            let far = ready - begin >= free_ticks || last;
            let pose = pose_after(&step);
            if far && context.free_until(pose, ready) == FOREVER && context.may_end(pose, state, ends) {
                found = Some(plan);
            }
            // A crossing goes on until it is off the no-stopping ground.
            let is_far = ready >= horizon && (found.is_some() || crossing.is_none());
            if plan.moves().len() >= moves_max(crossing) || is_far {
                break;
            }
        }
        found
    }

    /// Searches for the plan of an agent. An agent with a path needs its guide path set. Poses of a cost-to-go below
    /// `cost_floor` are closed. With `yield_steps`, friends of lower priority yield and clear cells within that many
    /// steps.
    pub(crate) fn search_moves(
        &mut self,
        row: usize,
        query: SippQuery,
        cost_floor: u32,
        yield_steps: Option<u32>,
    ) -> Option<(Plan, u32)> {
        let view = self.view;
        let motion = &view.agents.motion[row];
        let Self { table, search, ahead, guide_path, .. } = self;
        let MoveSearch { intervals, windows, expanded } = &mut **search;
        let mut window = is_following(motion).then(|| window_of(windows, table, view, row, guide_path));
        let mut context = table.context(view, row, ahead);
        if let Some(steps) = yield_steps {
            context.precedence = table.precedence(view.tick, (query.key, query.teams), steps);
        }
        let found = intervals.search(&context, query, |pose, limit| {
            match window.as_mut().map_or(0, |window| window.cost(pose, limit)) {
                cost if cost < cost_floor => UNKNOWN,
                cost => cost,
            }
        });
        *expanded += 1 + intervals.spent;
        found
    }

    /// Cost-to-go of an agent from a state, by the window of its guide path, which must be set.
    pub(crate) fn cost_to_go(&mut self, row: usize, from: State) -> u32 {
        let view = self.view;
        let space = view.tables[view.agents.motion[row].class.0 as usize].space();
        let MoveSearch { windows, .. } = &mut *self.search;
        window_of(windows, self.table, view, row, &self.guide_path).cost(space.pose(from), UNKNOWN)
    }

    /// Appends to `moves` the moves from a state back to the agent's path, whose guide path must be set. Gives the
    /// index of the move at which the path goes on.
    pub(crate) fn path_back(&mut self, row: usize, from: State) -> Option<usize> {
        let view = self.view;
        let tables = &view.tables[view.agents.motion[row].class.0 as usize];
        let MoveSearch { windows, .. } = &mut *self.search;
        let window = window_of(windows, self.table, view, row, &self.guide_path);
        let guide_path = (&*self.guide_path, PATH_BACK_MOVES);
        descend(tables, window, (from, view.agents.speed_factors[row]), guide_path, &mut self.moves)
    }

    /// Gives an agent a plan. Where the plan leaves its path, the path is rerouted along it and back.
    pub(crate) fn adopt_plan(&mut self, row: usize, plan: Plan, decisions: &mut Decisions) {
        let view = self.view;
        let slot = view.agents.slots[row];
        let path = view.paths.moves(view.agents.paths[row]);
        let leaves_path = !plan.begins(path);
        self.table.set_plan(slot, plan);
        let step_ticks = self.table.step_ticks_of(&view.agents, row);
        let head = &mut self.table.heads[slot.index()];
        head.failures = 0;
        let pause = half_steps(step_ticks, REPLAN_HALF_STEPS).max(1);
        head.next_try = view.tick.saturating_add(pause);
        let retreat = head.retreat_left;
        self.table.touch(slot, view.tick);
        if leaves_path {
            let motion = &view.agents.motion[row];
            // All moves of an agent without a path lead to its retreat.
            let retreats = retreat > 0 || !is_following(motion);
            self.moves.clear();
            self.moves.extend(plan.moves().iter().map(|planned| planned.primitive));
            let joins = if is_following(motion) { self.path_back(row, plan.end.0) } else { None };
            let head = &mut self.table.heads[slot.index()];
            let first = decisions.reroute_moves.len() as u32;
            decisions.reroute_moves.extend_from_slice(&self.moves);
            if let Some(at) = joins {
                decisions.reroute_moves.extend_from_slice(&path[at..]);
                if retreat > 0 {
                    head.retreat_left = self.moves.len() as u32 + retreat.saturating_sub(at as u32);
                }
            } else if retreats {
                head.retreat_left = self.moves.len() as u32;
            }
            let count = decisions.reroute_moves.len() as u32 - first;
            head.path_left = count;
            let leads = match motion.activity {
                Activity::Following if joins.is_some() => Leads::On,
                Activity::Following if is_following(motion) => Leads::Off,
                _ => Leads::Aside,
            };
            decisions.reroutes.push(Reroute { row: row as u32, first, count, leads });
        }
        self.table.reserve(view, row, &self.ahead);
    }
}

/// The window of an agent for its guide path, which must be set.
fn window_of<'f>(
    windows: &'f mut CostWindows,
    table: &PlanTable,
    view: &'f TrafficView<'_>,
    row: usize,
    guide_path: &[GuidePose],
) -> WindowView<'f> {
    let slot = view.agents.slots[row];
    let class = view.agents.motion[row].class.0 as usize;
    let tables = &view.tables[class];
    let agent = view.agents.ids[row];
    let (path, revision) = (table.details[slot.index()].path, tables.revision());
    let speed_factor = view.agents.speed_factors[row];
    let key = WindowKey { agent, path, revision, speed_factor };
    let center = tables.space().pose(guide_path[0].0).cell;
    let move_costs = MoveCosts { tables, class, speed_factor, tick: view.tick };
    let radius = window_radius(table.sides[class].1);
    windows.obtain(slot, key, move_costs, (center, radius), guide_path)
}
