//! A tick of the rule: goals, guidance and fields, operations in turn, neighbourhood search, and the first action of
//! each robot.

use crate::collision::CollisionRule;
use crate::decisions::{Decisions, Start};
use crate::motion::Activity;
use crate::params::TrafficParams;
use crate::random::Random;
use crate::reason::Reason;
use crate::rule::{Traffic, copy_of_same_type};
use crate::rule_state::{RuleContext, RuleState, RuleStateError, StateVisitor};
use crate::speed::USUAL_SPEED_PERMILLE;
use crate::unit_robots::crowd::{Crowd, is_packed, select_pursuers};
use crate::unit_robots::guidance::Guidance;
use crate::unit_robots::operations::{DEPTH, FORWARD, Operations, WAIT};
use crate::unit_robots::push::{PushContext, PushScratch, push_ahead};
use crate::unit_robots::reason::reason_of;
use crate::unit_robots::restore::restore_unit_robots;
use crate::unit_robots::robot_reservations::{NOBODY, RobotReservations};
use crate::unit_robots::save::visit_unit_robots;
use crate::unit_robots::state::{ChainLink, UnitRobots};
use crate::unit_robots::team::{NO_GOAL, Team};
use crate::unit_robots::unit_fields::{FieldCosts, FieldRequest, UNKNOWN, UnitFields};
use crate::unit_robots::unit_map::{BLOCKED, UnitMap};
use crate::view::TrafficView;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::{Offset, State};

/// Most memory of all fields together, in bytes; more only if one field for each robot needs more.
const FIELD_BYTES_MAX: usize = 1 << 30;
/// Most memory that one field for each robot may need.
const FIELD_BYTES_OF_TEAM_MAX: usize = 3 << 29;
/// Search budget of a tick at most, in tries.
const SEARCH_BUDGET_MAX: u64 = u32::MAX as u64;
/// Sort key of a robot without a goal.
const LAST_TURN: u32 = u32::MAX;
/// Stream of the seed from which robots are drawn. The streams of events count from 0.
const RANDOM_STREAM: u64 = u64::MAX;

/// How a robot plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// In its turn: only robots with later turns yield.
    Turn,
    /// In the neighbourhood search: any robots yield, but the weighted cost must not grow.
    Neighbourhood,
}

/// An operation that a robot may take.
struct Choice {
    operation: usize,
    cost: u32,
    /// The robot in the way, which must yield; [`NOBODY`] if there is none.
    blocker: u16,
}

impl Traffic for UnitRobots {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.read_view(view);
        select_pursuers(&mut self.crowd, &mut self.team, (&self.params, &self.map), view);
        self.update_guidance();
        self.make_fields(view, decisions);
        self.plan_in_turn(view);
        self.search_neighbourhoods(view.search_budget);
        self.push_for_blocked();
        self.begin_moves(decisions);
        self.shift();
    }

    fn needs_paths(&self) -> bool {
        false
    }

    fn add_class(&mut self, _tables: &[MovementTables]) -> bool {
        false
    }

    fn reason(&self, view: &TrafficView<'_>, row: usize) -> Option<Reason> {
        reason_of(self, view, row)
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }

    fn copy_from(&mut self, other: &dyn Traffic) -> bool {
        copy_of_same_type(self, other)
    }

    fn saved_name(&self) -> Option<&'static str> {
        Some(Self::NAME)
    }

    fn visit_state(&self, visitor: &mut dyn StateVisitor) {
        visit_unit_robots(self, visitor);
    }

    fn restore_state(&mut self, state: &RuleState, context: &RuleContext<'_>) -> Result<(), RuleStateError> {
        restore_unit_robots(self, state, context)
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        for (cells, actions) in self.team.cells.iter().zip(&self.team.actions) {
            word(u64::from(cells[0]) << 32 | u64::from(u32::from_le_bytes(*actions)));
        }
        for (&since, &until) in self.team.waits_since.iter().zip(&self.team.first_until) {
            word(u64::from(since) << 32 | u64::from(until));
        }
        self.team.bound_until.iter().for_each(|&until| word(u64::from(until)));
        word(self.fields.n_made);
        word(self.random.clone().next_u64());
        self.guidance.for_each_word(word);
    }
}

impl UnitRobots {
    /// Name in recordings and snapshots.
    pub(crate) const NAME: &'static str = "unit_robots";

