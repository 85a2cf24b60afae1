//! A tick of the rule: fields, operations in turn, tries that improve the whole, and the first action of each.

use crate::collision::CollisionRule;
use crate::decisions::{Decisions, Start};
use crate::motion::Activity;
use crate::params::TrafficParams;
use crate::random::Random;
use crate::rule::Traffic;
use crate::unit_robots::guidance::Guidance;
use crate::unit_robots::operations::{DEPTH, FORWARD, Operations, WAIT};
use crate::unit_robots::pursuers::Crowd;
use crate::unit_robots::push_search::Push;
use crate::unit_robots::state::UnitRobots;
use crate::unit_robots::team::{Aim, Choice, Link, NOBODY, RING, Team, blocker_of, clear, put};
use crate::unit_robots::unit_fields::{Cells, UNKNOWN, UnitFields, Wanted};
use crate::unit_robots::unit_map::UnitMap;
use crate::view::TrafficView;
use wheelbase_planner::MovementTables;
use wheelbase_planner::model::State;

/// Most memory that fields take together, in bytes; more only if the robots' own fields take more.
const FIELD_BYTES_MAX: usize = 1 << 30;
/// Most memory that a field for each robot may take.
const FIELD_BYTES_OF_TEAM_MAX: usize = 3 << 29;
/// States of all robots' fields up to which all fields are made anew when the guidance has changed.
const REMADE_STATES_MAX: usize = 1 << 23;
impl Traffic for UnitRobots {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.look_around(view);
        self.thin_out(view);
        self.follow_streams();
        self.make_fields(view, decisions);
        self.plan_in_turn(view);
        self.improve(view.tries);
        self.push_for_standing();
        self.begin_moves(decisions);
        self.shift();
    }

    fn needs_paths(&self) -> bool {
        false
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
    /// Bytes that its fields take for a cell and heading, and all together at most.
    pub const FIELDS_NEED: (u64, u64) = (1, FIELD_BYTES_OF_TEAM_MAX as u64);

    /// The rule for so many robots of a class. `None` if the class is none of unit robots: one cell, four
    /// headings, one step forward and both quarter turns, a tick each; also if the rule of collision is not
    /// the discrete one, or if a field for each robot takes too much memory.
    pub fn new(
        tables: &MovementTables,
        rule: CollisionRule,
        robots: usize,
        seed: u64,
        params: TrafficParams,
    ) -> Option<Self> {
        let primitives = primitives_of_unit_robot(tables).filter(|_| rule == CollisionRule::Discrete)?;
        let map = UnitMap::new(tables, usize::from(primitives[usize::from(FORWARD)]));
        let fits = robots < usize::from(NOBODY) && robots * map.n_free() * 2 <= FIELD_BYTES_OF_TEAM_MAX;
        fits.then(|| Self {
            params,
            operations: Operations::new(map.stride as i32),
            primitives,
            fields: UnitFields::new(&map, FIELD_BYTES_MAX),
            guidance: Guidance::new(&map),
            random: Random::of_stream(seed, u64::MAX),
            reserved: vec![[NOBODY; RING]; map.n_cells()],
            map,
            team: Team::default(),
            order: Vec::new(),
            old: Vec::new(),
            n_with_goal: 0,
            chain: Vec::with_capacity(1 + params.robot_displaced_max as usize),
            crowd: Crowd::default(),
            push: Push::default(),
            wanted: Vec::new(),
            wanted_by: Vec::new(),
            tick: 0,
            epoch: 0,
        })
    }

    /// Takes over where the robots stand and where they go.
    fn look_around(&mut self, view: &TrafficView<'_>) {
        self.tick = view.tick;
        self.epoch = self.epoch.wrapping_add(1);
        let Self { map, team, operations, reserved, tick, .. } = self;
        let mut known = team.at.len();
        if !view.refused.is_empty() {
            // They are not where they were sent; all wait where they are.
            reserved.fill([NOBODY; RING]);
            team.actions.fill([WAIT; DEPTH]);
            known = 0;
        }
        team.resize(view.agents.len(), operations.n);
        for row in 0..view.agents.len() {
            let motion = &view.agents.motion[row];
            let pose = view.tables[motion.class.0 as usize].space().pose(motion.state);
            team.at[row] = map.index(pose.cell);
            team.heading[row] = pose.heading.0;
            let goal = view.agents.goals[row];
            let number = goal.and_then(|cell| map.number_at(cell));
            team.goal[row] = number.unwrap_or(u32::MAX);
            team.goal_at[row] = goal.filter(|_| number.is_some()).map_or(u32::MAX, |cell| map.index(cell));
            if row >= known {
                team.cells[row] = [team.at[row]; DEPTH + 1];
                put(reserved, *tick, &team.cells[row], row as u32);
            }
            debug_assert_eq!(team.cells[row][0], team.at[row], "a robot is where it was not sent");
        }
        team.n_choices.fill(0);
        team.planned.fill(false);
    }

    /// Lets guidance follow the streams, now and then.
    fn follow_streams(&mut self) {
        // A robot that is alone keeps out of nobody's way.
        if self.tick == 0
            || !self.tick.is_multiple_of(self.params.robot_guidance_ticks)
            || self.team.at.len() < 2
        {
            return;
        }
        self.guidance.follow_streams(self.team.at.len());
        self.guidance.fade();
        // On a large map a field keeps the guidance under which it was made.
        if self.team.at.len() * self.map.n_free() * 4 <= REMADE_STATES_MAX {
            self.fields.forget();
        }
    }

    /// Makes the fields of all goals that have none.
    fn make_fields(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let Self { map, team, fields, guidance, wanted, wanted_by, tick, .. } = self;
        wanted.clear();
        wanted.reserve(team.at.len());
        wanted_by.clear();
        wanted_by.reserve(team.at.len());
        for row in (0..team.at.len()).filter(|&row| team.goal[row] != u32::MAX) {
            let from = map.number(team.at[row]);
            wanted.push(Wanted { goal: team.goal[row], from, heading: team.heading[row] });
            wanted_by.push(row as u32);
        }
        let robots = team.at.len();
        let at_start = *tick == 0 && robots > 1;
        fields.obtain(map, guidance, *tick, wanted, |guidance, batch| {
            // At the start there are no streams yet: those that are to be expected stand in for them.
            if at_start {
                batch.for_each(|(want, field)| expect_stream(map, guidance, want, field));
                guidance.follow_streams(robots);
            }
        });
        for (want, &row) in wanted.iter().zip(&*wanted_by) {
            if fields.of(want.goal).cost(want.from, want.heading) >= UNKNOWN {
                team.goal[row as usize] = u32::MAX;
                team.goal_at[row as usize] = u32::MAX;
                if view.agents.motion[row as usize].activity == Activity::Following {
                    decisions.unreachable.push(row);
                }
            }
        }
    }

    /// Every robot looks for an operation in its turn.
    fn plan_in_turn(&mut self, view: &TrafficView<'_>) {
        self.take_turns(view);
        for at in 0..self.order.len() {
            let (number, row) = self.order[at];
            let at = row as usize;
            let goes_first = number < u32::from(NOBODY);
            if goes_first && self.team.bound_until[at] <= self.tick {
                self.push_for(at, self.params.robot_push_cells as usize);
            }
            if !self.team.planned[at] && self.team.bound_until[at] <= self.tick {
                self.plan(row, Aim::Turn);
                self.team.planned[at] = true;
            }
        }
    }

    /// Sets the order: those that go first, those that are old, then those nearest their goals, and those
    /// without a goal.
    fn take_turns(&mut self, view: &TrafficView<'_>) {
        let Self { params, map, team, fields, order, old, n_with_goal, tick, .. } = self;
        order.clear();
        old.clear();
        old.reserve(team.at.len());
        *n_with_goal = 0;
        for row in 0..team.at.len() {
            let goal = team.goal[row];
            if goal == u32::MAX {
                // Whoever pushes it takes nothing from it.
                (team.value[row], team.weight[row]) = (0, 0);
                order.push((u32::MAX, row as u32));
                continue;
            }
            *n_with_goal += 1;
            let field = fields.of(goal);
            let ahead = field.cost(map.number(team.at[row]), team.heading[row]);
            team.value[row] = team.value_of_reserved(map, field, row);
            let since = view.agents.stamps[row].since;
            if since > team.waits_since[row] {
                (team.waits_since[row], team.first_until[row]) = (since, 0);
            }
            team.weight[row] =
                1 + ((*tick - since) / params.robot_weight_ticks).min(params.robot_weight_max - 1) as u8;
            let waits = *tick - team.waits_since[row];
            let is_old = waits > params.robot_old_ticks && waits / params.robot_old_distances > ahead;
            // By what guidance makes of a way, one would be young for long.
            if waits > params.robot_old_ticks
                && waits / params.robot_old_distances > map.apart(team.at[row], team.goal_at[row])
            {
                old.push((team.waits_since[row], row as u32, order.len() as u32));
            }
            // Behind as many numbers as there can be of those that go first.
            let number = u32::from(NOBODY) + if is_old { 0 } else { 1 + ahead };
            order.push((number, row as u32));
        }
        old.sort_unstable();
        for (rank, &(_, row, at)) in
            old.iter().take(1 + team.at.len() / params.robot_first_of as usize).enumerate()
        {
            let (row, of_row) = (row as usize, &mut order[at as usize]);
            if team.first_until[row] == 0 {
                let ahead = fields.of(team.goal[row]).cost(map.number(team.at[row]), team.heading[row]);
                team.first_until[row] = *tick + params.robot_term_ticks + params.robot_term_distances * ahead;
            }
            if team.first_until[row] <= *tick {
                (team.waits_since[row], team.first_until[row]) = (*tick, 0);
                continue;
            }
            team.weight[row] = params.robot_first_weight as u8;
            of_row.0 = rank as u32;
        }
        order.sort_unstable();
        for (rank, &(_, row)) in order.iter().enumerate() {
            team.rank[row as usize] = rank as u32;
        }
    }

    /// Spends the tries: robots drawn at random look for something better. In a crowd a try may lift a
    /// hundred others, so that the tries are over when so many robots were lifted.
    fn improve(&mut self, tries: u64) {
        // Where a robot is alone there is nothing to improve.
        let n = if self.team.at.len() > 1 { self.n_with_goal } else { 0 };
        let mut lifts_left = tries.saturating_mul(u64::from(self.params.robot_displaced_of_try));
        for _ in 0..tries.min(u64::from(u32::MAX)) * u64::from(n > 0) {
            self.epoch = self.epoch.wrapping_add(1);
            let (_, robot) = self.order[self.random.below(n)];
            if self.team.bound_until[robot as usize] <= self.tick {
                let lifts = self.plan(robot, Aim::Improve);
                let Some(left) = lifts_left.checked_sub(u64::from(lifts)) else { return };
                lifts_left = left;
            }
        }
    }

    /// Looks for a better operation of a robot. Others that are in its way look for another one in their
    /// turn; if the last of them finds none, nothing has changed. Gives how many were lifted.
    fn plan(&mut self, root: u32, aim: Aim) -> u32 {
        let mut chain = std::mem::take(&mut self.chain);
        chain.clear();
        self.lift(root, &mut chain);
        let lifts_max = if aim == Aim::Turn {
            self.params.robot_displaced_max
        } else {
            self.params.robot_displaced_to_improve_max
        };
        let mut lifts_left = lifts_max;
        // By so much has grown what remains to be gone, as it is weighted, the last link left aside.
        let mut growth = 0_i64;
        while let Some(link) = chain.last_mut() {
            let choice = if lifts_left == 0 { None } else { self.next_choice(link, aim, root, growth) };
            let Some(Choice { operation, value, blocker }) = choice else {
                growth = self.step_back(&mut chain, growth);
                continue;
            };
            let robot = link.robot;
            growth += self.team.weighted(robot, value, link.value);
            self.team.take(robot as usize, &self.operations, operation, value);
            if blocker != NOBODY {
                self.lift(u32::from(blocker), &mut chain);
                lifts_left -= 1;
            }
            put(&mut self.reserved, self.tick, &self.team.cells[robot as usize], robot);
            if blocker == NOBODY {
                break;
            }
        }
        for link in &chain {
            self.team.planned[link.robot as usize] = true;
            self.team.in_chain[link.robot as usize] = false;
        }
        self.chain = chain;
        lifts_max - lifts_left
    }

    /// Takes a robot's reserved cells away and puts it behind the chain.
    fn lift(&mut self, robot: u32, chain: &mut Vec<Link>) {
        let Self { team, reserved, tick, epoch, .. } = self;
        let row = robot as usize;
        clear(reserved, *tick, &team.cells[row]);
        let (cells, actions, value) = (team.cells[row], team.actions[row], team.value[row]);
        chain.push(Link { robot, next: 0, cells, actions, value });
        team.in_chain[row] = true;
        if team.visited_in[row] != *epoch {
            (team.visited_in[row], team.visits[row]) = (*epoch, 0);
        }
        team.visits[row] += 1;
    }

    /// The last of the chain has what it had before, and whoever lifted it looks further. Gives the growth
    /// without either.
    fn step_back(&mut self, chain: &mut Vec<Link>, mut growth: i64) -> i64 {
        let Self { team, reserved, tick, .. } = self;
        let Some(link) = chain.pop() else { return growth };
        if let Some(pusher) = chain.last() {
            let row = pusher.robot as usize;
            clear(reserved, *tick, &team.cells[row]);
            growth -= team.weighted(pusher.robot, team.value[row], pusher.value);
            (team.cells[row], team.actions[row], team.value[row]) =
                (pusher.cells, pusher.actions, pusher.value);
        }
        let row = link.robot as usize;
        (team.cells[row], team.actions[row], team.value[row]) = (link.cells, link.actions, link.value);
        team.in_chain[row] = false;
        put(reserved, *tick, &link.cells, link.robot);
        growth
    }

    /// The next operation of a robot that nobody is in the way of, or one that may be lifted.
    fn next_choice(&mut self, link: &mut Link, aim: Aim, root: u32, growth: i64) -> Option<Choice> {
        let row = link.robot as usize;
        if self.team.n_choices[row] == 0 {
            self.list_choices(row);
        }
        let Self { params, team, operations, reserved, tick, epoch, .. } = self;
        let n = operations.n;
        let choices = &team.choices[row * n..][..usize::from(team.n_choices[row])];
        let of_heading = &operations.cells[usize::from(team.heading[row]) * n..][..n];
        while let Some(&choice) = choices.get(usize::from(link.next)) {
            let (value, operation) = (choice >> 8, (choice & 0xff) as usize);
            if aim == Aim::Improve && growth + team.weighted(link.robot, value, link.value) > 0 {
                return None;
            }
            link.next += 1;
            let Some(blocker) = blocker_of(reserved, *tick, team.at[row], &of_heading[operation]) else {
                continue;
            };
            if blocker != NOBODY {
                let other = usize::from(blocker);
                let tired =
                    team.visited_in[other] == *epoch && team.visits[other] >= params.robot_visits_max as u8;
                let outranks = aim == Aim::Turn && team.rank[other] < team.rank[root as usize];
                let is_bound = team.bound_until[other] > *tick;
                if team.in_chain[other] || tired || outranks || is_bound {
                    continue;
                }
            }
            return Some(Choice { operation, value, blocker });
        }
        None
    }

    /// Lists what a robot can do, the best first.
    fn list_choices(&mut self, row: usize) {
        let Self { map, team, operations, fields, .. } = self;
        let n = operations.n;
        let (start, heading, goal_at) = (team.at[row], usize::from(team.heading[row]), team.goal_at[row]);
        let field = (goal_at != u32::MAX).then(|| fields.of(team.goal[row]));
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
            let value = reached.or_else(|| end().map(|end| DEPTH as u32 + end));
            // Without a goal it rests unless it is pushed.
            let effort = || actions.iter().filter(|&&action| action != WAIT).count() as u32;
            choices[found] = value.unwrap_or_else(effort).min(UNKNOWN) << 8 | operation as u32;
            found += 1;
            operation += 1;
        }
        choices[..found].sort_unstable();
        team.n_choices[row] = found as u16;
    }

    /// Begins the first action of each, and counts who steps and who waits.
    fn begin_moves(&mut self, decisions: &mut Decisions) {
        let Self { map, team, primitives, guidance, .. } = self;
        for (row, actions) in team.actions.iter().enumerate() {
            let action = actions[0];
            if action == WAIT {
                if team.goal[row] != u32::MAX {
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

    /// Goes on to the next tick: what was reserved for this one is free, and at the far end each waits.
    fn shift(&mut self) {
        let Self { team, reserved, tick, .. } = self;
        for (row, (cells, actions)) in team.cells.iter_mut().zip(&mut team.actions).enumerate() {
            reserved[cells[0] as usize][*tick as usize % RING] = NOBODY;
            cells.copy_within(1.., 0);
            reserved[cells[DEPTH] as usize][(*tick as usize + DEPTH + 1) % RING] = row as u16;
            actions.copy_within(1.., 0);
            actions[DEPTH - 1] = WAIT;
        }
    }
}

/// Counts the steps that a robot will make along a field, as if it had made them.
fn expect_stream(map: &UnitMap, guidance: &mut Guidance, want: &Wanted, field: &Cells) {
    let (mut cell, mut heading) = (want.from, want.heading);
    let mut left = field.cost(cell, heading);
    while left > 0 && left < UNKNOWN {
        let ahead = map.behind(cell, u32::from(heading + 2) % 4);
        let by_step =
            if ahead == crate::unit_robots::unit_map::BLOCKED { UNKNOWN } else { field.cost(ahead, heading) };
        let [by_left, by_right] = [1, 3].map(|turn| field.cost(cell, (heading + turn) % 4));
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

/// The primitives of forward, left and right, if a class has these and no others, one cell, four headings,
/// and each move takes a tick wherever it is legal.
fn primitives_of_unit_robot(tables: &MovementTables) -> Option<[u8; 3]> {
    let class = tables.class();
    let find = |by: (i32, i32), turn: i32| {
        let found = class.primitives().iter().position(|one| one.by == by && one.turn == turn)?;
        u8::try_from(found).ok()
    };
    let primitives = [find((1, 0), 0)?, find((0, 0), 1)?, find((0, 0), -1)?];
    let one_cell =
        class.footprint().at(class.frames().next()?) == [wheelbase_planner::model::Offset::new(0, 0)];
    let of_ticks = |state: u32| {
        (0..3).all(|primitive| tables.move_ticks(State(state), primitive).is_none_or(|ticks| ticks == 1))
    };
    let is_unit = class.primitives().len() == 3
        && class.headings() == 4
        && one_cell
        && (0..tables.space().n_states() as u32).all(of_ticks);
    is_unit.then_some(primitives)
}
