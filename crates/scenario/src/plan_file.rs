//! Plans in the format of the League of Robot Runners, 2023: what each agent did, as one JSON object.

use serde::Serialize;
use std::io::{self, Write};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{AgentId, TraceEvent, World};

/// A step without a move.
const WAIT: u8 = b'W';

/// Gathers the plan of a run tick by tick. The run is that of a problem: every move takes one tick.
///
/// Takes a byte for each agent and tick.
#[derive(Debug)]
pub struct PlanFile {
    /// Where each agent began, by id.
    starts: Vec<Pose>,
    /// What each did at each tick, by id: `F`, `R`, `C` or `W`.
    actions: Vec<Vec<u8>>,
    /// The task that each has at present: its number.
    present: Vec<u32>,
    /// `[task, tick, what]` of each agent.
    events: Vec<Vec<(u32, u32, &'static str)>>,
    /// Goals of the tasks, by number: in the order in which they were given.
    tasks: Vec<CellXY>,
    n_finished: u64,
    seconds: Vec<f64>,
}

/// The object that is written; the competition's keys.
#[derive(Serialize)]
#[allow(non_snake_case, reason = "the names are the competition's")]
struct Written<'a> {
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
    events: &'a [Vec<(u32, u32, &'a str)>],
    tasks: Vec<(u32, i32, i32)>,
}

impl PlanFile {
    /// Begins the plan of a run that has not begun, and has the simulation keep what happens.
    pub fn begin(world: &mut World) -> Self {
        world.keep_log();
        let n = world.agents().len();
        Self {
            starts: (0..n).map(|row| world.pose(row)).collect(),
            actions: vec![Vec::new(); n],
            present: vec![u32::MAX; n],
            events: vec![Vec::new(); n],
            tasks: Vec::new(),
            n_finished: 0,
            seconds: Vec::new(),
        }
    }

    /// Adds what happened at the tick that has just been run, and the seconds that it took. At the last tick
    /// of a run, at which no move begins, `last` is set.
    pub fn tick(&mut self, world: &World, tick: u32, seconds: f64, last: bool) {
        for event in world.log() {
            match *event {
                TraceEvent::Task { agent: AgentId(agent), goal, .. } => {
                    let number = self.tasks.len() as u32;
                    self.tasks.push(goal.cell);
                    self.present[agent as usize] = number;
                    self.events[agent as usize].push((number, tick, "assigned"));
                }
                TraceEvent::TaskDone { agent: AgentId(agent), .. } => {
                    self.n_finished += 1;
                    self.events[agent as usize].push((self.present[agent as usize], tick, "finished"));
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
    /// Those of the writer.
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
        let written = Written {
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
            events: &self.events,
            tasks: self.tasks.iter().zip(0..).map(|(cell, number)| (number, cell.y, cell.x)).collect(),
        };
        serde_json::to_writer(&mut out, &written)?;
        writeln!(out)?;
        out.flush()
    }
}
