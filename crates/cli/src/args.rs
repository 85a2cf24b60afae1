//! Command-line arguments. Flags planned for later releases are known and refused by name.

use crate::bench_keys::KEYS_HELP;
use crate::failure::{Exit, Failure};
use crate::memory_max::MemoryArgs;
use crate::output::clash::Output;
use crate::picture_files::OutputSpec;
use crate::query::rectangle_from_arg;
use crate::version;
use anstream::ColorChoice;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::{Path, PathBuf};
use wheelbase_maps::movingai_scen::QUERIES_MAX;
use wheelbase_scenario::output_clash::is_same_file;
use wheelbase_scenario::scenario::{EXPANSIONS_PER_TICK_MAX, nearest_name};
use wheelbase_sim::{ReplanParams, RouteMode, TrafficParams, tune};
use wheelbase_view::picture::view::SCALE_MAX;

/// Simulates and plans for units that cover more than one tile.
#[derive(Debug, Parser)]
#[command(
    name = "wheelbase",
    version,
    long_version = version::text(),
    about,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = exit_statuses()
)]
pub struct Args {
    /// Messages on files: full, with an excerpt and help, or short, one line each
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "full|short",
        hide_possible_values = true,
        display_order = 900
    )]
    pub message_format: MessageFormat,
    /// Colours of messages
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "auto|always|never",
        hide_possible_values = true,
        display_order = 901
    )]
    pub color: Color,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario to its end and print the result
    Run(RunArgs),
    /// Run a scenario or problem and play it in the browser; or play a recording
    Show(ShowArgs),
    /// Write a commented scenario to start from
    New(NewArgs),
    /// Plan one path, or answer a file of queries
    Plan(PlanArgs),
    /// Validate scenario, map and recording files
    Check(CheckArgs),
    /// Time a scenario, or time published queries and check their lengths
    #[command(after_long_help = KEYS_HELP)]
    Bench(BenchArgs),
    /// Run scenarios over seeds and values of their keys, and write a table with a row for each run
    Sweep(SweepArgs),
    /// Measure distances from a pose to many targets, or list all poses within a number of ticks
    Distances(DistancesArgs),
    /// Replay a recording and report the first difference
    Verify(VerifyArgs),
    /// Draw a recording or a plan as a page that plays in a browser, or as pictures
    Render(RenderArgs),
    /// Plot a recording: throughput, waiting, tick times and congestion
    Report(ReportArgs),
    /// Generate a map from a seed, or convert a map to another format
    Generate(GenerateArgs),
    /// Print the JSON schema of scenarios and class files, for editors
    Schema,
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write the pages of all subcommands
    Man(ManArgs),
    /// Print this help, or the help of a subcommand
    Help(HelpArgs),
}

/// Output format of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Format of messages on files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With an excerpt of the file, and help
    #[default]
    Full,
    /// One line each: FILE:LINE:COLUMN: KEY: MESSAGE
    Short,
}

/// The colours of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// For terminals, and not where the user sets `NO_COLOR`
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// How path requests are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Routes {
    /// By exact searches
    Exact,
    /// By routes over the abstract graph and exact legs along them
    Abstract,
    /// Exactly as far as the budget of expansions goes, the others by legs
    Auto,
}

