//! What was typed. Flags of DESIGN 8 that this release does not have yet are known and refused by name.

use crate::bench_keys::KEYS_HELP;
use crate::failure::{Exit, Failure};
use crate::memory_max::MemoryArgs;
use crate::output::clash::Output;
use crate::picture_files::OutputSpec;
use crate::query::rectangle_from_arg;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use wheelbase_scenario::scenario::EXPANSIONS_PER_TICK_MAX;
use wheelbase_sim::TrafficParams;
use wheelbase_view::picture::view::SCALE_MAX;

/// Moves units that are bigger than one tile.
#[derive(Debug, Parser)]
#[command(name = "wheelbase", version, about, max_term_width = 100, after_help = exit_statuses())]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario to its end and print what came of it
    Run(RunArgs),
    /// Plan one path, or one for each line of a file of queries
    Plan(PlanArgs),
    /// Say what is wrong in scenario, map and recording files, and where
    Check(CheckArgs),
    /// Time published queries and check their lengths, or time a scenario
    #[command(after_long_help = KEYS_HELP)]
    Bench(BenchArgs),
    /// Say how far it is from a pose to each of many targets, and what lies within so many ticks
    Distances(DistancesArgs),
    /// Run a recording again and say where it differs
    Verify(VerifyArgs),
    /// Draw a recording: a page that plays it in a browser, or pictures
    Render(RenderArgs),
    /// Plot a recording: throughput, waiting, times of its ticks, and where its agents were held up
    Report(ReportArgs),
    /// Write a seeded map, or write a map again in another format
    Generate(GenerateArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each subcommand too
    Man(ManArgs),
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Scenario file (.toml), or problem of the League of Robot Runners (.json)
    #[arg(value_name = "SCENARIO|PROBLEM.json")]
    pub scenario: PathBuf,
    /// Stop after this many ticks instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub ticks: Option<u32>,
    /// Take this seed instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub seed: Option<u64>,
    /// Worker threads; the result is the same for any number [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
    /// Write a trace, one JSON object a line
    #[arg(long, value_name = "FILE.jsonl")]
    pub trace: Option<PathBuf>,
    /// Draw the run in the terminal: q quits, space pauses, + and - change the speed
    #[arg(long)]
    pub watch: bool,
    /// Record the run, to be rendered and verified
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write what is counted as a table, a row every so many ticks
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
    /// Ticks from one row of --metrics to the next
    #[arg(long, value_name = "N", default_value_t = 10, requires = "metrics", allow_negative_numbers = true, value_parser = whole::<u32, 1, U32_MAX>)]
    pub metrics_every: u32,
    /// Check after every tick, the slow way, that no two agents hold one cell
    #[arg(long)]
    pub check_invariants: bool,
    /// Spend this many expansions a tick on path requests instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 1, EXPANSIONS_PER_TICK_MAX>)]
    pub expansions_per_tick: Option<u64>,
    /// Let the traffic try this many poses a tick instead of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub tries_per_tick: Option<u64>,
    /// Give a tunable of the traffic another value, to see what a mechanism is worth; may come several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = tuning, conflicts_with = "record")]
    pub tune: Vec<(String, u32)>,
    /// Of a problem: write what every agent did, in the competition's format
    #[arg(long, value_name = "FILE.json")]
    pub plan_out: Option<PathBuf>,
    #[arg(long, hide = true)]
    snapshot: Option<PathBuf>,
    #[arg(long, hide = true)]
    snapshot_every: Option<u64>,
    #[arg(long, hide = true)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

impl RunArgs {
    /// The files that are to be written, with their flags.
    pub fn outputs(&self) -> [Output<'_>; 4] {
        [
            ("--trace", self.trace.as_deref()),
            ("--record", self.record.as_deref()),
            ("--metrics", self.metrics.as_deref()),
            ("--plan-out", self.plan_out.as_deref()),
        ]
    }
}

#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// Map (.map, .tmx, .png) or scenario (.toml)
    #[arg(value_name = "MAP|SCENARIO")]
    pub target: PathBuf,
    /// A file with one [class.NAME] table, or the name of a class of the scenario
    #[arg(long, value_name = "FILE|NAME")]
    pub class: Option<String>,
    /// Where the agent stands: X,Y,HEADING
    #[arg(
        long,
        value_name = "X,Y,H",
        required_unless_present = "queries",
        conflicts_with = "queries",
        allow_hyphen_values = true
    )]
    pub from: Option<String>,
    /// Where it shall go: X,Y with any heading or X,Y,HEADING
    #[arg(
        long,
        value_name = "X,Y[,H]",
        required_unless_present = "queries",
        conflicts_with = "queries",
        allow_hyphen_values = true
    )]
    pub to: Option<String>,
    /// Any anchor so near to the goal is a goal too, in cells
    #[arg(long, value_name = "R", default_value_t = 0, conflicts_with = "queries", allow_negative_numbers = true, value_parser = whole::<u32, 0, U32_MAX>)]
    pub within: u32,
    /// zero, manhattan, chebyshev, octile, euclid, greedy, landmarks or field [default: picked for the class]
    #[arg(long, value_name = "NAME", conflicts_with = "queries")]
    pub heuristic: Option<String>,
    /// In permille: 1000 gives the cheapest path, 1500 one at most half as dear again
    #[arg(long, value_name = "N", default_value_t = 1000, conflicts_with = "queries", allow_negative_numbers = true, value_parser = whole::<u32, 1000, U32_MAX>)]
    pub weight: u32,
    /// What to do when the goal cannot be reached
    #[arg(long, value_name = "fail|nearest", default_value = "fail", value_parser = ["fail", "nearest"], conflicts_with = "queries")]
    pub fallback: String,
    /// No move may sweep a cell outside this rectangle
    #[arg(long, value_name = "X,Y,W,H", conflicts_with = "queries", allow_hyphen_values = true)]
    pub window: Option<String>,
    /// Give up after this many expansions
    #[arg(long, value_name = "N", conflicts_with = "queries", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub expansions_max: Option<u64>,
    /// Output format of a single plan; text also says on standard error what guided --queries
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Answer a query a line, in order
    #[arg(long, value_name = "FILE.jsonl")]
    pub queries: Option<PathBuf>,
    /// Worker threads for --queries [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    /// Draw the path, what it sweeps, and the search: the redder, the more headings of a cell were expanded
    #[arg(long, value_name = "FILE.png", conflicts_with = "queries")]
    pub png: Option<PathBuf>,
    /// The same as a picture that can be shown at any size
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
    /// A file with one [class.NAME] table, or the name of a class of the scenario
    #[arg(long, value_name = "FILE|NAME")]
    pub class: Option<String>,
    /// Where the agent stands: X,Y,HEADING
    #[arg(long, value_name = "X,Y,H", allow_hyphen_values = true)]
    pub from: String,
    /// A target: X,Y with any heading or X,Y,HEADING; may be given many times
    #[arg(long, value_name = "X,Y[,H]", allow_hyphen_values = true)]
    pub to: Vec<String>,
    /// List every pose that can be reached within so many ticks, and how
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub within: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Draw the distances: the farther, the darker, with contour lines
    #[arg(long, value_name = "FILE.png")]
    pub png: Option<PathBuf>,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Scenario files (.toml), class files (.toml), maps (.map, .tmx, .png), queries on them (.scen),
    /// problems (.json) and recordings
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Judge this plan of one problem: replay it by the competition's rules
    #[arg(long, value_name = "FILE.json")]
    pub plan: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

