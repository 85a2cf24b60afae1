//! Writes plans in the format of the League of Robot Runners, 2023: the actions of each agent, as one JSON object.

use serde::Serialize;
use std::io::{self, Write};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{AgentId, TraceEvent, World};

/// The action of a step without a move.
const WAIT: u8 = b'W';

/// Collects the plan of a run tick by tick. The run is of a problem: every move takes one tick.
///
/// Takes a byte of memory per agent and tick.
#[derive(Debug)]
pub struct PlanFile {
    /// Start of each agent, by id.
    starts: Vec<Pose>,
    /// Actions of each agent by tick, by id: `F`, `R`, `C` or `W`.
    actions: Vec<Vec<u8>>,
    /// Number of the current task of each agent, by id.
    current_tasks: Vec<u32>,
    /// Events of the tasks of each agent, by id.
    events: Vec<Vec<TaskEvent>>,
    /// Goals of the tasks, by number: in the order of assignment.
    tasks: Vec<CellXY>,
    n_finished: u64,
    seconds: Vec<f64>,
}

/// A task is assigned or finished.
#[derive(Clone, Copy, Debug)]
struct TaskEvent {
    task: u32,
    tick: u32,
    kind: &'static str,
}

/// The JSON object, with the keys of the competition.
#[derive(Serialize)]
#[allow(non_snake_case, reason = "the names are the competition's")]
struct PlanDocument<'a> {
    actionModel: &'a str,
    AllValid: &'a str,
    teamSize: usize,
    start: Vec<(i32, i32, &'a str)>,
    numTaskFinished: u64,
    sumOfCost: u64,
    makespan: usize,
    actualPaths: &'a [String],
    plannerPaths: &'a [String],
    plannerTimes: &'a [f64],
    errors: [u8; 0],
    events: Vec<Vec<(u32, u32, &'a str)>>,
    tasks: Vec<(u32, i32, i32)>,
}

impl PlanFile {
    /// Begins the plan of a world that has not stepped, and has the world keep its log.
    pub fn begin(world: &mut World) -> Self {
        world.keep_log();
        let n = world.agent_arrays().len();
        Self {
            starts: (0..n).map(|row| world.pose(row)).collect(),
            actions: vec![Vec::new(); n],
            current_tasks: vec![u32::MAX; n],
            events: vec![Vec::new(); n],
            tasks: Vec::new(),
            n_finished: 0,
            seconds: Vec::new(),
        }
    }

    /// Adds the last tick of `world`, whose number is `tick`, and the seconds that it took. `last` marks the end of the
    /// run, at which no move begins.
    pub fn tick(&mut self, world: &World, tick: u32, seconds: f64, last: bool) {
        for event in world.log() {
            match *event {
                TraceEvent::Task { agent: AgentId(agent), goal, .. } => {
                    let task = self.tasks.len() as u32;
                    self.tasks.push(goal.cell);
                    self.current_tasks[agent as usize] = task;
                    self.events[agent as usize].push(TaskEvent { task, tick, kind: "assigned" });
                }
                TraceEvent::TaskDone { agent: AgentId(agent), .. } => {
                    self.n_finished += 1;
                    let task = self.current_tasks[agent as usize];
                    self.events[agent as usize].push(TaskEvent { task, tick, kind: "finished" });
                }
                TraceEvent::Move { agent: AgentId(agent), from, to, .. } => {
                    let action = match (from.heading, to.heading) {
                        (Heading(before), Heading(after)) if after == (before + 1) % 4 => b'C',
                        (before, after) if before == after => b'F',
                        _ => b'R',
                    };
                    self.actions[agent as usize].push(action);
                }
                _ => {}
            }
        }
        if last {
            return;
        }
        self.seconds.push(seconds);
        for actions in self.actions.iter_mut().filter(|actions| actions.len() < self.seconds.len()) {
            actions.push(WAIT);
        }
    }

    /// Writes the plan.
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let path = |actions: &Vec<u8>| {
            let mut text = String::with_capacity(actions.len() * 2);
            for (at, &action) in actions.iter().enumerate() {
                text.extend((at > 0).then_some(','));
                text.push(char::from(action));
            }
            text
        };
        let paths: Vec<String> = self.actions.iter().map(path).collect();
        let heading = |Heading(heading): Heading| ["E", "N", "W", "S"][usize::from(heading % 4)];
        let starts = self.starts.iter().map(|pose| (pose.cell.y, pose.cell.x, heading(pose.heading)));
        let n_steps = self.seconds.len();
        let event = |event: &TaskEvent| (event.task, event.tick, event.kind);
        let document = PlanDocument {
            actionModel: "MAPF_T",
            AllValid: "Yes",
            teamSize: self.starts.len(),
            start: starts.collect(),
            numTaskFinished: self.n_finished,
            sumOfCost: self.starts.len() as u64 * n_steps as u64,
            makespan: n_steps,
            actualPaths: &paths,
            plannerPaths: &paths,
            plannerTimes: &self.seconds,
            errors: [],
            events: self.events.iter().map(|events| events.iter().map(event).collect()).collect(),
            tasks: self.tasks.iter().zip(0..).map(|(cell, number)| (number, cell.y, cell.x)).collect(),
        };
        serde_json::to_writer(&mut out, &document)?;
        writeln!(out)?;
        out.flush()
    }
}