    /// Bytes of a field for each cell and heading, and of all fields together at most.
    pub const FIELDS_NEED: (u64, u64) = (1, FIELD_BYTES_OF_TEAM_MAX as u64);

    /// The rule for this many robots of a class. Unit robots have one cell, four headings, and three moves of one tick:
    /// a step forward and both quarter turns. `None` for any other class, without the discrete rule of collision, or if
    /// one field for each robot needs too much memory.
    pub fn new(
        tables: &MovementTables,
        rule: CollisionRule,
        robots: usize,
        seed: u64,
        params: TrafficParams,
    ) -> Option<Self> {
        let made = Self::to_restore(tables, rule, seed, params)?;
        let fits = robots < usize::from(NOBODY) && robots * made.map.n_free() * 2 <= FIELD_BYTES_OF_TEAM_MAX;
        (fits && all_take_one_tick(tables)).then_some(made)
    }

    /// The same to take over a saved state, long after the start. By then edits may have made moves longer, so that
    /// cells count as blocked, and robots may have come. `None` if the class is not one of unit robots whatever the
    /// map, or if the rule of collision is not the discrete one.
    pub fn to_restore(
        tables: &MovementTables,
        rule: CollisionRule,
        seed: u64,
        params: TrafficParams,
    ) -> Option<Self> {
        let primitives = primitives_of_unit_robot(tables).filter(|_| rule == CollisionRule::Discrete)?;
        let map = UnitMap::new(tables, primitives.map(usize::from));
        Some(Self {
            params,
            operations: Operations::new(map.stride as i32),
            primitives,
            fields: UnitFields::new(&map, FIELD_BYTES_MAX, params),
            guidance: Guidance::new(&map),
            random: Random::of_stream(seed, RANDOM_STREAM),
            newest: None,
            reservations: RobotReservations::new(map.n_cells()),
            map,
            team: Team::default(),
            order: Vec::new(),
            old: Vec::new(),
            n_with_goal: 0,
            chain: Vec::with_capacity(1 + params.robot_displaced_max as usize),
            crowd: Crowd::default(),
            push: PushScratch::default(),
            requests: Vec::new(),
            requested_by: Vec::new(),
            tick: 0,
            epoch: 0,
        })
    }

    /// Reads the poses and goals of the robots.
    fn read_view(&mut self, view: &TrafficView<'_>) {
        self.tick = view.tick;
        self.epoch = self.epoch.wrapping_add(1);
        if !view.edited.is_empty() {
            self.follow_edit(&view.tables[0]);
        }
        let Self { map, team, operations, reservations, newest, .. } = self;
        reservations.set_tick(view.tick);
        let ids = view.agents.ids;
        // Ids rise, and are never reused.
        let are_same = ids.len() == team.len() && ids.last() == newest.as_ref();
        *newest = ids.last().copied();
        let mut are_where_sent = are_same && view.refused.is_empty() && view.reclassed.is_empty();
        team.resize(view.agents.len(), operations.n);
        for row in 0..view.agents.len() {
            let motion = &view.agents.motion[row];
            let pose = view.tables[motion.class.0 as usize].space().pose(motion.state);
            team.at[row] = map.index(pose.cell);
            team.heading[row] = pose.heading.0;
            let goal = view.agents.goals[row];
            let is_off = map.number(team.at[row]) == BLOCKED;
            let number = goal.and_then(|cell| map.number_at(cell));
            team.goal[row] = number.unwrap_or(NO_GOAL);
            team.goal_at[row] = goal.filter(|_| number.is_some()).map_or(NO_GOAL, |cell| map.index(cell));
            let rests = is_off
                || motion.activity == Activity::Holding
                || view.agents.speed_factors[row] < USUAL_SPEED_PERMILLE
                || !motion.at_rest();
            if rests {
                team.drop_goal(row);
                team.bound_until[row] = view.tick.saturating_add(1);
            }
            are_where_sent &=
                team.cells[row][0] == team.at[row] && !(rests && team.actions[row] != [WAIT; DEPTH]);
        }
        if !are_where_sent {
            // A move was refused, or robots came, went or were stopped: all wait where they are.
            reservations.reset();
            for row in 0..team.len() {
                team.rest(row);
                reservations.put(&team.cells[row], row as u32);
            }
        }
        team.n_choices.fill(0);
        team.planned.fill(false);
    }

