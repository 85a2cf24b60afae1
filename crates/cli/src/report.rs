//! `wheelbase report`: plots of a recorded run as a page.

mod plot;

use crate::args::ReportArgs;
use crate::colours::{Rgb, mixed};
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::clash::refuse_clashes;
use crate::output::files::Outputs;
use crate::output::{progress_bar, say};
use crate::phase_times::PhaseTimes;
use crate::picture::ground::{self, Kinds, map_area};
use crate::picture::lattice::Lattice;
use crate::picture::raster::Canvas;
use crate::picture::{Cells, Item, Paint, View, Wanted, gif, png};
use crate::plan::thread_pool;
use crate::render::film;
use crate::render::html::{base64, filled};
use crate::round_numbers::least_round;
use crate::safe_text::{self, markup};
use plot::{Kind, Plot, Series};
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::time::Duration;
use wheelbase_grid::CellXY;
use wheelbase_planner::Offset;
use wheelbase_sim::recording::{
    Event, MapLayers, Reader, RecordedAgents, RecordingError, TickRecord, check_memory, rebuild,
};
use wheelbase_sim::{Counters, Phase, STUCK_AFTER_TICKS, Simulation, Step, TickTimes};

const PAGE: &str = include_str!("report/page.html");

/// Most values along a plot, and bars.
const VALUES_MAX: u32 = 240;
const BARS_MAX: u32 = 48;

/// How much the map is darkened below what is drawn on it.
const SHADE: Paint = Paint::new([0; 3], 110);

const N_PHASES: usize = Phase::ALL.len();

pub fn run(args: &ReportArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let file = safe_text::path(&args.recording);
    let of_file = |error: RecordingError| Failure::bad_input(format!("{file}: {error}"));
    refuse_clashes([("--html", Some(args.html.as_path()))], [args.recording.as_path()])?;
    let pool = thread_pool(args.threads)?;
    let mut reader = Reader::open_file(&args.recording).map_err(of_file)?;
    if let Some(cut) = reader.cut() {
        say(format_args!("warning: {file}: {cut}"));
    }
    check_memory(reader.header(), args.memory.max()).map_err(of_file)?;
    let figures = pool.install(|| Figures::of(&mut reader, stop)).map_err(of_file)?;
    if let Some(tick) = figures.differs_at {
        say(format_args!("warning: {file}: the second run differs from tick {tick} on"));
    }
    let page = page(&mut reader, &figures, pool.current_num_threads()).map_err(of_file)?;
    let mut outputs = Outputs::default();
    outputs.write(&args.html, page.as_bytes(), stop);
    outputs.end(match figures.differs_at {
        _ if stop.is_raised() => Exit::Interrupted,
        Some(_) => Exit::Negative,
        None => Exit::Done,
    })
}

/// What a page says of a run: by tick, by cell, and the times of a second run.
struct Figures {
    /// Behind each tick.
    counters: Vec<Counters>,
    /// Of each tick of the second run, by phase.
    nanos: Vec<[u64; N_PHASES]>,
    times: TickTimes,
    /// The first tick at which the second run was another.
    differs_at: Option<u32>,
    /// How often each cell was swept.
    swept: Vec<u32>,
    /// Ticks in which an agent stood on each cell and waited, of all agents.
    waited: Vec<u32>,
}

