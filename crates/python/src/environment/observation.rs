//! Observations: a window of planes around each agent, numbers about the agent, and which actions are allowed.

use super::scene::{Scene, Site};
use std::sync::Arc;
use wheelbase_grid::{CellXY, Grid};
use wheelbase_planner::model::{ClassSpeeds, Offset};
use wheelbase_planner::{MovementTables, Pose};
use wheelbase_sim::World;
use wheelbase_sim::traffic::motion::{end_state, transition_of};
use wheelbase_sim::traffic::{ClassId, CollisionRule};

/// A plane of the window.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Plane {
    Terrain,
    Sides,
    Heights,
    Bodies,
    Own,
    Goal,
}

impl Plane {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Terrain => "terrain",
            Self::Sides => "sides",
            Self::Heights => "heights",
            Self::Bodies => "bodies",
            Self::Own => "own",
            Self::Goal => "goal",
        }
    }
}

/// Thousandths of speed for each unit of the plane of terrain.
const SPEED_UNIT: u16 = 10;
/// The value of the plane of heights at the agent's own height.
const OWN_HEIGHT: i32 = 128;
/// Values of the plane of bodies.
const AT_REST: u8 = 1;
const UNDER_WAY: u8 = 2;
const ARRIVING: u8 = 3;
/// A number that is not known.
const UNKNOWN: f32 = -1.0;

/// What observations consist of.
pub(super) struct Layout {
    /// Cells from the middle of the window to its sides.
    pub radius: u32,
    pub planes: Vec<Plane>,
    pub n_headings: usize,
    pub n_classes: usize,
    /// Waiting, and the primitives of the class that has most.
    pub n_actions: usize,
}

impl Layout {
    /// The layout for a scene: sides and heights only where the map has, or an edit may bring, them.
    pub(super) fn new(scene: &Scene, radius: u32) -> Self {
        let (sides, heights) = scene.brings();
        let mut planes = vec![Plane::Terrain];
        planes.extend((sides || !scene.grid.all_sides_open()).then_some(Plane::Sides));
        planes.extend((heights || scene.grid.elevation().is_some()).then_some(Plane::Heights));
        planes.extend([Plane::Bodies, Plane::Own, Plane::Goal]);
        let headings = scene.tables.iter().map(|tables| usize::from(tables.space().headings()));
        Self {
            radius,
            planes,
            n_headings: headings.max().unwrap_or(1),
            n_classes: scene.tables.len(),
            n_actions: 1 + scene.n_primitives(),
        }
    }

    /// Cells along a side of the window.
    pub(super) fn side(&self) -> usize {
        2 * self.radius as usize + 1
    }

    /// Bytes of a window.
    pub(super) fn window_len(&self) -> usize {
        self.planes.len() * self.side() * self.side()
    }

    /// Names of an agent's own numbers, in their order; the detours of all actions come last.
    pub(super) fn own_names(&self) -> Vec<String> {
        let headings = (0..self.n_headings).map(|heading| format!("heading_{heading}"));
        let classes = (0..self.n_classes).map(|class| format!("class_{class}"));
        let simple = ["goal_dx", "goal_dy", "cost_to_go", "busy_ticks", "row_parity"].map(str::to_owned);
        let detours = (0..self.n_actions).map(|action| format!("detour_{action}"));
        headings.chain(classes).chain(simple).chain(detours).collect()
    }

    /// Where the detours begin among an agent's own numbers.
    pub(super) fn detours_at(&self) -> usize {
        self.n_headings + self.n_classes + 5
    }

    /// An agent's own numbers.
    pub(super) fn own_len(&self) -> usize {
        self.detours_at() + self.n_actions
    }
}

/// Rows of cells with a margin of `radius` on each side, so that every window is made of whole runs.
pub(super) struct Ground {
    width: usize,
    radius: usize,
    /// By class.
    terrain: Vec<Vec<u8>>,
    sides: Vec<Vec<u8>>,
}

