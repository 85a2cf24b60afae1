//! `wheelbase render`: a recording as a page that plays it, or as pictures.

pub mod film;
pub mod html;
mod pack;
mod scene;

use crate::args::RenderArgs;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::memory_max;
use crate::output::clash::{Output, refuse_clashes};
use crate::output::file::{OutputFile, Unfinished};
use crate::output::files::Outputs;
use crate::output::{progress_bar, say};
use crate::picture::gif::GifFile;
use crate::picture::ground::map_area;
use crate::picture::lattice::Lattice;
use crate::picture::raster::{Canvas, Image};
use crate::picture::{Picture, Wanted};
use crate::safe_text;
use film::Film;
use scene::{Scene, read_before};
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use wheelbase_grid::MemoryNeed;
use wheelbase_sim::recording::{Event, Reader, RecordingError, TickRecord};

/// Frames of a GIF unless it is said how many ticks lie between two.
const FRAMES_DEFAULT: u32 = 300;
/// Most points of all frames of a GIF together.
const FRAME_POINTS_MAX: u64 = 1 << 36;

/// Bytes of a cell in the layers of the map and what is drawn of them.
const PICTURE_BYTES: u64 = 16;
/// Bytes of a page for each byte of its recording, while it is made.
const PAGE_BYTES: u64 = 64;

type Recording = Reader<BufReader<File>>;

