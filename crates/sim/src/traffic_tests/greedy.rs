//! A rule of traffic that lets everybody go wherever it likes, through a whole simulation: what would overlap never
//! begins.

use super::scenes::built;
use crate::invariant;
use wheelbase_traffic::random::Random;
use wheelbase_traffic::{Decisions, Start, Traffic, TrafficView};

/// Asks for a legal move of every agent at rest, and now and then for what no agent can do.
struct Greedy(Random);

impl Traffic for Greedy {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        for row in 0..view.agents.len() {
            let motion = view.agents.motion[row];
            let tables = &view.tables[usize::from(motion.class.0)];
            let primitive = self.0.below(tables.class().primitives().len()) as u8;
            let ticks = tables.move_ticks(motion.state, usize::from(primitive)).unwrap_or(1);
            let row = row as u32;
            decisions.starts.push(Start { row, primitive, ticks });
            match self.0.below(40) {
                0 => decisions.starts.push(Start { row, primitive, ticks }),
                1 => decisions.starts.push(Start { row, primitive, ticks: ticks + 1 }),
                2 => decisions.starts.push(Start { row, primitive: u8::MAX, ticks }),
                3 => decisions.starts.push(Start { row: u32::MAX, primitive, ticks }),
                _ => {}
            }
        }
    }
}

#[test]
fn what_would_overlap_never_begins() {
    for collision in ["swept", "discrete"] {
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
        let mut world = built(&text).unwrap();
        world.traffic = Box::new(Greedy(Random::new(7)));
        while world.counts.moves_refused < 100_000 {
            world.step();
            if world.tick.is_multiple_of(16) {
                assert_eq!(invariant::check(&world), [], "{collision}, tick {}", world.tick);
            }
        }
        assert!(world.counts.moves > 10_000, "{collision}: {:?}", world.counts);
    }
}
