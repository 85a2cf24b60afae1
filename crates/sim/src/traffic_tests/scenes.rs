//! Random worlds for the tests of the rule's parts, and where agents are by the slow obvious way.

use crate::{World, load, scenario};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::{Offset, State};
use wheelbase_planner::{MovementTables, Pose};
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::collision::{CollisionRule, Transition};
use wheelbase_traffic::cooperative::plan::PlannedMove;
use wheelbase_traffic::cooperative::reservations::{FOREVER, Reservations};
use wheelbase_traffic::cooperative::{pose_after, transition_at};
use wheelbase_traffic::random::Random;

/// Shape of the map.
pub fn shape() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["square", "hex"])
}

/// Rows of glyphs, of a map of so many columns and rows: ground, two kinds of slow ground, and so many walls
/// to a hundred of these.
pub fn rows(cover: u32, sides: Range<usize>) -> impl Strategy<Value = Vec<String>> {
    (sides.clone(), sides).prop_flat_map(move |(width, height)| {
        let glyph = prop_oneof![80 => Just('.'), 10 => Just('s'), 10 => Just('m'), cover => Just('#')];
        let row = prop::collection::vec(glyph, width).prop_map(String::from_iter);
        prop::collection::vec(row, height)
    })
}

/// A class of a name, with a body of 1x1 cells to the longest and widest.
pub fn class(
    name: &'static str,
    shape: &'static str,
    (longest, widest): (i32, i32),
) -> impl Strategy<Value = String> {
    let times = (1_u32..4, 1_u32..10, 1_u32..4);
    let with = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3), prop::bool::weighted(0.2));
    let anchor = (0..longest, 0..widest);
    (1..=longest, 1..=widest, anchor, times, with).prop_map(
        move |(length, width, (f0, r0), (ahead, back, turn), (reverses, slides, full, still))| {
            let (f0, r0) = (f0 % length, r0 % width);
            let full = full && shape == "square";
            let body: Vec<String> = (0..length)
                .flat_map(|f| (0..width).map(move |r| format!("[{}, {}]", f - f0, r - r0)))
                .collect();
            let mut moves: Vec<(i32, i32, i32, u32)> = Vec::new();
            let headings = match (still, shape) {
                (true, "hex") => {
                    moves.extend(
                        [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)].map(|(f, r)| (f, r, 0, ahead)),
                    );
                    1
                }
                (true, _) => {
                    moves.extend([(1, 0), (0, -1), (-1, 0), (0, 1)].map(|(f, r)| (f, r, 0, ahead)));
                    1
                }
                (false, _) => {
                    moves.extend([(1, 0, 0, ahead), (0, 0, 1, turn), (0, 0, -1, turn)]);
                    moves.extend(reverses.then_some((-1, 0, 0, back)));
                    moves.extend(slides.then_some((0, 1, 0, back)));
                    if shape == "hex" { 6 } else { 4 }
                }
            };
            let moves: Vec<String> = moves
                .iter()
                .enumerate()
                .map(|(at, (f, r, turn, time))| {
                    format!("{{ name = \"m{at}\", by = [{f}, {r}], turn = {turn}, time = {time} }}")
                })
                .collect();
            format!(
                "[class.{name}]\nheadings = {headings}\nfootprint = [{}]\nsweep = \"{}\"\nmoves = [{}]\n",
                body.join(", "),
                if full { "full" } else { "ends" },
                moves.join(", ")
            )
        },
    )
}

/// The kinds of ground of the rows.
const GROUND: &str = "[terrain.sand]\nglyphs = \"s\"\nspeed = 700\n\
    [terrain.mud]\nglyphs = \"m\"\nspeed = 400\n[terrain.rock]\nglyphs = \"#\"\nspeed = 0\n";

/// A map in a scenario.
pub fn map_of(shape: &str, rows: &[String]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    format!("[map]\nshape = \"{shape}\"\nrows = [{}]\n{GROUND}", rows.join(", "))
}

/// A scenario with a map of few or many walls and two classes, without agents.
pub fn scene(cover: u32) -> impl Strategy<Value = String> {
    shape().prop_flat_map(move |shape| {
        (rows(cover, 4..9), class("a", shape, (3, 2)), class("b", shape, (3, 2))).prop_map(
            move |(rows, a, b)| format!("name = \"scene\"\nticks = 1000\n{}{a}{b}", map_of(shape, &rows)),
        )
    })
}

/// Builds a scenario; `None` if it has no room for its agents or for a body.
pub fn built(text: &str) -> Option<World> {
    built_with(text, TrafficParams::USUAL)
}

