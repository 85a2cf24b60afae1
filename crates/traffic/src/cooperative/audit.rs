//! Checks of the rule's state against its definitions, the slow and obvious way. For tests of this crate and of whole
//! runs in the crate above.

use crate::collision::CollisionRule;
use crate::cooperative::corridor_control::CorridorControl;
use crate::cooperative::corridor_map::NO_CORRIDOR;
use crate::cooperative::corridors_ahead::CORRIDORS_MAX;
use crate::cooperative::fixed::GIVE_UP_AFTER_STEPS;
use crate::cooperative::moves::{pose_after, transition_at};
use crate::cooperative::plan::{MOVES_MAX, PlannedMove};
use crate::cooperative::plan_head::{DetailFlags, PlanDetails, PlanHead};
use crate::cooperative::reservations::{FOREVER, Precedence, YieldState};
use crate::cooperative::state::Cooperative;
use crate::cooperative::turnaround::Rest;
use crate::motion::{AgentSlot, end_state};
use crate::path_pool::PathPool;
use crate::speed::ticks_at_speed;
use crate::ticks::NEVER;
use crate::view::AgentsView;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};

/// A rule and the agents after a tick. Each check panics at the first mistake.
#[derive(Clone, Copy)]
pub struct Audit<'a> {
    rule: &'a Cooperative,
    agents: AgentsView<'a>,
    tables: &'a [MovementTables],
    size: GridSize,
    tick: u32,
}

impl Cooperative {
    /// Checks of the rule between two ticks; `tick` is the next one.
    #[doc(hidden)]
    pub fn audit<'a>(
        &'a self,
        agents: AgentsView<'a>,
        tables: &'a [MovementTables],
        size: GridSize,
        tick: u32,
    ) -> Audit<'a> {
        Audit { rule: self, agents, tables, size, tick }
    }
}

