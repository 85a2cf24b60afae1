//! The commands of the scene: what happens at which tick.

use crate::scene::{
    AGENTS_AT_START, BRIDGES, CART, FERRY, GROUND, MUD, RIVER, SCOUT, SIZE, TANK, TRUCK, WATER,
};
use std::ops::Range;
use std::sync::Arc;
use wheelbase_sim::grid::{Side, SideKind, SplitMix64};
use wheelbase_sim::{
    AgentId, AgentSelection, AtDeadline, CellXY, Change, ClassId, Command, GoalMember, Heading, IfNoRoom,
    MapEdit, OnAgents, Order, OrderKind, Pose, Rect, Spawn, SpawnGroup, TaskSource, Team, Ticket,
    USUAL_SPEED_PERMILLE, World,
};

/// Ids of the first agents, as the groups of the scene place them.
const TANKS: Range<u32> = 0..20;
const FERRIES: Range<u32> = 20..34;
const TRUCKS: Range<u32> = 34..70;
const CARTS: Range<u32> = 70..110;
const SCOUTS: Range<u32> = 110..140;
const STRANGERS: Range<u32> = 140..AGENTS_AT_START;

/// The second kind of sides that the scene names, after `wall`.
const HEDGE: SideKind = SideKind(2);

/// Gives the commands of each tick, in order.
#[derive(Clone, Debug)]
pub struct Script {
    random: SplitMix64,
    /// A building over an agent on hold: its ticket and area.
    building: Option<(Ticket, Rect)>,
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}

impl Script {
    /// Before tick 0.
    pub fn new() -> Self {
        Self { random: SplitMix64::new(600), building: None }
    }

    /// Gives the commands that take effect at the tick that comes next. Call it once a tick.
    pub fn give(&mut self, world: &mut World) {
        let commands = match world.tick() {
            1 => first_orders(),
            40 => vec![edit(Rect::new(30, RIVER.0, 4, RIVER.1), GROUND, OnAgents::Wait)],
            // The bridge goes once nobody is on it; another takes whoever is still there at the deadline.
            80 => vec![edit(BRIDGES[0], WATER, OnAgents::Wait)],
            90 => {
                let on_agents = OnAgents::WaitUntil { deadline: 12, then: AtDeadline::Remove };
                vec![edit(BRIDGES[1], WATER, on_agents)]
            }
            120 => holds_and_followers(),
            150 => class_changes(world),
            180 => changes_of_the_land(),
            210 => arrivals(),
            240 => vec![Command::order(Rect::new(0, 0, 40, 24), Order::goto_group(CellXY::new(60, 12)))],
            270 => vec![
                Command::remove(Rect::new(64, 32, 16, 10)),
                Command::remove(named(60..64)),
                // Gone already: refused.
                Command::stop(AgentId(62)),
            ],
            300 => {
                let opened = BRIDGES.map(|area| Change::Terrain { area, kind: GROUND });
                vec![Command::Edit(MapEdit::of(opened))]
            }
            330 => vec![edit(Rect::new(34, 6, 3, 3), WATER, OnAgents::Strand)],
            360 => vec![edit(Rect::new(34, 6, 3, 3), GROUND, OnAgents::Wait)],
            390 => unreachable_goals(),
            420 => tasks(named(CARTS), Rect::new(0, 32, SIZE.0, SIZE.1 - 32), 7),
            450 => vec![Command::order(named(TANKS), Order::goto_area(Rect::new(20, 32, 50, 20)))],
            480 => vec![
                Command::order(Rect::new(0, 30, SIZE.0, 26), Order::goto_group(CellXY::new(40, 38))),
                edit(BRIDGES[2], WATER, OnAgents::Remove),
            ],
            510 => vec![Command::stop(named(TRUCKS)), Command::hold(named(STRANGERS))],
            // A corner of the building is given up, then all of it. It is cancelled twice: the second time is refused.
            514 => self.building.map_or(Vec::new(), |(_, area)| {
                vec![edit(Rect::new(area.x + 2, area.y + 2, 1, 1), GROUND, OnAgents::Wait)]
            }),
            516 => self.building.map_or(Vec::new(), |(ticket, _)| vec![Command::CancelEdit(ticket); 2]),
            // Tanks and trucks into one tank; three of them come out.
            520 => vec![Command::enter(named(8..20), AgentId(7)), Command::enter(named(34..40), AgentId(7))],
            535 => [9, 12, 36].map(|id| Command::leave(AgentId(id), Pose::new(40, 38, Heading(1)))).into(),
            540 => vec![edit(BRIDGES[2], GROUND, OnAgents::Wait)],
            _ => Vec::new(),
        };
        for command in commands {
            world.command(command);
        }
        if world.tick() == 512 {
            let stranger = STRANGERS.into_iter().find_map(|id| world.agent(AgentId(id)));
            let cell = stranger.map(|row| row.pose().cell);
            self.building = cell.map(|cell| {
                let area = Rect::new(cell.x, cell.y, 3, 3);
                (world.command(edit(area, WATER, OnAgents::Wait)), area)
            });
        }
        if world.tick() % 4 == 3 {
            let command = self.any_command();
            world.command(command);
        }
    }

