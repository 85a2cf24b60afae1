//! Random commands, valid and not, over all kinds.

use std::sync::Arc;
use wheelbase_grid::{CellXY, Change, GridShape, Rect, SIDES_MAX, Side, SideKind, SplitMix64, TerrainKind};
use wheelbase_planner::search::Fallback;
use wheelbase_planner::{Goal, GoalMember, Heading, Path, Pose, Scratch, Status};
use wheelbase_sim::{
    Activity, AgentId, AgentSelection, AtDeadline, CHANGES_MAX, ClassId, Command, EventKind, EventRow,
    GOALS_MAX, IfNoRoom, IfUnreachable, LackedGoal, MapEdit, NAMED_MAX, ORDERS_MAX, OnAgents, Order,
    OrderKind, Spawn, SpawnGroup, TaskSource, Team, Ticket, Trip, World,
};

/// Switches for kinds of commands, to find out which of them a failure needs.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    /// Other teams than 0.
    pub teams: bool,
    /// Orders to hold.
    pub hold: bool,
    /// Orders to follow.
    pub follow: bool,
    /// Other speed factors than 1000.
    pub speed_factors: bool,
    /// Class changes.
    pub classes: bool,
    /// Edits of the map.
    pub edits: bool,
    /// Groups that wait for room, which the bindings cannot give.
    pub waits_for_room: bool,
}

impl Kinds {
    /// All of them.
    pub const ALL: Self = Self {
        teams: true,
        hold: true,
        follow: true,
        speed_factors: true,
        classes: true,
        edits: true,
        waits_for_room: true,
    };
    /// All that the bindings can give.
    #[allow(dead_code)]
    pub const OF_BINDINGS: Self = Self { waits_for_room: false, ..Self::ALL };
}

/// Draws commands from a seed, for a world as it is.
pub struct Generator {
    random: SplitMix64,
    kinds: Kinds,
    scratch: Scratch,
    path: Path,
    /// The edit that began to wait last.
    waits: Option<Ticket>,
}

/// Agents that the generator keeps about.
const AGENTS: usize = 24;

impl Generator {
    /// Of a seed.
    pub fn new(seed: u64, kinds: Kinds) -> Self {
        Self { random: SplitMix64::new(seed), kinds, scratch: Scratch::new(), path: Path::new(), waits: None }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        self.random.below(n)
    }

    /// Whether something of this chance happens.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.random.chance(permille)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }

    /// A number near one, or an extreme one.
    fn number(&mut self) -> i32 {
        let near = self.random.between(-2, 20);
        self.pick(&[i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX, near, near, near])
    }

    fn length(&mut self) -> u32 {
        let near = self.below(8);
        self.pick(&[0, u32::MAX, u32::MAX - 1, 1 << 31, near, near, near])
    }

    fn cell(&mut self, world: &World) -> CellXY {
        if self.chance(40) {
            return CellXY::new(self.number(), self.number());
        }
        let size = world.grid().size();
        CellXY::new(self.below(size.width()) as i32, self.below(size.height()) as i32)
    }

    fn area(&mut self, world: &World) -> Rect {
        if self.chance(40) {
            return Rect::new(self.number(), self.number(), self.length(), self.length());
        }
        let at = self.cell(world);
        Rect::new(at.x.saturating_sub(1), at.y.saturating_sub(1), 1 + self.below(5), 1 + self.below(4))
    }

    fn heading(&mut self, headings: u8) -> Heading {
        if self.chance(15) {
            return Heading(self.pick(&[headings, 8, 254, 255]));
        }
        Heading(self.below(u32::from(headings).max(1)) as u8)
    }

    fn agent(&mut self, world: &World) -> AgentId {
        let placed = world.counts().placed as u32;
        let ids = &world.agent_arrays().ids;
        if ids.is_empty() || self.chance(60) {
            let any = self.below(placed + 1);
            return AgentId(self.pick(&[any, any, placed, placed + 1, u32::MAX, u32::MAX - 1]));
        }
        ids[self.below(ids.len() as u32) as usize]
    }

