//! `wheelbase distances`: distances from a pose to many targets, and all poses within a number of ticks.

use crate::args::{DistancesArgs, Format};
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::memory_max::check_planning;
use crate::output::files::Outputs;
use crate::output::{counted, print, say};
use crate::plan::{PlanningInputs, class_note};
use crate::query::{goal_from_arg, start_from_arg};
use serde::Serialize;
use std::io::{self, Write};
use wheelbase_grid::{Grid, MemoryNeed};
use wheelbase_planner::fields::Distance;
use wheelbase_planner::model::{StateSpace, heading_name};
use wheelbase_planner::tables::field_need;
use wheelbase_planner::{
    Distances, Goal, GoalMember, Legality, MovementTables, Path, Pose, Request, Scratch, SettleTarget,
    Status, plan,
};
use wheelbase_scenario::load::PlanningProblem;
use wheelbase_view::picture::distances::{DistanceQuery, picture};
use wheelbase_view::safe_text;

pub fn run(args: &DistancesArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let spec = args.view.spec(args.png.as_ref(), None)?;
    let memory_max = args.memory.max();
    let inputs =
        PlanningInputs { target: &args.target, class: args.class.as_deref(), queries: None, memory_max };
    let (PlanningProblem { grid, class, .. }, view) = inputs.load(&spec)?;
    let of_class = class_note(&args.target, args.class.as_deref(), &class);
    let headings = class.headings();
    let start = start_from_arg(&args.from, headings).map_err(Failure::bad_input)?;
    let targets: Result<Vec<GoalMember>, String> =
        args.to.iter().map(|text| goal_from_arg(text, headings)).collect();
    let targets = targets.map_err(Failure::bad_input)?;
    let space = StateSpace::new(grid.size(), grid.shape(), headings);
    // The list of poses within reach can hold all poses.
    let listed = if args.within.is_some() { REACH_BYTES * space.n_states() as u64 } else { 0 };
    let more = field_need(space).and(MemoryNeed::on_demand(listed));
    check_planning(&args.target, (&grid, &class), 1, more, memory_max)?;
    let mut tables = MovementTables::compile(&grid, class);
    if !targets.is_empty() {
        // Without components each unreachable target would cost a search of all reachable poses.
        tables.make_components();
    }
    let mut from = Distances::from_pose(&tables, start);
    let answer = Answer::find(&grid, &tables, start, &targets, args.within, &mut from);
    let mut outputs = Outputs::default();
    if let (Some(view), Some(path)) = (view, &args.png) {
        from.settle(&tables, args.within.map_or(SettleTarget::All, SettleTarget::Within), u64::MAX);
        let query = DistanceQuery {
            grid: &grid,
            tables: &tables,
            start,
            targets: &targets,
            distances: &from,
            within: args.within,
        };
        let (picture, step) = picture(view, &query);
        spec.write(&picture, &mut outputs, stop);
        if args.format == Format::Text {
            say(format_args!("{}: contour lines every {step} ticks", safe_text::path(path)));
        }
    }
    let printed = print(args.format, &answer, |out| {
        of_class.iter().try_for_each(|note| writeln!(out, "{note}"))?;
        write_text(out, &answer)
    });
    let all = answer.status == Status::Found.name()
        && answer.to.iter().flatten().all(|target| target.status == Status::Found.name());
    outputs.end_after(printed, if all { Exit::Done } else { Exit::Negative })
}

/// Bytes of a pose within reach, as a row and as text.
const REACH_BYTES: u64 = 80;

/// A pose as printed: x, y, heading.
type PoseLine = (i32, i32, &'static str);

/// The printed answer.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    from: PoseLine,
    status: &'static str,
    expansions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Vec<Target<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<u32>,
    /// Number of poses reachable within that time, or at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<usize>,
    /// Ticks to the farthest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    farthest: Option<u32>,
    /// All poses within reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    poses: Option<Vec<ReachedPose<'a>>>,
}

/// The distance to a target.
#[derive(Debug, Serialize)]
struct Target<'a> {
    to: PoseLine,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<PoseLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// A pose within reach: x, y, heading, ticks and the last move of the path to it. The last number is the list index of
/// the pose before that move.
type ReachedPose<'a> = (i32, i32, &'static str, u32, Option<&'a str>, Option<usize>);

impl<'a> Answer<'a> {
    fn find(
        grid: &Grid,
        tables: &'a MovementTables,
        start: Pose,
        targets: &[GoalMember],
        within: Option<u32>,
        from: &mut Distances,
    ) -> Self {
        let legality = Legality::new(grid, tables.class());
        let headings = tables.space().headings();
        let line = |pose: Pose| (pose.cell.x, pose.cell.y, heading_name(headings, pose.heading));
        let mut answer = Answer {
            from: line(start),
            status: Status::Found.name(),
            expansions: 0,
            reason: None,
            to: None,
            within,
            reached: None,
            farthest: None,
            poses: None,
        };
        // A plan from the start to itself reports a wrong start.
        if let Some((status, reason)) = refusal(grid, tables, &legality, start, &GoalMember::pose(start)) {
            (answer.status, answer.reason) = (status.name(), Some(reason));
            return answer;
        }
        if !targets.is_empty() {
            let mut found = Vec::new();
            answer.expansions += from.measure(tables, targets, &mut found);
            let describe = |(target, found): (&GoalMember, &Option<Distance>)| {
                let next = found.and_then(|found| from.next_move(tables, found.pose));
                Target::of(grid, tables, &legality, start, target, found.map(|found| (found, next)))
            };
            answer.to = Some(targets.iter().zip(&found).map(describe).collect());
        }
        if let Some(ticks) = within {
            answer.expansions += from.settle(tables, SettleTarget::Within(ticks), u64::MAX).expansions;
            answer.poses = Some(reached_poses(tables, from, ticks));
        } else if targets.is_empty() {
            answer.expansions += from.settle(tables, SettleTarget::All, u64::MAX).expansions;
        }
        if within.is_some() || targets.is_empty() {
            let costs = || from.within(within.unwrap_or(u32::MAX)).map(|(_, cost)| cost);
            (answer.reached, answer.farthest) = (Some(costs().count()), costs().max());
        }
        answer
    }
}

