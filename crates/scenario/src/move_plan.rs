//! Move plans: the moves of all agents of a scenario, each with the tick at which it begins, as one JSON object
//! (docs/format.md).

use crate::json_error::JsonError;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::io::{self, Write};
use wheelbase_planner::model::heading_name;
use wheelbase_sim::{AgentId, TraceEvent, World};

/// Version of the format.
const VERSION: u32 = 1;
/// Most moves of all agents of a plan together.
pub const PLAN_MOVES_MAX: u64 = 1 << 26;

/// The moves of all agents of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovePlan {
    /// Version of the format, 1.
    pub plan: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// Seed with which groups of agents are placed.
    pub seed: u64,
    /// Collision rule: `swept` or `discrete`.
    pub collision: String,
    /// Tick at which the plan ends: moves begin before it.
    pub ticks: u32,
    /// The agents, by id.
    pub agents: Vec<PlannedAgent>,
}

/// An agent of a [`MovePlan`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedAgent {
    /// Name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of its class.
    pub class: String,
    /// Start pose: x and y of the anchor, name of the heading (`-` of a class with one).
    pub at: (i32, i32, String),
    /// Its moves in order of time. It rests between them.
    pub moves: Vec<MoveRun>,
}

/// A move of a name, or several directly one after the other: `[tick, name]` or `[tick, name, count]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveRun {
    /// Tick at which the first begins. Each of the others begins when the one before it ends.
    pub tick: u32,
    /// Name of the move in its class.
    pub name: String,
    /// Number of moves, at least 1.
    pub count: u32,
}

/// A move that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BegunMove {
    pub tick: u32,
    pub agent: u32,
    pub primitive: u8,
}

impl Serialize for MoveRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        list.serialize_element(&self.tick)?;
        list.serialize_element(&self.name)?;
        if self.count != 1 {
            list.serialize_element(&self.count)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for MoveRun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfList;
        impl<'de> Visitor<'de> for OfList {
            type Value = MoveRun;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "[tick, \"name of the move\"] or [tick, \"name of the move\", count]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<MoveRun, A::Error> {
                let tick = list.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let name = list.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
                let count = list.next_element()?.unwrap_or(1);
                if count == 0 {
                    return Err(A::Error::custom("expected a count of at least 1, found 0"));
                }
                Ok(MoveRun { tick, name, count })
            }
        }
        deserializer.deserialize_seq(OfList)
    }
}

impl MovePlan {
    /// Reads a plan, the text of a JSON file.
    ///
    /// ```
    /// use wheelbase_scenario::MovePlan;
    /// let text = r#"{"plan":1,"scenario":"there","seed":0,"collision":"swept","ticks":28,"agents":[
    ///     {"class":"cart","at":[0,0,"E"],"moves":[[0,"forward",7]]}]}"#;
    /// let plan = MovePlan::parse(text.as_bytes())?;
    /// assert_eq!((plan.agents[0].moves[0].count, plan.n_moves()), (7, 7));
    /// # Ok::<(), wheelbase_scenario::JsonError>(())
    /// ```
    /// # Errors
    /// [`JsonError`] if the text is not a plan of this version, or has more than [`PLAN_MOVES_MAX`] moves.
    pub fn parse(text: &[u8]) -> Result<Self, JsonError> {
        let plan: Self = serde_json::from_slice(text).map_err(|error| JsonError::of(&error))?;
        let refuse = |message| Err(JsonError { line: 1, column: 1, message });
        match plan {
            plan if plan.plan != VERSION => {
                refuse(format!("plan: expected {VERSION}, the version of the format, found {}", plan.plan))
            }
            plan if plan.n_moves() > PLAN_MOVES_MAX => {
                refuse(format!("{} moves, expected at most {PLAN_MOVES_MAX}", plan.n_moves()))
            }
            plan => Ok(plan),
        }
    }

    /// Number of moves of all agents.
    pub fn n_moves(&self) -> u64 {
        self.agents.iter().flat_map(|agent| &agent.moves).map(|run| u64::from(run.count)).sum()
    }