    /// After an edit: another map, without fields and flow, on which all robots wait where they are.
    fn follow_edit(&mut self, tables: &MovementTables) {
        self.map = UnitMap::new(tables, self.primitives.map(usize::from));
        self.fields = UnitFields::new(&self.map, FIELD_BYTES_MAX, self.params);
        self.guidance = Guidance::new(&self.map);
        self.reservations.reset();
        self.team = Team::default();
    }

    /// Updates the costs of steps to the flow, every few ticks.
    fn update_guidance(&mut self) {
        // A robot that is alone is in no other's way.
        if self.tick == 0
            || !self.tick.is_multiple_of(self.params.robot_guidance_ticks)
            || self.team.len() < 2
        {
            return;
        }
        self.guidance.set_step_costs(self.team.len(), &self.params);
        self.guidance.fade(&self.params);
        // On a large map a field keeps the guidance under which it was made.
        if self.team.len() * self.map.n_free() * 4 <= self.params.robot_remade_states_max as usize {
            self.fields.forget();
        }
    }

    /// Makes the fields of all goals that have none.
    fn make_fields(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let Self { params, map, team, fields, guidance, requests, requested_by, tick, .. } = self;
        requests.clear();
        requests.reserve(team.len());
        requested_by.clear();
        requested_by.reserve(team.len());
        for row in (0..team.len()).filter(|&row| team.goal[row] != NO_GOAL) {
            let from = map.number(team.at[row]);
            requests.push(FieldRequest { goal: team.goal[row], from, heading: team.heading[row] });
            requested_by.push(row as u32);
        }
        let robots = team.len();
        let at_start = *tick == 0 && robots > 1;
        fields.obtain(map, guidance, *tick, requests, |guidance, batch| {
            // At the start there is no flow yet: the flow to be expected stands in for it.
            if at_start {
                batch.for_each(|(request, costs)| count_expected_steps(map, guidance, request, costs));
                guidance.set_step_costs(robots, params);
            }
        });
        for (request, &row) in requests.iter().zip(&*requested_by) {
            if fields.of(request.goal).cost(request.from, request.heading) >= UNKNOWN {
                team.drop_goal(row as usize);
                if view.agents.motion[row as usize].activity == Activity::Following {
                    decisions.unreachable.push(row);
                }
            }
        }
    }

    /// Each robot looks for an operation in its turn.
    fn plan_in_turn(&mut self, view: &TrafficView<'_>) {
        self.order_turns(view);
        for at in 0..self.order.len() {
            let (key, row) = self.order[at];
            let at = row as usize;
            let goes_first = key < u32::from(NOBODY);
            if goes_first && self.team.bound_until[at] <= self.tick {
                self.push_for(at, self.params.robot_push_cells as usize);
            }
            if !self.team.planned[at] && self.team.bound_until[at] <= self.tick {
                self.plan_robot(row, Mode::Turn);
                self.team.planned[at] = true;
            }
        }
    }