impl Ground {
    /// The ground of a map.
    pub(super) fn new(grid: &Grid, tables: &[MovementTables], layout: &Layout) -> Self {
        let radius = layout.radius as usize;
        let (columns, rows) = (grid.size().width() as usize, grid.size().height() as usize);
        let width = columns + 2 * radius;
        let speeds: Vec<ClassSpeeds> =
            tables.iter().map(|tables| ClassSpeeds::of(grid, tables.class())).collect();
        let padded = |off: u8, at: &dyn Fn(CellXY) -> u8| {
            let mut plane = vec![off; width * (rows + 2 * radius)];
            for y in 0..rows {
                for x in 0..columns {
                    plane[(y + radius) * width + x + radius] = at(CellXY::new(x as i32, y as i32));
                }
            }
            plane
        };
        let speed = |speeds: &ClassSpeeds, cell: CellXY| {
            let speed = grid.terrain_at(cell).map_or(0, |kind| speeds.of_terrain(kind));
            speed.div_ceil(SPEED_UNIT).min(u8::MAX.into()) as u8
        };
        let closed = |speeds: &ClassSpeeds, xy: CellXY| {
            let Some(cell) = grid.size().cell(xy) else { return 0 };
            let mut bits = 0;
            for (number, &side) in grid.shape().sides().iter().enumerate() {
                let beyond = grid.size().cell(grid.shape().neighbour(xy, side));
                let is_closed = speeds.of_side(grid.side_of(cell, side)) == 0
                    || beyond
                        .is_some_and(|beyond| speeds.of_side(grid.side_of(beyond, side.opposite())) == 0);
                bits |= u8::from(is_closed) << number;
            }
            bits
        };
        let with_sides = layout.planes.contains(&Plane::Sides);
        let terrain = speeds.iter().map(|speeds| padded(0, &|cell| speed(speeds, cell)));
        let sides =
            speeds.iter().filter(|_| with_sides).map(|speeds| padded(0, &|cell| closed(speeds, cell)));
        Self { width, radius, terrain: terrain.collect(), sides: sides.collect() }
    }

    /// Index of a cell. It lies at most `radius` off the map.
    fn index(&self, cell: CellXY) -> usize {
        let radius = self.radius as i32;
        (cell.y + radius) as usize * self.width + (cell.x + radius) as usize
    }

    /// Cells with the margin.
    fn n_cells(&self) -> usize {
        self.terrain.first().map_or(0, Vec::len)
    }
}

/// The cells that all agents of a world hold.
#[derive(Default)]
pub(super) struct Bodies(Vec<u8>);

impl Bodies {
    /// Takes the observations of a world.
    pub(super) fn update(&mut self, world: &World, ground: &Ground) {
        self.0.clear();
        self.0.resize(ground.n_cells(), 0);
        let mut set = |(anchor, cells): (CellXY, &[Offset]), value: u8| {
            for offset in cells {
                self.0[ground.index(offset.cell_from(anchor))] = value;
            }
        };
        let rule = world.settings().collision;
        let agents = world.agent_arrays();
        for motion in &agents.motion {
            let step = transition_of(world.tables(), motion);
            if motion.at_rest() { set(step.start(), AT_REST) } else { set(rule.held(&step), UNDER_WAY) }
        }
        if rule == CollisionRule::Discrete {
            for motion in agents.motion.iter().filter(|motion| !motion.at_rest()) {
                set(transition_of(world.tables(), motion).end(), ARRIVING);
            }
        }
    }
}

/// The parts of an observation, as one agent's pieces of arrays.
pub(super) struct Observed<'a> {
    pub window: &'a mut [u8],
    pub own: &'a mut [f32],
    pub mask: &'a mut [u8],
}

/// What an agent is observed in.
pub(super) struct Surroundings<'a> {
    pub world: &'a World,
    pub layout: &'a Layout,
    pub ground: &'a Arc<Ground>,
    pub bodies: &'a Bodies,
    /// Whether moves may begin at the next tick.
    pub may_begin: bool,
    /// What waiting costs, in ticks.
    pub wait_ticks: u32,
}