    fn cell(&mut self) -> CellXY {
        CellXY::new(self.random.below(SIZE.0) as i32, self.random.below(SIZE.1) as i32)
    }

    /// A command at random: mostly orders, some of which cannot be carried out.
    fn any_command(&mut self) -> Command {
        let agent = AgentId(self.random.below(AGENTS_AT_START + 20));
        let (to, other) = (self.cell(), self.cell());
        match self.random.below(12) {
            0 => Command::order(agent, Order::patrol(&[to, other])),
            1 => Command::append(agent, Order::wait(20)),
            2 => Command::append(agent, Order::goto(to).or_wait()),
            3 => Command::order(agent, Order::follow(AgentId(self.random.below(AGENTS_AT_START)), 3)),
            4 => {
                Command::SpeedFactor { agents: agent.into(), permille: 500 + self.random.below(1500) as u16 }
            }
            5 => Command::Priority { agents: agent.into(), priority: self.random.between(-20, 20) },
            6 => Command::Team { agents: agent.into(), team: Team(self.random.below(3) as u8) },
            7 => {
                let on_agents =
                    [OnAgents::Wait, OnAgents::Strand, OnAgents::Remove][self.random.below(3) as usize];
                edit(
                    Rect::new(to.x, to.y, 2, 2),
                    if self.random.chance(500) { MUD } else { GROUND },
                    on_agents,
                )
            }
            _ => Command::order(agent, Order::goto(to).or_nearest()),
        }
    }
}

fn named(ids: Range<u32>) -> AgentSelection {
    ids.map(AgentId).collect::<Vec<_>>().into()
}

fn edit(area: Rect, kind: wheelbase_sim::TerrainKind, on_agents: OnAgents) -> Command {
    Command::Edit(MapEdit { on_agents, ..MapEdit::new(Change::Terrain { area, kind }) })
}

fn tasks(agents: AgentSelection, area: Rect, stream: u32) -> Vec<Command> {
    vec![Command::Tasks { agents, source: Arc::new(TaskSource::Random { area }), stream }]
}

/// Tasks for scouts and carts, a group order for tanks, places for trucks, patrols for ferries.
fn first_orders() -> Vec<Command> {
    let mut commands = tasks(named(SCOUTS), Rect::new(0, 0, SIZE.0, SIZE.1), 1);
    let goals: Arc<[GoalMember]> = [(5, 5), (70, 50), (12, 40), (74, 8), (38, 20)]
        .map(|(x, y)| GoalMember::any(CellXY::new(x, y)))
        .into();
    let of_agent = CARTS.map(|number| (number % 3, 2 + number % 2)).collect();
    let source = Arc::new(TaskSource::List { goals, of_agent, headings: 4 });
    commands.extend([
        Command::Tasks { agents: named(CARTS), source, stream: 2 },
        Command::order(named(TANKS), Order::goto_group(CellXY::new(30, 20))),
        Command::order(named(TRUCKS), Order::goto_area(Rect::new(60, 4, 20, 20))),
        Command::append(named(TRUCKS), Order::wait(15)),
        Command::append(named(TRUCKS), Order::goto_area(Rect::new(2, 34, 20, 20))),
        Command::order(named(FERRIES), Order::patrol(&[CellXY::new(4, 27), CellXY::new(75, 27)])),
        Command::order(named(STRANGERS), Order::goto_pose(Pose::new(40, 10, Heading(0)), 4).or_nearest()),
    ]);
    commands
}