/// All poses within a number of ticks, and how each is reached.
fn reached_poses<'a>(tables: &'a MovementTables, from: &Distances, ticks: u32) -> Vec<ReachedPose<'a>> {
    let space = tables.space();
    let primitives = tables.class().primitives();
    let states: Vec<_> = from.field().within(ticks).collect();
    let line = |&(state, cost)| {
        let Pose { cell, heading } = space.pose(state);
        let before = from.field().next(tables, state);
        let last = before.map(|before| primitives[before.primitive as usize].name.as_str());
        let before = before.and_then(|before| states.binary_search_by_key(&before.state, |s| s.0).ok());
        (cell.x, cell.y, heading_name(space.headings(), heading), cost, last, before)
    };
    states.iter().map(line).collect()
}

impl<'a> Target<'a> {
    fn of(
        grid: &Grid,
        tables: &'a MovementTables,
        legality: &Legality<'_>,
        start: Pose,
        target: &GoalMember,
        found: Option<(Distance, Option<u8>)>,
    ) -> Self {
        let headings = tables.space().headings();
        let heading = target.heading.map_or("any", |heading| heading_name(headings, heading));
        let mut line = Self {
            to: (target.cell.x, target.cell.y, heading),
            status: Status::Found.name(),
            cost: found.map(|(found, _)| found.ticks),
            at: found.map(|(Distance { pose, .. }, _)| {
                (pose.cell.x, pose.cell.y, heading_name(headings, pose.heading))
            }),
            next: found
                .and_then(|(_, next)| next)
                .map(|next| tables.class().primitives()[next as usize].name.as_str()),
            reason: None,
        };
        if found.is_none() {
            let refused = refusal(grid, tables, legality, start, target);
            let (status, reason) = refused.unwrap_or((Status::Unreachable, String::new()));
            (line.status, line.reason) = (status.name(), Some(reason));
        }
        line
    }
}

/// Why there is no path to a target, in the words of `plan`; `None` if there is one.
fn refusal(
    grid: &Grid,
    tables: &MovementTables,
    legality: &Legality<'_>,
    start: Pose,
    target: &GoalMember,
) -> Option<(Status, String)> {
    let goal = [*target];
    let request = Request::new(start, Goal::of(&goal));
    let answer = plan(tables, &request, &mut Scratch::new(), &mut Path::new());
    let reason = answer.reason(legality, &request)?;
    Some((answer.status, reason.describe(legality, grid)))
}

fn write_text(out: &mut impl Write, answer: &Answer<'_>) -> io::Result<()> {
    let pose = |(x, y, heading): PoseLine| format!("({x}, {y}, {heading})");
    let status = answer.status.replace('_', " ");
    writeln!(out, "from {}: {status}, {}", pose(answer.from), counted(answer.expansions, "expansion"))?;
    if let Some(reason) = &answer.reason {
        writeln!(out, "{reason}")?;
    }
    for target in answer.to.iter().flatten() {
        let to = pose(target.to);
        match (target.cost, target.at, target.next) {
            (Some(cost), Some(at), Some(next)) => {
                let next = safe_text::line(next);
                writeln!(out, "{cost:>10}  to {to} at {}, first {next}", pose(at))?;
            }
            (Some(cost), ..) => writeln!(out, "{cost:>10}  to {to}: already there")?,
            _ => writeln!(out, "{:>10}  to {to}: {}", "-", target.reason.as_deref().unwrap_or_default())?,
        }
    }
    if let (Some(reached), Some(farthest)) = (answer.reached, answer.farthest) {
        let within =
            answer.within.map_or("at all".to_owned(), |ticks| format!("within {}", counted(ticks, "tick")));
        let (poses, farthest) = (counted(reached, "pose"), counted(farthest, "tick"));
        writeln!(out, "{poses} can be reached {within}, the farthest at {farthest}")?;
    }
    if let Some(poses) = &answer.poses {
        writeln!(out, "{:>10}  pose", "ticks")?;
        for &(x, y, heading, cost, last, before) in poses {
            let back = before.map(|before| {
                let (x, y, heading, ..) = poses[before];
                format!("  {} from {}", safe_text::line(last.unwrap_or_default()), pose((x, y, heading)))
            });
            writeln!(out, "{cost:>10}  {}{}", pose((x, y, heading)), back.unwrap_or_default())?;
        }
    }
    Ok(())
}
