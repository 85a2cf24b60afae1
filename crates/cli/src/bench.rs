//! `wheelbase bench`: times published queries and checks their lengths, or times a scenario.

use crate::args::BenchArgs;
use crate::calibration::Calibration;
use crate::failure::{Exit, Failure};
use crate::file_kind::{Takes, refuse_map};
use crate::guide::{PreparedLandmarks, landmark_need, prepared};
use crate::interrupt::Interrupt;
use crate::memory_max::check_planning;
use crate::output::{counted, percent, print, progress_bar, row};
use crate::peak_memory::peak_memory_mib;
use crate::phase_times::PhaseTimes;
use crate::plan::thread_pool;
use crate::result_text::write_carried;
use crate::run::{Driven, Given, drive};
use crate::run_files::RunFiles;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;
use wheelbase_maps::{ScenFile, ScenQuery};
use wheelbase_planner::model::StateSpace;
use wheelbase_planner::search::Heuristic;
use wheelbase_planner::search::batch::{BatchScratch, plan_all};
use wheelbase_planner::{
    Goal, GoalMember, Heading, MovementClass, MovementTables, Path, Pose, Request, Scratch, Status, plan,
};
use wheelbase_scenario::load::{LoadError, Overrides, PlanningProblem, ScenProblem, load_scen, load_world};
use wheelbase_sim::{
    GateLoad, Memory, Phase, RunResult, World, permille, quantile_ms, single_agent_bounds_observed,
};
use wheelbase_view::safe_text;

/// Queries between two updates of the progress bar.
const PROGRESS_QUERIES: usize = 16;
/// Queries of a batch per worker between two checks for Ctrl-C.
const QUERIES_PER_CHUNK: usize = 64;
/// Most differing lengths shown.
const DIFFERENCES_SHOWN_MAX: usize = 10;

pub fn run(args: &BenchArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    match args.target.extension().and_then(|extension| extension.to_str()) {
        Some("scen") => bench_queries(args, stop),
        Some("toml") => bench_scenario(args, stop),
        _ => {
            let why = "expected a scenario (.toml) or queries of the MovingAI benchmark (.scen)";
            Err(Takes::MEASURABLE.refuse(&args.target, LoadError::in_file(&args.target, why)))
        }
    }
}

/// Nothing overridden but the memory limit.
fn overrides(args: &BenchArgs) -> Overrides {
    Overrides { memory_max: args.memory.max(), ..Overrides::default() }
}

fn calibration() -> Calibration {
    let begun = Instant::now();
    Calibration::measure(|| begun.elapsed())
}

/// The result for a `.scen` file; [`KEYS_HELP`](crate::bench_keys::KEYS_HELP) describes the keys.
#[derive(Serialize)]
struct QueriesResult {
    bench: &'static str,
    file: String,
    map: String,
    size: (u32, u32),
    class: String,
    queries: usize,
    #[serde(flatten)]
    answers: Answers,
    threads: usize,
    queries_per_s: Option<f64>,
    landmarks: Option<LandmarksResult>,
    load_s: f64,
    compile_s: f64,
    components_s: f64,
    peak_memory_mib: Option<f64>,
    peers: [(); 0],
    calibration: Calibration,
}

/// Results of the queries, answered one by one.
#[derive(Serialize)]
struct Answers {
    answered: usize,
    statuses: BTreeMap<&'static str, u64>,
    lengths: Option<Lengths>,
    cost: u64,
    expansions: u64,
    guides: BTreeMap<&'static str, u64>,
    query_ms: QueryMs,
    ns_per_expansion: f64,
}

/// The same with landmarks as the guide.
#[derive(Serialize)]
struct LandmarksResult {
    number: usize,
    prepare_s: f64,
    memory_mib: f64,
    #[serde(flatten)]
    answers: Answers,
}

/// Times of single queries, in milliseconds.
#[derive(Default, Serialize)]
struct QueryMs {
    median: f64,
    p95: f64,
    max: f64,
}

/// Comparison with the published lengths.
#[derive(Default, Serialize)]
struct Lengths {
    checked: u64,
    differ: u64,
    decimals: u32,
    tolerance: f64,
    first: Vec<Difference>,
}

/// A length that differs from the published one.
#[derive(Serialize)]
struct Difference {
    line: u32,
    bucket: u32,
    start: (i32, i32),
    goal: (i32, i32),
    published: f64,
    ours: Option<f64>,
    status: &'static str,
}