/// Some hold, some stop, some follow a tank.
fn holds_and_followers() -> Vec<Command> {
    vec![
        Command::hold(named(34..38)),
        Command::stop(named(16..20)),
        Command::order(named(70..76), Order::follow(AgentId(3), 4)),
        Command::append(named(70..76), Order::goto(CellXY::new(2, 2))),
        Command::order(AgentId(3), Order::patrol(&[CellXY::new(70, 20), CellXY::new(8, 20)])),
    ]
}

/// Carts become trucks and ferries, trucks become scouts; some have no room and are refused.
fn class_changes(world: &World) -> Vec<Command> {
    let change = |id: u32, class: ClassId| Command::Class { agent: AgentId(id), class, pose: None };
    let mut commands: Vec<_> = (80..90).map(|id| change(id, if id < 85 { TRUCK } else { FERRY })).collect();
    commands.extend((40..46).map(|id| change(id, SCOUT)));
    // With a pose: a tank deploys one heading further to the left.
    if let Some(row) = world.agent(AgentId(5)) {
        let mut pose = row.pose();
        pose.heading = Heading((pose.heading.0 + 1) % 8);
        commands.push(Command::Class { agent: AgentId(5), class: TANK, pose: Some(pose) });
    }
    commands
}

/// Slopes, sides, rotated tiles.
fn changes_of_the_land() -> Vec<Command> {
    let at = CellXY::new;
    let hedge = |y| Change::Side { cell: at(44, y), side: Side::East, kind: HEDGE };
    let on_agents = OnAgents::WaitUntil { deadline: 30, then: AtDeadline::Strand };
    vec![
        Command::edit(Change::Elevation { area: Rect::new(48, 10, 5, 5), height: 9 }),
        Command::Edit(MapEdit { on_agents, ..MapEdit::of((4..20).map(hedge).collect::<Vec<_>>()) }),
        Command::Edit(MapEdit::of([
            Change::Rotate { cell: at(44, 12), turns: 1 },
            Change::Rotate { cell: at(23, 8), turns: 2 },
        ])),
    ]
}

/// A reserve, and an agent for a place that is not there.
fn arrivals() -> Vec<Command> {
    let goto = [Order::goto_area(Rect::new(0, 0, 30, 20)), Order::wait(5), Order::goto(CellXY::new(70, 45))];
    let group = |class, count, area| {
        Command::SpawnGroup(SpawnGroup {
            class,
            count,
            area,
            priority: 3,
            team: Team(1),
            orders: goto.clone().into(),
            speed_factor: USUAL_SPEED_PERMILLE,
            anywhere: false,
            if_no_room: IfNoRoom::Drop,
        })
    };
    vec![
        group(CART, 8, Rect::new(0, 0, 16, 12)),
        group(TANK, 3, Rect::new(50, 0, 30, 24)),
        Command::Spawn(Spawn::new(FERRY, Pose::new(78, 28, Heading(0))).with_orders([Order::hold()])),
        Command::Spawn(Spawn::new(TANK, Pose::new(0, 0, Heading(1)))),
    ]
}

/// Into the river, which nobody but a ferry reaches: dropped, kept, or to the nearest bank.
fn unreachable_goals() -> Vec<Command> {
    let river = CellXY::new(20, 28);
    vec![
        Command::order(named(46..52), Order::goto(river)),
        Command::append(named(46..52), Order::goto(CellXY::new(60, 50))),
        Command::order(named(52..58), Order::goto(river).or_wait()),
        Command::order(named(76..80), Order::goto(river).or_nearest()),
        Command::order(
            named(110..120),
            Order::goto_any(vec![GoalMember::any(CellXY::new(8, 8)), GoalMember::any(CellXY::new(70, 8))], 3),
        ),
        Command::order(AgentId(500), Order::new(OrderKind::Stop)),
    ]
}
