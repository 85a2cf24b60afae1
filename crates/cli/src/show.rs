//! `wheelbase show`: runs a scenario and plays it in the browser, again whenever the file is saved if asked to.

use crate::args::{MessageFormat, RunArgs, ShowArgs};
use crate::diagnostics::say_failure;
use crate::failure::{Exit, Failure};
use crate::file_kind::{FileKind, Takes};
use crate::interrupt::Interrupt;
use crate::output::{say, text_out};
use crate::page_place::PagePlace;
use crate::{render, run};
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};
use wheelbase_scenario::recording::{Reader, RecordingError, WaitReasons};
use wheelbase_view::page::page;
use wheelbase_view::safe_text;

/// Largest page with planned paths: browsers take long to load more.
const PATHS_BYTES_MAX: usize = 64 << 20;
/// Time between two looks at the file.
const LOOK_INTERVAL: Duration = Duration::from_millis(150);

pub fn run(args: &ShowArgs, format: MessageFormat, stop: &Interrupt) -> Result<Exit, Failure> {
    if let Some(wrong) = Takes::SHOWABLE.wrong_kind(&args.file) {
        return Err(wrong.into());
    }
    if is_recording(args) && (args.ticks.is_some() || args.seed.is_some()) {
        return Err(Failure::in_file(
            &args.file,
            "is a recording: --ticks and --seed are for scenarios and problems",
        ));
    }
    let place = PagePlace::new(args.output.as_deref(), &args.file)?;
    if args.reload {
        return keep_showing(args, &place, format, stop);
    }
    let (exit, page) = play(args, &place, stop)?;
    place.write(&page)?;
    // A run that was interrupted was not worth watching.
    present(&place, args.no_open || exit == Exit::Interrupted)?;
    Ok(exit)
}

/// Shows the file, and again each time that it was saved, until Ctrl-C. Mistakes in it are printed.
fn keep_showing(
    args: &ShowArgs,
    place: &PagePlace,
    format: MessageFormat,
    stop: &Interrupt,
) -> Result<Exit, Failure> {
    // A file that is not there is more likely a slip of the pen than one to come.
    let mut seen = Saved::of(&args.file)
        .map_err(|error| Failure::in_file(&args.file, format_args!("cannot be read: {error}")))?;
    stop.catch_signals();
    let mut shown = None;
    while !stop.is_raised() {
        match play(args, place, stop) {
            Ok((Exit::Interrupted, _)) => break,
            Ok((_, page)) => {
                place.write_reloading(&page)?;
                if shown.replace(page).is_none() {
                    present(place, args.no_open)?;
                }
            }
            Err(Failure::ClosedPipe) => break,
            Err(failure) => {
                say_failure(&failure, format);
            }
        }
        say(format_args!("waiting until {} is saved; Ctrl-C ends it", safe_text::path(&args.file)));
        seen = wait_for_change(&args.file, seen, stop);
    }
    // What stays needs no other file.
    if let Some(page) = shown {
        place.write(&page)?;
    }
    Ok(Exit::Done)
}

/// When a file was saved last, and its length then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Saved {
    at: SystemTime,
    length: u64,
}

impl Saved {
    fn of(file: &Path) -> io::Result<Self> {
        let found = std::fs::metadata(file)?;
        Ok(Self { at: found.modified()?, length: found.len() })
    }
}

/// Waits until the file has changed and stays as it is for a moment, or for Ctrl-C. Editors take a file away to put
/// another in its place, so that for a moment there may be none.
fn wait_for_change(file: &Path, before: Saved, stop: &Interrupt) -> Saved {
    let mut last = before;
    while !stop.is_raised() {
        std::thread::sleep(LOOK_INTERVAL);
        let Ok(now) = Saved::of(file) else { continue };
        if now == last && now != before {
            break;
        }
        last = now;
    }
    last
}

fn is_recording(args: &ShowArgs) -> bool {
    FileKind::of(&args.file) == Some(FileKind::Recording)
}

/// Runs the file, unless it is a recording, and makes its page.
fn play(args: &ShowArgs, place: &PagePlace, stop: &Interrupt) -> Result<(Exit, String), Failure> {
    if is_recording(args) {
        return Ok((Exit::Done, page_of(&args.file, args)?));
    }
    let run_args = RunArgs {
        scenario: Some(args.file.clone()),
        ticks: args.ticks,
        seed: args.seed,
        record: Some(place.recording()),
        progress: args.progress,
        memory: args.memory,
        ..RunArgs::default()
    };
    let exit = run::run(&run_args, stop)?;
    Ok((exit, page_of(&place.recording(), args)?))
}

