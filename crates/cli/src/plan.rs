//! `wheelbase plan`: plans one path, or answers each line of a file of queries.

use crate::args::{Format, PlanArgs};
use crate::failure::{Exit, Failure};
use crate::file_kind::Takes;
use crate::guide::{GuideSelector, Guides, fields_need, landmark_need, summary};
use crate::interrupt::Interrupt;
use crate::memory_max::{self, check_planning};
use crate::output::clash::refuse_clashes;
use crate::output::files::Outputs;
use crate::output::{counted, print, say};
use crate::picture_files::OutputSpec;
use crate::query::{AnswerLine, HeuristicChoice, Query, QueryError, query_from_args, rectangle_from_arg};
use crate::routes::{RouteAnswer, RouteMemory, Routes};
use crate::standard_input::read_named;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path as FilePath, PathBuf};
use wheelbase_grid::{Grid, GridShape, Lattice, MemoryMax, MemoryNeed};
use wheelbase_planner::abstraction::routes_need;
use wheelbase_planner::model::StateSpace;
use wheelbase_planner::search::batch::{BatchScratch, plan_all};
use wheelbase_planner::search::{Answer, Fallback, Heuristic};
use wheelbase_planner::tables::field_need;
use wheelbase_planner::{Legality, MovementClass, MovementTables, Path, PathPose, Request, Status, plan};
use wheelbase_scenario::load::{LoadError, PlanningProblem, load_planning_problem};
use wheelbase_scenario::scenario::{Message, ScenarioError, ScenarioErrors, Span};
use wheelbase_view::picture::plan::SearchOutcome;
use wheelbase_view::picture::view::View;
use wheelbase_view::safe_text::{self, SafeText};

/// Queries per worker between two checks for Ctrl-C and for a closed output pipe.
const QUERIES_PER_CHUNK: usize = 64;