    fn selection(&mut self, world: &World) -> AgentSelection {
        match self.below(20) {
            0..12 => AgentSelection::One(self.agent(world)),
            12..17 => {
                let n = self.below(12);
                AgentSelection::Named((0..n).map(|_| self.agent(world)).collect())
            }
            _ => AgentSelection::Area(self.area(world)),
        }
    }

    fn class(&mut self, world: &World) -> ClassId {
        if self.chance(30) {
            return ClassId(self.pick(&[world.tables().len() as u8, 255]));
        }
        ClassId(self.below(world.tables().len() as u32) as u8)
    }

    fn headings_of(world: &World, class: ClassId) -> u8 {
        world.tables().get(usize::from(class.0)).map_or(4, |tables| tables.space().headings())
    }

    fn pose(&mut self, world: &World, class: ClassId) -> Pose {
        let heading = self.heading(Self::headings_of(world, class));
        Pose { cell: self.cell(world), heading }
    }

    fn team(&mut self) -> Team {
        if !self.kinds.teams {
            return Team(0);
        }
        Team(if self.chance(20) { self.pick(&[32, 64, 255]) } else { self.below(4) as u8 })
    }

    fn factor(&mut self) -> u16 {
        if !self.kinds.speed_factors {
            return if self.chance(30) { 0 } else { 1000 };
        }
        if self.chance(30) {
            return self.pick(&[0, 0, 0, 1, 10, u16::MAX]);
        }
        self.pick(&[999, 1000, 1000, 1001, 500, 2000, 330, 5000])
    }

    /// A number of headings for orders, and the headings that it counts.
    fn headings(&mut self) -> u8 {
        if self.chance(10) { self.pick(&[0, 2, 7, 255]) } else { self.pick(&[1, 4, 4, 6, 8]) }
    }

    fn member(&mut self, world: &World, headings: u8) -> GoalMember {
        let heading = self.chance(300).then(|| self.heading(headings));
        GoalMember { cell: self.cell(world), heading }
    }

    fn trip(&mut self, world: &World, headings: u8, most: u32) -> Trip {
        let n = if self.chance(20) { 0 } else { 1 + self.below(most) };
        let members = (0..n).map(|_| self.member(world, headings)).collect();
        let near = self.below(3);
        Trip {
            members,
            within: if self.chance(20) { self.length() } else { near },
            fallback: self.pick(&[Fallback::Fail, Fallback::Fail, Fallback::Nearest]),
            if_unreachable: self.pick(&[IfUnreachable::Drop, IfUnreachable::Wait]),
            dwell: self.pick(&[0, 0, 0, 1, 7]),
            formation: self.chance(300),
        }
    }

    fn order(&mut self, world: &World) -> Order {
        let headings = self.headings();
        let number = self.below(1000);
        let kind = match self.below(20) {
            0..6 => OrderKind::Goto(self.trip(world, headings, 3)),
            6..8 => OrderKind::GotoArea(
                self.area(world),
                Trip { members: Vec::new(), ..self.trip(world, headings, 1) },
            ),
            8..11 => OrderKind::GotoGroup(number, self.trip(world, headings, 1)),
            11..13 => OrderKind::Patrol(self.trip(world, headings, 4)),
            13 => OrderKind::Wait(self.pick(&[0, 1, 2, 5, 9, 9, u32::MAX])),
            14 => OrderKind::Tasks(Arc::new(self.tasks(world)), self.pick(&[0, 1, u32::MAX])),
            15 => OrderKind::Stop,
            16 if self.kinds.hold => OrderKind::Hold,
            17..19 if self.kinds.follow => {
                let within = if self.chance(50) { self.length() } else { self.below(4) };
                OrderKind::Follow { leader: self.agent(world), within }
            }
            _ if self.kinds.hold => OrderKind::WaitInPlace(self.pick(&[0, 1, 4, 30])),
            _ => OrderKind::Wait(3),
        };
        let kind = if self.chance(20) { OrderKind::Repeat(1 + self.below(3)) } else { kind };
        let mut order = Order { kind, headings, lacked: Box::default() };
        // Only groups go in formation.
        if let OrderKind::Goto(trip) | OrderKind::GotoArea(_, trip) | OrderKind::Patrol(trip) =
            &mut order.kind
        {
            trip.formation = false;
        }
        if self.chance(30) {
            let of = self.headings();
            let number = self.pick(&[0, 1, 2, u32::MAX]);
            let lacked = LackedGoal { number, cell: self.cell(world), heading: (of, self.heading(of)) };
            order.lacked = vec![lacked; 1 + self.below(2) as usize].into();
        }
        order
    }