impl From<Routes> for RouteMode {
    fn from(routes: Routes) -> Self {
        match routes {
            Routes::Exact => Self::Exact,
            Routes::Abstract => Self::Abstract,
            Routes::Auto => Self::Auto,
        }
    }
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct ProgressArgs {
    /// No progress bar
    #[arg(short, long)]
    pub quiet: bool,
}

/// Values that a snapshot sets, and outputs that begin with the scenario.
const RESUME_EXCLUDES: [&str; 11] = [
    "scenario",
    "agents",
    "map",
    "class",
    "seed",
    "expansions_per_tick",
    "routes",
    "poses_per_agent",
    "tries_per_tick",
    "tune",
    "plan_out",
];

#[derive(Debug, Default, clap::Args)]
pub struct RunArgs {
    /// Scenario (.toml), problem of the League of Robot Runners (.json), or with --agents queries of the MovingAI
    /// benchmarks (.scen); - for a scenario on standard input
    #[arg(value_name = "SCENARIO|PROBLEM.json|MAP.scen", required_unless_present = "resume")]
    pub scenario: Option<PathBuf>,
    /// For .scen: one-shot multi-agent path finding with the first N queries. Each agent goes from its start to its
    /// goal and stays there; collision rule discrete
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 1, { QUERIES_MAX as u64 }>)]
    pub agents: Option<u32>,
    /// For .scen: the map [default: the file that the queries name, beside them, or from the working folder or a
    /// folder above them]
    #[arg(long, value_name = "FILE", requires = "agents")]
    pub map: Option<PathBuf>,
    /// For .scen: the class of the agents, in this file, or octile [default: one cell, four moves of one tick each]
    #[arg(long, value_name = "FILE|NAME", requires = "agents")]
    pub class: Option<String>,
    /// Number of ticks from tick 0, instead of the scenario's; 0 only builds the world. For .scen the most ticks
    /// [default: 10000 times the longest base time of a move]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub ticks: Option<u32>,
    /// Random seed, instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub seed: Option<u64>,
    /// Worker threads; the result is the same for any number [default: one per core]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Status 1 if an order proved unreachable, not only if orders are left [default: a warning]
    #[arg(long)]
    pub fail_unreachable: bool,
    /// Write a trace, one JSON object per line
    #[arg(long, value_name = "FILE.jsonl")]
    pub trace: Option<PathBuf>,
    /// Draw the run in the terminal: q quits, space pauses, + and - change the speed
    #[arg(long)]
    pub watch: bool,
    /// Record the run for render, report and verify
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write counts as a table, with a row every --metrics-every ticks
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
    /// Ticks between two rows of --metrics
    #[arg(long, value_name = "N", default_value_t = 10, requires = "metrics", allow_negative_numbers = true, value_parser = whole::<u32, 1, U32_MAX>)]
    pub metrics_every: u32,
    /// Check after every tick, independently and slowly, that no two agents hold the same cell
    #[arg(long)]
    pub check_invariants: bool,
    /// Expansions per tick for path requests, instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 1, EXPANSIONS_PER_TICK_MAX>)]
    pub expansions_per_tick: Option<u64>,
    /// How path requests are answered, instead of the scenario's way: exact, abstract or auto
    #[arg(long, value_name = "MODE", value_enum)]
    pub routes: Option<Routes>,
    /// Poses that each agent may expand per tick to plan its moves, instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 1, U32_MAX>)]
    pub poses_per_agent: Option<u32>,
    /// Tries of all robots of a problem together per tick, instead of some for each robot
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub tries_per_tick: Option<u64>,
    /// Set a tunable of the traffic rule, to measure a mechanism; repeatable; not with --record,
    /// because recordings do not store tunables
    #[arg(long, value_name = "NAME=VALUE", value_parser = tuning, conflicts_with = "record")]
    pub tune: Vec<(String, u32)>,
    /// Write the moves of all agents as a plan, for check --plan and render --plan; of a problem in the format of
    /// the competition. Not for a scenario with events
    #[arg(long, value_name = "FILE.json")]
    pub plan_out: Option<PathBuf>,
    /// Write a snapshot at the end of the run, for --resume
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Write the snapshot every N ticks as well
    #[arg(long, value_name = "N", requires = "snapshot", allow_negative_numbers = true, value_parser = whole::<u32, 1, U32_MAX>)]
    pub snapshot_every: Option<u32>,
    /// Resume from a snapshot, or run to the panic of a crash report, instead of a scenario; --snapshot may
    /// name the same file
    #[arg(long, value_name = "FILE", conflicts_with_all = RESUME_EXCLUDES)]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

impl RunArgs {
    /// Output files with their flags. Leaves out a snapshot that replaces the resumed one, which is read before.
    pub fn outputs_not_resumed(&self) -> [Output<'_>; 5] {
        let is_resumed = |path: &Path| self.resume.as_deref().is_some_and(|from| is_same_file(path, from));
        self.outputs()
            .map(|(flag, path)| (flag, path.filter(|path| flag != "--snapshot" || !is_resumed(path))))
    }

    /// Output files with their flags.
    pub fn outputs(&self) -> [Output<'_>; 5] {
        [
            ("--trace", self.trace.as_deref()),
            ("--record", self.record.as_deref()),
            ("--metrics", self.metrics.as_deref()),
            ("--plan-out", self.plan_out.as_deref()),
            ("--snapshot", self.snapshot.as_deref()),
        ]
    }
}

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Scenario (.toml), problem of the League of Robot Runners (.json), or recording of run --record
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Do not open the browser; say where the page is
    #[arg(long)]
    pub no_open: bool,
    /// Rerun and renew the page whenever the file is saved, until Ctrl-C
    #[arg(long)]
    pub reload: bool,
    /// Write the page to this file; of files that exist only such a page is replaced [default: a new temporary
    /// file]
    #[arg(short, long, value_name = "PAGE.html")]
    pub output: Option<PathBuf>,
    /// Number of ticks from tick 0, instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub ticks: Option<u32>,
    /// Random seed, instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct NewArgs {
    /// The scenario: its file is NAME.toml
    #[arg(value_name = "NAME")]
    pub name: PathBuf,
}