pub fn run(args: &PlanArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let spec = args.view.spec(args.png.as_ref(), args.svg.as_ref())?;
    let inputs = PlanningInputs {
        target: &args.target,
        class: args.class.as_deref(),
        queries: args.queries.as_deref(),
        memory_max: args.memory.max(),
    };
    let (PlanningProblem { grid, class, .. }, view) = inputs.load(&spec)?;
    let (headings, memory_max) = (class.headings(), inputs.memory_max);
    let of_class = class_note(&args.target, args.class.as_deref(), &class);
    if let Some(file) = &args.queries {
        let queries = read_queries(file, headings, grid.shape(), args.by_route, memory_max)?;
        let (threads, space) =
            (thread_pool(args.threads)?.current_num_threads() as u64, space_of(&grid, headings));
        let guides = match args.by_route {
            true => routes_need(space, threads),
            false => MemoryNeed::on_demand(landmark_need(space).and(fields_need(space)).total),
        };
        check_planning(&args.target, (&grid, &class), threads, guides, memory_max)?;
        let mut tables = MovementTables::compile(&grid, class);
        tables.make_components();
        return match args.by_route {
            true => answer_all_by_routes(&grid, &tables, &queries, of_class, args, stop),
            false => answer_all(&grid, &tables, &queries, of_class, args, stop),
        };
    }
    let (from, to) = (args.from.as_deref().unwrap_or(""), args.to.as_deref().unwrap_or(""));
    let mut query = query_from_args(from, to, headings).map_err(Failure::bad_input)?;
    query.within = args.within;
    if let Some(name) = &args.heuristic {
        query.heuristic =
            HeuristicChoice::from_name(name, grid.shape(), "--heuristic").map_err(Failure::bad_input)?;
    }
    query.weight = args.weight;
    query.expansions_max = args.expansions_max;
    if let Some(window) = &args.window {
        query.window = Some(rectangle_from_arg(window, "--window").map_err(Failure::bad_input)?);
    }
    query.fallback = if args.fallback == "nearest" { Fallback::Nearest } else { Fallback::Fail };
    let guide = match query.heuristic {
        _ if args.by_route => routes_need(space_of(&grid, headings), 1),
        HeuristicChoice::Landmarks => landmark_need(space_of(&grid, headings)),
        HeuristicChoice::Field => field_need(space_of(&grid, headings)),
        HeuristicChoice::Automatic | HeuristicChoice::Named(_) => MemoryNeed::default(),
    };
    check_planning(&args.target, (&grid, &class), 1, guide, memory_max)?;
    let mut tables = MovementTables::compile(&grid, class);
    // A single path is usually found faster than components are made. But a graph takes longer than they do. With a
    // limit of expansions they distinguish an unreachable goal from a distant one. Landmarks are chosen among the poses
    // of one component, and the nearest pose to an unreachable goal is found around it.
    if args.by_route
        || query.expansions_max.is_some()
        || query.fallback == Fallback::Nearest
        || matches!(query.heuristic, HeuristicChoice::Landmarks)
    {
        tables.make_components();
    }
    let mut guides = Guides::new(&tables);
    guides.prepare(&query);
    let request = query.request(guides.heuristic(query.heuristic, &query.goal()));
    let mut memory = RouteMemory::default();
    let routes = args.by_route.then(|| Routes::of(&tables));
    let planned = match &routes {
        Some(routes) => routes.answer(&query, &mut memory),
        None => {
            let mut path = Path::new();
            let answer = plan(&tables, &request, &mut memory.search, &mut path);
            RouteAnswer { answer, route: None, path }
        }
    };
    let RouteAnswer { answer, route, path } = &planned;
    let mut outputs = Outputs::default();
    if let Some(view) = view {
        let outcome = SearchOutcome {
            grid: &grid,
            tables: &tables,
            request: &request,
            answer,
            path,
            scratch: &memory.search,
            graph: routes.as_ref().map(|routes| (&routes.graph, route.as_ref())),
        };
        spec.write(&outcome.picture(view), &mut outputs, stop);
    }
    let reason = reason(&grid, &tables, &request, answer);
    let line = AnswerLine::new(&query, &tables, answer, path, reason.clone()).along(route.as_ref());
    let of_graph = routes.as_ref().map(Routes::note);
    let notes: Vec<String> = of_class.into_iter().chain(guides.notes()).chain(of_graph).collect();
    let printed = print(args.format, &line, |out| write_text(out, &tables, &planned, reason, &notes));
    let exit = if answer.status == Status::Found { Exit::Done } else { Exit::Negative };
    outputs.end_after(printed, exit)
}

/// The inputs of a command that plans for a class on a map.
pub struct PlanningInputs<'a> {
    pub target: &'a FilePath,
    pub class: Option<&'a str>,
    pub queries: Option<&'a FilePath>,
    pub memory_max: MemoryMax,
}

impl PlanningInputs<'_> {
    /// Loads map and class, and the view of the requested pictures, if any. Refuses pictures that would overwrite
    /// inputs.
    pub fn load(&self, spec: &OutputSpec<'_>) -> Result<(PlanningProblem, Option<View>), Failure> {
        // The class can also be the name of one within the scenario.
        let class_file = self.class.map(FilePath::new).filter(|file| file.exists());
        refuse_clashes(spec.outputs(), [Some(self.target), class_file, self.queries].into_iter().flatten())?;
        let problem = load_planning_problem(self.target, self.class, self.memory_max)
            .map_err(|error| self.refuse(error))?;
        refuse_clashes(spec.outputs(), problem.files.iter().map(PathBuf::as_path))?;
        let lattice = Lattice(problem.grid.shape());
        let view = spec.any().then(|| spec.view(lattice, problem.grid.size().rect())).transpose()?;
        Ok((problem, view))
    }
}

impl PlanningInputs<'_> {
    /// The failure of loading: in the target or in the class file.
    fn refuse(&self, error: LoadError) -> Failure {
        let class = self.class.map(FilePath::new).filter(|file| error.is_in(file));
        match class {
            Some(file) => Takes::CLASS.refuse(file, error),
            None => Takes::PLANNABLE.refuse(self.target, error),
        }
    }
}

