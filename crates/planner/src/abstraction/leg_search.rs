//! Paths along routes, leg by leg.

use crate::abstraction::route::Route;
use crate::model::{Goal, GoalMember, Path, Pose, Progress, Status};
use crate::search::plan::{advance, begin, finish};
use crate::search::request::Request;
use crate::search::scratch::Scratch;
use crate::tables::MovementTables;

/// Plans a path along a route, leg by leg. Each leg is exact, and leads to the second portal ahead with any heading, or
/// to the goal. Returns the number of expansions; `path` then leads from the start to the goal. `None` if a leg does
/// not exist, or the path would cost too much.
///
/// Costs of legs add up to at least the route's cost, and at most a few percent more where bodies turn freely.
pub fn plan_along(
    tables: &MovementTables,
    route: &Route,
    (start, goal): (Pose, GoalMember),
    scratch: &mut Scratch,
    path: &mut Path,
) -> Option<u64> {
    path.clear();
    let (mut search, mut left) = (LegSearch::new(start, goal), u64::MAX);
    let found = search.advance(tables, route, &mut left, scratch, path);
    (found == LegProgress::Found).then_some(u64::MAX - left)
}

/// A search for a path along a route that can pause.
#[derive(Debug)]
pub(crate) struct LegSearch {
    /// Where the present leg begins.
    from: Pose,
    goal: GoalMember,
    /// Portals behind it.
    at: usize,
    /// The search for the leg is under way, with so many expansions so far.
    spent: Option<u64>,
    leg: Path,
}

/// How far a [`LegSearch`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegProgress {
    /// It used up its expansions, and can go on.
    Paused,
    /// The path leads to the goal.
    Found,
    /// A leg does not exist, or the path would cost too much.
    NoLeg,
}

impl LegSearch {
    /// At the start of a route.
    pub(crate) fn new(start: Pose, goal: GoalMember) -> Self {
        Self { from: start, goal, at: 0, spent: None, leg: Path::new() }
    }

    /// Searches for at most `left` expansions, and takes its own from them. Appends each leg to `path`. The tables, the
    /// route and the scratch must be the same each time.
    pub(crate) fn advance(
        &mut self,
        tables: &MovementTables,
        route: &Route,
        left: &mut u64,
        scratch: &mut Scratch,
        path: &mut Path,
    ) -> LegProgress {
        loop {
            let end = route.portals.get(self.at + 1);
            let member = [end.map_or(self.goal, |portal| GoalMember::any(portal.cell))];
            let request = Request::new(self.from, Goal::of(&member));
            let spent = self.spent.unwrap_or_else(|| {
                begin(tables, &request, scratch);
                0
            });
            let progress = advance(tables, &request, scratch, *left);
            let answer = finish(tables, &request, scratch, &mut self.leg);
            *left = left.saturating_sub(answer.expansions - spent);
            if progress != Progress::Done {
                self.spent = Some(answer.expansions);
                return LegProgress::Paused;
            }
            let from = tables.space().state(self.from).filter(|_| answer.status == Status::Found);
            if from.is_none_or(|from| tables.append_moves(path, from, &self.leg.moves).is_err()) {
                return LegProgress::NoLeg;
            }
            if end.is_none() {
                return LegProgress::Found;
            }
            self.from = self.leg.poses.last().map_or(self.from, |last| last.pose);
            (self.at, self.spent) = (self.at + 2, None);
        }
    }
}