    /// Sets the order of turns: robots that go first, old ones, then the nearest to their goals, and last those
    /// without a goal.
    fn order_turns(&mut self, view: &TrafficView<'_>) {
        let Self { params, map, team, fields, order, old, n_with_goal, tick, .. } = self;
        order.clear();
        old.clear();
        old.reserve(team.len());
        *n_with_goal = 0;
        for row in 0..team.len() {
            let goal = team.goal[row];
            if goal == NO_GOAL {
                // It yields at no cost.
                (team.cost[row], team.weight[row]) = (0, 0);
                order.push((LAST_TURN, row as u32));
                continue;
            }
            *n_with_goal += 1;
            let field = fields.of(goal);
            let cost_to_go = field.cost(map.number(team.at[row]), team.heading[row]);
            team.cost[row] = team.cost_of_reserved(map, field, row);
            let since = view.agents.stamps[row].since;
            if since > team.waits_since[row] {
                (team.waits_since[row], team.first_until[row]) = (since, 0);
            }
            team.weight[row] =
                1 + ((*tick - since) / params.robot_weight_ticks).min(params.robot_weight_max - 1) as u8;
            let waits = *tick - team.waits_since[row];
            let is_old = waits > params.robot_old_ticks && waits / params.robot_old_distances > cost_to_go;
            // By distance: with the costs of guidance a robot would be young for long.
            if waits > params.robot_old_ticks
                && waits / params.robot_old_distances > map.distance(team.at[row], team.goal_at[row])
            {
                old.push((team.waits_since[row], row as u32, order.len() as u32));
            }
            // Beyond the keys of the robots that go first, of which there are fewer.
            let key = u32::from(NOBODY) + if is_old { 0 } else { 1 + cost_to_go };
            order.push((key, row as u32));
        }
        old.sort_unstable();
        for (number, &(_, row, at)) in
            old.iter().take(1 + team.len() / params.robot_first_of as usize).enumerate()
        {
            let (row, of_row) = (row as usize, &mut order[at as usize]);
            if team.first_until[row] == 0 {
                let field = fields.of(team.goal[row]);
                let cost_to_go = field.cost(map.number(team.at[row]), team.heading[row]);
                let term = params.robot_term_ticks + params.robot_term_distances * cost_to_go;
                team.first_until[row] = *tick + term;
            }
            if team.first_until[row] <= *tick {
                (team.waits_since[row], team.first_until[row]) = (*tick, 0);
                continue;
            }
            team.weight[row] = params.robot_first_weight as u8;
            of_row.0 = number as u32;
        }
        order.sort_unstable();
        for (turn, &(_, row)) in order.iter().enumerate() {
            team.turn[row as usize] = turn as u32;
        }
    }

    /// Spends the search budget: robots drawn at random look for a better operation. In a crowd a hundred others may
    /// yield in one try, so a number of yielding robots ends the tries too.
    fn search_neighbourhoods(&mut self, search_budget: u64) {
        // A robot that is alone has nothing to gain.
        let n = if self.team.len() > 1 { self.n_with_goal } else { 0 };
        let mut yields_left = search_budget.saturating_mul(u64::from(self.params.robot_displaced_of_try));
        for _ in 0..search_budget.min(SEARCH_BUDGET_MAX) * u64::from(n > 0) {
            self.epoch = self.epoch.wrapping_add(1);
            let (_, robot) = self.order[self.random.below(n)];
            if self.team.bound_until[robot as usize] <= self.tick {
                let yielded = self.plan_robot(robot, Mode::Neighbourhood);
                let Some(left) = yields_left.checked_sub(u64::from(yielded)) else { return };
                yields_left = left;
            }
        }
    }

    /// Looks for a better operation of a robot. A robot in the way yields and looks for another one. If the last of the
    /// chain finds none, nothing has changed. Gives how many robots yielded.
    fn plan_robot(&mut self, root: u32, mode: Mode) -> u32 {
        let mut chain = std::mem::take(&mut self.chain);
        chain.clear();
        self.withdraw(root, &mut chain);
        let yields_max = match mode {
            Mode::Turn => self.params.robot_displaced_max,
            Mode::Neighbourhood => self.params.robot_displaced_to_improve_max,
        };
        let mut yields_left = yields_max;
        // Growth of the weighted cost, without the last link.
        let mut growth = 0_i64;
        while let Some(link) = chain.last_mut() {
            let choice = if yields_left == 0 { None } else { self.next_choice(link, mode, root, growth) };
            let Some(Choice { operation, cost, blocker }) = choice else {
                growth = self.backtrack(&mut chain, growth);
                continue;
            };
            let robot = link.robot;
            growth += self.team.weighted_growth(robot, cost, link.cost);
            self.team.take(robot as usize, &self.operations, operation, cost);
            if blocker != NOBODY {
                self.withdraw(u32::from(blocker), &mut chain);
                yields_left -= 1;
            }
            self.reservations.put(&self.team.cells[robot as usize], robot);
            if blocker == NOBODY {
                break;
            }
        }
        for link in &chain {
            self.team.planned[link.robot as usize] = true;
            self.team.in_chain[link.robot as usize] = false;
        }
        self.chain = chain;
        yields_max - yields_left
    }

