//! The rule whose decisions come from outside, move by move: the base of learning environments and foreign planners.

use crate::collision::Transition;
use crate::decisions::{Decisions, Start};
use crate::forbidden::{ForbiddenArea, forbids};
use crate::motion::{Activity, Motion};
use crate::reason::Reason;
use crate::rule::{Traffic, copy_of_same_type};
use crate::speed::ticks_at_speed;
use crate::view::TrafficView;
use wheelbase_planner::MovementTables;

/// Proposes the moves that the host has named for the tick ([`TrafficView::commanded`]), in that order; all other
/// agents wait. Teams, priorities and holds are the host's business.
///
/// A move is left out if its agent is not there or is under way, or if it is illegal. It is also left out if it would
/// enter the cells of a waiting edit. Of the others, the moves that overlap nothing begin: bad decisions are slow,
/// never wrong.
///
/// It follows no planned paths; an order is done once its agent rests at the goal, whichever way it came.
///
/// ```
/// use wheelbase_traffic::{Commanded, Traffic};
/// let rule: Box<dyn Traffic> = Box::new(Commanded);
/// assert!(!rule.needs_paths());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Commanded;

impl Commanded {
    /// Name in recordings and snapshots.
    pub(crate) const NAME: &'static str = "commanded";

    /// The move of an agent by a primitive, and its ticks at the usual speed. `None` if the agent itself is not free to
    /// begin it. The agent rests, the move is legal, and enters no cells of a waiting edit.
    pub fn may_begin<'a>(
        tables: &'a MovementTables,
        motion: &Motion,
        primitive: usize,
        forbidden: &[ForbiddenArea],
    ) -> Option<(Transition<'a>, u32)> {
        // An agent that waits for its pose in a group stays until the pose is chosen.
        let is_free = motion.at_rest() && motion.activity != Activity::AwaitingPath;
        if !is_free || primitive >= tables.class().primitives().len() {
            return None;
        }
        let ticks = tables.move_ticks(motion.state, primitive)?;
        let step = Transition { class: tables.class(), pose: tables.space().pose(motion.state), primitive };
        let (anchor, held) = step.start();
        (!forbids(forbidden, anchor, held, step.swept().1)).then_some((step, ticks))
    }
}

impl Traffic for Commanded {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        for commanded in view.commanded {
            let Some(motion) = view.agents.motion.get(commanded.row as usize) else { continue };
            let tables = &view.tables[usize::from(motion.class.0)];
            if let Some((_, ticks)) =
                Self::may_begin(tables, motion, usize::from(commanded.primitive), view.forbidden)
            {
                let ticks = ticks_at_speed(ticks, view.agents.speed_factors[commanded.row as usize]);
                decisions.starts.push(Start { row: commanded.row, primitive: commanded.primitive, ticks });
            }
        }
    }

    fn needs_paths(&self) -> bool {
        false
    }

    fn reason(&self, _: &TrafficView<'_>, _: usize) -> Option<Reason> {
        Some(Reason::Host)
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(*self)
    }

    fn copy_from(&mut self, other: &dyn Traffic) -> bool {
        copy_of_same_type(self, other)
    }

    fn saved_name(&self) -> Option<&'static str> {
        Some(Self::NAME)
    }
}
