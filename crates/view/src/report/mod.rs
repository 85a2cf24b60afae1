//! A report page: plots and maps of a recorded run, and phase times of its replay.

pub(crate) mod plot;

use crate::base64::base64;
use crate::colours::mixed;
use crate::picture::drawing::{Cells, Item, Paint};
use crate::picture::ground::{self, MapStyle, map_area};
use crate::picture::raster::Canvas;
use crate::picture::view::View;
use crate::picture::{gif, png};
use crate::round_numbers::least_round;
use crate::safe_text::markup;
use crate::template::filled;
use plot::{Plot, PlotKind, Series};
use std::fmt::Write as _;
use std::io::{Read, Seek};
use std::time::Duration;
use wheelbase_grid::{Lattice, Rgb};
use wheelbase_scenario::recording::{MapLayers, Reader, RecordingError, ReplayProfile};
use wheelbase_sim::{Counters, Phase, STUCK_AFTER_TICKS, TickTimes};

const PAGE: &str = include_str!("report.html");

/// The style of pages with plots.
pub(crate) const STYLE: &str = include_str!("report.css");

/// Most values along a line, and most bars.
const VALUES_MAX: u32 = 240;
const BARS_MAX: u32 = 48;

/// Darkens the map below a heat map.
const SHADE: Paint = Paint::new([0; 3], 110);

const N_PHASES: usize = Phase::ALL.len();

/// The page of a recording that was [profile](wheelbase_scenario::recording::profile) on a number of threads. The
/// reader must have read the last tick.
/// # Errors
/// [`RecordingError`] if the map after that tick cannot be built.
pub fn page<R: Read + Seek>(
    reader: &mut Reader<R>,
    profile: &ReplayProfile,
    threads: usize,
) -> Result<String, RecordingError> {
    let maps = maps(reader, profile)?;
    let header = reader.header();
    let cut =
        reader.truncation().map(|cut| format!("<p class=\"differs\">The recording is {}.</p>", markup(cut)));
    let heading = format!("{}: report of a run", header.name);
    let parts = [
        ("{{title}}", markup(&heading)),
        ("{{style}}", STYLE.to_owned()),
        ("{{heading}}", markup(&heading)),
        ("{{warning}}", cut.unwrap_or_default()),
        ("{{facts}}", facts(reader, profile)),
        ("{{plots}}", plots(&profile.counters, header.snapshot.is_some())),
        ("{{replay}}", replay_summary(profile, threads)),
        ("{{phases}}", phases(profile)),
        ("{{maps}}", maps),
    ];
    Ok(filled(PAGE, &parts))
}

/// The run and its results in figures.
fn facts<R: Read + Seek>(reader: &Reader<R>, profile: &ReplayProfile) -> String {
    let header = reader.header();
    let last = profile.counters.last().copied().unwrap_or_default();
    let stuck = format!("{} stuck (no move ended for {STUCK_AFTER_TICKS} ticks)", last.stuck);
    let map = &header.map;
    let rows = [
        ("Scenario", format!("{}, seed {}", header.file, header.seed)),
        ("Map", format!("{} x {} cells, {}", map.width, map.height, header.shape)),
        ("Rule", format!("collision \"{}\"", header.collision)),
        ("Ticks", reader.end().map_or(profile.counters.len() as u32, |end| end.tick).to_string()),
        ("Agents", format!("{} at the end, {stuck}", last.agents)),
        ("Done", format!("{} orders, {} tasks", last.orders_done, last.tasks_done)),
        ("Given up", format!("{} unreachable orders", last.orders_unreachable)),
        ("Moves", last.moves.to_string()),
        ("Waited", format!("{} agent-ticks", last.wait_ticks)),
        ("Searches", format!("{} requests, {} expansions", last.path_requests, last.expansions)),
    ];
    rows.iter().fold(String::new(), |mut out, (name, value)| {
        let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", markup(value));
        out
    })
}

/// A round number of ticks per value of a plot, so that it has at most `values_max` values.
fn ticks_per_value(n_ticks: usize, values_max: u32) -> u32 {
    let least = n_ticks.div_ceil(values_max as usize).max(1);
    least_round(|ticks| ticks as usize >= least)
}

/// Means over intervals of `ticks` ticks.
fn means(values: impl Iterator<Item = f64>, ticks: u32) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    values.chunks(ticks as usize).map(|values| values.iter().sum::<f64>() / values.len() as f64).collect()
}

/// Growth of a cumulative count over each interval of `ticks` ticks.
fn sums(counts: impl Iterator<Item = u64>, ticks: u32, is_resumed: bool) -> Vec<f64> {
    let counts: Vec<u64> = counts.collect();
    // What a resumed run had counted before is not said.
    let mut before = counts.first().copied().filter(|_| is_resumed).unwrap_or(0);
    let added = counts.chunks(ticks as usize).map(|counts| {
        let last = counts.last().copied().unwrap_or(before);
        let added = last.saturating_sub(before);
        before = last;
        added as f64
    });
    added.collect()
}

