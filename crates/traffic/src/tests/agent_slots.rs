//! Agents that come and go: agent slots are reused, and nothing of the last agent in a slot is left to the next.

use super::ground::{Ground, dot, ground, rule, truck};
use super::hand_world::{HandWorld, Trips};
use crate::Cooperative;
use crate::collision::CollisionRule;
use crate::motion::AgentId;
use crate::params::TrafficParams;
use crate::random::Random;
use crate::rule::Traffic;
use proptest::prelude::*;
use wheelbase_grid::{CellXY, Rect, TerrainKind};

/// A world, its rule, and the random numbers by which agents come and go.
struct Run {
    world: HandWorld,
    rule: Cooperative,
    random: Random,
    /// Most agents present together.
    most: usize,
}

impl Run {
    fn new(ground: &Ground, collision: CollisionRule, seed: u64, reuses_slots: bool) -> Self {
        let (tables, size) = (&ground.tables, ground.grid.size());
        let rule = Cooperative::new(tables, size, collision, TrafficParams::USUAL);
        let mut world = HandWorld::new(ground.clone(), collision);
        world.reuses_slots = reuses_slots;
        Self { world, rule, random: Random::new(seed), most: 0 }
    }

    fn any_agent(&mut self) -> Option<AgentId> {
        let n = self.world.ids.len();
        (n > 0).then(|| self.world.ids[self.random.below(n)])
    }

    fn place(&mut self) {
        let size = self.world.ground.grid.size();
        let mut cell = || {
            let (x, y) =
                (self.random.below(size.width() as usize), self.random.below(size.height() as usize));
            CellXY::new(x as i32, y as i32)
        };
        let goals = vec![cell(), cell()];
        let goals = if self.random.below(4) == 0 { Vec::new() } else { goals };
        let trips = Trips { goals, is_patrol: self.random.below(3) > 0, done: 0 };
        let class = self.random.below(self.world.ground.tables.len()) as u8;
        let priority = self.random.below(40) as i32;
        self.world.add_anywhere(class, priority, trips, &mut self.random);
        self.most = self.most.max(self.world.ids.len());
    }

    /// Removes an agent, and places another on its cells; sometimes that agent goes as well, before the rule has seen
    /// it, and a third comes.
    fn replace(&mut self) {
        let Some(gone) = self.any_agent() else { return };
        let (row, pose) = (self.world.row(gone), self.world.pose(gone));
        let is_last_there = self.world.motion[row].at_rest();
        let class = self.world.motion[row].class.0;
        self.world.remove(gone);
        let state = self.world.ground.tables[usize::from(class)].space().state(pose).unwrap();
        let is_legal = self.world.ground.tables[usize::from(class)].is_legal(state);
        if !is_legal || !(is_last_there || self.world.has_room(class, state)) {
            return;
        }
        for _ in 0..self.random.below(3) {
            let passing = self.world.add(class, pose, 0, Trips::default());
            self.world.remove(passing);
        }
        self.world.add(class, pose, self.random.below(9) as i32, Trips::default());
    }

    /// Agents come and go, the map is edited now and then, and then the rule decides.
    fn step(&mut self) {
        if self.random.below(3) == 0 {
            for _ in 0..self.random.below(3) {
                if let Some(gone) = self.any_agent() {
                    self.world.remove(gone);
                }
            }
            (0..self.random.below(4)).for_each(|_| self.place());
        }
        if self.random.below(4) == 0 {
            self.replace();
        }
        if self.random.below(30) == 0 {
            let size = self.world.ground.grid.size();
            let (x, y) =
                (self.random.below(size.width() as usize), self.random.below(size.height() as usize));
            let kind = TerrainKind(self.random.below(4) as u8);
            let area = Rect::new(x as i32, y as i32, 1, 1);
            // Agents on it would be stranded.
            if self.world.occupancy.holder_at(CellXY::new(x as i32, y as i32)).is_none()
                && self.world.motion.iter().all(|motion| motion.at_rest())
            {
                self.world.edit(area, kind);
            }
        }
        self.world.step(&mut self.rule);
    }

    /// All that the rule knows of each agent.
    fn known(&self) -> Vec<String> {
        let table = &self.rule.table;
        let of_slot =
            |at: usize| format!("{:?} {:?} {:?}", table.heads[at], table.details[at], table.plans[at]);
        self.world.slots.iter().map(|slot| of_slot(slot.index())).collect()
    }
}

/// Two runs: agent slots are reused in one and never in the other.
fn check(ground: &Ground, collision: CollisionRule, seed: u64, ticks: u32) -> Result<(), TestCaseError> {
    let [mut again, mut never] = [true, false].map(|reuses| Run::new(ground, collision, seed, reuses));
    for _ in 0..ticks {
        again.step();
        never.step();
        prop_assert_eq!(&again.world.ids, &never.world.ids);
        let motion = |run: &Run| format!("{:?} {:?}", run.world.motion, run.world.wait_states);
        prop_assert_eq!(motion(&again), motion(&never), "tick {}", again.world.tick);
        prop_assert_eq!(again.known(), never.known(), "tick {}", again.world.tick);
        let ids = again.world.ids.iter();
        prop_assert!(ids.clone().all(|&id| again.rule.is_yielding(id) == never.rule.is_yielding(id)));
        for run in [&again, &never] {
            let view = run.world.view();
            let audit = run.rule.audit(view.agents, view.tables, view.grid_size, view.tick);
            audit.check_reservations();
            audit.check_heads();
            audit.check_inside();
        }
    }
    let table = &again.rule.table;
    let lengths = [table.heads.len(), table.details.len(), table.plans.len(), table.yield_states.len()];
    prop_assert!(lengths.iter().all(|&length| length <= again.most), "{:?} of {}", lengths, again.most);
    prop_assert!(table.reservations.of_agent.len() <= again.most);
    let mut n_fields = 0;
    again.rule.search.windows.for_each_word(&mut |_| n_fields += 1);
    prop_assert!(n_fields <= again.most);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_comes_and_goes_moves_as_if_no_slot_were_given_again(
        ground in ground(20), rule in rule(), seed in any::<u64>(),
    ) {
        let Some(ground) = ground else { return Ok(()) };
        check(&ground, rule, seed, 150)?;
    }

    #[test]
    fn corridors_are_left_by_what_goes(rule in rule(), seed in any::<u64>()) {
        let rows = ["....#######.....", "................", "....#######.....", "....#######.....", "................", "....#######....."];
        check(&Ground::square(&rows, &[dot(1), truck()]), rule, seed, 300)?;
    }
}

/// Memory does not grow with the number of agents ever placed.
#[test]
fn tables_stay_as_long_as_the_most_at_once() {
    let ground = Ground::square(&["........"; 4], &[dot(1)]);
    let mut run = Run::new(&ground, CollisionRule::Swept, 1, true);
    let mut n_reserved = 0;
    for tick in 0..5000 {
        (0..8).for_each(|_| run.place());
        run.world.step(&mut run.rule);
        while let Some(gone) = run.any_agent() {
            run.world.remove(gone);
        }
        if tick == 100 {
            n_reserved = run.rule.table.reservations.reservations.len();
        }
    }
    assert!(run.rule.table.heads.len() <= 8 && run.world.row_of_slot.len() <= 8);
    // Some ticks need a little more than the first hundred did.
    let reserved = run.rule.table.reservations.reservations.len();
    assert!(reserved <= 2 * n_reserved, "{n_reserved} and {reserved}");
}