    fn orders(&mut self, world: &World) -> Arc<[Order]> {
        if self.chance(2) {
            let goto = |members: usize| {
                let members = vec![GoalMember::any(CellXY::new(1, 1)); members];
                Order::new(OrderKind::Goto(Trip::to(members)))
            };
            return match self.below(4) {
                0 => vec![Order::new(OrderKind::Wait(1)); ORDERS_MAX + 1].into(),
                1 => vec![Order::new(OrderKind::Wait(1)); ORDERS_MAX].into(),
                2 => Arc::new([goto(GOALS_MAX), goto(1)]),
                _ => Arc::new([goto(300)]),
            };
        }
        let n = self.pick(&[0, 1, 1, 1, 1, 2, 3]);
        (0..n).map(|_| self.order(world)).collect()
    }

    fn tasks(&mut self, world: &World) -> TaskSource {
        match self.below(4) {
            0 | 1 => TaskSource::Random { area: self.area(world).intersection(world.grid().size().rect()) },
            2 if self.chance(300) => TaskSource::Random { area: self.area(world) },
            2 => {
                let headings = self.headings();
                let goals: Arc<[GoalMember]> = (0..4).map(|_| self.member(world, headings)).collect();
                let n = self.below(30);
                let of_agent = (0..n).map(|_| {
                    let all = (self.below(4), 1);
                    if self.chance(10) { (self.length(), self.length()) } else { all }
                });
                TaskSource::List { goals, of_agent: of_agent.collect(), headings }
            }
            _ => {
                let n = if self.chance(50) { 0 } else { 5 };
                let cells = (0..n).map(|_| self.cell(world)).collect();
                let team = self.below(8);
                TaskSource::RoundRobin { cells, team: self.pick(&[team, team, 0, u32::MAX]) }
            }
        }
    }

    fn change(&mut self, world: &World) -> Change {
        let n_kinds = world.grid().terrain_table().entries().len() as u32;
        let n_sides = world.grid().side_table().entries().len() as u32;
        match self.below(10) {
            0..6 => {
                let any = TerrainKind(self.below(n_kinds) as u8);
                let kind = self.pick(&[TerrainKind(0), TerrainKind(0), any, any]);
                let kind = if self.chance(20) { TerrainKind(n_kinds as u8) } else { kind };
                let mut area = self.area(world);
                if kind != TerrainKind(0) && area.n_cells() > 12 {
                    // Not much of the map is ever closed.
                    (area.width, area.height) = (2, 2);
                }
                Change::Terrain { area, kind }
            }
            6 => {
                let height = self.below(4) as i16;
                let height = self.pick(&[height, height, height, height, i16::MIN, i16::MAX]);
                Change::Elevation { area: self.area(world), height }
            }
            7 | 8 => {
                let sides: [Side; SIDES_MAX] = match world.grid().shape() {
                    GridShape::Hex => GridShape::Hex.sides().try_into().unwrap(),
                    GridShape::Square => {
                        [Side::East, Side::North, Side::West, Side::South, Side::East, Side::NorthEast]
                    }
                };
                let kind = SideKind(self.below(n_sides) as u8);
                let kind = if self.chance(20) { SideKind(15) } else { kind };
                Change::Side { cell: self.cell(world), side: self.pick(&sides), kind }
            }
            _ => Change::Rotate { cell: self.cell(world), turns: self.number() },
        }
    }

