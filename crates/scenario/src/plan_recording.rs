//! Carries a plan out and records that, to draw it as any run is drawn.

use crate::json_error::JsonError;
use crate::load::LoadedProblem;
use crate::move_plan::{BegunMove, MovePlan};
use crate::move_plan_judge::CarriedOut;
use crate::plan_judge::{PlanViolation, actions_of, judge_plan};
use crate::recording::Recorder;
use std::io;
use std::sync::Arc;
use wheelbase_sim::{AgentId, Command, RunState, Settings, Setup, World};
use wheelbase_traffic::Commanded;

/// Most ticks that are carried out: each takes some bytes of the recording, also one without a move.
const TICKS_MAX: u32 = 1 << 24;

/// A plan that was carried out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanRecording {
    /// The recording of the run, as that of a host. It ends with the last move.
    pub bytes: Vec<u8>,
    /// Tick at which a move could not begin as planned, because it is illegal or its cells are held; the run ends
    /// there.
    pub stopped_at: Option<u32>,
    /// Where the plan is not one of the scenario, in words; it is carried out as the scenario says.
    pub differences: Vec<String>,
}

/// Moves, and what else is known of a plan.
struct Moves {
    begun: Vec<BegunMove>,
    /// Tick at which the last ends.
    ends: u32,
    /// Tick at which a move cannot begin.
    stops_at: Option<u32>,
    differences: Vec<String>,
}

/// Carries out a move plan in the scenario of a world that has not stepped. Only its rules are new: agents move as
/// planned, and the orders count that the plan carries out.
/// # Errors
/// If the run cannot be recorded: a class, or the map, is beyond the limits of recordings, or the last move ends after
/// tick 2^24.
pub fn record_move_plan(world: &World, plan: &MovePlan) -> io::Result<PlanRecording> {
    let CarriedOut { moves: begun, ends, stops_at, differences } = CarriedOut::of(world, plan);
    let differences = differences.iter().map(ToString::to_string).collect();
    record(world, Moves { begun, ends: ends.min(plan.ticks), stops_at, differences })
}

/// Carries out a plan of the League of Robot Runners, with the tasks of the problem. `world` is the world of the
/// problem ([`build_problem`](crate::load::build_problem)) and has not stepped.
/// # Errors
/// [`JsonError`] if the text is not a plan, within the error. Also as [`record_move_plan`].
pub fn record_problem_plan(
    world: &World,
    problem: &LoadedProblem,
    text: &[u8],
) -> Result<io::Result<PlanRecording>, JsonError> {
    let actions = actions_of(text)?;
    let mut moves = Vec::new();
    for (agent, actions) in (0..problem.starts.len() as u32).zip(&actions) {
        // The moves of the robot: forward, left, right.
        let primitives = actions.iter().map(|action| match action {
            b'F' => Some(0),
            b'C' => Some(1),
            b'R' => Some(2),
            _ => None,
        });
        let begun = (0..).zip(primitives);
        moves.extend(begun.filter_map(|(tick, of)| of.map(|primitive| BegunMove { tick, agent, primitive })));
    }
    // A move takes a tick.
    let ends = moves.iter().map(|begun| begun.tick + 1).max().unwrap_or(0);
    let violations = judge_plan(problem, text)?.violations.into_iter().filter(|violation| {
        use PlanViolation::{Action, Length, Start};
        matches!(violation, Start { .. } | Length { .. } | Action { .. })
    });
    let differences = violations.map(|violation| violation.to_string()).collect();
    Ok(record(world, Moves { begun: moves, ends, stops_at: None, differences }))
}

fn record(world: &World, moves: Moves) -> io::Result<PlanRecording> {
    let Moves { begun: mut moves, ends, stops_at, differences } = moves;
    let ticks = ends.max(1);
    if ticks > TICKS_MAX {
        let why = format!("its last move ends at tick {ticks}, expected at most {TICKS_MAX}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    moves.sort_unstable();
    let settings = Settings { ticks, ..world.settings().clone() };
    let tables = world.tables().to_vec();
    let mut setup = Setup::with_rule(settings, world.grid().clone(), tables, Box::new(Commanded));
    setup.agents = world.setup_agents().to_vec();
    setup.friends = *world.friends();
    setup.landmarks = Some(0);
    let mut world = World::new(setup).map_err(io::Error::other)?;
    let mut recorder = Recorder::begin_host(&mut world, Vec::new())?;
    // As long as a command is to come, the run does not end, though nobody has an order left.
    world.command_at(ticks, Command::Decisions(Arc::new([])));
    let mut groups = moves.chunk_by(|one, other| one.tick == other.tick).peekable();
    let (mut n_due, mut stopped_at) = (0, None);
    loop {
        let tick = world.tick();
        if let Some(group) = groups.next_if(|group| group[0].tick == tick) {
            let named: Arc<[(AgentId, u8)]> =
                group.iter().map(|begun| (AgentId(begun.agent), begun.primitive)).collect();
            world.command(Command::Decisions(named));
            n_due += group.len() as u64;
        }
        let step = world.step();
        recorder.tick(&world, tick, step)?;
        world.clear_log();
        if world.counts().moves < n_due || stops_at == Some(tick) {
            stopped_at = Some(tick);
        }
        if step == RunState::Ended || stopped_at.is_some() {
            break;
        }
    }
    // A move that cannot begin may be planned for later than all others end.
    Ok(PlanRecording { bytes: recorder.finish(&world)?, stopped_at: stopped_at.or(stops_at), differences })
}