/// [`built`] with tunables of the traffic.
pub fn built_with(text: &str, params: TrafficParams) -> Option<World> {
    let mut typed =
        scenario::parse("scene.toml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    typed.traffic = params;
    match load::build_world(Path::new("scene.toml"), &typed) {
        Ok(world) => Some(world),
        Err(error) if ["room for", "does not fit on"].iter().any(|text| error.to_string().contains(text)) => {
            None
        }
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// What an agent does from tick 0 on: rests, makes its moves, rests for ever.
#[derive(Clone, Debug)]
pub struct Walk {
    pub class: usize,
    pub from: State,
    pub moves: Vec<PlannedMove>,
}

/// What an agent does at a tick.
#[derive(Clone, Copy)]
pub enum Doing<'a> {
    Rests(Pose),
    Moves(Transition<'a>, PlannedMove),
}

pub fn cells((anchor, offsets): (CellXY, &[Offset])) -> BTreeSet<CellXY> {
    offsets.iter().map(|offset| offset.cell_from(anchor)).collect()
}

impl Walk {
    pub fn tables<'a>(&self, world: &'a World) -> &'a MovementTables {
        &world.tables()[self.class]
    }

    /// Tick from which on it rests for ever.
    pub fn ends(&self) -> u32 {
        self.moves.last().map_or(0, |last| last.start + last.ticks)
    }

    /// Where it rests in the end.
    pub fn end_state(&self, world: &World) -> State {
        let after = |state, planned: &PlannedMove| {
            self.tables(world).state_after(state, usize::from(planned.primitive))
        };
        self.moves.iter().fold(self.from, after)
    }

    pub fn doing<'a>(&self, world: &'a World, tick: u32) -> Doing<'a> {
        let tables = self.tables(world);
        let mut pose = tables.space().pose(self.from);
        for &planned in &self.moves {
            let step = transition_at(tables, pose, usize::from(planned.primitive));
            if tick < planned.start {
                break;
            }
            if tick < planned.start + planned.ticks {
                return Doing::Moves(step, planned);
            }
            pose = pose_after(&step);
        }
        Doing::Rests(pose)
    }

    /// The cells that it holds at a tick.
    pub fn held(&self, world: &World, rule: CollisionRule, tick: u32) -> BTreeSet<CellXY> {
        match (self.doing(world, tick), rule) {
            (Doing::Rests(pose), _) => cells((pose.cell, self.tables(world).class().cells_at(pose))),
            (Doing::Moves(step, _), CollisionRule::Swept) => cells(step.swept()),
            (Doing::Moves(step, _), CollisionRule::Discrete) => cells(step.start()),
        }
    }

    /// Claims all that it needs.
    pub fn reserve(&self, world: &World, reservations: &mut Reservations, agent: u32) {
        let tables = self.tables(world);
        let (mut pose, mut ready) = (tables.space().pose(self.from), 0);
        for planned in &self.moves {
            let step = transition_at(tables, pose, usize::from(planned.primitive));
            reservations.rest(agent, step.start(), ready, planned.start);
            reservations.move_on(agent, &step, (planned.start, planned.start + planned.ticks));
            (pose, ready) = (pose_after(&step), planned.start + planned.ticks);
        }
        reservations.rest(agent, (pose.cell, tables.class().cells_at(pose)), ready, FOREVER);
    }
}

/// Whether two agents ever violate the rule of collision, from DESIGN 2.6 tick by tick.
pub fn collide(world: &World, rule: CollisionRule, one: &Walk, other: &Walk) -> bool {
    (0..=one.ends().max(other.ends())).any(|tick| {
        !one.held(world, rule, tick).is_disjoint(&other.held(world, rule, tick))
            || (rule == CollisionRule::Discrete
                && (may_not_begin(world, one, other, tick) || may_not_begin(world, other, one, tick)))
    })
}

/// Discrete rule: whether a move begins at a tick that may not, with what another does then.
fn may_not_begin(world: &World, walk: &Walk, other: &Walk, tick: u32) -> bool {
    let Doing::Moves(step, planned) = walk.doing(world, tick) else { return false };
    if planned.start != tick {
        return false;
    }
    let (end, until) = (cells(step.end()), planned.start + planned.ticks);
    match other.doing(world, tick) {
        Doing::Rests(_) => !end.is_disjoint(&other.held(world, CollisionRule::Discrete, tick)),
        Doing::Moves(their, their_move) => {
            let their_until = their_move.start + their_move.ticks;
            let exchange = their_until == until && !cells(their.end()).is_disjoint(&cells(step.start()));
            !end.is_disjoint(&cells(their.end()))
                || ((their_until > until || exchange) && !end.is_disjoint(&cells(their.start())))
        }
    }
}

/// A state in which a body of a class may stand; `None` if there is none in some tries.
pub fn any_state(world: &World, class: usize, random: &mut Random) -> Option<State> {
    let tables = &world.tables()[class];
    let n = tables.space().n_states();
    (0..40).map(|_| State(random.below(n) as u32)).find(|&state| tables.is_legal(state))
}

/// Walks of others that never violate the rule among themselves, at most so many, of at most so many moves.
pub fn walks(
    world: &World,
    rule: CollisionRule,
    random: &mut Random,
    (n, moves): (usize, usize),
) -> Vec<Walk> {
    let mut walks: Vec<Walk> = Vec::new();
    for _ in 0..n {
        let class = random.below(world.classes().len());
        let Some(from) = any_state(world, class, random) else { continue };
        let mut walk = Walk { class, from, moves: Vec::new() };
        let fits = |walk: &Walk, walks: &[Walk]| walks.iter().all(|other| !collide(world, rule, walk, other));
        if !fits(&walk, &walks) {
            continue;
        }
        for _ in 0..moves {
            let mut next = Vec::new();
            walk.tables(world).for_each_successor(walk.end_state(world), |successor| next.push(successor));
            if next.is_empty() {
                break;
            }
            let chosen = next[random.below(next.len())];
            let start = walk.ends() + random.below(5) as u32;
            walk.moves.push(PlannedMove { start, ticks: chosen.ticks, primitive: chosen.primitive });
            if !fits(&walk, &walks) {
                walk.moves.pop();
            }
        }
        walks.push(walk);
    }
    walks
}

/// Either rule of collision.
pub fn rule() -> impl Strategy<Value = CollisionRule> {
    prop::sample::select(&[CollisionRule::Swept, CollisionRule::Discrete])
}