/// What paths along routes do not know: they lead to one cell, by legs without limits.
const ROUTE_EXCLUDES: [&str; 6] = ["within", "heuristic", "weight", "fallback", "window", "expansions_max"];

#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// Map (.map, .tmx, .png) or scenario (.toml)
    #[arg(value_name = "MAP|SCENARIO")]
    pub target: PathBuf,
    /// File with one [class.NAME] table, or name of a class of the scenario
    #[arg(long, value_name = "FILE|NAME")]
    pub class: Option<String>,
    /// Start pose: X,Y,HEADING
    #[arg(
        long,
        value_name = "X,Y,H",
        required_unless_present = "queries",
        conflicts_with = "queries",
        allow_hyphen_values = true
    )]
    pub from: Option<String>,
    /// Goal: X,Y for any heading, or X,Y,HEADING
    #[arg(
        long,
        value_name = "X,Y[,H]",
        required_unless_present = "queries",
        conflicts_with = "queries",
        allow_hyphen_values = true
    )]
    pub to: Option<String>,
    /// Radius in cells: anchors within this distance of the goal are goals too
    #[arg(long, value_name = "R", default_value_t = 0, conflicts_with = "queries", allow_negative_numbers = true, value_parser = whole::<u32, 0, U32_MAX>)]
    pub within: u32,
    /// zero, manhattan, chebyshev, octile, euclid, greedy, landmarks or field [default: depends on the
    /// class]
    #[arg(long, value_name = "NAME", conflicts_with = "queries")]
    pub heuristic: Option<String>,
    /// Weight in thousandths: with 1000 the path is cheapest, with 1500 it costs at most 1.5 times as much
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "queries", allow_negative_numbers = true, value_parser = whole::<u32, 1000, U32_MAX>)]
    pub weight: u32,
    /// If the goal is unreachable, fail or plan to the nearest reachable pose
    #[arg(long, value_name = "fail|nearest", default_value = "fail", value_parser = ["fail", "nearest"], conflicts_with = "queries")]
    pub fallback: String,
    /// Rectangle that the path may not leave: no move sweeps a cell outside
    #[arg(long, value_name = "X,Y,W,H", conflicts_with = "queries", allow_hyphen_values = true)]
    pub window: Option<String>,
    /// Give up after this many expansions
    #[arg(long, value_name = "N", conflicts_with = "queries", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub expansions_max: Option<u64>,
    /// Plan along a route over the abstract graph of the map: sooner on large maps, on a path some percent longer.
    /// Pictures show clusters, portals and the route in place of the search
    #[arg(long = "abstract", conflicts_with_all = ROUTE_EXCLUDES)]
    pub by_route: bool,
    /// Output format of a single plan; with --queries, text adds a summary of guides on standard error
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Answer the queries of a file, one per line, in order; - for standard input
    #[arg(long, value_name = "FILE.jsonl")]
    pub queries: Option<PathBuf>,
    /// Worker threads for --queries [default: one per core]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    /// Draw the path, its swept cells and the search: the more headings of a cell were expanded, the
    /// redder it is
    #[arg(long, value_name = "FILE.png", conflicts_with = "queries")]
    pub png: Option<PathBuf>,
    /// The same as a scalable picture
    #[arg(long, value_name = "FILE.svg", conflicts_with = "queries")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct DistancesArgs {
    /// Map (.map, .tmx, .png) or scenario (.toml)
    #[arg(value_name = "MAP|SCENARIO")]
    pub target: PathBuf,
    /// File with one [class.NAME] table, or name of a class of the scenario
    #[arg(long, value_name = "FILE|NAME")]
    pub class: Option<String>,
    /// Start pose: X,Y,HEADING
    #[arg(long, value_name = "X,Y,H", allow_hyphen_values = true)]
    pub from: String,
    /// Target: X,Y for any heading, or X,Y,HEADING; repeatable
    #[arg(long, value_name = "X,Y[,H]", allow_hyphen_values = true)]
    pub to: Vec<String>,
    /// List all poses reachable within this many ticks, with the last move to each
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub within: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Draw the distances, darker when farther, with contour lines
    #[arg(long, value_name = "FILE.png")]
    pub png: Option<PathBuf>,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Scenarios and class files (.toml), maps (.map, .tmx, .png), queries (.scen), problems (.json) and
    /// recordings; - for a scenario on standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Judge this plan, from run --plan-out or another planner, for the given scenario, queries (.scen) or problem.
    /// A plan of a problem is judged by the rules of the competition
    #[arg(long, value_name = "FILE.json")]
    pub plan: Option<PathBuf>,
    /// For .scen: the map [default: the file that the queries name, beside them, or from the working folder or a
    /// folder above them]
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// For .scen with --plan: the class of the agents, in this file, or octile [default: one cell, four moves of
    /// one tick each]
    #[arg(long, value_name = "FILE|NAME", requires = "plan")]
    pub class: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

