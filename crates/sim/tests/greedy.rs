//! A traffic rule that asks for whatever move it likes, through a whole run: no move that would overlap begins.

use crate::common::open;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wheelbase_planner::model::State;
use wheelbase_sim::*;
use wheelbase_traffic::{Decisions, Start, Traffic, TrafficView};

/// Asks for a random move of every agent, at rest or not, and sometimes for a move that no agent can make. Checks that
/// an agent whose last move was refused is at rest in the state in which it asked.
#[derive(Clone)]
struct Greedy {
    random: Random,
    /// The states in which it saw the agents.
    seen: Vec<State>,
    n_asked: Arc<AtomicU64>,
}

impl Traffic for Greedy {
    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }

    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        for &row in view.refused {
            let motion = &view.agents.motion[row as usize];
            assert!(motion.at_rest() && motion.state == self.seen[row as usize], "row {row} moves");
        }
        self.seen.clear();
        self.seen.extend(view.agents.motion.iter().map(|motion| motion.state));
        for row in 0..view.agents.len() {
            let motion = view.agents.motion[row];
            let tables = &view.tables[usize::from(motion.class.0)];
            let primitive = self.random.below(tables.class().primitives().len()) as u8;
            let ticks = tables.move_ticks(motion.state, usize::from(primitive)).unwrap_or(1);
            let row = row as u32;
            decisions.starts.push(Start { row, primitive, ticks });
            match self.random.below(40) {
                0 => decisions.starts.push(Start { row, primitive, ticks }),
                1 => decisions.starts.push(Start { row, primitive, ticks: ticks + 1 }),
                2 => decisions.starts.push(Start { row, primitive: u8::MAX, ticks }),
                3 => decisions.starts.push(Start { row: u32::MAX, primitive, ticks }),
                _ => {}
            }
        }
        self.n_asked.fetch_add(decisions.starts.len() as u64, Ordering::Relaxed);
    }
}

fn crowd(collision: CollisionRule, n_asked: &Arc<AtomicU64>) -> World {
    let mut dot = ClassSpec::new("dot", 1);
    let steps = [("E", (1, 0), 1), ("N", (0, -1), 1), ("W", (-1, 0), 2), ("S", (0, 1), 3)];
    dot.primitives = steps.map(|(name, by, time)| Primitive::step(name, by, time)).to_vec();
    let mut truck = ClassSpec::new("truck", 4);
    truck.footprint = vec![(0, 0), (-1, 0)];
    truck.primitives = Primitive::vehicle(2, 3, 2);
    let classes = [dot, truck].map(|spec| MovementClass::new(spec).unwrap()).to_vec();
    let settings = Settings { collision, ..Settings::named("greedy") };
    let Setup { settings, grid, tables, .. } = Setup::cooperative(settings, open(14, 12), classes);
    let rule = Greedy { random: Random::new(7), seen: Vec::new(), n_asked: Arc::clone(n_asked) };
    let mut world = World::new(Setup::with_rule(settings, grid, tables, Box::new(rule))).unwrap();
    for (class, count, orders) in [(0, 60, vec![Order::wait(4_000_000)]), (1, 20, Vec::new())] {
        world.command(Command::SpawnGroup(SpawnGroup {
            class: ClassId(class),
            count,
            area: Rect::new(0, 0, 14, 12),
            priority: 0,
            team: Team(0),
            orders: orders.into(),
            speed_factor: 1000,
            anywhere: false,
            if_no_room: IfNoRoom::Drop,
        }));
    }
    world
}

/// 10^5 refusals because of an overlap under each rule, in every build. The invariants hold at every tick.
#[test]
fn what_would_overlap_never_begins() {
    for collision in [CollisionRule::Swept, CollisionRule::Discrete] {
        let n_asked = Arc::new(AtomicU64::new(0));
        let mut world = crowd(collision, &n_asked);
        while world.counts().moves_overlapping < 100_000 {
            world.step();
            assert_eq!(invariant::check(&world), [], "{collision:?}, tick {}", world.tick());
            // Each move that was asked for either began, or was refused for an overlap or as impossible.
            let counts = world.counts();
            assert_eq!(counts.moves + counts.moves_refused, n_asked.load(Ordering::Relaxed));
        }
        let counts = world.counts();
        let n_impossible = counts.moves_refused - counts.moves_overlapping;
        assert!(counts.moves > 10_000 && n_impossible > 10_000, "{collision:?}: {counts:?}");
    }
}
