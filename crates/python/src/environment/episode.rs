//! One world of a learning environment: its episodes, steps and goals.

use super::observation::{Bodies, Ground, Layout, Observed, Surroundings};
use super::scene::{OnArrival, Scene, SceneError, Site};
use std::sync::Arc;
use wheelbase_planner::RepairScratch;
use wheelbase_sim::{AgentId, Command, EventKind, Placement, Random, World};

/// How far a step goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StepLength {
    /// This many ticks.
    Ticks(u32),
    /// To the first tick at which some agent rests.
    UntilAtRest,
}

/// Most ticks of a step that waits for an agent at rest: longer than any move, except for the slowest agents.
const STEP_TICKS_MAX: u32 = 1 << 16;

/// What holds for all episodes.
pub(super) struct Rules {
    pub length: StepLength,
    /// Ticks after which an episode is cut off.
    pub episode_ticks: u32,
    /// A world whose episode has ended begins the next one by itself, at the next step.
    pub autoreset: bool,
}

/// One world.
pub(super) struct Episode {
    pub world: World,
    /// Its number among the worlds.
    number: u32,
    seed: u64,
    /// Episodes begun since it was seeded.
    begun: u32,
    random: Random,
    /// By agent: the index of its goal among the goals of its class.
    goals: Vec<Option<u32>>,
    /// By agent: it has arrived at its goal, and keeps it.
    has_arrived: Vec<bool>,
    /// Agents at rest at their goals when last looked at.
    n_at_goal: usize,
    /// Goals by class with this episode's fields, once its map has changed.
    own_sites: Option<Vec<Vec<Site>>>,
    ground: Arc<Ground>,
    bodies: Bodies,
    placements: Vec<Placement>,
    pub has_ended: bool,
}

/// What a step says of the agents of one world, as its pieces of arrays.
pub(super) struct Outcome<'a> {
    pub window: &'a mut [u8],
    pub own: &'a mut [f32],
    pub mask: &'a mut [u8],
    pub reward: &'a mut [f32],
    /// Whether it arrived at a goal.
    pub arrived: &'a mut [u8],
    /// Whether its action began.
    pub begun: &'a mut [u8],
    /// The agent of the world whose action, or staying, refused its action; -1 for none.
    pub blocked_by: &'a mut [i32],
    pub terminated: &'a mut [u8],
    pub truncated: &'a mut [u8],
}

impl Episode {
    /// A world at the beginning of its first episode.
    pub(super) fn new(
        scene: &Scene,
        ground: &Arc<Ground>,
        number: u32,
        seed: u64,
    ) -> Result<Self, SceneError> {
        let mut placements = scene.placements();
        let mut random = Random::of_stream(seed, u64::from(number) << 32);
        let world = scene.world(&mut placements, &mut random)?;
        let mut episode = Self {
            world,
            number,
            seed,
            begun: 1,
            random,
            goals: Vec::new(),
            has_arrived: Vec::new(),
            n_at_goal: 0,
            own_sites: None,
            ground: Arc::clone(ground),
            bodies: Bodies::default(),
            placements,
            has_ended: false,
        };
        episode.assign_goals(scene);
        Ok(episode)
    }

    /// Begins the episodes of a seed from the first.
    pub(super) fn seed(&mut self, scene: &Scene, ground: &Arc<Ground>, seed: u64) -> Result<(), SceneError> {
        (self.seed, self.begun) = (seed, 0);
        self.restart(scene, ground)
    }

    /// Begins the next episode.
    pub(super) fn restart(&mut self, scene: &Scene, ground: &Arc<Ground>) -> Result<(), SceneError> {
        self.random = Random::of_stream(self.seed, u64::from(self.number) << 32 | u64::from(self.begun));
        self.begun = self.begun.wrapping_add(1);
        self.world = scene.world(&mut self.placements, &mut self.random)?;
        self.own_sites = None;
        self.ground = Arc::clone(ground);
        self.has_ended = false;
        self.assign_goals(scene);
        Ok(())
    }