impl Surroundings<'_> {
    /// Observes the agent in a row.
    pub(super) fn observe(&self, row: usize, goal: Option<&Site>, into: Observed<'_>) {
        let motion = &self.world.agent_arrays().motion[row];
        let tables = &self.world.tables()[usize::from(motion.class.0)];
        let pose = tables.space().pose(end_state(tables, motion));
        self.window(row, pose, goal, into.window);
        self.own(row, pose, goal, into.own);
        into.mask.fill(0);
        into.mask[0] = 1;
        if self.may_begin && motion.at_rest() {
            for primitive in 0..tables.class().primitives().len() {
                into.mask[1 + primitive] = u8::from(self.world.may_begin(row, primitive));
            }
        }
    }

    fn window(&self, row: usize, pose: Pose, goal: Option<&Site>, window: &mut [u8]) {
        let motion = &self.world.agent_arrays().motion[row];
        let (layout, ground) = (self.layout, self.ground);
        let class = usize::from(motion.class.0);
        let step = transition_of(self.world.tables(), motion);
        let (side, radius) = (layout.side(), layout.radius as i32);
        let place = |cell: CellXY| {
            let (x, y) = (cell.x - pose.cell.x + radius, cell.y - pose.cell.y + radius);
            let is_in = (0..side as i32).contains(&x) && (0..side as i32).contains(&y);
            is_in.then(|| y as usize * side + x as usize)
        };
        let corner = ground.index(pose.cell) - ground.radius * (ground.width + 1);
        let copy = |plane: &mut [u8], from: &[u8]| {
            for (y, line) in plane.chunks_exact_mut(side).enumerate() {
                line.copy_from_slice(&from[corner + y * ground.width..][..side]);
            }
        };
        let set = |plane: &mut [u8], (anchor, cells): (CellXY, &[Offset]), value: u8| {
            for at in cells.iter().filter_map(|offset| place(offset.cell_from(anchor))) {
                plane[at] = value;
            }
        };
        for (plane, kind) in window.chunks_exact_mut(side * side).zip(&layout.planes) {
            match kind {
                Plane::Terrain => copy(plane, &ground.terrain[class]),
                Plane::Sides => copy(plane, &ground.sides[class]),
                Plane::Heights => heights(self.world.grid(), pose.cell, radius, plane),
                Plane::Bodies => {
                    copy(plane, &self.bodies.0);
                    if motion.at_rest() {
                        set(plane, step.start(), 0);
                    } else {
                        set(plane, self.world.settings().collision.held(&step), 0);
                        set(plane, step.end(), 0);
                    }
                }
                Plane::Own => {
                    plane.fill(0);
                    let tables = &self.world.tables()[class];
                    set(plane, (pose.cell, tables.class().cells_at(pose)), 1);
                }
                Plane::Goal => {
                    plane.fill(0);
                    if let Some(at) = goal.and_then(|goal| place(goal.cell)) {
                        plane[at] = 1;
                    }
                }
            }
        }
    }

    fn own(&self, row: usize, pose: Pose, goal: Option<&Site>, own: &mut [f32]) {
        let motion = &self.world.agent_arrays().motion[row];
        let ClassId(class) = motion.class;
        let tables = &self.world.tables()[usize::from(class)];
        let end = end_state(tables, motion);
        let (headings, rest) = own.split_at_mut(self.layout.n_headings);
        let (classes, rest) = rest.split_at_mut(self.layout.n_classes);
        let (simple, detours) = rest.split_at_mut(rest.len() - self.layout.n_actions);
        headings.fill(0.0);
        headings[usize::from(pose.heading.0)] = 1.0;
        classes.fill(0.0);
        classes[usize::from(class)] = 1.0;
        let cost = goal.and_then(|goal| goal.field.cost(end));
        let (dx, dy) = goal.map_or((0, 0), |goal| (goal.cell.x - pose.cell.x, goal.cell.y - pose.cell.y));
        let busy = if motion.at_rest() { 0 } else { motion.until - self.world.tick() };
        let parity = self.world.grid().shape().parity(pose.cell.y);
        let numbers =
            [dx as f32, dy as f32, cost.map_or(UNKNOWN, |cost| cost as f32), busy as f32, f32::from(parity)];
        simple.copy_from_slice(&numbers);
        detours.fill(UNKNOWN);
        detours[0] = self.wait_ticks as f32;
        let (Some(goal), Some(cost), true) = (goal, cost, motion.at_rest()) else { return };
        for primitive in 0..tables.class().primitives().len() {
            let Some(ticks) = tables.move_ticks(end, primitive) else { continue };
            if let Some(after) = goal.field.cost(tables.state_after(end, primitive)) {
                detours[1 + primitive] = (f64::from(after) + f64::from(ticks) - f64::from(cost)) as f32;
            }
        }
    }
}

/// The heights around a cell, relative to its own.
fn heights(grid: &Grid, middle: CellXY, radius: i32, plane: &mut [u8]) {
    let height = |cell: CellXY| grid.size().cell(cell).map(|cell| i32::from(grid.elevation_of(cell)));
    let own = height(middle).unwrap_or(0);
    let side = 2 * radius + 1;
    for (at, value) in plane.iter_mut().enumerate() {
        let (x, y) = (at as i32 % side, at as i32 / side);
        let found = height(CellXY::new(middle.x - radius + x, middle.y - radius + y)).unwrap_or(own);
        *value = (OWN_HEIGHT + found - own).clamp(0, u8::MAX.into()) as u8;
    }
}
