//! A traffic rule and a planner of the game's own, in the place of ours.
//!
//! A rule decides which units begin their next moves. This rule lets the longest under way go first, and knows nothing
//! of corridors, plans or making way. It is slow, and some units never arrive; but no two ever overlap, because the
//! occupancy begins only moves that fit together. The planner answers the requests of units, here by a breadth-first
//! search over poses that counts moves in place of ticks. Its paths are checked: a path that is illegal or leads
//! elsewhere is refused. Under the rule `Commanded` there are no paths at all, and the host names every move.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;
use wheelbase_sim::planner::fields::{CostField, SettleTarget};
use wheelbase_sim::planner::model::State;
use wheelbase_sim::planner::search::QueuedRequest;
use wheelbase_sim::traffic::speed::ticks_at_speed;
use wheelbase_sim::traffic::{Commanded, Cooperative, Decisions, Start, Traffic, TrafficView};
use wheelbase_sim::*;

/// Ticks that a unit waits before it asks for a path around those in its way.
const PATIENCE_TICKS: u32 = 20;

/// First come, first served: the longest on its way goes first.
#[derive(Clone, Default)]
struct FirstCome {
    /// Scratch: rows of units that could go on, in order.
    rows: Vec<u32>,
}

impl Traffic for FirstCome {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        let agents = &view.agents;
        self.rows.clear();
        // All others rest without a path.
        self.rows.extend(agents.busy.iter().map(|row| row as u32));
        self.rows.retain(|&row| agents.motion[row as usize].at_rest());
        self.rows.sort_unstable_by_key(|&row| (agents.stamps[row as usize].since, row));
        for &row in &self.rows {
            let at = row as usize;
            let motion = &agents.motion[at];
            let Some(&primitive) = view.paths.moves(agents.paths[at]).first() else { continue };
            let tables = &view.tables[usize::from(motion.class.0)];
            match tables.move_ticks(motion.state, usize::from(primitive)) {
                Some(ticks) => {
                    let ticks = ticks_at_speed(ticks, agents.speed_factors[at]);
                    decisions.starts.push(Start { row, primitive, ticks });
                }
                // An edit has come in between.
                None => decisions.replan.push(row),
            }
            let waited = view.tick.saturating_sub(agents.wait_states[at].waits_since);
            if waited > 0 && waited.is_multiple_of(PATIENCE_TICKS) {
                decisions.around.push(row);
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Traffic> {
        Box::new(self.clone())
    }
}

/// The path of fewest moves; `None` if there is none.
fn fewest_moves(tables: &MovementTables, request: &QueuedRequest) -> Option<Vec<u8>> {
    let space = tables.space();
    let goal = planner::Goal { members: &request.goal, within: request.within };
    let start = space.state(request.start)?;
    // By state: the state before and the move from there.
    let mut reached: Vec<Option<(State, u8)>> = vec![None; space.n_states()];
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        if goal.matches(space.shape(), space.pose(state)) {
            let mut moves = Vec::new();
            let mut at = state;
            while at != start {
                let (before, primitive) = reached[at.0 as usize]?;
                moves.push(primitive);
                at = before;
            }
            moves.reverse();
            return Some(moves);
        }
        for primitive in 0..tables.class().primitives().len() {
            if tables.move_ticks(state, primitive).is_none() {
                continue;
            }
            let next = tables.state_after(state, primitive);
            if next != start && reached[next.0 as usize].is_none() {
                reached[next.0 as usize] = Some((state, primitive as u8));
                queue.push_back(next);
            }
        }
    }
    None
}

type Made<T> = Result<T, Box<dyn Error>>;

/// Units of two sizes whose ways cross: class, pose and goal of each, by id.
fn units() -> impl Iterator<Item = (ClassId, Pose, CellXY)> {
    (0..16).map(|number| {
        let (y, x) = (number / 2, 1 + number / 2 % 3);
        let class = ClassId((y % 2) as u8);
        if number % 2 == 0 {
            (class, Pose::new(x + 1, 2 * y + 2, Heading(0)), CellXY::new(21 - x, 17 - 2 * y))
        } else {
            (class, Pose::new(22 - x, 2 * y + 2, Heading(2)), CellXY::new(x + 1, 16 - 2 * y))
        }
    })
}

/// The units, each with its order, under a traffic rule.
fn crossing(
    paths: PathSource,
    rule: impl FnOnce(&[MovementTables], GridSize) -> Box<dyn Traffic>,
) -> Made<World> {
    let grid =
        Grid::from_rows(&["........................"; 20], TerrainTable::movingai(), SideTable::default())?;
    let (mut cart, mut lorry) = (ClassSpec::new("cart", 4), ClassSpec::new("lorry", 4));
    cart.primitives = Primitive::vehicle(2, 2, 1);
    (lorry.footprint, lorry.primitives) = (vec![(0, 0), (-1, 0)], Primitive::vehicle(3, 9, 3));
    let classes = [MovementClass::new(cart)?, MovementClass::new(lorry)?];
    let tables = Vec::from(classes.map(|class| MovementTables::compile(&grid, class)));
    let rule = rule(&tables, grid.size());
    let mut setup = Setup::with_rule(Settings::named("crossing"), grid, tables, rule);
    setup.paths = paths;
    let spawn = |(class, pose, to)| Spawn::new(class, pose).with_orders([Order::goto(to)]);
    setup.agents.extend(units().map(spawn));
    let mut world = World::new(setup)?;
    world.check_invariants();
    Ok(world)
}

fn cooperative(tables: &[MovementTables], size: GridSize) -> Box<dyn Traffic> {
    let params = TrafficParams::default();
    Box::new(Cooperative::new(tables, size, CollisionRule::default(), params))
}

/// The paths of all units that wait for one.
fn answer(world: &mut World) {
    let requests: Vec<(AgentId, QueuedRequest)> = world.path_requests().collect();
    for (agent, request) in requests {
        let tables = &world.tables()[usize::from(request.class)];
        let moves = fewest_moves(tables, &request).map(Arc::from);
        world.command(Command::PathAnswer { agent, moves });
    }
}

/// The next move of every unit at rest, down the field of costs to its goal. At times it is a random move, so that no
/// two block each other forever.
fn steer(world: &mut World, fields: &[CostField], random: &mut Random) {
    let mut moves = Vec::new();
    for row in world.agents().iter().filter(|row| !row.is_moving() && row.order_kind != AgentRow::NO_ORDER) {
        let tables = &world.tables()[usize::from(row.class)];
        let Some(state) = tables.space().state(row.pose()) else { continue };
        let downhill = fields[row.id as usize].next(tables, state).map(|next| next.primitive);
        let primitive = match random.below(8) {
            0 => Some(random.below(tables.class().primitives().len()) as u8),
            _ => downhill,
        };
        moves.extend(primitive.map(|primitive| (row.agent(), primitive)));
    }
    world.command(Command::Decisions(moves.into()));
}

/// Runs a world, with what the host does in each tick, and says how it went.
fn run(name: &str, world: &mut World, mut host: impl FnMut(&mut World)) -> String {
    while world.tick() < 600 {
        world.step();
        host(world);
    }
    let counts = world.counts();
    format!(
        "{name}: {} of 16 orders done in {} ticks of all, {} moves refused, {} overlaps",
        counts.orders_done,
        counts.flowtime,
        counts.moves_overlapping,
        counts.collisions.unwrap_or_default(),
    )
}

/// Runs the crossing in four ways. Returns how it went.
pub fn compare() -> Made<Vec<String>> {
    let mut log = Vec::new();
    log.push(run("cooperative", &mut crossing(PathSource::Planner, cooperative)?, |_| ()));
    let first_come = |_: &[MovementTables], _| -> Box<dyn Traffic> { Box::new(FirstCome::default()) };
    log.push(run("first come", &mut crossing(PathSource::Planner, first_come)?, |_| ()));
    let mut world = crossing(PathSource::Host, cooperative)?;
    log.push(run("own paths", &mut world, answer));

    // A path that leads elsewhere: it is refused, and the request stays open.
    let agent = AgentId(0);
    world.command(Command::order(agent, Order::goto(CellXY::new(12, 8))));
    world.step();
    let ticket = world.command(Command::PathAnswer { agent, moves: Some(Arc::new([2, 2])) });
    world.step();
    let refused = world.events().iter().find(|event| event.ticket() == Some(ticket));
    let reason = refused.and_then(EventRow::refusal).map_or("none", RefusalReason::name);
    log.push(format!("a wrong path: {reason}, {} requests open", world.path_requests().count()));

    let mut world = crossing(PathSource::Planner, |_, _| Box::new(Commanded))?;
    let field = |(class, _, to): (ClassId, Pose, CellXY)| {
        let tables = &world.tables()[usize::from(class.0)];
        let mut field = CostField::to_goal(tables, &planner::Goal::of(&[GoalMember::any(to)]));
        field.settle(tables, SettleTarget::All, u64::MAX);
        field
    };
    let (fields, mut random) = (units().map(field).collect::<Vec<_>>(), Random::new(7));
    log.push(run("own moves", &mut world, |world| steer(world, &fields, &mut random)));
    Ok(log)
}

fn main() -> Made<()> {
    compare()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
