//! What all worlds of a learning environment have in common: map, agents, where they may start, and their goals.

use rayon::ThreadPool;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use wheelbase_grid::{CellXY, GridSize, Rect};
use wheelbase_planner::fields::{CostField, SettleTarget};
use wheelbase_planner::model::State;
use wheelbase_planner::tables::field_bytes;
use wheelbase_planner::{Goal, GoalMember, MovementTables, Pose};
use wheelbase_sim::traffic::{AgentSlot, Commanded, Occupancy};
use wheelbase_sim::{
    AtDeadline, Change, ClassId, CollisionRule, Command, Grid, OnAgents, Placement, PlacementArea, Random,
    Settings, Setup, Spawn, Threads, World,
};

/// Most bytes of the fields of all goals.
const FIELD_BYTES_MAX: usize = 4 << 30;
/// Goals of a class where agents get new ones for ever, unless asked otherwise.
const GOALS_USUAL: usize = 64;
/// Random poses whose component is looked at before the largest is taken.
const COMPONENT_TRIES: usize = 16;
/// Placements tried before a scene counts as too full.
const PLACEMENT_TRIES: usize = 64;
/// The random stream of goals and components; episodes have others.
const SCENE_STREAM: u64 = u64::MAX;

/// What happens when an agent arrives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnArrival {
    /// It gets another goal, for ever.
    NewGoal,
    /// It keeps its goal; the episode ends when all rest at theirs.
    Stay,
}

/// Why a scene cannot be made.
pub(super) enum SceneError {
    /// A wrong argument.
    Argument(String),
    /// Too large or too full.
    Limit(String),
    /// A step of a world has panicked.
    Broken(String),
}

/// How a scene is made.
pub(super) struct SceneOptions {
    pub random_starts: bool,
    pub on_arrival: OnArrival,
    /// Goals of each class.
    pub goals: Option<usize>,
    pub seed: u64,
    /// The threads that compute fields; `None` for the caller's.
    pub pool: Option<Arc<ThreadPool>>,
}

/// A goal of a class: one cell, in the headings from which all other goals can be reached.
#[derive(Clone)]
pub(super) struct Site {
    pub cell: CellXY,
    pub field: Arc<CostField>,
}

/// The goals of a class, and by state whether its agents can start there.
#[derive(Default)]
pub(super) struct ClassSites {
    pub sites: Vec<Site>,
    may_start: Vec<bool>,
}

/// The common part of all worlds.
pub(super) struct Scene {
    pub grid: Grid,
    pub tables: Vec<MovementTables>,
    settings: Settings,
    pub agents: Vec<Spawn>,
    /// The agents in the order in which they are placed.
    order: Vec<u32>,
    /// Edits of the map by tick.
    edits: Vec<(u32, Command)>,
    /// All cells that they touch.
    pub edited: Rect,
    /// By class; without agents a class has no goals.
    pub classes: Vec<ClassSites>,
    random_starts: bool,
    pub on_arrival: OnArrival,
}

/// Checks that no command but edits of the map comes later, and none that removes agents.
fn edits_of(commands: Vec<(u32, Command)>) -> Result<Vec<(u32, Command)>, SceneError> {
    for (tick, command) in &commands {
        let removes = |on_agents| {
            matches!(on_agents, OnAgents::Remove | OnAgents::WaitUntil { then: AtDeadline::Remove, .. })
        };
        match command {
            Command::Edit(edit) if !removes(edit.on_agents) => {}
            Command::Edit(_) => {
                return Err(SceneError::Argument(format!(
                    "the scene: an edit at tick {tick} removes agents, expected on_agents \"wait\" or \"strand\""
                )));
            }
            _ => {
                return Err(SceneError::Argument(format!(
                    "the scene: an event at tick {tick} is no edit of the map; the agents of an environment are there \
                     from its beginning to its end"
                )));
            }
        }
    }
    Ok(commands)
}

