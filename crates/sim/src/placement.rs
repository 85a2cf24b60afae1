//! Where agents can be placed at random.

use crate::agents::{AgentId, ClassId};
use crate::random::Random;
use crate::world::Simulation;
use wheelbase_grid::Rect;
use wheelbase_planner::{Heading, Pose, State};

/// The legal poses of a class in an area that have not been drawn yet.
pub(crate) struct Placement {
    class: ClassId,
    poses: Vec<State>,
    /// Legal poses in the area.
    pub n_legal: usize,
}

impl Placement {
    /// All of them, on the map as it is; what of the area is off the map is left out.
    pub fn new(sim: &Simulation, class: ClassId, area: Rect) -> Self {
        let tables = &sim.classes[class.0 as usize].tables;
        let space = tables.space();
        let mut poses: Vec<State> = Vec::new();
        for cell in area.intersection(sim.grid.size().rect()).cells() {
            let at = |h| space.state(Pose { cell, heading: Heading(h) });
            poses.extend((0..space.headings()).filter_map(at).filter(|&state| tables.is_legal(state)));
        }
        Self { class, n_legal: poses.len(), poses }
    }

    /// Draws poses until one is free: nobody holds its cells or is on the way to them, and no edit waits for
    /// them to be left.
    pub fn draw(&mut self, sim: &Simulation, random: &mut Random) -> Option<State> {
        let tables = &sim.classes[self.class.0 as usize].tables;
        while !self.poses.is_empty() {
            let state = self.poses.swap_remove(random.below(self.poses.len()));
            let pose = tables.space().pose(state);
            let cells = tables.class().cells_at(pose);
            let nobody = AgentId(u32::MAX);
            let free = sim.reservation.blocker(nobody, pose.cell, cells).is_none()
                && sim.reservation.claimant_of(nobody, pose.cell, cells).is_none()
                && !sim.pending.forbid(pose.cell, &[], cells);
            if free {
                return Some(state);
            }
        }
        None
    }
}