impl Figures {
    /// Reads a recording and runs it again beside that.
    fn of(reader: &mut Reader<BufReader<File>>, stop: &Interrupt) -> Result<Self, RecordingError> {
        let mut sim = rebuild(reader.header())?;
        stop.heed();
        let n_cells = sim.grid().size().n_cells();
        let mut figures = Self {
            counters: Vec::new(),
            nanos: Vec::new(),
            times: TickTimes::with_capacity(reader.n_ticks()),
            differs_at: None,
            swept: vec![0; n_cells],
            waited: vec![0; n_cells],
        };
        let bar = progress_bar("tick", reader.ticks_run().into(), true);
        let mut record = TickRecord::default();
        while !stop.is_raised() && reader.next_tick(&mut record)? {
            figures.run_again(&mut sim, &record);
            figures.counters.push(record.counters);
            bar.set_position(record.tick.into());
            // What no run did could be counted without end.
            if figures.differs_at.is_some() {
                continue;
            }
            let map = &reader.header().map;
            for event in &record.events {
                if let Event::Move { agent, primitive, from, .. } = *event {
                    let class = reader.agents().row(agent).map(|row| reader.agents().classes[row]);
                    let class = class.and_then(|class| sim.tables().get(usize::from(class.0)));
                    let Some(class) = class.map(|tables| tables.class()) else { continue };
                    if usize::from(primitive) < class.primitives().len() && from.heading.0 < class.headings()
                    {
                        let shape = class.shape_at(from, usize::from(primitive));
                        let at = |cell: &Offset| cell.cell_from(from.cell);
                        count(&mut figures.swept, map, shape.swept.iter().map(at));
                    }
                }
            }
            figures.count_waits(reader.agents(), map, &sim);
        }
        bar.finish_and_clear();
        Ok(figures)
    }

    /// Runs a tick of the second run, up to the first that is another.
    fn run_again(&mut self, sim: &mut Simulation, record: &TickRecord) {
        if self.differs_at.is_some() {
            return;
        }
        let mut phases = PhaseTimes::new();
        let step = sim.step_observed(&mut |phase| phases.begin(phase));
        phases.begin(Phase::Metrics);
        let goes_on = step == Step::Running && sim.tick() != record.tick + 1;
        if sim.tick_hash() != record.state_hash || Counters::of(sim) != record.counters || goes_on {
            self.differs_at = Some(record.tick);
            return;
        }
        self.times.add(record.tick, Duration::from_nanos(phases.nanos.iter().sum()));
        self.nanos.push(phases.nanos);
    }

    /// Counts the cells on which agents wait.
    fn count_waits(&mut self, frame: &RecordedAgents, map: &MapLayers, sim: &Simulation) {
        for (row, since) in frame.waits_since.iter().enumerate() {
            let tables = sim.tables().get(usize::from(frame.classes[row].0));
            let pose = frame.motion[row].to;
            let Some(tables) = tables.filter(|_| *since != film::NONE && !frame.is_moving(row)) else {
                continue;
            };
            let class = tables.class();
            if pose.heading.0 < class.headings() {
                let cells = class.cells_at(pose).iter();
                let at = |cell: &Offset| cell.cell_from(pose.cell);
                count(&mut self.waited, map, cells.map(at));
            }
        }
    }
}

/// Counts each cell once more.
fn count(counts: &mut [u32], map: &MapLayers, cells: impl Iterator<Item = CellXY>) {
    for index in cells.filter_map(|cell| map.index(cell)) {
        counts[index] = counts[index].saturating_add(1);
    }
}

/// The page of a run.
fn page(
    reader: &mut Reader<BufReader<File>>,
    figures: &Figures,
    threads: usize,
) -> Result<String, RecordingError> {
    let maps = maps(reader, figures)?;
    let header = reader.header();
    let cut = reader.cut().map(|cut| format!("<p class=\"differs\">The recording is {}.</p>", markup(cut)));
    let heading = format!("{}: report of a run", header.name);
    let parts = [
        ("{{title}}", markup(&heading)),
        ("{{heading}}", markup(&heading)),
        ("{{said}}", cut.unwrap_or_default()),
        ("{{facts}}", facts(reader, figures)),
        ("{{plots}}", plots(&figures.counters)),
        ("{{replay}}", replay(figures, threads)),
        ("{{phases}}", phases(figures)),
        ("{{maps}}", maps),
    ];
    Ok(filled(PAGE, &parts))
}