/// All changes of some commands.
fn changes_of(edits: &[(u32, Command)]) -> impl Iterator<Item = &Change> {
    edits.iter().flat_map(|(_, command)| match command {
        Command::Edit(edit) => &edit.changes[..],
        _ => &[],
    })
}

/// The area of all changes of some commands, and the cells beside it, whose sides they may touch.
fn area_of(edits: &[(u32, Command)]) -> Rect {
    let beside = |area: Rect| {
        let (x, y) = (area.x.saturating_sub(1), area.y.saturating_sub(1));
        Rect::new(x, y, area.width.saturating_add(2), area.height.saturating_add(2))
    };
    let all = changes_of(edits).map(|change| beside(change.area())).reduce(|all, area| all.union(area));
    all.unwrap_or(Rect::new(0, 0, 0, 0))
}

/// A set of states of a class that can all reach each other. It is the largest component that some draws from `seeds`
/// find.
fn component(tables: &MovementTables, seeds: &[State], random: &mut Random) -> Vec<bool> {
    let space = tables.space();
    let n_legal = (0..space.n_states() as u32).filter(|&state| tables.is_legal(State(state))).count();
    let (mut best, mut best_count) = (vec![false; space.n_states()], 0);
    for _ in 0..COMPONENT_TRIES.min(seeds.len()) {
        let Pose { cell, heading } = space.pose(seeds[random.below(seeds.len())]);
        let member = [GoalMember { cell, heading: Some(heading) }];
        let mut into = CostField::to_goal(tables, &Goal::of(&member));
        into.settle(tables, SettleTarget::All, u64::MAX);
        let mut from = CostField::from_start(tables, &Goal::of(&member));
        from.settle(tables, SettleTarget::All, u64::MAX);
        let is_in = |state| into.cost(State(state)).is_some() && from.cost(State(state)).is_some();
        let found: Vec<bool> = (0..space.n_states() as u32).map(is_in).collect();
        let count = found.iter().filter(|is_in| **is_in).count();
        if count > best_count {
            (best, best_count) = (found, count);
        }
        if best_count * 2 > n_legal {
            break;
        }
    }
    best
}

/// Draws a free pose of a class at which its agents may start.
fn draw(
    tables: &[MovementTables],
    class: ClassId,
    placement: &mut Placement,
    may_start: &[bool],
    held: &Occupancy,
    random: &mut Random,
) -> Option<Pose> {
    loop {
        let state = placement.draw(tables, held, &[], random)?;
        if may_start[state.0 as usize] {
            return Some(tables[usize::from(class.0)].space().pose(state));
        }
    }
}

impl Scene {
    /// A scene of the parts of a world.
    pub(super) fn new(
        (grid, tables): (Grid, Vec<MovementTables>),
        settings: Settings,
        agents: Vec<Spawn>,
        commands: Vec<(u32, Command)>,
        options: &SceneOptions,
    ) -> Result<Self, SceneError> {
        if agents.is_empty() {
            return Err(SceneError::Argument("the scene has no agents, expected 1 or more".to_owned()));
        }
        let edits = edits_of(commands)?;
        let mut random = Random::of_stream(options.seed, SCENE_STREAM);
        let mut scene = Self {
            edited: area_of(&edits).intersection(grid.size().rect()),
            agents: agents.into_iter().map(|agent| agent.with_orders([])).collect(),
            settings: Settings { ticks: Settings::ENDLESS, ..settings },
            classes: Vec::new(),
            order: Vec::new(),
            random_starts: options.random_starts,
            on_arrival: options.on_arrival,
            grid,
            tables,
            edits,
        };
        let mut taken = Occupancy::new(scene.grid.size(), CollisionRule::Swept);
        scene.classes.resize_with(scene.tables.len(), ClassSites::default);
        for class in scene.largest_first() {
            scene.classes[class] = scene.sites_of(class, options, &mut taken, &mut random)?;
        }
        let mut order: Vec<u32> = (0..scene.agents.len() as u32).collect();
        let size = |agent: &u32| scene.body_cells(usize::from(scene.agents[*agent as usize].class.0));
        order.sort_by_key(|agent| std::cmp::Reverse(size(agent)));
        scene.order = order;
        scene.check_starts()?;
        Ok(scene)
    }