const U32_MAX: u64 = u32::MAX as u64;

/// Parses a tunable of the traffic rule with its value.
fn tuning(text: &str) -> Result<(String, u32), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let value =
        value.parse().map_err(|_| format!("`{value}` is not a whole number from 0 to {}", u32::MAX))?;
    let set = tune(&mut TrafficParams::default(), &mut ReplanParams::default(), name, value);
    set.map_err(|error| {
        let tunables: Vec<&str> =
            TrafficParams::tunables().into_iter().chain(ReplanParams::tunables()).map(|it| it.name).collect();
        // There are more than a hundred: the nearest is worth more than all.
        match nearest_name(name, tunables.iter().copied()).filter(|_| !tunables.contains(&name)) {
            Some(near) => format!("no tunable is called `{name}`; did you mean `{near}`?"),
            None => error.to_string(),
        }
    })?;
    Ok((name.to_owned(), value))
}

/// Parses a whole number from `LOW` to `HIGH`.
fn whole<T: TryFrom<u64>, const LOW: u64, const HIGH: u64>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| (LOW..=HIGH).contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("expected a whole number from {LOW} to {HIGH}"))
}

#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    /// Recording of run --record
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Worker threads; the result is the same for any number [default: one per core]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("outputs").args(["html", "png", "svg", "gif"]).required(true).multiple(true))]
pub struct RenderArgs {
    /// Recording of run --record; with --plan the scenario (.toml), queries (.scen) or problem (.json) of the plan
    #[arg(value_name = "RECORDING|SCENARIO")]
    pub recording: PathBuf,
    /// Draw this plan, from run --plan-out or another planner; of a problem with its tasks
    #[arg(long, value_name = "FILE.json")]
    pub plan: Option<PathBuf>,
    /// For .scen with --plan: the map [default: the file that the queries name, beside them, or from the working
    /// folder or a folder above them]
    #[arg(long, value_name = "FILE", requires = "plan")]
    pub map: Option<PathBuf>,
    /// For .scen with --plan: the class of the agents, in this file, or octile [default: one cell, four moves of
    /// one tick each]
    #[arg(long, value_name = "FILE|NAME", requires = "plan")]
    pub class: Option<String>,
    /// Write a self-contained page that plays the run in a browser
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Leave planned paths out of the page, which makes it smaller
    #[arg(long, requires = "html")]
    pub no_paths: bool,
    /// Step the whole run again to tell in the page why agents wait [default: as far as it takes seconds]
    #[arg(long, requires = "html")]
    pub all_reasons: bool,
    /// Write a picture of a tick
    #[arg(long, value_name = "FILE.png")]
    pub png: Option<PathBuf>,
    /// Write a scalable picture of a tick
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// Tick of --png and --svg [default: the last]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub tick: Option<u32>,
    /// Write an animation
    #[arg(long, value_name = "FILE.gif")]
    pub gif: Option<PathBuf>,
    /// First tick of --gif
    #[arg(long, value_name = "N", requires = "gif", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub from: Option<u32>,
    /// Last tick of --gif [default: the last]
    #[arg(long, value_name = "N", requires = "gif", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub to: Option<u32>,
    /// Ticks between two frames of --gif [default: least that gives at most 300 frames]
    #[arg(long, value_name = "N", requires = "gif", allow_negative_numbers = true, value_parser = whole::<u32, 1, U32_MAX>)]
    pub every: Option<u32>,
    /// Frames per second of --gif
    #[arg(long, value_name = "N", requires = "gif", default_value_t = 20, allow_negative_numbers = true, value_parser = whole::<u16, 1, 50>)]
    pub fps: u16,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Recording of run --record
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Write a self-contained page for a browser
    #[arg(short, long, alias = "html", value_name = "FILE.html")]
    pub output: PathBuf,
    /// Worker threads of the timed replay [default: one per core]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// The view of pictures.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// Pixels per cell of pictures [default: whatever fits 1280 pixels, at most 32]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 1, { SCALE_MAX as u64 }>)]
    pub scale: Option<u32>,
    /// Part of the map shown by pictures [default: all of it]
    #[arg(long, value_name = "X,Y,W,H", allow_hyphen_values = true)]
    pub area: Option<String>,
    /// Write title, tick and scale below pictures
    #[arg(long)]
    pub caption: bool,
}