    /// Removes the reservations of a robot and appends it to the chain.
    fn withdraw(&mut self, robot: u32, chain: &mut Vec<ChainLink>) {
        let Self { team, reservations, epoch, .. } = self;
        let row = robot as usize;
        reservations.clear(&team.cells[row]);
        let (cells, actions, cost) = (team.cells[row], team.actions[row], team.cost[row]);
        chain.push(ChainLink { robot, next: 0, cells, actions, cost });
        team.in_chain[row] = true;
        if team.visited_in[row] != *epoch {
            (team.visited_in[row], team.visits[row]) = (*epoch, 0);
        }
        // The root of a chain joins it whatever its visits.
        team.visits[row] = team.visits[row].saturating_add(1);
    }

    /// The last robot of the chain gets back its operation, and the one before it looks further. Gives the growth
    /// without both.
    fn backtrack(&mut self, chain: &mut Vec<ChainLink>, mut growth: i64) -> i64 {
        let Self { team, reservations, .. } = self;
        let Some(link) = chain.pop() else { return growth };
        if let Some(before) = chain.last() {
            let row = before.robot as usize;
            reservations.clear(&team.cells[row]);
            growth -= team.weighted_growth(before.robot, team.cost[row], before.cost);
            (team.cells[row], team.actions[row], team.cost[row]) =
                (before.cells, before.actions, before.cost);
        }
        let row = link.robot as usize;
        (team.cells[row], team.actions[row], team.cost[row]) = (link.cells, link.actions, link.cost);
        team.in_chain[row] = false;
        reservations.put(&link.cells, link.robot);
        growth
    }

    /// The next operation of a robot with no blocker, or whose blocker may yield.
    fn next_choice(&mut self, link: &mut ChainLink, mode: Mode, root: u32, growth: i64) -> Option<Choice> {
        let row = link.robot as usize;
        if self.team.n_choices[row] == 0 {
            self.list_choices(row);
        }
        let Self { params, team, operations, reservations, tick, epoch, .. } = self;
        let n = operations.n;
        let choices = &team.choices[row * n..][..usize::from(team.n_choices[row])];
        let of_heading = &operations.cells[usize::from(team.heading[row]) * n..][..n];
        while let Some(&choice) = choices.get(usize::from(link.next)) {
            let (cost, operation) = (choice >> 8, (choice & 0xff) as usize);
            if mode == Mode::Neighbourhood && growth + team.weighted_growth(link.robot, cost, link.cost) > 0 {
                return None;
            }
            link.next += 1;
            let Some(blocker) = reservations.blocker_of(team.at[row], &of_heading[operation]) else {
                continue;
            };
            if blocker != NOBODY {
                let other = usize::from(blocker);
                let visited_out =
                    team.visited_in[other] == *epoch && team.visits[other] >= params.robot_visits_max as u8;
                let comes_first = mode == Mode::Turn && team.turn[other] < team.turn[root as usize];
                let is_bound = team.bound_until[other] > *tick;
                if team.in_chain[other] || visited_out || comes_first || is_bound {
                    continue;
                }
            }
            return Some(Choice { operation, cost, blocker });
        }
        None
    }