impl Lengths {
    fn of(scen: &ScenFile) -> Self {
        Self { decimals: scen.decimals, ..Self::default() }
    }

    /// Compares the length of an answer with the published one.
    fn check(&mut self, query: &ScenQuery, tolerance: f64, status: Status, path: &Path) {
        let ours = (status == Status::Found).then(|| path.octile_length());
        self.checked += 1;
        self.tolerance = self.tolerance.max(tolerance);
        if ours.is_some_and(|ours| (ours - query.length).abs() <= tolerance) {
            return;
        }
        self.differ += 1;
        if self.first.len() < DIFFERENCES_SHOWN_MAX {
            self.first.push(Difference {
                line: query.line,
                bucket: query.bucket,
                start: (query.start.x, query.start.y),
                goal: (query.goal.x, query.goal.y),
                published: query.length,
                ours,
                status: status.name(),
            });
        }
    }
}

/// Answers the queries of a `.scen` file one by one on this thread, then as a batch, then with landmarks.
fn bench_queries(args: &BenchArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let pool = thread_pool(args.threads)?;
    let memory_max = args.memory.max();
    let begun = Instant::now();
    let ScenProblem { queries: scen, map, problem: PlanningProblem { grid, class, .. }, .. } =
        load_scen(&args.target, args.map.as_deref(), args.class.as_deref(), memory_max)
            .map_err(|error| Takes::MEASURABLE.refuse(&args.target, error))?;
    let space = StateSpace::new(grid.size(), grid.shape(), class.headings());
    let threads = pool.current_num_threads() as u64;
    check_planning(&args.target, (&grid, &class), threads + 1, landmark_need(space), memory_max)?;
    let load_s = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let mut tables = MovementTables::compile(&grid, class);
    let compile_s = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    tables.make_components();
    let components_s = begun.elapsed().as_secs_f64();
    let tables = Arc::new(tables);

    stop.catch_signals();
    let goals: Vec<[GoalMember; 1]> =
        scen.queries.iter().map(|query| [GoalMember::any(query.goal)]).collect();
    let start = |query: &ScenQuery| Pose { cell: query.start, heading: Heading(0) };
    let requests: Vec<Request<'_>> = scen
        .queries
        .iter()
        .zip(&goals)
        .map(|(query, goal)| Request::new(start(query), Goal::of(goal)))
        .collect();
    let answers = Answers::one_by_one(&tables, &scen, &requests, !args.progress.quiet, stop);
    let batch_s = pool.install(|| batch_s(&tables, &requests, stop));
    let landmarks = with_landmarks(&tables, &scen, &requests, !args.progress.quiet, stop);
    let result = QueriesResult {
        bench: "queries",
        file: args.target.display().to_string(),
        map: map.display().to_string(),
        size: (grid.size().width(), grid.size().height()),
        class: tables.class().spec().name.clone(),
        queries: scen.queries.len(),
        answers,
        threads: pool.current_num_threads(),
        queries_per_s: batch_s.map(|s| rate(requests.len() as u64, s)),
        landmarks,
        load_s,
        compile_s,
        components_s,
        peak_memory_mib: peak_memory_mib(),
        peers: [],
        calibration: calibration(),
    };
    print(args.format, &result, |out| write_queries_text(out, &result))?;
    let of_landmarks = result.landmarks.iter().map(|landmarks| &landmarks.answers);
    let mut lengths = of_landmarks.chain([&result.answers]).filter_map(|answers| answers.lengths.as_ref());
    let differ = lengths.any(|lengths| lengths.differ > 0);
    Ok(match differ {
        _ if stop.is_raised() => Exit::Interrupted,
        true => Exit::Negative,
        false => Exit::Done,
    })
}