    /// Cells of a body of a class.
    fn body_cells(&self, class: usize) -> usize {
        self.tables[class].class().spec().footprint.len()
    }

    /// The classes in the order in which they are given room: where small bodies come first they leave none for large
    /// ones.
    fn largest_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.tables.len()).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(self.body_cells(class)));
        order
    }

    /// Chooses the goals of a class: different cells. If agents stay at their goals, no two goals overlap, not even of
    /// different classes. So all goals can be occupied together.
    fn sites_of(
        &self,
        number: usize,
        options: &SceneOptions,
        taken: &mut Occupancy,
        random: &mut Random,
    ) -> Result<ClassSites, SceneError> {
        let class = ClassId(number as u8);
        let tables = &self.tables[number];
        let (space, name) = (tables.space(), &tables.class().spec().name);
        let of_class = self.agents.iter().filter(|agent| agent.class == class);
        let n_agents = of_class.clone().count();
        if n_agents == 0 {
            return Ok(ClassSites { sites: Vec::new(), may_start: Vec::new() });
        }
        let seeds: Vec<State> = if self.random_starts {
            (0..space.n_states() as u32).map(State).filter(|&state| tables.is_legal(state)).collect()
        } else {
            of_class.filter_map(|agent| space.state(agent.pose)).collect()
        };
        let may_start = component(tables, &seeds, random);
        let stay = self.on_arrival == OnArrival::Stay;
        let (least, most) = match options.goals {
            Some(goals) => (goals, goals),
            None if stay => (n_agents, n_agents),
            None => (2, GOALS_USUAL),
        };
        if stay && most < n_agents {
            return Err(SceneError::Argument(format!(
                "`goals` is {most}, expected {n_agents} or more: each agent of class {name} keeps one"
            )));
        }
        let bytes = most.saturating_mul(field_bytes(space.n_states(), 0));
        if bytes > FIELD_BYTES_MAX {
            return Err(SceneError::Limit(format!(
                "the fields of {most} goals of class {name} need {} MiB, expected at most {}: choose fewer `goals`",
                bytes >> 20,
                FIELD_BYTES_MAX >> 20
            )));
        }
        let mut placement =
            Placement::new(&self.tables, PlacementArea { class, area: space.size().rect(), anywhere: true });
        let mut poses = Vec::new();
        let mut cells = BTreeSet::new();
        while poses.len() < most {
            let Some(pose) = draw(&self.tables, class, &mut placement, &may_start, taken, random) else {
                break;
            };
            if stay {
                taken.hold(AgentSlot(0), pose.cell, tables.class().cells_at(pose));
            }
            if cells.insert((pose.cell.y, pose.cell.x)) {
                poses.push(pose);
            }
        }
        if poses.len() < least {
            let apart = if stay { " that do not overlap" } else { "" };
            return Err(SceneError::Limit(format!(
                "there is room for {} goals of class {name}{apart}, expected {least}",
                poses.len()
            )));
        }
        let site = |pose: &Pose| {
            let headings = (0..space.headings()).map(wheelbase_planner::Heading);
            let poses = headings.map(|heading| Pose { cell: pose.cell, heading });
            let reached = |pose: &Pose| space.state(*pose).is_some_and(|state| may_start[state.0 as usize]);
            let member = |pose: Pose| GoalMember { cell: pose.cell, heading: Some(pose.heading) };
            let members: Vec<GoalMember> = poses.filter(reached).map(member).collect();
            let mut field = CostField::to_goal(tables, &Goal::of(&members));
            field.settle(tables, SettleTarget::All, u64::MAX);
            Site { cell: pose.cell, field: Arc::new(field) }
        };
        let sites = match &options.pool {
            Some(pool) => pool.install(|| poses.par_iter().map(site).collect()),
            None => poses.iter().map(site).collect(),
        };
        Ok(ClassSites { sites, may_start })
    }

    /// Checks that each agent with a given start reaches a goal other than where it stands.
    fn check_starts(&self) -> Result<(), SceneError> {
        if self.random_starts {
            return Ok(());
        }
        for (number, agent) in self.agents.iter().enumerate() {
            let class = usize::from(agent.class.0);
            let state = self.tables[class].space().state(agent.pose);
            let reaches = |site: &Site| state.and_then(|state| site.field.cost(state)).is_some();
            if !self.classes[class].sites.iter().any(reaches) {
                return Err(SceneError::Argument(format!(
                    "agent {number} of the scene reaches no goal from {}: others of its class start in a larger part of \
                     the map; expected `starts` \"random\", or all agents of a class in one part",
                    agent.pose.cell
                )));
            }
        }
        Ok(())
    }

    /// Whether edits may set sides, and heights.
    pub(super) fn brings(&self) -> (bool, bool) {
        let changes = || changes_of(&self.edits);
        (
            changes().any(|change| matches!(change, Change::Side { .. } | Change::Rotate { .. })),
            changes().any(|change| matches!(change, Change::Elevation { .. })),
        )
    }

    /// Size of the map.
    pub(super) fn size(&self) -> GridSize {
        self.grid.size()
    }

    /// Most primitives of a class.
    pub(super) fn n_primitives(&self) -> usize {
        self.tables.iter().map(|tables| tables.class().primitives().len()).max().unwrap_or(0)
    }

    /// Where agents may start, by class.
    pub(super) fn placements(&self) -> Vec<Placement> {
        let area = |sites: &ClassSites| match sites.may_start.is_empty() {
            true => Rect::new(0, 0, 0, 0),
            false => self.size().rect(),
        };
        let of = |(class, sites)| {
            let of = PlacementArea { class: ClassId(class as u8), area: area(sites), anywhere: true };
            Placement::new(&self.tables, of)
        };
        self.classes.iter().enumerate().map(of).collect()
    }

    /// A world at the beginning of an episode.
    pub(super) fn world(
        &self,
        placements: &mut [Placement],
        random: &mut Random,
    ) -> Result<World, SceneError> {
        let mut agents = self.agents.clone();
        if self.random_starts {
            let placed = (0..PLACEMENT_TRIES).any(|_| self.place(&mut agents, placements, random));
            if !placed {
                return Err(SceneError::Limit(format!(
                    "no room was found for {} agents in {PLACEMENT_TRIES} attempts, expected fewer",
                    agents.len()
                )));
            }
        }
        let setup = Setup {
            agents,
            scheduled: self.edits.clone(),
            landmarks: Some(0),
            threads: Threads::Caller,
            ..Setup::with_rule(
                self.settings.clone(),
                self.grid.clone(),
                self.tables.clone(),
                Box::new(Commanded),
            )
        };
        World::new(setup).map_err(|errors| SceneError::Argument(format!("the scene: {errors}")))
    }

    /// Draws a start for each agent; returns whether there was room for all.
    fn place(&self, agents: &mut [Spawn], placements: &mut [Placement], random: &mut Random) -> bool {
        placements.iter_mut().for_each(Placement::put_back);
        let mut held = Occupancy::new(self.size(), CollisionRule::Swept);
        for &number in &self.order {
            let agent = &mut agents[number as usize];
            let class = usize::from(agent.class.0);
            let (placement, may_start) = (&mut placements[class], &self.classes[class].may_start);
            match draw(&self.tables, agent.class, placement, may_start, &held, random) {
                Some(pose) => agent.pose = pose,
                None => return false,
            }
            let cells = self.tables[class].class().cells_at(agent.pose);
            held.hold(AgentSlot(number), agent.pose.cell, cells);
        }
        true
    }
}