pub fn run(args: &RenderArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let file = safe_text::path(&args.recording);
    let of_file = |error: RecordingError| Failure::bad_input(format!("{file}: {error}"));
    let wanted = args.view.wanted(args.png.as_ref(), args.svg.as_ref())?;
    let pages: [Output<'_>; 2] = [("--html", args.html.as_deref()), ("--gif", args.gif.as_deref())];
    refuse_clashes(wanted.outputs().into_iter().chain(pages), [args.recording.as_path()])?;
    let mut reader = Reader::open_file(&args.recording).map_err(of_file)?;
    let of_map = PICTURE_BYTES * u64::from(reader.header().map.width) * u64::from(reader.header().map.height);
    let length = std::fs::metadata(&args.recording).map_or(0, |found| found.len());
    let of_page = if args.html.is_some() { PAGE_BYTES * length } else { 0 };
    let need = MemoryNeed::built(of_map.saturating_add(of_page));
    memory_max::check(args.memory.max(), need, || format!("{file}: a recording of {length} bytes"))?;
    if let Some(cut) = reader.cut() {
        say(format_args!("warning: {file}: {cut}"));
    }
    let mut outputs = Outputs::default();
    if wanted.any() {
        wanted.write(&still(args, &wanted, &mut reader)?, &mut outputs, stop);
    }
    if let Some(path) = &args.html {
        let film = reader.seek(0).and_then(|_| Film::read(&mut reader, !args.no_paths)).map_err(of_file);
        if let Some(film) = outputs.note(film) {
            outputs.write(path, html::page(&film).as_bytes(), stop);
        }
    }
    let mut exit = Exit::Done;
    if let Some(path) = &args.gif {
        exit = outputs.note(write_moving(args, &wanted, path, &mut reader, stop)).unwrap_or(exit);
    }
    outputs.end(exit)
}

/// A tick that must be one of the recording's.
fn tick_of(args: &RenderArgs, reader: &Recording, flag: &str, tick: Option<u32>) -> Result<u32, Failure> {
    let file = safe_text::path(&args.recording);
    let Some(last) = reader.n_ticks().checked_sub(1) else {
        return Err(Failure::bad_input(format!("{file}: holds no whole tick")));
    };
    match tick {
        Some(tick) if tick > last => Err(Failure::bad_input(format!(
            "{flag}: {file} holds no tick {tick}; expected one from 0 to {last}"
        ))),
        tick => Ok(tick.unwrap_or(last)),
    }
}

/// The picture of a tick.
fn still(args: &RenderArgs, wanted: &Wanted<'_>, reader: &mut Recording) -> Result<Picture, Failure> {
    let of_file = |error| Failure::bad_input(format!("{}: {error}", safe_text::path(&args.recording)));
    let tick = tick_of(args, reader, "--tick", args.tick)?;
    let lattice = Lattice(reader.header().grid_shape());
    let view = wanted.view(lattice, map_area(&reader.header().map))?;
    let scene = Scene::new(reader.header(), view).map_err(of_file)?;
    read_before(reader, tick).map_err(of_file)?;
    reader.next_tick(&mut TickRecord::default()).map_err(of_file)?;
    let mut items = scene.ground(reader).map_err(of_file)?;
    items.extend(scene.agents(reader.agents(), tick));
    Ok(Picture { view, title: format!("{}, tick {tick}", reader.header().name), items })
}

/// Writes a moving picture. Ctrl-C ends it behind the last frame drawn.
fn write_moving(
    args: &RenderArgs,
    wanted: &Wanted<'_>,
    path: &Path,
    reader: &mut Recording,
    stop: &Interrupt,
) -> Result<Exit, Failure> {
    let of_file = |error| Failure::bad_input(format!("{}: {error}", safe_text::path(&args.recording)));
    let first = tick_of(args, reader, "--from", Some(args.from.unwrap_or(0)))?;
    let last = tick_of(args, reader, "--to", args.to)?;
    if first > last {
        return Err(Failure::bad_input(format!(
            "--from: expected a tick up to {last}, that of --to, found {first}"
        )));
    }
    let lattice = Lattice(reader.header().grid_shape());
    let view = wanted.moving_view(lattice, map_area(&reader.header().map))?;
    let ticks = last - first;
    let every = args.every.unwrap_or_else(|| ticks.div_ceil(FRAMES_DEFAULT - 1).max(1));
    let (width, height) = view.size();
    let frames_max = FRAME_POINTS_MAX / (u64::from(width) * u64::from(height));
    if u64::from(ticks / every) + 1 > frames_max {
        let fitting = u64::from(ticks).div_ceil(frames_max - 1);
        return Err(Failure::bad_input(format!(
            "a GIF of {} frames of {width} x {height} points is too large; --every {fitting} fits, or a smaller --scale",
            ticks / every + 1
        )));
    }
    let scene = Scene::new(reader.header(), view).map_err(of_file)?;
    let of_gif = |error| Failure::writing(path, &error);
    let mut out = Some(BufWriter::new(OutputFile::create(path, Unfinished::Removed).map_err(of_gif)?));
    stop.heed();
    let mut gif: Option<GifFile<BufWriter<OutputFile>>> = None;
    let mut canvas = Canvas::new(view);
    let mut ground: Option<Image> = None;
    let bar = progress_bar("tick", u64::from(ticks) + 1, true);
    read_before(reader, first).map_err(of_file)?;
    let (mut record, mut n_frames) = (TickRecord::default(), 0);
    // A file without a frame would be none.
    while !(stop.is_raised() && gif.is_some())
        && reader.next_tick(&mut record).map_err(of_file)?
        && record.tick <= last
    {
        let edited = record.events.iter().any(|event| matches!(event, Event::Edit(_)));
        if edited {
            ground = None;
        }
        let since = record.tick - first;
        if !since.is_multiple_of(every) && record.tick != last {
            continue;
        }
        match &ground {
            Some(ground) => canvas.reset_to(ground),
            None => {
                canvas = Canvas::new(view);
                canvas.draw(&scene.ground(reader).map_err(of_file)?);
                ground = Some(canvas.image().clone());
            }
        }
        canvas.draw(&scene.agents(reader.agents(), record.tick));
        bar.set_position(since.into());
        let hundredths = hundredths_of(n_frames, args.fps);
        n_frames += 1;
        match (&mut gif, out.take()) {
            (Some(gif), _) => gif.show(canvas.image(), hundredths).map_err(of_gif)?,
            (None, Some(out)) => gif = Some(GifFile::begin(out, canvas.image(), hundredths).map_err(of_gif)?),
            (None, None) => {}
        }
    }
    bar.finish_and_clear();
    if let Some(gif) = gif {
        let out = gif.finish().map_err(of_gif)?;
        out.into_inner().map_err(|error| of_gif(error.into_error()))?.commit().map_err(of_gif)?;
    }
    Ok(if stop.is_raised() { Exit::Interrupted } else { Exit::Done })
}

/// For how long a frame is shown, so that so many last a second together.
fn hundredths_of(number: u32, fps: u16) -> u16 {
    let until = |number: u64| number * 100 / u64::from(fps);
    (until(u64::from(number) + 1) - until(number.into())) as u16
}