fn with_landmarks(
    tables: &Arc<MovementTables>,
    scen: &ScenFile,
    requests: &[Request<'_>],
    show: bool,
    stop: &Interrupt,
) -> Option<LandmarksResult> {
    let shared = Arc::clone(tables);
    let made = stop.unless_raised(move || PreparedLandmarks::new(&shared))?;
    let heuristic = Heuristic::Landmarks(&made.landmarks);
    let requests: Vec<_> = requests.iter().map(|request| Request { heuristic, ..*request }).collect();
    Some(LandmarksResult {
        number: made.landmarks.states().len(),
        prepare_s: made.prepare_s,
        memory_mib: made.memory_mib(),
        answers: Answers::one_by_one(tables, scen, &requests, show, stop),
    })
}

impl Answers {
    /// Answers and times each query on this thread.
    fn one_by_one(
        tables: &MovementTables,
        scen: &ScenFile,
        requests: &[Request<'_>],
        show: bool,
        stop: &Interrupt,
    ) -> Self {
        // Published lengths hold for this class only.
        let comparable = tables.class().spec() == MovementClass::octile().spec();
        let mut answers = Self {
            answered: 0,
            statuses: BTreeMap::new(),
            lengths: comparable.then(|| Lengths::of(scen)),
            cost: 0,
            expansions: 0,
            guides: BTreeMap::new(),
            query_ms: QueryMs::default(),
            ns_per_expansion: 0.0,
        };
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        // An untimed first search, which allocates the scratch.
        plan(tables, &requests[0], &mut scratch, &mut path);
        let mut nanos: Vec<u64> = Vec::with_capacity(requests.len());
        let bar = progress_bar("query", requests.len() as u64, show);
        for (query, request) in scen.queries.iter().zip(requests) {
            if stop.is_raised() {
                break;
            }
            let begun = Instant::now();
            let answer = plan(tables, request, &mut scratch, &mut path);
            nanos.push(begun.elapsed().as_nanos() as u64);
            *answers.statuses.entry(answer.status.name()).or_default() += 1;
            *answers.guides.entry(answer.guide.name()).or_default() += 1;
            if answer.status == Status::Found {
                answers.cost += u64::from(answer.cost);
            }
            answers.expansions += answer.expansions;
            if let Some(lengths) = &mut answers.lengths {
                lengths.check(query, scen.tolerance(query.length), answer.status, &path);
            }
            if nanos.len().is_multiple_of(PROGRESS_QUERIES) {
                bar.set_position(nanos.len() as u64);
            }
        }
        bar.finish_and_clear();
        answers.answered = nanos.len();
        if answers.expansions > 0 {
            answers.ns_per_expansion = nanos.iter().sum::<u64>() as f64 / answers.expansions as f64;
        }
        nanos.sort_unstable();
        let at = |permille| quantile_ms(&nanos, permille);
        answers.query_ms = QueryMs { median: at(500), p95: at(950), max: at(1000) };
        answers
    }
}

/// Seconds for all queries as a batch on the current pool; `None` if interrupted.
fn batch_s(tables: &MovementTables, requests: &[Request<'_>], stop: &Interrupt) -> Option<f64> {
    let mut scratch = BatchScratch::new();
    let begun = Instant::now();
    for chunk in requests.chunks(QUERIES_PER_CHUNK * rayon::current_num_threads()) {
        if stop.is_raised() {
            return None;
        }
        plan_all(tables, chunk, &mut scratch, |_, _, _| {});
    }
    Some(begun.elapsed().as_secs_f64())
}

fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

fn write_queries_text(out: &mut impl Write, result: &QueriesResult) -> io::Result<()> {
    let QueriesResult { file, map, size: (width, height), class, queries, .. } = result;
    let [file, map, class] = [file, map, class].map(|name| safe_text::line(name));
    writeln!(out, "{file}: {queries} queries on {map}, {width} x {height}, class {class}")?;
    write_answers_text(out, &result.answers, *queries)?;
    let batch = match result.queries_per_s {
        Some(per_s) => format!("{per_s:.0} queries/s, {}", counted(result.threads, "thread")),
        None => "not run".to_owned(),
    };
    row(out, "batch", batch)?;
    row(
        out,
        "tables",
        format!("compiled in {:.3} s, components in {:.3} s", result.compile_s, result.components_s),
    )?;
    match &result.landmarks {
        None => row(out, "landmarks", "not run")?,
        Some(LandmarksResult { number, prepare_s, memory_mib, answers }) => {
            row(out, "landmarks", format!("{}; with them:", prepared(*number, *prepare_s, *memory_mib)))?;
            write_answers_text(out, answers, *queries)?;
        }
    }
    write_end_text(out, result.load_s, result.peak_memory_mib, result.calibration)
}

fn write_answers_text(out: &mut impl Write, answers: &Answers, queries: usize) -> io::Result<()> {
    let counts = |counts: &BTreeMap<&str, u64>| {
        let parts = counts.iter().map(|(name, n)| format!("{n} {}", name.replace('_', " ")));
        parts.collect::<Vec<_>>().join(", ")
    };
    let cut = if answers.answered < queries { ", interrupted" } else { "" };
    let none = if answers.answered == 0 { "none" } else { "" };
    row(out, "answers", format!("{none}{}{cut}", counts(&answers.statuses)))?;
    match &answers.lengths {
        None => row(out, "lengths", "not checked: the published ones are for class octile")?,
        Some(lengths) => write_lengths_text(out, lengths)?,
    }
    row(out, "guided by", counts(&answers.guides))?;
    row(out, "expansions", format!("{}, {:.1} ns each", answers.expansions, answers.ns_per_expansion))?;
    let QueryMs { median, p95, max } = answers.query_ms;
    row(out, "query", format!("median {median:.4} ms, p95 {p95:.4} ms, max {max:.3} ms, on one thread"))
}

fn write_lengths_text(out: &mut impl Write, lengths: &Lengths) -> io::Result<()> {
    let Lengths { checked, differ, decimals, tolerance, first } = lengths;
    let rule = format!("tolerance {tolerance}, as the file has {decimals} decimals");
    row(out, "lengths", format!("{checked} checked, {differ} differ; {rule}"))?;
    for Difference { line, bucket, start, goal, published, ours, status } in first {
        let ours = ours.map_or_else(|| status.replace('_', " "), |ours| format!("{ours:.5}"));
        writeln!(
            out,
            "    line {line}, bucket {bucket}: {start:?} to {goal:?}: published {published}, ours {ours}"
        )?;
    }
    match differ - first.len() as u64 {
        0 => Ok(()),
        more => writeln!(out, "    and {more} more"),
    }
}

/// Writes how well the agents did compared with the single-agent bound, and their memory.
fn write_traffic_text(out: &mut impl Write, result: &ScenarioResult, no_bound: &str) -> io::Result<()> {
    let run = &result.run;
    row(
        out,
        "tasks",
        format!("{} done, longest {}", run.tasks_done, counted(run.longest_task_ticks, "tick")),
    )?;
    match &result.single_agent_bound {
        Some(bound) => {
            let share = percent(bound.permille);
            row(
                out,
                "single-agent bound",
                format!("{} of {} tasks, {share}", bound.tasks_done, bound.bound_tasks_done),
            )?;
            let (agents, tasks) = (bound.confined_agents, bound.confined_tasks_done);
            row(
                out,
                "confined",
                format!("{} with {}, not counted above", counted(agents, "agent"), counted(tasks, "task")),
            )?;
        }
        None => row(out, "single-agent bound", format!("not computed: {no_bound}"))?,
    }
    if let Some(gates) = &result.gates {
        let busiest = percent(gates.busiest_permille);
        row(out, "gates", format!("{}, the busiest {busiest} used by single agents", gates.number))?;
    }
    if let Some(detour) = run.detour_permille {
        row(out, "detour", format!("{} of the single-agent bound, {} trips", percent(detour), run.trips))?;
    }
    row(out, "longest trip", counted(run.longest_trip_ticks, "tick"))?;
    row(out, "without progress", counted(run.no_progress_agents, "agent"))?;
    let MemoryResult { agent_bytes, fields, field_bytes, landmark_bytes, .. } = &result.memory;
    row(
        out,
        "memory",
        format!(
            "{agent_bytes} bytes per agent, {field_bytes} per goal with a cost field ({fields}), {landmark_bytes} of landmarks"
        ),
    )
}

fn write_end_text(
    out: &mut impl Write,
    load_s: f64,
    peak_memory_mib: Option<f64>,
    calibration: Calibration,
) -> io::Result<()> {
    row(out, "loading", format!("{load_s:.3} s"))?;
    if let Some(mib) = peak_memory_mib {
        row(out, "peak memory", format!("{mib:.1} MiB"))?;
    }
    row(out, "peers", "none")?;
    row(out, "calibration", calibration)
}

/// The result for a scenario; [`KEYS_HELP`](crate::bench_keys::KEYS_HELP) describes the keys.
#[derive(Serialize)]
struct ScenarioResult {
    bench: &'static str,
    file: String,
    #[serde(flatten)]
    run: RunResult,
    expansions_per_s: f64,
    load_s: f64,
    single_agent_bound: Option<SingleAgentBound>,
    gates: Option<GateUse>,
    memory: MemoryResult,
    memory_growth_mib: Option<f64>,
    #[serde(serialize_with = "by_name")]
    phase_shares: [f64; Phase::ALL.len()],
    peers: [(); 0],
    calibration: Calibration,
}

/// Tasks done, compared with the single-agent lower bound.
#[derive(Serialize)]
struct SingleAgentBound {
    tasks_done: u64,
    bound_tasks_done: u64,
    permille: u64,
    confined_agents: u64,
    confined_tasks_done: u64,
    wall_s: f64,
}

/// Use of gates by the paths of single agents.
#[derive(Serialize)]
struct GateUse {
    number: u32,
    busiest_permille: u64,
    wall_s: f64,
}

/// Memory per agent and per goal.
#[derive(Serialize)]
struct MemoryResult {
    loaded_mib: Option<f64>,
    agent_bytes: u64,
    fields: u64,
    field_bytes: u64,
    landmark_bytes: u64,
}

impl MemoryResult {
    fn of(world: &World, loaded_mib: Option<f64>) -> Self {
        let Memory { agents, agent_bytes, fields, field_bytes, landmark_bytes, .. } = world.memory();
        Self {
            loaded_mib,
            agent_bytes: agent_bytes / agents.max(1),
            fields,
            field_bytes: field_bytes / fields.max(1),
            landmark_bytes,
        }
    }
}

/// Compares the tasks `finished` in a run, by row, with the single-agent lower bound, and computes the use of gates.
/// The inner error says why there is no bound.
fn single_agent_bound_of(
    target: &std::path::Path,
    overrides: Overrides,
    finished: &[u32],
    stop: &Interrupt,
) -> Result<Result<(SingleAgentBound, GateUse), String>, Failure> {
    let begun = Instant::now();
    // The world before the first tick.
    let fresh = load_world(target, overrides)?;
    let go_on = || !stop.is_raised();
    let find_begun = Instant::now();
    let gate_load = GateLoad::new(fresh.grid().size(), fresh.tables(), fresh.settings().collision);
    let find_s = find_begun.elapsed().as_secs_f64();
    let count = |tables: &MovementTables, path: &_| gate_load.count(tables, path);
    let bounds = match single_agent_bounds_observed(&fresh, &go_on, &count) {
        Ok(Some(bounds)) => bounds,
        Ok(None) => return Ok(Err("interrupted".to_owned())),
        Err(reason) => return Ok(Err(reason.to_string())),
    };
    let mut result = SingleAgentBound {
        tasks_done: 0,
        bound_tasks_done: 0,
        permille: 0,
        confined_agents: 0,
        confined_tasks_done: 0,
        wall_s: 0.0,
    };
    // Without events no agent is removed, so the rows are unchanged.
    for (bound, &tasks_done) in bounds.iter().zip(finished) {
        let tasks_done = u64::from(tasks_done);
        if bound.confined {
            result.confined_agents += 1;
            result.confined_tasks_done += tasks_done;
        } else {
            result.tasks_done += tasks_done;
            result.bound_tasks_done += bound.tasks_done;
        }
    }
    result.permille = permille(result.tasks_done, result.bound_tasks_done);
    result.wall_s = begun.elapsed().as_secs_f64() - find_s;
    let begun = Instant::now();
    let (taken, supply) = gate_load.busiest(fresh.settings().ticks);
    let gate_use = GateUse {
        number: gate_load.n_gates() as u32,
        busiest_permille: permille(taken, supply),
        wall_s: begun.elapsed().as_secs_f64() + find_s,
    };
    Ok(Ok((result, gate_use)))
}

fn by_name<S: Serializer>(shares: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(Phase::ALL.iter().map(|phase| phase.name()).zip(shares))
}

/// Runs a scenario like `run`, and times its phases.
fn bench_scenario(args: &BenchArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    refuse_map(args.map.as_deref())?;
    if args.class.is_some() {
        return Err(Failure::bad_input(
            "--class: a scenario has its own classes; expected it with a .scen file",
        ));
    }
    let pool = Arc::new(thread_pool(args.threads)?);
    let begun = Instant::now();
    let load = || load_world(&args.target, overrides(args));
    let mut world = pool.install(load).map_err(|error| Takes::MEASURABLE.refuse(&args.target, error))?;
    let load_s = begun.elapsed().as_secs_f64();
    stop.catch_signals();
    let loaded_mib = peak_memory_mib();
    let mut phases = PhaseTimes::new();
    // Enough ticks for all that a run keeps to have its size.
    let (third, mut n_ticks, mut third_mib) = (world.settings().ticks / 3, 0, None);
    let mut begins = |phase| {
        phases.begin(phase);
        if phase == Phase::Events {
            if n_ticks == third {
                third_mib = peak_memory_mib();
            }
            n_ticks += 1;
        }
    };
    let begun = Instant::now();
    let driven = pool.install(|| {
        let (mut given, mut files) = (Given::default(), RunFiles::default());
        drive(&mut world, &mut given, &mut files, None, stop, !args.progress.quiet, &mut begins)
    });
    let wall_s = begun.elapsed().as_secs_f64();
    let Driven { times, agent_ticks, broken, .. } = driven?;
    if let Some(broken) = broken {
        return Err(Failure::Message { exit: Exit::Broken, text: format!("error: {broken}") });
    }
    phases.begin(Phase::Metrics);
    let run = RunResult {
        peak_memory_mib: peak_memory_mib(),
        ..RunResult::of(&world, pool.current_num_threads(), &times, wall_s, agent_ticks)
    };
    let memory = MemoryResult::of(&world, loaded_mib);
    let memory_growth_mib = run.peak_memory_mib.zip(third_mib).map(|(end, third)| end - third);
    let (bound, no_bound) = if stop.is_raised() {
        (None, "interrupted".to_owned())
    } else {
        let finished: Vec<u32> = (0..world.agent_arrays().len())
            .map(|row| world.agent_arrays().statistics(row).finished)
            .collect();
        drop(world);
        let (in_pool, target, of_work) = (Arc::clone(&pool), args.target.clone(), stop.clone());
        let same = overrides(args);
        // Loading the scenario again does not poll the flag.
        let bound = stop.unless_raised(move || {
            in_pool.install(|| single_agent_bound_of(&target, same, &finished, &of_work))
        });
        match bound.unwrap_or_else(|| Ok(Err("interrupted".to_owned())))? {
            Ok(bound) => (Some(bound), String::new()),
            Err(reason) => (None, reason),
        }
    };
    let (single_agent_bound, gates) = bound.unzip();
    let result = ScenarioResult {
        bench: "scenario",
        file: args.target.display().to_string(),
        expansions_per_s: rate(run.expansions, wall_s),
        run,
        load_s,
        single_agent_bound,
        gates,
        memory,
        memory_growth_mib,
        phase_shares: phases.shares(),
        peers: [],
        calibration: calibration(),
    };
    print(args.format, &result, |out| write_scenario_text(out, &result, &no_bound))?;
    Ok(if stop.is_raised() { Exit::Interrupted } else { Exit::Done })
}

fn write_scenario_text(out: &mut impl Write, result: &ScenarioResult, no_bound: &str) -> io::Result<()> {
    let run = &result.run;
    let RunResult { scenario, ticks, agents, moves, threads, .. } = run;
    let scenario = safe_text::line(scenario);
    let counts = [
        counted(*agents, "agent"),
        counted(*ticks, "tick"),
        counted(*moves, "move"),
        counted(*threads, "thread"),
    ];
    writeln!(out, "{scenario}: {}", counts.join(", "))?;
    write_carried(out, run)?;
    let [ticks, agent_ticks, moves] =
        [run.ticks_per_s, run.agent_ticks_per_s, run.moves_per_s].map(|per_s| format!("{per_s:.0}"));
    row(out, "throughput", format!("{ticks} ticks/s, {agent_ticks} agent-ticks/s, {moves} moves/s"))?;
    let tick_ms = run.tick_ms;
    row(
        out,
        "tick",
        format!("p50 {:.4} ms, p99 {:.4} ms, max {:.3} ms", tick_ms.p50, tick_ms.p99, tick_ms.max),
    )?;
    let shares = Phase::ALL.iter().zip(result.phase_shares);
    let shares = shares.map(|(phase, share)| format!("{} {:.1} %", phase.name(), 100.0 * share));
    row(out, "time by phase", shares.collect::<Vec<_>>().join(", "))?;
    row(
        out,
        "path requests",
        format!(
            "{}, {} expansions, {:.0} expansions/s",
            run.path_requests, run.expansions, result.expansions_per_s
        ),
    )?;
    row(out, "orders", format!("{} done, {} left", run.orders_done, run.orders_left))?;
    write_traffic_text(out, result, no_bound)?;
    row(out, "state hash", &run.state_hash)?;
    write_end_text(out, result.load_s, run.peak_memory_mib, result.calibration)
}