/// What was run and what came of it.
fn facts(reader: &Reader<BufReader<File>>, figures: &Figures) -> String {
    let header = reader.header();
    let last = figures.counters.last().copied().unwrap_or_default();
    let stuck = format!("{} that ended no move for {STUCK_AFTER_TICKS} ticks", last.stuck);
    let map = &header.map;
    let rows = [
        ("Scenario", format!("{}, seed {}", header.file, header.seed)),
        ("Map", format!("{} x {} cells, {}", map.width, map.height, header.shape)),
        ("Rule", format!("collision \"{}\"", header.collision)),
        ("Ticks", reader.end().map_or(figures.counters.len() as u32, |end| end.tick).to_string()),
        ("Agents", format!("{} at the end, {stuck}", last.agents)),
        ("Done", format!("{} orders, {} tasks", last.orders_done, last.tasks_done)),
        ("Given up", format!("{} orders that could not be done", last.orders_unreachable)),
        ("Moves", last.moves.to_string()),
        ("Waited", format!("{} agent-ticks", last.wait_ticks)),
        ("Searches", format!("{} requests, {} expansions", last.path_requests, last.expansions)),
    ];
    rows.iter().fold(String::new(), |mut out, (name, value)| {
        let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", markup(value));
        out
    })
}

/// Ticks that a value of a plot stands for, if there are to be so many at most.
fn ticks_a_value(n_ticks: usize, values_max: u32) -> u32 {
    let least = n_ticks.div_ceil(values_max as usize).max(1);
    least_round(|ticks| ticks as usize >= least)
}

/// Means over stretches of ticks.
fn means(values: impl Iterator<Item = f64>, ticks: u32) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    values.chunks(ticks as usize).map(|values| values.iter().sum::<f64>() / values.len() as f64).collect()
}

/// What was added in stretches of ticks to a count that grows.
fn sums(counts: impl Iterator<Item = u64>, ticks: u32) -> Vec<f64> {
    let counts: Vec<u64> = counts.collect();
    let mut before = 0;
    let added = counts.chunks(ticks as usize).map(|counts| {
        let last = counts.last().copied().unwrap_or(before);
        let added = last.saturating_sub(before);
        before = last;
        added as f64
    });
    added.collect()
}

fn plots(counters: &[Counters]) -> String {
    let (wide, fine) = (ticks_a_value(counters.len(), BARS_MAX), ticks_a_value(counters.len(), VALUES_MAX));
    let done = sums(counters.iter().map(|c| c.orders_done + c.tasks_done), wide);
    let rate = |count: fn(&Counters) -> u64| {
        let sums = sums(counters.iter().map(count), fine);
        sums.into_iter().map(|sum| sum / f64::from(fine)).collect::<Vec<_>>()
    };
    let mean = |count: fn(&Counters) -> u32| means(counters.iter().map(|c| count(c).into()), fine);
    let mean_of = if fine == 1 { String::new() } else { format!(", means of {fine} ticks") };
    let series = |name, values, colour| Series { name, values, colour };
    let plots = [
        Plot {
            title: "Throughput",
            text: format!("Orders and tasks done in each {wide} ticks."),
            kind: Kind::Bars,
            series: vec![series("done", done, 0)],
            ticks: wide,
        },
        Plot {
            title: "Agents",
            text: format!("Who moves, waits, and is stuck{mean_of}. Those who are stuck wait too."),
            kind: Kind::Lines,
            series: vec![
                series("moving", mean(|c| c.moving), 3),
                series("waiting", mean(|c| c.waiting), 2),
                series("stuck", mean(|c| c.stuck), 1),
            ],
            ticks: fine,
        },
        Plot {
            title: "Moves",
            text: format!("Moves begun a tick{mean_of}."),
            kind: Kind::Lines,
            series: vec![series("moves", rate(|c| c.moves), 3)],
            ticks: fine,
        },
        Plot {
            title: "Searches",
            text: format!("Expansions a tick{mean_of}."),
            kind: Kind::Lines,
            series: vec![series("expansions", rate(|c| c.expansions), 4)],
            ticks: fine,
        },
    ];
    plots.iter().map(Plot::section).collect()
}

fn replay(figures: &Figures, threads: usize) -> String {
    let n = figures.nanos.len();
    let equal = match figures.differs_at {
        None => format!("; its state was that of the recording behind each of {n} ticks."),
        Some(tick) => {
            format!(". <b>It differs from the recording at tick {tick}</b>, and the times end there.")
        }
    };
    format!("with {threads} threads{equal}")
}