fn plots(counters: &[Counters], is_resumed: bool) -> String {
    let (wide, fine) =
        (ticks_per_value(counters.len(), BARS_MAX), ticks_per_value(counters.len(), VALUES_MAX));
    let done = sums(counters.iter().map(|c| c.orders_done + c.tasks_done), wide, is_resumed);
    let rate = |count: fn(&Counters) -> u64| {
        let sums = sums(counters.iter().map(count), fine, is_resumed);
        sums.into_iter().map(|sum| sum / f64::from(fine)).collect::<Vec<_>>()
    };
    let mean = |count: fn(&Counters) -> u32| means(counters.iter().map(|c| count(c).into()), fine);
    let mean_of = if fine == 1 { String::new() } else { format!(", means of {fine} ticks") };
    let series = |name, values, colour| Series { name, values, colour };
    let plots = [
        Plot {
            title: "Throughput",
            text: format!("Orders and tasks done per {wide} ticks."),
            kind: PlotKind::Bars,
            series: vec![series("done", done, 0)],
            ticks: wide,
        },
        Plot {
            title: "Agents",
            text: format!("Moving, waiting and stuck agents{mean_of}. Stuck agents also count as waiting."),
            kind: PlotKind::Lines,
            series: vec![
                series("moving", mean(|c| c.moving), 3),
                series("waiting", mean(|c| c.waiting), 2),
                series("stuck", mean(|c| c.stuck), 1),
            ],
            ticks: fine,
        },
        Plot {
            title: "Moves",
            text: format!("Moves begun per tick{mean_of}."),
            kind: PlotKind::Lines,
            series: vec![series("moves", rate(|c| c.moves), 3)],
            ticks: fine,
        },
        Plot {
            title: "Searches",
            text: format!("Expansions per tick{mean_of}."),
            kind: PlotKind::Lines,
            series: vec![series("expansions", rate(|c| c.expansions), 4)],
            ticks: fine,
        },
    ];
    plots.iter().map(Plot::section).collect()
}

/// How the replay was run, and whether it agrees with the recording.
fn replay_summary(profile: &ReplayProfile, threads: usize) -> String {
    let n = profile.nanos.len();
    let verdict = match profile.differs_at {
        None => format!("; its state equals the recorded state after each of {n} ticks."),
        Some(tick) => {
            format!(". <b>It differs from the recording at tick {tick}</b>, and the times end there.")
        }
    };
    format!("with {threads} threads{verdict}")
}

/// A plot and a table of phase times.
fn phases(profile: &ReplayProfile) -> String {
    let ticks = ticks_per_value(profile.nanos.len(), VALUES_MAX);
    let of_phase = |phase: usize| profile.nanos.iter().map(move |nanos| nanos[phase] as f64 / 1e6);
    let series = Phase::ALL.iter().enumerate().map(|(number, phase)| Series {
        name: phase.name(),
        values: means(of_phase(number), ticks),
        colour: number,
    });
    let plot = Plot {
        title: "Milliseconds per tick",
        text: if ticks == 1 { String::new() } else { format!("Means of {ticks} ticks.") },
        kind: PlotKind::Stack,
        series: series.collect(),
        ticks,
    };
    let mut out = plot.section().replace("<section>", "<div>").replace("</section>", "</div>");
    out.push_str("<table><tr><th>phase</th><th>share</th><th>mean ms</th><th>longest ms</th></tr>");
    let sums: Vec<f64> = (0..N_PHASES).map(|phase| of_phase(phase).sum()).collect();
    let (all, n) = (sums.iter().sum::<f64>(), profile.nanos.len().max(1) as f64);
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
    let mut times = TickTimes::with_capacity(profile.nanos.len() as u32);
    for (tick, nanos) in (0..).zip(&profile.nanos) {
        times.add(tick, Duration::from_nanos(nanos.iter().sum()));
    }
    let quantiles = times.quantiles();
    let _ = write!(
        out,
        "</table><p>Per tick: p50 {:.4} ms, p99 {:.4} ms, longest {:.3} ms.</p>",
        quantiles.p50, quantiles.p99, quantiles.max
    );
    out
}

/// Heat maps of waiting and of swept cells.
fn maps<R: Read + Seek>(reader: &mut Reader<R>, profile: &ReplayProfile) -> Result<String, RecordingError> {
    let lattice = Lattice(reader.header().grid_shape());
    let view = View::of(lattice, map_area(&reader.header().map), None, None, gif::PIXELS_MAX);
    let Ok(view) = view else {
        let note = "<section><h2>Congestion</h2><p>The map is too large for a picture here.</p></section>";
        return Ok(note.to_owned());
    };
    let style = MapStyle::of_header(reader.header());
    let ground = ground::items(&view, reader.map()?, &style);
    let picture = |title: &str, text: &str, counts: &[u32], far: Rgb| {
        let most = counts.iter().copied().max().unwrap_or(0);
        let mut canvas = Canvas::new(view);
        canvas.draw(&ground);
        canvas.draw(&[
            Item::Cells(Cells::of(&view, |_| SHADE)),
            Item::Cells(heat(&view, &reader.header().map, counts, far)),
        ]);
        // Encoding to memory cannot fail.
        let bytes = png::encode(canvas.image()).unwrap_or_default();
        format!(
            "<section><h2>{title}</h2><p>{text}; at most {most}.</p><img alt=\"{title}\" src=\"data:image/png;base64,{}\"></section>\n",
            base64(&bytes)
        )
    };
    let waited = "Ticks that agents waited on each cell, over the whole run";
    let swept = "Moves that swept each cell, over the whole run";
    let congestion = picture("Congestion", waited, &profile.waited, [255, 30, 30]);
    Ok(congestion + &picture("Traffic", swept, &profile.swept, [255, 60, 0]))
}

/// Counts as colours on a logarithmic scale, from yellow to `far` at the largest count.
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