    /// Lists the operations of a robot, the cheapest first.
    fn list_choices(&mut self, row: usize) {
        let Self { map, team, operations, fields, .. } = self;
        let n = operations.n;
        let (start, heading, goal_at) = (team.at[row], usize::from(team.heading[row]), team.goal_at[row]);
        let field = (goal_at != NO_GOAL).then(|| fields.of(team.goal[row]));
        let choices = &mut team.choices[row * n..][..n];
        let (mut found, mut operation) = (0, 0);
        'operations: while operation < n {
            let at = heading * n + operation;
            let (actions, cells) = (&operations.actions[operation], &operations.cells[at]);
            let (mut cell, mut reached) = (start, None);
            for depth in 0..DEPTH {
                if actions[depth] == FORWARD && !map.is_open(cell, operations.headings[at][depth]) {
                    operation = usize::from(operations.skip[operation][depth]);
                    continue 'operations;
                }
                cell = start.wrapping_add_signed(cells[depth]);
                reached = reached.or((cell == goal_at).then_some(depth as u32 + 1));
            }
            let end = || field.map(|field| field.cost(map.number(cell), operations.end_heading[at]));
            let cost = reached.or_else(|| end().map(|end| DEPTH as u32 + end));
            // Without a goal it rests unless it yields.
            let effort = || actions.iter().filter(|&&action| action != WAIT).count() as u32;
            choices[found] = cost.unwrap_or_else(effort).min(UNKNOWN) << 8 | operation as u32;
            found += 1;
            operation += 1;
        }
        choices[..found].sort_unstable();
        team.n_choices[row] = found as u16;
    }

    /// On a packed map, pushes for each robot that pursues its goal and is about to rest. With more room, operations
    /// find more.
    fn push_for_blocked(&mut self) {
        if !is_packed(&self.params, &self.map, self.team.len()) {
            return;
        }
        for at in 0..self.n_with_goal {
            let row = self.order[at].1 as usize;
            let is_bound = self.team.bound_until[row] > self.tick;
            if !is_bound && self.team.cells[row] == [self.team.at[row]; DEPTH + 1] {
                self.push_for(row, self.params.robot_push_cells_near as usize);
            }
        }
    }

    /// Pushes the robots that rest close ahead on the path of another.
    fn push_for(&mut self, row: usize, cells_max: usize) {
        let Self { map, fields, team, reservations, push, tick, .. } = self;
        let mut context = PushContext { map, fields, team, reservations, tick: *tick };
        push_ahead(&mut context, push, row, cells_max);
    }

    /// Begins the first action of each robot, and counts steps and waiting.
    fn begin_moves(&mut self, decisions: &mut Decisions) {
        let Self { map, team, primitives, guidance, .. } = self;
        for (row, actions) in team.actions.iter().enumerate() {
            let action = actions[0];
            if action == WAIT {
                if team.goal[row] != NO_GOAL {
                    guidance.count_waiting(map.number(team.at[row]));
                }
                continue;
            }
            if action == FORWARD {
                guidance.count(map.number(team.at[row]), team.heading[row]);
            }
            let primitive = primitives[usize::from(action)];
            decisions.starts.push(Start { row: row as u32, primitive, ticks: 1 });
        }
    }

    /// Advances all operations by one action; at the end each robot waits.
    fn shift(&mut self) {
        let Self { team, reservations, .. } = self;
        for (row, (cells, actions)) in team.cells.iter_mut().zip(&mut team.actions).enumerate() {
            let present = cells[0];
            cells.copy_within(1.., 0);
            reservations.shift(present, cells, row as u32);
            actions.copy_within(1.., 0);
            actions[DEPTH - 1] = WAIT;
        }
    }
}

/// Counts the steps that a robot will make along its field, as if it had made them.
fn count_expected_steps(map: &UnitMap, guidance: &mut Guidance, request: &FieldRequest, costs: &FieldCosts) {
    let (mut cell, mut heading) = (request.from, request.heading);
    let mut left = costs.cost(cell, heading);
    while left > 0 && left < UNKNOWN {
        let ahead = map.behind(cell, u32::from(heading + 2) % 4);
        let by_step = if ahead == BLOCKED { UNKNOWN } else { costs.cost(ahead, heading) };
        let [by_left, by_right] = [1, 3].map(|turn| costs.cost(cell, (heading + turn) % 4));
        if by_step < left && by_step <= by_left.min(by_right) {
            guidance.count(cell, heading);
            (cell, left) = (ahead, by_step);
        } else if by_left.min(by_right) < left {
            heading = (heading + if by_left <= by_right { 1 } else { 3 }) % 4;
            left = by_left.min(by_right);
        } else {
            return;
        }
    }
}

/// The primitives of forward, left and right, if a class has these three alone, one cell and four headings.
fn primitives_of_unit_robot(tables: &MovementTables) -> Option<[u8; 3]> {
    let class = tables.class();
    let find = |by: (i32, i32), turn: i32| {
        let found = class.primitives().iter().position(|one| one.by == by && one.turn == turn)?;
        u8::try_from(found).ok()
    };
    let primitives = [find((1, 0), 0)?, find((0, 0), 1)?, find((0, 0), -1)?];
    let one_cell = class.footprint().at(class.frames().next()?) == [Offset::new(0, 0)];
    let is_unit = class.primitives().len() == 3 && class.headings() == 4 && one_cell;
    is_unit.then_some(primitives)
}

/// Whether each of the three moves takes one tick wherever it is legal.
fn all_take_one_tick(tables: &MovementTables) -> bool {
    let takes_one_tick = |state: u32| {
        (0..3).all(|primitive| tables.move_ticks(State(state), primitive).is_none_or(|ticks| ticks == 1))
    };
    (0..tables.space().n_states() as u32).all(takes_one_tick)
}