    /// The goals of a class.
    fn sites<'a>(&'a self, scene: &'a Scene, class: usize) -> &'a [Site] {
        self.own_sites.as_ref().map_or(&scene.classes[class].sites, |own| &own[class])
    }

    /// The goal of an agent.
    fn site<'a>(&'a self, scene: &'a Scene, agent: usize) -> Option<&'a Site> {
        let class = usize::from(self.world.agent_arrays().motion[agent].class.0);
        self.goals[agent].map(|goal| &self.sites(scene, class)[goal as usize])
    }

    /// Gives each agent its first goal.
    fn assign_goals(&mut self, scene: &Scene) {
        let n = scene.agents.len();
        self.goals.clear();
        self.goals.resize(n, None);
        self.has_arrived.clear();
        self.has_arrived.resize(n, false);
        self.n_at_goal = 0;
        let stay = scene.on_arrival == OnArrival::Stay;
        let mut taken: Vec<Vec<bool>> =
            scene.classes.iter().map(|class| vec![false; if stay { class.sites.len() } else { 0 }]).collect();
        for agent in 0..n {
            let class = usize::from(self.world.agent_arrays().motion[agent].class.0);
            let goal = self.draw_goal(scene, agent, &taken[class]);
            if let (Some(goal), true) = (goal, stay) {
                taken[class][goal as usize] = true;
            }
            self.goals[agent] = goal;
        }
    }

    /// A goal that an agent reaches from where it rests and is not at. Where there is none, an agent that keeps its
    /// goal gets any that is not taken, as it may be there already; others get none.
    fn draw_goal(&mut self, scene: &Scene, agent: usize, taken: &[bool]) -> Option<u32> {
        let motion = self.world.agent_arrays().motion[agent];
        let class = usize::from(motion.class.0);
        let n = scene.classes[class].sites.len();
        let first = self.random.below(n.max(1));
        let sites = self.sites(scene, class);
        let free = || {
            let all = (first..n).chain(0..first);
            all.filter(|&goal| !taken.get(goal).copied().unwrap_or(false))
        };
        let is_ahead = |&goal: &usize| sites[goal].field.cost(motion.state).is_some_and(|cost| cost > 0);
        let any = || free().next().filter(|_| scene.on_arrival == OnArrival::Stay);
        free().find(is_ahead).or_else(any).map(|goal| goal as u32)
    }

    /// Runs a step: begins the actions, ends moves, and says what came of it.
    pub(super) fn step(
        &mut self,
        scene: &Scene,
        (layout, rules): (&Layout, &Rules),
        ground: &Arc<Ground>,
        actions: &[i32],
        into: &mut Outcome<'_>,
    ) -> Result<(), SceneError> {
        into.reward.fill(0.0);
        into.blocked_by.fill(-1);
        for flags in [&mut *into.arrived, into.begun, into.terminated, into.truncated] {
            flags.fill(0);
        }
        if self.has_ended {
            if rules.autoreset {
                self.restart(scene, ground)?;
            }
            self.observe(scene, layout, rules, into);
            return Ok(());
        }
        self.begin(actions, into)?;
        self.follow_edits(scene, layout);
        self.count_arrivals(scene, into);
        let mut ticks = 1;
        while !self.is_done(rules) && self.goes_on(rules.length, ticks) {
            self.tick()?;
            self.follow_edits(scene, layout);
            self.count_arrivals(scene, into);
            ticks += 1;
        }
        let stay = scene.on_arrival == OnArrival::Stay;
        if stay && self.n_at_goal == self.goals.len() {
            into.terminated.fill(1);
            self.has_ended = true;
        } else if self.is_done(rules) {
            into.truncated.fill(1);
            self.has_ended = true;
        }
        self.observe(scene, layout, rules, into);
        Ok(())
    }

    /// Whether the time of the episode is over.
    fn is_done(&self, rules: &Rules) -> bool {
        self.world.tick() >= rules.episode_ticks
    }

    /// Whether a step takes another tick.
    fn goes_on(&self, length: StepLength, ticks: u32) -> bool {
        match length {
            StepLength::Ticks(all) => ticks < all,
            StepLength::UntilAtRest => {
                ticks < STEP_TICKS_MAX
                    && self.world.agent_arrays().motion.iter().all(|motion| !motion.at_rest())
            }
        }
    }

