//! Carries a plan out and records that, to draw it as any run is drawn.

use crate::json_error::JsonError;
use crate::load::LoadedProblem;
use crate::move_plan::{BegunMove, MovePlan};
use crate::move_plan_judge::begun_moves;
use crate::plan_judge::actions_of;
use crate::recording::Recorder;
use std::io;
use std::sync::Arc;
use wheelbase_sim::{AgentId, Command, RunState, Settings, Setup, World};
use wheelbase_traffic::Commanded;

/// A plan that was carried out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanRecording {
    /// The recording of the run, as that of a host.
    pub bytes: Vec<u8>,
    /// Tick at which a move could not begin as planned, because it is illegal or its cells are held; the run ends there.
    /// Moves behind the first illegal one of an agent are left out.
    pub stopped_at: Option<u32>,
}

/// Carries out a move plan in the scenario of a world that has not stepped. Only its rules are new: agents move as planned,
/// and those of their orders count that the plan carries out.
/// # Errors
/// If the run cannot be recorded: a class, or the map, is beyond the limits of recordings.
pub fn record_move_plan(world: &World, plan: &MovePlan) -> io::Result<PlanRecording> {
    record(world, plan.ticks, begun_moves(world, plan))
}

/// Carries out a plan of the League of Robot Runners, with the tasks of the problem. `world` is that of the problem
/// ([`build_problem`](crate::load::build_problem)) and has not stepped.
/// # Errors
/// [`JsonError`] if the text is not a plan, within the error; and as [`record_move_plan`].
pub fn record_problem_plan(
    world: &World,
    problem: &LoadedProblem,
    text: &[u8],
) -> Result<io::Result<PlanRecording>, JsonError> {
    let actions = actions_of(text)?;
    let ticks = actions.iter().map(Vec::len).max().unwrap_or(0) as u32;
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
    Ok(record(world, ticks, moves))
}

fn record(world: &World, ticks: u32, mut moves: Vec<BegunMove>) -> io::Result<PlanRecording> {
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
        if world.counts().moves < n_due {
            stopped_at = Some(tick);
        }
        if step == RunState::Ended || stopped_at.is_some() {
            break;
        }
    }
    Ok(PlanRecording { bytes: recorder.finish(&world)?, stopped_at })
}
