//! A traffic rule from outside that decides two things about an agent in one tick.

use crate::common::{Checked, WALKER, at, cell, map, setup_on};
use wheelbase_grid::GridShape;
use wheelbase_sim::{Activity, AgentId, Command, Order, Setup, World};
use wheelbase_traffic::{Decisions, Start, Traffic, TrafficView};

/// Has agents follow their paths and, with each move of the first one, names it in a list too.
#[derive(Clone, Copy, Debug)]
struct TwoAtOnce {
    unreachable: bool,
}

impl Traffic for TwoAtOnce {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        for (row, motion) in view.agents.motion.iter().enumerate() {
            let tables = &view.tables[usize::from(motion.class.0)];
            let next = view.paths.moves(view.agents.paths[row]).first();
            let Some(&primitive) = next.filter(|_| motion.at_rest()) else { continue };
            let Some(ticks) = tables.move_ticks(motion.state, usize::from(primitive)) else { continue };
            decisions.starts.push(Start { row: row as u32, primitive, ticks });
            let list = if self.unreachable { &mut decisions.unreachable } else { &mut decisions.around };
            list.push(row as u32);
        }
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(*self)
    }
}

/// For an agent that begins a move, no path is searched from where it was, and its order is not given up.
#[test]
fn an_agent_that_begins_a_move_neither_asks_for_a_detour_nor_gives_up() {
    for unreachable in [false, true] {
        let Setup { settings, grid, tables, .. } = setup_on(map(&["...", "WW.", "WW."], GridShape::Square));
        let mut setup = Setup::with_rule(settings, grid, tables, Box::new(TwoAtOnce { unreachable }));
        setup.agents = vec![at(WALKER, 0, 0, 0)];
        let mut run = Checked::new(World::new(setup).unwrap());
        run.does(Command::order(AgentId(0), Order::goto(cell(2, 2))));
        run.steps_until_at(AgentId(0), cell(2, 2), 20);
        run.steps(2);
        assert_eq!(run.row(AgentId(0)).activity(), Some(Activity::Idle));
        let counts = run.world.counts();
        assert_eq!((counts.path_requests, counts.orders_done, counts.orders_unreachable), (1, 1, 0));
    }
}