    fn edit(&mut self, world: &World) -> MapEdit {
        let n = if self.chance(2) { CHANGES_MAX + 1 } else { self.pick(&[0, 1, 1, 1, 2, 3, 6]) };
        let changes = match n {
            0..10 => (0..n).map(|_| self.change(world)).collect(),
            _ => vec![self.change(world); n].into(),
        };
        let then = self.pick(&[AtDeadline::Strand, AtDeadline::Remove]);
        let deadline = self.pick(&[0, 1, 5, 30, 200, u32::MAX]);
        let until = OnAgents::WaitUntil { deadline, then };
        MapEdit {
            changes,
            on_agents: self.pick(&[OnAgents::Wait, OnAgents::Strand, OnAgents::Remove, until]),
        }
    }

    /// An answer to a path request: right, wrong, without a path, or to no request.
    fn answer(&mut self, world: &World) -> Command {
        let agent = self.agent(world);
        let moves = match self.below(10) {
            0 => None,
            1 => Some((0..self.below(6)).map(|_| self.below(20) as u8).collect()),
            _ => self.planned(world, agent),
        };
        Command::PathAnswer { agent, moves }
    }

    /// The cheapest path of an agent to the goal of its order.
    fn planned(&mut self, world: &World, agent: AgentId) -> Option<Arc<[u8]>> {
        let agents = world.agent_arrays();
        let row = agents.row(agent)?;
        let state = agents.orders(row);
        let trip = world.orders().trip(&state)?;
        let members = match (agents.assigned[row], &world.orders().current(&state)?.kind) {
            (Some(assigned), _) => {
                let space = world.tables()[usize::from(agents.motion[row].class.0)].space();
                vec![GoalMember::pose(space.pose(assigned))]
            }
            (None, OrderKind::GotoArea(area, _)) => {
                area.intersection(world.grid().size().rect()).cells().map(GoalMember::any).collect()
            }
            (None, OrderKind::Patrol(trip)) if !trip.members.is_empty() => {
                vec![trip.members[state.waypoint as usize % trip.members.len()]]
            }
            _ => trip.members.clone(),
        };
        let goal = Goal { members: &members, within: trip.within };
        let answer = world.plan(agent, goal, &mut self.scratch, &mut self.path)?;
        (answer.status == Status::Found).then(|| self.path.moves.as_slice().into())
    }

    /// Takes agents off the map, or puts one back that mostly is off it.
    fn enter_or_leave(&mut self, world: &World) -> Command {
        let n_off = world.off_map().len() as u32;
        if self.chance(if n_off > 3 { 100 } else { 500 }) {
            let container = if self.chance(500) { AgentId::NOBODY } else { self.agent(world) };
            let few = AgentSelection::Named((0..self.below(4)).map(|_| self.agent(world)).collect());
            return Command::Enter { agents: few, container };
        }
        let nth = self.below(n_off.max(1)) as usize;
        let found = world.off_map().nth(nth).filter(|_| self.chance(950)).copied();
        let (agent, class) = match found {
            Some(off) => (off.id, off.class),
            None => (self.agent(world), self.class(world)),
        };
        Command::Leave { agent, pose: self.pose(world, class), or_nearest: self.chance(700) }
    }