/// A plot of the phases' times and a table of them.
fn phases(figures: &Figures) -> String {
    let ticks = ticks_a_value(figures.nanos.len(), VALUES_MAX);
    let of_phase = |phase: usize| figures.nanos.iter().map(move |nanos| nanos[phase] as f64 / 1e6);
    let series = Phase::ALL.iter().enumerate().map(|(number, phase)| Series {
        name: phase.name(),
        values: means(of_phase(number), ticks),
        colour: number,
    });
    let plot = Plot {
        title: "Milliseconds a tick",
        text: if ticks == 1 { String::new() } else { format!("Means of {ticks} ticks.") },
        kind: Kind::Stack,
        series: series.collect(),
        ticks,
    };
    let mut out = plot.section().replace("<section>", "<div>").replace("</section>", "</div>");
    out.push_str("<table><tr><th>phase</th><th>share</th><th>mean ms</th><th>longest ms</th></tr>");
    let sums: Vec<f64> = (0..N_PHASES).map(|phase| of_phase(phase).sum()).collect();
    let (all, n) = (sums.iter().sum::<f64>(), figures.nanos.len().max(1) as f64);
    for (number, phase) in Phase::ALL.iter().enumerate() {
        let (sum, longest) = (sums[number], of_phase(number).fold(0.0, f64::max));
        let share = if all > 0.0 { 100.0 * sum / all } else { 0.0 };
        let name = phase.name();
        let _ = write!(
            out,
            "<tr><td>{name}</td><td>{share:.1} %</td><td>{:.4}</td><td>{longest:.3}</td></tr>",
            sum / n
        );
    }
    let quantiles = figures.times.quantiles();
    let _ = write!(
        out,
        "</table><p>A tick: p50 {:.4} ms, p99 {:.4} ms, longest {:.3} ms.</p>",
        quantiles.p50, quantiles.p99, quantiles.max
    );
    out
}

/// Pictures of where agents went and where they waited.
fn maps(reader: &mut Reader<BufReader<File>>, figures: &Figures) -> Result<String, RecordingError> {
    let lattice = Lattice(reader.header().grid_shape());
    let view = View::of(lattice, map_area(&reader.header().map), &Wanted::default(), gif::POINTS_MAX);
    let Ok(view) = view else {
        let why = "<section><h2>Congestion</h2><p>The map is too large for a picture here.</p></section>";
        return Ok(why.to_owned());
    };
    let kinds = Kinds::of_header(reader.header());
    let ground = ground::items(&view, reader.map()?, &kinds);
    let picture = |title: &str, text: &str, counts: &[u32], far: Rgb| {
        let most = counts.iter().copied().max().unwrap_or(0);
        let mut canvas = Canvas::new(view);
        canvas.draw(&ground);
        canvas.draw(&[
            Item::Cells(Cells::of(&view, |_| SHADE)),
            Item::Cells(heat(&view, &reader.header().map, counts, far)),
        ]);
        // A picture in memory has nothing that could fail.
        let bytes = png::encode(canvas.image()).unwrap_or_default();
        format!(
            "<section><h2>{title}</h2><p>{text}; {most} where it was most.</p><img alt=\"{title}\" src=\"data:image/png;base64,{}\"></section>\n",
            base64(&bytes)
        )
    };
    let waited = "Ticks that agents stood on each cell and waited, in the whole run";
    let swept = "How often each cell was swept by a move, in the whole run";
    let congestion = picture("Congestion", waited, &figures.waited, [255, 30, 30]);
    Ok(congestion + &picture("Traffic", swept, &figures.swept, [255, 60, 0]))
}

/// Counts as colours: from yellow on, the more the nearer to `far`.
fn heat(view: &View, map: &MapLayers, counts: &[u32], far: Rgb) -> Cells {
    let most = f64::from(counts.iter().copied().max().unwrap_or(0)).ln_1p().max(1e-9);
    let near: Rgb = [255, 240, 110];
    Cells::of(view, |cell| {
        let count = map.index(cell).map_or(0, |index| counts[index]);
        if count == 0 {
            return Paint::NONE;
        }
        let heat = f64::from(count).ln_1p() / most;
        Paint::new(mixed(near, far, heat), 90 + (150.0 * heat) as u8)
    })
}