impl Audit<'_> {
    /// Every agent has reserved all that it needs from now on. No removed agent has a reservation. Under the swept
    /// rule no cell is reserved twice at a tick.
    pub fn check_reservations(&self) {
        let reservations = &self.rule.table.reservations;
        for row in 0..self.agents.len() {
            self.check_reserved(row);
        }
        for cell in 0..self.size.n_cells() {
            let here: Vec<_> = reservations.on(cell).collect();
            for (number, one) in here.iter().enumerate() {
                let is_there = self.agents.row_of_slot(one.agent).is_some();
                assert!(is_there, "the agent in {:?} is gone", one.agent);
                let twice = here[number + 1..]
                    .iter()
                    .find(|other| other.agent != one.agent && other.meets((one.from, one.until)));
                let may_overlap = reservations.rule() == CollisionRule::Discrete;
                assert!(may_overlap || twice.is_none(), "cell {cell}: {one:?} and {twice:?}");
            }
        }
    }

    /// Tick by tick: an agent has reserved the cells that it holds, and under the discrete rule those on which its move
    /// ends. From the end of its plan on it has reserved its footprint forever.
    fn check_reserved(&self, row: usize) {
        let (slot, motion) = (self.agents.slots[row], &self.agents.motion[row]);
        let tables = &self.tables[motion.class.0 as usize];
        let mut moves = Vec::new();
        if !motion.at_rest() {
            let ticks = motion.until - self.tick;
            moves.push(PlannedMove { start: self.tick, ticks, primitive: motion.primitive });
        }
        moves.extend_from_slice(self.rule.table.plans[slot.index()].moves());
        let mut pose = tables.space().pose(motion.state);
        let mut tick = self.tick;
        for planned in moves {
            let step = transition_at(tables, pose, usize::from(planned.primitive));
            for tick in tick..planned.start {
                self.assert_reserved(slot, step.start(), tick, false);
            }
            for tick in planned.start..planned.start + planned.ticks {
                match self.rule.table.reservations.rule() {
                    CollisionRule::Swept => self.assert_reserved(slot, step.swept(), tick, false),
                    CollisionRule::Discrete => {
                        self.assert_reserved(slot, step.start(), tick, false);
                        self.assert_reserved(slot, step.end(), tick, false);
                    }
                }
            }
            (pose, tick) = (pose_after(&step), planned.start + planned.ticks);
        }
        self.assert_reserved(slot, (pose.cell, tables.class().cells_at(pose)), tick, true);
    }

    fn assert_reserved(
        &self,
        slot: AgentSlot,
        (anchor, cells): (CellXY, &[Offset]),
        tick: u32,
        forever: bool,
    ) {
        let reservations = &self.rule.table.reservations;
        for &offset in cells {
            let is_reserved = reservations.on(reservations.index(anchor, offset)).any(|one| {
                let holds = one.agent == slot && one.from <= tick && tick < one.until;
                holds && (!forever || one.until == FOREVER)
            });
            let cell = offset.cell_from(anchor);
            assert!(is_reserved, "tick {}: {slot:?} has not reserved {cell} at tick {tick}", self.tick);
        }
    }

    /// The head of every agent agrees with its plan and its details; free agent slots are as new.
    pub fn check_heads(&self) {
        let table = &self.rule.table;
        for slot in self.agents.slots {
            let at = slot.index();
            let (head, plan) = (&table.heads[at], &table.plans[at]);
            assert_eq!(head.has, DetailFlags::of(&table.details[at]), "{slot:?}");
            let begins = plan.moves().first().map_or(NEVER, |planned| planned.start);
            let of_plan = (head.plan_begins, head.plan_ends, usize::from(head.n_planned));
            assert_eq!(of_plan, (begins, plan.end.1, plan.moves().len()), "{slot:?}");
        }
        let slots = (0..table.heads.len() as u32).map(AgentSlot);
        for slot in slots.filter(|&slot| self.agents.row_of_slot(slot).is_none()) {
            assert_eq!(table.heads[slot.index()], PlanHead::NEW, "{slot:?}");
            assert_eq!(
                format!("{:?}", table.details[slot.index()]),
                format!("{:?}", PlanDetails::NEW),
                "{slot:?}"
            );
            assert_eq!(table.yield_states[slot.index()], YieldState::NEW, "{slot:?}");
        }
    }

    /// Admission knows each agent, with its team, in the corridors that it is in, up to the limit, and in no others.
    pub fn check_inside(&self) {
        for row in 0..self.agents.len() {
            self.check_inside_of(row);
        }
        let (table, cells) = (&self.rule.table, 0..self.size.n_cells());
        let corridors: BTreeSet<u32> =
            cells.map(|cell| table.corridor_control.map.at(cell)).filter(|&at| at != NO_CORRIDOR).collect();
        let slots = || (0..table.heads.len() as u32).map(AgentSlot);
        for corridor in corridors {
            for slot in slots().filter(|&slot| table.corridor_control.admission.is_inside(corridor, slot)) {
                let is_there = self.agents.row_of_slot(slot).is_some();
                assert!(is_there && table.details[slot.index()].corridors.contains(&corridor), "{slot:?}");
            }
            for entrant in &table.corridor_control.admission.corridors[corridor as usize].inside {
                let row = self.agents.row_of_slot(entrant.slot);
                assert_eq!(Some(entrant.team), row.map(|row| self.agents.teams[row]), "{:?}", entrant.slot);
            }
        }
    }

    fn check_inside_of(&self, row: usize) {
        let (table, slot, motion) = (&self.rule.table, self.agents.slots[row], &self.agents.motion[row]);
        let (details, plan) = (&table.details[slot.index()], &table.plans[slot.index()]);
        let control = &table.corridor_control;
        let known: Vec<u32> =
            details.corridors.iter().copied().filter(|&corridor| corridor != NO_CORRIDOR).collect();
        assert!(known.iter().all(|&corridor| control.admission.is_inside(corridor, slot)), "{slot:?}");
        assert!(details.admitted == NO_CORRIDOR || known.contains(&details.admitted), "{slot:?}");
        let tables = &self.tables[motion.class.0 as usize];
        let under = |pose: Pose| {
            let cells = tables.class().cells_at(pose).iter().map(move |offset| offset.cell_from(pose.cell));
            cells.map(|cell| control.map.at_anchor(cell)).filter(|&corridor| corridor != NO_CORRIDOR)
        };
        let mut state = motion.state;
        let mut due: Vec<u32> = under(tables.space().pose(state)).collect();
        let is_known = |corridor: &u32| known.len() == CORRIDORS_MAX || known.contains(corridor);
        assert!(due.iter().all(is_known), "{slot:?}");
        if motion.at_rest() && self.agents.wait_states[row].moved_at + 1 < self.tick {
            for planned in plan.moves() {
                state = tables.state_after(state, usize::from(planned.primitive));
                due.extend(under(tables.space().pose(state)));
            }
            due.push(details.admitted);
            let is_due = known.iter().all(|corridor| due.contains(corridor));
            assert!(is_due, "{slot:?} has left some of {known:?}");
        }
    }

    /// No plan that was made at the last tick ends on no-stopping ground, except where the agent's path, or
    /// its way to a retreat, ends. Gives the number of plans that lead over such ground.
    pub fn check_no_stopping(&self, paths: &PathPool) -> u32 {
        let table = &self.rule.table;
        let mut crossings = 0;
        for row in 0..self.agents.len() {
            let (slot, motion) = (self.agents.slots[row], &self.agents.motion[row]);
            let (plan, tables) = (&table.plans[slot.index()], &self.tables[motion.class.0 as usize]);
            let is_new = table.yield_states[slot.index()].touched_at.checked_add(1) == Some(self.tick);
            if !is_new || plan.is_empty() {
                continue;
            }
            // A plan whose first move has begun was made where that move began. A move of one tick that has ended
            // began before the pose at which it ended.
            let no_stopping = &table.corridor_control.no_stopping;
            let body = |pose: Pose| (pose.cell, tables.class().cells_at(pose));
            let at = |state| no_stopping.agent_at(self.agents.teams[row], body(tables.space().pose(state)));
            let at_end = table.stopping_agent(&self.agents, self.tables, row);
            let (mut stopping_agent, factor) = (at(motion.state), self.agents.speed_factors[row]);
            if motion.at_rest() && !stopping_agent.leaves_edit {
                tables.for_each_predecessor(motion.state, |before| {
                    let before_it = at(before.state);
                    if ticks_at_speed(before.ticks, factor) == 1 && before_it.leaves_edit {
                        stopping_agent = before_it;
                    }
                });
            }
            let stopping_agent = if stopping_agent.leaves_edit { stopping_agent } else { at_end };
            let covers = |pose: Pose| no_stopping.covers(body(pose), stopping_agent);
            let mut pose = tables.space().pose(end_state(tables, motion));
            let mut crosses = false;
            for planned in plan.moves() {
                crosses |= covers(pose);
                pose = pose_after(&transition_at(tables, pose, usize::from(planned.primitive)));
            }
            let head = &table.heads[slot.index()];
            let is_at_retreat = head.retreat_left == u32::from(head.n_planned);
            let is_at_end = is_at_retreat || self.path_end(paths, row) == plan.end.0;
            assert!(!covers(pose) || is_at_end, "tick {}: the plan of row {row} ends in {pose:?}", self.tick);
            crossings += u32::from(crosses && !covers(pose));
        }
        crossings
    }

    /// The state at the end of an agent's path.
    fn path_end(&self, paths: &PathPool, row: usize) -> State {
        let motion = &self.agents.motion[row];
        let tables = &self.tables[motion.class.0 as usize];
        let after = |state, &primitive: &u8| tables.state_after(state, usize::from(primitive));
        paths.moves(self.agents.paths[row]).iter().fold(end_state(tables, motion), after)
    }

    /// No plan that was made at the last tick ends where its agent could not turn, or where another could not for it.
    /// Gives the number of plans checked of agents that cannot undo their moves.
    pub fn check_turnaround(&self, paths: &PathPool) -> u32 {
        let table = &self.rule.table;
        let mut n_checked = 0;
        for row in 0..self.agents.len() {
            let (slot, motion) = (self.agents.slots[row], &self.agents.motion[row]);
            let (plan, class) = (&table.plans[slot.index()], motion.class.0 as usize);
            let is_new = table.yield_states[slot.index()].touched_at.checked_add(1) == Some(self.tick);
            if !is_new || plan.is_empty() || !table.turnaround.are_used() {
                continue;
            }
            let tables = &self.tables[class];
            // At its goal it may stand beside agents that have none, and without room to turn ahead it may lock.
            let fits = table.turnaround.fits((class, tables), plan.end.0);
            let path_moves = self.agents.paths[row].len();
            // An agent that has lost its path in the meantime replans, such as an agent that has yielded, whose order
            // has ended.
            let is_void = path_moves == 0;
            if is_void || self.path_end(paths, row) == plan.end.0 || (!fits && path_moves > MOVES_MAX) {
                continue;
            }
            let reserved = (&table.reservations, Precedence::STRICT);
            let body = (slot, class, tables);
            let may_rest = table.turnaround.may_rest(body, plan.end.0, Rest::OnTheWay, reserved, |_| false);
            assert!(
                may_rest,
                "tick {}: the plan of row {row} ends where it or another cannot turn",
                self.tick
            );
            n_checked += u32::from(table.turnaround.needs(class));
        }
        n_checked
    }

    /// The corridors match the present map. Their numbers may differ.
    pub fn check_corridor_map(&self) {
        let table = &self.rule.table;
        let n = table.corridor_control.map.n_classes;
        let fresh = CorridorControl::new(self.size, &self.tables[..n], &table.sides[..n], table.params);
        let mut numbers = BTreeMap::new();
        for cell in 0..self.size.n_cells() {
            let (kept, right) = (table.corridor_control.map.at(cell), fresh.map.at(cell));
            assert_eq!(*numbers.entry(kept).or_insert(right), right, "tick {}: cell {cell}", self.tick);
        }
        let rights: BTreeSet<u32> = numbers.values().copied().collect();
        assert_eq!(rights.len(), numbers.len());
        assert!(numbers.get(&NO_CORRIDOR).is_none_or(|&right| right == NO_CORRIDOR));
    }

    /// No pushed agent has given up its retreat before it had time to reach it; `rows` are those given up at the last
    /// tick.
    pub fn check_given_up(&self, rows: &[u32]) {
        let table = &self.rule.table;
        for &row in rows {
            let details = &table.details[self.agents.slots[row as usize].index()];
            if details.retreat_since >= self.tick {
                // After its turn another agent made it replan, and its last move to the retreat has begun.
                continue;
            }
            let ticks_since_push = details.ticks_since_push(self.tick);
            let step_ticks = table.step_ticks_of(&self.agents, row as usize);
            let least = GIVE_UP_AFTER_STEPS * step_ticks;
            assert!(
                ticks_since_push >= least,
                "row {row} gives up {ticks_since_push} ticks after it was pushed"
            );
        }
    }
}
