//! How much agents have covered of their trips in progress.
//!
//! The rest of a trip is the cost of a cheapest path for the agent alone. The current path is no measure of it: it may
//! lead around others, and then counts ticks as lost that nobody has spent yet.

use crate::requests::SearchInputs;
use crate::world::World;
use wheelbase_planner::model::State;
use wheelbase_planner::{Path, Progress, Scratch, Status, advance, begin, finish};
use wheelbase_traffic::motion::{Activity, end_state};

/// Expansions of all searches of one result, at most: a few seconds. Once they are spent, the current paths count.
const EXPANSIONS_MAX: u64 = 1 << 27;

/// Searches for the rest of trips, with the memory of one search.
pub(crate) struct CoveredTicks<'a> {
    world: &'a World,
    scratch: Scratch,
    path: Path,
    expansions_left: u64,
}

impl<'a> CoveredTicks<'a> {
    /// For the trips of a world.
    pub(crate) fn new(world: &'a World) -> Self {
        Self { world, scratch: Scratch::new(), path: Path::new(), expansions_left: EXPANSIONS_MAX }
    }

    /// Part of the single-agent bound that the agent in a row has covered on its trip in progress. It is 0 until its
    /// first path is known.
    pub(crate) fn of(&mut self, row: usize) -> u64 {
        let World { agents, tables, tick, .. } = self.world;
        let motion = &agents.motion[row];
        let Some(bound_ticks) =
            agents.statistics(row).bound_ticks().filter(|_| !agents.orders(row).to_nearest)
        else {
            return 0;
        };
        let state = end_state(&tables[usize::from(motion.class.0)], motion);
        let rest_of_move = if motion.at_rest() { 0 } else { u64::from(motion.until - tick) };
        // The bound of an agent on a leg is the cost of a route. The rest counts by the same measure: on a long trip,
        // the excess of the route would count as covered from the first tick on.
        let left = match agents.assigned[row] {
            None if !agents.legs[row].is_some() => {
                self.cheapest(row, state).or_else(|| self.along_path(row, state))
            }
            _ => self.along_path(row, state),
        };
        let covered = left.map_or(0, |left| u64::from(bound_ticks).saturating_sub(rest_of_move + left));
        // Less is left by an exact path than by the route of the bound.
        covered.min(u64::from(tick.saturating_sub(agents.orders(row).since)))
    }

    /// Cost of a cheapest path of an agent from a state to its goal; `None` if there is none, or if the expansions are
    /// spent.
    fn cheapest(&mut self, row: usize, state: State) -> Option<u64> {
        if self.expansions_left == 0 {
            return None;
        }
        let inputs: SearchInputs<'_> = self.world.search_inputs();
        let (.., request) = inputs.cheapest(row, state)?;
        let tables = inputs.tables(row);
        let mut progress = begin(tables, &request, &mut self.scratch);
        if progress == Progress::Running {
            progress = advance(tables, &request, &mut self.scratch, self.expansions_left);
        }
        let answer = finish(tables, &request, &self.scratch, &mut self.path);
        self.expansions_left = self.expansions_left.saturating_sub(answer.expansions);
        (progress == Progress::Done && answer.status == Status::Found).then(|| answer.cost.into())
    }

    /// Cost of the current path of an agent from a state, if it follows one; of a leg, with the rest of its route.
    fn along_path(&self, row: usize, mut state: State) -> Option<u64> {
        let World { agents, tables, .. } = self.world;
        let motion = &agents.motion[row];
        let tables = &tables[usize::from(motion.class.0)];
        let follows = motion.activity == Activity::Following && !motion.replan;
        follows.then(|| {
            let mut left = 0;
            for &primitive in agents.moves(row) {
                let Some(ticks) = tables.move_ticks(state, usize::from(primitive)) else { break };
                left += u64::from(ticks);
                state = tables.state_after(state, usize::from(primitive));
            }
            left + u64::from(agents.legs[row].rest_ticks)
        })
    }
}