const U32_MAX: u64 = u32::MAX as u64;

/// Reads a whole number from `LOW` to `HIGH`, and says so where it is none.
/// A tunable of the traffic and its value.
fn tuning(text: &str) -> Result<(String, u32), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no whole number from 0 to {}", u32::MAX))?;
    TrafficParams::default().set(name, value).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), value))
}

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
    /// Worker threads; the answer is the same for any number [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("outputs").args(["html", "png", "svg", "gif"]).required(true).multiple(true))]
pub struct RenderArgs {
    /// Recording of run --record
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Write one page for a browser that plays the run; it needs nothing beside it
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Leave planned paths out of the page, which makes it smaller
    #[arg(long, requires = "html")]
    pub no_paths: bool,
    /// Write a picture of a tick
    #[arg(long, value_name = "FILE.png")]
    pub png: Option<PathBuf>,
    /// Write a picture of a tick that can be shown at any size
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    /// The tick that --png and --svg show [default: the last]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub tick: Option<u32>,
    /// Write a moving picture
    #[arg(long, value_name = "FILE.gif")]
    pub gif: Option<PathBuf>,
    /// First tick of --gif
    #[arg(long, value_name = "N", requires = "gif", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub from: Option<u32>,
    /// Last tick of --gif [default: the last]
    #[arg(long, value_name = "N", requires = "gif", allow_negative_numbers = true, value_parser = whole::<u32, 0, 0xFFFF_FFFE>)]
    pub to: Option<u32>,
    /// Ticks from one frame of --gif to the next [default: so many that there are at most 300 frames]
    #[arg(long, value_name = "N", requires = "gif", allow_negative_numbers = true, value_parser = whole::<u32, 1, U32_MAX>)]
    pub every: Option<u32>,
    /// Frames a second of --gif
    #[arg(long, value_name = "N", requires = "gif", default_value_t = 20, allow_negative_numbers = true, value_parser = whole::<u16, 1, 50>)]
    pub fps: u16,
    #[command(flatten)]
    pub view: ViewArgs,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Recording of run --record
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Write one page for a browser; it needs nothing beside it
    #[arg(long, value_name = "FILE.html")]
    pub html: PathBuf,
    /// Worker threads of the second run, which is timed [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// What part of a map pictures show, and how large.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// Points a cell of pictures [default: as fits 1280 points, at most 32]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32, 1, { SCALE_MAX as u64 }>)]
    pub scale: Option<u32>,
    /// The part of the map that pictures show [default: all of it]
    #[arg(long, value_name = "X,Y,W,H", allow_hyphen_values = true)]
    pub area: Option<String>,
}