fn space_of(grid: &Grid, headings: u8) -> StateSpace {
    StateSpace::new(grid.size(), grid.shape(), headings)
}

/// Bytes of memory for each byte of the query file.
const QUERY_BYTES: u64 = 16;

fn read_queries(
    file: &FilePath,
    headings: u8,
    shape: GridShape,
    by_route: bool,
    memory_max: MemoryMax,
) -> Result<Vec<Query>, Failure> {
    let bytes = read_named(file)?;
    let need = MemoryNeed::built(QUERY_BYTES * bytes.len() as u64);
    let what = || format!("{}: queries of {} bytes", file.display(), bytes.len());
    memory_max::check(memory_max, need, what)?;
    let name = || file.display().to_string();
    let mistake = |span: Span, message: Message| ScenarioError::at(name(), span, message);
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = String::from_utf8_lossy(good).lines().last().map_or(0, |line| line.chars().count()) + 1;
        mistake(Span::in_line(line, column, 1), "not UTF-8 text".into())
    });
    let text = text.map_err(|error| Takes::QUERY_LINES.refuse(file, ScenarioErrors::from(error).into()))?;
    let (mut queries, mut mistakes) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match Query::from_json(line, headings, shape, by_route) {
            Ok(query) => queries.push(query),
            Err(QueryError { column, length, message }) => {
                mistakes.push(mistake(Span::in_line(number + 1, column, length), *message));
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(Takes::QUERY_LINES.refuse(file, ScenarioErrors::new(mistakes).into()));
    }
    Ok(queries)
}

/// Answers all queries in order, on all threads, and writes the lines block by block.
fn answer_all(
    grid: &Grid,
    tables: &MovementTables,
    queries: &[Query],
    of_class: Option<String>,
    args: &PlanArgs,
    stop: &Interrupt,
) -> Result<Exit, Failure> {
    let pool = thread_pool(args.threads)?;
    let mut out = SafeText::json(BufWriter::new(io::stdout()));
    let mut written: Result<(), Failure> = Ok(());
    let mut scratch = BatchScratch::new();
    let (mut guides, mut selector) = (Guides::new(tables), GuideSelector::new(queries));
    let mut n_answered = 0;
    while n_answered < queries.len() && written.is_ok() && !stop.is_raised() {
        let block_len = QUERIES_PER_CHUNK * pool.current_num_threads();
        // Preparation can take long, so signals end the program immediately and the answers so far are written before.
        out.flush()?;
        stop.release_signals();
        let block = selector.prepare(n_answered, block_len, &mut guides);
        stop.catch_signals();
        let requests = selector.requests(block.clone(), &guides);
        pool.install(|| {
            plan_all(tables, &requests, &mut scratch, |at, answer, path| {
                selector.note(block.start + at, answer, path);
                if written.is_ok() {
                    let reason = reason(grid, tables, &requests[at], answer);
                    let line = AnswerLine::new(&queries[block.start + at], tables, answer, path, reason);
                    written = write_line(&mut out, &line);
                }
            });
        });
        n_answered = block.end;
    }
    written?;
    out.flush()?;
    if args.format == Format::Text {
        say([&[selector.summary()], of_class.as_slice(), &guides.notes()[..]].concat().join("\n"));
    }
    Ok(if stop.is_raised() { Exit::Interrupted } else { Exit::Done })
}