/// The page of a recording.
fn page_of(recording: &Path, args: &ShowArgs) -> Result<String, Failure> {
    let mut reader = render::open(recording, true, args.memory.max())?;
    let reasons = render::reasons(&mut reader, false);
    let fitting = fitting_page(&mut reader, &reasons, PATHS_BYTES_MAX).map_err(|error| match error {
        RecordingError::TooLarge { .. } if !is_recording(args) => {
            Failure::in_file(&args.file, format_args!("{error}; --ticks N runs fewer"))
        }
        error => Failure::in_file(&args.file, error),
    })?;
    if let Some(why) = fitting.without_paths {
        let file = safe_text::path(&args.file);
        say(format_args!("warning: {file}: {why}; the page is without them"));
    }
    Ok(fitting.page)
}

/// A page that a browser can load.
struct FittingPage {
    page: String,
    /// Why it has no planned paths.
    without_paths: Option<String>,
}

/// The page of a recording: without planned paths if it would have more than `paths_bytes_max` with them, or would be
/// too large to be made.
fn fitting_page<R: Read + Seek>(
    reader: &mut Reader<R>,
    reasons: &WaitReasons,
    paths_bytes_max: usize,
) -> Result<FittingPage, RecordingError> {
    let why = match page(reader, true, reasons) {
        Ok(page) if page.len() <= paths_bytes_max => return Ok(FittingPage { page, without_paths: None }),
        Ok(page) => format!("a page with planned paths would have {} MiB", page.len() >> 20),
        Err(error @ RecordingError::TooLarge { .. }) => error.to_string(),
        Err(error) => return Err(error),
    };
    Ok(FittingPage { page: page(reader, false, reasons)?, without_paths: Some(why) })
}

/// Says where the page is, and opens it in the browser if there is somebody to see it.
fn present(place: &PagePlace, no_open: bool) -> Result<(), Failure> {
    let mut out = text_out();
    writeln!(out, "page: {}", place.url())?;
    out.flush()?;
    if no_open || !io::stdout().is_terminal() || !has_display() {
        return Ok(());
    }
    if let Err(error) = open::that_detached(place.page()) {
        say(format_args!("warning: no browser can be opened: {error}"));
    }
    Ok(())
}

/// Whether a browser could show itself.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // Under WSL the browser runs in Windows.
    cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(is_set)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "all of it is for tests")]
mod tests {
    use super::*;
    use std::io::Cursor;
    use wheelbase_scenario::load::{Overrides, load_world_and_text};
    use wheelbase_scenario::recording::{Recorder, ScenarioText, wait_reasons};
    use wheelbase_sim::RunState;

    #[test]
    fn a_page_that_would_be_too_large_is_without_paths() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/first/01_yard.toml");
        let (loaded, text) = load_world_and_text(Path::new(file), Overrides::default()).unwrap();
        let (mut world, scenario) = (loaded.world, ScenarioText { file: "01_yard.toml", text: &text });
        let mut recorder = Recorder::begin(&mut world, &loaded.source, scenario, Vec::new()).unwrap();
        let mut step = RunState::Running;
        while step == RunState::Running {
            let tick = world.tick();
            step = world.step();
            recorder.tick(&world, tick, step).unwrap();
            world.clear_log();
        }
        let recording = recorder.finish(&world).unwrap();
        let mut reader = Reader::open(Cursor::new(recording)).unwrap();
        let reasons = wait_reasons(&mut reader, u64::MAX).unwrap();
        let whole = page(&mut reader, true, &reasons).unwrap();
        let fits = fitting_page(&mut reader, &reasons, whole.len()).unwrap();
        assert_eq!((fits.page, fits.without_paths), (whole.clone(), None));
        let small = fitting_page(&mut reader, &reasons, whole.len() - 1).unwrap();
        assert_eq!(small.page, page(&mut reader, false, &reasons).unwrap());
        assert!(small.page.len() < whole.len());
        assert_eq!(small.without_paths.unwrap(), "a page with planned paths would have 0 MiB");
    }
}