    fn tick(&mut self) -> Result<(), SceneError> {
        let stepped = self.world.try_step();
        stepped.map(|_| ()).map_err(|broken| SceneError::Broken(broken.to_string()))
    }

    /// Runs the tick at which actions begin. The agents take turns at going first.
    fn begin(&mut self, actions: &[i32], into: &mut Outcome<'_>) -> Result<(), SceneError> {
        let (n, tick) = (actions.len(), self.world.tick());
        // At a tick at which the map may change nobody knows yet what will be allowed: all wait.
        if !self.world.may_change_from_outside() {
            let first = tick as usize % n;
            let all = (first..n).chain(0..first);
            let moves = all.filter(|&agent| actions[agent] > 0);
            let moves: Vec<(AgentId, u8)> =
                moves.map(|agent| (AgentId(agent as u32), (actions[agent] - 1) as u8)).collect();
            if !moves.is_empty() {
                self.world.command(Command::Decisions(moves.into()));
            }
        }
        self.tick()?;
        for (row, begun) in self.world.agents().iter().zip(&mut *into.begun) {
            *begun = u8::from(row.begin_tick == tick && row.end_tick > tick);
        }
        for (agent, by) in self.world.refused_moves() {
            into.blocked_by[agent.0 as usize] = by.0 as i32;
        }
        Ok(())
    }

    /// Follows the edits of the last tick: fields and ground.
    fn follow_edits(&mut self, scene: &Scene, layout: &Layout) {
        if !self.world.events().iter().any(|event| event.kind() == Some(EventKind::EditDone)) {
            return;
        }
        let mut own = self
            .own_sites
            .take()
            .unwrap_or_else(|| scene.classes.iter().map(|class| class.sites.clone()).collect());
        let mut scratch = RepairScratch::new();
        for (sites, tables) in own.iter_mut().zip(self.world.tables()) {
            for site in sites {
                Arc::make_mut(&mut site.field).repair(tables, scene.edited, &mut scratch);
            }
        }
        self.own_sites = Some(own);
        self.ground = Arc::new(Ground::new(self.world.grid(), self.world.tables(), layout));
    }

    /// Counts the agents that have come to rest at their goals, and gives them others where that is the rule.
    fn count_arrivals(&mut self, scene: &Scene, into: &mut Outcome<'_>) {
        let stay = scene.on_arrival == OnArrival::Stay;
        self.n_at_goal = 0;
        for agent in 0..self.goals.len() {
            let motion = self.world.agent_arrays().motion[agent];
            if !motion.at_rest() {
                continue;
            }
            let site = self.site(scene, agent);
            if site.and_then(|site| site.field.cost(motion.state)) != Some(0) {
                continue;
            }
            self.n_at_goal += 1;
            if !self.has_arrived[agent] {
                into.arrived[agent] = 1;
                into.reward[agent] += 1.0;
                self.has_arrived[agent] = stay;
            }
            if !stay {
                self.goals[agent] = self.draw_goal(scene, agent, &[]);
            }
        }
    }

    /// Writes the observations of all agents.
    pub(super) fn observe(&mut self, scene: &Scene, layout: &Layout, rules: &Rules, into: &mut Outcome<'_>) {
        self.bodies.update(&self.world, &self.ground);
        let surroundings = Surroundings {
            world: &self.world,
            layout,
            ground: &self.ground,
            bodies: &self.bodies,
            may_begin: !self.has_ended && !self.world.may_change_from_outside(),
            wait_ticks: match rules.length {
                StepLength::Ticks(ticks) => ticks,
                StepLength::UntilAtRest => 1,
            },
        };
        let windows = into.window.chunks_exact_mut(layout.window_len());
        let owns = into.own.chunks_exact_mut(layout.own_len());
        let masks = into.mask.chunks_exact_mut(layout.n_actions);
        for (agent, ((window, own), mask)) in windows.zip(owns).zip(masks).enumerate() {
            surroundings.observe(agent, self.site(scene, agent), Observed { window, own, mask });
        }
    }
}