    /// Writes the plan, an agent a line.
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let Self { plan, scenario, seed, collision, ticks, agents } = self;
        let (scenario, collision) = (serde_json::to_string(scenario)?, serde_json::to_string(collision)?);
        write!(
            out,
            "{{\"plan\":{plan},\"scenario\":{scenario},\"seed\":{seed},\"collision\":{collision},\"ticks\":{ticks},\"agents\":["
        )?;
        for (at, agent) in agents.iter().enumerate() {
            writeln!(out, "{}", if at > 0 { "," } else { "" })?;
            serde_json::to_writer(&mut out, agent)?;
        }
        writeln!(out, "\n]}}")?;
        out.flush()
    }
}

/// Refuses a world of which a plan of moves alone would not say all: one with events.
/// # Errors
/// The mistake, in words.
pub fn check_plannable(world: &World) -> Result<(), String> {
    match world.setup_commands().next() {
        Some((tick, _)) => Err(format!(
            "the scenario has an event at tick {tick}; expected none: a plan holds the moves of agents that are there from \
             the start, with the orders that they have then, on a map that stays as it is"
        )),
        None => Ok(()),
    }
}

/// Collects the plan of a run tick by tick. Takes twelve bytes for each run of equal moves.
#[derive(Debug)]
pub struct MovePlanRecorder {
    plan: MovePlan,
    /// By agent id.
    runs: Vec<Vec<RecordedRun>>,
}

/// Moves of one primitive directly one after the other.
#[derive(Clone, Copy, Debug)]
struct RecordedRun {
    tick: u32,
    /// Tick at which the last ends.
    until: u32,
    count: u32,
    primitive: u8,
}

impl MovePlanRecorder {
    /// Begins the plan of a world that has not stepped, and has the world keep its log.
    /// # Errors
    /// As [`check_plannable`].
    pub fn begin(world: &mut World) -> Result<Self, String> {
        check_plannable(world)?;
        world.keep_log();
        let agents: Vec<PlannedAgent> =
            (0..world.agent_arrays().len()).map(|row| planned_agent(world, row)).collect();
        let runs = vec![Vec::new(); agents.len()];
        let settings = world.settings();
        let (scenario, seed, collision) =
            (settings.name.clone(), settings.seed, settings.collision.name().to_owned());
        Ok(Self { plan: MovePlan { plan: VERSION, scenario, seed, collision, ticks: 0, agents }, runs })
    }

    /// Adds the last tick of `world`, whose number is `tick`.
    pub fn tick(&mut self, world: &World, tick: u32) {
        for event in world.log() {
            let TraceEvent::Move { agent: AgentId(agent), primitive, until, .. } = *event else { continue };
            let runs = &mut self.runs[agent as usize];
            match runs.last_mut().filter(|run| run.primitive == primitive && run.until == tick) {
                Some(run) => (run.count, run.until) = (run.count + 1, until),
                None => runs.push(RecordedRun { tick, until, count: 1, primitive }),
            }
        }
    }

    /// The plan, after the last tick of `world`.
    pub fn finish(self, world: &World) -> MovePlan {
        let Self { mut plan, runs } = self;
        plan.ticks = world.tick();
        let tables = world.tables();
        for (agent, runs) in plan.agents.iter_mut().zip(runs) {
            let class =
                tables.iter().map(|tables| tables.class()).find(|class| class.spec().name == agent.class);
            let Some(class) = class else { continue };
            let named = runs.iter().map(|&RecordedRun { tick, count, primitive, .. }| {
                let name = class.primitives()[usize::from(primitive)].name.clone();
                MoveRun { tick, name, count }
            });
            agent.moves = named.collect();
        }
        plan
    }
}

/// An agent of a world at rest, without moves.
fn planned_agent(world: &World, row: usize) -> PlannedAgent {
    let agents = world.agent_arrays();
    let class = world.tables()[usize::from(agents.motion[row].class.0)].class();
    let pose = world.pose(row);
    PlannedAgent {
        name: agents.name(row),
        class: class.spec().name.clone(),
        at: (pose.cell.x, pose.cell.y, heading_name(class.headings(), pose.heading).to_owned()),
        moves: Vec::new(),
    }
}
