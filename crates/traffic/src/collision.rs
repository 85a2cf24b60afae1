//! The two rules of collision (`docs/rules.md` 2.6), and the cells that a move needs and holds under each.

use wheelbase_grid::CellXY;
use wheelbase_planner::model::{MoveShape, Offset};
use wheelbase_planner::{MovementClass, Pose};

/// When two agents collide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CollisionRule {
    /// A move holds its swept cells from its start tick up to, not including, its end tick; a resting agent holds its
    /// footprint.
    #[default]
    Swept,
    /// An agent holds its start footprint until its move ends and its end footprint from that tick on.
    /// A cell given up at a tick may be taken at that tick, but two agents may not exchange.
    Discrete,
}

impl CollisionRule {
    /// Cells that a move needs to be free, and their anchor.
    pub fn needed<'a>(self, step: &Transition<'a>) -> (CellXY, &'a [Offset]) {
        match self {
            Self::Swept => step.swept(),
            Self::Discrete => step.end(),
        }
    }

    /// Cells that an agent holds during a move, and their anchor.
    pub fn held<'a>(self, step: &Transition<'a>) -> (CellXY, &'a [Offset]) {
        match self {
            Self::Swept => step.swept(),
            Self::Discrete => step.start(),
        }
    }

    /// Name as written in scenarios and traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Swept => "swept",
            Self::Discrete => "discrete",
        }
    }
}

/// A move: class, start pose and primitive.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// Class of the agent.
    pub class: &'a MovementClass,
    /// Pose at the start.
    pub pose: Pose,
    /// Number of the primitive.
    pub primitive: usize,
}

impl<'a> Transition<'a> {
    fn shape(&self) -> &'a MoveShape {
        self.class.shape_at(self.pose, self.primitive)
    }

    /// Cells under the body at the start, and their anchor.
    pub fn start(&self) -> (CellXY, &'a [Offset]) {
        (self.pose.cell, self.class.cells_at(self.pose))
    }

    /// Cells that the body touches, and their anchor.
    pub fn swept(&self) -> (CellXY, &'a [Offset]) {
        (self.pose.cell, &self.shape().swept)
    }

    /// Cells under the body at the end, and their anchor.
    pub fn end(&self) -> (CellXY, &'a [Offset]) {
        let shape = self.shape();
        let cell = shape.step.cell_from(self.pose.cell);
        (cell, self.class.footprint().at(shape.frame_after))
    }
}