impl ViewArgs {
    /// The pictures that are wanted.
    pub fn spec<'a>(
        &self,
        png: Option<&'a PathBuf>,
        svg: Option<&'a PathBuf>,
    ) -> Result<OutputSpec<'a>, Failure> {
        let area = self.area.as_deref().map(|area| rectangle_from_arg(area, "--area")).transpose();
        let area = area.map_err(Failure::bad_input)?;
        Ok(OutputSpec {
            png: png.map(PathBuf::as_path),
            svg: svg.map(PathBuf::as_path),
            area,
            scale: self.scale,
        })
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
    /// Of a new map: the same seed gives the same map
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64, 0, { u64::MAX }>)]
    pub seed: Option<u64>,
    /// Where to write it: .map, or .png for a picture, a pixel a cell
    #[arg(short, long = "output", value_name = "FILE.map|FILE.png")]
    pub output: PathBuf,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Queries of the MovingAI benchmark (.scen), their map beside them, or a scenario (.toml)
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// Of .scen: plan for the class in this file, and check no lengths [default: octile]
    #[arg(long, value_name = "FILE|NAME")]
    pub class: Option<String>,
    /// Worker threads, of .scen for the queries a second [default: one a core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u16, 1, 1024>)]
    pub threads: Option<u16>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Write wheelbase.1, and one page a subcommand, into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

fn exit_statuses() -> String {
    let line = |(exit, meaning): &(Exit, &str)| format!("\n  {:<5}{meaning}", *exit as u8);
    format!("Exit status:{}", Exit::MEANINGS.iter().map(line).collect::<String>())
}

impl Args {
    /// Refuses what DESIGN names and this release does not have yet.
    pub fn refuse_unsupported(&self) -> Result<(), Failure> {
        let refused = match &self.command {
            Command::Run(a) => [
                (a.snapshot.is_some(), "--snapshot"),
                (a.snapshot_every.is_some(), "--snapshot-every"),
                (a.resume.is_some(), "--resume"),
            ]
            .to_vec(),
            Command::Plan(_)
            | Command::Distances(_)
            | Command::Check(_)
            | Command::Verify(_)
            | Command::Render(_)
            | Command::Report(_)
            | Command::Bench(_)
            | Command::Generate(_)
            | Command::Completions(_)
            | Command::Man(_) => Vec::new(),
        };
        match refused.into_iter().find(|(given, _)| *given) {
            Some((_, name)) => Err(Failure::bad_input(format!("not supported yet: {name}"))),
            None => Ok(()),
        }
    }
}