impl ViewArgs {
    /// The requested pictures.
    pub fn spec<'a>(
        &self,
        png: Option<&'a PathBuf>,
        svg: Option<&'a PathBuf>,
    ) -> Result<OutputSpec<'a>, Failure> {
        let area = self.area.as_deref().map(|area| rectangle_from_arg(area, "--area")).transpose();
        let area = area.map_err(Failure::bad_input)?;
        let spec = OutputSpec {
            png: png.map(PathBuf::as_path),
            svg: svg.map(PathBuf::as_path),
            area,
            scale: self.scale,
            caption: self.caption,
        };
        spec.check_endings()?;
        Ok(spec)
    }
}

#[derive(Debug, clap::Args)]
pub struct GenerateArgs {
    /// open, random, rooms, maze, river, base or streets; or a map (.map, .tmx, .png) or scenario (.toml)
    #[arg(value_name = "KIND|MAP")]
    pub kind: String,
    /// Columns and rows of a new map
    #[arg(long, value_name = "W,H")]
    pub size: Option<String>,
    /// Random seed of a new map
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub seed: Option<u64>,
    /// Output file: .map, or .png with one pixel per cell
    #[arg(short, long, value_name = "FILE.map|FILE.png")]
    pub output: PathBuf,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Scenario (.toml), or queries of the MovingAI benchmark (.scen)
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// For .scen: the map [default: the file that the queries name, beside them, or from the working folder or a
    /// folder above them]
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// For .scen: plan for the class in this file, without checking lengths [default: octile]
    #[arg(long, value_name = "FILE|NAME")]
    pub class: Option<String>,
    /// Worker threads; for .scen, of the batch of all queries [default: one per core]
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// What has no meaning for tables that are merged.
const MERGE_EXCLUDES: [&str; 10] = [
    "scenarios",
    "seeds",
    "set",
    "measure",
    "resume",
    "shard",
    "threads",
    "times",
    "check_invariants",
    "record_failed",
];

#[derive(Debug, clap::Args)]
pub struct SweepArgs {
    /// Scenarios (.toml), or problems of the League of Robot Runners (.json)
    #[arg(value_name = "SCENARIO", required_unless_present = "merge")]
    pub scenarios: Vec<PathBuf>,
    /// Seeds: 0..100 for 0 to 99, 0..=99 for the same, or several with commas between them
    #[arg(long, value_name = "A..B", required_unless_present = "merge", allow_hyphen_values = true)]
    pub seeds: Option<String>,
    /// Set a key of the scenarios to each of these values; repeatable: every combination is run. KEY is its path,
    /// as in groups[0].count; values are written as in TOML, and a plain word is a string
    #[allow(rustdoc::broken_intra_doc_links, reason = "an index is no link")]
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub set: Vec<String>,
    /// Columns of the table, keys of run --format json; all for all [default: all keys with a number or a text]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub measure: Vec<String>,
    /// The table; until it is whole its rows are in FILE.part
    #[arg(short, long, alias = "out", value_name = "FILE.csv|FILE.jsonl")]
    pub output: PathBuf,
    /// Keep the rows of FILE and FILE.part, and run the missing items
    #[arg(long)]
    pub resume: bool,
    /// Run part I of N of the items; --merge joins their tables
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Items in parallel, each on one thread; the table is the same for any number [default: one per core]
    #[arg(short = 'j', long, alias = "jobs", value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    /// Add a column wall_s, the seconds of each run
    #[arg(long)]
    pub times: bool,
    /// Write a page that plots each measure over each parameter
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// For each item that fails, write a file to reproduce it into this folder
    #[arg(long, value_name = "DIR")]
    pub record_failed: Option<PathBuf>,
    /// Check after every tick, independently and slowly, that no two agents hold the same cell
    #[arg(long)]
    pub check_invariants: bool,
    /// Join finished tables of shards, instead of running scenarios
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = MERGE_EXCLUDES)]
    pub merge: Vec<PathBuf>,
    /// No progress bar, and no summary
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Write wheelbase.1 and a page for each subcommand to this folder
    #[arg(short, long, alias = "out", value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct HelpArgs {
    /// The subcommand [default: the program]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

fn exit_statuses() -> String {
    let line = |(exit, meaning): &(Exit, &str)| format!("\n  {:<5}{meaning}", *exit as u8);
    format!("Exit status:{}", Exit::MEANINGS.iter().map(line).collect::<String>())
}
