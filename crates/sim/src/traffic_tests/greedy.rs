//! A rule of traffic that asks for whatever move it likes, through a whole run: no move that would overlap begins.

use super::scenes::built;
use crate::{World, invariant};
use std::sync::{Arc, Mutex};
use wheelbase_planner::model::State;
use wheelbase_traffic::random::Random;
use wheelbase_traffic::{Decisions, Start, Traffic, TrafficView};

/// Asks for a random move of every agent, at rest or not, and sometimes for a move that no agent can make. Keeps the
/// states in which it saw the agents.
#[derive(Clone)]
struct Greedy {
    random: Random,
    seen: Arc<Mutex<Vec<State>>>,
}

impl Traffic for Greedy {
    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }

    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let mut seen = self.seen.lock().unwrap();
        seen.clear();
        seen.extend(view.agents.motion.iter().map(|motion| motion.state));
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
    }
}

fn crowd(collision: &str) -> World {
    let text = format!(
        "name = \"greedy\"\nticks = 100000\ncollision = \"{collision}\"\n[map]\nrows = [{}]\n\
         [class.dot]\nheadings = 1\nmoves = [\n{{ name = \"E\", by = [1, 0], time = 1 }},\n\
         {{ name = \"N\", by = [0, -1], time = 1 }},\n{{ name = \"W\", by = [-1, 0], time = 2 }},\n\
         {{ name = \"S\", by = [0, 1], time = 3 }},\n]\n[class.truck]\nheadings = 4\nfootprint = [\"X>\"]\nmoves = [\n\
         {{ name = \"forward\", by = [1, 0], time = 2 }},\n{{ name = \"reverse\", by = [-1, 0], time = 3 }},\n\
         {{ name = \"left\", turn = 1, time = 2 }},\n]\n\
         [[groups]]\nclass = \"dot\"\ncount = 60\narea = [0, 0, 14, 12]\norders = [{{ wait = 4000000 }}]\n\
         [[groups]]\nclass = \"truck\"\ncount = 20\narea = [0, 0, 14, 12]\n",
        vec![format!("\"{}\"", ".".repeat(14)); 12].join(", ")
    );
    built(&text).unwrap()
}

/// 10^5 refusals because of an overlap under each rule, in every build. The invariants hold at every tick, and an agent
/// that was refused is at rest in the state in which it asked.
#[test]
fn what_would_overlap_never_begins() {
    for collision in ["swept", "discrete"] {
        let mut world = crowd(collision);
        let seen = Arc::new(Mutex::new(Vec::new()));
        world.traffic = Box::new(Greedy { random: Random::new(7), seen: seen.clone() });
        let mut n_overlaps = 0;
        while n_overlaps < 100_000 {
            let (begun, refused) = (world.counts.moves, world.counts.moves_refused);
            world.step();
            assert_eq!(invariant::check(&world), [], "{collision}, tick {}", world.tick);
            let seen = seen.lock().unwrap();
            for &row in &world.traffic_buffers.refused_rows {
                // A move that was refused never ends: what `step` has ended since was under way before.
                let motion = &world.agents.motion[row as usize];
                assert!(
                    motion.at_rest() && motion.state == seen[row as usize],
                    "{collision}: row {row} moves"
                );
            }
            // Of the moves that were asked for each either began, or was refused for an overlap or as impossible.
            let asked = world.traffic_buffers.decisions.starts.len() as u64;
            assert_eq!(world.counts.moves - begun + world.traffic_buffers.refused_rows.len() as u64, asked);
            assert!(world.counts.moves_refused - refused >= world.traffic_buffers.refused_rows.len() as u64);
            n_overlaps += world.traffic_buffers.refused_rows.len() as u64;
        }
        let n_impossible = world.counts.moves_refused - n_overlaps;
        assert!(world.counts.moves > 10_000 && n_impossible > 10_000, "{collision}: {:?}", world.counts);
    }
}