    /// A command.
    pub fn command(&mut self, world: &World) -> Command {
        let few = world.agents().len() < AGENTS;
        let waits = |event: &&EventRow| event.kind() == Some(EventKind::EditWaits);
        self.waits = world.events().iter().rfind(waits).and_then(EventRow::ticket).or(self.waits);
        // Most edits wait for a few ticks only.
        if self.kinds.edits && self.waits.is_some() && self.chance(300) {
            return Command::CancelEdit(self.waits.take().unwrap_or(Ticket(0)));
        }
        if self.chance(40) {
            return self.enter_or_leave(world);
        }
        match self.below(100) {
            0..10 if few => {
                let class = self.class(world);
                Command::Spawn(Spawn {
                    class,
                    pose: self.pose(world, class),
                    priority: self.number(),
                    team: self.team(),
                    speed_factor: if self.chance(700) { 1000 } else { self.factor() },
                    orders: self.orders(world),
                    number: self.pick(&[0, 1, u32::MAX]),
                })
            }
            10..14 if few => {
                let area = self.area(world);
                let many = area.intersection(world.grid().size().rect()).n_cells() > 20;
                let count = self.below(5);
                Command::SpawnGroup(SpawnGroup {
                    class: self.class(world),
                    count: if many { count } else { self.pick(&[count, count, u32::MAX]) },
                    area,
                    priority: self.number(),
                    team: self.team(),
                    orders: self.orders(world),
                    speed_factor: if self.chance(700) { 1000 } else { self.factor() },
                    anywhere: area.x % 2 == 0,
                    if_no_room: if self.kinds.waits_for_room {
                        self.pick(&[IfNoRoom::Drop, IfNoRoom::Drop, IfNoRoom::Wait { placed: 0 }])
                    } else {
                        IfNoRoom::Drop
                    },
                })
            }
            0..6 => Command::Remove(self.selection(world)),
            6..14 => Command::Remove(AgentSelection::One(self.agent(world))),
            14..54 => Command::Order {
                agents: self.selection(world),
                orders: self.orders(world),
                append: self.chance(300),
            },
            54..58 => Command::Tasks {
                agents: self.selection(world),
                source: Arc::new(self.tasks(world)),
                stream: self.pick(&[0, 1, u32::MAX]),
            },
            58..63 => Command::Priority { agents: self.selection(world), priority: self.number() },
            63..71 if self.kinds.classes => {
                let class = self.class(world);
                let pose = self.chance(300).then(|| self.pose(world, class));
                Command::Class { agent: self.agent(world), class, pose }
            }
            71..75 => Command::Team { agents: self.selection(world), team: self.team() },
            75..81 => Command::SpeedFactor { agents: self.selection(world), permille: self.factor() },
            81..91 if self.kinds.edits => Command::Edit(self.edit(world)),
            91..94 => {
                let n = self.below(6);
                let moves = (0..n).map(|_| (self.agent(world), self.below(5) as u8));
                let moves: Vec<_> = moves.collect();
                Command::Decisions(moves.into())
            }
            94..98 => self.answer(world),
            98 if self.chance(20) => Command::Priority {
                agents: AgentSelection::Named(vec![AgentId(0); NAMED_MAX + 1]),
                priority: 1,
            },
            98 if self.kinds.edits => Command::CancelEdit(Ticket(self.below(40).into())),
            _ => Command::stop(self.selection(world)),
        }
    }

    /// Answers to the agents that wait for a path, most of them right.
    pub fn answers(&mut self, world: &World) -> Vec<Command> {
        let asks = |row: &&wheelbase_sim::AgentRow| row.activity() == Some(Activity::AwaitingPath);
        let asking: Vec<AgentId> = world.agents().iter().filter(asks).map(|row| row.agent()).collect();
        let mut answers = Vec::new();
        for agent in asking {
            if self.chance(500) {
                answers.push(Command::PathAnswer { agent, moves: self.planned(world, agent) });
            }
        }
        answers
    }

    /// Moves of most agents, for a rule that is told what to do.
    pub fn decisions(&mut self, world: &World) -> Command {
        let mut moves = Vec::new();
        for row in world.agents() {
            if self.chance(600) {
                moves.push((row.agent(), self.below(4) as u8));
            }
        }
        Command::Decisions(moves.into())
    }
}