/// The same along routes: each worker answers a part of each block.
fn answer_all_by_routes(
    grid: &Grid,
    tables: &MovementTables,
    queries: &[Query],
    of_class: Option<String>,
    args: &PlanArgs,
    stop: &Interrupt,
) -> Result<Exit, Failure> {
    let pool = thread_pool(args.threads)?;
    let n_workers = pool.current_num_threads();
    stop.release_signals();
    let routes = pool.install(|| Routes::of(tables));
    stop.catch_signals();
    let mut out = SafeText::json(BufWriter::new(io::stdout()));
    let mut memories: Vec<RouteMemory> = (0..n_workers).map(|_| RouteMemory::default()).collect();
    let mut found_by: BTreeMap<String, u64> = BTreeMap::new();
    for block in queries.chunks(QUERIES_PER_CHUNK * n_workers) {
        if stop.is_raised() {
            break;
        }
        let parts = block.par_chunks(block.len().div_ceil(n_workers)).zip(&mut memories);
        let answer_part = |(part, memory): (&[Query], &mut RouteMemory)| -> Vec<RouteAnswer> {
            part.iter().map(|query| routes.answer(query, memory)).collect()
        };
        let parts: Vec<Vec<RouteAnswer>> = pool.install(|| parts.map(answer_part).collect());
        for (query, planned) in block.iter().zip(parts.iter().flatten()) {
            *found_by.entry(planned.found_by()).or_default() += 1;
            let RouteAnswer { answer, route, path } = planned;
            let reason = reason(grid, tables, &query.request(Heuristic::Default), answer);
            let line = AnswerLine::new(query, tables, answer, path, reason).along(route.as_ref());
            write_line(&mut out, &line)?;
        }
        out.flush()?;
    }
    if args.format == Format::Text {
        say([&[summary(&found_by)], of_class.as_slice(), &[routes.note()]].concat().join("\n"));
    }
    Ok(if stop.is_raised() { Exit::Interrupted } else { Exit::Done })
}

/// A pool of a number of threads, by default one per core.
pub fn thread_pool(threads: Option<u16>) -> Result<rayon::ThreadPool, Failure> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, usize::from));
    builder.build().map_err(|error| Failure::bad_input(format!("threads cannot be started: {error}")))
}

/// Which class is planned for on a map, if no argument said so.
pub fn class_note(target: &FilePath, given: Option<&str>, class: &MovementClass) -> Option<String> {
    let is_scenario = target.extension().is_some_and(|ending| ending == "toml");
    let name = || safe_text::line(&class.spec().name);
    (given.is_none() && !is_scenario).then(|| format!("class: {}, since --class names none", name()))
}

/// Why an answer has no path, for people.
fn reason(grid: &Grid, tables: &MovementTables, request: &Request<'_>, answer: &Answer) -> Option<String> {
    let legality = Legality::new(grid, tables.class());
    answer.reason(&legality, request).map(|reason| reason.describe(&legality, grid))
}

fn write_line(out: &mut impl Write, line: &AnswerLine<'_>) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, line).map_err(io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

fn write_text(
    out: &mut impl Write,
    tables: &MovementTables,
    planned: &RouteAnswer,
    reason: Option<String>,
    notes: &[String],
) -> io::Result<()> {
    let RouteAnswer { answer, route, path } = planned;
    let space = tables.space();
    let status = answer.status.name().replace('_', " ");
    writeln!(out, "{status}, {}, {}", counted(answer.expansions, "expansion"), planned.found_by())?;
    for note in notes {
        writeln!(out, "{note}")?;
    }
    if let Some(reason) = reason {
        writeln!(out, "{reason}")?;
    }
    if let Some(route) = route {
        let (cost, portals) = (counted(route.cost, "tick"), counted(route.portals.len(), "portal"));
        writeln!(out, "route: cost {cost}, {portals}")?;
    }
    if let Some(reached) = answer.reached {
        let (cost, moves) = (counted(answer.cost, "tick"), counted(path.moves.len(), "move"));
        writeln!(out, "reached: {}, cost {cost}, {moves}", reached.name())?;
        let primitives = tables.class().primitives();
        let show = |p: &PathPose| format!("{:>8}  {}", p.arrival, space.display(p.pose));
        writeln!(out, "{:>8}  pose", "tick")?;
        writeln!(out, "{}", show(&path.poses[0]))?;
        for (pose, &primitive) in path.poses[1..].iter().zip(&path.moves) {
            let name = safe_text::line(&primitives[primitive as usize].name);
            writeln!(out, "{}  {name}", show(pose))?;
        }
    }
    Ok(())
}
