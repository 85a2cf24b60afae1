//! `wheelbase render`: draws a recording, or a plan, as a playback page or as pictures.

use crate::args::RenderArgs;
use crate::check::{load_planned, not_a_plan, read_move_plan};
use crate::failure::{Exit, Failure};
use crate::file_kind::{Takes, is_scen, refuse_map};
use crate::interrupt::Interrupt;
use crate::memory_max;
use crate::output::clash::{Output, refuse_clashes};
use crate::output::files::Outputs;
use crate::output::{progress_bar, say};
use crate::picture_files::{OutputSpec, PAGE_ENDINGS, check_ending};
use std::fs::File;
use std::io::{BufReader, BufWriter, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use wheelbase_grid::{Lattice, MemoryMax, MemoryNeed};
use wheelbase_scenario::load::{
    Files, Loaded, LoadedProblem, Overrides, is_problem, load_world_of_bytes, read_file,
};
use wheelbase_scenario::output_file::{OutputFile, Unfinished};
use wheelbase_scenario::recording::{REASON_WORK_MAX, Reader, RecordingError, WaitReasons, wait_reasons};
use wheelbase_scenario::{PlanRecording, record_move_plan, record_problem_plan};
use wheelbase_view::animation::{self, AnimationError, FramePlan};
use wheelbase_view::page::page;
use wheelbase_view::picture::drawing::Picture;
use wheelbase_view::picture::ground::map_area;
use wheelbase_view::safe_text;
use wheelbase_view::scene::{self, Scene};

/// Most frames of a GIF without --every.
const FRAMES_DEFAULT: u32 = 300;
/// Most pixels of all frames of a GIF together.
const FRAME_PIXELS_MAX: u64 = 1 << 36;

/// Bytes per cell of a picture: the layers of the map and their drawing.
const PICTURE_BYTES: u64 = 16;
/// Bytes of memory for a page per byte of its recording.
const PAGE_BYTES: u64 = 64;

/// A recording file that is open.
type Recording = Reader<BufReader<File>>;

pub fn run(args: &RenderArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let spec = args.view.spec(args.png.as_ref(), args.svg.as_ref())?;
    check_ending("--html", args.html.as_deref(), &PAGE_ENDINGS)?;
    check_ending("--gif", args.gif.as_deref(), &["gif"])?;
    let class_file = args.class.as_deref().map(Path::new);
    let read = [Some(args.recording.as_path()), args.plan.as_deref(), args.map.as_deref(), class_file];
    refuse_clash(args, &spec, read.into_iter().flatten())?;
    match &args.plan {
        Some(plan) => {
            let bytes = carried_out(args, &spec, plan)?;
            let reader = Reader::open_within(Cursor::new(bytes), args.memory.max());
            let reader = reader.map_err(|error| Failure::in_file(plan, error))?;
            draw(args, &spec, reader, stop)
        }
        None => draw(args, &spec, open(&args.recording, args.html.is_some(), args.memory.max())?, stop),
    }
}

/// Refuses outputs that are one file, or an input.
fn refuse_clash<'a>(
    args: &'a RenderArgs,
    spec: &'a OutputSpec<'_>,
    read: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let pages: [Output<'_>; 2] = [("--html", args.html.as_deref()), ("--gif", args.gif.as_deref())];
    refuse_clashes(spec.outputs().into_iter().chain(pages), read)
}

/// Carries out a plan. Gives the recording of that.
fn carried_out(args: &RenderArgs, spec: &OutputSpec<'_>, plan: &Path) -> Result<Vec<u8>, Failure> {
    let (file, memory_max) = (args.recording.as_path(), args.memory.max());
    if !is_scen(file) {
        refuse_map(args.map.as_deref())?;
    }
    let recorded = if is_problem(file) {
        let (problem, text) = (read_file(file)?, read_file(plan)?);
        let loaded = LoadedProblem::read(file, &problem, Files::Disk, memory_max)?;
        let overrides = Overrides { ticks: Some(0), memory_max, ..Overrides::default() };
        let Loaded { world, source, .. } = load_world_of_bytes(file, &problem, Files::Disk, overrides)?;
        refuse_clash(args, spec, source.files_read(file).iter().map(PathBuf::as_path))?;
        record_problem_plan(&world, &loaded, &text).map_err(|error| not_a_plan(plan, Takes::PLAN, error))?
    } else {
        let read = read_move_plan(plan)?;
        let planned = load_planned(file, &read, (args.map.as_deref(), args.class.as_deref()), memory_max)?;
        refuse_clash(args, spec, planned.read.iter().map(PathBuf::as_path))?;
        record_move_plan(&planned.world, &read)
    };
    let PlanRecording { bytes, stopped_at, differences, .. } =
        recorded.map_err(|error| Failure::in_file(plan, error))?;
    for difference in differences {
        let shown = safe_text::path(plan);
        say(format_args!("warning: {shown}: {}; drawn as in the scenario", safe_text::line(&difference)));
    }
    if let Some(tick) = stopped_at {
        let (shown, file) = (safe_text::path(plan), safe_text::path(file));
        say(format_args!(
            "warning: {shown}: not all moves of tick {tick} can begin; drawn up to there (`wheelbase check {file} --plan {shown}` \
             says why)"
        ));
    }
    Ok(bytes)
}

/// Draws a recording.
fn draw(
    args: &RenderArgs,
    spec: &OutputSpec<'_>,
    mut reader: Reader<impl Read + Seek>,
    stop: &Interrupt,
) -> Result<Exit, Failure> {
    let of_file = |error: RecordingError| Failure::in_file(&args.recording, error);
    let mut outputs = Outputs::default();
    if spec.any() {
        spec.write(&still(args, spec, &mut reader)?, &mut outputs, stop);
    }
    if let Some(path) = &args.html {
        let reasons = reasons(&mut reader, args.all_reasons);
        let page = page(&mut reader, !args.no_paths, &reasons).map_err(of_file);
        if let Some(page) = outputs.note(page) {
            outputs.write(path, page.as_bytes(), stop);
        }
    }
    let mut exit = Exit::Done;
    if let Some(path) = &args.gif {
        exit = outputs.note(write_animation(args, spec, path, &mut reader, stop)).unwrap_or(exit);
    }
    outputs.end(exit)
}

/// Why agents of a recording rested, for its page: as far as stepping it again takes seconds, or of the `whole` run. A
/// page can do without; only a run that turns out otherwise is worth a warning.
pub fn reasons(reader: &mut Reader<impl Read + Seek>, whole: bool) -> WaitReasons {
    let work_max = if whole { u64::MAX } else { REASON_WORK_MAX };
    let found = wait_reasons(reader, work_max).unwrap_or_default();
    if let Some(tick) = found.differs_at {
        say(format_args!(
            "warning: the replay differs from tick {tick} on; the page says up to there why agents wait"
        ));
    }
    found
}

/// Opens a recording to draw it, as a page as well if `with_page`. Warns of a recording that is cut off.
/// # Errors
/// If it is none, or if drawing it could take more memory than `memory_max`.
pub fn open(recording: &Path, with_page: bool, memory_max: MemoryMax) -> Result<Recording, Failure> {
    let file = safe_text::path(recording);
    let reader = Reader::open_file_within(recording, memory_max)
        .map_err(|error| Takes::RECORDED.refuse_recording(recording, error))?;
    let of_map = PICTURE_BYTES * u64::from(reader.header().map.width) * u64::from(reader.header().map.height);
    let length = std::fs::metadata(recording).map_or(0, |found| found.len());
    let of_page = if with_page { PAGE_BYTES * length } else { 0 };
    let need = MemoryNeed::built(of_map.saturating_add(of_page));
    memory_max::check(memory_max, need, || format!("{file}: a recording of {length} bytes"))?;
    if let Some(cut) = reader.truncation() {
        say(format_args!("warning: {file}: {cut}"));
    }
    Ok(reader)
}

/// Checks that a tick is recorded; by default the last one.
fn tick_of(
    args: &RenderArgs,
    reader: &Reader<impl Read + Seek>,
    flag: &str,
    tick: Option<u32>,
) -> Result<u32, Failure> {
    let file = safe_text::path(&args.recording);
    let first = reader.first_tick();
    let Some(last) = reader.n_ticks().checked_sub(1).map(|ticks| first + ticks) else {
        return Err(Failure::bad_input(format!("{file}: holds no whole tick")));
    };
    match tick {
        Some(tick) if !(first..=last).contains(&tick) => Err(Failure::bad_input(format!(
            "{flag}: {file} has no tick {tick}; expected one from {first} to {last}"
        ))),
        tick => Ok(tick.unwrap_or(last)),
    }
}

/// The picture of a tick.
fn still(
    args: &RenderArgs,
    spec: &OutputSpec<'_>,
    reader: &mut Reader<impl Read + Seek>,
) -> Result<Picture, Failure> {
    let of_file = |error| Failure::in_file(&args.recording, error);
    let tick = tick_of(args, reader, "--tick", args.tick)?;
    let lattice = Lattice(reader.header().grid_shape());
    let view = spec.view(lattice, map_area(&reader.header().map))?;
    scene::still(reader, view, tick).map_err(of_file)
}

/// Writes a GIF. Ctrl-C ends it after the last frame drawn.
fn write_animation(
    args: &RenderArgs,
    spec: &OutputSpec<'_>,
    path: &Path,
    reader: &mut Reader<impl Read + Seek>,
    stop: &Interrupt,
) -> Result<Exit, Failure> {
    let of_file = |error| Failure::in_file(&args.recording, error);
    let first = tick_of(args, reader, "--from", Some(args.from.unwrap_or(reader.first_tick())))?;
    let last = tick_of(args, reader, "--to", args.to)?;
    if first > last {
        return Err(Failure::bad_input(format!(
            "--from: expected a tick up to {last}, the value of --to, found {first}"
        )));
    }
    let lattice = Lattice(reader.header().grid_shape());
    let view = spec.animation_view(lattice, map_area(&reader.header().map))?;
    let ticks = last - first;
    let every = args.every.unwrap_or_else(|| ticks.div_ceil(FRAMES_DEFAULT - 1).max(1));
    let (width, height) = view.size();
    let frames_max = FRAME_PIXELS_MAX / (u64::from(width) * u64::from(height));
    if u64::from(ticks / every) + 1 > frames_max {
        let fitting = u64::from(ticks).div_ceil(frames_max - 1);
        return Err(Failure::bad_input(format!(
            "a GIF of {} frames of {width} x {height} pixels is too large; --every {fitting} fits, or a smaller --scale",
            ticks / every + 1
        )));
    }
    let scene = Scene::new(reader.header(), view);
    let of_gif = |error| Failure::writing(path, &error);
    let out = BufWriter::new(OutputFile::create(path, Unfinished::Removed).map_err(of_gif)?);
    stop.catch_signals();
    let bar = progress_bar("tick", u64::from(ticks) + 1, !args.progress.quiet);
    let plan = FramePlan { first, last, every, fps: args.fps, caption: args.view.caption };
    let written = animation::write(reader, &scene, plan, out, |ticks| {
        bar.set_position(ticks.into());
        !stop.is_raised()
    });
    bar.finish_and_clear();
    let out = written.map_err(|error| match error {
        AnimationError::Recording(error) => of_file(error),
        AnimationError::Io(error) => of_gif(error),
        other => Failure::in_file(path, other),
    })?;
    out.into_inner().map_err(|error| of_gif(error.into_error()))?.commit().map_err(of_gif)?;
    Ok(if stop.is_raised() { Exit::Interrupted } else { Exit::Done })
}
